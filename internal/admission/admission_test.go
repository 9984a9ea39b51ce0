package admission

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A script has visitors, whose first letter is their key. "b1 50: c1 in" reads: b1 comes
// for 50, and then c1 is in. "b1" without an amount leaves or waits no longer, "b1 > c"
// moves to another key, "1s" goes by.
func TestWhoComesIn(t *testing.T) {
	t.Parallel()
	bytes := func() *Weighted {
		return NewWeighted(Limits{Total: 100, Share: func(string) int64 { return 60 }, Waiting: 2, Patience: time.Second})
	}
	places := func(total, perKey int, patience time.Duration) func() *Weighted {
		return func() *Weighted { return NewKeyed(Places{total, perKey, patience}).places }
	}
	for name, c := range map[string]struct {
		of     func() *Weighted
		script string
	}{
		"one key leaves room for another":       {bytes, "a1 61: a1 full; a2 60: a2 in; b1 40: b1 in"},
		"nothing is there at once":              {bytes, "a1 60: a1 in; b1 50:; c1 0: c1 in"},
		"they come in by their order":           {bytes, "a1 60: a1 in; b1 40: b1 in; c1 50:; d1 50:; a1: c1 in; b1: d1 in"},
		"several come in at once":               {bytes, "a1 60: a1 in; b1 50:; c1 50:; a1: b1 in, c1 in"},
		"too many do not wait":                  {bytes, "a1 60: a1 in; b1 50:; c1 50:; d1 1: d1 full"},
		"nobody passes one for common room":     {bytes, "a1 60: a1 in; b1 50:; 500ms:; c1 30:; 499999999ns:; 1ns: b1 full, c1 in"},
		"one with a used up share is passed":    {bytes, "a1 60: a1 in; a2 10:; b1 40: b1 in; a1: a2 in"},
		"one who gives up lets others in":       {bytes, "a1 60: a1 in; b1 50:; c1 40:; b1: b1 gone, c1 in"},
		"one that moves lets others in":         {bytes, "a1 60: a1 in; a2 20:; a1 > b: a2 in; b1 1:; b2 1:; a1: b1 in, b2 in"},
		"one that moves may exceed a share":     {bytes, "a1 40: a1 in; b1 40: b1 in; a1 > b:; b2 1:; a2 20: a2 in; a1: b2 in"},
		"the key with the fewest comes in":      {places(2, 0, 0), "a1 1: a1 in; a2 1: a2 in; a3 1:; a4 1:; b1 1:; c1 1:; b2 1:; a1: b1 in; b1: c1 in; c1: b2 in; a2: a3 in; b2: a4 in"},
		"a key with all its places waits":       {places(4, 2, 0), "a1 1: a1 in; a2 1: a2 in; a3 1:; b1 1: b1 in; a1: a3 in"},
		"one at a time of each key":             {places(0, 1, 0), "a1 1: a1 in; a2 1:; a3 1:; b1 1: b1 in; 9h:; a1: a2 in; a2: a3 in"},
		"patience ends":                         {places(1, 0, time.Second), "a1 1: a1 in; b1 1:; 999999999ns:; 1ns: b1 full; a1:; b2 1: b2 in"},
		"one who gave up takes no place":        {places(1, 0, time.Minute), "a1 1: a1 in; b1 1:; c1 1:; b1: b1 gone; a1: c1 in"},
		"without places nobody comes in":        {places(-1, 2, 0), "a1 1: a1 full"},
		"without a bound everybody comes in":    {places(0, 0, 0), "a1 1: a1 in; a2 1: a2 in; b1 1: b1 in"},
		"who is not in holds no place of a key": {places(1, 1, 0), "a1 1: a1 in; a2 1:; b1 1:; a2: a2 gone; a1: b1 in; a3 1:; b1: a3 in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { play(t, c.of(), c.script) })
		})
	}
}

func play(t *testing.T, w *Weighted, script string) {
	type visitor struct {
		key    string
		amount int64
		leave  context.CancelFunc
	}
	var mu sync.Mutex
	var seen []string
	visitors := map[string]*visitor{}
	for step := range strings.SplitSeq(script, ";") {
		what, want, _ := strings.Cut(strings.TrimSpace(step), ":")
		who, does, comes := strings.Cut(what, " ")
		v := visitors[who]
		if after, err := time.ParseDuration(what); err == nil {
			<-time.After(after)
		} else if key, moves := strings.CutPrefix(does, "> "); moves {
			w.Move(v.key, key, v.amount)
			v.key = key
		} else if comes {
			ctx, leave := context.WithCancel(t.Context())
			amount, _ := strconv.ParseInt(does, 10, 64)
			v = &visitor{who[:1], amount, leave}
			visitors[who] = v
			go func() {
				err := w.Take(ctx, v.key, amount)
				mu.Lock()
				seen = append(seen, who+map[error]string{nil: " in", ErrFull: " full", context.Canceled: " gone"}[err])
				mu.Unlock()
				if <-ctx.Done(); err == nil {
					w.Give(v.key, amount)
				}
			}()
		} else {
			v.leave()
		}
		synctest.Wait()
		mu.Lock()
		slices.Sort(seen)
		if got := strings.Join(seen, ", "); got != strings.TrimSpace(want) {
			t.Errorf("%q: got %q", step, got)
		}
		seen = nil
		mu.Unlock()
	}
	for _, v := range visitors {
		v.leave()
	}
	synctest.Wait()
	isEmpty(t, w)
}

// isEmpty checks that keys that are gone take no memory.
func isEmpty(t *testing.T, w *Weighted) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all != 0 || len(w.held) != 0 || len(w.waiting) != 0 {
		t.Errorf("left: %d held, %v by key, %d waiting; want nothing", w.all, w.held, len(w.waiting))
	}
}

// Many come at once, most of one key: every key has come in once as many did as there are
// places and keys.
func TestNoKeyWaitsBehindAnother(t *testing.T) {
	t.Parallel()
	const total, keys = 4, "abcde"
	synctest.Test(t, func(t *testing.T) {
		for range 50 {
			k := NewKeyed(Places{Total: total})
			var mu sync.Mutex
			var came string
			var all sync.WaitGroup
			for _, key := range strings.Split(keys+strings.Repeat("a", 50), "") {
				all.Go(func() {
					leave, _ := k.Take(t.Context(), key)
					mu.Lock()
					came += key
					mu.Unlock()
					<-time.After(time.Second + rand.N(time.Second))
					leave()
				})
			}
			all.Wait()
			for _, key := range keys {
				if at := strings.IndexRune(came, key); at < 0 || at >= total+len(keys) {
					t.Errorf("%c came in as number %d of %s", key, at+1, came)
				}
			}
			isEmpty(t, k.places)
		}
	})
}

// Some give up while they are let in: they hold what they got, or nothing.
func TestAmountsComeBackWhole(t *testing.T) {
	t.Parallel()
	const total = 1000
	w := NewWeighted(Limits{Total: total, Share: func(string) int64 { return 600 }, Waiting: 50, Patience: time.Minute})
	var held atomic.Int64
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			for range 200 {
				key, n := "abc"[i%3:i%3+1], 1+rand.Int64N(600)
				ctx, giveUp := context.WithCancel(t.Context())
				if i%2 == 0 {
					go giveUp()
				}
				if err := w.Take(ctx, key, n); err == nil {
					if now := held.Add(n); now > total {
						t.Errorf("got %d held, want %d at most", now, total)
					}
					runtime.Gosched() // others wait
					held.Add(-n)
					w.Give(key, n)
				} else if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				giveUp()
			}
		})
	}
	all.Wait()
	isEmpty(t, w)
}
