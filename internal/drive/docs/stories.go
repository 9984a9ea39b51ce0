package docs

import (
	"fmt"
	"path"
	"strings"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
)

// story is a kind of part that stands at the top or foot of every page.
type story struct {
	kind, root, reference, word string
}

var (
	headers = story{"header", "hdr", "headerReference", "header"}
	footers = story{"footer", "ftr", "footerReference", "footer"}
)

// create makes an empty header or footer for a section that has none.
func (b *batch) create(k story, kind string, at *gdocs.Location, invalid edit.RequestFault) (string, error) {
	if kind != "DEFAULT" {
		return "", invalid("The type of the %s must be DEFAULT.", k.word)
	}
	section, err := b.sectionAt(at, invalid)
	if err != nil {
		return "", err
	}
	for _, e := range section.ChildElements() {
		if e.Tag == k.reference && e.SelectAttrValue("w:type", "default") == "default" {
			return "", invalid("Default %s already exists.", k.word)
		}
	}
	main := b.pkg.MainPart()
	name := ""
	for n := 1; name == "" || b.pkg.Has(name); n++ {
		name = fmt.Sprintf("%s/%s%d.xml", path.Dir(main), k.kind, n)
	}
	b.pkg.SetPart(name, "application/vnd.openxmlformats-officedocument.wordprocessingml."+k.kind+"+xml",
		[]byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<w:`+k.root+
			` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="`+opc.RelsNS+`"><w:p/></w:`+k.root+`>`))
	relation, err := b.pkg.Relate(main, k.kind, "/"+name, false)
	if err != nil {
		return "", fmt.Errorf("add %s: %w", k.kind, err)
	}
	reference := etree.NewElement("w:" + k.reference)
	reference.CreateAttr("w:type", "default")
	edit.DeclarePrefix(reference, section, "r", opc.RelsNS)
	reference.CreateAttr("r:id", relation)
	section.InsertChildAt(0, reference)
	b.pkg.Touch(main)
	b.segments, b.editor = nil, nil
	return storyID(name), nil
}

// sectionAt returns the properties of the section that begins at an index,
// those of the first one where none is given.
func (b *batch) sectionAt(at *gdocs.Location, invalid edit.RequestFault) (*etree.Element, error) {
	index := int64(0)
	if at != nil {
		if at.SegmentId != "" {
			return nil, invalid("The section break must be in the body.")
		}
		index = at.Index
	}
	tab := ""
	if at != nil {
		tab = at.TabId
	}
	body, err := b.segment("", tab, invalid)
	if err != nil {
		return nil, err
	}
	for _, n := range body.nodes {
		if !n.isSection || n.start != index {
			continue
		}
		if n.sectPr == nil {
			n.sectPr = body.root.CreateElement("w:sectPr")
		}
		return n.sectPr, nil
	}
	return nil, invalid("There is no section break at index %d.", index)
}

// drop takes a header or footer out of every section that shows it.
func (b *batch) drop(k story, id, tab string, invalid edit.RequestFault) error {
	s, err := b.segment(id, tab, invalid)
	if err != nil {
		return err
	}
	if s.root.Tag != k.root {
		return invalid("Segment with ID %s is not a %s.", id, k.word)
	}
	main := b.pkg.MainPart()
	relations := map[string]bool{}
	for _, r := range b.pkg.Relationships(main) {
		if r.Type == k.kind && r.Target == s.part {
			relations[r.ID] = true
		}
	}
	tree, err := b.pkg.XML(main)
	if err != nil {
		return err
	}
	for _, e := range tree.Root().FindElements(".//w:" + k.reference) {
		if relations[e.SelectAttrValue("r:id", "")] {
			e.Parent().RemoveChild(e)
		}
	}
	b.pkg.Touch(main)
	b.segments, b.editor = nil, nil
	return b.unrelate(main, relations)
}

// unrelate removes relationships of a part. What they led to stays in the file,
// out of everybody's sight.
func (b *batch) unrelate(part string, ids map[string]bool) error {
	name := path.Join(path.Dir(part), "_rels", path.Base(part)+".rels")
	tree, err := b.pkg.XML(name)
	if err != nil {
		return err
	}
	for _, e := range tree.Root().ChildElements() {
		if strings.EqualFold(e.Tag, "Relationship") && ids[e.SelectAttrValue("Id", "")] {
			tree.Root().RemoveChild(e)
		}
	}
	data, err := tree.WriteToBytes()
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	// Setting the part has its relationships read anew.
	b.pkg.SetPart(name, "", data)
	return nil
}
