package slides

import (
	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// body finds the text of a shape or of a table's cell.
func (b *batch) body(id string, cell *gslides.TableCellLocation, invalid edit.RequestFault) (*page, *etree.Element, error) {
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
	tc := cellAt(t, cell.RowIndex, cell.ColumnIndex)
	if tc == nil {
		return nil, nil, invalid("The cell (%d, %d) is not in the table.", cell.RowIndex, cell.ColumnIndex)
	}
	body := child(tc, "txBody")
	if body == nil {
		return nil, nil, invalid("The cell (%d, %d) does not allow text editing.", cell.RowIndex, cell.ColumnIndex)
	}
	return p, body, nil
}

func (b *batch) insertText(r *gslides.InsertTextRequest, invalid edit.RequestFault) error {
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
			at, _ := edit.ByteOffset(p.text, r.InsertionIndex-p.start)
			edit.EditParagraph(p.elem, []edit.Edit{{Start: at, End: at, Text: edit.InsertableText(r.Text)}})
			break
		}
	}
	b.noteChange(page)
	return nil
}

func (b *batch) deleteText(r *gslides.DeleteTextRequest, invalid edit.RequestFault) error {
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
	b.noteChange(page)
	return nil
}

// span resolves a range against a text of this length.
func span(r *gslides.Range, length int64, invalid edit.RequestFault) (from, to int64, err error) {
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
		// A range that cuts a character of two units in half takes all of it.
		start, whole := edit.ByteOffset(p.text, from-p.start)
		if !whole {
			start, _ = edit.ByteOffset(p.text, from-p.start-1)
		}
		end, _ := edit.ByteOffset(p.text, min(to, p.end-1)-p.start)
		if start < end {
			edit.EditParagraph(p.elem, []edit.Edit{{Start: start, End: end}})
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
