package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/go-text/typesetting/font"

	"github.com/platenhq/platen/internal/office/dml"
)

func TestFamiliesOfDocumentsGetFontsWithTheirMetrics(t *testing.T) {
	t.Parallel()
	for family, want := range map[string]string{
		"Arial": liberationSans, "helvetica": liberationSans, "Times New Roman": liberationSerif, "Courier New": liberationMono,
		"Calibri": carlito, "Calibri Light": carlito, "Cambria": caladea, "Verdana": dejaVuSans, "Arial Black": dejaVuSans,
		"Segoe UI Semibold": carlito, "JetBrains Mono": liberationMono, "PT Serif": liberationSerif, "No Such Font": dejaVuSans,
		"": liberationSerif,
	} {
		if got := Substitute(family); got != want {
			t.Errorf("%q is set in %q, want %q", family, got, want)
		}
	}
}

func TestLineHeightsAreThoseOfTheOfficeFonts(t *testing.T) {
	t.Parallel()
	for family, want := range map[string]float64{"Calibri": 1.2207, "Cambria": 1.15, "Arial": 1.149, "Times New Roman": 1.149} {
		if got := EmbeddedFonts().Face(family, false, false).LineHeight(1); math.Abs(got-want) > 0.001 {
			t.Errorf("line height of %s is %.4f em, want %.4f", family, got, want)
		}
	}
}

func TestEveryFaceSetsWesternText(t *testing.T) {
	t.Parallel()
	for _, f := range EmbeddedFonts().faces {
		f.ready()
		for _, r := range "AZaz09.,;:!?()€äöüßéèñçåøœ–—“”’…" {
			if w, ok := f.Advance(r, 10); !ok || w <= 0 {
				t.Errorf("%s: advance of %q is %v, %v", f.Name, r, w, ok)
			}
		}
		if k := f.Kern('A', 'V', 1); f.Family != liberationMono && k >= 0 {
			t.Errorf("%s does not kern AV", f.Name)
		}
		if k := f.Kern('n', 'n', 1); math.Abs(k) > 0.02 {
			t.Errorf("%s kerns nn by %v em", f.Name, k)
		}
	}
}

func TestFallbackFindsSymbols(t *testing.T) {
	t.Parallel()
	for _, r := range "☐✓→≤" {
		if f := EmbeddedFonts().Fallback(r, false, false); f == nil || !f.Has(r) {
			t.Errorf("no face for %q", r)
		}
	}
	if f := EmbeddedFonts().Fallback('漢', false, false); f != nil {
		t.Errorf("%s claims a character that no embedded font has", f.Name)
	}
}

func TestAnEmbeddedFontDrawsItsLettersAsTheWholeFontDoes(t *testing.T) {
	t.Parallel()
	for _, f := range newFontSet().faces {
		whole, _, err := parseFace(f.load())
		if err != nil {
			t.Fatal(err)
		}
		f.ready()
		letter := '\u01D5' // Ü with a macron: a composite of composites in some fonts
		gid, ok := f.glyph(letter)
		if !ok {
			letter = 'é'
			gid, _ = f.glyph(letter)
		}
		file := embedded(t, f, letter)
		got, _, err := parseFace(completed(file, f.tables))
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		want, _ := whole.GlyphDataOutline(font.GID(gid))
		if outline, _ := got.GlyphDataOutline(font.GID(gid)); len(want.Segments) == 0 || !slices.Equal(outline.Segments, want.Segments) {
			t.Errorf("%s: %q has %d segments in the PDF, %d in the font, or others", f.Name, letter, len(outline.Segments), len(want.Segments))
		}
		if w := whole.HorizontalAdvance(font.GID(gid)); got.HorizontalAdvance(font.GID(gid)) != w {
			t.Errorf("%s: %q is %v wide in the PDF, %v in the font", f.Name, letter, got.HorizontalAdvance(font.GID(gid)), w)
		}
		if size := len(compressQuickly(file)); size > 2<<10 {
			t.Errorf("%s: a font of one letter takes %d bytes", f.Name, size)
		}
	}
}

// embedded is the font that a PDF of one letter has.
func embedded(t *testing.T, f *Face, letter rune) []byte {
	t.Helper()
	c := NewCanvas("", "")
	c.AddPage(100, 100)
	c.Text(10, 50, string(letter), f, 12, dml.RGB{})
	objects, err := splitObjects(finished(t, c))
	if err != nil {
		t.Fatal(err)
	}
	file := c.fonts[0].object // the object behind it
	compressed, err := zlib.NewReader(bytes.NewReader(streamOf(objects[file])))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(compressed)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// completed is an embedded font with those tables of the whole one that it leaves out.
func completed(data []byte, whole *glyphTables) []byte {
	tables := []table{{"OS/2", whole.tables["OS/2"]}, {"post", whole.tables["post"]}, {"cmap", whole.tables["cmap"]}, {"name", whole.tables["name"]}}
	for i := range int(binary.BigEndian.Uint16(data[4:])) {
		at := data[12+16*i:]
		off, size := binary.BigEndian.Uint32(at[8:]), binary.BigEndian.Uint32(at[12:])
		tables = append(tables, table{string(at[:4]), data[off : off+size]})
	}
	return writeTables(tables)
}

func TestABrokenFontIsRefused(t *testing.T) {
	t.Parallel()
	data, err := fontFiles.ReadFile("fonts/Caladea-Regular.ttf")
	if err != nil {
		t.Fatal(err)
	}
	for cut := range 40 { // cut off anywhere: an error, no panic
		if _, err := readGlyphTables(data[:cut*len(data)/40]); err == nil {
			t.Errorf("a font cut off after %d of 40 parts was taken", cut)
		}
	}
}
