package docs

import (
	"testing"

	gdocs "google.golang.org/api/docs/v1"
)

// merged is a table whose first cell takes the first two of four rows, and whose
// last row has a cell over both columns.
const merged = `<w:tbl><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid>` +
	`<w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>` +
	`<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc><w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr>` +
	`<w:tr><w:tc><w:p><w:r><w:t>d</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>e</w:t></w:r></w:p></w:tc></w:tr>` +
	`<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>f</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`

// spansOf are the rows and columns of each cell, row by row.
func spansOf(t *testing.T, table *gdocs.Table) string {
	t.Helper()
	text := ""
	for _, r := range table.TableRows {
		for _, c := range r.TableCells {
			text += sent(t, []int64{c.TableCellStyle.RowSpan, c.TableCellStyle.ColumnSpan})
		}
		text += "/"
	}
	return text
}

// TableCellLocation of InsertTableRowRequest and DeleteTableRowRequest: a merged
// cell means all of its rows.
func TestRowsAreInsertedAndDeletedByTheMergedCellThatIsNamed(t *testing.T) {
	t.Parallel()
	insert := func(row, column int64, below bool) *gdocs.Request {
		return &gdocs.Request{InsertTableRow: &gdocs.InsertTableRowRequest{TableCellLocation: cellAtIndex(1, row, column), InsertBelow: below}}
	}
	remove := func(row, column int64) *gdocs.Request {
		return &gdocs.Request{DeleteTableRow: &gdocs.DeleteTableRowRequest{TableCellLocation: cellAtIndex(1, row, column)}}
	}
	for name, c := range map[string]struct {
		request     *gdocs.Request
		want, spans string
	}{
		"nothing":                           {insertAt(4, "x"), "§[|xa¶|b¶/|¶|c¶/|d¶|e¶/|f¶|¶/]z¶", "[2,1][1,1]/[1,1][1,1]/[1,1][1,1]/[1,2][1,1]/"},
		"below the merged cell":             {insert(0, 0, true), "§[|a¶|b¶/|¶|c¶/|¶|¶/|d¶|e¶/|f¶|¶/]z¶", "[2,1][1,1]/[1,1][1,1]/[1,1][1,1]/[1,1][1,1]/[1,2][1,1]/"},
		"below what it covers":              {insert(1, 0, true), "§[|a¶|b¶/|¶|c¶/|¶|¶/|d¶|e¶/|f¶|¶/]z¶", "[2,1][1,1]/[1,1][1,1]/[1,1][1,1]/[1,1][1,1]/[1,2][1,1]/"},
		"above what it covers":              {insert(1, 0, false), "§[|¶|¶/|a¶|b¶/|¶|c¶/|d¶|e¶/|f¶|¶/]z¶", "[1,1][1,1]/[2,1][1,1]/[1,1][1,1]/[1,1][1,1]/[1,2][1,1]/"},
		"through the merged cell":           {insert(0, 1, true), "§[|a¶|b¶/|¶|¶/|¶|c¶/|d¶|e¶/|f¶|¶/]z¶", "[3,1][1,1]/[1,1][1,1]/[1,1][1,1]/[1,1][1,1]/[1,2][1,1]/"},
		"below its last row, beside it":     {insert(1, 1, true), "§[|a¶|b¶/|¶|c¶/|¶|¶/|d¶|e¶/|f¶|¶/]z¶", "[2,1][1,1]/[1,1][1,1]/[1,1][1,1]/[1,1][1,1]/[1,2][1,1]/"},
		"below a cell over columns":         {insert(3, 1, true), "§[|a¶|b¶/|¶|c¶/|d¶|e¶/|f¶|¶/|¶|¶/]z¶", "[2,1][1,1]/[1,1][1,1]/[1,1][1,1]/[1,2][1,1]/[1,2][1,1]/"},
		"all rows of the merged cell gone":  {remove(1, 0), "§[|d¶|e¶/|f¶|¶/]z¶", "[1,1][1,1]/[1,2][1,1]/"},
		"the first of them gone, beside it": {remove(0, 1), "§[|¶|c¶/|d¶|e¶/|f¶|¶/]z¶", "[1,1][1,1]/[1,1][1,1]/[1,2][1,1]/"},
		"the last of them gone, beside it":  {remove(1, 1), "§[|a¶|b¶/|d¶|e¶/|f¶|¶/]z¶", "[1,1][1,1]/[1,1][1,1]/[1,2][1,1]/"},
	} {
		table := get(t, apply(t, docx(t, merged+para("z")), c.request))
		if got := outline(table.Body.Content); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if got := spansOf(t, table.Body.Content[1].Table); got != c.spans {
			t.Errorf("%s: got the spans %s, want %s", name, got, c.spans)
		}
	}
}

