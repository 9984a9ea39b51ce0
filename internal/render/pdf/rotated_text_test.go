package pdf

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

// pdftotext takes each piece of a line that runs uphill for a line of its own, unless
// the PDF says which word it belongs to.
func TestWordsOfATurnedLineAreReadAsWords(t *testing.T) {
	t.Parallel()
	arial := EmbeddedFonts().Face("Arial", true, false)
	for _, c := range []struct {
		degrees float64
		spans   int
	}{{15, 2}, {-30, 2}, {0, 0}, {90, 0}, {180, 0}, {-270, 0}} {
		drawn := func() *Canvas {
			page := NewCanvas("", "")
			page.AddPage(200, 200)
			page.RotateText(c.degrees, 100, 100)
			page.TextWith(60, 100, "rotated box", arial, 14, red, TextOptions{Kern: true, CharSpacing: 0.3})
			page.Restore()
			page.Text(10, 190, "level line", arial, 14, red)
			return page
		}
		if got := strings.Count(strings.Join(content(t, drawn()), "\n"), "/ActualText"); got != c.spans {
			t.Errorf("turned by %v: %d words have their text beside them, want %d", c.degrees, got, c.spans)
		}
		if c.spans == 0 {
			continue
		}
		words := strings.Fields(rendertest.Tool(t, finished(t, drawn()), "pdftotext", "FILE", "-"))
		if got := strings.Join(words, " "); !strings.Contains(got, "rotated") || !strings.Contains(got, "box") || len(words) != 4 {
			t.Errorf("turned by %v: it says %q, want rotated and box, and level line", c.degrees, got)
		}
	}
}
