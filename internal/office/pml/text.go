package pml

import (
	"math"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// text resolves a shape's text.
func (s *slideParts) text(sh *Shape, d *dml.Reader, chain []ancestor) *dml.TextBody {
	body := dml.Child(sh.Elem, "txBody")
	t := &dml.TextBody{Elem: body, Left: 7.2, Top: 3.6, Right: 7.2, Bottom: 3.6, Anchor: "t", Columns: 1,
		IsOutline: sh.Placeholder != nil && (sh.Placeholder.Type == "body" || sh.Placeholder.Type == "obj")}
	for i := len(chain) - 1; i >= 0; i-- {
		t.Properties(dml.Find(chain[i].e, "txBody", "bodyPr"))
	}
	if x := dml.Child(sh.Elem, "txXfrm"); x != nil {
		ownFrame(t, sh, x)
	}
	c := &dml.TextContext{D: d, Font: dml.Find(sh.Elem, "style", "fontRef")}
	c.Levels = append(c.Levels, dml.Leveled{E: dml.Child(s.pres.Elem, "defaultTextStyle"), D: s.master})
	if sh.Placeholder != nil {
		style := "otherStyle"
		switch masterKind(sh.Placeholder.Type) {
		case "title":
			style = "titleStyle"
		case "body":
			style = "bodyStyle"
		}
		c.Levels = append(c.Levels, dml.Leveled{E: dml.Find(s.styles, style), D: s.master})
	}
	for i := len(chain) - 1; i >= 0; i-- {
		c.Levels = append(c.Levels, dml.Leveled{E: dml.Find(chain[i].e, "txBody", "lstStyle"), D: chain[i].d})
	}
	t.Paragraphs = c.Paragraphs(body)
	return t
}

// ownFrame reads the place of a diagram's text, which is given beside its
// shape's (MS-ODRAWXML, dsp:txXfrm) and in the same coordinates.
func ownFrame(t *dml.TextBody, sh *Shape, x *etree.Element) {
	t.Rotation += float64(dml.Int(x, "rot", 0))/60000 - sh.Rotation
	off, ext, own := dml.Child(x, "off"), dml.Child(x, "ext"), dml.Find(sh.Elem, "spPr", "xfrm", "off")
	if off == nil || ext == nil || own == nil {
		return
	}
	t.Frame = dml.Rect{
		X: sh.Frame.X + dml.EMU(off, "x") - dml.EMU(own, "x"), Y: sh.Frame.Y + dml.EMU(off, "y") - dml.EMU(own, "y"),
		W: math.Max(0, dml.EMU(ext, "cx")), H: math.Max(0, dml.EMU(ext, "cy")),
	}
}
