package metafile

import (
	"math"

	"github.com/platenhq/platen/internal/office/dml"
)

// A player carries out records on a canvas, as a device context does.
type player struct {
	canvas  Canvas
	limits  *limits
	box     dml.Rect // of the canvas
	base    Matrix   // from the device to the canvas
	unit    float64  // points that a pixel of the device has
	perMM   Point    // pixels of the device
	dc      context
	saved   []context
	objects map[uint32]any
	path    *Path // between the begin and the end of a path, or ended; in the canvas's places
	isOpen  bool  // between begin and end
	// fresh says that the path's next line begins a contour at the position.
	fresh bool
	// shown is the clip that the canvas has, one Save for all of it.
	shown   []clipArea
	isSaved bool
	mask    *maskedBitmap
}

// context is what SaveDC keeps (MS-EMF 3.1.1.2).
type context struct {
	mode        mapMode
	windowOrg   Point
	windowExt   Point
	viewportOrg Point
	viewportExt Point
	world       Matrix
	pen         pen
	brush       brush
	font        font
	textColor   Color
	background  Color
	isOpaque    bool // the background of texts and hatches
	align       uint32
	isWinding   bool
	isClockwise bool // arcs
	rop         uint32
	position    Point // logical
	charExtra   float64
	clip        []clipArea
}

// mapMode says what a unit of the page is (MS-EMF 2.1.21).
type mapMode uint32

const (
	mapText        mapMode = 1
	mapLoMetric    mapMode = 2
	mapHiMetric    mapMode = 3
	mapLoEnglish   mapMode = 4
	mapHiEnglish   mapMode = 5
	mapTwips       mapMode = 6
	mapIsotropic   mapMode = 7
	mapAnisotropic mapMode = 8
)

// clipArea is one of the areas that together cut what is drawn.
type clipArea struct {
	path      *Path
	isEvenOdd bool
}

func newPlayer(canvas Canvas, l *limits, box dml.Rect) *player {
	return &player{canvas: canvas, limits: l, box: box, objects: map[uint32]any{}, perMM: Point{96 / 25.4, 96 / 25.4}, base: identity, dc: context{
		mode: mapText, windowExt: Point{1, 1}, viewportExt: Point{1, 1}, world: identity,
		pen: pen{color: opaque(0, 0, 0)}, brush: brush{kind: brushSolid, color: opaque(255, 255, 255)},
		font: font{height: -12}, textColor: opaque(0, 0, 0), background: opaque(255, 255, 255), isOpaque: true, rop: ropCopyPen,
	}}
}

// page maps units of the page to pixels of the device.
func (p *player) page() Matrix {
	const perInch = 25.4
	d := &p.dc
	var x, y float64
	switch d.mode {
	case mapLoMetric:
		x, y = p.perMM.X/10, -p.perMM.Y/10
	case mapHiMetric:
		x, y = p.perMM.X/100, -p.perMM.Y/100
	case mapLoEnglish:
		x, y = p.perMM.X*perInch/100, -p.perMM.Y*perInch/100
	case mapHiEnglish:
		x, y = p.perMM.X*perInch/1000, -p.perMM.Y*perInch/1000
	case mapTwips:
		x, y = p.perMM.X*perInch/1440, -p.perMM.Y*perInch/1440
	case mapIsotropic, mapAnisotropic:
		x, y = ratio(d.viewportExt.X, d.windowExt.X), ratio(d.viewportExt.Y, d.windowExt.Y)
		if d.mode == mapIsotropic {
			least := math.Min(math.Abs(x), math.Abs(y))
			x, y = math.Copysign(least, x), math.Copysign(least, y)
		}
	default:
		x, y = 1, 1
	}
	return Matrix{A: x, D: y, E: d.viewportOrg.X - x*d.windowOrg.X, F: d.viewportOrg.Y - y*d.windowOrg.Y}
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 1
	}
	return a / b
}

