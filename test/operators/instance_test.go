package operators_test

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
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// patience bounds every wait for the instance.
const patience = 2 * time.Minute

// An instance is Platen as it runs in production: three programs, each with a listener
// for Prometheus.
type instance struct {
	dir, binary                string
	settings                   []string
	api, hooks, drive          string
	metrics                    map[string]string // by program
	token, driveToken          string
	programs                   map[string]*exec.Cmd
	receiver                   *httptest.Server
	received, refused          atomic.Int64
	good, refusing, withoutOne workflow
}

const email = "ada@operators.example"

// runInstance starts the programs on the Postgres and the Temporal of platen-dev, with
// a database of their own.
func runInstance(t *testing.T) *instance {
	t.Helper()
	var stack struct {
		DatabaseURL       string `json:"databaseUrl"`
		TemporalAddress   string `json:"temporalAddress"`
		TemporalNamespace string `json:"temporalNamespace"`
	}
	raw, err := os.ReadFile(os.Getenv("PLATEN_TEST_STACK"))
	if err == nil {
		err = json.Unmarshal(raw, &stack)
	}
	if err != nil {
		t.Fatalf("no running stack: %v: `make operators` starts one", err)
	}
	at := addresses(t, 6)
	i := &instance{
		dir: t.TempDir(), binary: "../../bin/platen", api: at[0], hooks: at[1], drive: at[2], programs: map[string]*exec.Cmd{},
		metrics: map[string]string{"serve": at[3], "worker": at[4], "drive": at[5]},
	}
	i.settings = []string{
		"PLATEN_DATABASE_URL=" + newDatabase(t, stack.DatabaseURL), "PLATEN_TEMPORAL_ADDRESS=" + stack.TemporalAddress, "PLATEN_TEMPORAL_NAMESPACE=" + stack.TemporalNamespace,
		"PLATEN_API=" + host(i.api), "PLATEN_HOOKS=" + host(i.hooks), "PLATEN_DRIVE=" + host(i.drive), "PLATEN_DRIVE_KIND=platen", "PLATEN_DRIVE_ENDPOINT=" + i.drive,
		"PLATEN_ALLOW_PRIVATE=127.0.0.1/32", "PLATEN_QUEUE=operators-" + strings.ToLower(rand.Text()), "PLATEN_RETRY_SCHEDULE=0s,1s,1s",
		"PLATEN_GOOGLE_QUOTA_DOCS_WRITES=600,6000", // limits as with Google, which our own drive has not
	}
	i.settings = append(i.settings, "PLATEN_SECRET_KEYS="+i.operate(t, "key"))
	i.operate(t, "migrate")
	i.operate(t, "user", "create", "--name", "Ada", "--email", email)
	i.token, i.driveToken = i.operate(t, "token", "create", "--user", email), i.operate(t, "drive", "token", "--email", email)
	i.start(t, "drive")
	i.settings = append(i.settings, "PLATEN_DRIVE_CREDENTIAL="+i.driveToken)
	i.operate(t, "user", "connect", "--email", email, "--kind", "token")
	i.start(t, "serve")
	i.start(t, "worker")
	return i
}

// addresses are of this machine, and free.
func addresses(t *testing.T, n int) (all []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all = append(all, "http://"+l.Addr().String())
	}
	return all
}

func host(address string) string { return strings.TrimPrefix(address, "http://") }

func newDatabase(t *testing.T, server string) string {
	t.Helper()
	name := "operators_" + strings.ToLower(rand.Text())
	execute(t, t.Context(), server, "CREATE DATABASE "+name)
	t.Cleanup(func() {
		execute(t, context.Background(), server, "DROP DATABASE "+name+" WITH (FORCE)") // the test's own context is over
	})
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/" + name
	return address.String()
}

func execute(t *testing.T, ctx context.Context, database, statement string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// start returns when the program says that it is ready.
func (i *instance) start(t *testing.T, name string) {
	t.Helper()
	said, err := os.OpenFile(filepath.Join(i.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	c := exec.Command(i.binary, name)
	c.Env = append(append(os.Environ(), i.settings...), "PLATEN_METRICS="+host(i.metrics[name]))
	c.Stdout, c.Stderr = said, said
	if err := c.Start(); err != nil {
		t.Fatalf("%v: `make operators` builds it", err)
	}
	i.programs[name] = c
	t.Cleanup(func() {
		if i.programs[name] == c {
			i.stop(name)
		}
		if raw, err := os.ReadFile(said.Name()); t.Failed() && err == nil {
			t.Logf("%s said:\n%.4000s", name, raw)
		}
	})
	eventually(t, name, func() error {
		answer, err := http.Get(i.metrics[name] + "/readyz")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if raw, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
			return fmt.Errorf("got %s, %v: %s", answer.Status, err, raw)
		}
		return nil
	})
}

func (i *instance) stop(name string) {
	c := i.programs[name]
	i.programs[name] = nil
	_ = c.Process.Signal(syscall.SIGTERM) // it may have ended
	_ = c.Wait()                          // its log says why
}

func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited %v for %s: %v", patience, what, err)
		}
	}
}

