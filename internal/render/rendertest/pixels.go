package rendertest

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
)

// Pixels is the first page of a PDF as an independent reader paints it, with
// two pixels to a point.
type Pixels struct{ image.Image }

const perPoint = 2

// Paint has the first page of a PDF painted.
func Paint(t *testing.T, pdf []byte) Pixels {
	t.Helper()
	img, err := png.Decode(bytes.NewReader([]byte(Tool(t, pdf, "pdftoppm", "-png", "-r", "144", "-f", "1", "-l", "1", "FILE"))))
	if err != nil {
		t.Fatal(err)
	}
	return Pixels{img}
}

// Color is the colour of a place given in points.
func (p Pixels) Color(x, y float64) dml.RGB {
	r, g, b, _ := p.Image.At(int(x*perPoint), int(y*perPoint)).RGBA()
	return dml.RGB{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8)}
}

// White tells whether a place given in points has no ink.
func (p Pixels) White(x, y float64) bool { return p.Color(x, y) == dml.RGB{R: 255, G: 255, B: 255} }

// Extent is where the ink between two heights begins and ends, in points.
func (p Pixels) Extent(top, bottom float64) (left, right float64) {
	left, right = -1, -1
	for x := range p.Bounds().Dx() {
		for y := int(top * perPoint); y < int(bottom*perPoint); y++ {
			if at := float64(x) / perPoint; !p.White(at, float64(y)/perPoint) {
				if left < 0 {
					left = at
				}
				right = at
			}
		}
	}
	return left, right
}
