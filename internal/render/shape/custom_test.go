package shape

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/pdf"
)

// A shape of 200 × 100 points is 2,540,000 × 1,270,000 EMU.
const emuW, emuH = 2540000, 1270000

// ECMA-376 part 1, 20.1.9.11 has the formulas.
func TestGuidesAreComputedByTheFormulasOfTheStandard(t *testing.T) {
	t.Parallel()
	for formula, want := range map[string]float64{
		"val 7":              7,
		"*/ 6 7 2":           21,
		"+- 6 7 2":           11,
		"+/ 6 8 2":           7,
		"?: 1 7 2":           7,
		"?: 0 7 2":           2, // only what is above 0 counts as true
		"?: -1 7 2":          2,
		"abs -7":             7,
		"min 6 7":            6,
		"max 6 7":            7,
		"pin 2 1 8":          2,
		"pin 2 5 8":          5,
		"pin 2 9 8":          8,
		"sqrt 49":            7,
		"mod 2 3 6":          7,
		"sin 10 5400000":     10,
		"sin 10 1800000":     5,
		"cos 10 3600000":     5,
		"tan 10 2700000":     10,
		"at2 10 10":          2700000,
		"at2 -1 0":           10800000,
		"cat2 10 3 4":        6, // the cosine of an angle with the tangent 4/3
		"sat2 10 3 4":        8,
		"":                   0,
		"unknown 1 2 3":      0,
		"+- 6 7":             13, // what is absent is 0
		"*/ 6 7 0":           0,  // no number
		"sqrt -1":            0,
		"val nothing":        0,
		"val NaN":            0,
		"val Inf":            0,
		"*/ w 1 2":           emuW / 2,
		"+- r b 0":           emuW + emuH,
		"+- l t 5":           -5,
		"+- hc vc 0":         (emuW + emuH) / 2,
		"+- ss ls 0":         emuH + emuW,
		"+- wd2 wd3 wd4":     emuW/2 + emuW/3.0 - emuW/4,
		"+- wd5 wd6 wd8":     emuW/5 + emuW/6.0 - emuW/8,
		"+- wd10 wd12 0":     emuW/10 + emuW/12.0,
		"+- hd2 hd3 hd4":     emuH/2 + emuH/3.0 - emuH/4,
		"+- hd5 hd6 hd8":     emuH/5 + emuH/6.0 - emuH/8,
		"+- ssd2 ssd4 ssd6":  emuH/2 + emuH/4 - emuH/6.0,
		"+- ssd8 ssd16 0":    emuH/8 + emuH/16,
		"+- wd32 ssd32 0":    emuW/32 + emuH/32.0,
		"+- cd2 cd4 cd8":     10800000 + 5400000 - 2700000,
		"+- 3cd4 3cd8 0":     16200000 + 8100000,
		"+- 5cd8 7cd8 0":     13500000 + 18900000,
		"+- before before 1": 83,
	} {
		g := newGuides(emuW, emuH)
		g.read(elements(t, `<a:gd name="before" fmla="val 42"/><a:gd name="got" fmla="`+formula+`"/>`))
		if got := g["got"]; math.Abs(got-want) > asComputed*math.Max(1, math.Abs(want)) {
			t.Errorf("%s: got %v, want %v", formula, got, want)
		}
	}
}

func TestAGuideMayRedefineAnotherAndComesAfterTheAdjustments(t *testing.T) {
	t.Parallel()
	o := custom(t, 200, 100, `<a:avLst><a:gd name="adj" fmla="val 25000"/></a:avLst>`+
		`<a:gdLst><a:gd name="x" fmla="*/ w adj 100000"/><a:gd name="x" fmla="+- x x 0"/></a:gdLst>`+
		`<a:pathLst><a:path><a:moveTo><a:pt x="l" y="t"/></a:moveTo><a:lnTo><a:pt x="x" y="b"/></a:lnTo></a:path></a:pathLst>`)
	wantPoints(t, "path", o.Contours[0].Points, 0, 0, 100, 100)
}

func TestAListOfTooManyGuidesIsReadInPart(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for i := range maxGuides + 1 {
		fmt.Fprintf(&list, `<a:gd name="g%d" fmla="val 1"/>`, i)
	}
	g := guides{}
	g.read(elements(t, list.String()))
	if len(g) != maxGuides {
		t.Errorf("got %d guides, want %d", len(g), maxGuides)
	}
	if _, ok := g[fmt.Sprintf("g%d", maxGuides-1)]; !ok {
		t.Error("the last one within the limit is not there")
	}
}

// path is a geometry of one path.
func path(attributes, commands string) string {
	return `<a:pathLst><a:path ` + attributes + `>` + commands + `</a:path></a:pathLst>`
}