type object = map[string]any

// call sends JSON and returns the status and the answer.
func call(t *testing.T, method, address, authorization string, body any) (int, []byte) {
	t.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, raw
}

// ask calls /v0; an answer that is no success fails the test.
func (i *instance) ask(t *testing.T, method, path string, body, result any) {
	t.Helper()
	status, raw := call(t, method, i.api+"/v0"+path, i.token, body)
	if status/100 != 2 {
		t.Fatalf("%s %s: got %d: %.500s", method, path, status, raw)
	}
	if result != nil {
		if err := json.Unmarshal(raw, result); err != nil {
			t.Fatalf("%s %s: %v: %.500s", method, path, err, raw)
		}
	}
}

// A workflow has one document, whose template is a file of the drive without text.
type workflow struct {
	source, template string
}

func (i *instance) workflow(t *testing.T, receiver string) workflow {
	t.Helper()
	var file struct {
		ID string `json:"id"`
	}
	status, raw := call(t, http.MethodPost, i.drive+"/drive/v3/files", "Bearer "+i.driveToken, object{"name": "Template", "mimeType": "application/vnd.google-apps.document"})
	if err := json.Unmarshal(raw, &file); err != nil || status != http.StatusOK {
		t.Fatalf("a template: got %d, %v: %s", status, err, raw)
	}
	var w struct {
		ID     string `json:"id"`
		Source struct {
			WebhookURL string `json:"webhookUrl"`
		} `json:"source"`
	}
	i.ask(t, http.MethodPost, "/workflows/", object{"name": "Letters", "outgoingWebhook": object{"webhookUrl": receiver}}, &w)
	var d struct {
		ID   string `json:"id"`
		File struct {
			ID string `json:"id"`
		} `json:"file"`
	}
	i.ask(t, http.MethodPost, "/workflows/"+w.ID+"/documents/", object{"file_id": file.ID}, &d)
	i.ask(t, http.MethodPatch, "/workflows/"+w.ID+"/documents/"+d.ID+"/", object{"createPdfCopy": true}, nil)
	return workflow{w.Source.WebhookURL, d.File.ID}
}

// prepare makes workflows: one whose receiver takes events, one whose receiver does not,
// and one whose template is gone.
func (i *instance) prepare(t *testing.T) {
	t.Helper()
	i.receiver = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refuses" {
			i.refused.Add(1)
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		i.received.Add(1)
	}))
	t.Cleanup(i.receiver.Close)
	takes := i.receiver.URL + "/takes"
	i.good, i.refusing, i.withoutOne = i.workflow(t, takes), i.workflow(t, i.receiver.URL+"/refuses"), i.workflow(t, takes)
	status, raw := call(t, http.MethodDelete, i.drive+"/drive/v3/files/"+i.withoutOne.template, "Bearer "+i.driveToken, nil)
	if status != http.StatusNoContent {
		t.Fatalf("delete a template: got %d %s", status, raw)
	}
}

// work has each workflow end an event.
func (i *instance) work(t *testing.T) {
	t.Helper()
	received, refused := i.received.Load(), i.refused.Load()
	for _, w := range []workflow{i.good, i.refusing, i.withoutOne} {
		i.post(t, w)
	}
	eventually(t, "events to be delivered, and refused", func() error {
		if i.received.Load() < received+2 || i.refused.Load() == refused && refused == 0 {
			return fmt.Errorf("%d were received, %d refused", i.received.Load()-received, i.refused.Load())
		}
		return nil
	})
}

func (i *instance) post(t *testing.T, w workflow) {
	t.Helper()
	if status, raw := call(t, http.MethodPost, w.source, "", object{"Name": "Ada"}); status != http.StatusOK {
		t.Fatalf("a source event: got %d %s", status, raw)
	}
}

// loseDrive has an event wait for a drive that is gone, until a metric says so.
func (i *instance) loseDrive(t *testing.T, seen func() error) {
	t.Helper()
	i.stop("drive")
	i.post(t, i.good)
	eventually(t, "a metric of a run that waits for the drive", seen)
	i.start(t, "drive")
}

// disable has a source answer 503, as it does while its owner is disabled.
func (i *instance) disable(t *testing.T) {
	t.Helper()
	i.operate(t, "user", "disable", "--yes", "--email", email)
	eventually(t, "the source to be closed", func() error {
		if status, raw := call(t, http.MethodPost, i.good.source, "", object{"Name": "Ada"}); status != http.StatusServiceUnavailable {
			return fmt.Errorf("got %d %s", status, raw)
		}
		return nil
	})
	i.operate(t, "user", "enable", "--email", email)
}

func (i *instance) operate(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), i.binary, args...)
	c.Env = append(os.Environ(), i.settings...)
	out, err := c.Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			err = fmt.Errorf("%w: %s", err, failed.Stderr)
		}
		t.Fatalf("platen %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}
