package slides

import (
	"slices"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// updateSlidesPosition moves slides, which keep their order, before the slide that was
// at an index. In the file each joins the section of the slide before it; the first
// slide of all joins that of the slide after it.
func (b *batch) updateSlidesPosition(r *gslides.UpdateSlidesPositionRequest, invalid edit.RequestFault) error {
	moved, err := b.movedSlides(r.SlideObjectIds, invalid)
	if err != nil {
		return err
	}
	if r.InsertionIndex < 0 || r.InsertionIndex > int64(len(b.deck.slides)) {
		return invalid("The insertion index %d must be between 0 and the number of slides, %d.", r.InsertionIndex, len(b.deck.slides))
	}
	isMoved := func(p *page) bool { return slices.Contains(moved, p) }
	var before, behind []*page
	for i, p := range b.deck.slides {
		switch {
		case isMoved(p):
		case int64(i) < r.InsertionIndex:
			before = append(before, p)
		default:
			behind = append(behind, p)
		}
	}
	main := b.deck.pkg.MainPart()
	tree, err := b.deck.pkg.XML(main)
	if err != nil {
		return err
	}
	beside, after := "", true
	switch {
	case len(before) > 0:
		beside = before[len(before)-1].slide.ID
	case len(behind) > 0:
		beside, after = behind[0].slide.ID, false
	default:
		return nil // all move, and so none does
	}
	lists := slideLists(tree.Root())
	for _, p := range moved {
		moveEntries(lists, p.slide.ID, beside, after)
		beside, after = p.slide.ID, true
	}
	b.deck.pkg.Touch(main)
	b.deck.slides = slices.Concat(before, moved, behind)
	return nil
}

// movedSlides finds the slides that a request names, which must name them in their
// order and each once.
func (b *batch) movedSlides(ids []string, invalid edit.RequestFault) ([]*page, error) {
	if len(ids) == 0 {
		return nil, invalid("At least one slide (slideObjectIds) must be specified.")
	}
	moved := make([]*page, 0, len(ids))
	last := -1
	for _, id := range ids {
		at := slices.IndexFunc(b.deck.slides, func(p *page) bool { return p.id == id })
		switch {
		case at < 0:
			return nil, invalid("The slide (%.60s) could not be found.", id)
		case at <= last:
			return nil, invalid("The slides must be in their order in the presentation, without duplicates: %s.", id)
		}
		moved, last = append(moved, b.deck.slides[at]), at
	}
	return moved, nil
}

// slideLists are the list of all slides and those of sections.
func slideLists(root *etree.Element) []*etree.Element {
	var all []*etree.Element
	eachElement(root, 0, func(e *etree.Element) {
		if e.Tag == "sldIdLst" {
			all = append(all, e)
		}
	})
	return all
}

// moveEntries takes the entries of a slide out of each list, and puts them beside that
// of another.
func moveEntries(lists []*etree.Element, id, beside string, after bool) {
	for _, list := range lists {
		entry := entryOf(list, id)
		if entry == nil {
			continue
		}
		into := list
		if entryOf(list, beside) == nil {
			// Of the lists of sections, the neighbour stands in another one.
			for _, other := range lists {
				if other != list && other.Space == list.Space && entryOf(other, beside) != nil {
					into = other
				}
			}
		}
		near := entryOf(into, beside)
		if near == nil {
			continue // a slide in no section
		}
		list.RemoveChild(entry)
		at := near.Index()
		if after {
			at++
		}
		into.InsertChildAt(at, entry)
	}
}

func entryOf(list *etree.Element, id string) *etree.Element {
	for _, e := range list.ChildElements() {
		if e.Tag == "sldId" && e.SelectAttrValue("id", "") == id {
			return e
		}
	}
	return nil
}
