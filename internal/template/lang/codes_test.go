package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

const codes = `{"Article": "400638133393", "Whole": "4006381333931", "Spaced": "4-006381 333931", "Wrong": "4006381333932", "Short": 6381333931, "Umlaut": "Größe", "Two": "a\nb",
	"Long": "` + "LONG" + `", "Null": null, "Swiss": "SPC\n0200\n1\nCH", "Windows": "SPC\r\n0200\r\n1\r\nCH"}`

// drawnAs fills a line whose codes are drawn so many pixels wide and high, and returns
// what they hold, and their boxes in millimetres.
func drawnAs(t *testing.T, template string, width, height int) (held []string, findings []lang.Finding) {
	t.Helper()
	e := evaluator(t, strings.Replace(codes, "LONG", strings.Repeat("x", 1305), 1))
	e.ObtainWith(func(p lang.Picture) (lang.Obtained, error) {
		return lang.Obtained{URI: string(p.Code) + " " + p.Source, Width: width, Height: height}, nil
	})
	for _, span := range e.Fill(e.ReadLine(template), nil, false) {
		if p := span.Picture; p != nil {
			held = append(held, fmt.Sprintf("%s %.1fx%.1f", p.URI, p.Width*25.4/72, p.Height*25.4/72))
		}
	}
	return held, e.Findings()
}

func TestCodesHoldWhatTheirTagNamesInTheirOwnSize(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"{{ean13 Article}}":            "ean13 4006381333931 38.6x22.8",
		"{{ean13 Whole}}":              "ean13 4006381333931 38.6x22.8",
		"{{ean13 Spaced}}":             "ean13 4006381333931 38.6x22.8",
		"{{ean13 Whole 30mm}}":         "ean13 4006381333931 30.0x0.0",
		"{{Code128 Whole}}":            "code128 4006381333931 38.6x22.8",
		"{{code128 Whole 60x12mm}}":    "code128 4006381333931 60.0x12.0",
		"{{datamatrix Whole}}":         "datamatrix 4006381333931 58.5x58.5",
		"{{datamatrix \"SN \" & Two}}": "",
		"{{qr Whole}}":                 "qr 4006381333931 30.0x30.0",
		"{{qr Swiss}}":                 "qr SPC\n0200\n1\nCH 56.0x56.0",
		"{{qr Windows}}":               "qr SPC\r\n0200\r\n1\r\nCH 56.0x56.0", // the guidelines allow either end of lines
		"{{qr Swiss 40mm}}":            "qr SPC\n0200\n1\nCH 40.0x0.0",
		"{{ean13 Null}}":               "",
	} {
		got, _ := drawnAs(t, tag, 117*8, 69*8)
		if strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, want %q", tag, got, want)
		}
	}
}

func TestATextThatNoCodeHoldsIsSaid(t *testing.T) {
	t.Parallel()
	const unusable = "code_unusable: "
	for tag, want := range map[string]string{
		"{{ean13 Wrong}}":       unusable + "Wrong: The last digit of an EAN-13 checks the others: here it must be 1.",
		"{{ean13 Short}}":       unusable + "Short: An EAN-13 has 13 digits, or 12 without its check digit. Send it as a text: a number loses its zeros in front.",
		"{{ean13 Umlaut}}":      unusable + "Umlaut: An EAN-13 has 13 digits, or 12 without its check digit. Send it as a text: a number loses its zeros in front.",
		"{{code128 Umlaut}}":    unusable + "Umlaut: A Code 128 holds letters from A to Z, digits and signs of ASCII alone. A QR code holds any text.",
		"{{datamatrix Umlaut}}": unusable + "Umlaut: A Data Matrix holds letters from A to Z, digits and signs of ASCII alone. A QR code holds any text.",
		"{{code128 Two}}":       unusable + "Two: A Code 128 holds letters from A to Z, digits and signs of ASCII alone. A QR code holds any text.",
		"{{code128 Long}}":      "code_too_long: Long: A Code 128 holds at most 80 characters here.",
		"{{datamatrix Long}}":   "code_too_long: Long: A Data Matrix holds at most 1304 characters here.",
	} {
		held, findings := drawnAs(t, tag, 8, 8)
		got := ""
		for _, f := range findings {
			got += f.Code + ": " + f.Message
		}
		if got != want || len(held) > 0 {
			t.Errorf("%s: got %q with %q, want %q", tag, held, got, want)
		}
		if len(findings) == 1 && !findings[0].Data {
			t.Errorf("%s: the data is to blame, not the template", tag)
		}
	}
}
