package slides

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
)

// duplicateObject copies a slide behind itself, or an object before itself on
// its page. Ids of the copies are made, or come from the request.
func (b *batch) duplicateObject(r *gslides.DuplicateObjectRequest, invalid edit.RequestFault) (string, error) {
	source := b.deck.find(r.ObjectId)
	p, e := b.deck.object(r.ObjectId)
	var inside []*element
	switch {
	case source != nil && source.kind != "SLIDE":
		return "", invalid("This drive duplicates no pages but slides.")
	case source != nil:
		inside = source.elements
	case e != nil:
		inside = []*element{e}
	default:
		return "", invalid("The object (%s) could not be found.", r.ObjectId)
	}
	if err := b.checkNewIDs(r, inside, invalid); err != nil {
		return "", err
	}
	if source != nil {
		return b.duplicateSlide(source, r.ObjectIds, invalid)
	}
	return b.duplicateElement(p, e, r.ObjectIds, invalid)
}

// checkNewIDs refuses ids for objects outside the copy, and ids that are invalid or taken.
func (b *batch) checkNewIDs(r *gslides.DuplicateObjectRequest, inside []*element, invalid edit.RequestFault) error {
	given := map[string]bool{}
	// In order, so that the same request has always the same fault.
	olds := make([]string, 0, len(r.ObjectIds))
	for old := range r.ObjectIds {
		olds = append(olds, old)
	}
	slices.Sort(olds)
	for _, old := range olds {
		id := r.ObjectIds[old]
		if old != r.ObjectId && findElement(inside, old) == nil {
			return invalid("The object (%.60s) in objectIds is not part of what is duplicated.", old)
		}
		if err := b.checkNewID(id, invalid); err != nil {
			return err
		}
		if given[id] && id != "" {
			return invalid("The object ID (%s) should be unique among all pages and page elements in the presentation.", id)
		}
		given[id] = true
	}
	return nil
}

func (b *batch) duplicateElement(p *page, e *element, ids map[string]string, invalid edit.RequestFault) (string, error) {
	copied := e.elem.Copy()
	if err := b.spend(sizeOf(copied), invalid); err != nil {
		return "", err
	}
	eachElement(copied, 0, func(c *etree.Element) {
		if c.Tag == "cNvPr" {
			setOwnID(c, "")
			c.CreateAttr("id", strconv.FormatInt(p.freeShape(), 10))
		}
	})
	behind := e.elem
	for parent := behind.Parent(); parent.Tag == "Choice" || parent.Tag == "Fallback"; parent = behind.Parent() {
		behind = parent.Parent()
	}
	behind.Parent().InsertChildAt(behind.Index()+1, copied)
	twin := &element{elem: copied}
	if copied.Tag == "grpSp" {
		twin.children = p.objects(copied, map[string]bool{}, 0)
	}
	carryIDs([]*element{e}, []*element{twin}, ids)
	p.reread()
	b.noteChange(p)
	return p.idOf(copied), nil
}

// carryIDs gives copies the ids that the request has for their originals. Both
// lists are of one structure.
func carryIDs(originals, copies []*element, ids map[string]string) {
	for i, e := range originals {
		if i >= len(copies) {
			return
		}
		setOwnID(shapeProperties(copies[i].elem), ids[e.id])
		carryIDs(e.children, copies[i].children, ids)
	}
}

func (b *batch) duplicateSlide(source *page, ids map[string]string, invalid edit.RequestFault) (string, error) {
	if err := b.spend(sizeOf(source.root), invalid); err != nil {
		return "", err
	}
	pkg := b.deck.pkg
	content, err := b.written(source.part)
	if err != nil {
		return "", err
	}
	p, err := b.newSlide(path.Dir(source.part), content, slices.Index(b.deck.slides, source)+1, invalid)
	if err != nil {
		return "", err
	}
	p.slide.Layout, p.slide.Master = source.slide.Layout, source.slide.Master
	if err := b.copySlideRelations(source.part, p.part, invalid); err != nil {
		return "", err
	}
	eachElement(p.root, 0, func(e *etree.Element) {
		if e.Tag == "cNvPr" {
			setOwnID(e, "")
		}
	})
	p.reread()
	carryIDs(source.elements, p.elements, ids)
	pkg.Touch(p.part)
	b.name(p, ids[source.id])
	if notes := b.deck.notes[source.part]; notes != nil {
		if err := b.duplicateNotes(notes, p, invalid); err != nil {
			return "", err
		}
	}
	return p.id, nil
}

// duplicateNotes gives a new slide a copy of another's notes.
func (b *batch) duplicateNotes(notes, of *page, invalid edit.RequestFault) error {
	if err := b.spend(sizeOf(notes.root), invalid); err != nil {
		return err
	}
	pkg := b.deck.pkg
	content, err := b.written(notes.part)
	if err != nil {
		return err
	}
	part := freePart(pkg, path.Dir(notes.part)+"/notesSlide", ".xml")
	pkg.SetPart(part, notesType, content)
	err = b.copyRelations(notes.part, part, func(r opc.Relationship, e *etree.Element) bool {
		if r.Type == "slide" {
			e.CreateAttr("Target", "/"+of.part)
		}
		return true
	})
	if err != nil {
		return err
	}
	if _, err := pkg.Relate(of.part, "notesSlide", "/"+part, false); err != nil {
		return fmt.Errorf("add notes: %w", err)
	}
	copied, err := b.deck.page(of.id+"_notes", "NOTES", part)
	if err != nil {
		return err
	}
	b.deck.notes[of.part] = copied
	return nil
}
