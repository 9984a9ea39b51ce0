// Package lifecycle tests what production programs do to stored data in the course of
// time: keys that protect it change while the programs work, programs of another release
// take their place, and what was erased is in no file any more.
//
// It knows the programs' commands, what they serve over HTTP, and the bytes on the disk
// of their Postgres. Single statements and jobs belong in the tests of the packages.
package lifecycle

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/oauth2"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/embedded/ports"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/program"
)

// patience bounds every wait.
const patience = 3 * time.Minute

const email = "ada@lifecycle.example"

type object = map[string]any

// A service is Platen as it runs in production: two processes each of serve, and of the
// others as many as the test starts, on a database of their own.
type service struct {
	dir, binary       string
	database          string
	settings          []string
	listen            listening
	api, hooks        [2]string // where clients of each serve go
	drive             string    // where its clients go
	token, driveToken string
	programs          map[string]*program.Life
	working           map[string]int // how often each worker has been started
	workflow, source  string         // the source's path
	documents         []string
}

// listening is where each process answers.
type listening struct{ api, hooks, drive [2]string }

func newService(t *testing.T, stack testkit.Stack, dir string, more ...string) *service {
	t.Helper()
	at := addresses(t, 6)
	l := listening{api: [2]string{at[0], at[1]}, hooks: [2]string{at[2], at[3]}, drive: [2]string{at[4], at[5]}}
	s := &service{
		dir: dir, binary: program.Built(t, "platen"), database: newDatabase(t, stack.DatabaseURL), listen: l,
		programs: map[string]*program.Life{}, working: map[string]int{},
	}
	s.settings = append([]string{
		"PLATEN_DATABASE_URL=" + s.database, "PLATEN_DRIVE_KIND=platen", "PLATEN_ALLOW_PRIVATE=127.0.0.1/32", "PLATEN_RATE_LIMIT=0",
		"PLATEN_TEMPORAL_ADDRESS=" + stack.TemporalAddress, "PLATEN_TEMPORAL_NAMESPACE=" + stack.TemporalNamespace,
		"PLATEN_QUEUE=lifecycle-" + strings.ToLower(rand.Text()),
	}, more...)
	s.reach(l.api, l.hooks, l.drive[0])
	return s
}

// addresses are of this machine, and free.
func addresses(t *testing.T, n int) []string {
	t.Helper()
	free, err := ports.Free("127.0.0.1", n)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, n)
	for i, port := range free {
		all[i] = "http://127.0.0.1:" + strconv.Itoa(port)
	}
	return all
}

// reach says where clients find the service.
func (s *service) reach(api, hooks [2]string, drive string) {
	s.api, s.hooks, s.drive = api, hooks, drive
	s.set("PLATEN_DRIVE_ENDPOINT", drive)
	s.set("PLATEN_API_URL", api[0]+"/v0")
	s.set("PLATEN_HOOKS_URL", hooks[0])
	s.set("PLATEN_DRIVE_URL", drive)
}

// install does what an operator does once, and starts the programs, drives first.
func (s *service) install(t *testing.T, drives, others []string) {
	t.Helper()
	s.operate(t, "migrate")
	s.operate(t, "user", "create", "--name", "Ada", "--email", email)
	s.token = s.operate(t, "token", "create", "--user", email)
	s.driveToken = s.operate(t, "drive", "token", "--email", email)
	for _, name := range drives {
		s.start(t, name)
	}
	s.set("PLATEN_DRIVE_CREDENTIAL", s.driveToken)
	s.operate(t, "user", "connect", "--email", email, "--kind", "token")
	s.set("PLATEN_DRIVE_CREDENTIAL", "")
	for _, name := range others {
		s.start(t, name)
	}
}

// set changes a setting of programs that start from now on; an empty one is none.
func (s *service) set(name, value string) {
	var kept []string
	for _, setting := range s.settings {
		if !strings.HasPrefix(setting, name+"=") {
			kept = append(kept, setting)
		}
	}
	if value != "" {
		kept = append(kept, name+"="+value)
	}
	s.settings = kept
}