// matrix maps logical places to the canvas.
func (p *player) matrix() Matrix {
	m := p.dc.world.then(p.page()).then(p.base)
	if !m.isSound() {
		p.limits.note(noteDamaged)
		return Matrix{}
	}
	return m
}

// save keeps the device context.
func (p *player) save() {
	if len(p.saved) >= maxSaved {
		p.limits.over()
		return
	}
	p.saved = append(p.saved, p.dc)
}

// restore brings back an earlier context: -1 is the last saved one, positive
// numbers count from the first (MS-EMF 2.3.11).
func (p *player) restore(which int) {
	n := which - 1
	if which < 0 {
		n = len(p.saved) + which
	}
	if n < 0 || n >= len(p.saved) {
		return
	}
	p.dc, p.saved = p.saved[n], p.saved[:n]
}

// set keeps an object under its handle.
func (p *player) set(handle uint32, object any) {
	if _, ok := p.objects[handle]; !ok && len(p.objects) >= maxObjects {
		p.limits.over()
		return
	}
	p.objects[handle] = object
}

// use selects an object into the context.
func (p *player) use(object any) {
	switch o := object.(type) {
	case pen:
		p.dc.pen = o
	case brush:
		p.dc.brush = o
	case font:
		p.dc.font = o
	case *region:
		p.clipTo(clipCopy, o.path(p.matrix()), false)
	}
}

// clipMode says how an area changes the clip (MS-EMF 2.1.29, RegionMode).
type clipMode uint32

const (
	clipAnd  clipMode = 1
	clipOr   clipMode = 2
	clipXor  clipMode = 3
	clipDiff clipMode = 4
	clipCopy clipMode = 5
)

// clipTo changes the clip by an area, in the canvas's places; nil is everything.
func (p *player) clipTo(mode clipMode, area *Path, isEvenOdd bool) {
	clip := p.dc.clip[:len(p.dc.clip):len(p.dc.clip)] // saved contexts keep theirs
	switch {
	case mode == clipCopy && area == nil:
		clip = nil
	case area == nil:
	case mode == clipCopy:
		clip = []clipArea{{area, isEvenOdd}}
	case mode == clipDiff:
		around := rectangle(-farAway, -farAway, farAway, farAway)
		around.add(area)
		clip = append(clip, clipArea{around, true})
	case mode == clipOr || mode == clipXor:
		if len(clip) == 0 {
			break
		}
		last := clip[len(clip)-1]
		joined := &Path{}
		joined.add(last.path)
		joined.add(area)
		clip = append(clip[:len(clip)-1:len(clip)-1], clipArea{joined, mode == clipXor})
	default:
		clip = append(clip, clipArea{area, isEvenOdd})
	}
	if len(clip) > maxClips {
		p.limits.over()
		return
	}
	p.dc.clip = clip
}

// farAway is outside of every page.
const farAway = 20_000

// showClip brings the clip onto the canvas, before something is drawn.
func (p *player) showClip() {
	if len(p.shown) == len(p.dc.clip) {
		isSame := true
		for i, a := range p.shown {
			isSame = isSame && a == p.dc.clip[i]
		}
		if isSame {
			return
		}
	}
	p.dropClip()
	if len(p.dc.clip) == 0 {
		return
	}
	p.canvas.Save()
	p.isSaved, p.shown = true, p.dc.clip
	for _, a := range p.dc.clip {
		p.spendPoints(len(a.path.Points))
		p.canvas.Clip(a.path, a.isEvenOdd)
	}
}

func (p *player) dropClip() {
	if p.isSaved {
		p.canvas.Restore()
	}
	p.isSaved, p.shown = false, nil
}

// region is an area of rectangles, in logical units of WMF or pixels of EMF.
type region struct{ rects [][4]float64 }

func (r *region) path(m Matrix) *Path {
	out := &Path{}
	for _, b := range r.rects {
		out.add(rectangle(b[0], b[1], b[2], b[3]))
	}
	return out.in(m)
}
