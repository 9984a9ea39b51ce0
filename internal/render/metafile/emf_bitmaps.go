package metafile

import (
	"math"
)

// bitmaps carries out records that draw pixels (MS-EMF 2.3.1).
func (e *emf) bitmaps(kind uint32, r *record) bool {
	const bounds, start = 16, 8
	if kind < emfBitBlt {
		return false
	}
	r.at = min(start+bounds, len(r.data))
	switch kind {
	case emfBitBlt, emfStretchBlt, emfMaskBlt, emfAlphaBlend, emfTransparentBlt:
		e.transfer(kind, r)
	case emfPlgBlt:
		e.parallelogram(r)
	case emfSetDIBitsToDevice, emfStretchDIBits:
		e.deviceBits(kind, r)
	case emfGradientFill:
		e.gradientFill(r)
	default:
		return false
	}
	return true
}

// bits reads where a bitmap lies in the record, and the bitmap; false if the
// record has none.
func (e *emf) bits(r *record, withAlpha bool) (*bitmap, bool) {
	offInfo, sizeInfo, offBits, sizeBits := r.u32(), r.u32(), r.u32(), r.u32()
	info, bits := r.part(offInfo, sizeInfo), r.part(offBits, sizeBits)
	if sizeInfo == 0 {
		return nil, false
	}
	if info == nil || bits == nil {
		r.isShort = true
		return nil, true
	}
	return e.dib(info, bits, withAlpha), true
}

// transfer draws a bitmap, or fills a place without one (MS-EMF 2.3.1.1 to
// 2.3.1.3, 2.3.1.6, 2.3.1.8).
func (e *emf) transfer(kind uint32, r *record) {
	low := r.point32()
	size := r.point32()
	rop := r.u32()
	corner := r.point32()
	const transform, background, usage = 24, 4, 4
	r.take(transform + background + usage)
	b, hasSource := e.bits(r, kind == emfAlphaBlend && rop>>24&1 != 0)
	from := source{corner.X, corner.Y, size.X, size.Y}
	if kind == emfStretchBlt || kind == emfAlphaBlend || kind == emfTransparentBlt {
		from.w, from.h = r.i32(), r.i32()
	}
	m := Matrix{A: size.X, D: size.Y, E: low.X, F: low.Y}
	if !hasSource {
		if kind == emfBitBlt || kind == emfStretchBlt || kind == emfMaskBlt {
			e.blit(nil, from, m, rop)
		}
		return
	}
	if b == nil {
		return
	}
	b.isUpward = false // what is copied from a device counts from above
	switch kind {
	case emfAlphaBlend:
		if b = e.faded(b, rop); b == nil {
			return
		}
		rop = rasterCopy
	case emfTransparentBlt:
		if b = e.unpacked(b); b == nil {
			return
		}
		red, green, blue := uint8(rop), uint8(rop>>8), uint8(rop>>16)
		b.each(func(px []byte) {
			if px[0] == red && px[1] == green && px[2] == blue {
				px[3] = 0
			}
		})
		rop = rasterCopy
	case emfMaskBlt:
		if r.u32(); hasMask(r) {
			e.limits.note(noteRaster)
		}
		rop = rasterCopy
	}
	e.blit(b, from, m, rop)
}

// hasMask tells whether a mask's bitmap follows.
func hasMask(r *record) bool {
	r.take(12)
	return r.u32() > 0
}

// faded is a bitmap with the opacity of a BlendFunction (MS-EMF 2.2.2), whose
// colours were multiplied by theirs.
func (e *emf) faded(b *bitmap, blend uint32) *bitmap {
	if b = e.unpacked(b); b == nil {
		return nil
	}
	all, perPixel := int(uint8(blend>>16)), blend>>24&1 != 0
	b.each(func(px []byte) {
		alpha := int(px[3])
		if !perPixel {
			alpha = 255
		}
		if perPixel && alpha > 0 {
			for i := range 3 {
				px[i] = uint8(min(255, int(px[i])*255/alpha))
			}
		}
		px[3] = uint8(alpha * all / 255)
	})
	return b
}

