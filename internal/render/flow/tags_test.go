package flow

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

const (
	heading1 = `<w:outlineLvl w:val="0"/>`
	heading2 = `<w:outlineLvl w:val="1"/>`
	heading4 = `<w:outlineLvl w:val="3"/>`
)

func point(level, text string) string {
	return rendertest.Paragraph(`<w:numPr><w:ilvl w:val="`+level+`"/><w:numId w:val="1"/></w:numPr>`, text)
}

// What another reader, poppler, reads of the structure.
func TestADocumentSaysWhatItsPartsAre(t *testing.T) {
	t.Parallel()
	twoLevels := numbering(`</w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%2)"/>`)
	for what, c := range map[string]struct {
		document rendertest.Docx
		want     string
	}{
		"headings and paragraphs": {rendertest.Docx{Body: rendertest.Paragraph(heading1, "A") + rendertest.Paragraph("", "b") + rendertest.Paragraph(heading2, "C")},
			"H1(A) P(b) H2(C)"},
		"levels that are skipped": {rendertest.Docx{Body: rendertest.Paragraph(heading2, "A") + rendertest.Paragraph(heading4, "B") + rendertest.Paragraph(heading4, "C") + rendertest.Paragraph(heading1, "D")},
			"H1(A) H2(B) H2(C) H1(D)"},
		"an empty paragraph": {rendertest.Docx{Body: rendertest.Paragraph("", "a") + rendertest.Paragraph("", "") + rendertest.Paragraph("", "b")},
			"P(a) P(b)"},
		"lines of a paragraph": {rendertest.Docx{Body: brokenParagraph("", "one two") + rendertest.Paragraph("", strings.Repeat("word ", 12))},
			"P(one two) P(" + strings.Repeat("word ", 12) + ")"},
		"a tab": {rendertest.Docx{Body: paragraphOf("", run("", "a")+`<w:r><w:tab/></w:r>`+run("", "b"))},
			"P(a b)"},
		"dots of a tab": {rendertest.Docx{Body: paragraphOf(`<w:tabs><w:tab w:val="left" w:leader="dot" w:pos="2000"/></w:tabs>`, run("", "a")+`<w:r><w:tab/></w:r>`+run("", "b"))},
			"P(a b)"},
		"lists": {rendertest.Docx{Body: point("0", "a") + point("1", "b") + point("1", "c") + point("0", "d") + rendertest.Paragraph("", "e") + point("0", "f"), Parts: twoLevels},
			"L(LI(Lbl(1. ) LBody(P(a) L(LI(Lbl(a) ) LBody(b)) LI(Lbl(b) ) LBody(c))))) LI(Lbl(2. ) LBody(d))) P(e) L(LI(Lbl(3. ) LBody(f)))"},
		"a numbered heading": {rendertest.Docx{Body: rendertest.Paragraph(inList+heading1, "A"), Parts: numbering("")},
			"H1(1. A)"},
		"a table": {rendertest.Docx{Body: tableOf(rowOf(`<w:tblHeader/>`, rendertest.Paragraph("", "A"), rendertest.Paragraph("", "B")), rowOf("", lines("c d"), rendertest.Paragraph("", "")))},
			"Table(TR(TH[Scope Column](A) TH[Scope Column](B)) TR(TD(P(c) P(d)) TD()))"},
		"cells over several columns and rows": {rendertest.Docx{Body: tableOf(`<w:tr>`+mergedCell("restart", "a")+cell("", "b")+`</w:tr>`, `<w:tr>`+mergedCell("continue", "")+cell("", "c")+`</w:tr>`,
			`<w:tr>`+cell(`<w:gridSpan w:val="2"/>`, "d")+`</w:tr>`)},
			"Table(TR(TD[RowSpan 2](a) TD(b)) TR(TD(c)) TR(TD[ColSpan 2](d)))"},
		"a row that begins late": {rendertest.Docx{Body: tableOf(rowOf("", lines("a"), lines("b")), rowOf(`<w:gridBefore w:val="1"/>`, lines("c")))},
			"Table(TR(TD(a) TD(b)) TR(TD() TD(c)))"},
		"a table in a cell": {rendertest.Docx{Body: tableOf(rowOf("", tableOf(rowOf("", lines("a"), lines("b")))+lines("c"), lines("d")))},
			"Table(TR(TD(Table(TR(TD(a) TD(b))) P(c)) TD(d)))"},
		"a header and a footer": {rendertest.Docx{Body: lines("body"), Section: header("default", "header1") + footer("default", "footer1"),
			Parts: map[string]string{"header1.xml": lines("above"), "footer1.xml": lines("below")}},
			"P(body)"},
		"borders and backgrounds": {rendertest.Docx{Body: rendertest.Paragraph(`<w:pBdr>`+border("top", "8")+`</w:pBdr>`+shading("00FF00"), "a")},
			"P(a)"},
		"a link": {rendertest.Docx{Body: paragraphOf("", run("", "a ")+`<w:bookmarkStart w:id="1" w:name="top"/><w:hyperlink w:anchor="top">`+run("", "b")+`</w:hyperlink>`+run("", " c"))},
			"P(a  Link(b Object()) c)"},
		"a text box in front of what it is anchored in": {rendertest.Docx{Body: lines("a") + anchored(wordShape(rendertest.Rectangle, rendertest.Blue, rendertest.Written)) + lines("b")},
			"P(a) Div(P(inside)) P(b)"},
		"one behind the text": {rendertest.Docx{Body: lines("a") + strings.Replace(anchored(wordShape(rendertest.Rectangle, rendertest.Blue, rendertest.Written)), `behindDoc="0"`, `behindDoc="1"`, 1) + lines("b")},
			"P(a) Div(P(inside)) P(b)"},
		"a shape": {rendertest.Docx{Body: lines("a") + anchored(wordShape(rendertest.Rectangle, rendertest.Blue, ""))},
			"P(a)"},
		"one with a description": {rendertest.Docx{Body: lines("a") + strings.Replace(anchored(wordShape(rendertest.Rectangle, rendertest.Blue, "")), `<wp:wrapNone/>`, `<wp:wrapNone/><wp:docPr id="1" name="b" descr="blue"/>`, 1)},
			"P(a) Figure[BBox [100 100 300 200]]()"},
		"a note": {rendertest.Docx{Body: paragraphOf("", run("", "a")+noteReference) + lines("b"), Parts: note(lines("n"))},
			"P(a1) P(b) Note(P(n))"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			pdf, _ := laidOut(t, onSquaredPaper(c.document))
			rendertest.WantStructure(t, pdf, c.want)
		})
	}
}

