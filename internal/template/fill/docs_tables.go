package fill

import (
	"slices"

	"google.golang.org/api/docs/v1"
)

const (
	docsCellFields = "backgroundColor,borderBottom,borderLeft,borderRight,borderTop,contentAlignment,paddingBottom,paddingLeft,paddingRight,paddingTop"
	docsRowFields  = "minRowHeight,preventOverflow"
)

// columns is how many columns a copy has.
func (t *filledTable) columns() int64 {
	columns := max(t.of.columns, 1)
	for _, r := range t.of.rows {
		for _, c := range r.cells {
			columns = max(columns, c.column+c.span)
		}
	}
	return columns
}

// grid places the cells of a row in the columns of the table; nil where it has none.
func (r *row) grid(columns int64) []*cell {
	cells := make([]*cell, columns)
	for _, c := range r.cells {
		cells[c.column] = c
	}
	return cells
}

// addTable takes a unit for the table, its end and each row, and two for each empty cell.
func (w *docsWriter) addTable(at int64, t *filledTable) (behind int64) {
	rows, columns := int64(len(t.rows)), t.columns()
	w.add(&docs.Request{InsertTable: &docs.InsertTableRequest{Location: w.at(at), Rows: rows, Columns: columns}})
	return at + 1 + 2 + rows*(2*columns+1)
}

// writeTable writes the texts from the last cell to the first, and then what they look
// like from the first to the last.
func (w *docsWriter) writeTable(start int64, t *filledTable) {
	columns := t.columns()
	var cells []newCell
	at := start + 1
	for _, r := range t.rows {
		at++
		for _, c := range r.of.grid(columns) {
			at++
			made := newCell{at: at, model: c}
			if c != nil {
				made.all = cellOf(r.cells, slices.Index(r.of.cells, c))
			}
			cells = append(cells, made)
			at += units(textsOf(made.all)) + 1
		}
	}
	before := int64(0)
	for _, c := range cells {
		before += units(textsOf(c.all))
	}
	for _, c := range slices.Backward(cells) {
		text := textsOf(c.all)
		before -= units(text)
		if text != "" {
			w.insert(c.at-before, text)
		}
	}
	w.styleTexts(cells)
	for _, c := range slices.Backward(cells) {
		room := 0.0
		if c.model != nil && firstPara(c.model.blocks) != nil {
			room = firstPara(c.model.blocks).room
		}
		placePictures(c.at, c.all, room, w)
	}
	w.styleTable(start, t)
}

// styleTexts gives what stands in cells of a new table its lists and styles, of
// neighbouring cells of one style in one request.
func (w *docsWriter) styleTexts(cells []newCell) {
	var text, shape stretches
	for _, c := range cells {
		at, all := c.at, c.all
		if c.model != nil && len(all) == 0 {
			all = []filled{{of: firstPara(c.model.blocks)}}
		}
		for _, f := range all {
			start := at
			for _, r := range f.runs {
				text.add(at, at+units(r.text), r.style)
				at += units(r.text)
			}
			at++
			of := f.of.unmarked()
			if of == nil {
				continue
			}
			text.add(at-1, at, of.styleAt(len(of.text)))
			shape.add(start, at, of.style)
			w.enlist(start, at, of.entry, false)
		}
	}
	for _, s := range shape {
		w.shape(s.from, s.to, s.style, docsParagraphFields)
	}
	relist(cells, true, w)
	for _, c := range cells {
		changeMarked(c.all, c.at, w)
	}
	for _, s := range text {
		w.restyle(s.from, s.to, s.style)
	}
}

