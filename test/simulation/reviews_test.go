package simulation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// asksPeople tells whether people approve documents of a seed, hasConditions whether the
// second documents of its workflows are made of some events alone.
func asksPeople(seed uint64) bool {
	return draw(seed, "approval", "")%4 == 0 && !rollsOut(seed) && !hasNeighbours(seed)
}

func hasConditions(seed uint64) bool {
	return draw(seed, "condition", "")%4 == 0 && !rollsOut(seed) && !hasNeighbours(seed)
}

// when is the condition of second documents.
const when = "Key = 1"

// Those who approve: the deputy stands for the second one once a reminder was due.
const (
	ada, bob, deputy = "ada@example.com", "bob@example.com", "dee@example.com"
	remindDays       = 1
	expireDays       = 3
)

// approval is that of an owner's documents.
func (c config) approval(owner int) *platen.Approval {
	if !c.approved {
		return nil
	}
	return &platen.Approval{By: []string{ada, bob}, Need: owner % 3, RemindDays: remindDays, ExpireDays: expireDays, Deputies: map[string]string{bob: deputy}}
}

// reviewKey names a review: each round of an output has one.
type reviewKey struct {
	outputID string
	round    int
}

type reviewRow struct {
	platen.Review
	mailed []string
	nextAt time.Time
}

// latest is the review of an output in its last round; false: nobody was asked.
func (s *store) latest(outputID string) (reviewRow, bool) {
	var last reviewRow
	for key, r := range s.reviews {
		if key.outputID == outputID && key.round > last.Round {
			last = r
		}
	}
	return last, last.Round > 0
}

func (s *store) beginReview(outputID string, approval platen.Approval, change func(*platen.Output) error) (platen.Output, error) {
	r, err := s.output(outputID)
	if err != nil {
		return platen.Output{}, err
	}
	o, changes, err := r.Change(change)
	if err != nil {
		return o, err
	}
	if changes {
		o = s.write(o)
	}
	key := reviewKey{outputID, o.Attempt}
	if _, begun := s.reviews[key]; begun || o.State != platen.OutputReview {
		return o, nil
	}
	now := s.now()
	s.reviews[key] = reviewRow{nextAt: now, Review: platen.Review{
		Approval: approval, OutputID: outputID, AutomationID: o.AutomationID, WorkflowID: s.automations[o.AutomationID].WorkflowID,
		Round: o.Attempt, SHA256: o.PDF.SHA256, RequestedAt: now, ExpiresAt: now.AddDate(0, 0, approval.ExpireDays),
	}}
	s.enqueue(platen.CommandReview, []string{outputID}, 0)
	return o, nil
}

// lockReview finds the review of an output for somebody who decides.
func (s *store) lockReview(outputID string, round int) (automationRow, reviewRow, error) {
	o, known := s.outputs[outputID]
	if !known {
		return automationRow{}, reviewRow{}, platen.ErrOutputNotFound()
	}
	a, err := s.automation(o.AutomationID)
	r, asked := s.latest(outputID)
	switch {
	case err != nil:
	case !asked:
		err = platen.ErrNotInReview()
	case round != 0 && round != r.Round:
		err = platen.ErrReviewSuperseded()
	case a.CancelRequestedAt != nil && r.Verdict == "":
		err = platen.ErrNotInReview()
	}
	return a, r, err
}

// answer adds what somebody has decided.
func (s *store) answer(outputID string, round int, by string, approves bool) error {
	a, r, err := s.lockReview(outputID, round)
	if err != nil {
		return err
	}
	who, err := r.For(by, s.now())
	if err != nil {
		return err
	}
	given := platen.Answer{For: who.For, By: who.By, Approves: approves, At: s.now()}
	if !approves {
		given.Reason = "Wrong town."
	}
	r.Answers = slices.Clone(r.Answers)
	added, err := r.Add(given)
	if s.countsTwice && err == nil && !added && approves && r.Verdict == "" { // planted
		added, r.Verdict = true, platen.VerdictApproved
	}
	if err != nil || !added {
		return err
	}
	if s.losesAnswers && r.Verdict == "" {
		return nil
	}
	if r.Verdict == "" {
		s.reviews[r.key()] = r
		return nil
	}
	return s.conclude(a, r)
}

