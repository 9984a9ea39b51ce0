package pdf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-text/typesetting/font"

	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestWhatTakesNoRoomIsNotSeen(t *testing.T) {
	t.Parallel()
	for r, want := range map[rune]bool{
		'\u00AD': true,                                                   // a soft hyphen
		'\u200A': false, '\u200B': true, '\u200F': true, '\u2010': false, // joiners and marks of direction
		'\u2029': false, '\u202A': true, '\u202E': true, '\u202F': false,
		'\u205F': false, '\u2060': true, '\u2064': true, '\u2065': false,
		'\uFDFF': false, '\uFE00': true, '\uFE0F': true, '\uFE10': false, // variation selectors
		'\uFEFE': false, '\uFEFF': true,
		0: true, 0x1F: true, ' ': false, '\t': false, '\v': false, '\n': false, '\r': true,
		'a': false, '漢': false,
	} {
		if got := Invisible(r); got != want {
			t.Errorf("%U is not seen: %v, want %v", r, got, want)
		}
	}
}

func TestACharacterThatOnlyBreaksLinesOtherwiseIsDrawnAsThePlainOne(t *testing.T) {
	t.Parallel()
	// A font that has nothing else.
	f := &Face{set: EmbeddedFonts(), advances: []float64{0, 0.5, 0.5}}
	f.latin[' '], f.latin['-'] = 1, 2
	f.cmap = EmbeddedFonts().Face("Courier New", false, false).cmap
	none := &Face{set: EmbeddedFonts()}
	for r, want := range map[rune]rune{'\u00A0': ' ', '\t': ' ', '\v': ' ', '\n': ' ', '\r': ' ', ' ': ' ', '-': '-'} {
		if face, shown := FaceFor(f, r); face != f || shown != want {
			t.Errorf("%U is drawn as %U of %s, want %U of the wanted font", r, shown, face.Name, want)
		}
	}
	for r, want := range map[rune]rune{'\u2007': ' ', '\u202F': ' ', '\u2010': '-', '\u2011': '-', '\u2012': 0, 'a': 0} {
		if plain, ok := plainRune(r); plain != want || ok != (want != 0) {
			t.Errorf("%U is plainly %U, %v; want %U", r, plain, ok, want)
		}
	}
	// Without the plain one, too, there is a fallback.
	none.cmap = f.cmap
	if face, shown := FaceFor(none, '\u00A0'); face.Name != "DejaVuSans-Regular" || shown != '\u00A0' {
		t.Errorf("got %U of %s, want it of DejaVuSans-Regular", shown, face.Name)
	}
}

func TestAFallbackIsAsBoldAsTheWantedFont(t *testing.T) {
	t.Parallel()
	face, shown := FaceFor(EmbeddedFonts().Face("Calibri", true, false), '☐')
	if face.Name != "DejaVuSans-Bold" || shown != '☐' {
		t.Errorf("got %c of %s, want ☐ of DejaVuSans-Bold", shown, face.Name)
	}
}

func TestABoxIsAsWideAsItsScriptIs(t *testing.T) {
	t.Parallel()
	for r, want := range map[rune]float64{
		'漢': 1, '가': 1, 'あ': 1, 0x1F000: 1, '👍': 1, 0x1FAFF: 1, 0x1EFFF: 0.6, 0x1FB00: 0.6, 0x12000: 0.6, 0x10FFFD: 0.6,
	} {
		f := EmbeddedFonts().missing(r)
		if got, ok := f.Advance(r, 1); !ok || got != want {
			t.Errorf("%U: its box is %v em wide, %v; want %v", r, got, ok, want)
		}
		if again := EmbeddedFonts().missing(r); again != f {
			t.Errorf("%U: another font of boxes the second time", r)
		}
	}
}

