package metafile

import (
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

// Colours of records: red first, the lowest byte.
const (
	red   = 0x0000FF
	green = 0x00FF00
	blue  = 0xFF0000
)

var noBounds = [4]int32{0, 0, -1, -1}

// painter and pencil are pictures whose pixels are points here: with a red
// brush and no pen, and with a blue pen of 2 pixels and no brush.
func painter() *rendertest.EMF {
	return new(rendertest.EMF).Add(emfCreateBrush, 1, 0, red, 0).Add(emfSelectObject, 1).Add(emfSelectObject, uint32(0x80000008))
}

func pencil() *rendertest.EMF {
	return new(rendertest.EMF).Add(emfCreatePen, 1, 0, 2, 0, blue).Add(emfSelectObject, 1).Add(emfSelectObject, uint32(0x80000005))
}

func TestFiguresOfEMFAreDrawn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		emf  *rendertest.EMF
		want []string
	}{
		"a rectangle with edge and area": {new(rendertest.EMF).Add(emfRectangle, 10, 20, 30, 40),
			[]string{"fill FFFFFF even-odd m10,20 l30,20 l30,40 l10,40 h", "stroke 000000 0.25 m10,20 l30,20 l30,40 l10,40 h"}},
		"an area": {painter().Add(emfPolygon, noBounds, 3, [6]int32{0, 0, 10, 0, 0, 10}),
			[]string{"fill FF0000 even-odd m0,0 l10,0 l0,10 h"}},
		"an area of 16 bits, wound": {painter().Add(emfSetPolyFillMode, 2).Add(emfPolygon16, noBounds, 3, [6]int16{0, 0, 10, 0, 0, 10}),
			[]string{"fill FF0000 m0,0 l10,0 l0,10 h"}},
		"areas that are one": {painter().Add(emfPolyPolygon16, noBounds, 2, 6, 3, 3, [12]int16{0, 0, 9, 0, 0, 9, 1, 1, 3, 1, 1, 3}),
			[]string{"fill FF0000 even-odd m0,0 l9,0 l0,9 h m1,1 l3,1 l1,3 h"}},
		"lines": {pencil().Add(emfPolyline, noBounds, 3, [6]int32{0, 0, 10, 0, 0, 10}),
			[]string{"stroke 0000FF 2 m0,0 l10,0 l0,10"}},
		"lines that are one": {pencil().Add(emfPolyPolyline, noBounds, 2, 4, 2, 2, [8]int32{0, 0, 9, 0, 1, 1, 3, 1}),
			[]string{"stroke 0000FF 2 m0,0 l9,0 m1,1 l3,1"}},
		"a line from place to place": {pencil().Add(emfMoveTo, 5, 6).Add(emfLineTo, 7, 8).Add(emfLineTo, 9, 9),
			[]string{"stroke 0000FF 2 m5,6 l7,8", "stroke 0000FF 2 m7,8 l9,9"}},
		"curves": {pencil().Add(emfPolyBezier16, noBounds, 4, [8]int16{0, 0, 1, 1, 2, 2, 3, 0}),
			[]string{"stroke 0000FF 2 m0,0 c1,1;2,2;3,0"}},
		"curves from the position": {pencil().Add(emfMoveTo, 9, 9).Add(emfPolyBezierTo, noBounds, 3, [6]int32{1, 1, 2, 2, 3, 0}).Add(emfPolylineTo16, noBounds, 1, [2]int16{4, 4}),
			[]string{"stroke 0000FF 2 m9,9 c1,1;2,2;3,0", "stroke 0000FF 2 m3,0 l4,4"}},
		"points of several kinds": {pencil().Add(emfPolyDraw, noBounds, 3, [6]int32{1, 1, 5, 1, 5, 5}, [3]uint8{6, 2, 2}),
			[]string{"stroke 0000FF 2 m1,1 l5,1", "stroke 0000FF 2 m5,1 l5,5"}},
		"an ellipse": {painter().Add(emfEllipse, 0, 0, 20, 10),
			[]string{"fill FF0000 even-odd m20,5 c20,7.76;15.52,10;10,10 c4.48,10;0,7.76;0,5 c0,2.24;4.48,0;10,0 c15.52,0;20,2.24;20,5 h"}},
		"round corners": {painter().Add(emfRoundRect, 0, 0, 20, 10, 4, 4),
			[]string{"fill FF0000 even-odd m18,0 c19.1,0;20,0.9;20,2 l20,8 c20,9.1;19.1,10;18,10 l2,10 c0.9,10;0,9.1;0,8 l0,2 c0,0.9;0.9,0;2,0 h"}},
		"an arc, counterclockwise": {pencil().Add(emfArc, 0, 0, 20, 20, 30, 10, 10, -30),
			[]string{"stroke 0000FF 2 m20,10 c20,4.48;15.52,0;10,0"}},
		"an arc, clockwise": {pencil().Add(emfSetArcDirection, 2).Add(emfArc, 0, 0, 20, 20, 10, -30, 30, 10),
			[]string{"stroke 0000FF 2 m10,0 c15.52,0;20,4.48;20,10"}},
		"a piece of a pie": {painter().Add(emfPie, 0, 0, 20, 20, 30, 10, 10, -30),
			[]string{"fill FF0000 even-odd m10,10 l20,10 c20,4.48;15.52,0;10,0 h"}},
		"a chord": {painter().Add(emfChord, 0, 0, 20, 20, 30, 10, 10, -30),
			[]string{"fill FF0000 even-odd m20,10 c20,4.48;15.52,0;10,0 h"}},
		"a line to an arc": {pencil().Add(emfMoveTo, 30, 30).Add(emfArcTo, 0, 0, 20, 20, 30, 10, 10, -30).Add(emfLineTo, 0, 0),
			[]string{"stroke 0000FF 2 m30,30 l20,10 c20,4.48;15.52,0;10,0", "stroke 0000FF 2 m10,0 l0,0"}},
		"an arc of a circle": {pencil().Add(emfMoveTo, 20, 10).Add(emfAngleArc, 10, 10, 10, float32(0), float32(90)),
			[]string{"stroke 0000FF 2 m20,10 l20,10 c20,4.48;15.52,0;10,0"}},
		"a pixel": {new(rendertest.EMF).Add(emfSetPixel, 5, 5, green),
			[]string{"fill 00FF00 m5,5 l6,5 l6,6 l5,6 h"}},
		"no pen, no brush": {new(rendertest.EMF).Add(emfSelectObject, uint32(0x80000008)).Add(emfSelectObject, uint32(0x80000005)).Add(emfRectangle, 1, 2, 3, 4), nil},
		"a region": {painter().Add(emfPaintRgn, noBounds, 48, 32, 1, 1, 16, noBounds, [4]int32{1, 2, 3, 4}),
			[]string{"fill FF0000 m1,2 l3,2 l3,4 l1,4 h"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDrawn(t, c.emf.Bytes(100, 100), c.want...)
		})
	}
}

