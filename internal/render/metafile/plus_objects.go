package metafile

import (
	"image"
	"math"
)

// Kinds of objects (MS-EMFPLUS 2.1.1.22).
const (
	plusIsBrush  = 1
	plusIsPen    = 2
	plusIsPath   = 3
	plusIsRegion = 4
	plusIsImage  = 5
	plusIsFont   = 6
	plusIsFormat = 7
)

// plusPen is a pen, its brush included.
type plusPen struct {
	width float64
	unit  uint16
	brush brush
	dash  []float64 // in widths
	cap   int
	join  int
	isNil bool
}

// plusFont is a font whose size has a unit.
type plusFont struct {
	Font
	size              float64
	unit              uint16
	underline, strike bool
}

// plusFormat says where a text stands in its box.
type plusFormat struct{ align, lineAlign uint32 }

// plusRegion is an area; without a path it is everything.
type plusRegion struct {
	path      *Path
	isEvenOdd bool
}

// object keeps an object, which may come in several records (MS-EMFPLUS 2.3.5.1).
func (u *plus) object(flags uint16, r *record) {
	const isContinued = 0x8000
	if flags&isContinued != 0 {
		total := r.u32()
		u.part = append(u.part, r.data[min(r.at, len(r.data)):]...)
		if total > maxBytes || len(u.part) > maxBytes {
			u.part = nil
			u.limits.over()
			return
		}
		if len(u.part) < int(total) {
			return
		}
		r = &record{data: u.part}
	} else if len(u.part) > 0 { // the last part has no continuation flag
		r = &record{data: append(u.part, r.data...)}
	}
	u.part = nil
	u.objects[flags&0xFF%plusObjects] = u.read(flags>>8&0x7F, r)
}

// read reads an object behind its version; nil for one that is not known.
func (u *plus) read(kind uint16, r *record) any {
	if kind != plusIsImage {
		r.take(4)
	}
	switch kind {
	case plusIsBrush:
		return u.brush(r)
	case plusIsPen:
		return u.pen(r)
	case plusIsPath:
		return u.pathObject(r)
	case plusIsRegion:
		return u.regionObject(r)
	case plusIsImage:
		return u.image(r)
	case plusIsFont:
		f := plusFont{size: r.f32(), unit: uint16(r.u32())}
		style := r.u32()
		f.Bold, f.Italic, f.underline, f.strike = style&1 != 0, style&2 != 0, style&4 != 0, style&8 != 0
		r.u32()
		f.Family = string(r.utf16(r.count(2)))
		return f
	case plusIsFormat:
		r.take(8)
		return plusFormat{align: r.u32(), lineAlign: r.u32()}
	}
	return nil
}

// brush reads a brush (MS-EMFPLUS 2.2.1.1).
func (u *plus) brush(r *record) brush {
	const solid, hatched, texture, path, linear = 0, 1, 2, 3, 4
	switch r.u32() {
	case solid:
		return brush{color: argb(r.u32())}
	case hatched:
		style := r.u32()
		b := brush{kind: brushHatch, color: argb(r.u32()), hatch: hatch(style)}
		back := argb(r.u32())
		b.back = &back
		if style > uint32(hatchDiagonalCross) { // 47 more, mostly shades
			u.limits.note(noteBrush)
			return brush{color: mean(b.color, back)}
		}
		return b
	case texture:
		flags := r.u32()
		r.u32()
		if flags&plusHasTransform != 0 {
			r.matrix()
		}
		if b, ok := u.image(r).(*bitmap); ok {
			return brush{kind: brushPattern, picture: b}
		}
	case path:
		return u.pathGradient(r)
	case linear:
		return u.linearGradient(r)
	}
	u.limits.note(noteBrush)
	return brush{color: opaque(192, 192, 192)}
}

// What a gradient's data hold (MS-EMFPLUS 2.1.2.1).
const (
	plusHasPath      = 0x1
	plusHasTransform = 0x2
	plusHasColors    = 0x4
	plusHasFactors   = 0x8
)

// linearGradient reads a brush between two edges of a box (MS-EMFPLUS 2.2.2.24).
func (u *plus) linearGradient(r *record) brush {
	flags, wrap := r.u32(), r.u32()
	box := r.rectF()
	start, end := argb(r.u32()), argb(r.u32())
	r.take(8)
	g := &gradient{wrap: wrap != 0, m: Matrix{A: box[2], D: box[3], E: box[0], F: box[1]}}
	if flags&plusHasTransform != 0 {
		g.m = g.m.then(r.matrix())
	}
	g.stops = u.stops(r, flags, start, end)
	return brush{kind: brushLinear, gradient: g, color: mean(start, end)}
}

