package flow

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// The text area of pageSetup, in points.
const (
	textLeft   = 72.0
	textRight  = 595.3 - 72
	textBottom = 841.9 - 72
)

func TestAlignmentPutsTextAtTheMargins(t *testing.T) {
	t.Parallel()
	words, _ := rendered(t, rendertest.Docx{Body: rendertest.Paragraph("", "left") + rendertest.Paragraph(`<w:jc w:val="right"/>`, "right") + rendertest.Paragraph(`<w:jc w:val="center"/>`, "middle") +
		rendertest.Paragraph(`<w:jc w:val="both"/>`, strings.Repeat("stretch ", 40)+"end")})
	rendertest.Near(t, "left", rendertest.Find(t, words, "left").Left, textLeft, 0.2)
	rendertest.Near(t, "right", rendertest.Find(t, words, "right").Right, textRight, 0.2)
	m := rendertest.Find(t, words, "middle")
	rendertest.Near(t, "middle", (m.Left+m.Right)/2, (textLeft+textRight)/2, 0.2)
	first := rendertest.Find(t, words, "stretch")
	ends := 0.0
	for _, w := range words {
		if w.Text == "stretch" && w.Top == first.Top {
			ends = w.Right
		}
	}
	rendertest.Near(t, "end of a justified line", ends, textRight, 0.2)
	if end := rendertest.Find(t, words, "end"); end.Right > textRight-20 {
		t.Errorf("last line of a justified paragraph reaches %.1f, want it ragged", end.Right)
	}
}

func TestTabsAlignWhatFollowsThem(t *testing.T) {
	t.Parallel()
	line := `<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="2000"/><w:tab w:val="right" w:leader="dot" w:pos="6000"/></w:tabs></w:pPr>` +
		`<w:r><w:t>a</w:t><w:tab/><w:t>left</w:t><w:tab/><w:t>right</w:t></w:r></w:p>`
	words, _ := rendered(t, rendertest.Docx{Body: line})
	rendertest.Near(t, "left tab", rendertest.Find(t, words, "left").Left, textLeft+100, 0.2)
	// The leader fills its room, so that dots and text are read as one word.
	for _, w := range words {
		if strings.HasPrefix(w.Text, "....") && strings.HasSuffix(w.Text, "....right") {
			rendertest.Near(t, "right tab", w.Right, textLeft+300, 0.3)
			return
		}
	}
	t.Errorf("no text from the left tab to the right one: %v", words)
}

func TestParagraphSpacingTakesTheLargerOfNeighbours(t *testing.T) {
	t.Parallel()
	distance := func(settings string) float64 {
		words, _ := rendered(t, rendertest.Docx{Settings: settings, Body: rendertest.Paragraph(`<w:spacing w:after="200"/>`, "one") + rendertest.Paragraph(`<w:spacing w:before="400"/>`, "two")})
		return rendertest.Find(t, words, "two").Top - rendertest.Find(t, words, "one").Top
	}
	rendertest.Near(t, "the larger one", distance(""), arialLine+20, 0.1)
	rendertest.Near(t, "both", distance(`<w:compat><w:doNotUseHTMLParagraphAutoSpacing/></w:compat>`), arialLine+30, 0.1)
}

func TestLineSpacingRules(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]float64{`w:line="400" w:lineRule="exact"`: 20, `w:line="600" w:lineRule="atLeast"`: 30, `w:line="480" w:lineRule="auto"`: 23} {
		words, _ := rendered(t, rendertest.Docx{Body: `<w:p><w:pPr><w:spacing ` + rule + `/></w:pPr><w:r><w:t>one</w:t><w:br/><w:t>two</w:t></w:r></w:p>`})
		rendertest.Near(t, rule, rendertest.Find(t, words, "two").Base-rendertest.Find(t, words, "one").Base, want, 0.15)
	}
}

