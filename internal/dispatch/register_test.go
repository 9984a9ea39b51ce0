package dispatch_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/dispatch"
)

// A registry notes what workers say of themselves. Others came after a minute.
type registry struct {
	queue
	begun time.Time

	mu   sync.Mutex
	said []string
}

func (r *registry) Register(_ context.Context, worker string, carries int) error {
	return r.note(fmt.Sprintf("%s carries %d after %v", worker, carries, time.Since(r.begun)))
}

func (r *registry) Unregister(_ context.Context, worker string) error {
	return r.note(fmt.Sprintf("%s leaves after %v", worker, time.Since(r.begun)))
}

func (r *registry) note(what string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, what)
	return nil
}

func (r *registry) Claim(_ context.Context, _ int, by platen.Claimer, _ time.Duration) ([]platen.Automation, platen.Occupancy, error) {
	others := platen.Others{}
	if time.Since(r.begun) > 3*time.Second {
		others = platen.Others{Workers: 2, Carried: 24}
	}
	return nil, by.Occupancy(0, 0, others), nil
}

func TestAWorkerSaysThatItIsThereAndWhenItLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var log bytes.Buffer
		r := &registry{begun: time.Now()}
		d := dispatch.New(dispatch.Options{Queue: r, Running: r, Starter: starter{}, Workers: r, Worker: "wrk_1", Carries: 12, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err := d.Run(ctx); err != nil {
			t.Fatal(err)
		}
		want := []string{"wrk_1 carries 12 after 0s", "wrk_1 carries 12 after 2s", "wrk_1 carries 12 after 4s", "wrk_1 leaves after 5s"}
		if !slices.Equal(r.said, want) {
			t.Errorf("got %q, want %q", r.said, want)
		}
		for _, want := range []string{"worker=wrk_1 carries=12", "workers=1 carried=12 before=0", "workers=3 carried=36 before=12"} {
			if strings.Count(log.String(), want) != 1 {
				t.Errorf("the log: got %s, want %s once in it", log.String(), want)
			}
		}
	})
}
