package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Reviews is the store of outputs that wait for people.
type Reviews struct{ db *DB }

// reviewAnswer is the encryption context of who answered, and why.
const reviewAnswer = "review_answers.detail"

// approvalJSON is what is stored of a document's approval. Its names are for ever: plans and
// reviews have them, too.
type approvalJSON struct {
	By         []string          `json:"by"`
	Need       int               `json:"need,omitempty"`
	When       string            `json:"when,omitempty"`
	RemindDays int               `json:"remindDays,omitempty"`
	ExpireDays int               `json:"expireDays"`
	Deputies   map[string]string `json:"deputies,omitempty"`

	CorrectByLink bool `json:"correctByLink,omitempty"`
}

func newApprovalJSON(a *platen.Approval) *approvalJSON {
	if a == nil {
		return nil
	}
	j := approvalJSON(*a)
	return &j
}

func (j *approvalJSON) approval() *platen.Approval {
	if j == nil {
		return nil
	}
	a := platen.Approval(*j)
	return &a
}

type reviewRow struct {
	OutputID     string         `db:"output_id"`
	Round        int            `db:"round"`
	AutomationID string         `db:"automation_id"`
	WorkflowID   string         `db:"workflow_id"`
	Terms        approvalJSON   `db:"terms"`
	SHA256       string         `db:"sha256"`
	RequestedAt  time.Time      `db:"requested_at"`
	ExpiresAt    time.Time      `db:"expires_at"`
	RemindedAt   *time.Time     `db:"reminded_at"`
	Mailed       []string       `db:"mailed"`
	Unsent       string         `db:"unsent"`
	Verdict      platen.Verdict `db:"verdict"`
	DecidedAt    *time.Time     `db:"decided_at"`
}

const reviewColumns = `r.output_id, r.round, r.automation_id, r.workflow_id, r.terms, r.sha256, r.requested_at, r.expires_at, r.reminded_at, r.mailed, r.unsent, r.verdict, r.decided_at`

// review is a row without its answers.
func (r reviewRow) review() platen.Review {
	return platen.Review{
		Approval: *r.Terms.approval(), OutputID: r.OutputID, AutomationID: r.AutomationID, WorkflowID: r.WorkflowID, Round: r.Round, SHA256: r.SHA256,
		RequestedAt: r.RequestedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC(), RemindedAt: UTC(r.RemindedAt), Verdict: r.Verdict, DecidedAt: UTC(r.DecidedAt), Unsent: r.Unsent,
	}
}

// BeginReview has an output that is made wait for people: change is its transition. The
// review has the number of the output's attempt as its round. Both are one transaction: an
// output without a review would wait for nobody. Calling it twice changes nothing. An attempt
// that a retry has superseded changes nothing either.
func (s *Reviews) BeginReview(ctx context.Context, outputID string, a platen.Approval, change func(*platen.Output) error) (o platen.Output, err error) {
	if err := s.db.Outputs.WriteNotes(ctx, outputID); err != nil {
		return o, fmt.Errorf("begin the review of output %s: %w", outputID, err)
	}
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		r, err := lockOutput(ctx, tx, outputID)
		if err != nil {
			return err
		}
		if o, err = changeOutput(ctx, tx, r, change); err != nil || o.State != platen.OutputReview {
			return err
		}
		n, err := Execute(ctx, tx, `
			INSERT INTO reviews (output_id, round, automation_id, workflow_id, terms, sha256, expires_at)
			SELECT @id, @round, a.id, a.workflow_id, @terms, @sha256, now() + @days * interval '1 day'
			FROM automations a
			WHERE a.id = @automation
			ON CONFLICT (output_id, round) DO NOTHING`,
			pgx.NamedArgs{"id": o.ID, "round": o.Attempt, "automation": o.AutomationID, "terms": newApprovalJSON(&a), "sha256": o.PDF.SHA256, "days": a.ExpireDays})
		if err != nil || n == 0 {
			return err
		}
		return enqueueCommands(ctx, tx, platen.CommandReview, []string{o.ID})
	})
	s.db.Outputs.recent.Drop(outputID) // what is remembered is older
	if err != nil {
		return o, fmt.Errorf("begin the review of output %s: %w", outputID, err)
	}
	return o, nil
}

// A PendingReview is a review with the mails about it that went out.
type PendingReview struct {
	platen.Review
	Mailed []string
}

