package wml

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
)

// tableOf reads a table of one cell with these properties.
func tableOf(t *testing.T, styles, tblPr string) Table {
	t.Helper()
	table := *firstTable(t, docx{styles: styles, body: `<w:tbl><w:tblPr>` + tblPr + `</w:tblPr><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`}.read(t))
	table.Rows = nil
	return table
}

func TestEachPropertyOfATableIsReadAndChangesNothingElse(t *testing.T) {
	t.Parallel()
	line := &Border{Style: "single", Width: 1}
	for _, c := range []struct {
		tblPr string
		want  func(*Table)
	}{
		{``, func(*Table) {}},
		{`<w:tblW w:w="4000" w:type="dxa"/>`, func(x *Table) { x.Width = Measure{"dxa", 200} }},
		{`<w:jc w:val="center"/>`, func(x *Table) { x.Align = "center" }},
		{`<w:jc w:val="right"/>`, func(x *Table) { x.Align = "right" }},
		{`<w:jc w:val="end"/>`, func(x *Table) { x.Align = "right" }},
		{`<w:jc w:val="start"/>`, func(*Table) {}},
		{`<w:jc w:val="both"/>`, func(*Table) {}},
		{`<w:tblInd w:w="-200" w:type="dxa"/>`, func(x *Table) { x.Indent = -10 }},
		{`<w:tblInd w:type="dxa"/>`, func(*Table) {}},
		{`<w:tblLayout w:type="fixed"/>`, func(x *Table) { x.IsFixed = true }},
		{`<w:tblLayout w:type="autofit"/>`, func(*Table) {}},
		{`<w:bidiVisual/>`, func(x *Table) { x.RTL = true }},
		{`<w:bidiVisual w:val="0"/>`, func(*Table) {}},
		{`<w:tblCellMar><w:top w:w="20"/><w:left w:w="40"/><w:bottom w:w="60"/><w:right w:w="80"/></w:tblCellMar>`, func(x *Table) { x.Margins = Margins{Top: 1, Left: 2, Bottom: 3, Right: 4} }},
		{`<w:tblCellMar><w:start w:w="40" w:type="dxa"/><w:end w:w="80" w:type="dxa"/></w:tblCellMar>`, func(x *Table) { x.Margins = Margins{Left: 2, Right: 4} }},
		{`<w:tblCellMar><w:top w:w="0"/><w:left w:w="-20"/><w:right w:w="20" w:type="pct"/><w:bottom/></w:tblCellMar>`, func(*Table) {}},
		{`<w:tblBorders><w:top w:val="single" w:sz="8"/></w:tblBorders>`, func(x *Table) { x.Borders.Top = line }},
		{`<w:tblBorders><w:left w:val="single" w:sz="8"/></w:tblBorders>`, func(x *Table) { x.Borders.Left = line }},
		{`<w:tblBorders><w:start w:val="single" w:sz="8"/></w:tblBorders>`, func(x *Table) { x.Borders.Left = line }},
		{`<w:tblBorders><w:bottom w:val="single" w:sz="8"/></w:tblBorders>`, func(x *Table) { x.Borders.Bottom = line }},
		{`<w:tblBorders><w:right w:val="single" w:sz="8"/></w:tblBorders>`, func(x *Table) { x.Borders.Right = line }},
		{`<w:tblBorders><w:end w:val="single" w:sz="8"/></w:tblBorders>`, func(x *Table) { x.Borders.Right = line }},
		{`<w:tblBorders><w:insideH w:val="single" w:sz="8"/></w:tblBorders>`, func(x *Table) { x.Borders.InsideH = line }},
		{`<w:tblBorders><w:insideV w:val="single" w:sz="8"/></w:tblBorders>`, func(x *Table) { x.Borders.InsideV = line }},
		{`<w:tblOverlap w:val="never"/><w:tblCaption w:val="x"/>`, func(*Table) {}},
	} {
		want := Table{Align: "left", Width: Measure{Kind: "auto"}, Margins: Margins{Left: 5.4, Right: 5.4}}
		c.want(&want)
		equal(t, c.tblPr, tableOf(t, "", c.tblPr), want)
	}
}

