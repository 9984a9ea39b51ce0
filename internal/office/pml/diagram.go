package pml

import (
	"cmp"
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// diagram finds the shapes in which the program that wrote a SmartArt diagram
// last drew it (MS-ODRAWXML, 2.1: the drawing part).
func (s *slideParts) diagram(sh *Shape, data *etree.Element, d *dml.Reader) {
	for _, rel := range d.Package.Relationships(d.Part) {
		if rel.Type != "diagramDrawing" || rel.External || !belongsTo(d, data, rel) {
			continue
		}
		doc, err := d.Package.XML(rel.Target)
		if err != nil || doc.Root() == nil {
			return
		}
		in := &dml.Reader{Package: d.Package, Part: rel.Target, Theme: d.Theme, Colors: d.Colors}
		t := dml.Transform{OffX: sh.Frame.X, OffY: sh.Frame.Y, ScaleX: 1, ScaleY: 1}
		sh.Children = s.children(dml.Child(doc.Root(), "spTree"), in, false, t, nil, 1)
		return
	}
}

// belongsTo tells whether a drawing is that of the diagram: the data part names
// its relationship in an extension.
func belongsTo(d *dml.Reader, data *etree.Element, rel opc.Relationship) bool {
	ids := dml.Child(data, "relIds")
	dataRel, ok := d.Package.Relationship(d.Part, dml.RelationshipID(ids, "dm"))
	if !ok {
		return false
	}
	doc, err := d.Package.XML(dataRel.Target)
	if err != nil || doc.Root() == nil {
		return false
	}
	ext := doc.Root().FindElement(".//dataModelExt")
	return ext != nil && ext.SelectAttrValue("relId", "") == rel.ID
}

// A SmartArt diagram whose shapes were not stored has its texts and how they
// hang together (ECMA-376 part 1, 21.4.3), and a program of its own for where
// they go. We have no such program: what is above something else stands above
// it in a box that is as wide.

// diagramNode is a text of a diagram with those below it.
type diagramNode struct {
	text     *etree.Element
	children []*diagramNode
	leaves   int
}

const (
	maxDiagramNodes = 500
	maxDiagramDepth = 12
)

// boxes shows a diagram's texts in boxes.
func (s *slideParts) boxes(sh *Shape, data *etree.Element, d *dml.Reader) {
	rel, ok := d.Package.Relationship(d.Part, dml.RelationshipID(dml.Child(data, "relIds"), "dm"))
	if !ok || rel.External {
		return
	}
	doc, err := d.Package.XML(rel.Target)
	if err != nil || doc.Root() == nil {
		return
	}
	top := diagramTree(doc.Root())
	levels := top.count(0)
	if levels == 0 || sh.Frame.W < 20 || sh.Frame.H < 20 {
		return
	}
	const gap = 6
	height := min((sh.Frame.H+gap)/float64(levels), 90)
	s.stackBoxes(sh, top, d, dml.Rect{X: sh.Frame.X, Y: sh.Frame.Y, W: sh.Frame.W, H: height - gap}, gap)
	sh.Simplified = len(sh.Children) > 0
}

// stackBoxes puts a node's children side by side into a row, and theirs below.
func (s *slideParts) stackBoxes(sh *Shape, n *diagramNode, d *dml.Reader, row dml.Rect, gap float64) {
	x, unit := row.X, (row.W+gap)/float64(max(n.leaves, 1))
	for _, child := range n.children {
		w := unit*float64(max(child.leaves, 1)) - gap
		at := dml.Rect{X: x, Y: row.Y, W: max(w, 1), H: max(row.H, 1)}
		sh.Children = append(sh.Children, s.box(child.text, d, at))
		s.stackBoxes(sh, child, d, dml.Rect{X: x, Y: row.Y + row.H + gap, W: max(w, 1), H: row.H}, gap)
		x += w + gap
	}
}

func (s *slideParts) box(text *etree.Element, d *dml.Reader, at dml.Rect) *Shape {
	fill := &dml.ShapeFill{Kind: dml.FillSolid, Alpha: 1, Color: dml.RGB{R: 0x4F, G: 0x81, B: 0xBD}}
	if c, ok := d.Theme.Color("accent1"); ok {
		fill.Color = c
	}
	const largest = 24
	ctx := &dml.TextContext{D: d, Row: func(r *dml.TextRun) { r.Color, r.Size = dml.RGB{R: 255, G: 255, B: 255}, largest }}
	ctx.Levels = []dml.Leveled{{E: dml.Child(s.pres.Elem, "defaultTextStyle"), D: s.master}}
	t := &dml.TextBody{Elem: text, Left: 3.6, Top: 3.6, Right: 3.6, Bottom: 3.6, Anchor: "ctr", Shrink: true, Columns: 1}
	t.Paragraphs = ctx.Paragraphs(text)
	for _, p := range t.Paragraphs {
		p.Align = "ctr"
	}
	return &Shape{Elem: text, Kind: ShapePlain, Frame: at, Geometry: dml.Geometry{Preset: "rect"}, Fill: fill, Text: t}
}

// diagramTree reads the texts of a data model; the root has none.
func diagramTree(root *etree.Element) *diagramNode {
	nodes, top := map[string]*diagramNode{}, &diagramNode{}
	for _, pt := range dml.ChildrenNamed(dml.Child(root, "ptLst"), "pt") {
		id := pt.SelectAttrValue("modelId", "")
		switch pt.SelectAttrValue("type", "node") {
		case "doc":
			nodes[id] = top
		case "node", "asst":
			if len(nodes) < maxDiagramNodes {
				nodes[id] = &diagramNode{text: dml.Child(pt, "t")}
			}
		}
	}
	type link struct {
		from, to *diagramNode
		order    int
	}
	var links []link
	for _, cxn := range dml.ChildrenNamed(dml.Child(root, "cxnLst"), "cxn") {
		from, to := nodes[cxn.SelectAttrValue("srcId", "")], nodes[cxn.SelectAttrValue("destId", "")]
		if cxn.SelectAttrValue("type", "parOf") == "parOf" && from != nil && to != nil && to.text != nil {
			links = append(links, link{from, to, dml.Int(cxn, "srcOrd", 0)})
		}
	}
	slices.SortStableFunc(links, func(a, b link) int { return cmp.Compare(a.order, b.order) })
	placed := map[*diagramNode]bool{}
	for _, l := range links {
		if !placed[l.to] { // each stands in one place: no loops
			placed[l.to] = true
			l.from.children = append(l.from.children, l.to)
		}
	}
	return top
}

// count takes empty texts at the ends off and returns how many levels there are.
func (n *diagramNode) count(depth int) (levels int) {
	if depth >= maxDiagramDepth {
		n.children = nil
	}
	n.leaves = 0
	n.children = slices.DeleteFunc(n.children, func(c *diagramNode) bool {
		levels = max(levels, c.count(depth+1))
		return len(c.children) == 0 && !c.hasText()
	})
	for _, c := range n.children {
		n.leaves += c.leaves
		levels = max(levels, 1)
	}
	n.leaves = max(n.leaves, 1)
	if depth > 0 {
		return levels + 1
	}
	return levels
}

func (n *diagramNode) hasText() bool {
	for _, t := range n.text.FindElements(".//t") {
		if strings.TrimSpace(t.Text()) != "" {
			return true
		}
	}
	return false
}
