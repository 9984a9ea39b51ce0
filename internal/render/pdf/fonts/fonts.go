// Package fonts holds the fonts of the program and the widths of some others. What is
// drawn with them is not for this package.
package fonts

import (
	"embed"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// They are compressed, by zstd --ultra -22: 21 MB are 9 so.
//
//go:embed *.ttf.zst *.txt widths/*.txt scripts/*.ttf.zst scripts/*.txt
var files embed.FS

var read sync.Map // functions that return the fonts, by their names

// Read returns a font: "Carlito-Bold", "scripts/NotoSansLao-Regular". It decompresses the
// font at the first call, and all callers share it. It panics for a name that there is not.
func Read(name string) []byte {
	font, _ := read.LoadOrStore(name, sync.OnceValue(func() []byte { return decompress(name) }))
	return font.(func() []byte)()
}

func decompress(name string) []byte {
	compressed, err := files.ReadFile(name + ".ttf.zst")
	if err != nil {
		panic(fmt.Sprintf("embedded font: %v", err))
	}
	data, err := decoder().DecodeAll(compressed, nil)
	if err != nil {
		panic(fmt.Sprintf("embedded font %s: %v", name, err))
	}
	return data
}

// decoder is made once: that takes longer than to decompress a small font.
var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err) // an option that does not exist
	}
	return d
})

// Widths returns the widths of a font that is not here: "Georgia".
func Widths(name string) string {
	text, err := files.ReadFile("widths/" + name + ".txt")
	if err != nil {
		panic(fmt.Sprintf("embedded widths: %v", err))
	}
	return string(text)
}
