package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Expiring is where automations lie whose time may be over.
type Expiring interface {
	// EraseExpiredData erases the source data of up to limit automations that ended
	// longer than age ago, the payloads of their events and receivers' answers.
	EraseExpiredData(ctx context.Context, age time.Duration, limit int) (platen.ErasedData, error)
	// EraseExpiredOutputs asks for the erasure of up to limit of those whose data is
	// gone, and returns how many these are.
	EraseExpiredOutputs(ctx context.Context, age time.Duration, limit int) (int, error)
}

// Ages are how long things are kept after an automation ended; 0: for ever.
type Ages struct {
	Data    time.Duration // source data, payloads of events, receivers' answers
	Outputs time.Duration // outputs with their files, and events
}

// expiredAtOnce is a statement of some tens of milliseconds.
const expiredAtOnce = 500

// Retain erases, in small batches, what was kept for long enough.
func Retain(store Expiring, ages Ages) Job {
	return Job{Name: "retention", Every: 15 * time.Minute, Do: func(ctx context.Context, log *slog.Logger) error {
		if ages.Data > 0 {
			var all platen.ErasedData
			_, err := inBatches(ctx, func() (int, error) {
				erased, err := store.EraseExpiredData(ctx, ages.Data, expiredAtOnce)
				all.Add(erased)
				return erased.Automations, err
			})
			if all.Automations > 0 {
				log.Info("expired data erased", "automations", all.Automations, "payloads", all.Events, "answers", all.Answers, "age", ages.Data)
			}
			if err != nil {
				return err
			}
		}
		if ages.Outputs > 0 {
			n, err := inBatches(ctx, func() (int, error) { return store.EraseExpiredOutputs(ctx, ages.Outputs, expiredAtOnce) })
			if n > 0 {
				log.Info("outputs whose time is over are to be erased", "automations", n, "age", ages.Outputs)
			}
			return err
		}
		return nil
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
