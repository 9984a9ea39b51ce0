package layout

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/platenhq/platen/internal/drive/office"
)

// pixels is the first page of a PDF as an independent reader paints it, with
// two pixels to a point.
type pixels struct{ image.Image }

const perPoint = 2

func painted(t *testing.T, pdf []byte) pixels {
	t.Helper()
	img, err := png.Decode(bytes.NewReader([]byte(tool(t, pdf, "pdftoppm", "-png", "-r", "144", "-f", "1", "-l", "1", "FILE"))))
	if err != nil {
		t.Fatal(err)
	}
	return pixels{img}
}

// paintedDocument lays a document out and paints its first page.
func paintedDocument(t *testing.T, d docx) (pixels, []Finding) {
	t.Helper()
	pdf, findings := laidOut(t, d)
	return painted(t, pdf), findings
}

// at is the colour of a place given in points.
func (p pixels) at(x, y float64) office.RGB {
	r, g, b, _ := p.At(int(x*perPoint), int(y*perPoint)).RGBA()
	return office.RGB{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8)}
}

func (p pixels) white(x, y float64) bool { return p.at(x, y) == office.RGB{R: 255, G: 255, B: 255} }

// extent is where the ink between two heights begins and ends, in points.
func (p pixels) extent(top, bottom float64) (left, right float64) {
	left, right = -1, -1
	for x := range p.Bounds().Dx() {
		for y := int(top * perPoint); y < int(bottom*perPoint); y++ {
			if at := float64(x) / perPoint; !p.white(at, float64(y)/perPoint) {
				if left < 0 {
					left = at
				}
				right = at
			}
		}
	}
	return left, right
}