// correct has an output made again of other data.
func (s *store) correct(outputID string, round int, by string, data []byte) error {
	a, r, err := s.lockReview(outputID, round)
	if err != nil {
		return err
	}
	o := s.outputs[outputID]
	again := r.Verdict == platen.VerdictCorrected && o.State == platen.OutputFailed && (a.State == platen.AutomationFailed || a.State == platen.AutomationReview)
	if err := r.Correct(platen.ReviewCorrection{By: by, At: s.now()}, again); err != nil {
		return err
	}
	fields, err := platen.CorrectedFields(s.data(a, outputID), data)
	switch {
	case err != nil:
		return err
	case len(fields) == 0:
		return platen.ErrNothingCorrected()
	case s.corrections[outputID].n >= platen.MaxCorrections:
		return platen.ErrTooManyCorrections()
	}
	switch {
	case !again:
		err = s.conclude(a, r)
	case a.State == platen.AutomationFailed:
		err = s.retryOnly(a.ID, outputID)
	default:
		s.repeatOne(o, a.Attempt+1, false)
		s.resume(a.ID)
	}
	if err == nil {
		s.corrections[outputID] = correction{s.corrections[outputID].n + 1, data}
	}
	return err
}

// A correction is the last one of an output, and how many there were.
type correction struct {
	n    int
	data []byte
}

// data is what an output is made of.
func (s *store) data(a automationRow, outputID string) []byte {
	if c := s.corrections[outputID]; c.n > 0 {
		return c.data
	}
	return a.body
}

func (s *store) conclude(a automationRow, r reviewRow) error {
	o := s.outputs[r.OutputID]
	if o.State != platen.OutputReview || o.Attempt != r.Round {
		return platen.ErrNotInReview()
	}
	if r.Verdict == platen.VerdictCorrected {
		s.repeatOne(o, a.Attempt+1, false)
	} else {
		decided, _, err := o.Change(func(o *platen.Output) error { return o.Decide(r.Verdict) })
		if err != nil {
			return err
		}
		decided.Attempt = a.Attempt + 1
		s.write(decided)
	}
	now := s.now()
	r.DecidedAt, r.Unsent = &now, ""
	s.reviews[reviewKey{r.OutputID, r.Round}] = r
	if a.State == platen.AutomationReview && !s.staysInReview {
		s.resume(a.ID)
	}
	s.enqueue(platen.CommandReview, []string{r.OutputID}, 0)
	return nil
}

// resume puts an automation whose outputs were decided back into the queue.
func (s *store) resume(id string) {
	a := s.automations[id]
	if a.Ended() {
		return
	}
	a.State, a.Attempt, a.StartedAt, a.notBefore, a.leasedUntil = platen.AutomationAccepted, a.Attempt+1, nil, time.Time{}, time.Time{}
	a.ParkedAt, a.waits = nil, nil
	s.automations[id] = a
	s.wake(platen.Waking{})
}

// waiting says what an automation that its run is done with waits for.
func (s *store) waiting(a automationRow) platen.AutomationState {
	review, decided := false, false
	for _, o := range s.outputsOf(a.ID) {
		review = review || o.State == platen.OutputReview
		decided = decided || o.State == platen.OutputPending && o.Attempt > a.Attempt
	}
	switch {
	case !review && !decided:
		return ""
	case a.CancelRequestedAt != nil:
		return platen.AutomationRunning
	case decided:
		return platen.AutomationAccepted
	}
	return platen.AutomationReview
}

func (s *store) await(a automationRow, state platen.AutomationState) {
	if state == platen.AutomationAccepted {
		s.resume(a.ID)
		return
	}
	a.State, a.leasedUntil, a.notBefore, a.ParkedAt, a.waits = state, time.Time{}, time.Time{}, nil, nil
	if state == platen.AutomationRunning {
		now := s.now()
		a.Attempt, a.StartedAt = a.Attempt+1, &now
	}
	s.automations[a.ID] = a
}

func (s *store) expireReview(outputID string, round int) error {
	o, err := s.output(outputID)
	if err != nil {
		return err
	}
	r, asked := s.latest(outputID)
	if !asked {
		return platen.ErrReviewNotFound()
	}
	if r.Round != round || r.Verdict != "" {
		return nil
	}
	r.Verdict = platen.VerdictExpired
	return s.conclude(s.automations[o.AutomationID], r)
}

func (s *store) noteReviewMail(outputID string, round int, mailID, unsent string) {
	key := reviewKey{outputID, round}
	r, asked := s.reviews[key]
	if !asked {
		return
	}
	if mailID != "" && !slices.Contains(r.mailed, mailID) {
		r.mailed = append(slices.Clone(r.mailed), mailID)
	}
	r.Unsent = unsent
	s.reviews[key] = r
}

func (s *store) noteReviewDue(outputID string, round int, next, reminded time.Time) {
	key := reviewKey{outputID, round}
	r, asked := s.reviews[key]
	if !asked {
		return
	}
	if r.nextAt.IsZero() {
		return
	}
	r.nextAt = next.Truncate(time.Microsecond)
	if !reminded.IsZero() {
		at := reminded.Truncate(time.Microsecond)
		r.RemindedAt, r.mailed = &at, nil
	}
	s.reviews[key] = r
}

