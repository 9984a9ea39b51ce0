// Package accept stores source events, each in a commit before its sender gets an answer.
//
// Its statements run with the role accept, on connections of their own: they may add an
// automation, and read none. What becomes of an automation does not belong here.
package accept

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

func errSourceUnknown() error {
	return platen.Errorf(platen.KindNotFound, "source_not_found", "there is no workflow at this address")
}

func errSourceGone() error {
	return platen.Errorf(platen.KindGone, "workflow_archived", "the workflow at this address is archived")
}

// insertOneSQL is insertUsualSQL for one event. Arrays and the joins of what they
// hold cost it a fifth of its time.
const insertOneSQL = `
	WITH known AS (
		SELECT s.id, w.id AS workflow_id, w.owner_id, w.team_id, w.status, w.ordered_by <> '' AS ordered,
			` + postgres.SkipReason + ` AS reason,
			w.status <> 'ARCHIVED' AND CASE WHEN s.fields_given THEN s.last_names IS DISTINCT FROM $2::text::jsonb ELSE s.fields <> $2::text::jsonb END AS differs
		FROM sources s
		JOIN workflows w ON w.id = s.workflow_id
		WHERE s.key_hash = $1::bytea
	), stored AS (
		INSERT INTO automations (id, workflow_id, source_id, owner_id, team_id, state, reason, body, request_id, accepted_at, finished_at, data_key, order_number, order_key)
		SELECT $3::text, k.workflow_id, k.id, k.owner_id, k.team_id,
			CASE k.reason WHEN '' THEN CASE WHEN k.ordered THEN 'BEHIND' ELSE 'ACCEPTED' END ELSE 'SKIPPED' END, k.reason,
			$5::bytea, $6::text, $4::timestamptz,
			CASE k.reason WHEN '' THEN NULL ELSE $4::timestamptz END, $7::bytea, CASE WHEN k.ordered THEN nextval('automation_order') END, CASE WHEN k.ordered THEN ''::bytea END
		FROM known k
		WHERE k.status <> 'ARCHIVED' AND NOT k.differs
		ON CONFLICT (id) DO NOTHING
	)
	SELECT 1::bigint, status = 'ARCHIVED', differs, ordered
	FROM known`

// insertUsualSQL stores a batch of events in one statement that commits by
// itself, and answers with the sources that there are. It is for the usual
// batch: senders gave no keys and no references, no delivery led to its events, none is a test, and what comes of each source has one list of
// field names, the one that the source has. Where a source has another,
// nothing is stored.
//
// A batch comes in columns, see batchColumns, and arguments have numbers:
// finding names in so long a text for every batch costs more than binding it.
const insertUsualSQL = `
	WITH known AS (
		SELECT k.source, s.id, w.id AS workflow_id, w.owner_id, w.team_id, w.status, w.ordered_by <> '' AS ordered,
			` + postgres.SkipReason + ` AS reason,
			w.status <> 'ARCHIVED' AND CASE WHEN s.fields_given THEN s.last_names IS DISTINCT FROM k.names::jsonb ELSE s.fields <> k.names::jsonb END AS differs
		FROM unnest($1::bytea[], $2::text[]) WITH ORDINALITY AS k (key_hash, names, source)
		JOIN sources s ON s.key_hash = k.key_hash
		JOIN workflows w ON w.id = s.workflow_id
	), stored AS (
		INSERT INTO automations (id, workflow_id, source_id, owner_id, team_id, state, reason, body, request_id, accepted_at, finished_at, data_key, order_number, order_key)
		SELECT e.id, k.workflow_id, k.id, k.owner_id, k.team_id,
			CASE k.reason WHEN '' THEN CASE WHEN k.ordered THEN 'BEHIND' ELSE 'ACCEPTED' END ELSE 'SKIPPED' END, k.reason,
			e.body, e.request_id, e.received_at,
			CASE k.reason WHEN '' THEN NULL ELSE e.received_at END, e.data_key, CASE WHEN k.ordered THEN nextval('automation_order') END, CASE WHEN k.ordered THEN ''::bytea END
		FROM unnest($3::text[], $4::bigint[], $5::timestamptz[], $6::bytea[], $7::text[], $8::bytea[])
			AS e (id, source, received_at, body, request_id, data_key)
		JOIN known k ON k.source = e.source
		WHERE k.status <> 'ARCHIVED' AND NOT EXISTS (SELECT FROM known WHERE differs)
		ON CONFLICT (id) DO NOTHING
	)
	SELECT source, status = 'ARCHIVED', differs, ordered
	FROM known`

