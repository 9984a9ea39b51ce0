package flow

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func box(sz string) string {
	return border("top", sz) + border("left", sz) + border("bottom", sz) + border("right", sz)
}

// Upper and lower lines take room of their own, those at the sides stand on the
// edges of the cells. The row is 1 + 20 + 1 points high.
func TestBordersStandAroundACell(t *testing.T) {
	t.Parallel()
	s := sheetOf(t, borderedTable(box("8"), cell("", "x"))+lines("below"))
	wantMarks(t, s.all("line"), redLine(49.5, 50.5, 150.5, 50.5, 1), redLine(50, 50, 50, 72, 1), redLine(150, 50, 150, 72, 1), redLine(49.5, 71.5, 150.5, 71.5, 1))
	rendertest.Near(t, "the text", s.text(t, "x").top, 67, 0.02)
	rendertest.Near(t, "the text below", s.text(t, "below").top, 72+16, 0.02)
}

// A line between two rows belongs to the lower one.
func TestBordersBetweenRows(t *testing.T) {
	t.Parallel()
	s := sheetOf(t, borderedTable(border("top", "8")+border("insideH", "16")+border("bottom", "4"), cell("", "x"), cell("", "y"))+lines("below"))
	wantMarks(t, s.all("line"), redLine(50, 50.5, 150, 50.5, 1), redLine(50, 72, 150, 72, 2), redLine(49.75, 93.25, 150.25, 93.25, 0.5))
	rendertest.Near(t, "the first row", s.text(t, "x").top, 67, 0.02)
	rendertest.Near(t, "the second row", s.text(t, "y").top, 71+2+16, 0.02)
	rendertest.Near(t, "the text below", s.text(t, "below").top, 71+22+0.5+16, 0.02)
}

func TestBordersBetweenColumns(t *testing.T) {
	t.Parallel()
	s := sheetOf(t, borderedTable(border("insideV", "8"), cell("", "x")+cell("", "y")))
	// Both cells draw the line between them.
	wantMarks(t, s.all("line"), redLine(150, 50, 150, 70, 1), redLine(150, 50, 150, 70, 1))
}

// Of two lines at the same place the wider one is drawn (ECMA-376 part 1, 17.4.66).
func TestTheWiderOfTwoBordersIsDrawn(t *testing.T) {
	t.Parallel()
	borders := func(all string) string { return `<w:tcBorders>` + all + `</w:tcBorders>` }
	for name, c := range map[string]struct {
		rows []string
		want []mark
	}{
		"the left cell's":                         {[]string{cell(borders(border("right", "16")), "x") + cell(borders(border("left", "4")), "y")}, []mark{redLine(150, 50, 150, 70, 2), redLine(150, 50, 150, 70, 2)}},
		"the right cell's":                        {[]string{cell(borders(border("right", "4")), "x") + cell(borders(border("left", "16")), "y")}, []mark{redLine(150, 50, 150, 70, 2), redLine(150, 50, 150, 70, 2)}},
		"the only one":                            {[]string{cell("", "x") + cell(borders(border("left", "16")), "y")}, []mark{redLine(150, 50, 150, 70, 2), redLine(150, 50, 150, 70, 2)}},
		"the upper cell's":                        {[]string{cell(borders(border("bottom", "16")), "x"), cell(borders(border("top", "8")), "y")}, []mark{redLine(50, 71, 150, 71, 2)}},
		"the lower cell's":                        {[]string{cell(borders(border("bottom", "8")), "x"), cell(borders(border("top", "16")), "y")}, []mark{redLine(50, 71, 150, 71, 2)}},
		"one that is switched off counts as none": {[]string{cell(borders(`<w:right w:val="nil"/>`), "x") + cell(borders(border("left", "4")), "y")}, []mark{redLine(150, 50, 150, 70, 0.5), redLine(150, 50, 150, 70, 0.5)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantMarks(t, sheetOf(t, borderedTable("", c.rows...)).all("line"), c.want...)
		})
	}
}

