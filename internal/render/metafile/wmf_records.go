package metafile

import "slices"

// Records of WMF (MS-WMF 2.1.1.1).
const (
	wmfEOF                   = 0x0000
	wmfSaveDC                = 0x001E
	wmfRealizePalette        = 0x0035
	wmfSetPalEntries         = 0x0037
	wmfCreatePalette         = 0x00F7
	wmfSetBkMode             = 0x0102
	wmfSetMapMode            = 0x0103
	wmfSetROP2               = 0x0104
	wmfSetRelAbs             = 0x0105
	wmfSetPolyFillMode       = 0x0106
	wmfSetStretchBltMode     = 0x0107
	wmfSetTextCharExtra      = 0x0108
	wmfRestoreDC             = 0x0127
	wmfInvertRegion          = 0x012A
	wmfPaintRegion           = 0x012B
	wmfSelectClipRegion      = 0x012C
	wmfSelectObject          = 0x012D
	wmfSetTextAlign          = 0x012E
	wmfResizePalette         = 0x0139
	wmfDIBCreatePatternBrush = 0x0142
	wmfSetLayout             = 0x0149
	wmfDeleteObject          = 0x01F0
	wmfCreatePatternBrush    = 0x01F9
	wmfSetBkColor            = 0x0201
	wmfSetTextColor          = 0x0209
	wmfSetTextJustification  = 0x020A
	wmfSetWindowOrg          = 0x020B
	wmfSetWindowExt          = 0x020C
	wmfSetViewportOrg        = 0x020D
	wmfSetViewportExt        = 0x020E
	wmfOffsetWindowOrg       = 0x020F
	wmfOffsetViewportOrg     = 0x0211
	wmfLineTo                = 0x0213
	wmfMoveTo                = 0x0214
	wmfOffsetClipRgn         = 0x0220
	wmfFillRegion            = 0x0228
	wmfSetMapperFlags        = 0x0231
	wmfSelectPalette         = 0x0234
	wmfCreatePenIndirect     = 0x02FA
	wmfCreateFontIndirect    = 0x02FB
	wmfCreateBrushIndirect   = 0x02FC
	wmfPolygon               = 0x0324
	wmfPolyline              = 0x0325
	wmfScaleWindowExt        = 0x0410
	wmfScaleViewportExt      = 0x0412
	wmfExcludeClipRect       = 0x0415
	wmfIntersectClipRect     = 0x0416
	wmfEllipse               = 0x0418
	wmfRectangle             = 0x041B
	wmfSetPixel              = 0x041F
	wmfFrameRegion           = 0x0429
	wmfAnimatePalette        = 0x0436
	wmfTextOut               = 0x0521
	wmfPolyPolygon           = 0x0538
	wmfRoundRect             = 0x061C
	wmfPatBlt                = 0x061D
	wmfEscape                = 0x0626
	wmfCreateRegion          = 0x06FF
	wmfArc                   = 0x0817
	wmfPie                   = 0x081A
	wmfChord                 = 0x0830
	wmfDIBBitBlt             = 0x0940
	wmfExtTextOut            = 0x0A32
	wmfDIBStretchBlt         = 0x0B41
	wmfSetDIBToDev           = 0x0D33
	wmfStretchDIB            = 0x0F43
)

// swapped reads a point, y first.
func (r *record) swapped() Point {
	y := r.i16()
	return Point{r.i16(), y}
}

// state carries out records that change the context (MS-WMF 2.3.5).
func (w *wmf) state(function uint16, r *record) bool {
	d := &w.dc
	switch function {
	case wmfSaveDC:
		w.save()
	case wmfRestoreDC:
		w.restore(int(int16(r.u16())))
	case wmfSetBkMode:
		d.isOpaque = r.u16() == 2
	case wmfSetBkColor:
		d.background = r.color()
	case wmfSetTextColor:
		d.textColor = r.color()
	case wmfSetROP2:
		d.rop = uint32(r.u16())
	case wmfSetPolyFillMode:
		d.isWinding = r.u16() == 2
	case wmfSetTextCharExtra:
		d.charExtra = r.i16()
	case wmfSetTextAlign:
		d.align = uint32(r.u16())
	case wmfSetWindowOrg:
		d.windowOrg = r.swapped()
	case wmfOffsetWindowOrg:
		by := r.swapped()
		d.windowOrg = Point{d.windowOrg.X + by.X, d.windowOrg.Y + by.Y}
	case wmfSetWindowExt:
		if ext := r.swapped(); ext.X != 0 && ext.Y != 0 {
			d.windowExt = ext
		}
	case wmfScaleWindowExt:
		y, x := ratioOf(r), ratioOf(r)
		d.windowExt = Point{d.windowExt.X * x, d.windowExt.Y * y}
	case wmfIntersectClipRect, wmfExcludeClipRect:
		high := r.swapped()
		low := r.swapped()
		mode := clipAnd
		if function == wmfExcludeClipRect {
			mode = clipDiff
		}
		w.clipTo(mode, rectangle(low.X, low.Y, high.X, high.Y).in(w.matrix()), false)
	case wmfSelectObject:
		w.use(w.objects[uint32(r.u16())])
	case wmfSelectClipRegion:
		if area, ok := w.objects[uint32(r.u16())].(*region); ok {
			w.clipTo(clipCopy, area.path(w.matrix()), false)
		} else {
			w.clipTo(clipCopy, nil, false)
		}
	case wmfDeleteObject:
		w.remove(uint32(r.u16()))
	// The window alone says what is seen: a viewport would be of a device that is not here.
	case wmfSetMapMode, wmfSetViewportOrg, wmfSetViewportExt, wmfOffsetViewportOrg, wmfScaleViewportExt,
		wmfRealizePalette, wmfSetPalEntries, wmfSetRelAbs, wmfSetStretchBltMode, wmfResizePalette, wmfSetLayout,
		wmfSetTextJustification, wmfSetMapperFlags, wmfSelectPalette, wmfAnimatePalette, wmfEscape, wmfOffsetClipRgn:
	default:
		return false
	}
	return true
}

