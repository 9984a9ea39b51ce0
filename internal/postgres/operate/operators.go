package operate

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// OperatorAutomations returns automations of all tenants, the newest first, at most
// limit: those in one of the states (none: any) that were accepted within since.
// Why one failed is its own code, else that of an output. It reads for 30 seconds
// at most.
func (s *Automations) OperatorAutomations(ctx context.Context, states []platen.AutomationState, since time.Duration, limit int) ([]platen.Ending, error) {
	var rows []postgres.EndingRow
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		if _, err := postgres.Execute(ctx, tx, `SET LOCAL statement_timeout = '30s'`, nil); err != nil {
			return err
		}
		var err error
		rows, err = postgres.Collect[postgres.EndingRow](ctx, tx, `
			SELECT `+postgres.EndingColumns+`
			FROM automations a
			WHERE a.accepted_at > now() - @since::interval AND (cardinality(@states::text[]) = 0 OR a.state = ANY (@states::text[]))
			ORDER BY a.accepted_at DESC, a.id
			LIMIT @limit`, pgx.NamedArgs{"since": since, "states": texts(postgres.WithBehind(states)), "limit": limit})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list automations of all users: %w", err)
	}
	endings := make([]platen.Ending, len(rows))
	for i, r := range rows {
		endings[i] = r.Ending()
	}
	return endings, nil
}

func texts(states []platen.AutomationState) []string {
	all := make([]string, len(states))
	for i, s := range states {
		all[i] = string(s)
	}
	return all
}

// ForOperator returns an automation of any tenant with its outputs, and its workflow's
// owner, who may change it.
func (s *Automations) ForOperator(ctx context.Context, automationID string) (platen.Automation, platen.User, error) {
	found, err := s.WithOutputs(ctx, `
		SELECT `+postgres.AutomationColumns+`
		FROM automations a
		WHERE a.id = @id`, pgx.NamedArgs{"id": automationID})
	if err == nil && len(found) == 0 {
		err = postgres.ErrAutomationNotFound(automationID)
	}
	var owner platen.User
	if err == nil {
		owner, err = s.db.ownerOf(ctx, found[0].WorkflowID)
	}
	if err != nil {
		return platen.Automation{}, owner, fmt.Errorf("read automation %s: %w", automationID, err)
	}
	return found[0], owner, nil
}

// OwnerOf returns the id of a workflow's owner. KindNotFound: there is no such workflow.
func (s *Workflows) OwnerOf(ctx context.Context, workflowID string) (string, error) {
	owner, err := s.db.ownerOf(ctx, workflowID)
	if err != nil {
		return "", fmt.Errorf("find the owner of workflow %s: %w", workflowID, err)
	}
	return owner.ID, nil
}

// ownerOf is the owner of a workflow, as far as authorize asks.
func (db *DB) ownerOf(ctx context.Context, workflowID string) (platen.User, error) {
	type row struct {
		OwnerID string `db:"owner_id"`
	}
	r, ok, err := postgres.CollectOne[row](ctx, db.Pool(), `
		SELECT owner_id
		FROM workflows
		WHERE id = @of`, pgx.NamedArgs{"of": workflowID})
	if err == nil && !ok {
		err = platen.ErrWorkflowNotFound()
	}
	return platen.User{ID: r.OwnerID}, err
}

