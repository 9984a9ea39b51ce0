package shape

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// The corners and adjustments of presets are those of presetShapeDefinitions.xml
// (ECMA-376 part 1), for a box of 200 × 100 points.

func TestPresetsStayNearTheirBox(t *testing.T) {
	t.Parallel()
	names := strings.Fields("rect roundRect ellipse triangle rtTriangle diamond parallelogram trapezoid pentagon hexagon octagon plus donut frame can cube pie heart " +
		"snip1Rect round2SameRect flowChartMerge flowChartTerminator flowChartDocument rightArrow leftArrow upArrow downArrow leftRightArrow homePlate chevron bentUpArrow bentArrow " +
		"star4 star5 star8 line bentConnector3 curvedConnector3 leftBrace rightBracket arc")
	for _, name := range names {
		o, isKnown := OutlineOf(dml.Geometry{Preset: name}, 200, 100)
		if !isKnown || len(o.Contours) == 0 {
			t.Errorf("%s is not drawn", name)
		}
		for _, c := range o.Contours {
			for _, p := range c.Points {
				if math.IsNaN(p.X) || math.IsNaN(p.Y) || p.X < -20 || p.X > 220 || p.Y < -30 || p.Y > 130 {
					t.Errorf("%s has a point at %v", name, p)
				}
			}
		}
	}
	for _, name := range append(names, "wedgeRectCallout", "wedgeEllipseCallout", "noSuchShape") { // no box at all is no reason to fail
		OutlineOf(dml.Geometry{Preset: name, Adjust: map[string]float64{"adj": -1e12, "adj1": 1e12, "adj2": 5}}, 0, 0)
	}
}

func TestAShapeThatIsNotKnownIsDrawnAsItsBox(t *testing.T) {
	t.Parallel()
	o, isKnown := OutlineOf(dml.Geometry{Preset: "gear7"}, 30, 20)
	if isKnown {
		t.Error("gear7 is known, want it not to be")
	}
	wantPoints(t, "gear7", area(t, "gear7", o), 0, 0, 30, 0, 30, 20, 0, 20)
	wantRect(t, "gear7", o.Text, dml.Rect{W: 30, H: 20})
}

func TestPresetsWithCornersHaveThemWhereTheStandardDoes(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		name    string
		adjust  adjusted
		corners []float64
	}{
		{"rect", nil, []float64{0, 0, 200, 0, 200, 100, 0, 100}},
		{"", nil, []float64{0, 0, 200, 0, 200, 100, 0, 100}}, // no geometry
		{"flowChartProcess", nil, []float64{0, 0, 200, 0, 200, 100, 0, 100}},
		{"triangle", nil, []float64{100, 0, 200, 100, 0, 100}},
		{"triangle", adjusted{"adj": 25000}, []float64{50, 0, 200, 100, 0, 100}},
		{"rtTriangle", nil, []float64{0, 0, 200, 100, 0, 100}},
		{"diamond", nil, []float64{100, 0, 200, 50, 100, 100, 0, 50}},
		{"flowChartDecision", nil, []float64{100, 0, 200, 50, 100, 100, 0, 50}},
		{"parallelogram", nil, []float64{25, 0, 200, 0, 175, 100, 0, 100}},
		{"parallelogram", adjusted{"adj": 40000}, []float64{40, 0, 200, 0, 160, 100, 0, 100}},
		{"flowChartInputOutput", nil, []float64{40, 0, 200, 0, 160, 100, 0, 100}},
		{"trapezoid", nil, []float64{25, 0, 175, 0, 200, 100, 0, 100}},
		{"trapezoid", adjusted{"adj": 60000}, []float64{60, 0, 140, 0, 200, 100, 0, 100}},
		{"pentagon", nil, []float64{100, 0, 200, 38.197, 161.803, 100, 38.197, 100, 0, 38.197}},
		{"hexagon", nil, []float64{0, 50, 25, 0, 175, 0, 200, 50, 175, 100, 25, 100}},
		{"hexagon", adjusted{"adj": 10000}, []float64{0, 50, 10, 0, 190, 0, 200, 50, 190, 100, 10, 100}},
		{"octagon", nil, []float64{0, 29.289, 29.289, 0, 170.711, 0, 200, 29.289, 200, 70.711, 170.711, 100, 29.289, 100, 0, 70.711}},
		{"octagon", adjusted{"adj": 50000}, []float64{0, 50, 50, 0, 150, 0, 200, 50, 150, 100, 50, 100}},
		{"plus", nil, []float64{25, 0, 175, 0, 175, 25, 200, 25, 200, 75, 175, 75, 175, 100, 25, 100, 25, 75, 0, 75, 0, 25, 25, 25}},
		{"flowChartMerge", nil, []float64{0, 0, 200, 0, 100, 100}},
		{"flowChartExtract", nil, []float64{100, 0, 200, 100, 0, 100}},
		{"flowChartManualOperation", nil, []float64{0, 0, 200, 0, 160, 100, 40, 100}},
		{"flowChartManualInput", nil, []float64{0, 20, 200, 0, 200, 100, 0, 100}},
		{"flowChartPreparation", nil, []float64{0, 50, 40, 0, 160, 0, 200, 50, 160, 100, 40, 100}},
		{"flowChartOffpageConnector", nil, []float64{0, 0, 200, 0, 200, 80, 100, 100, 0, 80}},
	} {
		wantPolygon(t, want.name, areaOf(t, want.name, want.adjust), want.corners...)
	}
}

