package slides

import (
	"path"
	"slices"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/edit"
)

// deletePage takes a slide out of the presentation: out of its list, its
// sections and its relationships. Nothing leads to the slide's part any more.
func (b *batch) deletePage(p *page, invalid edit.RequestFault) error {
	switch {
	case p.kind != "SLIDE":
		return invalid("This drive deletes no pages but slides.")
	case len(b.deck.slides) == 1:
		return invalid("The last slide of a presentation cannot be deleted.")
	}
	main := b.deck.pkg.MainPart()
	tree, err := b.deck.pkg.XML(main)
	if err != nil {
		return err
	}
	relation := ""
	eachElement(tree.Root(), 0, func(e *etree.Element) {
		if e.Tag == "sldId" && e.SelectAttrValue("id", "") == p.slide.ID {
			for _, a := range e.Attr {
				if a.Space == "r" && a.Key == "id" {
					relation = a.Value
				}
			}
			e.Parent().RemoveChild(e)
		}
	})
	b.deck.pkg.Touch(main)
	if err := b.dropRelation(main, relation); err != nil {
		return err
	}
	b.deck.slides = slices.DeleteFunc(b.deck.slides, func(s *page) bool { return s == p })
	b.noteChange(p)
	return nil
}

func (b *batch) dropRelation(part, id string) error {
	name := path.Join(path.Dir(part), "_rels", path.Base(part)+".rels")
	tree, err := b.deck.pkg.XML(name)
	if err != nil {
		return err
	}
	for _, e := range tree.Root().ChildElements() {
		if e.Tag == "Relationship" && id != "" && e.SelectAttrValue("Id", "") == id {
			tree.Root().RemoveChild(e)
			b.deck.pkg.Touch(name)
		}
	}
	return nil
}

func eachElement(e *etree.Element, depth int, do func(*etree.Element)) {
	if depth > maxNesting {
		return
	}
	for _, c := range e.ChildElements() {
		eachElement(c, depth+1, do)
		do(c)
	}
}
