package flow

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

// arialLine is the height of a line of 10 point Arial.
const arialLine = 11.5

const gridOfThree = `<w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="3000"/><w:gridCol w:w="1000"/></w:tblGrid>`

func TestCellsStandInTheirGridColumns(t *testing.T) {
	t.Parallel()
	words, _ := rendered(t, rendertest.Docx{Settings: `<w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat>`,
		Body: `<w:tbl><w:tblPr><w:tblCellMar><w:left w:w="100" w:type="dxa"/></w:tblCellMar></w:tblPr>` + gridOfThree +
			`<w:tr>` + cell("", "a") + cell("", "b") + cell("", "c") + `</w:tr>` +
			`<w:tr>` + cell(`<w:gridSpan w:val="2"/>`, "wide") + cell("", "last") + `</w:tr></w:tbl>`})
	rendertest.Near(t, "a", rendertest.Find(t, words, "a").Left, textLeft+5, 0.2)
	rendertest.Near(t, "b", rendertest.Find(t, words, "b").Left, textLeft+105, 0.2)
	rendertest.Near(t, "c", rendertest.Find(t, words, "c").Left, textLeft+255, 0.2)
	rendertest.Near(t, "last", rendertest.Find(t, words, "last").Left, textLeft+255, 0.2)
	rendertest.Near(t, "height of the first row", rendertest.Find(t, words, "wide").Top-rendertest.Find(t, words, "a").Top, arialLine, 0.2)
}

func TestHeaderRowsRepeatOnEachPage(t *testing.T) {
	t.Parallel()
	head := `<w:tr><w:trPr><w:tblHeader/></w:trPr>` + cell("", "Head") + `</w:tr>`
	body := strings.Repeat(`<w:tr><w:trPr><w:trHeight w:val="1000"/></w:trPr>`+cell("", "row")+`</w:tr>`, 30)
	words, _ := rendered(t, rendertest.Docx{Body: `<w:tbl><w:tblGrid><w:gridCol w:w="3000"/></w:tblGrid>` + head + body + `</w:tbl>`})
	heads, rows := map[int]float64{}, 0
	for _, w := range words {
		switch w.Text {
		case "Head":
			heads[w.Page] = w.Top
		case "row":
			rows++
			if w.Top < heads[w.Page] || heads[w.Page] == 0 {
				t.Fatalf("page %d: a row at %.1f above its head at %.1f", w.Page, w.Top, heads[w.Page])
			}
		}
	}
	if len(heads) != 3 || rows != 30 {
		t.Errorf("got %d heads and %d rows, want 3 and 30", len(heads), rows)
	}
}

func TestARowIsSplitUnlessItMayNot(t *testing.T) {
	t.Parallel()
	fill := strings.Repeat(rendertest.Paragraph(`<w:spacing w:line="400" w:lineRule="exact"/>`, "fill"), 30)
	lines := strings.Repeat(rendertest.Paragraph(`<w:spacing w:line="400" w:lineRule="exact"/>`, "line"), 10)
	for rule, want := range map[string]int{"": 1, "<w:cantSplit/>": 2} {
		words, _ := rendered(t, rendertest.Docx{Body: fill + `<w:tbl><w:tblGrid><w:gridCol w:w="3000"/></w:tblGrid><w:tr><w:trPr>` + rule + `</w:trPr><w:tc>` + lines + `</w:tc></w:tr></w:tbl>`})
		if w := rendertest.Find(t, words, "line"); w.Page != want {
			t.Errorf("with %q the row begins on page %d, want %d", rule, w.Page, want)
		}
		count := 0
		for _, w := range words {
			if w.Text == "line" {
				count++
			}
		}
		if count != 10 {
			t.Errorf("with %q %d of 10 lines are shown", rule, count)
		}
	}
}

