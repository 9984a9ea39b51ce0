package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Events is the store of events as they are shown and asked for again.
type Events struct{ db *DB }

// findEvent returns the id of the event of an output's present attempt, "" when
// it has none.
func findEvent(ctx context.Context, tx pgx.Tx, r outputRow) (string, error) {
	type row struct {
		ID string `db:"id"`
	}
	stored, _, err := CollectOne[row](ctx, tx, `
		SELECT id
		FROM events
		WHERE output_id = @output_id AND attempt = @attempt`,
		pgx.NamedArgs{"output_id": r.ID, "attempt": r.Attempt})
	return stored.ID, err
}

// storeEvent makes and stores the event of an output that ends in this
// transaction, if there is somewhere to send it.
func (db *DB) storeEvent(ctx context.Context, tx pgx.Tx, r outputRow, o platen.Output, event func(platen.Output) (platen.Event, error)) (string, error) {
	type row struct {
		WorkflowID string `db:"workflow_id"`
	}
	wanted, ok, err := CollectOne[row](ctx, tx, `
		SELECT w.workflow_id
		FROM automations a
		JOIN `+receiversOf(o.Test).table+` w ON w.workflow_id = a.workflow_id
		WHERE a.id = @automation_id AND a.erase_requested_at IS NULL`, pgx.NamedArgs{"automation_id": o.AutomationID})
	if err != nil || !ok {
		return "", err
	}
	of, err := db.originOf(ctx, tx, o.AutomationID)
	if err != nil {
		return "", err
	}
	e, err := event(of.name(o))
	if err != nil || e.Type == "" {
		return "", err
	}
	_, err = Execute(ctx, tx, `
		INSERT INTO events (id, workflow_id, automation_id, output_id, attempt, type, payload, state, created_at, test)
		VALUES (@id, @workflow_id, @automation_id, @output_id, @attempt, @type, @payload, 'PENDING', @created_at, @test)`,
		pgx.NamedArgs{
			"id": e.ID, "workflow_id": wanted.WorkflowID, "automation_id": o.AutomationID, "output_id": o.ID,
			"attempt": r.Attempt, "type": e.Type, "payload": of.key.Seal(e.Payload, eventPayload), "created_at": e.CreatedAt, "test": o.Test,
		})
	if err != nil {
		return "", fmt.Errorf("insert event %s: %w", e.ID, err)
	}
	return e.ID, nil
}

// eventProgress are the columns about attempts at an event that is not delivered.
const eventProgress = `CASE e.state WHEN 'PENDING' THEN e.next_at END AS next_at,
			CASE WHEN e.state <> 'DELIVERED' THEN coalesce((SELECT d.failure FROM deliveries d WHERE d.event_id = e.id ORDER BY d.attempt DESC LIMIT 1), '') ELSE '' END AS last_failure`

// The columns of eventRow; lists leave the payload out.
const (
	eventSummary = `e.id, e.workflow_id, e.automation_id, coalesce(e.output_id, '') AS output_id, coalesce(e.batch_id, '') AS batch_id, e.type, NULL::bytea AS payload, e.state, e.reason, coalesce(e.test, false) AS test, e.created_at, ` + eventProgress
	eventColumns = `e.id, e.workflow_id, e.automation_id, coalesce(e.output_id, '') AS output_id, coalesce(e.batch_id, '') AS batch_id, e.type, e.payload, e.state, e.reason, coalesce(e.test, false) AS test, e.created_at, NULL::timestamptz AS next_at, '' AS last_failure`
	eventDetail  = `e.id, e.workflow_id, e.automation_id, coalesce(e.output_id, '') AS output_id, coalesce(e.batch_id, '') AS batch_id, e.type, e.payload, e.state, e.reason, coalesce(e.test, false) AS test, e.created_at, ` + eventProgress
)

type eventRow struct {
	ID           string            `db:"id"`
	WorkflowID   string            `db:"workflow_id"`
	AutomationID string            `db:"automation_id"`
	OutputID     string            `db:"output_id"`
	BatchID      string            `db:"batch_id"`
	Type         string            `db:"type"`
	Payload      []byte            `db:"payload"`
	State        platen.EventState `db:"state"`
	Reason       string            `db:"reason"`
	Test         bool              `db:"test"`
	CreatedAt    time.Time         `db:"created_at"`
	AcceptedAt   time.Time         `db:"-"` // of its automation, as Hops
	Hops         int               `db:"-"`
	NextAt       *time.Time        `db:"next_at"`
	LastFailure  string            `db:"last_failure"`
}

func (r eventRow) event() platen.Event {
	e := platen.Event(r)
	e.CreatedAt, e.NextAt = r.CreatedAt.UTC(), UTC(r.NextAt)
	return e
}