func moveTo(x, y string) string { return `<a:moveTo><a:pt x="` + x + `" y="` + y + `"/></a:moveTo>` }
func lineTo(x, y string) string { return `<a:lnTo><a:pt x="` + x + `" y="` + y + `"/></a:lnTo>` }

func TestAPathIsDrawnInItsOwnUnitsOverTheWholeShape(t *testing.T) {
	t.Parallel()
	line := moveTo("0", "0") + lineTo("10", "20")
	for attributes, want := range map[string][]float64{
		`w="20" h="40"`:   {0, 0, 100, 50},
		`w="10"`:          {0, 0, 200, 20.0 / 12700}, // no height: its y are EMU
		`h="20"`:          {0, 0, 10.0 / 12700, 100},
		``:                {0, 0, 10.0 / 12700, 20.0 / 12700},
		`w="0" h="0"`:     {0, 0, 10.0 / 12700, 20.0 / 12700},
		`w="-20" h="-40"`: {0, 0, 10.0 / 12700, 20.0 / 12700},
	} {
		o := custom(t, 200, 100, path(attributes, line))
		if len(o.Contours) != 1 {
			t.Errorf("%s: got %d contours, want one", attributes, len(o.Contours))
			continue
		}
		wantPoints(t, attributes, o.Contours[0].Points, want...)
	}
}

func TestAPathIsAnAreaWhenItIsClosed(t *testing.T) {
	t.Parallel()
	corner := moveTo("0", "0") + lineTo("10", "0") + lineTo("10", "10")
	for _, want := range []struct {
		what, attributes, commands string
		open, hollow               []bool
	}{
		{"left open", "", corner, []bool{true}, []bool{false}},
		{"closed", "", corner + `<a:close/>`, []bool{false}, []bool{false}},
		{"back at its start", "", corner + lineTo("0", "0"), []bool{false}, []bool{false}},
		{"below its start", "", corner + lineTo("0", "0.02"), []bool{true}, []bool{false}},
		{"beside its start", "", corner + lineTo("0.02", "0"), []bool{true}, []bool{false}},
		{"as good as at its start", "", moveTo("5", "5") + lineTo("10", "10") + lineTo("5.006", "5.006"), []bool{false}, []bool{false}},
		{"without a fill", `fill="none"`, corner + `<a:close/>`, []bool{false}, []bool{true}},
		{"with a shaded fill", `fill="darken"`, corner + `<a:close/>`, []bool{false}, []bool{false}},
		{"two", "", corner + `<a:close/>` + corner, []bool{false, true}, []bool{false, false}},
		{"two without a close", "", corner + corner, []bool{true, true}, []bool{false, false}},
		{"one point", "", moveTo("5", "5"), nil, nil},
		{"closed after one point", "", moveTo("5", "5") + `<a:close/>`, nil, nil},
		{"nothing", "", "", nil, nil},
	} {
		o := custom(t, 10, 10, path(`w="10" h="10" `+want.attributes, want.commands))
		if len(o.Contours) != len(want.open) {
			t.Errorf("%s: got %d contours, want %d", want.what, len(o.Contours), len(want.open))
			continue
		}
		for i, c := range o.Contours {
			if c.IsOpen != want.open[i] || c.IsHollow != want.hollow[i] {
				t.Errorf("%s: contour %d is open: %v, hollow: %v; want %v, %v", want.what, i, c.IsOpen, c.IsHollow, want.open[i], want.hollow[i])
			}
		}
	}
}

func TestPathsOfOneShapeFollowEachOther(t *testing.T) {
	t.Parallel()
	one := func(x string) string {
		return `<a:path w="10" h="10" fill="none">` + moveTo(x, "0") + lineTo(x, "10") + `</a:path>`
	}
	o := custom(t, 10, 10, `<a:pathLst>`+one("1")+one("2")+`</a:pathLst>`)
	if len(o.Contours) != 2 {
		t.Fatalf("got %v, want two lines", o.Contours)
	}
	wantPoints(t, "first", o.Contours[0].Points, 1, 0, 1, 10)
	wantPoints(t, "second", o.Contours[1].Points, 2, 0, 2, 10)
}

