package slides

import (
	"regexp"
	"strconv"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/edit"
)

// Ids that a client has chosen are kept in the file, in an extension (ECMA-376
// part 1, 19.2.1.12) of the object's p:cNvPr, which programs that do not know it
// leave alone. A page keeps its id with the root of its shape tree.
const (
	idExtension = "{9C4E0D2B-6B1A-4E0E-9A57-2F1B1C7C5D11}"
	idNamespace = "urn:platen:slides"
	drawingNS   = "http://schemas.openxmlformats.org/drawingml/2006/main"
)

// idPattern is Google's rule for ids.
var idPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_:-]{4,49}$`)

// ownID is the id that a client gave to an object; empty for none.
func ownID(properties *etree.Element) string {
	if e := idElement(properties); e != nil {
		return e.SelectAttrValue("id", "")
	}
	return ""
}

func idElement(properties *etree.Element) *etree.Element {
	list := child(properties, "extLst")
	if list == nil {
		return nil
	}
	for _, ext := range list.ChildElements() {
		if ext.SelectAttrValue("uri", "") == idExtension {
			return child(ext, "object")
		}
	}
	return nil
}

// setOwnID keeps an id; the empty one forgets what was kept.
func setOwnID(properties *etree.Element, id string) {
	if properties == nil {
		return
	}
	list := child(properties, "extLst")
	if list != nil {
		for _, ext := range list.ChildElements() {
			if ext.SelectAttrValue("uri", "") == idExtension {
				list.RemoveChild(ext)
			}
		}
		if len(list.ChildElements()) == 0 {
			properties.RemoveChild(list)
			list = nil
		}
	}
	if id == "" {
		return
	}
	if list == nil {
		list = etree.NewElement("a:extLst")
		list.CreateAttr("xmlns:a", drawingNS)
		properties.AddChild(list)
	}
	ext := etree.NewElement("a:ext")
	ext.CreateAttr("uri", idExtension)
	object := ext.CreateElement("platen:object")
	object.CreateAttr("xmlns:platen", idNamespace)
	object.CreateAttr("id", id)
	list.AddChild(ext)
}

// treeProperties is the p:cNvPr of a page's shape tree.
func treeProperties(root *etree.Element) *etree.Element {
	return child(child(child(child(root, "cSld"), "spTree"), "nvGrpSpPr"), "cNvPr")
}

// checkNewID refuses ids that cannot be given or that are in use.
func (b *batch) checkNewID(id string, invalid edit.RequestFault) error {
	if id == "" {
		return nil
	}
	if !idPattern.MatchString(id) {
		return invalid("The object ID (%.60s) must have 5 to 50 characters, the first of them a letter, a digit or _, the others also - or :.", id)
	}
	_, e := b.deck.object(id)
	if e != nil || b.deck.find(id) != nil || b.taken[id] {
		return invalid("The object ID (%s) should be unique among all pages and page elements in the presentation.", id)
	}
	return nil
}

// reread lays the objects of a page out anew.
func (p *page) reread() {
	p.taken = map[string]bool{}
	p.elements = p.objects(child(child(p.root, "cSld"), "spTree"), p.taken, 0)
}

// freeShape is a number that no shape of the page has.
func (p *page) freeShape() int64 {
	if p.shapes == 0 {
		p.shapes = 1
		eachElement(p.root, 0, func(e *etree.Element) {
			if e.Tag != "cNvPr" {
				return
			}
			if n, err := strconv.ParseInt(e.SelectAttrValue("id", ""), 10, 32); err == nil {
				p.shapes = max(p.shapes, n)
			}
		})
	}
	p.shapes++
	return p.shapes
}

// maxNewElements is how much XML the requests of one batch may add, in
// elements: a few bytes of a request must not become gigabytes of a
// presentation.
const maxNewElements = 300_000

// spend counts elements that a request adds.
func (b *batch) spend(elements int, invalid edit.RequestFault) error {
	if b.spent += elements; b.spent > maxNewElements {
		return invalid("The requests of one batch may add at most %d elements to the file.", maxNewElements)
	}
	return nil
}

func sizeOf(e *etree.Element) int {
	n := 1
	for _, c := range e.ChildElements() {
		n += sizeOf(c)
	}
	return n
}
