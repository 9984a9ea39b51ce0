package docs

import (
	"errors"
	"fmt"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
)

// Google's editors read text that is suggested to be deleted as text, with indexes,
// beside text that is suggested to be inserted (suggestionsViewMode
// SUGGESTIONS_INLINE). Our drive reads so only where it is to behave like Google's.

// deletedMark is the attribute of what reads as text although it is deleted: its tag.
// It is never written.
const deletedMark = "platenDeleted"

// InlineSuggestions has deleted text of a package read as text. Tracked rows, styles
// and ends of paragraphs stay as they are. The package must be the caller's own.
func InlineSuggestions(p *opc.Package) error {
	return eachStory(p, showDeleted)
}

// GetInline is Get of a package after InlineSuggestions: text says by which suggestion
// it is inserted or deleted.
func GetInline(d *wml.Document, id, title, revision string) (*gdocs.Document, error) {
	p := newProjection(d)
	p.isInline = true
	return p.get(id, title, revision)
}

// ApplyInline is Apply to a package after InlineSuggestions, and takes that back. The
// deletion of text with suggestions fails with an error that is no RequestError, as
// Google answers 500.
func ApplyInline(d *wml.Document, id string, requests []*gdocs.Request) ([]*gdocs.Response, error) {
	b := &batch{pkg: d.Package, document: d, isInline: true}
	responses, err := edit.ApplyBatch(requests, b.apply)
	if err != nil {
		return nil, fmt.Errorf("update document %s: %w", id, err)
	}
	return responses, eachStory(d.Package, hideDeleted)
}

func eachStory(p *opc.Package, do func(*etree.Element)) error {
	for _, part := range edit.StoryParts(p) {
		tree, err := p.XML(part)
		if err != nil {
			return fmt.Errorf("read suggestions: %w", err)
		}
		do(tree.Root())
	}
	return nil
}

func showDeleted(e *etree.Element) {
	for _, c := range e.ChildElements() {
		showDeleted(c)
		if isDeletion(c) {
			c.CreateAttr(deletedMark, c.Tag)
			c.Tag = "ins"
			retag(c, "delText", "t")
			retag(c, "delInstrText", "instrText")
		}
	}
}

func hideDeleted(e *etree.Element) {
	for _, c := range e.ChildElements() {
		if tag := c.SelectAttrValue(deletedMark, ""); tag != "" {
			c.RemoveAttr(deletedMark)
			c.Tag = tag
			if tag == "del" {
				retag(c, "t", "delText")
				retag(c, "instrText", "delInstrText")
			}
		}
		hideDeleted(c)
	}
}

// isDeletion tells of a tracked deletion of text: in properties it has no content.
func isDeletion(e *etree.Element) bool {
	return e.Space == "w" && (e.Tag == "del" || e.Tag == "moveFrom") && len(e.Child) > 0
}

// retag renames what is in a tracked change itself, and not in one within it.
func retag(e *etree.Element, tag, as string) {
	for _, c := range e.ChildElements() {
		switch {
		case c.Space != "w" || c.Tag == "ins" || c.Tag == "moveTo" || isDeletion(c):
		case c.Tag == tag:
			c.Tag = as
		default:
			retag(c, tag, as)
		}
	}
}

// suggestionsOf are the ids of the suggestions that insert and delete a run.
func suggestionsOf(run *etree.Element) (inserted, deleted []string) {
	if run == nil {
		return nil, nil
	}
	for e := run.Parent(); e != nil && e.Tag != "p"; e = e.Parent() {
		if e.Space != "w" || e.Tag != "ins" && e.Tag != "moveTo" {
			continue
		}
		id := "suggest." + e.SelectAttrValue("w:id", "")
		if e.SelectAttrValue(deletedMark, "") != "" {
			deleted = append(deleted, id)
		} else {
			inserted = append(inserted, id)
		}
	}
	return inserted, deleted
}

var errSuggested = errors.New("text with suggestions is deleted, at which Google fails")

// checkSuggested refuses the deletion of a range in which text is suggested.
func (b *batch) checkSuggested(s *segment, from, to int64) error {
	if !b.isInline {
		return nil
	}
	for _, n := range findTouched(s.nodes, from, to, nil) {
		at := n.start
		for _, piece := range n.paragraph.pieces {
			end := at + edit.Units(piece.Text)
			if inserted, deleted := suggestionsOf(piece.Run); from < end && at < to && len(inserted)+len(deleted) > 0 {
				return errSuggested
			}
			at = end
		}
	}
	return nil
}