func TestVerticalMergeCentresItsTextOverItsRows(t *testing.T) {
	t.Parallel()
	row := func(first, second string) string {
		return `<w:tr><w:trPr><w:trHeight w:val="1000" w:hRule="exact"/></w:trPr>` + first + cell("", second) + `</w:tr>`
	}
	words, _ := rendered(t, rendertest.Docx{Body: `<w:tbl>` + gridOfThree + row(cell(`<w:vMerge w:val="restart"/><w:vAlign w:val="center"/>`, "merged"), "r1") +
		row(cell(`<w:vMerge/>`, ""), "r2") + row(cell(`<w:vMerge/>`, ""), "r3") + `</w:tbl>`})
	rendertest.Near(t, "first row", rendertest.Find(t, words, "r2").Top-rendertest.Find(t, words, "r1").Top, 50, 0.2)
	rendertest.Near(t, "merged text", rendertest.Find(t, words, "merged").Top-rendertest.Find(t, words, "r1").Top, 75-11.5/2, 0.5)
}

func TestCellsOfARowShareTheLargestMargins(t *testing.T) {
	t.Parallel()
	cell := func(margin, text string) string {
		return `<w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/>` + margin + `</w:tcPr>` + rendertest.Paragraph("", text) + `</w:tc>`
	}
	words, _ := rendered(t, rendertest.Docx{Body: `<w:tbl><w:tblGrid><w:gridCol w:w="4000"/><w:gridCol w:w="4000"/></w:tblGrid><w:tr>` + cell("", "plain") +
		cell(`<w:tcMar><w:top w:w="200" w:type="dxa"/></w:tcMar>`, "spaced") + cell(`<w:tcMar><w:bottom w:w="400" w:type="dxa"/></w:tcMar>`, "below") + `</w:tr></w:tbl>` + rendertest.Paragraph("", "after")})
	plain, spaced := rendertest.Find(t, words, "plain"), rendertest.Find(t, words, "spaced")
	rendertest.Near(t, "the first lines", plain.Base, spaced.Base, 0.1)
	rendertest.Near(t, "the row", rendertest.Find(t, words, "after").Top-spaced.Top, arialLine+20, 0.2)
}

// word2013 sets tables as Word does since then: their edges, not their texts, stand
// at the margin.
const word2013 = `<w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat>`

// Programs that write no style for tables leave margins to who reads the file.
func TestCellsHaveMarginsWhereNobodySaysWhich(t *testing.T) {
	t.Parallel()
	const body = `<w:tbl><w:tblGrid><w:gridCol w:w="2000"/></w:tblGrid><w:tr>` + `<w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`
	const bare = `<w:style w:type="table" w:default="1" w:styleId="Bare"><w:name w:val="Bare"/></w:style>`
	for settings, want := range map[string]float64{word2013: 72 + 5.4, "": 72} {
		words, _ := rendered(t, rendertest.Docx{Body: body, Styles: bare, Settings: settings})
		rendertest.Near(t, "the text's left edge "+settings, rendertest.Find(t, words, "x").Left, want, 0.1)
	}
}

