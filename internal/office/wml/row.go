package wml

import (
	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// Row is a w:tr.
type Row struct {
	Elem  *etree.Element
	Cells []*Cell
	// Height is a minimum, or exact where HasExactHeight says so.
	Height                float64
	HasExactHeight        bool
	IsHeader              bool
	CantSplit             bool
	GridBefore, GridAfter int
}

// isDeletedRow says whether a w:tr is gone once changes are accepted.
func isDeletedRow(tr *etree.Element) bool { return wPath(tr, "trPr", "del") != nil }

func (t *tableReader) readRow(tr *etree.Element, index int) *Row {
	row := &Row{Elem: tr}
	at := place{row: index, firstRow: index == 0, lastRow: index == t.rows-1}
	t.eachRegion(t.regions(at), func(_ string, e *etree.Element) { row.apply(wChild(e, "trPr")) })
	row.apply(wChild(tr, "trPr"))
	row.GridBefore = min(max(row.GridBefore, 0), 200)
	borders := t.table.Borders
	t.applyCellBorders(&borders, wPath(tr, "tblPrEx", "tblBorders"))
	margins := t.table.Margins
	applyMargins(&margins, wPath(tr, "tblPrEx", "tblCellMar"))
	var cells []*etree.Element
	t.collect(tr, "tc", &cells, 0)
	column := row.GridBefore
	for i, tc := range cells {
		if len(row.Cells) >= 200 {
			t.doc.IsTruncated = true
			break
		}
		at.firstCell, at.lastCell, at.column = i == 0, i == len(cells)-1, column
		c := t.readCell(tc, at, borders, margins)
		row.Cells = append(row.Cells, c)
		column += c.Span
	}
	return row
}

// apply lays a w:trPr over a row: its table style's, then its own.
func (row *Row) apply(trPr *etree.Element) {
	dml.EachChild(trPr, func(e *etree.Element) {
		switch e.Tag {
		case "trHeight":
			row.Height, _ = wPoints(e, "val")
			rule, _ := wAttr(e, "hRule")
			row.HasExactHeight = rule == "exact" && row.Height > 0
		case "tblHeader":
			row.IsHeader = isOn(e)
		case "cantSplit":
			row.CantSplit = isOn(e)
		case "gridBefore":
			row.GridBefore, _ = wInt(e, "val")
		case "gridAfter":
			row.GridAfter, _ = wInt(e, "val")
		}
	})
}
