package intake

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func small() *Budget {
	return NewBudget(Limits{Bytes: 100, Caller: 60, Unauthenticated: 20, Waiting: 2, Patience: time.Second})
}

func of(b *Budget, caller string) *Holding {
	h := b.Hold()
	h.Authenticate(caller)
	return h
}

func wantErr(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOneCallerLeavesRoomForAnother(t *testing.T) {
	t.Parallel()
	b := small()
	wantErr(t, of(b, "a").Take(t.Context(), 61), ErrFull)
	wantErr(t, of(b, "a").Take(t.Context(), 60), nil)
	wantErr(t, of(b, "b").Take(t.Context(), 40), nil)
}

func TestCallersWithoutCredentialsShareOneSmallPart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := small()
		wantErr(t, b.Hold().Take(t.Context(), 20), nil)
		wantErr(t, b.Hold().Take(t.Context(), 1), ErrFull)
		wantErr(t, of(b, "a").Take(t.Context(), 60), nil)
	})
}

func TestWhatIsReadCountsForTheCallerOnceItIsKnown(t *testing.T) {
	t.Parallel()
	b := small()
	h := b.Hold()
	wantErr(t, h.Take(t.Context(), 20), nil)
	h.Authenticate("a")
	wantErr(t, b.Hold().Take(t.Context(), 20), nil)
	h.Release()
	if b.held != 20 || len(b.callers) != 1 {
		t.Errorf("held: got %d of %v, want 20 of callers without credentials", b.held, b.callers)
	}
}

func TestARequestWaitsForRoomInItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := small()
		first, second := of(b, "a"), of(b, "b")
		wantErr(t, first.Take(t.Context(), 60), nil)
		wantErr(t, second.Take(t.Context(), 40), nil)
		var order []string
		var all sync.WaitGroup
		for _, caller := range []string{"c", "d"} {
			all.Go(func() {
				wantErr(t, of(b, caller).Take(t.Context(), 50), nil)
				order = append(order, caller)
			})
			synctest.Wait()
		}
		wantErr(t, of(b, "e").Take(t.Context(), 1), ErrFull) // two wait already
		first.Release()
		synctest.Wait()
		second.Release()
		all.Wait()
		if strings.Join(order, "") != "cd" {
			t.Errorf("order: got %v, want c before d", order)
		}
	})
}

func TestARequestWithoutRoomIsRefusedAfterAWhileAndLetsOthersPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := small()
		first := of(b, "a")
		wantErr(t, first.Take(t.Context(), 60), nil)
		refused := make(chan error, 2)
		go func() { refused <- of(b, "b").Take(t.Context(), 50) }()
		<-time.After(b.limits.Patience / 2)
		go func() { refused <- of(b, "c").Take(t.Context(), 30) }()
		wantErr(t, <-refused, ErrFull) // the one of b; that of c has its room then
		wantErr(t, <-refused, nil)

		ctx, cancel := context.WithCancel(t.Context())
		go func() { refused <- of(b, "b").Take(ctx, 50) }()
		synctest.Wait()
		cancel()
		wantErr(t, <-refused, context.Canceled)
		if len(b.waiting) != 0 || b.held != 90 {
			t.Errorf("got %d waiting and %d held, want 0 and 90", len(b.waiting), b.held)
		}
	})
}

func TestABudgetIsNeverOverdrawnAndComesBackWhole(t *testing.T) {
	t.Parallel()
	b := NewBudget(Limits{Bytes: 1000, Caller: 600, Unauthenticated: 200, Waiting: 100, Patience: time.Minute})
	var mu sync.Mutex
	sum := map[string]int64{}
	change := func(caller string, n int64) {
		mu.Lock()
		defer mu.Unlock()
		sum[caller] += n
		sum["all"] += n
		if sum["all"] > 1000 || sum[caller] > b.share(caller) {
			t.Errorf("held: %v", sum)
		}
	}
	var all sync.WaitGroup
	for i := range 50 {
		caller := []string{"", "a", "b"}[i%3]
		all.Go(func() {
			for range 200 {
				n := 1 + rand.Int64N(150)
				h := of(b, caller)
				wantErr(t, h.Take(t.Context(), n), nil)
				change(caller, n)
				change(caller, -n)
				h.Release()
			}
		})
	}
	all.Wait()
	if b.held != 0 || len(b.callers) != 0 || len(b.waiting) != 0 {
		t.Errorf("left: %d bytes, %v, %d waiting", b.held, b.callers, len(b.waiting))
	}
}

