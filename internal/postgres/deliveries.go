package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/cache"
	"github.com/platenhq/platen/internal/platen"
)

// Deliveries is the store of attempts to deliver events: what a run reads and
// notes of them, and what nobody delivers. How events are shown and begun again
// is Events.
type Deliveries struct {
	db *DB
	// keys are those of events whose attempts are under way, by the event's id.
	keys *cache.Cache[DataKey]
}

// maxRecentKeys bounds the keys that Deliveries keeps in memory, in bytes.
const maxRecentKeys = 2 << 20

func newDeliveries(db *DB) *Deliveries {
	return &Deliveries{db: db, keys: cache.New(maxRecentKeys, func(DataKey) int { return keyInMemory })}
}

// Event returns the event and the endpoint that is configured now, nil when
// there is none any more. That of a test is the workflow's test receiver, unless its
// address has become that of the outgoing webhook or of a receiver: then there is none.
func (s *Deliveries) Event(ctx context.Context, eventID string) (platen.Event, *platen.Endpoint, error) {
	type row struct {
		eventRow
		WebhookID      *string    `db:"webhook_id"`
		URL            *string    `db:"url"`
		Secret         []byte     `db:"secret"`
		PreviousSecret []byte     `db:"previous_secret"`
		PreviousUntil  *time.Time `db:"previous_until"`
		OwnerID        string     `db:"owner_id"`
		Led            int        `db:"hops"`
		DataKey        []byte     `db:"data_key"`
		AcceptedAt     time.Time  `db:"accepted_at"`
	}
	r, ok, err := CollectOne[row](ctx, s.db.pool, `
		SELECT `+eventColumns+`, o.id AS webhook_id, o.url, o.secret, o.previous_secret, o.previous_until, w.owner_id, a.hops, a.data_key, a.accepted_at
		FROM events e
		JOIN automations a ON a.id = e.automation_id
		JOIN workflows w ON w.id = e.workflow_id
		LEFT JOIN `+allReceivers+` o ON o.workflow_id = e.workflow_id AND o.test = e.test AND o.receiver_id = e.receiver_id
		WHERE e.id = @id`, pgx.NamedArgs{"id": eventID})
	if err == nil && !ok {
		err = ErrEventNotFound(eventID)
	}
	if err != nil {
		return platen.Event{}, nil, fmt.Errorf("read event %s: %w", eventID, err)
	}
	e, key, err := s.db.openEvent(r.eventRow, r.DataKey)
	if err != nil {
		return platen.Event{}, nil, fmt.Errorf("read event %s: %w", eventID, err)
	}
	if len(e.Payload) == 0 && e.State == platen.EventPending {
		e.State = platen.EventFailed // erased while it was asked for: there is nothing to send
	}
	s.keys.Put(eventID, key)
	e.Hops, e.AcceptedAt = r.Led, r.AcceptedAt
	if r.WebhookID == nil {
		return e, nil, nil
	}
	o, err := webhookRow{of: destination{e.Test, e.ReceiverID}.receivers(), ID: *r.WebhookID, URL: *r.URL, Secret: r.Secret, PreviousSecret: r.PreviousSecret, PreviousUntil: r.PreviousUntil}.webhook(s.db.vault)
	if err != nil {
		return platen.Event{}, nil, fmt.Errorf("read endpoint of event %s: %w", eventID, err)
	}
	endpoint := o.Endpoint(time.Now())
	endpoint.OwnerID = r.OwnerID
	return e, &endpoint, nil
}

// ReceiverEvents returns the events of an output and an attempt for further receivers that are
// still to be delivered, by their ids.
func (s *Deliveries) ReceiverEvents(ctx context.Context, outputID string, attempt int) ([]string, error) {
	ids, err := collectIDs(ctx, s.db.pool, `
		SELECT id
		FROM events
		WHERE output_id = @output_id AND attempt = @attempt AND receiver_id <> '' AND state = 'PENDING'
		ORDER BY id`, pgx.NamedArgs{"output_id": outputID, "attempt": attempt})
	if err != nil {
		return nil, fmt.Errorf("list events of output %s for receivers: %w", outputID, err)
	}
	return ids, nil
}

