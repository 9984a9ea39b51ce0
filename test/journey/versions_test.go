package journey

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"testing"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

func (h *harness) client(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.New(client.Options{Address: h.api, Token: h.token})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// says posts an event and returns what the PDF of its document says.
func (h *harness) says(t *testing.T, w workflow, r *receiver) string {
	t.Helper()
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})
	got := r.next(t).event
	if len(got.Data.Documents) != 1 {
		t.Fatalf("files in the event: got %+v, want the PDF alone", got.Data.Documents)
	}
	content, _ := get(t, got.Data.Documents[0].URL)
	return newPaper(t, content).text(t, "")
}

func TestAVersionThatIsPutBackIsWhatTheNextDocumentSays(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w := h.createWorkflow(t, object{"name": "Letters"})
	d := h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}, this is the old text."), object{"outputName": "For {{Name}}", "createPdfCopy": true, "removeOutput": true})
	r := newReceiver(t)
	h.register(t, w, r)
	w = h.workflow(t, w.ID)
	if said := h.says(t, w, r); !says(said, "Dear Ada, this is the old text.") {
		t.Fatalf("before: the PDF says %q", said)
	}
	ctx, c := t.Context(), h.client(t)
	other := h.write(t, "Other", "Hello {{Name}}, this is the new text.")
	exported, err := h.files.Files.Export(other, platen.MIMEDocx).Context(ctx).Download()
	if err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	_, err = content.ReadFrom(exported.Body)
	_ = exported.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ReplaceTemplate(ctx, w.ID, d.ID, content.Bytes()); err != nil {
		t.Fatal(err)
	}
	if said := h.says(t, w, r); !says(said, "Hello Ada, this is the new text.") {
		t.Errorf("after the replacement: the PDF says %q", said)
	}
	all := versionsOf(t, ctx, c, w.ID, d.ID)
	if len(all) != 1 || all[0].Cause != "REPLACED" {
		t.Fatalf("versions: got %+v, want what was there before", all)
	}
	back, err := c.RestoreTemplateVersion(ctx, w.ID, d.ID, all[0].ID)
	if err != nil || back.File.ID != d.File.ID {
		t.Fatalf("put back: got the file %s and %v, want %s", back.File.ID, err, d.File.ID)
	}
	if said := h.says(t, w, r); !says(said, "Dear Ada, this is the old text.") {
		t.Errorf("after the version was put back: the PDF says %q", said)
	}
	all = versionsOf(t, ctx, c, w.ID, d.ID)
	if len(all) != 2 || all[1].Cause != "RESTORED" {
		t.Fatalf("versions: got %+v, want the new text as well", all)
	}
	kept, err := c.TemplateVersionFile(ctx, w.ID, d.ID, all[1].ID)
	if err != nil || !bytes.Equal(kept, content.Bytes()) {
		t.Errorf("the new text is kept as %d bytes, %v, want the %d that were sent", len(kept), err, content.Len())
	}
	copied, err := c.CopyWorkflow(ctx, w.ID, client.WorkflowCopy{Name: "Copy", OutgoingWebhook: true})
	if err != nil {
		t.Fatal(err)
	}
	if copied.OutgoingWebhook == nil || copied.OutgoingWebhook.ID == w.ID || copied.Documents[0].File.ID == d.File.ID {
		t.Errorf("the copy: got %+v", copied)
	}
	wantFiles(t, h, "Letter", "Other", "Letters - [Template]", "Copy - [Template]", "For Ada.pdf", "For Ada.pdf", "For Ada.pdf")
}

func versionsOf(t *testing.T, ctx context.Context, c *client.Client, workflowID, documentID string) (all []client.TemplateVersion) {
	t.Helper()
	for v, err := range c.TemplateVersions(ctx, workflowID, documentID) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// Another installation has another database, another drive and other keys.
func TestAWorkflowMovesToAnotherInstallation(t *testing.T) {
	t.Parallel()
	here, there := open(t, options{}), open(t, options{idle: true})
	ctx := t.Context()
	w := here.createWorkflow(t, object{"name": "Letters", "color": "#123456", "source": object{"sourceFields": []string{"Name"}}})
	here.addDocument(t, w, here.write(t, "Letter", "Dear {{Name}}"), object{"outputName": "For {{Name}}", "createPdfCopy": true, "enablePdfPassword": true, "pdfPassword": "{{Name}}"})
	offer, err := os.ReadFile("../../examples/offer.pptx")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := here.client(t).UploadDocument(ctx, w.ID, offer); err != nil {
		t.Fatal(err)
	}
	file, err := here.client(t).ExportWorkflow(ctx, w.ID)
	if err != nil {
		t.Fatal(err)
	}
	made, err := there.client(t).ImportWorkflow(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	if made.Status != "COMPLETE" || len(made.Documents) != 2 || made.Documents[1].Type != "CLOUD_SLIDES" {
		t.Errorf("imported: got %+v", made)
	}
	again, err := there.client(t).ExportWorkflow(ctx, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	want, got := unpacked(t, file), unpacked(t, again)
	if len(want) != 3 || len(got) != len(want) {
		t.Fatalf("entries: got %d, want %d", len(got), len(want))
	}
	for name, content := range want {
		if !bytes.Equal(got[name], content) {
			t.Errorf("%s of an export of the import:\ngot  %.400s\nwant %.400s", name, got[name], content)
		}
	}
	there.call(t, http.MethodGet, "/workflows/"+w.ID+"/", nil, nil, http.StatusNotFound)
}

var exportedAt = regexp.MustCompile(`"exportedAt": "[^"]*"`)

// unpacked are the entries of an export, without its time.
func unpacked(t *testing.T, file []byte) map[string][]byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string][]byte{}
	for _, f := range archive.File {
		entry, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(entry)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == "workflow.json" {
			content = exportedAt.ReplaceAll(content, nil)
		}
		entries[f.Name] = content
	}
	return entries
}
