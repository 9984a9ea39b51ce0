package docs

import (
	"strings"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// tableAt finds the table that begins at an index, and a row of it that has the
// cell.
func (b *batch) tableAt(at *gdocs.TableCellLocation, invalid edit.RequestFault) (*segment, *table, int, error) {
	if at == nil || at.TableStartLocation == nil {
		return nil, nil, 0, invalid("The table cell location must be specified.")
	}
	start := at.TableStartLocation
	s, err := b.segment(start.SegmentId, start.TabId, invalid)
	if err != nil {
		return nil, nil, 0, err
	}
	t := tableStarting(s.nodes, start.Index)
	switch {
	case t == nil:
		return nil, nil, 0, invalid("Table start location %d does not point at a table.", start.Index)
	case at.RowIndex < 0 || at.RowIndex >= int64(len(t.rows)):
		return nil, nil, 0, invalid("The row index %d is not in the table, which has %d rows.", at.RowIndex, len(t.rows))
	}
	if cells := int64(len(t.rows[at.RowIndex].cells)); at.ColumnIndex < 0 || at.ColumnIndex >= cells {
		return nil, nil, 0, invalid("The column index %d is not in the row, which has %d cells.", at.ColumnIndex, cells)
	}
	return s, t, int(at.RowIndex), nil
}

func tableStarting(nodes []*node, index int64) *table {
	for _, n := range nodes {
		if n.table == nil || index < n.start || index >= n.end {
			continue
		}
		if n.start == index {
			return n.table
		}
		if c := cellAt(n, index); c != nil {
			return tableStarting(c.nodes, index)
		}
	}
	return nil
}

// insertTableRow adds an empty row that looks like the one beside it: above all
// rows of the cell that is named, or below them. Merged cells that it goes through
// take it, too.
func (b *batch) insertTableRow(r *gdocs.InsertTableRowRequest, invalid edit.RequestFault) error {
	s, t, i, err := b.tableAt(r.TableCellLocation, invalid)
	if err != nil {
		return err
	}
	if err := b.newCells(int64(len(t.rows[i].cells)), invalid); err != nil {
		return err
	}
	first, past := t.rowsOf(i, r.TableCellLocation.ColumnIndex)
	model, at, below := first, first, 0
	if r.InsertBelow {
		model, at, below = past-1, past, 1
	}
	beside := t.rows[model].elem
	fresh := emptyRow(beside)
	for _, c := range gridOf(fresh) {
		if mergeOf(c.elem) != "" {
			from, to := t.rowsOf(model, c.first)
			setMerge(c.elem, from < at && at < to)
		}
	}
	beside.Parent().InsertChildAt(beside.Index()+below, fresh)
	b.addRow(s, t, at, fresh)
	return nil
}

// emptyRow copies a row with one empty paragraph in each cell. What is written
// into it looks like the first text of the cell.
func emptyRow(row *etree.Element) *etree.Element {
	fresh := bare(row)
	eachWithin(row, "tc", 0, func(tc *etree.Element) { fresh.AddChild(emptyCell(tc)) })
	return fresh
}

func emptyCell(tc *etree.Element) *etree.Element {
	fresh := bare(tc)
	paragraph := etree.NewElement("w:p")
	first := false
	eachBlock(tc, 0, func(e *etree.Element) {
		if first || e.Tag != "p" {
			return
		}
		first = true
		if properties := child(e, "pPr"); properties != nil {
			paragraph.AddChild(properties.Copy())
		}
		if pieces := edit.ParagraphPieces(e); len(pieces) > 0 && pieces[0].Run != nil {
			giveMarkStyle(paragraph, child(pieces[0].Run, "rPr"))
		}
	})
	fresh.AddChild(paragraph)
	return fresh
}

// bare copies an element with its properties alone.
func bare(e *etree.Element) *etree.Element {
	fresh := etree.NewElement(e.FullTag())
	for _, a := range e.Attr {
		if a.Space != "w14" {
			fresh.CreateAttr(a.FullKey(), a.Value)
		}
	}
	for _, c := range e.ChildElements() {
		if c.Space == "w" && (strings.HasSuffix(c.Tag, "Pr") || c.Tag == "tblPrEx") {
			fresh.AddChild(c.Copy())
		}
	}
	return fresh
}

// deleteTableRow removes all rows of the cell that is named. A merged cell that
// began in them begins below them.
func (b *batch) deleteTableRow(r *gdocs.DeleteTableRowRequest, invalid edit.RequestFault) error {
	s, t, i, err := b.tableAt(r.TableCellLocation, invalid)
	if err != nil {
		return err
	}
	first, past := t.rowsOf(i, r.TableCellLocation.ColumnIndex)
	if past-first == len(t.rows) {
		return invalid("Cannot remove the last row from a table.")
	}
	if past < len(t.rows) {
		for _, c := range gridOf(t.rows[past].elem) {
			if from, _ := t.rowsOf(past, c.first); first <= from && from < past {
				child(child(c.elem, "tcPr"), "vMerge").CreateAttr("w:val", "restart")
			}
		}
	}
	for _, gone := range t.rows[first:past] {
		gone.elem.Parent().RemoveChild(gone.elem)
	}
	b.noteChange(s)
	return nil
}
