package pdf

import (
	"math"
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/render"
)

// The operators are those of ISO 32000-1, 8.5 and 8.4.4, on a page of 200 × 100
// points: there y counts from below.
func TestShapesAreWrittenAsPathsWithTheirOriginBelow(t *testing.T) {
	t.Parallel()
	fill, line := &Fill{Color: red}, &Stroke{Color: blue, Width: 2}
	for _, want := range []struct {
		what  string
		draw  func(c *Canvas)
		lines []string
	}{
		{"a filled rectangle", func(c *Canvas) { c.FillRect(10, 20, 30, 40, red) },
			[]string{"1.000 0.000 0.000 rg", "10.00 40.00 30.00 40.00 re f"}},
		{"one that is given from its other corner", func(c *Canvas) { c.Rect(40, 60, -30, -40, fill, nil) },
			[]string{"1.000 0.000 0.000 rg", "10.00 40.00 30.00 40.00 re f"}},
		{"one with an edge, which is drawn over the area", func(c *Canvas) { c.Rect(10, 20, 30, 40, fill, line) },
			[]string{"1.000 0.000 0.000 rg", "10.00 40.00 30.00 40.00 re f", "0.000 0.000 1.000 RG", "2.00 w", "10.00 40.00 30.00 40.00 re S"}},
		{"one with an edge of no width", func(c *Canvas) { c.Rect(10, 20, 30, 40, nil, &Stroke{}) }, nil},
		{"an area in the colour of the one before", func(c *Canvas) { c.FillRect(0, 0, 1, 1, red); c.FillRect(10, 20, 30, 40, red) },
			[]string{"1.000 0.000 0.000 rg", "0.00 99.00 1.00 1.00 re f", "10.00 40.00 30.00 40.00 re f"}},
		{"one that is not seen", func(c *Canvas) { c.Rect(10, 20, 30, 40, &Fill{Color: red, Transparency: 1}, nil) },
			[]string{"1.000 0.000 0.000 rg"}},
		{"a line", func(c *Canvas) { c.StrokeLine(10, 20, 30, 40, *line) },
			[]string{"0.000 0.000 1.000 RG", "2.00 w", "10.00 80.00 m 30.00 60.00 l S"}},
		{"a dashed line", func(c *Canvas) { c.StrokeLine(10, 20, 30, 40, Stroke{Width: 1, Dash: []float64{4, 2.5}}) },
			[]string{"0.000 0.000 0.000 RG", "1.00 w", "[4.00 2.50] 0 d", "10.00 80.00 m 30.00 60.00 l S"}},
		{"a line of no width", func(c *Canvas) { c.StrokeLine(10, 20, 30, 40, Stroke{}) }, nil},
		{"an area", func(c *Canvas) { c.Polygon([]Point{{10, 20}, {30, 40}, {50, 20}}, fill, line) },
			[]string{"1.000 0.000 0.000 rg", "10.00 80.00 m 30.00 60.00 l 50.00 80.00 l f",
				"0.000 0.000 1.000 RG", "2.00 w", "10.00 80.00 m 30.00 60.00 l 50.00 80.00 l s"}},
		{"an area with an edge of no width", func(c *Canvas) { c.Polygon([]Point{{10, 20}, {30, 40}}, nil, &Stroke{}) }, nil},
		{"an area of two points", func(c *Canvas) { c.Polygon([]Point{{10, 20}, {30, 40}}, nil, line) },
			[]string{"0.000 0.000 1.000 RG", "2.00 w", "10.00 80.00 m 30.00 60.00 l s"}},
		{"an area of one point", func(c *Canvas) { c.Polygon([]Point{{10, 20}}, fill, line) }, nil},
		{"an open line of two points", func(c *Canvas) { c.Polyline([]Point{{10, 20}, {30, 40}}, *line) },
			[]string{"0.000 0.000 1.000 RG", "2.00 w", "10.00 80.00 m 30.00 60.00 l S"}},
		{"an open line with corners", func(c *Canvas) { c.Polyline([]Point{{10, 20}, {30, 40}, {50, 20}}, *line) },
			[]string{"0.000 0.000 1.000 RG", "2.00 w", "10.00 80.00 m 30.00 60.00 l 50.00 80.00 l S"}},
		{"a dashed line with corners, which has no way back", func(c *Canvas) {
			c.Polyline([]Point{{10, 20}, {30, 40}, {50, 20}}, Stroke{Width: 1, Dash: []float64{3}})
		},
			[]string{"0.000 0.000 0.000 RG", "1.00 w", "[3.00] 0 d", "10.00 80.00 m 30.00 60.00 l S", "30.00 60.00 m 50.00 80.00 l S"}},
		{"an open line of one point", func(c *Canvas) { c.Polyline([]Point{{10, 20}}, *line) }, nil},
		{"an open line of no width", func(c *Canvas) { c.Polyline([]Point{{10, 20}, {30, 40}, {50, 20}}, Stroke{}) }, nil},
		{"a clip", func(c *Canvas) { c.ClipRect(10, 20, 30, 40) },
			[]string{"10.00 80.00 m 40.00 80.00 l 40.00 40.00 l 10.00 40.00 l h W n"}},
		{"a clip of three points", func(c *Canvas) { c.ClipPolygon([]Point{{0, 0}, {10, 0}, {0, 10}}) },
			[]string{"0.00 100.00 m 10.00 100.00 l 0.00 90.00 l h W n"}},
		{"a clip of two points", func(c *Canvas) { c.ClipPolygon([]Point{{0, 0}, {10, 0}}) }, nil},
	} {
		c := newPage()
		want.draw(c)
		if got := content(t, c); !slices.Equal(got, want.lines) {
			t.Errorf("%s:\ngot  %q\nwant %q", want.what, got, want.lines)
		}
	}
}

