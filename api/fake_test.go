package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen"
)

// memory is a Store that keeps its contract in a map. Methods that a test
// does not reach are those of the nil interface.
type memory struct {
	Store
	mu        sync.Mutex
	tokens    map[[32]byte]platen.User
	workflows map[string]*platen.Workflow
	pending   map[string]platen.Document
	fail      error // answered by every method but UserByToken
}

func (m *memory) UserByToken(_ context.Context, hash [32]byte) (platen.User, error) {
	if u, ok := m.tokens[hash]; ok {
		return u, nil
	}
	return platen.User{}, platen.Errorf(platen.KindForbidden, "token_unknown", "unknown token")
}

func (m *memory) Ready(context.Context) error { return m.fail }

func (m *memory) sees(u platen.User, w *platen.Workflow) bool {
	return w.Owner.ID == u.ID || w.Team != nil && u.Team != nil && w.Team.ID == u.Team.ID
}

func (m *memory) find(u platen.User, id string) (*platen.Workflow, error) {
	if m.fail != nil {
		return nil, m.fail
	}
	if w := m.workflows[id]; w != nil && m.sees(u, w) {
		return w, nil
	}
	return nil, platen.Errorf(platen.KindNotFound, "workflow_not_found", "no such workflow")
}

func (m *memory) change(u platen.User, id string) (*platen.Workflow, error) {
	w, err := m.find(u, id)
	if err == nil && w.Status == platen.StatusArchived {
		err = platen.Errorf(platen.KindInvalid, "workflow_archived", "archived")
	}
	return w, err
}

func (m *memory) Workflows(_ context.Context, u platen.User) ([]platen.Workflow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []platen.Workflow
	for _, w := range m.workflows {
		if m.sees(u, w) {
			out = append(out, *w)
		}
	}
	slices.SortFunc(out, func(a, b platen.Workflow) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return out, m.fail
}

func (m *memory) Workflow(_ context.Context, u platen.User, id string) (platen.Workflow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.find(u, id)
	if err != nil {
		return platen.Workflow{}, err
	}
	return *w, nil
}

func (m *memory) CreateWorkflow(_ context.Context, w platen.Workflow) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	m.workflows[w.ID] = &w
	return nil
}

func (m *memory) UpdateWorkflow(_ context.Context, u platen.User, id string, change func(*platen.Workflow) error) (platen.Workflow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, id)
	if err != nil {
		return platen.Workflow{}, err
	}
	err = change(w)
	return *w, err
}

func (m *memory) ArchiveWorkflow(_ context.Context, u platen.User, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.find(u, id)
	if err == nil {
		w.Status = platen.StatusArchived
	}
	return err
}

func (m *memory) Documents(ctx context.Context, u platen.User, id string) ([]platen.Document, error) {
	w, err := m.Workflow(ctx, u, id)
	return w.Documents, err
}

func (m *memory) Document(ctx context.Context, u platen.User, wfID, id string) (platen.Document, error) {
	w, err := m.Workflow(ctx, u, wfID)
	for _, d := range w.Documents {
		if d.ID == id {
			return d, nil
		}
	}
	if err == nil {
		err = platen.Errorf(platen.KindNotFound, "document_not_found", "no such document")
	}
	return platen.Document{}, err
}

func (m *memory) ReserveDocument(_ context.Context, u platen.User, d platen.Document) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.change(u, d.WorkflowID)
	if err == nil {
		m.pending[d.ID] = d
	}
	return err
}

func (m *memory) CompleteDocument(_ context.Context, u platen.User, d platen.Document) (platen.Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, d.WorkflowID)
	if err != nil {
		return d, err
	}
	if _, ok := m.pending[d.ID]; !ok {
		return d, platen.Errorf(platen.KindInternal, "", "document %s was not reserved", d.ID)
	}
	delete(m.pending, d.ID)
	w.Documents = append(w.Documents, d)
	w.Status = w.ReadyStatus()
	return d, nil
}

func (m *memory) UpdateDocument(_ context.Context, u platen.User, wfID, id string, change func(*platen.Document) error) (platen.Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, wfID)
	if err != nil {
		return platen.Document{}, err
	}
	i := slices.IndexFunc(w.Documents, func(d platen.Document) bool { return d.ID == id })
	w.Documents = slices.Clone(w.Documents)
	err = change(&w.Documents[i])
	return w.Documents[i], err
}

func (m *memory) OutgoingWebhook(ctx context.Context, u platen.User, wfID string) (platen.OutgoingWebhook, error) {
	w, err := m.Workflow(ctx, u, wfID)
	if err == nil && w.OutgoingWebhook == nil {
		err = platen.Errorf(platen.KindNotFound, "outgoing_webhook_not_found", "none")
	}
	if err != nil {
		return platen.OutgoingWebhook{}, err
	}
	return *w.OutgoingWebhook, nil
}

func (m *memory) CreateOutgoingWebhook(_ context.Context, u platen.User, wfID string, o platen.OutgoingWebhook) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, wfID)
	if err == nil {
		w.OutgoingWebhook = &o
	}
	return err
}

