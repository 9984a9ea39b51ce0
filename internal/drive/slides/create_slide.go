package slides

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
)

const (
	presentationNS = "http://schemas.openxmlformats.org/presentationml/2006/main"
	slideType      = "application/vnd.openxmlformats-officedocument.presentationml.slide+xml"
	notesType      = "application/vnd.openxmlformats-officedocument.presentationml.notesSlide+xml"
	// maxSlides is how many slides a presentation may get by requests; one of a
	// file may have more.
	maxSlides = 1000
)

const emptySlide = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
	`<p:sld xmlns:a="` + drawingNS + `" xmlns:r="` + opc.RelsNS + `" xmlns:p="` + presentationNS + `"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/>` +
	`<p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/></p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>`

// layoutTypes gives a layout that Google predefines by its types in a file
// (ECMA-376 part 1, 19.7.15).
func layoutTypes(predefined string) []string {
	switch predefined {
	case "BLANK":
		return []string{"blank"}
	case "TITLE":
		return []string{"title"}
	case "TITLE_AND_BODY":
		return []string{"obj", "tx"}
	case "TITLE_AND_TWO_COLUMNS":
		return []string{"twoObj", "twoColTx"}
	case "TITLE_ONLY":
		return []string{"titleOnly"}
	case "SECTION_HEADER":
		return []string{"secHead"}
	case "CAPTION_ONLY":
		return []string{"picTx", "objTx"}
	}
	return nil
}

func (b *batch) createSlide(r *gslides.CreateSlideRequest, invalid edit.RequestFault) (string, error) {
	if err := b.checkNewID(r.ObjectId, invalid); err != nil {
		return "", err
	}
	index := int64(len(b.deck.slides))
	if r.InsertionIndex != 0 || slices.Contains(r.ForceSendFields, "InsertionIndex") {
		index = r.InsertionIndex
	}
	if index < 0 || index > int64(len(b.deck.slides)) {
		return "", invalid("The insertion index %d must be at most the number of slides, %d.", index, len(b.deck.slides))
	}
	layout, err := b.layout(r.SlideLayoutReference, invalid)
	if err != nil {
		return "", err
	}
	p, err := b.newSlide(path.Dir(b.deck.pkg.MainPart())+"/slides", []byte(emptySlide), int(index), invalid)
	if err != nil {
		return "", err
	}
	if layout != nil {
		if _, err := b.deck.pkg.Relate(p.part, "slideLayout", "/"+layout.part, false); err != nil {
			return "", fmt.Errorf("add slide: %w", err)
		}
		if err := b.fillLayout(p, layout, r.PlaceholderIdMappings, invalid); err != nil {
			return "", err
		}
	}
	b.name(p, r.ObjectId)
	return p.id, nil
}

// name gives a page the id that the client has chosen, if one.
func (b *batch) name(p *page, id string) {
	if id != "" {
		properties := treeProperties(p.root)
		if tree := child(child(p.root, "cSld"), "spTree"); properties == nil && tree != nil {
			// Without them a file is not valid; some are not.
			nv := etree.NewElement("p:nvGrpSpPr")
			properties = nv.CreateElement("p:cNvPr")
			properties.CreateAttr("id", strconv.FormatInt(p.freeShape(), 10))
			properties.CreateAttr("name", "")
			nv.CreateElement("p:cNvGrpSpPr")
			nv.CreateElement("p:nvPr")
			tree.InsertChildAt(0, nv)
		}
		setOwnID(properties, id)
		p.id = id
	}
	p.reread()
	b.noteChange(p)
}

// layout finds the layout that a new slide is to have. Without a wish it is
// the blank one, or the one with the fewest places to fill.
func (b *batch) layout(r *gslides.LayoutReference, invalid edit.RequestFault) (*page, error) {
	if r != nil && r.LayoutId != "" {
		for _, l := range b.deck.layouts {
			if l.id == r.LayoutId {
				return l, nil
			}
		}
		return nil, invalid("The layout (%s) could not be found.", r.LayoutId)
	}
	wanted := "BLANK"
	if r != nil && r.PredefinedLayout != "" {
		wanted = r.PredefinedLayout
	}
	for _, l := range b.deck.layouts {
		if slices.Contains(layoutTypes(wanted), l.root.SelectAttrValue("type", "")) {
			return l, nil
		}
	}
	if r != nil && r.PredefinedLayout != "" {
		return nil, invalid("The predefined layout (%.60s) is not present in the current master.", wanted)
	}
	var fewest *page
	for _, l := range b.deck.layouts {
		if fewest == nil || len(places(l)) < len(places(fewest)) {
			fewest = l
		}
	}
	return fewest, nil
}

// places are the objects of a layout that a slide fills: all placeholders but
// those of the foot.
func places(layout *page) []*element {
	var all []*element
	for _, e := range layout.elements {
		ph := placeholderOf(e.elem)
		if ph == nil || slices.Contains([]string{"dt", "ftr", "sldNum", "hdr"}, ph.SelectAttrValue("type", "")) {
			continue
		}
		all = append(all, e)
	}
	return all
}