func TestTextHasThePartOfAShapeThatTheStandardGivesIt(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		name   string
		adjust adjusted
		text   dml.Rect
	}{
		{"rect", nil, dml.Rect{W: 200, H: 100}},
		{"ellipse", nil, dml.Rect{X: 100 - 50*math.Sqrt2, Y: 50 - 25*math.Sqrt2, W: 100 * math.Sqrt2, H: 50 * math.Sqrt2}},
		{"flowChartConnector", nil, dml.Rect{X: 100 - 50*math.Sqrt2, Y: 50 - 25*math.Sqrt2, W: 100 * math.Sqrt2, H: 50 * math.Sqrt2}},
		{"roundRect", adjusted{"adj": 20000}, dml.Rect{X: 5.8578, Y: 5.8578, W: 188.2844, H: 88.2844}}, // 20 × (1 - cos 45°)
		{"triangle", nil, dml.Rect{X: 50, Y: 50, W: 100, H: 50}},
		{"triangle", adjusted{"adj": 25000}, dml.Rect{X: 25, Y: 50, W: 100, H: 50}},
		{"rtTriangle", nil, dml.Rect{X: 200.0 / 12, Y: 700.0 / 12, W: 100, H: 100.0 / 3}},
		{"diamond", nil, dml.Rect{X: 50, Y: 25, W: 100, H: 50}},
		{"can", nil, dml.Rect{Y: 25, W: 200, H: 62.5}},
		{"can", adjusted{"adj": 40000}, dml.Rect{Y: 40, W: 200, H: 40}},
		{"cube", nil, dml.Rect{Y: 25, W: 175, H: 75}},
		{"flowChartMerge", nil, dml.Rect{X: 50, W: 100, H: 50}},
		{"flowChartExtract", nil, dml.Rect{X: 50, Y: 50, W: 100, H: 50}},
		{"flowChartPredefinedProcess", nil, dml.Rect{X: 25, W: 150, H: 100}},
		{"flowChartDocument", nil, dml.Rect{W: 200, H: 100 * 17322.0 / 21600}},
	} {
		wantRect(t, want.name, preset(t, want.name, want.adjust).Text, want.text)
	}
}

func TestAnEllipseTouchesTheFourSidesOfItsBox(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ellipse", "flowChartConnector"} {
		points := areaOf(t, name, nil)
		wantExtent(t, name, points, dml.Rect{W: 200, H: 100})
		if got, want := size(points), math.Pi*100*50; math.Abs(got-want) > want/100 {
			t.Errorf("%s: got an area of %.0f, want %.0f", name, got, want)
		}
	}
}