// insertAnySQL does the same for every batch.
//
// Keys that senders gave their events are taken in their order, and sources
// locked in the order of their ids: two batches that share some wait for each
// other, and never in a circle. The key belongs to the event that took it: the
// same body is a repeat, and each other body is kept once, under a key of its own.
const insertAnySQL = `
	WITH known AS (
		SELECT k.source, s.id, CASE WHEN s.fields_given THEN s.last_names ELSE s.fields END AS names, w.id AS workflow_id, w.owner_id, w.team_id, w.status, w.ordered_by <> '' AS ordered,
			` + postgres.SkipReason + ` AS reason
		FROM unnest($1::bytea[]) WITH ORDINALITY AS k (key_hash, source)
		JOIN sources s ON s.key_hash = k.key_hash
		JOIN workflows w ON w.id = s.workflow_id
	), given AS (
		SELECT e.*, k.id AS source_id, k.workflow_id, k.owner_id, k.team_id, k.reason, k.ordered
		FROM unnest($3::text[], $4::bigint[], $5::timestamptz[], $6::bytea[], $7::text[], $9::bytea[], $11::integer[], $8::bytea[], $12::boolean[], $13::bytea[], $14::bytea[], $15::bytea[], $16::text[])
			WITH ORDINALITY AS e (id, source, received_at, body, request_id, event_key, hops, data_key, test, body_hash, body_key, name, reference, place)
		JOIN known k ON k.source = e.source
		WHERE k.status <> 'ARCHIVED'
	), taken AS (
		INSERT INTO source_event_keys (source_id, key_hash, accepted_at, automation_id, body_hash)
		SELECT DISTINCT ON (source_id, event_key) source_id, event_key, received_at, id, body_hash
		FROM given
		WHERE event_key IS NOT NULL
		ORDER BY source_id, event_key, place
		ON CONFLICT (source_id, key_hash) DO UPDATE SET accepted_at = source_event_keys.accepted_at
		RETURNING source_id, key_hash, automation_id, body_hash
	), reused AS (
		INSERT INTO source_event_keys (source_id, key_hash, accepted_at, automation_id, body_hash)
		SELECT DISTINCT ON (g.source_id, g.body_key) g.source_id, g.body_key, g.received_at, g.id, g.body_hash
		FROM given g
		JOIN taken t ON t.source_id = g.source_id AND t.key_hash = g.event_key AND t.body_hash <> g.body_hash
		ORDER BY g.source_id, g.body_key, g.place
		ON CONFLICT (source_id, key_hash) DO UPDATE SET accepted_at = source_event_keys.accepted_at
		RETURNING automation_id
	), begun AS (
		SELECT g.*, CASE WHEN r.automation_id IS NULL THEN g.reason ELSE '` + platen.ReasonKeyReused + `' END AS why,
			CASE WHEN r.automation_id IS NOT NULL THEN f.automation_id END AS key_taken_by
		FROM given g
		LEFT JOIN taken t ON t.automation_id = g.id
		LEFT JOIN reused r ON r.automation_id = g.id
		LEFT JOIN taken f ON f.source_id = g.source_id AND f.key_hash = g.event_key
		WHERE g.event_key IS NULL OR t.automation_id IS NOT NULL OR r.automation_id IS NOT NULL
	), stored AS (
		INSERT INTO automations (id, workflow_id, source_id, owner_id, team_id, state, reason, body, request_id, accepted_at, finished_at, hops, data_key, test, event_key, key_taken_by, reference, order_number, order_key)
		SELECT id, workflow_id, source_id, owner_id, team_id,
			CASE why WHEN '' THEN CASE WHEN ordered THEN 'BEHIND' ELSE 'ACCEPTED' END ELSE 'SKIPPED' END, why,
			body, request_id, received_at,
			CASE why WHEN '' THEN NULL ELSE received_at END, hops, data_key, test, name, key_taken_by, reference, CASE WHEN ordered THEN nextval('automation_order') END, CASE WHEN ordered THEN ''::bytea END
		FROM begun
		ON CONFLICT (id) DO NOTHING
		RETURNING id
	), last AS (
		SELECT DISTINCT ON (e.source) e.source, e.fields
		FROM unnest($3::text[], $4::bigint[], $10::bigint[]) WITH ORDINALITY AS e (id, source, fields, place)
		JOIN stored ON stored.id = e.id
		JOIN begun b ON b.id = e.id AND b.why <> '` + platen.ReasonKeyReused + `'
		ORDER BY e.source, e.place DESC
	), changed AS (
		SELECT s.id, f.names::jsonb AS names
		FROM last l
		JOIN unnest($2::text[]) WITH ORDINALITY AS f (names, fields) ON f.fields = l.fields
		JOIN known k ON k.source = l.source
		JOIN sources s ON s.id = k.id
		WHERE k.names IS DISTINCT FROM f.names::jsonb
			AND CASE WHEN s.fields_given THEN s.last_names ELSE s.fields END IS DISTINCT FROM f.names::jsonb
		ORDER BY s.id
		FOR NO KEY UPDATE OF s
	), updated AS (
		UPDATE sources s
		SET fields = CASE WHEN s.fields_given THEN s.fields ELSE c.names END,
			last_names = CASE WHEN s.fields_given THEN c.names END
		FROM changed c
		WHERE s.id = c.id
	)
	SELECT source, status = 'ARCHIVED', false, ordered
	FROM known`