func host(address string) string { return strings.TrimPrefix(address, "http://") }

// newDatabase makes an empty one and returns its address.
func newDatabase(t *testing.T, server string) string {
	t.Helper()
	name := "lifecycle_" + strings.ToLower(rand.Text())
	execute(t, server, "CREATE DATABASE "+name)
	t.Cleanup(func() { drop(t, server, name) })
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/" + name
	return address.String()
}

func execute(t *testing.T, database string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// operate runs an operator's command and returns what it prints.
func (s *service) operate(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), s.binary, args...)
	c.Env = program.Environment(s.settings...)
	c.Stderr = t.Output()
	out, err := c.Output()
	if err != nil {
		t.Fatalf("platen %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// start returns when the program can work. A name is a command and which of its
// processes it is, such as serve-2.
func (s *service) start(t *testing.T, name string) {
	t.Helper()
	command, number, _ := strings.Cut(name, "-")
	at := max(0, strings.Index("12", number))
	c := exec.Command(s.binary, command)
	c.Env = program.Environment(s.settings...)
	c.Env = append(c.Env, "PLATEN_API="+host(s.listen.api[at]), "PLATEN_HOOKS="+host(s.listen.hooks[at]), "PLATEN_DRIVE="+host(s.listen.drive[at]))
	life, err := program.Start(c, filepath.Join(s.dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	s.programs[name] = life
	t.Cleanup(func() {
		if s.programs[name] == life {
			s.stop(t, name)
		}
		if t.Failed() {
			t.Logf("%s said:\n%.8000s", name, life.Said())
		}
	})
	ready := map[string]string{"serve": s.listen.api[at], "drive": s.listen.drive[at]}[command]
	if command == "worker" {
		s.working[name]++
	}
	eventually(t, name, func() error {
		if command == "worker" {
			if strings.Count(life.Said(), `"working"`) < s.working[name] {
				return errors.New("it does not say that it works")
			}
			return nil
		}
		status, answer, err := send(t, http.MethodGet, ready+"/readyz", nil, nil)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%d: %.300s", status, answer)
		}
		return err
	})
}

func (s *service) stop(t *testing.T, name string) {
	t.Helper()
	life := s.programs[name]
	s.programs[name] = nil
	_ = life.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-life.Ended:
	case <-time.After(patience):
		t.Errorf("%s did not end", name)
	}
	if code := life.State.ExitCode(); code != 0 {
		t.Errorf("%s ended with %d, want 0", name, code)
	}
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
		s.call(t, 0, http.MethodPost, path, object{"fileId": s.template(t)}, &d)
		s.call(t, 0, http.MethodPatch, path+d.ID+"/", settings, nil)
		s.documents = append(s.documents, d.ID)
	}
	address, err := url.Parse(w.Source.WebhookURL)
	if err != nil {
		t.Fatal(err)
	}
	s.workflow, s.source = w.ID, address.Path
}

func (s *service) template(t *testing.T) string {
	t.Helper()
	e, err := examples.Get(examples.Letter)
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.files(t).Create(&driveapi.File{Name: "Template", MimeType: e.MIMEType}).Media(bytes.NewReader(e.Template)).Fields("id").Do()
	if err != nil {
		t.Fatal(err)
	}
	return made.Id
}

func (s *service) files(t *testing.T) *driveapi.FilesService {
	t.Helper()
	api, err := driveapi.NewService(t.Context(), option.WithEndpoint(s.drive+"/drive/v3/"),
		option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: s.driveToken})))
	if err != nil {
		t.Fatal(err)
	}
	return api.Files
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

func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	if err := program.Within(patience, check); err != nil {
		t.Fatalf("waited %v for %s: %v", patience, what, err)
	}
}

func drop(t *testing.T, server, name string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), server) // the test's own context is over at its end
	if err == nil {
		_, err = conn.Exec(context.Background(), "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
		_ = conn.Close(context.Background())
	}
	if err != nil {
		t.Error(err)
	}
}
