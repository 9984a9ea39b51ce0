// Package blank has the new files that the drive makes: an empty document and
// an empty presentation.
package blank

import (
	"embed"
	"fmt"
	"io/fs"

	"github.com/platenhq/platen/internal/office/opc"
)

// The parts of new files, as they stand in the containers.
//
//go:embed all:document all:presentation
var blankParts embed.FS

// Document returns an empty .docx: one A4 page, Arial 11, and the styles
// Normal, Heading 1 to 3, Title, Subtitle, List Bullet and List Number. It is
// the same file each time.
func Document() ([]byte, error) { return blankFile("document") }

// Presentation returns a .pptx in 16:9 with one empty slide, a master, a
// blank layout, one with a title, and a plain theme. It is the same file each
// time.
func Presentation() ([]byte, error) { return blankFile("presentation") }

func blankFile(dir string) ([]byte, error) {
	files, err := fs.Sub(blankParts, dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	data, err := opc.Pack(files)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", dir, err)
	}
	return data, nil
}
