package main

import (
	"context"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	runs "github.com/platenhq/platen/internal/postgres/run"
)

// places is how many runs were open at a time.
type places []occupied

type occupied struct {
	at           time.Duration
	open, parked int
}

// most returns the most that were open, and when the most were parked.
func (p places) most() (open int, parked occupied) {
	for _, o := range p {
		open = max(open, o.open)
		if o.parked > parked.parked {
			parked = o
		}
	}
	return open, parked
}

// watchPlaces looks four times a second until it is stopped.
func (i *instance) watchPlaces(ctx context.Context) (stop func() (places, error), err error) {
	db, err := postgres.Open(ctx, i.databaseURL, nil, postgres.Options{MaxConns: 1})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var seen places
	var failed error
	var watching sync.WaitGroup
	begun := time.Now()
	watching.Go(func() {
		for pause(ctx, 250*time.Millisecond) == nil {
			o, err := i.occupied(ctx, db, time.Since(begun))
			switch {
			case ctx.Err() != nil: // the question was interrupted
			case err != nil:
				failed = err
				return
			default:
				seen = append(seen, o)
			}
		}
	})
	return func() (places, error) {
		cancel()
		watching.Wait()
		db.Close()
		return seen, failed
	}, nil
}

func (i *instance) occupied(ctx context.Context, db *postgres.DB, at time.Duration) (occupied, error) {
	_, seen, err := runs.New(db).Queue.Claim(ctx, 0, platen.Claimer{}, 0)
	if err != nil {
		return occupied{}, err
	}
	var begun int
	err = i.pool.QueryRow(ctx, `
		SELECT count(*)
		FROM automations
		WHERE (state = 'RUNNING' OR leased_until IS NOT NULL) AND started_at IS NOT NULL AND finished_at IS NULL`).Scan(&begun)
	return occupied{at: at, open: seen.Open, parked: max(0, begun-seen.Open)}, err
}
