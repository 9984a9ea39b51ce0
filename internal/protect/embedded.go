package protect

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// ErrNothingEmbedded is a PDF without the file that is looked for.
var ErrNothingEmbedded = errors.New("the PDF has no such file embedded")

// maxNodes and maxLevels bound the tree of names of a PDF that somebody else made; it may
// be a circle.
const (
	maxNodes  = 10_000
	maxLevels = 16
)

// Embedded reads the first embedded file of a PDF that has one of the names, whatever their
// capital letters. The names stand in order of preference. ErrNothingEmbedded: there is
// none. Nothing else of the PDF is validated.
func Embedded(pdf []byte, names ...string) (content []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil { // the library panics on some broken files
			err = unreadable(fmt.Errorf("panic: %v", cause))
		}
	}()
	preparePDFCPU()
	read, err := api.ReadContext(bytes.NewReader(pdf), appending())
	if err != nil {
		return nil, unreadable(err)
	}
	root, err := read.Catalog()
	if err != nil {
		return nil, unreadable(err)
	}
	tree := dictIn(read, dictIn(read, root, "Names"), "EmbeddedFiles")
	files := map[string]types.Dict{}
	nodes := 0
	gatherFiles(read, tree, files, maxLevels, &nodes)
	for _, name := range names {
		file := files[strings.ToLower(name)]
		if file == nil {
			continue
		}
		streams := dictIn(read, file, "EF")
		for _, key := range []string{"UF", "F"} {
			stream, _, err := read.DereferenceStreamDict(streams[key])
			if err != nil || stream == nil {
				continue
			}
			if err := stream.DecodeWithLimit(limits.MaxDecodeBytes); err != nil {
				return nil, unreadable(err)
			}
			return stream.Content, nil
		}
	}
	return nil, ErrNothingEmbedded
}

// gatherFiles has the file specifications of a tree of names by the names of their files.
func gatherFiles(read *model.Context, node types.Dict, files map[string]types.Dict, levels int, nodes *int) {
	if *nodes++; *nodes > maxNodes || levels == 0 || node == nil {
		return
	}
	if kids, err := read.DereferenceArray(node["Kids"]); err == nil {
		for _, kid := range kids {
			inner, err := read.DereferenceDict(kid)
			if err == nil {
				gatherFiles(read, inner, files, levels-1, nodes)
			}
		}
	}
	named, err := read.DereferenceArray(node["Names"])
	if err != nil {
		return
	}
	for i := 1; i < len(named); i += 2 {
		file, err := read.DereferenceDict(named[i])
		if err != nil || file == nil {
			continue
		}
		for _, o := range []types.Object{file["UF"], file["F"], named[i-1]} {
			if o == nil {
				continue
			}
			if name, err := read.DereferenceStringOrHexLiteral(o, model.V10, nil); err == nil && name != "" {
				files[strings.ToLower(name)] = file
			}
		}
	}
}

// dictIn is a dictionary in another, nil without it.
func dictIn(read *model.Context, outer types.Dict, key string) types.Dict {
	if outer == nil {
		return nil
	}
	inner, err := read.DereferenceDict(outer[key])
	if err != nil {
		return nil
	}
	return inner
}

func unreadable(cause error) error {
	return fmt.Errorf("the PDF cannot be read, or asks for a password: %w", cause)
}
