package pdf

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

// DejaVu Sans has 6,000 glyphs, so that places and widths of all would be 48 KB.
func TestAFontIsAsLargeAsWhatIsDrawnInIt(t *testing.T) {
	t.Parallel()
	face := EmbeddedFonts().Face("Verdana", false, false)
	for letters, most := range map[string]int{"x": 600, "\uFB04": 900, "☐✓x": 900} {
		c := newPage()
		c.Text(10, 50, letters, face, 12, red)
		if got := len(inflated(t, streamOf(objectsOf(t, finished(t, c))[c.fonts[0].object+2]))); got > most {
			t.Errorf("a font of %q takes %d bytes, want at most %d", letters, got, most)
		}
	}
}

func TestATextOf3000CharactersOfOneFaceIsReadBack(t *testing.T) {
	t.Parallel()
	face := EmbeddedFonts().Face("Verdana", false, false)
	var letters []rune
	isTaken := map[uint32]bool{}
	for r := rune('!'); len(letters) < 3000 && r < 0x1F000; r++ {
		gid, ok := face.glyph(r)
		if isMark := r >= 0x300 && r < 0x370 || r >= 0x590 && r < 0x900; !ok || Invisible(r) || isMark || isTaken[uint32(gid)] {
			continue
		}
		isTaken[uint32(gid)] = true
		letters = append(letters, r)
	}
	c := NewCanvas("", "")
	c.AddPage(2000, 2000)
	for i := 0; i < len(letters); i += 50 {
		c.Text(10, 20+float64(i)/50*30, string(letters[i:min(i+50, len(letters))]), face, 10, red)
	}
	got := strings.Join(strings.Fields(rendertest.Tool(t, finished(t, c), "pdftotext", "-raw", "FILE", "-")), "")
	if want := strings.Join(strings.Fields(string(letters)), ""); got != want || len(letters) < 3000 {
		t.Errorf("%d letters: it says\n%s\nwant\n%s", len(letters), got, want)
	}
}