// OperatorEvents returns the events that q asks for, without payloads. It reads for 30
// seconds at most.
func (s *Events) OperatorEvents(ctx context.Context, q platen.EventStandingQuery) ([]platen.EventStanding, error) {
	type row struct {
		ID           string            `db:"id"`
		WorkflowID   string            `db:"workflow_id"`
		AutomationID string            `db:"automation_id"`
		OwnerID      string            `db:"owner_id"`
		Type         string            `db:"type"`
		State        platen.EventState `db:"state"`
		Reason       string            `db:"reason"`
		CreatedAt    time.Time         `db:"created_at"`
		Attempts     int               `db:"attempts"`
		Status       int               `db:"status"`
		NextAt       *time.Time        `db:"next_at"`
	}
	states := make([]string, len(q.States))
	for i, state := range q.States {
		states[i] = string(state)
	}
	var rows []row
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		if _, err := postgres.Execute(ctx, tx, `SET LOCAL statement_timeout = '30s'`, nil); err != nil {
			return err
		}
		var err error
		rows, err = postgres.Collect[row](ctx, tx, `
			SELECT e.id, e.workflow_id, e.automation_id, w.owner_id, e.type, e.state, e.reason, e.created_at, e.next_at,
				coalesce(d.attempts, 0) AS attempts, coalesce(d.status, 0) AS status
			FROM events e
			JOIN workflows w ON w.id = e.workflow_id
			LEFT JOIN LATERAL (
				SELECT count(*) OVER () AS attempts, status
				FROM deliveries
				WHERE event_id = e.id
				ORDER BY attempt DESC
				LIMIT 1
			) d ON true
			WHERE e.created_at > now() - @since::interval AND (cardinality(@states::text[]) = 0 OR e.state = ANY (@states::text[]))
				AND (@of_workflow = '' OR e.workflow_id = @of_workflow) AND (@automation = '' OR e.automation_id = @automation)
			ORDER BY e.created_at DESC, e.id
			LIMIT @limit`,
			pgx.NamedArgs{"since": q.Since, "states": states, "of_workflow": q.WorkflowID, "automation": q.AutomationID, "limit": q.Limit})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list events of all users: %w", err)
	}
	found := make([]platen.EventStanding, len(rows))
	for i, r := range rows {
		found[i] = platen.EventStanding{
			ID: r.ID, WorkflowID: r.WorkflowID, AutomationID: r.AutomationID, OwnerID: r.OwnerID, Type: r.Type, State: r.State, Reason: r.Reason,
			CreatedAt: r.CreatedAt.UTC(), Attempts: r.Attempts, Status: r.Status, NextAt: postgres.UTC(r.NextAt),
		}
	}
	return found, nil
}

// WorkflowOf returns the workflow of an event of any tenant, and its owner.
func (s *Events) WorkflowOf(ctx context.Context, eventID string) (workflowID string, owner platen.User, err error) {
	type row struct {
		WorkflowID string `db:"workflow_id"`
	}
	r, ok, err := postgres.CollectOne[row](ctx, s.db.Pool(), `
		SELECT workflow_id
		FROM events
		WHERE id = @id`, pgx.NamedArgs{"id": eventID})
	if err == nil && !ok {
		err = postgres.ErrEventNotFound(eventID)
	}
	if err == nil {
		owner, err = s.db.ownerOf(ctx, r.WorkflowID)
	}
	if err != nil {
		return "", owner, fmt.Errorf("find the workflow of event %s: %w", eventID, err)
	}
	return r.WorkflowID, owner, nil
}

// Recoverable returns the workflows that have FAILED or HELD events created at or
// after since, with their owners: all (workflowID is empty), or that one.
func (s *Events) Recoverable(ctx context.Context, workflowID string, since time.Time) (owners map[string]platen.User, err error) {
	type row struct {
		WorkflowID string `db:"workflow_id"`
		OwnerID    string `db:"owner_id"`
	}
	rows, err := postgres.Collect[row](ctx, s.db.Pool(), `
		SELECT DISTINCT e.workflow_id, w.owner_id
		FROM events e
		JOIN workflows w ON w.id = e.workflow_id
		WHERE e.state IN ('FAILED', 'HELD') AND e.created_at >= @since AND (@of_workflow = '' OR e.workflow_id = @of_workflow)`,
		pgx.NamedArgs{"since": since, "of_workflow": workflowID})
	if err != nil {
		return nil, fmt.Errorf("find workflows with events to recover: %w", err)
	}
	owners = make(map[string]platen.User, len(rows))
	for _, r := range rows {
		owners[r.WorkflowID] = platen.User{ID: r.OwnerID}
	}
	return owners, nil
}
