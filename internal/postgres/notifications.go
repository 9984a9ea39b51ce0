package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/platenhq/platen/internal/platen"
)

// The channel that says: something may wait in the queue.
const channel = "platen_automations"

// What a notification says when events come in faster than they can be stored
// one by one.
const CrowdedPayload = "crowded"

// OrderedPayload is what a notification says when automations wait for their places in an
// order, see Order.
const OrderedPayload = "ordered"

const (
	listenCheck    = time.Minute // how often a silent connection is asked whether it still lives
	reconnectFirst = 100 * time.Millisecond
	reconnectMax   = 10 * time.Second
)

// Notify wakes all listeners. Outside a transaction it costs no write. It is kept out
// of the transactions that accept events: Postgres lets commits that notify pass one at
// a time, the wait for the disk included.
func Notify(ctx context.Context, q Querier, payload string) error {
	_, err := Execute(ctx, q, `SELECT pg_notify(@channel, @payload)`, pgx.NamedArgs{"channel": channel, "payload": payload})
	return err
}

// Listen calls wake whenever automations were accepted, until ctx ends, on a
// connection of its own that it opens again with backoff when it breaks;
// it says whether they came faster than they could be stored one by one, and whether the keys
// of some are to be worked out. It also calls wake after each connect, for what it may have missed. Notifications
// can get lost: poll as well. The error is always nil once ctx has ended.
func (s *Queue) Listen(ctx context.Context, wake func(platen.Waking)) error {
	delay := reconnectFirst
	for ctx.Err() == nil {
		connected := time.Now()
		_ = s.listenOnce(ctx, wake) // the poll beside it reports a database that is away
		if time.Since(connected) > listenCheck {
			delay = reconnectFirst
		}
		select {
		case <-ctx.Done():
		case <-time.After(delay):
			delay = min(2*delay, reconnectMax)
		}
	}
	return nil
}

func (s *Queue) listenOnce(ctx context.Context, wake func(platen.Waking)) error {
	conn, err := pgx.ConnectConfig(ctx, s.db.pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("connect: %w", Classify(err))
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		return fmt.Errorf("listen: %w", Classify(err))
	}
	wake(platen.Waking{Ordered: true})
	for {
		waiting, cancel := context.WithTimeout(ctx, listenCheck)
		notification, err := conn.WaitForNotification(waiting)
		cancel()
		switch {
		case err == nil:
			wake(platen.Waking{Crowded: notification.Payload == CrowdedPayload, Ordered: notification.Payload == OrderedPayload})
		case ctx.Err() != nil:
			return nil
		case pgconn.Timeout(err):
			if err := conn.Ping(ctx); err != nil {
				return fmt.Errorf("check a silent connection: %w", Classify(err))
			}
		default:
			return fmt.Errorf("wait for a notification: %w", Classify(err))
		}
	}
}
