package journey

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/examples"
)

func TestPreviewOpensWithoutCredentials(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	e := example(t, examples.Offer)
	w := h.createWorkflow(t, object{"name": "Shown", "document": object{"fileId": h.upload(t, e)}})
	if len(w.Documents) != 1 || w.Status != "COMPLETE" || w.Documents[0].DocumentType != "CLOUD_SLIDES" {
		t.Fatalf("workflow: got %+v, want a complete one with one CLOUD_SLIDES document", w)
	}
	address := w.Documents[0].PreviewURL
	page, header := get(t, address)
	if got := header.Get("Content-Type"); !strings.HasPrefix(got, "text/html") || !strings.Contains(string(page), "Shown - [Template]") {
		t.Errorf("page: got %s, want HTML that names the template:\n%.300s", got, page)
	}
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), w.Documents[0].ID+"/template.pdf")
	link, _, closed := strings.Cut(rest, `"`)
	if !found || !closed {
		t.Fatalf("the page names no template.pdf:\n%s", page)
	}
	pdf := at.JoinPath("template.pdf")
	pdf.RawQuery = strings.TrimPrefix(strings.ReplaceAll(link, "&amp;", "&"), "?")
	content, header := get(t, pdf.String())
	if got := header.Get("Content-Type"); got != "application/pdf" {
		t.Errorf("template: got %s, want application/pdf", got)
	}
	if text := newPaper(t, content).text(t, ""); !says(text, "{{Customer Name}}") {
		t.Errorf("the PDF does not show the template's tags:\n%s", text)
	}

	query := at.Query()
	query.Set("sig", strings.Repeat("A", len(query.Get("sig"))))
	at.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	do(t, request, http.StatusNotFound)
}
