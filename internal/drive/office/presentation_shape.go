package office

import (
	"math"

	"github.com/beevik/etree"
)

// ShapeKind says what a shape is.
type ShapeKind int

// The kinds of shape. A ShapeOther is a chart, a diagram or an embedded object
// of which there is at most a picture.
const (
	ShapePlain ShapeKind = iota
	ShapeConnector
	ShapePicture
	ShapeTable
	ShapeGroup
	ShapeOther
)

// Rect is a rectangle in points from the slide's upper left corner.
type Rect struct{ X, Y, W, H float64 }

// Shape is one object on a slide with what it inherits resolved. Frames are on
// the slide, whatever groups they are in; rotation and flips of a group apply
// to its children in addition to their own.
type Shape struct {
	Elem         *etree.Element
	Kind         ShapeKind
	ID           string
	Name         string
	Description  string
	Placeholder  *Placeholder // nil when the shape is none
	Hidden       bool
	Frame        Rect
	Rotation     float64 // degrees clockwise about the frame's middle
	FlipH, FlipV bool
	Geometry     Geometry
	Fill         *ShapeFill // nil or FillNone: none
	Line         *ShapeLine // nil: none
	Text         *TextBody  // nil: none
	Picture      *Picture
	Table        *SlideTable
	Children     []*Shape
	Link         string // address that a click leads to
	// Graphic is what a ShapeOther holds: "chart", "diagram", "ole" or the last word of its type.
	Graphic string
	Chart   *Chart // of a ShapeOther; nil: none
	// Simplified says that the children show what a diagram says, not how it looked.
	Simplified bool
	// Losses are what the shape is drawn without.
	Losses []Loss
}

// Placeholder is the place in a layout that a shape fills.
type Placeholder struct {
	Type  string // ST_PlaceholderType; "obj" when absent
	Index string
}

// Geometry is a preset's name with its adjustments (in thousandths of a
// percent, mostly), or a path of its own.
type Geometry struct {
	Preset string
	Adjust map[string]float64
	Custom *etree.Element // a:custGeom
}

// slideParts is one slide with the parts that it inherits from.
type slideParts struct {
	pres                   *Presentation
	count                  *int           // of the shapes that were read
	styles                 *etree.Element // master's p:txStyles
	slide, layout, master  *dml
	themed                 *dml // the theme part, for pictures in its fills
	layoutTree, masterTree *etree.Element
}

// transform maps a group's child coordinates to the slide.
type transform struct{ offX, offY, scaleX, scaleY float64 }

func (t transform) rect(r Rect) Rect {
	const far = 1e6 // points: groups inside groups may ask for any size
	return Rect{
		limit(t.offX+r.X*t.scaleX, -far, far), limit(t.offY+r.Y*t.scaleY, -far, far),
		limit(r.W*t.scaleX, 0, far), limit(r.H*t.scaleY, 0, far),
	}
}

// shapes reads a shape tree; inherited leaves placeholders out.
func (s *slideParts) shapes(tree *etree.Element, d *dml, inherited bool) []*Shape {
	return s.children(tree, d, inherited, transform{0, 0, 1, 1}, nil, 0)
}

func (s *slideParts) children(tree *etree.Element, d *dml, inherited bool, t transform, groupFill *ShapeFill, depth int) []*Shape {
	if tree == nil || depth > maxGroupDepth {
		return nil
	}
	var out []*Shape
	for _, e := range ChildElements(tree) {
		if sh := s.shape(e, d, inherited, t, groupFill, depth); sh != nil {
			out = append(out, sh)
		}
	}
	return out
}

func (s *slideParts) shape(e *etree.Element, d *dml, inherited bool, t transform, groupFill *ShapeFill, depth int) *Shape {
	if e.Tag == "contentPart" {
		return &Shape{Elem: e, Kind: ShapePlain, Losses: []Loss{LossInk}}
	}
	nv := firstChild(e, nonVisual...)
	if nv == nil || *s.count > maxShapes {
		return nil
	}
	*s.count++
	sh := &Shape{Elem: e}
	if c := Child(nv, "cNvPr"); c != nil {
		sh.ID, sh.Name, sh.Description = c.SelectAttrValue("id", ""), c.SelectAttrValue("name", ""), c.SelectAttrValue("descr", "")
		sh.Hidden = boolAttr(c, "hidden", false)
		sh.Link = d.link(Child(c, "hlinkClick"))
	}
	if ph := find(nv, "nvPr", "ph"); ph != nil {
		if inherited {
			return nil
		}
		sh.Placeholder = &Placeholder{Type: ph.SelectAttrValue("type", "obj"), Index: ph.SelectAttrValue("idx", "")}
	}
	switch e.Tag {
	case "sp":
		sh.Kind = ShapePlain
	case "cxnSp":
		sh.Kind = ShapeConnector
	case "pic":
		sh.Kind = ShapePicture
	case "grpSp":
		return s.group(sh, d, inherited, t, groupFill, depth)
	case "graphicFrame":
		return s.graphic(sh, d, t)
	default:
		return nil
	}
	chain := s.chain(sh, d)
	s.place(sh, chain, t)
	s.look(sh, d, chain, groupFill)
	var lost losses
	lost.ofEffects(Child(e, "spPr"))
	if sh.Kind == ShapePicture {
		if sh.Picture = d.picture(firstChild(e, "blipFill")); sh.Picture == nil && sh.Placeholder == nil {
			lost.add(LossLinked)
		} else if sh.Picture != nil {
			lost = append(lost, sh.Picture.Losses...)
		}
	}
	if Child(e, "txBody") != nil {
		sh.Text = s.text(sh, d, chain)
		lost.ofText(find(e, "txBody", "bodyPr"))
	}
	sh.Losses = lost
	return sh
}