// openEvent is the event of a row with its payload, and the key of that. The payload about a
// batch has nothing of source data and is not encrypted: the key is that of receivers' answers.
func (db *DB) openEvent(r eventRow, sealedKey []byte) (platen.Event, DataKey, error) {
	e := r.event()
	key, err := db.vault.OpenDataKey(sealedKey, e.AutomationID)
	if err != nil || e.BatchID != "" {
		return e, key, err
	}
	e.Payload, err = key.Open(e.Payload, eventPayload)
	return e, key, err
}

// ErrEventNotFound is KindNotFound with code "event_not_found".
func ErrEventNotFound(id string) error {
	return platen.Errorf(platen.KindNotFound, "event_not_found", "there is no event %s", id)
}

// WorkflowEvents returns those that query asks for of one of the caller's
// workflows' events, without their payloads, by creation time, then id. The
// zero page is the last platen.MaxList of them.
func (s *Events) WorkflowEvents(ctx context.Context, caller platen.User, workflowID string, query platen.EventQuery) ([]platen.Event, error) {
	if err := authorize(ctx, s.db.pool, caller, workflowID); err != nil {
		return nil, fmt.Errorf("list events of workflow %s: %w", workflowID, err)
	}
	rows, err := Collect[eventRow](ctx, s.db.pool, workflowEvents(query), boundedPageArgs(query.Page, pgx.NamedArgs{"workflow_id": workflowID, "states": query.States, "outputs": query.OutputIDs, "since": query.Since, "until": query.Until}))
	if err != nil {
		return nil, fmt.Errorf("list events of workflow %s: %w", workflowID, err)
	}
	found := make([]platen.Event, len(rows))
	for i, r := range rows {
		found[i] = r.event()
	}
	return putInOrder(query.Page, found), nil
}

func workflowEvents(query platen.EventQuery) string {
	ofOutputs := ""
	if len(query.OutputIDs) > 0 { // said only where it is meant, so that its index is used
		ofOutputs = `
			AND e.output_id = ANY (@outputs::text[])`
	}
	return `
		SELECT ` + eventSummary + `
		FROM events e
		WHERE e.workflow_id = @workflow_id AND (e.created_at, e.id) ` + beyond(query.Page) + ` (@after_time::timestamptz, @after_id::text)
			AND ` + only("e.state", query.States) + testsOrByID("e.test", query.Test, query.OutputIDs) + ofOutputs + between("e.created_at", query.Since, query.Until) + `
		ORDER BY e.created_at` + direction(query.Page) + `, e.id` + direction(query.Page) + `
		LIMIT @limit`
}

// countEvents reads only the index of undelivered events.
const countEvents = `
	SELECT count(*) FILTER (WHERE state = 'PENDING') AS pending,
		count(*) FILTER (WHERE state = 'FAILED') AS failed,
		count(*) FILTER (WHERE state = 'HELD') AS held
	FROM events
	WHERE workflow_id = @workflow_id AND state IN ('PENDING', 'FAILED', 'HELD') AND NOT test AND created_at >= @since`

// WorkflowEvent returns one event of one of the caller's workflows with its
// attempts; KindNotFound with code "event_not_found" for one that the workflow
// does not have.
func (s *Events) WorkflowEvent(ctx context.Context, caller platen.User, workflowID, eventID string) (platen.Event, []platen.Delivery, error) {
	if err := authorize(ctx, s.db.pool, caller, workflowID); err != nil {
		return platen.Event{}, nil, fmt.Errorf("read event %s: %w", eventID, err)
	}
	type row struct {
		eventRow
		DataKey []byte `db:"data_key"`
	}
	r, ok, err := CollectOne[row](ctx, s.db.pool, `
		SELECT `+eventDetail+`, a.data_key
		FROM events e
		JOIN automations a ON a.id = e.automation_id
		WHERE e.id = @id AND e.workflow_id = @workflow_id`,
		pgx.NamedArgs{"id": eventID, "workflow_id": workflowID})
	if err == nil && !ok {
		err = platen.ErrEventNotFound()
	}
	if err != nil {
		return platen.Event{}, nil, fmt.Errorf("read event %s: %w", eventID, err)
	}
	e, key, err := s.db.openEvent(r.eventRow, r.DataKey)
	if err != nil {
		return platen.Event{}, nil, fmt.Errorf("read event %s: %w", eventID, err)
	}
	deliveries, err := loadDeliveries(ctx, s.db.pool, eventID, key)
	return e, deliveries, err
}

