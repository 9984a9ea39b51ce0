package slides

import (
	"strconv"
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/pml"
)

const grid = "slide_256_9"

func cellOf(row, column int64) *gslides.TableCellLocation {
	return &gslides.TableCellLocation{RowIndex: row, ColumnIndex: column}
}

func insertRows(row, number int64, below bool) *gslides.Request {
	return &gslides.Request{InsertTableRows: &gslides.InsertTableRowsRequest{TableObjectId: grid, CellLocation: cellOf(row, 0), Number: number, InsertBelow: below}}
}

func deleteRow(row int64) *gslides.Request {
	return &gslides.Request{DeleteTableRow: &gslides.DeleteTableRowRequest{TableObjectId: grid, CellLocation: cellOf(row, 0)}}
}

// rowsXML is a table of rows as they are written.
func rowsXML(rows ...string) string {
	const before, behind = `<a:tr h="127000">`, `</a:tr>`
	one := tableXML("x")
	i, j := strings.Index(one, before), strings.Index(one, behind)
	return one[:i] + strings.Join(rows, "") + one[j+len(behind):]
}

func rowOf(cells ...string) string {
	row := `<a:tr h="127000">`
	for _, c := range cells {
		row += `<a:tc><a:txBody><a:bodyPr/>` + para(c) + `</a:txBody></a:tc>`
	}
	return row + `</a:tr>`
}

// texts writes the rows of a table.
func texts(t *testing.T, p *pml.Presentation) string {
	t.Helper()
	var rows []string
	for _, r := range first(t, reread(t, p)).Table.TableRows {
		var cells []string
		for _, c := range r.TableCells {
			cells = append(cells, strings.TrimSuffix(contentOf(t, c.Text), "\n"))
		}
		rows = append(rows, strings.Join(cells, ","))
	}
	return strings.Join(rows, "/")
}

