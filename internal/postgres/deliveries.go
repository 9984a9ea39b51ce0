package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// eventOf returns the id of the event of an output's present attempt, "" when
// it has none.
func eventOf(ctx context.Context, tx pgx.Tx, r outputRow) (string, error) {
	type row struct {
		ID string `db:"id"`
	}
	stored, _, err := collectOne[row](ctx, tx, `
		SELECT id
		FROM events
		WHERE output_id = @output_id AND attempt = @attempt`,
		pgx.NamedArgs{"output_id": r.ID, "attempt": r.Attempt})
	return stored.ID, err
}

// storeEvent makes and stores the event of an output that ends in this
// transaction, if there is somewhere to send it.
func storeEvent(ctx context.Context, tx pgx.Tx, r outputRow, o platen.Output, event func(platen.Output) (platen.Event, error)) (string, error) {
	type row struct {
		WorkflowID string `db:"workflow_id"`
	}
	wanted, ok, err := collectOne[row](ctx, tx, `
		SELECT w.workflow_id
		FROM automations a
		JOIN outgoing_webhooks w ON w.workflow_id = a.workflow_id
		WHERE a.id = @automation_id`, pgx.NamedArgs{"automation_id": o.AutomationID})
	if err != nil || !ok {
		return "", err
	}
	e, err := event(o)
	if err != nil || e.Type == "" {
		return "", err
	}
	_, err = execute(ctx, tx, `
		INSERT INTO events (id, workflow_id, automation_id, output_id, attempt, type, payload, state, created_at)
		VALUES (@id, @workflow_id, @automation_id, @output_id, @attempt, @type, @payload, 'PENDING', @created_at)`,
		pgx.NamedArgs{
			"id": e.ID, "workflow_id": wanted.WorkflowID, "automation_id": o.AutomationID, "output_id": o.ID,
			"attempt": r.Attempt, "type": e.Type, "payload": e.Payload, "created_at": e.CreatedAt,
		})
	if err != nil {
		return "", fmt.Errorf("insert event %s: %w", e.ID, err)
	}
	return e.ID, nil
}

// The columns of eventRow; lists leave the payload out.
const (
	eventSummary = `e.id, e.workflow_id, e.automation_id, e.output_id, e.type, NULL::bytea AS payload, e.state, e.reason, e.created_at`
	eventColumns = `e.id, e.workflow_id, e.automation_id, e.output_id, e.type, e.payload, e.state, e.reason, e.created_at`
)

type eventRow struct {
	ID           string            `db:"id"`
	WorkflowID   string            `db:"workflow_id"`
	AutomationID string            `db:"automation_id"`
	OutputID     string            `db:"output_id"`
	Type         string            `db:"type"`
	Payload      []byte            `db:"payload"`
	State        platen.EventState `db:"state"`
	Reason       string            `db:"reason"`
	CreatedAt    time.Time         `db:"created_at"`
	Hops         int               `db:"-"` // of its automation
}

func (r eventRow) event() platen.Event {
	e := platen.Event(r)
	e.CreatedAt = r.CreatedAt.UTC()
	return e
}

// Event returns the event and the endpoint that is configured now, nil when
// there is none any more.
func (s *Store) Event(ctx context.Context, eventID string) (platen.Event, *platen.Endpoint, error) {
	type row struct {
		eventRow
		WebhookID      *string    `db:"webhook_id"`
		URL            *string    `db:"url"`
		Secret         []byte     `db:"secret"`
		PreviousSecret []byte     `db:"previous_secret"`
		PreviousUntil  *time.Time `db:"previous_until"`
		OwnerID        string     `db:"owner_id"`
		Led            int        `db:"hops"`
	}
	r, ok, err := collectOne[row](ctx, s.pool, `
		SELECT `+eventColumns+`, o.id AS webhook_id, o.url, o.secret, o.previous_secret, o.previous_until, w.owner_id, a.hops
		FROM events e
		JOIN automations a ON a.id = e.automation_id
		JOIN workflows w ON w.id = e.workflow_id
		LEFT JOIN outgoing_webhooks o ON o.workflow_id = e.workflow_id
		WHERE e.id = @id`, pgx.NamedArgs{"id": eventID})
	if err == nil && !ok {
		err = errEventNotFound(eventID)
	}
	if err != nil {
		return platen.Event{}, nil, fmt.Errorf("read event %s: %w", eventID, err)
	}
	e := r.event()
	e.Hops = r.Led
	if r.WebhookID == nil {
		return e, nil, nil
	}
	o, err := s.webhook(webhookRow{ID: *r.WebhookID, URL: *r.URL, Secret: r.Secret, PreviousSecret: r.PreviousSecret, PreviousUntil: r.PreviousUntil})
	if err != nil {
		return platen.Event{}, nil, fmt.Errorf("read endpoint of event %s: %w", eventID, err)
	}
	endpoint := o.Endpoint(time.Now())
	endpoint.OwnerID = r.OwnerID
	return e, &endpoint, nil
}

