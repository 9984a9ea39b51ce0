package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// CancelAutomation ends a waiting automation at once. For one that runs, or that has outputs, it
// stores the request; the run carries it out and ends as CANCELLED. A waiting retry counts as an
// automation whose run is gone, so that EndAbandonedAutomation ends its outputs with events. One in REVIEW is ended in the same way. In
// both cases an outbox command cancels the run in Temporal, because a run may exist that is not
// recorded here yet. Cancelling twice changes nothing; an automation that has ended otherwise is
// KindInvalid with code "automation_ended". The workflow may be archived.
func (s *Automations) CancelAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error) {
	return s.endInAct(ctx, caller, workflowID, automationID, "cancel", func(tx pgx.Tx) ([]platen.Ending, error) {
		return cancel(ctx, tx, automationID)
	})
}

// endInAct does what ends an automation of one of the caller's workflows, or asks for it.
func (s *Automations) endInAct(ctx context.Context, caller platen.User, workflowID, automationID, what string, do func(tx pgx.Tx) ([]platen.Ending, error)) (platen.Automation, error) {
	var ended []platen.Ending
	err := s.db.inActOf(ctx, caller, workflowID, automationID, func(tx pgx.Tx) error {
		err := requireAutomation(ctx, tx, workflowID, automationID)
		if err == nil {
			ended, err = do(tx)
		}
		return err
	})
	if err != nil {
		return platen.Automation{}, fmt.Errorf("%s automation %s: %w", what, automationID, err)
	}
	for _, e := range ended {
		s.db.ended(ctx, e)
	}
	return s.WorkflowAutomation(ctx, caller, workflowID, automationID)
}

// cancel returns the ending of an automation that it ended itself.
func cancel(ctx context.Context, tx pgx.Tx, automationID string) ([]platen.Ending, error) {
	a, err := lockAutomation(ctx, tx, automationID)
	switch {
	case err != nil:
		return nil, err
	case a.State == platen.AutomationCancelled, a.CancelRequestedAt != nil && a.FinishedAt == nil:
		return nil, nil
	case a.FinishedAt != nil:
		return nil, platen.Errorf(platen.KindInvalid, "automation_ended", "automation %s is %s: it has ended already", automationID, a.State)
	}
	r, _, err := CollectOne[EndingRow](ctx, tx, `
		UPDATE automations a
		SET cancel_requested_at = now(),
			state = CASE WHEN a.state = 'REVIEW' THEN 'RUNNING' WHEN a.state NOT IN ('ACCEPTED', 'BEHIND') THEN a.state WHEN begun.before THEN 'RUNNING' ELSE 'CANCELLED' END,
			started_at = CASE WHEN a.state = 'REVIEW' OR a.state IN ('ACCEPTED', 'BEHIND') AND begun.before THEN now() ELSE a.started_at END, -- the reconciler looks for it
			finished_at = CASE WHEN a.state IN ('ACCEPTED', 'BEHIND') AND NOT begun.before THEN now() END,
			attempt = CASE WHEN a.state = 'REVIEW' THEN a.attempt + 1 ELSE a.attempt END, -- so that its run counts as gone
			leased_until = NULL, not_before = NULL,
			parked_at = CASE WHEN a.state = 'ACCEPTED' THEN NULL ELSE a.parked_at END, waits = CASE WHEN a.state = 'ACCEPTED' THEN '{}' ELSE a.waits END
		FROM (SELECT EXISTS (SELECT FROM outputs WHERE automation_id = @id) AS before) begun
		WHERE a.id = @id
		RETURNING `+EndingColumns, pgx.NamedArgs{"id": automationID})
	if err != nil {
		return nil, err
	}
	var ended []platen.Ending
	if r.FinishedAt != nil {
		ended = append(ended, r.Ending())
		if r.Ordered {
			if err := Notify(ctx, tx, ""); err != nil { // the next of its key may start
				return nil, err
			}
		}
	}
	return ended, enqueueCommands(ctx, tx, platen.CommandCancel, []string{automationID})
}
