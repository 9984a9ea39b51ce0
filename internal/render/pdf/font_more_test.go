package pdf

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/go-text/typesetting/font"

	"github.com/platenhq/platen/internal/render"
)

// StrangerFont is an embedded font whose A and B stand for 日 and 👍.
func StrangerFont(t *testing.T) []byte {
	t.Helper()
	face := EmbeddedFonts().Face("Cambria", false, false)
	a, _ := face.glyph('A')
	b, _ := face.glyph('B')
	return strangerFont(t, a, b)
}

// strangerFont is an embedded font with these glyphs for 日 and 👍.
func strangerFont(t *testing.T, sun, thumb font.GID) []byte {
	t.Helper()
	whole, err := readGlyphTables(caladeaFile(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	groups := [][3]uint32{{'日', '日', uint32(sun)}, {0x1F44D, 0x1F44D, uint32(thumb)}}
	cmap := []byte{0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12} // one table, for all of Unicode
	cmap = append(cmap, 0, 12, 0, 0)                     // format 12
	for _, n := range []uint32{16 + 12*2, 0, 2} {
		cmap = binary.BigEndian.AppendUint32(cmap, n)
	}
	for _, g := range groups {
		for _, n := range g {
			cmap = binary.BigEndian.AppendUint32(cmap, n)
		}
	}
	var tables []table
	for tag, content := range whole.tables {
		if tag == "cmap" {
			content = cmap
		}
		if tag != "GPOS" && tag != "GSUB" && tag != "GDEF" {
			tables = append(tables, table{tag, content})
		}
	}
	return writeTables(tables)
}

func TestEveryFileThatIsNoFontIsNamed(t *testing.T) {
	t.Parallel()
	good := StrangerFont(t)
	_, err := NewFontSet([]FontFile{{"a.ttf", []byte("no font")}, {"good.ttf", good}, {"b.ttf", good[:len(good)/2]}, {"empty.ttf", nil}})
	for _, name := range []string{"a.ttf", "b.ttf", "empty.ttf"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want a fault of %s", err, name)
		}
	}
	if err != nil && strings.Contains(err.Error(), "good.ttf") {
		t.Errorf("got %v of a good font, too", err)
	}
}

func TestAFontWhoseGlyphsAreMadeOfOthersThatItLacksIsRefused(t *testing.T) {
	t.Parallel()
	whole, err := readGlyphTables(StrangerFont(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	gid, _ := EmbeddedFonts().Face("Cambria", false, false).glyph('é')
	whole.tables["glyf"] = slices.Clone(whole.glyf)
	binary.BigEndian.PutUint16(whole.tables["glyf"][whole.loca[gid]+12:], 0xFFFF) // its first component
	if _, err := NewFontSet([]FontFile{{"broken.ttf", written(whole.tables)}}); err == nil || !strings.Contains(err.Error(), "broken.ttf: glyph") {
		t.Errorf("got %v, want a fault of broken.ttf's glyphs", err)
	}
}

func TestACharacterWhoseGlyphItsFontLacksIsDrawnInAnother(t *testing.T) {
	t.Parallel()
	whole, err := readGlyphTables(caladeaFile(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	last := font.GID(len(whole.loca) - 2)
	s, err := NewFontSet([]FontFile{{"odd.ttf", strangerFont(t, last, last+1)}})
	if err != nil {
		t.Fatal(err)
	}
	for r, want := range map[rune]string{'日': "odd.ttf", 0x1F44D: emojiFont} {
		findings := &render.Findings{}
		arial := s.Face("Arial", false, false)
		arial.Report(findings, r)
		if f, _ := FaceFor(arial, r); f.Family != want || len(findings.All()) > 0 {
			t.Errorf("%c is drawn in %s with findings %v, want it in %s", r, f.Family, findings.All(), want)
		}
	}
}

func TestAddedFontsComeBehindTheEmbeddedOnesInTheirOrder(t *testing.T) {
	t.Parallel()
	s, err := NewFontSet([]FontFile{{"first.ttf", StrangerFont(t)}, {"second.ttf", StrangerFont(t)}})
	if err != nil {
		t.Fatal(err)
	}
	for r, want := range map[rune]string{'日': "first.ttf", 0x1F44D: "first.ttf", '☐': dejaVuSans, 'a': dejaVuSans} {
		if f := s.Fallback(r, true, false); f == nil || f.Family != want {
			t.Errorf("%c: got %v, want %s", r, f, want)
		}
	}
	if f := s.Fallback('\U0002A700', false, false); f != nil {
		t.Errorf("%s has U+2A700", f.Name)
	}
	if f := EmbeddedFonts().Fallback('日', false, false); f == nil || f.Family == "first.ttf" {
		t.Error("another set has the added fonts, too")
	}
}

func TestASetWithoutAddedFontsIsTheEmbeddedOnes(t *testing.T) {
	t.Parallel()
	s, err := NewFontSet(nil)
	if err != nil || s.Face("Arial", false, false).Name != "LiberationSans-Regular" || s.Fallback('\U0002A700', false, false) != nil {
		t.Errorf("got a set with another font, %v", err)
	}
}

func TestAFontWithoutOutlinesOrWithoutTheirPlacesIsRefused(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(tables map[string][]byte){
		"no outlines":    func(f map[string][]byte) { delete(f, "glyf"); f["loca"] = make([]byte, len(f["loca"])) },
		"no characters":  func(f map[string][]byte) { delete(f, "cmap") },
		"no glyph count": func(f map[string][]byte) { f["maxp"] = f["maxp"][:5] },
		"no glyphs":      func(f map[string][]byte) { copy(f["maxp"][4:], u16(0)) },
	} {
		tables := map[string][]byte{}
		for tag, content := range tablesOf(StrangerFont(t)) {
			tables[tag] = slices.Clone(content)
		}
		change(tables)
		_, err := NewFontSet([]FontFile{{"odd.ttf", written(tables)}})
		if err == nil || !strings.Contains(err.Error(), "font odd.ttf") {
			t.Errorf("%s: got %v, want a fault of odd.ttf", what, err)
		}
	}
}

func TestTheNameOfAnAddedFontIsFitForAPDF(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("abcde", 9)
	for name, want := range map[string]string{
		"Plain.ttf": "Plain-", "/fonts/dir/Some Font_v2.ttf": "SomeFontv2-", "日本.ttf": "-", "No-Extension": "No-Extension-", "A.b.TTF": "Ab-", long + ".ttf": long[:40] + "-",
	} {
		got := pdfName(FontFile{name, []byte("x")})
		// The hash of "x" begins so.
		if got != want+"2d711642b726b044" {
			t.Errorf("%s: got %s, want %s2d711642b726b044", name, got, want)
		}
		if other := pdfName(FontFile{name, []byte("y")}); other == got || len(other) != len(got) {
			t.Errorf("%s: another font is named %s, want it to differ", name, other)
		}
	}
}
