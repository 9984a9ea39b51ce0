package metafile

import (
	"math"
)

// Records of EMF (MS-EMF 2.1.1).
const (
	emfHeader               = 1
	emfPolyBezier           = 2
	emfPolygon              = 3
	emfPolyline             = 4
	emfPolyBezierTo         = 5
	emfPolylineTo           = 6
	emfPolyPolyline         = 7
	emfPolyPolygon          = 8
	emfSetWindowExt         = 9
	emfSetWindowOrg         = 10
	emfSetViewportExt       = 11
	emfSetViewportOrg       = 12
	emfSetBrushOrg          = 13
	emfEOF                  = 14
	emfSetPixel             = 15
	emfSetMapperFlags       = 16
	emfSetMapMode           = 17
	emfSetBkMode            = 18
	emfSetPolyFillMode      = 19
	emfSetROP2              = 20
	emfSetStretchBltMode    = 21
	emfSetTextAlign         = 22
	emfSetColorAdjustment   = 23
	emfSetTextColor         = 24
	emfSetBkColor           = 25
	emfOffsetClipRgn        = 26
	emfMoveTo               = 27
	emfSetMetaRgn           = 28
	emfExcludeClipRect      = 29
	emfIntersectClipRect    = 30
	emfScaleViewportExt     = 31
	emfScaleWindowExt       = 32
	emfSaveDC               = 33
	emfRestoreDC            = 34
	emfSetWorldTransform    = 35
	emfModifyWorldTransform = 36
	emfSelectObject         = 37
	emfCreatePen            = 38
	emfCreateBrush          = 39
	emfDeleteObject         = 40
	emfAngleArc             = 41
	emfEllipse              = 42
	emfRectangle            = 43
	emfRoundRect            = 44
	emfArc                  = 45
	emfChord                = 46
	emfPie                  = 47
	emfSelectPalette        = 48
	emfCreatePalette        = 49
	emfSetPaletteEntries    = 50
	emfResizePalette        = 51
	emfRealizePalette       = 52
	emfLineTo               = 54
	emfArcTo                = 55
	emfPolyDraw             = 56
	emfSetArcDirection      = 57
	emfSetMiterLimit        = 58
	emfBeginPath            = 59
	emfEndPath              = 60
	emfCloseFigure          = 61
	emfFillPath             = 62
	emfStrokeAndFillPath    = 63
	emfStrokePath           = 64
	emfFlattenPath          = 65
	emfSelectClipPath       = 67
	emfAbortPath            = 68
	emfComment              = 70
	emfFillRgn              = 71
	emfPaintRgn             = 74
	emfExtSelectClipRgn     = 75
	emfBitBlt               = 76
	emfStretchBlt           = 77
	emfMaskBlt              = 78
	emfPlgBlt               = 79
	emfSetDIBitsToDevice    = 80
	emfStretchDIBits        = 81
	emfCreateFont           = 82
	emfExtTextOutA          = 83
	emfExtTextOutW          = 84
	emfPolyBezier16         = 85
	emfPolygon16            = 86
	emfPolyline16           = 87
	emfPolyBezierTo16       = 88
	emfPolylineTo16         = 89
	emfPolyPolyline16       = 90
	emfPolyPolygon16        = 91
	emfPolyDraw16           = 92
	emfCreateMonoBrush      = 93
	emfCreateDIBBrush       = 94
	emfExtCreatePen         = 95
	emfPolyTextOutA         = 96
	emfPolyTextOutW         = 97
	emfSetICMMode           = 98
	emfCreateColorSpace     = 99
	emfSetColorSpace        = 100
	emfDeleteColorSpace     = 101
	emfPixelFormat          = 104
	emfDrawEscape           = 105
	emfExtEscape            = 106
	emfSmallTextOut         = 108
	emfForceUFIMapping      = 109
	emfColorCorrectPalette  = 111
	emfSetICMProfileA       = 112
	emfSetICMProfileW       = 113
	emfAlphaBlend           = 114
	emfSetLayout            = 115
	emfTransparentBlt       = 116
	emfGradientFill         = 118
	emfSetLinkedUFIs        = 119
	emfSetTextJustification = 120
	emfCreateColorSpaceW    = 122
)

