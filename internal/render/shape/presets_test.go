package shape

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
)

func TestArrowsHaveTheirCornersWhereTheStandardDoes(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		name    string
		adjust  adjusted
		corners []float64
	}{
		{"rightArrow", nil, []float64{0, 25, 150, 25, 150, 0, 200, 50, 150, 100, 150, 75, 0, 75}},
		{"leftArrow", nil, []float64{200, 25, 50, 25, 50, 0, 0, 50, 50, 100, 50, 75, 200, 75}},
		{"downArrow", nil, []float64{50, 0, 50, 50, 0, 50, 100, 100, 200, 50, 150, 50, 150, 0}},
		{"upArrow", nil, []float64{50, 100, 50, 50, 0, 50, 100, 0, 200, 50, 150, 50, 150, 100}},
		{"rightArrow", adjusted{"adj1": 20000, "adj2": 30000}, []float64{0, 40, 170, 40, 170, 0, 200, 50, 170, 100, 170, 60, 0, 60}},
		{"rightArrow", adjusted{"adj1": 300000, "adj2": 900000}, []float64{0, 0, 200, 50, 0, 100}}, // all of it head
		{"leftRightArrow", nil, []float64{0, 50, 50, 0, 50, 25, 150, 25, 150, 0, 200, 50, 150, 100, 150, 75, 50, 75, 50, 100}},
		{"leftRightArrow", adjusted{"adj1": 20000, "adj2": 30000}, []float64{0, 50, 30, 0, 30, 40, 170, 40, 170, 0, 200, 50, 170, 100, 170, 60, 30, 60, 30, 100}},
		{"upDownArrow", adjusted{"adj1": 20000, "adj2": 30000}, []float64{100, 0, 0, 30, 80, 30, 80, 70, 0, 70, 100, 100, 200, 70, 120, 70, 120, 30, 200, 30}},
		{"homePlate", nil, []float64{0, 0, 150, 0, 200, 50, 150, 100, 0, 100}},
		{"homePlate", adjusted{"adj": 20000}, []float64{0, 0, 180, 0, 200, 50, 180, 100, 0, 100}},
		{"chevron", nil, []float64{0, 0, 150, 0, 200, 50, 150, 100, 0, 100, 50, 50}},
		{"notchedRightArrow", nil, []float64{0, 25, 150, 25, 150, 0, 200, 50, 150, 100, 150, 75, 0, 75, 25, 50}},
		{"notchedRightArrow", adjusted{"adj1": 20000, "adj2": 30000}, []float64{0, 40, 170, 40, 170, 0, 200, 50, 170, 100, 170, 60, 0, 60, 6, 50}},
		{"bentUpArrow", nil, []float64{0, 75, 162.5, 75, 162.5, 25, 150, 25, 175, 0, 200, 25, 187.5, 25, 187.5, 100, 0, 100}},
		{"bentUpArrow", adjusted{"adj1": 10000, "adj2": 20000, "adj3": 40000}, []float64{0, 90, 175, 90, 175, 40, 160, 40, 180, 0, 200, 40, 185, 40, 185, 100, 0, 100}},
	} {
		wantPolygon(t, fmt.Sprint(want.name, want.adjust), areaOf(t, want.name, want.adjust), want.corners...)
	}
}

func TestTextOnAnArrowReachesIntoItsHead(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		name   string
		adjust adjusted
		text   dml.Rect
	}{
		{"rightArrow", nil, dml.Rect{Y: 25, W: 175, H: 50}},
		{"leftArrow", nil, dml.Rect{X: 25, Y: 25, W: 175, H: 50}},
		{"downArrow", nil, dml.Rect{X: 50, W: 100, H: 75}},
		{"upArrow", nil, dml.Rect{X: 50, Y: 25, W: 100, H: 75}},
		// As far as the head is higher than the shaft.
		{"rightArrow", adjusted{"adj1": 100000}, dml.Rect{W: 150, H: 100}},
		{"rightArrow", adjusted{"adj1": 80000}, dml.Rect{Y: 10, W: 160, H: 80}},
		{"leftArrow", adjusted{"adj1": 20000}, dml.Rect{X: 10, Y: 40, W: 190, H: 20}},
		{"homePlate", nil, dml.Rect{W: 175, H: 100}},
		{"chevron", nil, dml.Rect{X: 50, W: 100, H: 100}},
	} {
		wantRect(t, fmt.Sprint(want.name, want.adjust), preset(t, want.name, want.adjust).Text, want.text)
	}
}

