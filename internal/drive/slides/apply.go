package slides

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/office"
)

// maxRequests bounds one batch; Google's own limit is not published.
const maxRequests = 10_000

// Apply carries out the requests in their order, each on what the one before
// it left, and returns one response for each. A fault in any of them is an
// *office.RequestError and leaves p half edited: throw it away and the file is
// as it was. After success the resolved nodes of p are out of date; its
// Package, and what Bytes writes, are not.
func Apply(p *office.Presentation, id string, requests []*gslides.Request) ([]*gslides.Response, error) {
	if len(requests) > maxRequests {
		return nil, &office.RequestError{Message: fmt.Sprintf("Too many requests: %d, at most %d in one batch.", len(requests), maxRequests)}
	}
	d, err := open(p)
	if err != nil {
		return nil, fmt.Errorf("lay out presentation %s: %w", id, err)
	}
	b := &batch{deck: d}
	responses := make([]*gslides.Response, 0, len(requests))
	for i, r := range requests {
		response, err := b.apply(i, r)
		if err != nil {
			return nil, fmt.Errorf("update presentation %s: %w", id, err)
		}
		responses = append(responses, response)
	}
	return responses, nil
}

// batch holds what the requests share. The editor keeps its reading of the
// paragraphs until another kind of edit makes it stale.
type batch struct {
	deck   *deck
	editor *office.Editor
}

// fault makes an error in Google's words: which request, which kind, what.
type fault func(format string, args ...any) error

func (b *batch) apply(i int, r *gslides.Request) (*gslides.Response, error) {
	kinds := requestKinds(r)
	place := fmt.Sprintf("Invalid requests[%d]", i)
	switch {
	case len(kinds) == 0:
		return nil, &office.RequestError{Message: place + ": No request set."}
	case len(kinds) > 1:
		return nil, &office.RequestError{Message: place + ": Only one kind of request may be set, found " + strings.Join(kinds, ", ") + "."}
	}
	invalid := func(format string, args ...any) error {
		return &office.RequestError{Message: place + "." + kinds[0] + ": " + fmt.Sprintf(format, args...)}
	}
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
	}
	return nil, invalid("This drive does not support this kind of request.")
}

// requestKinds returns the JSON names of the fields that a request sets.
func requestKinds(r *gslides.Request) []string {
	if r == nil {
		return nil
	}
	v := reflect.ValueOf(r).Elem()
	var kinds []string
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			kinds = append(kinds, name)
		}
	}
	return kinds
}

func (b *batch) replaceAllText(r *gslides.ReplaceAllTextRequest, invalid fault) (int, error) {
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
		editor, err := office.NewEditor(b.deck.pkg)
		if err != nil {
			return 0, err
		}
		b.editor = editor
	}
	return b.editor.ReplaceText(r.ContainsText.Text, insertable(r.ReplaceText), r.ContainsText.MatchCase, parts...), nil
}

// insertable strips what Google strips from inserted text: U+0000 to U+0008,
// U+000C to U+001F and U+E000 to U+F8FF.
func insertable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r <= 8, 0x0C <= r && r <= 0x1F, 0xE000 <= r && r <= 0xF8FF:
			return -1
		}
		return r
	}, text)
}

// changed says that an edit other than replacement was made on a page.
func (b *batch) changed(p *page) {
	b.deck.pkg.Touch(p.part)
	b.editor = nil
}

// body finds the text of a shape or of a table's cell.
func (b *batch) body(id string, cell *gslides.TableCellLocation, invalid fault) (*page, *etree.Element, error) {
	p, e := b.deck.object(id)
	if e == nil {
		return nil, nil, invalid("The object (%s) could not be found.", id)
	}
	if cell == nil {
		body := child(e.elem, "txBody")
		if e.elem.Tag != "sp" || body == nil {
			return nil, nil, invalid("The object (%s) does not allow text editing.", id)
		}
		return p, body, nil
	}
	t := tableOf(e.elem)
	if t == nil {
		return nil, nil, invalid("The object (%s) is not a table.", id)
	}
	rows := cellsOf(t)
	if cell.RowIndex < 0 || cell.RowIndex >= int64(len(rows)) || cell.ColumnIndex < 0 || cell.ColumnIndex >= int64(len(rows[cell.RowIndex])) {
		return nil, nil, invalid("The cell (%d, %d) is not in the table.", cell.RowIndex, cell.ColumnIndex)
	}
	body := child(rows[cell.RowIndex][cell.ColumnIndex], "txBody")
	if body == nil {
		return nil, nil, invalid("The cell (%d, %d) does not allow text editing.", cell.RowIndex, cell.ColumnIndex)
	}
	return p, body, nil
}