// stops reads the colours between the first and the last (MS-EMFPLUS 2.2.2.4, 2.2.2.5).
func (u *plus) stops(r *record, flags uint32, start, end Color) []stop {
	const most = 256
	whole := []stop{{0, start}, {1, end}}
	if flags&(plusHasColors|plusHasFactors) == 0 {
		return whole
	}
	n := min(r.count(8), most)
	at := make([]float64, n)
	for i := range at {
		at[i] = r.f32()
	}
	out := make([]stop, n)
	for i := range out {
		if flags&plusHasColors != 0 {
			out[i] = stop{at[i], argb(r.u32())}
			continue
		}
		k := math.Max(0, math.Min(1, r.f32()))
		pair := gradient{stops: whole}
		out[i] = stop{at[i], pair.at(k)}
	}
	if n == 0 || r.isShort {
		return whole
	}
	return out
}

// pathGradient reads a brush from an outline to a middle (MS-EMFPLUS 2.2.2.29).
func (u *plus) pathGradient(r *record) brush {
	flags := r.u32()
	r.u32()
	inner := argb(r.u32())
	g := &gradient{center: r.pointF()}
	edge := inner
	for i := range min(r.count(4), maxPoints) {
		if c := argb(r.u32()); i == 0 {
			edge = c
		}
	}
	if flags&plusHasPath != 0 {
		size := int(min(r.u32(), math.MaxInt32))
		part := &record{data: r.take(size)}
		part.take(4)
		g.outline = u.pathObject(part)
	} else {
		points := r.plusPoints(int(min(r.u32(), math.MaxInt32)), 0)
		g.outline = polygonOf(points...)
	}
	m := identity
	if flags&plusHasTransform != 0 {
		m = r.matrix()
	}
	g.outline, g.center = g.outline.in(m), m.apply(g.center)
	g.stops = u.stops(r, flags, edge, inner)
	return brush{kind: brushRadial, gradient: g, color: mean(edge, inner)}
}

// pen reads a pen (MS-EMFPLUS 2.2.1.7 and 2.2.2.33).
func (u *plus) pen(r *record) plusPen {
	r.take(4)
	flags := r.u32()
	n := plusPen{unit: uint16(r.u32()), width: r.f32(), cap: 0, join: 0}
	optional := func(bit uint32) bool { return flags&bit != 0 }
	if optional(0x1) {
		r.matrix()
	}
	caps := map[uint32]int{1: 2, 2: 1} // square and round, as PDF counts
	if optional(0x2) {
		n.cap = caps[r.u32()]
	}
	if optional(0x4) {
		r.u32()
	}
	if optional(0x8) {
		n.join = [...]int{0, 2, 1, 0}[r.u32()&3] // mitred, bevelled, round, as PDF counts
	}
	if optional(0x10) {
		r.f32()
	}
	if optional(0x20) {
		n.dash = dashes(map[uint32]uint32{1: penDash, 2: penDot, 3: penDashDot, 4: penDashDotDot}[r.u32()])
	}
	if optional(0x40) {
		r.u32()
	}
	if optional(0x80) {
		r.f32()
	}
	if optional(0x100) {
		n.dash = nil
		for range min(r.count(4), 16) {
			n.dash = append(n.dash, math.Max(0.01, r.f32()))
		}
	}
	if optional(0x200) {
		r.u32()
	}
	if optional(0x400) {
		for range r.count(4) {
			r.f32()
		}
	}
	for _, bit := range []uint32{0x800, 0x1000} { // ends of lines
		if optional(bit) {
			u.limits.note(noteEnds)
			r.take(int(min(r.u32(), math.MaxInt32)))
		}
	}
	r.take(4)
	n.brush = u.brush(r)
	return n
}

// pathObject reads a path (MS-EMFPLUS 2.2.1.6).
func (u *plus) pathObject(r *record) *Path {
	n := int(min(r.u32(), maxPoints))
	flags := uint16(r.u32())
	points := r.plusPoints(n, flags)
	const runLength = 0x1000
	kinds := make([]byte, 0, len(points))
	if flags&runLength != 0 {
		for len(kinds) < len(points) && !r.isShort {
			count := int(r.u8() & 0x3F)
			kind := r.u8()
			for range min(count, len(points)-len(kinds)) {
				kinds = append(kinds, kind)
			}
			if count == 0 {
				break
			}
		}
	} else {
		kinds = append(kinds, r.take(min(len(points), len(r.data)-r.at))...)
	}
	return pathOf(points, kinds)
}