func TestABentArrowTurnsInTwoArcs(t *testing.T) {
	t.Parallel()
	points := areaOf(t, "bentArrow", nil)
	wantCorners(t, "bentArrow", points, 0, 100, 0, 56.25, 43.75, 12.5, 175, 12.5, 175, 0, 200, 25, 175, 50, 175, 37.5, 43.75, 37.5, 25, 56.25, 25, 100)
	// Both arcs are around (43.75, 56.25).
	for i, p := range points[1 : len(points)-1] {
		if r := math.Hypot(p.X-43.75, p.Y-56.25); p.X < 43.75 && p.Y < 56.25 && math.Abs(r-43.75) > asDrawn && math.Abs(r-18.75) > asDrawn {
			t.Errorf("point %d, %v, is %.2f from the middle of the bend, want 43.75 or 18.75", i, p, r)
		}
	}
	sharp := areaOf(t, "bentArrow", adjusted{"adj1": 20000, "adj2": 30000, "adj3": 40000, "adj4": 0})
	wantCorners(t, "a bentArrow without a bend", sharp, 0, 100, 0, 20, 160, 20, 160, 0, 200, 30, 160, 60, 160, 40, 20, 40, 20, 100)
}

func TestStarsHaveTheirPointsOnAnEllipseAndTheirNotchesOnASmallerOne(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		points int
		adjust adjusted
		inner  float64 // part of the outer radius
	}{
		{4, nil, 0.25}, {8, nil, 0.75}, {12, nil, 0.75}, {16, nil, 0.75}, {24, nil, 0.75}, {32, nil, 0.75},
		{8, adjusted{"adj": 20000}, 0.4},
	} {
		name := fmt.Sprintf("star%d", want.points)
		got := areaOf(t, name, want.adjust)
		if len(got) != 2*want.points {
			t.Errorf("%s has %d corners, want %d", name, len(got), 2*want.points)
			continue
		}
		wantExtent(t, name, got, dml.Rect{W: 200, H: 100})
		for i, p := range got {
			far := math.Hypot((p.X-100)/100, (p.Y-50)/50)
			if wanted := []float64{1, want.inner}[i%2]; math.Abs(far-wanted) > asStated/50 {
				t.Errorf("%s: corner %d is %.4f of the radius from the middle, want %.4f", name, i, far, wanted)
			}
		}
	}
}

// Such a star is wider than its ellipse, or higher and moved down (hf and vf in
// presetShapeDefinitions.xml), so that it fills its box.
func TestStarsWithoutAPointAtEachSideFillTheirBoxAllTheSame(t *testing.T) {
	t.Parallel()
	const roundedAway = 0.002 // the factors have five decimals
	for name, notch := range map[string]pdf.Point{
		// The notch to the right of the uppermost point; for star5 100 × 1.05146 × 0.38196 × sin 36° away from the middle.
		"star5":  {X: 123.607, Y: 38.197},
		"star6":  {X: 133.334, Y: 25},
		"star7":  {X: 130.798, Y: 19.806},
		"star10": {X: 127.639, Y: 9.549},
	} {
		points := areaOf(t, name, nil)
		if around := extent(points); !isRect(around, dml.Rect{W: 200, H: 100}, roundedAway) {
			t.Errorf("%s fills %v, want 200 × 100 from 0, 0", name, around)
		}
		if !slices.ContainsFunc(points, func(p pdf.Point) bool { return isAt(p, notch.X, notch.Y, roundedAway) }) {
			t.Errorf("%s: got %v, want a notch at %v", name, points, notch)
		}
	}
}

