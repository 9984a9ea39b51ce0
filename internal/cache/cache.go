// Package cache keeps what was used last within a number of bytes, so that the
// memory of a process is known. What a value is worth, and when it is no longer
// true, its users know: nothing here expires.
package cache

import "github.com/jellydator/ttlcache/v3"

// overhead is what an entry takes beside its key and its value, in bytes.
const overhead = 256

// A Cache keeps values by key, up to a total size; the ones used longest ago
// leave first. Its values are shared by all who get them. It is safe for
// concurrent use, and nothing of it runs in the background.
type Cache[V any] struct {
	limit int
	size  func(V) int
	held  *ttlcache.Cache[string, V]
}

// New returns an empty cache of so many bytes, keys included; size is what a
// value takes of them.
func New[V any](limit int, size func(V) int) *Cache[V] {
	c := &Cache[V]{limit: limit, size: size}
	c.held = ttlcache.New(ttlcache.WithMaxCost(uint64(limit), func(i ttlcache.CostItem[string, V]) uint64 {
		return uint64(c.sizeOf(i.Key, i.Value))
	}))
	return c
}

func (c *Cache[V]) sizeOf(key string, value V) int { return len(key) + c.size(value) + overhead }

// Get returns what key has.
func (c *Cache[V]) Get(key string) (value V, ok bool) {
	item := c.held.Get(key)
	if item == nil {
		return value, false
	}
	return item.Value(), true
}

// Take is Get for a value that is to be the caller's own: it leaves the cache.
func (c *Cache[V]) Take(key string) (value V, ok bool) {
	item, ok := c.held.GetAndDelete(key)
	if !ok {
		return value, false
	}
	return item.Value(), true
}

// Put replaces what key had; one value of more than half of the cache is not kept.
func (c *Cache[V]) Put(key string, value V) {
	if c.sizeOf(key, value) > c.limit/2 {
		c.Drop(key)
		return
	}
	c.held.Set(key, value, ttlcache.NoTTL)
}

// Drop forgets what key had.
func (c *Cache[V]) Drop(key string) { c.held.Delete(key) }

// Lookups are how many values were asked for and were there (hits) or not.
func (c *Cache[V]) Lookups() (hits, misses uint64) {
	m := c.held.Metrics()
	return m.Hits, m.Misses
}
