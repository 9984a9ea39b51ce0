package pdf

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/go-text/typesetting/harfbuzz"
	"github.com/go-text/typesetting/language"

	"github.com/platenhq/platen/internal/office/dml"
)

func TestLineHeightsAreThoseOfTheOfficeFonts(t *testing.T) {
	t.Parallel()
	for family, want := range map[string]float64{"Calibri": 1.2207, "Cambria": 1.15, "Arial": 1.149, "Times New Roman": 1.149} {
		f := EmbeddedFonts().Face(family, false, false)
		if got := f.Ascent(1) + f.Descent(1) + f.LineGap(1); math.Abs(got-want) > 0.001 {
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
		if k := f.Kern('A', 'V', 1); f.Family != liberationMono && f.widthsOf == "" && k >= 0 {
			t.Errorf("%s does not kern AV", f.Name)
		}
		if k := f.Kern('n', 'n', 1); math.Abs(k) > 0.02 {
			t.Errorf("%s kerns nn by %v em", f.Name, k)
		}
	}
}

// facesWithOwnWidths are those that nothing was read of yet.
func facesWithOwnWidths() iter.Seq[*Face] {
	return func(yield func(*Face) bool) {
		for _, f := range newFontSet().faces {
			if f.widthsOf == "" && !yield(f) {
				return
			}
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
	if f := EmbeddedFonts().Fallback('\U0002A700', false, false); f != nil {
		t.Errorf("%s claims a character that no embedded font has", f.Name)
	}
}

func TestAnEmbeddedFontDrawsItsLettersAsTheWholeFontDoes(t *testing.T) {
	t.Parallel()
	for f := range facesWithOwnWidths() {
		whole, _, err := parseFace(f.load(), 0)
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
		got, _, err := parseFace(completed(file, f.tables), 0)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		const code = 1
		want, _ := whole.GlyphDataOutline(gid)
		if outline, _ := got.GlyphDataOutline(code); len(want.Segments) == 0 || !slices.Equal(outline.Segments, want.Segments) {
			t.Errorf("%s: %q has %d segments in the PDF, %d in the font, or others", f.Name, letter, len(outline.Segments), len(want.Segments))
		}
		if w := whole.HorizontalAdvance(gid); got.HorizontalAdvance(code) != w {
			t.Errorf("%s: %q is %v wide in the PDF, %v in the font", f.Name, letter, got.HorizontalAdvance(code), w)
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
	objects := objectsOf(t, finished(t, c))
	return inflated(t, streamOf(objects[c.fonts[0].object+2])) // the fourth of its objects
}

// completed is an embedded font with those tables of the whole one that it leaves out.
func completed(data []byte, whole *glyphTables) []byte {
	tables := []table{{"OS/2", whole.tables["OS/2"]}, {"post", whole.tables["post"]}, {"cmap", whole.tables["cmap"]}, {"name", whole.tables["name"]}}
	for tag, content := range tablesOf(data) {
		tables = append(tables, table{tag, content})
	}
	return writeTables(tables)
}

func TestABrokenFontIsRefused(t *testing.T) {
	t.Parallel()
	data := caladeaFile(t)
	for cut := range 40 { // cut off anywhere: an error, no panic
		if _, err := readGlyphTables(data[:cut*len(data)/40], 0); err == nil {
			t.Errorf("a font cut off after %d of 40 parts was taken", cut)
		}
	}
}

// The Core 14 fonts that these replace have these widths in thousandths of an em
// (Adobe's font metrics files).
func TestLettersAreAsWideAsThoseOfTheFontsThatAreReplaced(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		family       string
		bold, italic bool
		widths       map[rune]float64
	}{
		{"Arial", false, false, map[rune]float64{'A': 667, 'i': 222, 'm': 833, ' ': 278, '€': 556, '…': 1000}},
		{"Arial", true, false, map[rune]float64{'A': 722, 'i': 278, 'm': 889}},
		{"Arial", false, true, map[rune]float64{'A': 667, 'i': 222}},
		{"Times New Roman", false, false, map[rune]float64{'A': 722, 'i': 278, 'm': 778, ' ': 250}},
		{"Times New Roman", true, false, map[rune]float64{'A': 722, 'm': 833}},
		{"Times New Roman", false, true, map[rune]float64{'A': 611, 'm': 722}},
		{"Times New Roman", true, true, map[rune]float64{'A': 667, 'm': 778}},
		{"Courier New", true, true, map[rune]float64{'A': 600, 'i': 600, ' ': 600}},
	} {
		f := EmbeddedFonts().Face(want.family, want.bold, want.italic)
		for r, width := range want.widths {
			got, ok := f.Advance(r, 1000)
			if !ok || math.Abs(got-width) > 1 {
				t.Errorf("%s: %q is %.1f wide, want %.0f", f.Name, r, got, width)
			}
			if twice, _ := f.Advance(r, 2000); !isNear(twice, 2*got) {
				t.Errorf("%s: %q is %.1f wide at double size, want %.1f", f.Name, r, twice, 2*got)
			}
		}
	}
}

func TestAFamilyHasFourFaces(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		bold, italic bool
		name         string
	}{{false, false, "Regular"}, {true, false, "Bold"}, {false, true, "Italic"}, {true, true, "BoldItalic"}} {
		f := EmbeddedFonts().Face("Times", want.bold, want.italic)
		if f.Name != "LiberationSerif-"+want.name || f.Family != "Liberation Serif" {
			t.Errorf("got %s of %s, want LiberationSerif-%s", f.Name, f.Family, want.name)
		}
	}
}

// OpenType, tables hhea, OS/2 and post: an underline's position is that of its
// upper edge, a strike-through's, too.
func TestMetricsAreThoseOfTheFontsTables(t *testing.T) {
	t.Parallel()
	for f := range facesWithOwnWidths() {
		tables, err := readGlyphTables(f.load(), 0)
		if err != nil {
			t.Fatal(err)
		}
		f.ready()
		em := float64(binary.BigEndian.Uint16(tables.tables["head"][18:]))
		at := func(tag string, offset int) float64 {
			return float64(int16(binary.BigEndian.Uint16(tables.tables[tag][offset:]))) / em
		}
		ascent, descent, gap := at("hhea", 4), -at("hhea", 6), at("hhea", 8)
		if isTypographic := binary.BigEndian.Uint16(tables.tables["OS/2"][62:])&(1<<7) != 0; isTypographic {
			ascent, descent, gap = at("OS/2", 68), -at("OS/2", 70), at("OS/2", 72)
		}
		under, underThick := f.Underline(10)
		strike, strikeThick := f.Strikethrough(10)
		for what, pair := range map[string][2]float64{
			"ascent":                      {f.Ascent(10), 10 * ascent},
			"descent":                     {f.Descent(10), 10 * descent},
			"line gap":                    {f.LineGap(10), 10 * gap},
			"thickness of underlines":     {underThick, 10 * at("post", 10)},
			"middle of underlines":        {under, 10 * (-at("post", 8) + at("post", 10)/2)},
			"thickness of strikethroughs": {strikeThick, 10 * at("OS/2", 26)},
			"middle of strikethroughs":    {strike, 10 * (at("OS/2", 28) - at("OS/2", 26)/2)},
		} {
			if !isNear(pair[0], pair[1]) {
				t.Errorf("%s: %s: got %.4f, want %.4f", f.Name, what, pair[0], pair[1])
			}
		}
	}
}

func TestAFaceKnowsWhatItLacks(t *testing.T) {
	t.Parallel()
	f := EmbeddedFonts().Face("Calibri", false, false)
	for r, want := range map[rune]bool{'a': true, 'é': true, 'Ж': true, 0x24F: true, '漢': false, 0x10FFFF: false, -1: false} {
		if got := f.Has(r); got != want {
			t.Errorf("Carlito has %U: %v, want %v", r, got, want)
		}
		if w, ok := f.Advance(r, 10); ok != want || (w > 0) != want {
			t.Errorf("Carlito's %U is %v wide, %v; want %v", r, w, ok, want)
		}
	}
}

func TestKerningIsOfPairsThatTheFontHas(t *testing.T) {
	t.Parallel()
	arial := EmbeddedFonts().Face("Arial", false, false)
	for _, want := range []struct {
		a, b rune
		kern float64 // units
	}{{'A', 'V', -152}, {'V', 'A', -152}, {'T', 'o', -227}, {'1', '1', -152}, {'n', 'n', 0}, {'A', '漢', 0}, {'漢', 'A', 0}} {
		for range 2 { // the second time from what was remembered
			if got := arial.Kern(want.a, want.b, 2048); !isNear(got, want.kern) {
				t.Errorf("%c%c: got %v, want %v", want.a, want.b, got, want.kern)
			}
		}
	}
	if got := EmbeddedFonts().missing('漢').Kern('漢', '字', 10); got != 0 {
		t.Errorf("boxes are kerned by %v", got)
	}
}

func TestAFallbackHasTheWeightAndSlantOfItsText(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		r            rune
		bold, italic bool
		name         string
	}{
		{'☐', false, false, "DejaVuSans-Regular"}, {'☐', true, false, "DejaVuSans-Bold"}, {'✓', false, true, "DejaVuSans-Italic"},
		{'a', true, true, "DejaVuSans-BoldItalic"}, // the first that has it
	} {
		f := EmbeddedFonts().Fallback(want.r, want.bold, want.italic)
		if f == nil || f.Name != want.name {
			t.Errorf("%c: got %v, want %s", want.r, f, want.name)
		}
	}
}

func TestAFallbackIsTheFirstFamilyThatHasTheCharacter(t *testing.T) {
	t.Parallel()
	s := EmbeddedFonts()
	for r := rune(0x250); r < 0x2E80; r++ {
		var want *Face
		for _, family := range []string{dejaVuSans, liberationSans, liberationSerif, carlito} {
			if f := s.Face(family, false, false); want == nil && f.Has(r) {
				want = f
			}
		}
		if got := s.Fallback(r, false, false); got != want && (want != nil || got.script == nil) {
			t.Errorf("%U: got %s, want %s", r, nameOf(got), nameOf(want))
		}
	}
}

// DejaVu Sans Oblique has no Arabic, and others lack other letters: the upright font is
// slanted, and the usual one made bold, before a box stands for a letter.
func TestEachLetterOfAFontIsDrawnInEachStyle(t *testing.T) {
	t.Parallel()
	for _, family := range []string{"Arial", "Courier New", "Cambria"} {
		s := EmbeddedFonts()
		missing := map[string][]rune{}
		for r := rune(0x300); r < 0x20000; r++ {
			if plain, _ := FaceFor(s.Face(family, false, false), r); plain.isBoxes {
				continue
			}
			for name, f := range map[string]*Face{"bold": s.Face(family, true, false), "italic": s.Face(family, false, true), "bold italic": s.Face(family, true, true)} {
				drawn, _ := FaceFor(f, r)
				if drawn.isBoxes {
					missing[name] = append(missing[name], r)
				} else if r == 'ع' && (drawn.isBold != f.isBold || drawn.isItalic != f.isItalic || f.isItalic && !drawn.isSlanted) {
					t.Errorf("%s %s: Arabic is drawn with %s", family, name, drawn.Name)
				}
			}
		}
		for name, all := range missing {
			t.Errorf("%s %s: boxes stand for %d letters, such as %q", family, name, len(all), all[0])
		}
	}
}

// Where a font does not say where its marks go, shaping asks for the room that glyphs take.
func TestLettersAndMarksStandWhereTheWholeFontPutsThem(t *testing.T) {
	t.Parallel()
	var marks []rune
	for _, b := range []block{{0x300, 0x36F}, {0x5B0, 0x5C7}, {0x64B, 0x65F}} {
		for r := b.first; r <= b.last; r++ {
			marks = append(marks, r)
		}
	}
	for f := range facesWithOwnWidths() {
		f.ready()
		whole, compared := &Face{advances: f.advances, kerns: kernTable{font: harfbuzz.NewFont(f.outlines()), buf: harfbuzz.NewBuffer()}}, 0
		for _, letter := range "AiqÊσйבب" {
			for _, mark := range marks {
				if !f.Has(letter) || !f.Has(mark) || scriptOf(mark) != language.Common && scriptOf(mark) != scriptOf(letter) {
					continue
				}
				got, want := make([]*Cluster, 3), make([]*Cluster, 3)
				for face, out := range map[*Face][]*Cluster{f: got, whole: want} {
					face.shape([]rune{letter, mark, letter}, 0, 3, letter >= firstComplex, scriptOf(letter), out)
				}
				compared++
				for i := range got {
					if got[i].Advance != want[i].Advance || !slices.Equal(got[i].glyphs, want[i].glyphs) {
						t.Fatalf("%s: %q with %U stands at %+v, want %+v", f.Name, letter, mark, got[i].glyphs, want[i].glyphs)
					}
				}
			}
		}
		if compared == 0 {
			t.Errorf("%s has no letter with a mark", f.Name)
		}
	}
}
