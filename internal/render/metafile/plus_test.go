package metafile

import (
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

const plusVersion = uint32(0xDBC01002)

// only is a picture of EMF+ without calls of EMF; both has them, too.
func only(records ...[]byte) *rendertest.EMF {
	return new(rendertest.EMF).Plus(rendertest.PlusRecord(plusHeader, 0, plusVersion, 0, 96, 96)).Plus(records...)
}

func both(records ...[]byte) *rendertest.EMF {
	return new(rendertest.EMF).Plus(rendertest.PlusRecord(plusHeader, 1, plusVersion, 0, 96, 96)).Plus(records...).Add(emfRectangle, 0, 0, 9, 9)
}

// redPen is 2 units of the world wide.
func redPen(number uint16) []byte {
	return rendertest.PlusObject(plusIsPen, number, 0, 0, 0, float32(2), plusVersion, 0, uint32(0xFFFF0000))
}

func f32(v ...float32) []float32 { return v }

func TestFiguresOfEMFPlusAreDrawn(t *testing.T) {
	t.Parallel()
	record := rendertest.PlusRecord
	const colored, red, blue = plusIsColor, uint32(0xFFFF0000), uint32(0x800000FF)
	figure := rendertest.PlusObject(plusIsPath, 3, 4, 0, f32(0, 0, 9, 0, 9, 9, 0, 9), [4]uint8{0, 3, 3, 0x83})
	for name, c := range map[string]struct {
		records [][]byte
		want    []string
	}{
		"rectangles":                    {[][]byte{record(plusFillRects, colored, red, 2, f32(1, 2, 3, 4, 5, 5, 1, 1))}, []string{"fill FF0000 m1,2 l4,2 l4,6 l1,6 h m5,5 l6,5 l6,6 l5,6 h"}},
		"short, seen through":           {[][]byte{record(plusFillRects, colored|plusShort, blue, 1, [4]int16{1, 2, 3, 4})}, []string{"fill 0000FF/0.5 m1,2 l4,2 l4,6 l1,6 h"}},
		"edges":                         {[][]byte{redPen(1), record(plusDrawRects, 1, 1, f32(1, 2, 3, 4))}, []string{"stroke FF0000 2 ends 0 corners 0 m1,2 l4,2 l4,6 l1,6 h"}},
		"a brush":                       {[][]byte{rendertest.PlusObject(plusIsBrush, 2, 0, red), record(plusFillPolygon, 0, 2, 3, f32(0, 0, 9, 0, 0, 9))}, []string{"fill FF0000 even-odd m0,0 l9,0 l0,9 h"}},
		"a polygon from place to place": {[][]byte{record(plusFillPolygon, colored|plusRelative, red, 3, []uint8{1, 1, 9, 0, 0x77, 0x81, 0x00})}, []string{"fill FF0000 even-odd m1,1 l10,1 l1,257 h"}},
		"lines":                         {[][]byte{redPen(1), record(plusDrawLines, 1, 3, f32(0, 0, 9, 0, 0, 9))}, []string{"stroke FF0000 2 ends 0 corners 0 m0,0 l9,0 l0,9"}},
		"closed lines":                  {[][]byte{redPen(1), record(plusDrawLines, 1|0x2000, 3, f32(0, 0, 9, 0, 0, 9))}, []string{"stroke FF0000 2 ends 0 corners 0 m0,0 l9,0 l0,9 h"}},
		"a pie":                         {[][]byte{record(plusFillPie, colored, red, f32(0, 90, 0, 0, 20, 20))}, []string{"fill FF0000 even-odd m10,10 l20,10 c20,15.52;15.52,20;10,20 h"}},
		"an arc":                        {[][]byte{redPen(1), record(plusDrawArc, 1, f32(0, 90, 0, 0, 20, 20))}, []string{"stroke FF0000 2 ends 0 corners 0 m20,10 c20,15.52;15.52,20;10,20"}},
		"a path":                        {[][]byte{figure, redPen(1), record(plusFillPath, colored|3, red), record(plusDrawPath, 3, 1)}, []string{"fill FF0000 even-odd m0,0 c9,0;9,9;0,9 h", "stroke FF0000 2 ends 0 corners 0 m0,0 c9,0;9,9;0,9 h"}},
		"curves":                        {[][]byte{redPen(1), record(plusDrawBeziers, 1, 4, f32(0, 0, 1, 1, 2, 2, 3, 0))}, []string{"stroke FF0000 2 ends 0 corners 0 m0,0 c1,1;2,2;3,0"}},
		"a curve through points":        {[][]byte{redPen(1), record(plusDrawCurve, 1, f32(1.5), 0, 2, 3, f32(0, 0, 10, 0, 20, 0))}, []string{"stroke FF0000 2 ends 0 corners 0 m0,0 c5,0;0,0;10,0 c20,0;15,0;20,0"}},
		"a region":                      {[][]byte{rendertest.PlusObject(plusIsRegion, 4, 2, 2, 0x10000000, f32(0, 0, 5, 5), 0x10000000, f32(9, 9, 1, 1)), record(plusFillRegion, colored|4, red)}, []string{"fill FF0000 m0,0 l5,0 l5,5 l0,5 h m9,9 l10,9 l10,10 l9,10 h"}},
		"moved, then scaled":            {[][]byte{record(plusScaleWorld, 0, f32(2, 2)), record(plusTranslateWorld, 0, f32(1, 1)), record(plusFillRects, colored, red, 1, f32(0, 0, 1, 1))}, []string{"fill FF0000 m2,2 l4,2 l4,4 l2,4 h"}},
		"scaled, then moved":            {[][]byte{record(plusScaleWorld, 0, f32(2, 2)), record(plusTranslateWorld, 0x2000, f32(1, 1)), record(plusFillRects, colored, red, 1, f32(0, 0, 1, 1))}, []string{"fill FF0000 m1,1 l3,1 l3,3 l1,3 h"}},
		"turned":                        {[][]byte{record(plusRotateWorld, 0, f32(90)), record(plusFillRects, colored, red, 1, f32(0, 0, 1, 2))}, []string{"fill FF0000 m0,0 l0,1 l-2,1 l-2,0 h"}},
		"in points":                     {[][]byte{record(plusSetPage, 3, f32(1)), record(plusFillRects, colored, red, 1, f32(0, 0, 3, 3))}, []string{"fill FF0000 m0,0 l4,0 l4,4 l0,4 h"}},
		"saved and restored":            {[][]byte{record(plusSave, 0, 7), record(plusScaleWorld, 0, f32(2, 2)), record(plusSetClipRect, 0, f32(0, 0, 1, 1)), record(plusRestore, 0, 7), record(plusFillRects, colored, red, 1, f32(0, 0, 1, 1))}, []string{"fill FF0000 m0,0 l1,0 l1,1 l0,1 h"}},
		"in a container":                {[][]byte{record(plusBeginContainer, 0, f32(10, 10, 20, 20, 0, 0, 10, 10), 7), record(plusFillRects, colored, red, 1, f32(0, 0, 1, 1)), record(plusEndContainer, 0, 7), record(plusFillRects, colored, red, 1, f32(0, 0, 1, 1))}, []string{"fill FF0000 m10,10 l12,10 l12,12 l10,12 h", "fill FF0000 m0,0 l1,0 l1,1 l0,1 h"}},
		"clipped":                       {[][]byte{figure, record(plusSetClipRect, 0, f32(0, 0, 5, 5)), record(plusSetClipPath, 0x103), record(plusFillRects, colored, red, 1, f32(0, 0, 1, 1)), record(plusResetClip, 0), record(plusFillRects, colored, red, 1, f32(0, 0, 1, 1))}, []string{"save", "clip m0,0 l5,0 l5,5 l0,5 h", "clip even-odd m0,0 c9,0;9,9;0,9 h", "fill FF0000 m0,0 l1,0 l1,1 l0,1 h", "restore", "fill FF0000 m0,0 l1,0 l1,1 l0,1 h"}},
		"dashes":                        {[][]byte{rendertest.PlusObject(plusIsPen, 1, 0, 0x2|0x8|0x100, 0, float32(2), 2, 2, 2, f32(3, 1), plusVersion, 0, red), record(plusDrawLines, 1, 2, f32(0, 0, 9, 0))}, []string{"stroke FF0000 2 dash 6,2 m0,0 l9,0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDrawn(t, only(c.records...).Bytes(100, 100), c.want...)
		})
	}
}

// A picture in both formats is drawn once: by EMF+ as a square of 1, by EMF as
// one of 9.
func TestEMFPlusIsDrawnInPlaceOfEMF(t *testing.T) {
	t.Parallel()
	square := rendertest.PlusRecord(plusFillRects, plusIsColor, uint32(0xFFFF0000), 1, f32(0, 0, 1, 1))
	const small, large, edge = "fill FF0000 m0,0 l1,0 l1,1 l0,1 h", "fill FFFFFF even-odd m0,0 l9,0 l9,9 l0,9 h", "stroke 000000 0.25 m0,0 l9,0 l9,9 l0,9 h"
	for name, c := range map[string]struct {
		emf  *rendertest.EMF
		want []string
	}{
		"EMF+":                          {both(square), []string{small}},
		"EMF+ of which a record is new": {both(square, rendertest.PlusRecord(0x4077, 0)), []string{large, edge}},
		"EMF+ that lets EMF draw":       {both(square, rendertest.PlusRecord(plusGetDC, 0)), []string{small, large, edge}},
		"EMF+ that draws again":         {both(square, rendertest.PlusRecord(plusGetDC, 0)).Plus(square).Add(emfRectangle, 1, 1, 2, 2), []string{small, large, edge, small}},
		"EMF with a comment of another": {new(rendertest.EMF).Add(emfComment, 4, []byte("GDIC")).Add(emfRectangle, 0, 0, 9, 9), []string{large, edge}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDrawn(t, c.emf.Bytes(100, 100), c.want...)
		})
	}
}

