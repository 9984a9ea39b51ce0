package pdf

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

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
func TestCodesSayWhichCharactersTheyStandFor(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		glyphs int
		lists  []string
	}{{0, nil}, {1, []string{"1"}}, {100, []string{"100"}}, {101, []string{"100", "1"}}, {250, []string{"100", "100", "50"}}} {
		u := &canvasFont{}
		for i := range want.glyphs {
			u.texts = append(u.texts, string(rune(0x3000+i)))
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
			entries += fmt.Sprintf("<%04X><%04X>", i+1, 0x3000+i)
		}
		if got := strings.Join(matching(`(<\w{4}><\w{4}>)\n`, strings.ReplaceAll(cmap, "<0000><FFFF>\n", "")), ""); got != entries {
			t.Errorf("%d glyphs: got %s, want %s", want.glyphs, got, entries)
		}
	}
	u := &canvasFont{texts: []string{"a", "👍", "", "لا"}}
	if got, want := string(u.toUnicode()), "\n<0002><D83DDC4D>\n<0004><06440627>\n"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
}

func TestAGlyphStandsForTheFirstCharacterThatItWasUsedFor(t *testing.T) {
	t.Parallel()
	f := &Face{advances: []float64{0, 0.5, 0.5}}
	f.latin['-'], f.latin[0xAD], f.latin['x'] = 1, 1, 2
	u := &canvasFont{face: f, codes: map[uint32]uint16{}}
	if got, want := u.codesOf([]rune("x-\u00ADyz")), []uint16{1, 2, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if strings.Join(u.texts, "") != "x-" || !slices.Equal(u.glyphs, []uint16{2, 1}) {
		t.Errorf("got the characters %q of glyphs %v, want x of glyph 2 and - of glyph 1", u.texts, u.glyphs)
	}
}

// TextStretched counts on widths in whole thousandths of an em, cut off.
func TestCodesAreAsWideAsTheirGlyphs(t *testing.T) {
	t.Parallel()
	faces := []*Face{EmbeddedFonts().missing('漢'), EmbeddedFonts().missing('\U00012000')}
	for _, f := range EmbeddedFonts().faces {
		f.ready()
		faces = append(faces, f)
	}
	const letters = "Wimp 10€"
	for _, f := range faces {
		c := newPage()
		c.Text(10, 50, letters, f, 12, red)
		want := ""
		for _, r := range letters {
			w, _ := f.Advance(r, 1)
			want += fmt.Sprintf("%.0f ", math.Floor(w*1000))
		}
		object := string(objectsOf(t, finished(t, c))[c.fonts[0].object]) // the one behind its first
		if got := matching(`/W \[1 \[([\d ]+)\]\]>>\nendobj\n`, object); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: got the widths %q, want %q", f.Name, got, want)
		}
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
