package run

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

const (
	listenCheck    = time.Minute // how often a silent connection is asked whether it still lives
	reconnectFirst = 100 * time.Millisecond
	reconnectMax   = 10 * time.Second
)

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
	conn, err := pgx.ConnectConfig(ctx, s.db.Pool().Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("connect: %w", postgres.Classify(err))
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, `LISTEN `+postgres.Channel); err != nil {
		return fmt.Errorf("listen: %w", postgres.Classify(err))
	}
	wake(platen.Waking{Ordered: true})
	for {
		waiting, cancel := context.WithTimeout(ctx, listenCheck)
		notification, err := conn.WaitForNotification(waiting)
		cancel()
		switch {
		case err == nil:
			wake(platen.Waking{Crowded: notification.Payload == postgres.CrowdedPayload, Ordered: notification.Payload == postgres.OrderedPayload})
		case ctx.Err() != nil:
			return nil
		case pgconn.Timeout(err):
			if err := conn.Ping(ctx); err != nil {
				return fmt.Errorf("check a silent connection: %w", postgres.Classify(err))
			}
		default:
			return fmt.Errorf("wait for a notification: %w", postgres.Classify(err))
		}
	}
}
