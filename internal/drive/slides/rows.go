package slides

import (
	"strconv"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// maxNewRows is how many rows one request may add, as in Google's interface.
const maxNewRows = 20

// rowAt finds a row of a table that has the cell.
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
	if cells := cellElements(rows[at.RowIndex]); at.ColumnIndex < 0 || at.ColumnIndex >= int64(len(cells)) {
		return nil, nil, 0, invalid("The column index %d is not in the row, which has %d cells.", at.ColumnIndex, len(cells))
	}
	return p, rows, int(at.RowIndex), nil
}

func cellElements(row *etree.Element) []*etree.Element {
	var cells []*etree.Element
	for _, tc := range row.ChildElements() {
		if tc.Tag == "tc" {
			cells = append(cells, tc)
		}
	}
	return cells
}

// A rowSpan is the rows that a cell takes, the first and the one behind the last, with
// the cell of its first row.
type rowSpan struct {
	head        *etree.Element
	first, past int
}

// spanOf is that of the cell in a row and column: of a merged cell all of its rows.
func spanOf(rows []*etree.Element, row, column int) rowSpan {
	s := rowSpan{head: cellElements(rows[row])[column], first: row, past: row + 1}
	for at := row; isOn(s.head, "vMerge") && at > 0; at-- {
		above := cellElements(rows[at-1])
		if column >= len(above) {
			break
		}
		s.head, s.first = above[column], at-1
	}
	s.past = max(s.past, min(s.first+int(count(s.head, "rowSpan")), len(rows)))
	return s
}

// setRows has a merged cell take so many rows.
func (s rowSpan) setRows(n int) {
	s.head.RemoveAttr("rowSpan")
	if n > 1 {
		s.head.CreateAttr("rowSpan", strconv.Itoa(n))
	}
}

// insertTableRows adds empty rows that look like the one beside them: above all rows
// of the cell that is named, or below them. Merged cells that they go through take
// them, too.
func (b *batch) insertTableRows(r *gslides.InsertTableRowsRequest, invalid edit.RequestFault) error {
	p, rows, i, err := b.rowAt(r.TableObjectId, r.CellLocation, invalid)
	if err != nil {
		return err
	}
	if r.Number < 1 || r.Number > maxNewRows {
		return invalid("The number of rows to insert must be from 1 to %d.", maxNewRows)
	}
	named := spanOf(rows, i, int(r.CellLocation.ColumnIndex))
	model, at, below := named.first, named.first, 0
	if r.InsertBelow {
		model, at, below = named.past-1, named.past, 1
	}
	fresh := emptyRow(rows[model])
	for column, tc := range cellElements(fresh) {
		if s := spanOf(rows, model, column); s.first < at && at < s.past {
			s.setRows(s.past - s.first + int(r.Number))
			tc.CreateAttr("vMerge", "1")
		}
	}
	place := rows[model].Index() + below
	for range r.Number {
		rows[model].Parent().InsertChildAt(place, fresh.Copy())
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

// deleteTableRow removes all rows of the cell that is named. A merged cell that
// began in them begins below them.
func (b *batch) deleteTableRow(r *gslides.DeleteTableRowRequest, invalid edit.RequestFault) error {
	p, rows, i, err := b.rowAt(r.TableObjectId, r.CellLocation, invalid)
	if err != nil {
		return err
	}
	gone := spanOf(rows, i, int(r.CellLocation.ColumnIndex))
	if gone.past-gone.first == len(rows) {
		return invalid("Cannot remove the last row from a table.")
	}
	if gone.first > 0 {
		for column := range cellElements(rows[gone.first]) {
			if s := spanOf(rows, gone.first, column); s.first < gone.first {
				s.setRows(s.past - s.first - (min(s.past, gone.past) - gone.first))
			}
		}
	}
	if gone.past < len(rows) {
		for column, tc := range cellElements(rows[gone.past]) {
			if s := spanOf(rows, gone.past, column); gone.first <= s.first && s.first < gone.past {
				tc.RemoveAttr("vMerge")
				rowSpan{head: tc}.setRows(s.past - gone.past)
			}
		}
	}
	for _, row := range rows[gone.first:gone.past] {
		row.Parent().RemoveChild(row)
	}
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
	if r.TableRange.RowSpan < 1 || r.TableRange.ColumnSpan < 1 {
		return invalid("The row span and the column span of the table range must be at least 1.")
	}
	column := int(r.TableRange.Location.ColumnIndex)
	tc, s := cellElements(rows[i])[column], spanOf(rows, i, column)
	if isOn(tc, "hMerge") || s.first != i || int64(s.past-s.first) != r.TableRange.RowSpan || count(tc, "gridSpan") != r.TableRange.ColumnSpan {
		return invalid("This drive does not merge cells.")
	}
	return nil
}