func (s *store) wakeOverdueReviews(age time.Duration) (n int) {
	var due []reviewRow
	for _, r := range s.reviews {
		if r.Verdict == "" && !r.nextAt.IsZero() && r.nextAt.Before(s.now().Add(-age)) {
			due = append(due, r)
		}
	}
	slices.SortFunc(due, func(a, b reviewRow) int {
		if c := a.nextAt.Compare(b.nextAt); c != 0 {
			return c
		}
		return strings.Compare(a.OutputID, b.OutputID)
	})
	for _, r := range due[:min(len(due), 100)] {
		o := s.outputs[r.OutputID]
		waits := o.State == platen.OutputReview && o.Attempt == r.Round
		if r.nextAt = (time.Time{}); waits {
			r.nextAt = s.now()
			s.enqueue(platen.CommandReview, []string{r.OutputID}, 0)
			n++
		}
		s.reviews[r.key()] = r
	}
	return n
}

// endReviews notes that nobody is asked any more about outputs of an automation that ended
// without those who were to approve them.
func (s *store) endReviews(a automationRow) {
	for key, r := range s.reviews {
		if o := s.outputs[key.outputID]; a.CancelRequestedAt != nil && r.AutomationID == a.ID && o.State != platen.OutputReview && r.Verdict == "" {
			r.nextAt = time.Time{}
			s.reviews[key] = r
		}
	}
}

func (d database) BeginReview(ctx context.Context, id string, approval platen.Approval, change func(*platen.Output) error) (o platen.Output, err error) {
	if err := d.WriteNotes(ctx, id); err != nil {
		return o, err
	}
	defer d.memory.drop(id)
	err = d.do(ctx, "begins the review of", id, func(s *store) (err error) {
		o, err = s.beginReview(id, approval, change)
		return err
	})
	return o, err
}

func (d database) Review(ctx context.Context, id string) (r platen.Review, mailed []string, err error) {
	err = d.do(ctx, "reads the review of", id, func(s *store) error {
		found, asked := s.latest(id)
		if !asked {
			return platen.ErrReviewNotFound()
		}
		r, mailed = found.Review, found.mailed
		return nil
	})
	return r, mailed, err
}

func (d database) ExpireReview(ctx context.Context, id string, round int) error {
	return d.do(ctx, "ends the review of", id, func(s *store) error { return s.expireReview(id, round) })
}

func (d database) NoteReviewMail(ctx context.Context, id string, round int, mailID, unsent string) error {
	return d.run(ctx, "notes the mail "+mailID+" about", id, func(s *store) { s.noteReviewMail(id, round, mailID, unsent) })
}

func (d database) NoteReviewDue(ctx context.Context, id string, round int, next, reminded time.Time) error {
	return d.run(ctx, "notes what is due of", id, func(s *store) { s.noteReviewDue(id, round, next, reminded) })
}

func (d database) WakeOverdueReviews(ctx context.Context, age time.Duration) (n int, err error) {
	err = d.run(ctx, "wakes", "overdue reviews", func(s *store) { n = s.wakeOverdueReviews(age) })
	return n, err
}

// partMail is a mail server that takes everything.
const partMail part = "mail"

// A postman hands over the mails of a process.
type postman struct {
	w *harness
	p *process
}

func (postman) Host() string { return "example.com" }

func (m postman) Deliver(ctx context.Context, l platen.Letter) ([]platen.Recipient, error) {
	return nil, m.w.do(ctx, m.p, partMail, "mails "+l.To[0], l.MessageID, func() error {
		m.w.asked = append(m.w.asked, asked{to: l.To[0], about: l.Text, at: m.w.since()})
		return nil
	})
}

// asked is that somebody got a mail, with the link in it.
type asked struct {
	to, about string
	at        time.Duration
}

// linkOf has in it what a link is about.
func linkOf(l platen.ReviewLink) (string, error) {
	return fmt.Sprintf("https://example.com/reviews/%s/%d/%s", l.OutputID, l.Round, l.By), nil
}

// A decision is an answer that was acknowledged.
type decision struct {
	reviewKey
	by       string
	approves bool
}

// decide has somebody answer about an output in its latest round.
func (w *harness) decide(outputID, by string, approves bool) {
	r, waits := w.store.latest(outputID)
	if !waits {
		return
	}
	if err := w.store.answer(outputID, r.Round, by, approves); err == nil {
		w.decisions = append(w.decisions, decision{r.key(), by, approves})
		w.trace.say(w.scheduler, fmt.Sprintf("%s decides about %s in round %d: %v", by, outputID, r.Round, approves))
	}
}