// pathOf makes a path of points with their kinds (MS-EMFPLUS 2.2.2.31).
func pathOf(points []Point, kinds []byte) *Path {
	const mask, line, curve, closes = 0x7, 1, 3, 0x80
	f := &Path{}
	for i := 0; i < min(len(points), len(kinds)); i++ {
		k := kinds[i]
		switch {
		case k&mask == curve && len(f.Ops) > 0 && i+2 < min(len(points), len(kinds)):
			f.curveTo(points[i], points[i+1], points[i+2])
			i += 2
			k = kinds[i]
		case k&mask == line && len(f.Ops) > 0:
			f.lineTo(points[i])
		default:
			f.moveTo(points[i])
		}
		if k&closes != 0 {
			f.close()
		}
	}
	return f
}

// regionObject reads a region (MS-EMFPLUS 2.2.1.8): a tree, reduced to unions and
// single areas.
func (u *plus) regionObject(r *record) *plusRegion {
	r.u32()
	budget := plusObjects * plusObjects
	return u.regionNode(r, 0, &budget)
}

func (u *plus) regionNode(r *record, depth int, budget *int) *plusRegion {
	const and, or, complement = 1, 2, 5
	const isRect, isPath, isEmpty, deepest = 0x10000000, 0x10000001, 0x10000002, 32
	if *budget--; *budget < 0 || depth > deepest || r.isShort {
		return &plusRegion{path: &Path{}}
	}
	switch kind := r.u32(); {
	case kind == isRect:
		b := r.rectF()
		return &plusRegion{path: rectangle(b[0], b[1], b[0]+b[2], b[1]+b[3])}
	case kind == isPath:
		size := int(min(r.u32(), math.MaxInt32))
		part := &record{data: r.take(size)}
		part.take(4)
		return &plusRegion{path: u.pathObject(part), isEvenOdd: true}
	case kind == isEmpty:
		return &plusRegion{path: &Path{}}
	case kind >= and && kind <= complement:
		a, b := u.regionNode(r, depth+1, budget), u.regionNode(r, depth+1, budget)
		if a.path == nil {
			return b
		}
		if b.path == nil || kind != or {
			if kind != or {
				u.limits.note(noteRecord)
			}
			return a
		}
		both := &Path{}
		both.add(a.path)
		both.add(b.path)
		return &plusRegion{path: both}
	}
	return &plusRegion{}
}

// image reads a picture (MS-EMFPLUS 2.2.1.4).
func (u *plus) image(r *record) any {
	const pixels, isMetafile = 1, 2
	r.take(4)
	switch r.u32() {
	case pixels:
		if b := u.pixelsObject(r); b != nil {
			return b
		}
	case isMetafile:
		r.u32()
		data := r.take(int(min(r.u32(), math.MaxInt32)))
		if kindOf(data) != unknown {
			return nestedMetafile(data)
		}
	}
	u.limits.note(noteBitmap)
	return nil
}

// nestedMetafile is a metafile in a metafile.
type nestedMetafile []byte

// pixelsObject reads a picture of pixels: a file, or rows (MS-EMFPLUS 2.2.2.2).
func (u *plus) pixelsObject(r *record) *bitmap {
	const isFile = 1
	w, h, stride := int(int32(r.u32())), int(int32(r.u32())), int(int32(r.u32()))
	format, kind := r.u32(), r.u32()
	data := r.data[min(r.at, len(r.data)):]
	if kind == isFile {
		if w, h, ok := isImage(data); ok {
			return &bitmap{w: w, h: h, file: data}
		}
		return nil
	}
	size := int(format >> 8 & 0xFF) // bits of a pixel
	if stride <= 0 || stride > len(data) || !u.spendPixels(w, h) || size < 24 || size > 32 {
		return nil
	}
	const hasAlpha, isPremultiplied = 0x40000, 0x80000
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range min(h, len(data)/stride) {
		line := data[y*stride : (y+1)*stride]
		for x := range min(w, stride*8/size) {
			from, to := line[x*size/8:], out.Pix[out.PixOffset(x, y):]
			to[0], to[1], to[2], to[3] = from[2], from[1], from[0], 255
			if size == 32 && format&hasAlpha != 0 {
				to[3] = from[3]
			}
			if alpha := int(to[3]); format&isPremultiplied != 0 && alpha > 0 {
				for i := range 3 {
					to[i] = uint8(min(255, int(to[i])*255/alpha))
				}
			}
		}
	}
	return &bitmap{w: w, h: h, img: out}
}