// Squared paper has 200 points from 50 to 250; 1000 twentieths are 50 points.
func TestColumnsOfTablesGetTheirWidths(t *testing.T) {
	t.Parallel()
	grid := func(widths ...string) string {
		all := `<w:tblGrid>`
		for _, w := range widths {
			all += `<w:gridCol w:w="` + w + `"/>`
		}
		return all + `</w:tblGrid>`
	}
	width := func(kind, w string) string {
		return `<w:tblPr><w:tblW w:type="` + kind + `" w:w="` + w + `"/></w:tblPr>`
	}
	cellWidth := func(kind, w string) string { return `<w:tcW w:type="` + kind + `" w:w="` + w + `"/>` }
	abc := rowOf("", lines("a"), lines("b"), lines("c"))
	for name, c := range map[string]struct {
		table string
		want  []string
	}{
		"the grid's":                       {grid("1000", "2000", "1000") + abc, []string{"1: 50,66 a", "1: 100,66 b", "1: 200,66 c"}},
		"scaled to the table's":            {width("dxa", "2000") + grid("1000", "2000", "1000") + abc, []string{"1: 50,66 a", "1: 75,66 b", "1: 125,66 c"}},
		"scaled to a part of the text's":   {width("pct", "2500") + grid("1000", "2000", "1000") + abc, []string{"1: 50,66 a", "1: 75,66 b", "1: 125,66 c"}},
		"a part as a percentage":           {width("pct", "50%") + grid("1000", "2000", "1000") + abc, []string{"1: 50,66 a", "1: 75,66 b", "1: 125,66 c"}},
		"scaled up":                        {width("dxa", "4000") + grid("500", "1000", "500") + abc, []string{"1: 50,66 a", "1: 100,66 b", "1: 200,66 c"}},
		"nearly the grid's":                {width("dxa", "4008") + grid("1000", "2000", "1000") + abc, []string{"1: 50,66 a", "1: 100,66 b", "1: 200,66 c"}},
		"a point more than the grid's":     {width("dxa", "4020") + grid("1000", "2000", "1000") + abc, []string{"1: 50,66 a", "1: 100,66 b", "1: 201,66 c"}},
		"automatic: the grid's":            {width("auto", "0") + grid("1000", "2000", "1000") + abc, []string{"1: 50,66 a", "1: 100,66 b", "1: 200,66 c"}},
		"equal ones without a grid":        {abc, []string{"1: 50,66 a", "1: 117,66 b", "1: 183,66 c"}},
		"equal parts of the table's width": {width("dxa", "3000") + abc, []string{"1: 50,66 a", "1: 100,66 b", "1: 150,66 c"}},
		"the cells' without a grid": {`<w:tr>` + cell(cellWidth("dxa", "1000"), "a") + cell(cellWidth("dxa", "2000"), "b") + cell(cellWidth("dxa", "1000"), "c") + `</w:tr>`,
			[]string{"1: 50,66 a", "1: 100,66 b", "1: 200,66 c"}},
		"the cells' parts": {`<w:tr>` + cell(cellWidth("pct", "1250"), "a") + cell(cellWidth("pct", "2500"), "b") + cell(cellWidth("pct", "1250"), "c") + `</w:tr>`,
			[]string{"1: 50,66 a", "1: 100,66 b", "1: 200,66 c"}},
		"what the other cells leave": {`<w:tr>` + cell(cellWidth("dxa", "1000"), "a") + cell(cellWidth("auto", "0"), "b") + cell("", "c") + `</w:tr>`,
			[]string{"1: 50,66 a", "1: 100,66 b", "1: 175,66 c"}},
		"a letter where nothing is left": {`<w:tr>` + cell(cellWidth("dxa", "4400"), "a") + cell("", "b") + cell(cellWidth("dxa", "400"), "c") + `</w:tr>`,
			[]string{"1: 50,66 a", "1: 270,66 b", "1: 282,66 c"}},
		"the first row that knows them": {`<w:tr>` + cell(`<w:gridSpan w:val="2"/>`+cellWidth("dxa", "3000"), "wide") + cell(cellWidth("dxa", "1000"), "z") + `</w:tr><w:tr>` + cell(cellWidth("dxa", "1000"), "a") + cell(cellWidth("dxa", "2000"), "b") + cell(cellWidth("dxa", "500"), "c") + `</w:tr>`,
			[]string{"1: 50,66 wide", "1: 200,66 z", "1: 50,86 a", "1: 100,86 b", "1: 200,86 c"}},
		"a grid with too few columns": {grid("1000") + `<w:tr>` + cell("", "a") + cell(cellWidth("dxa", "2000"), "b") + cell(cellWidth("dxa", "1000"), "c") + `</w:tr>`,
			[]string{"1: 50,66 a", "1: 100,66 b", "1: 200,66 c"}},
		"columns left out before a row": {grid("1000", "2000", "1000") + abc + rowOf(`<w:gridBefore w:val="1"/>`, lines("x"), lines("y")),
			[]string{"1: 50,66 a", "1: 100,66 b", "1: 200,66 c", "1: 100,86 x", "1: 200,86 y"}},
		"a cell over two of them": {grid("1000", "2000", "1000") + `<w:tr>` + cell("", "a") + cell(`<w:gridSpan w:val="2"/>`, "aaaaaaaaa bbbbbbbbb ccccccccc") + `</w:tr>`,
			[]string{"1: 50,66 a", "1: 100,66 aaaaaaaaa bbbbbbbbb", "1: 100,86 ccccccccc"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: `<w:tbl>` + c.table + `</w:tbl>`}, c.want...)
		})
	}
}

