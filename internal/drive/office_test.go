package drive

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/office/blank"
	"github.com/platenhq/platen/internal/render/pdf"
)

// newOfficeHarness serves with the real office packages.
func newOfficeHarness(t *testing.T) *harness {
	t.Helper()
	h := newHarness(t)
	h.formats = officeFormats(pdf.EmbeddedFonts(), false, time.Now)
	h.url = h.serve()
	return h
}

func TestARealDocumentIsMadeFilledAndExported(t *testing.T) {
	a := newOfficeHarness(t).account("Ada")
	d := must[*docsapi.Document](t)(a.docs.Create(&docsapi.Document{Title: "Brief"}).Do())
	insert := &docsapi.Request{InsertText: &docsapi.InsertTextRequest{Text: "Dear {{Name}} of {{Name}}", Location: &docsapi.Location{Index: 1}}}
	must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(d.DocumentId, batchOf(d.RevisionId, insert)).Do())

	copied := must[*driveapi.File](t)(a.files.Copy(d.DocumentId, &driveapi.File{Name: "Filled"}).Do())
	filled := must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(copied.Id, batchOf("", replaceAll("{{Name}}", "Eve & Söhne"))).Do())
	if got := filled.Replies[0].ReplaceAllText.OccurrencesChanged; got != 2 {
		t.Errorf("got %d occurrences changed, want 2", got)
	}
	const want = "Dear Eve & Söhne of Eve & Söhne"
	text, err := a.files.Export(copied.Id, store.TextType).Download()
	if err != nil {
		t.Fatal(err)
	}
	defer text.Body.Close()
	if got := string(must[[]byte](t)(io.ReadAll(text.Body))); strings.TrimSpace(got) != want {
		t.Errorf("got text %q, want %q", got, want)
	}
	exported, err := a.files.Export(copied.Id, store.DocxType).Download()
	if err != nil {
		t.Fatal(err)
	}
	defer exported.Body.Close()
	docx := must[[]byte](t)(io.ReadAll(exported.Body))
	if _, err := zip.NewReader(bytes.NewReader(docx), int64(len(docx))); err != nil {
		t.Errorf("exported .docx: %v", err)
	}
	// And back: what was exported can be uploaded with conversion.
	again, err := a.files.Create(&driveapi.File{Name: "Again", MimeType: store.DocumentType}).Media(bytes.NewReader(docx)).Do()
	if err != nil {
		t.Fatal(err)
	}
	if got := must[*docsapi.Document](t)(a.docs.Get(again.Id).Do()); !strings.Contains(textOf(got), want) {
		t.Errorf("converted: got %q, want %q in it", textOf(got), want)
	}
	_, answer := a.do("GET", "/v1/documents/"+again.Id, "", "")
	for _, fault := range readDiscovery(t, "docs/v1/docs-api.json").faults("", schema{Ref: "Document"}, answer) {
		t.Errorf("discovery: %s", fault)
	}
	if source := must[*docsapi.Document](t)(a.docs.Get(d.DocumentId).Do()); !strings.Contains(textOf(source), "{{Name}}") {
		t.Errorf("the template was filled: %q", textOf(source))
	}
}

func textOf(d *docsapi.Document) string {
	var b strings.Builder
	writeStructure(&b, d.Body.Content)
	return b.String()
}

func TestFilesThatAreNoOfficeFilesAreRefusedWithAReason(t *testing.T) {
	a := newOfficeHarness(t).account("Ada")
	for _, mimeType := range []string{store.DocumentType, store.PresentationType} {
		_, err := a.files.Create(&driveapi.File{MimeType: mimeType}).Media(strings.NewReader("no zip")).Do()
		wantFault(t, err, 400, "conversionUnsupportedConversionPath")
	}
	blank := must[[]byte](t)(blank.Presentation())
	_, err := a.files.Create(&driveapi.File{MimeType: store.DocumentType}).Media(bytes.NewReader(blank)).Do()
	wantFault(t, err, 400, "conversionUnsupportedConversionPath")
	d := must[*docsapi.Document](t)(a.docs.Create(&docsapi.Document{}).Do())
	_, err = a.docs.BatchUpdate(d.DocumentId, batchOf("", &docsapi.Request{InsertText: &docsapi.InsertTextRequest{Text: "x", Location: &docsapi.Location{Index: 9999}}})).Do()
	wantEditorFault(t, err, 400, "INVALID_ARGUMENT")
}

// Google's interface wants a range to say where it begins, also when that is 0:
// the body of a request with none is refused, and headers begin at 0.
func TestARangeOnTheWireMustSayWhereItBegins(t *testing.T) {
	a := newOfficeHarness(t).account("Ada")
	d := must[*docsapi.Document](t)(a.docs.Create(&docsapi.Document{Title: "Brief"}).Do())
	made := must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(d.DocumentId, batchOf("",
		&docsapi.Request{CreateHeader: &docsapi.CreateHeaderRequest{Type: "DEFAULT"}})).Do())
	header := made.Replies[0].CreateHeader.HeaderId
	must[*docsapi.BatchUpdateDocumentResponse](t)(a.docs.BatchUpdate(d.DocumentId, batchOf("",
		&docsapi.Request{InsertText: &docsapi.InsertTextRequest{Text: "Dear Ada", Location: &docsapi.Location{SegmentId: header}}})).Do())
	for _, c := range []struct{ kind, more, missing, given string }{
		{"updateTextStyle", `,"textStyle":{"bold":true},"fields":"bold"`, ``, `"startIndex":0,`},
		{"updateParagraphStyle", `,"paragraphStyle":{"alignment":"END"},"fields":"alignment"`, `"startIndex":null,`, `"startIndex":0,`},
		{"createParagraphBullets", `,"bulletPreset":"BULLET_CHECKBOX"`, ``, `"startIndex":0,`},
		{"deleteParagraphBullets", ``, ``, `"startIndex":0,`},
		{"createNamedRange", `,"name":"n"`, ``, `"startIndex":0,`},
		{"deleteContentRange", ``, ``, `"startIndex":0,`},
	} {
		send := func(start string) (int, string) {
			body := `{"requests":[{"replaceAllText":{"containsText":{"text":"{{X}}"}}},{"` + c.kind + `":{"range":{` + start + `"endIndex":5,"segmentId":"` + header + `"}` + c.more + `}}]}`
			response, answer := a.do("POST", "/v1/documents/"+d.DocumentId+":batchUpdate", "application/json", body)
			problem, _ := answer["error"].(map[string]any)
			message, _ := problem["message"].(string)
			return response.StatusCode, message
		}
		if status, message := send(c.missing); status != 400 || !strings.HasPrefix(message, "Invalid requests[1]."+c.kind+": ") || !strings.Contains(message, "startIndex") {
			t.Errorf("%s without a start: got %d %q, want 400 that names the request", c.kind, status, message)
		}
		if status, message := send(c.given); status != 200 {
			t.Errorf("%s from 0: got %d %q, want 200", c.kind, status, message)
		}
	}
	if got := must[*docsapi.Document](t)(a.docs.Get(d.DocumentId).Do()).Headers[header].Content[0].Paragraph.Elements[0].TextRun.Content; got != "Ada\n" {
		t.Errorf("the header is %q, want Ada", got)
	}
}
