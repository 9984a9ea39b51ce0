package slide

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// What another reader, poppler, reads of the structure: the title first, then from above to
// below and from left to right, whatever lies over what.
func TestASlideIsReadByThePlacesOfItsShapes(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return `<a:p><a:r><a:t>` + s + `</a:t></a:r></a:p>` }
	point := func(level, s string) string {
		return `<a:p><a:pPr lvl="` + level + `"><a:buChar char="-"/></a:pPr><a:r><a:t>` + s + `</a:t></a:r></a:p>`
	}
	title := strings.Replace(rendertest.Box(10, 300, 300, 40, "rect", text("Title")), `<p:nvPr/>`, `<p:nvPr><p:ph type="title"/></p:nvPr>`, 1)
	table := `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="T"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="127000" y="2540000"/><a:ext cx="2540000" cy="254000"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblPr firstRow="1"/><a:tblGrid><a:gridCol w="1270000"/><a:gridCol w="1270000"/></a:tblGrid>` +
		`<a:tr h="127000"><a:tc><a:txBody><a:bodyPr/>` + text("H") + `</a:txBody></a:tc><a:tc><a:txBody><a:bodyPr/>` + text("I") + `</a:txBody></a:tc></a:tr>` +
		`<a:tr h="127000"><a:tc gridSpan="2"><a:txBody><a:bodyPr/>` + text("a") + `</a:txBody></a:tc><a:tc hMerge="1"><a:txBody><a:bodyPr/><a:p/></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
	p := rendertest.PresentationWith(t, func(*opc.Package, string) string {
		return table + rendertest.Box(200, 120, 100, 20, "rect", text("right")) + rendertest.Box(10, 120, 100, 60, "rect", point("0", "left")+point("1", "deep")+text("plain")) +
			rendertest.Box(10, 20, 200, 50, "rect", `<a:p><a:r><a:t>one</a:t></a:r><a:br/><a:r><a:t>two</a:t></a:r></a:p>`) + rendertest.Box(10, 260, 10, 10, "rect", "<a:p/>") + title
	})
	file, _, err := Presentation(pdf.EmbeddedFonts(), p, "test")
	if err != nil {
		t.Fatal(err)
	}
	rendertest.WantStructure(t, file, "Sect(Div(H1(Title)) Div(P(one two)) Div(L(LI(Lbl(-) LBody(P(left) L(LI(Lbl(-) LBody(deep)))))) P(plain)) Div(P(right)) "+
		"Table(TR(TH[Scope Column](H) TH[Scope Column](I)) TR(TD[ColSpan 2](a))))")
}

// A file may call anything a language: what is none stands nowhere in the PDF, and all text
// does.
func TestWhatIsNoLanguageIsLeftOutOfASlide(t *testing.T) {
	t.Parallel()
	in := func(lang, text string) string {
		return `<a:r><a:rPr lang="` + lang + `"/><a:t>` + text + `</a:t></a:r>`
	}
	pdf, _ := slide(t, rendertest.Box(10, 20, 300, 50, "rect", `<a:p>`+in("de-AT", "eins ")+in("en) Tj (x", "two ")+in("fr", "trois")+`</a:p>`))
	said := rendertest.Tool(t, pdf, "qpdf", "--qdf", "--object-streams=disable", "FILE", "-")
	if !strings.Contains(said, "/Lang (fr)") { // the language of the file is German
		t.Error("the file lacks /Lang (fr)")
	}
	if strings.Contains(said, "Tj (x") {
		t.Error("what is no language stands in the file")
	}
	if text := rendertest.Tool(t, pdf, "pdftotext", "FILE", "-"); !strings.Contains(text, "eins two trois") {
		t.Errorf("another reader reads %q", text)
	}
}
