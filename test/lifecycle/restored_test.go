package lifecycle

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/installation"
	"github.com/platenhq/platen/internal/testkit/pages"
	"github.com/platenhq/platen/internal/testkit/program"
)

// A restored service has a user, a workflow and a receiver. What ran at the
// moment of the backup is looked at a minute after the start of a worker.
type restored struct {
	*installation.Installation
	token, driveToken string
	receiver          *receiver
	source            string
	temporal          *temporal // nil: the one that all tests share
}

// newRestored makes one; together, its drive is in the same database, and alone, its
// Temporal is nobody else's.
func newRestored(t *testing.T, together, alone bool) *restored {
	t.Helper()
	s := &restored{receiver: newReceiver(t)}
	o := installation.Options{Name: "restore", Dir: program.Dir(t, "platen-restore"), Separate: !together}
	o.Settings = []string{"TEXTFILES=" + o.Dir, "PLATEN_SWEEP_AFTER=5s"}
	if alone {
		s.temporal = newTemporal(t, o.Dir)
		o.Stack = testkit.Running(t)
		o.Stack.TemporalAddress, o.Stack.TemporalNamespace = s.temporal.stack.TemporalAddress, s.temporal.stack.TemporalNamespace
	}
	s.Installation = installation.New(t, o)
	s.Migrate(t)
	const email = "ada@example.com"
	s.token, s.driveToken = s.Enroll(t, "Ada", email)
	s.Start(t, "drive")
	s.Connect(t, email, s.driveToken)
	s.Start(t, "serve")
	s.configure(t)
	return s
}

// configure makes a workflow with a letter and an invoice that is a PDF alone.
func (s *restored) configure(t *testing.T) {
	t.Helper()
	type object map[string]any
	var w struct {
		ID     string `json:"id"`
		Source struct {
			WebhookURL string `json:"webhookUrl"`
		} `json:"source"`
		Documents []struct {
			ID string `json:"id"`
		} `json:"documents"`
	}
	s.call(t, http.MethodPost, "/workflows/", object{
		"name": "Letters", "document": object{"fileId": s.Template(t, s.driveToken, "Template", examples.Invoice)}, "outgoingWebhook": object{"webhookUrl": s.receiver.url},
	}, &w)
	documents := "/workflows/" + w.ID + "/documents/"
	s.call(t, http.MethodPatch, documents+w.Documents[0].ID+"/", object{"outputName": "Letter {{Name}}"}, nil)
	var second struct {
		ID string `json:"id"`
	}
	s.call(t, http.MethodPost, documents, object{"fileId": s.Template(t, s.driveToken, "Template", examples.Invoice)}, &second)
	s.call(t, http.MethodPatch, documents+second.ID+"/", object{"outputName": "Invoice {{Name}}", "createPdfCopy": true, "removeOutput": true}, nil)
	source, err := url.Parse(w.Source.WebhookURL)
	if err != nil {
		t.Fatal(err)
	}
	s.source = s.Hooks[0] + source.Path
}

// start runs what does not run yet.
func (s *restored) start(t *testing.T) {
	t.Helper()
	for _, name := range []string{"drive", "serve", "worker"} {
		if s.Running()[name] == nil {
			s.Start(t, name)
		}
	}
}

// commands are those that the page prints below a heading, with names in place of those
// on the page.
func commands(t *testing.T, heading string, names ...string) string {
	t.Helper()
	return strings.NewReplacer(names...).Replace(pages.Typed(t, "docs/restore.md", heading))
}

