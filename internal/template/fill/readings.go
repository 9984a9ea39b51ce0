package fill

import "github.com/platenhq/platen/internal/cache"

// maxReadings are the bytes of what Readings remembers: some 3,000 documents.
const maxReadings = 1 << 20

// Readings remembers which documents could not be filled from their texts alone,
// so that their templates are read as a whole at once the next time: each
// reading is a call that Google counts. What it forgets costs one reading more,
// what it remembers of a template that has changed a larger one. nil remembers
// nothing. It is safe for concurrent use.
type Readings struct{ whole *cache.Cache[struct{}] }

// NewReadings returns Readings that remember the documents filled last.
func NewReadings() *Readings {
	return &Readings{whole: cache.New(maxReadings, func(struct{}) int { return 0 })}
}

func (r *Readings) needsWhole(documentID string) bool {
	if r == nil {
		return false
	}
	_, ok := r.whole.Get(documentID)
	return ok
}

func (r *Readings) note(documentID string, whole bool) {
	switch {
	case r == nil:
	case whole:
		r.whole.Put(documentID, struct{}{})
	default:
		r.whole.Drop(documentID)
	}
}
