package wml

import (
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
)

func TestEachPropertyOfACellIsReadAndChangesNothingElse(t *testing.T) {
	t.Parallel()
	line := &Border{Style: "single", Width: 1}
	for _, c := range []struct {
		tcPr string
		want func(*Cell)
	}{
		{``, func(*Cell) {}},
		{`<w:gridSpan w:val="3"/>`, func(c *Cell) { c.Span = 3 }},
		{`<w:gridSpan w:val="0"/>`, func(*Cell) {}},
		{`<w:gridSpan w:val="-1"/>`, func(*Cell) {}},
		{`<w:gridSpan w:val="200"/>`, func(c *Cell) { c.Span = 200 }},
		{`<w:gridSpan w:val="201"/>`, func(c *Cell) { c.Span = 200 }},
		{`<w:gridSpan/>`, func(*Cell) {}},
		// A vMerge without a value continues.
		{`<w:vMerge w:val="restart"/>`, func(c *Cell) { c.VMerge = "restart" }},
		{`<w:vMerge w:val="continue"/>`, func(c *Cell) { c.VMerge = "continue" }},
		{`<w:vMerge/>`, func(c *Cell) { c.VMerge = "continue" }},
		{`<w:tcW w:w="2500" w:type="pct"/>`, func(c *Cell) { c.Width = Measure{"pct", 0.5} }},
		{`<w:shd w:val="clear" w:fill="0000FF"/>`, func(c *Cell) { c.Shading = rgb(0, 0, 255) }},
		{`<w:tcMar><w:top w:w="20"/><w:end w:w="40"/></w:tcMar>`, func(c *Cell) { c.Margins = Margins{Top: 1, Right: 2, Left: 5.4} }},
		{`<w:vAlign w:val="bottom"/>`, func(c *Cell) { c.VAlign = "bottom" }},
		{`<w:textDirection w:val="btLr"/>`, func(c *Cell) { c.Direction = "btLr" }},
		{`<w:noWrap/>`, func(c *Cell) { c.NoWrap = true }},
		{`<w:noWrap w:val="0"/>`, func(*Cell) {}},
		{`<w:tcBorders><w:top w:val="single" w:sz="8"/><w:end w:val="single" w:sz="8"/></w:tcBorders>`, func(c *Cell) { c.Borders.Top, c.Borders.Right = line, line }},
		{`<w:hideMark/><w:tcFitText/>`, func(*Cell) {}},
	} {
		want := Cell{Span: 1, VAlign: "top", Width: Measure{Kind: "auto"}, Margins: Margins{Left: 5.4, Right: 5.4}}
		c.want(&want)
		got := *firstTable(t, docx{body: `<w:tbl><w:tr><w:tc><w:tcPr>` + c.tcPr + `</w:tcPr><w:p/></w:tc></w:tr></w:tbl>`}.read(t)).Rows[0].Cells[0]
		got.Blocks = nil
		equal(t, c.tcPr, got, want)
	}
}

// ECMA-376 part 1, 17.18.93: lrTb and lrTbV are level. What we draw turned is not lost.
func TestTurnedTextOfACellIsToldAsLostWhereItIsDrawnLevel(t *testing.T) {
	t.Parallel()
	for direction, want := range map[string][]dml.Loss{"tbLrV": {dml.LossTurnedText}, "lrV": {dml.LossTurnedText}, "tbRl": nil, "rl": nil, "tbRlV": nil, "btLr": nil, "lr": nil, "lrTb": nil, "lrTbV": nil, "tb": nil, "": nil} {
		d := docx{body: `<w:tbl><w:tr><w:tc><w:tcPr><w:textDirection w:val="` + direction + `"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`}.read(t)
		equal(t, direction, d.Losses, want)
	}
}

func TestCellsBeginBehindTheColumnsOfThoseBeforeThem(t *testing.T) {
	t.Parallel()
	cell := func(span int) string {
		return fmt.Sprintf(`<w:tc><w:tcPr><w:gridSpan w:val="%d"/></w:tcPr><w:p/></w:tc>`, span)
	}
	row := firstTable(t, docx{body: `<w:tbl><w:tr><w:trPr><w:gridBefore w:val="2"/></w:trPr>` + cell(1) + cell(3) + cell(2) + cell(1) + `</w:tr></w:tbl>`}.read(t)).Rows[0]
	var got []int
	for _, c := range row.Cells {
		got = append(got, c.Column)
	}
	equal(t, "columns", got, []int{2, 3, 6, 8})
}