// RecordDelivery stores an attempt and the event's state after it. An attempt
// that was recorded before stays as it was, but for a failure that a repeat of
// the same attempt made good. A delivered event stays delivered, and an attempt
// of deliveries that were redelivered since changes no state any more.
//
// next is how long it is until the next attempt of an event that stays PENDING.
func (s *Deliveries) RecordDelivery(ctx context.Context, d platen.Delivery, state platen.EventState, next time.Duration) error {
	answer, err := s.sealAnswer(ctx, d)
	if err != nil {
		return fmt.Errorf("record attempt %d of event %s: %w", d.Attempt, d.EventID, err)
	}
	type row struct {
		Known bool `db:"known"`
	}
	r, _, err := CollectOne[row](ctx, s.db.pool, `
		WITH event AS (
			UPDATE events
			SET state = CASE WHEN state = 'DELIVERED' OR attempts_before >= @attempt THEN state ELSE @state END,
				reason = CASE WHEN state = 'HELD' AND attempts_before < @attempt THEN '' ELSE reason END,
				next_at = CASE WHEN attempts_before >= @attempt THEN next_at WHEN @state = 'PENDING' THEN now() + @next::interval END
			WHERE id = @event_id
			RETURNING id, automation_id
		), attempt AS (
			INSERT INTO deliveries (event_id, attempt, at, duration, status, failure, answer, retry_after)
			SELECT e.id, @attempt, @at, @duration, @status, @failure,
				CASE WHEN a.data_erased_at IS NULL THEN @answer::bytea END, @retry_after
			FROM event e
			JOIN automations a ON a.id = e.automation_id
			ON CONFLICT (event_id, attempt) DO UPDATE
			SET at = excluded.at, duration = excluded.duration, status = excluded.status,
				failure = excluded.failure, answer = excluded.answer, retry_after = excluded.retry_after
			WHERE deliveries.failure <> '' AND excluded.failure = ''
		)
		SELECT EXISTS (SELECT FROM event) AS known`,
		pgx.NamedArgs{
			"event_id": d.EventID, "state": state, "next": next, "attempt": d.Attempt, "at": d.At, "duration": d.Duration, "status": d.Status,
			"failure": CleanText(d.Failure), "answer": answer, "retry_after": d.RetryAfter,
		})
	if err == nil && !r.Known {
		err = ErrEventNotFound(d.EventID)
	}
	if err != nil {
		return fmt.Errorf("record attempt %d of event %s: %w", d.Attempt, d.EventID, err)
	}
	return nil
}

// sealAnswer returns a receiver's answer as it is stored, encrypted; null: it said nothing,
// or the event's data was erased.
func (s *Deliveries) sealAnswer(ctx context.Context, d platen.Delivery) (answer []byte, err error) {
	text := CleanText(d.Answer)
	if text == "" {
		return nil, nil
	}
	key, ok := s.keys.Get(d.EventID)
	if !ok {
		if key, err = s.keyOf(ctx, d.EventID); err != nil {
			return nil, err
		}
	}
	if key.aead == nil {
		return nil, nil
	}
	return key.Seal([]byte(text), deliveryAnswer), nil
}

// keyOf reads the key of an event: the zero key where there is no event, or its data was
// erased.
func (s *Deliveries) keyOf(ctx context.Context, eventID string) (DataKey, error) {
	type row struct {
		AutomationID string `db:"id"`
		DataKey      []byte `db:"data_key"`
	}
	r, ok, err := CollectOne[row](ctx, s.db.pool, `
		SELECT a.id, a.data_key
		FROM events e
		JOIN automations a ON a.id = e.automation_id
		WHERE e.id = @id`, pgx.NamedArgs{"id": eventID})
	if err != nil || !ok {
		return DataKey{}, err
	}
	return s.db.vault.OpenDataKey(r.DataKey, r.AutomationID)
}

