package shape

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
)

var (
	white = dml.RGB{R: 255, G: 255, B: 255}
	red   = dml.RGB{R: 255}
	green = dml.RGB{G: 255}
	blue  = dml.RGB{B: 255}
)

// Parts of the package that painted draws with.
const (
	halves  = "/word/media/halves.png" // 40 × 40 pixels, or 30 × 30 points: the left half is red, the right one blue
	damaged = "/word/media/damaged.png"
)

func halvesPNG(t *testing.T) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 40, 40))
	for i := range 40 * 40 {
		c := color.NRGBA{R: 255, A: 255}
		if i%40 >= 20 {
			c = color.NRGBA{B: 255, A: 255}
		}
		img.SetNRGBA(i%40, i/40, c)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// box is a rectangle as a contour.
func box(r dml.Rect) []Contour {
	return []Contour{{Points: Points(r.X, r.Y, r.X+r.W, r.Y, r.X+r.W, r.Y+r.H, r.X, r.Y+r.H)}}
}

func solid(c dml.RGB) *dml.ShapeFill {
	return &dml.ShapeFill{Kind: dml.FillSolid, Color: c, Alpha: 1}
}

func TestAFillPaintsTheInsideOfAnArea(t *testing.T) {
	t.Parallel()
	page, findings := painted(t, func(p *Painter) {
		p.Fill(box(dml.Rect{X: 10, Y: 10, W: 40, H: 40}), solid(red), dml.Rect{})
		p.Fill(box(dml.Rect{X: 60, Y: 10, W: 40, H: 40}), &dml.ShapeFill{Kind: dml.FillSolid, Color: blue, Alpha: 0.4}, dml.Rect{})
		p.Fill(box(dml.Rect{X: 110, Y: 10, W: 40, H: 40}), nil, dml.Rect{})
		p.Fill(box(dml.Rect{X: 110, Y: 10, W: 40, H: 40}), &dml.ShapeFill{Kind: dml.FillNone, Color: red, Alpha: 1}, dml.Rect{})
	})
	wantColor(t, "opaque", page, 30, 30, red)
	wantColor(t, "beside", page, 55, 30, white)
	wantColor(t, "see-through", page, 80, 30, dml.RGB{R: 153, G: 153, B: 255}) // 255 × (1 - 0.4)
	wantColor(t, "no fill", page, 130, 30, white)
	if len(findings) != 0 {
		t.Errorf("got findings %v, want none", findings)
	}
}

func TestHollowAreasAndStraightLinesAreNotFilled(t *testing.T) {
	t.Parallel()
	at := func(x float64) []pdf.Point { return Points(x, 10, x+30, 10, x+30, 40, x, 40) }
	page, _ := painted(t, func(p *Painter) {
		for _, f := range []*dml.ShapeFill{solid(red), fading(red, blue), {Kind: dml.FillPicture, Picture: &dml.Picture{Part: halves, Alpha: 1}, Alpha: 1}} {
			whole := dml.Rect{W: 200, H: 50}
			p.Fill([]Contour{{Points: at(0), IsHollow: true}}, f, whole)
			p.Fill([]Contour{{Points: Points(80, 10, 110, 40)}}, f, whole)
		}
		// The fill of an open line ends where a line from its end to its start would be.
		p.Fill([]Contour{{Points: at(160), IsOpen: true}}, solid(red), dml.Rect{})
	})
	for what, x := range map[string]float64{"a hollow area": 15, "two points": 95} {
		wantColor(t, what, page, x, 25, white)
	}
	wantColor(t, "an open line", page, 175, 25, red)
}

func TestALineThatRunsTheOtherWayIsAHoleInItsPathAlone(t *testing.T) {
	t.Parallel()
	outer, inner := Points(0, 0, 90, 0, 90, 90, 0, 90), Points(30, 30, 30, 60, 60, 60, 60, 30)
	right := func(points []pdf.Point) []pdf.Point {
		return Place([]Contour{{Points: points}}, dml.Rect{X: 100}, false, false)[0].Points
	}
	for _, f := range []*dml.ShapeFill{solid(red), fading(red, red)} {
		page, _ := painted(t, func(p *Painter) {
			p.Fill([]Contour{{Points: outer}, {Points: inner}}, f, dml.Rect{W: 90, H: 90})
			p.Fill([]Contour{{Points: right(outer)}, {Points: right(inner), Path: 1}}, f, dml.Rect{X: 100, W: 90, H: 90})
		})
		wantColor(t, "the ring", page, 15, 45, red)
		wantColor(t, "its hole", page, 45, 45, white)
		wantColor(t, "a path on another", page, 145, 45, red)
	}
}

func TestPathsAreShaded(t *testing.T) {
	t.Parallel()
	grey := dml.RGB{R: 100, G: 100, B: 100}
	for _, f := range []*dml.ShapeFill{solid(grey), fading(grey, grey)} {
		page, _ := painted(t, func(p *Painter) {
			for i, shade := range []float64{0, 0.4, -0.4} {
				at := dml.Rect{X: float64(50 * i), W: 40, H: 40}
				c := box(at)
				c[0].Shade = shade
				p.Fill(c, f, at)
			}
		})
		wantColor(t, "as it is", page, 20, 20, grey)
		wantColor(t, "darker", page, 70, 20, dml.RGB{R: 60, G: 60, B: 60})
		wantColor(t, "lighter", page, 120, 20, dml.RGB{R: 162, G: 162, B: 162})
	}
}

// fading is a gradient from one colour to another.
func fading(from, to dml.RGB) *dml.ShapeFill {
	return &dml.ShapeFill{Kind: dml.FillGradient, Alpha: 1, Stops: []dml.GradientStop{{Color: from, Alpha: 1}, {At: 1, Color: to, Alpha: 1}}}
}

func TestAGradientRunsClockwiseFromTheLeftByItsAngle(t *testing.T) {
	t.Parallel()
	at := dml.Rect{X: 50, Y: 50, W: 100, H: 100}
	for _, want := range []struct {
		angle                    float64
		left, top, right, bottom dml.RGB // three points inside the edges
	}{
		{0, red, dml.Mix(red, blue, 0.5), blue, dml.Mix(red, blue, 0.5)},
		{90, dml.Mix(red, blue, 0.5), red, dml.Mix(red, blue, 0.5), blue},
		{180, blue, dml.Mix(red, blue, 0.5), red, dml.Mix(red, blue, 0.5)},
		{270, dml.Mix(red, blue, 0.5), blue, dml.Mix(red, blue, 0.5), red},
		{45, dml.Mix(red, blue, 0.25), dml.Mix(red, blue, 0.25), dml.Mix(red, blue, 0.75), dml.Mix(red, blue, 0.75)},
	} {
		page, _ := painted(t, func(p *Painter) {
			f := fading(red, blue)
			f.Angle = want.angle
			p.Fill(box(at), f, at)
		})
		const step = 8 // of 255, one of fifty steps and the three points
		for _, place := range []struct {
			x, y float64
			want dml.RGB
		}{{51, 100, want.left}, {100, 51, want.top}, {149, 100, want.right}, {100, 149, want.bottom}} {
			got := page.Color(place.x, place.y)
			if off(got.R, place.want.R) > step || off(got.B, place.want.B) > step {
				t.Errorf("%v°: (%v, %v) is %v, want %v", want.angle, place.x, place.y, got, place.want)
			}
		}
		wantColor(t, "outside", page, 45, 100, white)
		wantColor(t, "outside", page, 100, 155, white)
	}
}

func off(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

func TestAGradientHasNoSeams(t *testing.T) {
	t.Parallel()
	at := dml.Rect{W: 200, H: 200}
	for _, isRadial := range []bool{false, true} {
		page, _ := painted(t, func(p *Painter) {
			f := fading(red, red)
			f.Angle, f.Radial = 30, isRadial
			p.Fill(box(at), f, at)
		})
		for i := 1; i < 200; i++ { // from corner to corner
			if got := page.Color(float64(i), float64(i)); got != red {
				t.Fatalf("radial: %v: (%d, %d) is %v, want %v", isRadial, i, i, got, red)
			}
		}
	}
}

func TestARadialGradientRunsFromTheMiddleToTheCorners(t *testing.T) {
	t.Parallel()
	at := dml.Rect{X: 20, Y: 60, W: 160, H: 80}
	page, _ := painted(t, func(p *Painter) {
		f := fading(red, blue)
		f.Radial, f.Angle = true, 90
		p.Fill(box(at), f, at)
	})
	const step = 8
	for _, place := range []struct {
		x, y, far float64 // of the way to a corner
	}{{100, 100, 0}, {178, 138, 0.975}, {22, 62, 0.975}, {140, 100, 0.3536}, {100, 80, 0.3536}} {
		want := dml.Mix(red, blue, place.far)
		if got := page.Color(place.x, place.y); off(got.R, want.R) > step || off(got.B, want.B) > step {
			t.Errorf("(%v, %v) is %v, want %v", place.x, place.y, got, want)
		}
	}
}

func TestAGradientHasStepsByItsSize(t *testing.T) {
	t.Parallel()
	for _, want := range []struct{ w, steps int }{{8, 8}, {60, 30}, {200, 96}} { // one for each two points, but from 8 to 96
		page, _ := painted(t, func(p *Painter) {
			at := dml.Rect{W: float64(want.w), H: 5}
			f := fading(dml.RGB{}, white)
			p.Fill(box(at), f, at)
		})
		// Where two steps meet there may be a mixture; whole steps are at least a point wide.
		var steps []uint8
		for x := range 2 * want.w {
			got, next := page.Color(float64(x)/2, 2).R, page.Color(float64(x+1)/2, 2).R
			if got == next && (len(steps) == 0 || steps[len(steps)-1] != got) {
				steps = append(steps, got)
			}
		}
		if len(steps) != want.steps {
			t.Errorf("%d points wide: got %d steps %v, want %d", want.w, len(steps), steps, want.steps)
		}
	}
}

func TestAGradientIsPaintedInsideItsContour(t *testing.T) {
	t.Parallel()
	page, _ := painted(t, func(p *Painter) {
		p.Fill([]Contour{{Points: Points(0, 0, 100, 0, 0, 100)}}, fading(red, red), dml.Rect{W: 200, H: 200})
	})
	wantColor(t, "inside", page, 20, 20, red)
	wantColor(t, "outside", page, 80, 80, white)
}

func TestAGradientThatFadesIsMixedWithWhite(t *testing.T) {
	t.Parallel()
	page, _ := painted(t, func(p *Painter) {
		p.Canvas.FillRect(0, 0, 200, 200, green)
		p.Fill(box(dml.Rect{W: 200, H: 200}), &dml.ShapeFill{Kind: dml.FillGradient, Stops: []dml.GradientStop{{Color: blue, Alpha: 0.2}, {At: 1, Color: blue, Alpha: 0.2}}}, dml.Rect{W: 200, H: 200})
	})
	wantColor(t, "a fifth of blue", page, 100, 100, dml.RGB{R: 204, G: 204, B: 255})
}

func TestTheColourOfAGradientLiesBetweenItsStops(t *testing.T) {
	t.Parallel()
	stops := []dml.GradientStop{{At: 0.25, Color: red, Alpha: 1}, {At: 0.5, Color: blue, Alpha: 0.5}, {At: 0.5, Color: green, Alpha: 1}, {At: 1, Color: white, Alpha: 0}}
	for _, want := range []struct {
		at, alpha float64
		color     dml.RGB
	}{
		{0, 1, red},
		{0.25, 1, red},
		{0.3125, 0.875, dml.RGB{R: 191, B: 64}}, // a quarter of the way
		{0.375, 0.75, dml.RGB{R: 128, B: 128}},
		{0.5, 0.5, blue}, // the first of two that stand there
		{0.75, 0.5, dml.RGB{R: 128, G: 255, B: 128}},
		{1, 0, white},
		{1.5, 0, white},
	} {
		c, alpha := GradientAt(stops, want.at)
		if c != want.color || alpha < want.alpha-asComputed || alpha > want.alpha+asComputed {
			t.Errorf("at %v: got %v, %v; want %v, %v", want.at, c, alpha, want.color, want.alpha)
		}
	}
}

func TestAPictureFillsItsBoxOrRepeatsInIt(t *testing.T) {
	t.Parallel()
	fill := func(x, y float64) *dml.ShapeFill {
		return &dml.ShapeFill{Kind: dml.FillPicture, Picture: &dml.Picture{Part: halves, Alpha: 1}, Alpha: 1, TileX: x, TileY: y}
	}
	page, findings := painted(t, func(p *Painter) {
		stretched := dml.Rect{X: 0, Y: 0, W: 120, H: 60}
		p.Fill([]Contour{{Points: Points(0, 0, 120, 0, 120, 40, 0, 40)}}, fill(0, 0), stretched)
		p.Fill(box(dml.Rect{Y: 70, W: 75, H: 60}), fill(1, 1), dml.Rect{Y: 70, W: 75, H: 60})
		p.Fill(box(dml.Rect{Y: 140, W: 120, H: 60}), fill(2, 1), dml.Rect{Y: 140, W: 120, H: 60})
	})
	wantColor(t, "stretched, left", page, 50, 20, red)
	wantColor(t, "stretched, right", page, 70, 20, blue)
	wantColor(t, "stretched, outside the contour", page, 50, 50, white)
	// 40 pixels are 30 points.
	for x, want := range map[float64]dml.RGB{7: red, 22: blue, 37: red, 52: blue, 67: red, 82: white} {
		for _, y := range []float64{75, 125} {
			wantColor(t, "tiles", page, x, y, want)
		}
	}
	for x, want := range map[float64]dml.RGB{20: red, 40: blue, 80: red, 110: blue} {
		wantColor(t, "tiles of double width", page, x, 170, want)
	}
	if len(findings) != 0 {
		t.Errorf("got findings %v, want none", findings)
	}
}

func TestTilesBeyondNumberAreDrawnAsOne(t *testing.T) {
	t.Parallel()
	const perMille = 0.04 // of 30 points: 1.2
	for _, want := range []struct {
		w, h   float64
		tx, ty float64
		isOne  bool
	}{
		{60, 30, perMille, perMille, false}, // 50 × 25 tiles
		{60, 36, perMille, perMille, false}, // 50 × 30, as many as may be
		{60, 37, perMille, perMille, true},
		{60, 30, 0.01, 1, true}, // less than a point wide
		{60, 30, 1, 0.01, true},
	} {
		page, findings := painted(t, func(p *Painter) {
			at := dml.Rect{W: want.w, H: want.h}
			p.Fill(box(at), &dml.ShapeFill{Kind: dml.FillPicture, Picture: &dml.Picture{Part: halves, Alpha: 1}, Alpha: 1, TileX: want.tx, TileY: want.ty}, at)
		})
		isOne := page.Color(20, 10) == red && page.Color(25, 20) == red && page.Color(40, 10) == blue && page.Color(45, 20) == blue
		told := slices.ContainsFunc(findings, func(f render.Finding) bool {
			return f.Code == render.FindingDrawing && strings.HasSuffix(f.Message, "drawn as one, stretched: slide 3")
		})
		if isOne != want.isOne || told != want.isOne {
			t.Errorf("%v: drawn as one: %v, told: %v (%v)", want, isOne, told, findings)
		}
	}
}

func TestAPictureIsCutMirroredAndSeenThrough(t *testing.T) {
	t.Parallel()
	page, _ := painted(t, func(p *Painter) {
		p.Picture(&dml.Picture{Part: halves, Alpha: 1}, dml.Rect{W: 40, H: 40}, pdf.ImageOptions{FlipH: true})
		p.Picture(&dml.Picture{Part: halves, Alpha: 1, Left: 0.5}, dml.Rect{X: 50, W: 40, H: 40}, pdf.ImageOptions{})
		p.Picture(&dml.Picture{Part: halves, Alpha: 1, Right: 0.5}, dml.Rect{X: 100, W: 40, H: 40}, pdf.ImageOptions{})
		p.Picture(&dml.Picture{Part: halves, Alpha: 0.4}, dml.Rect{X: 150, W: 40, H: 40}, pdf.ImageOptions{Transparency: 1})
	})
	wantColor(t, "mirrored", page, 10, 20, blue)
	wantColor(t, "mirrored", page, 30, 20, red)
	wantColor(t, "cut at its left", page, 60, 20, blue)
	wantColor(t, "cut at its right", page, 130, 20, red)
	wantColor(t, "see-through", page, 160, 20, dml.RGB{R: 255, G: 153, B: 153})
}

func TestAPictureThatCannotBeDrawnIsReported(t *testing.T) {
	t.Parallel()
	for part, want := range map[string]string{
		"/word/media/none.png": "a picture is missing from the file",
		damaged:                "slide 3: picture cannot be drawn",
	} {
		_, findings := painted(t, func(p *Painter) {
			p.Picture(&dml.Picture{Part: part, Alpha: 1}, dml.Rect{W: 40, H: 40}, pdf.ImageOptions{})
		})
		if len(findings) != 1 || findings[0].Code != render.FindingPicture || !strings.HasPrefix(findings[0].Message, want) {
			t.Errorf("%s: got findings %v, want one that says %q", part, findings, want)
		}
	}
}

func TestWhatAFillLosesIsReportedWithItsSlide(t *testing.T) {
	t.Parallel()
	_, findings := painted(t, func(p *Painter) {
		f := solid(red)
		f.Losses = []dml.Loss{dml.LossPattern, dml.LossTiles}
		p.Fill(nil, f, dml.Rect{})
	})
	want := []render.Finding{
		{Code: render.FindingDrawing, Message: string(dml.LossPattern) + ": slide 3"},
		{Code: render.FindingDrawing, Message: string(dml.LossTiles) + ": slide 3"},
	}
	if !slices.Equal(findings, want) {
		t.Errorf("got %v, want %v", findings, want)
	}
}

func TestALineHasTheWidthColourAndDashesOfItsShape(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		line   dml.ShapeLine
		stroke pdf.Stroke
	}{
		{dml.ShapeLine{Width: 2, Color: red, Alpha: 1, Dash: "solid"}, pdf.Stroke{Color: red, Width: 2}},
		{dml.ShapeLine{Width: 2, Color: blue, Alpha: 0.25, Dash: ""}, pdf.Stroke{Color: blue, Width: 2, Transparency: 0.75}},
		{dml.ShapeLine{Width: 0, Alpha: 1}, pdf.Stroke{Width: 0.1}},
		{dml.ShapeLine{Width: 9999, Alpha: 1}, pdf.Stroke{Width: 500}},
		{dml.ShapeLine{Width: 3, Alpha: 1, Dash: "dash"}, pdf.Stroke{Width: 3, Dash: []float64{12, 9}}},
		{dml.ShapeLine{Width: 0.25, Alpha: 1, Dash: "dash"}, pdf.Stroke{Width: 0.25, Dash: []float64{2, 1.5}}}, // of a hairline as of half a point
	} {
		got := StrokeOf(&want.line)
		if got.Color != want.stroke.Color || got.Width != want.stroke.Width || got.Transparency != want.stroke.Transparency || !slices.Equal(got.Dash, want.stroke.Dash) {
			t.Errorf("%v: got %v, want %v", want.line, got, want.stroke)
		}
	}
}

// ECMA-376 part 1, 20.1.10.48, has a bit for each width of the line: 1 is drawn.
func TestDashesAreThoseOfTheStandardInWidthsOfTheLine(t *testing.T) {
	t.Parallel()
	for name, pattern := range map[string]string{
		"solid": "1", "dot": "1000", "dash": "1111000", "lgDash": "11111111000", "dashDot": "11110001000", "lgDashDot": "111111110001000",
		"lgDashDotDot": "1111111100010001000", "sysDash": "1110", "sysDot": "10", "sysDashDot": "111010", "sysDashDotDot": "11101010", "": "1", "unknown": "1",
	} {
		got := ""
		for i, length := range dashes(name) {
			got += strings.Repeat([]string{"1", "0"}[i%2], int(length))
		}
		if got == "" {
			got = "1"
		}
		if got != pattern {
			t.Errorf("%q: got %s, want %s", name, got, pattern)
		}
	}
}

func TestAreasAreStrokedAllAroundAndLinesAreNotClosed(t *testing.T) {
	t.Parallel()
	corner := func(x float64) []pdf.Point { return Points(x, 20, x+60, 20, x+60, 80) }
	page, _ := painted(t, func(p *Painter) {
		line := &dml.ShapeLine{Width: 4, Color: red, Alpha: 1}
		p.Stroke([]Contour{{Points: corner(10)}, {Points: corner(110), IsOpen: true}, {Points: Points(5, 5), IsOpen: true}}, line)
	})
	for _, x := range []float64{0, 100} {
		wantColor(t, "the first edge", page, 40+x, 20, red)
		wantColor(t, "the second edge", page, 70+x, 50, red)
		wantColor(t, "the inside", page, 60+x, 40, white)
	}
	wantColor(t, "the edge back, of an area", page, 40, 50, red)
	wantColor(t, "the edge back, of a line", page, 140, 50, white)
	wantColor(t, "a point", page, 5, 5, white)
}

func TestALineHasItsArrowheadsAtItsEnds(t *testing.T) {
	t.Parallel()
	page, _ := painted(t, func(p *Painter) {
		for i, ends := range [][2]string{{"triangle", ""}, {"", "triangle"}, {"oval", "diamond"}, {"", ""}} {
			y := float64(20 + 40*i)
			p.Stroke([]Contour{{Points: Points(50, y, 150, y), IsOpen: true}}, &dml.ShapeLine{Width: 6, Color: red, Alpha: 1, Head: ends[0], Tail: ends[1]})
		}
	})
	// Heads are three times as wide as the line: 18 points.
	for _, want := range []struct {
		what  string
		x, y  float64
		isInk bool
	}{
		{"the wide end of a triangle at the head", 66, 13, true},
		{"beside its tip", 51, 18, false},
		{"the other end", 134, 13, false},
		{"the wide end of a triangle at the tail", 134, 53, true},
		{"beside its tip", 149, 58, false},
		{"the other end", 66, 53, false},
		{"a circle at the head", 43, 100, true},
		{"above it", 50, 93, true},
		{"outside it", 43, 93, false},
		{"a diamond at the tail", 157, 100, true},
		{"above it", 150, 93, true},
		{"outside it", 157, 94, false},
		{"no head", 47, 140, false},
		{"a line without heads", 52, 138, true},
	} {
		if got := !page.White(want.x, want.y); got != want.isInk {
			t.Errorf("%s: there is ink at (%v, %v): %v, want %v", want.what, want.x, want.y, got, want.isInk)
		}
	}
}

func TestAnArrowheadIsThreeTimesAsWideAsItsLine(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		kind       string
		width      float64
		head       []float64
		begin, top float64 // where the line begins then
	}{
		{"triangle", 2, []float64{0, 0, 6, 3, 6, -3}, 4.8, 0}, // inside the head, which hides its flat end
		{"arrow", 2, []float64{0, 0, 6, 3, 6, -3}, 4.8, 0},
		{"stealth", 2, []float64{0, 0, 6, 3, 3.6, 0, 6, -3}, 4.8, 0},
		{"diamond", 2, []float64{-3, 0, 0, 3, 3, 0, 0, -3}, 0, 0},
		{"triangle", 0.5, []float64{0, 0, 4.5, 2.25, 4.5, -2.25}, 3.6, 0}, // of a thin line as of one and a half points
		{"", 2, nil, 0, 0},
	} {
		p := Points(0, 0, 100, 0)
		head := (&Painter{}).lineEnd(p, want.kind, pdf.Stroke{Width: want.width})
		wantPoints(t, want.kind, head, want.head...)
		wantPoints(t, want.kind+"'s line", p, want.begin, want.top, 100, 0)
	}
	p := Points(10, 20, 110, 20)
	wantExtent(t, "oval", (&Painter{}).lineEnd(p, "oval", pdf.Stroke{Width: 2}), dml.Rect{X: 7, Y: 17, W: 6, H: 6})
	wantPoints(t, "an oval's line", p, 10, 20, 110, 20)
}