func TestTablesStandWhereTheyAreAligned(t *testing.T) {
	t.Parallel()
	// two columns of 30 and 70 points
	const grid = `<w:tblGrid><w:gridCol w:w="600"/><w:gridCol w:w="1400"/></w:tblGrid>`
	margin := `<w:tblCellMar><w:left w:w="200" w:type="dxa"/></w:tblCellMar>`
	for name, c := range map[string]struct{ properties, settings, a, b string }{
		"to the left":                    {"", "", "1: 50,66 a", "1: 80,66 b"},
		"in the middle":                  {`<w:jc w:val="center"/>`, "", "1: 100,66 a", "1: 130,66 b"},
		"to the right":                   {`<w:jc w:val="right"/>`, "", "1: 150,66 a", "1: 180,66 b"},
		"at an indent":                   {`<w:tblInd w:w="400" w:type="dxa"/>`, "", "1: 70,66 a", "1: 100,66 b"},
		"which only the left side has":   {`<w:jc w:val="right"/><w:tblInd w:w="400" w:type="dxa"/>`, "", "1: 150,66 a", "1: 180,66 b"},
		"its text at the margin":         {margin, "", "1: 50,66 a", "1: 80,66 b"},
		"its edge at the margin":         {margin, word2013, "1: 60,66 a", "1: 90,66 b"},
		"from right to left":             {`<w:bidiVisual/>`, "", "1: 220,66 a", "1: 150,66 b"},
		"from right to left, centred":    {`<w:bidiVisual/><w:jc w:val="center"/>`, "", "1: 170,66 a", "1: 100,66 b"},
		"from left to right, explicitly": {`<w:bidiVisual w:val="0"/>`, "", "1: 50,66 a", "1: 80,66 b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: `<w:tbl><w:tblPr>` + c.properties + `</w:tblPr>` + grid + rowOf("", lines("a"), lines("b")) + `</w:tbl>`, Settings: c.settings}, c.a, c.b)
		})
	}
}

func TestATableInACellStandsAtItsTextWhateverTheVersion(t *testing.T) {
	t.Parallel()
	margin := `<w:tblPr><w:tblCellMar><w:left w:w="200" w:type="dxa"/></w:tblCellMar></w:tblPr>`
	inner := `<w:tbl>` + margin + `<w:tblGrid><w:gridCol w:w="1000"/></w:tblGrid>` + rowOf("", lines("inner")) + `</w:tbl>`
	wantPlaces(t, rendertest.Docx{Body: `<w:tbl>` + margin + `<w:tblGrid><w:gridCol w:w="4000"/></w:tblGrid>` + rowOf("", inner+lines("outer")) + `</w:tbl>`}, "1: 60,66 inner", "1: 50,86 outer")
}

// A row of 100 points leaves 80 beside its line.
func TestTextStandsInItsCellAsAligned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row, cell string
		want      string
	}{
		"at the top":                 {`<w:trHeight w:val="2000"/>`, "", "1: 50,66 x"},
		"in the middle":              {`<w:trHeight w:val="2000"/>`, `<w:vAlign w:val="center"/>`, "1: 50,106 x"},
		"at the bottom":              {`<w:trHeight w:val="2000"/>`, `<w:vAlign w:val="bottom"/>`, "1: 50,146 x"},
		"of an exact height":         {`<w:trHeight w:val="2000" w:hRule="exact"/>`, `<w:vAlign w:val="bottom"/>`, "1: 50,146 x"},
		"in a row that is too low":   {`<w:trHeight w:val="100" w:hRule="exact"/>`, `<w:vAlign w:val="bottom"/>`, "1: 50,66 x"},
		"between its margins":        {`<w:trHeight w:val="2000"/>`, `<w:tcMar><w:top w:w="200" w:type="dxa"/><w:left w:w="400" w:type="dxa"/></w:tcMar>`, "1: 70,76 x"},
		"in the middle between them": {`<w:trHeight w:val="2000"/>`, `<w:vAlign w:val="center"/><w:tcMar><w:top w:w="200" w:type="dxa"/></w:tcMar>`, "1: 50,111 x"},
		"above the lower one":        {`<w:trHeight w:val="2000"/>`, `<w:vAlign w:val="bottom"/><w:tcMar><w:bottom w:w="200" w:type="dxa"/></w:tcMar>`, "1: 50,136 x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := word2013
			wantPlaces(t, rendertest.Docx{Body: `<w:tbl><w:tblGrid><w:gridCol w:w="2000"/></w:tblGrid><w:tr><w:trPr>` + c.row + `</w:trPr>` + cell(c.cell, "x") + `</w:tr></w:tbl>`, Settings: settings}, c.want)
		})
	}
}

