package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"unicode"

	"github.com/boombuler/barcode/code128"
	"github.com/boombuler/barcode/datamatrix"
	"github.com/boombuler/barcode/ean"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode/decoder"
	"github.com/makiuchi-d/gozxing/qrcode/encoder"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

const module = lang.ModulePixels

// A margin is what must be free around a code, in modules.
type margin struct{ sides, ends int }

// drawCode draws a code of a text as a PNG, with the margin of its standard. QR codes
// have the error correction level M.
func drawCode(kind syntax.Symbology, text string) ([]byte, error) {
	drawn, err := encode(kind, text)
	if err != nil {
		return nil, platen.Errorf(platen.KindInvalid, "code_too_long", "A code of this kind cannot hold this text: it is too long.")
	}
	var out bytes.Buffer
	if err := png.Encode(&out, drawn); err != nil {
		return nil, fmt.Errorf("draw the code: %w", err)
	}
	return out.Bytes(), nil
}

func encode(kind syntax.Symbology, text string) (image.Image, error) {
	switch kind {
	case syntax.SymbologyEAN13:
		code, err := ean.Encode(text)
		const height = 69 // 22.85 mm (GS1 General Specifications, 5.2.3.1)
		return paint(code, err, height, margin{sides: 11})
	case syntax.SymbologyCode128:
		code, err := code128.Encode(text)
		const height = 45 // 15 mm
		return paint(code, err, height, margin{sides: 10})
	case syntax.SymbologyDataMatrix:
		code, err := datamatrix.Encode(text)
		return paint(code, err, 0, margin{1, 1})
	}
	code, err := encodeQR(text)
	if err == nil && lang.IsSwiss(text) {
		return paintSwiss(code), nil
	}
	const quiet = 4 // ISO/IEC 18004, 5.3.8
	return paint(code, err, 0, margin{quiet, quiet})
}

// encodeQR encodes a text as a QR code of the error correction level M, with one pixel for
// each module. A text beyond ASCII is UTF-8 and says so (ECI 26): without it bytes are ISO
// 8859-1 by the standard (ISO/IEC 18004, 7.3.2), and what readers guess in truth.
func encodeQR(text string) (image.Image, error) {
	var hints map[gozxing.EncodeHintType]any
	if !isASCII(text) {
		hints = map[gozxing.EncodeHintType]any{gozxing.EncodeHintType_CHARACTER_SET: "UTF-8"}
	}
	code, err := encoder.Encoder_encode(text, decoder.ErrorCorrectionLevel_M, hints)
	if largest := lang.LargestQR(text); hints != nil && (err != nil || code.GetVersion().GetVersionNumber() > largest) {
		// The 12 bits that say so are too many: the standard of the payment, which says
		// itself that it is UTF-8, allows no larger code.
		code, err = encoder.Encoder_encode(text, decoder.ErrorCorrectionLevel_M, nil)
	}
	if err != nil {
		return nil, err
	}
	modules := code.GetMatrix()
	drawn := blank(modules.GetWidth(), modules.GetHeight())
	for y := range modules.GetHeight() {
		for x := range modules.GetWidth() {
			if modules.Get(x, y) == 1 {
				drawn.Pix[drawn.PixOffset(x, y)] = black
			}
		}
	}
	return drawn, nil
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// paint draws a code with its margin; height is in modules where it has bars, and 0
// where it has rows of its own.
func paint(code image.Image, err error, height int, around margin) (*image.Paletted, error) {
	if err != nil {
		return nil, err
	}
	columns, rows := code.Bounds().Dx(), code.Bounds().Dy()
	tall := 1
	if height > 0 {
		rows, tall = 1, height
	}
	drawn := blank((columns+2*around.sides)*module, (rows*tall+2*around.ends)*module)
	for y := range rows {
		for x := range columns {
			if isDark(code, x, y) {
				left, top := (x+around.sides)*module, (y+around.ends)*module
				fill(drawn, image.Rect(left, top, left+module, top+tall*module), black)
			}
		}
	}
	return drawn, nil
}

// paintSwiss draws the code of a QR-bill with its margin and the cross in its middle:
// 7 mm of white, and on it a black square of 6.5 mm with a white cross (Implementation
// Guidelines QR-bill 2.3, 6.4.2). The cross has the proportions of the Swiss coat of
// arms: its arms are a sixth longer than wide.
func paintSwiss(code image.Image) *image.Paletted {
	modules := code.Bounds().Dx()
	side := modules * module
	mm := func(length float64) int { return int(length*float64(side)/lang.SwissSide + 0.5) }
	edge := mm(lang.SwissMargin)
	drawn := blank(side+2*edge, side+2*edge)
	for y := range modules {
		for x := range modules {
			if isDark(code, x, y) {
				left, top := edge+x*module, edge+y*module
				fill(drawn, image.Rect(left, top, left+module, top+module), black)
			}
		}
	}
	middle := (side + 2*edge) / 2
	around := func(width, height float64) image.Rectangle {
		w, h := mm(width/2), mm(height/2)
		return image.Rect(middle-w, middle-h, middle+w, middle+h)
	}
	const arm = 3.9 // millimetres, over both arms; 7/6 and 6/6 of 1.17 on each side of a centre as wide
	const wide = arm * 6 / 20
	fill(drawn, around(7, 7), white)
	fill(drawn, around(6.5, 6.5), black)
	fill(drawn, around(arm, wide), white)
	fill(drawn, around(wide, arm), white)
	return drawn
}

const white, black = 0, 1

func blank(width, height int) *image.Paletted {
	return image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{white: color.White, black: color.Black})
}

func isDark(code image.Image, x, y int) bool {
	gray := color.GrayModel.Convert(code.At(x, y)).(color.Gray)
	return gray.Y < 128
}

func fill(p *image.Paletted, area image.Rectangle, with uint8) {
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := p.Pix[p.PixOffset(area.Min.X, y):p.PixOffset(area.Max.X, y)]
		for x := range row {
			row[x] = with
		}
	}
}