func TestAnArrowheadPointsAlongItsLine(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		what string
		line []float64
		head []float64
		left []float64 // of the line
	}{
		{"upwards", []float64{10, 50, 10, 0}, []float64{10, 50, 13, 44, 7, 44}, []float64{10, 45.2, 10, 0}},
		{"to the left", []float64{50, 10, 0, 10}, []float64{50, 10, 44, 7, 44, 13}, []float64{45.2, 10, 0, 10}},
		{"a line as short as its head", []float64{0, 0, 6, 0}, []float64{0, 0, 6, 3, 6, -3}, []float64{0, 0, 6, 0}},
		{"a first piece too short to say where", []float64{0, 0, 0, 1, 50, 0}, []float64{0, 0, 6, 3, 6, -3}, []float64{4.8, 0, 0, 1, 50, 0}},
		{"a first piece of half the head", []float64{0, 0, 0, 3, 50, 0}, []float64{0, 0, -3, 6, 3, 6}, []float64{0, 0, 0, 3, 50, 0}},
		{"a line without length", []float64{5, 5, 5, 5}, nil, []float64{5, 5, 5, 5}},
	} {
		p := Points(want.line...)
		wantPoints(t, want.what, (&Painter{}).lineEnd(p, "triangle", pdf.Stroke{Width: 2}), want.head...)
		wantPoints(t, want.what+": the line", p, want.left...)
	}
}

func TestAStrokeLeavesTheContoursAsTheyAre(t *testing.T) {
	t.Parallel()
	contours := []Contour{{Points: Points(10, 10, 100, 10, 100, 50), IsOpen: true}}
	painted(t, func(p *Painter) {
		p.Stroke(contours, &dml.ShapeLine{Width: 2, Alpha: 1, Head: "triangle", Tail: "triangle"})
	})
	wantPoints(t, "the contour", contours[0].Points, 10, 10, 100, 10, 100, 50)
}

func TestALineIsTurnedAround(t *testing.T) {
	t.Parallel()
	for _, want := range [][2][]float64{{nil, nil}, {{1, 2}, {1, 2}}, {{1, 2, 3, 4}, {3, 4, 1, 2}}, {{1, 2, 3, 4, 5, 6}, {5, 6, 3, 4, 1, 2}}} {
		p := Points(want[0]...)
		Reverse(p)
		wantPoints(t, "reversed", p, want[1]...)
	}
}
