package drive

import (
	"container/list"
	"sync"
)

// cache keeps the most recently used byte strings up to a total size, keys
// included. Its keys must determine their values for ever, for nothing is ever
// invalidated. Values are shared: nobody may write to them.
type cache struct {
	mu      sync.Mutex
	limit   int
	used    int
	recent  *list.List // of entry, the most recently used in front
	entries map[string]*list.Element
}

type entry struct {
	key   string
	value []byte
}

func (e entry) size() int { return len(e.key) + len(e.value) }

func newCache(limit int) *cache {
	return &cache{limit: limit, recent: list.New(), entries: map[string]*list.Element{}}
}

func (c *cache) get(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(entry).value, true
}

// put keeps value unless it would take more than a quarter of the cache.
func (c *cache) put(key string, value []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	added := entry{key, value}
	if _, ok := c.entries[key]; ok || added.size() > c.limit/4 {
		return
	}
	c.entries[key] = c.recent.PushFront(added)
	c.used += added.size()
	for c.used > c.limit {
		last := c.recent.Back()
		old := c.recent.Remove(last).(entry)
		delete(c.entries, old.key)
		c.used -= old.size()
	}
}
