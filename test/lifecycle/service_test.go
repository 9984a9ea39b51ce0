// Package lifecycle tests what production programs do to stored data in the course of
// time: keys that protect it change while the programs work, programs of another release
// take their place, what was erased is in no file any more, and a database, Temporal's or
// both go back to an earlier moment by the commands of docs/restore.md: nothing that was
// finished fails, is announced as failed, or goes.
//
// It knows the programs' commands, what they serve over HTTP, and the bytes on the disk
// of their Postgres. Single statements and jobs belong in the tests of the packages.
package lifecycle

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/testkit/installation"
)

// TestMain lets twice as many tests go on at a time as there are cores, unless -parallel says
// otherwise: most of each is a wait, such as the minute after which a worker looks at what
// ran at the moment of a backup.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// whole tells whether each case is wanted, as 'make lifecycle' asks for: those that a like
// one stands for are left out of 'make test'.
func whole() bool { return os.Getenv("PLATEN_LIFECYCLE") == "whole" }

const email = "ada@lifecycle.example"

type object = map[string]any

// A service is an installation with a user and a workflow.
type service struct {
	*installation.Installation
	api, hooks        [2]string // where clients of each serve go
	drive             string    // where its clients go
	token, driveToken string
	workflow, source  string // the source's path
	documents         []string
}

func newService(t *testing.T, o installation.Options) *service {
	t.Helper()
	o.Name, o.Settings = "lifecycle", append(o.Settings, "PLATEN_RATE_LIMIT=0")
	i := installation.New(t, o)
	return &service{Installation: i, api: i.API, hooks: i.Hooks, drive: i.Drive[0]}
}

// install does what an operator does once, and starts the programs, drives first.
func (s *service) install(t *testing.T, drives, others []string) {
	t.Helper()
	s.Migrate(t)
	s.token, s.driveToken = s.Enroll(t, "Ada", email)
	s.Start(t, drives...)
	s.Connect(t, email, s.driveToken)
	s.Start(t, others...)
}

// configure makes a workflow with a document for each of these settings.
func (s *service) configure(t *testing.T, receiver string, documents ...object) {
	t.Helper()
	var w struct {
		ID     string `json:"id"`
		Source struct {
			WebhookURL string `json:"webhookUrl"`
		} `json:"source"`
	}
	s.call(t, 0, http.MethodPost, "/workflows/", object{"name": "Letters", "outgoingWebhook": object{"webhookUrl": receiver}}, &w)
	for _, settings := range documents {
		var d struct {
			ID string `json:"id"`
		}
		path := "/workflows/" + w.ID + "/documents/"
		s.call(t, 0, http.MethodPost, path, object{"fileId": s.Template(t, s.driveToken, "Template", examples.Letter)}, &d)
		s.call(t, 0, http.MethodPatch, path+d.ID+"/", settings, nil)
		s.documents = append(s.documents, d.ID)
	}
	address, err := url.Parse(w.Source.WebhookURL)
	if err != nil {
		t.Fatal(err)
	}
	s.workflow, s.source = w.ID, address.Path
}

// call sends a request to the API of one serve; an answer that is no success fails the
// test.
func (s *service) call(t *testing.T, at int, method, path string, body, result any) {
	t.Helper()
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	status, raw, err := send(t, method, s.api[at]+"/v0"+path, content, map[string]string{"Authorization": s.token})
	if err != nil || status/100 != 2 {
		t.Fatalf("%s %s: got %d, %v: %.500s", method, path, status, err, raw)
	}
	if result != nil {
		if err := json.Unmarshal(raw, result); err != nil {
			t.Fatalf("%s %s: %v: %.500s", method, path, err, raw)
		}
	}
}

// send returns the answer of any status. The connection is its own: the program may be
// another one next time.
func send(t *testing.T, method, address string, body []byte, header map[string]string) (status int, answer []byte, err error) {
	request, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Close = true
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}
