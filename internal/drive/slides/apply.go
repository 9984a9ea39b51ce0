package slides

import (
	"errors"
	"fmt"
	"slices"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
)

// Apply carries out the requests in their order, each on what the one before
// it left, and returns one response for each. A fault in any of them is an
// *opc.RequestError and leaves p half edited: throw it away and the file is
// as it was. After success the resolved nodes of p are out of date; its
// Package, and what Bytes writes, are not.
func Apply(p *pml.Presentation, id string, requests []*gslides.Request) ([]*gslides.Response, error) {
	d, err := open(p)
	if err != nil {
		return nil, fmt.Errorf("lay out presentation %s: %w", id, err)
	}
	b := &batch{deck: d}
	if slices.ContainsFunc(requests, givesStyle) {
		b.styles = learnStyles(d)
	}
	responses, err := edit.ApplyBatch(requests, b.apply)
	if err != nil {
		return nil, fmt.Errorf("update presentation %s: %w", id, err)
	}
	return responses, nil
}

// batch holds what the requests share. The editor keeps its reading of the
// paragraphs until another kind of edit makes it stale.
type batch struct {
	deck    *deck
	editor  *edit.Editor
	styles  *knownStyles    // as they were before the batch, if it gives styles
	spent   int             // elements that were added
	copied  int             // bytes of parts that were copied
	taken   map[string]bool // ids that are promised to objects that come
	bitmaps opc.Bitmaps
}

func (b *batch) apply(r *gslides.Request, invalid edit.RequestFault) (*gslides.Response, error) {
	response := &gslides.Response{}
	switch {
	case r.ReplaceAllText != nil:
		count, err := b.replaceAllText(r.ReplaceAllText, invalid)
		response.ReplaceAllText = &gslides.ReplaceAllTextResponse{OccurrencesChanged: int64(count)}
		return response, err
	case r.InsertText != nil:
		return response, b.insertText(r.InsertText, invalid)
	case r.DeleteText != nil:
		return response, b.deleteText(r.DeleteText, invalid)
	case r.DeleteObject != nil:
		return response, b.deleteObject(r.DeleteObject, invalid)
	case r.ReplaceAllShapesWithImage != nil:
		count, err := b.replaceAllShapesWithImage(r.ReplaceAllShapesWithImage, invalid)
		response.ReplaceAllShapesWithImage = &gslides.ReplaceAllShapesWithImageResponse{OccurrencesChanged: int64(count)}
		return response, err
	case r.ReplaceImage != nil:
		return response, b.replaceImage(r.ReplaceImage, invalid)
	case r.InsertTableRows != nil:
		return response, b.insertTableRows(r.InsertTableRows, invalid)
	case r.DeleteTableRow != nil:
		return response, b.deleteTableRow(r.DeleteTableRow, invalid)
	case r.MergeTableCells != nil:
		return response, b.mergeTableCells(r.MergeTableCells, invalid)
	case r.UpdateTextStyle != nil:
		return response, b.updateTextStyle(r.UpdateTextStyle, invalid)
	case r.UpdateParagraphStyle != nil:
		return response, b.updateParagraphStyle(r.UpdateParagraphStyle, invalid)
	case r.CreateParagraphBullets != nil:
		return response, b.createParagraphBullets(r.CreateParagraphBullets, invalid)
	case r.DeleteParagraphBullets != nil:
		return response, b.deleteParagraphBullets(r.DeleteParagraphBullets, invalid)
	}
	return b.applyMaking(r, response, invalid)
}