// ECMA-376 part 1, 17.4.57.
func TestAFloatingTableIsReadWithItsPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attributes string
		want       Frame
	}{
		{``, Frame{HAnchor: "text", VAnchor: "page"}},
		{`w:horzAnchor="margin" w:vertAnchor="text" w:tblpX="200" w:tblpY="-400"`, Frame{HAnchor: "margin", VAnchor: "text", X: 10, HasX: true, Y: -20, HasY: true}},
		{`w:topFromText="20" w:leftFromText="40" w:bottomFromText="60"`, Frame{HAnchor: "text", VAnchor: "page", Around: Margins{Top: 1, Left: 2, Bottom: 3}}},
		{`w:tblpXSpec="center" w:tblpYSpec="bottom" w:rightFromText="180"`, Frame{HAnchor: "text", VAnchor: "page", XAlign: "center", YAlign: "bottom", Around: Margins{Right: 9}}},
	} {
		equal(t, c.attributes, tableOf(t, "", `<w:tblpPr `+c.attributes+`/>`).Floating, &c.want)
	}
}

// ECMA-376 part 1, 17.18.90: fiftieths of a per cent, twentieths of
// a point, or a number with its sign.
func TestAPreferredWidthIsInPointsInPartsOrNone(t *testing.T) {
	t.Parallel()
	auto := Measure{Kind: "auto"}
	for attributes, want := range map[string]Measure{
		``:                         auto,
		`w:w="0" w:type="auto"`:    auto,
		`w:w="2000" w:type="auto"`: auto,
		`w:w="2000" w:type="nil"`:  auto,
		`w:w="2000" w:type="dxa"`:  {"dxa", 100},
		`w:w="2000"`:               {"dxa", 100},
		`w:w="5cm"`:                {"dxa", 5 * 72 / 2.54},
		`w:w="0" w:type="dxa"`:     auto,
		`w:w="-20" w:type="dxa"`:   auto,
		`w:w="2500" w:type="pct"`:  {"pct", 0.5},
		`w:w="25000" w:type="pct"`: {"pct", 5},
		`w:w="25001" w:type="pct"`: auto,
		`w:w="0" w:type="pct"`:     auto,
		`w:w="50%" w:type="pct"`:   {"pct", 0.5},
		`w:w="12.5%" w:type="dxa"`: {"pct", 0.125},
		`w:w="500%" w:type="pct"`:  {"pct", 5},
		`w:w="501%" w:type="pct"`:  auto,
		`w:w="0%" w:type="pct"`:    auto,
		`w:w="%" w:type="pct"`:     auto,
		`w:w="half%" w:type="pct"`: auto,
		`w:type="dxa"`:             auto,
	} {
		equal(t, attributes, readMeasure(element(t, `<w:tblW `+attributes+`/>`)), want)
	}
	equal(t, "no element", readMeasure(nil), auto)
}

func TestTheGridHasOneWidthForEachColumn(t *testing.T) {
	t.Parallel()
	read := func(grid string) []float64 {
		return firstTable(t, docx{body: `<w:tbl><w:tblGrid>` + grid + `</w:tblGrid><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`}.read(t)).Grid
	}
	equal(t, "widths", read(`<w:gridCol w:w="200"/><w:gridCol/><w:gridCol w:w="-20"/><w:tblGridChange w:w="800"/><w:gridCol w:w="400"/>`), []float64{10, 0, 0, 20})
	if got := len(read(strings.Repeat(`<w:gridCol w:w="1"/>`, 300))); got != 200 {
		t.Errorf("300 columns: got %d, want the first 200", got)
	}
}

