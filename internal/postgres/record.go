package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// RecordOutput applies the change that ends an output and stores its event in
// the same transaction, if the workflow has an outgoing webhook now and the
// event has a type (one without is not wanted). It returns the event's id, or
// "". When the output has ended already it changes nothing and returns the id
// of the event that was stored then, or "". A change that leaves the output
// PENDING is an error.
func (s *Store) RecordOutput(ctx context.Context, outputID string, change func(*platen.Output) error, event func(platen.Output) (platen.Event, error)) (string, error) {
	eventID, done, err := s.recordAtOnce(ctx, outputID, change, event)
	if err == nil && !done {
		eventID, err = s.recordLocked(ctx, outputID, change, event)
	}
	s.outputs.Drop(outputID)
	if err != nil {
		return "", fmt.Errorf("record output %s: %w", outputID, err)
	}
	return eventID, nil
}

// recordAtOnce is RecordOutput in one statement, for a row that nobody else
// changes meanwhile; where it is not done, nothing happened.
func (s *Store) recordAtOnce(ctx context.Context, outputID string, change func(*platen.Output) error, event func(platen.Output) (platen.Event, error)) (eventID string, done bool, err error) {
	r, ok := s.outputs.Get(outputID)
	if !ok {
		if r, err = s.currentOutput(ctx, outputID); err != nil {
			return "", false, err
		}
	}
	o, changes, err := changed(r, change)
	if err != nil || !changes || o.State == platen.OutputPending {
		return "", false, nil // whatever is wrong, it is wrong with the row as it stands
	}
	e, err := event(o)
	if err != nil {
		return "", false, err
	}
	written, err := r.become(o)
	if err != nil {
		return "", false, err
	}
	args := written.args()
	args["event_id"], args["type"], args["payload"], args["event_created_at"] = e.ID, e.Type, e.Payload, e.CreatedAt
	type row struct {
		Done    bool   `db:"done"`
		EventID string `db:"event_id"`
	}
	recorded, _, err := collectOne[row](ctx, s.pool, `
		WITH written AS (`+updateOutputs+`
			RETURNING o.id, o.automation_id, o.attempt
		), stored AS (
			INSERT INTO events (id, workflow_id, automation_id, output_id, attempt, type, payload, state, created_at)
			SELECT @event_id, w.workflow_id, written.automation_id, written.id, written.attempt, @type, @payload, 'PENDING', @event_created_at
			FROM written
			JOIN automations a ON a.id = written.automation_id
			JOIN outgoing_webhooks w ON w.workflow_id = a.workflow_id
			WHERE @type <> ''
			RETURNING id
		)
		SELECT EXISTS (SELECT FROM written) AS done, coalesce((SELECT id FROM stored), '') AS event_id`, args)
	return recorded.EventID, recorded.Done, err
}

func (s *Store) recordLocked(ctx context.Context, outputID string, change func(*platen.Output) error, event func(platen.Output) (platen.Event, error)) (eventID string, err error) {
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		r, err := lockOutput(ctx, tx, outputID)
		if err != nil {
			return err
		}
		if r.ended() {
			eventID, err = eventOf(ctx, tx, r)
			return err
		}
		o, err := changeOutput(ctx, tx, r, change)
		if err != nil {
			return err
		}
		if o.State == platen.OutputPending {
			return platen.Errorf(platen.KindInternal, "output_not_ended", "the change that should end output %s left it PENDING", o.ID)
		}
		eventID, err = storeEvent(ctx, tx, r, o, event)
		return err
	})
	return eventID, err
}
