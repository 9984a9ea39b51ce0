package journey

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/platen"
)

// What an integrator reads of /v0's resources.
type (
	workflow struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Source struct {
			WebhookURL   string   `json:"webhookUrl"`
			SourceFields []string `json:"sourceFields"`
		} `json:"source"`
		Documents []document `json:"documents"`
	}
	document struct {
		ID           string `json:"id"`
		DocumentType string `json:"documentType"`
		File         struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"file"`
		PreviewURL string `json:"previewUrl"`
	}
	object map[string]any
)

// call sends a request to /v0 and reads its answer, whose status must be want.
func (h *harness) call(t *testing.T, method, path string, body, result any, want int) {
	t.Helper()
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, h.api+path, content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", h.token)
	raw, _ := do(t, request, want)
	if result == nil {
		return
	}
	if err := json.Unmarshal(raw, result); err != nil {
		t.Fatalf("%s %s: %v in %s", method, path, err, raw)
	}
}

func do(t *testing.T, request *http.Request, want int) ([]byte, http.Header) {
	t.Helper()
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != want {
		t.Fatalf("%s %s: got %s, want %d: %.500s", request.Method, request.URL.Path, answer.Status, want, raw)
	}
	return raw, answer.Header
}

// get opens an address as somebody without any credentials.
func get(t *testing.T, address string) ([]byte, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, request, http.StatusOK)
}

func (h *harness) createWorkflow(t *testing.T, body object) workflow {
	t.Helper()
	var w workflow
	h.call(t, http.MethodPost, "/workflows/", body, &w, http.StatusCreated)
	return w
}

func (h *harness) workflow(t *testing.T, id string) workflow {
	t.Helper()
	var w workflow
	h.call(t, http.MethodGet, "/workflows/"+id+"/", nil, &w, http.StatusOK)
	return w
}

func (h *harness) addDocument(t *testing.T, w workflow, fileID string, settings object) document {
	t.Helper()
	var d document
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/documents/", object{"file_id": fileID}, &d, http.StatusCreated)
	if settings != nil {
		h.call(t, http.MethodPatch, "/workflows/"+w.ID+"/documents/"+d.ID+"/", settings, nil, http.StatusOK)
	}
	return d
}

// register makes the receiver the workflow's outgoing webhook, and lets it
// check signatures by the workflow's secret, which it returns.
func (h *harness) register(t *testing.T, w workflow, r *receiver) string {
	t.Helper()
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/outgoing-webhooks/", object{"webhookUrl": r.url}, nil, http.StatusCreated)
	var secret struct {
		Secret string `json:"secret"`
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/outgoing-webhooks/secret/", nil, &secret, http.StatusOK)
	r.trust(t, secret.Secret)
	return secret.Secret
}

// post sends a source event as any sender does: to the address, with no
// credentials.
func post(t *testing.T, address string, event []byte, want int) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(event))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	raw, _ := do(t, request, want)
	if want == http.StatusOK && strings.TrimSpace(string(raw)) != "{}" {
		t.Errorf("answer to the source event: got %q, want {}", raw)
	}
	return raw
}

func postObject(t *testing.T, address string, event object) {
	t.Helper()
	raw, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	post(t, address, raw, http.StatusOK)
}

// upload puts an example's Office file into the drive as a Docs or Slides
// file, and returns its id.
func (h *harness) upload(t *testing.T, e examples.Example) string {
	t.Helper()
	made, err := h.files.Files.Create(&driveapi.File{Name: e.Title, MimeType: e.MIMEType}).Context(t.Context()).
		Media(bytes.NewReader(e.Template)).Fields("id").Do()
	if err != nil {
		t.Fatalf("upload %s: %v", e.Name, err)
	}
	return made.Id
}

// write makes a Docs file that says text, and returns its id.
func (h *harness) write(t *testing.T, name, text string) string {
	t.Helper()
	ctx := t.Context()
	made, err := h.files.Files.Create(&driveapi.File{Name: name, MimeType: platen.MIMEDocs}).Context(ctx).Fields("id").Do()
	if err != nil {
		t.Fatalf("create %s: %v", name, err)
	}
	_, err = h.docs.Documents.BatchUpdate(made.Id, &docsapi.BatchUpdateDocumentRequest{Requests: []*docsapi.Request{
		{InsertText: &docsapi.InsertTextRequest{Text: text, Location: &docsapi.Location{Index: 1}}},
	}}).Context(ctx).Do()
	if err != nil {
		t.Fatalf("write into %s: %v", name, err)
	}
	return made.Id
}

// paragraphs returns the text of each paragraph of a Docs file's body.
func (h *harness) paragraphs(t *testing.T, fileID string) []string {
	t.Helper()
	d, err := h.docs.Documents.Get(fileID).Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("read document: %v", err)
	}
	var all []string
	for _, element := range d.Body.Content {
		if element.Paragraph == nil {
			continue
		}
		var b strings.Builder
		for _, part := range element.Paragraph.Elements {
			if part.TextRun != nil {
				b.WriteString(part.TextRun.Content)
			}
		}
		if text := strings.TrimSuffix(b.String(), "\n"); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// fileNames returns the names of all files in the user's drive that are not in the
// trash, in order.
func (h *harness) fileNames(t *testing.T) []string {
	t.Helper()
	found, err := h.files.Files.List().Q("trashed = false").Context(t.Context()).PageSize(1000).Fields("files(id,name,mimeType)").Do()
	if err != nil {
		t.Fatalf("list the drive: %v", err)
	}
	var names []string
	for _, f := range found.Files {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

func wantFiles(t *testing.T, h *harness, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := h.fileNames(t); !slices.Equal(got, want) {
		t.Errorf("files in the drive:\n got %q\nwant %q", got, want)
	}
}

func example(t *testing.T, name string) examples.Example {
	t.Helper()
	e, err := examples.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