func (b *batch) insertText(r *gslides.InsertTextRequest, invalid fault) error {
	if r.Text == "" {
		return invalid("The text to insert must not be empty.")
	}
	page, body, err := b.body(r.ObjectId, r.CellLocation, invalid)
	if err != nil {
		return err
	}
	if len(paragraphs(body)) == 0 {
		body.AddChild(etree.NewElement("a:p"))
	}
	all := paragraphs(body)
	if end := all[len(all)-1].end - 1; r.InsertionIndex < 0 || r.InsertionIndex > end {
		return invalid("The insertion index %d should not be greater than the existing text length, %d.", r.InsertionIndex, end)
	}
	for _, p := range all {
		if r.InsertionIndex < p.end {
			at := byteOffset(p.text, r.InsertionIndex-p.start)
			office.EditParagraph(p.elem, []office.Edit{{Start: at, End: at, Text: insertable(r.Text)}})
			break
		}
	}
	b.changed(page)
	return nil
}

func (b *batch) deleteText(r *gslides.DeleteTextRequest, invalid fault) error {
	page, body, err := b.body(r.ObjectId, r.CellLocation, invalid)
	if err != nil {
		return err
	}
	all := paragraphs(body)
	if len(all) == 0 {
		return nil
	}
	// The line feed at the end of the text cannot be deleted.
	length := all[len(all)-1].end - 1
	from, to, err := span(r.TextRange, length, invalid)
	if err != nil {
		return err
	}
	deleteSpan(body, all, from, to)
	b.changed(page)
	return nil
}

// span resolves a range against a text of this length.
func span(r *gslides.Range, length int64, invalid fault) (from, to int64, err error) {
	if r == nil {
		return 0, 0, invalid("The text range must be specified.")
	}
	from, to = 0, length
	switch r.Type {
	case "ALL":
		if r.StartIndex != nil || r.EndIndex != nil {
			return 0, 0, invalid("A range of type ALL must not specify startIndex or endIndex.")
		}
		return from, to, nil
	case "FROM_START_INDEX":
		if r.StartIndex == nil || r.EndIndex != nil {
			return 0, 0, invalid("A range of type FROM_START_INDEX must specify startIndex and no endIndex.")
		}
		from = *r.StartIndex
	case "FIXED_RANGE":
		if r.StartIndex == nil || r.EndIndex == nil {
			return 0, 0, invalid("A range of type FIXED_RANGE must specify startIndex and endIndex.")
		}
		from, to = *r.StartIndex, *r.EndIndex
	default:
		return 0, 0, invalid("The range type must be ALL, FROM_START_INDEX or FIXED_RANGE.")
	}
	switch {
	case from < 0 || from >= to:
		return 0, 0, invalid("The startIndex %d must be less than the endIndex %d.", from, to)
	case to > length:
		return 0, 0, invalid("The endIndex %d should not be greater than the existing text length, %d.", to, length)
	}
	return from, to, nil
}

// deleteSpan deletes text. A paragraph whose line feed goes is joined by the
// rest of the one that the span ends in.
func deleteSpan(body *etree.Element, all []*paragraph, from, to int64) {
	var first *paragraph
	for _, p := range all {
		if p.end <= from || to < p.start {
			continue
		}
		start, end := max(from-p.start, 0), min(to, p.end-1)-p.start
		if edit := (office.Edit{Start: byteOffset(p.text, start), End: byteOffset(p.text, end)}); edit.Start < edit.End {
			office.EditParagraph(p.elem, []office.Edit{edit})
		}
		if first == nil {
			first = p
			continue
		}
		for _, e := range p.elem.ChildElements() {
			if e.Tag != "pPr" && e.Tag != "endParaRPr" {
				insertRun(first.elem, e)
			}
		}
		body.RemoveChild(p.elem)
	}
}

// insertRun puts a run at the end of a paragraph, before a:endParaRPr.
func insertRun(p, run *etree.Element) {
	if end := child(p, "endParaRPr"); end != nil {
		p.InsertChildAt(end.Index(), run)
		return
	}
	p.AddChild(run)
}

// deleteObject removes an object from its page, and a group that it leaves
// empty.
func (b *batch) deleteObject(r *gslides.DeleteObjectRequest, invalid fault) error {
	if b.deck.find(r.ObjectId) != nil {
		return invalid("This drive does not support deleting pages.")
	}
	p, e := b.deck.object(r.ObjectId)
	if e == nil {
		return invalid("The object (%s) could not be found.", r.ObjectId)
	}
	gone := e.elem
	for parent := gone.Parent(); parent != nil; parent = gone.Parent() {
		parent.RemoveChild(gone)
		if parent.Tag != "grpSp" || len(p.objects(parent, map[string]bool{}, 0)) > 0 {
			break
		}
		gone = parent
	}
	p.forget(r.ObjectId)
	b.changed(p)
	return nil
}

// forget drops an object, and groups that it leaves empty, from the page.
func (p *page) forget(id string) {
	p.elements = without(p.elements, id)
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
