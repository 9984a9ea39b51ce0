package drive

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	slidesapi "google.golang.org/api/slides/v1"
)

// pdfText is what another program reads out of a PDF.
func pdfText(t *testing.T, pdf []byte) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "pdftotext", "-", "-")
	c.Stdin = bytes.NewReader(pdf)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("pdftotext: %v", err)
	}
	return string(out)
}

func (a *account) exportPDF(id string) []byte {
	a.w.t.Helper()
	response, err := a.files.Export(id, pdfType).Download()
	if err != nil {
		a.w.t.Fatalf("export: %v", err)
	}
	defer response.Body.Close()
	pdf, err := io.ReadAll(response.Body)
	if err != nil {
		a.w.t.Fatal(err)
	}
	return pdf
}

func TestARealDocumentIsExportedAsPDF(t *testing.T) {
	a := newOfficeWorld(t).account("Ada")
	d := must[*docsapi.Document](t)(a.docs.Create(&docsapi.Document{Title: "Brief"}).Do())
	insert := &docsapi.Request{InsertText: &docsapi.InsertTextRequest{Text: "Dear Söhne", Location: &docsapi.Location{Index: 1}}}
	must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(d.DocumentId, batchOf("", insert)).Do())
	if got := pdfText(t, a.exportPDF(d.DocumentId)); !strings.Contains(got, "Dear Söhne") {
		t.Errorf("got %q, want the document's words", got)
	}
}

func TestARealPresentationIsMadeFilledAndExported(t *testing.T) {
	a := newOfficeWorld(t).account("Ada")
	p := must[*slidesapi.Presentation](t)(a.slides.Create(&slidesapi.Presentation{Title: "Offer"}).Do())
	if len(p.Slides) == 0 {
		t.Fatalf("got %+v, want a slide", p)
	}
	page := must[*slidesapi.Page](t)(a.slides.Pages.Get(p.PresentationId, p.Slides[0].ObjectId).Do())
	if page.ObjectId != p.Slides[0].ObjectId {
		t.Errorf("got page %s, want %s", page.ObjectId, p.Slides[0].ObjectId)
	}
	_, err := a.slides.Pages.Get(p.PresentationId, "nope").Do()
	wantFault(t, err, 404, "notFound")
	must[*slidesapi.BatchUpdatePresentationResponse](t)(a.slides.BatchUpdate(p.PresentationId, &slidesapi.BatchUpdatePresentationRequest{
		Requests: []*slidesapi.Request{{ReplaceAllText: &slidesapi.ReplaceAllTextRequest{
			ContainsText: &slidesapi.SubstringMatchCriteria{Text: "{{a}}"}, ReplaceText: "b",
		}}},
	}).Do())
	if pdf := a.exportPDF(p.PresentationId); !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Errorf("got %.20q, want a PDF", pdf)
	}
	_, answer := a.do("GET", "/v1/presentations/"+p.PresentationId, "", "")
	for _, fault := range readDiscovery(t, "slides/v1/slides-api.json").faults("", schema{Ref: "Presentation"}, answer) {
		t.Errorf("discovery: %s", fault)
	}
	response, err := a.files.Export(p.PresentationId, textType).Download()
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	must[*driveapi.File](t)(a.files.Copy(p.PresentationId, &driveapi.File{}).Do())
}
