package referee

import "slices"

// A grid is a table of a document: where its rows and cells are in the units.
type grid struct {
	start, end int // of the table, its end behind TableEnd
	columns    int
	rows       []gridRow
}

type gridRow struct {
	start, end int
	cells      []gridCell
}

// A gridCell is a cell; those that a merged one covers are listed with it.
type gridCell struct {
	start, end       int
	rowSpan, colSpan int
	headRow, headCol int // of the merged cell that covers it, else its own
}

func spanOf(cell Unit, key string) int {
	n, _ := child(cell.Raw, "tableCellStyle")[key].(float64)
	return max(int(n), 1)
}

// skip returns the index behind the table or table of contents that starts at one.
func skip(units []Unit, at int) int {
	depth := 0
	for {
		switch units[at].Kind {
		case TableStart, ContentsStart:
			depth++
		case TableEnd, ContentsEnd:
			depth--
		}
		if at++; depth == 0 {
			return at
		}
	}
}

// Behind returns the index behind the unit, or the table, at one.
func Behind(units []Unit, at int) int {
	if k := units[at].Kind; k == TableStart || k == ContentsStart {
		return skip(units, at)
	}
	return at + 1
}

func readGrid(units []Unit, start int) grid {
	columns, _ := units[start].Raw["columns"].(float64)
	g := grid{start: start, end: skip(units, start), columns: int(columns)}
	at := start + 1
	for at < g.end-1 {
		row := gridRow{start: at}
		for at++; units[at].Kind == CellStart; {
			c := gridCell{start: at, rowSpan: spanOf(units[at], "rowSpan"), colSpan: spanOf(units[at], "columnSpan"), headRow: len(g.rows), headCol: len(row.cells)}
			for at++; units[at].Kind != CellStart && units[at].Kind != RowStart && units[at].Kind != TableEnd; {
				at = Behind(units, at)
			}
			c.end = at
			row.cells = append(row.cells, c)
		}
		row.end = at
		g.rows = append(g.rows, row)
	}
	g.cover()
	return g
}

// cover marks the cells that merged ones cover.
func (g *grid) cover() {
	for i := range g.rows {
		for j := range g.rows[i].cells {
			c := g.rows[i].cells[j]
			if c.headRow != i || c.headCol != j {
				continue
			}
			for r := i; r < min(i+c.rowSpan, len(g.rows)); r++ {
				for k := j; k < min(j+c.colSpan, len(g.rows[r].cells)); k++ {
					g.rows[r].cells[k].headRow, g.rows[r].cells[k].headCol = i, j
				}
			}
		}
	}
}

// head is the merged cell that a cell is part of.
func (g grid) head(row, column int) gridCell {
	c := g.rows[row].cells[column]
	return g.rows[c.headRow].cells[c.headCol]
}

// locate reads a tableCellLocation.
func (d *Document) locate(at object) (*Segment, grid, int, int) {
	check(at, "tableStartLocation!", "rowIndex!", "columnIndex!")
	start := child(at, "tableStartLocation")
	s, index := d.location(start)
	if index >= len(s.Units) || s.Units[index].Kind != TableStart {
		refuse("Invalid table start location. Must specify the start index of the table.")
	}
	g := readGrid(s.Units, index)
	row, column := integer(at, "rowIndex"), integer(at, "columnIndex")
	if row >= len(g.rows) || column >= len(g.rows[row].cells) {
		refuse("The cell (%d, %d) does not exist in the table.", row, column)
	}
	return s, g, row, column
}

// resize gives the cell at an index other spans.
func (s *Segment) resize(cell, rows, columns int) {
	style := child(s.Units[cell].Raw, "tableCellStyle")
	style = with(with(style, "rowSpan", float64(rows)), "columnSpan", float64(columns))
	s.Units[cell].Raw = with(s.Units[cell].Raw, "tableCellStyle", style)
}

func (s *Segment) splice(from, to int, units []Unit) {
	s.Units = slices.Replace(s.Units, from, to, units...)
}

