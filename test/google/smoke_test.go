package google_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/testkit/program"
)

// password opens the encrypted PDFs.
const password = "open-sesame"

// What a document of a workflow may be told to do.
var (
	usual       = map[string]any{}
	withPDF     = map[string]any{"createPdfCopy": true}
	pdfAlone    = map[string]any{"createPdfCopy": true, "removeOutput": true}
	sealed      = map[string]any{"createPdfCopy": true, "enablePdfPassword": true, "pdfPassword": password}
	sealedAlone = map[string]any{"createPdfCopy": true, "enablePdfPassword": true, "pdfPassword": password, "removeOutput": true}
)

func TestOneAutomationOfEachKindIsMade(t *testing.T) {
	a := openAccount(t, 60)
	s := newService(t, a)
	s.start(t)
	s.examine(t, a)
	for _, c := range []struct {
		name     string
		template func(*testing.T) template
		settings map[string]any
	}{
		{"a document", a.document, usual},
		{"a document and its PDF", a.document, withPDF},
		{"a presentation and its PDF", a.presentation, withPDF},
		{"the PDF of a presentation alone", a.presentation, pdfAlone},
		{"the encrypted PDF of a .docx alone", func(t *testing.T) template { return a.upload(t, examples.Letter) }, sealedAlone},
		{"a .pptx and its encrypted PDF", func(t *testing.T) template { return a.upload(t, examples.Offer) }, sealed},
	} {
		t.Run(c.name, func(t *testing.T) {
			begun := time.Now()
			of := c.template(t)
			got := s.automate(t, c.name, of, c.settings)
			a.check(t, got, of, c.settings)
			t.Logf("%s: %v", c.name, time.Since(begun).Round(100*time.Millisecond))
		})
	}
}

// automate makes a workflow, sends an event and waits for what comes of it.
func (s *service) automate(t *testing.T, name string, of template, settings map[string]any) smokeEvent {
	t.Helper()
	var w struct {
		ID     string `json:"id"`
		Source struct {
			WebhookURL string `json:"webhookUrl"`
		} `json:"source"`
	}
	var d struct {
		ID string `json:"id"`
	}
	s.call(t, http.MethodPost, "/workflows/", map[string]any{"name": name}, &w)
	s.call(t, http.MethodPost, "/workflows/"+w.ID+"/documents/", map[string]any{"file_id": of.id}, &d)
	patch := map[string]any{"outputName": "Output of " + name}
	for key, value := range settings {
		patch[key] = value
	}
	s.call(t, http.MethodPatch, "/workflows/"+w.ID+"/documents/"+d.ID+"/", patch, nil)
	s.call(t, http.MethodPost, "/workflows/"+w.ID+"/outgoing-webhooks/", map[string]any{"webhookUrl": s.receiver}, nil)
	response, err := http.Post(w.Source.WebhookURL, "application/json", bytes.NewReader(of.event))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the event was answered %d, want 200", response.StatusCode)
	}
	select {
	case got := <-s.events:
		if got.Type != "DOCUMENTS_CREATED" || got.Data.WorkflowID != w.ID {
			t.Fatalf("got the event %+v, want DOCUMENTS_CREATED of %s", got, w.ID)
		}
		return got
	case <-time.After(patience):
		var run any
		s.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/", nil, &run)
		t.Fatalf("no event within %v; the automations are %v", patience, run)
	}
	return smokeEvent{}
}

// check looks at the files of an event in the drive.
func (a *account) check(t *testing.T, got smokeEvent, of template, settings map[string]any) {
	t.Helper()
	wantsPDF, removed := settings["createPdfCopy"] == true, settings["removeOutput"] == true
	pdfs, originals := 0, 0
	for _, d := range got.Data.Documents {
		if d.MIME == "application/pdf" {
			pdfs++
			a.checkPDF(t, d.ID, of.value, settings["enablePdfPassword"] == true)
			continue
		}
		originals++
		response, err := a.Drive.Files.Export(d.ID, "text/plain").Context(t.Context()).Download()
		if err != nil {
			t.Errorf("read the original: %v", err)
			continue
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !strings.Contains(string(text), of.value) || strings.Contains(string(text), "{{") {
			t.Errorf("the original reads %q, %v; want %q and no tag", text, err, of.value)
		}
	}
	if (pdfs == 1) != wantsPDF || (originals == 1) == removed || pdfs+originals != len(got.Data.Documents) {
		t.Errorf("the event names %d PDFs and %d originals, want a PDF: %t, an original: %t", pdfs, originals, wantsPDF, !removed)
	}
	if removed {
		a.checkAlone(t)
	}
}

// checkAlone sees that no copy of a template stays beside its PDF.
func (a *account) checkAlone(t *testing.T) {
	t.Helper()
	page, err := a.Drive.Files.List().Q("'" + a.folder + "' in parents and trashed=false and name contains 'Output' and name contains 'alone'").
		Corpora("allDrives").SupportsAllDrives(true).IncludeItemsFromAllDrives(true).Fields("files(name,mimeType)").Context(t.Context()).Do()
	if err != nil {
		t.Errorf("list the folder: %v", err)
		return
	}
	for _, f := range page.Files {
		if f.MimeType != "application/pdf" {
			t.Errorf("%s stays, want its PDF alone", f.Name)
		}
	}
}

func (a *account) checkPDF(t *testing.T, id, value string, encrypted bool) {
	t.Helper()
	response, err := a.Drive.Files.Get(id).SupportsAllDrives(true).Context(t.Context()).Download()
	if refused, ok := err.(*googleapi.Error); ok {
		t.Errorf("read the PDF: status %d", refused.Code)
		return
	}
	if err != nil {
		t.Errorf("read the PDF: %v", err)
		return
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	path := filepath.Join(t.TempDir(), "output.pdf")
	if err != nil || os.WriteFile(path, content, 0o600) != nil {
		t.Errorf("keep the PDF: %v", err)
		return
	}
	if _, err := exec.CommandContext(t.Context(), "pdftotext", path, "-").Output(); (err != nil) != encrypted {
		t.Errorf("the PDF opens without a password: %t, want %t", err == nil, !encrypted)
	}
	text, err := exec.CommandContext(t.Context(), "pdftotext", "-upw", password, path, "-").Output()
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(text)), " "), value) {
		t.Errorf("the PDF reads %q, %v; want %q in it (`make witnesses` installs pdftotext)", text, err, value)
	}
}

func TestWithoutAnAccountItIsSaidThatNothingWasRun(t *testing.T) {
	t.Parallel()
	c := exec.CommandContext(t.Context(), "make", "-C", filepath.Join("..", ".."), "smoke-google")
	c.Env = program.Environment()
	said, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "make smoke-google was not run") || !strings.Contains(string(said), "Error 77") {
		t.Errorf("got %v and %s, want that it was not run, and status 77", err, said)
	}
}
