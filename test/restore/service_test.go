package restore

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/oauth2"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/embedded/ports"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/pages"
	"github.com/platenhq/platen/internal/testkit/program"
)

// patience bounds every wait. What ran at the moment of the backup is looked at a
// minute after the start of a worker.
const patience = 3 * time.Minute

// A service is Platen as it runs in production, with databases of its own.
type service struct {
	dir               string
	binary            string
	database          string // of the service
	driveDatabase     string // the same where both go back together
	settings          []string
	api, hooks, drive string
	token, driveToken string
	programs          map[string]*program.Life
	receiver          *receiver
	source            string
	temporal          *temporal // nil: the one that all tests share
}

// newService makes one; together, its drive is in the same database, and alone, its
// Temporal is nobody else's.
func newService(t *testing.T, together, alone bool) *service {
	t.Helper()
	stack := testkit.Running(t)
	free, err := ports.Free("127.0.0.1", 3)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) string { return "127.0.0.1:" + strconv.Itoa(free[i]) }
	s := &service{
		dir: program.Dir(t, "platen-restore"), binary: program.Built(t, "platen"),
		api: "http://" + at(0), hooks: "http://" + at(1), drive: "http://" + at(2),
		database: newDatabase(t, stack.DatabaseURL), programs: map[string]*program.Life{}, receiver: newReceiver(t),
	}
	runs := stack
	if alone {
		s.temporal = newTemporal(t, s.dir)
		runs = s.temporal.stack
	}
	if s.driveDatabase = s.database; !together {
		s.driveDatabase = newDatabase(t, stack.DatabaseURL)
	}
	s.settings = []string{
		"PLATEN_DATABASE_URL=" + s.database, "PLATEN_DRIVE_KIND=platen", "PLATEN_DRIVE_ENDPOINT=" + s.drive,
		"PLATEN_API=" + at(0), "PLATEN_HOOKS=" + at(1), "PLATEN_DRIVE=" + at(2), "PLATEN_ALLOW_PRIVATE=127.0.0.1/32",
		"PLATEN_TEMPORAL_ADDRESS=" + runs.TemporalAddress, "PLATEN_TEMPORAL_NAMESPACE=" + runs.TemporalNamespace,
		"TEXTFILES=" + s.dir,
		"PLATEN_QUEUE=restore-" + strings.ToLower(rand.Text()), "PLATEN_SWEEP_AFTER=5s",
	}
	s.settings = append(s.settings, "PLATEN_SECRET_KEYS="+s.operate(t, nil, "key"))
	ofDrive := []string{"PLATEN_DATABASE_URL=" + s.driveDatabase}
	s.operate(t, nil, "migrate")
	s.operate(t, ofDrive, "migrate")
	s.operate(t, nil, "user", "create", "--name", "Ada", "--email", "ada@example.com")
	s.token = s.operate(t, nil, "token", "create", "--user", "ada@example.com")
	s.driveToken = s.operate(t, ofDrive, "drive", "token", "--email", "ada@example.com")
	s.run(t, "drive")
	s.operate(t, []string{"PLATEN_DRIVE_CREDENTIAL=" + s.driveToken}, "user", "connect", "--email", "ada@example.com", "--kind", "token")
	s.run(t, "serve")
	s.configure(t)
	return s
}

// newDatabase makes an empty one and returns its address.
func newDatabase(t *testing.T, server string) string {
	t.Helper()
	name := "restore_" + strings.ToLower(rand.Text())
	query := func(statement string) error {
		conn, err := pgx.Connect(context.Background(), server) // the test's own is over at its end
		if err != nil {
			return err
		}
		defer conn.Close(context.Background())
		_, err = conn.Exec(context.Background(), statement)
		return err
	}
	if err := query("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, gone := range []string{name, name + "_wrong"} {
			if err := query("DROP DATABASE IF EXISTS " + gone + " WITH (FORCE)"); err != nil {
				t.Error(err)
			}
		}
	})
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/" + name
	return address.String()
}

// operate runs an operator's command and returns what it prints last.
func (s *service) operate(t *testing.T, more []string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), s.binary, args...)
	c.Env = program.Environment(append(append([]string{}, s.settings...), more...)...)
	c.Stderr = t.Output()
	out, err := c.Output()
	if err != nil {
		t.Fatalf("platen %s: %v", strings.Join(args, " "), err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// configure makes a workflow with a letter and an invoice that is a PDF alone.
func (s *service) configure(t *testing.T) {
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
		"name": "Letters", "document": object{"fileId": s.template(t)}, "outgoingWebhook": object{"webhookUrl": s.receiver.url},
	}, &w)
	documents := "/workflows/" + w.ID + "/documents/"
	s.call(t, http.MethodPatch, documents+w.Documents[0].ID+"/", object{"outputName": "Letter {{Name}}"}, nil)
	var second struct {
		ID string `json:"id"`
	}
	s.call(t, http.MethodPost, documents, object{"fileId": s.template(t)}, &second)
	s.call(t, http.MethodPatch, documents+second.ID+"/", object{"outputName": "Invoice {{Name}}", "createPdfCopy": true, "removeOutput": true}, nil)
	source, err := url.Parse(w.Source.WebhookURL)
	if err != nil {
		t.Fatal(err)
	}
	s.source = s.hooks + source.Path
}