func TestCommandsWithoutTheirPointsAreLeftOut(t *testing.T) {
	t.Parallel()
	for what, command := range map[string]string{
		"a line to nowhere":            `<a:lnTo/>`,
		"a move to nowhere":            `<a:moveTo/>`,
		"a line to two places":         `<a:lnTo><a:pt x="1" y="1"/><a:pt x="2" y="2"/></a:lnTo>`,
		"a cubic curve of two points":  `<a:cubicBezTo><a:pt x="1" y="1"/><a:pt x="2" y="2"/></a:cubicBezTo>`,
		"a quadratic curve of a point": `<a:quadBezTo><a:pt x="1" y="1"/></a:quadBezTo>`,
		"an unknown command":           `<a:spiralTo><a:pt x="1" y="1"/></a:spiralTo>`,
	} {
		o := custom(t, 10, 10, path(`w="10" h="10"`, moveTo("0", "0")+command+lineTo("10", "10")))
		if len(o.Contours) != 1 {
			t.Errorf("%s: got %v, want one line", what, o.Contours)
			continue
		}
		wantPoints(t, what, o.Contours[0].Points, 0, 0, 10, 10)
	}
}

func TestCurvesOfAPathRunWhereBezierCurvesDo(t *testing.T) {
	t.Parallel()
	cubic := custom(t, 100, 100, path(`w="100" h="100"`, moveTo("0", "0")+
		`<a:cubicBezTo><a:pt x="0" y="80"/><a:pt x="80" y="80"/><a:pt x="80" y="0"/></a:cubicBezTo>`)).Contours[0].Points
	wantPath(t, "cubic", cubic, 0, 0, 40, 60, 80, 0) // (0 + 3 × 80 + 3 × 80 + 0) / 8 high in its middle
	// A quadratic curve at half its length is (start + 2 × control + end) / 4.
	quadratic := custom(t, 100, 100, path(`w="100" h="100"`, moveTo("0", "0")+
		`<a:quadBezTo><a:pt x="20" y="80"/><a:pt x="80" y="0"/></a:quadBezTo>`)).Contours[0].Points
	wantPath(t, "quadratic", quadratic, 0, 0, 30, 40, 80, 0)
}

func TestAnArcOfAPathBeginsWhereThePathStands(t *testing.T) {
	t.Parallel()
	arc := func(rx, ry, from, sweep string) string {
		return `<a:arcTo wR="` + rx + `" hR="` + ry + `" stAng="` + from + `" swAng="` + sweep + `"/>`
	}
	for _, want := range []struct {
		what, arc string
		path      []float64 // from (50, 50)
	}{
		{"a quarter", arc("40", "20", "0", "5400000"), []float64{50, 50, 10, 70}},
		{"a half over the foot", arc("40", "20", "0", "10800000"), []float64{50, 50, 10, 70, -30, 50}},
		{"a half over the head", arc("40", "20", "0", "-10800000"), []float64{50, 50, 10, 30, -30, 50}},
		{"from the top", arc("40", "20", "16200000", "5400000"), []float64{50, 50, 90, 70}},
		{"all around", arc("40", "20", "10800000", "21600000"), []float64{50, 50, 90, 30, 130, 50, 90, 70, 50, 50}},
		{"by guides", arc("wd10", "hd10", "cd2", "cd4"), []float64{50, 50, 60, 40}},
		{"of a circle", arc("20", "20", "2700000", "5400000"), []float64{50, 50, 50 - 20*math.Sqrt2, 50}},
	} {
		// wd10 is of EMU, so that the units of this path are EMU, too.
		attributes, start := `w="100" h="100"`, moveTo("50", "50")
		if want.what == "by guides" {
			attributes, start = "", moveTo("635000", "635000")
		}
		o := custom(t, 100, 100, path(attributes, start+want.arc))
		if len(o.Contours) != 1 {
			t.Errorf("%s: got %v, want one line", want.what, o.Contours)
			continue
		}
		points := o.Contours[0].Points
		wantPath(t, want.what, points, want.path...)
		wantPoints(t, want.what+"'s end", points[len(points)-1:], want.path[len(want.path)-2:]...)
	}
}

func TestAnArcOfMoreThanOneTurnIsOneTurn(t *testing.T) {
	t.Parallel()
	for sweep, next := range map[string]float64{"99999999": 1, "-99999999": -1} {
		points := custom(t, 100, 100, path(`w="100" h="100"`, moveTo("50", "50")+`<a:arcTo wR="40" hR="40" stAng="0" swAng="`+sweep+`"/>`)).Contours[0].Points
		wantPoints(t, sweep, points[len(points)-1:], 50, 50)
		if got := (points[1].Y - 50) * next; got <= 0 {
			t.Errorf("%s turns to %v", sweep, points[1])
		}
		turned := 0.0 // degrees around the middle, (10, 50)
		for i := 1; i < len(points); i++ {
			a, b := math.Atan2(points[i-1].Y-50, points[i-1].X-10), math.Atan2(points[i].Y-50, points[i].X-10)
			turned += math.Remainder(b-a, 2*math.Pi) * 180 / math.Pi
		}
		if math.Abs(turned-360*next) > asComputed {
			t.Errorf("%s turns by %.2f degrees, want %v", sweep, turned, 360*next)
		}
	}
}