func TestHeadersAndFootersShowLivePageNumbers(t *testing.T) {
	t.Parallel()
	field := func(name string) string {
		return `<w:fldSimple w:instr=" ` + name + ` "><w:r><w:t>99</w:t></w:r></w:fldSimple>`
	}
	words, _ := rendered(t, rendertest.Docx{
		Body:    rendertest.Paragraph("", "body1") + rendertest.Paragraph("<w:pageBreakBefore/>", "body2") + rendertest.Paragraph("<w:pageBreakBefore/>", "body3"),
		Section: `<w:headerReference w:type="first" r:id="header1"/><w:headerReference w:type="default" r:id="header2"/><w:footerReference w:type="default" r:id="footer1"/><w:titlePg/>`,
		Parts: map[string]string{
			"header1.xml": rendertest.Paragraph("", "cover"), "header2.xml": rendertest.Paragraph("", "inside"),
			"footer1.xml": `<w:p><w:r><w:t xml:space="preserve">p</w:t></w:r>` + field("PAGE") + `<w:r><w:t>of</w:t></w:r>` + field("NUMPAGES") + `</w:p>`,
		},
	})
	if w := rendertest.Find(t, words, "cover"); w.Page != 1 {
		t.Errorf("first header on page %d, want 1", w.Page)
	}
	for page, want := range map[int]string{2: "p2of3", 3: "p3of3"} {
		if w := rendertest.Find(t, words, want); w.Page != page || w.Top < textBottom {
			t.Errorf("footer %q on page %d at %.1f, want page %d below the text", want, w.Page, w.Top, page)
		}
	}
	if w := rendertest.Find(t, words, "inside"); w.Page != 2 {
		t.Errorf("default header first on page %d, want 2", w.Page)
	}
}

func TestAHighHeaderPushesTheBodyDown(t *testing.T) {
	t.Parallel()
	words, _ := rendered(t, rendertest.Docx{Body: rendertest.Paragraph("", "body"), Section: `<w:headerReference w:type="default" r:id="header1"/>`,
		Parts: map[string]string{"header1.xml": strings.Repeat(rendertest.Paragraph("", "head"), 6) + rendertest.Paragraph("", "lowest")}})
	rendertest.Near(t, "body below the header's last line", rendertest.Find(t, words, "body").Top-rendertest.Find(t, words, "lowest").Top, arialLine, 0.2)
}

func TestKeepWithNextMovesAHeadingToItsText(t *testing.T) {
	t.Parallel()
	fill := strings.Repeat(rendertest.Paragraph(`<w:spacing w:line="400" w:lineRule="exact"/>`, "fill"), 34) // of 697.9 points
	words, _ := rendered(t, rendertest.Docx{Body: fill + rendertest.Paragraph("<w:keepNext/>", "heading") + rendertest.Paragraph("", strings.Repeat("text ", 60))})
	if h, x := rendertest.Find(t, words, "heading"), rendertest.Find(t, words, "text"); h.Page != 2 || x.Page != 2 {
		t.Errorf("heading on page %d, its text on %d, want both on 2", h.Page, x.Page)
	}
}

func TestWidowControlKeepsTwoLinesTogether(t *testing.T) {
	t.Parallel()
	exact := `<w:spacing w:line="400" w:lineRule="exact"/>`
	fill := strings.Repeat(rendertest.Paragraph(exact, "fill"), 32) // two lines are left on the page
	three := `<w:p><w:pPr>` + exact + `%s</w:pPr><w:r><w:t>one</w:t><w:br/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r></w:p>`
	for control, want := range map[string]int{"": 2, `<w:widowControl w:val="0"/>`: 1} {
		words, _ := rendered(t, rendertest.Docx{Body: fill + fmt.Sprintf(three, control)})
		if w := rendertest.Find(t, words, "one"); w.Page != want {
			t.Errorf("with %q the first line is on page %d, want %d", control, w.Page, want)
		}
	}
}

func TestBreaksInTextBeginPagesAndColumns(t *testing.T) {
	t.Parallel()
	words, _ := rendered(t, rendertest.Docx{Section: `<w:cols w:num="2" w:space="720"/>`,
		Body: `<w:p><w:r><w:t>one</w:t><w:br w:type="column"/><w:t>two</w:t></w:r></w:p><w:p><w:r><w:br w:type="page"/><w:t>three</w:t></w:r></w:p>`})
	if w := rendertest.Find(t, words, "two"); w.Page != 1 || w.Left < 300 {
		t.Errorf("behind a column break: page %d at %.1f, want page 1 in the right column", w.Page, w.Left)
	}
	if w := rendertest.Find(t, words, "three"); w.Page != 2 || w.Left > 100 {
		t.Errorf("behind a page break: page %d at %.1f, want page 2 in the left column", w.Page, w.Left)
	}
}

