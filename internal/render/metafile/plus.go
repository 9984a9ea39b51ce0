package metafile

import (
	"encoding/binary"
	"math"
)

// plus carries out the records of EMF+ (MS-EMFPLUS 2.3), which lie in comments of
// an EMF picture. It shares the player's clip and canvas, and has places and
// objects of its own.
type plus struct {
	*player
	device  Matrix // from pixels to the canvas
	dpi     Point
	world   Matrix
	page    float64 // pixels of a unit of the page
	objects [plusObjects]any
	states  []plusState
	// part is an object that comes in several records.
	part []byte
	// sharesDevice says that records of EMF are drawn, too, until the next of EMF+.
	sharesDevice bool
}

// plusObjects is how many objects there are at a time (MS-EMFPLUS 2.3.5.1).
const plusObjects = 64

// plusState is what a Save keeps under a number.
type plusState struct {
	number uint32
	world  Matrix
	page   float64
	clip   []clipArea
}

// Records of EMF+ (MS-EMFPLUS 2.1.1.1).
const (
	plusHeader             = 0x4001
	plusEOF                = 0x4002
	plusComment            = 0x4003
	plusGetDC              = 0x4004
	plusMultiFormatEnd     = 0x4007
	plusObject             = 0x4008
	plusClear              = 0x4009
	plusFillRects          = 0x400A
	plusDrawRects          = 0x400B
	plusFillPolygon        = 0x400C
	plusDrawLines          = 0x400D
	plusFillEllipse        = 0x400E
	plusDrawEllipse        = 0x400F
	plusFillPie            = 0x4010
	plusDrawPie            = 0x4011
	plusDrawArc            = 0x4012
	plusFillRegion         = 0x4013
	plusFillPath           = 0x4014
	plusDrawPath           = 0x4015
	plusFillClosedCurve    = 0x4016
	plusDrawClosedCurve    = 0x4017
	plusDrawCurve          = 0x4018
	plusDrawBeziers        = 0x4019
	plusDrawImage          = 0x401A
	plusDrawImagePoints    = 0x401B
	plusDrawString         = 0x401C
	plusSetRenderingOrigin = 0x401D
	plusSetCompositing     = 0x4024 // the last of those that say how smooth it is
	plusSave               = 0x4025
	plusRestore            = 0x4026
	plusBeginContainer     = 0x4027
	plusBeginContainerBare = 0x4028
	plusEndContainer       = 0x4029
	plusSetWorld           = 0x402A
	plusResetWorld         = 0x402B
	plusMultiplyWorld      = 0x402C
	plusTranslateWorld     = 0x402D
	plusScaleWorld         = 0x402E
	plusRotateWorld        = 0x402F
	plusSetPage            = 0x4030
	plusResetClip          = 0x4031
	plusSetClipRect        = 0x4032
	plusSetClipPath        = 0x4033
	plusSetClipRegion      = 0x4034
	plusOffsetClip         = 0x4035
	plusDrawDriverString   = 0x4036
	plusSetTSGraphics      = 0x4039
	plusSetTSClip          = 0x403A
)

func newPlus(p *player) *plus {
	const usual = 96
	return &plus{player: p, world: identity, page: 1, dpi: Point{usual, usual}}
}

const plusMark = "EMF+"

// plusRecords goes through the records of a comment. False ends it.
func plusRecords(data []byte, do func(kind, flags uint16, r *record) bool) (isWhole bool) {
	const header = 12
	for len(data) >= header {
		kind, flags := binary.LittleEndian.Uint16(data), binary.LittleEndian.Uint16(data[2:])
		size, body := binary.LittleEndian.Uint32(data[4:]), binary.LittleEndian.Uint32(data[8:])
		if size < header || int64(size) > int64(len(data)) || body > size-header {
			return false
		}
		if !do(kind, flags, &record{data: data[header : header+body]}) {
			return true
		}
		data = data[size:]
	}
	return len(data) == 0
}

// plusOf is the EMF+ in a comment of EMF (MS-EMF 2.3.3.2), nil for another comment.
func plusOf(r *record) []byte {
	n := r.u32()
	data := r.take(int(min(n, math.MaxInt32)))
	if len(data) < len(plusMark) || string(data[:len(plusMark)]) != plusMark {
		return nil
	}
	return data[len(plusMark):]
}