func TestAStrokeIsSetOnlyWhereItChanges(t *testing.T) {
	t.Parallel()
	line := func(c *Canvas, s Stroke) { c.StrokeLine(0, 0, 10, 0, s) }
	thin, dashed := Stroke{Color: blue, Width: 1}, Stroke{Color: blue, Width: 1, Dash: []float64{2}}
	for _, want := range []struct {
		what string
		draw func(c *Canvas)
		set  []string // what is set before the last line
	}{
		{"the same", func(c *Canvas) { line(c, thin); line(c, thin) }, nil},
		{"another colour", func(c *Canvas) { line(c, thin); line(c, Stroke{Color: red, Width: 1}) }, []string{"1.000 0.000 0.000 RG"}},
		{"another width", func(c *Canvas) { line(c, thin); line(c, Stroke{Color: blue, Width: 3}) }, []string{"3.00 w"}},
		{"dashes", func(c *Canvas) { line(c, thin); line(c, dashed) }, []string{"[2.00] 0 d"}},
		{"the same dashes", func(c *Canvas) { line(c, dashed); line(c, dashed) }, nil},
		{"no dashes any more", func(c *Canvas) { line(c, dashed); line(c, thin) }, []string{"[] 0 d"}},
		{"black and without width, as nothing is before", func(c *Canvas) { line(c, Stroke{Width: 1}) }, []string{"0.000 0.000 0.000 RG", "1.00 w"}},
		{"inside of Save", func(c *Canvas) { line(c, thin); c.Save(); line(c, thin) }, []string{"q"}},
		{"behind Restore", func(c *Canvas) { line(c, thin); c.Save(); line(c, dashed); c.Restore(); line(c, thin) }, []string{"Q"}},
		{"again behind Restore", func(c *Canvas) { c.Save(); line(c, thin); c.Restore(); line(c, thin) }, []string{"Q", "0.000 0.000 1.000 RG", "1.00 w"}},
		{"behind the Restore of Rotate", func(c *Canvas) { c.Rotate(0, 0, 0); line(c, thin); c.Restore(); line(c, thin) }, []string{"Q", "0.000 0.000 1.000 RG", "1.00 w"}},
	} {
		c := newPage()
		want.draw(c)
		lines := content(t, c)
		end := len(lines) - 1 // the line
		if want.what == "inside of Save" {
			end-- // the Q that closes the page
		}
		before := lines[:end]
		if at := lastIndex(before, "0.00 100.00 m 10.00 100.00 l S"); at >= 0 {
			before = before[at+1:]
		}
		if !slices.Equal(before, want.set) {
			t.Errorf("%s: got %q, want %q", want.what, before, want.set)
		}
	}
}

func lastIndex(lines []string, line string) int {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i] == line {
			return i
		}
	}
	return -1
}

func TestTheStrokeOfAPageIsSetAgainOnTheNext(t *testing.T) {
	t.Parallel()
	c := newPage()
	c.StrokeLine(0, 0, 10, 0, Stroke{Width: 1})
	c.AddPage(200, 100)
	c.StrokeLine(0, 0, 10, 0, Stroke{Width: 1})
	if pages := contents(t, c); !slices.Equal(pages[0], pages[1]) {
		t.Errorf("got %q on the first page, %q on the second", pages[0], pages[1])
	}
}

func TestDashesOfACallerAreLeftAsTheyAre(t *testing.T) {
	t.Parallel()
	c, dash := newPage(), []float64{4, 2}
	c.StrokeLine(0, 0, 10, 0, Stroke{Width: 1, Dash: dash})
	dash[0] = 9
	if got := content(t, c); !slices.Contains(got, "[4.00 2.00] 0 d") {
		t.Errorf("got %q, want dashes of 4 and 2", got)
	}
}

