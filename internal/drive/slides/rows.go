package slides

import (
	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// maxNewRows is how many rows one request may add, as in Google's interface.
const maxNewRows = 20

// rowAt finds a row of a table.
func (b *batch) rowAt(id string, at *gslides.TableCellLocation, invalid edit.RequestFault) (*page, []*etree.Element, int, error) {
	p, e := b.deck.object(id)
	if e == nil {
		return nil, nil, 0, invalid("The object (%s) could not be found.", id)
	}
	t := tableOf(e.elem)
	if t == nil {
		return nil, nil, 0, invalid("The object (%s) is not a table.", id)
	}
	if at == nil {
		return nil, nil, 0, invalid("The cell location must be specified.")
	}
	var rows []*etree.Element
	for _, tr := range t.ChildElements() {
		if tr.Tag == "tr" {
			rows = append(rows, tr)
		}
	}
	if at.RowIndex < 0 || at.RowIndex >= int64(len(rows)) {
		return nil, nil, 0, invalid("The row index %d is not in the table, which has %d rows.", at.RowIndex, len(rows))
	}
	return p, rows, int(at.RowIndex), nil
}

// insertTableRows adds empty rows that look like the one beside them.
func (b *batch) insertTableRows(r *gslides.InsertTableRowsRequest, invalid edit.RequestFault) error {
	p, rows, i, err := b.rowAt(r.TableObjectId, r.CellLocation, invalid)
	if err != nil {
		return err
	}
	number := max(r.Number, 1)
	if number > maxNewRows {
		return invalid("At most %d rows can be inserted at once.", maxNewRows)
	}
	beside := rows[i]
	at := beside.Index()
	if r.InsertBelow {
		at++
	}
	for range number {
		beside.Parent().InsertChildAt(at, emptyRow(beside))
	}
	b.noteChange(p)
	return nil
}

// emptyRow copies a row with one empty paragraph in each cell. What is written
// into it looks like the first text of the cell.
func emptyRow(row *etree.Element) *etree.Element {
	fresh := row.Copy()
	// Extensions hold ids that must differ.
	for _, e := range fresh.ChildElements() {
		if e.Tag == "extLst" {
			fresh.RemoveChild(e)
		}
	}
	for _, tc := range fresh.ChildElements() {
		if tc.Tag != "tc" {
			continue
		}
		// A cell that is merged downwards ends above the new row.
		tc.RemoveAttr("rowSpan")
		tc.RemoveAttr("vMerge")
		body := child(tc, "txBody")
		for i, p := range paragraphElements(body) {
			if i > 0 {
				body.RemoveChild(p)
				continue
			}
			emptyParagraph(p)
		}
	}
	return fresh
}

func paragraphElements(body *etree.Element) []*etree.Element {
	var all []*etree.Element
	if body == nil {
		return nil
	}
	for _, e := range body.ChildElements() {
		if e.Tag == "p" {
			all = append(all, e)
		}
	}
	return all
}

// emptyParagraph takes the text out; its end looks as the text did.
func emptyParagraph(p *etree.Element) {
	var style *etree.Element
	for _, e := range p.ChildElements() {
		switch e.Tag {
		case "pPr":
			continue
		case "endParaRPr":
			if style != nil {
				p.RemoveChild(e)
			}
			continue
		case "r":
			if own := child(e, "rPr"); style == nil && own != nil {
				style = own.Copy()
			}
		}
		p.RemoveChild(e)
	}
	if style != nil {
		if end := child(p, "endParaRPr"); end != nil {
			p.RemoveChild(end)
		}
		style.Tag = "endParaRPr"
		p.AddChild(style)
	}
}

// deleteTableRow removes a row, and the table with its last row.
func (b *batch) deleteTableRow(r *gslides.DeleteTableRowRequest, invalid edit.RequestFault) error {
	p, rows, i, err := b.rowAt(r.TableObjectId, r.CellLocation, invalid)
	if err != nil {
		return err
	}
	if len(rows) == 1 {
		return b.deleteObject(&gslides.DeleteObjectRequest{ObjectId: r.TableObjectId}, invalid)
	}
	rows[i].Parent().RemoveChild(rows[i])
	b.noteChange(p)
	return nil
}

// mergeTableCells accepts cells that are one already, as those of a row that
// was inserted beside one with merged cells.
func (b *batch) mergeTableCells(r *gslides.MergeTableCellsRequest, invalid edit.RequestFault) error {
	if r.TableRange == nil {
		return invalid("The table range must be specified.")
	}
	_, rows, i, err := b.rowAt(r.ObjectId, r.TableRange.Location, invalid)
	if err != nil {
		return err
	}
	column := int64(0)
	for _, tc := range rows[i].ChildElements() {
		if tc.Tag != "tc" {
			continue
		}
		if column == r.TableRange.Location.ColumnIndex && r.TableRange.RowSpan <= 1 && count(tc, "gridSpan") >= r.TableRange.ColumnSpan {
			return nil
		}
		column++
	}
	return invalid("This drive does not merge cells.")
}