// HoldEvent makes a PENDING event HELD for a reason, unless deliveries of it
// were redelivered since the attempt was due.
func (s *Deliveries) HoldEvent(ctx context.Context, eventID string, attempt int, reason string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE events
		SET state = 'HELD', reason = @reason
		WHERE id = @id AND state = 'PENDING' AND attempts_before < @attempt`,
		pgx.NamedArgs{"id": eventID, "attempt": attempt, "reason": reason})
	if err != nil {
		return fmt.Errorf("hold event %s: %w", eventID, err)
	}
	return nil
}

// loadDeliveries returns the last platen.MaxList attempts of an event in their
// order.
func loadDeliveries(ctx context.Context, q Querier, eventID string, key DataKey) ([]platen.Delivery, error) {
	type row struct {
		EventID    string        `db:"event_id"`
		Attempt    int           `db:"attempt"`
		At         time.Time     `db:"at"`
		Duration   time.Duration `db:"duration"`
		Status     int           `db:"status"`
		Failure    string        `db:"failure"`
		Answer     []byte        `db:"answer"`
		RetryAfter time.Duration `db:"retry_after"`
	}
	rows, err := Collect[row](ctx, q, `
		SELECT event_id, attempt, at, duration, status, failure, answer, retry_after
		FROM deliveries
		WHERE event_id = @event_id
		ORDER BY attempt DESC
		LIMIT @limit`, pgx.NamedArgs{"event_id": eventID, "limit": platen.MaxList})
	if err != nil {
		return nil, fmt.Errorf("list deliveries of event %s: %w", eventID, err)
	}
	deliveries := make([]platen.Delivery, len(rows))
	for i, r := range rows {
		if key.aead == nil {
			r.Answer = nil // recorded while it was erased: its key is gone
		}
		answer, err := key.Open(r.Answer, deliveryAnswer)
		if err != nil {
			return nil, fmt.Errorf("read deliveries of event %s: %w", eventID, err)
		}
		deliveries[i] = platen.Delivery{
			EventID: r.EventID, Attempt: r.Attempt, At: r.At.UTC(), Duration: r.Duration, Status: r.Status,
			Failure: r.Failure, Answer: string(answer), RetryAfter: r.RetryAfter,
		}
	}
	slices.Reverse(deliveries)
	return deliveries, nil
}

// ClaimOverdueEvents returns up to limit PENDING events whose next attempt was
// due longer than age ago, the longest first. An event that waits as an outbox
// command is not among them. Each is the caller's until lease, at most age, has
// passed; then it is returned again, unless MarkEventsUnderWay, DeliverOverdue
// or an attempt came before.
func (s *Deliveries) ClaimOverdueEvents(ctx context.Context, age, lease time.Duration, limit int) ([]platen.OverdueEvent, error) {
	type row struct {
		ID       string `db:"id"`
		Attempt  int    `db:"attempt"`
		RunEnded bool   `db:"run_ended"`
	}
	rows, err := Collect[row](ctx, s.db.pool, `
		WITH due AS (
			SELECT e.id
			FROM events e
			WHERE e.state = 'PENDING' AND coalesce(e.next_at, e.created_at) < now() - @age::interval
				AND NOT EXISTS (SELECT FROM errands r WHERE r.kind = 'DELIVER' AND r.id = e.id)
			ORDER BY coalesce(e.next_at, e.created_at)
			LIMIT @limit
			FOR NO KEY UPDATE SKIP LOCKED
		)
		UPDATE events e
		SET next_at = now() - @age::interval + @lease::interval
		FROM due, automations a
		WHERE e.id = due.id AND a.id = e.automation_id
		RETURNING e.id, a.finished_at IS NOT NULL AS run_ended, 1 + greatest(e.attempts_before,
			(SELECT coalesce(max(d.attempt), 0) FROM deliveries d WHERE d.event_id = e.id)) AS attempt`,
		pgx.NamedArgs{"age": age, "lease": lease, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("claim overdue events: %w", err)
	}
	events := make([]platen.OverdueEvent, len(rows))
	for i, r := range rows {
		events[i] = platen.OverdueEvent(r)
	}
	return events, nil
}

// MarkEventsUnderWay says that overdue events are being delivered: they are not
// overdue again before another age has passed. An attempt that was recorded
// meanwhile knows better.
func (s *Deliveries) MarkEventsUnderWay(ctx context.Context, eventIDs []string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE events
		SET next_at = now()
		WHERE id = ANY (@ids) AND state = 'PENDING' AND next_at < now()`, pgx.NamedArgs{"ids": eventIDs})
	if err != nil {
		return fmt.Errorf("note that %d events are under way: %w", len(eventIDs), err)
	}
	return nil
}

// DeliverOverdue asks for the deliveries of events that nobody delivers to go
// on: with the next attempt, and with what is left of their schedule. An event
// that has ended meanwhile, or whose attempt was recorded, is left alone.
func (s *Deliveries) DeliverOverdue(ctx context.Context, eventIDs []string) error {
	type row struct {
		ID string `db:"id"`
	}
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		rows, err := Collect[row](ctx, tx, `
			UPDATE events
			SET next_at = now()
			WHERE id = ANY (@ids) AND state = 'PENDING' AND next_at < now()
			RETURNING id`, pgx.NamedArgs{"ids": eventIDs})
		if err != nil {
			return err
		}
		ids := make([]string, len(rows))
		for i, r := range rows {
			ids[i] = r.ID
		}
		return enqueueCommandsApart(ctx, tx, platen.CommandDeliver, ids, recoveredApart)
	})
	if err != nil {
		return fmt.Errorf("deliver %d overdue events: %w", len(eventIDs), err)
	}
	return nil
}
