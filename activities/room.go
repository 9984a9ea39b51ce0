package activities

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/platenhq/platen/internal/platen"
)

// sizeOfTemplate is what the PDF of an appended template is taken for, in bytes.
const sizeOfTemplate = 1 << 20

// A room bounds what one process appends to PDFs at the same time: MaxAppendedSize. Joined
// and encrypted, that takes about four times as much memory. The zero value is ready.
type room struct {
	once  sync.Once
	bytes *semaphore.Weighted
}

// enter waits until there is room for what is appended; leave gives it back.
func (r *room) enter(ctx context.Context, appendices []platen.Appendix) (leave func(), _ error) {
	var size int64
	for _, a := range appendices {
		size += max(a.Size, sizeOfTemplate)
	}
	if size == 0 {
		return func() {}, nil
	}
	r.once.Do(func() { r.bytes = semaphore.NewWeighted(platen.MaxAppendedSize) })
	size = min(size, platen.MaxAppendedSize)
	if err := r.bytes.Acquire(ctx, size); err != nil {
		return nil, fmt.Errorf("wait for memory to append in: %w", err)
	}
	return func() { r.bytes.Release(size) }, nil
}
