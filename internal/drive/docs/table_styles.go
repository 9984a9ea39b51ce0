package docs

import (
	"math"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// narrowest is the width of a column at least, in points, as in Google's interface.
const narrowest = 5

// widest is the width of a column at most, in points, as in Word.
const widest = 1584

// rowOrder is the order of what a row says of itself here (ECMA-376 part 1, 17.4.82).
var rowOrder = []string{"cnfStyle", "divId", "gridBefore", "gridAfter", "wBefore", "wAfter", "cantSplit", "trHeight", "tblHeader", "tblCellSpacing", "jc", "hidden"}

// tableFrom finds the table that a request names by its start.
func (b *batch) tableFrom(start *gdocs.Location, invalid edit.RequestFault) (*segment, *table, error) {
	s, t, _, err := b.tableAt(&gdocs.TableCellLocation{TableStartLocation: start}, invalid)
	return s, t, err
}

// chosen are the numbers that a request names of so many, or all of them.
func chosen(indices []int64, count int, what string, invalid edit.RequestFault) ([]int64, error) {
	if len(indices) == 0 {
		for i := range count {
			indices = append(indices, int64(i))
		}
		return indices, nil
	}
	for _, i := range indices {
		if i < 0 || i >= int64(count) {
			return nil, invalid("The %s index %d is not in the table, which has %d.", what, i, count)
		}
	}
	return indices, nil
}

// updateTableColumnProperties gives columns widths. Columns that are to share the room
// evenly share what all columns have.
func (b *batch) updateTableColumnProperties(r *gdocs.UpdateTableColumnPropertiesRequest, invalid edit.RequestFault) error {
	fields, err := edit.StyleFields(r.Fields, gdocs.TableColumnProperties{}, invalid)
	if err != nil {
		return err
	}
	if r.TableColumnProperties == nil {
		return invalid("The table column properties must be specified.")
	}
	s, t, err := b.tableFrom(r.TableStartLocation, invalid)
	if err != nil {
		return err
	}
	widths := gridColumns(t.elem)
	if len(widths) == 0 {
		return invalid("The table does not say how wide its columns are.")
	}
	columns, err := chosen(r.ColumnIndices, len(widths), "column", invalid)
	if err != nil {
		return err
	}
	total := int64(0)
	for _, w := range widths {
		total += w
	}
	width := total / int64(len(widths))
	if r.TableColumnProperties.WidthType != "EVENLY_DISTRIBUTED" {
		if !fields["width"] {
			return nil
		}
		points := 0.0
		if r.TableColumnProperties.Width != nil {
			points = r.TableColumnProperties.Width.Magnitude
		}
		if points < narrowest || points > widest {
			return invalid("The width of a column must be from %d to %d points.", narrowest, widest)
		}
		width = int64(math.Round(points * 20))
	}
	for _, i := range columns {
		total += width - widths[i]
		widths[i] = width
	}
	setGrid(t.elem, widths)
	if own := child(child(t.elem, "tblPr"), "tblW"); own != nil && own.SelectAttrValue("w:type", "") == "dxa" {
		setWidth(own, total)
	}
	b.noteRestyle(s)
	return nil
}

// updateTableRowStyle gives rows what its fields name.
func (b *batch) updateTableRowStyle(r *gdocs.UpdateTableRowStyleRequest, invalid edit.RequestFault) error {
	fields, err := edit.StyleFields(r.Fields, gdocs.TableRowStyle{}, invalid)
	if err != nil {
		return err
	}
	if r.TableRowStyle == nil {
		return invalid("The table row style must be specified.")
	}
	s, t, err := b.tableFrom(r.TableStartLocation, invalid)
	if err != nil {
		return err
	}
	rows, err := chosen(r.RowIndices, len(t.rows), "row", invalid)
	if err != nil {
		return err
	}
	for _, i := range rows {
		tr := t.rows[i].elem
		if fields["minRowHeight"] {
			setRowHeight(tr, r.TableRowStyle.MinRowHeight)
		}
		if fields["preventOverflow"] {
			setRowFlag(tr, "cantSplit", r.TableRowStyle.PreventOverflow)
		}
		if fields["tableHeader"] {
			setRowFlag(tr, "tblHeader", r.TableRowStyle.TableHeader)
		}
	}
	b.noteRestyle(s)
	return nil
}

// pinTableHeaderRows has the first rows stand on each page, and the others not.
func (b *batch) pinTableHeaderRows(r *gdocs.PinTableHeaderRowsRequest, invalid edit.RequestFault) error {
	s, t, err := b.tableFrom(r.TableStartLocation, invalid)
	if err != nil {
		return err
	}
	if r.PinnedHeaderRowsCount < 0 || r.PinnedHeaderRowsCount > int64(len(t.rows)) {
		return invalid("The number of pinned rows must be from 0 to %d.", len(t.rows))
	}
	for i, row := range t.rows {
		setRowFlag(row.elem, "tblHeader", int64(i) < r.PinnedHeaderRowsCount)
	}
	b.noteRestyle(s)
	return nil
}

func propertiesOfRow(tr *etree.Element) *etree.Element {
	properties := child(tr, "trPr")
	if properties == nil {
		properties = etree.NewElement("w:trPr")
		at := 0
		if exceptions := child(tr, "tblPrEx"); exceptions != nil {
			at = exceptions.Index() + 1
		}
		tr.InsertChildAt(at, properties)
	}
	return properties
}

func setRowFlag(tr *etree.Element, tag string, isOn bool) {
	if isOn {
		inPlace(propertiesOfRow(tr), tag, rowOrder).RemoveAttr("w:val")
		return
	}
	if properties := child(tr, "trPr"); properties != nil {
		dropProperty(properties, tag)
	}
}

func setRowHeight(tr *etree.Element, least *gdocs.Dimension) {
	if least == nil || least.Magnitude <= 0 {
		if properties := child(tr, "trPr"); properties != nil {
			dropProperty(properties, "trHeight")
		}
		return
	}
	height := inPlace(propertiesOfRow(tr), "trHeight", rowOrder)
	height.CreateAttr("w:val", twips(least))
	height.CreateAttr("w:hRule", "atLeast")
}