func TestTheCornersOfARoundRectAreRoundByItsAdjustment(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		adjust adjusted
		radius float64
	}{
		{nil, 16.667},
		{adjusted{"adj": 30000}, 30},
		{adjusted{"adj": 50000}, 50},
		{adjusted{"adj": 90000}, 50}, // pin 0 adj 50000
		{adjusted{"adj": -5}, 0},
	} {
		points := areaOf(t, "roundRect", want.adjust)
		wantExtent(t, "roundRect", points, dml.Rect{W: 200, H: 100})
		lost := (4 - math.Pi) * want.radius * want.radius
		if got := boxW*boxH - size(points); math.Abs(got-lost) > lost/50+asDrawn {
			t.Errorf("%v: the corners take %.1f of the area, want %.1f", want.adjust, got, lost)
		}
	}
}

func TestAHoleIsNotPartOfItsShape(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		name   string
		adjust adjusted
		size   float64
	}{
		{"frame", nil, 200*100 - 175*75},
		{"frame", adjusted{"adj1": 40000}, 200*100 - 120*20},
		{"donut", nil, math.Pi * (100*50 - 75*25)},
		{"donut", adjusted{"adj": 10000}, math.Pi * (100*50 - 90*40)},
	} {
		points := areaOf(t, want.name, want.adjust)
		wantExtent(t, want.name, points, dml.Rect{W: 200, H: 100})
		if got := size(points); math.Abs(got-want.size) > want.size/100 {
			t.Errorf("%s %v: got an area of %.0f, want %.0f", want.name, want.adjust, got, want.size)
		}
		if isInside(points, 100, 50) {
			t.Errorf("%s %v: the middle of the hole is inside", want.name, want.adjust)
		}
	}
	points := areaOf(t, "frame", nil)
	wantPath(t, "frame", points, 0, 0, 200, 0, 200, 100, 0, 100, 0, 0, 12.5, 12.5, 12.5, 87.5, 187.5, 87.5, 187.5, 12.5, 12.5, 12.5, 0, 0)
}

func TestACanIsACylinderWithItsRimDrawnOnce(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		adjust adjusted
		half   float64 // of the height of its ends
	}{{nil, 12.5}, {adjusted{"adj": 50000}, 25}, {adjusted{"adj": 400000}, 25}} {
		o := preset(t, "can", want.adjust)
		side := area(t, "can", o)
		wantExtent(t, "side", side, dml.Rect{Y: want.half, W: 200, H: 100 - want.half})
		if isInside(side, 100, want.half) || !isInside(side, 100, 99) || !isInside(side, 100, 2*want.half+1) {
			t.Errorf("%v: the side has not the form of a cylinder", want.adjust)
		}
	}
}

func TestACubeShowsThreeFaces(t *testing.T) {
	t.Parallel()
	var filled []float64
	for _, c := range preset(t, "cube", nil).Contours {
		if !c.IsHollow {
			filled = append(filled, size(c.Points), c.Shade)
		}
	}
	if want := []float64{175 * 75, 0, 75 * 25, 0.2, 175 * 25, -0.2}; !slices.Equal(filled, want) { // front, side, top
		t.Errorf("got faces of %v, want %v", filled, want)
	}
}

