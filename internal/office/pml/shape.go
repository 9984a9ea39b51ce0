package pml

import (
	"math"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// ShapeKind says what a shape is.
type ShapeKind int

// The kinds of shape. A ShapeOther is a chart, a diagram or an embedded
// object with at most a picture.
const (
	ShapePlain ShapeKind = iota
	ShapeConnector
	ShapePicture
	ShapeTable
	ShapeGroup
	ShapeOther
)

// Shape is one object on a slide with what it inherits resolved. Frames are
// in the slide's coordinates, even within groups; rotation and flips of a
// group apply to its children in addition to their own.
type Shape struct {
	Elem         *etree.Element
	Kind         ShapeKind
	ID           string
	Name         string
	Description  string
	Placeholder  *Placeholder // nil when the shape is none
	Hidden       bool
	Frame        dml.Rect
	Rotation     float64 // degrees clockwise about the frame's middle
	FlipH, FlipV bool
	Geometry     dml.Geometry
	Fill         *dml.ShapeFill // nil or FillNone: none
	// FillsLikeSlide says that the fill is the slide's background, in its place on the slide.
	FillsLikeSlide bool
	Line           *dml.ShapeLine // nil: none
	Text           *dml.TextBody  // nil: none
	Picture        *dml.Picture
	// LinkedPicture is the address of a picture that is not in the file.
	LinkedPicture string
	Table         *SlideTable
	Children      []*Shape
	Link          string // address that a click leads to
	// Graphic is what a ShapeOther holds: "chart", "diagram", "ole" or the last word of its type.
	Graphic string
	Chart   *dml.Chart // of a ShapeOther; nil: none
	// Simplified says that the children show what a diagram says, not how it looked.
	Simplified bool
	// Losses are what the shape is drawn without.
	Losses []dml.Loss
}

// Placeholder is the place in a layout that a shape fills.
type Placeholder struct {
	Type  string // ST_PlaceholderType; "obj" when absent
	Index string
}

// slideParts is one slide with the parts that it inherits from.
type slideParts struct {
	pres                   *Presentation
	count                  *int           // of the shapes that were read
	styles                 *etree.Element // master's p:txStyles
	slide, layout, master  *dml.Reader
	themed                 *dml.Reader // the theme part, for pictures in its fills
	layoutTree, masterTree *etree.Element
	legacy                 map[string]map[string]string // pictures in VML, by part and shape
	background             *dml.ShapeFill               // the slide's, white where it has none
}

// shapes reads a shape tree; inherited leaves placeholders out.
func (s *slideParts) shapes(tree *etree.Element, d *dml.Reader, inherited bool) []*Shape {
	return s.children(tree, d, inherited, dml.Transform{OffX: 0, OffY: 0, ScaleX: 1, ScaleY: 1}, nil, 0)
}

func (s *slideParts) children(tree *etree.Element, d *dml.Reader, inherited bool, t dml.Transform, groupFill *dml.ShapeFill, depth int) []*Shape {
	if tree == nil || depth > maxGroupDepth {
		return nil
	}
	var out []*Shape
	for _, e := range dml.ChildElements(tree) {
		if sh := s.shape(e, d, inherited, t, groupFill, depth); sh != nil {
			out = append(out, sh)
		}
	}
	return out
}

func (s *slideParts) shape(e *etree.Element, d *dml.Reader, inherited bool, t dml.Transform, groupFill *dml.ShapeFill, depth int) *Shape {
	if e.Tag == "contentPart" {
		return &Shape{Elem: e, Kind: ShapePlain, Losses: []dml.Loss{dml.LossInk}}
	}
	nv := dml.FirstChild(e, nonVisual...)
	if nv == nil || *s.count > maxShapes {
		return nil
	}
	*s.count++
	sh := &Shape{Elem: e}
	if c := dml.Child(nv, "cNvPr"); c != nil {
		sh.ID, sh.Name, sh.Description = c.SelectAttrValue("id", ""), c.SelectAttrValue("name", ""), c.SelectAttrValue("descr", "")
		sh.Hidden = dml.Bool(c, "hidden", false)
		sh.Link = d.Link(dml.Child(c, "hlinkClick"))
	}
	if ph := dml.Find(nv, "nvPr", "ph"); ph != nil {
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
	s.resolveStyle(sh, d, chain, groupFill)
	var lost dml.Losses
	lost.OfEffects(dml.Child(e, "spPr"))
	if sh.Kind == ShapePicture {
		if sh.Picture = d.Picture(dml.FirstChild(e, "blipFill")); sh.Picture == nil && sh.Placeholder == nil {
			sh.LinkedPicture = d.LinkedPicture(dml.FirstChild(e, "blipFill"))
			lost.Add(dml.LossLinked)
		} else if sh.Picture != nil {
			lost = append(lost, sh.Picture.Losses...)
		}
	}
	if dml.Child(e, "txBody") != nil {
		sh.Text = s.text(sh, d, chain)
		lost.OfText(dml.Find(e, "txBody", "bodyPr"))
	}
	sh.Losses = lost
	return sh
}

// ancestor is a shape or one that it inherits from, with the part that it is in.
type ancestor struct {
	e *etree.Element
	d *dml.Reader
}

// chain lists the shape itself and its placeholders in layout and master.
func (s *slideParts) chain(sh *Shape, d *dml.Reader) []ancestor {
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
	for _, e := range dml.ChildElements(tree) {
		ph := placeholderOf(e)
		if ph == nil {
			continue
		}
		if idx != "" && ph.SelectAttrValue("idx", "") == idx {
			return e
		}
		t := ph.SelectAttrValue("type", "obj")
		isSame := t == kind || idx == "" && masterKind(t) == "title" && masterKind(kind) == "title"
		if isSame && byType == nil && (idx == "" || kind != "obj") {
			byType = e
		}
	}
	return byType
}

// placeholderOf is a shape's p:ph.
func placeholderOf(e *etree.Element) *etree.Element {
	return dml.Find(dml.FirstChild(e, nonVisual...), "nvPr", "ph")
}

// nonVisual are the elements with a shape's name and place in the layout.
var nonVisual = []string{"nvSpPr", "nvPicPr", "nvGrpSpPr", "nvGraphicFramePr", "nvCxnSpPr"}

// place resolves position, rotation and geometry.
func (s *slideParts) place(sh *Shape, chain []ancestor, t dml.Transform) {
	for _, a := range chain {
		props := dml.FirstChild(a.e, "spPr", "grpSpPr")
		xfrm := dml.FirstChild(props, "xfrm")
		if xfrm == nil {
			xfrm = dml.Child(a.e, "xfrm")
		}
		if xfrm == nil {
			continue
		}
		readXfrm(sh, xfrm, t)
		break
	}
	for _, a := range chain {
		props := dml.Child(a.e, "spPr")
		if cust := dml.FirstChild(props, "custGeom"); cust != nil {
			sh.Geometry = dml.Geometry{Custom: cust}
			return
		}
		if prst := dml.FirstChild(props, "prstGeom"); prst != nil {
			sh.Geometry = dml.PresetGeometry(prst)
			return
		}
	}
	sh.Geometry.Preset = "rect"
}

func readXfrm(sh *Shape, xfrm *etree.Element, t dml.Transform) {
	off, ext := dml.Child(xfrm, "off"), dml.Child(xfrm, "ext")
	r := dml.Rect{X: dml.EMU(off, "x"), Y: dml.EMU(off, "y"), W: math.Max(0, dml.EMU(ext, "cx")), H: math.Max(0, dml.EMU(ext, "cy"))}
	sh.Rotation = math.Mod(float64(dml.Int(xfrm, "rot", 0))/60000, 360)
	sh.FlipH, sh.FlipV = dml.Bool(xfrm, "flipH", false), dml.Bool(xfrm, "flipV", false)
	sh.Frame = t.Rect(r)
	// A shape that lies on its side is scaled along its own axes, not the slide's.
	if side := math.Mod(math.Abs(sh.Rotation), 180); side > 45 && side < 135 && t.ScaleX != t.ScaleY {
		w, h := r.W*t.ScaleY, r.H*t.ScaleX
		cx, cy := sh.Frame.X+sh.Frame.W/2, sh.Frame.Y+sh.Frame.H/2
		sh.Frame = dml.Rect{X: cx - w/2, Y: cy - h/2, W: w, H: h}
	}
}

// resolveStyle resolves fill and outline: own, inherited, then by the style's references into the theme.
func (s *slideParts) resolveStyle(sh *Shape, d *dml.Reader, chain []ancestor, groupFill *dml.ShapeFill) {
	style := dml.Child(sh.Elem, "style")
	for _, a := range chain {
		props := dml.Child(a.e, "spPr")
		if dml.FirstChild(props, "grpFill") != nil {
			sh.Fill = groupFill
			break
		}
		if sh.Fill = a.d.Fill(props, nil); sh.Fill != nil {
			break
		}
		if dml.Bool(a.e, "useBgFill", false) {
			sh.Fill, sh.FillsLikeSlide = s.background, true
			break
		}
	}
	if sh.Fill == nil && style != nil && sh.Kind != ShapeConnector {
		if ref := dml.Child(style, "fillRef"); ref != nil {
			sh.Fill = d.ThemeFill(ref, s.themed)
		}
	}
	var lines []*etree.Element
	for _, a := range chain {
		lines = append(lines, dml.FirstChild(dml.Child(a.e, "spPr"), "ln"))
	}
	sh.Line = d.Line(lines, dml.Find(style, "lnRef"), s.themed)
}

func (s *slideParts) group(sh *Shape, d *dml.Reader, inherited bool, t dml.Transform, groupFill *dml.ShapeFill, depth int) *Shape {
	sh.Kind = ShapeGroup
	props := dml.Child(sh.Elem, "grpSpPr")
	inner := t
	if xfrm := dml.FirstChild(props, "xfrm"); xfrm != nil {
		readXfrm(sh, xfrm, t)
		chOff, chExt := dml.Child(xfrm, "chOff"), dml.Child(xfrm, "chExt")
		cw, ch := dml.EMU(chExt, "cx"), dml.EMU(chExt, "cy")
		if cw > 0 && sh.Frame.W > 0 {
			inner.ScaleX = sh.Frame.W / cw
		}
		if ch > 0 && sh.Frame.H > 0 {
			inner.ScaleY = sh.Frame.H / ch
		}
		inner.OffX = sh.Frame.X - dml.EMU(chOff, "x")*inner.ScaleX
		inner.OffY = sh.Frame.Y - dml.EMU(chOff, "y")*inner.ScaleY
	}
	if f := d.Fill(props, nil); f != nil {
		groupFill = f
	}
	sh.Children = s.children(sh.Elem, d, inherited, inner, groupFill, depth+1)
	return sh
}

// graphic reads a graphicFrame: a table, or an object that may have a picture.
func (s *slideParts) graphic(sh *Shape, d *dml.Reader, t dml.Transform) *Shape {
	s.place(sh, s.chain(sh, d), t)
	data := dml.Find(sh.Elem, "graphic", "graphicData")
	if data == nil {
		return nil
	}
	sh.Fill, sh.Line = nil, nil
	if tbl := dml.Child(data, "tbl"); tbl != nil {
		sh.Kind = ShapeTable
		sh.Table = s.table(tbl, d)
		return sh
	}
	sh.Kind, sh.Graphic = ShapeOther, lastWord(data.SelectAttrValue("uri", ""))
	switch sh.Graphic {
	case "chart":
		sh.Chart = dml.ReadChart(d, dml.RelationshipID(dml.Child(data, "chart"), "id"))
	case "diagram":
		if s.diagram(sh, data, d); len(sh.Children) == 0 {
			s.boxes(sh, data, d)
		}
	case "ole", "oleobject":
		sh.Picture = s.preview(data, d)
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
