package intake

import (
	"context"
	"errors"
	"io"
)

// ErrTooLong says that there was more to read than the limit.
var ErrTooLong = errors.New("longer than the limit")

const (
	// firstStep is the room of a body before its first byte has come, for any
	// Content-Length.
	firstStep = 2 << 10
	// growth is by how much the room of a body grows at a time. While it grows,
	// a body takes a quarter more than it has at its end.
	growth = 4
)

// A Holding is what one request holds of a budget. It belongs to the goroutine
// of the request. A nil Holding bounds nothing.
type Holding struct {
	budget *Budget
	caller string
	bytes  int64
}

// Hold begins a request of a caller without credentials. Its Release must be
// called when the request is answered.
func (b *Budget) Hold() *Holding {
	if b == nil {
		return nil
	}
	return &Holding{budget: b}
}

// Authenticate says whose request it is: it now counts for the caller's share.
func (h *Holding) Authenticate(caller string) {
	if h == nil || h.caller == caller {
		return
	}
	if h.bytes > 0 {
		h.budget.room.Move(h.caller, caller, h.bytes)
	}
	h.caller = caller
}

// Take waits until the request may hold n bytes more; admission.ErrFull when
// there is no room in time.
func (h *Holding) Take(ctx context.Context, n int64) error {
	if h == nil || n <= 0 {
		return nil
	}
	if err := h.budget.room.Take(ctx, h.caller, n); err != nil {
		return err
	}
	h.bytes += n
	return nil
}

func (h *Holding) give(n int64) {
	if h == nil {
		return
	}
	h.bytes -= n
	h.budget.room.Give(h.caller, n)
}

// Release gives everything back.
func (h *Holding) Release() {
	if h != nil {
		h.give(h.bytes)
	}
}

// ReadAll reads r to its end. It takes room before it reads, in steps: what a
// sender says that it will send counts only once most of it has come. Announced
// is that length, negative when it is not known. The error is ErrTooLong when
// there are more than limit bytes, admission.ErrFull when there is no room, or
// the reader's.
func (h *Holding) ReadAll(ctx context.Context, r io.Reader, announced, limit int64) ([]byte, error) {
	whole := limit + 1 // the byte that tells the end from too much
	if announced >= 0 {
		whole = min(whole, announced+1)
	}
	room := min(whole, firstStep)
	if err := h.Take(ctx, room); err != nil {
		return nil, err
	}
	body := make([]byte, 0, room)
	for {
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > limit:
			return nil, ErrTooLong
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		case len(body) < cap(body):
			continue
		}
		if int64(len(body)) >= whole {
			whole = limit + 1 // more came than was announced
		}
		next := min(growth*room, whole)
		if err := h.Take(ctx, next); err != nil {
			return nil, err
		}
		body = append(make([]byte, 0, next), body...)
		h.give(room)
		room = next
	}
}

type holdingKey struct{}

// With returns a context that carries the request's holding.
func With(ctx context.Context, h *Holding) context.Context {
	return context.WithValue(ctx, holdingKey{}, h)
}

// Of returns the holding that ctx carries; nil, which bounds nothing, without one.
func Of(ctx context.Context) *Holding {
	h, _ := ctx.Value(holdingKey{}).(*Holding)
	return h
}