func TestRowsAreAsHighAsTheyMust(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row, cells string
		below      float64
	}{
		"as their highest cell":      {"", `<w:tc>` + lines("a") + `</w:tc><w:tc>` + lines("b c d") + `</w:tc>`, 60},
		"at least as high as told":   {`<w:trHeight w:val="1000"/>`, `<w:tc>` + lines("a") + `</w:tc>`, 50},
		"higher where they must":     {`<w:trHeight w:val="500"/>`, `<w:tc>` + lines("a b") + `</w:tc>`, 40},
		"exactly as high as told":    {`<w:trHeight w:val="500" w:hRule="exact"/>`, `<w:tc>` + lines("a b") + `</w:tc>`, 25},
		"with the space of the text": {"", `<w:tc>` + linesOf(`<w:spacing w:before="100" w:after="200"/>`, "a b") + `</w:tc>`, 65},
		"with the margins":           {"", cell(`<w:tcMar><w:top w:w="100" w:type="dxa"/><w:bottom w:w="300" w:type="dxa"/></w:tcMar>`, "a"), 40},
		"without a line, nothing":    {`<w:trHeight w:val="0"/>`, `<w:tc>` + lines("a") + `</w:tc>`, 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sheetOf(t, `<w:tbl><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid><w:tr><w:trPr>`+c.row+`</w:trPr>`+c.cells+`</w:tr></w:tbl>`+lines("below"))
			rendertest.Near(t, "the text below", s.text(t, "below").top, 50+c.below+16, 0.02)
		})
	}
}

func TestARowOfAnExactHeightCutsOffWhatIsTooMuch(t *testing.T) {
	t.Parallel()
	row := func(height string) sheet {
		return sheetOf(t, `<w:tbl><w:tblGrid><w:gridCol w:w="2000"/></w:tblGrid>`+rowOf(`<w:trHeight w:val="`+height+`" w:hRule="exact"/>`, lines("a b"))+`</w:tbl>`)
	}
	low := row("500")
	if low.marks[0].kind != "clip" {
		t.Fatalf("got %v first, want a clip", low.marks[0])
	}
	wantMarks(t, low.all("clip"), mark{kind: "clip", left: 50, top: 50, right: 150, bottom: 75})
	wantMarks(t, row("780").all("clip"), mark{kind: "clip", left: 50, top: 50, right: 150, bottom: 89})
	if got := row("800").all("clip"); len(got) != 0 {
		t.Errorf("a row that is high enough clips: %s", formatMarks(got))
	}
	if got := row("792").all("clip"); len(got) != 0 {
		t.Errorf("less than half a point is cut off: %s", formatMarks(got))
	}
}

