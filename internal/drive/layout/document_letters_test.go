package layout

import (
	"strings"
	"testing"
)

func TestStretchedLettersStayOneWord(t *testing.T) {
	t.Parallel()
	run := func(props string) word {
		words, _ := rendered(t, docx{body: `<w:p><w:r><w:rPr>` + props + `</w:rPr><w:t>stretched</w:t></w:r><w:r><w:t xml:space="preserve"> after</w:t></w:r></w:p>`})
		find(t, words, "after")
		return find(t, words, "stretched")
	}
	plain, wide, narrow := run(""), run(`<w:w w:val="150"/>`), run(`<w:w w:val="66"/>`)
	near(t, "width at 150 %", wide.right-wide.left, (plain.right-plain.left)*1.5, 0.3)
	near(t, "width at 66 %", narrow.right-narrow.left, (plain.right-plain.left)*0.66, 0.3)
}

func TestEastAsianTextStandsApartFromLatin(t *testing.T) {
	t.Parallel()
	read := func(props string) string {
		words, _ := rendered(t, docx{body: paragraph(props, "第10位 ID，")})
		var all []string
		for _, w := range words {
			all = append(all, w.text)
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
	words, _ := rendered(t, docx{body: paragraph("", "first") + section + page, section: `<w:type w:val="oddPage"/>`})
	if w := find(t, words, "page3"); w.page != 2 {
		t.Errorf("the third page's text is on page %d of the PDF, want 2", w.page)
	}
}

func TestAPageNumberInAFrameStandsAtItsSideOfTheFooter(t *testing.T) {
	t.Parallel()
	frame := func(align string) string {
		return `<w:framePr w:wrap="around" w:vAnchor="text" w:hAnchor="margin" w:xAlign="` + align + `" w:y="1"/>`
	}
	for align, want := range map[string]float64{"right": textRight, "center": (textLeft + textRight) / 2} {
		words, _ := rendered(t, docx{body: paragraph("", "body"), section: `<w:footerReference w:type="default" r:id="footer1"/>`,
			parts: map[string]string{"footer1.xml": paragraph(frame(align), "number") + paragraph("", "beside")}})
		number, beside := find(t, words, "number"), find(t, words, "beside")
		at := number.right
		if align == "center" {
			at = (number.left + number.right) / 2
		}
		near(t, align, at, want, 0.3)
		near(t, "what stands beside it", beside.left, textLeft, 0.3)
		near(t, "its line", beside.base, number.base, 0.3)
	}
}

func TestWordArtIsReadAsText(t *testing.T) {
	t.Parallel()
	shape := `<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" style="width:300pt;height:40pt" fillcolor="#c00000"><v:textpath style="font-family:&quot;Arial&quot;" string="REGATTA"/></v:shape></w:pict></w:r></w:p>`
	words, findings := rendered(t, docx{body: shape})
	w := find(t, words, "REGATTA")
	near(t, "the left edge", w.left, textLeft, 1)
	near(t, "the right edge", w.right, textLeft+300, 1)
	if len(findings) != 1 || findings[0].Code != FindingDrawing {
		t.Errorf("findings: %v", findings)
	}
	rendered(t, docx{body: strings.Replace(shape, "REGATTA", "", 1)})
}
