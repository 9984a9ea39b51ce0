package pdf

import (
	"testing"

	"github.com/platenhq/platen/internal/render"
)

func TestTextBesideThePageIsReported(t *testing.T) {
	t.Parallel()
	arial := EmbeddedFonts().Face("Arial", false, false)
	write := func(x, y float64, text string) func(*Canvas) {
		return func(c *Canvas) { c.Text(x, y, text, arial, 10, red) }
	}
	turned := func(degrees, x, y float64, do func(*Canvas)) func(*Canvas) {
		return func(c *Canvas) {
			c.Rotate(degrees, x, y)
			do(c)
			c.Restore()
		}
	}
	for what, c := range map[string]struct { // on 200 × 100 points
		draw func(*Canvas)
		want int
	}{
		"on the page":                      {write(10, 50, "text"), 0},
		"left of it":                       {write(-30, 50, "text"), 1},
		"over the left edge":               {write(-10, 50, "text"), 1},
		"over the right edge":              {write(190, 50, "text"), 1},
		"spaces over the right edge":       {write(190, 50, "t     "), 0},
		"above it":                         {write(10, -5, "text"), 1},
		"below it":                         {write(10, 120, "text"), 1},
		"most of it above the lower edge":  {write(10, 102, "text"), 0},
		"shaped, over the left edge":       {write(-10, 50, "مرحبا"), 1},
		"shaped, on the page":              {write(10, 50, "مرحبا"), 0},
		"turned onto the page":             {turned(90, 100, 50, write(100, -20, "text")), 0},
		"turned off the page":              {turned(90, 100, 50, write(160, 50, "text")), 1},
		"turned back and forth":            {turned(90, 10, 10, turned(-90, 10, 10, write(10, 50, "text"))), 0},
		"on the page behind what was left": {func(c *Canvas) { write(300, 50, "text")(c); c.AddPage(200, 100); write(10, 50, "text")(c) }, 0},
	} {
		page, findings := newPage(), &render.Findings{}
		c.draw(page)
		ReportOutside(page, findings, "page", 3)
		got := findings.All()
		if len(got) != c.want || c.want == 1 && (got[0] != render.Finding{Code: render.FindingTruncated, Message: "text stands outside the page: page 3"}) {
			t.Errorf("%s: got %v, want %d findings", what, got, c.want)
		}
	}
}