// bordersOf names the lines of a cell by their styles: top, right, bottom, left.
func bordersOf(c *Cell) string {
	name := func(b *Border) string {
		if b == nil {
			return "-"
		}
		return b.Style
	}
	return name(c.Borders.Top) + " " + name(c.Borders.Right) + " " + name(c.Borders.Bottom) + " " + name(c.Borders.Left)
}

// grid is a table of so many rows and columns of empty cells.
func grid(rows, columns int, tblPr string) string {
	row := `<w:tr>` + strings.Repeat(`<w:tc><w:p/></w:tc>`, columns) + `</w:tr>`
	return `<w:tbl><w:tblPr>` + tblPr + `</w:tblPr>` + strings.Repeat(row, rows) + `</w:tbl>`
}

func gridBorders(t *testing.T, styles, body string) [][]string {
	t.Helper()
	var out [][]string
	for _, row := range firstTable(t, docx{styles: styles, body: body}.read(t)).Rows {
		var line []string
		for _, c := range row.Cells {
			line = append(line, bordersOf(c))
		}
		out = append(out, line)
	}
	return out
}

// ECMA-376 part 1, 17.4.38: outer lines at the edges of the table, inner ones
// between its cells.
func TestBordersOfATableReachItsCells(t *testing.T) {
	t.Parallel()
	const all = `<w:tblBorders><w:top w:val="t"/><w:right w:val="r"/><w:bottom w:val="b"/><w:left w:val="l"/><w:insideH w:val="h"/><w:insideV w:val="v"/></w:tblBorders>`
	equal(t, "three by three", gridBorders(t, "", grid(3, 3, all)), [][]string{
		{"t v h l", "t v h v", "t r h v"},
		{"h v h l", "h v h v", "h r h v"},
		{"h v b l", "h v b v", "h r b v"},
	})
	equal(t, "one cell", gridBorders(t, "", grid(1, 1, all)), [][]string{{"t r b l"}})
	equal(t, "none", gridBorders(t, "", grid(1, 2, ``)), [][]string{{"- - - -", "- - - -"}})
	equal(t, "inside only", gridBorders(t, "", grid(2, 2, `<w:tblBorders><w:insideH w:val="h"/><w:insideV w:val="v"/></w:tblBorders>`)), [][]string{
		{"- v h -", "- - h v"},
		{"h v - -", "h - - v"},
	})
}

func TestACellsOwnBordersAreOverThoseOfItsTable(t *testing.T) {
	t.Parallel()
	got := gridBorders(t, "", `<w:tbl><w:tblPr><w:tblBorders><w:top w:val="t"/><w:left w:val="l"/></w:tblBorders></w:tblPr><w:tr>`+
		`<w:tc><w:tcPr><w:tcBorders><w:top w:val="nil"/><w:right w:val="own"/></w:tcBorders></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`)
	equal(t, "borders", got, [][]string{{"nil own - l"}})
}

func TestCellsTakeTheMarginsOfTheirTableSideBySide(t *testing.T) {
	t.Parallel()
	c := firstTable(t, docx{body: `<w:tbl><w:tblPr><w:tblCellMar><w:left w:w="40"/><w:right w:w="60"/></w:tblCellMar></w:tblPr>` +
		`<w:tr><w:tc><w:tcPr><w:tcMar><w:left w:w="0"/><w:top w:w="20"/></w:tcMar></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`}.read(t)).Rows[0].Cells[0]
	equal(t, "margins", c.Margins, Margins{Top: 1, Right: 3})
}