// The angles of arcTo are those in which a place is seen from the middle, at
// the arc's beginning and at its end: presetShapeDefinitions.xml computes the
// ends of pies by them (cat2 and sat2 of wd2, hd2).
func TestTheAnglesOfAnEllipticArcAreSeenFromItsMiddle(t *testing.T) {
	t.Parallel()
	// At 45° an ellipse with the radii 80 and 20 is as far right as down, at 80 × 20 / √(80² + 20²).
	const at = 80 * 20 / 82.462113
	middle := pdf.Point{X: 50 - at, Y: 50 - at}
	for sweep, end := range map[string][]float64{
		"5400000":   {middle.X - at, middle.Y + at},
		"10800000":  {middle.X - at, middle.Y - at},
		"-5400000":  {middle.X + at, middle.Y - at},
		"2700000":   {middle.X, middle.Y + 20},
		"-2700000":  {middle.X + 80, middle.Y},
		"18900000":  {middle.X + 80, middle.Y},
		"-18900000": {middle.X, middle.Y + 20},
	} {
		points := custom(t, 100, 100, path(`w="100" h="100"`, moveTo("50", "50")+`<a:arcTo wR="80" hR="20" stAng="2700000" swAng="`+sweep+`"/>`)).Contours[0].Points
		if got := points[len(points)-1]; !isAt(got, end[0], end[1], asDrawn) {
			t.Errorf("an arc over %s ends at %v, want %v", sweep, got, end)
		}
		for _, p := range points {
			if far := math.Hypot((p.X-middle.X)/80, (p.Y-middle.Y)/20); math.Abs(far-1) > asDrawn {
				t.Errorf("%v is no point of the ellipse", p)
			}
		}
	}
}

func TestAnArcOrACurveNeedsAPlaceToBeginAt(t *testing.T) {
	t.Parallel()
	for what, command := range map[string]string{
		"an arc":            `<a:arcTo wR="5" hR="5" stAng="0" swAng="5400000"/>`,
		"a quadratic curve": `<a:quadBezTo><a:pt x="1" y="1"/><a:pt x="2" y="2"/></a:quadBezTo>`,
	} {
		if o := custom(t, 10, 10, path(`w="10" h="10"`, command)); len(o.Contours) != 0 {
			t.Errorf("%s: got %v, want nothing", what, o.Contours)
		}
	}
}

func TestAPathOfTooManyPointsIsDrawnInPart(t *testing.T) {
	t.Parallel()
	budget := maxPathPoints
	p := pathReader{g: guides{}, sx: 1, sy: 1, budget: &budget}
	lines := elements(t, moveTo("0", "0")+lineTo("1", "1")).ChildElements()
	p.command(lines[0])
	for range maxPathPoints {
		p.command(lines[1])
	}
	if len(p.cur) != maxPathPoints {
		t.Errorf("got %d points, want %d", len(p.cur), maxPathPoints)
	}
	// A curve counts as what it is drawn with.
	budget = 5
	p = pathReader{g: guides{}, sx: 1, sy: 1, budget: &budget}
	for _, c := range elements(t, moveTo("0", "0")+`<a:cubicBezTo><a:pt x="1" y="1"/><a:pt x="2" y="1"/><a:pt x="3" y="0"/></a:cubicBezTo>`+lineTo("9", "9")).ChildElements() {
		p.command(c)
	}
	if budget != 0 || len(p.cur) != 5 {
		t.Errorf("got %d points with a budget of %d left, want 5 and none", len(p.cur), budget)
	}
}

func TestACustomShapeSaysWhereItsTextStands(t *testing.T) {
	t.Parallel()
	whole := dml.Rect{W: 200, H: 100}
	for content, want := range map[string]dml.Rect{
		``: whole,
		`<a:rect l="wd4" t="hd10" r="hc" b="b"/>`:    {X: 50, Y: 10, W: 50, H: 90},
		`<a:rect l="l" t="t" r="127000" b="63500"/>`: {W: 10, H: 5},
		`<a:rect r="r" b="b"/>`:                      whole,
		`<a:rect l="r" t="t" r="l" b="b"/>`:          whole, // inside out
		`<a:rect l="l" t="b" r="r" b="t"/>`:          whole,
		`<a:rect l="hc" t="t" r="hc" b="b"/>`:        whole, // empty
	} {
		wantRect(t, content, custom(t, 200, 100, content+`<a:pathLst/>`).Text, want)
	}
	wantRect(t, "without paths", custom(t, 200, 100, ``).Text, whole)
}