// ancestor is a shape or one that it inherits from, with the part that it is in.
type ancestor struct {
	e *etree.Element
	d *dml
}

// chain lists the shape itself and its placeholders in layout and master.
func (s *slideParts) chain(sh *Shape, d *dml) []ancestor {
	out := []ancestor{{sh.Elem, d}}
	if sh.Placeholder == nil {
		return out
	}
	kind := sh.Placeholder.Type
	if l := placeholderIn(s.layoutTree, sh.Placeholder.Type, sh.Placeholder.Index); l != nil && d == s.slide {
		out = append(out, ancestor{l, s.layout})
		if ph := placeholderOf(l); ph != nil && kind == "obj" {
			kind = ph.SelectAttrValue("type", "obj")
		}
	}
	sh.Placeholder.Type = kind
	if m := placeholderIn(s.masterTree, masterKind(kind), ""); m != nil {
		out = append(out, ancestor{m, s.master})
	}
	return out
}

// masterKind is the placeholder of the master that one of a layout follows.
func masterKind(kind string) string {
	switch kind {
	case "title", "ctrTitle":
		return "title"
	case "dt", "ftr", "sldNum":
		return kind
	}
	return "body"
}

func placeholderIn(tree *etree.Element, kind, idx string) *etree.Element {
	if tree == nil {
		return nil
	}
	var byType *etree.Element
	for _, e := range ChildElements(tree) {
		ph := placeholderOf(e)
		if ph == nil {
			continue
		}
		if idx != "" && ph.SelectAttrValue("idx", "") == idx {
			return e
		}
		t := ph.SelectAttrValue("type", "obj")
		same := t == kind || idx == "" && masterKind(t) == "title" && masterKind(kind) == "title"
		if same && byType == nil && (idx == "" || kind != "obj") {
			byType = e
		}
	}
	return byType
}

// placeholderOf is a shape's p:ph.
func placeholderOf(e *etree.Element) *etree.Element {
	return find(firstChild(e, nonVisual...), "nvPr", "ph")
}

// nonVisual are the elements with a shape's name and place in the layout.
var nonVisual = []string{"nvSpPr", "nvPicPr", "nvGrpSpPr", "nvGraphicFramePr", "nvCxnSpPr"}

// place resolves position, rotation and geometry.
func (s *slideParts) place(sh *Shape, chain []ancestor, t transform) {
	for _, a := range chain {
		props := firstChild(a.e, "spPr", "grpSpPr")
		xfrm := firstChild(props, "xfrm")
		if xfrm == nil {
			xfrm = Child(a.e, "xfrm")
		}
		if xfrm == nil {
			continue
		}
		readXfrm(sh, xfrm, t)
		break
	}
	for _, a := range chain {
		props := Child(a.e, "spPr")
		if cust := firstChild(props, "custGeom"); cust != nil {
			sh.Geometry = Geometry{Custom: cust}
			return
		}
		if prst := firstChild(props, "prstGeom"); prst != nil {
			sh.Geometry = presetGeometry(prst)
			return
		}
	}
	sh.Geometry.Preset = "rect"
}

func presetGeometry(prst *etree.Element) Geometry {
	g := Geometry{Preset: prst.SelectAttrValue("prst", "rect"), Adjust: map[string]float64{}}
	for _, gd := range ChildrenNamed(Child(prst, "avLst"), "gd") {
		var v float64
		if f := gd.SelectAttrValue("fmla", ""); len(f) > 4 && f[:4] == "val " {
			v = percent(f[4:]) * 100000
		}
		g.Adjust[gd.SelectAttrValue("name", "")] = v
	}
	return g
}

