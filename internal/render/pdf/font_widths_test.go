package pdf

import (
	"math"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

// What the fonts' own tables say, as published: pdf.js 4.10 for Segoe UI, Gelasio and capsize for
// Georgia. Their em is 2048 units.
func TestTextInAFontOfOfficeHasItsWidthsAndLines(t *testing.T) {
	t.Parallel()
	const em = 2048.0
	for family, want := range map[string]struct {
		letters map[rune]float64
		line    float64
	}{
		"Segoe UI": {map[rune]float64{' ': 561, 'a': 1042, 'e': 1071, 'n': 1158, 'M': 1839, '0': 1104}, 2724},
		"Georgia":  {map[rune]float64{' ': 494, 'a': 1032, 'e': 989, 'n': 1210, 'M': 1899, '0': 1257}, 2327},
	} {
		f := EmbeddedFonts().Face(family, false, false)
		for r, units := range want.letters {
			if got, _ := f.Advance(r, em); math.Abs(got-units) > 2 {
				t.Errorf("%s: %q is %.0f units wide, want %.0f", family, r, got, units)
			}
		}
		if got := f.Ascent(em) + f.Descent(em) + f.LineGap(em); math.Abs(got-want.line) > 2 {
			t.Errorf("%s: lines are %.0f units high, want %.0f", family, got, want.line)
		}
		bold := EmbeddedFonts().Face(family, true, false)
		if plain, own := width(f, 'n'), width(bold, 'n'); own <= plain {
			t.Errorf("%s: a bold n is %.3f em wide, a plain one %.3f", family, own, plain)
		}
		if got := f.Kern('A', 'V', 1000); got != 0 {
			t.Errorf("%s: got the kerning %.0f of another font", family, got)
		}
	}
}

func width(f *Face, r rune) float64 {
	w, _ := f.Advance(r, 1)
	return w
}

// Letters fill their widths: a reader who follows the widths in the PDF finds each at its place.
func TestLettersOfMeasuredFontsAreAsWideAsTheirFont(t *testing.T) {
	t.Parallel()
	own, letters := EmbeddedFonts().Face("Georgia", false, false), EmbeddedFonts().Face("Times New Roman", false, false)
	for _, r := range "nHé" {
		gid, _ := own.glyph(r)
		stretch := width(own, r) / width(letters, r)
		right := func(f *Face) float64 {
			outline := f.tables.outline(uint16(gid))
			const xMax = 6
			return float64(int16(uint16(outline[xMax])<<8 | uint16(outline[xMax+1])))
		}
		if got, want := right(own), right(letters)*stretch; math.Abs(got-want) > 2 {
			t.Errorf("%c ends at %.0f, want %.0f", r, got, want)
		}
		advance, left := own.tables.metric(uint16(gid))
		_, before := letters.tables.metric(uint16(gid))
		if math.Abs(float64(advance)/2048-width(own, r)) > 0.001 || math.Abs(float64(int16(left))-float64(int16(before))*stretch) > 1 {
			t.Errorf("%c: got the metric %d, %d", r, advance, int16(left))
		}
	}
	c := newPage()
	end := c.Text(10, 50, "Élan vital, 100 %", own, 20, red)
	file := finished(t, c)
	if got := strings.TrimSpace(rendertest.Tool(t, file, "pdftotext", "FILE", "-")); got != "Élan vital, 100 %" {
		t.Errorf("the PDF says %q", got)
	}
	words := rendertest.Words(t, file)
	rendertest.Near(t, "the end of the text", words[len(words)-1].Right, end, 0.1)
	if list := rendertest.Tool(t, file, "pdffonts", "FILE"); !strings.Contains(list, "LiberationSerifforGeorgia-Regular") {
		t.Errorf("the PDF has the fonts\n%s", list)
	}
}

func TestAFileOfWidthsIsRead(t *testing.T) {
	t.Parallel()
	const text = "# of a font\nlines 900 200 30\nregular\n0041 500 600\n0061 400\nbold\n0041 700\n"
	got, err := readWidths(text, "regular")
	if err != nil || got.ascent != 900 || got.descent != 200 || got.lineGap != 30 || len(got.widths) != 3 || got.widths['B'] != 600 || got.widths['a'] != 400 {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err = readWidths(text, "bold"); err != nil || len(got.widths) != 1 || got.widths['A'] != 700 {
		t.Errorf("bold: got %+v, %v", got, err)
	}
	for _, wrong := range []string{"lines a 1 2", "regular\nxyz 1", "regular\n0041 wide"} {
		if _, err := readWidths(wrong, "regular"); err == nil {
			t.Errorf("%q is no file of widths", wrong)
		}
	}
}
