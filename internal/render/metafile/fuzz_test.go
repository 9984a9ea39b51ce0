package metafile

import (
	"errors"
	"runtime/debug"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// FuzzPlay holds for every file that it ends soon, does not panic, restores what
// it saves, and refuses only what is no metafile.
func FuzzPlay(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const long, enough = 20 * time.Second, 1_000_000
		timer := time.AfterFunc(long, func() {
			debug.SetTraceback("all")
			panic("a metafile does not end")
		})
		defer timer.Stop()
		r := &recorder{work: enough}
		_, err := Play(data, dml.Rect{X: 10, Y: 10, W: 100, H: 50}, r)
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Fatalf("got %v, want ErrFormat or none", err)
		}
		if (err == nil) != Is(data) {
			t.Fatalf("got %v from Play, %v from Is", err, Is(data))
		}
		if r.depth != 0 {
			t.Fatalf("got %d Saves without Restore", r.depth)
		}
	})
}

// seeds are pictures with a record of every kind.
func seeds() [][]byte {
	info, bits := rendertest.DIB(2, 2, [3]uint8{1, 2, 3}, [3]uint8{4, 5, 6}, [3]uint8{7, 8, 9}, [3]uint8{0, 0, 0})
	all := painter()
	for kind := uint32(2); kind <= 122; kind++ {
		if kind == emfEOF {
			continue
		}
		all.Add(kind, noBounds, 3, [12]int16{1, 1, 9, 9, 5, 0, 2, 2, 3, 3, 4, 4}, 1, float32(1), float32(0.5), "text", info, bits)
	}
	old := new(rendertest.WMF)
	for _, function := range []uint16{wmfSaveDC, wmfSetBkMode, wmfSetROP2, wmfSetPolyFillMode, wmfSetTextCharExtra, wmfSetTextAlign, wmfSetBkColor, wmfSetTextColor,
		wmfSetWindowOrg, wmfSetWindowExt, wmfOffsetWindowOrg, wmfScaleWindowExt, wmfIntersectClipRect, wmfExcludeClipRect, wmfCreatePenIndirect, wmfCreateBrushIndirect,
		wmfCreateFontIndirect, wmfDIBCreatePatternBrush, wmfCreateRegion, wmfSelectObject, wmfSelectClipRegion, wmfMoveTo, wmfLineTo, wmfPolygon, wmfPolyline, wmfPolyPolygon,
		wmfRectangle, wmfEllipse, wmfRoundRect, wmfArc, wmfPie, wmfChord, wmfSetPixel, wmfFillRegion, wmfTextOut, wmfExtTextOut, wmfPatBlt, wmfDIBBitBlt,
		wmfDIBStretchBlt, wmfStretchDIB, wmfSetDIBToDev, wmfDeleteObject, wmfRestoreDC, wmfEscape} {
		old.Add(function, 3, 2, 1, 9, 8, 20, 30, 4, 5, 6, 7, info, bits)
	}
	return [][]byte{
		new(rendertest.EMF).Plus(0).Bytes(100, 100), new(rendertest.EMF).Plus(1).Bytes(100, 100),
		all.Bytes(100, 100), old.Bytes(0, 0, 100, 100), old.Bytes(0, 0, 0, 0),
		pencil().Add(emfStretchDIBits, noBounds, 0, 0, 0, 0, 2, 2, 80, 40, 120, 16, 0, rasterCopy, 50, 50, info, bits).Bytes(100, 100),
		new(rendertest.EMF).Add(emfExtTextOutW, noBounds, 1, float32(1), float32(1), 5, 5, 2, 76, 0, noBounds, 80, "ab", 6, 6).Bytes(100, 100),
	}
}
