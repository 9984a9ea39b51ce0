package docs

import (
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"
)

func TestRowsAreInsertedAndDeletedByTheirCells(t *testing.T) {
	t.Parallel()
	two := tableXML([]string{para("a"), para("b")}, []string{para("c"), para("d")}) + para("z")
	nested := tableXML([]string{tableXML([]string{para("in")}, []string{para("ner")}) + `<w:p/>`}) + para("z")
	for name, c := range map[string]struct {
		body     string
		requests []*gdocs.Request
		want     string
	}{
		"above the first":       {two, []*gdocs.Request{insertRow(1, 0, false)}, "§[|¶|¶/|a¶|b¶/|c¶|d¶/]z¶"},
		"below the first":       {two, []*gdocs.Request{insertRow(1, 0, true)}, "§[|a¶|b¶/|¶|¶/|c¶|d¶/]z¶"},
		"above the last":        {two, []*gdocs.Request{insertRow(1, 1, false)}, "§[|a¶|b¶/|¶|¶/|c¶|d¶/]z¶"},
		"below the last":        {two, []*gdocs.Request{insertRow(1, 1, true)}, "§[|a¶|b¶/|c¶|d¶/|¶|¶/]z¶"},
		"and filled":            {two, []*gdocs.Request{insertRow(1, 0, false), insertAt(6, "2"), insertAt(4, "1"), insertAt(24, "!")}, "§[|1¶|2¶/|a¶|b¶/|c¶|d¶/]!z¶"},
		"one after the other":   {two, []*gdocs.Request{insertRow(1, 1, true), insertRow(1, 2, true), insertAt(25, "x"), deleteRow(1, 0)}, "§[|c¶|d¶/|¶|¶/|¶|x¶/]z¶"},
		"in a table in a table": {nested, []*gdocs.Request{insertRow(4, 1, true), insertAt(18, "new"), insertRow(1, 0, true)}, "§[|[|in¶/|ner¶/|new¶/]¶/|¶/]z¶"},
		"deleted in the middle": {two, []*gdocs.Request{deleteRow(1, 0)}, "§[|c¶|d¶/]z¶"},
		"deleted in a table":    {nested, []*gdocs.Request{deleteRow(4, 0)}, "§[|[|ner¶/]¶/]z¶"},
	} {
		if got := applyTo(t, c.body, c.requests...); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestRowsOfHeadersAreInsertedToo(t *testing.T) {
	t.Parallel()
	d := docxWith(t, para("a"), map[string]string{"header1": `<w:hdr` + namespaces + `>` + tableXML([]string{para("h")}) + `<w:p/></w:hdr>`})
	at := &gdocs.TableCellLocation{TableStartLocation: &gdocs.Location{SegmentId: "kix.header1"}}
	doc := get(t, apply(t, d, &gdocs.Request{InsertTableRow: &gdocs.InsertTableRowRequest{TableCellLocation: at, InsertBelow: true}}))
	if got := outline(doc.Headers["kix.header1"].Content); got != "[|h¶/|¶/]¶" {
		t.Errorf("got %q", got)
	}
}

func TestARowIsCopiedWithItsPropertiesAndWithoutItsContent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ row, want string }{
		"properties of the row and its cells": {
			`<w:tr w:rsidR="1" w14:paraId="2"><w:tblPrEx><w:x/></w:tblPrEx><w:trPr><w:tblHeader/></w:trPr><w:tc><w:tcPr><w:vAlign w:val="center"/></w:tcPr><w:p/></w:tc></w:tr>`,
			`<w:tr w:rsidR="1"><w:tblPrEx><w:x/></w:tblPrEx><w:trPr><w:tblHeader/></w:trPr><w:tc><w:tcPr><w:vAlign w:val="center"/></w:tcPr><w:p/></w:tc></w:tr>`,
		},
		"the first paragraph's alone": {
			`<w:tr><w:tc><w:p><w:pPr><w:jc w:val="end"/></w:pPr></w:p><w:p><w:pPr><w:keepNext/></w:pPr></w:p></w:tc></w:tr>`,
			`<w:tr><w:tc><w:p><w:pPr><w:jc w:val="end"/></w:pPr></w:p></w:tc></w:tr>`,
		},
		"the first text's, as the mark's": {
			`<w:tr><w:tc><w:p><w:pPr><w:rPr><w:i/></w:rPr></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r><w:r><w:rPr><w:u/></w:rPr><w:t>b</w:t></w:r></w:p></w:tc></w:tr>`,
			`<w:tr><w:tc><w:p><w:pPr><w:rPr><w:b/></w:rPr></w:pPr></w:p></w:tc></w:tr>`,
		},
		"none of plain text": {
			`<w:tr><w:tc><w:p><w:pPr><w:rPr><w:i/></w:rPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr>`,
			`<w:tr><w:tc><w:p/></w:tc></w:tr>`,
		},
		"the mark's where no text is": {
			`<w:tr><w:tc><w:p><w:pPr><w:rPr><w:i/></w:rPr></w:pPr></w:p></w:tc></w:tr>`,
			`<w:tr><w:tc><w:p><w:pPr><w:rPr><w:i/></w:rPr></w:pPr></w:p></w:tc></w:tr>`,
		},
		"not of a table in the cell": {
			`<w:tr><w:tc><w:tbl><w:tr><w:tc><w:p><w:pPr><w:keepNext/></w:pPr></w:p></w:tc></w:tr></w:tbl><w:p/></w:tc></w:tr>`,
			`<w:tr><w:tc><w:p/></w:tc></w:tr>`,
		},
		"cells of content controls": {
			`<w:tr><w:sdt><w:sdtContent><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:sdtContent></w:sdt><w:tc><w:p/></w:tc></w:tr>`,
			`<w:tr><w:tc><w:p/></w:tc><w:tc><w:p/></w:tc></w:tr>`,
		},
	} {
		if got := xmlOf(emptyRow(element(t, c.row))); got != c.want {
			t.Errorf("%s: got\n%s, want\n%s", name, got, c.want)
		}
	}
}

