package accept

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// Find returns the automation of an event that was accepted: its own, or the one that its
// name and body started before. KindNotFound: it is not known any more.
func Find(ctx context.Context, db *postgres.DB, e platen.SourceEvent) (platen.Accepted, error) {
	type row struct {
		AutomationID string `db:"automation_id"`
		WorkflowID   string `db:"workflow_id"`
		OwnerID      string `db:"owner_id"`
	}
	var key eventKey
	if e.EventKey != "" {
		key = keyOf(e)
	}
	r, ok, err := postgres.CollectOne[row](ctx, db.Pool(), `
		SELECT w.id AS workflow_id, w.owner_id,
			coalesce(
				(SELECT id FROM automations WHERE id = @id),
				(SELECT automation_id FROM source_event_keys WHERE source_id = s.id AND key_hash = @name AND body_hash = @body),
				(SELECT automation_id FROM source_event_keys WHERE source_id = s.id AND key_hash = @with_body),
				'') AS automation_id
		FROM sources s
		JOIN workflows w ON w.id = s.workflow_id
		WHERE s.key_hash = @source OR s.previous_key_hash = @source AND s.previous_until > now()`,
		pgx.NamedArgs{"id": e.AutomationID, "source": postgres.HashKey(e.SourceKey), "name": key.name, "body": key.body, "with_body": key.withBody})
	if err == nil && (!ok || r.AutomationID == "") {
		err = platen.ErrAutomationNotFound()
	}
	if err != nil {
		return platen.Accepted{}, fmt.Errorf("find the automation of an event: %w", err)
	}
	return platen.Accepted(r), nil
}
