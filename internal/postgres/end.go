package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// What an output says that its run left behind.
const (
	codeRunEnded    = "run_ended"
	messageRunEnded = "the run ended before this document was made: start it again"
)

// An automation ends once, in a state that its outputs give it: it completes,
// fails or is cancelled. EndAutomation, FailAutomation and
// EndAbandonedAutomation say who found out that its run is over.

// Where an output waits for people, or was decided meanwhile, it does not end: it waits in
// state REVIEW, or for its next attempt. Each of them says platen.AutomationReview then.

// EndAutomation sets the final state by the states of the outputs: COMPLETED
// when all of its plan are DONE; else CANCELLED when it was asked to be
// cancelled, or an output says that its run was; else FAILED. Where an output is
// still pending the store has forgotten how it ended, and nothing changes:
// platen.IsForgotten. So it is with an automation without a plan that nobody asked to
// cancel. Calling it twice changes nothing.
//
// attempt is that of the run that calls this, 0 where it is not known. One that
// a retry has superseded changes nothing: platen.IsSuperseded.
func (s *Automations) EndAutomation(ctx context.Context, automationID string, attempt int) (platen.AutomationState, error) {
	defer s.forget(automationID)
	if ok, err := s.complete(ctx, automationID, attempt); err != nil || ok {
		return platen.AutomationCompleted, err
	}
	return s.end(ctx, automationID, attempt, "", "", refusePending)
}

// FailAutomation is EndAutomation for one that could not begin any document,
// with the reason in words for the integrator.
func (s *Automations) FailAutomation(ctx context.Context, automationID string, attempt int, code, message string) (platen.AutomationState, error) {
	return s.end(ctx, automationID, attempt, code, message, failPending)
}

// EndAbandonedAutomation is EndAutomation for one whose run is gone and cannot
// tell any more. Outputs that it left pending end with an event, as the run
// would have ended them; these events, and those that the run had not
// delivered, are delivered by outbox commands. Mails that it had not begun are
// sent by them, too.
func (s *Automations) EndAbandonedAutomation(ctx context.Context, automationID string, attempt int, event func(platen.Automation, platen.Output) (platen.Event, error)) (platen.AutomationState, error) {
	plan, err := s.db.Plans.StoredPlan(ctx, automationID)
	if err != nil {
		return "", err
	}
	return s.end(ctx, automationID, attempt, "", "", func(ctx context.Context, tx pgx.Tx, a automationRow) error {
		if err := deliverPending(ctx, tx, a); err != nil {
			return err
		}
		if err := s.failPendingWithEvents(ctx, tx, a, event); err != nil {
			return err
		}
		return mailMade(ctx, tx, a.ID, plan)
	})
}

// complete is EndAutomation for one whose documents are all made, in one
// statement: what is made stays made, so nothing has to be locked before.
// Where it is not ok, nothing happened.
func (s *Automations) complete(ctx context.Context, automationID string, attempt int) (ok bool, err error) {
	r, ok, err := CollectOne[EndingRow](ctx, s.db.pool, `
		UPDATE automations a
		SET state = @completed, finished_at = now(), leased_until = NULL, not_before = NULL, parked_at = NULL, waits = '{}', failure_code = '', failure = ''
		WHERE id = @id AND finished_at IS NULL AND (@attempt = 0 OR attempt <= @attempt)
			AND EXISTS (SELECT FROM plans WHERE automation_id = @id)
			AND NOT EXISTS (SELECT FROM outputs WHERE automation_id = @id AND state <> 'DONE')
		RETURNING `+EndingColumns,
		pgx.NamedArgs{"id": automationID, "attempt": attempt, "completed": platen.AutomationCompleted})
	if err != nil {
		return false, fmt.Errorf("complete automation %s: %w", automationID, err)
	}
	if ok {
		s.db.ended(ctx, r.Ending())
		s.wakeNext(ctx, r)
	}
	return ok, nil
}

// wakeNext has the next of its key start soon after an automation with an order has ended.
// A notification that is lost costs it a pause between two claims.
func (s *Automations) wakeNext(ctx context.Context, r EndingRow) {
	if r.Ordered {
		_ = Notify(ctx, s.db.pool, "")
	}
}