// insertEvents stores events in one commit and returns what became of each, in
// their order: nil, KindNotFound or KindGone. ordered: automations of some of the workflows
// have an order, so that a worker has to find their places in it.
//
// An event that is stored already, or whose key its source had before, is
// accepted and changes nothing. With another body it is stored as skipped. Of
// those that are carried out, the last of each source gives the source its
// fields, unless they were named at creation or are the same. Names that another list took the place of are kept by a trigger, see
// SeenFields.
//
// Their bodies are encrypted.
func insertEvents(ctx context.Context, db *postgres.DB, events []platen.SourceEvent) (results []error, ordered bool, err error) {
	c, err := makeColumns(events, db.Vault())
	if err != nil {
		return nil, false, err
	}
	args := []any{c.hashes, c.fieldLists, c.ids, c.sources, c.received, c.bodies, c.requests, c.dataKeys}
	var stored outcome
	switch {
	case c.usual && len(events) == 1:
		stored, err = insertBatch(ctx, db.Pool(), 1, insertOneSQL, []any{c.hashes[0], c.fieldLists[0], c.ids[0], c.received[0], c.bodies[0], c.requests[0], c.dataKeys[0]})
	case c.usual:
		stored, err = insertBatch(ctx, db.Pool(), len(c.hashes), insertUsualSQL, args)
	}
	if err == nil && !stored.done {
		stored, err = insertBatch(ctx, db.Pool(), len(c.hashes), insertAnySQL, append(args, c.eventKeys, c.fields, c.hops, c.tests, c.bodyHashes, c.bodyKeys, c.names, c.references))
	}
	if err == nil && slices.ContainsFunc(stored.ofSources, unknown) {
		var moved bool
		if moved, err = followRotations(ctx, db, c.hashes, stored.ofSources); err == nil && moved {
			stored, err = insertBatch(ctx, db.Pool(), len(c.hashes), insertAnySQL, append(args, c.eventKeys, c.fields, c.hops, c.tests, c.bodyHashes, c.bodyKeys, c.names, c.references))
		}
	}
	if err != nil {
		return nil, false, fmt.Errorf("insert %d events: %w", len(events), postgres.Classify(err))
	}
	results = make([]error, len(events))
	for i, source := range c.sourceOf {
		results[i] = stored.ofSources[source-1]()
	}
	return results, stored.ordered, nil
}

func unknown(outcome func() error) bool { return platen.KindOf(outcome()) == platen.KindNotFound }

// followRotations puts the present address in place of those that a rotation left
// to take events along for a while, and tells whether there were any. The
// statements of the usual way need not know of them. The batch is inserted once
// more then: what was stored before stays as it is.
func followRotations(ctx context.Context, db *postgres.DB, hashes byteArrays, outcomes []func() error) (moved bool, err error) {
	type row struct {
		Previous []byte `db:"previous_key_hash"`
		Present  []byte `db:"key_hash"`
	}
	var lost [][]byte
	for i, outcome := range outcomes {
		if unknown(outcome) {
			lost = append(lost, hashes[i])
		}
	}
	rows, err := postgres.Collect[row](ctx, db.Pool(), `
		SELECT previous_key_hash, key_hash
		FROM sources
		WHERE previous_key_hash = ANY (@lost) AND previous_until > now()`, pgx.NamedArgs{"lost": lost})
	if err != nil {
		return false, err
	}
	for _, r := range rows {
		for i, hash := range hashes {
			if bytes.Equal(hash, r.Previous) {
				hashes[i], moved = r.Present, true
			}
		}
	}
	return moved, nil
}

// An outcome is what became of a batch.
type outcome struct {
	ofSources []func() error // of the events of each source
	done      bool           // they were stored
	ordered   bool           // automations of some of the workflows have an order
}

func insertBatch(ctx context.Context, q postgres.Querier, sources int, sql string, args []any) (outcome, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{ofSources: slices.Repeat([]func() error{errSourceUnknown}, sources), done: true}
	var source int
	var archived, differs, ordered bool
	_, err = pgx.ForEachRow(rows, []any{&source, &archived, &differs, &ordered}, func() error {
		out.ofSources[source-1] = func() error { return nil }
		if archived {
			out.ofSources[source-1] = errSourceGone
		}
		out.done, out.ordered = out.done && !differs, out.ordered || ordered
		return nil
	})
	return out, err
}

