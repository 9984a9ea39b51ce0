package docs

import (
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"
)

func cellAtIndex(table, row, column int64) *gdocs.TableCellLocation {
	return &gdocs.TableCellLocation{TableStartLocation: &gdocs.Location{Index: table}, RowIndex: row, ColumnIndex: column}
}

func insertColumn(table, row, column int64, right bool) *gdocs.Request {
	return &gdocs.Request{InsertTableColumn: &gdocs.InsertTableColumnRequest{TableCellLocation: cellAtIndex(table, row, column), InsertRight: right}}
}

func deleteColumn(table, row, column int64) *gdocs.Request {
	return &gdocs.Request{DeleteTableColumn: &gdocs.DeleteTableColumnRequest{TableCellLocation: cellAtIndex(table, row, column)}}
}

func insertTableAt(index, rows, columns int64) *gdocs.Request {
	return &gdocs.Request{InsertTable: &gdocs.InsertTableRequest{Location: &gdocs.Location{Index: index}, Rows: rows, Columns: columns}}
}

// spanned has a cell over two columns in its first row.
const spanned = `<w:tbl><w:tblPr><w:tblW w:w="3000" w:type="dxa"/></w:tblPr><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="2000"/></w:tblGrid>` +
	`<w:tr><w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>ab</w:t></w:r></w:p></w:tc></w:tr>` +
	`<w:tr><w:tc><w:tcPr><w:tcW w:w="1000" w:type="dxa"/></w:tcPr><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc>` +
	`<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr><w:p><w:r><w:t>d</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`

func TestTablesAreMadeAndTheirColumnsChanged(t *testing.T) {
	t.Parallel()
	four := tableXML([]string{para("a"), para("b")}, []string{para("c"), para("d")}) + para("z")
	for name, c := range map[string]struct {
		body     string
		requests []*gdocs.Request
		want     string
	}{
		"a table in a paragraph": {para("ab"), []*gdocs.Request{
			insertTableAt(2, 1, 2),
			{InsertText: &gdocs.InsertTextRequest{Location: &gdocs.Location{Index: 6}, Text: "x"}},
		}, "§a¶[|x¶|¶/]b¶"},
		"a table at the end": {para("ab"), []*gdocs.Request{
			{InsertTable: &gdocs.InsertTableRequest{EndOfSegmentLocation: &gdocs.EndOfSegmentLocation{}, Rows: 2, Columns: 1}},
		}, "§ab¶[|¶/|¶/]¶"},
		"a table in a cell":            {tableXML([]string{para("a")}) + para("z"), []*gdocs.Request{insertTableAt(4, 1, 1)}, "§[|¶[|¶/]a¶/]z¶"},
		"a column to the left":         {four, []*gdocs.Request{insertColumn(1, 0, 0, false)}, "§[|¶|a¶|b¶/|¶|c¶|d¶/]z¶"},
		"a column between":             {four, []*gdocs.Request{insertColumn(1, 0, 0, true)}, "§[|a¶|¶|b¶/|c¶|¶|d¶/]z¶"},
		"a column to the right":        {four, []*gdocs.Request{insertColumn(1, 1, 1, true)}, "§[|a¶|b¶|¶/|c¶|d¶|¶/]z¶"},
		"a column less":                {four, []*gdocs.Request{deleteColumn(1, 1, 0)}, "§[|b¶/|d¶/]z¶"},
		"no column left":               {four, []*gdocs.Request{deleteColumn(1, 1, 0), deleteColumn(1, 0, 0)}, "§z¶"},
		"a column through a wide cell": {spanned + para("z"), []*gdocs.Request{insertColumn(1, 1, 0, true)}, "§[|ab¶/|c¶|¶|d¶/]z¶"},
		"a column of a wide cell":      {spanned + para("z"), []*gdocs.Request{deleteColumn(1, 1, 0)}, "§[|ab¶/|d¶/]z¶"},
		"all columns of a wide cell":   {spanned + para("z"), []*gdocs.Request{deleteColumn(1, 0, 0)}, "§z¶"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := docx(t, c.body)
			if _, err := Apply(d, "id", c.requests); err != nil {
				t.Fatalf("Apply: %v", err)
			}
			if got := outline(get(t, reread(t, d)).Body.Content); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestATableKeepsItsWidthWhenItGetsAColumn(t *testing.T) {
	t.Parallel()
	d := docx(t, spanned+para("z"))
	if _, err := Apply(d, "id", []*gdocs.Request{insertColumn(1, 1, 0, true)}); err != nil {
		t.Fatal(err)
	}
	table := get(t, reread(t, d)).Body.Content[1].Table
	if table.Columns != 3 || table.TableRows[0].TableCells[0].TableCellStyle.ColumnSpan != 3 {
		t.Errorf("got %d columns and a span of %d, want 3", table.Columns, table.TableRows[0].TableCells[0].TableCellStyle.ColumnSpan)
	}
	sum := 0.0
	for _, c := range table.TableStyle.TableColumnProperties {
		sum += c.Width.Magnitude
	}
	if sum != 150 {
		t.Errorf("got a width of %v pt, want 150", sum)
	}
}

func TestTablesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request *gdocs.Request
		want    string
	}{
		"no rows":           {insertTableAt(1, 0, 1), "at least one row"},
		"many columns":      {insertTableAt(1, 1, 64), "63 columns"},
		"many cells":        {insertTableAt(1, 50_000, 2), "table cells"},
		"no place":          {&gdocs.Request{InsertTable: &gdocs.InsertTableRequest{Rows: 1, Columns: 1}}, "location"},
		"in a note":         {&gdocs.Request{InsertTable: &gdocs.InsertTableRequest{Rows: 1, Columns: 1, Location: &gdocs.Location{SegmentId: "kix.footnote2"}}}, "footnote"},
		"no such column":    {insertColumn(1, 0, 7, false), "column index 7"},
		"no table there":    {deleteColumn(2, 0, 0), "does not point at a table"},
		"a negative column": {deleteColumn(1, 0, -1), "column index -1"},
	} {
		_, err := Apply(docx(t, tableXML([]string{para("a")})+para("z")), "id", []*gdocs.Request{c.request})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