// remove frees a handle for the next object.
func (w *wmf) remove(handle uint32) {
	if _, ok := w.objects[handle]; !ok {
		return
	}
	delete(w.objects, handle)
	at, _ := slices.BinarySearch(w.free, handle)
	w.free = slices.Insert(w.free, at, handle)
}

// ratioOf reads a divisor and, behind it, what it divides.
func ratioOf(r *record) float64 {
	divisor := r.i16()
	v := r.i16()
	if divisor == 0 || v == 0 {
		return 1
	}
	return v / divisor
}

// figure carries out records that draw lines and areas (MS-WMF 2.3.3).
func (w *wmf) figure(function uint16, r *record) bool {
	switch function {
	case wmfMoveTo:
		w.moveTo(r.swapped())
	case wmfLineTo:
		w.follow(lines(w.from([]Point{r.swapped()}), false))
	case wmfPolygon:
		w.shape(lines(r.points(int(r.u16()), true), true), true, true)
	case wmfPolyline:
		w.shape(lines(r.points(int(r.u16()), true), false), false, true)
	case wmfPolyPolygon:
		w.polyPolygon(r)
	case wmfRectangle:
		high := r.swapped()
		low := r.swapped()
		w.shape(rectangle(low.X, low.Y, high.X, high.Y), true, true)
	case wmfEllipse:
		high := r.swapped()
		low := r.swapped()
		w.shape(ellipse(low.X, low.Y, high.X, high.Y), true, true)
	case wmfRoundRect:
		round := r.swapped()
		high := r.swapped()
		low := r.swapped()
		w.shape(roundRectangle(low.X, low.Y, high.X, high.Y, round.X, round.Y), true, true)
	case wmfArc, wmfPie, wmfChord:
		end := r.swapped()
		start := r.swapped()
		high := r.swapped()
		low := r.swapped()
		w.arc(map[uint16]arcKind{wmfArc: arcOpen, wmfPie: arcPie, wmfChord: arcChord}[function], low.X, low.Y, high.X, high.Y, start, end)
	case wmfSetPixel:
		c := r.color()
		at := r.swapped()
		w.dot(at, c)
	case wmfFillRegion, wmfFrameRegion, wmfPaintRegion, wmfInvertRegion:
		w.regions(function, r)
	default:
		return false
	}
	return true
}

// polyPolygon draws areas that are one (MS-WMF 2.3.3.16).
func (w *wmf) polyPolygon(r *record) {
	counts := make([]int, min(int(r.u16()), len(r.data)/2))
	for i := range counts {
		counts[i] = int(r.u16())
	}
	f := &Path{}
	for _, n := range counts {
		f.add(lines(r.points(n, true), true))
	}
	w.shape(f, true, true)
}

// dot paints one pixel.
func (p *player) dot(at Point, c Color) {
	if p.isOpen {
		return
	}
	p.flushMask()
	p.showClip()
	place, side := p.matrix().apply(at), p.pixel()
	p.canvas.Fill(rectangle(place.X, place.Y, place.X+side, place.Y+side), false, c)
}

// regions paints what a region holds.
func (w *wmf) regions(function uint16, r *record) {
	area, ok := w.objects[uint32(r.u16())].(*region)
	if !ok || function == wmfInvertRegion || function == wmfFrameRegion {
		w.limits.note(noteRecord)
		return
	}
	b := w.dc.brush
	if function == wmfFillRegion {
		if b, ok = w.objects[uint32(r.u16())].(brush); !ok {
			return
		}
	}
	w.flushMask()
	w.showClip()
	w.fill(area.path(w.matrix()), false, b)
}

