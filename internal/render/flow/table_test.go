package flow

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

func cell(properties, text string) string {
	return `<w:tc><w:tcPr>` + properties + `</w:tcPr>` + rendertest.Paragraph("", text) + `</w:tc>`
}

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
