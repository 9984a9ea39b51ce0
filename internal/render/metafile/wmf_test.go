package metafile

import (
	"bytes"
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

// redArea and bluePen are pictures with a red brush and no pen, and with a blue
// pen of 2 units and no brush. Colours are red, green, blue and nothing.
func redArea() *rendertest.WMF {
	return new(rendertest.WMF).Add(wmfCreateBrushIndirect, 0, 0xFF, 0, 0).Add(wmfCreatePenIndirect, 5, 0, 0, 0, 0).Add(wmfSelectObject, 0).Add(wmfSelectObject, 1)
}

func bluePen() *rendertest.WMF {
	return new(rendertest.WMF).Add(wmfCreateBrushIndirect, 1, 0, 0, 0).Add(wmfCreatePenIndirect, 0, 2, 0, 0, 0xFF).Add(wmfSelectObject, 0).Add(wmfSelectObject, 1)
}

func TestFiguresOfWMFAreDrawn(t *testing.T) {
	t.Parallel()
	const half = 0x100 // of four bytes: the second
	letters := func() *rendertest.WMF {
		return new(rendertest.WMF).Add(wmfCreateFontIndirect, -10, 0, 0, 0, 700, 0, 0, 0, 0, append([]byte("Arial"), make([]byte, 27)...)).Add(wmfSelectObject, 0).Add(wmfSetBkMode, 1).Add(wmfSetTextAlign, alignBaseline)
	}
	info, bits := rendertest.DIB(1, 1, [3]uint8{1, 2, 3})
	dib := slices.Concat(info, bits)
	copyRop := []any{0x20, 0xCC}
	for name, c := range map[string]struct {
		wmf  *rendertest.WMF
		want []string
	}{
		"a rectangle":            {redArea().Add(wmfRectangle, 40, 30, 20, 10), []string{"fill FF0000 even-odd m10,20 l30,20 l30,40 l10,40 h"}},
		"round corners":          {redArea().Add(wmfRoundRect, 4, 4, 10, 20, 0, 0), []string{"fill FF0000 even-odd m18,0 c19.1,0;20,0.9;20,2 l20,8 c20,9.1;19.1,10;18,10 l2,10 c0.9,10;0,9.1;0,8 l0,2 c0,0.9;0.9,0;2,0 h"}},
		"a polygon":              {redArea().Add(wmfPolygon, 3, 0, 0, 9, 0, 0, 9), []string{"fill FF0000 even-odd m0,0 l9,0 l0,9 h"}},
		"a wound polygon":        {redArea().Add(wmfSetPolyFillMode, 2).Add(wmfPolygon, 3, 0, 0, 9, 0, 0, 9), []string{"fill FF0000 m0,0 l9,0 l0,9 h"}},
		"polygons":               {redArea().Add(wmfPolyPolygon, 2, 3, 3, 0, 0, 9, 0, 0, 9, 1, 1, 3, 1, 1, 3), []string{"fill FF0000 even-odd m0,0 l9,0 l0,9 h m1,1 l3,1 l1,3 h"}},
		"lines":                  {bluePen().Add(wmfPolyline, 3, 0, 0, 9, 0, 0, 9), []string{"stroke 0000FF 2 m0,0 l9,0 l0,9"}},
		"a line":                 {bluePen().Add(wmfMoveTo, 2, 1).Add(wmfLineTo, 4, 3), []string{"stroke 0000FF 2 m1,2 l3,4"}},
		"an arc":                 {bluePen().Add(wmfArc, -30, 10, 10, 30, 20, 20, 0, 0), []string{"stroke 0000FF 2 m20,10 c20,4.48;15.52,0;10,0"}},
		"a pie":                  {redArea().Add(wmfPie, -30, 10, 10, 30, 20, 20, 0, 0), []string{"fill FF0000 even-odd m10,10 l20,10 c20,4.48;15.52,0;10,0 h"}},
		"a clip":                 {redArea().Add(wmfIntersectClipRect, 5, 5, 1, 1).Add(wmfRectangle, 9, 9, 0, 0), []string{"save", "clip m1,1 l5,1 l5,5 l1,5 h", "fill FF0000 even-odd m0,0 l9,0 l9,9 l0,9 h", "restore"}},
		"a region":               {redArea().Add(wmfCreateRegion, 0, 6, 0, 0, 0, 1, 2, 0, 0, 9, 9, 2, 0, 9, 0, 9, 2).Add(wmfPaintRegion, 2), []string{"fill FF0000 m0,0 l9,0 l9,9 l0,9 h"}},
		"a pixel":                {new(rendertest.WMF).Add(wmfSetPixel, half-1, 0, 5, 4), []string{"fill FF0000 m4,5 l4.75,5 l4.75,5.75 l4,5.75 h"}},
		"text":                   {letters().Add(wmfTextOut, 2, []byte("ab"), 20, 10), []string{`text 000000 10 "ab" 0,5 at 1 0 0 1 10 20 in Arial bold`}},
		"text at places":         {letters().Add(wmfExtTextOut, 20, 10, 3, 0, []byte("abc\x00"), 7, 8, 9), []string{`text 000000 10 "abc" 0,7,15 at 1 0 0 1 10 20 in Arial bold`}},
		"text on a rectangle":    {letters().Add(wmfSetBkColor, 0, 0xFF).Add(wmfExtTextOut, 20, 10, 1, 2, 1, 2, 3, 4, []byte("a\x00")), []string{"fill 0000FF m1,2 l3,2 l3,4 l1,4 h", `text 000000 10 "a" 0 at 1 0 0 1 10 20 in Arial bold`}},
		"a bitmap":               {new(rendertest.WMF).Add(wmfStretchDIB, append(copyRop, 0, 1, 1, 0, 0, 40, 30, 20, 10, dib)...), []string{"picture 30 0 0 40 10 20"}},
		"a bitmap, in its size":  {new(rendertest.WMF).Add(wmfSetDIBToDev, 0, 1, 0, 0, 0, 1, 1, 20, 10, dib), []string{"picture 1 0 0 1 10 20"}},
		"a bitmap, stretched":    {new(rendertest.WMF).Add(wmfDIBStretchBlt, append(copyRop, 1, 1, 0, 0, 40, 30, 20, 10, dib)...), []string{"picture 30 0 0 40 10 20"}},
		"a place without bitmap": {redArea().Add(wmfDIBBitBlt, 0x21, 0xF0, 0, 0, 0, 40, 30, 20, 10), []string{"fill FF0000 m10,20 l40,20 l40,60 l10,60 h"}},
		"a filled place":         {redArea().Add(wmfPatBlt, 0x21, 0xF0, 40, 30, 20, 10), []string{"fill FF0000 m10,20 l40,20 l40,60 l10,60 h"}},
		"saved and restored":     {redArea().Add(wmfSaveDC).Add(wmfSetWindowExt, 10, 10).Add(wmfRestoreDC, -1).Add(wmfRectangle, 9, 9, 0, 0), []string{"fill FF0000 even-odd m0,0 l9,0 l9,9 l0,9 h"}},
		"a handle that is free":  {redArea().Add(wmfDeleteObject, 0).Add(wmfCreateBrushIndirect, 0, 0, 0xFF, 0).Add(wmfSelectObject, 0).Add(wmfRectangle, 9, 9, 0, 0), []string{"fill 0000FF even-odd m0,0 l9,0 l9,9 l0,9 h"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDrawn(t, c.wmf.Bytes(0, 0, 100, 100), c.want...)
		})
	}
}

func TestTheWindowOfWMFFillsTheBox(t *testing.T) {
	t.Parallel()
	line := func(w *rendertest.WMF) *rendertest.WMF { return w.Add(wmfMoveTo, 0, 0).Add(wmfLineTo, 50, 50) }
	for name, c := range map[string]struct {
		wmf  []byte
		want string
	}{
		"of its header":         {line(bluePen()).Bytes(0, 0, 50, 200), "stroke 0000FF 2 m0,0 l100,25"},
		"of its records":        {line(bluePen().Add(wmfSetWindowOrg, 0, 0).Add(wmfSetWindowExt, 200, 50)).Bytes(0, 0, 0, 0), "stroke 0000FF 2 m0,0 l100,25"},
		"that begins elsewhere": {line(bluePen().Add(wmfSetWindowOrg, 0, -50).Add(wmfSetWindowExt, 100, 100)).Bytes(0, 0, 0, 0), "stroke 0000FF 2 m50,0 l100,50"},
		"upside down":           {line(bluePen().Add(wmfSetWindowOrg, 100, 0).Add(wmfSetWindowExt, -100, 100)).Bytes(0, 0, 0, 0), "stroke 0000FF 2 m0,100 l50,50"},
		"of its figures":        {line(bluePen()).Bytes(0, 0, 0, 0), "stroke 0000FF 4 m0,0 l100,100"},
		"set once more":         {line(bluePen().Add(wmfSetWindowExt, 50, 50)).Bytes(0, 0, 100, 100), "stroke 0000FF 4 m0,0 l100,100"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDrawn(t, c.wmf, c.want)
		})
	}
}

