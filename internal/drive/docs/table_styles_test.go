package docs

import (
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"
)

func mergeAt(table, row, column, rows, columns int64) *gdocs.Request {
	return &gdocs.Request{MergeTableCells: &gdocs.MergeTableCellsRequest{TableRange: &gdocs.TableRange{TableCellLocation: cellAtIndex(table, row, column), RowSpan: rows, ColumnSpan: columns}}}
}

func columnWidth(table int64, width float64, columns ...int64) *gdocs.Request {
	return &gdocs.Request{UpdateTableColumnProperties: &gdocs.UpdateTableColumnPropertiesRequest{
		TableStartLocation: &gdocs.Location{Index: table}, ColumnIndices: columns, Fields: "width,widthType",
		TableColumnProperties: &gdocs.TableColumnProperties{WidthType: "FIXED_WIDTH", Width: points(width)},
	}}
}

// What a request makes of a new table is shown by the next answer.
func TestANewTableGetsColumnsRowsAndMergedCells(t *testing.T) {
	t.Parallel()
	d := apply(t, docx(t, para("a")+para("z")), insertTableAt(2, 3, 3), insertAt(6, "one"), insertAt(11, "two"), insertAt(16, "down"),
		columnWidth(3, 30, 1), columnWidth(3, 60, 0, 2),
		&gdocs.Request{UpdateTableRowStyle: &gdocs.UpdateTableRowStyleRequest{
			TableStartLocation: &gdocs.Location{Index: 3}, RowIndices: []int64{1}, TableRowStyle: &gdocs.TableRowStyle{MinRowHeight: points(40), PreventOverflow: true}, Fields: "minRowHeight,preventOverflow",
		}},
		&gdocs.Request{PinTableHeaderRows: &gdocs.PinTableHeaderRowsRequest{TableStartLocation: &gdocs.Location{Index: 3}, PinnedHeaderRowsCount: 1}},
		mergeAt(3, 0, 0, 1, 2), mergeAt(3, 1, 2, 2, 1), mergeAt(3, 0, 0, 1, 2))
	content := get(t, reread(t, d)).Body.Content
	table := content[2].Table
	if table == nil {
		t.Fatalf("got %s", sent(t, content))
	}
	var widths []float64
	for _, c := range table.TableStyle.TableColumnProperties {
		widths = append(widths, c.Width.Magnitude)
	}
	if len(widths) != 3 || widths[0] != 60 || widths[1] != 30 || widths[2] != 60 {
		t.Errorf("got the widths %v", widths)
	}
	first, second := table.TableRows[0], table.TableRows[1]
	if s := first.TableCells[0].TableCellStyle; s.ColumnSpan != 2 || s.RowSpan != 1 {
		t.Errorf("got %s for the wide cell", sent(t, s))
	}
	if s := second.TableCells[2].TableCellStyle; s.RowSpan != 2 || s.ColumnSpan != 1 {
		t.Errorf("got %s for the high cell", sent(t, s))
	}
	if !first.TableRowStyle.TableHeader || second.TableRowStyle.TableHeader || second.TableRowStyle.MinRowHeight.Magnitude != 40 || !second.TableRowStyle.PreventOverflow || first.TableRowStyle.PreventOverflow {
		t.Errorf("got the rows %s and %s", sent(t, first.TableRowStyle), sent(t, second.TableRowStyle))
	}
	body := bodyXML(t, d)
	if !strings.Contains(body, "one") || strings.Index(body, "one") > strings.Index(body, "down") {
		t.Errorf("got %s", body)
	}
}

func TestMergedCellsKeepWhatStoodInThem(t *testing.T) {
	t.Parallel()
	d := apply(t, docx(t, tableXML([]string{para("a"), para("b")}, []string{para(""), para("d")})+para("z")), mergeAt(1, 0, 0, 2, 2))
	cells := get(t, reread(t, d)).Body.Content[1].Table.TableRows[0].TableCells
	var got []string
	for _, e := range cells[0].Content {
		got = append(got, strings.TrimSpace(e.Paragraph.Elements[0].TextRun.Content))
	}
	if strings.Join(got, " ") != "a b d" || cells[0].TableCellStyle.RowSpan != 2 || cells[0].TableCellStyle.ColumnSpan != 2 {
		t.Errorf("got %q in a cell of %s", got, sent(t, cells[0].TableCellStyle))
	}
}

func TestTableStylesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	grid := tableXML([]string{para("a"), para("b")}, []string{para("c"), para("d")}) + para("z")
	at := &gdocs.Location{Index: 1}
	for name, c := range map[string]struct {
		request *gdocs.Request
		want    string
	}{
		"narrow":        {columnWidth(1, 4.9), "The width of a column must be from 5 to 1584 points."},
		"wide":          {columnWidth(1, 2000), "The width of a column must be from 5 to 1584 points."},
		"no column":     {columnWidth(1, 20, 7), "The column index 7 is not in the table, which has 1."},
		"no table":      {columnWidth(2, 20), "Table start location 2 does not point at a table."},
		"no properties": {&gdocs.Request{UpdateTableColumnProperties: &gdocs.UpdateTableColumnPropertiesRequest{TableStartLocation: at, Fields: "width"}}, "The table column properties must be specified."},
		"no fields":     {&gdocs.Request{UpdateTableColumnProperties: &gdocs.UpdateTableColumnPropertiesRequest{TableStartLocation: at}}, "At least one field must be listed in fields."},
		"no row":        {&gdocs.Request{UpdateTableRowStyle: &gdocs.UpdateTableRowStyleRequest{TableStartLocation: at, RowIndices: []int64{2}, TableRowStyle: &gdocs.TableRowStyle{}, Fields: "*"}}, "The row index 2 is not in the table, which has 2."},
		"no row style":  {&gdocs.Request{UpdateTableRowStyle: &gdocs.UpdateTableRowStyleRequest{TableStartLocation: at, Fields: "*"}}, "The table row style must be specified."},
		"pinned":        {&gdocs.Request{PinTableHeaderRows: &gdocs.PinTableHeaderRowsRequest{TableStartLocation: at, PinnedHeaderRowsCount: 3}}, "The number of pinned rows must be from 0 to 2."},
		"merged beyond": {mergeAt(1, 1, 0, 2, 1), "The table range goes beyond the table, which has 2 rows and 2 columns."},
	} {
		if got := refuse(t, docx(t, grid), c.request); !strings.HasSuffix(got, ": "+c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	wide := `<w:tbl><w:tblGrid><w:gridCol w:w="1"/><w:gridCol w:w="1"/></w:tblGrid><w:tr><w:tc><w:p/></w:tc><w:tc><w:p/></w:tc></w:tr><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>` + para("z")
	if got := refuse(t, docx(t, wide), mergeAt(1, 0, 0, 2, 1)); !strings.HasSuffix(got, "The table range is not rectangular: a merged cell reaches over its edge.") {
		t.Errorf("over an edge: got %q", got)
	}
}

// A cell without lines says so: what it does not say would be black in a new table.
func TestACellWithoutLinesShowsLinesOfNoWidth(t *testing.T) {
	t.Parallel()
	d := docx(t, tableXML([]string{para("a")})+para("b")+para("z"))
	shown := get(t, d).Body.Content[1].Table.TableRows[0].TableCells[0].TableCellStyle
	if shown.BorderTop == nil || shown.BorderTop.Width.Magnitude != 0 {
		t.Fatalf("got %s", sent(t, shown))
	}
	end := get(t, d).Body.Content[2].EndIndex
	d = apply(t, d, insertTableAt(end-1, 1, 1), &gdocs.Request{UpdateTableCellStyle: &gdocs.UpdateTableCellStyleRequest{
		TableStartLocation: &gdocs.Location{Index: end}, TableCellStyle: &gdocs.TableCellStyle{BorderTop: shown.BorderTop, BorderLeft: shown.BorderLeft, BorderBottom: shown.BorderBottom, BorderRight: shown.BorderRight},
		Fields: "borderTop,borderLeft,borderBottom,borderRight",
	}})
	copied := get(t, reread(t, d)).Body.Content[3].Table.TableRows[0].TableCells[0].TableCellStyle
	if got, want := sent(t, copied.BorderTop), sent(t, shown.BorderTop); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
