package layout

import "sync"

// maxCachedPictures bounds what prepared pictures may keep in memory, in bytes.
const maxCachedPictures = 48 << 20

// pictureCache remembers pictures that were prepared for PDF, by the hash of
// their file: a letterhead's logo comes back with every document. The oldest
// leave first. Safe for concurrent use.
type pictureCache struct {
	mu    sync.Mutex
	held  map[[32]byte]preparedPicture
	order [][32]byte
	size  int
}

// preparedPicture is a file that gopdf embeds rightly, or why there is none.
type preparedPicture struct {
	data []byte
	err  error
}

var sharedPictures = sync.OnceValue(func() *pictureCache {
	return &pictureCache{held: map[[32]byte]preparedPicture{}}
})

func (c *pictureCache) get(key [32]byte, data []byte) preparedPicture {
	c.mu.Lock()
	found, ok := c.held[key]
	c.mu.Unlock()
	if ok {
		return found
	}
	made := preparePicture(data)
	const overhead = 256
	size := len(made.data) + overhead
	if size > maxCachedPictures/4 {
		return made
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.held[key]; ok { // another document was faster
		return found
	}
	c.held[key], c.order, c.size = made, append(c.order, key), c.size+size
	for c.size > maxCachedPictures && len(c.order) > 1 {
		oldest := c.order[0]
		c.size -= len(c.held[oldest].data) + overhead
		delete(c.held, oldest)
		c.order = c.order[1:]
	}
	return made
}
