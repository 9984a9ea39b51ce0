package flow

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestStretchedLettersStayOneWord(t *testing.T) {
	t.Parallel()
	run := func(props string) rendertest.Word {
		words, _ := rendered(t, rendertest.Docx{Body: `<w:p><w:r><w:rPr>` + props + `</w:rPr><w:t>stretched</w:t></w:r><w:r><w:t xml:space="preserve"> after</w:t></w:r></w:p>`})
		rendertest.Find(t, words, "after")
		return rendertest.Find(t, words, "stretched")
	}
	plain, wide, narrow := run(""), run(`<w:w w:val="150"/>`), run(`<w:w w:val="66"/>`)
	rendertest.Near(t, "width at 150 %", wide.Right-wide.Left, (plain.Right-plain.Left)*1.5, 0.3)
	rendertest.Near(t, "width at 66 %", narrow.Right-narrow.Left, (plain.Right-plain.Left)*0.66, 0.3)
}

func TestEastAsianTextStandsApartFromLatin(t *testing.T) {
	t.Parallel()
	read := func(props string) string {
		words, _ := rendered(t, rendertest.Docx{Body: rendertest.Paragraph(props, "第10位 ID，")})
		var all []string
		for _, w := range words {
			all = append(all, w.Text)
		}
		return strings.Join(all, "|")
	}
	if got, want := read(""), "第|10|位|ID，"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := read(`<w:autoSpaceDE w:val="0"/>`), "第10位|ID，"; got != want {
		t.Errorf("without automatic space got %s, want %s", got, want)
	}
}

func TestLinesEndWhereOfficeSuitesEndThem(t *testing.T) {
	t.Parallel()
	breaks := func(text string) string {
		var glyphs []glyph
		for _, r := range text {
			glyphs = append(glyphs, glyph{r: r})
		}
		var b strings.Builder
		for i := range glyphs {
			b.WriteRune(glyphs[i].r)
			if i+1 < len(glyphs) && canBreak(glyphs, i) {
				b.WriteByte('|')
			}
		}
		return b.String()
	}
	for text, want := range map[string]string{
		"http://a.b/c-d":   "http://a.b/c-|d",
		"either/or this":   "either/or |this",
		"1-800-427":        "1-|800-|427",
		"minus -5 a-5":     "minus |-5 |a-5",
		"+++a $5 ++":       "+|+|+a |$5 |+|+",
		"中国，（名）牌 x":        "中|国，|（名）|牌 |x",
		"well-known, good": "well-|known, |good",
	} {
		if got := breaks(text); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestASectionOnAnOddPageLeavesNoEmptySheet(t *testing.T) {
	t.Parallel()
	section := `<w:p><w:pPr><w:sectPr><w:pgSz w:w="12240" w:h="15840"/></w:sectPr></w:pPr></w:p>`
	page := `<w:p><w:r><w:t>page</w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>0</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>`
	words, _ := rendered(t, rendertest.Docx{Body: rendertest.Paragraph("", "first") + section + page, Section: `<w:type w:val="oddPage"/>`})
	if w := rendertest.Find(t, words, "page3"); w.Page != 2 {
		t.Errorf("the third page's text is on page %d of the PDF, want 2", w.Page)
	}
}

func TestAPageNumberInAFrameStandsAtItsSideOfTheFooter(t *testing.T) {
	t.Parallel()
	frame := func(align string) string {
		return `<w:framePr w:wrap="around" w:vAnchor="text" w:hAnchor="margin" w:xAlign="` + align + `" w:y="1"/>`
	}
	for align, want := range map[string]float64{"right": textRight, "center": (textLeft + textRight) / 2} {
		words, _ := rendered(t, rendertest.Docx{Body: rendertest.Paragraph("", "body"), Section: `<w:footerReference w:type="default" r:id="footer1"/>`,
			Parts: map[string]string{"footer1.xml": rendertest.Paragraph(frame(align), "number") + rendertest.Paragraph("", "beside")}})
		number, beside := rendertest.Find(t, words, "number"), rendertest.Find(t, words, "beside")
		at := number.Right
		if align == "center" {
			at = (number.Left + number.Right) / 2
		}
		rendertest.Near(t, align, at, want, 0.3)
		rendertest.Near(t, "what stands beside it", beside.Left, textLeft, 0.3)
		rendertest.Near(t, "its line", beside.Base, number.Base, 0.3)
	}
}

func TestWordArtIsReadAsText(t *testing.T) {
	t.Parallel()
	shape := `<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" style="width:300pt;height:40pt" fillcolor="#c00000"><v:textpath style="font-family:&quot;Arial&quot;" string="REGATTA"/></v:shape></w:pict></w:r></w:p>`
	words, findings := rendered(t, rendertest.Docx{Body: shape})
	w := rendertest.Find(t, words, "REGATTA")
	rendertest.Near(t, "the left edge", w.Left, textLeft, 1)
	rendertest.Near(t, "the right edge", w.Right, textLeft+300, 1)
	if len(findings) != 1 || findings[0].Code != render.FindingDrawing {
		t.Errorf("findings: %v", findings)
	}
	rendered(t, rendertest.Docx{Body: strings.Replace(shape, "REGATTA", "", 1)})
}
