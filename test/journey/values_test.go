package journey

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// deliverOne carries an event through a workflow with this template and
// settings, and returns the event that came of it.
func (h *harness) deliverOne(t *testing.T, template string, settings, data object) (workflow, event) {
	t.Helper()
	w := h.createWorkflow(t, object{"name": "Values"})
	h.addDocument(t, w, h.write(t, "Values", template), settings)
	r := newReceiver(t)
	h.register(t, w, r)
	postObject(t, w.Source.WebhookURL, data)
	e := r.next(t).event
	if e.Type != "DOCUMENTS_CREATED" {
		t.Fatalf("event: got %+v, want DOCUMENTS_CREATED", e)
	}
	h.finished(t, w.ID, platen.AutomationCompleted)
	return w, e
}

func TestValuesThatLookLikeTagsStayText(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	_, e := h.deliverOne(t, "A {{First}} B {{Second}} C {{Third}} D", object{"outputName": "{{First}}", "createPdfCopy": true},
		object{"First": "{{Second}}", "Second": "{{Third}} and {{First}}", "Third": "{{"})
	const want = "A {{Second}} B {{Third}} and {{First}} C {{ D"
	for _, f := range e.Data.Documents {
		if f.MIMEType == platen.MIMEDocs {
			if got := h.paragraphs(t, f.ID); !slices.Equal(got, []string{want}) {
				t.Errorf("document: got %q, want %q", got, want)
			}
			if f.Name != "{{Second}}" {
				t.Errorf("name: got %q, want %q", f.Name, "{{Second}}")
			}
			continue
		}
		content, _ := get(t, f.URL)
		if text := newPaper(t, content).text(t, ""); !says(text, want) {
			t.Errorf("PDF: got %q, want %q", text, want)
		}
	}
	if len(e.Data.Documents) != 2 || len(e.Data.MissingFields) != 0 {
		t.Errorf("event: got %+v, want a document and its PDF, and nothing missing", e.Data)
	}
}

func TestLineBreaksOfValuesStayInsideTheirParagraph(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	_, e := h.deliverOne(t, "To {{Address}}!\nAfter", object{"createPdfCopy": true, "outputName": "To {{Address}}"},
		object{"Address": "1 Main Street\nLondon\r\nEngland"})
	if len(e.Data.Documents) != 2 {
		t.Fatalf("files in the event: got %d, want 2", len(e.Data.Documents))
	}
	pdf, original := e.Data.Documents[0], e.Data.Documents[1]
	if original.Name != "To 1 Main Street London England" {
		t.Errorf("name: got %q, want one line", original.Name)
	}
	if got, want := h.paragraphs(t, original.ID), []string{"To 1 Main Street\vLondon\vEngland!", "After"}; !slices.Equal(got, want) {
		t.Errorf("paragraphs: got %q, want %q", got, want)
	}
	content, _ := get(t, pdf.URL)
	var lines []string
	for line := range strings.Lines(newPaper(t, content).text(t, "")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if want := []string{"To 1 Main Street", "London", "England!", "After"}; !slices.Equal(lines, want) {
		t.Errorf("lines of the PDF: got %q, want %q", lines, want)
	}
}

func TestEventNamesMissingFields(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w, e := h.deliverOne(t, "{{Name}}, {{Town}}: {{Price}} {{Town}} {{Customer.Phone}} {{Empty}}.", nil,
		object{"Name": "Ada", "Price": 12.50, "Customer": object{"Mail": "ada@example.com"}, "Empty": ""})
	if want := []string{"Town", "Customer.Phone"}; !slices.Equal(e.Data.MissingFields, want) {
		t.Errorf("missingFields: got %q, want %q", e.Data.MissingFields, want)
	}
	if got, want := h.paragraphs(t, e.Data.Documents[0].ID), []string{"Ada, : 12.5   ."}; !slices.Equal(got, want) {
		t.Errorf("document: got %q, want empty text where nothing was sent: %q", got, want)
	}
	fields := slices.Sorted(slices.Values(h.workflow(t, w.ID).Source.SourceFields))
	if want := []string{"Customer.Mail", "Empty", "Name", "Price"}; !slices.Equal(fields, want) {
		t.Errorf("sourceFields: got %q, want those of the event: %q", fields, want)
	}
}

func TestValuesAppearAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w := h.createWorkflow(t, object{"name": "Numbers"})
	h.addDocument(t, w, h.write(t, "Numbers", "{{Big}} {{Price}} {{Yes}} {{Tags}} {{Null}}|{{Word}}"), nil)
	r := newReceiver(t)
	h.register(t, w, r)
	post(t, w.Source.WebhookURL, []byte(`{"Big": 12345678901234567890, "Price": 12.50, "Yes": true, "Tags": ["a", "b"], "Null": null, "Word": "Žluť 🎉 \"&<x>"}`), http.StatusOK)
	e := r.next(t).event
	if len(e.Data.Documents) != 1 {
		t.Fatalf("event: got %+v, want one document", e)
	}
	if got, want := h.paragraphs(t, e.Data.Documents[0].ID), []string{`12345678901234567890 12.50 true a, b |Žluť 🎉 "&<x>`}; !slices.Equal(got, want) {
		t.Errorf("document: got %q, want %q", got, want)
	}
	h.finished(t, w.ID, platen.AutomationCompleted)
}