func TestMergedCells(t *testing.T) {
	t.Parallel()
	table := func(rows ...string) string {
		all := `<w:tbl><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid>`
		for _, row := range rows {
			all += `<w:tr>` + row + `</w:tr>`
		}
		return all + `</w:tbl>` + lines("below")
	}
	start := `<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>` + lines("1 2 3") + `</w:tc>`
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"text over two rows makes the last one higher": {table(start+cell("", "a"), mergedCell("continue", "")+cell("", "b")), []string{"1: 50,66 1", "1: 50,86 2", "1: 50,106 3", "1: 150,66 a", "1: 150,86 b", "1: 50,126 below"}},
		"over three it fits":                           {table(start+cell("", "a"), mergedCell("continue", "")+cell("", "b"), mergedCell("continue", "")+cell("", "c")), []string{"1: 50,66 1", "1: 50,86 2", "1: 50,106 3", "1: 150,66 a", "1: 150,86 b", "1: 150,106 c", "1: 50,126 below"}},
		"the text of what goes on is not shown":        {table(start+cell("", "a"), mergedCell("continue", "hidden")+cell("", "b")), []string{"1: 50,66 1", "1: 50,86 2", "1: 50,106 3", "1: 150,66 a", "1: 150,86 b", "1: 50,126 below"}},
		"what continues nothing is empty":              {table(cell("", "x")+cell("", "a"), mergedCell("continue", "hidden")+cell("", "b")), []string{"1: 50,66 x", "1: 150,66 a", "1: 150,86 b", "1: 50,106 below"}},
		"another width ends the merge":                 {table(start+cell("", "a"), cell(`<w:gridSpan w:val="2"/><w:vMerge/>`, "hidden")), []string{"1: 50,66 1", "1: 50,86 2", "1: 50,106 3", "1: 150,66 a", "1: 50,126 below"}},
		"one merge ends where the next begins":         {table(mergedCell("restart", "1")+cell("", "a"), mergedCell("restart", "2")+cell("", "b"), mergedCell("continue", "")+cell("", "c")), []string{"1: 50,66 1", "1: 150,66 a", "1: 50,86 2", "1: 150,86 b", "1: 150,106 c", "1: 50,126 below"}},
		"a merge in the second column":                 {table(cell("", "a")+start, cell("", "b")+mergedCell("continue", "")), []string{"1: 50,66 a", "1: 150,66 1", "1: 150,86 2", "1: 150,106 3", "1: 50,86 b", "1: 50,126 below"}},
		"an exact last row does not grow for it":       {`<w:tbl><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid><w:tr>` + start + cell("", "a") + `</w:tr><w:tr><w:trPr><w:trHeight w:val="200" w:hRule="exact"/></w:trPr>` + mergedCell("continue", "") + cell("", "") + `</w:tr></w:tbl>` + lines("below"), []string{"1: 50,66 1", "1: 50,86 2", "1: 50,106 3", "1: 150,66 a", "1: 50,96 below"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: c.body}, c.want...)
		})
	}
}

// A page break runs through no merged cell: the rows before it keep their places.
func TestARowBeforeMergedCellsStays(t *testing.T) {
	t.Parallel()
	body := lines("a b c d e f g") + `<w:tbl><w:tblGrid><w:gridCol w:w="2000"/></w:tblGrid><w:tr>` + cell("", "x") + `</w:tr><w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>` + lines("1") + `</w:tc></w:tr><w:tr>` + mergedCell("continue", "") + `</w:tr></w:tbl>`
	wantPages(t, rendertest.Docx{Body: body}, "a b c d e f g x 1")
}