// A paragraph and a table go on on the next page as what they are; the header row that stands
// there again is read once.
func TestWhatGoesOnOnTheNextPageIsOneElement(t *testing.T) {
	t.Parallel()
	// 10 lines fit on a page.
	words := strings.TrimSpace(strings.Repeat("abcdefghijklmnopqrstuvwxyzabc ", 14))
	pdf, _ := laidOut(t, onSquaredPaper(rendertest.Docx{Body: rendertest.Paragraph("", words)}))
	rendertest.WantStructure(t, pdf, "P("+words+")")

	rows, want := []string{rowOf(`<w:tblHeader/>`, lines("H"), lines("I"))}, "TR(TH[Scope Column](H) TH[Scope Column](I))"
	for range 14 {
		rows, want = append(rows, rowOf("", lines("a"), lines("b"))), want+" TR(TD(a) TD(b))"
	}
	pdf, _ = laidOut(t, onSquaredPaper(rendertest.Docx{Body: tableOf(rows...)}))
	rendertest.WantStructure(t, pdf, "Table("+want+")")
}

// The document has the language of its defaults, a paragraph that of its first text, and what
// is in a third says so in the content.
func TestTextOfAnotherLanguageSaysSo(t *testing.T) {
	t.Parallel()
	in := func(lang string) string { return `<w:lang w:val="` + lang + `"/>` }
	d := rendertest.Docx{Styles: `<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/><w:rPr>` + in("en-GB") + `</w:rPr></w:style>`, Settings: `<w:themeFontLang w:val="en-GB"/>`,
		Body: paragraphOf("", run("", "one")) + paragraphOf("", run(in("de-AT"), "zwei")+run(in("fr-FR"), "trois")) + paragraphOf("", run(in("no language"), "four"))}
	pdf, _ := laidOut(t, d)
	said := rendertest.Tool(t, pdf, "qpdf", "--qdf", "--object-streams=disable", "FILE", "-")
	for _, want := range []string{`/Lang (de-AT)`, "/P <</MCID 0>> BDC", "/P <</MCID 1>> BDC", "/Span <</MCID 2/Lang (fr-FR)>> BDC", "/P <</MCID 3>> BDC"} {
		if !strings.Contains(said, want) {
			t.Errorf("the file lacks %s", want)
		}
	}
	if strings.Contains(said, "(no language)") {
		t.Error("what is no language stands in the file")
	}
}

// Those who do not see a picture read its description, those who do not see a link's colour what
// it says.
func TestDescriptionsAreInTheFile(t *testing.T) {
	t.Parallel()
	d := rendertest.Docx{Body: strings.Replace(anchored(wordShape(rendertest.Rectangle, rendertest.Blue, "")), `<wp:wrapNone/>`, `<wp:wrapNone/><wp:docPr id="1" name="b" descr="A (blue) box"/>`, 1) +
		paragraphOf("", `<w:bookmarkStart w:id="1" w:name="top"/><w:hyperlink w:anchor="top">`+run("", "to the ")+run("", "top")+`</w:hyperlink>`)}
	pdf, _ := laidOut(t, d)
	said := rendertest.Tool(t, pdf, "qpdf", "--qdf", "--object-streams=disable", "FILE", "-")
	for _, want := range []string{`/Alt (A \(blue\) box)`, "/Contents (to the top)", "/StructParent 1", "/Tabs /S", "/Marked true"} {
		if !strings.Contains(said, want) {
			t.Errorf("the file lacks %s", want)
		}
	}
}