// create makes objects, each with the least free handle (MS-WMF 2.3.4).
func (w *wmf) create(function uint16, r *record) bool {
	var object any
	switch function {
	case wmfCreatePenIndirect:
		style := uint32(r.u16())
		width := r.i16()
		r.u16()
		object = pen{style: style, width: max(width, -width), color: r.color()}
	case wmfCreateBrushIndirect:
		style := uint32(r.u16())
		c := r.color()
		object = brushOf(style, c, uint32(r.u16()))
	case wmfCreateFontIndirect:
		object = r.logFont(false)
	case wmfDIBCreatePatternBrush:
		r.take(4)
		object = brush{kind: brushPattern, picture: w.dib(r.data[min(r.at, len(r.data)):], nil, false)}
	case wmfCreatePatternBrush:
		w.limits.note(noteBrush)
		object = brush{color: opaque(192, 192, 192)}
	case wmfCreateRegion:
		object = readRegion(r)
	case wmfCreatePalette:
		object = struct{}{}
	default:
		return false
	}
	handle := uint32(len(w.objects)) // all below are taken, but for the free ones
	if len(w.free) > 0 {
		handle, w.free = w.free[0], w.free[1:]
	}
	w.set(handle, object)
	return true
}

// The styles of brushes (MS-WMF 2.1.1.4).
const (
	brushStyleSolid = 0
	brushStyleNull  = 1
	brushStyleHatch = 2
)

func brushOf(style uint32, c Color, lines uint32) brush {
	switch style {
	case brushStyleNull:
		return brush{kind: brushNil}
	case brushStyleHatch:
		return brush{kind: brushHatch, color: c, hatch: hatch(min(lines, uint32(hatchDiagonalCross)))}
	}
	return brush{color: c}
}

// readRegion reads a region of scans (MS-WMF 2.2.1.5).
func readRegion(r *record) *region {
	const head = 10
	r.take(head)
	n := int(r.u16())
	r.take(10)
	out := &region{}
	for range n {
		points := int(r.u16())
		top, bottom := r.i16(), r.i16()
		for range points / 2 {
			left, right := r.i16(), r.i16()
			if r.isShort {
				return out
			}
			out.rects = append(out.rects, [4]float64{left, top, right, bottom})
		}
		r.u16()
		if r.isShort {
			break
		}
	}
	return out
}

// letters carries out records that draw text (MS-WMF 2.3.3.5, 2.3.3.20).
func (w *wmf) letters(function uint16, r *record) bool {
	switch function {
	case wmfTextOut:
		n := int(r.u16())
		text := r.take(n + n%2)
		at := r.swapped()
		w.text(at, decode(text[:min(n, len(text))], w.dc.font.charset, nil), 0, nil)
	case wmfExtTextOut:
		at := r.swapped()
		n := int(r.u16())
		options := uint32(r.u16())
		var box *[4]float64
		if options&(textOpaque|textClipped) != 0 {
			box = &[4]float64{r.i16(), r.i16(), r.i16(), r.i16()}
		}
		text := r.take(n + n%2)
		if text == nil && n%2 == 1 { // without the byte that fills the word
			r.isShort = false
			text = r.take(n)
		}
		text = text[:min(n, len(text))]
		var dx []float64
		if len(r.data)-r.at >= 2*n {
			dx = make([]float64, n)
			for i := range dx {
				dx[i] = r.i16()
			}
		}
		w.text(at, decode(text, w.dc.font.charset, dx), options, box)
	default:
		return false
	}
	return true
}

// bitmaps carries out records that draw pixels (MS-WMF 2.3.1).
func (w *wmf) bitmaps(function uint16, r *record) bool {
	var from source
	var low, size Point
	rop := uint32(rasterCopy)
	hasSource := true
	switch function {
	case wmfPatBlt:
		hasSource = false
		rop = r.u32()
		size, low = r.swapped(), r.swapped()
	case wmfDIBBitBlt, wmfDIBStretchBlt:
		// Without a bitmap there is a word more, and nothing behind the places.
		const bitBlt, stretchBlt = 4 + 7*2, 4 + 9*2
		isStretch := function == wmfDIBStretchBlt
		hasSource = len(r.data) > stretchBlt || !isStretch && len(r.data) > bitBlt
		rop = r.u32()
		var part Point
		if isStretch {
			part = r.swapped()
		}
		corner := r.swapped()
		if !hasSource {
			r.u16()
		}
		size, low = r.swapped(), r.swapped()
		if !isStretch {
			part = size
		}
		from = source{corner.X, corner.Y, part.X, part.Y}
	case wmfStretchDIB:
		rop = r.u32()
		r.u16()
		part, corner := r.swapped(), r.swapped()
		from = source{corner.X, corner.Y, part.X, part.Y}
		size, low = r.swapped(), r.swapped()
	case wmfSetDIBToDev:
		r.take(6)
		corner := r.swapped()
		size, low = r.swapped(), r.swapped()
		from = source{corner.X, corner.Y, size.X, size.Y}
	default:
		return false
	}
	m := Matrix{A: size.X, D: size.Y, E: low.X, F: low.Y}
	if !hasSource {
		w.blit(nil, from, m, rop)
		return true
	}
	b := w.dib(slices.Clip(r.data[min(r.at, len(r.data)):]), nil, false)
	if b != nil {
		b.isUpward = b.isUpward && (function == wmfStretchDIB || function == wmfSetDIBToDev)
		w.blit(b, from, m, rop)
	}
	return true
}