// post sends an event about a customer and returns the id of its automation.
func (s *restored) post(t *testing.T, customer string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.source, strings.NewReader(`{"Name": "`+customer+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	mustSend(t, request, nil)
	var id string
	installation.Query(t, s.Database, `SELECT id FROM automations ORDER BY accepted_at DESC LIMIT 1`, nil, &id)
	return id
}

func (s *restored) call(t *testing.T, method, path string, body, result any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, s.API[0]+"/v0"+path, strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", s.token)
	mustSend(t, request, result)
}

func mustSend(t *testing.T, request *http.Request, result any) {
	t.Helper()
	request.Close = true // the program may be another one next time
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode/100 != 2 {
		t.Fatalf("%s %s: got %s, %v: %.500s", request.Method, request.URL.Path, answer.Status, err, raw)
	}
	if result != nil {
		if err := json.Unmarshal(raw, result); err != nil {
			t.Fatalf("%s %s: %v: %.500s", request.Method, request.URL.Path, err, raw)
		}
	}
}

// state is that of an automation, empty where there is none.
func (s *restored) state(t *testing.T, id string) (state platen.AutomationState) {
	t.Helper()
	installation.Query(t, s.Database, `SELECT state FROM automations WHERE id = $1`, []any{id}, &state)
	return state
}

func (s *restored) awaitEnd(t *testing.T, id string) {
	t.Helper()
	installation.Eventually(t, id, func() error {
		switch state := s.state(t, id); state {
		case platen.AutomationCompleted:
			return nil
		case platen.AutomationFailed:
			t.Fatalf("%s has failed", id)
			return nil
		default:
			return fmt.Errorf("%s is %s", id, state)
		}
	})
}

func (s *restored) awaitState(t *testing.T, id string, want platen.AutomationState) {
	t.Helper()
	installation.Eventually(t, id, func() error {
		if state := s.state(t, id); state != want {
			return fmt.Errorf("%s is %s, want %s", id, state, want)
		}
		return nil
	})
}

// awaitDelivered waits until the events of both documents of an automation are delivered.
func (s *restored) awaitDelivered(t *testing.T, id string) {
	t.Helper()
	s.awaitEnd(t, id)
	installation.Eventually(t, "the events of "+id, func() error {
		if n := len(s.receiver.ids()[id]); n != 2 {
			return fmt.Errorf("got %d, want 2", n)
		}
		return nil
	})
}

// A file of the drive that an automation made.
type file struct {
	name, link string
	trashed    bool
}

// customer is what the event said.
func (f file) customer() string {
	_, customer, _ := strings.Cut(strings.TrimSuffix(f.name, ".pdf"), " ")
	return customer
}

// files are those that automations made, trashed ones too, by their ids.
func (s *restored) files(t *testing.T) map[string]file {
	t.Helper()
	all := map[string]file{}
	list, err := s.Files(t, s.driveToken).List().PageSize(1000).Fields("files(id,name,webViewLink,trashed,appProperties)").Do()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list.Files {
		if strings.HasPrefix(f.AppProperties[platen.PropertyKey], platen.PrefixOutput) {
			all[f.Id] = file{f.Name, f.WebViewLink, f.Trashed}
		}
	}
	return all
}

// A receiver counts how often each event came, by automation.
type receiver struct {
	url    string
	mu     sync.Mutex
	came   map[string]map[string]int
	failed []string
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{came: map[string]map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		var body struct {
			Type string `json:"event_type"`
			Data struct {
				AutomationID string `json:"automationId"`
			} `json:"data"`
		}
		raw, err := io.ReadAll(request.Body)
		if err != nil || json.Unmarshal(raw, &body) != nil {
			return // it comes again
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.came[body.Data.AutomationID] == nil {
			r.came[body.Data.AutomationID] = map[string]int{}
		}
		r.came[body.Data.AutomationID][request.Header.Get("webhook-id")]++
		if body.Type != platen.EventDocumentsCreated {
			r.failed = append(r.failed, string(raw))
		}
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// ids are those of the events that came, with how often, by automation.
func (r *receiver) ids() map[string]map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]map[string]int{}
	for id, events := range r.came {
		all[id] = map[string]int{}
		for event, times := range events {
			all[id][event] = times
		}
	}
	return all
}

func (r *receiver) wantNoFailure(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, body := range r.failed {
		t.Errorf("a failure was told: %s", body)
	}
}