func (m *memory) UpdateOutgoingWebhook(_ context.Context, u platen.User, wfID string, change func(*platen.OutgoingWebhook) error) (platen.OutgoingWebhook, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, wfID)
	if err != nil {
		return platen.OutgoingWebhook{}, err
	}
	o := *w.OutgoingWebhook
	err = change(&o)
	w.OutgoingWebhook = &o
	return o, err
}

// cloud is a drive with some files in it.
type cloud struct {
	Drive
	mu     sync.Mutex
	files  map[string]platen.File
	fails  map[string]error // by method
	hang   bool             // until the context ends
	copies []platen.File
	trash  []string
}

func (c *cloud) call(ctx context.Context, method string) error {
	if c.hang {
		<-ctx.Done()
		return platen.Errorf(platen.KindUnavailable, "", "gave up")
	}
	return c.fails[method]
}

func (c *cloud) File(ctx context.Context, id string) (platen.File, error) {
	if err := c.call(ctx, "File"); err != nil {
		return platen.File{}, err
	}
	f, ok := c.files[id]
	if !ok {
		return f, platen.Errorf(platen.KindNotFound, "", "not there")
	}
	return f, nil
}

func (c *cloud) Copy(ctx context.Context, id, name, key string) (platen.File, error) {
	return c.add(ctx, "Copy", name, c.files[id].MIMEType, key)
}

func (c *cloud) CreateBlank(ctx context.Context, name, mimeType, key string) (platen.File, error) {
	return c.add(ctx, "CreateBlank", name, mimeType, key)
}

func (c *cloud) add(ctx context.Context, method, name, mimeType, key string) (platen.File, error) {
	if err := c.call(ctx, method); err != nil {
		return platen.File{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f := platen.File{ID: "copy-of-" + key, Name: name, URL: "https://drive.test/" + key, MIMEType: mimeType,
		Properties: map[string]string{platen.PropertyKey: key}}
	c.copies = append(c.copies, f)
	return f, nil
}

func (c *cloud) Trash(_ context.Context, id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trash = append(c.trash, id)
	return nil
}

// rig is an API with a store, a drive and two users in it.
type rig struct {
	handler http.Handler
	store   *memory
	cloud   *cloud
	ada     platen.User // in no team; token "ada-token"
	log     *bytes.Buffer
}

const (
	adaToken = "ada-token"
	bobToken = "bob-token" // in a team with cyd
	cydToken = "cyd-token"
)

func newRig(t testing.TB, options ...func(*Options)) *rig {
	t.Helper()
	team := &platen.Team{ID: "team_00000000000001", Name: "Print"}
	ada := platen.User{ID: "usr_00000000000001", Name: "Ada", Email: "ada@example.com"}
	x := &rig{
		ada: ada,
		store: &memory{
			tokens: map[[32]byte]platen.User{
				sha256.Sum256([]byte(adaToken)): ada,
				sha256.Sum256([]byte(bobToken)): {ID: "usr_00000000000002", Name: "Bob", Email: "bob@example.com", Team: team},
				sha256.Sum256([]byte(cydToken)): {ID: "usr_00000000000003", Name: "Cyd", Email: "cyd@example.com", Team: team},
			},
			workflows: map[string]*platen.Workflow{},
			pending:   map[string]platen.Document{},
		},
		cloud: &cloud{fails: map[string]error{}, files: map[string]platen.File{
			"docs-file":    {ID: "docs-file", MIMEType: platen.MIMEDocs},
			"slides-file":  {ID: "slides-file", MIMEType: platen.MIMESlides},
			"pdf-file":     {ID: "pdf-file", MIMEType: platen.MIMEPDF},
			"trashed-file": {ID: "trashed-file", MIMEType: platen.MIMEDocs, Trashed: true},
		}},
		log: &bytes.Buffer{},
	}
	o := Options{
		Store:      x.store,
		Drives:     func(context.Context, string) (Drive, error) { return x.cloud, x.cloud.fails["open"] },
		PublicURL:  "https://api.test/v0",
		HooksURL:   "https://hooks.test",
		PreviewKey: []byte("preview-key"),
		Log:        slog.New(slog.NewJSONHandler(&lockedWriter{w: x.log}, nil)),
		Now:        func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC) },
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

func (x *rig) do(t testing.TB, method, path, body string, header ...string) answer {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", adaToken)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	x.handler.ServeHTTP(w, r)
	return answer{t, w.Code, w.Header(), w.Body.String()}
}

// as sends a request with another token.
func (x *rig) as(t testing.TB, token, method, path, body string) answer {
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
func (x *rig) newWorkflow(t testing.TB, body string) string {
	t.Helper()
	id := x.do(t, "POST", "/v0/workflows/", body).is(http.StatusCreated).object()["id"].(string)
	return "/v0/workflows/" + id
}

// newDocument adds a document and returns its path.
func (x *rig) newDocument(t testing.TB, workflow, body string) string {
	t.Helper()
	id := x.do(t, "POST", workflow+"/documents/", body).is(http.StatusCreated).object()["id"].(string)
	return workflow + "/documents/" + id
}
