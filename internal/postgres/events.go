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

// findEvent returns the id of the event of an output's present attempt for the outgoing webhook,
// or for the test receiver; "" when it has none.
func findEvent(ctx context.Context, tx pgx.Tx, r outputRow) (string, error) {
	type row struct {
		ID string `db:"id"`
	}
	stored, _, err := CollectOne[row](ctx, tx, `
		SELECT id
		FROM events
		WHERE output_id = @output_id AND attempt = @attempt AND receiver_id = ''`,
		pgx.NamedArgs{"output_id": r.ID, "attempt": r.Attempt})
	return stored.ID, err
}

// collectIDs runs a query for one column of text.
func collectIDs(ctx context.Context, q Querier, sql string, args pgx.NamedArgs) ([]string, error) {
	rows, err := q.Query(ctx, sql, args)
	if err != nil {
		return nil, Classify(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return ids, Classify(err)
}

// storeEvent makes and stores the events of an output that ends in this transaction: that for
// the outgoing webhook, or of a test for the test receiver, and those for further receivers. It
// returns the first, "" where there is nowhere to send it, and the others that are PENDING.
func (db *DB) storeEvent(ctx context.Context, tx pgx.Tx, r outputRow, o platen.Output, event func(platen.Output) (platen.Event, error)) (eventID string, others []string, err error) {
	receivers, err := db.Plans.receiversOf(ctx, tx, o.AutomationID)
	if err != nil {
		return "", nil, err
	}
	type row struct {
		Erased bool `db:"erased"`
		Wanted bool `db:"wanted"`
	}
	found, ok, err := CollectOne[row](ctx, tx, `
		SELECT a.erase_requested_at IS NOT NULL AS erased, EXISTS (SELECT FROM `+receiversOf(o.Test).table+` w WHERE w.workflow_id = a.workflow_id) AS wanted
		FROM automations a
		WHERE a.id = @automation_id`, pgx.NamedArgs{"automation_id": o.AutomationID})
	if err != nil || !ok || found.Erased || !found.Wanted && len(receivers) == 0 {
		return "", nil, err
	}
	of, err := db.originOf(ctx, tx, o.AutomationID)
	if err != nil {
		return "", nil, err
	}
	e, err := event(of.name(o))
	if err != nil || e.Type == "" {
		return "", nil, err
	}
	args := eventsFor(receivers, e, of.key)
	args["automation_id"], args["output_id"], args["attempt"] = o.AutomationID, o.ID, r.Attempt
	if found.Wanted {
		args["id"], args["payload"] = e.ID, of.key.Seal(e.Payload, eventPayload)
		_, err = Execute(ctx, tx, `
			INSERT INTO events (id, workflow_id, automation_id, output_id, attempt, type, payload, state, created_at, test)
			SELECT @id, a.workflow_id, a.id, @output_id, @attempt, @type, @payload, 'PENDING', @created_at, @test
			FROM automations a
			WHERE a.id = @automation_id`, args)
		if err != nil {
			return "", nil, fmt.Errorf("insert event %s: %w", e.ID, err)
		}
		eventID = e.ID
	}
	if others, err = collectIDs(ctx, tx, `
		WITH stored AS (`+insertReceiverEvents+`
			RETURNING id, state
		)
		SELECT id
		FROM stored
		WHERE state = 'PENDING'`, args); err != nil {
		return "", nil, fmt.Errorf("insert events for receivers beside %s: %w", e.ID, err)
	}
	return eventID, others, nil
}

// eventsFor are the arguments of insertReceiverEvents, but for what is of the output.
func eventsFor(receivers []platen.PlannedReceiver, e platen.Event, key DataKey) pgx.NamedArgs {
	var ids, of, states, reasons []string
	var payloads [][]byte
	for _, r := range receivers {
		own, ok := r.Event(e)
		if !ok {
			continue
		}
		ids, of, states, reasons = append(ids, own.ID), append(of, r.ID), append(states, string(own.State)), append(reasons, own.Reason)
		payloads = append(payloads, key.Seal(own.Payload, eventPayload))
	}
	return pgx.NamedArgs{"ids": ids, "receivers": of, "states": states, "reasons": reasons, "payloads": payloads, "type": e.Type, "created_at": e.CreatedAt, "test": e.Test}
}

// insertReceiverEvents inserts those events whose receivers are still there.
const insertReceiverEvents = `
			INSERT INTO events (id, workflow_id, automation_id, output_id, attempt, receiver_id, type, payload, state, reason, created_at, test)
			SELECT own.id, a.workflow_id, a.id, @output_id, @attempt, r.id, @type, own.payload, own.state, own.reason, @created_at, false
			FROM unnest(@ids::text[], @receivers::text[], @payloads::bytea[], @states::text[], @reasons::text[]) AS own (id, receiver_id, payload, state, reason)
			JOIN automations a ON a.id = @automation_id AND NOT a.test AND a.erase_requested_at IS NULL
			JOIN receivers r ON r.id = own.receiver_id AND r.workflow_id = a.workflow_id`

// eventProgress are the columns about attempts at an event that is not delivered.
const eventProgress = `CASE e.state WHEN 'PENDING' THEN e.next_at END AS next_at,
			CASE WHEN e.state <> 'DELIVERED' THEN coalesce((SELECT d.failure FROM deliveries d WHERE d.event_id = e.id ORDER BY d.attempt DESC LIMIT 1), '') ELSE '' END AS last_failure`

// The columns of eventRow; lists leave the payload out.
const (
	eventSummary = `e.id, e.workflow_id, e.automation_id, coalesce(e.output_id, '') AS output_id, coalesce(e.batch_id, '') AS batch_id, e.type, NULL::bytea AS payload, e.state, e.reason, coalesce(e.test, false) AS test, e.receiver_id, e.created_at, ` + eventProgress
	eventColumns = `e.id, e.workflow_id, e.automation_id, coalesce(e.output_id, '') AS output_id, coalesce(e.batch_id, '') AS batch_id, e.type, e.payload, e.state, e.reason, coalesce(e.test, false) AS test, e.receiver_id, e.created_at, NULL::timestamptz AS next_at, '' AS last_failure`
	eventDetail  = `e.id, e.workflow_id, e.automation_id, coalesce(e.output_id, '') AS output_id, coalesce(e.batch_id, '') AS batch_id, e.type, e.payload, e.state, e.reason, coalesce(e.test, false) AS test, e.receiver_id, e.created_at, ` + eventProgress
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
	ReceiverID   string            `db:"receiver_id"`
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
	rows, err := Collect[eventRow](ctx, s.db.pool, workflowEvents(query), boundedPageArgs(query.Page, pgx.NamedArgs{"workflow_id": workflowID, "states": query.States, "outputs": query.OutputIDs, "receivers": query.Receivers, "since": query.Since, "until": query.Until}))
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
	narrower := ""
	if len(query.OutputIDs) > 0 { // said only where it is meant, so that its index is used
		narrower = `
			AND e.output_id = ANY (@outputs::text[])`
	}
	if len(query.Receivers) > 0 {
		narrower += `
			AND e.receiver_id = ANY (@receivers::text[])`
	}
	return `
		SELECT ` + eventSummary + `
		FROM events e
		WHERE e.workflow_id = @workflow_id AND (e.created_at, e.id) ` + beyond(query.Page) + ` (@after_time::timestamptz, @after_id::text)
			AND ` + only("e.state", query.States) + testsOrByID("e.test", query.Test, query.OutputIDs) + narrower + between("e.created_at", query.Since, query.Until) + `
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
// first attempt: same id, same bytes, to the same receiver. Deliveries that are under way end. A
// workflow without an outgoing webhook is KindNotFound with code "outgoing_webhook_not_found",
// and a receiver that is gone with "receiver_not_found"; the workflow may be archived.
func (s *Events) RedeliverEvent(ctx context.Context, caller platen.User, workflowID, eventID string) error {
	err := s.changeDeliveries(ctx, caller, workflowID, func(tx pgx.Tx) error {
		to, err := destinationOf(ctx, tx, workflowID, eventID)
		if err != nil {
			return err
		}
		if err := takesEvents(ctx, tx, caller, workflowID, to); err != nil {
			return err
		}
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
// second. Calling it again goes on with the rest. What goes to an address that is disabled, or to
// a receiver that is gone, stays; where nothing can be sent, the error says why.
func (s *Events) RecoverEvents(ctx context.Context, caller platen.User, workflowID string, since time.Time, limit int) (platen.Recovery, error) {
	return s.recoverEvents(ctx, caller, workflowID, destination{}, since, limit)
}

// RecoverReceiverEvents is RecoverEvents for the events of a receiver.
func (s *Events) RecoverReceiverEvents(ctx context.Context, caller platen.User, workflowID, receiverID string, since time.Time, limit int) (platen.Recovery, error) {
	return s.recoverEvents(ctx, caller, workflowID, destination{receiverID: receiverID}, since, limit)
}

// RecoverTestEvents is RecoverEvents for the events of tests.
func (s *Events) RecoverTestEvents(ctx context.Context, caller platen.User, workflowID string, since time.Time, limit int) (platen.Recovery, error) {
	return s.recoverEvents(ctx, caller, workflowID, destination{test: true}, since, limit)
}

func (s *Events) recoverEvents(ctx context.Context, caller platen.User, workflowID string, of destination, since time.Time, limit int) (platen.Recovery, error) {
	var n platen.Recovery
	err := s.changeDeliveries(ctx, caller, workflowID, func(tx pgx.Tx) error {
		ready, err := s.readyFor(ctx, tx, caller, workflowID, of)
		if err != nil {
			return err
		}
		ids, err := recoverable(ctx, tx, of.test, pgx.NamedArgs{"workflow_id": workflowID, "receivers": ready, "since": since, "limit": limit})
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

// readyFor returns the receivers of a workflow whose events may be recovered, "" for the outgoing
// webhook or the test receiver. Where there is none, the error says why.
func (s *Events) readyFor(ctx context.Context, tx pgx.Tx, caller platen.User, workflowID string, of destination) ([]string, error) {
	wanted := []string{of.receiverID}
	if !of.test && of.receiverID == "" {
		further, err := workflowReceivers(ctx, tx, s.db.vault, workflowID)
		if err != nil {
			return nil, err
		}
		for _, r := range further {
			wanted = append(wanted, r.ID)
		}
	}
	var ready []string
	var refused error
	for _, id := range wanted {
		err := takesEvents(ctx, tx, caller, workflowID, destination{test: of.test, receiverID: id})
		switch kind := platen.KindOf(err); {
		case err == nil:
			ready = append(ready, id)
		case kind != platen.KindNotFound && kind != platen.KindInvalid:
			return nil, err
		case refused == nil || kind == platen.KindInvalid:
			refused = err
		}
	}
	if len(ready) == 0 {
		return nil, refused
	}
	return ready, nil
}

// recoverable returns the ids of the events that RecoverEvents may send, and keeps their
// automations from being erased meanwhile. Erasures lock automations first, too.
func recoverable(ctx context.Context, tx pgx.Tx, test bool, args pgx.NamedArgs) ([]string, error) {
	return collectIDs(ctx, tx, `
		SELECT e.id
		FROM events e
		JOIN automations a ON a.id = e.automation_id
		WHERE e.workflow_id = @workflow_id AND e.state IN ('FAILED', 'HELD') AND e.created_at >= @since AND e.receiver_id = ANY (@receivers)
			AND (e.batch_id IS NOT NULL OR a.data_erased_at IS NULL AND a.erase_requested_at IS NULL)`+tests("e.test", test)+`
		ORDER BY e.created_at, e.id
		LIMIT @limit
		FOR SHARE OF a`, args)
}

// changeDeliveries runs change for a workflow that is the caller's.
func (s *Events) changeDeliveries(ctx context.Context, caller platen.User, workflowID string, change func(tx pgx.Tx) error) error {
	return s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		of := Subject{WorkflowID: workflowID}
		if err := authorize(ctx, tx, caller, workflowID); err != nil {
			return of, err
		}
		return of, change(tx)
	})
}

// takesEvents answers KindNotFound where events of a workflow have nowhere to go, and KindInvalid
// with code "endpoint_disabled" while nothing is sent there.
func takesEvents(ctx context.Context, tx pgx.Tx, caller platen.User, workflowID string, to destination) error {
	key, err := findEndpoint(ctx, tx, caller, workflowID, to)
	if err != nil {
		return err
	}
	state, err := readEndpoint(ctx, tx, key)
	if err == nil && state.Disabled != "" {
		err = platen.Errorf(platen.KindInvalid, "endpoint_disabled", "nothing is sent to the %s's address: set the address, the same or another, or let a test pass first", to.noun())
	}
	return err
}

// destinationOf is where an event of the workflow goes; one that is not there to the outgoing
// webhook.
func destinationOf(ctx context.Context, q Querier, workflowID, eventID string) (destination, error) {
	type row struct {
		Test       bool   `db:"test"`
		ReceiverID string `db:"receiver_id"`
	}
	r, _, err := CollectOne[row](ctx, q, `
		SELECT coalesce(test, false) AS test, receiver_id
		FROM events
		WHERE id = @id AND workflow_id = @workflow_id`, pgx.NamedArgs{"id": eventID, "workflow_id": workflowID})
	return destination{test: r.Test, receiverID: r.ReceiverID}, err
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
