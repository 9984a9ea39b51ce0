package ends

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen/internal/admission"
)

// A table says which automations have ended, and counts the looks at it.
type table struct {
	mu    sync.Mutex
	ended map[string]bool
	looks int
	most  int // ids of one look
	err   error
}

func (t *table) find(_ context.Context, ids []string) ([]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.looks++
	t.most = max(t.most, len(ids))
	var found []string
	for _, id := range ids {
		if t.ended[id] {
			found = append(found, id)
		}
	}
	return found, t.err
}

func (t *table) end(ids ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range ids {
		t.ended[id] = true
	}
}

func (t *table) seen() (looks, most int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.looks, t.most
}

func TestAThousandWhoWaitCostOneStatementAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rows := &table{ended: map[string]bool{}}
		e := New(rows.find, Options{})
		begun := time.Now()
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() {
				// Ten of them wait for the same.
				if ended, kept := e.Wait(t.Context(), "key", fmt.Sprint("aut_", i/10), 30*time.Second); !ended || !kept {
					t.Errorf("%d: ended %v, kept %v", i, ended, kept)
				}
			})
		}
		time.Sleep(10 * time.Second)
		for i := range 100 {
			rows.end(fmt.Sprint("aut_", i))
		}
		all.Wait()
		if took := time.Since(begun); took > 10*time.Second+2*defaultPause {
			t.Errorf("they were told after %v", took)
		}
		looks, most := rows.seen()
		if looks > 410 || most != 100 {
			t.Errorf("got %d looks for %d automations at most, want 40 a second for all 100 together", looks, most)
		}
		time.Sleep(time.Minute)
		if later, _ := rows.seen(); later > looks+1 {
			t.Errorf("got %d looks while nobody waited", later-looks)
		}
	})
}

func TestAWaitEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rows := &table{ended: map[string]bool{}, err: errors.New("the database is away")}
		stops := make(chan struct{})
		e := New(rows.find, Options{Done: stops, Places: admission.Places{Total: 2, PerKey: 1}})
		wait := func(ctx context.Context, key string, most time.Duration) string {
			begun := time.Now()
			ended, kept := e.Wait(ctx, key, "aut_1", most)
			return fmt.Sprint(ended, " ", kept, " ", time.Since(begun))
		}
		is := func(what, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s: got %s, want %s", what, got, want)
			}
		}
		is("no time", wait(t.Context(), "a", 0), "false true 0s")
		is("an automation that goes on", wait(t.Context(), "a", 5*time.Second), "false true 5s")
		leaves, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		is("a client that leaves", wait(leaves, "a", 5*time.Second), "false false 1s")

		stopped := make(chan string)
		go func() { stopped <- wait(t.Context(), "a", time.Minute) }()
		synctest.Wait()
		is("one more of the same key", wait(t.Context(), "a", time.Minute), "false false 0s")
		time.Sleep(2 * time.Second)
		close(stops)
		is("a program that stops", <-stopped, "false false 2s")
		if e.mu.Lock(); len(e.waiting) > 0 {
			t.Errorf("somebody still waits: %v", e.waiting)
		}
		e.mu.Unlock()
		time.Sleep(2 * maxPause) // its last look ends
	})
}