// EndingColumns are those of an EndingRow, of the automation a as it is stored then.
const EndingColumns = `a.id, a.workflow_id, a.owner_id, a.attempt, a.state, a.test, a.order_number IS NOT NULL AS ordered, a.accepted_at, a.started_at, a.finished_at,
			CASE WHEN a.state = 'COMPLETED' THEN ''
				ELSE coalesce(nullif(a.failure_code, ''), (SELECT o.failure_code FROM outputs o WHERE o.automation_id = a.id AND o.state = 'FAILED' ORDER BY o.updated_at, o.id LIMIT 1), '')
			END AS code`

// An EndingRow is a row of EndingColumns.
type EndingRow struct {
	ID         string                 `db:"id"`
	WorkflowID string                 `db:"workflow_id"`
	OwnerID    string                 `db:"owner_id"`
	Attempt    int                    `db:"attempt"`
	State      platen.AutomationState `db:"state"`
	Test       bool                   `db:"test"`
	Ordered    bool                   `db:"ordered"`
	AcceptedAt time.Time              `db:"accepted_at"`
	StartedAt  *time.Time             `db:"started_at"`
	FinishedAt *time.Time             `db:"finished_at"`
	Code       string                 `db:"code"`
}

// Ending is the row as the domain has it.
func (r EndingRow) Ending() platen.Ending {
	e := platen.Ending{AutomationID: r.ID, WorkflowID: r.WorkflowID, OwnerID: r.OwnerID, Attempt: r.Attempt, State: shown(r.State), Test: r.Test, Code: r.Code, AcceptedAt: r.AcceptedAt}
	if r.StartedAt != nil {
		e.StartedAt = *r.StartedAt
	}
	if r.FinishedAt != nil {
		e.FinishedAt = *r.FinishedAt
	}
	return e
}

// forget lets go of what the steps of an automation asked for.
func (s *Automations) forget(automationID string) {
	s.db.Plans.recent.Drop(automationID)
	s.data.Drop(automationID)
}

// end sets the final state by the states of the outputs, after endPending has
// ended those that no run will end any more.
func (s *Automations) end(ctx context.Context, automationID string, attempt int, code, message string, endPending func(context.Context, pgx.Tx, automationRow) error) (platen.AutomationState, error) {
	var final platen.AutomationState
	var ended []EndingRow
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		a, err := lockAutomation(ctx, tx, automationID)
		if err != nil {
			return err
		}
		if err := platen.CheckAttempt(automationID, attempt, a.Attempt); err != nil {
			return err
		}
		if a.FinishedAt != nil {
			final = a.State
			return nil
		}
		if err := endPending(ctx, tx, a); err != nil {
			return err
		}
		if state, err := waiting(ctx, tx, a); err != nil || state != "" {
			final = platen.AutomationReview
			return errors.Join(err, await(ctx, tx, a, state))
		}
		r, _, err := CollectOne[EndingRow](ctx, tx, `
			UPDATE automations a
			SET state = CASE
					WHEN EXISTS (SELECT FROM plans WHERE automation_id = @id)
						AND NOT EXISTS (SELECT FROM outputs WHERE automation_id = @id AND state <> 'DONE') THEN 'COMPLETED'
					WHEN cancel_requested_at IS NOT NULL
						OR EXISTS (SELECT FROM outputs WHERE automation_id = @id AND state = 'FAILED' AND failure_code = @cancelled) THEN 'CANCELLED'
					ELSE 'FAILED'
				END,
				finished_at = now(), leased_until = NULL, not_before = NULL, parked_at = NULL, waits = '{}', failure_code = @code, failure = @message
			WHERE id = @id
			RETURNING `+EndingColumns,
			pgx.NamedArgs{"id": automationID, "cancelled": platen.CodeCancelled, "code": code, "message": CleanText(message)})
		final = r.State
		ended = append(ended, r)
		if err == nil && final == platen.AutomationFailed {
			err = PauseWorkflow(ctx, tx, automationID, pauseWhenFailed)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("end automation %s: %w", automationID, err)
	}
	for _, r := range ended {
		s.db.ended(ctx, r.Ending())
		s.wakeNext(ctx, r)
	}
	return final, nil
}