func (d *Document) insertTableRow(q object, in Interpretation) {
	check(q, "tableCellLocation!", "insertBelow")
	s, g, row, column := d.locate(child(q, "tableCellLocation"))
	head := g.head(row, column)
	below, _ := q["insertBelow"].(bool)
	before := head.headRow // the new row comes before this one
	if below {
		before += head.rowSpan
	}
	model := g.rows[row]
	at := g.end - 1
	if before < len(g.rows) {
		at = g.rows[before].start
	}
	s.splice(at, at, newRow(s.Units, g, model, row, in))
	// Merged cells that the new row goes through grow; they all begin above it.
	for i, r := range g.rows {
		for j, c := range r.cells {
			if c.headRow == i && c.headCol == j && i < before && before < i+c.rowSpan {
				s.resize(c.start, c.rowSpan+1, c.colSpan)
			}
		}
	}
}

// newRow is an empty row after the model of another.
func newRow(units []Unit, g grid, model gridRow, row int, in Interpretation) []Unit {
	out := []Unit{{Kind: RowStart, Raw: units[model.start].Raw, Made: true}}
	for j, c := range model.cells {
		style := with(with(child(units[c.start].Raw, "tableCellStyle"), "rowSpan", 1.0), "columnSpan", 1.0)
		if head := g.head(row, j); in.RowsCopyMerges && head.rowSpan == 1 && head.headCol == j {
			style["columnSpan"] = float64(head.colSpan)
		}
		end := units[c.end-1]
		paragraph := without(end.Raw, "positionedObjectIds")
		if !in.RowsCopyLists {
			paragraph = without(paragraph, "bullet")
		}
		out = append(out, Unit{Kind: CellStart, Raw: object{"tableCellStyle": style}, Made: true}, Unit{Code: '\n', Style: end.Style, Raw: paragraph, Made: true})
	}
	return out
}

func (d *Document) deleteTableRow(q object) {
	check(q, "tableCellLocation!")
	s, g, row, column := d.locate(child(q, "tableCellLocation"))
	head := g.head(row, column)
	from, to := head.headRow, head.headRow+head.rowSpan
	if to-from == len(g.rows) {
		refuse("Cannot remove the last row from a table.")
	}
	for i, r := range g.rows {
		for j, c := range r.cells {
			if c.headRow != i || c.headCol != j || c.rowSpan == 1 {
				continue
			}
			end := i + c.rowSpan
			switch cut := min(end, to) - max(i, from); {
			case cut <= 0 || i >= from && end <= to:
			case i >= from:
				refuse("The reference does not say what becomes of a merged cell of which only the first rows are deleted.")
			default:
				s.resize(c.start, c.rowSpan-cut, c.colSpan)
			}
		}
	}
	s.splice(g.rows[from].start, g.rows[to-1].end, nil)
}

func (d *Document) mergeTableCells(q object) {
	check(q, "tableRange!")
	area := child(q, "tableRange")
	check(area, "tableCellLocation!", "rowSpan!", "columnSpan!")
	s, g, row, column := d.locate(child(area, "tableCellLocation"))
	rows, columns := integer(area, "rowSpan"), integer(area, "columnSpan")
	if rows < 1 || columns < 1 || row+rows > len(g.rows) || column+columns > g.columns {
		refuse("The table range reaches beyond the table.")
	}
	inside := func(r, c int) bool { return r >= row && r < row+rows && c >= column && c < column+columns }
	for i, r := range g.rows {
		for j := range r.cells {
			h := g.head(i, j)
			whole := inside(h.headRow, h.headCol) && inside(h.headRow+h.rowSpan-1, h.headCol+h.colSpan-1)
			if inside(i, j) && !whole {
				refuse("The table range is not rectangular: it cuts through a merged cell.")
			}
		}
	}
	var moved []Unit
	for i := row + rows - 1; i >= row; i-- {
		for j := column + columns - 1; j >= column; j-- {
			c := g.rows[i].cells[j]
			s.resize(c.start, 1, 1)
			if content := s.Units[c.start+1 : c.end]; len(content) > 1 && (i != row || j != column) {
				moved = append(slices.Clone(content), moved...)
				s.splice(c.start+1, c.end-1, nil)
			}
		}
	}
	headCell := g.rows[row].cells[column]
	s.resize(headCell.start, rows, columns)
	s.splice(headCell.end, headCell.end, moved)
}
