package admission

import (
	"sync"
	"testing"
	"time"
)

func TestRate(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	type call struct {
		key         string
		at          time.Duration
		left        int
		reset, wait time.Duration
	}
	for name, c := range map[string]struct {
		perSecond, burst int
		calls            []call
	}{
		"the burst, then the rate, to the nanosecond": {10, 3, []call{
			{"a", 0, 2, 100 * ms, 0}, {"a", 0, 1, 200 * ms, 0}, {"a", 0, 0, 300 * ms, 0},
			{"a", 0, 0, 300 * ms, 100 * ms}, {"a", 0, 0, 300 * ms, 100 * ms}, // a refusal costs nothing
			{"b", 0, 2, 100 * ms, 0},
			{"a", 100*ms - 1, 0, 200*ms + 1, 1}, {"a", 100 * ms, 0, 300 * ms, 0}, {"a", 100 * ms, 0, 300 * ms, 100 * ms},
			{"a", 400*ms - 1, 1, 100*ms + 1, 0}, {"a", 500 * ms, 2, 100 * ms, 0},
		}},
		"a rate that does not divide a second": {3, 3, []call{
			{"a", 0, 2, 333_333_333, 0}, {"a", 0, 1, 666_666_666, 0}, {"a", 0, 0, 999_999_999, 0}, {"a", 0, 0, 999_999_999, 333_333_333},
			{"a", 333_333_332, 0, 666_666_667, 1}, {"a", 333_333_333, 0, 999_999_999, 0},
		}},
		"one at once at least": {1, 0, []call{{"a", 0, 0, time.Second, 0}, {"a", time.Second - 1, 0, 1, 1}, {"a", time.Second, 0, time.Second, 0}}},
		"no rate is no bound":  {0, 5, []call{{"a", 0, 0, 0, 0}, {"a", 0, 0, 0, 0}}},
	} {
		r := NewRate[string](c.perSecond, c.burst)
		for i, want := range c.calls {
			got := want
			if got.left, got.reset, got.wait = r.Take(want.key, time.Unix(1000, 0).Add(want.at)); got != want {
				t.Errorf("%s: call %d: got %+v, want %+v", name, i+1, got, want)
			}
		}
	}
}

func TestARateForgetsKeysThatRestedAndLetsNewcomersInWhenItIsFull(t *testing.T) {
	t.Parallel()
	r := NewRate[int](1, 1)
	r.most = 100
	begin := time.Unix(1000, 0)
	var all sync.WaitGroup
	for i := range r.most + 10 {
		all.Go(func() {
			if _, _, wait := r.Take(i, begin); wait > 0 {
				t.Errorf("key %d waits %s, want it let in", i, wait)
			}
		})
	}
	all.Wait()
	for _, c := range []struct {
		after time.Duration
		keys  int
	}{{time.Second - 1, r.most}, {time.Second, 1}} {
		if r.Take(-1, begin.Add(c.after)); len(r.full) != c.keys {
			t.Errorf("after %s: got %d keys, want %d", c.after, len(r.full), c.keys)
		}
	}
}
