package wml

import (
	"strings"
	"testing"
)

// w:tblLook: attributes of their own, or bits of one number.
func TestATableUsesTheRegionsThatItsAttributesOrBitsName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		xml  string
		want tableLook
	}{
		{`<w:tblLook w:val="0000"/>`, tableLook{bandRows: true, bandColumns: true}},
		{`<w:tblLook/>`, tableLook{bandRows: true, bandColumns: true}},
		{`<w:tblLook w:val="0020"/>`, tableLook{firstRow: true, bandRows: true, bandColumns: true}},
		{`<w:tblLook w:val="0040"/>`, tableLook{lastRow: true, bandRows: true, bandColumns: true}},
		{`<w:tblLook w:val="0080"/>`, tableLook{firstColumn: true, bandRows: true, bandColumns: true}},
		{`<w:tblLook w:val="0100"/>`, tableLook{lastColumn: true, bandRows: true, bandColumns: true}},
		{`<w:tblLook w:val="0200"/>`, tableLook{bandColumns: true}},
		{`<w:tblLook w:val="0400"/>`, tableLook{bandRows: true}},
		{`<w:tblLook w:val="07E0"/>`, tableLook{firstRow: true, lastRow: true, firstColumn: true, lastColumn: true}},
		{`<w:tblLook w:val="nonsense"/>`, tableLook{bandRows: true, bandColumns: true}},
		{`<w:tblLook w:firstRow="1" w:lastRow="1" w:firstColumn="1" w:lastColumn="1" w:noHBand="1" w:noVBand="1"/>`, tableLook{firstRow: true, lastRow: true, firstColumn: true, lastColumn: true}},
		{`<w:tblLook w:val="07E0" w:firstRow="0" w:lastRow="0" w:firstColumn="0" w:lastColumn="0" w:noHBand="0" w:noVBand="0"/>`, tableLook{bandRows: true, bandColumns: true}},
	} {
		if got := readTableLook(element(t, c.xml)); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.xml, got, c.want)
		}
	}
	if got := readTableLook(nil); got != (tableLook{}) {
		t.Errorf("no element: got %+v, want no region", got)
	}
}

