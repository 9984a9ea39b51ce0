package lang

import (
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// How much codes hold.
const (
	maxVersion    = 40
	maxQR         = 2331 // bytes, at level M (ISO/IEC 18004, table 7, version 40-M)
	ofCharset     = 2    // bytes, which say that a text beyond ASCII is UTF-8
	maxCode128    = 80   // characters; scanners read at most so many at the size of a page
	maxDataMatrix = 1304 // ASCII characters in 132x132 modules (ISO/IEC 16022, table 7)
)

// readCode sees that a code can hold a text, and returns what it holds: an EAN-13 gets its
// check digit.
func readCode(c syntax.Symbology, text string) (string, *Finding) {
	switch c {
	case syntax.SymbologyEAN13:
		return readEAN13(text)
	case syntax.SymbologyCode128:
		return readASCII(text, "Code 128", maxCode128)
	case syntax.SymbologyDataMatrix:
		return readASCII(text, "Data Matrix", maxDataMatrix)
	}
	longest := maxQR
	if !isASCII(text) && LargestQR(text) == maxVersion {
		longest -= ofCharset
	}
	if len(text) > longest {
		return "", dataFindingf("code_too_long", "A QR code holds at most %d bytes of text, in which a letter beyond ASCII takes two to four.", longest)
	}
	return text, nil
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// LargestQR is the largest version of a QR code that a text may have: 13 for a GiroCode
// (EPC069-12, 3.2), 25 for a QR-bill (Implementation Guidelines 2.3, 6.2), and 40 for any
// other.
func LargestQR(text string) int {
	switch {
	case giroPattern.MatchString(text):
		return 13
	case IsSwiss(text):
		return 25
	}
	return maxVersion
}

func readASCII(text, name string, longest int) (string, *Finding) {
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }):
		return "", dataFindingf("code_unusable", "A %s holds letters from A to Z, digits and signs of ASCII alone. A QR code holds any text.", name)
	case len(text) > longest:
		return "", dataFindingf("code_too_long", "A %s holds at most %d characters here.", name, longest)
	}
	return text, nil
}

func readEAN13(text string) (string, *Finding) {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(text)
	if n := len(digits); n != 12 && n != 13 || strings.Trim(digits, "0123456789") != "" {
		return "", dataFindingf("code_unusable", "An EAN-13 has 13 digits, or 12 without its check digit. Send it as a text: a number loses its zeros in front.")
	}
	sum := 0
	for i, digit := range digits[:12] {
		sum += int(digit-'0') * (1 + 2*(i%2))
	}
	full := digits[:12] + string(rune('0'+(10-sum%10)%10))
	if len(digits) == 13 && digits != full {
		return "", dataFindingf("code_unusable", "The last digit of an EAN-13 checks the others: here it must be %s.", full[12:])
	}
	return full, nil
}

// Pictures of codes, as Obtain has them drawn.
const (
	// ModulePixels is the side of a module: enough for print at the sizes that codes have.
	ModulePixels = 8
	// SwissSide is the side of a Swiss QR code and SwissMargin what must be free around
	// it, in millimetres (Implementation Guidelines QR-bill 2.3, 6.4).
	SwissSide, SwissMargin = 46, 5
)

// sizeOfCode is the box of a code whose tag says none, in points. A QR code is 30 mm wide; a
// Swiss one has its size from its standard. Others have the modules of their standards:
// 0.33 mm, and 0.5 mm in a Data Matrix.
func sizeOfCode(c syntax.Symbology, text string, drawn Obtained) (width, height float64) {
	side := 30.0
	switch {
	case c == syntax.SymbologyQR && IsSwiss(text):
		side = SwissSide + 2*SwissMargin
	case c == syntax.SymbologyDataMatrix:
		side = float64(drawn.Width) / ModulePixels * 0.5
	case c != syntax.SymbologyQR:
		const module = 0.33 / ModulePixels * syntax.PointsPerMM
		return float64(drawn.Width) * module, float64(drawn.Height) * module
	}
	return side * syntax.PointsPerMM, side * syntax.PointsPerMM
}
