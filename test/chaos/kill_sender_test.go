package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/oauth2"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/examples"
)

// A sender has one workflow, which makes encrypted PDFs of the example
// invoice, and a server of its own that outlives the program.
type sender struct {
	workflowID string
	source     string
	example    examples.Example
	receiver   *inbox
}

func newSender(t *testing.T, p *running) *sender {
	t.Helper()
	e, err := examples.Get(examples.Invoice)
	if err != nil {
		t.Fatal(err)
	}
	i := &sender{example: e, receiver: newInbox(t)}
	upload := func(name string) string {
		file, err := p.drive(t).Files.Create(&driveapi.File{Name: name, MimeType: e.MIMEType}).
			Context(t.Context()).Media(bytes.NewReader(e.Template)).Fields("id").Do()
		if err != nil {
			t.Fatal(err)
		}
		return file.Id
	}
	var w struct {
		ID     string `json:"id"`
		Source struct {
			WebhookURL string `json:"webhookUrl"`
		} `json:"source"`
		Documents []struct {
			ID string `json:"id"`
		} `json:"documents"`
	}
	type object map[string]any
	p.call(t, http.MethodPost, "/workflows/", object{
		"name": "Template", "document": object{"fileId": upload("Invoice to be killed")}, "outgoingWebhook": object{"webhookUrl": i.receiver.url},
	}, &w)
	p.call(t, http.MethodPatch, "/workflows/"+w.ID+"/documents/"+w.Documents[0].ID+"/", object{
		"outputName": "Killed {{Customer Number}}", "createPdfCopy": true, "removeOutput": true,
		"enablePdfPassword": true, "pdfPassword": "open-{{Customer Number}}", "enablePdfPreventCopy": true,
		"appendices": []string{upload("Copy to be killed")},
	}, nil)
	var secret struct {
		Secret string `json:"secret"`
	}
	p.call(t, http.MethodGet, "/workflows/"+w.ID+"/outgoing-webhooks/secret/", nil, &secret)
	if i.receiver.verifier, err = standardwebhooks.NewWebhook(secret.Secret); err != nil {
		t.Fatal(err)
	}
	i.workflowID, i.source = w.ID, w.Source.WebhookURL
	return i
}

// post sends the example's event for a customer and returns when it was
// answered with 200.
func (i *sender) post(t *testing.T, customer string) time.Time {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(i.example.Event, &fields); err != nil {
		t.Fatal(err)
	}
	fields["Customer Number"] = customer
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, i.source, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	send(t, request, nil)
	return time.Now()
}

func (p *running) call(t *testing.T, method, path string, body, result any) {
	t.Helper()
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, p.APIURL+path, content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", p.AccessToken)
	send(t, request, result)
}

func send(t *testing.T, request *http.Request, result any) {
	t.Helper()
	// A connection of its own: one to a program that was killed is no use.
	request.Close = true
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode/100 != 2 {
		t.Fatalf("%s %s: got %s: %.500s", request.Method, request.URL.Path, answer.Status, raw)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(raw, result); err != nil {
		t.Fatalf("%s %s: %v: %.500s", request.Method, request.URL.Path, err, raw)
	}
}

func (p *running) drive(t *testing.T) *driveapi.Service {
	t.Helper()
	service, err := driveapi.NewService(t.Context(), option.WithEndpoint(p.DriveURL+"/drive/v3/"),
		option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: p.DriveToken})))
	if err != nil {
		t.Fatal(err)
	}
	return service
}

// outputs returns the names of all files in the drive that automations of the
// integrator made and that are not in the trash, in order.
func (p *running) outputs(t *testing.T) []string {
	t.Helper()
	var names []string
	err := p.drive(t).Files.List().Q("trashed = false").PageSize(100).Fields("nextPageToken", "files(name,appProperties)").
		Pages(t.Context(), func(page *driveapi.FileList) error {
			for _, f := range page.Files {
				if strings.HasPrefix(f.Name, "Killed ") || strings.HasPrefix(f.AppProperties["platenKey"], "out_") {
					names = append(names, f.Name)
				}
			}
			return nil
		})
	if err != nil {
		t.Fatalf("list the drive: %v", err)
	}
	slices.Sort(names)
	return names
}

// An inbox takes events and keeps what came.
type inbox struct {
	url      string
	verifier *standardwebhooks.Webhook

	mu       sync.Mutex
	received []delivery
	changed  chan struct{} // closed when there is more
}

type delivery struct {
	id         string
	at         time.Time
	body       string
	customer   string
	automation string
	link       string
}

func newInbox(t *testing.T) *inbox {
	t.Helper()
	r := &inbox{changed: make(chan struct{})}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *inbox) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	d, err := r.read(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received = append(r.received, d)
	close(r.changed)
	r.changed = make(chan struct{})
}

// read takes only what is signed and tells of exactly one PDF, or of a batch that ended, whose
// id is the customer then.
func (r *inbox) read(request *http.Request) (delivery, error) {
	d := delivery{id: request.Header.Get("webhook-id"), at: time.Now()}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return d, err
	}
	if err := r.verifier.Verify(body, request.Header); err != nil {
		return d, err
	}
	var event struct {
		ID   string `json:"event_id"`
		Type string `json:"event_type"`
		Data struct {
			AutomationID string `json:"automationId"`
			Documents    []struct {
				Name string `json:"name"`
				URL  string `json:"url"`
			} `json:"documents"`
			Batch sentBatch `json:"batch"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		return d, err
	}
	if d.body = string(body); event.ID == d.id && event.Type == "BATCH_COMPLETED" {
		d.customer = event.Data.Batch.ID
		return d, nil
	}
	if event.ID != d.id || event.Type != "DOCUMENTS_CREATED" || len(event.Data.Documents) != 1 {
		return d, fmt.Errorf("not the event of one PDF: %s", body)
	}
	file := event.Data.Documents[0]
	d.automation, d.link = event.Data.AutomationID, file.URL
	d.customer = strings.TrimSuffix(strings.TrimPrefix(file.Name, "Killed "), ".pdf")
	return d, nil
}

// about returns what came about a customer, and a channel that is closed when
// anything more comes.
func (r *inbox) about(customer string) ([]delivery, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []delivery
	for _, d := range r.received {
		if d.customer == customer {
			all = append(all, d)
		}
	}
	return all, r.changed
}

// await waits for the first event about a customer.
func (r *inbox) await(t *testing.T, customer string) delivery {
	t.Helper()
	deadline := time.After(lifePatience)
	for {
		all, changed := r.about(customer)
		if len(all) > 0 {
			return all[0]
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("no event about %s within %v", customer, lifePatience)
		}
	}
}