func TestTransparencyIsAnOpacityInWholePercents(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		transparency []float64
		opacities    []string
	}{
		{[]float64{0}, nil},
		{[]float64{-1}, nil},
		{[]float64{0.25}, []string{"0.75"}},
		{[]float64{0.333}, []string{"0.67"}},
		{[]float64{0.333, 0.3301}, []string{"0.67"}}, // one object for both
		{[]float64{0.2, 0.8}, []string{"0.80", "0.20"}},
		{[]float64{1}, nil},
		{[]float64{2}, nil},
	} {
		c := newPage()
		for _, v := range want.transparency {
			c.Rect(0, 0, 10, 10, &Fill{Color: red, Transparency: v}, nil)
		}
		if got := matching(`/ca ([\d.]+)`, string(finished(t, c))); !slices.Equal(got, want.opacities) {
			t.Errorf("%v: got opacities %q, want %q", want.transparency, got, want.opacities)
		}
	}
}

func TestTransparencyEndsWithItsShape(t *testing.T) {
	t.Parallel()
	for what, draw := range map[string]func(c *Canvas){
		"a filled rectangle":  func(c *Canvas) { c.Rect(0, 0, 10, 10, &Fill{Transparency: 0.5}, nil) },
		"a stroked rectangle": func(c *Canvas) { c.Rect(0, 0, 10, 10, nil, &Stroke{Width: 1, Transparency: 0.5}) },
		"a line":              func(c *Canvas) { c.StrokeLine(0, 0, 10, 10, Stroke{Width: 1, Transparency: 0.5}) },
		"a filled area":       func(c *Canvas) { c.Polygon([]Point{{0, 0}, {9, 9}}, &Fill{Transparency: 0.5}, nil) },
		"a stroked area":      func(c *Canvas) { c.Polygon([]Point{{0, 0}, {9, 9}}, nil, &Stroke{Width: 1, Transparency: 0.5}) },
	} {
		c := newPage()
		draw(c)
		c.FillRect(0, 0, 10, 10, red)
		var sets []int
		lines := content(t, c)
		for i, line := range lines {
			if len(line) > 3 && line[len(line)-3:] == " gs" {
				sets = append(sets, i)
			}
		}
		if len(sets) != 1 || lines[sets[0]-1] != "q" || lines[sets[0]+2] != "Q" {
			t.Errorf("%s: got %q, want one opacity, for the shape alone", what, lines)
		}
	}
}

// A line of n parts over a quarter of a circle leaves it by r × (1 - cos(45° / n)).
func TestAnArcIsRoundToTheEye(t *testing.T) {
	t.Parallel()
	const unseen = 0.1 // points
	for _, want := range []struct{ rx, ry, from, sweep float64 }{
		{1, 1, 0, 360}, {10, 10, 0, 360}, {100, 100, 0, 360}, {500, 500, 0, 360}, {100, 20, 0, 360},
		{50, 50, 30, 60}, {50, 50, 30, -60}, {50, 50, 0, 1}, {0, 0, 0, 360},
	} {
		points := Arc(7, 8, want.rx, want.ry, want.from, want.sweep)
		at := func(degrees float64) Point {
			sin, cos := math.Sincos(degrees * math.Pi / 180)
			return Point{7 + want.rx*cos, 8 + want.ry*sin}
		}
		steps := len(points) - 1
		for i, p := range points {
			on := at(want.from + want.sweep*float64(i)/float64(steps))
			if !isNear(p.X, on.X) || !isNear(p.Y, on.Y) {
				t.Errorf("%v: point %d is %v, want %v", want, i, p, on)
			}
			if i == 0 {
				continue
			}
			middle, chord := at(want.from+want.sweep*(float64(i)-0.5)/float64(steps)), Point{(points[i-1].X + p.X) / 2, (points[i-1].Y + p.Y) / 2}
			if far := math.Hypot(middle.X-chord.X, middle.Y-chord.Y); far > unseen {
				t.Errorf("%v: line %d is %.3f points off the arc", want, i, far)
			}
		}
	}
}

func TestAnArcHasAsManyLinesAsItsSizeNeeds(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		rx, ry, sweep float64
		lines         int
	}{
		{0.1, 0.1, 360, 24}, // as few as a circle has
		{8, 8, 360, 48},     // 12 × √16
		{-8, -8, 360, 48},
		{20, 5, -360, 60},
		{1000, 1000, 360, 180}, // as many as it has
		{1000, 1000, 90, 45},
		{8, 8, 31, 5}, // 48 × 31 / 360 = 4.1
		{8, 8, 0, 2},
	} {
		if got := len(Arc(0, 0, want.rx, want.ry, 0, want.sweep)) - 1; got != want.lines {
			t.Errorf("%v × %v over %v°: got %d lines, want %d", want.rx, want.ry, want.sweep, got, want.lines)
		}
	}
}

