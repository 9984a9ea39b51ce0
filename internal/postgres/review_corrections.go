package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// The encryption contexts of a correction.
const (
	correctedBody   = "review_corrections.body"
	correctedDetail = "review_corrections.detail"
)

// correctionJSON is what is sealed of a correction beside the data. Its names are for ever.
type correctionJSON struct {
	By     string   `json:"by"`
	Fields []string `json:"fields"`
}

// Correct ends the review of an output of one of the caller's workflows, and has the output
// made again of other data: its plan and the numbers that it drew stay, and all are asked
// in another round. An output that could not be made of what it was corrected to is
// corrected once more, by a retry of its automation: no other way makes it with its numbers.
// correct says who does it, of the review as it is, at a time of the database's clock; round
// is as of Answer. The workflow may be archived. It returns the fields that differ.
// KindInvalid: "output_not_in_review", "review_superseded", "nothing_corrected",
// "too_many_corrections", platen.CodeDataErased, and those of platen.Review.Correct.
func (s *Reviews) Correct(ctx context.Context, caller platen.User, workflowID, outputID string, round int, data []byte, correct func(r platen.Review, now time.Time) (platen.ReviewCorrection, error)) ([]string, error) {
	var fields []string
	err := s.db.inActOf(ctx, caller, workflowID, outputID, func(tx pgx.Tx) (err error) {
		fields, err = s.correct(ctx, tx, workflowID, outputID, round, data, correct)
		if act := platen.ActOf(ctx); act != nil {
			act.Entry.Fields = fields
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("correct the data of output %s: %w", outputID, err)
	}
	return fields, nil
}

func (s *Reviews) correct(ctx context.Context, tx pgx.Tx, workflowID, outputID string, round int, data []byte, correct func(platen.Review, time.Time) (platen.ReviewCorrection, error)) ([]string, error) {
	a, r, now, err := s.lock(ctx, tx, workflowID, outputID, round)
	if err != nil {
		return nil, err
	}
	o, err := lockOutput(ctx, tx, outputID)
	if err != nil {
		return nil, err
	}
	// No run is at work then.
	again := r.Verdict == platen.VerdictCorrected && o.State == platen.OutputFailed && (a.State == platen.AutomationFailed || a.State == platen.AutomationReview)
	c, err := correct(r, now)
	if err == nil {
		err = r.Correct(c, again)
	}
	if err == nil && a.EraseRequestedAt != nil {
		err = platen.ErrDataErased("automation "+a.ID, *a.EraseRequestedAt)
	}
	if err != nil {
		return nil, err
	}
	before, err := s.data(ctx, tx, a.ID, outputID)
	if err != nil {
		return nil, err
	}
	if c.Fields, err = platen.CorrectedFields(before.data, data); err != nil {
		return nil, err
	}
	switch {
	case len(c.Fields) == 0:
		return nil, platen.ErrNothingCorrected()
	case before.number >= platen.MaxCorrections:
		return nil, platen.ErrTooManyCorrections()
	}
	stored := c
	if again { // nobody has seen what came before
		stored.Fields = platen.JoinCorrectedFields(before.fields, c.Fields)
	}
	if err := s.insertCorrection(ctx, tx, a, outputID, data, stored); err != nil {
		return nil, err
	}
	switch {
	case !again:
		err = s.conclude(ctx, tx, a, r)
	case a.State == platen.AutomationFailed:
		err = retry(ctx, tx, a.ID, outputID)
	default: // others of its outputs wait
		if err = makeAgain(ctx, tx, a, outputID); err == nil {
			err = resume(ctx, tx, a.ID)
		}
	}
	return c.Fields, err
}

// makeAgain has the next attempt of an automation make an output from the beginning.
func makeAgain(ctx context.Context, tx pgx.Tx, a automationRow, outputID string) error {
	if err := leaveReviewed(ctx, tx, a.ID, outputID); err != nil {
		return err
	}
	_, err := Execute(ctx, tx, resetOutputs+throwAway+`
		WHERE id = @id`, pgx.NamedArgs{"id": outputID, "attempt": a.Attempt + 1})
	return err
}

// insertCorrection stores what the next attempt makes the output of. What one before had
// made of the data nobody reads any more.
func (s *Reviews) insertCorrection(ctx context.Context, tx pgx.Tx, a automationRow, outputID string, data []byte, c platen.ReviewCorrection) error {
	key, err := s.db.dataKeyOf(ctx, tx, a.ID)
	if err != nil {
		return err
	}
	text, err := json.Marshal(correctionJSON{By: c.By, Fields: c.Fields})
	if err != nil {
		return err
	}
	args := pgx.NamedArgs{"id": outputID, "round": a.Attempt + 1, "body": key.Seal(data, correctedBody), "detail": key.Seal(text, correctedDetail), "user": c.UserID}
	if _, err := Execute(ctx, tx, `
		UPDATE review_corrections
		SET body = ''
		WHERE output_id = @id`, args); err != nil {
		return err
	}
	_, err = Execute(ctx, tx, `
		INSERT INTO review_corrections (output_id, round, body, detail, user_id)
		VALUES (@id, @round, @body, @detail, @user)`, args)
	return err
}

// OutputData returns the JSON object that an attempt makes an output of: the source data, or
// what approvers have made of it. The first attempt has no other than the source data; 0
// means the latest. Its errors are those of SourceData.
func (s *Automations) OutputData(ctx context.Context, automationID, outputID string, attempt int) ([]byte, error) {
	if attempt == 1 {
		return s.SourceData(ctx, automationID)
	}
	made, err := s.db.Reviews.data(ctx, s.db.pool, automationID, outputID)
	if err != nil {
		return nil, fmt.Errorf("read what output %s is made of: %w", outputID, err)
	}
	return made.data, nil
}

// A madeOf is what an output is made of.
type madeOf struct {
	data   []byte
	number int      // how often it was corrected
	fields []string // in which the last correction changed it
}

func (s *Reviews) data(ctx context.Context, q Querier, automationID, outputID string) (of madeOf, err error) {
	type row struct {
		Body    []byte `db:"body"`
		Detail  []byte `db:"detail"`
		Number  int    `db:"number"`
		DataKey []byte `db:"data_key"`
	}
	r, ok, err := CollectOne[row](ctx, q, `
		SELECT c.body, c.detail, count(*) OVER () AS number, a.data_key
		FROM review_corrections c
		JOIN automations a ON a.id = @automation
		WHERE c.output_id = @id AND a.data_erased_at IS NULL
		ORDER BY c.round DESC
		LIMIT 1`, pgx.NamedArgs{"id": outputID, "automation": automationID})
	if err != nil {
		return of, err
	}
	if !ok {
		of.data, err = s.db.Automations.sourceData(ctx, q, automationID)
		return of, err
	}
	key, err := s.db.vault.OpenDataKey(r.DataKey, automationID)
	if err != nil {
		return of, err
	}
	detail, err := openCorrection(key, r.Detail, outputID)
	if err == nil {
		of.number, of.fields = r.Number, detail.Fields
		of.data, err = key.Open(r.Body, correctedBody)
	}
	return of, err
}

// openCorrection reads what is sealed of a correction beside the data.
func openCorrection(key DataKey, sealed []byte, outputID string) (detail correctionJSON, err error) {
	if len(sealed) == 0 { // it was erased
		return detail, nil
	}
	text, err := key.Open(sealed, correctedDetail)
	if err == nil {
		err = json.Unmarshal(text, &detail)
	}
	if err != nil {
		return detail, fmt.Errorf("read a correction of output %s: %w", outputID, err)
	}
	return detail, nil
}

// loadCorrections gives reviews what their data was corrected by last.
func (s *Reviews) loadCorrections(ctx context.Context, q Querier, reviews []*platen.Review) error {
	type row struct {
		OutputID    string    `db:"output_id"`
		Round       int       `db:"round"`
		Detail      []byte    `db:"detail"`
		UserID      string    `db:"user_id"`
		CorrectedAt time.Time `db:"corrected_at"`
		DataKey     []byte    `db:"data_key"`
	}
	ids := make([]string, len(reviews))
	for i, r := range reviews {
		ids[i] = r.OutputID
	}
	rows, err := Collect[row](ctx, q, `
		SELECT c.output_id, c.round, c.detail, c.user_id, c.corrected_at, a.data_key
		FROM review_corrections c
		JOIN outputs o ON o.id = c.output_id
		JOIN automations a ON a.id = o.automation_id
		WHERE c.output_id = ANY (@ids)
		ORDER BY c.output_id, c.round`, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return fmt.Errorf("list corrections: %w", err)
	}
	for _, row := range rows {
		i := slices.IndexFunc(reviews, func(r *platen.Review) bool { return r.OutputID == row.OutputID && r.Round >= row.Round })
		if i < 0 {
			continue
		}
		c := platen.ReviewCorrection{At: row.CorrectedAt.UTC(), UserID: row.UserID}
		if len(row.Detail) > 0 {
			key, err := s.db.vault.OpenDataKey(row.DataKey, reviews[i].AutomationID)
			if err != nil {
				return err
			}
			detail, err := openCorrection(key, row.Detail, row.OutputID)
			if err != nil {
				return err
			}
			c.By, c.Fields = detail.By, detail.Fields
		}
		reviews[i].Correction = &c
	}
	return nil
}
