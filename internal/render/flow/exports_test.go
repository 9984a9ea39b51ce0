package flow

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

// What other programs export is read as Word reads it.

func TestAFrameInTheDefaultsPutsNothingIntoAFrame(t *testing.T) {
	t.Parallel()
	body := ""
	for i := range 120 {
		body += rendertest.Paragraph("", fmt.Sprintf("line%d", i))
	}
	// As Apple Pages writes it.
	words, _ := rendered(t, rendertest.Docx{Body: body, Defaults: `<w:pPrDefault><w:pPr><w:framePr w:anchorLock="0" w:w="0" w:h="0" w:vSpace="0" w:hSpace="0" w:xAlign="left" w:y="0" w:hRule="exact" w:vAnchor="margin"/></w:pPr></w:pPrDefault>`})
	if first, last := rendertest.Find(t, words, "line0"), rendertest.Find(t, words, "line119"); first.Page != 1 || last.Page != 2 || last.Base > textBottom+1 {
		t.Errorf("the text goes from page %d to %.1f on page %d, want it on 2 pages", first.Page, last.Base, last.Page)
	}
}

func TestAFrameTallerThanThePageLosesNoText(t *testing.T) {
	t.Parallel()
	body := ""
	for i := range 120 {
		body += rendertest.Paragraph(`<w:framePr w:w="4000" w:wrap="around" w:vAnchor="text" w:hAnchor="margin" w:y="1"/>`, fmt.Sprintf("line%d", i))
	}
	words, _ := rendered(t, rendertest.Docx{Body: body + rendertest.Paragraph("", "behind")})
	for i := range 120 {
		if w := rendertest.Find(t, words, fmt.Sprintf("line%d", i)); w.Base > textBottom+1 {
			t.Fatalf("%s ends at %.1f, below the text area of its page", w.Text, w.Base)
		}
	}
	rendertest.Find(t, words, "behind")
}

func TestAFrameStaysOnThePage(t *testing.T) {
	t.Parallel()
	frame := strings.Repeat(rendertest.Paragraph(`<w:framePr w:w="4000" w:wrap="around" w:vAnchor="text" w:hAnchor="margin" w:y="1"/>`, "framed"), 30)
	words, _ := rendered(t, rendertest.Docx{Body: strings.Repeat(rendertest.Paragraph("", "above"), 55) + frame})
	count := 0
	for _, w := range words {
		if w.Text == "framed" && w.Base <= 841.9+1 {
			count++
		}
	}
	if count != 30 {
		t.Errorf("%d lines of the frame are on a page, want 30", count)
	}
}

func TestStylesOfATemplateThatIsNotThereHaveTheSpacingOfAnEmptyDocument(t *testing.T) {
	t.Parallel()
	body := rendertest.Paragraph("", "a") + rendertest.Paragraph("", "b") + rendertest.Paragraph(`<w:spacing w:after="0"/>`, "c") + rendertest.Paragraph("", "d")
	for defaults, want := range map[string][2]float64{
		"": {10 + 1.15*11.5, 1.15 * 11.5},
		`<w:pPrDefault><w:pPr><w:spacing w:after="40" w:line="240"/></w:pPr></w:pPrDefault>`: {2 + 11.5, 11.5},
	} {
		words, _ := rendered(t, rendertest.Docx{Body: body, Defaults: defaults, Settings: `<w:linkStyles/>`})
		at := func(text string) float64 { return rendertest.Find(t, words, text).Base }
		if spaced, close := at("b")-at("a"), at("d")-at("c"); math.Abs(spaced-want[0]) > 0.1 || math.Abs(close-want[1]) > 0.1 {
			t.Errorf("%s: lines are %.2f and %.2f apart, want %.2f, as by the defaults, and %.2f", defaults, spaced, close, want[0], want[1])
		}
	}
}

func TestAStyleWithoutAnIDIsNobodysBase(t *testing.T) {
	t.Parallel()
	// As reports of SQL Server have it.
	words, _ := rendered(t, rendertest.Docx{Body: rendertest.Paragraph("", "plain") + rendertest.Paragraph(`<w:pStyle w:val="Body"/>`, "styled"),
		Styles: `<w:style w:type="paragraph" w:styleId="Body"><w:name w:val="Body"/></w:style>` +
			`<w:style w:type="paragraph"><w:name w:val="EmptyCellLayoutStyle"/><w:basedOn w:val="Normal"/><w:rPr><w:sz w:val="2"/></w:rPr></w:style>`})
	rendertest.Near(t, "the distance of the lines", rendertest.Find(t, words, "styled").Base-rendertest.Find(t, words, "plain").Base, arialLine, 0.2)
}

func TestADefaultStyleNeedsNoID(t *testing.T) {
	t.Parallel()
	words, _ := rendered(t, rendertest.Docx{Body: rendertest.Paragraph("", "plain") + rendertest.Paragraph("", "more"),
		Styles: `<w:style w:type="paragraph" w:default="1"><w:name w:val="Normal"/><w:rPr><w:sz w:val="40"/></w:rPr></w:style>`})
	rendertest.Near(t, "the distance of the lines", rendertest.Find(t, words, "more").Base-rendertest.Find(t, words, "plain").Base, 2*arialLine, 0.3)
}

func TestFormulasAreReadInTheirOrder(t *testing.T) {
	t.Parallel()
	run := func(s string) string { return `<m:r><m:t>` + s + `</m:t></m:r>` }
	words, _ := rendered(t, rendertest.Docx{Body: `<w:p><m:oMath><m:sSub><m:e>` + run("a") + `</m:e><m:sub>` + run("1") + `</m:sub></m:sSub>` + run("=b") + `</m:oMath></w:p>`})
	var all []string
	for _, w := range words {
		all = append(all, w.Text)
	}
	if got := strings.Join(all, ""); got != "a1=b" {
		t.Errorf("got %q, want a1=b", got)
	}
}