func TestAnEllipseBeginsAtItsRightAndRunsClockwise(t *testing.T) {
	t.Parallel()
	points := Ellipse(10, 20, 40, 30)
	first, quarter, last := points[0], points[len(points)/4], points[len(points)-1]
	if !isNear(first.X, 50) || !isNear(first.Y, 35) || !isNear(last.X, 50) || !isNear(last.Y, 35) {
		t.Errorf("it runs from %v to %v, want (50, 35) both", first, last)
	}
	if quarter.Y < 45 || math.Abs(quarter.X-30) > 3 {
		t.Errorf("after a quarter it is at %v, want near (30, 50)", quarter)
	}
}

func TestABezierCurveGoesOnFromTheLastPointOfItsPath(t *testing.T) {
	t.Parallel()
	start := Point{0, 0}
	path := Bezier([]Point{{9, 9}, start}, Point{0, 80}, Point{80, 80}, Point{80, 0})
	if !slices.Equal(path[:2], []Point{{9, 9}, start}) || path[len(path)-1] != (Point{80, 0}) {
		t.Errorf("the path is %v, want it from (9, 9) over (0, 0) to (80, 0)", path)
	}
	curve := path[1:]
	if got, want := len(curve)-1, 64; got != want { // of 240 points' length, a line each three would be 80
		t.Errorf("got %d lines, want %d", got, want)
	}
	// A quarter along it is (27 a + 27 b + 9 c + d) / 64, half along it (a + 3 b + 3 c + d) / 8.
	for i, want := range map[int]Point{16: {(9*80 + 80) / 64.0, (27*80 + 9*80) / 64.0}, 32: {40, 60}, 48: {(27*80 + 27*80) / 64.0, (9*80 + 27*80) / 64.0}} {
		if got := curve[i]; !isNear(got.X, want.X) || !isNear(got.Y, want.Y) {
			t.Errorf("point %d is %v, want %v", i, got, want)
		}
	}
	if got := Bezier(nil, Point{1, 1}, Point{2, 2}, Point{3, 3}); !slices.Equal(got, []Point{{3, 3}}) {
		t.Errorf("a curve without a beginning is %v, want its end", got)
	}
	for _, want := range []struct {
		end   Point
		lines int
	}{{Point{6, 0}, 4}, {Point{0, 18}, 6}, {Point{30, 0}, 10}, {Point{900, 0}, 64}} { // a line for each three points
		third := Point{want.end.X / 3, want.end.Y / 3}
		if got := len(Bezier([]Point{start}, third, Point{2 * third.X, 2 * third.Y}, want.end)) - 1; got != want.lines {
			t.Errorf("to %v: got %d lines, want %d", want.end, got, want.lines)
		}
	}
}

func TestWhatOneFileCannotHoldIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		what string
		cost int // in marks
		draw func(c *Canvas)
	}{
		{"a rectangle", perShape, func(c *Canvas) { c.FillRect(0, 0, 10, 10, red) }},
		{"a line", perShape, func(c *Canvas) { c.StrokeLine(0, 0, 10, 10, Stroke{Width: 1}) }},
		{"an area", perShape + 3, func(c *Canvas) { c.Polygon([]Point{{0, 0}, {9, 0}, {0, 9}}, &Fill{}, nil) }},
		{"a text", 2, func(c *Canvas) { c.Text(0, 10, "eight to", EmbeddedFonts().Face("Arial", false, false), 10, red) }},
	} {
		for missing, isFull := range map[int]bool{0: false, 1: true} {
			c := newPage()
			c.marks = maxMarks - want.cost + missing
			want.draw(c)
			if c.Full() != isFull {
				t.Errorf("%s for which %d marks are missing: full: %v, want %v", want.what, missing, c.Full(), isFull)
			}
			if got := content(t, c); (len(got) == 0) != isFull {
				t.Errorf("%s for which %d marks are missing is drawn as %q", want.what, missing, got)
			}
		}
	}
}

func TestAFileThatIsFullIsReported(t *testing.T) {
	t.Parallel()
	for marks, want := range map[int]int{maxMarks: 0, maxMarks + 1: 1} {
		c, findings := newPage(), &render.Findings{}
		c.marks = marks
		ReportFull(c, findings)
		got := findings.All()
		if len(got) != want || want == 1 && got[0].Code != render.FindingTruncated {
			t.Errorf("%d marks: got %v, want %d findings of what was left out", marks, got, want)
		}
	}
}
