package simulation

import (
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// What an output says that its run left behind.
const (
	codeRunEnded    = "run_ended"
	messageRunEnded = "the run ended before this document was made: start it again"
)

// end sets the final state of an automation by the states of its outputs, after
// endPending has ended those that no run will end any more.
func (s *store) end(id string, attempt int, code, message string, endPending func(automationRow) error) (platen.AutomationState, error) {
	a, err := s.automation(id)
	if err != nil {
		return "", err
	}
	if err := platen.CheckAttempt(id, attempt, a.Attempt); err != nil {
		return "", err
	}
	if a.FinishedAt != nil {
		return a.State, nil
	}
	if err := endPending(a); err != nil {
		return "", err
	}
	now := s.now()
	a = s.automations[id]
	if state := s.waiting(a); state != "" {
		s.await(a, state)
		return platen.AutomationReview, nil
	}
	had := a.hasTurn()
	a.State, a.FailureCode, a.Failure = platen.AutomationFailed, code, message
	switch {
	case s.allDone(id):
		a.State = platen.AutomationCompleted
	case a.CancelRequestedAt != nil || s.anyCancelled(id):
		a.State = platen.AutomationCancelled
	}
	a.FinishedAt, a.leasedUntil, a.notBefore, a.ParkedAt, a.waits = &now, time.Time{}, time.Time{}, nil, nil
	s.automations[id] = a
	if a.State == platen.AutomationFailed {
		s.pause(a, pauseWhenFailed)
	}
	if had {
		s.startNext(a)
	}
	return a.State, nil
}

func (s *store) allDone(id string) bool {
	_, planned := s.plans[id]
	for _, o := range s.outputsOf(id) {
		planned = planned && o.State == platen.OutputDone
	}
	return planned
}

func (s *store) anyCancelled(id string) bool {
	for _, o := range s.outputsOf(id) {
		if o.State == platen.OutputFailed && o.FailureCode == platen.CodeCancelled {
			return true
		}
	}
	return false
}

func (s *store) endAutomation(id string, attempt int) (platen.AutomationState, error) {
	return s.end(id, attempt, "", "", s.refusePending)
}

// refusePending is for a run that has recorded how each of its outputs ended, and
// pinned a plan unless it was cancelled before.
func (s *store) refusePending(a automationRow) error {
	if _, planned := s.plans[a.ID]; !planned && a.CancelRequestedAt == nil {
		return platen.ErrForgotten("the plan of automation " + a.ID)
	}
	for _, o := range s.outputsOf(a.ID) {
		if o.State == platen.OutputPending && o.Attempt <= a.Attempt {
			return platen.ErrForgotten("how output " + o.ID + " ended")
		}
	}
	return nil
}

func (s *store) failAutomation(id string, attempt int, code, message string) (platen.AutomationState, error) {
	return s.end(id, attempt, code, message, s.failPending)
}

// failPending ends the outputs that no run will end any more, without events.
func (s *store) failPending(a automationRow) error {
	for _, r := range s.outputsOf(a.ID) {
		if r.State == platen.OutputPending && r.Attempt <= a.Attempt || r.State == platen.OutputReview && a.CancelRequestedAt != nil {
			s.write(ended(r.Output, a))
		}
	}
	s.endReviews(a)
	return nil
}

// ended is an output whose run ended before it.
func ended(o platen.Output, a automationRow) platen.Output {
	o = leave(o)
	o.State, o.FailureCode, o.Failure = platen.OutputFailed, codeRunEnded, messageRunEnded
	if a.CancelRequestedAt != nil {
		o.FailureCode, o.Failure = platen.CodeCancelled, platen.MessageCancelled
	}
	return o
}

// leave has nothing throw away the files of an output that people look at, if its receiver may
// know them.
func leave(o platen.Output) platen.Output {
	if o.State == platen.OutputReview && o.KeepsFiles {
		o.Copy, o.PDF, o.PDFID, o.PDFHashes = nil, nil, "", nil
	}
	return o
}

func (s *store) endAbandonedAutomation(id string, attempt int, event func(platen.Automation, platen.Output) (platen.Event, error)) (platen.AutomationState, error) {
	return s.end(id, attempt, "", "", func(a automationRow) error {
		var pending []eventRow
		for _, e := range s.eventsOf(a.ID) {
			if e.State == platen.EventPending {
				pending = append(pending, e)
			}
		}
		s.redeliver(pending)
		var told []string
		for _, r := range s.outputsOf(a.ID) {
			cancelled := a.CancelRequestedAt != nil
			if (r.State != platen.OutputPending || r.Attempt > a.Attempt && !cancelled) && (r.State != platen.OutputReview || !cancelled) {
				continue
			}
			eventID, others, err := s.storeEvent(s.write(ended(r.Output, a)), func(o platen.Output) (platen.Event, error) { return event(a.shown(), o) })
			if err != nil {
				return err
			}
			if eventID != "" {
				told = append(told, eventID)
			}
			told = append(told, others...)
		}
		s.endReviews(a)
		s.enqueue(platen.CommandDeliver, told, 0)
		return nil
	})
}

// repeat has the outputs in a state made from the beginning by an attempt.
func (s *store) repeat(id string, in platen.OutputState, attempt int, asksAgain bool) {
	for _, r := range s.outputsOf(id) {
		if _, _, refused := r.Verdict.Failure(); r.State == in && (asksAgain || s.asksRefused || !refused) {
			s.repeatOne(r, attempt, true)
		}
	}
}

// isRefused tells whether an automation has FAILED by people alone.
func (s *store) isRefused(a automationRow) bool {
	all := a.State == platen.AutomationFailed && !s.asksRefused
	failed := false
	for _, o := range s.outputsOf(a.ID) {
		_, _, refused := o.Verdict.Failure()
		failed = failed || o.State == platen.OutputFailed
		all = all && (refused || o.State != platen.OutputFailed)
	}
	return all && failed
}

// repeatOne has an output made from the beginning by an attempt.
func (s *store) repeatOne(r outputRow, attempt int, keepsFiles bool) {
	o := leave(r.Output)
	if keepsFiles {
		o.ThrownAway = nil
	} else {
		o.ThrownAway = slices.Clone(o.ThrownAway)
		if o.Copy != nil {
			o.ThrownAway = append(o.ThrownAway, o.Copy.ID)
		}
		if o.PDFID != "" {
			o.ThrownAway = append(o.ThrownAway, o.PDFID)
		}
		o.ThrownAway = append(o.ThrownAway, o.AppendixCopies()...)
	}
	s.write(platen.Output{
		ID: o.ID, AutomationID: o.AutomationID, DocumentID: o.DocumentID, State: platen.OutputPending, Attempt: attempt,
		Generation: o.Generation + 1, Repeated: true, KeepsFiles: o.KeepsFiles || keepsFiles, ThrownAway: o.ThrownAway, CreatedAt: o.CreatedAt,
	})
}

// takeOver makes an automation RUNNING in the attempt that Temporal knows.
func (s *store) takeOver(id string, run platen.LatestRun) (bool, error) {
	a, err := s.automation(id)
	if err != nil {
		return false, err
	}
	ok := false
	switch a.State {
	case platen.AutomationAccepted, stateBehind, platen.AutomationRunning:
		ok = a.Attempt <= run.Attempt
	case platen.AutomationFailed:
		shown := a.shown()
		shown.Refused = s.isRefused(a)
		ok = run.IsAheadOf(shown)
	}
	if !ok {
		return false, nil
	}
	now := s.now()
	before := a.Automation
	a.State, a.Attempt, a.FinishedAt = platen.AutomationRunning, run.Attempt, nil
	if a.StartedAt == nil {
		a.StartedAt = &now
	}
	if run.Cancelled && a.CancelRequestedAt == nil {
		a.CancelRequestedAt = &now
	}
	a.leasedUntil, a.notBefore, a.FailureCode, a.Failure = time.Time{}, time.Time{}, "", ""
	s.automations[id] = a
	if run.Attempt > before.Attempt || before.State == platen.AutomationFailed {
		asksAgain := run.Attempt > before.Attempt && before.State == platen.AutomationFailed
		s.repeat(id, platen.OutputFailed, max(run.Attempt, before.Attempt+1), asksAgain)
	}
	for _, r := range s.outputsOf(id) {
		if r.State == platen.OutputReview && !r.KeepsFiles {
			s.writes++
			r.KeepsFiles, r.writtenBy = true, s.writes
			s.outputs[r.ID] = r
		}
		if run.Open && r.State == platen.OutputPending && r.Attempt < run.Attempt {
			s.writes++
			r.Attempt, r.writtenBy = run.Attempt, s.writes
			s.outputs[r.ID] = r
		}
	}
	return true, nil
}

// makeAgain puts an automation back into the queue with the next attempt.
func (s *store) makeAgain(id string, attempt int) error {
	a, err := s.automation(id)
	if err != nil || a.State != platen.AutomationRunning || a.Attempt != attempt {
		return err
	}
	s.repeat(id, platen.OutputPending, attempt+1, false)
	s.requeue(id, attempt)
	s.wake(platen.Waking{})
	return nil
}

// retry puts a FAILED automation back into the queue with the next attempt.
func (s *store) retry(id string) error { return s.retryOnly(id, "") }

// retryOnly is retry of one output; empty: of all that failed.
func (s *store) retryOnly(id, only string) error {
	a, err := s.automation(id)
	if err != nil {
		return err
	}
	if a.State != platen.AutomationFailed {
		return platen.Errorf(platen.KindInvalid, "automation_not_failed", "automation %s is %s: only a FAILED one can be retried", id, a.State)
	}
	for _, r := range s.outputsOf(id) {
		if r.State == platen.OutputFailed && (only == "" || r.ID == only) {
			s.repeatOne(r, a.Attempt+1, false)
		}
	}
	a.State, a.Attempt, a.StartedAt, a.FinishedAt, a.notBefore = platen.AutomationAccepted, a.Attempt+1, nil, nil, time.Time{}
	a.ParkedAt, a.waits, a.FailureCode, a.Failure = nil, nil, "", ""
	if a.place.number > 0 {
		a.State = stateBehind
	}
	s.automations[id] = a
	s.startNext(a)
	s.wake(platen.Waking{Ordered: a.place.number > 0})
	return nil
}

// cancel ends an automation that waits, or notes the wish.
func (s *store) cancel(id string) error {
	a, err := s.automation(id)
	switch {
	case err != nil:
		return err
	case a.State == platen.AutomationCancelled, a.CancelRequestedAt != nil && a.FinishedAt == nil:
		return nil
	case a.FinishedAt != nil:
		return platen.Errorf(platen.KindInvalid, "automation_ended", "automation %s is %s: it has ended already", id, a.State)
	}
	now := s.now()
	before := a.State
	if before == platen.AutomationAccepted {
		a.ParkedAt, a.waits = nil, nil
	}
	switch {
	case before == platen.AutomationReview:
		a.State, a.StartedAt, a.Attempt = platen.AutomationRunning, &now, a.Attempt+1
	case before != platen.AutomationAccepted && before != stateBehind:
	case len(s.outputsOf(id)) > 0:
		a.State, a.StartedAt = platen.AutomationRunning, &now
	default:
		a.State, a.FinishedAt = platen.AutomationCancelled, &now
	}
	a.CancelRequestedAt, a.leasedUntil, a.notBefore = &now, time.Time{}, time.Time{}
	s.automations[id] = a
	if before == platen.AutomationAccepted && a.Ended() {
		s.startNext(a)
	}
	s.enqueue(platen.CommandCancel, []string{id}, 0)
	return nil
}
