package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

type answerRow struct {
	OutputID   string    `db:"output_id"`
	Round      int       `db:"round"`
	Place      int       `db:"place"`
	Approves   bool      `db:"approves"`
	Detail     []byte    `db:"detail"`
	UserID     string    `db:"user_id"`
	AnsweredAt time.Time `db:"answered_at"`
	DataKey    []byte    `db:"data_key"` // of the automation
}

// answerJSON is what is sealed of an answer. Its names are for ever.
type answerJSON struct {
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

// loadAnswers gives reviews their answers. Where the source data was erased nobody can read
// who answered.
func (s *Reviews) loadAnswers(ctx context.Context, q Querier, reviews []*platen.Review) error {
	ids := make([]string, len(reviews))
	for i, r := range reviews {
		ids[i] = r.OutputID
	}
	rows, err := Collect[answerRow](ctx, q, `
		SELECT v.output_id, v.round, v.place, v.approves, v.detail, v.user_id, v.answered_at, a.data_key
		FROM review_answers v
		JOIN outputs o ON o.id = v.output_id
		JOIN automations a ON a.id = o.automation_id
		WHERE v.output_id = ANY (@ids)
		ORDER BY v.output_id, v.round, v.answered_at, v.place`, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return fmt.Errorf("list answers of reviews: %w", err)
	}
	for _, row := range rows {
		i := slices.IndexFunc(reviews, func(r *platen.Review) bool { return r.OutputID == row.OutputID && r.Round == row.Round })
		if i < 0 {
			continue
		}
		a := platen.Answer{Approves: row.Approves, At: row.AnsweredAt.UTC(), UserID: row.UserID}
		if len(row.Detail) > 0 {
			if err := s.openAnswer(reviews[i], row, &a); err != nil {
				return err
			}
		}
		reviews[i].Answers = append(reviews[i].Answers, a)
	}
	return nil
}

func (s *Reviews) openAnswer(r *platen.Review, row answerRow, a *platen.Answer) error {
	key, err := s.db.vault.OpenDataKey(row.DataKey, r.AutomationID)
	if err != nil {
		return err
	}
	text, err := key.Open(row.Detail, reviewAnswer)
	if err != nil {
		return err
	}
	var detail answerJSON
	if err := json.Unmarshal(text, &detail); err != nil {
		return fmt.Errorf("read an answer about output %s: %w", r.OutputID, err)
	}
	a.By, a.Reason = detail.By, detail.Reason
	if row.Place >= 0 && row.Place < len(r.By) {
		a.For = r.By[row.Place]
	}
	return nil
}

// Answer adds what one person has decided about an output of one of the caller's workflows
// to its review, and has the automation go on where that decides. answer makes it of the
// review as it is, at a time of the database's clock. round is that of the link by which it
// came, 0 for the latest. The workflow may be archived. KindInvalid: code "output_not_in_review",
// and those of platen.Review.Add.
func (s *Reviews) Answer(ctx context.Context, caller platen.User, workflowID, outputID string, round int, answer func(r platen.Review, now time.Time) (platen.Answer, error)) (platen.Review, error) {
	var r platen.Review
	err := s.db.inActOf(ctx, caller, workflowID, outputID, func(tx pgx.Tx) (err error) {
		r, err = s.answer(ctx, tx, workflowID, outputID, round, answer)
		return err
	})
	if err != nil {
		return r, fmt.Errorf("answer the review of output %s: %w", outputID, err)
	}
	return r, nil
}

// lock finds the review of an output and holds its automation. round is the one that was
// seen, 0: the latest.
func (s *Reviews) lock(ctx context.Context, tx pgx.Tx, workflowID, outputID string, round int) (a automationRow, r platen.Review, now time.Time, err error) {
	type row struct {
		AutomationID string    `db:"automation_id"`
		Now          time.Time `db:"now"`
	}
	found, ok, err := CollectOne[row](ctx, tx, `
		SELECT o.automation_id, now() AS now
		FROM outputs o
		JOIN documents d ON d.id = o.document_id
		WHERE o.id = @id AND d.workflow_id = @workflow`, pgx.NamedArgs{"id": outputID, "workflow": workflowID})
	if err == nil && !ok {
		err = platen.ErrOutputNotFound()
	}
	if err != nil {
		return a, r, now, err
	}
	// Two who decide at one moment take turns here.
	if a, err = lockAutomation(ctx, tx, found.AutomationID); err != nil {
		return a, r, now, err
	}
	p, err := s.latest(ctx, tx, outputID)
	switch {
	case platen.KindOf(err) == platen.KindNotFound && err != nil:
		err = platen.ErrNotInReview()
	case err != nil:
	case round != 0 && round != p.Round:
		err = platen.ErrReviewSuperseded()
	case a.CancelRequestedAt != nil && p.Verdict == "":
		err = platen.ErrNotInReview()
	}
	return a, p.Review, found.Now.UTC(), err
}

func (s *Reviews) answer(ctx context.Context, tx pgx.Tx, workflowID, outputID string, round int, answer func(platen.Review, time.Time) (platen.Answer, error)) (platen.Review, error) {
	a, r, now, err := s.lock(ctx, tx, workflowID, outputID, round)
	if err != nil {
		return r, err
	}
	given, err := answer(r, now)
	if err != nil {
		return r, err
	}
	added, err := r.Add(given)
	if err != nil || !added {
		return r, err
	}
	if err := s.insertAnswer(ctx, tx, r, given); err != nil {
		return r, err
	}
	if r.Verdict == "" {
		return r, nil
	}
	return r, s.conclude(ctx, tx, a, r)
}

func (s *Reviews) insertAnswer(ctx context.Context, tx pgx.Tx, r platen.Review, a platen.Answer) error {
	key, err := s.db.dataKeyOf(ctx, tx, r.AutomationID)
	if err != nil {
		return err
	}
	text, err := json.Marshal(answerJSON{By: a.By, Reason: CleanText(a.Reason)})
	if err != nil {
		return err
	}
	place := slices.IndexFunc(r.By, func(address string) bool { return strings.EqualFold(address, a.For) })
	_, err = Execute(ctx, tx, `
		INSERT INTO review_answers (output_id, round, place, approves, detail, user_id)
		VALUES (@id, @round, @place, @approves, @detail, @user)`,
		pgx.NamedArgs{"id": r.OutputID, "round": r.Round, "place": place, "approves": a.Approves, "detail": key.Seal(text, reviewAnswer), "user": a.UserID})
	return err
}

// conclude ends a review by its verdict, in a transaction that holds the automation. The
// next attempt of the automation does what the verdict says. A run that is under way starts
// that attempt when it ends.
func (s *Reviews) conclude(ctx context.Context, tx pgx.Tx, a automationRow, r platen.Review) error {
	row, err := lockOutput(ctx, tx, r.OutputID)
	if err != nil {
		return err
	}
	if row.State != platen.OutputReview || row.Attempt != r.Round {
		return platen.ErrNotInReview()
	}
	if r.Verdict == platen.VerdictCorrected {
		err = makeAgain(ctx, tx, a, r.OutputID)
	} else if _, err = changeOutput(ctx, tx, row, func(o *platen.Output) error { return o.Decide(r.Verdict) }); err == nil {
		_, err = Execute(ctx, tx, `
		UPDATE outputs
		SET attempt = @attempt
		WHERE id = @id`, pgx.NamedArgs{"id": r.OutputID, "attempt": a.Attempt + 1})
	}
	if err != nil {
		return err
	}
	if _, err := Execute(ctx, tx, `
		UPDATE reviews
		SET verdict = @verdict, decided_at = now(), unsent = ''
		WHERE output_id = @id AND round = @round`, pgx.NamedArgs{"id": r.OutputID, "round": r.Round, "verdict": r.Verdict}); err != nil {
		return err
	}
	if a.State == platen.AutomationReview {
		if err := resume(ctx, tx, a.ID); err != nil {
			return err
		}
	}
	return enqueueCommands(ctx, tx, platen.CommandReview, []string{r.OutputID})
}