// styleTable gives a new table the columns, rows and cells of the one that it copies.
// Cells are merged last: what becomes of indexes in them is not said. Merged ones have
// their style then.
func (w *docsWriter) styleTable(start int64, t *filledTable) {
	w.styleColumns(start, t)
	w.styleRows(start, t)
	areas := t.areas()
	for i := 0; i < len(areas); {
		past := i + 1
		for past < len(areas) && slices.EqualFunc(areas[i], areas[past], (*area).sameStyle) {
			past++
		}
		for j := 0; j < len(areas[i]); {
			to := j + 1
			for to < len(areas[i]) && areas[i][j].sameStyle(areas[i][to]) {
				to++
			}
			if a := areas[i][j]; !a.merged() {
				w.styleCells(a.style, w.cellRange(start, i, int64(j), int64(past-i), int64(to-j)))
			}
			j = to
		}
		i = past
	}
	for i, cells := range areas {
		for j, a := range cells {
			if a.merged() && a.row == i && a.column == int64(j) {
				all := w.cellRange(start, i, a.column, a.rows, a.columns)
				w.add(&docs.Request{MergeTableCells: &docs.MergeTableCellsRequest{TableRange: all}})
				w.styleCells(a.style, all)
			}
		}
	}
}

func (w *docsWriter) styleCells(s *docs.TableCellStyle, all *docs.TableRange) {
	if s != nil {
		w.add(&docs.Request{UpdateTableCellStyle: &docs.UpdateTableCellStyleRequest{TableRange: all, TableCellStyle: s, Fields: docsCellFields}})
	}
}

func (w *docsWriter) cellRange(start int64, row int, column, rows, columns int64) *docs.TableRange {
	return &docs.TableRange{
		TableCellLocation: &docs.TableCellLocation{TableStartLocation: w.at(start), RowIndex: int64(row), ColumnIndex: column, ForceSendFields: []string{"RowIndex", "ColumnIndex"}},
		RowSpan:           rows, ColumnSpan: columns,
	}
}

// styleColumns gives columns their widths; those that share the room evenly do so in a
// new table, too.
func (w *docsWriter) styleColumns(start int64, t *filledTable) {
	byWidth := map[string]*docs.UpdateTableColumnPropertiesRequest{}
	for i, c := range t.of.widths {
		if c == nil || c.WidthType != "FIXED_WIDTH" || points(c.Width) < narrowest {
			continue
		}
		key := newStyle(c).key
		r := byWidth[key]
		if r == nil {
			r = &docs.UpdateTableColumnPropertiesRequest{TableStartLocation: w.at(start), TableColumnProperties: c, Fields: "width,widthType"}
			byWidth[key] = r
			w.add(&docs.Request{UpdateTableColumnProperties: r})
		}
		r.ColumnIndices = append(r.ColumnIndices, int64(i))
	}
}

// narrowest is the width of a column that Google takes at least, in points
// (UpdateTableColumnPropertiesRequest).
const narrowest = 5

// styleRows gives rows their heights, and the first ones back that they are repeated on
// each page.
func (w *docsWriter) styleRows(start int64, t *filledTable) {
	byStyle := map[string]*docs.UpdateTableRowStyleRequest{}
	headers := int64(0)
	for i, made := range t.rows {
		s := made.of.style
		if s == nil {
			continue
		}
		if s.TableHeader && headers == int64(i) {
			headers++
		}
		if points(s.MinRowHeight) == 0 && !s.PreventOverflow {
			continue
		}
		own := &docs.TableRowStyle{MinRowHeight: s.MinRowHeight, PreventOverflow: s.PreventOverflow}
		key := newStyle(own).key
		r := byStyle[key]
		if r == nil {
			r = &docs.UpdateTableRowStyleRequest{TableStartLocation: w.at(start), TableRowStyle: own, Fields: docsRowFields}
			byStyle[key] = r
			w.add(&docs.Request{UpdateTableRowStyle: r})
		}
		r.RowIndices = append(r.RowIndices, int64(i))
	}
	if headers > 0 {
		w.add(&docs.Request{PinTableHeaderRows: &docs.PinTableHeaderRowsRequest{TableStartLocation: w.at(start), PinnedHeaderRowsCount: headers}})
	}
}