// ECMA-376 part 1, 17.7.6: whole table, bands of columns, bands of rows, first
// and last column, first and last row, corners.
func TestRegionsOfACellComeInTheirOrderFromTheWeakest(t *testing.T) {
	t.Parallel()
	all := tableLook{firstRow: true, lastRow: true, firstColumn: true, lastColumn: true, bandRows: true, bandColumns: true}
	at := func(row, column int) place { // in a table of five by five
		return place{row: row, column: column, firstRow: row == 0, lastRow: row == 4, firstCell: column == 0, lastCell: column == 4}
	}
	for _, c := range []struct {
		what    string
		look    tableLook
		at      place
		rows    int // in a band
		columns int
		want    string
	}{
		{"nothing", tableLook{}, at(0, 0), 1, 1, "wholeTable"},
		{"upper left", all, at(0, 0), 1, 1, "wholeTable firstCol firstRow nwCell"},
		{"upper right", all, at(0, 4), 1, 1, "wholeTable lastCol firstRow neCell"},
		{"lower left", all, at(4, 0), 1, 1, "wholeTable firstCol lastRow swCell"},
		{"lower right", all, at(4, 4), 1, 1, "wholeTable lastCol lastRow seCell"},
		{"in the first row", all, at(0, 2), 1, 1, "wholeTable band2Vert firstRow"},
		{"in the last row", all, at(4, 1), 1, 1, "wholeTable band1Vert lastRow"},
		{"in the first column", all, at(2, 0), 1, 1, "wholeTable band2Horz firstCol"},
		{"in the last column", all, at(1, 4), 1, 1, "wholeTable band1Horz lastCol"},
		{"inside", all, at(1, 1), 1, 1, "wholeTable band1Vert band1Horz"},
		{"inside, further on", all, at(2, 2), 1, 1, "wholeTable band2Vert band2Horz"},
		{"bands that count from the edge", tableLook{bandRows: true, bandColumns: true}, at(0, 0), 1, 1, "wholeTable band1Vert band1Horz"},
		{"the second bands from the edge", tableLook{bandRows: true, bandColumns: true}, at(1, 1), 1, 1, "wholeTable band2Vert band2Horz"},
		{"at the end, without a last row or column", tableLook{bandRows: true, bandColumns: true}, at(4, 4), 1, 1, "wholeTable band1Vert band1Horz"},
		{"bands of two rows", tableLook{bandRows: true}, at(1, 0), 2, 1, "wholeTable band1Horz"},
		{"the second band of two rows", tableLook{bandRows: true}, at(2, 0), 2, 1, "wholeTable band2Horz"},
		{"the third band of two rows", tableLook{bandRows: true}, at(4, 0), 2, 1, "wholeTable band1Horz"},
		{"bands of two columns", tableLook{bandColumns: true}, at(0, 1), 1, 2, "wholeTable band1Vert"},
		{"the second band of two columns", tableLook{bandColumns: true}, at(0, 3), 1, 2, "wholeTable band2Vert"},
		{"bands of two rows behind a first one", tableLook{firstRow: true, bandRows: true}, at(2, 0), 2, 1, "wholeTable band1Horz"},
		{"the second of them", tableLook{firstRow: true, bandRows: true}, at(3, 0), 2, 1, "wholeTable band2Horz"},
		{"bands of two columns behind a first one", tableLook{firstColumn: true, bandColumns: true}, at(0, 2), 1, 2, "wholeTable band1Vert"},
		{"the second of those", tableLook{firstColumn: true, bandColumns: true}, at(0, 3), 1, 2, "wholeTable band2Vert"},
		{"a first row without a first column", tableLook{firstRow: true}, at(0, 0), 1, 1, "wholeTable firstRow"},
		{"a last column without a last row", tableLook{lastColumn: true}, at(4, 4), 1, 1, "wholeTable lastCol"},
	} {
		reader := &tableReader{look: c.look, rowBand: c.rows, colBand: c.columns}
		if got := strings.Join(reader.regions(c.at), " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

// cellText is the format of the text in a cell.
func cellText(t *testing.T, table *Table, row, cell int) RunProperties {
	t.Helper()
	return paragraphsOf(table.Rows[row].Cells[cell].Blocks)[0].Mark
}

func TestTextOfACellHasTheFormatOfItsRegions(t *testing.T) {
	t.Parallel()
	const styles = `<w:style w:type="table" w:styleId="Below"><w:pPr><w:jc w:val="right"/></w:pPr><w:rPr><w:sz w:val="30"/></w:rPr>` +
		`<w:tblStylePr w:type="firstRow"><w:rPr><w:i/><w:sz w:val="40"/></w:rPr></w:tblStylePr></w:style>` +
		`<w:style w:type="table" w:styleId="S"><w:basedOn w:val="Below"/><w:pPr><w:ind w:left="200"/></w:pPr>` +
		`<w:tblStylePr w:type="firstRow"><w:pPr><w:jc w:val="center"/></w:pPr><w:rPr><w:b/></w:rPr></w:tblStylePr>` +
		`<w:tblStylePr w:type="firstCol"><w:rPr><w:sz w:val="50"/></w:rPr></w:tblStylePr>` +
		`<w:tblStylePr w:type="nwCell"><w:rPr><w:sz w:val="60"/></w:rPr></w:tblStylePr></w:style>`
	table := firstTable(t, docx{styles: styles, body: grid(2, 2, `<w:tblStyle w:val="S"/><w:tblLook w:val="06A0"/>`)}.read(t))
	// The alignment of the style below does not count: LibreOffice, too, takes
	// paragraphs' properties from the named style alone.
	for what, c := range map[string]struct {
		row, cell    int
		size         float64
		bold, italic bool
		align        string
	}{
		"corner":       {0, 0, 30, true, true, "center"},
		"first row":    {0, 1, 20, true, true, "center"},
		"first column": {1, 0, 25, false, false, "left"},
		"inside":       {1, 1, 15, false, false, "left"},
	} {
		p := paragraphsOf(table.Rows[c.row].Cells[c.cell].Blocks)[0]
		if p.Mark.Size != c.size || p.Mark.Bold != c.bold || p.Mark.Italic != c.italic {
			t.Errorf("%s: got %g points, bold %t, italic %t; want %g, %t, %t", what, p.Mark.Size, p.Mark.Bold, p.Mark.Italic, c.size, c.bold, c.italic)
		}
		if p.Align != c.align || p.Left != 10 {
			t.Errorf("%s: got %s and %g, want %s and the style's 10", what, p.Align, p.Left, c.align)
		}
	}
}

func TestATableInsideACellTakesTheOuterTablesFormatOnlyWithoutAStyle(t *testing.T) {
	t.Parallel()
	const styles = `<w:style w:type="table" w:styleId="Outer"><w:rPr><w:b/></w:rPr></w:style><w:style w:type="table" w:styleId="Inner"><w:rPr><w:i/></w:rPr></w:style>`
	nest := func(tblPr string) RunProperties {
		d := docx{styles: styles, body: `<w:tbl><w:tblPr><w:tblStyle w:val="Outer"/></w:tblPr><w:tr><w:tc>` + grid(1, 1, tblPr) + `<w:p/></w:tc></w:tr></w:tbl>`}.read(t)
		return cellText(t, firstTable(t, d).Rows[0].Cells[0].Blocks[0].(*Table), 0, 0)
	}
	if p := nest(``); !p.Bold {
		t.Error("without a style: the text is not bold as the outer table's")
	}
	if p := nest(`<w:tblStyle w:val="Inner"/>`); p.Bold || !p.Italic {
		t.Errorf("with a style: got bold %t, italic %t; want the inner style alone", p.Bold, p.Italic)
	}
}

func TestSizesOfBandsComeFromTheStyleOrTheTable(t *testing.T) {
	t.Parallel()
	style := func(tblPr string) string {
		return `<w:style w:type="table" w:styleId="S"><w:tblPr>` + tblPr + `</w:tblPr><w:tblStylePr w:type="band1Horz"><w:rPr><w:b/></w:rPr></w:tblStylePr>` +
			`<w:tblStylePr w:type="band1Vert"><w:rPr><w:i/></w:rPr></w:tblStylePr></w:style>`
	}
	for _, c := range []struct {
		what, style, table string
		bold, italic       string // by row and by column
	}{
		{"one of each", style(``), ``, "x-x-x", "x-x-x"},
		{"by the style", style(`<w:tblStyleRowBandSize w:val="2"/><w:tblStyleColBandSize w:val="3"/>`), ``, "xx--x", "xxx--"},
		{"by the table", style(`<w:tblStyleRowBandSize w:val="2"/>`), `<w:tblStyleRowBandSize w:val="3"/><w:tblStyleColBandSize w:val="2"/>`, "xxx--", "xx--x"},
		{"none", style(`<w:tblStyleRowBandSize w:val="0"/><w:tblStyleColBandSize w:val="0"/>`), ``, "x-x-x", "x-x-x"},
		{"less than none", style(`<w:tblStyleRowBandSize w:val="-1"/><w:tblStyleColBandSize w:val="-1"/>`), ``, "x-x-x", "x-x-x"},
	} {
		table := firstTable(t, docx{styles: c.style, body: grid(5, 5, `<w:tblStyle w:val="S"/><w:tblLook w:val="0000"/>`+c.table)}.read(t))
		bold, italic := "", ""
		for i := range 5 {
			bold += map[bool]string{true: "x", false: "-"}[cellText(t, table, i, 0).Bold]
			italic += map[bool]string{true: "x", false: "-"}[cellText(t, table, 0, i).Italic]
		}
		if bold != c.bold || italic != c.italic {
			t.Errorf("%s: got rows %s and columns %s, want %s and %s", c.what, bold, italic, c.bold, c.italic)
		}
	}
}
