package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// harness is an API with a store, a drive and two users in it.
type harness struct {
	handler http.Handler
	store   *memory.Store
	cloud   *memory.Drive
	others  map[string]*memory.Drive // drives of users who do not use cloud
	ada     platen.User              // in no team
	log     *bytes.Buffer
	sender  *memory.Sender
}

func newHarness(t testing.TB, options ...func(*Options)) *harness {
	t.Helper()
	store := memory.New()
	x := &harness{
		ada:    store.Tokens[sha256.Sum256([]byte(memory.AdaToken))],
		store:  store,
		cloud:  memory.NewDrive(),
		others: map[string]*memory.Drive{},
		log:    &bytes.Buffer{},
		sender: &memory.Sender{},
	}
	o := Options{
		Stores: storesIn(x.store),
		Ready:  x.store.Ready,
		Sender: x.sender,
		RunURL: "https://temporal.test/namespaces/default/workflows/",
		Drives: func(_ context.Context, userID string) (Drive, error) {
			if c := x.others[userID]; c != nil {
				return c, c.Fails["open"]
			}
			return x.cloud, x.cloud.Fails["open"]
		},
		PublicURL: "https://api.test/v0",
		HooksURL:  "https://hooks.test",
		Own:       outgoing.NewHosts("https://api.test/v0", "https://hooks.test").Has,
		PreviewAddress: func(origin string, d platen.Document) string {
			return console.PreviewAddress(origin, []byte("preview-key"), d)
		},
		BindPDFs: func(to io.Writer, title string) BoundPDF {
			_, _ = io.WriteString(to, title+"\n") // a recorder takes everything
			return boundTexts{to}
		},
		OrderKey: func(formula string) string {
			if strings.ContainsAny(formula, "{+") {
				return "It is no formula."
			}
			return ""
		},
		Answers: store,
		KeyWait: time.Millisecond,
		Log:     slog.New(slog.NewJSONHandler(&lockedWriter{w: x.log}, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Now:     func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC) },
	}
	for _, change := range options {
		change(&o)
	}
	x.handler = New(o)
	return x
}

type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// answer is a response whose body was read.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

func (x *harness) do(t testing.TB, method, path, body string, header ...string) answer {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", memory.AdaToken)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	x.handler.ServeHTTP(w, r)
	return answer{t, w.Code, w.Header(), w.Body.String()}
}

// as sends a request with another token.
func (x *harness) as(t testing.TB, token, method, path, body string) answer {
	t.Helper()
	return x.do(t, method, path, body, "Authorization", token)
}

func (a answer) is(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status: got %d, want %d; body: %s", a.status, status, a.body)
	}
	return a
}

func (a answer) object() map[string]any {
	a.t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		a.t.Fatalf("body is no JSON object: %v: %s", err, a.body)
	}
	return v
}

// problem checks that the answer is a whole problem and returns it.
func (a answer) problem(status int, code string) problemJSON {
	a.t.Helper()
	a.is(status)
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		a.t.Fatalf("Content-Type: got %q, want application/problem+json", got)
	}
	var p problemJSON
	if err := json.Unmarshal([]byte(a.body), &p); err != nil {
		a.t.Fatalf("problem: %v: %s", err, a.body)
	}
	if p.Code != code {
		a.t.Fatalf("code: got %q, want %q; body: %s", p.Code, code, a.body)
	}
	if p.Type == "" || p.Title == "" || p.Detail == "" || p.Status != status || p.RequestID != a.header.Get("X-Request-Id") {
		a.t.Fatalf("problem is not whole: %s", a.body)
	}
	return p
}

type problemJSON struct {
	Type, Title, Detail, Code, RequestID string
	Status                               int
	Errors                               []struct{ Pointer, Detail string }
}

func (p problemJSON) pointers() []string {
	var out []string
	for _, e := range p.Errors {
		out = append(out, e.Pointer)
	}
	return out
}

// newWorkflow makes a workflow and returns its path without a slash at the end.
func (x *harness) newWorkflow(t testing.TB, body string) string {
	t.Helper()
	id := x.do(t, "POST", "/v0/workflows/", body).is(http.StatusCreated).object()["id"].(string)
	return "/v0/workflows/" + id
}

// newDocument adds a document and returns its path.
func (x *harness) newDocument(t testing.TB, workflow, body string) string {
	t.Helper()
	id := x.do(t, "POST", workflow+"/documents/", body).is(http.StatusCreated).object()["id"].(string)
	return workflow + "/documents/" + id
}

// storesIn are the stores of a memory, which keeps no reviews.
func storesIn(m *memory.Store) Stores {
	return Stores{
		Tokens: m, Workflows: m, Documents: m, Orphans: m, Versions: m, Webhooks: m, Endpoints: m,
		Automations: m, Outputs: m, Mails: m, Events: m, Audit: m, Sources: m, Forms: m, Receivers: m, Targets: m, Senders: m, Schedules: m, Numbers: m, Usage: m, Batches: m,
	}
}
