package intake

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/platenhq/platen/internal/admission"
)

func small() *Budget {
	return NewBudget(Limits{Bytes: 100, Caller: 60, Unauthenticated: 20})
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

// hasRoom tells whether a caller could hold n bytes now.
func (b *Budget) hasRoom(n int64) bool {
	ok := b.room.TryTake("somebody", n)
	if ok {
		b.room.Give("somebody", n)
	}
	return ok
}

func TestACallerHasAShareAndThoseWithoutCredentialsASmallOneTogether(t *testing.T) {
	t.Parallel()
	b := small()
	for _, c := range []struct {
		caller string
		bytes  int64
		want   error
	}{
		{"a", 61, admission.ErrFull}, {"a", 60, nil},
		{"", 20, nil}, {"", 1, admission.ErrFull},
		{"b", 20, nil},
	} {
		wantErr(t, of(b, c.caller).Take(t.Context(), c.bytes), c.want)
	}
}

func TestWhatIsReadCountsForTheCallerOnceItIsKnown(t *testing.T) {
	t.Parallel()
	b := small()
	h := b.Hold()
	wantErr(t, h.Take(t.Context(), 20), nil)
	h.Authenticate("a")
	wantErr(t, b.Hold().Take(t.Context(), 20), nil)
	wantErr(t, of(b, "a").Take(t.Context(), 41), admission.ErrFull)
	h.Release()
	wantErr(t, of(b, "a").Take(t.Context(), 60), nil)
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
		const room = 10 << 20
		b := NewBudget(Limits{Bytes: room, Caller: room, Unauthenticated: room})
		sent := bytes.Repeat([]byte("abcdefghij"), int(c.size/10)+1)[:c.size]
		h := b.Hold()
		got, err := h.ReadAll(t.Context(), &counting{Reader: bytes.NewReader(sent)}, c.announced, c.limit)
		if !errors.Is(err, c.want) || err == nil && !bytes.Equal(got, sent) {
			t.Errorf("%s: got %d bytes and %v, want %d and %v", c.name, len(got), err, len(sent), c.want)
		}
		if h.bytes < int64(len(got)) || !b.hasRoom(room-h.bytes) || b.hasRoom(room-h.bytes+1) {
			t.Errorf("%s: holds %d for %d bytes, and not so much of its budget", c.name, h.bytes, len(got))
		}
		if h.Release(); !b.hasRoom(room) {
			t.Errorf("%s: bytes are held after all", c.name)
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
		if !b.hasRoom(64<<20 - 80_000) {
			t.Errorf("holds %d bytes for 20,000", h.bytes)
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
	if wantErr(t, err, admission.ErrFull); r.read != 0 {
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
