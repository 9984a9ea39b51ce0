package maintenance

import (
	"context"
	"log/slog"
	"time"
)

// DataStore is where data of automations is encrypted.
type DataStore interface {
	// NoteWorkers looks whether workers of the previous release are there, which do not
	// read encrypted data.
	NoteWorkers(ctx context.Context) error
}

// NoteWorkers has this process know within seconds whether what it accepts may be
// encrypted.
func NoteWorkers(store DataStore) Job {
	return Job{Name: "release check", Every: 5 * time.Second, Do: func(ctx context.Context, _ *slog.Logger) error {
		return store.NoteWorkers(ctx)
	}}
}

// UnsealedData is where data lies that an earlier release stored as it was.
type UnsealedData interface {
	// SealData encrypts that of up to limit automations and returns how many there were.
	SealData(ctx context.Context, limit int) (int, error)
}

// sealedAtOnce is a transaction of some tens of milliseconds.
const sealedAtOnce = 200

// SealData encrypts, in small batches, what an earlier release stored as it was.
func SealData(store DataStore, data UnsealedData) Job {
	return Job{Name: "data sealing", Every: 15 * time.Minute, Do: func(ctx context.Context, log *slog.Logger) error {
		if err := store.NoteWorkers(ctx); err != nil {
			return err
		}
		n, err := inBatches(ctx, func() (int, error) { return data.SealData(ctx, sealedAtOnce) })
		if n > 0 {
			log.Info("data that an earlier release stored was encrypted", "automations", n)
		}
		return err
	}}
}

// rests is how many times as long as a batch took it rests after it: a tenth of one
// connection's time leaves the others what they had, and is enough for 100 million
// rows a day (`make bench ARGS="--only retention"`).
const rests = 9

// inBatches repeats a batch until one does nothing, and rests after each. It returns
// how many all of them did.
func inBatches(ctx context.Context, batch func() (int, error)) (all int, err error) {
	for {
		began := time.Now()
		n, err := batch()
		all += n
		if err != nil || n == 0 {
			return all, err
		}
		select {
		case <-ctx.Done():
			return all, ctx.Err()
		case <-time.After(rests * time.Since(began)):
		}
	}
}
