package shape

import (
	"math"
	"slices"
	"testing"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// How far numbers may be from what is wanted.
const (
	asComputed = 1e-6 // points
	asDrawn    = 0.05 // points: where curves are drawn as lines
	asStated   = 0.01 // points: where the standard rounds its factors
	shade      = 4    // of 255: where colours are mixed
)

// The box of a preset where a test says nothing else: its shorter side is a
// hundred points, so that 1,000 of an adjustment are one point.
const boxW, boxH = 200, 100

// adjusted are the adjustments of a preset.
type adjusted map[string]float64

// preset is the geometry of a preset that has to be known.
func preset(t *testing.T, name string, adjust adjusted) outline {
	t.Helper()
	o, isKnown := OutlineOf(dml.Geometry{Preset: name, Adjust: adjust}, boxW, boxH)
	if !isKnown {
		t.Errorf("%s is not known", name)
	}
	return o
}

// areaOf is the area that a preset fills first.
func areaOf(t *testing.T, name string, adjust adjusted) []pdf.Point {
	t.Helper()
	return area(t, name, preset(t, name, adjust))
}

// area is what the first path of a shape fills.
func area(t *testing.T, name string, o outline) []pdf.Point {
	t.Helper()
	var first []Contour
	for _, c := range o.Contours {
		if c.Path == o.Contours[0].Path {
			first = append(first, c)
		}
	}
	points := joined(first)
	if len(points) == 0 {
		t.Fatalf("%s: got contours %v, want an area", name, o.Contours)
	}
	return points
}

// lineOf is the one open line that a preset draws.
func lineOf(t *testing.T, name string, adjust adjusted) []pdf.Point {
	t.Helper()
	var lines [][]pdf.Point
	for _, c := range preset(t, name, adjust).Contours {
		if c.IsOpen && !c.IsBare {
			lines = append(lines, c.Points)
		}
	}
	if len(lines) != 1 {
		t.Fatalf("%s: got %v, want one line", name, lines)
	}
	return lines[0]
}

// wantPolygon wants an area with these corners, wherever it begins and whichever way
// it runs.
func wantPolygon(t *testing.T, what string, got []pdf.Point, want ...float64) {
	t.Helper()
	got = slices.CompactFunc(slices.Clone(got), func(a, b pdf.Point) bool { return isAt(a, b.X, b.Y, asStated) })
	if last := len(got) - 1; last > 0 && isAt(got[0], got[last].X, got[last].Y, asStated) {
		got = got[:last]
	}
	var corners []pdf.Point
	for i, p := range got {
		before, after := got[(i+len(got)-1)%len(got)], got[(i+1)%len(got)]
		if straight := (p.X-before.X)*(after.Y-p.Y) - (p.Y-before.Y)*(after.X-p.X); math.Abs(straight) > asComputed {
			corners = append(corners, p)
		}
	}
	n := len(corners)
	for start := range corners {
		for _, step := range []int{1, n - 1} {
			matches := n == len(want)/2
			for i := 0; matches && i < n; i++ {
				matches = isAt(corners[(start+i*step)%n], want[2*i], want[2*i+1], asStated)
			}
			if matches {
				return
			}
		}
	}
	t.Errorf("%s: got the corners %v, want %v", what, corners, want)
}

// wantPoints wants these points, given as x, y, x, y …
func wantPoints(t *testing.T, what string, got []pdf.Point, want ...float64) {
	t.Helper()
	if len(got) != len(want)/2 {
		t.Errorf("%s: got %d points %v, want %v", what, len(got), got, want)
		return
	}
	for i, p := range got {
		if !isAt(p, want[2*i], want[2*i+1], asComputed) {
			t.Errorf("%s: point %d is %v, want (%v, %v)", what, i, p, want[2*i], want[2*i+1])
		}
	}
}

// wantPath wants a line to come by these places in their order.
func wantPath(t *testing.T, what string, line []pdf.Point, want ...float64) {
	t.Helper()
	next := 0
	for i := 1; i < len(line); i++ {
		for next < len(want) && distance(line[i-1], line[i], want[next], want[next+1]) <= asDrawn {
			next += 2
		}
	}
	if next < len(want) {
		t.Errorf("%s does not come to (%v, %v): %v", what, want[next], want[next+1], line)
	}
}

// wantCorners wants a line to have these points among its own, in their order.
func wantCorners(t *testing.T, what string, line []pdf.Point, want ...float64) {
	t.Helper()
	next := 0
	for _, p := range line {
		for next < len(want) && isAt(p, want[next], want[next+1], asComputed) {
			next += 2
		}
	}
	if next < len(want) {
		t.Errorf("%s has no point at (%v, %v) where it should: %v", what, want[next], want[next+1], line)
	}
}

// distance is how far a place is from a straight line.
func distance(a, b pdf.Point, x, y float64) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	along := pdf.Clamp(((x-a.X)*dx+(y-a.Y)*dy)/(dx*dx+dy*dy), 0, 1)
	return math.Hypot(a.X+along*dx-x, a.Y+along*dy-y)
}