// Newer programs put the better picture into comments of the older.
func TestAnEMFInAWMFIsDrawn(t *testing.T) {
	t.Parallel()
	emf := painter().Add(emfRectangle, 0, 0, 50, 50).Bytes(100, 100)
	outer, left := redArea(), len(emf)
	for part := range slices.Chunk(emf, 100) {
		left -= len(part)
		head := rendertest.Fields(uint16(0x0F), uint16(34+len(part)), []byte("WMFC"), 1, 0x10000, uint16(0), 0, 3, len(part), left, len(emf))
		outer.Add(wmfEscape, head, part)
	}
	outer.Add(wmfRectangle, 9, 9, 0, 0)
	wantDrawn(t, outer.Bytes(0, 0, 10, 10), "save", "clip m0,0 l100,0 l100,100 l0,100 h", "fill FF0000 even-odd m0,0 l50,0 l50,50 l0,50 h", "restore")
}

func TestMetafilesAreToldFromOtherFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data []byte
		want bool
	}{
		"EMF": {painter().Bytes(1, 1), true}, "WMF": {redArea().Bytes(0, 0, 0, 0), true}, "a placeable WMF": {redArea().Bytes(0, 0, 1, 1), true},
		"PNG": {pngOf(t, 1, 1), false}, "nothing": {nil, false}, "gzip of nothing": {[]byte{0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0}, false}, "text": {bytes.Repeat([]byte("text "), 20), false},
	} {
		if got := Is(c.data); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
