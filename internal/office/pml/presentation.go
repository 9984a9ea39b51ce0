// Package pml reads the resolved model of a .pptx file (PresentationML,
// ECMA-376 part 1, chapter 19). The model has each slide with the shapes,
// tables and diagrams that are seen on it, those of its layout and master
// included. It must not know of pages, or change the XML.
package pml

import (
	"fmt"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// Presentation is a .pptx file, resolved: what a slide inherits from its
// layout, its master and the theme is already in its shapes. Lengths are
// points. Elements are those of the package's parts: who edits one calls
// Package.Touch with the part's name.
type Presentation struct {
	Package       *opc.Package
	Part          string
	Elem          *etree.Element // p:presentation
	Width, Height float64
	Slides        []*Slide
}

// Slide is one slide, hidden ones included.
type Slide struct {
	Part   string
	Elem   *etree.Element // p:sld
	ID     string         // p:sldId's id, unique in the presentation
	Number int            // as slide numbers count, from the first number on
	Hidden bool
	Layout string // part names; "" when there is none
	Master string
	Notes  string
	Theme  *dml.Theme
	// Background is nil when nothing paints it: white.
	Background *dml.ShapeFill
	// Inherited are the shapes of master and layout that show through, placeholders excluded.
	Inherited []*Shape
	// Shapes are the slide's own, from the back to the front.
	Shapes []*Shape
}

// Limits on what one presentation may hold, far above real ones.
const (
	maxSlides     = 2000
	maxGroupDepth = 32
	// maxShapes counts a master's shapes for each slide that shows them.
	maxShapes = 60_000
)

// ReadPresentation reads a .pptx file. A file that is none is a *FormatError.
func ReadPresentation(data []byte) (*Presentation, error) {
	p, err := opc.ReadPackage(data)
	if err != nil {
		return nil, err
	}
	return ResolvePresentation(p)
}

// ResolvePresentation builds the model of an opened package. Call it again
// after edits: the model does not follow them.
func ResolvePresentation(p *opc.Package) (*Presentation, error) {
	main := p.MainPart()
	doc, err := p.XML(main)
	if err != nil {
		return nil, fmt.Errorf("read presentation: %w", err)
	}
	root := doc.Root()
	if root == nil || root.Tag != "presentation" {
		return nil, &opc.FormatError{Message: "this is not a presentation: its main part holds no slides"}
	}
	pres := &Presentation{Package: p, Part: main, Elem: root, Width: 720, Height: 540}
	if size := dml.Child(root, "sldSz"); size != nil {
		if w, h := dml.EMU(size, "cx"), dml.EMU(size, "cy"); w > 0 && h > 0 {
			pres.Width, pres.Height = w, h
		}
	}
	r := &slideReader{pres: pres, masters: map[string]*masterParts{}}
	first := dml.Int(root, "firstSlideNum", 1)
	list := dml.Child(root, "sldIdLst")
	if list == nil {
		return pres, nil
	}
	for _, id := range dml.ChildrenNamed(list, "sldId") {
		rel, ok := p.Relationship(main, dml.RelationshipID(id, "id"))
		if !ok || rel.External || !p.Has(rel.Target) {
			continue
		}
		if len(pres.Slides) >= maxSlides {
			return nil, &opc.FormatError{Message: fmt.Sprintf("the presentation has more than %d slides", maxSlides)}
		}
		slide, err := r.slide(rel.Target)
		if err != nil {
			return nil, err
		}
		if r.shapes > maxShapes {
			return nil, &opc.FormatError{Message: fmt.Sprintf("the slides have more than %d shapes in all", maxShapes)}
		}
		slide.ID = id.SelectAttrValue("id", "")
		slide.Number = first + len(pres.Slides)
		pres.Slides = append(pres.Slides, slide)
	}
	return pres, nil
}

// Bytes writes the file, edits included.
func (p *Presentation) Bytes() ([]byte, error) { return p.Package.Bytes() }

// slideReader resolves slides; layouts, masters and themes are read once.
type slideReader struct {
	pres    *Presentation
	shapes  int // so far
	masters map[string]*masterParts
}

// masterParts is a master as slides need it.
type masterParts struct {
	part  string
	root  *etree.Element
	theme *dml.Theme
	// styles is p:txStyles: title, body and other text by level.
	styles *etree.Element
	colors map[string]string
}

func (r *slideReader) root(part string) (*etree.Element, error) {
	if part == "" || !r.pres.Package.Has(part) {
		return nil, nil
	}
	doc, err := r.pres.Package.XML(part)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", part, err)
	}
	return doc.Root(), nil
}

