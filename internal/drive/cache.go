package drive

import (
	"container/list"
	"sync"
)

// cache keeps the most recently used values up to a total size in bytes, keys
// included. Its keys must determine their values for ever, for nothing is ever
// invalidated. Values are shared: nobody may write to them.
type cache[V any] struct {
	limit int
	size  func(V) int

	mu      sync.Mutex
	used    int
	recent  *list.List // of entry[V], the most recently used in front
	entries map[string]*list.Element
}

type entry[V any] struct {
	key   string
	value V
	size  int
}

func newCache[V any](limit int, size func(V) int) *cache[V] {
	return &cache[V]{limit: limit, size: size, recent: list.New(), entries: map[string]*list.Element{}}
}

func sizeOfBytes(b []byte) int { return len(b) }

func (c *cache[V]) get(key string) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return value, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(entry[V]).value, true
}

// take is get for a value that is to be the caller's own: it leaves the cache.
func (c *cache[V]) take(key string) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return value, false
	}
	return c.remove(e), true
}

// put keeps value unless it would take more than a quarter of the cache.
func (c *cache[V]) put(key string, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	added := entry[V]{key, value, len(key) + c.size(value)}
	if _, ok := c.entries[key]; ok || added.size > c.limit/4 {
		return
	}
	c.entries[key] = c.recent.PushFront(added)
	c.used += added.size
	for c.used > c.limit {
		c.remove(c.recent.Back())
	}
}

func (c *cache[V]) remove(e *list.Element) V {
	old := c.recent.Remove(e).(entry[V])
	delete(c.entries, old.key)
	c.used -= old.size
	return old.value
}