func TestACellIsInARowOfATableAndSomeRowStays(t *testing.T) {
	t.Parallel()
	one := tableXML([]string{para("a"), para("b")})
	tall := `<w:tbl><w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p/></w:tc></w:tr><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`
	at := func(column int64) *gdocs.TableCellLocation { return cellAtIndex(1, 0, column) }
	for name, c := range map[string]struct {
		body    string
		request *gdocs.Request
		want    string
	}{
		"a row by no cell":        {one, &gdocs.Request{InsertTableRow: &gdocs.InsertTableRowRequest{TableCellLocation: at(2)}}, "insertTableRow: The column index 2 is not in the row, which has 2 cells."},
		"gone by no cell":         {one, &gdocs.Request{DeleteTableRow: &gdocs.DeleteTableRowRequest{TableCellLocation: at(-1)}}, "deleteTableRow: The column index -1 is not in the row, which has 2 cells."},
		"the last row":            {one, &gdocs.Request{DeleteTableRow: &gdocs.DeleteTableRowRequest{TableCellLocation: at(0)}}, "deleteTableRow: Cannot remove the last row from a table."},
		"all rows by one cell":    {tall, &gdocs.Request{DeleteTableRow: &gdocs.DeleteTableRowRequest{TableCellLocation: at(0)}}, "deleteTableRow: Cannot remove the last row from a table."},
		"text in a covered cell":  {spanned, insertAt(8, "x"), "insertText: The insertion index must be inside the bounds of an existing paragraph. You can still create new paragraphs by inserting newlines."},
		"the feed of a covered":   {spanned, deleteRange(8, 9), "deleteContentRange: The range cannot include the newline character at the end of the segment."},
		"a mark in a covered one": {spanned, &gdocs.Request{CreateNamedRange: &gdocs.CreateNamedRangeRequest{Name: "n", Range: rangeFrom("", 8, 9)}}, "createNamedRange: The range must begin and end in a paragraph."},
	} {
		if got := refuse(t, docx(t, c.body+para("z")), c.request); got != "Invalid requests[0]."+c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestWhatAFileLeavesOutOfARowIsListedAsEmptyCells(t *testing.T) {
	t.Parallel()
	skip := func(tag string) string { return `<w:trPr><w:` + tag + ` w:val="1"/></w:trPr>` }
	cell := `<w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc>`
	body := `<w:tbl><w:tblGrid><w:gridCol w:w="9"/><w:gridCol w:w="9"/></w:tblGrid><w:tr>` + skip("gridBefore") + cell + `</w:tr><w:tr>` + skip("gridAfter") + cell + `</w:tr></w:tbl>` + para("z")
	if got, want := applyTo(t, body, insertAt(6, "y")), "§[|¶|yx¶/|x¶|¶/]z¶"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A style that is given to a covered cell changes nothing.
func TestStylesGoOverCoveredCells(t *testing.T) {
	t.Parallel()
	style := styleText(3, 16, &gdocs.TextStyle{Bold: true}, "bold")
	content := get(t, apply(t, docx(t, spanned+para("z")), style, createBullets(3, 16, "BULLET_CHECKBOX"))).Body.Content
	if got, want := outline(content), "§[|ab¶|¶/|c¶|d¶/]z¶"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	row := content[1].Table.TableRows[0].TableCells
	if !row[0].Content[0].Paragraph.Elements[0].TextRun.TextStyle.Bold || row[1].Content[0].Paragraph.Elements[0].TextRun.TextStyle.Bold {
		t.Errorf("got %s, want the text of the first cell alone in bold", sent(t, row))
	}
}

func TestAFileDoesNotGrowBeyondMeasureByCellsThatItLeavesOut(t *testing.T) {
	t.Parallel()
	row := `<w:tr><w:tc><w:tcPr><w:gridSpan w:val="63"/></w:tcPr><w:p/></w:tc></w:tr>`
	rows := ""
	for range 1000 {
		rows += row
	}
	cells := 0
	for _, r := range get(t, docx(t, `<w:tbl>`+rows+`</w:tbl>`+para("z"))).Body.Content[1].Table.TableRows {
		cells += len(r.TableCells)
	}
	if want := 1000 + maxCovered; cells != want {
		t.Errorf("got %d cells, want %d", cells, want)
	}
}