// fillLayout gives a new slide an empty object for each place of its layout.
func (b *batch) fillLayout(p, layout *page, mappings []*gslides.LayoutPlaceholderIdMapping, invalid edit.RequestFault) error {
	ids := map[*element]string{}
	for _, m := range mappings {
		if m == nil {
			continue
		}
		if err := b.checkNewID(m.ObjectId, invalid); err != nil {
			return err
		}
		found := false
		for _, e := range places(layout) {
			shown := placeholder(e.elem)
			wanted := m.LayoutPlaceholder != nil && m.LayoutPlaceholder.Type == shown.Type && m.LayoutPlaceholder.Index == shown.Index
			if !found && ids[e] == "" && (wanted || m.LayoutPlaceholderObjectId == e.id) {
				ids[e], found = m.ObjectId, true
				b.take(m.ObjectId)
			}
		}
		if !found {
			return invalid("The layout placeholder for the object ID (%s) could not be found.", m.ObjectId)
		}
	}
	tree := child(child(p.root, "cSld"), "spTree")
	for i, e := range places(layout) {
		fresh := placeFor(placeholderOf(e.elem), shapeProperties(e.elem), i+2)
		if err := b.spend(sizeOf(fresh), invalid); err != nil {
			return err
		}
		setOwnID(shapeProperties(fresh), ids[e])
		tree.AddChild(fresh)
	}
	return nil
}

// take reserves an id until the batch has made its object.
func (b *batch) take(id string) {
	if b.taken == nil {
		b.taken = map[string]bool{}
	}
	b.taken[id] = true
}

// placeFor is an empty shape that takes all from a place of its layout.
func placeFor(ph, properties *etree.Element, number int) *etree.Element {
	e := etree.NewElement("p:sp")
	nv := e.CreateElement("p:nvSpPr")
	own := nv.CreateElement("p:cNvPr")
	own.CreateAttr("id", strconv.Itoa(number))
	own.CreateAttr("name", "Placeholder")
	if properties != nil {
		own.CreateAttr("name", properties.SelectAttrValue("name", "Placeholder"))
	}
	nv.CreateElement("p:cNvSpPr").CreateElement("a:spLocks").CreateAttr("noGrp", "1")
	nv.CreateElement("p:nvPr").AddChild(ph.Copy())
	e.CreateElement("p:spPr")
	body := e.CreateElement("p:txBody")
	body.CreateElement("a:bodyPr")
	body.CreateElement("a:lstStyle")
	body.CreateElement("a:p")
	return e
}

// newSlide puts a slide into the presentation: its part, its relationship, its
// entry in the list and in the section of the slide before it.
func (b *batch) newSlide(dir string, content []byte, index int, invalid edit.RequestFault) (*page, error) {
	if len(b.deck.slides) >= maxSlides {
		return nil, invalid("A presentation may have at most %d slides.", maxSlides)
	}
	pkg, main := b.deck.pkg, b.deck.pkg.MainPart()
	part := freePart(pkg, dir+"/slide", ".xml")
	pkg.SetPart(part, slideType, content)
	relation, err := pkg.Relate(main, "slide", "/"+part, false)
	if err != nil {
		return nil, fmt.Errorf("add slide: %w", err)
	}
	tree, err := pkg.XML(main)
	if err != nil {
		return nil, err
	}
	list := child(tree.Root(), "sldIdLst")
	if list == nil {
		return nil, invalid("The presentation has no list of slides.")
	}
	highest := int64(255) // ids begin behind it (ECMA-376 part 1, 19.7.13)
	for _, e := range list.ChildElements() {
		if n, err := strconv.ParseInt(e.SelectAttrValue("id", ""), 10, 64); err == nil {
			highest = max(highest, n)
		}
	}
	id := strconv.FormatInt(highest+1, 10)
	entry := etree.NewElement("p:sldId")
	entry.CreateAttr("id", id)
	edit.DeclarePrefix(entry, list, "r", opc.RelsNS)
	entry.CreateAttr("r:id", relation)
	before := ""
	if index > 0 {
		before = b.deck.slides[index-1].slide.ID
	}
	insertEntry(tree.Root(), list, entry, before)
	pkg.Touch(main)

	p, err := b.deck.page("slide_"+id, "SLIDE", part)
	if err != nil {
		return nil, err
	}
	p.slide = &pml.Slide{Part: part, ID: id, Elem: p.root}
	b.deck.slides = slices.Insert(b.deck.slides, index, p)
	return p, nil
}

// insertEntry lists a slide behind another, in the list of all slides and in
// the one of its section.
func insertEntry(root, list, entry *etree.Element, before string) {
	at := 0
	for _, e := range list.ChildElements() {
		if before != "" && e.Tag == "sldId" && e.SelectAttrValue("id", "") == before {
			at = e.Index() + 1
		}
	}
	list.InsertChildAt(at, entry)
	eachElement(root, 0, func(e *etree.Element) {
		sections := e.Parent()
		if before == "" || e.Tag != "sldId" || sections == list || e.SelectAttrValue("id", "") != before {
			return
		}
		in := etree.NewElement(e.FullTag())
		in.CreateAttr("id", entry.SelectAttrValue("id", ""))
		sections.InsertChildAt(e.Index()+1, in)
	})
}

// freePart numbers a part that is not there yet.
func freePart(pkg *opc.Package, stem, extension string) string {
	for n := 1; ; n++ {
		if name := stem + strconv.Itoa(n) + extension; !pkg.Has(name) {
			return name
		}
	}
}

// relationsPart is where the relationships of a part are.
func relationsPart(part string) string {
	return strings.TrimPrefix(path.Join(path.Dir(part), "_rels", path.Base(part)+".rels"), "/")
}