// Text that runs up begins at the lower end of its cell, its first line at the left; text that
// runs down begins at the upper end, its first line at the right (ECMA-376 part 1, 17.4.72 and
// 17.18.93). The cell is 50 points wide and 100 high; its line of 20 has 16 of it above the
// baseline. Upper and lower end of the text's own block are left and right sides of the cell.
func TestTurnedTextRunsAlongItsCell(t *testing.T) {
	t.Parallel()
	for direction, want := range map[string]string{
		"btLr": "1: 66,150 up", "tbRl": "1: 84,50 up", "lrTb": "1: 50,66 up", "lrTbV": "1: 50,66 up",
		"lr": "1: 66,150 up", "rl": "1: 84,50 up", "tbRlV": "1: 84,50 up", "tb": "1: 50,66 up",
		`btLr"/><w:vAlign w:val="center`: "1: 81,150 up", `btLr"/><w:vAlign w:val="bottom`: "1: 96,150 up",
		`tbRl"/><w:vAlign w:val="center`: "1: 69,50 up", `tbRl"/><w:vAlign w:val="bottom`: "1: 54,50 up",
		`btLr"/><w:tcMar><w:bottom w:w="200" w:type="dxa"/><w:left w:w="100" w:type="dxa"/></w:tcMar><w:x w:val="`: "1: 71,140 up",
		`tbRl"/><w:tcMar><w:top w:w="200" w:type="dxa"/><w:right w:w="100" w:type="dxa"/></w:tcMar><w:x w:val="`:   "1: 79,60 up",
	} {
		t.Run(direction, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Settings: word2013, Body: `<w:tbl><w:tblGrid><w:gridCol w:w="1000"/></w:tblGrid><w:tr><w:trPr><w:trHeight w:val="2000"/></w:trPr>` + cell(`<w:textDirection w:val="`+direction+`"/>`, "up") + `</w:tr></w:tbl>`}, want)
		})
	}
}

// It breaks at the height of its row, or after an inch where that has none.
func TestTurnedTextIsAsLongAsItsRowIsHigh(t *testing.T) {
	t.Parallel()
	text := "aaaa bbbb cccc"
	for height, want := range map[string]int{`<w:trHeight w:val="2000"/>`: 1, `<w:trHeight w:val="1200"/>`: 2, `<w:trHeight w:val="600"/>`: 3, "": 2} {
		s := sheetOf(t, `<w:tbl><w:tblGrid><w:gridCol w:w="2000"/></w:tblGrid><w:tr><w:trPr>`+height+`</w:trPr>`+cell(`<w:textDirection w:val="btLr"/>`, text)+cell("", "x")+`</w:tr></w:tbl>`)
		if got := len(s.all("text")) - 1; got != want {
			t.Errorf("with %q: got %d lines, want %d", height, got, want)
		}
	}
}

// Text has at least 4 points in a cell with any margins; letters of a point are
// 0.6 wide.
func TestACellKeepsSomeRoomForItsText(t *testing.T) {
	t.Parallel()
	margins := `<w:tcMar><w:left w:w="100" w:type="dxa"/><w:right w:w="100" w:type="dxa"/></w:tcMar>`
	for width, want := range map[string]float64{"200": 50 + 5 + 4 - 0.6, "400": 50 + 5 + 10 - 0.6} {
		s := pages(t, rendertest.Docx{Settings: word2013, Body: `<w:tbl><w:tblGrid><w:gridCol w:w="` + width + `"/></w:tblGrid><w:tr><w:tc><w:tcPr>` + margins + `</w:tcPr>` + paragraphOf(`<w:jc w:val="right"/>`, run(`<w:sz w:val="2"/>`, "x")) + `</w:tc></w:tr></w:tbl>`})[0]
		rendertest.Near(t, width, s.text(t, "x").left, want, 0.02)
	}
}

// Automatic space is 14 points; it parts the two paragraphs of the cell only.
func TestAutomaticSpaceStaysInsideACell(t *testing.T) {
	t.Parallel()
	const auto = `<w:spacing w:before="100" w:beforeAutospacing="1" w:after="100" w:afterAutospacing="1"/>`
	wantPlaces(t, rendertest.Docx{Body: lines("a") + borderedTable("", `<w:tc>`+linesOf(auto, "b c")+`</w:tc>`) + lines("d")},
		"1: 50,66 a", "1: 50,86 b", "1: 50,120 c", "1: 50,140 d")
}

// What pages of a browser have between their tables.
func TestAnEmptyParagraphWithAHiddenMarkShowsNoLine(t *testing.T) {
	t.Parallel()
	const hidden = `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr></w:p>`
	table := func(text string) string { return borderedTable("", `<w:tc>`+hidden+lines(text)+`</w:tc>`) }
	wantPlaces(t, rendertest.Docx{Body: table("a") + hidden + table("b") + hidden + lines("c")}, "1: 50,66 a", "1: 50,86 b", "1: 50,106 c")
	// The last paragraph of a cell stands for the cell.
	wantPlaces(t, rendertest.Docx{Body: borderedTable("", `<w:tc>`+hidden+`</w:tc>`) + lines("c")}, "1: 50,86 c")
}

