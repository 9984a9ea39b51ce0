package metafile

import (
	"encoding/binary"
	"math"

	"github.com/platenhq/platen/internal/office/dml"
)

// playEMF draws an EMF picture (MS-EMF 2.3). Its frame is what fills the box.
func (p *player) playEMF(data []byte, box dml.Rect) {
	e := emf{player: p}
	if !e.readHeader(data, box) {
		p.limits.note(noteDamaged)
		return
	}
	isWhole := eachEMF(data, func(kind uint32, r *record) bool {
		if !p.spendRecord() {
			return false
		}
		if kind == emfComment {
			if isPlusAlone(r.data[r.at:]) {
				p.limits.note(notePlus)
			}
			return true
		}
		e.record(kind, r)
		if r.isShort {
			p.limits.note(noteDamaged)
		}
		return true
	})
	if !isWhole {
		p.limits.note(noteDamaged)
	}
	p.flushMask()
}

// emf carries out the records of an EMF picture.
type emf struct{ *player }

// isPlusAlone tells whether a comment begins EMF+ whose picture has no calls of EMF
// that draw the same (MS-EMF 2.3.3.2, MS-EMFPLUS 2.3.3.3).
func isPlusAlone(comment []byte) bool {
	const mark, header = "EMF+", 0x4001
	if len(comment) < 12 || string(comment[4:8]) != mark {
		return false
	}
	kind, flags := binary.LittleEndian.Uint16(comment[8:]), binary.LittleEndian.Uint16(comment[10:])
	return kind == header && flags&1 == 0
}

// readHeader finds what maps pixels of the device to the box (MS-EMF 2.2.9).
func (e *emf) readHeader(data []byte, box dml.Rect) bool {
	r := &record{data: data, at: 8}
	bounds := [4]float64{r.i32(), r.i32(), r.i32(), r.i32()}
	frame := [4]float64{r.i32(), r.i32(), r.i32(), r.i32()} // hundredths of a millimetre
	r.at = 72
	device := Point{r.i32(), r.i32()}
	mm := Point{r.i32(), r.i32()}
	if device.X > 0 && device.Y > 0 && mm.X > 0 && mm.Y > 0 {
		e.perMM = Point{device.X / mm.X, device.Y / mm.Y}
	}
	left, top := frame[0]/100*e.perMM.X, frame[1]/100*e.perMM.Y
	w, h := (frame[2]-frame[0])/100*e.perMM.X, (frame[3]-frame[1])/100*e.perMM.Y
	if w <= 0 || h <= 0 {
		left, top, w, h = bounds[0], bounds[1], bounds[2]-bounds[0], bounds[3]-bounds[1]
	}
	if w <= 0 || h <= 0 {
		return false
	}
	x, y := box.W/w, box.H/h
	e.base = Matrix{A: x, D: y, E: box.X - left*x, F: box.Y - top*y}
	e.unit = e.base.scale()
	return e.base.isSound()
}

// eachEMF goes through the records (MS-EMF 2.3). False ends it.
func eachEMF(data []byte, do func(kind uint32, r *record) bool) (isWhole bool) {
	const header = 8
	for len(data) >= header {
		kind, size := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		if kind == emfEOF {
			return true
		}
		if size < header || int64(size) > int64(len(data)) {
			return false
		}
		if !do(kind, &record{data: data[:size], at: header}) {
			return true
		}
		data = data[size:]
	}
	return false
}

func (e *emf) record(kind uint32, r *record) {
	switch {
	case e.state(kind, r), e.mapping(kind, r), e.clipping(kind, r), e.polygons(kind, r), e.figures(kind, r), e.create(kind, r), e.texts(kind, r), e.bitmaps(kind, r):
	default:
		e.limits.note(noteRecord)
	}
}

