package pdf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-text/typesetting/font"

	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestAFontIsAddedOnceToADocument(t *testing.T) {
	t.Parallel()
	c := newPage()
	arial, times := EmbeddedFonts().Face("Arial", false, false), EmbeddedFonts().Face("Times", false, false)
	first := c.use(arial)
	second := c.use(times)
	if c.use(arial) != first || c.use(times) != second || !slices.Equal(c.fonts, []*canvasFont{first, second}) {
		t.Errorf("got the fonts %v, want %v and %v, once each", c.fonts, first, second)
	}
}

// ISO 32000-1, 9.10.3: a list has at most 100 entries; characters are UTF-16BE.
func TestGlyphsSayWhichCharactersTheyStandFor(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		glyphs int
		lists  []string
	}{{0, nil}, {1, []string{"1"}}, {100, []string{"100"}}, {101, []string{"100", "1"}}, {250, []string{"100", "100", "50"}}} {
		u := &canvasFont{runes: map[uint16]rune{}}
		for i := range want.glyphs {
			u.runes[uint16(3*i)] = rune(0x3000 + i)
		}
		cmap := string(u.toUnicode())
		if got := matching(`(\d+) beginbfchar\n`, cmap); !slices.Equal(got, want.lists) {
			t.Errorf("%d glyphs: got lists of %q, want %q", want.glyphs, got, want.lists)
		}
		if got := strings.Count(cmap, "endbfchar\n"); got != len(want.lists) {
			t.Errorf("%d glyphs: %d lists end, want %d", want.glyphs, got, len(want.lists))
		}
		entries := ""
		for i := range want.glyphs {
			entries += fmt.Sprintf("<%04X><%04X>", 3*i, 0x3000+i)
		}
		if got := strings.Join(matching(`(<\w{4}><\w{4}>)\n`, strings.ReplaceAll(cmap, "<0000><FFFF>\n", "")), ""); got != entries {
			t.Errorf("%d glyphs: got %s, want %s", want.glyphs, got, entries)
		}
	}
	u := &canvasFont{runes: map[uint16]rune{0x1AB: '👍'}}
	if got, want := string(u.toUnicode()), "\n<01AB><D83DDC4D>\n"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
}

func TestAGlyphStandsForTheFirstCharacterThatItWasUsedFor(t *testing.T) {
	t.Parallel()
	f := &Face{advances: []float64{0, 0.5, 0.5}}
	f.latin['-'], f.latin[0xAD], f.latin['x'] = 1, 1, 2
	u := &canvasFont{face: f, runes: map[uint16]rune{}, boxes: map[rune]font.GID{}}
	if got, want := u.glyphString([]rune("x-\u00ADyz")), string([]rune{firstGlyph + 2, firstGlyph + 1, firstGlyph + 1}); got != want {
		t.Errorf("got %U, want %U", []rune(got), []rune(want))
	}
	if len(u.runes) != 2 || u.runes[1] != '-' || u.runes[2] != 'x' {
		t.Errorf("got the characters %v, want - of glyph 1 and x of glyph 2", u.runes)
	}
}

func TestATextIsReadBackFromItsFonts(t *testing.T) {
	t.Parallel()
	var letters []rune
	for r := rune('!'); r < 0x180; r++ {
		if r < 0x7F || r > 0xA0 && r != 0xAD {
			letters = append(letters, r)
		}
	}
	c := NewCanvas("", "")
	for _, family := range []string{"Arial", "Times", "Courier", "Calibri", "Cambria", "Verdana"} {
		c.AddPage(2000, 1000)
		for i, line := 0, 0; i < len(letters); i, line = i+50, line+1 {
			c.Text(10, float64(20+20*line), string(letters[i:min(i+50, len(letters))]), EmbeddedFonts().Face(family, false, false), 10, red)
		}
	}
	want := strings.Join(strings.Split(string(letters), ""), "")
	for i, page := range strings.Split(strings.TrimSuffix(rendertest.Tool(t, finished(t, c), "pdftotext", "-raw", "FILE", "-"), "\f"), "\f") {
		if got := strings.Join(strings.Fields(page), ""); got != want {
			t.Errorf("page %d says\n%s\nwant\n%s", i+1, got, want)
		}
	}
}