func (s *service) template(t *testing.T) string {
	t.Helper()
	e, err := examples.Get(examples.Invoice)
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.driveAPI(t).Files.Create(&driveapi.File{Name: "Template", MimeType: e.MIMEType}).
		Media(bytes.NewReader(e.Template)).Fields("id").Do()
	if err != nil {
		t.Fatal(err)
	}
	return made.Id
}

func (s *service) driveAPI(t *testing.T) *driveapi.Service {
	t.Helper()
	api, err := driveapi.NewService(t.Context(), option.WithEndpoint(s.drive+"/drive/v3/"),
		option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: s.driveToken})))
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// start runs what does not run yet.
func (s *service) start(t *testing.T) {
	t.Helper()
	for _, name := range []string{"drive", "serve", "worker"} {
		if s.programs[name] == nil {
			s.run(t, name)
		}
	}
}

func (s *service) run(t *testing.T, name string) {
	t.Helper()
	c := exec.Command(s.binary, name)
	c.Env = program.Environment(s.settings...)
	if name == "drive" {
		c.Env = append(c.Env, "PLATEN_DATABASE_URL="+s.driveDatabase)
	}
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
			t.Logf("%s said:\n%s", name, life.Said())
		}
	})
	if address := map[string]string{"drive": s.drive, "serve": s.api}[name]; address != "" {
		eventually(t, name, func() error {
			conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
			if err == nil {
				err = conn.Close()
			}
			return err
		})
	}
}

func (s *service) stop(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		life := s.programs[name]
		_ = life.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-life.Ended:
		case <-time.After(patience):
			t.Errorf("%s did not end", name)
		}
		s.programs[name] = nil
	}
}

// typed runs the commands that the page prints from one heading to another.
func (s *service) typed(t *testing.T, heading string) {
	t.Helper()
	address, err := url.Parse(s.database)
	if err != nil {
		t.Fatal(err)
	}
	name, user := strings.TrimPrefix(address.Path, "/"), address.User.Username()
	printed := commands(t, heading,
		"DATABASE platen RENAME TO platen_wrong", "DATABASE "+name+" RENAME TO "+name+"_wrong",
		"createdb platen --owner platen", "createdb "+name+" --owner "+user)
	typed(t, s.dir, address, "platen() { "+s.binary+" \"$@\"; }\n"+printed, s.settings...)
}

// commands are those that the page prints below a heading, with names in place of those
// on the page.
func commands(t *testing.T, heading string, names ...string) string {
	t.Helper()
	return strings.NewReplacer(names...).Replace(pages.Typed(t, "docs/restore.md", heading))
}

// typed runs commands where a database is at hand as Postgres' user has it.
func typed(t *testing.T, dir string, database *url.URL, commands string, settings ...string) {
	t.Helper()
	password, _ := database.User.Password()
	c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", "sudo() { shift 2; \"$@\"; }\n"+commands)
	c.Dir, c.Env = dir, program.Environment(append([]string{
		"PGHOST=" + database.Hostname(), "PGPORT=" + database.Port(), "PGUSER=" + database.User.Username(), "PGPASSWORD=" + password, "PGDATABASE=postgres",
	}, settings...)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", commands, err, out)
	}
}

// post sends an event about a customer and returns the id of its automation.
func (s *service) post(t *testing.T, customer string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.source, strings.NewReader(`{"Name": "`+customer+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	send(t, request, nil)
	var id string
	s.query(t, &id, `SELECT id FROM automations ORDER BY accepted_at DESC LIMIT 1`)
	return id
}

func (s *service) call(t *testing.T, method, path string, body, result any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, s.api+"/v0"+path, strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", s.token)
	send(t, request, result)
}

func send(t *testing.T, request *http.Request, result any) {
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

func (s *service) query(t *testing.T, value any, sql string, args ...any) {
	t.Helper()
	query(t, s.database, value, sql, args...)
}

// query reads one value, which stays as it is where there is no row.
func query(t *testing.T, database string, value any, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(value); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		t.Fatal(err)
	}
}

// state is that of an automation, empty where there is none.
func (s *service) state(t *testing.T, id string) (state platen.AutomationState) {
	t.Helper()
	s.query(t, &state, `SELECT state FROM automations WHERE id = $1`, id)
	return state
}

func (s *service) awaitEnd(t *testing.T, id string) {
	t.Helper()
	eventually(t, id, func() error {
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

func (s *service) awaitState(t *testing.T, id string, want platen.AutomationState) {
	t.Helper()
	eventually(t, id, func() error {
		if state := s.state(t, id); state != want {
			return fmt.Errorf("%s is %s, want %s", id, state, want)
		}
		return nil
	})
}

// awaitDelivered waits until the events of both documents of an automation are delivered.
func (s *service) awaitDelivered(t *testing.T, id string) {
	t.Helper()
	s.awaitEnd(t, id)
	eventually(t, "the events of "+id, func() error {
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
func (s *service) files(t *testing.T) map[string]file {
	t.Helper()
	all := map[string]file{}
	list, err := s.driveAPI(t).Files.List().PageSize(1000).Fields("files(id,name,webViewLink,trashed,appProperties)").Do()
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

func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	if err := program.Within(patience, check); err != nil {
		t.Fatalf("waited %v for %s: %v", patience, what, err)
	}
}
