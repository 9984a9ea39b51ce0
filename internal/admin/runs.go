package admin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// RetryAutomation begins the next attempt of a FAILED automation of any user.
func (a *Admin) RetryAutomation(ctx context.Context, id string) (platen.Automation, error) {
	return a.changeAutomation(ctx, id, a.DB.Automations.RetryAutomation)
}

// CancelAutomation cancels an automation of any user.
func (a *Admin) CancelAutomation(ctx context.Context, id string) (platen.Automation, error) {
	return a.changeAutomation(ctx, id, a.DB.Automations.CancelAutomation)
}

// changeAutomation does what the owner of the automation's workflow may do.
func (a *Admin) changeAutomation(ctx context.Context, id string, change func(ctx context.Context, as platen.User, workflowID, id string) (platen.Automation, error)) (platen.Automation, error) {
	platen.About(ctx, id)
	found, owner, err := a.DB.Automations.ForOperator(ctx, id)
	if err != nil {
		return platen.Automation{}, err
	}
	return change(ctx, owner, found.WorkflowID, id)
}

// Automation returns an automation of any user with its outputs, and its events.
func (a *Admin) Automation(ctx context.Context, id string) (platen.Automation, []platen.EventStanding, error) {
	found, _, err := a.DB.Automations.ForOperator(ctx, id)
	if err != nil {
		return found, nil, err
	}
	events, err := a.DB.Events.OperatorEvents(ctx, platen.EventStandingQuery{
		WorkflowID: found.WorkflowID, AutomationID: id, Since: time.Since(found.AcceptedAt) + 24*time.Hour, Limit: platen.MaxList,
	})
	return found, events, err
}

// RedeliverEvent sends an event of any user again, in any state.
func (a *Admin) RedeliverEvent(ctx context.Context, id string) error {
	platen.About(ctx, id)
	workflowID, owner, err := a.DB.Events.WorkflowOf(ctx, id)
	if err != nil {
		return err
	}
	return a.DB.Events.RedeliverEvent(ctx, owner, workflowID, id)
}

// A WorkflowRecovery is how many events of a workflow are sent again.
type WorkflowRecovery struct {
	WorkflowID string
	platen.Recovery
	Err error // why none is: its endpoint is disabled, or there is none
}

// recoveredAtOnce is how many events of a workflow one transaction recovers.
const recoveredAtOnce = 1000

// RecoverEvents sends the FAILED and HELD events again that were created at or after
// since: those of one workflow, or of all (workflowID is empty), a workflow after the
// other. Each has its entry in the audit. A workflow to which
// nothing can be sent keeps none of the others back.
func (a *Admin) RecoverEvents(ctx context.Context, entry platen.AuditEntry, workflowID string, since time.Time) ([]WorkflowRecovery, error) {
	owners, err := a.DB.Events.Recoverable(ctx, workflowID, since)
	if err != nil {
		return nil, err
	}
	var all []WorkflowRecovery
	for _, id := range slices.Sorted(maps.Keys(owners)) {
		of := WorkflowRecovery{WorkflowID: id}
		of.Recovery, of.Err = a.recoverWorkflow(ctx, entry, owners[id], id, since)
		all = append(all, of)
		if known := new(platen.Error); of.Err != nil && !errors.As(of.Err, &known) {
			return all, fmt.Errorf("%w; what was begun is kept: run it again", of.Err)
		}
	}
	return all, nil
}

func (a *Admin) recoverWorkflow(ctx context.Context, entry platen.AuditEntry, owner platen.User, workflowID string, since time.Time) (sum platen.Recovery, err error) {
	err = a.Act(ctx, entry, func(ctx context.Context) error {
		platen.ActOf(ctx).Entry.WorkflowID = workflowID
		for {
			n, err := a.DB.Events.RecoverEvents(ctx, owner, workflowID, since, recoveredAtOnce)
			sum.Events, sum.Held = sum.Events+n.Events, sum.Held+n.Held
			if err != nil || n.Events < recoveredAtOnce {
				return err
			}
		}
	})
	return sum, err
}