// CountEvents counts the events of one of the caller's workflows that were created at or
// after since and are not delivered.
func (s *Events) CountEvents(ctx context.Context, caller platen.User, workflowID string, since time.Time) (platen.EventCounts, error) {
	type row struct {
		Pending int `db:"pending"`
		Failed  int `db:"failed"`
		Held    int `db:"held"`
	}
	err := authorize(ctx, s.db.pool, caller, workflowID)
	var counted row
	if err == nil {
		counted, _, err = CollectOne[row](ctx, s.db.pool, countEvents,
			pgx.NamedArgs{"workflow_id": workflowID, "since": since})
	}
	if err != nil {
		return platen.EventCounts{}, fmt.Errorf("count events of workflow %s: %w", workflowID, err)
	}
	return platen.EventCounts(counted), nil
}

// RedeliverEvent makes an event in any state PENDING, and starts its delivery from the
// first attempt: same id, same bytes. Deliveries that are under way end. A workflow
// without an outgoing webhook is KindNotFound with code "outgoing_webhook_not_found";
// it may be archived.
func (s *Events) RedeliverEvent(ctx context.Context, caller platen.User, workflowID, eventID string) error {
	test := func(ctx context.Context, q Querier) (bool, error) { return isTestEvent(ctx, q, workflowID, eventID) }
	err := s.changeDeliveries(ctx, caller, workflowID, test, func(tx pgx.Tx) error {
		if err := refuseErased(ctx, tx, workflowID, eventID); err != nil {
			return err
		}
		n, err := redeliver(ctx, tx, `
			SELECT id, state
			FROM events
			WHERE id = @id AND workflow_id = @workflow_id
			FOR NO KEY UPDATE`, pgx.NamedArgs{"id": eventID, "workflow_id": workflowID})
		if err == nil && n.Events == 0 {
			err = platen.ErrEventNotFound()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("redeliver event %s: %w", eventID, err)
	}
	return nil
}

// refuseErased answers platen.ErrDataErased for an event without a payload, and keeps
// its automation from being erased meanwhile. The event of a batch stays.
func refuseErased(ctx context.Context, tx pgx.Tx, workflowID, eventID string) error {
	type row struct {
		ErasedAt *time.Time `db:"erased_at"`
	}
	r, _, err := CollectOne[row](ctx, tx, `
		SELECT coalesce(a.erase_requested_at, a.data_erased_at) AS erased_at
		FROM events e
		JOIN automations a ON a.id = e.automation_id
		WHERE e.id = @id AND e.workflow_id = @workflow_id AND e.batch_id IS NULL
		FOR SHARE OF a`, pgx.NamedArgs{"id": eventID, "workflow_id": workflowID})
	if err == nil && r.ErasedAt != nil {
		return platen.ErrDataErased("the payload of event "+eventID, *r.ErasedAt)
	}
	return err
}

// recoveredApart keeps many events that are recovered from coming at once: the
// receiver was down, and other tenants have outbox commands, too.
const recoveredApart = 50 * time.Millisecond

// RecoverEvents is RedeliverEvent for the FAILED and HELD events, but those of tests, that
// were created at or after since, oldest first, at most limit; they come due 20 a
// second. Calling it again goes on with the rest.
func (s *Events) RecoverEvents(ctx context.Context, caller platen.User, workflowID string, since time.Time, limit int) (platen.Recovery, error) {
	return s.recoverEvents(ctx, caller, workflowID, since, false, limit)
}

// RecoverTestEvents is RecoverEvents for the events of tests.
func (s *Events) RecoverTestEvents(ctx context.Context, caller platen.User, workflowID string, since time.Time, limit int) (platen.Recovery, error) {
	return s.recoverEvents(ctx, caller, workflowID, since, true, limit)
}

func (s *Events) recoverEvents(ctx context.Context, caller platen.User, workflowID string, since time.Time, test bool, limit int) (platen.Recovery, error) {
	var n platen.Recovery
	known := func(context.Context, Querier) (bool, error) { return test, nil }
	err := s.changeDeliveries(ctx, caller, workflowID, known, func(tx pgx.Tx) (err error) {
		ids, err := recoverable(ctx, tx, test, pgx.NamedArgs{"workflow_id": workflowID, "since": since, "limit": limit})
		if err != nil {
			return err
		}
		n, err = redeliver(ctx, tx, `
			SELECT id, state
			FROM events
			WHERE id = ANY (@ids) AND state IN ('FAILED', 'HELD')
			ORDER BY id
			FOR NO KEY UPDATE`, pgx.NamedArgs{"ids": ids})
		return err
	})
	if err != nil {
		return platen.Recovery{}, fmt.Errorf("recover events of workflow %s: %w", workflowID, err)
	}
	return n, nil
}

// recoverable returns the ids of the events that RecoverEvents may send, and keeps their
// automations from being erased meanwhile. Erasures lock automations first, too.
func recoverable(ctx context.Context, tx pgx.Tx, test bool, args pgx.NamedArgs) ([]string, error) {
	rows, err := tx.Query(ctx, `
		SELECT e.id
		FROM events e
		JOIN automations a ON a.id = e.automation_id
		WHERE e.workflow_id = @workflow_id AND e.state IN ('FAILED', 'HELD') AND e.created_at >= @since
			AND (e.batch_id IS NOT NULL OR a.data_erased_at IS NULL AND a.erase_requested_at IS NULL)`+tests("e.test", test)+`
		ORDER BY e.created_at, e.id
		LIMIT @limit
		FOR SHARE OF a`, args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// changeDeliveries runs change for a workflow that is the caller's and has
// somewhere to send events; KindInvalid with code "endpoint_disabled" while
// nothing is sent there. ofTest says whether they go to the test receiver, of a workflow
// that is the caller's.
func (s *Events) changeDeliveries(ctx context.Context, caller platen.User, workflowID string, ofTest func(context.Context, Querier) (bool, error), change func(tx pgx.Tx) error) error {
	return s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		of := Subject{WorkflowID: workflowID}
		if err := authorize(ctx, tx, caller, workflowID); err != nil {
			return of, err
		}
		test, err := ofTest(ctx, tx)
		if err != nil {
			return of, err
		}
		key, err := findEndpoint(ctx, tx, caller, workflowID, test)
		if err != nil {
			return of, err
		}
		state, err := readEndpoint(ctx, tx, key)
		if err != nil {
			return of, err
		}
		if state.Disabled != "" {
			return of, platen.Errorf(platen.KindInvalid, "endpoint_disabled", "nothing is sent to the outgoing webhook's address: set the address, the same or another, or let a test pass first")
		}
		return of, change(tx)
	})
}

// isTestEvent tells whether an event of the workflow is a test's; one that is not there is none.
func isTestEvent(ctx context.Context, q Querier, workflowID, eventID string) (bool, error) {
	type row struct {
		Test bool `db:"test"`
	}
	r, _, err := CollectOne[row](ctx, q, `
		SELECT coalesce(test, false) AS test
		FROM events
		WHERE id = @id AND workflow_id = @workflow_id`, pgx.NamedArgs{"id": eventID, "workflow_id": workflowID})
	return r.Test, err
}

// redeliver begins to deliver again the events that chosen selects, with their states, and
// locks. An attempt may be under way while an event is PENDING: its number is
// left to it.
func redeliver(ctx context.Context, tx pgx.Tx, chosen string, args pgx.NamedArgs) (platen.Recovery, error) {
	type row struct {
		ID        string    `db:"id"`
		CreatedAt time.Time `db:"created_at"`
		Held      bool      `db:"held"`
	}
	rows, err := Collect[row](ctx, tx, `
		WITH chosen AS (`+chosen+`)
		UPDATE events e
		SET state = 'PENDING', reason = '', next_at = now(),
			attempts_before = greatest(e.attempts_before, (SELECT coalesce(max(d.attempt), 0) FROM deliveries d WHERE d.event_id = e.id))
				+ CASE e.state WHEN 'PENDING' THEN 1 ELSE 0 END
		FROM chosen c
		WHERE e.id = c.id
		RETURNING e.id, e.created_at, c.state = 'HELD' AS held`, args)
	if err != nil {
		return platen.Recovery{}, err
	}
	slices.SortFunc(rows, func(a, b row) int { return a.CreatedAt.Compare(b.CreatedAt) })
	n := platen.Recovery{Events: len(rows)}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
		if r.Held {
			n.Held++
		}
	}
	return n, enqueueCommandsApart(ctx, tx, platen.CommandDeliver, ids, recoveredApart)
}

// loadHeldReasons returns why events of automations are HELD, by automation id;
// of several reasons one.
func loadHeldReasons(ctx context.Context, q Querier, found []platen.Automation) (map[string]string, error) {
	type row struct {
		AutomationID string `db:"automation_id"`
		Reason       string `db:"reason"`
	}
	if len(found) == 0 {
		return nil, nil
	}
	workflows, ids := make([]string, len(found)), make([]string, len(found))
	for i, a := range found {
		workflows[i], ids[i] = a.WorkflowID, a.ID
	}
	rows, err := Collect[row](ctx, q, `
		SELECT automation_id, min(reason) AS reason
		FROM events
		WHERE state = 'HELD' AND workflow_id = ANY (@workflows) AND automation_id = ANY (@ids) AND batch_id IS NULL
		GROUP BY automation_id`, pgx.NamedArgs{"workflows": workflows, "ids": ids})
	if err != nil {
		return nil, err
	}
	held := make(map[string]string, len(rows))
	for _, r := range rows {
		held[r.AutomationID] = r.Reason
	}
	return held, nil
}