// Review returns the latest review of an output with its answers; KindNotFound with code
// "review_not_found": nobody was asked.
func (s *Reviews) Review(ctx context.Context, outputID string) (platen.Review, []string, error) {
	r, err := s.latest(ctx, s.db.pool, outputID)
	if err != nil {
		return platen.Review{}, nil, fmt.Errorf("read the review of output %s: %w", outputID, err)
	}
	return r.Review, r.Mailed, nil
}

func (s *Reviews) latest(ctx context.Context, q Querier, outputID string) (PendingReview, error) {
	row, ok, err := CollectOne[reviewRow](ctx, q, `
		SELECT `+reviewColumns+`
		FROM reviews r
		WHERE r.output_id = @id AND r.round = (SELECT max(round) FROM reviews WHERE output_id = @id)`, pgx.NamedArgs{"id": outputID})
	if err == nil && !ok {
		err = platen.ErrReviewNotFound()
	}
	if err != nil {
		return PendingReview{}, err
	}
	p := PendingReview{Review: row.review(), Mailed: row.Mailed}
	found := []*platen.Review{&p.Review}
	if err := s.loadCorrections(ctx, q, found); err != nil {
		return p, err
	}
	return p, s.loadAnswers(ctx, q, found)
}

// loadReviews gives outputs their latest reviews.
func (s *Reviews) loadReviews(ctx context.Context, q Querier, outputs []platen.Output) error {
	if len(outputs) == 0 {
		return nil
	}
	ids := make([]string, len(outputs))
	for i, o := range outputs {
		ids[i] = o.ID
	}
	rows, err := Collect[reviewRow](ctx, q, `
		SELECT DISTINCT ON (r.output_id) `+reviewColumns+`
		FROM reviews r
		WHERE r.output_id = ANY (@ids)
		ORDER BY r.output_id, r.round DESC`, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return fmt.Errorf("list reviews: %w", err)
	}
	if len(rows) == 0 {
		return nil
	}
	reviews := make([]*platen.Review, len(rows))
	for i, r := range rows {
		review := r.review()
		reviews[i] = &review
	}
	if err := s.loadAnswers(ctx, q, reviews); err != nil {
		return err
	}
	if err := s.loadCorrections(ctx, q, reviews); err != nil {
		return err
	}
	for _, r := range reviews {
		i := slices.Index(ids, r.OutputID)
		outputs[i].Review = r
	}
	return nil
}

// resume puts an automation whose outputs were decided back into the queue with the next
// attempt. It keeps the turn of its key.
func resume(ctx context.Context, tx pgx.Tx, automationID string) error {
	_, err := Execute(ctx, tx, `
		UPDATE automations
		SET state = 'ACCEPTED', attempt = attempt + 1, started_at = NULL, not_before = NULL, leased_until = NULL, parked_at = NULL, waits = '{}'
		WHERE id = @id AND finished_at IS NULL`, pgx.NamedArgs{"id": automationID})
	if err != nil {
		return err
	}
	return Notify(ctx, tx, "")
}

// ExpireReview ends a review whose time is over. One that was decided, or is over, stays.
func (s *Reviews) ExpireReview(ctx context.Context, outputID string, round int) error {
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		found, err := readOutput(ctx, tx, selectOutput+`
			WHERE o.id = @id`, outputID)
		if err != nil {
			return err
		}
		a, err := lockAutomation(ctx, tx, found.AutomationID)
		if err != nil {
			return err
		}
		p, err := s.latest(ctx, tx, outputID)
		if err != nil || p.Round != round || p.Verdict != "" {
			return err
		}
		p.Verdict = platen.VerdictExpired
		return s.conclude(ctx, tx, a, p.Review)
	})
	if err != nil {
		return fmt.Errorf("end the review of output %s: %w", outputID, err)
	}
	return nil
}

// NoteReviewMail notes a mail about a review that went out, and why others did not; empty:
// none, and all did.
func (s *Reviews) NoteReviewMail(ctx context.Context, outputID string, round int, mailID, unsent string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE reviews
		SET mailed = CASE WHEN @mail = '' OR @mail = ANY (mailed) THEN mailed ELSE mailed || @mail::text END, unsent = @unsent
		WHERE output_id = @id AND round = @round`, pgx.NamedArgs{"id": outputID, "round": round, "mail": mailID, "unsent": CleanText(unsent)})
	if err != nil {
		return fmt.Errorf("note mail %s: %w", mailID, err)
	}
	return nil
}

// NoteReviewDue notes when something is due of a review, and that a reminder was; zero: none
// was. Mails before a reminder are forgotten: those after it have names of their own. Of an
// output that ended without its review nothing is due any more.
func (s *Reviews) NoteReviewDue(ctx context.Context, outputID string, round int, next, reminded time.Time) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE reviews
		SET next_at = @next, reminded_at = coalesce(@reminded, reminded_at), mailed = CASE WHEN @reminded::timestamptz IS NULL THEN mailed ELSE '{}' END
		WHERE output_id = @id AND round = @round AND next_at IS NOT NULL`, pgx.NamedArgs{"id": outputID, "round": round, "next": next, "reminded": orNull(reminded)})
	if err != nil {
		return fmt.Errorf("note when the review of output %s is due: %w", outputID, err)
	}
	return nil
}

