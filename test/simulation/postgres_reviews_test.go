package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/platenhq/platen/internal/platen"
	runs "github.com/platenhq/platen/internal/postgres/run"
)

// ofReviews has people be asked about an output, decide and correct.
func (p *pair) ofReviews() operation {
	id := p.output()
	o := p.harness.store.outputs[id]
	r, asked := p.harness.store.latest(id)
	if kind := p.random.below(10); !asked || kind == 0 {
		return p.beginsReview(o)
	}
	workflow := p.harness.store.automations[o.AutomationID].WorkflowID
	user := p.users[0]
	if p.harness.store.workflows[workflow].ownerID != user.ID {
		user = p.users[1]
	}
	round := []int{0, r.Round, r.Round, r.Round - 1}[p.random.below(4)]
	by := []string{ada, ada, bob, bob, deputy, "eve@example.com"}[p.random.below(6)]
	switch p.random.below(9) {
	case 0:
		return operation{fmt.Sprintf("expire round %d of %s", round, id), func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Reviews.ExpireReview(ctx, id, round)
		}, func(ctx context.Context, db database) (any, error) { return nil, db.ExpireReview(ctx, id, round) }}
	case 1:
		return p.notesReview(id, r.Round)
	case 2:
		age := time.Duration(p.random.below(60)) * time.Second
		return operation{"wake overdue reviews", func(ctx context.Context, db *runs.DB) (any, error) {
			return db.Reviews.WakeOverdueReviews(ctx, age)
		}, func(ctx context.Context, db database) (any, error) { return db.WakeOverdueReviews(ctx, age) }}
	case 3, 4:
		data := fmt.Appendf(nil, `{"a":%d,"Key":1}`, p.random.below(3))
		return operation{fmt.Sprintf("correct %s in round %d by %s to %s", id, round, by, data), func(ctx context.Context, db *runs.DB) (any, error) {
			_, err := db.Reviews.Correct(ctx, user, workflow, id, round, data, func(_ platen.Review, now time.Time) (platen.ReviewCorrection, error) {
				return platen.ReviewCorrection{By: by, At: now}, nil
			})
			return nil, err
		}, func(context.Context, database) (any, error) {
			return nil, p.harness.store.correct(id, round, by, data)
		}}
	}
	approves := p.random.below(4) > 0
	return operation{fmt.Sprintf("answer about %s in round %d by %s: %v", id, round, by, approves), func(ctx context.Context, db *runs.DB) (any, error) {
		_, err := db.Reviews.Answer(ctx, user, workflow, id, round, func(r platen.Review, now time.Time) (platen.Answer, error) {
			who, err := r.For(by, now)
			return platen.Answer{For: who.For, By: who.By, Approves: approves, At: now}, err
		})
		return nil, err
	}, func(context.Context, database) (any, error) {
		return nil, p.harness.store.answer(id, round, by, approves)
	}}
}

// beginsReview has an output be made and wait.
func (p *pair) beginsReview(of outputRow) operation {
	approval := platen.Approval{By: []string{ada, bob}, Need: p.random.below(3), RemindDays: 1, ExpireDays: 2, Deputies: map[string]string{bob: deputy}}
	hash := fmt.Sprint("hash", p.random.below(100))
	attempt := p.attempt(of.AutomationID)
	begin := func(o *platen.Output) error {
		o.CopyBegun, o.FillBegun, o.FillEnded = true, true, true
		o.Copy, o.PDF = &platen.File{ID: "copy"}, &platen.File{ID: "pdf", SHA256: hash}
		return o.BeginReview(attempt, platen.Document{CreatePDFCopy: true, Approval: &approval})
	}
	state := func(o platen.Output, err error) (any, error) { return fmt.Sprint(o.State, o.Verdict, o.Attempt), err }
	return operation{"begin the review of " + of.ID, func(ctx context.Context, db *runs.DB) (any, error) {
		return state(db.Reviews.BeginReview(ctx, of.ID, approval, begin))
	}, func(ctx context.Context, db database) (any, error) {
		return state(db.BeginReview(ctx, of.ID, approval, begin))
	}}
}

func (p *pair) notesReview(id string, round int) operation {
	if p.random.below(2) == 0 {
		mail := []string{"", "0", "1", "1d"}[p.random.below(4)]
		return operation{"note the mail " + mail + " about " + id, func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, db.Reviews.NoteReviewMail(ctx, id, round, mail, "why")
		}, func(ctx context.Context, db database) (any, error) {
			return nil, db.NoteReviewMail(ctx, id, round, mail, "why")
		}}
	}
	next, reminded := p.now().Add(time.Duration(p.random.below(60))*time.Second), time.Time{}
	if p.random.below(2) == 0 {
		reminded = p.now()
	}
	return operation{"note what is due of " + id, func(ctx context.Context, db *runs.DB) (any, error) {
		return nil, db.Reviews.NoteReviewDue(ctx, id, round, next, reminded)
	}, func(ctx context.Context, db database) (any, error) {
		return nil, db.NoteReviewDue(ctx, id, round, next, reminded)
	}}
}

func (p *pair) reviewLines() (lines []string) {
	for _, r := range p.harness.store.reviews {
		answers := ""
		for place, address := range r.By {
			for _, a := range r.Answers {
				if a.For == address {
					if answers != "" {
						answers += ","
					}
					answers += fmt.Sprint(place) + map[bool]string{true: "+", false: "-"}[a.Approves]
				}
			}
		}
		lines = append(lines, line(r.OutputID, r.Round, r.SHA256, r.Verdict, r.RequestedAt, r.ExpiresAt, orZero(r.RemindedAt), r.nextAt, orZero(r.DecidedAt), orNull(len(r.mailed)), r.Unsent, orNull(answers)))
	}
	return lines
}

func (p *pair) correctionLines() (lines []string) {
	for id, c := range p.harness.store.corrections {
		lines = append(lines, line(id, c.n))
	}
	return lines
}
