package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Outbox is the store of what Temporal has to be told, written in the
// transaction that makes it right to tell it and passed on by dispatch.
type Outbox struct{ db *DB }

// enqueueCommands asks for something that Temporal has to be told, in the
// transaction that makes it right to tell it.
func enqueueCommands(ctx context.Context, tx pgx.Tx, kind platen.CommandKind, ids []string) error {
	return enqueueCommandsApart(ctx, tx, kind, ids, 0)
}

// enqueueCommandsApart is enqueueCommands for many that come due one after the
// other.
func enqueueCommandsApart(ctx context.Context, tx pgx.Tx, kind platen.CommandKind, ids []string, apart time.Duration) error {
	_, err := Execute(ctx, tx, `
		INSERT INTO errands (kind, id, requested_at)
		SELECT @kind, id, now() + (n - 1) * @apart::interval
		FROM unnest(@ids::text[]) WITH ORDINALITY AS asked (id, n)
		ON CONFLICT (kind, id) DO UPDATE
		SET version = errands.version + 1, requested_at = excluded.requested_at, leased_until = NULL`,
		pgx.NamedArgs{"kind": kind, "ids": ids, "apart": apart})
	if err != nil {
		return fmt.Errorf("enqueue %d outbox commands: %w", len(ids), err)
	}
	return nil
}

// ClaimCommands leases up to limit outbox commands that are due to the caller,
// the oldest first. One that is not acknowledged before the lease ends is
// claimed again.
func (s *Outbox) ClaimCommands(ctx context.Context, limit int, lease time.Duration) ([]platen.OutboxCommand, error) {
	type row struct {
		Kind       platen.CommandKind `db:"kind"`
		ID         string             `db:"id"`
		Version    int                `db:"version"`
		WorkflowID string             `db:"workflow_id"`
		OwnerID    string             `db:"owner_id"`
		TeamID     *string            `db:"team_id"`
		Before     int                `db:"before"`
		Attempt    int                `db:"attempt"`
		Receiver   string             `db:"receiver"`
		URL        string             `db:"url"`
		Test       bool               `db:"test"`
		Automation string             `db:"automation_id"` // of a mail or a placement, as the next
		Output     string             `db:"output_id"`
		Number     int                `db:"number"`
		Reviewed   string             `db:"reviewed"` // the automation of an output
		Target     string             `db:"target_id"`
	}
	rows, err := Collect[row](ctx, s.db.pool, `
		WITH due AS (
			SELECT kind, id
			FROM errands
			WHERE (leased_until IS NULL OR leased_until <= now()) AND requested_at <= now()
			ORDER BY requested_at
			LIMIT @limit
			FOR UPDATE SKIP LOCKED
		), claimed AS (
			UPDATE errands e
			SET leased_until = now() + @lease::interval
			FROM due
			WHERE e.kind = due.kind AND e.id = due.id
			RETURNING e.kind, e.id, e.version, e.requested_at
		)
		SELECT c.kind, c.id, c.version, a.workflow_id, a.owner_id, a.team_id, coalesce(v.attempts_before, 0) AS before,
			CASE WHEN v.id IS NULL THEN 0 ELSE 1 + greatest(v.attempts_before,
				(SELECT coalesce(max(d.attempt), 0) FROM deliveries d WHERE d.event_id = v.id)) END AS attempt,
			CASE WHEN o.url IS NULL THEN '' ELSE w.owner_id END AS receiver, coalesce(o.url, '') AS url, coalesce(v.test, false) AS test,
			coalesce(m.automation_id, t.automation_id, '') AS automation_id, coalesce(m.output_id, t.output_id, '') AS output_id, coalesce(m.number, 0) AS number, coalesce(t.target_id, '') AS target_id, coalesce(p.automation_id, '') AS reviewed
		FROM claimed c
		LEFT JOIN events v ON c.kind = 'DELIVER' AND v.id = c.id
		LEFT JOIN workflows w ON w.id = v.workflow_id
		LEFT JOIN `+allReceivers+` o ON o.workflow_id = v.workflow_id AND o.test = v.test AND o.receiver_id = v.receiver_id
		LEFT JOIN mails m ON c.kind = 'MAIL' AND m.id = c.id
		LEFT JOIN placements t ON c.kind = 'STORE' AND t.id = c.id
		LEFT JOIN outputs p ON c.kind = 'REVIEW' AND p.id = c.id
		JOIN automations a ON a.id = coalesce(v.automation_id, m.automation_id, t.automation_id, p.automation_id, c.id)
		ORDER BY c.requested_at, c.id`,
		pgx.NamedArgs{"limit": limit, "lease": lease})
	if err != nil {
		return nil, fmt.Errorf("claim outbox commands: %w", err)
	}
	commands := make([]platen.OutboxCommand, len(rows))
	for i, r := range rows {
		commands[i] = platen.OutboxCommand{
			Kind: r.Kind, ID: r.ID, Version: r.Version,
			WorkflowID: r.WorkflowID, OwnerID: r.OwnerID, TeamID: orEmpty(r.TeamID), Before: r.Before, Attempt: r.Attempt,
			Endpoint: endpointOf(r.Receiver, r.URL, r.Test), Mail: platen.MailKey{AutomationID: r.Automation, OutputID: r.Output, Number: r.Number}, AutomationID: r.Reviewed,
			Placement: platen.PlacementKey{AutomationID: r.Automation, OutputID: r.Output, TargetID: r.Target},
		}
	}
	return commands, nil
}