// applyMaking carries out the requests that make objects, or move them.
func (b *batch) applyMaking(r *gslides.Request, response *gslides.Response, invalid edit.RequestFault) (*gslides.Response, error) {
	switch {
	case r.CreateSlide != nil:
		id, err := b.createSlide(r.CreateSlide, invalid)
		response.CreateSlide = &gslides.CreateSlideResponse{ObjectId: id}
		return response, err
	case r.CreateShape != nil:
		id, err := b.createShape(r.CreateShape, invalid)
		response.CreateShape = &gslides.CreateShapeResponse{ObjectId: id}
		return response, err
	case r.CreateImage != nil:
		id, err := b.createImage(r.CreateImage, invalid)
		response.CreateImage = &gslides.CreateImageResponse{ObjectId: id}
		return response, err
	case r.CreateTable != nil:
		id, err := b.createTable(r.CreateTable, invalid)
		response.CreateTable = &gslides.CreateTableResponse{ObjectId: id}
		return response, err
	case r.DuplicateObject != nil:
		id, err := b.duplicateObject(r.DuplicateObject, invalid)
		response.DuplicateObject = &gslides.DuplicateObjectResponse{ObjectId: id}
		return response, err
	case r.UpdateSlidesPosition != nil:
		return response, b.updateSlidesPosition(r.UpdateSlidesPosition, invalid)
	case r.UpdatePageElementAltText != nil:
		return response, b.updateAltText(r.UpdatePageElementAltText, invalid)
	case r.UpdatePageElementTransform != nil:
		return response, b.updatePageElementTransform(r.UpdatePageElementTransform, invalid)
	}
	return nil, invalid("This drive does not support this kind of request.")
}

func (b *batch) replaceAllText(r *gslides.ReplaceAllTextRequest, invalid edit.RequestFault) (int, error) {
	switch {
	case r.ContainsText == nil || r.ContainsText.Text == "":
		return 0, invalid("The text to find (containsText.text) must not be empty.")
	case r.ContainsText.SearchByRegex:
		return 0, invalid("This drive does not support containsText.searchByRegex.")
	}
	var parts []string
	for _, id := range r.PageObjectIds {
		p := b.deck.find(id)
		if p == nil {
			return 0, invalid("The page (%s) could not be found.", id)
		}
		parts = append(parts, p.part)
	}
	if b.editor == nil {
		editor, err := edit.NewEditor(b.deck.pkg)
		if err != nil {
			return 0, err
		}
		b.editor = editor
	}
	charts, err := edit.FillCharts(b.deck.pkg, r.ContainsText.Text, r.ReplaceText, parts...)
	if fault, ok := errors.AsType[*opc.RequestError](err); ok {
		return 0, invalid("%s", fault.Message)
	}
	if err != nil || charts > 0 {
		return charts, err
	}
	return b.editor.ReplaceText(r.ContainsText.Text, edit.InsertableText(r.ReplaceText), r.ContainsText.MatchCase, parts...), nil
}

// noteChange says that an edit other than replacement was made on a page.
func (b *batch) noteChange(p *page) {
	b.deck.pkg.Touch(p.part)
	b.editor = nil
}

// deleteObject removes an object from its page, and a group that it leaves
// empty.
func (b *batch) deleteObject(r *gslides.DeleteObjectRequest, invalid edit.RequestFault) error {
	if page := b.deck.find(r.ObjectId); page != nil {
		return b.deletePage(page, invalid)
	}
	p, e := b.deck.object(r.ObjectId)
	if e == nil {
		return invalid("The object (%s) could not be found.", r.ObjectId)
	}
	gone := e.elem
	for parent := gone.Parent(); parent != nil; parent = gone.Parent() {
		if parent.Tag == "Choice" || parent.Tag == "Fallback" {
			gone = parent.Parent()
			continue
		}
		parent.RemoveChild(gone)
		if parent.Tag != "grpSp" || len(p.objects(parent, map[string]bool{}, 0)) > 0 {
			break
		}
		gone = parent
	}
	p.stopAnimating(e.elem)
	p.forget(r.ObjectId)
	b.noteChange(p)
	return nil
}

// stopAnimating takes the animations off a page where they move an object that
// is gone: PowerPoint repairs a file in which they do.
func (p *page) stopAnimating(gone *etree.Element) {
	timing, properties := child(p.root, "timing"), shapeProperties(gone)
	if timing == nil || properties == nil {
		return
	}
	id := properties.SelectAttrValue("id", "")
	for _, target := range timing.FindElements(".//p:spTgt") {
		if target.SelectAttrValue("spid", "") == id {
			p.root.RemoveChild(timing)
			return
		}
	}
}

// forget drops an object, and groups that it leaves empty, from the page.
func (p *page) forget(id string) {
	p.elements = without(p.elements, id)
	delete(p.taken, id)
}

func without(elements []*element, id string) []*element {
	var kept []*element
	for _, e := range elements {
		if e.id == id {
			continue
		}
		if e.elem.Tag == "grpSp" {
			if e.children = without(e.children, id); len(e.children) == 0 {
				continue
			}
		}
		kept = append(kept, e)
	}
	return kept
}
