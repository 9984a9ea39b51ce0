package docs

import (
	"fmt"
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
		"a column through a wide cell": {spanned + para("z"), []*gdocs.Request{insertColumn(1, 1, 0, true)}, "§[|ab¶|¶|¶/|c¶|¶|d¶/]z¶"},
		"a column of a wide cell":      {spanned + para("z"), []*gdocs.Request{deleteColumn(1, 1, 0)}, "§[|ab¶/|d¶/]z¶"},
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

// cellXML is a cell of a width that takes some columns; its text is its width.
func cellXML(width, columns string) string {
	span := ""
	if columns != "1" {
		span = `<w:gridSpan w:val="` + columns + `"/>`
	}
	return `<w:tc><w:tcPr><w:tcW w:w="` + width + `" w:type="dxa"/>` + span + `</w:tcPr>` + para(width) + `</w:tc>`
}

// grid writes the columns of a table, and of each row the columns of its cells
// with their widths.
func grid(t *testing.T, d interface{ Bytes() ([]byte, error) }) string {
	t.Helper()
	data, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	table := element(t, partXML(t, read(t, data), "word/document.xml")).FindElement("//w:tbl")
	text := fmt.Sprint(gridColumns(table))
	for _, tr := range table.SelectElements("w:tr") {
		text += " /"
		for _, c := range gridOf(tr) {
			text += fmt.Sprintf(" %d-%d", c.first, c.past)
			if w := child(child(c.elem, "tcPr"), "tcW"); w != nil {
				text += ":" + w.SelectAttrValue("w:w", "")
			}
		}
	}
	return text
}

func TestColumnsKeepTheGridOfEveryRow(t *testing.T) {
	t.Parallel()
	table := func(grid string, rows ...string) string {
		text := `<w:tbl><w:tblGrid>`
		for _, w := range strings.Fields(grid) {
			text += `<w:gridCol w:w="` + w + `"/>`
		}
		text += `</w:tblGrid>`
		for _, r := range rows {
			text += `<w:tr>` + r + `</w:tr>`
		}
		return text + `</w:tbl>` + para("z")
	}
	skip := func(tag, n string) string { return `<w:trPr><w:` + tag + ` w:val="` + n + `"/></w:trPr>` }
	three := cellXML("100", "1") + cellXML("200", "1") + cellXML("300", "1")
	wide := cellXML("300", "2") + cellXML("300", "1")
	for name, c := range map[string]struct {
		body    string
		request *gdocs.Request
		want    string
	}{
		// Widths are shared anew by their proportions: 600 of 700, 800 or 900.
		"left of the first":      {table("100 200 300", three, wide), insertColumn(1, 0, 0, false), "[85 85 171 257] / 0-1:85 1-2:85 2-3:171 3-4:257 / 0-1:85 1-3:256 3-4:257"},
		"through a wide cell":    {table("100 200 300", three, wide), insertColumn(1, 0, 0, true), "[85 85 171 257] / 0-1:85 1-2:85 2-3:171 3-4:257 / 0-3:341 3-4:257"},
		"behind a wide cell":     {table("100 200 300", three, wide), insertColumn(1, 1, 0, true), "[85 171 85 257] / 0-1:85 1-2:171 2-3:85 3-4:257 / 0-2:256 2-3:85 3-4:257"},
		"right of the last":      {table("100 200 300", three, wide), insertColumn(1, 0, 2, true), "[66 133 200 200] / 0-1:66 1-2:133 2-3:200 3-4:200 / 0-2:199 2-3:200 3-4:200"},
		"in what a row skips":    {table("100 200 300", three, skip("gridBefore", "2")+cellXML("300", "1")), insertColumn(1, 0, 0, true), "[85 85 171 257] / 0-1:85 1-2:85 2-3:171 3-4:257 / 3-4:257"},
		"behind what a row has":  {table("100 200 300", three, skip("gridAfter", "2")+cellXML("100", "1")), insertColumn(1, 0, 1, true), "[75 150 150 225] / 0-1:75 1-2:150 2-3:150 3-4:225 / 0-1:75"},
		"without a grid":         {table("", three), insertColumn(1, 0, 1, false), "[] / 0-1:100 1-2:200 2-3:200 3-4:300"},
		"the first less":         {table("100 200 300", three, wide), deleteColumn(1, 0, 0), "[200 300] / 0-1:200 1-2:300 / 0-1:200 1-2:300"},
		"the last less":          {table("100 200 300", three, wide), deleteColumn(1, 1, 2), "[100 200] / 0-1:100 1-2:200 / 0-2:300"},
		"two less":               {table("100 200 300", three, wide), deleteColumn(1, 1, 0), "[300] / 0-1:300 / 0-1:300"},
		"less of what is wider":  {table("100 200 300", three, cellXML("600", "3")), deleteColumn(1, 0, 1), "[100 300] / 0-1:100 1-2:300 / 0-2:400"},
		"less of what is before": {table("100 200 300", three, skip("gridBefore", "2")+cellXML("300", "1")), deleteColumn(1, 0, 0), "[200 300] / 0-1:200 1-2:300 / 1-2:300"},
		"a row without others":   {table("100 200 300", three, skip("gridBefore", "1")+cellXML("200", "1")+skip("gridAfter", "1")), deleteColumn(1, 0, 1), "[100 300] / 0-1:100 1-2:300"},
	} {
		if got := grid(t, apply(t, docx(t, c.body), c.request)); got != c.want {
			t.Errorf("%s: got\n%s, want\n%s", name, got, c.want)
		}
	}
}

func TestANewColumnLooksLikeTheCellsBesideItAndIsMergedWithNone(t *testing.T) {
	t.Parallel()
	body := `<w:tbl><w:tblGrid><w:gridCol w:w="100"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:tcW w:w="100" w:type="dxa"/><w:vMerge w:val="restart"/><w:shd w:val="clear" w:fill="EEEEEE"/></w:tcPr>` +
		`<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl>` + para("z")
	want := `<w:tc><w:tcPr><w:tcW w:w="50" w:type="dxa"/><w:shd w:val="clear" w:fill="EEEEEE"/></w:tcPr><w:p><w:pPr><w:jc w:val="center"/><w:rPr><w:b/></w:rPr></w:pPr></w:p></w:tc>`
	for _, right := range []bool{false, true} {
		d := docx(t, body)
		apply(t, d, insertColumn(1, 0, 0, right))
		if got := bodyXML(t, d); !strings.Contains(got, want) || strings.Index(got, want) > strings.Index(got, "restart") != right {
			t.Errorf("right %t: got %s, want %s in it", right, got, want)
		}
	}
}

func TestANewTableFillsTheTextOfThePage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		section       string
		columns, each int64
	}{
		"Letter":                    {`<w:sectPr><w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:left="1440" w:right="1440"/></w:sectPr>`, 3, 3120},
		"A4, with a rest":           {`<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:left="1000" w:right="1000"/></w:sectPr>`, 7, 1415},
		"as many columns as may be": {`<w:sectPr><w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:left="1440" w:right="1440"/></w:sectPr>`, 63, 148},
	} {
		d := docxWith(t, para("a")+c.section, nil)
		apply(t, d, insertTableAt(1, 2, c.columns))
		tree := element(t, bodyXML(t, d))
		widths := gridColumns(tree.FindElement("./w:tbl"))
		if int64(len(widths)) != c.columns || widths[0] != c.each || widths[c.columns-1] != c.each {
			t.Errorf("%s: got columns of %v, want %d of %d", name, widths, c.columns, c.each)
		}
		if got := tree.FindElements("./w:tbl/w:tr/w:tc/w:tcPr/w:tcW"); int64(len(got)) != 2*c.columns || got[0].SelectAttrValue("w:w", "") != fmt.Sprint(c.each) {
			t.Errorf("%s: got %d cells", name, len(got))
		}
	}
}

