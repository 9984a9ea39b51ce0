package cache

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

func sizeOfBytes(b []byte) int { return len(b) }

// has fails the test unless exactly these keys are there.
func has(t *testing.T, c *Cache[[]byte], want map[string]bool) {
	t.Helper()
	for key, want := range want {
		if c.held.Has(key) != want {
			t.Errorf("key %s: kept %v, want %v", key, !want, want)
		}
	}
}

func TestWhatWasUsedLongestAgoLeavesFirst(t *testing.T) {
	t.Parallel()
	const value = 20
	c := New(5*(1+value+overhead), sizeOfBytes) // five values with a key of a byte
	for i := range 5 {
		c.Put(fmt.Sprint(i), make([]byte, value))
	}
	has(t, c, map[string]bool{"0": true, "1": true, "4": true})
	c.Get("0")
	c.Put("2", make([]byte, value))
	c.Put("5", make([]byte, value))
	has(t, c, map[string]bool{"0": true, "1": false, "2": true, "3": true, "4": true, "5": true})
	c.Put("6", make([]byte, 2*value)) // two must leave
	has(t, c, map[string]bool{"0": true, "2": true, "3": false, "4": false, "5": true, "6": true})
}

func TestAValueOfMoreThanHalfIsNotKept(t *testing.T) {
	t.Parallel()
	const limit = 4000
	most := limit/2 - overhead - 1
	c := New(limit, sizeOfBytes)
	c.Put("a", make([]byte, most))
	c.Put("b", make([]byte, most+1))
	has(t, c, map[string]bool{"a": true, "b": false})
	c.Put("a", make([]byte, most+1)) // what was there is no longer true
	has(t, c, map[string]bool{"a": false})
}

func TestPutReplacesAndTakeAndDropRemove(t *testing.T) {
	t.Parallel()
	c := New(1<<20, sizeOfBytes)
	c.Put("a", []byte("first"))
	c.Put("a", []byte("second"))
	if got, ok := c.Get("a"); !ok || string(got) != "second" {
		t.Errorf("got %q, %v; want the second value", got, ok)
	}
	if got, ok := c.Take("a"); !ok || string(got) != "second" {
		t.Errorf("taken: got %q, %v; want the second value", got, ok)
	}
	if got, ok := c.Get("a"); ok || got != nil {
		t.Errorf("after it was taken: got %q", got)
	}
	if got, ok := c.Take("a"); ok || got != nil {
		t.Errorf("taken twice: got %q", got)
	}
	c.Put("b", []byte("third"))
	c.Drop("b")
	c.Drop("nobody")
	has(t, c, map[string]bool{"b": false})
}

func TestNeverMoreThanTheLimitIsKept(t *testing.T) {
	t.Parallel()
	const limit = 20_000
	c := New(limit, sizeOfBytes)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 2000 {
				key := strconv.Itoa(rand.IntN(100))
				switch rand.IntN(4) {
				case 0:
					c.Get(key)
				case 1:
					c.Take(key)
				default:
					c.Put(key, make([]byte, rand.IntN(limit/3)))
				}
			}
		})
	}
	all.Wait()
	for n := range 10 { // what was taken last may have been most of it
		c.Put(strconv.Itoa(n), make([]byte, limit/8))
	}
	used := 0
	for key, item := range c.held.Items() {
		used += c.sizeOf(key, item.Value())
	}
	if used > limit || used < limit/2 {
		t.Errorf("got %d bytes, want at most %d, and most of them", used, limit)
	}
}

func TestNothingRunsInTheBackground(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 100 {
		c := New(1<<20, sizeOfBytes)
		c.Put("a", make([]byte, 1000))
		c.Get("a")
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("got %d goroutines, %d before", after, before)
	}
}

func BenchmarkAKeptValue(b *testing.B) {
	c := New(1<<20, sizeOfBytes)
	c.Put("a", make([]byte, 1000))
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			c.Get("a")
		}
	})
}
