package admission

import (
	"cmp"
	"context"
	"math"
	"time"
)

// Places are those of a Keyed.
type Places struct {
	// Total bounds how many are in at once, PerKey how many of one key. 0 is no bound;
	// with less than 0 nobody comes in.
	Total, PerKey int
	// Patience is how long one waits for a place. Default: until its context ends.
	Patience time.Duration
}

// A Keyed lets in so many at once, and so many of one key. A free place goes to the key
// that has the fewest, and among equals to the one who came first: nobody waits behind
// all that another key asks for. It is safe for concurrent use.
type Keyed struct{ places *Weighted }

// NewKeyed returns a Keyed in which nobody is.
func NewKeyed(p Places) *Keyed {
	each := bound(p.PerKey)
	w := NewWeighted(Limits{Total: bound(p.Total), Share: func(string) int64 { return each }, Waiting: math.MaxInt, Patience: p.Patience})
	w.byFewest = true
	return &Keyed{w}
}

func bound(n int) int64 { return cmp.Or(int64(n), math.MaxInt64) }

// Take waits for a place of the key; leave, called once, gives it back. ErrFull: none came
// free within the patience. Else the error is that of ctx.
func (k *Keyed) Take(ctx context.Context, key string) (leave func(), err error) {
	if err := k.places.Take(ctx, key, 1); err != nil {
		return nil, err
	}
	return k.leave(key), nil
}

// TryTake is Take for one who does not wait. Not ok: no place is free now.
func (k *Keyed) TryTake(key string) (leave func(), ok bool) {
	if !k.places.TryTake(key, 1) {
		return nil, false
	}
	return k.leave(key), true
}

func (k *Keyed) leave(key string) func() { return func() { k.places.Give(key, 1) } }