func TestFootnotesStandAtTheFootOfTheirPage(t *testing.T) {
	t.Parallel()
	words, _ := rendered(t, rendertest.Docx{Body: `<w:p><w:r><w:t>text</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`,
		Parts: map[string]string{"footnotes.xml": `<w:footnote w:id="2">` + rendertest.Paragraph("", "explained") + `</w:footnote>`}})
	rendertest.Near(t, "footnote's end", rendertest.Find(t, words, "explained").Base, textBottom, 2)
}

func TestFindingsNameTheCharactersThatCannotBeShown(t *testing.T) {
	t.Parallel()
	_, findings := rendered(t, rendertest.Docx{Body: rendertest.Paragraph("", "مرحبا 漢字👍\uFE0F 𪜀𪜁𪜀𒀀 plain")})
	want := []render.Finding{
		{Code: render.FindingGlyph, Message: "no font here has these characters, so that an empty box stands for each: 𪜀 (U+2A700), 𪜁 (U+2A701), 𒀀 (U+12000)"},
	}
	if !slices.Equal(findings, want) {
		t.Errorf("got findings\n%+v, want\n%+v", findings, want)
	}
}

func TestAFindingNamesAFewCharactersOnly(t *testing.T) {
	t.Parallel()
	_, findings := rendered(t, rendertest.Docx{Body: rendertest.Paragraph("", "𪜀𪜁𪜂𪜃𪜄𪜅")})
	if len(findings) != 1 || !strings.HasSuffix(findings[0].Message, "𪜄 (U+2A704) and others") {
		t.Errorf("got %+v, want one that ends with the fifth character and others", findings)
	}
}

func TestLinksBookmarksAndHeadingsAreInTheFile(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Styles: `<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>`,
		Body: `<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:bookmarkStart w:id="1" w:name="top"/><w:r><w:t>Chapter</w:t></w:r></w:p>` +
			`<w:p><w:hyperlink w:anchor="top"><w:r><w:t>up</w:t></w:r></w:hyperlink><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "https://example.com/a"</w:instrText>` +
			`<w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>out</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>` +
			`<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "javascript:alert(1)"</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>bad</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>`}
	model, err := wml.ReadDocument(d.Bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	pdf, _, err := Document(pdf.EmbeddedFonts(), model, "links")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"https://example.com/a", "/Outlines", "/Dest"} {
		if !bytes.Contains(pdf, []byte(want)) {
			t.Errorf("the PDF lacks %s", want)
		}
	}
	if bytes.Contains(pdf, []byte("javascript")) {
		t.Error("a script address became a link")
	}
}

func TestTheSameDocumentGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	data := rendertest.SampleDocument(t)
	var made [2][]byte
	for i := range made {
		model, err := wml.ReadDocument(data)
		if err != nil {
			t.Fatal(err)
		}
		if made[i], _, err = Document(pdf.EmbeddedFonts(), model, "same"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("two runs gave different bytes")
	}
}

func TestWhatFitsNowhereStillEnds(t *testing.T) {
	t.Parallel()
	tall := `<w:tr><w:trPr><w:trHeight w:val="30000" w:hRule="exact"/><w:tblHeader/></w:trPr><w:tc>` + rendertest.Paragraph("", "tall") + `</w:tc></w:tr>`
	bodies := map[string]string{
		"row higher than a page":   `<w:tbl><w:tblGrid><w:gridCol w:w="100"/></w:tblGrid>` + tall + tall + `</w:tbl>` + rendertest.Paragraph("", "end"),
		"indent beyond the column": rendertest.Paragraph(`<w:ind w:left="20000" w:right="20000"/>`, "a long word here") + rendertest.Paragraph("", "end"),
		"line higher than a page":  rendertest.Paragraph(`<w:spacing w:line="30000" w:lineRule="exact"/>`, "high") + rendertest.Paragraph("", "end"),
		"everything kept together": strings.Repeat(rendertest.Paragraph("<w:keepNext/><w:keepLines/>", strings.Repeat("kept ", 300)), 20) + rendertest.Paragraph("", "end"),
	}
	for name, body := range bodies {
		words, _ := rendered(t, rendertest.Docx{Body: body})
		if w := rendertest.Find(t, words, "end"); w.Page > 40 {
			t.Errorf("%s: ends on page %d", name, w.Page)
		}
	}
}