func TestRowsThatAreNotThereAreRefused(t *testing.T) {
	t.Parallel()
	at := func(where *gdocs.Location, row int64) *gdocs.TableCellLocation {
		return &gdocs.TableCellLocation{TableStartLocation: where, RowIndex: row}
	}
	for name, c := range map[string]struct {
		at   *gdocs.TableCellLocation
		want string
	}{
		"no place":        {nil, "The table cell location must be specified."},
		"no table":        {at(nil, 0), "The table cell location must be specified."},
		"the break":       {at(&gdocs.Location{}, 0), "Table start location 0 does not point at a table."},
		"in the table":    {at(&gdocs.Location{Index: 2}, 0), "Table start location 2 does not point at a table."},
		"in a cell":       {at(&gdocs.Location{Index: 4}, 0), "Table start location 4 does not point at a table."},
		"a paragraph":     {at(&gdocs.Location{Index: 7}, 0), "Table start location 7 does not point at a table."},
		"past the end":    {at(&gdocs.Location{Index: 70}, 0), "Table start location 70 does not point at a table."},
		"a second row":    {at(&gdocs.Location{Index: 1}, 1), "The row index 1 is not in the table, which has 1 rows."},
		"a negative one":  {at(&gdocs.Location{Index: 1}, -1), "The row index -1 is not in the table, which has 1 rows."},
		"another segment": {at(&gdocs.Location{SegmentId: "kix.no"}, 0), "Segment with ID kix.no was not found."},
		"another tab":     {at(&gdocs.Location{TabId: "t.7", Index: 1}, 0), `The tab "t.7" was not found.`},
	} {
		for kind, request := range map[string]*gdocs.Request{
			"insertTableRow":    {InsertTableRow: &gdocs.InsertTableRowRequest{TableCellLocation: c.at}},
			"deleteTableRow":    {DeleteTableRow: &gdocs.DeleteTableRowRequest{TableCellLocation: c.at}},
			"insertTableColumn": {InsertTableColumn: &gdocs.InsertTableColumnRequest{TableCellLocation: c.at}},
			"deleteTableColumn": {DeleteTableColumn: &gdocs.DeleteTableColumnRequest{TableCellLocation: c.at}},
			"mergeTableCells":   {MergeTableCells: &gdocs.MergeTableCellsRequest{TableRange: &gdocs.TableRange{TableCellLocation: c.at}}},
		} {
			got, want := refuse(t, docx(t, tableXML([]string{para("a")})+para("z")), request), "Invalid requests[0]."+kind+": "+c.want
			if got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
}

func TestRowsCountAgainstTheCellsThatABatchMayAdd(t *testing.T) {
	t.Parallel()
	// 700 rows of 62 cells are 43,400; the 107th more begins the last hundred.
	requests := []*gdocs.Request{insertTableAt(1, 700, 62)}
	for range 107 {
		requests = append(requests, insertRow(2, 0, true))
	}
	got := refuse(t, docx(t, para("a")), requests...)
	if want := "Invalid requests[107].insertTableRow: The requests of one batch may add at most 50000 table cells."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := Apply(docx(t, para("a")), "id", requests[:107]); err != nil {
		t.Errorf("one row less: %v", err)
	}
}

// A merge is taken where the cells are one already, and refused where it would cut one
// in two.
func TestCellsThatAreOneAlreadyMayBeMerged(t *testing.T) {
	t.Parallel()
	merge := func(row, column, rows, columns int64) *gdocs.Request {
		return &gdocs.Request{MergeTableCells: &gdocs.MergeTableCellsRequest{TableRange: &gdocs.TableRange{
			TableCellLocation: cellAtIndex(1, row, column), RowSpan: rows, ColumnSpan: columns,
		}}}
	}
	row := `<w:tr><w:tc><w:p/></w:tc><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p/></w:tc><w:tc><w:tcPr><w:gridSpan w:val="x"/></w:tcPr><w:p/></w:tc></w:tr>`
	body := `<w:tbl><w:tblGrid/>` + row + row + `</w:tbl>` + para("z")
	for name, c := range map[string]struct {
		request *gdocs.Request
		merged  bool
	}{
		"its own cell":              {merge(0, 0, 1, 1), true},
		"the two of a wide one":     {merge(1, 1, 1, 2), true},
		"one of a wide one":         {merge(1, 1, 1, 1), false},
		"the cell behind a wide":    {merge(0, 3, 1, 1), true},
		"the second of a wide one":  {merge(0, 2, 1, 1), false},
		"a cell and its neighbour":  {merge(0, 0, 1, 2), false},
		"of a span that is no word": {merge(0, 3, 1, 2), false},
	} {
		d := docx(t, body)
		if c.merged {
			before := bodyXML(t, d)
			if got := bodyXML(t, apply(t, d, c.request)); got != before {
				t.Errorf("%s: got %s, want %s", name, got, before)
			}
		} else if got := refuse(t, d, c.request); !strings.Contains(got, "mergeTableCells: The table range is not rectangular") && !strings.Contains(got, "mergeTableCells: The table range goes beyond") {
			t.Errorf("%s: got %q", name, got)
		}
	}
	for name, c := range map[string]struct {
		request *gdocs.Request
		want    string
	}{
		"no size":         {merge(0, 0, 0, 0), "The row span and the column span of the table range must be at least 1."},
		"behind the last": {merge(0, 4, 1, 1), "The column index 4 is not in the row, which has 4 cells."},
	} {
		if got := refuse(t, docx(t, body), c.request); got != "Invalid requests[0].mergeTableCells: "+c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	none := &gdocs.Request{MergeTableCells: &gdocs.MergeTableCellsRequest{}}
	if got, want := refuse(t, docx(t, body), none), "Invalid requests[0].mergeTableCells: The table range must be specified."; got != want {
		t.Errorf("no range: got %q, want %q", got, want)
	}
}