// Angles are clockwise from the right, in 1/60000 of a degree.
func TestPartsOfAnEllipseRunFromTheirFirstAngleClockwiseToTheirSecond(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		name        string
		adjust      adjusted
		first, last pdf.Point
		over        pdf.Point // comes between them
	}{
		{"pie", nil, pdf.Point{X: 200, Y: 50}, pdf.Point{X: 100, Y: 0}, pdf.Point{X: 0, Y: 50}},
		{"pie", adjusted{"adj1": 5400000, "adj2": 10800000}, pdf.Point{X: 100, Y: 100}, pdf.Point{X: 0, Y: 50}, pdf.Point{}},
		{"chord", nil, pdf.Point{X: 100 + 20*math.Sqrt(5), Y: 50 + 20*math.Sqrt(5)}, pdf.Point{X: 100, Y: 0}, pdf.Point{X: 0, Y: 50}},        // from 45°
		{"chord", adjusted{"adj1": 5400000, "adj2": 5400000}, pdf.Point{X: 100, Y: 100}, pdf.Point{X: 100, Y: 100}, pdf.Point{X: 100, Y: 0}}, // all of it
		{"pie", adjusted{"adj1": -1, "adj2": 99999999}, pdf.Point{X: 200, Y: 50}, pdf.Point{X: 200, Y: 50}, pdf.Point{X: 0, Y: 50}},          // pin 0 adj 21599999
		{"chord", adjusted{"adj1": 0}, pdf.Point{X: 200, Y: 50}, pdf.Point{X: 100, Y: 0}, pdf.Point{X: 0, Y: 50}},
		{"arc", nil, pdf.Point{X: 100, Y: 0}, pdf.Point{X: 200, Y: 50}, pdf.Point{}},
		{"arc", adjusted{"adj1": 10800000, "adj2": 5400000}, pdf.Point{X: 0, Y: 50}, pdf.Point{X: 100, Y: 100}, pdf.Point{X: 200, Y: 50}},
	} {
		points := preset(t, want.name, want.adjust).Contours[0].Points
		if want.name == "arc" {
			points = lineOf(t, want.name, want.adjust)
		}
		if want.name == "pie" {
			wantPoints(t, "the tip of a pie", points[len(points)-1:], 100, 50)
			points = points[:len(points)-1]
		}
		path := []float64{want.first.X, want.first.Y}
		if want.over != (pdf.Point{}) {
			path = append(path, want.over.X, want.over.Y)
		}
		wantPath(t, want.name, points, append(path, want.last.X, want.last.Y)...)
		if first, last := points[0], points[len(points)-1]; !isAt(first, want.first.X, want.first.Y, asDrawn) || !isAt(last, want.last.X, want.last.Y, asDrawn) {
			t.Errorf("%s runs from %v to %v, want %v to %v", want.name, first, last, want.first, want.last)
		}
	}
}

func TestAPieAndAChordAreAreasAndAnArcIsALine(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pie", "chord"} {
		if o := preset(t, name, nil); len(o.Contours) != 1 || o.Contours[0].IsOpen {
			t.Errorf("%s: got %v, want one closed line", name, o.Contours)
		}
	}
	lineOf(t, "arc", nil)
	points := areaOf(t, "pie", nil) // three quarters of an ellipse
	if got, want := size(points), math.Pi*100*50*3/4; math.Abs(got-want) > want/100 {
		t.Errorf("a pie has an area of %.0f, want %.0f", got, want)
	}
	if isInside(points, 130, 35) || !isInside(points, 130, 65) || !isInside(points, 70, 35) {
		t.Error("a pie lacks another quarter than the upper right one")
	}
}

func TestAHeartIsAsWideOnBothSidesAndEndsInATip(t *testing.T) {
	t.Parallel()
	points := areaOf(t, "heart", nil)
	wantPath(t, "heart", points, 100, 25, 100, 100, 100, 25)
	around := extent(points)
	if left, right := around.X, boxW-around.X-around.W; math.Abs(left-right) > asDrawn {
		t.Errorf("%.2f points are free at the left, %.2f at the right", left, right)
	}
	for _, inside := range []pdf.Point{{X: 60, Y: 30}, {X: 140, Y: 30}, {X: 100, Y: 90}} {
		if !isInside(points, inside.X, inside.Y) {
			t.Errorf("%v is outside", inside)
		}
	}
	for _, outside := range []pdf.Point{{X: 100, Y: 15}, {X: 20, Y: 90}, {X: 180, Y: 90}} {
		if isInside(points, outside.X, outside.Y) {
			t.Errorf("%v is inside", outside)
		}
	}
}