// counting says how much a reader has been asked for.
type counting struct {
	io.Reader
	read int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += n
	return n, err
}

func TestReadAllReadsToItsEndWithinItsLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                   string
		size, announced, limit int64
		want                   error
	}{
		{"nothing", 0, 0, 100, nil},
		{"nothing, unannounced", 0, -1, 100, nil},
		{"the limit", 100, 100, 100, nil},
		{"the limit, unannounced", 100, -1, 100, nil},
		{"more", 101, 101, 100, ErrTooLong},
		{"more, unannounced", 200_000, -1, 100_000, ErrTooLong},
		{"large", 3_000_000, 3_000_000, 5_000_000, nil},
		{"large, unannounced", 3_000_000, -1, 3_000_000, nil},
		{"more than announced", 100_000, 10, 100_000, nil},
		{"less than announced", 10, 100_000, 100_000, nil},
	} {
		b := NewBudget(Limits{Bytes: 10 << 20, Caller: 10 << 20, Unauthenticated: 10 << 20})
		sent := bytes.Repeat([]byte("abcdefghij"), int(c.size/10)+1)[:c.size]
		h := b.Hold()
		got, err := h.ReadAll(t.Context(), &counting{Reader: bytes.NewReader(sent)}, c.announced, c.limit)
		if !errors.Is(err, c.want) || err == nil && !bytes.Equal(got, sent) {
			t.Errorf("%s: got %d bytes and %v, want %d and %v", c.name, len(got), err, len(sent), c.want)
		}
		if h.bytes < int64(len(got)) || b.held != h.bytes {
			t.Errorf("%s: holds %d of %d for %d bytes", c.name, h.bytes, b.held, len(got))
		}
		if h.Release(); b.held != 0 {
			t.Errorf("%s: %d bytes are held after all", c.name, b.held)
		}
	}
}

func TestASenderWhoAnnouncesMuchHoldsWhatItSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(Limits{Bytes: 64 << 20, Caller: 64 << 20, Unauthenticated: 64 << 20})
		r, w := io.Pipe()
		h := b.Hold()
		go func() { _, _ = h.ReadAll(t.Context(), r, 32<<20, 32<<20) }()
		_, _ = w.Write(make([]byte, 20_000))
		synctest.Wait()
		if b.held > 80_000 {
			t.Errorf("holds %d bytes for 20,000", b.held)
		}
		_ = w.Close()
	})
}

func TestManySendersWhoTrickleLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(Limits{Bytes: 64 << 20, Caller: 64 << 20, Unauthenticated: 16 << 20})
		for range 1024 {
			r, w := io.Pipe()
			go func() { _, _ = b.Hold().ReadAll(t.Context(), r, 1<<20, 1<<20) }()
			_, _ = w.Write([]byte{' '})
			defer w.Close()
		}
		synctest.Wait()
		wantErr(t, b.Hold().Take(t.Context(), 8<<20), nil)
	})
}

func TestNothingIsReadWithoutRoom(t *testing.T) {
	t.Parallel()
	b := small()
	r := &counting{Reader: strings.NewReader("much too much of it")}
	_, err := b.Hold().ReadAll(t.Context(), r, 1000, 1000)
	if wantErr(t, err, ErrFull); r.read != 0 {
		t.Errorf("read %d bytes, want none", r.read)
	}
}

func TestWithoutABudgetEverythingIsRead(t *testing.T) {
	t.Parallel()
	var b *Budget
	h := b.Hold()
	h.Authenticate("a")
	got, err := h.ReadAll(t.Context(), strings.NewReader("all"), -1, 10)
	if err != nil || string(got) != "all" || h.Take(t.Context(), 1<<40) != nil || Of(With(t.Context(), h)) != h {
		t.Errorf("got %q, %v", got, err)
	}
	h.Release()
}
