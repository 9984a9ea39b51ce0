package flow

import (
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

func underlined(content string) string {
	return `<w:r><w:rPr><w:u w:val="single"/></w:rPr>` + content + `</w:r>`
}

// firstLine is the top of a page's text.
const firstLine = 72

const twentySpaces = `<w:t xml:space="preserve">                    </w:t>`

// People sign on what is underlined at the end of a line. How far it is drawn
// is what LibreOffice 7.4 makes of the same paragraphs.
func TestUnderlinesReachToTheEndOfTrailingTabsAndSpaces(t *testing.T) {
	t.Parallel()
	const space, wide = 2.78, textRight - textLeft // a space is one of 10 point Arial
	left := `<w:tabs><w:tab w:val="left" w:pos="3000"/></w:tabs>`
	for name, c := range map[string]struct {
		properties, content string
		from, to            float64
	}{
		"a tab":                        {left, underlined(`<w:tab/>`), 0, 150},
		"a tab to the right":           {`<w:tabs><w:tab w:val="right" w:pos="6000"/></w:tabs>`, underlined(`<w:tab/>`), 0, 300},
		"a tab behind text":            {left, `<w:r><w:t>Name</w:t></w:r>` + underlined(`<w:tab/>`), 0, 150},
		"a tab and a bookmark":         {left, underlined(`<w:tab/>`) + `<w:bookmarkStart w:id="0" w:name="here"/>`, 0, 150},
		"spaces":                       {"", underlined(twentySpaces), 0, 20 * space},
		"spaces before a break":        {"", underlined(twentySpaces+`<w:br/>`) + `<w:r><w:t>next</w:t></w:r>`, 0, 20 * space},
		"a tab and spaces":             {left, underlined(`<w:tab/>` + twentySpaces), 0, 150 + 20*space},
		"more spaces than fit":         {`<w:ind w:right="7000"/>`, underlined(twentySpaces + twentySpaces + twentySpaces), 0, wide - 350},
		"a tab of a line at the right": {`<w:jc w:val="right"/>` + left, underlined(`<w:tab/>`), wide - 150, wide},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, _ := paintedDocument(t, rendertest.Docx{Body: `<w:p><w:pPr>` + c.properties + `</w:pPr>` + c.content + `</w:p>`})
			from, to := page.Extent(firstLine, firstLine+arialLine)
			rendertest.Near(t, "the ink begins", from, textLeft+c.from, 1.5)
			rendertest.Near(t, "the ink ends", to, textLeft+c.to, 1.5)
		})
	}
}

func TestUnderlinesOfTrailingTabsAreDrawnInCells(t *testing.T) {
	t.Parallel()
	page, _ := paintedDocument(t, rendertest.Docx{Body: `<w:tbl><w:tblPr><w:tblCellMar><w:left w:w="0" w:type="dxa"/></w:tblCellMar></w:tblPr>` + gridOfThree +
		`<w:tr><w:tc><w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="1600"/></w:tabs></w:pPr>` + underlined(`<w:tab/>`) + `</w:p></w:tc></w:tr></w:tbl>`})
	from, to := page.Extent(firstLine, firstLine+arialLine)
	rendertest.Near(t, "the length of the line", to-from, 80, 1.5)
}

func TestSpacesWithoutAnUnderlineLeaveNoInk(t *testing.T) {
	t.Parallel()
	page, _ := paintedDocument(t, rendertest.Docx{Body: rendertest.Paragraph("", "                    ")})
	if from, to := page.Extent(firstLine, firstLine+2*arialLine); from >= 0 {
		t.Errorf("there is ink from %.1f to %.1f", from, to)
	}
}