func TestRectanglesLoseTheCornersInTheirNames(t *testing.T) {
	t.Parallel()
	const quarter = 1 - math.Pi/4 // what a quarter of a circle leaves of its square
	const d = 16.667
	for _, want := range []struct {
		name   string
		adjust adjusted
		cut    string
		lost   float64
	}{
		{"snip1Rect", nil, "tr", d * d / 2},
		{"snip1Rect", adjusted{"adj": 40000}, "tr", 40 * 40 / 2},
		{"snip2SameRect", nil, "tl tr", d * d},
		{"snip2SameRect", adjusted{"adj1": 0, "adj2": 30000}, "br bl", 30 * 30},
		{"snip2DiagRect", nil, "tr bl", d * d},
		{"snip2DiagRect", adjusted{"adj1": 20000, "adj2": 0}, "tl br", 20 * 20},
		{"snip2DiagRect", adjusted{"adj1": 20000, "adj2": 30000}, "tl tr br bl", 20*20 + 30*30},
		{"round1Rect", nil, "tr", d * d * quarter},
		{"round2SameRect", nil, "tl tr", 2 * d * d * quarter},
		{"round2SameRect", adjusted{"adj1": 0, "adj2": 40000}, "br bl", 2 * 40 * 40 * quarter},
		{"round2DiagRect", nil, "tl br", 2 * d * d * quarter},
		{"round2DiagRect", adjusted{"adj1": 0, "adj2": 30000}, "tr bl", 2 * 30 * 30 * quarter},
	} {
		points := areaOf(t, want.name, want.adjust)
		var cut []string
		for i, corner := range []pdf.Point{{X: 1, Y: 1}, {X: 199, Y: 1}, {X: 199, Y: 99}, {X: 1, Y: 99}} {
			if !isInside(points, corner.X, corner.Y) {
				cut = append(cut, []string{"tl", "tr", "br", "bl"}[i])
			}
		}
		if got := strings.Join(cut, " "); got != want.cut {
			t.Errorf("%s %v loses %q, want %q", want.name, want.adjust, got, want.cut)
		}
		if got := boxW*boxH - size(points); math.Abs(got-want.lost) > want.lost/50 {
			t.Errorf("%s %v loses %.1f of its area, want %.1f", want.name, want.adjust, got, want.lost)
		}
		wantExtent(t, want.name, points, dml.Rect{W: 200, H: 100})
	}
}

func TestCutCornersBeginAndEndWhereTheStandardSays(t *testing.T) {
	t.Parallel()
	const d = 16.667
	for _, want := range []struct {
		name   string
		adjust adjusted
		path   []float64 // where edges and corners meet
	}{
		{"snip1Rect", nil, []float64{0, 0, 200 - d, 0, 200, d, 200, 100, 0, 100}},
		{"snip2SameRect", nil, []float64{d, 0, 200 - d, 0, 200, d, 200, 100, 0, 100, 0, d}},
		{"snip2DiagRect", nil, []float64{0, 0, 200 - d, 0, 200, d, 200, 100, d, 100, 0, 100 - d}},
		{"round1Rect", nil, []float64{0, 0, 200 - d, 0, 200, d, 200, 100, 0, 100}},
		{"round2SameRect", nil, []float64{0, d, d, 0, 200 - d, 0, 200, d, 200, 100, 0, 100}},
		{"round2SameRect", adjusted{"adj1": 10000, "adj2": 20000}, []float64{0, 10, 10, 0, 190, 0, 200, 10, 200, 80, 180, 100, 20, 100, 0, 80}},
		{"round2DiagRect", adjusted{"adj1": 10000, "adj2": 20000}, []float64{0, 10, 10, 0, 180, 0, 200, 20, 200, 90, 190, 100, 20, 100, 0, 80}},
		{"roundRect", nil, []float64{0, d, d, 0, 200 - d, 0, 200, d, 200, 100 - d, 200 - d, 100, d, 100, 0, 100 - d}},
		{"flowChartAlternateProcess", nil, []float64{0, 100.0 / 6, 100.0 / 6, 0, 1100.0 / 6, 0, 200, 100.0 / 6, 200, 500.0 / 6, 1100.0 / 6, 100, 100.0 / 6, 100, 0, 500.0 / 6}},
		{"flowChartDelay", nil, []float64{0, 0, 100, 0, 100, 100, 0, 100}},
		{"heart", nil, []float64{100, 25, 100, 100, 100, 25}},
	} {
		points := areaOf(t, want.name, want.adjust)
		wantPath(t, want.name, slices.Concat(points, points), want.path...)
	}
}