// batchColumns are a batch as arrays for unnest. What events have in common is
// sent once: sources and lists of field names, to which rows point by their
// place, counted from 1.
type batchColumns struct {
	hashes     byteArrays // of the sources' keys
	fieldLists []string   // JSON

	// usual: there are neither keys nor references nor hops nor tests, and the one list of each source has its place.
	usual bool

	sourceOf []int64 // of every event

	// One of each row.
	ids, requests        []string
	sources, fields      []int64
	eventKeys, bodies    byteArrays
	bodyHashes, bodyKeys byteArrays // of those with a key
	names                byteArrays // sealed, of those with a key
	dataKeys             byteArrays
	received             []time.Time
	hops                 []int32
	tests                []bool
	references           []string // empty: there is none
}

// byteArrays are encoded without reflection.
type byteArrays = pgtype.FlatArray[[]byte]

// A batchSource is what a batch holds of one source so far.
type batchSource struct {
	place  int64
	fields []string        // of its latest event
	list   int64           // place of these in fieldLists
	keys   map[string]bool // with the hash of the body
}

// makeColumns leaves out events whose key and body an earlier one of their source
// has: they share its answer.
func makeColumns(events []platen.SourceEvent, vault postgres.Vault) (*batchColumns, error) {
	n := len(events)
	c := &batchColumns{
		usual:    true,
		sourceOf: make([]int64, n),
		ids:      make([]string, 0, n), requests: make([]string, 0, n),
		sources: make([]int64, 0, n), fields: make([]int64, 0, n),
		eventKeys: make(byteArrays, 0, n), bodies: make(byteArrays, 0, n), dataKeys: make(byteArrays, 0, n),
		bodyHashes: make(byteArrays, 0, n), bodyKeys: make(byteArrays, 0, n),
		received: make([]time.Time, 0, n), hops: make([]int32, 0, n), tests: make([]bool, 0, n), references: make([]string, 0, n),
	}
	sources := make(map[string]*batchSource, 1)
	for i, e := range events {
		s := sources[e.SourceKey]
		if s == nil {
			c.hashes = append(c.hashes, postgres.HashKey(e.SourceKey))
			s = &batchSource{place: int64(len(c.hashes)), keys: map[string]bool{}}
			sources[e.SourceKey] = s
		}
		c.sourceOf[i] = s.place
		var key eventKey
		if e.EventKey != "" {
			key = keyOf(e)
			if s.keys[string(key.withBody)] {
				continue
			}
			s.keys[string(key.withBody)], c.usual = true, false
		}
		if s.list == 0 || !slices.Equal(s.fields, e.Fields) {
			list, err := postgres.FieldsJSON(e.Fields)
			if err != nil {
				return nil, err
			}
			c.fieldLists = append(c.fieldLists, list)
			s.fields, s.list = e.Fields, int64(len(c.fieldLists))
			c.usual = c.usual && s.list == s.place
		}
		c.usual = c.usual && e.Hops == 0 && !e.Test && e.Reference == ""
		if err := c.addRow(e, s, key, vault); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// An eventKey is a sender's name of an event, as it is kept: none of it can be read, and
// so little of the body that nothing can be told from it.
type eventKey struct {
	name     []byte // null: it has none
	body     []byte // eight bytes of the hash of name and body
	withBody []byte // the name of an event that came under a name of before
}

func keyOf(e platen.SourceEvent) eventKey {
	body := sha256.Sum256(slices.Concat([]byte(e.EventKey), []byte{0}, e.Body))
	const kept = 8
	return eventKey{postgres.HashKey(e.EventKey), body[:kept], postgres.HashKey(e.EventKey + "\x00" + string(body[:kept]))}
}

func (c *batchColumns) addRow(e platen.SourceEvent, s *batchSource, key eventKey, vault postgres.Vault) error {
	body := e.Body
	if body == nil {
		body = []byte{} // nil would become null
	}
	of, err := vault.NewDataKey(e.AutomationID)
	if err != nil {
		return err
	}
	c.bodies, c.dataKeys = append(c.bodies, of.Seal(body, postgres.AutomationBody)), append(c.dataKeys, of.Sealed)
	c.ids, c.requests = append(c.ids, e.AutomationID), append(c.requests, e.RequestID)
	c.sources, c.fields = append(c.sources, s.place), append(c.fields, s.list)
	var name []byte // null: it has none
	if e.EventKey != "" {
		name = of.Seal([]byte(platen.EventKeyValue(e.EventKey)), postgres.AutomationName)
	}
	c.eventKeys, c.names = append(c.eventKeys, key.name), append(c.names, name)
	c.bodyHashes, c.bodyKeys = append(c.bodyHashes, key.body), append(c.bodyKeys, key.withBody)
	c.received, c.hops = append(c.received, e.ReceivedAt), append(c.hops, int32(e.Hops)) // MaxHops at most
	c.tests, c.references = append(c.tests, e.Test), append(c.references, e.Reference)
	return nil
}