func readXfrm(sh *Shape, xfrm *etree.Element, t transform) {
	off, ext := Child(xfrm, "off"), Child(xfrm, "ext")
	r := Rect{emuAttr(off, "x"), emuAttr(off, "y"), math.Max(0, emuAttr(ext, "cx")), math.Max(0, emuAttr(ext, "cy"))}
	sh.Rotation = math.Mod(float64(attrInt(xfrm, "rot", 0))/60000, 360)
	sh.FlipH, sh.FlipV = boolAttr(xfrm, "flipH", false), boolAttr(xfrm, "flipV", false)
	sh.Frame = t.rect(r)
	// A shape that lies on its side is scaled along its own axes, not the slide's.
	if side := math.Mod(math.Abs(sh.Rotation), 180); side > 45 && side < 135 && t.scaleX != t.scaleY {
		w, h := r.W*t.scaleY, r.H*t.scaleX
		cx, cy := sh.Frame.X+sh.Frame.W/2, sh.Frame.Y+sh.Frame.H/2
		sh.Frame = Rect{cx - w/2, cy - h/2, w, h}
	}
}

// look resolves fill and outline: own, inherited, then by the style's references into the theme.
func (s *slideParts) look(sh *Shape, d *dml, chain []ancestor, groupFill *ShapeFill) {
	style := Child(sh.Elem, "style")
	for _, a := range chain {
		props := Child(a.e, "spPr")
		if firstChild(props, "grpFill") != nil {
			sh.Fill = groupFill
			break
		}
		if sh.Fill = a.d.fill(props, nil); sh.Fill != nil {
			break
		}
	}
	if sh.Fill == nil && style != nil && sh.Kind != ShapeConnector {
		if ref := Child(style, "fillRef"); ref != nil {
			sh.Fill = d.themeFill(ref, s.themed)
		}
	}
	var lines []*etree.Element
	for _, a := range chain {
		lines = append(lines, firstChild(Child(a.e, "spPr"), "ln"))
	}
	sh.Line = d.line(lines, find(style, "lnRef"), s.themed)
}

func (s *slideParts) group(sh *Shape, d *dml, inherited bool, t transform, groupFill *ShapeFill, depth int) *Shape {
	sh.Kind = ShapeGroup
	props := Child(sh.Elem, "grpSpPr")
	inner := t
	if xfrm := firstChild(props, "xfrm"); xfrm != nil {
		readXfrm(sh, xfrm, t)
		chOff, chExt := Child(xfrm, "chOff"), Child(xfrm, "chExt")
		cw, ch := emuAttr(chExt, "cx"), emuAttr(chExt, "cy")
		inner.scaleX, inner.scaleY = t.scaleX, t.scaleY
		if cw > 0 && sh.Frame.W > 0 {
			inner.scaleX = sh.Frame.W / cw
		}
		if ch > 0 && sh.Frame.H > 0 {
			inner.scaleY = sh.Frame.H / ch
		}
		inner.offX = sh.Frame.X - emuAttr(chOff, "x")*inner.scaleX
		inner.offY = sh.Frame.Y - emuAttr(chOff, "y")*inner.scaleY
	}
	if f := d.fill(props, nil); f != nil {
		groupFill = f
	}
	sh.Children = s.children(sh.Elem, d, inherited, inner, groupFill, depth+1)
	return sh
}

// graphic reads a graphicFrame: a table, or something of which a picture may exist.
func (s *slideParts) graphic(sh *Shape, d *dml, t transform) *Shape {
	s.place(sh, s.chain(sh, d), t)
	data := find(sh.Elem, "graphic", "graphicData")
	if data == nil {
		return nil
	}
	sh.Fill, sh.Line = nil, nil
	if tbl := Child(data, "tbl"); tbl != nil {
		sh.Kind = ShapeTable
		sh.Table = s.table(tbl, d)
		return sh
	}
	sh.Kind, sh.Graphic = ShapeOther, lastWord(data.SelectAttrValue("uri", ""))
	switch sh.Graphic {
	case "chart":
		sh.Chart = readChart(d, relAttr(Child(data, "chart"), "id"))
	case "diagram":
		if s.diagram(sh, data, d); len(sh.Children) == 0 {
			s.boxes(sh, data, d)
		}
	case "ole", "oleobject":
		if pic := data.FindElement(".//pic"); pic != nil {
			sh.Picture = d.picture(Child(pic, "blipFill"))
		}
	}
	return sh
}

func lastWord(uri string) string {
	for i := len(uri) - 1; i >= 0; i-- {
		if uri[i] == '/' {
			return uri[i+1:]
		}
	}
	return uri
}

// link resolves a hyperlink element to an address; "" for jumps inside the file.
func (d *dml) link(e *etree.Element) string {
	if e == nil {
		return ""
	}
	rel, ok := d.pack.Relationship(d.part, relAttr(e, "id"))
	if !ok || !rel.External {
		return ""
	}
	return rel.Target
}