// findRelated finds the first part that a part points to by a kind of relationship.
func (r *slideReader) findRelated(part, kind string) string {
	if part == "" {
		return ""
	}
	for _, rel := range r.pres.Package.Relationships(part) {
		if rel.Type == kind && !rel.External {
			return rel.Target
		}
	}
	return ""
}

func (r *slideReader) master(part string) (*masterParts, error) {
	if m, ok := r.masters[part]; ok {
		return m, nil
	}
	root, err := r.root(part)
	if err != nil {
		return nil, err
	}
	theme, err := dml.ReadTheme(r.pres.Package, r.findRelated(part, "theme"))
	if err != nil {
		return nil, fmt.Errorf("read theme of %s: %w", part, err)
	}
	m := &masterParts{part: part, root: root, theme: theme, colors: map[string]string{}}
	if root != nil {
		m.styles = dml.Child(root, "txStyles")
		dml.ReadColorMap(m.colors, dml.Child(root, "clrMap"))
	}
	r.masters[part] = m
	return m, nil
}

func (r *slideReader) slide(part string) (*Slide, error) {
	root, err := r.root(part)
	if err != nil {
		return nil, err
	}
	s := &Slide{Part: part, Elem: root, Theme: &dml.Theme{}}
	if root == nil {
		return s, nil
	}
	s.Layout = r.findRelated(part, "slideLayout")
	s.Master = r.findRelated(s.Layout, "slideMaster")
	s.Notes = r.findRelated(part, "notesSlide")
	s.Hidden = !dml.Bool(root, "show", true)
	layout, err := r.root(s.Layout)
	if err != nil {
		return nil, err
	}
	master, err := r.master(s.Master)
	if err != nil {
		return nil, err
	}
	s.Theme = master.theme
	colors := map[string]string{}
	for k, v := range master.colors {
		colors[k] = v
	}
	dml.ReadColorMap(colors, dml.Find(layout, "clrMapOvr", "overrideClrMapping"))
	dml.ReadColorMap(colors, dml.Find(root, "clrMapOvr", "overrideClrMapping"))
	set := &slideParts{
		pres: r.pres, count: &r.shapes, styles: master.styles,
		slide:  &dml.Reader{Package: r.pres.Package, Part: part, Theme: master.theme, Colors: colors},
		layout: &dml.Reader{Package: r.pres.Package, Part: s.Layout, Theme: master.theme, Colors: colors},
		master: &dml.Reader{Package: r.pres.Package, Part: s.Master, Theme: master.theme, Colors: colors},
		themed: &dml.Reader{Package: r.pres.Package, Part: r.findRelated(s.Master, "theme"), Theme: master.theme, Colors: colors},
	}
	set.layoutTree, set.masterTree = dml.Find(layout, "cSld", "spTree"), dml.Find(master.root, "cSld", "spTree")
	for _, level := range []*dml.Reader{set.slide, set.layout, set.master} {
		tree := map[*dml.Reader]*etree.Element{set.slide: root, set.layout: layout, set.master: master.root}[level]
		if s.Background = level.Background(dml.Find(tree, "cSld", "bg"), set.themed); s.Background != nil {
			break
		}
	}
	if set.background = s.Background; set.background == nil {
		set.background = &dml.ShapeFill{Kind: dml.FillSolid, Color: dml.RGB{R: 255, G: 255, B: 255}, Alpha: 1}
	}
	if dml.Bool(root, "showMasterSp", true) {
		if dml.Bool(layout, "showMasterSp", true) {
			s.Inherited = append(s.Inherited, set.shapes(set.masterTree, set.master, true)...)
		}
		s.Inherited = append(s.Inherited, set.shapes(set.layoutTree, set.layout, true)...)
	}
	s.Shapes = set.shapes(dml.Find(root, "cSld", "spTree"), set.slide, false)
	return s, nil
}
