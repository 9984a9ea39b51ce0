package layout

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/drive/office"
)

// The text area of pageSetup, in points.
const (
	textLeft   = 72.0
	textRight  = 595.3 - 72
	textBottom = 841.9 - 72
)

func TestAlignmentPutsTextAtTheMargins(t *testing.T) {
	t.Parallel()
	words, _ := rendered(t, docx{body: paragraph("", "left") + paragraph(`<w:jc w:val="right"/>`, "right") + paragraph(`<w:jc w:val="center"/>`, "middle") +
		paragraph(`<w:jc w:val="both"/>`, strings.Repeat("stretch ", 40)+"end")})
	near(t, "left", find(t, words, "left").left, textLeft, 0.2)
	near(t, "right", find(t, words, "right").right, textRight, 0.2)
	m := find(t, words, "middle")
	near(t, "middle", (m.left+m.right)/2, (textLeft+textRight)/2, 0.2)
	first := find(t, words, "stretch")
	ends := 0.0
	for _, w := range words {
		if w.text == "stretch" && w.top == first.top {
			ends = w.right
		}
	}
	near(t, "end of a justified line", ends, textRight, 0.2)
	if end := find(t, words, "end"); end.right > textRight-20 {
		t.Errorf("last line of a justified paragraph reaches %.1f, want it ragged", end.right)
	}
}

func TestTabsAlignWhatFollowsThem(t *testing.T) {
	t.Parallel()
	line := `<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="2000"/><w:tab w:val="right" w:leader="dot" w:pos="6000"/></w:tabs></w:pPr>` +
		`<w:r><w:t>a</w:t><w:tab/><w:t>left</w:t><w:tab/><w:t>right</w:t></w:r></w:p>`
	words, _ := rendered(t, docx{body: line})
	// The leader fills its room, so that text, dots and text are read as one word.
	for _, w := range words {
		if strings.HasPrefix(w.text, "left....") && strings.HasSuffix(w.text, "....right") {
			near(t, "left tab", w.left, textLeft+100, 0.2)
			near(t, "right tab", w.right, textLeft+300, 0.3)
			return
		}
	}
	t.Errorf("no text from the left tab to the right one: %v", words)
}

func TestParagraphSpacingTakesTheLargerOfNeighbours(t *testing.T) {
	t.Parallel()
	distance := func(settings string) float64 {
		words, _ := rendered(t, docx{settings: settings, body: paragraph(`<w:spacing w:after="200"/>`, "one") + paragraph(`<w:spacing w:before="400"/>`, "two")})
		return find(t, words, "two").top - find(t, words, "one").top
	}
	near(t, "the larger one", distance(""), arialLine+20, 0.1)
	near(t, "both", distance(`<w:compat><w:doNotUseHTMLParagraphAutoSpacing/></w:compat>`), arialLine+30, 0.1)
}

func TestLineSpacingRules(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]float64{`w:line="400" w:lineRule="exact"`: 20, `w:line="600" w:lineRule="atLeast"`: 30, `w:line="480" w:lineRule="auto"`: 23} {
		words, _ := rendered(t, docx{body: `<w:p><w:pPr><w:spacing ` + rule + `/></w:pPr><w:r><w:t>one</w:t><w:br/><w:t>two</w:t></w:r></w:p>`})
		near(t, rule, find(t, words, "two").base-find(t, words, "one").base, want, 0.15)
	}
}

func TestHeadersAndFootersShowLivePageNumbers(t *testing.T) {
	t.Parallel()
	field := func(name string) string {
		return `<w:fldSimple w:instr=" ` + name + ` "><w:r><w:t>99</w:t></w:r></w:fldSimple>`
	}
	words, _ := rendered(t, docx{
		body:    paragraph("", "body1") + paragraph("<w:pageBreakBefore/>", "body2") + paragraph("<w:pageBreakBefore/>", "body3"),
		section: `<w:headerReference w:type="first" r:id="header1"/><w:headerReference w:type="default" r:id="header2"/><w:footerReference w:type="default" r:id="footer1"/><w:titlePg/>`,
		parts: map[string]string{
			"header1.xml": paragraph("", "cover"), "header2.xml": paragraph("", "inside"),
			"footer1.xml": `<w:p><w:r><w:t xml:space="preserve">p</w:t></w:r>` + field("PAGE") + `<w:r><w:t>of</w:t></w:r>` + field("NUMPAGES") + `</w:p>`,
		},
	})
	if w := find(t, words, "cover"); w.page != 1 {
		t.Errorf("first header on page %d, want 1", w.page)
	}
	for page, want := range map[int]string{2: "p2of3", 3: "p3of3"} {
		if w := find(t, words, want); w.page != page || w.top < textBottom {
			t.Errorf("footer %q on page %d at %.1f, want page %d below the text", want, w.page, w.top, page)
		}
	}
	if w := find(t, words, "inside"); w.page != 2 {
		t.Errorf("default header first on page %d, want 2", w.page)
	}
}

func TestAHighHeaderPushesTheBodyDown(t *testing.T) {
	t.Parallel()
	words, _ := rendered(t, docx{body: paragraph("", "body"), section: `<w:headerReference w:type="default" r:id="header1"/>`,
		parts: map[string]string{"header1.xml": strings.Repeat(paragraph("", "head"), 6) + paragraph("", "lowest")}})
	near(t, "body below the header's last line", find(t, words, "body").top-find(t, words, "lowest").top, arialLine, 0.2)
}

