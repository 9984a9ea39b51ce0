package pdf

import (
	"bytes"
	"crypto/sha256"
	"sync"

	"github.com/klauspost/compress/zlib"

	"github.com/platenhq/platen/internal/cache"
)

// maxCachedPictures bounds the pictures that documents share in memory, in bytes.
const maxCachedPictures = 32 << 20

// sharedPictures are known by the hash of their file: a letterhead's logo comes
// back with every document.
var sharedPictures = sync.OnceValue(func() *cache.Cache[preparedPicture] {
	return cache.New(maxCachedPictures, preparedPicture.size)
})

// prepareShared prepares a picture that another document may have had. Nobody
// may write to what it returns.
func prepareShared(hash [sha256.Size]byte, file []byte) preparedPicture {
	key := string(hash[:])
	prepared, ok := sharedPictures().Get(key)
	if !ok {
		prepared = preparePicture(file)
		sharedPictures().Put(key, prepared)
	}
	return prepared
}

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
