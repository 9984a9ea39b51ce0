package fill

import "github.com/platenhq/platen/internal/cache"

// maxReadings are the bytes of what Readings remembers: some 3,000 documents.
const maxReadings = 1 << 20

// Readings remembers whether documents could be filled from their texts alone.
// Templates of those that could not are read as a whole at once the next time: each
// reading is a call that Google counts. What it forgets costs one reading more,
// what it remembers of a template that has changed a larger one. nil remembers
// nothing. It is safe for concurrent use.
type Readings struct {
	wholes *cache.Cache[bool] // by document: whether its template is read as a whole
}

// NewReadings returns Readings that remember the documents filled last.
func NewReadings() *Readings {
	return &Readings{wholes: cache.New(maxReadings, func(bool) int { return 0 })}
}

// Most is how many readings the next filling of a document takes at most, if its
// template is as it was: one, or two where the document is not known.
func (r *Readings) Most(documentID string) int {
	if r == nil {
		return 2
	}
	if _, ok := r.wholes.Get(documentID); ok {
		return 1
	}
	return 2
}

func (r *Readings) needsWhole(documentID string) bool {
	if r == nil {
		return false
	}
	whole, _ := r.wholes.Get(documentID)
	return whole
}

func (r *Readings) note(documentID string, whole bool) {
	if r != nil {
		r.wholes.Put(documentID, whole)
	}
}