func TestTextOfAStarKeepsToItsMiddle(t *testing.T) {
	t.Parallel()
	// Between the notches: 0.75 × 100 × cos 22.5° to each side.
	inner := 0.75 * math.Cos(math.Pi/8)
	if got, want := preset(t, "star8", nil).Text, (dml.Rect{X: 100 - 100*inner, Y: 50 - 50*inner, W: 200 * inner, H: 100 * inner}); !isRect(got, want, asStated) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOnlyStarsOfFourTo32PointsAreKnown(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"star3": false, "star4": true, "star32": true, "star33": false, "star": false, "starfish": false, "8": false} {
		if _, got := OutlineOf(dml.Geometry{Preset: name}, 20, 20); got != want {
			t.Errorf("%s is known: %v, want %v", name, got, want)
		}
	}
}

func TestConnectorsRunFromOneCornerToTheOther(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		name   string
		adjust adjusted
		path   []float64
	}{
		{"line", nil, []float64{0, 0, 200, 100}},
		{"straightConnector1", nil, []float64{0, 0, 200, 100}},
		{"bentConnector2", nil, []float64{0, 0, 200, 0, 200, 100}},
		{"bentConnector3", nil, []float64{0, 0, 100, 0, 100, 100, 200, 100}},
		{"bentConnector3", adjusted{"adj1": -10000}, []float64{0, 0, -20, 0, -20, 100, 200, 100}},
		{"bentConnector4", nil, []float64{0, 0, 100, 0, 100, 50, 200, 50, 200, 100}},
		{"bentConnector4", adjusted{"adj1": 10000, "adj2": 120000}, []float64{0, 0, 20, 0, 20, 120, 200, 120, 200, 100}},
		{"bentConnector5", nil, []float64{0, 0, 100, 0, 100, 50, 100, 50, 100, 100, 200, 100}},
		{"bentConnector5", adjusted{"adj1": 120000, "adj2": 20000, "adj3": -10000}, []float64{0, 0, 240, 0, 240, 20, -20, 20, -20, 100, 200, 100}},
	} {
		wantPoints(t, fmt.Sprint(want.name, want.adjust), lineOf(t, want.name, want.adjust), want.path...)
	}
}

func TestCurvedConnectorsLeaveAndArriveAsTheirBentOnesDo(t *testing.T) {
	t.Parallel()
	const alike = 0.15 // of a direction: the first line of a curve turns a little
	for _, want := range []struct {
		name            string
		adjust          adjusted
		over            []float64
		leaves, arrives pdf.Point
	}{
		{"curvedConnector2", nil, nil, pdf.Point{X: 1}, pdf.Point{Y: 1}},
		{"curvedConnector3", nil, []float64{100, 50}, pdf.Point{X: 1}, pdf.Point{X: 1}},
		{"curvedConnector3", adjusted{"adj1": 10000}, []float64{20, 50}, pdf.Point{X: 1}, pdf.Point{X: 1}},
		{"curvedConnector4", nil, []float64{100, 25}, pdf.Point{X: 1}, pdf.Point{Y: 1}},
		{"curvedConnector4", adjusted{"adj1": 30000, "adj2": 80000}, []float64{60, 40}, pdf.Point{X: 1}, pdf.Point{Y: 1}},
	} {
		p := lineOf(t, want.name, want.adjust)
		last := len(p) - 1
		wantPath(t, want.name, p, append(append([]float64{0, 0}, want.over...), 200, 100)...)
		if got := direction(p[0], p[1]); !isAt(got, want.leaves.X, want.leaves.Y, alike) {
			t.Errorf("%s leaves in direction %v, want %v", want.name, got, want.leaves)
		}
		if got := direction(p[last-1], p[last]); !isAt(got, want.arrives.X, want.arrives.Y, alike) {
			t.Errorf("%s arrives in direction %v, want %v", want.name, got, want.arrives)
		}
	}
}

