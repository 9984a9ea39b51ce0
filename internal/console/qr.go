package console

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/makiuchi-d/gozxing/qrcode/decoder"
	"github.com/makiuchi-d/gozxing/qrcode/encoder"
)

// quietModules is how many modules around a QR code are free (ISO/IEC 18004, section 6.3.8).
const quietModules = 4

// qrOf draws the QR code of an address as an SVG with this label; empty: the address is too
// long for one. It is dark on light in every colour scheme, as readers expect.
func qrOf(address, label string) template.HTML {
	code, err := encoder.Encoder_encode(address, decoder.ErrorCorrectionLevel_M, nil)
	if err != nil {
		return ""
	}
	modules := code.GetMatrix()
	var path strings.Builder
	for y := range modules.GetHeight() {
		for x := range modules.GetWidth() {
			if modules.Get(x, y) == 1 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quietModules, y+quietModules)
			}
		}
	}
	size := modules.GetWidth() + 2*quietModules
	return template.HTML(fmt.Sprintf(`<svg class="qr" viewBox="0 0 %d %d" role="img" aria-label="%s" shape-rendering="crispEdges"><rect width="%d" height="%d" fill="#fff"/><path fill="#000" d="%s"/></svg>`,
		size, size, template.HTMLEscapeString(label), size, size, path.String()))
}