func TestEachCharacterWithoutAFontHasABoxOfItsOwn(t *testing.T) {
	t.Parallel()
	u := &canvasFont{face: EmbeddedFonts().missing('漢'), codes: map[uint32]uint16{}}
	if got, want := u.codesOf([]rune("漢字漢")), []uint16{1, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if strings.Join(u.texts, "") != "漢字" || !slices.Equal(u.glyphs, []uint16{1, 1}) {
		t.Errorf("got the characters %q of glyphs %v, want 漢 and 字, both of the one box", u.texts, u.glyphs)
	}
}

func TestBoxesBeyondNumberShareTheLast(t *testing.T) {
	t.Parallel()
	u := &canvasFont{face: EmbeddedFonts().missing('漢'), codes: map[uint32]uint16{}}
	var last uint16
	for r := range rune(maxCodes + 2) {
		last = u.codesOf([]rune{0x20000 + r})[0]
	}
	if first := u.codesOf([]rune{0x20000})[0]; first != 1 || last != maxCodes || len(u.glyphs) != maxCodes {
		t.Errorf("the first is %d, the last %d of %d; want 1 and %d of %d", first, last, len(u.glyphs), maxCodes, maxCodes)
	}
}

func TestABoxIsAFrame(t *testing.T) {
	t.Parallel()
	whole, err := readGlyphTables(caladeaFile(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	for advance, right := range map[float64]float32{1: 940, 0.6: 540} {
		tables := boxTables(advance)
		tables.tables["cmap"] = whole.tables["cmap"] // which parsers want to see
		face, glyphs, err := parseFace(completed(tables.subset([]uint16{1, 1}, nil), tables), 0)
		if err != nil {
			t.Fatal(err)
		}
		if glyphs != 3 || face.Upem() != 1000 {
			t.Errorf("got %d glyphs of %d units, want 3 of 1000", glyphs, face.Upem())
		}
		if ext, _ := face.FontHExtents(); ext.Ascender != 880 || ext.Descender != -120 {
			t.Errorf("got the extents %v, want 880 and -120", ext)
		}
		for gid := range font.GID(3) {
			if got := face.HorizontalAdvance(gid); got != float32(1000*advance) {
				t.Errorf("glyph %d is %v wide, want %v", gid, got, 1000*advance)
			}
			outline, _ := face.GlyphDataOutline(gid)
			var corners []string
			for _, s := range outline.Segments {
				corners = append(corners, fmt.Sprint(s.Args[0].X, s.Args[0].Y))
			}
			// A contour inside another that runs the other way is a hole.
			want := fmt.Sprintf("60 0,60 700,%[1]v 700,%[1]v 0,60 0,100 40,%[2]v 40,%[2]v 660,100 660,100 40", right, right-40)
			if got := strings.Join(corners, ","); got != want {
				t.Errorf("glyph %d: got %s, want %s", gid, got, want)
			}
		}
	}
}

// OpenType, by offset: what readers of a font look for.
func TestAFontOfBoxesHasTheTablesOfAFont(t *testing.T) {
	t.Parallel()
	tables := boxTables(0.6)
	for _, want := range []struct {
		tag    string
		offset int
		value  []byte
	}{
		{"head", 0, u32(0x00010000)}, {"head", 12, u32(0x5F0F3CF5)}, {"head", 18, u16(1000)}, {"head", 50, u16(1)}, // version, magic number, em, long offsets
		{"head", 36, u16(0, 0, 600, 700)},                                                       // the box around all glyphs
		{"hhea", 0, u32(0x00010000)}, {"hhea", 4, u16(880, -120, 0, 600)}, {"hhea", 34, u16(1)}, // ascender, descender, gap, widest; advances
		{"maxp", 0, u32(0x00010000)}, {"maxp", 4, u16(2, 8, 2, 0, 0, 2)}, // glyphs, points, contours, of composites; zones
		{"OS/2", 4, u16(400)}, {"OS/2", 68, u16(880, -120, 0, 880, 120)}, {"OS/2", 88, u16(700)}, // weight, line, height of capitals
		{"post", 0, u32(0x00030000)}, // no names
		{"hmtx", 0, u16(600, 60, 60)},
	} {
		if got := tables.tables[want.tag][want.offset:][:len(want.value)]; !bytes.Equal(got, want.value) {
			t.Errorf("%s at %d: got %x, want %x", want.tag, want.offset, got, want.value)
		}
	}
	for tag, length := range map[string]int{"head": 54, "hhea": 36, "maxp": 32, "OS/2": 96, "post": 32, "hmtx": 2 + 2*2} {
		if got := len(tables.tables[tag]); got != length {
			t.Errorf("%s has %d bytes, want %d", tag, got, length)
		}
	}
	if len(tables.loca) != 3 || tables.loca[2] != len(tables.glyf) {
		t.Errorf("got the places %v of %d bytes of outlines, want three", tables.loca, len(tables.glyf))
	}
}

// The lines of the usual East Asian fonts, such as Noto Sans CJK, are so high.
func TestBoxesStandInALineAsEastAsianCharactersDo(t *testing.T) {
	t.Parallel()
	for _, r := range "漢\U00012000" {
		f := EmbeddedFonts().missing(r)
		if up, down, gap := f.Ascent(100), f.Descent(100), f.LineGap(100); !isNear(up, 116) || !isNear(down, 28.8) || gap != 0 {
			t.Errorf("%s: the line is %v high, %v deep with a gap of %v; want 116, 28.8 and none", f.Name, up, down, gap)
		}
		if at, thick := f.Underline(100); !isNear(at, 12.5) || !isNear(thick, 5) {
			t.Errorf("%s: its underline is at %v, %v thick; want 12.5 and 5", f.Name, at, thick)
		}
		if at, thick := f.Strikethrough(100); !isNear(at, 30) || !isNear(thick, 5) {
			t.Errorf("%s: its strike-through is at %v, %v thick; want 30 and 5", f.Name, at, thick)
		}
	}
}

func TestABoxIsFoundByItsCharacter(t *testing.T) {
	t.Parallel()
	c := newPage()
	c.Text(20, 60, "\U0002A700\U0002A700\U0002A701", mono(), 40, red)
	file := finished(t, c)
	word := rendertest.Find(t, rendertest.Words(t, file), "\U0002A700\U0002A700\U0002A701")
	rendertest.Near(t, "left", word.Left, 20, 0.1)
	rendertest.Near(t, "right", word.Right, 20+3*40, 0.1)
	page := rendertest.Paint(t, file)
	for i := range 3 {
		left := 20 + 40*float64(i)
		// Frames of 1.6 points, from 2.4 points on and 28 high.
		for _, want := range []struct {
			x, y    float64
			isWhite bool
		}{{left + 3.2, 45, false}, {left + 20, 59.2, false}, {left + 20, 32.8, false}, {left + 36.8, 45, false}, {left + 20, 45, true}, {left + 1, 45, true}} {
			if got := page.White(want.x, want.y); got != want.isWhite {
				t.Errorf("box %d: (%v, %v) is white: %v, want %v", i, want.x, want.y, got, want.isWhite)
			}
		}
	}
}

func TestOnlyWhatIsDrawnWrongIsReported(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Añ–€✓Жλ":      nil,
		"\u200B\uFE0F": nil,
		"漢字 ก":         nil,
		"𪜀𪜁":           {render.FindingGlyph + " no font here has these characters, so that an empty box stands for each: 𪜀 (U+2A700), 𪜁 (U+2A701)"},
		"שלום ع 𒀀":     {render.FindingGlyph + " no font here has these characters, so that an empty box stands for each: 𒀀 (U+12000)"},
	} {
		findings := &render.Findings{}
		for _, r := range text {
			EmbeddedFonts().Face("Calibri", false, false).Report(findings, r)
		}
		var got []string
		for _, f := range findings.All() {
			got = append(got, f.Code+" "+f.Message)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