// state carries out records that change the context (MS-EMF 2.3.11).
func (e *emf) state(kind uint32, r *record) bool {
	d := &e.dc
	switch kind {
	case emfSaveDC:
		e.save()
	case emfRestoreDC:
		e.restore(int(int32(r.u32())))
	case emfSetBkMode:
		d.isOpaque = r.u32() == 2
	case emfSetBkColor:
		d.background = r.color()
	case emfSetTextColor:
		d.textColor = r.color()
	case emfSetTextAlign:
		d.align = r.u32()
	case emfSetROP2:
		d.rop = r.u32()
	case emfSetPolyFillMode:
		d.isWinding = r.u32() == 2
	case emfSetArcDirection:
		d.isClockwise = r.u32() == 2
	case emfSelectObject:
		e.selectObject(r.u32())
	case emfDeleteObject:
		delete(e.objects, r.u32())
	case emfHeader, emfSetBrushOrg, emfSetMapperFlags, emfSetColorAdjustment, emfSetStretchBltMode, emfSetMetaRgn, emfSelectPalette,
		emfCreatePalette, emfSetPaletteEntries, emfResizePalette, emfRealizePalette, emfSetMiterLimit, emfSetICMMode, emfCreateColorSpace,
		emfSetColorSpace, emfDeleteColorSpace, emfPixelFormat, emfDrawEscape, emfExtEscape, emfForceUFIMapping, emfColorCorrectPalette,
		emfSetICMProfileA, emfSetICMProfileW, emfSetLayout, emfSetLinkedUFIs, emfSetTextJustification, emfCreateColorSpaceW:
	default:
		return false
	}
	return true
}

// selectObject selects what a picture made, or what every device has (MS-EMF 2.1.31).
func (e *emf) selectObject(handle uint32) {
	const stock = 0x80000000
	if handle < stock {
		e.use(e.objects[handle])
		return
	}
	grey := func(v uint8) brush { return brush{color: opaque(v, v, v)} }
	switch handle - stock {
	case 0:
		e.use(grey(255))
	case 1:
		e.use(grey(192))
	case 2:
		e.use(grey(128))
	case 3:
		e.use(grey(64))
	case 4:
		e.use(grey(0))
	case 5:
		e.use(brush{kind: brushNil})
	case 6:
		e.use(pen{color: opaque(255, 255, 255)})
	case 7:
		e.use(pen{color: opaque(0, 0, 0)})
	case 8:
		e.use(pen{isNil: true})
	case 10, 11, 16:
		e.use(font{Font: Font{Family: "Courier New"}, height: -12})
	case 12, 13, 14, 17:
		e.use(font{Font: Font{Family: "Arial"}, height: -12})
	}
}

// mapping carries out records that say where places lie (MS-EMF 2.3.11, 2.3.12).
func (e *emf) mapping(kind uint32, r *record) bool {
	d := &e.dc
	switch kind {
	case emfSetMapMode:
		d.mode = mapMode(r.u32())
	case emfSetWindowOrg:
		d.windowOrg = r.point32()
	case emfSetWindowExt:
		d.windowExt = r.point32()
	case emfSetViewportOrg:
		d.viewportOrg = r.point32()
	case emfSetViewportExt:
		d.viewportExt = r.point32()
	case emfScaleWindowExt:
		d.windowExt = scaledBy(d.windowExt, r)
	case emfScaleViewportExt:
		d.viewportExt = scaledBy(d.viewportExt, r)
	case emfSetWorldTransform:
		d.world = r.matrix()
	case emfModifyWorldTransform:
		m := r.matrix()
		switch r.u32() {
		case 1:
			d.world = identity
		case 2:
			d.world = m.then(d.world)
		case 3:
			d.world = d.world.then(m)
		case 4:
			d.world = m
		}
	default:
		return false
	}
	if !d.world.isSound() {
		d.world = identity
		e.limits.note(noteDamaged)
	}
	return true
}

// scaledBy reads x and y multipliers and divisors.
func scaledBy(ext Point, r *record) Point {
	part := func(v float64) float64 {
		num, denom := r.i32(), r.i32()
		if num == 0 || denom == 0 {
			return v
		}
		return v * num / denom
	}
	x := part(ext.X)
	return Point{x, part(ext.Y)}
}