func direction(from, to pdf.Point) pdf.Point {
	d := math.Hypot(to.X-from.X, to.Y-from.Y)
	return pdf.Point{X: (to.X - from.X) / d, Y: (to.Y - from.Y) / d}
}

func TestCurvedConnectorsAreTheCurvesOfTheStandard(t *testing.T) {
	t.Parallel()
	// A cubic curve at half its length is (start + 3 × control + 3 × control + end) / 8.
	for _, want := range []struct {
		name   string
		adjust adjusted
		halves []float64
	}{
		{"curvedConnector2", nil, []float64{(3*100 + 3*200 + 200) / 8.0, (3*50 + 100) / 8.0}},
		{"curvedConnector3", adjusted{"adj1": 20000}, []float64{(3*20 + 3*40 + 40) / 8.0, (3*25 + 50) / 8.0, (40 + 3*40 + 3*120 + 200) / 8.0, (50 + 3*75 + 3*100 + 100) / 8.0}},
	} {
		wantPath(t, want.name, lineOf(t, want.name, want.adjust), want.halves...)
	}
}

func TestBracesAndBracketsEmbraceWhatIsBesideThem(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		name   string
		adjust adjusted
		path   []float64
	}{
		{"leftBrace", nil, []float64{200, 0, 100, 8.333, 100, 41.667, 0, 50, 100, 58.333, 100, 91.667, 200, 100}},
		{"rightBrace", nil, []float64{0, 0, 100, 8.333, 100, 41.667, 200, 50, 100, 58.333, 100, 91.667, 0, 100}},
		{"leftBrace", adjusted{"adj1": 10000, "adj2": 30000}, []float64{200, 0, 100, 10, 100, 20, 0, 30, 100, 40, 100, 90, 200, 100}},
		{"leftBracket", nil, []float64{200, 0, 0, 8.333, 0, 91.667, 200, 100}},
		{"rightBracket", nil, []float64{0, 0, 200, 8.333, 200, 91.667, 0, 100}},
		{"leftBracket", adjusted{"adj": 90000}, []float64{200, 0, 0, 50, 0, 50, 200, 100}},
	} {
		line := lineOf(t, want.name, want.adjust)
		if !isAt(line[0], want.path[0], want.path[1], asComputed) {
			slices.Reverse(line)
		}
		wantPath(t, fmt.Sprint(want.name, want.adjust), line, want.path...)
		wantExtent(t, want.name, line, dml.Rect{W: 200, H: 100})
	}
}

func TestACalloutPointsFromItsNearestSide(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		adjust adjusted // the tip, seen from the middle
		points []float64
	}{
		{nil, []float64{0, 0, 200, 0, 200, 100, 1000.0 / 12, 100, 58.334, 112.5, 400.0 / 12, 100, 0, 100}},
		{adjusted{"adj1": 30000, "adj2": 80000}, []float64{0, 0, 200, 0, 200, 100, 2000.0 / 12, 100, 160, 130, 1400.0 / 12, 100, 0, 100}},
		{adjusted{"adj1": 30000, "adj2": -80000}, []float64{0, 0, 1400.0 / 12, 0, 160, -30, 2000.0 / 12, 0, 200, 0, 200, 100, 0, 100}},
		{adjusted{"adj1": -30000, "adj2": -80000}, []float64{0, 0, 400.0 / 12, 0, 40, -30, 1000.0 / 12, 0, 200, 0, 200, 100, 0, 100}},
		{adjusted{"adj1": 80000, "adj2": 10000}, []float64{0, 0, 200, 0, 200, 700.0 / 12, 260, 60, 200, 1000.0 / 12, 200, 100, 0, 100}},
		{adjusted{"adj1": 80000, "adj2": -10000}, []float64{0, 0, 200, 0, 200, 200.0 / 12, 260, 40, 200, 500.0 / 12, 200, 100, 0, 100}},
		{adjusted{"adj1": -80000, "adj2": -10000}, []float64{0, 0, 200, 0, 200, 100, 0, 100, 0, 500.0 / 12, -60, 40, 0, 200.0 / 12}},
		{adjusted{"adj1": -80000, "adj2": 10000}, []float64{0, 0, 200, 0, 200, 100, 0, 100, 0, 1000.0 / 12, -60, 60, 0, 700.0 / 12}},
	} {
		wantPolygon(t, fmt.Sprint(want.adjust), areaOf(t, "wedgeRectCallout", want.adjust), want.points...)
	}
}

