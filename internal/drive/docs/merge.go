package docs

import (
	"strconv"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// mergeTableCells makes one cell of several. What stood in the others stands in the
// first of the range.
func (b *batch) mergeTableCells(r *gdocs.MergeTableCellsRequest, invalid edit.RequestFault) error {
	if r.TableRange == nil {
		return invalid("The table range must be specified.")
	}
	at := r.TableRange.TableCellLocation
	s, t, i, err := b.tableAt(at, invalid)
	if err != nil {
		return err
	}
	rows, columns := r.TableRange.RowSpan, r.TableRange.ColumnSpan
	if rows < 1 || columns < 1 {
		return invalid("The row span and the column span of the table range must be at least 1.")
	}
	first, past := t.rowsOf(i, at.ColumnIndex)
	if c, ok := t.placedAt(i, at.ColumnIndex); ok && c.first == at.ColumnIndex && c.past-c.first == columns && first == i && int64(past-first) == rows {
		return nil // they are one
	}
	if rows > int64(len(t.rows)-i) || columns > t.columns-at.ColumnIndex {
		return invalid("The table range goes beyond the table, which has %d rows and %d columns.", len(t.rows), t.columns)
	}
	var ranges [][]placed
	for _, row := range t.rows[i : i+int(rows)] {
		cells := cellsWithin(row.elem, at.ColumnIndex, at.ColumnIndex+columns)
		if cells == nil {
			return invalid("The table range is not rectangular: a merged cell reaches over its edge.")
		}
		ranges = append(ranges, cells)
	}
	head := ranges[0][0].elem
	for k, cells := range ranges {
		kept := cells[0]
		for _, c := range cells {
			if c.elem != head {
				moveContent(head, c.elem)
			}
			if c.elem != kept.elem {
				c.elem.Parent().RemoveChild(c.elem)
			}
		}
		widen(kept.elem, cells, columns)
		if rows > 1 {
			merge := inPlace(propertiesOfCell(kept.elem), "vMerge", cellProperties)
			if k == 0 {
				merge.CreateAttr("w:val", "restart")
			}
		}
	}
	b.noteChange(s)
	return nil
}

// cellsWithin are the cells of a row that take these columns and no others; nil where
// there is none, or one of them is merged with cells above or below.
func cellsWithin(tr *etree.Element, first, past int64) []placed {
	var cells []placed
	at := first
	for _, c := range gridOf(tr) {
		if c.past <= first || c.first >= past {
			continue
		}
		if c.first != at || c.past > past || mergeOf(c.elem) != "" {
			return nil
		}
		cells, at = append(cells, c), c.past
	}
	if at != past {
		return nil
	}
	return cells
}

// moveContent moves what a cell says to the end of another, and leaves an empty
// paragraph. A cell that says nothing leaves no line.
func moveContent(to, from *etree.Element) {
	var moved []*etree.Element
	isEmpty := true
	eachBlock(from, 0, func(e *etree.Element) {
		moved = append(moved, e)
		isEmpty = isEmpty && e.Tag == "p" && len(edit.ParagraphPieces(e)) == 0
	})
	if isEmpty {
		return
	}
	for _, e := range moved {
		e.Parent().RemoveChild(e)
		to.AddChild(e)
	}
	from.CreateElement("w:p")
}

// widen has a cell take the columns and the width of all of these.
func widen(tc *etree.Element, cells []placed, columns int64) {
	width := int64(0)
	for _, c := range cells {
		width += twipsOf(child(child(c.elem, "tcPr"), "tcW"))
	}
	if own := child(child(tc, "tcPr"), "tcW"); own != nil && own.SelectAttrValue("w:type", "") == "dxa" && width > 0 {
		setWidth(own, width)
	}
	setSpan(tc, columns)
}

// twipsOf reads w:w as a length; 0 where it is none.
func twipsOf(e *etree.Element) int64 {
	if e == nil || e.SelectAttrValue("w:type", "") != "dxa" {
		return 0
	}
	n, err := strconv.ParseInt(e.SelectAttrValue("w:w", ""), 10, 32)
	if err != nil {
		return 0
	}
	return max(n, 0)
}
