package pdf_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestAddedFontsDrawWhatTheEmbeddedOnesLack(t *testing.T) {
	t.Parallel()
	fonts, err := pdf.NewFontSet([]pdf.FontFile{{Name: "日 Stranger.ttf", Data: pdf.StrangerFont(t)}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := wml.ReadDocument(rendertest.Docx{Body: rendertest.Paragraph("", "A日𪜀👍")}.Bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	pdf, findings, err := flow.Document(fonts, d, "more")
	if err != nil {
		t.Fatal(err)
	}
	if text := rendertest.Tool(t, pdf, "pdftotext", "FILE", "-"); !strings.Contains(strings.ReplaceAll(text, " ", ""), "A日𪜀👍") {
		t.Errorf("the PDF says %q", text)
	}
	if list := rendertest.Tool(t, pdf, "pdffonts", "FILE"); !strings.Contains(list, "Stranger-") {
		t.Errorf("the PDF has the fonts\n%s", list)
	}
	if len(findings) != 1 || !strings.HasSuffix(findings[0].Message, ": 𪜀 (U+2A700)") {
		t.Errorf("got findings %+v, want one for 𪜀 alone", findings)
	}
}
