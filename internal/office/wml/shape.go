package wml

import (
	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// readShape reads a wps:wsp: a shape that may hold text.
func (r *resolver) readShape(d *Drawing, e *etree.Element) {
	d.Geometry.Preset = "rect"
	r.readShapeProperties(d, wChild(e, "spPr"), wChild(e, "style"))
	content := wPath(e, "txbx", "txbxContent")
	if content == nil {
		return
	}
	box := &TextBox{Elem: content, VAlign: "top", Inset: Margins{Top: 3.6, Right: 7.2, Bottom: 3.6, Left: 7.2}}
	if body := wChild(e, "bodyPr"); body != nil {
		d.Losses.OfText(body)
		r.readTextDirection(d, box, body)
		for key, to := range map[string]*float64{"lIns": &box.Inset.Left, "tIns": &box.Inset.Top, "rIns": &box.Inset.Right, "bIns": &box.Inset.Bottom} {
			if _, ok := wAttr(body, key); ok {
				*to = emu(body, key)
			}
		}
		switch v, _ := wAttr(body, "anchor"); v {
		case "ctr":
			box.VAlign = "center"
		case "b":
			box.VAlign = "bottom"
		}
		box.GrowsWithText = wChild(body, "spAutoFit") != nil
	}
	box.Blocks = r.readBoxBlocks(content)
	d.Box = box
}

// readTextDirection reads how far the text of a shape is turned (ST_TextVerticalType,
// ECMA-376 part 1, 20.1.10.83).
func (r *resolver) readTextDirection(d *Drawing, box *TextBox, body *etree.Element) {
	switch body.SelectAttrValue("vert", "horz") {
	case "horz":
	case "vert", "eaVert":
		box.Turn = 90
	case "vert270":
		box.Turn = -90
	default: // letters above each other
		d.Losses.Add(dml.LossTurnedText)
	}
	if dml.Int(body, "rot", 0) != 0 {
		d.Losses.Add(dml.LossTurnedText)
	}
}

// readBoxBlocks reads a text box's content; fields of the text around it do not
// reach into it.
func (r *resolver) readBoxBlocks(content *etree.Element) []Block {
	fields := r.fields
	r.fields = nil
	defer func() { r.fields = fields }()
	return r.collectBlocks(content, nil)
}

// readGroup reads a wpg:wgp: members are placed in the group's own
// coordinates, which are scaled to its extent.
func (r *resolver) readGroup(d *Drawing, e *etree.Element) {
	if r.depth >= opc.MaxNesting {
		r.doc.IsTruncated = true
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	xfrm := wPath(e, "grpSpPr", "xfrm")
	off, ext := wChild(xfrm, "chOff"), wChild(xfrm, "chExt")
	sx, sy := 1.0, 1.0
	if w := emu(ext, "cx"); w > 0 {
		sx = d.Width / w
	}
	if h := emu(ext, "cy"); h > 0 {
		sy = d.Height / h
	}
	dml.EachChild(e, func(c *etree.Element) {
		m := &Drawing{Elem: c}
		switch c.Tag {
		case "wsp", "pic":
			readTransform(m, wPath(c, "spPr", "xfrm"))
		case "grpSp", "wgp":
			readTransform(m, wPath(c, "grpSpPr", "xfrm"))
		case "graphicFrame":
			d.Losses.Add(dml.LossDrawing)
			return
		case "contentPart":
			d.Losses.Add(dml.LossInk)
			return
		default:
			return
		}
		m.X, m.Y = (m.X-emu(off, "x"))*sx, (m.Y-emu(off, "y"))*sy
		m.Width, m.Height = m.Width*sx, m.Height*sy
		switch c.Tag {
		case "wsp":
			r.readShape(m, c)
		case "pic":
			r.readPicture(m, c)
		default:
			r.readGroup(m, c)
		}
		d.Children = append(d.Children, m)
	})
}