// clipping carries out records that change the clip (MS-EMF 2.3.2).
func (e *emf) clipping(kind uint32, r *record) bool {
	box := func() *Path {
		low := r.point32()
		high := r.point32()
		return rectangle(low.X, low.Y, high.X, high.Y).in(e.matrix())
	}
	switch kind {
	case emfIntersectClipRect:
		e.clipTo(clipAnd, box(), false)
	case emfExcludeClipRect:
		e.clipTo(clipDiff, box(), false)
	case emfSelectClipPath:
		mode := clipMode(r.u32())
		if e.path != nil {
			e.clipTo(mode, e.path, !e.dc.isWinding)
		}
		e.path, e.isOpen = nil, false
	case emfExtSelectClipRgn:
		size := r.u32()
		mode := clipMode(r.u32())
		if size == 0 {
			e.clipTo(clipCopy, nil, false)
		} else {
			e.clipTo(mode, e.region(r).path(e.base), false)
		}
	case emfOffsetClipRgn:
		by := e.matrix()
		at := r.point32()
		dx, dy := by.A*at.X+by.C*at.Y, by.B*at.X+by.D*at.Y
		clip := make([]clipArea, len(e.dc.clip))
		for i, a := range e.dc.clip {
			clip[i] = clipArea{a.path.in(translation(dx, dy)), a.isEvenOdd}
		}
		e.dc.clip = clip
	default:
		return false
	}
	return true
}

// region reads the rectangles of a region (MS-EMF 2.2.24), in pixels of the device.
func (e *emf) region(r *record) *region {
	const head, each = 32, 16
	start := r.at
	r.take(8)
	n := int(min(r.u32(), math.MaxInt32))
	r.at = min(start+head, len(r.data))
	n = min(n, (len(r.data)-r.at)/each)
	out := &region{}
	if !e.spendPoints(4 * n) {
		return out
	}
	for range n {
		out.rects = append(out.rects, [4]float64{r.i32(), r.i32(), r.i32(), r.i32()})
	}
	return out
}

// create makes objects (MS-EMF 2.3.7).
func (e *emf) create(kind uint32, r *record) bool {
	var object any
	start, wasShort := r.at, r.isShort
	handle := r.u32()
	switch kind {
	case emfCreatePen:
		style := r.u32()
		width := r.i32()
		r.u32()
		object = pen{style: style, width: math.Abs(width), color: r.color()}
	case emfExtCreatePen:
		object = extendedPen(r)
	case emfCreateBrush:
		style := r.u32()
		c := r.color()
		object = brushOf(style, c, r.u32())
	case emfCreateDIBBrush, emfCreateMonoBrush:
		r.u32()
		object = e.patternBrush(r, kind == emfCreateMonoBrush)
	case emfCreateFont:
		object = r.logFont(true)
	default:
		r.at, r.isShort = start, wasShort
		return false
	}
	e.set(handle, object)
	return true
}

// extendedPen reads a LogPenEx (MS-EMF 2.2.20).
func extendedPen(r *record) pen {
	r.take(16)
	n := pen{style: r.u32(), width: float64(r.u32())}
	kind := r.u32()
	n.color = r.color()
	r.u32()
	n.isNil = kind == brushStyleNull
	for range min(r.count(4), 16) {
		n.dash = append(n.dash, float64(r.u32()))
	}
	if n.style&penGeometric == 0 {
		n.width = 0
	}
	return n
}

// patternBrush reads a brush that is a bitmap.
func (e *emf) patternBrush(r *record, isMono bool) brush {
	offInfo, sizeInfo, offBits, sizeBits := r.u32(), r.u32(), r.u32(), r.u32()
	info, bits := r.part(offInfo, sizeInfo), r.part(offBits, sizeBits)
	if info == nil || bits == nil {
		e.limits.note(noteBrush)
		return brush{color: opaque(192, 192, 192)}
	}
	b := e.dib(info, bits, false)
	if b == nil {
		return brush{color: opaque(192, 192, 192)}
	}
	if isMono {
		dark, light := e.dc.textColor, e.dc.background
		b.each(func(px []byte) {
			c := dark
			if px[0] > 127 {
				c = light
			}
			px[0], px[1], px[2] = c.R, c.G, c.B
		})
	}
	return brush{kind: brushPattern, picture: b}
}