func TestBordersOfATableFromRightToLeft(t *testing.T) {
	t.Parallel()
	body := `<w:tbl><w:tblPr><w:bidiVisual/></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid><w:tr>` +
		cell(`<w:tcBorders>`+border("left", "4")+`</w:tcBorders>`, "x") + cell(`<w:tcBorders>`+border("right", "16")+`</w:tcBorders>`, "y") + `</w:tr></w:tbl>`
	// The first cell stands on the right; its left line is the second one's right line.
	wantMarks(t, sheetOf(t, body).all("line"), redLine(150, 50, 150, 70, 2), redLine(150, 50, 150, 70, 2))
}

func TestWider(t *testing.T) {
	t.Parallel()
	thin, thick, double, none := &wml.Border{Style: "single", Width: 1}, &wml.Border{Style: "single", Width: 2}, &wml.Border{Style: "double", Width: 1}, &wml.Border{Style: "nil", Width: 9}
	for name, c := range map[string]struct{ a, b, want *wml.Border }{
		"the first":             {thick, thin, thick},
		"the second":            {thin, thick, thick},
		"of equal ones, first":  {thin, &wml.Border{Style: "single", Width: 1}, thin},
		"nothing and something": {nil, thin, thin},
		"something and nothing": {thin, nil, thin},
		"none and something":    {none, thin, thin},
		"something and none":    {thin, none, thin},
		"two lines with a gap":  {thick, double, double},
	} {
		if got := wider(c.a, c.b); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// A double line is two with a gap as wide: three widths.
func TestADoubleBorderTakesTheRoomOfThreeLines(t *testing.T) {
	t.Parallel()
	s := sheetOf(t, borderedTable(`<w:top w:val="double" w:sz="8" w:color="FF0000"/>`, cell("", "x")))
	wantMarks(t, s.all("line"), redLine(50, 50.5, 150, 50.5, 1), redLine(50, 52.5, 150, 52.5, 1))
	rendertest.Near(t, "the text", s.text(t, "x").top, 50+3+16, 0.02)
}

func TestAMergeEndsAtTheLowerLineOfItsLastRow(t *testing.T) {
	t.Parallel()
	s := sheetOf(t, borderedTable(border("top", "8")+border("bottom", "8"), mergedCell("restart", "x")+cell("", "a"), mergedCell("continue", "")+cell("", "b")))
	wantMarks(t, s.all("line"), redLine(50, 50.5, 150, 50.5, 1), redLine(150, 50.5, 250, 50.5, 1), redLine(49.5, 91.5, 150.5, 91.5, 1), redLine(149.5, 91.5, 250.5, 91.5, 1))
}

func TestALineAboveAMergeAndASingleCell(t *testing.T) {
	t.Parallel()
	s := sheetOf(t, borderedTable(border("insideH", "8"), mergedCell("restart", "x")+cell("", "a"), mergedCell("continue", "")+cell("", "b")))
	wantMarks(t, s.all("line"), redLine(150, 70.5, 250, 70.5, 1))
	rendertest.Near(t, "the second row", s.text(t, "b").top, 71+16, 0.02)
}

// A table that goes on over the page ends with its lower line there.
func TestBordersCloseTheTableOnEachPage(t *testing.T) {
	t.Parallel()
	all := pages(t, rendertest.Docx{Body: lines("a b c d e f g") + borderedTable(border("top", "8")+border("insideH", "8")+border("bottom", "8"), cell("", "x"), cell("", "y"), cell("", "z"))})
	// Two rows of 21 points fit into 60.
	wantMarks(t, all[0].all("line"), redLine(50, 190.5, 150, 190.5, 1), redLine(50, 211.5, 150, 211.5, 1), redLine(49.5, 232.5, 150.5, 232.5, 1))
	wantMarks(t, all[1].all("line"), redLine(50, 50.5, 150, 50.5, 1), redLine(49.5, 71.5, 150.5, 71.5, 1))
}

func TestBordersCloseARowThatIsSplit(t *testing.T) {
	t.Parallel()
	all := pages(t, rendertest.Docx{Body: lines("a b c d e f g h") + borderedTable(box("8"), `<w:tc>`+lines("p q r")+`</w:tc>`)})
	// One line fits into 40 points below the row's line; the sides go down to the end.
	wantMarks(t, all[0].all("line"), redLine(49.5, 210.5, 150.5, 210.5, 1), redLine(50, 210, 50, 250, 1), redLine(150, 210, 150, 250, 1), redLine(49.5, 250.5, 150.5, 250.5, 1))
	wantMarks(t, all[1].all("line"), redLine(49.5, 50.5, 150.5, 50.5, 1), redLine(50, 50, 50, 92, 1), redLine(150, 50, 150, 92, 1), redLine(49.5, 91.5, 150.5, 91.5, 1))
	rendertest.Near(t, "the rest", all[1].text(t, "q").top, 51+16, 0.02)
}

func TestACellIsShadedBelowItsText(t *testing.T) {
	t.Parallel()
	s := sheetOf(t, borderedTable("", cell(shading("FF0000"), "x")+cell("", "y"), cell("", "z")+cell(shading("0000FF"), "w")))
	wantMarks(t, s.all("area"), filledArea(50, 50, 150, 70, red), filledArea(150, 70, 250, 90, blue))
	if s.marks[0].kind != "area" {
		t.Errorf("got %v first, want the colour", s.marks[0])
	}
}

func TestTheColourOfAMergedCellGoesOn(t *testing.T) {
	t.Parallel()
	s := sheetOf(t, borderedTable("", cell(shading("FF0000")+`<w:vMerge w:val="restart"/>`, "x")+cell("", "a"), cell(shading("0000FF")+`<w:vMerge/>`, "")+cell("", "b")))
	// The second part reaches a tenth of a point over the first.
	wantMarks(t, s.all("area"), filledArea(50, 50, 150, 70, red), filledArea(50, 69.9, 150, 90, red))
}

func TestTheColourOfMergedCellsIsBehindTheirText(t *testing.T) {
	t.Parallel()
	s := sheetOf(t, borderedTable("", cell(shading("FF0000")+`<w:vMerge w:val="restart"/><w:vAlign w:val="bottom"/>`, "x")+cell("", "a"), cell(`<w:vMerge/>`, "")+cell("", "b"), cell(`<w:vMerge/>`, "")+cell("", "c")))
	for i, m := range s.marks[:3] {
		if m.kind != "area" {
			t.Errorf("mark %d: got %v, want the colour of a row", i, m)
		}
	}
}

func TestTheColourOfAMergeGoesOnOnTheNextPage(t *testing.T) {
	t.Parallel()
	all := pages(t, rendertest.Docx{Body: lines("a b c d e f g h") + borderedTable("", cell(shading("FF0000")+`<w:vMerge w:val="restart"/>`, "x")+cell("", "p"), cell(`<w:vMerge/>`, "")+cell("", "q"), cell(`<w:vMerge/>`, "")+cell("", "r"))})
	wantMarks(t, all[0].all("area"), filledArea(50, 210, 150, 230, red), filledArea(50, 229.9, 150, 250, red))
	wantMarks(t, all[1].all("area"), filledArea(50, 49.9, 150, 70, red))
}

func TestBothPartsOfASplitRowAreShaded(t *testing.T) {
	t.Parallel()
	all := pages(t, rendertest.Docx{Body: lines("a b c d e f g h") + borderedTable("", `<w:tc><w:tcPr>`+shading("FF0000")+`</w:tcPr>`+lines("p q r")+`</w:tc>`)})
	wantMarks(t, all[0].all("area"), filledArea(50, 210, 150, 250, red))
	wantMarks(t, all[1].all("area"), filledArea(50, 50, 150, 70, red))
}

func TestSpaceBetweenCellsIsLeftOut(t *testing.T) {
	t.Parallel()
	body := `<w:tbl><w:tblPr><w:tblCellSpacing w:w="100" w:type="dxa"/></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/></w:tblGrid>` + rowOf("", lines("x")) + rowOf("", lines("y")) + `</w:tbl>`
	wantPlaces(t, rendertest.Docx{Body: body}, "1: 50,66 x", "1: 50,86 y")
}

// As LibreOffice 7.4 has it, in rows and in paragraphs.
func TestABorderTakesTheRoomOfAllItsLines(t *testing.T) {
	t.Parallel()
	for style, want := range map[string]float64{
		"single": 4, "dotted": 4, "wave": 4, "double": 12, "triple": 12, "thick": 8, "outset": 8.05, "inset": 8.05, "threeDEmboss": 8,
		"thinThickMediumGap": 8, "thinThickSmallGap": 5.5, "thickThinSmallGap": 5.5, "thinThickThinSmallGap": 5.5, "thinThickLargeGap": 6.25, "dashSmallGap": 4,
	} {
		side := `<w:top w:val="` + style + `" w:sz="32" w:color="FF0000"/>`
		rendertest.Near(t, style+" of a row", sheetOf(t, borderedTable(side, cell("", "x"))).text(t, "x").top, 66+want, 0.02)
		rendertest.Near(t, style+" of a paragraph", sheetOf(t, rendertest.Paragraph(`<w:pBdr>`+side+`</w:pBdr>`, "x")).text(t, "x").top, 66+want, 0.02)
	}
	rendertest.Near(t, "a fine dashed line", sheetOf(t, borderedTable(`<w:top w:val="dashSmallGap" w:sz="4"/>`, cell("", "x"))).text(t, "x").top, 66+1, 0.02)
}

// The rest of a row keeps no height of its own, and its text stands at the top.
func TestTheRestOfASplitRow(t *testing.T) {
	t.Parallel()
	row := `<w:tr><w:trPr><w:trHeight w:val="1000"/></w:trPr><w:tc>` + lines("p q r") + `</w:tc><w:tc><w:tcPr><w:vAlign w:val="bottom"/></w:tcPr>` + lines("x") + `</w:tc></w:tr>`
	wantPlaces(t, rendertest.Docx{Body: lines("a b c d e f g h") + `<w:tbl><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid>` + row + `</w:tbl>` + lines("below")},
		"1: 50,66 a", "1: 50,86 b", "1: 50,106 c", "1: 50,126 d", "1: 50,146 e", "1: 50,166 f", "1: 50,186 g", "1: 50,206 h",
		"1: 50,226 p", "1: 50,246 q", "1: 150,226 x", "2: 50,66 r", "2: 50,86 below")
}

// A row of 30 and 70 points, spaces below their text included, where 20, 40, 60
// or 70 are left: the space below a single line may be cut off, that below
// several lines takes the last line along. The line at the foot needs its room.
func TestARowIsSplitWhereItsLinesFit(t *testing.T) {
	t.Parallel()
	const after = `<w:spacing w:after="200"/>`
	row := rowOf("", linesOf(after, "x")) // one cell
	both := `<w:tr><w:tc>` + linesOf(after, "x") + `</w:tc><w:tc>` + rendertest.Paragraph(after, "pppppppppp qqqqqqqqqq rrrrrrrrrr") + `</w:tc></w:tr>`
	for name, c := range map[string]struct {
		above, row, borders string
		want                []string // behind what is above
	}{
		"one of three lines":              {ten[:17], both, "", []string{"1: 50,246 x", "1: 150,246 pppppppppp", "2: 150,66 qqqqqqqqqq", "2: 150,86 rrrrrrrrrr"}},
		"two":                             {ten[:15], both, "", []string{"1: 50,226 x", "1: 150,226 pppppppppp", "1: 150,246 qqqqqqqqqq", "2: 150,66 rrrrrrrrrr"}},
		"not all without the space below": {ten[:13], both, "", []string{"1: 50,206 x", "1: 150,206 pppppppppp", "1: 150,226 qqqqqqqqqq", "2: 150,66 rrrrrrrrrr"}},
		"a single line":                   {ten[:17], row, "", []string{"2: 50,66 x"}},
		"a line at its foot":              {ten[:15], both, border("bottom", "8"), []string{"1: 50,226 x", "1: 150,226 pppppppppp", "2: 150,66 qqqqqqqqqq", "2: 150,86 rrrrrrrrrr"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := `<w:tbl><w:tblPr><w:tblBorders>` + c.borders + `</w:tblBorders></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid>` + c.row + `</w:tbl>`
			got := places(t, rendertest.Docx{Body: lines(c.above) + table})
			if got = got[len(strings.Fields(c.above)):]; !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The line at the end of a page is the one that stands between the rows; above
// cells of their own lines, a wider cell keeps the one that it has.
func TestTheLineAtTheEndOfAPageIsThatOfBothRows(t *testing.T) {
	t.Parallel()
	below, above := `<w:tcBorders>`+border("bottom", "8")+`</w:tcBorders>`, `<w:tcBorders>`+border("top", "16")+`</w:tcBorders>`
	for name, c := range map[string]struct {
		rows []string
		want mark
	}{
		"the wider line":       {[]string{cell(below, "x"), cell(above, "y")}, redLine(49, 251, 151, 251, 2)},
		"that of a wider cell": {[]string{cell(`<w:gridSpan w:val="2"/>`+below, "x"), cell(above, "y") + cell(above, "z")}, redLine(49.5, 250.5, 250.5, 250.5, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantMarks(t, pages(t, rendertest.Docx{Body: lines(ten[:17]) + borderedTable("", c.rows...)})[0].all("line"), c.want)
		})
	}
}

func TestARowOfATableWithinATableGoesOnOnTheNextPage(t *testing.T) {
	t.Parallel()
	lines := ""
	for i := range 120 {
		lines += rendertest.Paragraph("", fmt.Sprintf("line%d", i))
	}
	table := func(content string) string {
		return `<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/></w:tblPr><w:tblGrid><w:gridCol w:w="9000"/></w:tblGrid><w:tr><w:tc>` + content + `<w:p/></w:tc></w:tr></w:tbl>`
	}
	words, _ := rendered(t, rendertest.Docx{Body: rendertest.Paragraph("", "above") + table(table(table(lines)))})
	page := 1
	for i := range 120 {
		w := rendertest.Find(t, words, fmt.Sprintf("line%d", i))
		if w.Base > textBottom+1 || w.Page < page {
			t.Fatalf("%s stands at %.1f of page %d, want it within the page", w.Text, w.Base, w.Page)
		}
		page = w.Page
	}
	if page != 3 || rendertest.Find(t, words, "line0").Page != 1 {
		t.Errorf("the table goes from page %d to %d, want from 1 to 3", rendertest.Find(t, words, "line0").Page, page)
	}
}

// mergeOf is a merge beside a row for each of the texts.
func mergeOf(properties, content string, beside ...string) string {
	rows := ""
	for i, text := range beside {
		merge, first := `<w:vMerge/>`, `<w:p/>`
		if i == 0 {
			merge, first = `<w:vMerge w:val="restart"/>`+properties, content
		}
		rows += `<w:tr><w:tc><w:tcPr>` + merge + `</w:tcPr>` + first + `</w:tc><w:tc>` + lines(text) + `</w:tc></w:tr>`
	}
	return `<w:tbl><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid>` + rows + `</w:tbl>`
}

func TestAMergeGoesOnOnTheNextPageWithItsRows(t *testing.T) {
	t.Parallel()
	above := []string{"1: 50,66 a", "1: 50,86 b", "1: 50,106 c", "1: 50,126 d", "1: 50,146 e", "1: 50,166 f", "1: 50,186 g", "1: 50,206 h"}
	for name, c := range map[string]struct {
		table string
		want  []string
	}{
		"text that parts there": {mergeOf("", lines("k l m n o p"), "q", "r", "s", "t", "u", "v"), []string{
			"1: 50,226 k", "1: 50,246 l", "1: 150,226 q", "1: 150,246 r",
			"2: 50,66 m", "2: 50,86 n", "2: 50,106 o", "2: 50,126 p", "2: 150,66 s", "2: 150,86 t", "2: 150,106 u", "2: 150,126 v"}},
		"in a row that parts there": {mergeOf("", lines("k l m n"), "q", "r s", "t"), []string{
			"1: 50,226 k", "1: 50,246 l", "1: 150,226 q", "1: 150,246 r",
			"2: 50,66 m", "2: 50,86 n", "2: 150,66 s", "2: 150,86 t"}},
		"text at the foot of its part": {mergeOf(`<w:vAlign w:val="bottom"/>`, lines("k"), "q", "r", "s", "t"), []string{
			"1: 50,246 k", "1: 150,226 q", "1: 150,246 r", "2: 150,66 s", "2: 150,86 t"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := places(t, rendertest.Docx{Body: lines(ten[:16]) + c.table})
			slices.Sort(got)
			if want := append(slices.Clone(above), c.want...); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAMergeGoesOnOverManyPages(t *testing.T) {
	t.Parallel()
	content := ""
	for i := range 25 {
		content += lines(fmt.Sprintf("l%d", i))
	}
	got := strings.Join(places(t, rendertest.Docx{Body: mergeOf("", content, "q", "r", "s")}), "\n") + "\n"
	for i := range 25 {
		page, line := 1, i
		if i >= 2 { // as many lines as rows stand on the first page
			page, line = 2+(i-2)/10, (i-2)%10
		}
		if want := fmt.Sprintf("%d: 50,%d l%d\n", page, 66+20*line, i); !strings.Contains(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

// The line below a cell stands below that alone, whatever is merged below it (ECMA-376 part 1,
// 17.4.66: a conflict is one of two cells).
func TestALowerBorderStandsBelowItsOwnCell(t *testing.T) {
	t.Parallel()
	bordered := func(borders, text string) string {
		return cell(`<w:tcBorders>`+borders+`</w:tcBorders>`, text)
	}
	wide := func(borders string) string {
		return cell(`<w:gridSpan w:val="2"/><w:tcBorders>`+borders+`</w:tcBorders>`, "wide")
	}
	for name, c := range map[string]struct {
		rows []string
		want []mark
	}{
		"over a merged cell":           {[]string{cell("", "x") + bordered(border("bottom", "8"), "y"), wide("")}, []mark{redLine(150, 70.5, 250, 70.5, 1)}},
		"of the first cell":            {[]string{bordered(border("bottom", "8"), "x") + cell("", "y"), wide("")}, []mark{redLine(50, 70.5, 150, 70.5, 1)}},
		"of both":                      {[]string{bordered(border("bottom", "8"), "x") + bordered(border("bottom", "8"), "y"), wide("")}, []mark{redLine(50, 70.5, 250, 70.5, 1)}},
		"beside that of the lower one": {[]string{cell("", "x") + bordered(border("bottom", "8"), "y"), wide(border("top", "4"))}, []mark{redLine(50, 70.25, 150, 70.25, 0.5), redLine(150, 70.5, 250, 70.5, 1)}},
		"thinner than the lower one's": {[]string{cell("", "x") + bordered(border("bottom", "4"), "y"), wide(border("top", "8"))}, []mark{redLine(50, 70.5, 250, 70.5, 1)}},
		"over nothing":                 {[]string{cell("", "x") + bordered(border("bottom", "8"), "y"), cell("", "z")}, []mark{redLine(150, 70.5, 250, 70.5, 1)}},
		"of a merged one":              {[]string{wide(border("bottom", "8")), cell("", "x") + cell("", "y")}, []mark{redLine(50, 70.5, 150, 70.5, 1), redLine(150, 70.5, 250, 70.5, 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantMarks(t, sheetOf(t, borderedTable("", c.rows...)).all("line"), c.want...)
		})
	}
	mirrored := strings.Replace(borderedTable("", cell("", "x")+bordered(border("bottom", "8"), "y"), wide("")), `<w:tblPr>`, `<w:tblPr><w:bidiVisual/>`, 1)
	wantMarks(t, sheetOf(t, mirrored).all("line"), redLine(50, 70.5, 150, 70.5, 1))
}

func TestBordersOfManyCellsAreFoundSoon(t *testing.T) { // alone: it counts what is allocated
	const cells = 20_000
	line := &wml.Border{Style: "single", Width: 1}
	b := &tableBox{t: &wml.Table{RTL: true}}
	for range 3 {
		row := &rowBox{table: b}
		for i := range cells {
			row.cells = append(row.cells, &cellBox{cell: &wml.Cell{}, x: float64(cells - i), w: 1, borders: wml.CellBorders{Top: line, Bottom: line}})
		}
		b.rows = append(b.rows, row)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.resolveBorders()
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 50 {
		t.Errorf("it took %d MiB, want 50 at most", got)
	}
	for _, c := range b.rows[1].cells {
		if len(c.above)+len(c.open) > 0 || c.borders.Top != line {
			t.Fatalf("got %+v, want one line", c)
		}
	}
}