// usesPlus says which of two renderings is drawn: EMF+, where a picture has it. A
// picture in both formats is drawn by EMF if we do not know all of its EMF+
// (MS-EMFPLUS 1.3.1).
func usesPlus(data []byte) bool {
	hasPlus, isDual, isKnown := false, false, true
	eachEMF(data, func(kind uint32, r *record) bool {
		if kind != emfComment {
			return true
		}
		plusRecords(plusOf(r), func(kind, flags uint16, _ *record) bool {
			switch {
			case kind == plusHeader:
				hasPlus, isDual = true, flags&1 != 0
			case kind < plusHeader || kind > plusSetTSClip || kind == plusDrawDriverString:
				isKnown = false
			}
			return true
		})
		return !isDual || isKnown
	})
	return hasPlus && (isKnown || !isDual)
}

// comment carries out the EMF+ in a comment.
func (e *emf) comment(r *record) {
	if !e.usesPlus {
		return
	}
	data := plusOf(r)
	if data == nil {
		return
	}
	e.plus.sharesDevice, e.plus.device = false, e.base
	e.flushMask()
	isWhole := plusRecords(data, func(kind, flags uint16, r *record) bool {
		if !e.spendRecord() {
			return false
		}
		e.plus.record(kind, flags, r)
		if r.isShort {
			e.limits.note(noteDamaged)
		}
		return true
	})
	if !isWhole {
		e.limits.note(noteDamaged)
	}
}

func (u *plus) record(kind, flags uint16, r *record) {
	if kind != plusObject {
		u.part = nil
	}
	switch {
	case u.state(kind, flags, r), u.transform(kind, flags, r), u.clipping(kind, flags, r), u.figures(kind, flags, r), u.pictures(kind, flags, r):
	default:
		u.limits.note(noteRecord)
	}
}

// matrix maps places of the world to the canvas.
func (u *plus) matrix() Matrix {
	m := u.world.then(scaling(u.page, u.page)).then(u.device)
	if !m.isSound() {
		u.limits.note(noteDamaged)
		return Matrix{}
	}
	return m
}

// state carries out records that draw nothing (MS-EMFPLUS 2.3.3, 2.3.6, 2.3.7).
func (u *plus) state(kind, flags uint16, r *record) bool {
	switch kind {
	case plusHeader:
		r.take(8)
		if x, y := float64(r.u32()), float64(r.u32()); x > 0 && y > 0 {
			u.dpi = Point{x, y}
		}
	case plusGetDC:
		u.sharesDevice = true
	case plusObject:
		u.object(flags, r)
	case plusSave, plusBeginContainer, plusBeginContainerBare:
		if kind == plusBeginContainer {
			to, from := r.rectF(), r.rectF()
			defer u.enter(to, from)
		}
		u.push(r.u32())
	case plusRestore, plusEndContainer:
		u.pop(r.u32())
	case plusEOF, plusComment, plusSetTSGraphics, plusSetTSClip:
	default:
		return kind >= plusSetRenderingOrigin && kind <= plusSetCompositing || kind > plusGetDC && kind <= plusMultiFormatEnd
	}
	return true
}

func (u *plus) push(number uint32) {
	if len(u.states) >= maxSaved {
		u.limits.over()
		return
	}
	u.states = append(u.states, plusState{number, u.world, u.page, u.dc.clip})
}

func (u *plus) pop(number uint32) {
	for i := len(u.states) - 1; i >= 0; i-- {
		if s := u.states[i]; s.number == number {
			u.world, u.page, u.dc.clip, u.states = s.world, s.page, s.clip, u.states[:i]
			return
		}
	}
}

// enter maps the places of a container (MS-EMFPLUS 2.3.7.1).
func (u *plus) enter(to, from [4]float64) {
	if from[2] == 0 || from[3] == 0 {
		return
	}
	x, y := to[2]/from[2], to[3]/from[3]
	u.setWorld(Matrix{A: x, D: y, E: to[0] - x*from[0], F: to[1] - y*from[1]}.then(u.world))
}

func (u *plus) setWorld(m Matrix) {
	if !m.isSound() {
		u.limits.note(noteDamaged)
		return
	}
	u.world = m
}

// transform carries out records that say where places lie (MS-EMFPLUS 2.3.9).
func (u *plus) transform(kind, flags uint16, r *record) bool {
	const isBehind = 0x2000
	change := func(m Matrix) {
		if flags&isBehind != 0 {
			u.setWorld(u.world.then(m))
		} else {
			u.setWorld(m.then(u.world))
		}
	}
	switch kind {
	case plusSetWorld:
		u.setWorld(r.matrix())
	case plusResetWorld:
		u.world = identity
	case plusMultiplyWorld:
		change(r.matrix())
	case plusTranslateWorld:
		x := r.f32()
		change(translation(x, r.f32()))
	case plusScaleWorld:
		x := r.f32()
		change(scaling(x, r.f32()))
	case plusRotateWorld:
		sin, cos := math.Sincos(r.f32() * math.Pi / 180)
		change(Matrix{A: cos, B: sin, C: -sin, D: cos})
	case plusSetPage:
		scale := r.f32()
		u.page = scale * u.pixelsOf(flags&0xFF)
	default:
		return false
	}
	return true
}

