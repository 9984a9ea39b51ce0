package conformance

import (
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// Section 2.3.

// withDocument makes a workflow with one document, and returns both with the
// document's path.
func (c client) withDocument(t *testing.T, body object) (workflow, document object, p string) {
	t.Helper()
	w := c.workflow(t, object{"name": "A"})
	d := c.document(t, w, body)
	return w, d, path(t, w, "documents", text(t, d, "id"))
}

func documentID(t *testing.T, s *harness) {
	_, d, p := s.ada.withDocument(t, object{})
	form(t, d, "id", `^doc_[0-9A-Za-z]+$`)
	s.ada.fixed(t, p, d, "id", "doc_00000000000000")
}

func documentType(t *testing.T, s *harness) {
	for mimeType, want := range map[string]string{platen.MIMEDocs: "CLOUD_DOCS", platen.MIMESlides: "CLOUD_SLIDES"} {
		_, d, p := s.ada.withDocument(t, object{"file_id": s.file(t, mimeType)})
		field(t, d, "documentType", want)
		s.ada.fixed(t, p, d, "documentType", "CLOUD_SHEETS")
	}
}

func documentFile(t *testing.T, s *harness) {
	original := s.file(t, platen.MIMEDocs)
	_, d, p := s.ada.withDocument(t, object{"file_id": original})
	file := inner(t, d, "file")
	if id := text(t, file, "id"); id == "" || id == original {
		t.Errorf("file.id: got %q, want that of a copy of %s", id, original)
	}
	if text(t, file, "name") == "" {
		t.Error("file.name: got none")
	}
	form(t, file, "url", `^https?://`)
	field(t, file, "mimeType", platen.MIMEDocs)
	s.ada.fixed(t, p, d, "file", object{"id": original})
}

func documentOutputName(t *testing.T, s *harness) {
	_, _, p := s.ada.withDocument(t, object{})
	s.ada.edited(t, p, "outputName", "For {{Customer.Name}} at {{Timestamp}}")
}

func (c client) toggled(t *testing.T, name string) {
	t.Helper()
	_, d, p := c.withDocument(t, object{})
	field(t, d, name, false)
	c.edited(t, p, name, true)
	c.edited(t, p, name, false)
}

func documentCreatePDFCopy(t *testing.T, s *harness)     { s.ada.toggled(t, "createPdfCopy") }
func documentRemoveOutput(t *testing.T, s *harness)      { s.ada.toggled(t, "removeOutput") }
func documentEnablePDFPassword(t *testing.T, s *harness) { s.ada.toggled(t, "enablePdfPassword") }

func documentPDFPassword(t *testing.T, s *harness) {
	_, _, p := s.ada.withDocument(t, object{})
	s.ada.edited(t, p, "pdfPassword", "open-{{Customer Number}}")
	s.ada.edited(t, p, "pdfPassword", "")
}

func documentPreventCopy(t *testing.T, s *harness) {
	s.ada.toggled(t, "pdfPasswordPreventCopy")
	_, _, p := s.ada.withDocument(t, object{})
	field(t, s.ada.patch(t, p, object{"enablePdfPreventCopy": true}), "pdfPasswordPreventCopy", true)
	d := s.ada.do(t, "GET", p, nil).is(http.StatusOK).object()
	field(t, d, "pdfPasswordPreventCopy", true)
	if _, there := d["enablePdfPreventCopy"]; there {
		t.Error("an answer has the spelling of the update request")
	}
}

func documentOptionsTakeEffect(t *testing.T, s *harness) {
	r := newReceiver(t, s)
	w := s.ada.runnable(t, r, "Dear {{Name}}")
	p := path(t, w, "documents", text(t, w["documents"].([]any)[0].(object), "id"))
	s.ada.patch(t, p, object{"createPdfCopy": true, "removeOutput": true, "enablePdfPassword": true, "pdfPassword": "open-{{Name}}", "enablePdfPreventCopy": true})
	s.post(t, source(t, w), object{"Name": "Ada"}).is(http.StatusOK)
	files := r.files(t)
	if len(files) != 1 || files[0]["mimetype"] != platen.MIMEPDF {
		t.Fatalf("files: got %v, want the PDF alone", files)
	}
	pdf := s.download(t, text(t, files[0], "id"))
	if said, ok := qpdf(t, pdf, "--check", "--password=open-{{Name}}"); ok {
		t.Errorf("the PDF opens with another password: %s", said)
	}
	said, ok := qpdf(t, pdf, "--show-encryption", "--password=open-Ada")
	if !ok || strings.Contains(said, "Incorrect password") || !strings.Contains(said, "extract for any purpose: not allowed") {
		t.Errorf("qpdf with the password: %v, %s; want that text must not be extracted", ok, said)
	}

	s.ada.patch(t, p, object{"enablePdfPassword": false})
	s.post(t, source(t, w), object{"Name": "Ada"}).is(http.StatusOK)
	pdf = s.download(t, r.file(t))
	if said, ok := qpdf(t, pdf, "--show-encryption"); !ok || !strings.Contains(said, "not encrypted") {
		t.Errorf("qpdf without enablePdfPassword: %v, %s", ok, said)
	}
}

// download returns where on disk a file of ada's drive was put.
func (s *harness) download(t *testing.T, id string) string {
	t.Helper()
	answer, err := s.files.Files.Get(id).Context(t.Context()).Download()
	if err != nil {
		t.Fatalf("download %s: %v", id, err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "output.pdf")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// qpdf returns what it says of a PDF, and whether it could open it.
func qpdf(t *testing.T, name string, args ...string) (said string, ok bool) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "qpdf", append(args, name)...).CombinedOutput()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		t.Fatalf("%v; `make witnesses` installs it", err)
	}
	return string(out), err == nil
}

func documentPreviewURL(t *testing.T, s *harness) {
	_, d, p := s.ada.withDocument(t, object{})
	address := form(t, d, "previewUrl", `^https?://`)
	s.ada.fixed(t, p, d, "previewUrl", "https://example.com")
	response, err := http.Get(address) // as somebody without an account
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		t.Errorf("previewUrl: got %s of type %s, want a page", response.Status, response.Header.Get("Content-Type"))
	}
}

func documentPDFCopySpelling(t *testing.T, s *harness) {
	_, _, p := s.ada.withDocument(t, object{})
	d := s.ada.patch(t, p, object{"createPDFCopy": true})
	field(t, d, "createPdfCopy", true)
	if _, there := d["createPDFCopy"]; there {
		t.Error("an answer has the spelling createPDFCopy")
	}
	s.ada.do(t, "PATCH", p, object{"createPDFCopy": true, "createPdfCopy": false}).refused(http.StatusBadRequest)
}

func documentDefaults(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "Invoices"})
	d := s.ada.document(t, w, object{})
	for name, want := range map[string]any{
		"outputName": "Invoices - {{Timestamp}}", "createPdfCopy": false, "removeOutput": false,
		"enablePdfPassword": false, "pdfPassword": "", "pdfPasswordPreventCopy": false,
	} {
		field(t, d, name, want)
	}
}

func documentTemplateName(t *testing.T, s *harness) {
	w := s.ada.workflow(t, object{"name": "Invoices", "document": object{"fileId": s.file(t, platen.MIMEDocs)}})
	given, blank := s.ada.document(t, w, object{"file_id": s.file(t, platen.MIMESlides)}), s.ada.document(t, w, object{})
	first := w["documents"].([]any)[0].(object)
	for _, d := range []object{first, given, blank} {
		field(t, inner(t, d, "file"), "name", "Invoices - [Template]")
	}
}
