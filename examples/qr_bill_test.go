package examples_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"github.com/platenhq/platen/examples"
)

// TestThePaymentPartIsOneThatABankTakes measures the page and reads its code with programs
// of other people. Sizes are those of the Swiss Implementation Guidelines QR-bill 2.3,
// chapter 3 and annex A.
func TestThePaymentPartIsOneThatABankTakes(t *testing.T) {
	t.Parallel()
	e, err := examples.Get(examples.QRBill)
	if err != nil {
		t.Fatal(err)
	}
	pdf := outputOf(t, examples.QRBill, e.Event)
	pages := pagesOf(t, pdf)
	if len(pages) != 2 {
		t.Fatalf("got %d pages, want the invoice and the payment part", len(pages))
	}
	for _, want := range []string{"Net", "1 874.50", "VAT 8.1%", "151.83", "2 026.35"} {
		if !strings.Contains(pages[0], want) {
			t.Errorf("the invoice does not say %q:\n%s", want, pages[0])
		}
	}
	file := filepath.Join(t.TempDir(), "bill.pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct {
		word     string
		left, up float64 // millimetres from the left edge and from the foot of the page, at most 1.5 away
	}{{"Receipt", 5, 100}, {"Payment", 67, 100}, {"Acceptance", 40, 23}} {
		if left, up := placeOf(t, file, w.word); math.Abs(left-w.left) > 1.5 || math.Abs(up-w.up) > 1.5 {
			t.Errorf("%s stands %.1f mm from the left and %.1f mm above the foot, want %.1f and %.1f", w.word, left, up, w.left, w.up)
		}
	}
	want := strings.Join([]string{
		"SPC", "0200", "1", "CH4431999123000889012",
		"S", "Seeufer Werft AG", "Hafenstrasse", "12", "8808", "Pfäffikon SZ", "CH",
		"", "", "", "", "", "", "", "2026.35", "CHF",
		"S", "Segelclub Rapperswil", "Seestrasse", "28", "8640", "Rapperswil", "CH",
		"QRR", "210000000003139471430009017", "Invoice 2026-0113", "EPD",
	}, "\n")
	if diff := cmp.Diff(want, codeOf(t, file, 2)); diff != "" {
		t.Errorf("the code (-want +got):\n%s", diff)
	}
}

// placeOf is where the last page of a PDF has a word, by poppler: in millimetres, its
// left end from the left edge and its upper end from the foot.
func placeOf(t *testing.T, file, word string) (left, up float64) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "pdftotext", "-bbox", file, "-").Output()
	if err != nil {
		t.Fatalf("pdftotext: %v", err)
	}
	var html struct {
		Pages []struct {
			Height float64 `xml:"height,attr"`
			Words  []struct {
				Left float64 `xml:"xMin,attr"`
				Top  float64 `xml:"yMin,attr"`
				Text string  `xml:",chardata"`
			} `xml:"word"`
		} `xml:"body>doc>page"`
	}
	if err := xml.Unmarshal(out, &html); err != nil {
		t.Fatal(err)
	}
	const millimetre = 72 / 25.4
	page := html.Pages[len(html.Pages)-1]
	for i := len(page.Words) - 1; i >= 0; i-- {
		if w := page.Words[i]; w.Text == word {
			return w.Left / millimetre, (page.Height - w.Top) / millimetre
		}
	}
	t.Fatalf("no word %q on the last page", word)
	return 0, 0
}

// codeOf is the text of the QR code of a page, drawn by poppler at 300 dots to the inch
// and read by ZXing's reader.
func codeOf(t *testing.T, file string, page int) string {
	t.Helper()
	drawn, err := exec.CommandContext(t.Context(), "pdftoppm", "-r", "300", "-png", "-f", fmt.Sprint(page), "-singlefile", file).Output()
	if err != nil {
		t.Fatalf("pdftoppm: %v", err)
	}
	picture, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	bits, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	read, err := qrcode.NewQRCodeReader().Decode(bits, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true, gozxing.DecodeHintType_CHARACTER_SET: "UTF-8"})
	if err != nil {
		t.Fatalf("the code is not read: %v", err)
	}
	return read.GetText()
}