func TestATablesOwnPropertiesAreOverThoseOfItsStyles(t *testing.T) {
	t.Parallel()
	const styles = `<w:style w:type="table" w:styleId="Below"><w:tblPr><w:jc w:val="center"/><w:tblInd w:w="200"/><w:tblCellMar><w:top w:w="20"/><w:left w:w="40"/></w:tblCellMar>` +
		`<w:tblBorders><w:top w:val="single" w:sz="8"/><w:bottom w:val="single" w:sz="8"/></w:tblBorders></w:tblPr></w:style>` +
		`<w:style w:type="table" w:styleId="T"><w:basedOn w:val="Below"/><w:tblPr><w:tblInd w:w="400"/><w:tblLayout w:type="fixed"/></w:tblPr></w:style>`
	got := tableOf(t, styles, `<w:tblStyle w:val="T"/><w:tblLayout w:type="autofit"/><w:tblCellMar><w:top w:w="100"/></w:tblCellMar><w:tblBorders><w:bottom w:val="double" w:sz="8"/></w:tblBorders>`)
	equal(t, "table", got, Table{Style: "T", Align: "center", Indent: 20, Width: Measure{Kind: "auto"}, Margins: Margins{Top: 5, Left: 2, Right: 5.4},
		Borders: CellBorders{Top: &Border{Style: "single", Width: 1}, Bottom: &Border{Style: "double", Width: 1}}})
}

func TestRowsAndCellsAreFoundInsideControlsAndAcceptedInsertions(t *testing.T) {
	t.Parallel()
	cell := func(name string) string { return `<w:tc><w:p>` + text(name) + `</w:p></w:tc>` }
	control := func(content string) string {
		return `<w:sdt><w:sdtPr/><w:sdtContent>` + content + `</w:sdtContent></w:sdt>`
	}
	table := firstTable(t, docx{body: `<w:tbl>` +
		`<w:tr>` + cell("a") + control(cell("b")) + `<w:customXml>` + cell("c") + `</w:customXml><w:ins>` + cell("d") + `</w:ins><w:moveTo>` + cell("e") + `</w:moveTo><w:del>` + cell("no") + `</w:del></w:tr>` +
		control(`<w:tr>`+cell("f")+`</w:tr>`+control(`<w:tr>`+cell("g")+`</w:tr>`)) + `<w:customXml><w:tr>` + cell("h") + `</w:tr></w:customXml><w:ins><w:tr>` + cell("i") + `</w:tr></w:ins>` +
		`<w:moveTo><w:tr>` + cell("j") + `</w:tr></w:moveTo><w:del><w:tr>` + cell("no") + `</w:tr></w:del></w:tbl>`}.read(t))
	var got []string
	for _, row := range table.Rows {
		line := ""
		for _, c := range row.Cells {
			line += shownTexts(c.Blocks)[0]
		}
		got = append(got, line)
	}
	equal(t, "rows", got, []string{"abcde", "f", "g", "h", "i", "j"})
}

func TestATableWithoutRowsIsNoBlock(t *testing.T) {
	t.Parallel()
	d := docx{body: `<w:tbl><w:tblPr/></w:tbl><w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/>`}.read(t)
	if got := len(d.Sections[0].Blocks); got != 1 {
		t.Errorf("got %d blocks, want the paragraph alone", got)
	}
}

func TestRowsBeyondTheLimitOfNestingAreTold(t *testing.T) {
	t.Parallel()
	nested := func(n int) *Document {
		row := `<w:tr><w:tc><w:p/></w:tc></w:tr>`
		return docx{body: `<w:tbl>` + row + strings.Repeat(`<w:customXml>`, n) + row + strings.Repeat(`</w:customXml>`, n) + `</w:tbl>`}.read(t)
	}
	for n, want := range map[int]int{opc.MaxNesting: 2, opc.MaxNesting + 1: 1} {
		d := nested(n)
		if got := len(firstTable(t, d).Rows); got != want {
			t.Errorf("%d deep: got %d rows, want %d", n, got, want)
		}
		if d.IsTruncated != (want == 1) {
			t.Errorf("%d deep: told as left out: got %t", n, d.IsTruncated)
		}
	}
}