func TestARoundCalloutHasItsTipOnAStraightEdge(t *testing.T) {
	t.Parallel()
	for _, adjust := range []adjusted{nil, {"adj3": 10000}} {
		points := areaOf(t, "wedgeRoundRectCallout", adjust)
		wantCorners(t, "wedgeRoundRectCallout", points, 1000.0/12, 100, 58.334, 112.5, 400.0/12, 100)
		wantExtent(t, "wedgeRoundRectCallout", points, dml.Rect{W: 200, H: 112.5})
	}
	for radius, isCut := range map[float64]bool{16667: true, 0: false} {
		points := areaOf(t, "wedgeRoundRectCallout", adjusted{"adj3": radius})
		if isInside(points, 1, 1) == isCut {
			t.Errorf("with a radius of %v the corner is cut: %v, want %v", radius, !isCut, isCut)
		}
	}
}

func TestAnEllipticCalloutOpensElevenDegreesToBothSidesOfItsTip(t *testing.T) {
	t.Parallel()
	// The tip is straight below the middle: the edges are at 90° ± 11°.
	points := areaOf(t, "wedgeEllipseCallout", adjusted{"adj1": 0, "adj2": 80000})
	sin, cos := math.Sincos(11 * math.Pi / 180)
	wantCorners(t, "ends", points, 100, 130)
	for _, end := range []pdf.Point{{X: 100 - 100*sin, Y: 50 + 50*cos}, {X: 100 + 100*sin, Y: 50 + 50*cos}} {
		if !slices.ContainsFunc(points, func(p pdf.Point) bool { return isAt(p, end.X, end.Y, 5) }) {
			t.Errorf("no edge ends near %v: %v", end, points)
		}
	}
	// By default it is below and to the left.
	wantCorners(t, "tip", areaOf(t, "wedgeEllipseCallout", nil), 58.334, 112.5)
}

// Every name of ST_ShapeType (ECMA-376 part 1, 20.1.10.56) has its definition, and
// what that draws is not far from its box.
func TestAllPresetsOfTheStandardAreDrawn(t *testing.T) {
	t.Parallel()
	if got := len(presetLine()); got != 187 {
		t.Errorf("got %d presets, want the 187 of the standard", got)
	}
	around := dml.Rect{X: -100, Y: -60, W: 400, H: 220} // callouts point to the outside
	for name := range presetLine() {
		o := preset(t, name, nil)
		if len(o.Contours) == 0 {
			t.Errorf("%s: nothing is drawn", name)
		}
		for _, c := range o.Contours {
			if at := extent(c.Points); at.X < around.X || at.Y < around.Y || at.X+at.W > around.X+around.W || at.Y+at.H > around.Y+around.H {
				t.Errorf("%s: a line is at %v", name, at)
			}
		}
		OutlineOf(dml.Geometry{Preset: name, Adjust: adjusted{"adj": -1e12, "adj1": 1e12, "adj2": 5}}, 0, 0) // no box at all is no reason to fail
	}
}

// The arcs of a cloud are ellipses in units of its path, which are not square on the
// page; each ends where the next begins.
func TestACloudIsClosedWhateverItsForm(t *testing.T) {
	t.Parallel()
	o, _ := OutlineOf(dml.Geometry{Preset: "cloud"}, 400, 100)
	points := o.Contours[0].Points
	if first, last := points[0], points[len(points)-1]; !isAt(last, first.X, first.Y, 1) {
		t.Errorf("it begins at %v and ends at %v", first, last)
	}
}
