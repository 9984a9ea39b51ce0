package wml

import (
	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// readShape reads a wps:wsp: a shape that may hold text.
func (r *resolver) readShape(d *Drawing, e *etree.Element) {
	d.Geometry.Preset = "rect"
	spPr := wChild(e, "spPr")
	if style := wChild(e, "style"); style != nil {
		if ref := wChild(style, "fillRef"); ref != nil {
			if v, _ := wAttr(ref, "idx"); v != "0" {
				d.Fill = r.readDrawingColor(ref)
				if f := r.dml().ThemeFill(ref, r.dml()); f != nil && f.Kind == dml.FillGradient && dml.FirstChild(spPr, dml.FillTags...) == nil {
					d.Losses.Add(dml.LossGradient)
				}
			}
		}
		if ref := wChild(style, "lnRef"); ref != nil {
			if v, _ := wAttr(ref, "idx"); v != "0" {
				d.Line = &Border{Style: "single", Width: 0.75, Color: r.readDrawingColor(ref)}
			}
		}
	}
	r.readShapeProperties(d, spPr)
	content := wPath(e, "txbx", "txbxContent")
	if content == nil {
		return
	}
	box := &TextBox{Elem: content, VAlign: "top", Inset: Margins{Top: 3.6, Right: 7.2, Bottom: 3.6, Left: 7.2}}
	if body := wChild(e, "bodyPr"); body != nil {
		d.Losses.OfText(body)
		if dml.Int(body, "rot", 0) != 0 || body.SelectAttrValue("vert", "horz") != "horz" {
			d.Losses.Add(dml.LossTurnedText)
		}
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