func wantRect(t *testing.T, what string, got, want dml.Rect) {
	t.Helper()
	if !isRect(got, want, asComputed) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// wantExtent wants the box around a drawing.
func wantExtent(t *testing.T, what string, drawing []pdf.Point, want dml.Rect) {
	t.Helper()
	if got := extent(drawing); !isRect(got, want, asDrawn) {
		t.Errorf("%s fills %v, want %v", what, got, want)
	}
}

func isRect(got, want dml.Rect, by float64) bool {
	return math.Abs(got.X-want.X) <= by && math.Abs(got.Y-want.Y) <= by && math.Abs(got.W-want.W) <= by && math.Abs(got.H-want.H) <= by
}

func isAt(p pdf.Point, x, y, by float64) bool { return math.Hypot(p.X-x, p.Y-y) <= by }

// extent is the box around points.
func extent(points []pdf.Point) dml.Rect {
	low, high := pdf.Point{X: math.Inf(1), Y: math.Inf(1)}, pdf.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, p := range points {
		low.X, low.Y = math.Min(low.X, p.X), math.Min(low.Y, p.Y)
		high.X, high.Y = math.Max(high.X, p.X), math.Max(high.Y, p.Y)
	}
	return dml.Rect{X: low.X, Y: low.Y, W: high.X - low.X, H: high.Y - low.Y}
}

// size is the area that points enclose, by the shoelace formula.
func size(points []pdf.Point) float64 {
	sum := 0.0
	for i, p := range points {
		next := points[(i+1)%len(points)]
		sum += p.X*next.Y - next.X*p.Y
	}
	return math.Abs(sum) / 2
}

// isInside tells whether a place is in the area that points enclose (even-odd).
func isInside(points []pdf.Point, x, y float64) bool {
	inside := false
	for i, a := range points {
		b := points[(i+1)%len(points)]
		if a.Y > y != (b.Y > y) && x < a.X+(b.X-a.X)*(y-a.Y)/(b.Y-a.Y) {
			inside = !inside
		}
	}
	return inside
}

// elements is a list of DrawingML.
func elements(t *testing.T, content string) *etree.Element {
	t.Helper()
	doc := etree.NewDocument()
	if err := doc.ReadFromString(`<a:list xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">` + content + `</a:list>`); err != nil {
		t.Fatal(err)
	}
	return doc.Root()
}

// custom is the outline of what stands in an a:custGeom.
func custom(t *testing.T, w, h float64, content string) outline {
	t.Helper()
	o, isKnown := OutlineOf(dml.Geometry{Custom: elements(t, content)}, w, h)
	if !isKnown {
		t.Error("a custom geometry is not known")
	}
	return o
}

// painted is a page of 200 × 200 points as an independent reader paints it, and
// what the painter found. The painter stands on slide 3 and has some pictures.
func painted(t *testing.T, draw func(*Painter)) (rendertest.Pixels, []render.Finding) {
	t.Helper()
	parts, err := opc.ReadPackage(officetest.Zip(t, officetest.WordParts("", nil)))
	if err != nil {
		t.Fatal(err)
	}
	parts.SetPart(halves, "image/png", halvesPNG(t))
	parts.SetPart(damaged, "image/png", []byte("no picture"))
	c, findings := pdf.NewCanvas("", ""), &render.Findings{}
	c.AddPage(200, 200)
	draw(&Painter{Canvas: c, Fonts: pdf.EmbeddedFonts(), Parts: parts, Findings: findings, Unit: "slide", Number: 3})
	file, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return rendertest.Paint(t, file), findings.All()
}

// wantColor wants a colour at a place of the page.
func wantColor(t *testing.T, what string, page rendertest.Pixels, x, y float64, want dml.RGB) {
	t.Helper()
	got := page.Color(x, y)
	for _, pair := range [][2]uint8{{got.R, want.R}, {got.G, want.G}, {got.B, want.B}} {
		if math.Abs(float64(pair[0])-float64(pair[1])) > shade {
			t.Errorf("%s: (%v, %v) is %v, want %v", what, x, y, got, want)
			return
		}
	}
}