// polygons carries out records of many points (MS-EMF 2.3.5), of 16 or 32 bits.
func (e *emf) polygons(kind uint32, r *record) bool {
	const bounds = 16
	isShort := kind >= emfPolyBezier16 && kind <= emfPolyDraw16
	switch kind {
	case emfPolyBezier16, emfPolygon16, emfPolyline16, emfPolyBezierTo16, emfPolylineTo16:
		kind -= emfPolyBezier16 - emfPolyBezier
	case emfPolyPolyline16, emfPolyPolygon16:
		kind -= emfPolyPolyline16 - emfPolyPolyline
	case emfPolyDraw16:
		kind = emfPolyDraw
	}
	switch kind {
	case emfPolyBezier, emfPolygon, emfPolyline, emfPolyBezierTo, emfPolylineTo, emfPolyDraw:
		r.take(bounds)
		n := int(min(r.u32(), math.MaxInt32))
		points := r.points(n, isShort)
		e.many(kind, points, r)
	case emfPolyPolyline, emfPolyPolygon:
		r.take(bounds)
		e.polyPolygon(r, isShort, kind == emfPolyPolygon)
	default:
		return false
	}
	return true
}

func (e *emf) many(kind uint32, points []Point, r *record) {
	switch kind {
	case emfPolyBezier:
		e.shape(curves(points), false, true)
	case emfPolygon:
		e.shape(lines(points, true), true, true)
	case emfPolyline:
		e.shape(lines(points, false), false, true)
	case emfPolyBezierTo:
		e.follow(curves(e.from(points)))
	case emfPolylineTo:
		e.follow(lines(e.from(points), false))
	case emfPolyDraw:
		e.polyDraw(points, r.take(len(points)))
	}
}

// polyPolygon draws figures that are one (MS-EMF 2.3.5.24, 2.3.5.28).
func (e *emf) polyPolygon(r *record, isShort, isClosed bool) {
	n := r.u32()
	r.u32() // of all together
	counts := make([]int, min(int64(n), int64(len(r.data)-r.at)/4))
	for i := range counts {
		counts[i] = int(min(r.u32(), math.MaxInt32))
	}
	f := &Path{}
	for _, n := range counts {
		f.add(lines(r.points(n, isShort), isClosed))
	}
	e.shape(f, isClosed, true)
}

// polyDraw draws lines and curves as each point's kind says (MS-EMF 2.3.5.22).
func (e *emf) polyDraw(points []Point, kinds []byte) {
	const closes, line, curve, move = 1, 2, 4, 6
	for i := 0; i < min(len(points), len(kinds)); i++ {
		k := kinds[i]
		switch k &^ closes {
		case move:
			e.moveTo(points[i])
		case line:
			e.follow(lines(e.from(points[i:i+1]), false))
		case curve:
			if i+2 >= min(len(points), len(kinds)) {
				return
			}
			e.follow(curves(e.from(points[i : i+3])))
			i += 2
			k = kinds[i]
		}
		if k&closes != 0 {
			e.closeFigure()
		}
	}
}

// figures carries out records of one figure, and of paths (MS-EMF 2.3.5, 2.3.10).
func (e *emf) figures(kind uint32, r *record) bool {
	switch kind {
	case emfMoveTo:
		e.moveTo(r.point32())
	case emfLineTo:
		e.follow(lines(e.from([]Point{r.point32()}), false))
	case emfRectangle, emfEllipse, emfRoundRect:
		low := r.point32()
		high := r.point32()
		switch kind {
		case emfRectangle:
			e.shape(rectangle(low.X, low.Y, high.X, high.Y), true, true)
		case emfEllipse:
			e.shape(ellipse(low.X, low.Y, high.X, high.Y), true, true)
		default:
			round := r.point32()
			e.shape(roundRectangle(low.X, low.Y, high.X, high.Y, round.X, round.Y), true, true)
		}
	case emfArc, emfChord, emfPie, emfArcTo:
		low := r.point32()
		high := r.point32()
		start := r.point32()
		e.arc(map[uint32]arcKind{emfArc: arcOpen, emfChord: arcChord, emfPie: arcPie, emfArcTo: arcTo}[kind], low.X, low.Y, high.X, high.Y, start, r.point32())
	case emfAngleArc:
		center := r.point32()
		radius := float64(r.u32())
		start := r.f32()
		e.angleArc(center, radius, start, r.f32())
	case emfSetPixel:
		at := r.point32()
		e.dot(at, r.color())
	case emfBeginPath:
		e.beginPath()
	case emfEndPath:
		e.endPath()
	case emfCloseFigure:
		e.closeFigure()
	case emfFillPath:
		e.finishPath(true, false)
	case emfStrokeAndFillPath:
		e.finishPath(true, true)
	case emfStrokePath:
		e.finishPath(false, true)
	case emfAbortPath:
		e.path, e.isOpen = nil, false
	case emfFlattenPath:
	case emfFillRgn, emfPaintRgn:
		e.paintRegion(kind, r)
	default:
		return false
	}
	return true
}

