package docs

import (
	"strings"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// tableAt finds the table that begins at an index, and a row of it.
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

// insertTableRow adds an empty row that looks like the one beside it.
func (b *batch) insertTableRow(r *gdocs.InsertTableRowRequest, invalid edit.RequestFault) error {
	s, t, i, err := b.tableAt(r.TableCellLocation, invalid)
	if err != nil {
		return err
	}
	if err := b.newCells(int64(len(t.rows[i].cells)), invalid); err != nil {
		return err
	}
	beside := t.rows[i].elem
	at, fresh := beside.Index(), emptyRow(beside)
	if r.InsertBelow {
		at, i = at+1, i+1
	}
	beside.Parent().InsertChildAt(at, fresh)
	b.addRow(s, t, i, fresh)
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

// deleteTableRow removes a row, and the table with its last row.
func (b *batch) deleteTableRow(r *gdocs.DeleteTableRowRequest, invalid edit.RequestFault) error {
	s, t, i, err := b.tableAt(r.TableCellLocation, invalid)
	if err != nil {
		return err
	}
	gone := t.rows[i].elem
	if len(t.rows) == 1 {
		gone = t.elem
	}
	gone.Parent().RemoveChild(gone)
	b.noteChange(s)
	return nil
}
