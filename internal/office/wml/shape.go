package wml

import (
	"strings"

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
				d.Fill = r.drawingColor(ref)
				if f := r.dml().ThemeFill(ref, r.dml()); f != nil && f.Kind == dml.FillGradient && dml.FirstChild(spPr, dml.FillTags...) == nil {
					d.Losses.Add(dml.LossGradient)
				}
			}
		}
		if ref := wChild(style, "lnRef"); ref != nil {
			if v, _ := wAttr(ref, "idx"); v != "0" {
				d.Line = &Border{Style: "single", Width: 0.75, Color: r.drawingColor(ref)}
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
		box.Grow = wChild(body, "spAutoFit") != nil
	}
	box.Blocks = r.boxBlocks(content)
	d.Box = box
}

// boxBlocks reads a text box's content; fields of the text around it do not
// reach into it.
func (r *resolver) boxBlocks(content *etree.Element) []Block {
	fields := r.fields
	r.fields = nil
	defer func() { r.fields = fields }()
	return r.blocks(content, nil)
}

// readGroup reads a wpg:wgp: members are placed in the group's own
// coordinates, which are scaled to its extent.
func (r *resolver) readGroup(d *Drawing, e *etree.Element) {
	if r.depth >= opc.MaxNesting {
		r.doc.Truncated = true
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

// readVML reads the shapes of a w:pict or w:object.
func (r *resolver) readVML(e *etree.Element) []*Drawing {
	var out []*Drawing
	dml.EachChild(e, func(c *etree.Element) {
		if d := r.vmlShape(c, nil); d != nil {
			out = append(out, d)
		}
	})
	return out
}

// vmlStyle splits a CSS-like style attribute.
func vmlStyle(e *etree.Element) map[string]string {
	style, _ := wAttr(e, "style")
	m := map[string]string{}
	for _, part := range strings.Split(style, ";") {
		if key, value, ok := strings.Cut(part, ":"); ok {
			m[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return m
}

// vmlScale turns a group's own coordinates into points.
type vmlScale struct{ x, y, sx, sy float64 }

func (r *resolver) vmlShape(e *etree.Element, in *vmlScale) *Drawing {
	switch e.Tag {
	case "shape", "rect", "roundrect", "oval", "group", "line":
	case "polyline", "arc", "curve", "image":
		return &Drawing{Elem: e, Losses: dml.Losses{dml.LossDrawing}}
	default:
		return nil
	}
	style := vmlStyle(e)
	d := &Drawing{Elem: e}
	d.Alt, _ = wAttr(e, "alt")
	length := func(key string) float64 {
		if in != nil {
			return vmlNumber(style[key])
		}
		n, _ := parseMeasure(style[key], 1)
		return n
	}
	d.Width, d.Height = length("width"), length("height")
	if in != nil {
		d.X, d.Y = (length("left")-in.x)*in.sx, (length("top")-in.y)*in.sy
		d.Width, d.Height = d.Width*in.sx, d.Height*in.sy
	} else if style["position"] == "absolute" {
		d.Anchor = vmlAnchor(style, wChild(e, "wrap"))
	}
	if style["visibility"] == "hidden" {
		return nil
	}
	d.FlipH, d.FlipV = strings.Contains(style["flip"], "x"), strings.Contains(style["flip"], "y")
	if n, ok := parseMeasure(style["rotation"], 1); ok {
		d.Rotation = n
	}
	if e.Tag == "group" {
		r.vmlGroup(d, e)
		return d
	}
	r.vmlLook(d, e)
	return d
}

func (r *resolver) vmlGroup(d *Drawing, e *etree.Element) {
	size, _ := wAttr(e, "coordsize")
	origin, _ := wAttr(e, "coordorigin")
	w, h := pair(size)
	x, y := pair(origin)
	if w <= 0 || h <= 0 {
		w, h = 1000, 1000
	}
	in := &vmlScale{x: x, y: y, sx: d.Width / w, sy: d.Height / h}
	if r.depth >= opc.MaxNesting {
		r.doc.Truncated = true
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	dml.EachChild(e, func(c *etree.Element) {
		if m := r.vmlShape(c, in); m != nil {
			d.Children = append(d.Children, m)
		}
	})
}

func pair(s string) (a, b float64) {
	first, second, _ := strings.Cut(s, ",")
	return vmlNumber(first), vmlNumber(second)
}

func vmlAnchor(style map[string]string, wrap *etree.Element) *Anchor {
	a := &Anchor{Wrap: "none", Side: "bothSides", Left: 9, Right: 9}
	length := func(key string) float64 {
		n, _ := parseMeasure(style[key], 1)
		return n
	}
	a.H = AnchorPosition{From: "column", Offset: length("margin-left") + length("left")}
	a.V = AnchorPosition{From: "paragraph", Offset: length("margin-top") + length("top")}
	relative := func(v, fallback string) string {
		switch v {
		case "margin", "page", "line", "char":
			return v
		case "text":
			return fallback
		case "left-margin-area":
			return "leftMargin"
		case "right-margin-area":
			return "rightMargin"
		case "top-margin-area":
			return "topMargin"
		case "bottom-margin-area":
			return "bottomMargin"
		}
		return fallback
	}
	a.H.From = relative(style["mso-position-horizontal-relative"], "column")
	a.V.From = relative(style["mso-position-vertical-relative"], "paragraph")
	if v := style["mso-position-horizontal"]; v != "" && v != "absolute" {
		a.H.Align = v
	}
	if v := style["mso-position-vertical"]; v != "" && v != "absolute" {
		a.V.Align = v
	}
	if kind, ok := wAttr(wrap, "type"); ok {
		a.Wrap = kind
	}
	if side, ok := wAttr(wrap, "side"); ok && side != "both" {
		a.Side = side
	}
	if z := style["z-index"]; strings.HasPrefix(z, "-") {
		a.Behind = true
	}
	return a
}

// vmlWordArt reads a text that follows a path.
func (r *resolver) vmlWordArt(d *Drawing, e, path *etree.Element) {
	d.Geometry.Preset, d.Fill = "textpath", &dml.RGB{R: 255, G: 255, B: 255}
	d.WordArt = &WordArt{}
	d.WordArt.Text, _ = wAttr(path, "string")
	style := vmlStyle(path)
	d.WordArt.Font = strings.Trim(style["font-family"], `"' `)
	d.WordArt.Bold, d.WordArt.Italic = style["font-weight"] == "bold", style["font-style"] == "italic"
	color, _ := wAttr(e, "fillcolor")
	if name, _, _ := strings.Cut(color, " "); parseHex(name) != nil {
		d.Fill = parseHex(name)
	}
	if v, ok := wAttr(e, "filled"); ok && !isOn(v) || *d.Fill == (dml.RGB{R: 255, G: 255, B: 255}) {
		d.Fill = &dml.RGB{} // outlines alone would not be seen
	}
	if fill := wChild(e, "fill"); fill != nil {
		faint := dml.Mix(*d.Fill, dml.RGB{R: 255, G: 255, B: 255}, vmlTransparency(fill))
		d.Fill = &faint
	}
}

func (r *resolver) vmlText(d *Drawing, e *etree.Element) {
	textbox := wChild(e, "textbox")
	content := wChild(textbox, "txbxContent")
	if content == nil {
		return
	}
	box := &TextBox{Elem: content, VAlign: "top", Inset: Margins{Top: 3.6, Right: 7.2, Bottom: 3.6, Left: 7.2}}
	if inset, ok := wAttr(textbox, "inset"); ok {
		to := []*float64{&box.Inset.Left, &box.Inset.Top, &box.Inset.Right, &box.Inset.Bottom}
		for i, v := range strings.Split(inset, ",") {
			if n, ok := parseMeasure(v, 1); ok && i < 4 {
				*to[i] = n
			}
		}
	}
	switch vmlStyle(e)["v-text-anchor"] {
	case "middle":
		box.VAlign = "center"
	case "bottom":
		box.VAlign = "bottom"
	}
	if flow := vmlStyle(textbox)["layout-flow"]; flow != "" && flow != "horizontal" {
		d.Losses.Add(dml.LossTurnedText)
	}
	box.Grow = strings.Contains(vmlStyle(textbox)["mso-fit-shape-to-text"], "t")
	box.Blocks = r.boxBlocks(content)
	d.Box = box
}

// vmlFraction reads a part of one, plain or in 65536ths ("6554f").
func vmlFraction(s string) float64 {
	rest, fixed := strings.CutSuffix(s, "f")
	n, ok := parseMeasure(rest, 1)
	if fixed {
		n /= 65536
	}
	if !ok || n < 0 || n >= 1 {
		return 0
	}
	return n
}