func TestFlowChartSymbolsHaveRoundEndsWhereTheirNamesSaySo(t *testing.T) {
	t.Parallel()
	corner := 100.0 / 6 // an alternate process has the radius of a sixth of its shorter side
	for _, want := range []struct {
		name string
		size float64
	}{
		{"flowChartTerminator", boxW*boxH - (4-math.Pi)*boxW*3475/21600*50}, // its ends are half ellipses
		{"flowChartAlternateProcess", boxW*boxH - (4-math.Pi)*corner*corner},
		{"flowChartDelay", 100*100 + math.Pi*100*50/2},
	} {
		points := areaOf(t, want.name, nil)
		wantExtent(t, want.name, points, dml.Rect{W: 200, H: 100})
		if got := size(points); math.Abs(got-want.size) > want.size/200 {
			t.Errorf("%s: got an area of %.0f, want %.0f", want.name, got, want.size)
		}
	}
	wantPath(t, "a delay", areaOf(t, "flowChartDelay", nil), 0, 0, 100, 0, 200, 50, 100, 100, 0, 100)
}

func TestADocumentOfAFlowChartHasAWaveAtItsFoot(t *testing.T) {
	t.Parallel()
	points := areaOf(t, "flowChartDocument", nil)
	wantPath(t, "a document", points, 0, 0, 200, 0, 200, 100*17322.0/21600, 0, 100*20172.0/21600)
	if isInside(points, 180, 90) || !isInside(points, 40, 90) {
		t.Error("the foot is not high at the right and low at the left")
	}
}

func TestAPredefinedProcessHasALineAtEachSide(t *testing.T) {
	t.Parallel()
	o := preset(t, "flowChartPredefinedProcess", nil)
	wantPolygon(t, "box", area(t, "box", o), 0, 0, 200, 0, 200, 100, 0, 100)
	var lines [][]pdf.Point
	for _, c := range o.Contours {
		if c.IsOpen {
			lines = append(lines, c.Points)
		}
	}
	if len(lines) != 2 {
		t.Fatalf("got the lines %v, want two", lines)
	}
	wantPoints(t, "left", lines[0], 25, 0, 25, 100)
	wantPoints(t, "right", lines[1], 175, 0, 175, 100)
}

func TestAShapeIsMirroredInItsFrameAndMovedToThePage(t *testing.T) {
	t.Parallel()
	in := []Contour{{Points: Points(0, 0, 30, 10), IsOpen: true}, {Points: Points(5, 6), IsHollow: true}}
	frame := dml.Rect{X: 100, Y: 200, W: 50, H: 40}
	for _, want := range []struct {
		flipH, flipV  bool
		first, second []float64
	}{
		{false, false, []float64{100, 200, 130, 210}, []float64{105, 206}},
		{true, false, []float64{150, 200, 120, 210}, []float64{145, 206}},
		{false, true, []float64{100, 240, 130, 230}, []float64{105, 234}},
		{true, true, []float64{150, 240, 120, 230}, []float64{145, 234}},
	} {
		out := Place(in, frame, want.flipH, want.flipV)
		if len(out) != 2 || !out[0].IsOpen || out[0].IsHollow || out[1].IsOpen || !out[1].IsHollow {
			t.Fatalf("got %v, want an open contour and a hollow one", out)
		}
		wantPoints(t, "first", out[0].Points, want.first...)
		wantPoints(t, "second", out[1].Points, want.second...)
	}
	wantPoints(t, "what was placed", in[0].Points, 0, 0, 30, 10)
}