func errEventNotFound(id string) error {
	return platen.Errorf(platen.KindNotFound, "event_not_found", "there is no event %s", id)
}

// RecordDelivery stores an attempt and the event's state after it. An attempt
// that was recorded before stays as it was, but for a failure that a repeat of
// the same attempt made good. A delivered event stays delivered, and an attempt
// of deliveries that were begun anew since changes no state any more.
//
// next is how long it is until the next attempt of an event that stays PENDING.
func (s *Store) RecordDelivery(ctx context.Context, d platen.Delivery, state platen.EventState, next time.Duration) error {
	type row struct {
		Known bool `db:"known"`
	}
	r, _, err := collectOne[row](ctx, s.pool, `
		WITH event AS (
			UPDATE events
			SET state = CASE WHEN state = 'DELIVERED' OR attempts_before >= @attempt THEN state ELSE @state END,
				reason = CASE WHEN state = 'HELD' AND attempts_before < @attempt THEN '' ELSE reason END,
				next_at = CASE WHEN attempts_before >= @attempt THEN next_at WHEN @state = 'PENDING' THEN now() + @next::interval END
			WHERE id = @event_id
			RETURNING id
		), attempt AS (
			INSERT INTO deliveries (event_id, attempt, at, duration, status, failure, answer, retry_after)
			SELECT id, @attempt, @at, @duration, @status, @failure, @answer, @retry_after
			FROM event
			ON CONFLICT (event_id, attempt) DO UPDATE
			SET at = excluded.at, duration = excluded.duration, status = excluded.status,
				failure = excluded.failure, answer = excluded.answer, retry_after = excluded.retry_after
			WHERE deliveries.failure <> '' AND excluded.failure = ''
		)
		SELECT EXISTS (SELECT FROM event) AS known`,
		pgx.NamedArgs{
			"event_id": d.EventID, "state": state, "next": next, "attempt": d.Attempt, "at": d.At, "duration": d.Duration, "status": d.Status,
			"failure": storable(d.Failure), "answer": storable(d.Answer), "retry_after": d.RetryAfter,
		})
	if err == nil && !r.Known {
		err = errEventNotFound(d.EventID)
	}
	if err != nil {
		return fmt.Errorf("record attempt %d of event %s: %w", d.Attempt, d.EventID, err)
	}
	return nil
}

// Deliveries returns the last platen.MaxList attempts of an event in their order.
func (s *Store) Deliveries(ctx context.Context, eventID string) ([]platen.Delivery, error) {
	type row struct {
		EventID    string        `db:"event_id"`
		Attempt    int           `db:"attempt"`
		At         time.Time     `db:"at"`
		Duration   time.Duration `db:"duration"`
		Status     int           `db:"status"`
		Failure    string        `db:"failure"`
		Answer     string        `db:"answer"`
		RetryAfter time.Duration `db:"retry_after"`
	}
	rows, err := collect[row](ctx, s.pool, `
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
		deliveries[i] = platen.Delivery(r)
		deliveries[i].At = r.At.UTC()
	}
	slices.Reverse(deliveries)
	return deliveries, nil
}

// storable makes what a stranger sent into text that Postgres takes.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