func TestPathsOfEMFAreDrawnOnce(t *testing.T) {
	t.Parallel()
	path := func(e *rendertest.EMF) *rendertest.EMF {
		return e.Add(emfBeginPath).Add(emfMoveTo, 0, 0).Add(emfLineTo, 10, 0).Add(emfPolyBezierTo16, noBounds, 3, [6]int16{9, 9, 8, 8, 5, 5}).Add(emfCloseFigure).
			Add(emfMoveTo, 1, 1).Add(emfLineTo, 2, 2).Add(emfEndPath)
	}
	const figure = "m0,0 l10,0 c9,9;8,8;5,5 h m1,1 l2,2"
	both := new(rendertest.EMF).Add(emfCreateBrush, 1, 0, red, 0).Add(emfSelectObject, 1).Add(emfCreatePen, 2, 0, 2, 0, blue).Add(emfSelectObject, 2)
	for name, c := range map[string]struct {
		emf  *rendertest.EMF
		want []string
	}{
		"filled":           {path(painter()).Add(emfFillPath, noBounds).Add(emfFillPath, noBounds), []string{"fill FF0000 even-odd " + figure}},
		"drawn":            {path(pencil()).Add(emfStrokePath, noBounds), []string{"stroke 0000FF 2 " + figure}},
		"filled and drawn": {path(both).Add(emfStrokeAndFillPath, noBounds), []string{"fill FF0000 even-odd " + figure, "stroke 0000FF 2 " + figure}},
		"given up":         {path(pencil()).Add(emfAbortPath).Add(emfStrokePath, noBounds), nil},
		"a clip": {path(painter()).Add(emfSelectClipPath, 5).Add(emfRectangle, 0, 0, 5, 5),
			[]string{"save", "clip even-odd " + figure, "fill FF0000 even-odd m0,0 l5,0 l5,5 l0,5 h", "restore"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDrawn(t, c.emf.Bytes(100, 100), c.want...)
		})
	}
}

