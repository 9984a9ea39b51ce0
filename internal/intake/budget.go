// Package intake bounds the memory that requests take before anybody knows what
// they are worth. A process has one Budget, and each request a Holding of it
// that grows with what is read. EachPart reads a form without holding it.
//
// It knows no error of ours: how a refusal is written is the business of the host.
package intake

import (
	"time"

	"github.com/platenhq/platen/internal/admission"
)

// Limits are those of a Budget.
type Limits struct {
	// Bytes bounds what all requests hold together.
	Bytes int64
	// Caller bounds what the requests of one caller with credentials hold.
	Caller int64
	// Unauthenticated bounds what all requests without credentials hold together.
	Unauthenticated int64
	// Waiting bounds how many requests wait for room at once; the next is
	// refused at once.
	Waiting int
	// Patience is how long a request waits for room.
	Patience time.Duration
}

// A Budget is the bytes that requests may hold at once. It is safe for
// concurrent use. A nil Budget bounds nothing.
type Budget struct{ room *admission.Weighted }

// NewBudget returns an empty budget.
func NewBudget(l Limits) *Budget {
	share := func(caller string) int64 {
		if caller == "" { // all without credentials
			return l.Unauthenticated
		}
		return l.Caller
	}
	return &Budget{admission.NewWeighted(admission.Limits{Total: l.Bytes, Share: share, Waiting: l.Waiting, Patience: l.Patience})}
}