func TestPicturesOfEMFPlusAreDrawn(t *testing.T) {
	t.Parallel()
	file := pngOf(t, 4, 2)
	image := func(fields ...any) []byte {
		return rendertest.PlusObject(plusIsImage, 5, append([]any{1}, fields...)...)
	}
	points := rendertest.PlusRecord(plusDrawImagePoints, 5, 0, 2, f32(0, 0, 0, 0), 3, f32(0, 0, 0, 40, -20, 0))
	for name, c := range map[string]struct {
		records [][]byte
		want    string
	}{
		"a file": {[][]byte{image(0, 0, 0, 0, 1, file), rendertest.PlusRecord(plusDrawImage, 5, 0, 2, f32(0, 0, 4, 2), f32(10, 20, 30, 40))}, "picture 30 0 0 40 10 20"},
		"turned": {[][]byte{image(0, 0, 0, 0, 1, file), points}, "picture 0 40 -20 0 0 0"},
		"pixels": {[][]byte{image(2, 1, 8, 0x26200A, 0, []uint8{1, 2, 3, 128, 4, 5, 6, 255}), rendertest.PlusRecord(plusDrawImage, 5|plusShort, 0, 2, f32(0, 0, 2, 1), [4]int16{10, 20, 30, 40})}, "picture 30 0 0 40 10 20"},
		"in two": {[][]byte{rendertest.PlusRecord(plusObject, 0x8505, 28+len(file), plusVersion, 1, 0, 0), rendertest.PlusRecord(plusObject, 0x8505, 28+len(file), 0, 0, 1, file), points}, "picture 0 40 -20 0 0 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDrawn(t, only(c.records...).Bytes(100, 100), c.want)
		})
	}
}

