package slides

import (
	"math"
	"strconv"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/pml"
)

// maxLength is the greatest coordinate in EMU (ECMA-376 part 1, 20.1.10.16).
const maxLength = 27_273_042_316_900

// matrix is an affine transform in EMU.
type matrix struct{ a, b, c, d, x, y float64 } // x' = a·x + c·y + x, y' = b·x + d·y + y

func matrixOf(t *gslides.AffineTransform, invalid edit.RequestFault) (matrix, error) {
	if t == nil {
		return matrix{a: 1, d: 1}, nil
	}
	unit := 1.0
	switch t.Unit {
	case "EMU":
	case "PT":
		unit = 12700
	default:
		if t.TranslateX != 0 || t.TranslateY != 0 {
			return matrix{}, invalid("The unit of a transform must be EMU or PT.")
		}
	}
	m := matrix{t.ScaleX, t.ShearY, t.ShearX, t.ScaleY, t.TranslateX * unit, t.TranslateY * unit}
	for _, n := range []float64{m.a, m.b, m.c, m.d, m.x, m.y} {
		if math.IsNaN(n) || math.Abs(n) > maxLength {
			return matrix{}, invalid("The transform is out of bounds.")
		}
	}
	return m, nil
}

// times is m after n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		a: m.a*n.a + m.c*n.b, b: m.b*n.a + m.d*n.b,
		c: m.a*n.c + m.c*n.d, d: m.b*n.c + m.d*n.d,
		x: m.a*n.x + m.c*n.y + m.x, y: m.b*n.x + m.d*n.y + m.y,
	}
}

// matrix is how a frame lies, about its size.
func (f frame) matrix() matrix {
	degrees, flipX, flipY := 0.0, 1.0, 1.0
	for _, a := range f.turned {
		switch a.Key {
		case "rot":
			n, err := strconv.ParseFloat(a.Value, 64)
			if err == nil {
				degrees = n / 60000
			}
		case "flipH":
			if a.Value == "1" || a.Value == "true" {
				flipX = -1
			}
		case "flipV":
			if a.Value == "1" || a.Value == "true" {
				flipY = -1
			}
		}
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	m := matrix{a: cos * flipX, b: sin * flipX, c: -sin * flipY, d: cos * flipY}
	w, h := float64(f.width), float64(f.height)
	// Turns are about the middle.
	m.x = float64(f.x) + w/2 - (m.a*w+m.c*h)/2
	m.y = float64(f.y) + h/2 - (m.b*w+m.d*h)/2
	return m
}

// placedBy is the frame of something of a size that is transformed. A file can
// say turns, flips and sizes, but no shear.
func placedBy(m matrix, width, height float64, invalid edit.RequestFault) (frame, error) {
	along, across := math.Hypot(m.a, m.b), math.Hypot(m.c, m.d)
	if along == 0 || across == 0 {
		return frame{}, invalid("The transform must be invertible.")
	}
	if math.Abs(m.a*m.c+m.b*m.d) > 1e-6*along*across {
		return frame{}, invalid("This drive does not shear objects.")
	}
	w, h := width*along, height*across
	x, y := m.x+(m.a*width+m.c*height)/2-w/2, m.y+(m.b*width+m.d*height)/2-h/2
	for _, n := range []float64{x, y, w, h} {
		if math.IsNaN(n) || math.Abs(n) > maxLength {
			return frame{}, invalid("The transform is out of bounds.")
		}
	}
	f := frame{x: int64(math.Round(x)), y: int64(math.Round(y)), width: int64(math.Round(w)), height: int64(math.Round(h))}
	degrees := math.Atan2(m.b, m.a) * 180 / math.Pi
	if degrees < 0 {
		degrees += 360
	}
	if n := int64(math.Round(degrees*60000)) % 21_600_000; n != 0 {
		f.turned = append(f.turned, etree.Attr{Key: "rot", Value: strconv.FormatInt(n, 10)})
	}
	if m.a*m.d-m.b*m.c < 0 {
		f.turned = append(f.turned, etree.Attr{Key: "flipV", Value: "1"})
	}
	return f, nil
}

// write puts a frame into an a:xfrm or p:xfrm.
func (f frame) write(xfrm *etree.Element) {
	for _, key := range []string{"rot", "flipH", "flipV"} {
		xfrm.RemoveAttr(key)
	}
	for _, a := range f.turned {
		xfrm.CreateAttr(a.Key, a.Value)
	}
	for i, part := range []struct {
		tag, key1, key2 string
		n1, n2          int64
	}{{"off", "x", "y", f.x, f.y}, {"ext", "cx", "cy", f.width, f.height}} {
		e := child(xfrm, part.tag)
		if e == nil {
			e = etree.NewElement("a:" + part.tag)
			xfrm.InsertChildAt(i, e)
		}
		e.CreateAttr(part.key1, strconv.FormatInt(part.n1, 10))
		e.CreateAttr(part.key2, strconv.FormatInt(part.n2, 10))
	}
}

func (b *batch) updatePageElementTransform(r *gslides.UpdatePageElementTransformRequest, invalid edit.RequestFault) error {
	p, e := b.deck.object(r.ObjectId)
	switch {
	case e == nil:
		return invalid("The object (%s) could not be found.", r.ObjectId)
	case r.Transform == nil:
		return invalid("The transform must be specified.")
	case e.elem.Tag == "grpSp" || e.elem.Parent().Tag == "grpSp":
		return invalid("This drive does not transform groups, or objects in them.")
	}
	m, err := matrixOf(r.Transform, invalid)
	if err != nil {
		return err
	}
	resolved := map[*etree.Element]*pml.Shape{}
	if p.slide != nil {
		learn(resolved, p.slide.Shapes)
	}
	now := frameOf(e.elem, resolved[e.elem])
	switch r.ApplyMode {
	case "RELATIVE":
		m = m.times(now.matrix())
	case "ABSOLUTE":
	default:
		return invalid("The applyMode must be RELATIVE or ABSOLUTE.")
	}
	f, err := placedBy(m, float64(now.width), float64(now.height), invalid)
	if err != nil {
		return err
	}
	xfrm, err := frameElement(e.elem, f, invalid)
	if err != nil {
		return err
	}
	f.write(xfrm)
	b.noteChange(p)
	return nil
}

// frameElement returns where an object's frame is written, making it if needed.
func frameElement(e *etree.Element, f frame, invalid edit.RequestFault) (*etree.Element, error) {
	if e.Tag == "graphicFrame" {
		if len(f.turned) > 0 {
			return nil, invalid("Tables and charts cannot be rotated.")
		}
		xfrm := child(e, "xfrm")
		if xfrm == nil {
			xfrm = etree.NewElement("p:xfrm")
			at := 0
			if nv := child(e, "nvGraphicFramePr"); nv != nil {
				at = nv.Index() + 1
			}
			e.InsertChildAt(at, xfrm)
		}
		return xfrm, nil
	}
	properties := child(e, "spPr")
	if properties == nil {
		return nil, invalid("The object cannot be moved.")
	}
	xfrm := child(properties, "xfrm")
	if xfrm == nil {
		xfrm = etree.NewElement("a:xfrm")
		properties.InsertChildAt(0, xfrm)
	}
	return xfrm, nil
}
