package conformance

import (
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen"
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

func documentID(t *testing.T, s *stack) {
	_, d, p := s.ada.withDocument(t, object{})
	form(t, d, "id", `^doc_[0-9A-Za-z]+$`)
	s.ada.fixed(t, p, d, "id", "doc_00000000000000")
}

func documentType(t *testing.T, s *stack) {
	for mimeType, want := range map[string]string{platen.MIMEDocs: "CLOUD_DOCS", platen.MIMESlides: "CLOUD_SLIDES"} {
		_, d, p := s.ada.withDocument(t, object{"file_id": s.file(t, mimeType)})
		field(t, d, "documentType", want)
		s.ada.fixed(t, p, d, "documentType", "CLOUD_SHEETS")
	}
}

func documentFile(t *testing.T, s *stack) {
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

func documentOutputName(t *testing.T, s *stack) {
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

func documentCreatePDFCopy(t *testing.T, s *stack)     { s.ada.toggled(t, "createPdfCopy") }
func documentRemoveOutput(t *testing.T, s *stack)      { s.ada.toggled(t, "removeOutput") }
func documentEnablePDFPassword(t *testing.T, s *stack) { s.ada.toggled(t, "enablePdfPassword") }

func documentPDFPassword(t *testing.T, s *stack) {
	_, _, p := s.ada.withDocument(t, object{})
	s.ada.edited(t, p, "pdfPassword", "open-{{Customer Number}}")
	s.ada.edited(t, p, "pdfPassword", "")
}

func documentPreventCopy(t *testing.T, s *stack) {
	s.ada.toggled(t, "pdfPasswordPreventCopy")
	_, _, p := s.ada.withDocument(t, object{})
	field(t, s.ada.patch(t, p, object{"enablePdfPreventCopy": true}), "pdfPasswordPreventCopy", true)
	d := s.ada.do(t, "GET", p, nil).is(http.StatusOK).object()
	field(t, d, "pdfPasswordPreventCopy", true)
	if _, there := d["enablePdfPreventCopy"]; there {
		t.Error("an answer has the spelling of the update request")
	}
}

func documentPreviewURL(t *testing.T, s *stack) {
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

func documentPDFCopySpelling(t *testing.T, s *stack) {
	_, _, p := s.ada.withDocument(t, object{})
	d := s.ada.patch(t, p, object{"createPDFCopy": true})
	field(t, d, "createPdfCopy", true)
	if _, there := d["createPDFCopy"]; there {
		t.Error("an answer has the spelling createPDFCopy")
	}
	s.ada.do(t, "PATCH", p, object{"createPDFCopy": true, "createPdfCopy": false}).refused(http.StatusBadRequest)
}

func documentDefaults(t *testing.T, s *stack) {
	w := s.ada.workflow(t, object{"name": "Invoices"})
	d := s.ada.document(t, w, object{})
	for name, want := range map[string]any{
		"outputName": "Invoices - {{Timestamp}}", "createPdfCopy": false, "removeOutput": false,
		"enablePdfPassword": false, "pdfPassword": "", "pdfPasswordPreventCopy": false,
	} {
		field(t, d, name, want)
	}
}

func documentTemplateName(t *testing.T, s *stack) {
	w := s.ada.workflow(t, object{"name": "Invoices", "document": object{"fileId": s.file(t, platen.MIMEDocs)}})
	given, blank := s.ada.document(t, w, object{"file_id": s.file(t, platen.MIMESlides)}), s.ada.document(t, w, object{})
	first := w["documents"].([]any)[0].(object)
	for _, d := range []object{first, given, blank} {
		field(t, inner(t, d, "file"), "name", "Invoices - [Template]")
	}
}