func TestPlacesOfEMFAreMapped(t *testing.T) {
	t.Parallel()
	at := func(e *rendertest.EMF, x, y int) *rendertest.EMF { return e.Add(emfMoveTo, 0, 0).Add(emfLineTo, x, y) }
	for name, c := range map[string]struct {
		emf  *rendertest.EMF
		want string
	}{
		"a window into a viewport": {at(pencil().Add(emfSetMapMode, 8).Add(emfSetWindowOrg, -10, 0).Add(emfSetWindowExt, 200, 400).Add(emfSetViewportExt, 100, 100), 20, 40),
			"stroke 0000FF 0.71 m5,0 l15,10"},
		"alike in both directions": {at(pencil().Add(emfSetMapMode, 7).Add(emfSetWindowExt, 200, 400).Add(emfSetViewportExt, 100, 100).Add(emfSetViewportOrg, 3, 4), 20, 40),
			"stroke 0000FF 0.5 m3,4 l8,14"},
		"upwards in millimetres": {at(pencil().Add(emfSetMapMode, 2).Add(emfSetViewportOrg, 0, 100), 100, 100),
			"stroke 0000FF 0.8 m0,100 l40,60"},
		"a scaled window": {at(pencil().Add(emfSetMapMode, 8).Add(emfSetWindowExt, 100, 100).Add(emfSetViewportExt, 100, 100).Add(emfScaleWindowExt, 2, 1, 2, 1).Add(emfScaleViewportExt, 1, 2, 1, 2), 20, 40),
			"stroke 0000FF 0.5 m0,0 l5,10"},
		"turned": {at(pencil().Add(emfSetWorldTransform, [6]float32{0, 1, -1, 0, 50, 0}), 20, 40),
			"stroke 0000FF 2 m50,0 l10,20"},
		"first moved, then made larger": {at(pencil().Add(emfSetWorldTransform, [6]float32{2, 0, 0, 2, 0, 0}).Add(emfModifyWorldTransform, [6]float32{1, 0, 0, 1, 5, 5}, 2), 10, 10),
			"stroke 0000FF 4 m10,10 l30,30"},
		"first made larger, then moved": {at(pencil().Add(emfSetWorldTransform, [6]float32{2, 0, 0, 2, 0, 0}).Add(emfModifyWorldTransform, [6]float32{1, 0, 0, 1, 5, 5}, 3), 10, 10),
			"stroke 0000FF 4 m5,5 l25,25"},
		"saved and brought back": {at(pencil().Add(emfSaveDC).Add(emfSetWorldTransform, [6]float32{2, 0, 0, 2, 0, 0}).Add(emfRestoreDC, -1), 10, 10),
			"stroke 0000FF 2 m0,0 l10,10"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDrawn(t, c.emf.Bytes(100, 100), c.want)
		})
	}
}

func TestTheFrameOfEMFFillsTheBox(t *testing.T) {
	t.Parallel()
	wantDrawn(t, pencil().Add(emfMoveTo, 0, 0).Add(emfLineTo, 50, 50).Bytes(50, 200), "stroke 0000FF 2 m0,0 l100,25")
}