func TestAMetafileInEMFPlusIsDrawn(t *testing.T) {
	t.Parallel()
	inner := painter().Add(emfRectangle, 0, 0, 100, 100).Bytes(100, 100)
	image := rendertest.PlusObject(plusIsImage, 5, 2, 3, len(inner), inner)
	wantDrawn(t, only(image, rendertest.PlusRecord(plusDrawImage, 5, 0, 2, f32(0, 0, 0, 0), f32(10, 20, 30, 40))).Bytes(100, 100),
		"save", "clip m10,20 l40,20 l40,60 l10,60 h", "fill FF0000 even-odd m10,20 l40,20 l40,60 l10,60 h", "restore")
}

func TestTextOfEMFPlusIsDrawn(t *testing.T) {
	t.Parallel()
	font := rendertest.PlusObject(plusIsFont, 6, float32(10), 2, 1, 0, 5, "Arial")
	format := rendertest.PlusObject(plusIsFormat, 7, 0, 0, 1, 1)
	const red = uint32(0xFFFF0000)
	for name, c := range map[string]struct {
		records [][]byte
		want    []string
	}{
		"from the left":  {[][]byte{font, rendertest.PlusRecord(plusDrawString, plusIsColor|6, red, 63, 2, f32(10, 20, 0, 0), "ab")}, []string{`text FF0000 10 "ab" 0,5 at 1 0 0 1 10 28 in Arial bold`}},
		"in the middle":  {[][]byte{font, format, rendertest.PlusRecord(plusDrawString, plusIsColor|6, red, 7, 2, f32(10, 20, 30, 32), "ab")}, []string{`text FF0000 10 "ab" 0,5 at 1 0 0 1 20 38 in Arial bold`}},
		"two lines":      {[][]byte{font, rendertest.PlusRecord(plusDrawString, plusIsColor|6, red, 63, 3, f32(10, 20, 0, 0), "a\nb")}, []string{`text FF0000 10 "a" 0 at 1 0 0 1 10 28 in Arial bold`, `text FF0000 10 "b" 0 at 1 0 0 1 10 40 in Arial bold`}},
		"placed letters": {[][]byte{font, rendertest.PlusRecord(plusDrawDriverString, plusIsColor|6, red, 1, 0, 2, "ab", f32(10, 20, 17, 20))}, []string{`text FF0000 10 "ab" 0,7 at 1 0 0 1 10 20 in Arial bold`}},
		"turned":         {[][]byte{font, rendertest.PlusRecord(plusRotateWorld, 0, f32(90)), rendertest.PlusRecord(plusDrawDriverString, plusIsColor|6, red, 5, 0, 2, "ab", f32(10, -20))}, []string{`text FF0000 10 "ab" 0,5 at 0 1 -1 0 20 10 in Arial bold`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDrawn(t, only(c.records...).Bytes(100, 100), c.want...)
		})
	}
}