// pendingFailure is why an output fails that no run will end any more.
func pendingFailure(a automationRow) (code, message string) {
	if a.CancelRequestedAt != nil {
		return platen.CodeCancelled, platen.MessageCancelled
	}
	return codeRunEnded, messageRunEnded
}

// refusePending is for a run that has recorded how each of its outputs ended, and
// pinned a plan unless it was cancelled before.
func refusePending(ctx context.Context, tx pgx.Tx, a automationRow) error {
	type row struct {
		Planned bool   `db:"planned"`
		Pending string `db:"pending"`
	}
	r, _, err := CollectOne[row](ctx, tx, `
		SELECT EXISTS (SELECT FROM plans WHERE automation_id = @id) AS planned,
			coalesce((SELECT min(id) FROM outputs WHERE automation_id = @id AND state = 'PENDING' AND attempt <= @attempt), '') AS pending`,
		pgx.NamedArgs{"id": a.ID, "attempt": a.Attempt})
	switch {
	case err != nil:
		return err
	case !r.Planned && a.CancelRequestedAt == nil:
		return platen.ErrForgotten("the plan of automation " + a.ID)
	case r.Pending != "":
		return platen.ErrForgotten("how output " + r.Pending + " ended")
	}
	return nil
}

// failPending ends the outputs that no run will end any more.
func failPending(ctx context.Context, tx pgx.Tx, a automationRow) error {
	code, message := pendingFailure(a)
	if a.CancelRequestedAt != nil {
		if err := leaveReviewed(ctx, tx, a.ID, ""); err != nil {
			return err
		}
	}
	_, err := Execute(ctx, tx, `
		UPDATE outputs
		SET state = 'FAILED', failure_code = @code, failure = @message, updated_at = now()
		WHERE automation_id = @id AND (state = 'PENDING' AND attempt <= @attempt OR state = 'REVIEW' AND @cancelled)`,
		pgx.NamedArgs{"id": a.ID, "attempt": a.Attempt, "cancelled": a.CancelRequestedAt != nil, "code": code, "message": message})
	if err != nil || a.CancelRequestedAt == nil {
		return err
	}
	return endReviews(ctx, tx, a.ID)
}

// failPendingWithEvents is failPending with an event for each.
func (s *Automations) failPendingWithEvents(ctx context.Context, tx pgx.Tx, a automationRow, event func(platen.Automation, platen.Output) (platen.Event, error)) error {
	rows, err := Collect[outputRow](ctx, tx, selectOutput+`
		WHERE o.automation_id = @id AND (o.state = 'PENDING' AND (o.attempt <= @attempt OR @cancelled) OR o.state = 'REVIEW' AND @cancelled)
		ORDER BY o.id
		FOR NO KEY UPDATE`, pgx.NamedArgs{"id": a.ID, "attempt": a.Attempt, "cancelled": a.CancelRequestedAt != nil})
	if err != nil {
		return err
	}
	var events []string
	for _, r := range rows {
		o, err := changeOutput(ctx, tx, r, func(o *platen.Output) error {
			code, message := pendingFailure(a)
			return o.Fail(0, code, message)
		})
		if err != nil {
			return err
		}
		id, others, err := s.db.storeEvent(ctx, tx, r, o, func(o platen.Output) (platen.Event, error) { return event(a.automation(), o) })
		if err != nil {
			return err
		}
		if events = append(events, others...); id != "" {
			events = append(events, id)
		}
	}
	if a.CancelRequestedAt != nil && len(rows) > 0 {
		if err := endReviews(ctx, tx, a.ID); err != nil {
			return err
		}
	}
	return enqueueCommands(ctx, tx, platen.CommandDeliver, events)
}

// deliverPending redelivers what is due: the run may have
// gone before it handed them on.
func deliverPending(ctx context.Context, tx pgx.Tx, a automationRow) error {
	_, err := redeliver(ctx, tx, `
		SELECT id, state
		FROM events
		WHERE output_id IN (SELECT id FROM outputs WHERE automation_id = @id) AND state = 'PENDING'
		FOR NO KEY UPDATE`, pgx.NamedArgs{"id": a.ID})
	return err
}
