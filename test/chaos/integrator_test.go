package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/oauth2"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"
)

const mimeDocs = "application/vnd.google-apps.document"

// A workflow is what the integrator made, and what must come of its events.
type workflow struct {
	name, id, source string
	secret           string
	verifier         *standardwebhooks.Webhook
	documents        []document
	gone             bool // its receiver answers 410 to everything
}

type document struct {
	id            string
	pdf, original bool // what is to be in the drive in the end
	password      bool
}

// An integrator has templates in the drive and workflows that use them.
type integrator struct {
	service   *service
	files     *driveapi.Service
	docs      *docsapi.Service
	templates []string // ids of its own files
	workflows []*workflow
}

type object = map[string]any

func newIntegrator(t *testing.T, s *service, receiverURL string) *integrator {
	t.Helper()
	i := &integrator{service: s}
	authorized := option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: s.driveToken}))
	var err error
	if i.files, err = driveapi.NewService(t.Context(), authorized, option.WithEndpoint(s.drive+"/drive/v3/")); err != nil {
		t.Fatal(err)
	}
	if i.docs, err = docsapi.NewService(t.Context(), authorized, option.WithEndpoint(s.drive+"/")); err != nil {
		t.Fatal(err)
	}
	secret := object{"createPdfCopy": true, "removeOutput": true, "enablePdfPassword": true, "pdfPassword": "{{Password}}", "enablePdfPreventCopy": true}
	plain := object{}
	both := object{"createPdfCopy": true}
	replaced := object{"createPdfCopy": true, "removeOutput": true}
	i.add(t, receiverURL, "sealed", secret)
	i.add(t, receiverURL, "plain", plain)
	i.add(t, receiverURL, "pair", both, replaced)
	i.add(t, receiverURL, goneName, replaced)
	return i
}

// add makes a workflow with one document for each of the options.
func (i *integrator) add(t *testing.T, receiverURL, name string, options ...object) {
	t.Helper()
	w := &workflow{name: name, gone: name == goneName}
	var made struct {
		ID     string `json:"id"`
		Source struct {
			WebhookURL string `json:"webhookUrl"`
		} `json:"source"`
	}
	i.call(t, http.MethodPost, "/workflows/", object{"name": name, "outgoingWebhook": object{"webhookUrl": receiverURL + "/" + name}}, &made)
	w.id, w.source = made.ID, made.Source.WebhookURL
	for n, o := range options {
		var d struct {
			ID string `json:"id"`
		}
		template := i.write(t, fmt.Sprintf("Template of %s %d", name, n), "Event {{Chaos Id}} of {{Name}}: {{Tag}}\n{{Trick}}")
		i.call(t, http.MethodPost, "/workflows/"+w.id+"/documents/", object{"fileId": template}, &d)
		o["outputName"] = fmt.Sprintf("%s %d {{Chaos Id}}", name, n)
		i.call(t, http.MethodPatch, "/workflows/"+w.id+"/documents/"+d.ID+"/", o, nil)
		w.documents = append(w.documents, document{
			id: d.ID, pdf: o["createPdfCopy"] == true, original: o["removeOutput"] != true, password: o["enablePdfPassword"] == true,
		})
	}
	var secret struct {
		Secret string `json:"secret"`
	}
	i.call(t, http.MethodGet, "/workflows/"+w.id+"/outgoing-webhooks/secret/", nil, &secret)
	verifier, err := standardwebhooks.NewWebhook(secret.Secret)
	if err != nil {
		t.Fatal(err)
	}
	w.secret, w.verifier = secret.Secret, verifier
	i.workflows = append(i.workflows, w)
}

// write makes a template in the integrator's drive and returns its id.
func (i *integrator) write(t *testing.T, name, text string) string {
	t.Helper()
	made, err := i.files.Files.Create(&driveapi.File{Name: name, MimeType: mimeDocs}).Context(t.Context()).Fields("id").Do()
	if err != nil {
		t.Fatalf("create %s: %v", name, err)
	}
	_, err = i.docs.Documents.BatchUpdate(made.Id, &docsapi.BatchUpdateDocumentRequest{Requests: []*docsapi.Request{
		{InsertText: &docsapi.InsertTextRequest{Text: text, Location: &docsapi.Location{Index: 1}}},
	}}).Context(t.Context()).Do()
	if err != nil {
		t.Fatalf("write into %s: %v", name, err)
	}
	i.templates = append(i.templates, made.Id)
	return made.Id
}

func (i *integrator) call(t *testing.T, method, path string, body, result any) {
	t.Helper()
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, i.service.api+path, content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", i.service.token)
	client := &http.Client{Timeout: 30 * time.Second}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode/100 != 2 {
		t.Fatalf("%s %s: got %s, %v: %.500s", method, path, answer.Status, err, raw)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(raw, result); err != nil {
		t.Fatalf("%s %s: %v: %.500s", method, path, err, raw)
	}
}
