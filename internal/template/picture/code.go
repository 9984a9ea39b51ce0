package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"github.com/boombuler/barcode/qr"

	"github.com/platenhq/platen"
)

const (
	// quiet is the margin that a code must have around it, in modules
	// (ISO/IEC 18004, 5.3.8).
	quiet = 4
	// module is a side in pixels: enough for print at the sizes that codes have.
	module = 8
)

// drawCode draws a QR code of a text, at error correction level M, as a PNG.
func drawCode(text string) ([]byte, error) {
	encoded, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return nil, platen.Errorf(platen.KindInvalid, "code_too_long", "A QR code cannot hold this text: it is too long.")
	}
	modules := encoded.Bounds().Dx()
	side := (modules + 2*quiet) * module
	drawn := image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.White, color.Black})
	for y := range modules {
		for x := range modules {
			if gray := color.GrayModel.Convert(encoded.At(x, y)).(color.Gray); gray.Y < 128 {
				blacken(drawn, (x+quiet)*module, (y+quiet)*module)
			}
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, drawn); err != nil {
		return nil, fmt.Errorf("draw the QR code: %w", err)
	}
	return out.Bytes(), nil
}

func blacken(p *image.Paletted, x, y int) {
	for dy := range module {
		row := p.Pix[p.PixOffset(x, y+dy):]
		for dx := range module {
			row[dx] = 1
		}
	}
}
