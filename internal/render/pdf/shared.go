package pdf

import (
	"bytes"
	"compress/zlib"
	"sync"
)

// maxCachedPictures bounds the pictures that documents share in memory, in bytes.
const maxCachedPictures = 48 << 20

// sharedPictures are known by the hash of their file: a letterhead's logo comes
// back with every document.
var sharedPictures = sync.OnceValue(func() *memo[[32]byte, []byte, preparedPicture] {
	return newMemo[[32]byte](maxCachedPictures, preparePicture, preparedPicture.size)
})

// deflaters are kept, because each is most of a megabyte.
type deflaters struct{ small, quick sync.Pool }

var sharedDeflaters = sync.OnceValue(func() *deflaters {
	at := func(level int) sync.Pool {
		return sync.Pool{New: func() any {
			w, err := zlib.NewWriterLevel(nil, level)
			if err != nil {
				panic(err) // an unknown level
			}
			return w
		}}
	}
	return &deflaters{small: at(zlib.DefaultCompression), quick: at(zlib.BestSpeed)}
})

// compress compresses a stream that many documents will share (FlateDecode).
func compress(data []byte) []byte { return deflate(data, &sharedDeflaters().small) }

// compressQuickly compresses a stream of one document: a tenth longer, in a
// third of the time.
func compressQuickly(data []byte) []byte { return deflate(data, &sharedDeflaters().quick) }

func deflate(data []byte, writers *sync.Pool) []byte {
	w := writers.Get().(*zlib.Writer)
	defer writers.Put(w)
	var out bytes.Buffer
	out.Grow(len(data)/3 + 64)
	w.Reset(&out)
	_, _ = w.Write(data) // a bytes.Buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// memo remembers what was made, by keys that determine it, up to a total size.
// The oldest leaves first. It is safe for concurrent use; nobody may write to
// what it returns.
type memo[K comparable, A, V any] struct {
	limit  int
	makeIt func(A) V
	sizeOf func(V) int

	mu    sync.Mutex
	held  map[K]V
	order []K
	used  int
}

func newMemo[K comparable, A, V any](limit int, makeIt func(A) V, sizeOf func(V) int) *memo[K, A, V] {
	return &memo[K, A, V]{limit: limit, makeIt: makeIt, sizeOf: sizeOf, held: map[K]V{}}
}

// get returns the value of key, made from its argument unless it is there.
func (m *memo[K, A, V]) get(key K, from A) V {
	m.mu.Lock()
	found, ok := m.held[key]
	m.mu.Unlock()
	if ok {
		return found
	}
	made := m.makeIt(from)
	const overhead = 512 // key and administration
	size := m.sizeOf(made) + overhead
	if size > m.limit/4 {
		return made
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if found, ok := m.held[key]; ok { // another document was faster
		return found
	}
	m.held[key], m.order, m.used = made, append(m.order, key), m.used+size
	for m.used > m.limit {
		m.used -= m.sizeOf(m.held[m.order[0]]) + overhead
		delete(m.held, m.order[0])
		m.order = m.order[1:]
	}
	return made
}
