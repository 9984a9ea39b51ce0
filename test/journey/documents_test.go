package journey

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/platen"
)

func TestSourceEventBecomesEncryptedPDFAndSignedEvent(t *testing.T) {
	t.Parallel()
	for _, name := range []string{examples.Invoice, examples.Letter, examples.Offer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := example(t, name)
			h := open(t, options{})
			template := h.upload(t, e)
			w := h.createWorkflow(t, object{"name": "Papers"})
			if w.Status != "INCOMPLETE" {
				t.Errorf("status without a template: got %s, want INCOMPLETE", w.Status)
			}
			d := h.addDocument(t, w, template, object{
				"outputName": "Paper for {{Customer Number}}", "createPdfCopy": true, "removeOutput": true,
				"enablePdfPassword": true, "pdfPassword": "open-{{Customer Number}}", "enablePdfPreventCopy": true,
			})
			r := newReceiver(t)
			h.register(t, w, r)
			if w = h.workflow(t, w.ID); w.Status != "COMPLETE" {
				t.Errorf("status with a template: got %s, want COMPLETE", w.Status)
			}

			post(t, w.Source.WebhookURL, e.Event, http.StatusOK)

			got := r.next(t).event
			if got.Type != "DOCUMENTS_CREATED" || got.Data.WorkflowID != w.ID || got.Data.DocumentID != d.ID || len(got.Data.MissingFields) > 0 {
				t.Errorf("event: got %+v, want DOCUMENTS_CREATED of %s and %s with nothing missing", got, w.ID, d.ID)
			}
			if _, err := time.Parse(time.RFC3339Nano, got.Data.CreatedAt); err != nil {
				t.Errorf("createdAt: %v", err)
			}
			if len(got.Data.Documents) != 1 {
				t.Fatalf("files in the event: got %d, want the PDF alone", len(got.Data.Documents))
			}
			file := got.Data.Documents[0]
			if file.Name != "Paper for C-1042.pdf" || file.MIMEType != platen.MIMEPDF || file.Lower != platen.MIMEPDF || file.ID == "" {
				t.Errorf("file in the event: got %+v, want Paper for C-1042.pdf, a PDF", file)
			}
			content, _ := get(t, file.URL)
			checkEncrypted(t, newPaper(t, content), e)

			h.finished(t, w.ID, platen.AutomationCompleted)
			r.quiet(t)
			wantFiles(t, h, e.Title, "Papers - [Template]", "Paper for C-1042.pdf")
		})
	}
}

func checkEncrypted(t *testing.T, p paper, e examples.Example) {
	t.Helper()
	const password = "open-C-1042"
	said, ok := witness(t, "qpdf", "--show-encryption", "--password="+password, string(p))
	if !ok {
		t.Fatalf("qpdf: %s", said)
	}
	for _, want := range []string{"R = 6", "AESv3", "extract for any purpose: not allowed", "User password = " + password} {
		if !strings.Contains(said, want) {
			t.Errorf("qpdf --show-encryption does not say %q:\n%s", want, said)
		}
	}
	if said, ok := witness(t, "qpdf", "--check", "--password="+password, string(p)); !ok {
		t.Errorf("qpdf --check: %s", said)
	}
	for _, wrong := range []string{"", "open-", "C-1042"} {
		if said, ok := witness(t, "pdftotext", "-upw", wrong, string(p), "-"); ok || !strings.Contains(said, "Incorrect password") {
			t.Errorf("pdftotext with password %q: got %q, want a refusal", wrong, said)
		}
	}
	text := p.text(t, password)
	var event map[string]any
	if err := json.Unmarshal(e.Event, &event); err != nil {
		t.Fatal(err)
	}
	values := leaves(event, "")
	if e.Name == examples.Offer {
		delete(values, "Customer.Address.Country") // the only one that the offer does not print
	}
	delete(values, "Logo")         // a picture
	delete(values, "Payment Link") // a code and a link
	delete(values, "Deposit")      // as an amount of money
	for path, value := range values {
		if !says(text, value) {
			t.Errorf("the PDF does not show %s, %q", path, value)
		}
	}
	if e.Name == examples.Invoice && !says(text, "£4,590.82") {
		t.Error("the PDF does not show the sum")
	}
	if strings.Contains(text, "{{") {
		t.Errorf("the PDF still has tags:\n%s", text)
	}
}