// endpointOf is the zero key where there is no address.
func endpointOf(ownerID, url string, test bool) platen.EndpointKey {
	if url == "" {
		return platen.EndpointKey{}
	}
	return platen.EndpointKey{OwnerID: ownerID, URL: url, Test: test}
}

// AcknowledgeCommand forgets an outbox command that was carried out, unless it
// was asked for again meanwhile.
func (s *Outbox) AcknowledgeCommand(ctx context.Context, e platen.OutboxCommand) error {
	_, err := Execute(ctx, s.db.pool, `
		DELETE FROM errands
		WHERE kind = @kind AND id = @id AND version = @version`,
		pgx.NamedArgs{"kind": e.Kind, "id": e.ID, "version": e.Version})
	if err != nil {
		return fmt.Errorf("acknowledge outbox command %s of %s: %w", e.Kind, e.ID, err)
	}
	return nil
}

// PutOffDeliveries has the events that go to an endpoint and would come due to be
// redelivered within wait, claimed or not, come due after it, as far apart as
// recovered ones.
func (s *Outbox) PutOffDeliveries(ctx context.Context, key platen.EndpointKey, wait time.Duration) error {
	_, err := Execute(ctx, s.db.pool, `
		WITH due AS (
			SELECT r.id, r.requested_at
			FROM errands r
			JOIN events v ON v.id = r.id
			JOIN workflows w ON w.id = v.workflow_id
			JOIN `+allReceivers+` o ON o.workflow_id = v.workflow_id AND o.test = v.test AND o.receiver_id = v.receiver_id
			WHERE r.kind = 'DELIVER' AND r.requested_at <= now() + @wait::interval AND w.owner_id = @owner_id AND o.url = @url`+tests("v.test", key.Test)+`
			FOR UPDATE OF r SKIP LOCKED
		), turns AS (
			SELECT id, row_number() OVER (ORDER BY requested_at, id) - 1 AS n
			FROM due
		)
		UPDATE errands e
		SET requested_at = now() + @wait::interval + t.n * @apart::interval, leased_until = NULL
		FROM turns t
		WHERE e.kind = 'DELIVER' AND e.id = t.id`,
		pgx.NamedArgs{"wait": wait, "apart": recoveredApart, "owner_id": key.OwnerID, "url": key.URL})
	if err != nil {
		return fmt.Errorf("put off the deliveries to an endpoint of %s: %w", key.OwnerID, err)
	}
	return nil
}
