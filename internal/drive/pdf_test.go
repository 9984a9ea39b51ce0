package drive

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/render"
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
	a.h.t.Helper()
	response, err := a.files.Export(id, store.PDFType).Download()
	if err != nil {
		a.h.t.Fatalf("export: %v", err)
	}
	defer response.Body.Close()
	pdf, err := io.ReadAll(response.Body)
	if err != nil {
		a.h.t.Fatal(err)
	}
	return pdf
}

func TestARealDocumentIsExportedAsPDF(t *testing.T) {
	a := newOfficeHarness(t).account("Ada")
	d := must[*docsapi.Document](t)(a.docs.Create(&docsapi.Document{Title: "Brief"}).Do())
	insert := &docsapi.Request{InsertText: &docsapi.InsertTextRequest{Text: "Dear Söhne", Location: &docsapi.Location{Index: 1}}}
	must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(d.DocumentId, batchOf("", insert)).Do())
	if got := pdfText(t, a.exportPDF(d.DocumentId)); !strings.Contains(got, "Dear Söhne") {
		t.Errorf("got %q, want the document's words", got)
	}
}

func TestAnExportSaysWhatThePDFDoesNotShow(t *testing.T) {
	a := newOfficeHarness(t).account("Ada")
	for text, want := range map[string]string{
		"plain": "",
		"日👍𪜀𒀀":  `[{"code":"missing_glyph","message":"no font here has these characters, so that an empty box stands for each: \ud869\udf00 (U+2A700), \ud808\udc00 (U+12000)"}]`,
	} {
		d := must[*docsapi.Document](t)(a.docs.Create(&docsapi.Document{Title: "Brief"}).Do())
		insert := &docsapi.Request{InsertText: &docsapi.InsertTextRequest{Text: text, Location: &docsapi.Location{Index: 1}}}
		must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(d.DocumentId, batchOf("", insert)).Do())
		for _, again := range []bool{false, true} { // made, and from the cache
			response, err := a.files.Export(d.DocumentId, store.PDFType).Download()
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if got := response.Header.Get("Platen-Export-Findings"); got != want {
				t.Errorf("%q (again: %v): got %s, want %s", text, again, got, want)
			}
		}
	}
}

func TestTheHeaderOfFindingsIsBounded(t *testing.T) {
	t.Parallel()
	var many []render.Finding
	for i := range 100 {
		many = append(many, render.Finding{Code: "code", Message: strings.Repeat("漢", i)})
	}
	value, err := findingsValue(many)
	var read []struct{ Code, Message string }
	if err := errors.Join(err, json.Unmarshal([]byte(value), &read)); err != nil || len(value) > 4<<10 || len(read) < 10 || read[2].Message != "漢漢" {
		t.Errorf("got %d findings in %d bytes, %v", len(read), len(value), err)
	}
}

func TestARealPresentationIsMadeFilledAndExported(t *testing.T) {
	a := newOfficeHarness(t).account("Ada")
	p := must[*slidesapi.Presentation](t)(a.slides.Create(&slidesapi.Presentation{Title: "Offer"}).Do())
	if len(p.Slides) == 0 {
		t.Fatalf("got %+v, want a slide", p)
	}
	page := must[*slidesapi.Page](t)(a.slides.Pages.Get(p.PresentationId, p.Slides[0].ObjectId).Do())
	if page.ObjectId != p.Slides[0].ObjectId {
		t.Errorf("got page %s, want %s", page.ObjectId, p.Slides[0].ObjectId)
	}
	_, err := a.slides.Pages.Get(p.PresentationId, "nope").Do()
	wantEditorFault(t, err, 404, "NOT_FOUND")
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
	response, err := a.files.Export(p.PresentationId, store.TextType).Download()
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	must[*driveapi.File](t)(a.files.Copy(p.PresentationId, &driveapi.File{}).Do())
}
