package postgres

import (
	"container/list"
	"sync"
)

// recent keeps what was read or written last, by its key, up to a total size
// in bytes. What never changes in the database may be answered from it; what
// changes may only be compared with (see UpdateOutput). It is safe for
// concurrent use.
type recent[V any] struct {
	limit int
	size  func(V) int

	mu   sync.Mutex
	used int
	last *list.List // of recentEntry[V], the one used last in front
	held map[string]*list.Element
}

type recentEntry[V any] struct {
	key   string
	value V
	size  int
}

func newRecent[V any](limit int, size func(V) int) *recent[V] {
	return &recent[V]{limit: limit, size: size, last: list.New(), held: map[string]*list.Element{}}
}

func (r *recent[V]) get(key string) (value V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.held[key]
	if !ok {
		return value, false
	}
	r.last.MoveToFront(e)
	return e.Value.(recentEntry[V]).value, true
}

// put replaces what key had.
func (r *recent[V]) put(key string, value V) {
	const overhead = 256 // of the entry itself
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(key)
	entry := recentEntry[V]{key: key, value: value, size: len(key) + r.size(value) + overhead}
	if entry.size > r.limit/4 {
		return
	}
	r.held[key] = r.last.PushFront(entry)
	for r.used += entry.size; r.used > r.limit; {
		r.remove(r.last.Back().Value.(recentEntry[V]).key)
	}
}

func (r *recent[V]) drop(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(key)
}

func (r *recent[V]) remove(key string) {
	if e, ok := r.held[key]; ok {
		r.used -= r.last.Remove(e).(recentEntry[V]).size
		delete(r.held, key)
	}
}
