package flow

import (
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// rendered lays a document out and reads its words back with an independent reader.
func rendered(t *testing.T, d rendertest.Docx) ([]rendertest.Word, []render.Finding) {
	t.Helper()
	pdf, findings := laidOut(t, d)
	return rendertest.Words(t, pdf), findings
}

// laidOut lays a document out.
func laidOut(t *testing.T, d rendertest.Docx) ([]byte, []render.Finding) {
	t.Helper()
	model, err := wml.ReadDocument(d.Bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	pdf, findings, err := Document(pdf.EmbeddedFonts(), model, "test")
	if err != nil {
		t.Fatal(err)
	}
	return pdf, findings
}

// paintedDocument lays a document out and paints its first page.
func paintedDocument(t *testing.T, d rendertest.Docx) (rendertest.Pixels, []render.Finding) {
	t.Helper()
	pdf, findings := laidOut(t, d)
	return rendertest.Paint(t, pdf), findings
}