func TestANewTableHasGooglesThinBlackLines(t *testing.T) {
	t.Parallel()
	d := docx(t, para("a"))
	apply(t, d, insertTableAt(2, 1, 1))
	table := element(t, bodyXML(t, d)).FindElement("./w:tbl")
	borders := table.FindElement("./w:tblPr/w:tblBorders").ChildElements()
	if len(borders) != 6 {
		t.Errorf("got %d lines, want those of four sides and two between", len(borders))
	}
	for _, b := range borders {
		// Eighths of a point (ECMA-376 part 1, 17.4.38): one point.
		if b.SelectAttrValue("w:val", "") != "single" || b.SelectAttrValue("w:sz", "") != "8" || b.SelectAttrValue("w:color", "") != "000000" {
			t.Errorf("got the line %s", xmlOf(b))
		}
	}
	if got := table.FindElement("./w:tblPr/w:tblLayout").SelectAttrValue("w:type", ""); got != "fixed" {
		t.Errorf("got the layout %s", got)
	}
}

func TestTablesThatAreTooLargeAreRefusedInGooglesWords(t *testing.T) {
	t.Parallel()
	columns := tableXML([]string{strings.Repeat(`</w:tc><w:tc>`, 62) + `<w:p/>`})
	grown := `<w:tbl><w:tblGrid>` + strings.Repeat(`<w:gridCol w:w="9"/>`, 63) + `</w:tblGrid><w:tr>` + strings.Repeat(`<w:tc><w:p/></w:tc>`, 63) + `</w:tr></w:tbl>`
	for name, c := range map[string]struct {
		body     string
		requests []*gdocs.Request
		want     string
	}{
		"no columns":            {"", []*gdocs.Request{insertTableAt(1, 1, 0)}, "requests[0].insertTable: A table must have at least one row, and 1 to 63 columns."},
		"less than none":        {"", []*gdocs.Request{insertTableAt(1, -1, 1)}, "requests[0].insertTable: A table must have at least one row, and 1 to 63 columns."},
		"a column too many":     {"", []*gdocs.Request{insertTableAt(1, 1, 64)}, "requests[0].insertTable: A table must have at least one row, and 1 to 63 columns."},
		"a row too many":        {"", []*gdocs.Request{insertTableAt(1, maxNewCells+1, 1)}, "requests[0].insertTable: A table must have at least one row, and 1 to 63 columns."},
		"cells of two tables":   {"", []*gdocs.Request{insertTableAt(1, 1000, 30), insertTableAt(1, 1000, 21)}, "requests[1].insertTable: The requests of one batch may add at most 50000 table cells."},
		"a 64th column":         {grown, []*gdocs.Request{insertColumn(1, 0, 62, true)}, "requests[0].insertTableColumn: A table may have at most 63 columns."},
		"a 64th without a grid": {columns, []*gdocs.Request{insertColumn(1, 0, 62, true)}, "requests[0].insertTableColumn: A table may have at most 63 columns."},
		"a column that is not":  {tableXML([]string{para("a")}), []*gdocs.Request{insertColumn(1, 0, 1, false)}, "requests[0].insertTableColumn: The column index 1 is not in the row, which has 1 cells."},
		"the last column":       {tableXML([]string{para("a"), para("b")}), []*gdocs.Request{deleteColumn(1, 0, 1), deleteColumn(1, 0, 0)}, "requests[1].deleteTableColumn: Cannot remove the last column from a table."},
		"all of a wide cell":    {spanned, []*gdocs.Request{deleteColumn(1, 0, 1)}, "requests[0].deleteTableColumn: Cannot remove the last column from a table."},
		"a column left out":     {`<w:tbl><w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr><w:tc><w:p/></w:tc></w:tr></w:tbl>`, []*gdocs.Request{insertColumn(1, 0, 0, false)}, "requests[0].insertTableColumn: The row 0 leaves the column 0 out."},
		"in a footnote":         {"", []*gdocs.Request{{InsertTable: &gdocs.InsertTableRequest{Rows: 1, Columns: 1, EndOfSegmentLocation: &gdocs.EndOfSegmentLocation{SegmentId: "kix.footnote2"}}}}, "requests[0].insertTable: Tables cannot be inserted inside a footnote."},
		"cells by a new column": {"", []*gdocs.Request{insertTableAt(1, 49_999, 1), insertColumn(2, 0, 0, true)}, "requests[1].insertTableColumn: The requests of one batch may add at most 50000 table cells."},
	} {
		if got := refuse(t, docx(t, c.body+para("z")), c.requests...); got != "Invalid "+c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestAGridNumberIsOneThatATableMayHave(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int64{"": 1, "x": 1, "-3": 1, "0": 1, "1": 1, "5": 5, "63": 63, "64": 63, "99999999999": 63, "99999999999999999999": 1} {
		if got := gridNumber(element(t, `<w:gridSpan w:val="`+value+`"/>`), 1); got != want {
			t.Errorf("%q: got %d, want %d", value, got, want)
		}
	}
	if got := gridNumber(nil, 0); got != 0 {
		t.Errorf("nothing: got %d, want 0", got)
	}
}

func TestASpanStandsWhereTheSchemaWantsIt(t *testing.T) {
	t.Parallel()
	// w:cnfStyle, w:tcW, w:gridSpan, then the others (ECMA-376 part 1, 17.4.70).
	for name, c := range map[string]struct {
		cell    string
		columns int64
		want    string
	}{
		"into nothing":          {`<w:tc><w:p/></w:tc>`, 2, `<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p/></w:tc>`},
		"of one into nothing":   {`<w:tc><w:p/></w:tc>`, 1, `<w:tc><w:tcPr/><w:p/></w:tc>`},
		"behind the width":      {`<w:tc><w:tcPr><w:cnfStyle/><w:tcW/><w:shd/></w:tcPr></w:tc>`, 3, `<w:tc><w:tcPr><w:cnfStyle/><w:tcW/><w:gridSpan w:val="3"/><w:shd/></w:tcPr></w:tc>`},
		"before what comes":     {`<w:tc><w:tcPr><w:vMerge/></w:tcPr></w:tc>`, 2, `<w:tc><w:tcPr><w:gridSpan w:val="2"/><w:vMerge/></w:tcPr></w:tc>`},
		"in the place of other": {`<w:tc><w:tcPr><w:tcW/><w:gridSpan w:val="4"/></w:tcPr></w:tc>`, 3, `<w:tc><w:tcPr><w:tcW/><w:gridSpan w:val="3"/></w:tcPr></w:tc>`},
		"of one":                {`<w:tc><w:tcPr><w:tcW/><w:gridSpan w:val="2"/></w:tcPr></w:tc>`, 1, `<w:tc><w:tcPr><w:tcW/></w:tcPr></w:tc>`},
	} {
		e := element(t, c.cell)
		setSpan(e, c.columns)
		if got := xmlOf(e); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestAGridWithoutAllWidthsIsNone(t *testing.T) {
	t.Parallel()
	for grid, want := range map[string]string{
		`<w:tbl/>`: "[]", `<w:tbl><w:tblGrid/></w:tbl>`: "[]",
		`<w:tbl><w:tblGrid><w:gridCol w:w="5"/><w:gridCol w:w="0"/><w:tblGridChange/></w:tblGrid></w:tbl>`: "[5 0]",
		`<w:tbl><w:tblGrid><w:gridCol w:w="5"/><w:gridCol/></w:tblGrid></w:tbl>`:                           "[]",
		`<w:tbl><w:tblGrid><w:gridCol w:w="5"/><w:gridCol w:w="-1"/></w:tblGrid></w:tbl>`:                  "[]",
		`<w:tbl><w:tblGrid><w:gridCol w:w="5.5"/></w:tblGrid></w:tbl>`:                                     "[]",
	} {
		if got := fmt.Sprint(gridColumns(element(t, grid))); got != want {
			t.Errorf("%s: got %s, want %s", grid, got, want)
		}
	}
}

func TestWidthsAreSharedByTheirProportions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		widths []int64
		total  int64
		want   string
	}{
		{[]int64{100, 200, 100}, 200, "[50 100 50]"},
		{[]int64{1, 1, 1}, 100, "[33 33 33]"},
		{[]int64{0, 0}, 100, "[0 0]"},
		{nil, 100, "[]"},
	} {
		scale(c.widths, c.total)
		if got := fmt.Sprint(c.widths); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
