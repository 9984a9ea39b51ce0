package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// What becomes of an event that was taken into a batch.
const (
	outcomeAccepted = "ACCEPTED"
	outcomeUnknown  = "UNKNOWN"
	outcomeGone     = "GONE"
)

func errSourceUnknown() error {
	return platen.Errorf(platen.KindNotFound, "source_not_found", "there is no workflow at this address")
}

func errSourceGone() error {
	return platen.Errorf(platen.KindGone, "workflow_archived", "the workflow at this address is archived")
}

// insertEvents stores events in one statement that commits by itself, and
// returns what became of each, in their order: nil, KindNotFound or KindGone.
//
// An event that is stored already, or whose key its source had before, is
// accepted and changes nothing. Keys are taken in their order, like the sources
// below: two batches that share some wait for each other, and never in a circle.
//
// Of those that are new, the last of each source gives the source its fields, unless
// they were named at creation or are the same; sources are locked in the order
// of their ids, so that batches side by side do not wait in a circle.
func (s *Store) insertEvents(ctx context.Context, events []platen.SourceEvent) ([]error, error) {
	args, err := eventArgs(events)
	if err != nil {
		return nil, err
	}
	type row struct {
		Outcome string `db:"outcome"`
	}
	rows, err := collect[row](ctx, s.pool, `
		WITH incoming AS (
			SELECT *
			FROM unnest(@ids::text[], @key_hashes::bytea[], @bodies::bytea[], @fields::text[], @received::timestamptz[], @requests::text[], @event_keys::bytea[])
				WITH ORDINALITY AS e (id, key_hash, body, fields, received_at, request_id, event_key, place)
		), known AS (
			SELECT i.place, i.id, i.fields, i.event_key, i.received_at, s.id AS source_id, s.fields_given, w.id AS workflow_id, w.owner_id, w.team_id, w.status,
				CASE
					WHEN w.status <> 'COMPLETE' THEN @incomplete
					WHEN NOT w.auto_create THEN @auto_create_off
					ELSE ''
				END AS reason
			FROM incoming i
			JOIN sources s ON s.key_hash = i.key_hash
			JOIN workflows w ON w.id = s.workflow_id
		), named AS (
			SELECT DISTINCT ON (k.source_id, k.event_key) k.place, k.source_id, k.event_key, k.received_at
			FROM known k
			WHERE k.event_key IS NOT NULL AND k.status <> 'ARCHIVED'
			ORDER BY k.source_id, k.event_key, k.place
		), taken AS (
			INSERT INTO source_event_keys (source_id, key_hash, accepted_at)
			SELECT n.source_id, n.event_key, n.received_at
			FROM named n
			ORDER BY n.source_id, n.event_key
			ON CONFLICT (source_id, key_hash) DO NOTHING
			RETURNING source_id, key_hash
		), stored AS (
			INSERT INTO automations (id, workflow_id, source_id, owner_id, team_id, state, reason, body, request_id, accepted_at, finished_at)
			SELECT k.id, k.workflow_id, k.source_id, k.owner_id, k.team_id,
				CASE k.reason WHEN '' THEN 'ACCEPTED' ELSE 'SKIPPED' END, k.reason,
				i.body, i.request_id, i.received_at,
				CASE k.reason WHEN '' THEN NULL ELSE i.received_at END
			FROM known k
			JOIN incoming i ON i.place = k.place
			WHERE k.status <> 'ARCHIVED' AND (k.event_key IS NULL OR k.place IN (
				SELECT n.place
				FROM named n
				JOIN taken t ON t.source_id = n.source_id AND t.key_hash = n.event_key
			))
			ORDER BY k.place
			ON CONFLICT (id) DO NOTHING
			RETURNING id
		), last_fields AS (
			SELECT DISTINCT ON (k.source_id) k.source_id, k.fields::jsonb AS fields
			FROM known k
			JOIN stored ON stored.id = k.id
			WHERE NOT k.fields_given
			ORDER BY k.source_id, k.place DESC
		), changed AS (
			SELECT s.id, l.fields
			FROM sources s
			JOIN last_fields l ON l.source_id = s.id
			WHERE s.fields <> l.fields
			ORDER BY s.id
			FOR NO KEY UPDATE OF s
		), updated AS (
			UPDATE sources s
			SET fields = c.fields
			FROM changed c
			WHERE s.id = c.id
		)
		SELECT CASE
				WHEN k.id IS NULL THEN 'UNKNOWN'
				WHEN k.status = 'ARCHIVED' THEN 'GONE'
				ELSE 'ACCEPTED'
			END AS outcome
		FROM incoming i
		LEFT JOIN known k ON k.place = i.place
		ORDER BY i.place`, args)
	if err != nil {
		return nil, fmt.Errorf("insert %d events: %w", len(events), err)
	}
	if len(rows) != len(events) {
		return nil, fmt.Errorf("insert %d events: %d answers", len(events), len(rows))
	}
	results := make([]error, len(rows))
	for i, r := range rows {
		switch r.Outcome {
		case outcomeAccepted:
		case outcomeUnknown:
			results[i] = errSourceUnknown()
		case outcomeGone:
			results[i] = errSourceGone()
		default:
			return nil, fmt.Errorf("insert %d events: unexpected outcome %q", len(events), r.Outcome)
		}
	}
	return results, nil
}

func eventArgs(events []platen.SourceEvent) (pgx.NamedArgs, error) {
	n := len(events)
	ids, requests, fields := make([]string, n), make([]string, n), make([]string, n)
	hashes, bodies, keys := make([][]byte, n), make([][]byte, n), make([][]byte, n)
	received := make([]time.Time, n)
	for i, e := range events {
		text, err := fieldsJSON(e.Fields)
		if err != nil {
			return nil, err
		}
		ids[i], requests[i], fields[i] = e.AutomationID, e.RequestID, text
		hashes[i], bodies[i], received[i] = keyHash(e.SourceKey), e.Body, e.ReceivedAt
		if bodies[i] == nil {
			bodies[i] = []byte{} // nil would become null
		}
		if e.EventKey != "" {
			keys[i] = keyHash(e.EventKey)
		}
	}
	return pgx.NamedArgs{
		"ids": ids, "key_hashes": hashes, "bodies": bodies, "fields": fields, "received": received, "requests": requests, "event_keys": keys,
		"incomplete": platen.ReasonIncomplete, "auto_create_off": platen.ReasonAutoCreateOff,
	}, nil
}