// WakeOverdueReviews has those looked after that were due longer than age ago: nobody does,
// because Temporal or this database was put back to an earlier moment. It returns how many.
// Those whose outputs ended without them, under the release before, are due no more.
func (s *Reviews) WakeOverdueReviews(ctx context.Context, age time.Duration) (int, error) {
	n := 0
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		type row struct {
			OutputID string `db:"output_id"`
			Waits    bool   `db:"waits"`
		}
		rows, err := Collect[row](ctx, tx, `
			UPDATE reviews r
			SET next_at = CASE WHEN due.waits THEN now() END
			FROM (
				SELECT r.output_id, r.round, o.state = 'REVIEW' AND o.attempt = r.round AS waits
				FROM reviews r
				JOIN outputs o ON o.id = r.output_id
				WHERE r.verdict = '' AND r.next_at < now() - @age::interval
				ORDER BY r.next_at
				LIMIT 100
				FOR UPDATE OF r SKIP LOCKED
			) due
			WHERE r.output_id = due.output_id AND r.round = due.round
			RETURNING r.output_id, due.waits`, pgx.NamedArgs{"age": age})
		if err != nil {
			return err
		}
		var ids []string
		for _, r := range rows {
			if r.Waits {
				ids = append(ids, r.OutputID)
			}
		}
		if len(ids) == 0 {
			return nil
		}
		n = len(ids)
		return enqueueCommands(ctx, tx, platen.CommandReview, ids)
	})
	if err != nil {
		return 0, fmt.Errorf("look for reviews that nobody looks after: %w", err)
	}
	return n, nil
}

// endReviews notes that nobody is asked any more about outputs of an automation that ended
// without those who were to approve them.
func endReviews(ctx context.Context, tx pgx.Tx, automationID string) error {
	_, err := Execute(ctx, tx, `
		UPDATE reviews
		SET next_at = NULL
		WHERE output_id IN (SELECT id FROM outputs WHERE automation_id = @id AND state <> 'REVIEW') AND verdict = '' AND next_at IS NOT NULL`, pgx.NamedArgs{"id": automationID})
	return err
}

// waiting says what an automation that its run is done with waits for: nothing; "ACCEPTED",
// because something was decided meanwhile; "REVIEW"; or "RUNNING", for the end of what is to
// be cancelled.
func waiting(ctx context.Context, tx pgx.Tx, a automationRow) (state platen.AutomationState, err error) {
	type row struct {
		Review  bool `db:"review"`
		Decided bool `db:"decided"`
	}
	r, _, err := CollectOne[row](ctx, tx, `
		SELECT coalesce(bool_or(state = 'REVIEW'), false) AS review, coalesce(bool_or(state = 'PENDING' AND attempt > @attempt), false) AS decided
		FROM outputs
		WHERE automation_id = @id`, pgx.NamedArgs{"id": a.ID, "attempt": a.Attempt})
	switch {
	case err != nil || !r.Review && !r.Decided:
		return "", err
	case a.CancelRequestedAt != nil:
		return platen.AutomationRunning, nil
	case r.Decided:
		return platen.AutomationAccepted, nil
	}
	return platen.AutomationReview, nil
}

// await has an automation wait in a state of waiting.
func await(ctx context.Context, tx pgx.Tx, a automationRow, state platen.AutomationState) error {
	if state == platen.AutomationAccepted {
		return resume(ctx, tx, a.ID)
	}
	_, err := Execute(ctx, tx, `
		UPDATE automations
		SET state = @state, leased_until = NULL, not_before = NULL, parked_at = NULL, waits = '{}',
			attempt = CASE @state WHEN 'RUNNING' THEN attempt + 1 ELSE attempt END, -- the reconciler finds that its run is gone
			started_at = CASE @state WHEN 'RUNNING' THEN now() ELSE started_at END
		WHERE id = @id`, pgx.NamedArgs{"id": a.ID, "state": cmp.Or(state, platen.AutomationReview)})
	return err
}