// paintRegion paints a region (MS-EMF 2.3.5.9, 2.3.5.18).
func (e *emf) paintRegion(kind uint32, r *record) {
	r.take(16 + 4)
	b := e.dc.brush
	if kind == emfFillRgn {
		var ok bool
		if b, ok = e.objects[r.u32()].(brush); !ok {
			return
		}
	}
	if area := e.region(r).path(e.base); len(area.Points) > 0 {
		e.flushMask()
		e.showClip()
		e.fill(area, false, b)
	}
}

// texts carries out records of text (MS-EMF 2.3.5.7, 2.3.5.8, 2.3.5.37).
func (e *emf) texts(kind uint32, r *record) bool {
	const head = 36 // of the record before its text: bounds, mode, scales
	switch kind {
	case emfExtTextOutA, emfExtTextOutW:
		r.at = head
		e.oneText(r, kind == emfExtTextOutW)
	case emfPolyTextOutA, emfPolyTextOutW:
		const each = 40
		r.at = head
		n := r.count(each)
		for i := range n {
			r.at = head + 4 + i*each
			e.oneText(r, kind == emfPolyTextOutW)
		}
	case emfSmallTextOut:
		e.smallText(r)
	default:
		return false
	}
	return true
}

// oneText reads an EmrText (MS-EMF 2.2.5).
func (e *emf) oneText(r *record, isWide bool) {
	at := r.point32()
	n, offset, options := int(min(r.u32(), 1<<20)), r.u32(), r.u32()
	box := [4]float64{r.i32(), r.i32(), r.i32(), r.i32()}
	offDx := r.u32()
	size := n
	if isWide {
		size *= 2
	}
	if !e.spendPoints(n) {
		return
	}
	step := uint32(4)
	if options&textPairs != 0 {
		step = 8
	}
	var dx []float64
	if raw := r.part(offDx, uint32(n)*step); raw != nil && offDx > 0 {
		dr := &record{data: raw}
		for range n {
			dx = append(dx, float64(int32(dr.u32())))
			dr.take(int(step) - 4)
		}
	}
	raw := r.part(offset, uint32(size))
	if raw == nil && n > 0 {
		r.isShort = true
		return
	}
	var text codedText
	if isWide {
		text = units(&record{data: raw}, n, dx)
	} else {
		text = decode(raw, e.dc.font.charset, dx)
	}
	e.text(at, text, options, &box)
}

// units reads UTF-16 with a width for each unit.
func units(r *record, n int, dx []float64) codedText {
	out := codedText{}
	for i := 0; i < n; i++ {
		width := 0.0
		if i < len(dx) {
			width = dx[i]
		}
		at := r.at
		c := r.u16()
		runes := []rune{rune(c)}
		if c >= 0xD800 && c < 0xDC00 && i+1 < n {
			r.at = at
			runes = r.utf16(2)
			i++
			if i < len(dx) {
				width += dx[i]
			}
		}
		out.runes = append(out.runes, runes[0])
		if dx != nil {
			out.dx = append(out.dx, width)
		}
	}
	return out
}

func (e *emf) smallText(r *record) {
	at := r.point32()
	n, options := int(min(r.u32(), 1<<20)), r.u32()
	r.take(12) // mode and scales
	var box *[4]float64
	if options&textNoRect == 0 {
		box = &[4]float64{r.i32(), r.i32(), r.i32(), r.i32()}
	}
	if options&textSmall != 0 {
		e.text(at, decode(r.take(n), e.dc.font.charset, nil), options, box)
		return
	}
	e.text(at, units(r, min(n, (len(r.data)-r.at)/2), nil), options, box)
}
