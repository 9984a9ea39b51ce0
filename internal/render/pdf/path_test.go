package pdf

import (
	"slices"
	"testing"
)

func triangle() *Path {
	p := &Path{}
	p.MoveTo(Point{10, 10})
	p.LineTo(Point{20, 10})
	p.CurveTo(Point{20, 15}, Point{15, 20}, Point{10, 20})
	p.Close()
	return p
}

func TestPathsAreFilledDrawnAndClipped(t *testing.T) {
	t.Parallel()
	path := []string{"10.00 90.00 m", "20.00 90.00 l", "20.00 85.00 15.00 80.00 10.00 80.00 c", "h"}
	around := func(before []string, after ...string) []string { return slices.Concat(before, path, after) }
	for _, want := range []struct {
		what  string
		draw  func(c *Canvas)
		lines []string
	}{
		{"even-odd", func(c *Canvas) { c.FillPath(triangle(), true, Fill{Color: red}) }, around([]string{"q", "1.000 0.000 0.000 rg"}, "f*", "Q")},
		{"wound", func(c *Canvas) { c.FillPath(triangle(), false, Fill{Color: red}) }, around([]string{"q", "1.000 0.000 0.000 rg"}, "f", "Q")},
		{"drawn", func(c *Canvas) {
			c.StrokePath(triangle(), PathStroke{Stroke: Stroke{Color: blue, Width: 2, Dash: []float64{3, 1}}, Cap: 1, Join: 2})
		}, around([]string{"q", "0.000 0.000 1.000 RG", "2.00 w", "1 J", "2 j", "[3.00 1.00] 0 d"}, "S", "Q")},
		{"without width", func(c *Canvas) { c.StrokePath(triangle(), PathStroke{}) }, nil},
		{"invisible", func(c *Canvas) { c.FillPath(triangle(), false, Fill{Transparency: 1}) }, nil},
		{"clipped", func(c *Canvas) { c.ClipPath(triangle(), true) }, around(nil, "W* n")},
		{"clipped, wound", func(c *Canvas) { c.ClipPath(triangle(), false) }, around(nil, "W n")},
		{"clipped to nothing", func(c *Canvas) { c.ClipPath(&Path{}, false) }, []string{"0 0 0 0 re", "W n"}},
		// A quarter turn clockwise around the corner, then 50 points to the right.
		{"turned", func(c *Canvas) { c.Transform([6]float64{0, 1, -1, 0, 50, 0}) }, []string{"0.000000 -1.000000 1.000000 0.000000 -50.00 100.00 cm"}},
	} {
		c := newPage()
		want.draw(c)
		if got := content(t, c); !slices.Equal(got, want.lines) {
			t.Errorf("%s:\ngot  %q\nwant %q", want.what, got, want.lines)
		}
	}
}

func TestPathsStandBetweenWhatIsDrawnBeforeAndBehind(t *testing.T) {
	t.Parallel()
	c := newPage()
	c.FillRect(0, 0, 10, 10, red)
	c.FillPath(triangle(), false, Fill{Color: green, Transparency: 0.5})
	c.AddPage(200, 100)
	c.FillPath(triangle(), false, Fill{Color: blue})
	c.FillRect(0, 0, 10, 10, red)
	pages := contents(t, c)
	at := func(page int, line string) int { return slices.Index(pages[page], line) }
	if first, second := at(0, "1.000 0.000 0.000 rg"), at(0, "0.000 1.000 0.000 rg"); first < 0 || second < first {
		t.Errorf("got %q, want red before green", pages[0])
	}
	if !slices.ContainsFunc(pages[0], func(line string) bool { return line[0] == '/' }) {
		t.Errorf("got %q, want an opacity", pages[0])
	}
	if first, second := at(1, "0.000 0.000 1.000 rg"), at(1, "1.000 0.000 0.000 rg"); first < 0 || second < first {
		t.Errorf("got %q, want blue before red", pages[1])
	}
}

func TestPathsCountAsMarks(t *testing.T) {
	t.Parallel()
	c := newPage()
	if !c.Spend(maxMarks) || c.Spend(1) {
		t.Error("got room behind the limit, or none before it")
	}
	c.FillPath(triangle(), false, Fill{})
	if got := content(t, c); len(got) != 0 {
		t.Errorf("got %q, want nothing", got)
	}
}