func leaves(fields map[string]any, prefix string) map[string]string {
	all := map[string]string{}
	for key, value := range fields {
		switch value := value.(type) {
		case map[string]any:
			for path, leaf := range leaves(value, prefix+key+".") {
				all[path] = leaf
			}
		case string:
			all[prefix+key] = value
		}
	}
	return all
}

func TestOneFailingDocumentDoesNotStopItsNeighbours(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w := h.createWorkflow(t, object{"name": "Three"})
	first := h.addDocument(t, w, h.write(t, "First", "Dear {{Name}}"), object{"outputName": "First of {{Name}}", "createPdfCopy": true})
	broken := h.addDocument(t, w, h.write(t, "Second", "Dear {{Name}}"), object{"outputName": "Second of {{Name}}", "createPdfCopy": true})
	third := h.addDocument(t, w, h.write(t, "Third", "Dear {{Name}}"), object{"outputName": "Third of {{Name}}"})
	if err := h.files.Files.Delete(broken.File.ID).Context(t.Context()).Do(); err != nil {
		t.Fatal(err)
	}
	r := newReceiver(t)
	h.register(t, w, r)

	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})

	got := map[string]event{}
	for range 3 {
		e := r.next(t).event
		got[e.Data.DocumentID] = e
	}
	a := h.finished(t, w.ID, platen.AutomationFailed)
	r.quiet(t)
	for _, made := range []struct {
		document document
		files    []string
	}{
		{first, []string{"First of Ada.pdf", "First of Ada"}},
		{third, []string{"Third of Ada"}},
	} {
		e := got[made.document.ID]
		var names []string
		for _, f := range e.Data.Documents {
			names = append(names, f.Name)
		}
		if e.Type != "DOCUMENTS_CREATED" || !slices.Equal(names, made.files) || e.Data.AutomationID != a.id {
			t.Errorf("event of a good document: got %+v, want DOCUMENTS_CREATED with %q", e, made.files)
		}
	}
	failed := got[broken.ID]
	if failed.Type != "DOCUMENT_FAILED" || failed.Data.Error == nil || failed.Data.Documents == nil || len(failed.Data.Documents) != 0 {
		t.Fatalf("event of the broken document: got %+v, want DOCUMENT_FAILED with a reason and an empty list of files", failed)
	}
	if failed.Data.Error.Code == "" || failed.Data.Error.Code == "internal" || failed.Data.Error.Message == "" {
		t.Errorf("reason: got %+v, want one that the integrator can act on", *failed.Data.Error)
	}
	wantFiles(t, h, "First", "Second", "Third", "Three - [Template]", "Three - [Template]", "First of Ada", "First of Ada.pdf", "Third of Ada")
}

func TestPasswordWithMissingFieldFailsTheDocument(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w := h.createWorkflow(t, object{"name": "Secret"})
	d := h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), object{
		"createPdfCopy": true, "removeOutput": true, "enablePdfPassword": true, "pdfPassword": "{{Name}}-{{Pin}}",
	})
	r := newReceiver(t)
	h.register(t, w, r)

	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})

	got := r.next(t).event
	if got.Type != "DOCUMENT_FAILED" || got.Data.DocumentID != d.ID || got.Data.Error == nil {
		t.Fatalf("event: got %+v, want DOCUMENT_FAILED of %s", got, d.ID)
	}
	// Who reads the event may not be who may know what passwords are made of.
	if said := got.Data.Error.Message; got.Data.Error.Code != "pdf_password_field_missing" || strings.Contains(said, "Pin") || strings.Contains(said, "Ada") {
		t.Errorf("reason: got %q, %q; want pdf_password_field_missing, with no field and no value", got.Data.Error.Code, said)
	}
	h.finished(t, w.ID, platen.AutomationFailed)
	wantFiles(t, h, "Letter", "Secret - [Template]")
}