// Regions of a table style draw their outer lines around what they cover.
func TestRegionsDrawTheirOuterLinesAroundWhatTheyCover(t *testing.T) {
	t.Parallel()
	const sides = `<w:top w:val="T"/><w:right w:val="R"/><w:bottom w:val="B"/><w:left w:val="L"/>`
	const all = sides + `<w:insideH w:val="H"/><w:insideV w:val="V"/>`
	style := func(tblPr, region, borders string) string {
		return `<w:style w:type="table" w:styleId="S"><w:tblPr>` + tblPr + `</w:tblPr><w:tblStylePr w:type="` + region + `"><w:tcPr><w:tcBorders>` + borders + `</w:tcBorders></w:tcPr></w:tblStylePr></w:style>`
	}
	look := func(bits string) string { return `<w:tblStyle w:val="S"/><w:tblLook w:val="` + bits + `"/>` }
	const none = "- - - -"
	for _, c := range []struct {
		what, styles, body string
		want               [][]string
	}{
		{"the whole table", style(``, "wholeTable", all), grid(2, 2, look("0600")), [][]string{{"T V H L", "T R H V"}, {"H V B L", "H R B V"}}},
		{"the first row", style(``, "firstRow", all), grid(2, 3, look("0620")), [][]string{{"T V B L", "T V B V", "T R B V"}, {none, none, none}}},
		{"the last row", style(``, "lastRow", all), grid(2, 2, look("0640")), [][]string{{none, none}, {"T V B L", "T R B V"}}},
		{"the first column", style(``, "firstCol", all), grid(3, 2, look("0680")), [][]string{{"T R H L", none}, {"H R H L", none}, {"H R B L", none}}},
		{"the last column", style(``, "lastCol", all), grid(2, 2, look("0700")), [][]string{{none, "T R H L"}, {none, "H R B L"}}},
		{"a corner", style(``, "seCell", all), grid(2, 2, look("0740")), [][]string{{none, none}, {none, "T R B L"}}},
		{"bands of one row", style(``, "band1Horz", all), grid(3, 2, look("0400")), [][]string{{"T V B L", "T R B V"}, {none, none}, {"T V B L", "T R B V"}}},
		{"bands of two rows", style(`<w:tblStyleRowBandSize w:val="2"/>`, "band1Horz", sides+`<w:insideH w:val="H"/>`), grid(5, 1, look("0400")),
			[][]string{{"T R H L"}, {"H R B L"}, {none}, {none}, {"T R B L"}}}, // the last band is cut off
		{"bands of two rows behind a first row", style(`<w:tblStyleRowBandSize w:val="2"/>`, "band1Horz", sides+`<w:insideH w:val="H"/>`), grid(4, 1, look("0420")),
			[][]string{{none}, {"T R H L"}, {"H R B L"}, {none}}},
		{"bands of columns", style(``, "band1Vert", all), grid(2, 3, look("0200")), [][]string{{"T R H L", none, "T R H L"}, {"H R B L", none, "H R B L"}}},
		{"borders of the region's table", strings.NewReplacer("tcPr>", "tblPr>", "tcBorders>", "tblBorders>").Replace(style(``, "firstRow", sides)), grid(2, 1, look("0620")), [][]string{{"T R B L"}, {none}}},
	} {
		equal(t, c.what, gridBorders(t, c.styles, c.body), c.want)
	}
}

func TestACellsOwnPropertiesAreOverThoseOfItsTablesStyle(t *testing.T) {
	t.Parallel()
	const styles = `<w:style w:type="table" w:styleId="Below"><w:tcPr><w:vAlign w:val="bottom"/><w:shd w:val="clear" w:fill="010101"/><w:noWrap/></w:tcPr></w:style>` +
		`<w:style w:type="table" w:styleId="S"><w:basedOn w:val="Below"/><w:tcPr><w:shd w:val="clear" w:fill="020202"/></w:tcPr>` +
		`<w:tblStylePr w:type="firstRow"><w:tcPr><w:shd w:val="clear" w:fill="030303"/></w:tcPr></w:tblStylePr></w:style>`
	rows := firstTable(t, docx{styles: styles, body: `<w:tbl><w:tblPr><w:tblStyle w:val="S"/><w:tblLook w:val="0620"/></w:tblPr>` +
		`<w:tr><w:tc><w:p/></w:tc><w:tc><w:tcPr><w:shd w:val="clear" w:fill="040404"/><w:noWrap w:val="0"/></w:tcPr><w:p/></w:tc></w:tr><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`}.read(t)).Rows
	for what, c := range map[string]struct {
		cell   *Cell
		shade  uint8
		noWrap bool
	}{
		"the style's":  {rows[1].Cells[0], 2, true},
		"the region's": {rows[0].Cells[0], 3, true},
		"its own":      {rows[0].Cells[1], 4, false},
	} {
		if c.cell.VAlign != "bottom" || c.cell.Shading == nil || c.cell.Shading.R != c.shade || c.cell.NoWrap != c.noWrap {
			t.Errorf("%s: got %s, shading %v, noWrap %t; want bottom, %d, %t", what, c.cell.VAlign, c.cell.Shading, c.cell.NoWrap, c.shade, c.noWrap)
		}
	}
}