// The first and the last of 64 strips tell the ends of a gradient.
func TestGradientsOfEMFPlusAreDrawn(t *testing.T) {
	t.Parallel()
	linear := rendertest.PlusObject(plusIsBrush, 2, 4, 0, 0, f32(0, 0, 100, 10), uint32(0xFF000000), uint32(0xFFFFFFFF), 0, 0)
	r, notes := played(t, only(linear, rendertest.PlusRecord(plusFillRects, 0, 2, 1, f32(0, 0, 100, 10))).Bytes(100, 100))
	if len(notes) != 0 || len(r.lines) != 64+3 || r.lines[1] != "clip m0,0 l100,0 l100,10 l0,10 h" {
		t.Fatalf("got %d lines and %q, want 64 strips in a clip", len(r.lines), notes)
	}
	if first, last := r.lines[2][:11], r.lines[65][:11]; first != "fill 020202" || last != "fill FDFDFD" {
		t.Errorf("got %q and %q, want nearly black and nearly white", first, last)
	}
	radial := rendertest.PlusObject(plusIsBrush, 2, 3, 0, 0, uint32(0xFFFFFFFF), f32(50, 50), 1, uint32(0xFF000000), 4, f32(0, 0, 100, 0, 100, 100, 0, 100))
	r, _ = played(t, only(radial, rendertest.PlusRecord(plusFillRects, 0, 2, 1, f32(0, 0, 100, 100))).Bytes(100, 100))
	if len(r.lines) != 48+3 || r.lines[2] != "fill 000000 m0,0 l100,0 l100,100 l0,100 h" || r.lines[25+1] != "fill 808080 m25,25 l75,25 l75,75 l25,75 h" {
		t.Errorf("got %q, want squares within each other", r.lines)
	}
}
