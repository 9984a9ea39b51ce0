package slides

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
)

// maxNesting bounds groups in groups.
const maxNesting = 32

// page is a slide, its notes, a layout or a master, with the objects on it.
type page struct {
	id       string
	kind     string // SLIDE, NOTES, LAYOUT or MASTER
	part     string
	root     *etree.Element
	slide    *pml.Slide // of a slide
	elements []*element
	taken    map[string]bool // the ids of its objects
	shapes   int64           // the highest number of a shape; 0 before it is known
}

// element is an object on a page.
type element struct {
	id       string
	elem     *etree.Element
	children []*element // of a group
}

// deck holds every page of a presentation in the order of the answer.
type deck struct {
	pkg     *opc.Package
	slides  []*page
	notes   map[string]*page // by the slide's part
	masters []*page
	layouts []*page
}

// open lays out the pages. Ids come from the ids that the file gives to slides
// and shapes, and from the names of layouts and masters, so they stay the same
// through edits.
func open(p *pml.Presentation) (*deck, error) {
	d := &deck{pkg: p.Package, notes: map[string]*page{}}
	for _, s := range p.Slides {
		id := "slide_" + s.ID
		slide, err := d.page(id, "SLIDE", s.Part)
		if err != nil {
			return nil, err
		}
		slide.slide = s
		d.slides = append(d.slides, slide)
		if s.Notes != "" && p.Package.Has(s.Notes) {
			if d.notes[s.Part], err = d.page(slide.id+"_notes", "NOTES", s.Notes); err != nil {
				return nil, err
			}
		}
	}
	for _, m := range p.Package.Relationships(p.Package.MainPart()) {
		if m.Type != "slideMaster" || m.External || !p.Package.Has(m.Target) {
			continue
		}
		master, err := d.page(partID("master", m.Target), "MASTER", m.Target)
		if err != nil {
			return nil, err
		}
		d.masters = append(d.masters, master)
		for _, l := range p.Package.Relationships(m.Target) {
			if l.Type != "slideLayout" || l.External || !p.Package.Has(l.Target) {
				continue
			}
			layout, err := d.page(partID("layout", l.Target), "LAYOUT", l.Target)
			if err != nil {
				return nil, err
			}
			d.layouts = append(d.layouts, layout)
		}
	}
	return d, nil
}

// partID makes an id of a part's name; Google's ids take letters, digits and
// a few signs.
func partID(kind, part string) string {
	name := strings.TrimSuffix(path.Base(part), path.Ext(part))
	return kind + "_" + strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == ':':
			return r
		}
		return '_'
	}, name)
}

func (d *deck) page(id, kind, part string) (*page, error) {
	tree, err := d.pkg.XML(part)
	if err != nil {
		return nil, err
	}
	p := &page{id: id, kind: kind, part: part, root: tree.Root()}
	if own := ownID(treeProperties(p.root)); own != "" {
		p.id = own
	}
	p.reread()
	return p, nil
}

// objects reads a shape tree from the back to the front.
func (p *page) objects(tree *etree.Element, taken map[string]bool, depth int) []*element {
	if tree == nil || depth > maxNesting {
		return nil
	}
	var all []*element
	for _, e := range tree.ChildElements() {
		switch e.Tag {
		case "sp", "cxnSp", "pic", "graphicFrame":
			all = append(all, &element{id: p.objectID(e, taken), elem: e})
		case "grpSp":
			id := p.objectID(e, taken)
			all = append(all, &element{id: id, elem: e, children: p.objects(e, taken, depth+1)})
		case "AlternateContent":
			all = append(all, p.objects(alternative(e), taken, depth+1)...)
		}
	}
	return all
}

// alternative picks the branch that package pml shows: the fallback, unless
// it is empty.
func alternative(e *etree.Element) *etree.Element {
	if f := child(e, "Fallback"); f != nil && len(f.ChildElements()) > 0 {
		return f
	}
	return child(e, "Choice")
}

// objectID uses the shape's id in the file, which some files give twice.
func (p *page) objectID(e *etree.Element, taken map[string]bool) string {
	shape := "0"
	if own := ownID(shapeProperties(e)); own != "" && !taken[own] {
		taken[own] = true
		return own
	}
	if properties := shapeProperties(e); properties != nil {
		if n, err := strconv.ParseUint(properties.SelectAttrValue("id", ""), 10, 32); err == nil {
			shape = strconv.FormatUint(n, 10)
		}
	}
	id := p.id + "_" + shape
	for n := 2; taken[id]; n++ {
		id = fmt.Sprintf("%s_%s_%d", p.id, shape, n)
	}
	taken[id] = true
	return id
}

// shapeProperties returns the p:cNvPr of an object.
func shapeProperties(e *etree.Element) *etree.Element {
	for _, tag := range []string{"nvSpPr", "nvCxnSpPr", "nvPicPr", "nvGraphicFramePr", "nvGrpSpPr"} {
		if nv := child(e, tag); nv != nil {
			return child(nv, "cNvPr")
		}
	}
	return nil
}

// all returns every page.
func (d *deck) all() []*page {
	pages := append([]*page{}, d.slides...)
	for _, s := range d.slides {
		if n := d.notes[s.part]; n != nil {
			pages = append(pages, n)
		}
	}
	return append(append(pages, d.masters...), d.layouts...)
}

// find returns the page with this id, nil when there is none.
func (d *deck) find(id string) *page {
	for _, p := range d.all() {
		if p.id == id {
			return p
		}
	}
	return nil
}

// object finds an object on any page.
func (d *deck) object(id string) (*page, *element) {
	for _, p := range d.all() {
		if e := findElement(p.elements, id); e != nil {
			return p, e
		}
	}
	return nil, nil
}

func findElement(elements []*element, id string) *element {
	for _, e := range elements {
		if e.id == id {
			return e
		}
		if found := findElement(e.children, id); found != nil {
			return found
		}
	}
	return nil
}

// tableOf returns the a:tbl of a graphic frame.
func tableOf(e *etree.Element) *etree.Element {
	return child(child(child(e, "graphic"), "graphicData"), "tbl")
}

// cellsOf returns the cells of a table by row, merged ones included.
func cellsOf(table *etree.Element) [][]*etree.Element {
	var rows [][]*etree.Element
	for _, tr := range table.ChildElements() {
		if tr.Tag != "tr" {
			continue
		}
		var cells []*etree.Element
		for _, tc := range tr.ChildElements() {
			if tc.Tag == "tc" {
				cells = append(cells, tc)
			}
		}
		rows = append(rows, cells)
	}
	return rows
}

// cellAt returns the cell at a place of a table, nil when there is none. A batch
// asks for thousands, one by one.
func cellAt(table *etree.Element, row, column int64) *etree.Element {
	return nth(nth(table, "tr", row), "tc", column)
}

// nth returns the child with this name at a place, from 0.
func nth(e *etree.Element, tag string, at int64) *etree.Element {
	if e == nil || at < 0 {
		return nil
	}
	for _, t := range e.Child {
		if c, ok := t.(*etree.Element); ok && c.Tag == tag {
			if at == 0 {
				return c
			}
			at--
		}
	}
	return nil
}

// child returns the first child with this name in any namespace.
func child(e *etree.Element, tag string) *etree.Element {
	if e == nil {
		return nil
	}
	for _, t := range e.Child {
		if c, ok := t.(*etree.Element); ok && c.Tag == tag {
			return c
		}
	}
	return nil
}
