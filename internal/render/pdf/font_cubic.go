package pdf

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// A PDF gets the outlines of TrueType: curves of the second degree. Fonts with CFF
// outlines (.otf) have curves of the third. Each is drawn by as many of the others as
// keep it within a two thousandth of an em, which no printer shows.

// curveTolerance is how far, in em, an outline may leave the one of its font.
const curveTolerance = 1.0 / 2000

// place is a point of an outline in units of the font.
type place struct{ x, y float64 }

// outlinePoint is a point of a contour: on the curve, or beside it.
type outlinePoint struct {
	place
	isOn bool
}

// quadraticOutline describes a glyph of any font as TrueType does (OpenType, glyf
// table); nil is one that shows nothing.
func quadraticOutline(segments []opentype.Segment, em float64) []byte {
	var contours [][]outlinePoint
	var contour []outlinePoint
	at := place{}
	flush := func() {
		if n := len(contour); n > 1 && contour[0].place == contour[n-1].place {
			contour = contour[:n-1] // contours close by themselves
		}
		if len(contour) > 1 {
			contours = append(contours, contour)
		}
		contour = nil
	}
	for _, s := range segments {
		to := func(i int) place { return place{float64(s.Args[i].X), float64(s.Args[i].Y)} }
		switch s.Op {
		case opentype.SegmentOpMoveTo:
			flush()
			at = to(0)
			contour = append(contour, outlinePoint{at, true})
		case opentype.SegmentOpLineTo:
			at = to(0)
			contour = append(contour, outlinePoint{at, true})
		case opentype.SegmentOpQuadTo:
			at = to(1)
			contour = append(contour, outlinePoint{to(0), false}, outlinePoint{at, true})
		case opentype.SegmentOpCubeTo:
			contour = appendCubic(contour, at, to(0), to(1), to(2), em*curveTolerance)
			at = to(2)
		}
	}
	flush()
	return simpleGlyph(contours)
}

// appendCubic draws a curve of the third degree by some of the second.
func appendCubic(contour []outlinePoint, a, b, c, d place, tolerance float64) []outlinePoint {
	const most = 16
	bend := math.Hypot(d.x-3*c.x+3*b.x-a.x, d.y-3*c.y+3*b.y-a.y)
	n := int(math.Ceil(math.Cbrt(bend * math.Sqrt(3) / 36 / tolerance)))
	n = max(1, min(n, most))
	point := func(t float64) place {
		u := 1 - t
		return place{
			u*u*u*a.x + 3*u*u*t*b.x + 3*u*t*t*c.x + t*t*t*d.x,
			u*u*u*a.y + 3*u*u*t*b.y + 3*u*t*t*c.y + t*t*t*d.y,
		}
	}
	slope := func(t float64) place {
		u := 1 - t
		return place{
			3 * (u*u*(b.x-a.x) + 2*u*t*(c.x-b.x) + t*t*(d.x-c.x)),
			3 * (u*u*(b.y-a.y) + 2*u*t*(c.y-b.y) + t*t*(d.y-c.y)),
		}
	}
	step := 1 / float64(n)
	for i := range n {
		from, to := float64(i)*step, float64(i+1)*step
		p, q := point(from), point(to)
		dp, dq := slope(from), slope(to)
		// The middle of where the slopes at both ends would lead.
		beside := place{(p.x+q.x)/2 + (dp.x-dq.x)*step/4, (p.y+q.y)/2 + (dp.y-dq.y)*step/4}
		if i == n-1 {
			q = d
		}
		contour = append(contour, outlinePoint{beside, false}, outlinePoint{q, true})
	}
	return contour
}

// simpleGlyph writes contours as a simple glyph.
func simpleGlyph(contours [][]outlinePoint) []byte {
	if len(contours) == 0 || len(contours) > math.MaxInt16 {
		return nil
	}
	round := func(v float64) int { return int(math.Max(math.MinInt16, math.Min(math.MaxInt16, math.Round(v)))) }
	var flags, xs, ys []byte
	var ends []uint16
	left, bottom, right, top := math.MaxInt16, math.MaxInt16, math.MinInt16, math.MinInt16
	lastX, lastY, points := 0, 0, 0
	for _, contour := range contours {
		for _, p := range contour {
			x, y := round(p.x), round(p.y)
			left, right, bottom, top = min(left, x), max(right, x), min(bottom, y), max(top, y)
			flag := byte(0)
			if p.isOn {
				flag = 1
			}
			flags = append(flags, flag) // both coordinates in words
			xs = binary.BigEndian.AppendUint16(xs, uint16(x-lastX))
			ys = binary.BigEndian.AppendUint16(ys, uint16(y-lastY))
			lastX, lastY = x, y
		}
		points += len(contour)
		if points > math.MaxUint16 {
			return nil
		}
		ends = append(ends, uint16(points-1))
	}
	var out []byte
	for _, v := range []int{len(contours), left, bottom, right, top} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	for _, end := range ends {
		out = binary.BigEndian.AppendUint16(out, end)
	}
	out = binary.BigEndian.AppendUint16(out, 0) // no instructions
	return append(append(append(out, flags...), xs...), ys...)
}

// drawOutlines describes the glyphs of a font by the outlines that its parser finds, some of
// them so many times as wide.
func drawOutlines(face func() *font.Face, em float64, stretches map[uint16]float64) func(gid uint16) []byte {
	var mu sync.Mutex
	return func(gid uint16) []byte {
		mu.Lock()
		defer mu.Unlock()
		outline, ok := face().GlyphData(font.GID(gid)).(font.GlyphOutline)
		if !ok {
			return nil
		}
		segments := outline.Segments
		if by, ok := stretches[gid]; ok {
			segments = stretched(segments, by)
		}
		return quadraticOutline(segments, em)
	}
}

// cubic makes the tables of a font with CFF outlines those of a TrueType font.
func (f *glyphTables) cubic(face *font.Face) {
	maxp := make([]byte, 32)
	copy(maxp, []byte{0, 1, 0, 0, f.tables["maxp"][4], f.tables["maxp"][5]})
	for i, most := range []uint16{math.MaxInt16, math.MaxInt16, 0, 0, 2} { // points, contours, of composite ones, zones
		binary.BigEndian.PutUint16(maxp[6+2*i:], most)
	}
	f.tables["maxp"] = maxp
	f.draw = drawOutlines(func() *font.Face { return face }, float64(face.Upem()), nil)
}
