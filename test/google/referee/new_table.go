package referee

import "slices"

var (
	cellStyleFields   = []string{"backgroundColor", "borderBottom", "borderLeft", "borderRight", "borderTop", "contentAlignment", "paddingBottom", "paddingLeft", "paddingRight", "paddingTop"}
	rowStyleFields    = []string{"minRowHeight", "preventOverflow", "tableHeader"}
	columnStyleFields = []string{"width", "widthType"}
)

// insertTable puts a table behind a line feed that it inserts. Its cells are empty, and
// have nothing of the paragraph that the table stands in.
func (d *Document) insertTable(q object) {
	check(q, "location", "endOfSegmentLocation", "rows!", "columns!")
	s, at := d.insertion(q)
	rows, columns := integer(q, "rows"), integer(q, "columns")
	if rows < 1 || columns < 1 {
		refuse("A table must have at least one row and one column.")
	}
	if s.Group == "footnotes" {
		refuse("Tables cannot be inserted inside a footnote.")
	}
	from, to := s.paragraphAt(at)
	paragraph := without(s.Units[to-1].Raw, "positionedObjectIds")
	feed := Unit{Code: '\n', Style: s.styleFor(from, at), Raw: paragraph, Made: true}
	if at > from {
		// The first part of the paragraph keeps what is its own.
		last := s.Units[to-1]
		feed.Raw, feed.Made = last.Raw, last.Made
		s.Units[to-1].Raw, s.Units[to-1].Made = paragraph, true
	}
	even := slices.Repeat([]any{object{"widthType": "EVENLY_DISTRIBUTED"}}, columns)
	units := []Unit{feed, {Kind: TableStart, Raw: object{"rows": float64(rows), "columns": float64(columns), "tableStyle": object{"tableColumnProperties": even}}, Made: true}}
	for range rows {
		units = append(units, Unit{Kind: RowStart, Raw: object{"tableRowStyle": object{}}, Made: true})
		for range columns {
			units = append(units, Unit{Kind: CellStart, Raw: object{"tableCellStyle": object{"rowSpan": 1.0, "columnSpan": 1.0}}, Made: true},
				Unit{Code: '\n', Style: `{"textStyle":{}}`, Raw: object{"paragraphStyle": object{"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}, Made: true})
		}
	}
	s.splice(at, at, append(units, Unit{Kind: TableEnd, Made: true}))
}

// tableFrom finds the table that begins at a location.
func (d *Document) tableFrom(q object) (*Segment, grid) {
	s, index := d.location(child(q, "tableStartLocation"))
	if index >= len(s.Units) || s.Units[index].Kind != TableStart {
		refuse("Invalid table start location. Must specify the start index of the table.")
	}
	return s, readGrid(s.Units, index)
}

// updateTableCellStyle gives a line between two cells to both.
func (d *Document) updateTableCellStyle(q object) {
	check(q, "tableRange!", "tableCellStyle!", "fields!")
	area := child(q, "tableRange")
	check(area, "tableCellLocation!", "rowSpan!", "columnSpan!")
	s, g, row, column := d.locate(child(area, "tableCellLocation"))
	rows, columns := integer(area, "rowSpan"), integer(area, "columnSpan")
	if rows < 1 || columns < 1 || row+rows > len(g.rows) || column+columns > g.columns {
		refuse("The table range reaches beyond the table.")
	}
	set := child(q, "tableCellStyle")
	fields := mask(q, set, cellStyleFields)
	style := func(r, c int, set object, fields ...string) {
		if r < 0 || c < 0 || r >= len(g.rows) || c >= len(g.rows[r].cells) {
			return
		}
		u := &s.Units[g.rows[r].cells[c].start]
		u.Raw = with(u.Raw, "tableCellStyle", masked(child(u.Raw, "tableCellStyle"), set, fields))
	}
	for r := row; r < row+rows; r++ {
		for c := column; c < min(column+columns, len(g.rows[r].cells)); c++ {
			style(r, c, set, fields...)
			for _, beside := range []struct {
				own, other string
				row, col   int
			}{{"borderRight", "borderLeft", r, c + 1}, {"borderLeft", "borderRight", r, c - 1}, {"borderBottom", "borderTop", r + 1, c}, {"borderTop", "borderBottom", r - 1, c}} {
				if slices.Contains(fields, beside.own) && set[beside.own] != nil {
					style(beside.row, beside.col, object{beside.other: set[beside.own]}, beside.other)
				}
			}
		}
	}
}

// numbers reads the indices of rows or columns; none are all of so many.
func numbers(q object, key string, count int) []int {
	var all []int
	for _, n := range list(q, key) {
		all = append(all, integer(object{key: n}, key))
	}
	for i := range count {
		if len(list(q, key)) == 0 {
			all = append(all, i)
		}
	}
	for _, n := range all {
		if n >= count {
			refuse("The index %d is not in the table.", n)
		}
	}
	return all
}

func (d *Document) updateTableColumnProperties(q object) {
	check(q, "tableStartLocation!", "columnIndices", "tableColumnProperties!", "fields!")
	s, g := d.tableFrom(q)
	set := child(q, "tableColumnProperties")
	fields := mask(q, set, columnStyleFields)
	if width, _ := child(set, "width")["magnitude"].(float64); slices.Contains(fields, "width") && width < 5 {
		refuse("The width of a column must be at least 5 points.")
	}
	u := &s.Units[g.start]
	columns := slices.Clone(list(child(u.Raw, "tableStyle"), "tableColumnProperties"))
	for _, i := range numbers(q, "columnIndices", g.columns) {
		old, _ := columns[i].(object)
		columns[i] = masked(old, set, fields)
	}
	u.Raw = with(u.Raw, "tableStyle", with(child(u.Raw, "tableStyle"), "tableColumnProperties", columns))
}

func (d *Document) updateTableRowStyle(q object) {
	check(q, "tableStartLocation!", "rowIndices", "tableRowStyle!", "fields!")
	s, g := d.tableFrom(q)
	set := child(q, "tableRowStyle")
	fields := mask(q, set, rowStyleFields)
	for _, i := range numbers(q, "rowIndices", len(g.rows)) {
		u := &s.Units[g.rows[i].start]
		u.Raw = with(u.Raw, "tableRowStyle", masked(child(u.Raw, "tableRowStyle"), set, fields))
	}
}

func (d *Document) pinTableHeaderRows(q object) {
	check(q, "tableStartLocation!", "pinnedHeaderRowsCount!")
	s, g := d.tableFrom(q)
	count := integer(q, "pinnedHeaderRowsCount")
	if count > len(g.rows) {
		refuse("The table has no %d rows.", count)
	}
	for i, r := range g.rows {
		u := &s.Units[r.start]
		u.Raw = with(u.Raw, "tableRowStyle", with(child(u.Raw, "tableRowStyle"), "tableHeader", i < count))
	}
}
