// Package failpoint lets tests end a program at a named place, as kill -9 would
// that hit just there. Such places are before or after a step, and after the
// commit and before the answer. Another is after the drive has done what it was
// asked and before anybody has written that down. It also shortens waits that no
// setting has, and the memory of a worker.
//
// It does so only in programs that are built with the tag failpoints, for
// test/chaos. In every other build its functions return what they are given,
// and nothing of it is left in the program. No rule of the product belongs here.
package failpoint

import (
	"context"

	"github.com/platenhq/platen/internal/platen"
)

// An Acceptor stores source events; see api/hooks.
type Acceptor interface {
	Accept(ctx context.Context, event platen.SourceEvent) error
}