// pixelsOf is how many pixels a unit has (MS-EMFPLUS 2.1.1.33).
func (u *plus) pixelsOf(unit uint16) float64 {
	switch unit {
	case 3:
		return u.dpi.X / 72
	case 4:
		return u.dpi.X
	case 5:
		return u.dpi.X / 300
	case 6:
		return u.dpi.X / 25.4
	}
	return 1
}

// clipping carries out records that change the clip (MS-EMFPLUS 2.3.1).
func (u *plus) clipping(kind, flags uint16, r *record) bool {
	const object = 0xFF
	switch kind {
	case plusResetClip:
		u.clipTo(clipCopy, nil, false)
	case plusSetClipRect:
		b := r.rectF()
		u.combine(flags, rectangle(b[0], b[1], b[0]+b[2], b[1]+b[3]).in(u.matrix()), false)
	case plusSetClipPath:
		if p, ok := u.objects[flags&object%plusObjects].(*Path); ok {
			u.combine(flags, p.in(u.matrix()), true)
		}
	case plusSetClipRegion:
		area, ok := u.objects[flags&object%plusObjects].(*plusRegion)
		switch {
		case ok && area.path == nil:
			u.clipTo(clipCopy, nil, false)
		case ok:
			u.combine(flags, area.path.in(u.matrix()), area.isEvenOdd)
		}
	case plusOffsetClip:
		x := r.f32()
		m := u.matrix()
		dx, dy := m.A*x, m.D*r.f32()
		clip := make([]clipArea, len(u.dc.clip))
		for i, a := range u.dc.clip {
			clip[i] = clipArea{a.path.in(translation(dx, dy)), a.isEvenOdd}
		}
		u.dc.clip = clip
	default:
		return false
	}
	return true
}

// combine changes the clip in one of six ways (MS-EMFPLUS 2.1.1.10).
func (u *plus) combine(flags uint16, area *Path, isEvenOdd bool) {
	if !u.spendPoints(len(area.Points)) {
		return
	}
	modes := [...]clipMode{clipCopy, clipAnd, clipOr, clipXor, clipDiff, clipDiff}
	u.clipTo(modes[min(int(flags>>8&0xF), len(modes)-1)], area, isEvenOdd)
}

func (r *record) rectF() [4]float64 {
	return [4]float64{r.f32(), r.f32(), r.f32(), r.f32()}
}

// rect reads a rectangle of whole numbers, or not (MS-EMFPLUS 2.2.2.38, 2.2.2.39).
func (r *record) rect(isShort bool) [4]float64 {
	if isShort {
		return [4]float64{r.i16(), r.i16(), r.i16(), r.i16()}
	}
	return r.rectF()
}

func (r *record) pointF() Point {
	x := r.f32()
	return Point{x, r.f32()}
}

// The flags for the encoding of points (MS-EMFPLUS 2.3.4).
const (
	plusShort    = 0x4000
	plusRelative = 0x0800
)

// plusPoints reads n points as the flags say.
func (r *record) plusPoints(n int, flags uint16) []Point {
	size := 8
	switch {
	case flags&plusRelative != 0:
		size = 2
	case flags&plusShort != 0:
		size = 4
	}
	if left := (len(r.data) - r.at) / size; n > left || n < 0 {
		n, r.isShort = left, true
	}
	out := make([]Point, n)
	last := Point{}
	for i := range out {
		switch {
		case flags&plusRelative != 0:
			last = Point{last.X + r.packed(), last.Y + r.packed()}
			out[i] = last
		case flags&plusShort != 0:
			out[i] = r.point16()
		default:
			out[i] = r.pointF()
		}
	}
	return out
}

// packed reads a number of 7 or 15 bits (MS-EMFPLUS 2.2.2.21, 2.2.2.22).
func (r *record) packed() float64 {
	b := r.u8()
	if b&0x80 == 0 {
		return float64(int8(b<<1) >> 1)
	}
	v := uint16(b&0x7F)<<8 | uint16(r.u8())
	return float64(int16(v<<1) >> 1)
}

// argb reads a colour with its opacity (MS-EMFPLUS 2.2.2.1).
func argb(v uint32) Color {
	c := opaque(uint8(v>>16), uint8(v>>8), uint8(v))
	c.Alpha = float64(v>>24) / 255
	return c
}