// parallelogram draws a bitmap between three points (MS-EMF 2.3.1.4).
func (e *emf) parallelogram(r *record) {
	a := r.point32()
	b := r.point32()
	c := r.point32()
	from := source{r.i32(), r.i32(), r.i32(), r.i32()}
	r.take(24 + 4 + 4)
	picture, _ := e.bits(r, false)
	if picture == nil {
		return
	}
	picture.isUpward = false
	e.blit(picture, from, Matrix{b.X - a.X, b.Y - a.Y, c.X - a.X, c.Y - a.Y, a.X, a.Y}, rasterCopy)
}

// deviceBits draws a bitmap that was in memory (MS-EMF 2.3.1.5, 2.3.1.7).
func (e *emf) deviceBits(kind uint32, r *record) {
	low := r.point32()
	from := source{r.i32(), r.i32(), r.i32(), r.i32()}
	b, _ := e.bits(r, false)
	if b == nil {
		return
	}
	r.u32()
	size, rop := Point{from.w, from.h}, uint32(rasterCopy)
	if kind == emfStretchDIBits {
		rop = r.u32()
		size = r.point32()
	}
	m := Matrix{A: size.X, D: size.Y, E: low.X, F: low.Y}
	if kind == emfSetDIBitsToDevice {
		// Its pixels are device pixels in every mapping mode.
		at := e.dc.world.then(e.page()).apply(low)
		saved, world := e.dc.mode, e.dc.world
		org := e.dc.viewportOrg
		windowOrg := e.dc.windowOrg
		e.dc.mode, e.dc.world, e.dc.viewportOrg, e.dc.windowOrg = mapText, identity, Point{}, Point{}
		e.blit(b, from, Matrix{A: size.X, D: size.Y, E: at.X, F: at.Y}, rop)
		e.dc.mode, e.dc.world, e.dc.viewportOrg, e.dc.windowOrg = saved, world, org, windowOrg
		return
	}
	e.blit(b, from, m, rop)
}

// gradientFill paints rectangles or triangles between colours (MS-EMF 2.3.5.12).
// A triangle gets the mean of its corners.
func (e *emf) gradientFill(r *record) {
	const vertex = 16
	vertices, shapes, mode := r.u32(), r.u32(), r.u32()
	if int64(vertices)*vertex > int64(len(r.data)-r.at) || !e.spendPoints(int(vertices)) {
		r.isShort = true
		return
	}
	points, colors := make([]Point, vertices), make([]Color, vertices)
	for i := range points {
		points[i] = r.point32()
		colors[i] = opaque(uint8(r.u16()>>8), uint8(r.u16()>>8), uint8(r.u16()>>8))
		r.u16()
	}
	const horizontal, triangle = 0, 2
	e.flushMask()
	e.showClip()
	m := e.matrix()
	corner := func() int { return int(min(r.u32(), math.MaxInt32)) }
	for range shapes {
		a, b, c := corner(), corner(), -1
		if mode == triangle {
			c = corner()
		}
		if r.isShort || max(a, b, c) >= len(points) || !e.spendPoints(4) {
			return
		}
		if mode == triangle {
			e.limits.note(noteBrush)
			e.canvas.Fill(polygonOf(points[a], points[b], points[c]).in(m), false, mean(mean(colors[a], colors[b]), colors[c]))
			continue
		}
		low, high := points[a], points[b]
		along := Matrix{A: high.X - low.X, D: high.Y - low.Y, E: low.X, F: low.Y}
		if mode != horizontal {
			along = Matrix{B: high.Y - low.Y, C: low.X - high.X, E: low.X, F: low.Y}
		}
		e.fill(rectangle(low.X, low.Y, high.X, high.Y).in(m), false, brush{kind: brushLinear, gradient: &gradient{colors[a], colors[b], along.then(m)}})
	}
}