func TestKeepWithNextMovesAHeadingToItsText(t *testing.T) {
	t.Parallel()
	fill := strings.Repeat(paragraph(`<w:spacing w:line="400" w:lineRule="exact"/>`, "fill"), 34) // of 697.9 points
	words, _ := rendered(t, docx{body: fill + paragraph("<w:keepNext/>", "heading") + paragraph("", strings.Repeat("text ", 60))})
	if h, x := find(t, words, "heading"), find(t, words, "text"); h.page != 2 || x.page != 2 {
		t.Errorf("heading on page %d, its text on %d, want both on 2", h.page, x.page)
	}
}

func TestWidowControlKeepsTwoLinesTogether(t *testing.T) {
	t.Parallel()
	exact := `<w:spacing w:line="400" w:lineRule="exact"/>`
	fill := strings.Repeat(paragraph(exact, "fill"), 32) // two lines are left on the page
	three := `<w:p><w:pPr>` + exact + `%s</w:pPr><w:r><w:t>one</w:t><w:br/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r></w:p>`
	for control, want := range map[string]int{"": 2, `<w:widowControl w:val="0"/>`: 1} {
		words, _ := rendered(t, docx{body: fill + fmt.Sprintf(three, control)})
		if w := find(t, words, "one"); w.page != want {
			t.Errorf("with %q the first line is on page %d, want %d", control, w.page, want)
		}
	}
}

func TestBreaksInTextBeginPagesAndColumns(t *testing.T) {
	t.Parallel()
	words, _ := rendered(t, docx{section: `<w:cols w:num="2" w:space="720"/>`,
		body: `<w:p><w:r><w:t>one</w:t><w:br w:type="column"/><w:t>two</w:t></w:r></w:p><w:p><w:r><w:br w:type="page"/><w:t>three</w:t></w:r></w:p>`})
	if w := find(t, words, "two"); w.page != 1 || w.left < 300 {
		t.Errorf("behind a column break: page %d at %.1f, want page 1 in the right column", w.page, w.left)
	}
	if w := find(t, words, "three"); w.page != 2 || w.left > 100 {
		t.Errorf("behind a page break: page %d at %.1f, want page 2 in the left column", w.page, w.left)
	}
}

func TestFootnotesStandAtTheFootOfTheirPage(t *testing.T) {
	t.Parallel()
	words, _ := rendered(t, docx{body: `<w:p><w:r><w:t>text</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`,
		parts: map[string]string{"footnotes.xml": `<w:footnote w:id="2">` + paragraph("", "explained") + `</w:footnote>`}})
	near(t, "footnote's end", find(t, words, "explained").base, textBottom, 2)
}

func TestFindingsNameTheCharactersThatCannotBeShown(t *testing.T) {
	t.Parallel()
	_, findings := rendered(t, docx{body: paragraph("", "مرحبا 漢字漢👍\uFE0F plain")})
	want := []Finding{
		{FindingShaping, "Arabic text is drawn letter by letter, without joining and reordering: م (U+0645), ر (U+0631), ح (U+062D), ب (U+0628), ا (U+0627)"},
		{FindingGlyph, "no font here has these characters, so that an empty box stands for each: 漢 (U+6F22), 字 (U+5B57), 👍 (U+1F44D)"},
	}
	if !slices.Equal(findings, want) {
		t.Errorf("got findings\n%+v, want\n%+v", findings, want)
	}
}

func TestAFindingNamesAFewCharactersOnly(t *testing.T) {
	t.Parallel()
	_, findings := rendered(t, docx{body: paragraph("", "一二三四五六")})
	if len(findings) != 1 || !strings.HasSuffix(findings[0].Message, "五 (U+4E94) and others") {
		t.Errorf("got %+v, want one that ends with the fifth character and others", findings)
	}
}

func TestLinksBookmarksAndHeadingsAreInTheFile(t *testing.T) {
	t.Parallel()
	d := docx{styles: `<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>`,
		body: `<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:bookmarkStart w:id="1" w:name="top"/><w:r><w:t>Chapter</w:t></w:r></w:p>` +
			`<w:p><w:hyperlink w:anchor="top"><w:r><w:t>up</w:t></w:r></w:hyperlink><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "https://example.com/a"</w:instrText>` +
			`<w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>out</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>` +
			`<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "javascript:alert(1)"</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>bad</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>`}
	model, err := office.ReadDocument(d.bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	pdf, _, err := Document(Fonts(), model, "links")
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
	data := sampleDocument(t)
	var made [2][]byte
	for i := range made {
		model, err := office.ReadDocument(data)
		if err != nil {
			t.Fatal(err)
		}
		if made[i], _, err = Document(Fonts(), model, "same"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("two runs gave different bytes")
	}
}

func TestWhatFitsNowhereStillEnds(t *testing.T) {
	t.Parallel()
	tall := `<w:tr><w:trPr><w:trHeight w:val="30000" w:hRule="exact"/><w:tblHeader/></w:trPr><w:tc>` + paragraph("", "tall") + `</w:tc></w:tr>`
	bodies := map[string]string{
		"row higher than a page":   `<w:tbl><w:tblGrid><w:gridCol w:w="100"/></w:tblGrid>` + tall + tall + `</w:tbl>` + paragraph("", "end"),
		"indent beyond the column": paragraph(`<w:ind w:left="20000" w:right="20000"/>`, "a long word here") + paragraph("", "end"),
		"line higher than a page":  paragraph(`<w:spacing w:line="30000" w:lineRule="exact"/>`, "high") + paragraph("", "end"),
		"everything kept together": strings.Repeat(paragraph("<w:keepNext/><w:keepLines/>", strings.Repeat("kept ", 300)), 20) + paragraph("", "end"),
	}
	for name, body := range bodies {
		words, _ := rendered(t, docx{body: body})
		if w := find(t, words, "end"); w.page > 40 {
			t.Errorf("%s: ends on page %d", name, w.page)
		}
	}
}