// A cell ends with a paragraph, which Word shows only where it holds something (ECMA-376
// part 1, 17.4.65).
func TestTheEmptyParagraphBehindATableInACellTakesNoRoom(t *testing.T) {
	t.Parallel()
	inner := borderedTable("", cell("", "n"))
	for name, c := range map[string]struct {
		content string
		want    []string
	}{
		"an empty one":          {inner + `<w:p/>`, []string{"1: 50,66 n", "1: 50,86 below"}},
		"with spacing":          {inner + paragraphOf(`<w:spacing w:before="400" w:after="400"/>`, ""), []string{"1: 50,66 n", "1: 50,86 below"}},
		"with a bookmark":       {inner + `<w:p><w:bookmarkStart w:id="1" w:name="b"/></w:p>`, []string{"1: 50,66 n", "1: 50,86 below"}},
		"with text":             {inner + lines("t"), []string{"1: 50,66 n", "1: 50,86 t", "1: 50,106 below"}},
		"two of them":           {inner + `<w:p/><w:p/>`, []string{"1: 50,66 n", "1: 50,126 below"}},
		"one above the table":   {`<w:p/>` + inner + `<w:p/>`, []string{"1: 50,86 n", "1: 50,106 below"}},
		"a table that floats":   {strings.Replace(inner, `<w:tblPr>`, `<w:tblPr><w:tblpPr/>`, 1) + `<w:p/>`, []string{"1: 50,66 n", "1: 50,106 below"}},
		"in a table in a table": {borderedTable("", `<w:tc>`+inner+`<w:p/></w:tc>`) + `<w:p/>`, []string{"1: 50,66 n", "1: 50,86 below"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: borderedTable("", `<w:tc>`+c.content+`</w:tc>`) + lines("below")}, c.want...)
		})
	}
}

func TestABookmarkInACollapsedParagraphIsAPlace(t *testing.T) {
	t.Parallel()
	link := `<w:p><w:hyperlink w:anchor="b"><w:r><w:t>to it</w:t></w:r></w:hyperlink></w:p>`
	pdf, _ := laidOut(t, onSquaredPaper(rendertest.Docx{Body: link + borderedTable("", `<w:tc>`+borderedTable("", cell("", "n"))+`<w:p><w:bookmarkStart w:id="1" w:name="b"/></w:p></w:tc>`)}))
	if !strings.Contains(string(pdf), "/Subtype /Link") {
		t.Error("the link leads nowhere")
	}
}

// Half of a border stands in its cell; text without a margin begins beside it, as in LibreOffice.
func TestTextStandsBesideAThickBorder(t *testing.T) {
	t.Parallel()
	right := `<w:p><w:pPr><w:jc w:val="right"/></w:pPr>` + run("", "y") + `</w:p>`
	for name, c := range map[string]struct {
		row  string
		want []string
	}{
		"its own":                     {`<w:tc><w:tcPr><w:tcBorders>` + box("48") + `</w:tcBorders></w:tcPr>` + lines("x") + right + `</w:tc>`, []string{"1: 53,72 x", "1: 141,92 y"}},
		"its neighbour's":             {cell(`<w:tcBorders>`+border("right", "48")+`</w:tcBorders>`, "a") + cell("", "x"), []string{"1: 50,66 a", "1: 153,66 x"}},
		"in a cell with enough room":  {cell(`<w:tcMar><w:left w:w="80" w:type="dxa"/></w:tcMar><w:tcBorders>`+border("left", "48")+`</w:tcBorders>`, "x"), []string{"1: 54,66 x"}},
		"in one with too little room": {cell(`<w:tcMar><w:left w:w="20" w:type="dxa"/></w:tcMar><w:tcBorders>`+border("left", "48")+`</w:tcBorders>`, "x"), []string{"1: 53,66 x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Settings: word2013, Body: borderedTable("", c.row)}, c.want...)
		})
	}
}
