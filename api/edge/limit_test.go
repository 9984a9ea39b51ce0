package edge

import (
	"crypto/sha256"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func TestALimiterGivesTheBurstThenTheRate(t *testing.T) {
	t.Parallel()
	clock := time.Unix(1000, 0)
	l := NewLimiter(Rate{PerSecond: 10, Burst: 3}, func() time.Time { return clock })
	a, b := sha256.Sum256([]byte("a")), sha256.Sum256([]byte("b"))
	for want := 2; want >= 0; want-- {
		h := http.Header{}
		if err := l.Take(h, a); err != nil {
			t.Fatal(err)
		}
		if got := h.Get("RateLimit-Remaining"); got != strconv.Itoa(want) || h.Get("RateLimit-Limit") != "3" || h.Get("RateLimit-Reset") != "1" {
			t.Errorf("got %v, want %d remaining of 3", h, want)
		}
	}
	for range 3 { // a refusal costs nothing
		h := http.Header{}
		err := l.Take(h, a)
		if platen.KindOf(err) != platen.KindRateLimited || h.Get("RateLimit-Remaining") != "0" {
			t.Errorf("got %v and %v, want rate_limited", err, h)
		}
	}
	if err := l.Take(http.Header{}, b); err != nil {
		t.Errorf("another key: %v", err)
	}
	clock = clock.Add(100 * time.Millisecond)
	if err := l.Take(http.Header{}, a); err != nil {
		t.Errorf("after what gives one back: %v", err)
	}
	if err := l.Take(http.Header{}, a); err == nil {
		t.Error("one more: got none refused")
	}
}

func TestALimiterForgetsWhoRested(t *testing.T) {
	t.Parallel()
	clock := time.Unix(1000, 0)
	l := NewLimiter(Rate{PerSecond: 1}, func() time.Time { return clock })
	for i := range 1000 {
		_ = l.Take(http.Header{}, sha256.Sum256([]byte(strconv.Itoa(i))))
	}
	clock = clock.Add(2 * time.Second)
	_ = l.Take(http.Header{}, [32]byte{})
	if got := len(l.full); got != 1 {
		t.Errorf("keys: got %d, want the last one", got)
	}
}

func TestALimiterLetsNewcomersThroughWhenItIsFull(t *testing.T) {
	t.Parallel()
	l := NewLimiter(Rate{PerSecond: 1}, func() time.Time { return time.Unix(1000, 0) })
	l.most = 100
	for i := range l.most + 10 {
		if err := l.Take(http.Header{}, sha256.Sum256([]byte(strconv.Itoa(i)))); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(l.full); got != l.most {
		t.Errorf("keys: got %d, want %d", got, l.most)
	}
}

func TestNoRateIsNoLimit(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	if err := NewLimiter(Rate{}, nil).Take(h, [32]byte{}); err != nil || len(h) != 0 {
		t.Errorf("got %v and %v, want nothing", err, h)
	}
}
