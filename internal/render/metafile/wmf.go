package metafile

import (
	"encoding/binary"
	"math"

	"github.com/platenhq/platen/internal/office/dml"
)

// playWMF draws a WMF picture (MS-WMF 2.3). Its window is what fills the box:
// that of the placeable header until the picture sets another.
func (p *player) playWMF(data []byte, box dml.Rect, isPlaceable bool) {
	if emf := embeddedEMF(data); kindOf(emf) == enhanced && play(emf, box, p.canvas, p.limits) == nil {
		return
	}
	const header = 18
	records := data
	w := wmf{player: p}
	p.dc.mode = mapAnisotropic
	if isPlaceable {
		const size = 22
		r := &record{data: data, at: 6}
		left, top, right, bottom := r.i16(), r.i16(), r.i16(), r.i16()
		if right != left && bottom != top {
			w.window(Point{left, top}, Point{right - left, bottom - top})
		}
		records = data[size:]
	}
	if len(records) < header {
		p.limits.note(noteDamaged)
		return
	}
	if records = records[header:]; !w.findWindow(records) {
		return
	}
	p.dc.windowOrg, p.dc.windowExt = w.org, w.ext
	p.dc.viewportExt = Point{math.Abs(w.ext.X), math.Abs(w.ext.Y)}
	const pixel = 0.75 // points, as on screens: the picture does not say
	p.unit = pixel
	p.base = Matrix{A: box.W / p.dc.viewportExt.X, D: box.H / p.dc.viewportExt.Y, E: box.X, F: box.Y}
	w.play(records)
	p.flushMask()
}

// wmf carries out the records of a WMF picture.
type wmf struct {
	*player
	org, ext Point // of the first window
	hasSize  bool
	free     []uint32 // handles below the highest, in their order
}

func (w *wmf) window(org, ext Point) { w.org, w.ext, w.hasSize = org, ext, true }

// each goes through the records (MS-WMF 2.3). False ends it.
func each(data []byte, do func(function uint16, r *record) bool) (isWhole bool) {
	const header = 6
	for len(data) >= header {
		words, function := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint16(data[4:])
		if function == wmfEOF {
			return true
		}
		if words < header/2 || int64(words)*2 > int64(len(data)) {
			return false
		}
		if !do(function, &record{data: data[header : words*2]}) {
			return true
		}
		data = data[words*2:]
	}
	return false
}

// findWindow looks for the window, in a picture that has no placeable header:
// the first that is set, or what its figures fill.
func (w *wmf) findWindow(data []byte) bool {
	var org, ext Point
	hasOrg, hasExt := false, false
	each(data, func(function uint16, r *record) bool {
		switch function {
		case wmfSetWindowOrg:
			if !hasOrg {
				org.Y, org.X, hasOrg = r.i16(), r.i16(), true
			}
		case wmfSetWindowExt:
			if !hasExt {
				ext.Y, ext.X = r.i16(), r.i16()
				hasExt = ext.X != 0 && ext.Y != 0
			}
		}
		return !hasOrg || !hasExt
	})
	if w.hasSize {
		return true
	}
	if !hasExt {
		low, high := extent(data)
		if !(high.X > low.X) || !(high.Y > low.Y) {
			return false
		}
		org, ext = low, Point{high.X - low.X, high.Y - low.Y}
	}
	w.window(org, ext)
	return true
}

// extent is the box around the lines and areas of a picture that sets no window.
func extent(data []byte) (low, high Point) {
	low, high = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	add := func(at Point) {
		low = Point{math.Min(low.X, at.X), math.Min(low.Y, at.Y)}
		high = Point{math.Max(high.X, at.X), math.Max(high.Y, at.Y)}
	}
	each(data, func(function uint16, r *record) bool {
		switch function {
		case wmfPolygon, wmfPolyline:
			for _, at := range r.points(int(r.u16()), true) {
				add(at)
			}
		case wmfPolyPolygon:
			n := 0
			for range int(r.u16()) {
				n += int(r.u16())
			}
			for _, at := range r.points(n, true) {
				add(at)
			}
		case wmfRectangle, wmfEllipse:
			add(r.swapped())
			add(r.swapped())
		case wmfRoundRect:
			r.take(4)
			add(r.swapped())
			add(r.swapped())
		case wmfArc, wmfPie, wmfChord:
			r.take(8)
			add(r.swapped())
			add(r.swapped())
		case wmfMoveTo, wmfLineTo:
			add(r.swapped())
		case wmfStretchDIB:
			r.take(14)
			h, width := r.i16(), r.i16()
			at := r.swapped()
			add(at)
			add(Point{at.X + width, at.Y + h})
		}
		return true
	})
	return low, high
}

// wmfHeaders is where the records begin (MS-WMF 2.3.2).
func wmfHeaders(data []byte) int {
	const header, placeableHeader = 18, 22
	if kindOf(data) == placeable {
		return placeableHeader + header
	}
	return header
}

// embeddedEMF puts together the EMF picture that lies in comments of a WMF
// picture (MS-WMF 2.3.6.1); nil if there is none.
func embeddedEMF(data []byte) []byte {
	var out []byte
	left := -1
	each(data[min(wmfHeaders(data), len(data)):], func(function uint16, r *record) bool {
		const comment, mark = 0x0F, 0x43464D57
		if function != wmfEscape {
			return true
		}
		if r.u16() != comment {
			return true
		}
		if r.u16(); r.u32() != mark || r.u32() != 1 {
			return true
		}
		r.take(4 + 2 + 4 + 4) // version, checksum, flags, number of comments
		size, rest, all := r.u32(), r.u32(), r.u32()
		part := r.take(int(min(size, math.MaxInt32)))
		if r.isShort || all > maxBytes {
			left = -1
			return false
		}
		out, left = append(out, part...), int(min(rest, math.MaxInt32))
		return left > 0
	})
	if left != 0 {
		return nil
	}
	return out
}

func (w *wmf) play(data []byte) {
	isWhole := each(data, func(function uint16, r *record) bool {
		if !w.spendRecord() {
			return false
		}
		switch {
		case w.state(function, r), w.figure(function, r), w.create(function, r), w.letters(function, r), w.bitmaps(function, r):
		default:
			w.limits.note(noteRecord)
		}
		if r.isShort {
			w.limits.note(noteDamaged)
		}
		return true
	})
	if !isWhole {
		w.limits.note(noteDamaged)
	}
}