func TestRowsAreInsertedAndDeleted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		requests []*gslides.Request
		want     string
	}{
		"above the first":   {[]*gslides.Request{insertRows(0, 1, false)}, ",/a,b/c,d"},
		"below the first":   {[]*gslides.Request{insertRows(0, 1, true)}, "a,b/,/c,d"},
		"below the last":    {[]*gslides.Request{insertRows(1, 1, true)}, "a,b/c,d/,"},
		"several":           {[]*gslides.Request{insertRows(1, 3, false)}, "a,b/,/,/,/c,d"},
		"and filled":        {[]*gslides.Request{insertRows(0, 2, true), {InsertText: &gslides.InsertTextRequest{ObjectId: grid, CellLocation: cellOf(2, 1), Text: "new"}}}, "a,b/,/,new/c,d"},
		"the first deleted": {[]*gslides.Request{deleteRow(0)}, "c,d"},
		"the last deleted":  {[]*gslides.Request{deleteRow(1)}, "a,b"},
		"made and deleted":  {[]*gslides.Request{insertRows(0, 20, true), deleteRow(20), deleteRow(0)}, strings.Repeat(",/", 19) + "c,d"},
	} {
		p := pptx(t, rowsXML(rowOf("a", "b"), rowOf("c", "d")), "")
		apply(t, p, c.requests...)
		if got := texts(t, p); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// cell is one with attributes, and its text.
func cell(attributes, text string) string {
	return `<a:tc` + attributes + `><a:txBody><a:bodyPr/>` + para(text) + `</a:txBody></a:tc>`
}

// mergedRows are four rows: one cell spans the first two, another both columns of the last.
func mergedRows() string {
	row := func(cells ...string) string { return `<a:tr h="127000">` + strings.Join(cells, "") + `</a:tr>` }
	return rowsXML(
		row(cell(` rowSpan="2"`, "a"), cell("", "b")), row(cell(` vMerge="1"`, ""), cell("", "c")),
		row(cell("", "d"), cell("", "e")), row(cell(` gridSpan="2"`, "f"), cell(` hMerge="1"`, "")),
	)
}

// TableCellLocation of InsertTableRowsRequest and DeleteTableRowRequest: a merged cell
// means all of its rows.
func TestRowsAreInsertedAndDeletedByTheMergedCellThatIsNamed(t *testing.T) {
	t.Parallel()
	insert := func(row, column int64, below bool) *gslides.Request {
		return &gslides.Request{InsertTableRows: &gslides.InsertTableRowsRequest{TableObjectId: grid, CellLocation: cellOf(row, column), Number: 2, InsertBelow: below}}
	}
	remove := func(row, column int64) *gslides.Request {
		return &gslides.Request{DeleteTableRow: &gslides.DeleteTableRowRequest{TableObjectId: grid, CellLocation: cellOf(row, column)}}
	}
	for name, c := range map[string]struct {
		request *gslides.Request
		want    string
	}{
		"below the merged cell":             {insert(0, 0, true), "a2,b/c/,/,/d,e/f"},
		"below what it covers":              {insert(1, 0, true), "a2,b/c/,/,/d,e/f"},
		"above what it covers":              {insert(1, 0, false), ",/,/a2,b/c/d,e/f"},
		"through the merged cell":           {insert(0, 1, true), "a4,b///c/d,e/f"},
		"below its last row, beside it":     {insert(1, 1, true), "a2,b/c/,/,/d,e/f"},
		"all rows of the merged cell gone":  {remove(1, 0), "d,e/f"},
		"the first of them gone, beside it": {remove(0, 1), ",c/d,e/f"},
		"the last of them gone, beside it":  {remove(1, 1), "a,b/d,e/f"},
	} {
		p := pptx(t, mergedRows(), "")
		apply(t, p, c.request)
		var rows []string
		for _, r := range first(t, reread(t, p)).Table.TableRows {
			var cells []string
			for _, c := range r.TableCells {
				text := strings.TrimSuffix(contentOf(t, c.Text), "\n")
				if c.RowSpan > 1 {
					text += strconv.FormatInt(c.RowSpan, 10)
				}
				cells = append(cells, text)
			}
			rows = append(rows, strings.Join(cells, ","))
		}
		if got := strings.Join(rows, "/"); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	for name, r := range map[string]string{"a single row": rowsXML(rowOf("a")), "rows of one cell": rowsXML(
		`<a:tr h="1">`+cell(` rowSpan="2"`, "a")+`</a:tr>`, `<a:tr h="1">`+cell(` vMerge="1"`, "")+`</a:tr>`)} {
		if got := refuse(t, pptx(t, r, ""), deleteRow(0)); got != "Invalid requests[0].deleteTableRow: Cannot remove the last row from a table." {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestANewRowLooksLikeTheOneBesideItAndIsEmpty(t *testing.T) {
	t.Parallel()
	cell := func(attributes, paragraphs string) string {
		return `<a:tc` + attributes + `><a:txBody><a:bodyPr/>` + paragraphs + `</a:txBody><a:tcPr anchor="ctr"/></a:tc>`
	}
	for name, c := range map[string]struct{ row, want string }{
		"the style of the first text": {
			`<a:tr h="5">` + cell("", `<a:p><a:pPr algn="r"/><a:r><a:rPr b="1"/><a:t>a</a:t></a:r><a:r><a:rPr i="1"/><a:t>b</a:t></a:r><a:endParaRPr u="sng"/></a:p><a:p/>`) + `</a:tr>`,
			`<a:tr h="5">` + cell("", `<a:p><a:pPr algn="r"/><a:endParaRPr b="1"/></a:p>`) + `</a:tr>`,
		},
		"the end's where no text is": {
			`<a:tr h="5">` + cell("", `<a:p><a:endParaRPr u="sng"/></a:p>`) + `</a:tr>`,
			`<a:tr h="5">` + cell("", `<a:p><a:endParaRPr u="sng"/></a:p>`) + `</a:tr>`,
		},
		"breaks and fields go": {
			`<a:tr h="5">` + cell("", `<a:p><a:br/><a:fld type="slidenum"/><a:r><a:t>a</a:t></a:r></a:p>`) + `</a:tr>`,
			`<a:tr h="5">` + cell("", `<a:p/>`) + `</a:tr>`,
		},
		"the second text's where the first has none": {
			`<a:tr h="5">` + cell("", `<a:p><a:r><a:t>a</a:t></a:r><a:r><a:rPr i="1"/><a:t>b</a:t></a:r></a:p>`) + `</a:tr>`,
			`<a:tr h="5">` + cell("", `<a:p><a:endParaRPr i="1"/></a:p>`) + `</a:tr>`,
		},
		"merged across, not down": {
			`<a:tr h="5">` + cell(` gridSpan="2" rowSpan="3"`, `<a:p/>`) + cell(` hMerge="1" vMerge="1"`, `<a:p/>`) + `<a:extLst><a:ext uri="{row}"/></a:extLst></a:tr>`,
			`<a:tr h="5">` + cell(` gridSpan="2"`, `<a:p/>`) + cell(` hMerge="1"`, `<a:p/>`) + `</a:tr>`,
		},
		"a cell without a text": {`<a:tr h="5"><a:tc/></a:tr>`, `<a:tr h="5"><a:tc/></a:tr>`},
	} {
		if got := xmlOf(t, emptyRow(parse(t, c.row))); got != c.want {
			t.Errorf("%s: got\n%s, want\n%s", name, got, c.want)
		}
	}
}

func TestRowsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	at := func(id string, cell *gslides.TableCellLocation) map[string]*gslides.Request {
		return map[string]*gslides.Request{
			"insertTableRows": {InsertTableRows: &gslides.InsertTableRowsRequest{TableObjectId: id, CellLocation: cell}},
			"deleteTableRow":  {DeleteTableRow: &gslides.DeleteTableRowRequest{TableObjectId: id, CellLocation: cell}},
			"mergeTableCells": {MergeTableCells: &gslides.MergeTableCellsRequest{ObjectId: id, TableRange: &gslides.TableRange{Location: cell}}},
		}
	}
	for want, requests := range map[string]map[string]*gslides.Request{
		"The object (none) could not be found.":                        at("none", cellOf(0, 0)),
		"The object (slide_256_2) is not a table.":                     at(box, cellOf(0, 0)),
		"The cell location must be specified.":                         at(grid, nil),
		"The row index 1 is not in the table, which has 1 rows.":       at(grid, cellOf(1, 0)),
		"The row index -1 is not in the table, which has 1 rows.":      at(grid, cellOf(-1, 0)),
		"The row index 1000000 is not in the table, which has 1 rows.": at(grid, cellOf(1_000_000, 0)),
		"The column index 1 is not in the row, which has 1 cells.":     at(grid, cellOf(0, 1)),
		"The column index -1 is not in the row, which has 1 cells.":    at(grid, cellOf(0, -1)),
	} {
		for kind, r := range requests {
			if got := refuse(t, pptx(t, sp("2", para("a"))+tableXML("x"), ""), r); got != "Invalid requests[0]."+kind+": "+want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
	for _, number := range []int64{-1, 0, 21} {
		if got := refuse(t, pptx(t, tableXML("x"), ""), insertRows(0, number, true)); got != "Invalid requests[0].insertTableRows: The number of rows to insert must be from 1 to 20." {
			t.Errorf("%d rows: got %q", number, got)
		}
	}
	none := &gslides.Request{MergeTableCells: &gslides.MergeTableCellsRequest{ObjectId: grid}}
	if got := refuse(t, pptx(t, tableXML("x"), ""), none); got != "Invalid requests[0].mergeTableCells: The table range must be specified." {
		t.Errorf("no range: got %q", got)
	}
}

func TestARangeOfNoSizeIsNotMerged(t *testing.T) {
	t.Parallel()
	request := &gslides.Request{MergeTableCells: &gslides.MergeTableCellsRequest{ObjectId: grid, TableRange: &gslides.TableRange{Location: cellOf(0, 0)}}}
	if got := refuse(t, pptx(t, tableXML("x"), ""), request); got != "Invalid requests[0].mergeTableCells: The row span and the column span of the table range must be at least 1." {
		t.Errorf("got %q", got)
	}
}

func TestCellsThatAreOneAlreadyMayBeMerged(t *testing.T) {
	t.Parallel()
	row := `<a:tr h="5"><a:tc gridSpan="2"/><a:tc hMerge="1"/><a:tc/><a:extLst/></a:tr>`
	for name, c := range map[string]struct {
		column, rows, columns int64
		merged                bool
	}{
		"its own two": {0, 1, 2, true}, "one of them": {0, 1, 1, false}, "a single": {2, 1, 1, true},
		"three": {0, 1, 3, false}, "two rows": {0, 2, 2, false}, "two singles": {2, 1, 2, false}, "the covered": {1, 1, 1, false},
	} {
		request := &gslides.Request{MergeTableCells: &gslides.MergeTableCellsRequest{ObjectId: grid, TableRange: &gslides.TableRange{Location: cellOf(0, c.column), RowSpan: c.rows, ColumnSpan: c.columns}}}
		p := pptx(t, rowsXML(row, row), "")
		if c.merged {
			before := slideXML(t, p)
			apply(t, p, request)
			if got := slideXML(t, p); got != before {
				t.Errorf("%s: got %s, want %s", name, got, before)
			}
		} else if got := refuse(t, p, request); got != "Invalid requests[0].mergeTableCells: This drive does not merge cells." {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
