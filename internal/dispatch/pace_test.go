package dispatch_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
)

// Within synctest no time passes for a loop that does not wait.
func TestWhileStartsTakeLongTheDispatcherWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waiting, started := many(8), make(chan string, 8)
		q := queue{claim: func(context.Context) ([]platen.Automation, error) {
			claimed := waiting[:min(4, len(waiting))]
			waiting = waiting[len(claimed):]
			return claimed, nil
		}}
		slowly(t, q, dispatch.Options{Concurrency: 4, Starter: starter{start: func(_ context.Context, a platen.Automation) error {
			time.Sleep(3 * time.Second)
			started <- a.ID
			return nil
		}}}, 1)
		if len(started) != 8 {
			t.Errorf("%d of 8 are started within a minute", len(started))
		}
	})
}

// backlog has outbox commands that are due.
type backlog struct {
	receiver
	due  int
	last time.Time // when the last ones were claimed
}

func (b *backlog) ClaimCommands(_ context.Context, limit int, _ time.Duration) ([]platen.OutboxCommand, error) {
	claimed := make([]platen.OutboxCommand, min(limit, b.due))
	for i := range claimed {
		claimed[i] = platen.OutboxCommand{Kind: platen.CommandDeliver, ID: fmt.Sprintf("evt_%d", b.due-i)}
	}
	if b.due -= len(claimed); len(claimed) > 0 {
		b.last = time.Now()
	}
	return claimed, nil
}

func TestABacklogOfOutboxCommandsIsPassedOnWithoutAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, began := &backlog{due: 24}, time.Now()
		slowly(t, queue{}, dispatch.Options{Outbox: b, Runs: b, Starter: starter{}}, 1)
		if took := b.last.Sub(began); took != 0 || len(b.delivered) != 24 {
			t.Errorf("%d of 24 are passed on, the last ones after %v; want all at once", len(b.delivered), took)
		}
	})
}