func TestPensOfEMF(t *testing.T) {
	t.Parallel()
	pen := func(style, width int) *rendertest.EMF {
		return new(rendertest.EMF).Add(emfExtCreatePen, 1, 0, 0, 0, 0, style, width, 0, red, 0, 2, 6, 3).Add(emfSelectObject, 1).Add(emfMoveTo, 0, 0).Add(emfLineTo, 9, 0)
	}
	for name, c := range map[string]struct {
		emf  *rendertest.EMF
		want []string
	}{
		"round":           {pen(0x10000, 4), []string{"stroke FF0000 4 m0,0 l9,0"}},
		"flat, mitred":    {pen(0x12200, 4), []string{"stroke FF0000 4 ends 0 corners 0 m0,0 l9,0"}},
		"square, bevel":   {pen(0x11100, 4), []string{"stroke FF0000 4 ends 2 corners 2 m0,0 l9,0"}},
		"dashes":          {pen(0x10001, 4), []string{"stroke FF0000 4 dash 12,4 ends 0 corners 1 m0,0 l9,0"}},
		"of its own":      {pen(0x10007, 4), []string{"stroke FF0000 4 dash 6,3 ends 0 corners 1 m0,0 l9,0"}},
		"none":            {pen(0x10005, 4), nil},
		"as thin as can":  {pen(0, 4), []string{"stroke FF0000 0.25 m0,0 l9,0"}},
		"that is not set": {pen(0x10000, 4).Add(emfSetROP2, ropNop).Add(emfLineTo, 1, 1), []string{"stroke FF0000 4 m0,0 l9,0"}},
		"that blackens":   {pen(5, 4).Add(emfSelectObject, uint32(0x80000006)).Add(emfSetROP2, ropBlack).Add(emfLineTo, 1, 1), []string{"stroke 000000 0.25 m9,0 l1,1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDrawn(t, c.emf.Bytes(100, 100), c.want...)
		})
	}
}

func TestClipsOfEMF(t *testing.T) {
	t.Parallel()
	const area = "fill FF0000 even-odd m0,0 l9,0 l9,9 l0,9 h"
	box := func(e *rendertest.EMF) *rendertest.EMF { return e.Add(emfRectangle, 0, 0, 9, 9) }
	region := []any{48, 5, 32, 1, 1, 16, noBounds, [4]int32{1, 1, 2, 2}}
	for name, c := range map[string]struct {
		emf  *rendertest.EMF
		want []string
	}{
		"to a rectangle": {box(painter().Add(emfIntersectClipRect, 1, 1, 5, 5)), []string{"save", "clip m1,1 l5,1 l5,5 l1,5 h", area, "restore"}},
		"to two":         {box(painter().Add(emfIntersectClipRect, 1, 1, 5, 5).Add(emfIntersectClipRect, 2, 2, 8, 8)), []string{"save", "clip m1,1 l5,1 l5,5 l1,5 h", "clip m2,2 l8,2 l8,8 l2,8 h", area, "restore"}},
		"without a rectangle": {box(painter().Add(emfExcludeClipRect, 1, 1, 5, 5)),
			[]string{"save", "clip even-odd m-20000,-20000 l20000,-20000 l20000,20000 l-20000,20000 h m1,1 l5,1 l5,5 l1,5 h", area, "restore"}},
		"until it is restored": {box(painter().Add(emfSaveDC).Add(emfIntersectClipRect, 1, 1, 5, 5).Add(emfRestoreDC, -1)), []string{area}},
		"to a region":          {box(painter().Add(emfExtSelectClipRgn, region...)), []string{"save", "clip m1,1 l2,1 l2,2 l1,2 h", area, "restore"}},
		"until it is reset":    {box(painter().Add(emfExtSelectClipRgn, region...).Add(emfExtSelectClipRgn, 0, 5)), []string{area}},
		"moved":                {box(painter().Add(emfIntersectClipRect, 1, 1, 5, 5).Add(emfOffsetClipRgn, 1, 2)), []string{"save", "clip m2,3 l6,3 l6,7 l2,7 h", area, "restore"}},
		"once for several":     {box(box(painter().Add(emfIntersectClipRect, 1, 1, 5, 5))), []string{"save", "clip m1,1 l5,1 l5,5 l1,5 h", area, area, "restore"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDrawn(t, c.emf.Bytes(100, 100), c.want...)
		})
	}
}