func (r reviewRow) key() reviewKey { return reviewKey{r.OutputID, r.Round} }

// correctName gives an output another name.
func (w *harness) correctName(outputID, by string) {
	r, waits := w.store.latest(outputID)
	if !waits {
		return
	}
	a := w.store.automations[r.AutomationID]
	err := w.store.correct(outputID, r.Round, by, fmt.Appendf(nil, `{"Name": "%s once more {{Name}}", "Key": %d}`, a.ID, draw(w.seed, "key ", a.ID)%2))
	if err == nil {
		w.trace.say(w.scheduler, by+" corrects "+outputID)
	}
}

// peopleDecide draws what people do about the outputs of automations.
func (c *config) peopleDecide(d *generator, automations int) {
	for range 3 + d.below(6) {
		id := fmt.Sprint("aut_", 1+d.below(automations))
		what := []string{"ada approves", "ada approves", "bob approves", "bob approves", "both approve", "ada rejects", "bob corrects", "the deputy approves", "nobody is looked after"}[d.below(9)]
		c.act(d, c.lasts/8, c.lasts, what+" of "+id, func(w *harness) {
			for _, o := range w.store.outputsOf(id) {
				switch what {
				case "ada approves":
					w.decide(o.ID, ada, true)
				case "bob approves":
					w.decide(o.ID, bob, true)
				case "both approve":
					w.decide(o.ID, ada, true)
					w.decide(o.ID, bob, true)
				case "ada rejects":
					w.decide(o.ID, ada, false)
				case "bob corrects":
					w.correctName(o.ID, bob)
				case "the deputy approves":
					w.decide(o.ID, deputy, true)
				default:
					w.server.terminate("review-" + o.ID)
				}
			}
		})
		c.acts[len(c.acts)-1].always = true
	}
}

// peopleFinish has people approve what still waits, unless nobody ever does.
func (w *harness) peopleFinish() {
	for _, id := range sorted(w.store.outputs) {
		if o := w.store.outputs[id]; o.State == platen.OutputReview && !w.config.expires {
			w.decide(id, ada, true)
			w.decide(id, bob, true)
		}
	}
}

// nameOf is the name of which an output is made.
func (w *harness) nameOf(outputID, automationID string) string {
	if w.store.corrections[outputID].n > 0 {
		return automationID + " once more {{Name}}"
	}
	return automationID + " {{Name}}"
}

// checkReviews sees that no answer is lost, none counts twice, and that what is DONE has the
// approvals that it needs.
func (w *harness) checkReviews() {
	for _, d := range w.decisions {
		stored := 0
		for _, a := range w.store.reviews[d.reviewKey].Answers {
			if a.By == d.by && a.Approves == d.approves {
				stored++
			}
		}
		if stored != 1 && !w.putBack {
			w.violate("%s decided about %s in round %d, and that is stored %d times", d.by, d.outputID, d.round, stored)
		}
	}
	for _, id := range sorted(w.store.outputs) {
		o := w.store.outputs[id]
		plan, _ := w.store.plans[o.AutomationID].Output(o.ID)
		if plan.Document.Approval == nil || o.State != platen.OutputDone {
			continue
		}
		r, _ := w.store.latest(o.ID)
		places := map[string]bool{}
		for _, a := range r.Answers {
			places[a.For] = places[a.For] || a.Approves
		}
		if r.Verdict != platen.VerdictApproved || len(places) < r.Needed() {
			w.violate("%s is DONE without the approvals that it needs: round %d is %q", o.ID, r.Round, r.Verdict)
		}
		if o.PDF == nil || o.PDF.SHA256 != r.SHA256 {
			w.violate("%s is DONE with another PDF than was approved", o.ID)
		}
	}
}

// checkTold sees that a receiver is told that an output was made when enough people have
// approved it in one round.
func (w *harness) checkTold(e platen.Event) {
	o, known := w.store.outputs[e.OutputID]
	if e.Type != platen.EventDocumentsCreated || !known {
		return
	}
	plan, _ := w.store.plans[o.AutomationID].Output(o.ID)
	if plan.Document.Approval == nil {
		return
	}
	approved := map[int]map[string]bool{}
	for _, d := range w.decisions {
		if d.outputID == o.ID && d.approves {
			if approved[d.round] == nil {
				approved[d.round] = map[string]bool{}
			}
			approved[d.round][d.by] = true
			if len(approved[d.round]) >= plan.Document.Approval.Needed() {
				return
			}
		}
	}
	w.violate("%s told of %s before it was approved", e.ID, o.ID)
}
