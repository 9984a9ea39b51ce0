package office

import (
	"embed"
	"fmt"
	"io/fs"
)

// The parts of new files, as they stand in the containers.
//
//go:embed all:blank
var blankParts embed.FS

// NewDocument returns an empty .docx: one A4 page, Arial 11, and the styles
// Normal, Heading 1 to 3, Title, Subtitle, List Bullet and List Number. It is
// the same file each time.
func NewDocument() ([]byte, error) { return blankFile("blank/document") }

// NewPresentation returns a .pptx in 16:9 with one empty slide, a master, a
// blank layout, one with a title, and a plain theme. It is the same file each
// time.
func NewPresentation() ([]byte, error) { return blankFile("blank/presentation") }

func blankFile(dir string) ([]byte, error) {
	files, err := fs.Sub(blankParts, dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	data, err := Pack(files)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", dir, err)
	}
	return data, nil
}
