package docs

import (
	"math"
	"strconv"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

const (
	// maxColumns is how many a table may have, as in Word.
	maxColumns = 63
	// maxNewCells is how many cells the requests of one batch may add: a few
	// bytes of a request must not become gigabytes of a document.
	maxNewCells = 50_000
)

// newCells counts cells that a request adds.
func (b *batch) newCells(n int64, invalid edit.RequestFault) error {
	if b.cells += n; b.cells > maxNewCells {
		return invalid("The requests of one batch may add at most %d table cells.", maxNewCells)
	}
	return nil
}

// insertTable puts a table behind the line feed that it inserts, as Google
// does.
func (b *batch) insertTable(r *gdocs.InsertTableRequest, invalid edit.RequestFault) error {
	if r.Rows < 1 || r.Columns < 1 || r.Columns > maxColumns || r.Rows > maxNewCells {
		return invalid("A table must have at least one row, and 1 to %d columns.", maxColumns)
	}
	if err := b.newCells(r.Rows*r.Columns, invalid); err != nil {
		return err
	}
	at, err := b.locate(r.Location, r.EndOfSegmentLocation, invalid)
	if err != nil {
		return err
	}
	if root := at.segment.root.Tag; root == "footnote" || root == "endnote" {
		return invalid("Tables cannot be inserted inside a footnote.")
	}
	p := at.paragraph.paragraph.elem
	edit.EditParagraph(p, []edit.Edit{{Start: at.offset, End: at.offset, Text: "\n"}})
	p.Parent().InsertChildAt(p.Index()+1, newTable(r.Rows, r.Columns, b.textWidth()))
	b.noteChange(at.segment)
	return nil
}

// textWidth is that of the first section, in twentieths of a point.
func (b *batch) textWidth() int64 {
	const letter = 9360 // with Word's margins
	if b.document == nil || len(b.document.Sections) == 0 {
		return letter
	}
	if width := b.document.Sections[0].TextWidth(); width > 0 {
		return int64(math.Round(width * 20))
	}
	return letter
}

// newTable makes a table with Google's thin black lines.
func newTable(rows, columns, width int64) *etree.Element {
	table := etree.NewElement("w:tbl")
	properties := table.CreateElement("w:tblPr")
	setWidth(properties.CreateElement("w:tblW"), width)
	borders := properties.CreateElement("w:tblBorders")
	for _, side := range []string{"top", "left", "bottom", "right", "insideH", "insideV"} {
		line := borders.CreateElement("w:" + side)
		for _, a := range [][2]string{{"val", "single"}, {"sz", "8"}, {"space", "0"}, {"color", "000000"}} {
			line.CreateAttr("w:"+a[0], a[1])
		}
	}
	properties.CreateElement("w:tblLayout").CreateAttr("w:type", "fixed")
	grid := table.CreateElement("w:tblGrid")
	for range columns {
		grid.CreateElement("w:gridCol").CreateAttr("w:w", strconv.FormatInt(width/columns, 10))
	}
	for range rows {
		row := table.CreateElement("w:tr")
		for range columns {
			cell := row.CreateElement("w:tc")
			setWidth(cell.CreateElement("w:tcPr").CreateElement("w:tcW"), width/columns)
			cell.CreateElement("w:p")
		}
	}
	return table
}

func setWidth(e *etree.Element, twips int64) {
	e.CreateAttr("w:w", strconv.FormatInt(twips, 10))
	e.CreateAttr("w:type", "dxa")
}

// placed is a cell with the columns of the grid that it takes.
type placed struct {
	elem        *etree.Element
	first, past int64
}

// gridOf places the cells of a row.
func gridOf(tr *etree.Element) []placed {
	at := gridNumber(child(child(tr, "trPr"), "gridBefore"), 0)
	var cells []placed
	eachWithin(tr, "tc", 0, func(tc *etree.Element) {
		past := at + gridNumber(child(child(tc, "tcPr"), "gridSpan"), 1)
		cells = append(cells, placed{tc, at, past})
		at = past
	})
	return cells
}

// gridNumber reads w:val as a number of columns. What no table can have counts
// as one that it may have.
func gridNumber(e *etree.Element, least int64) int64 {
	if e == nil {
		return least
	}
	n, err := strconv.ParseInt(e.SelectAttrValue("w:val", ""), 10, 64)
	if err != nil {
		return least
	}
	return min(max(n, least), maxColumns)
}

// columnAt finds a table and the columns that a cell of it takes.
func (b *batch) columnAt(at *gdocs.TableCellLocation, invalid edit.RequestFault) (*segment, *table, placed, error) {
	s, t, i, err := b.tableAt(at, invalid)
	if err != nil {
		return nil, nil, placed{}, err
	}
	c, ok := t.placedAt(i, at.ColumnIndex)
	if !ok {
		return nil, nil, placed{}, invalid("The row %d leaves the column %d out.", at.RowIndex, at.ColumnIndex)
	}
	return s, t, c, nil
}

// insertTableColumn adds an empty column beside another. The table keeps its
// width.
func (b *batch) insertTableColumn(r *gdocs.InsertTableColumnRequest, invalid edit.RequestFault) error {
	s, t, beside, err := b.columnAt(r.TableCellLocation, invalid)
	if err != nil {
		return err
	}
	if err := b.newCells(int64(len(t.rows)), invalid); err != nil {
		return err
	}
	edge := beside.first
	if r.InsertRight {
		edge = beside.past
	}
	grid := gridColumns(t.elem)
	if len(grid) >= maxColumns || edge >= maxColumns {
		return invalid("A table may have at most %d columns.", maxColumns)
	}
	for _, row := range t.rows {
		insertCell(row.elem, edge)
	}
	if n := int64(len(grid)); n > 0 {
		total := int64(0)
		for _, c := range grid {
			total += c
		}
		like := min(beside.first, n-1)
		at := min(edge, n)
		grid = append(grid[:at:at], append([]int64{grid[like]}, grid[at:]...)...)
		scale(grid, total)
		setGrid(t.elem, grid)
	}
	b.noteChange(s)
	return nil
}

// insertCell adds an empty cell to a row where a column begins, or widens the
// cell that goes on across it.
func insertCell(tr *etree.Element, edge int64) {
	cells := gridOf(tr)
	for _, c := range cells {
		switch {
		case edge == c.first:
			c.elem.Parent().InsertChildAt(c.elem.Index(), narrowCell(c.elem))
			return
		case c.first < edge && edge < c.past:
			setSpan(c.elem, c.past-c.first+1)
			return
		}
	}
	if n := len(cells); n > 0 && edge == cells[n-1].past {
		last := cells[n-1].elem
		last.Parent().InsertChildAt(last.Index()+1, narrowCell(last))
		return
	}
	for _, tag := range []string{"gridBefore", "gridAfter"} {
		// The column is in what the row leaves out at an end.
		if skipped := child(child(tr, "trPr"), tag); skipped != nil && (tag == "gridAfter" || edge < gridNumber(skipped, 0)) {
			skipped.CreateAttr("w:val", strconv.FormatInt(gridNumber(skipped, 0)+1, 10))
			return
		}
	}
}

// narrowCell is an empty cell of one column that looks like another.
func narrowCell(beside *etree.Element) *etree.Element {
	fresh := emptyCell(beside)
	if properties := child(fresh, "tcPr"); properties != nil {
		for _, tag := range []string{"gridSpan", "hMerge", "vMerge"} {
			if e := child(properties, tag); e != nil {
				properties.RemoveChild(e)
			}
		}
	}
	return fresh
}

func setSpan(tc *etree.Element, columns int64) {
	properties := child(tc, "tcPr")
	if properties == nil {
		properties = etree.NewElement("w:tcPr")
		tc.InsertChildAt(0, properties)
	}
	span := child(properties, "gridSpan")
	switch {
	case columns == 1 && span != nil:
		properties.RemoveChild(span)
	case columns > 1 && span == nil:
		span = etree.NewElement("w:gridSpan")
		at := 0 // behind w:cnfStyle and w:tcW (ECMA-376 part 1, 17.4.70)
		for _, tag := range []string{"cnfStyle", "tcW"} {
			if e := child(properties, tag); e != nil {
				at = e.Index() + 1
			}
		}
		properties.InsertChildAt(at, span)
	}
	if columns > 1 {
		span.CreateAttr("w:val", strconv.FormatInt(columns, 10))
	}
}

// deleteTableColumn removes the columns that a cell takes.
func (b *batch) deleteTableColumn(r *gdocs.DeleteTableColumnRequest, invalid edit.RequestFault) error {
	s, t, gone, err := b.columnAt(r.TableCellLocation, invalid)
	if err != nil {
		return err
	}
	left := 0
	for _, row := range t.rows {
		kept := deleteCells(row.elem, gone.first, gone.past)
		if kept == 0 {
			row.elem.Parent().RemoveChild(row.elem)
			continue
		}
		left++
	}
	if left == 0 {
		return invalid("Cannot remove the last column from a table.")
	}
	var grid []int64
	for i, width := range gridColumns(t.elem) {
		if int64(i) < gone.first || int64(i) >= gone.past {
			grid = append(grid, width)
		}
	}
	if len(grid) > 0 {
		setGrid(t.elem, grid)
	}
	b.noteChange(s)
	return nil
}

// deleteCells takes columns out of a row and says how many cells it still has.
func deleteCells(tr *etree.Element, first, past int64) (kept int) {
	cells := gridOf(tr)
	if before := child(child(tr, "trPr"), "gridBefore"); before != nil {
		n := gridNumber(before, 0)
		before.CreateAttr("w:val", strconv.FormatInt(n-max(min(n, past)-first, 0), 10))
	}
	for _, c := range cells {
		gone := min(c.past, past) - max(c.first, first)
		switch {
		case gone <= 0:
		case gone == c.past-c.first:
			c.elem.Parent().RemoveChild(c.elem)
			continue
		default:
			setSpan(c.elem, c.past-c.first-gone)
		}
		kept++
	}
	return kept
}

// gridColumns are the widths of a table's columns; none where the file does not
// say all of them.
func gridColumns(table *etree.Element) []int64 {
	var widths []int64
	grid := child(table, "tblGrid")
	if grid == nil {
		return nil
	}
	for _, c := range grid.ChildElements() {
		if c.Tag != "gridCol" {
			continue
		}
		width, err := strconv.ParseInt(c.SelectAttrValue("w:w", ""), 10, 32)
		if err != nil || width < 0 {
			return nil
		}
		widths = append(widths, width)
	}
	return widths
}

// scale brings widths to a total.
func scale(widths []int64, total int64) {
	sum := int64(0)
	for _, w := range widths {
		sum += w
	}
	if sum == 0 {
		return
	}
	for i, w := range widths {
		widths[i] = w * total / sum
	}
}

// setGrid writes the widths of the columns, and of the cells in them.
func setGrid(table *etree.Element, widths []int64) {
	grid := child(table, "tblGrid")
	for _, c := range grid.ChildElements() {
		if c.Tag == "gridCol" {
			grid.RemoveChild(c)
		}
	}
	for i, w := range widths {
		c := etree.NewElement("w:gridCol")
		c.CreateAttr("w:w", strconv.FormatInt(w, 10))
		grid.InsertChildAt(i, c)
	}
	eachWithin(table, "tr", 0, func(tr *etree.Element) {
		for _, c := range gridOf(tr) {
			width := child(child(c.elem, "tcPr"), "tcW")
			if width == nil || c.past > int64(len(widths)) {
				continue
			}
			sum := int64(0)
			for _, w := range widths[c.first:c.past] {
				sum += w
			}
			setWidth(width, sum)
		}
	})
}
