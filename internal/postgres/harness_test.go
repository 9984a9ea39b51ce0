package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/api/hooks"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit"
)

// The seams that others code against.
var (
	_ hooks.Acceptor  = (*postgres.Batcher)(nil)
	_ postgres.Sealer = (*secret.Box)(nil)
)

// A harness is a database of its own, with means to fill it and a
// pool of its own to look at it.
type harness struct {
	*postgres.DB
	t    testing.TB
	box  *secret.Box
	pool *pgxpool.Pool
	n    atomic.Int64
}

func newHarness(t testing.TB) *harness {
	t.Helper()
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatalf("ParseKeys: %v", err)
	}
	f := &harness{t: t, box: box, pool: testkit.Database(t, "platen", postgres.Migrate)}
	f.DB = f.another()
	return f
}

// another is the store of another process.
func (f *harness) another() *postgres.DB {
	f.t.Helper()
	db, err := postgres.Open(f.t.Context(), f.pool.Config().ConnString(), f.box, postgres.Options{Tracer: discretion{f.t}})
	if err != nil {
		f.t.Fatalf("Open: %v", err)
	}
	f.t.Cleanup(db.Close)
	return db
}

func (f *harness) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// now is cut to what Postgres stores.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

func (f *harness) team(name string) *platen.Team {
	f.t.Helper()
	team := platen.Team{ID: platen.NewID(platen.PrefixTeam), Name: name}
	f.must(f.Users.CreateTeam(f.t.Context(), team))
	return &team
}

func (f *harness) user(team *platen.Team) platen.User {
	f.t.Helper()
	u := platen.User{ID: platen.NewID(platen.PrefixUser), Name: "Ada", Email: fmt.Sprintf("ada%d@example.org", f.n.Add(1)), Team: team}
	f.must(f.Users.CreateUser(f.t.Context(), u))
	f.exec(`INSERT INTO turns (owner_id, served_at, served) VALUES ('` + u.ID + `', now(), 1000)`) // nobody new
	return u
}

func newDocument(workflowID string, at time.Time) platen.Document {
	return platen.Document{
		ID: platen.NewID(platen.PrefixDocument), WorkflowID: workflowID, Type: platen.TypeDocs,
		File:       platen.File{ID: "file-1", Name: "Invoice - [Template]", URL: "https://drive.example/file-1", MIMEType: platen.MIMEDocs},
		OutputName: "Invoice {{No}} - {{Timestamp}}", CreatePDFCopy: true, RemoveOutput: true,
		EnablePDFPassword: true, PDFPassword: "geheim-{{Code}}", PDFPasswordPreventCopy: true, OnMissing: platen.MissingFail,
		OutputFolder: "Customers/{{Name}}", OutputFolderID: "folder-1", OutputSharing: platen.SharingDomain,
		Email:     &platen.Email{To: "{{Email}}", Subject: "S", Text: "T", Attach: platen.AttachLink},
		CreatedAt: at, UpdatedAt: at,
	}
}

// newWorkflow is a complete workflow with an outgoing webhook, not stored yet.
func newWorkflow(owner platen.User) platen.Workflow {
	at := now().Add(-time.Hour)
	w := platen.Workflow{
		ID: platen.NewID(platen.PrefixWorkflow), Name: "Invoices", Color: platen.DefaultColor, Icon: platen.DefaultIcon,
		Status: platen.StatusComplete, AutoCreate: true, Owner: owner, Team: owner.Team,
		Source:          platen.Source{ID: platen.NewID(platen.PrefixSource), Type: platen.SourceWebhook, Fields: []string{}, Key: platen.NewKey()},
		OutgoingWebhook: &platen.OutgoingWebhook{ID: platen.NewID(platen.PrefixOutgoingWebhook), URL: "https://example.org/in", Secret: "whsec_c2VjcmV0", CreatedAt: at, UpdatedAt: at},
		CreatedByAPI:    true, CreatedAt: at, UpdatedAt: at,
	}
	w.Documents = []platen.Document{newDocument(w.ID, at)}
	return w
}

// workflow stores newWorkflow(owner) after changes.
func (f *harness) workflow(owner platen.User, changes ...func(*platen.Workflow)) platen.Workflow {
	f.t.Helper()
	w := newWorkflow(owner)
	for _, change := range changes {
		change(&w)
	}
	f.must(f.Workflows.CreateWorkflow(f.t.Context(), w))
	f.exec(`INSERT INTO workflow_turns (workflow_id, served_at, served) VALUES ('` + w.ID + `', now(), 1000)`) // nothing new
	return w
}

// rested has nothing known of owners and workflows.
func (f *harness) rested() {
	f.t.Helper()
	f.exec(`UPDATE turns SET served_at = now() - interval '2 minutes'`)
	f.exec(`UPDATE workflow_turns SET served_at = now() - interval '2 minutes'`)
}

func incomplete(w *platen.Workflow) {
	w.Documents, w.Status = nil, platen.StatusIncomplete
}

func event(w platen.Workflow, fields ...string) platen.SourceEvent {
	return platen.SourceEvent{
		AutomationID: platen.NewID(platen.PrefixAutomation), SourceKey: w.Source.Key, Body: []byte(`{"a":1}`),
		Fields: fields, ReceivedAt: now(), RequestID: platen.NewID(platen.PrefixRequest),
	}
}

func (f *harness) batcher(o postgres.BatcherOptions) *postgres.Batcher {
	f.t.Helper()
	b := postgres.NewBatcher(f.DB, o)
	f.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := b.Close(ctx); err != nil {
			f.t.Errorf("close batcher: %v", err)
		}
	})
	return b
}

// accept stores n events of a workflow, one after the other, and returns their ids.
func (f *harness) accept(w platen.Workflow, n int) []string {
	f.t.Helper()
	b := f.batcher(postgres.BatcherOptions{})
	ids := make([]string, n)
	for i := range ids {
		e := event(w)
		f.must(b.Accept(f.t.Context(), e))
		ids[i] = e.AutomationID
	}
	return ids
}

func (f *harness) state(id string) platen.AutomationState {
	f.t.Helper()
	a, err := f.Automations.Automation(f.t.Context(), id)
	f.must(err)
	return a.State
}

// open is how many automations take a place.
func (f *harness) open() int {
	f.t.Helper()
	_, seen, err := f.Queue.Claim(f.t.Context(), 0, platen.Claimer{}, 0)
	f.must(err)
	return seen.Open
}

func (f *harness) exec(sql string, args ...any) {
	f.t.Helper()
	_, err := f.pool.Exec(f.t.Context(), sql, args...)
	f.must(err)
}

func (f *harness) count(sql string, args ...any) int {
	f.t.Helper()
	var n int
	f.must(f.pool.QueryRow(f.t.Context(), sql, args...).Scan(&n))
	return n
}

func wantKind(t testing.TB, what string, err error, kind platen.Kind, code string) {
	t.Helper()
	if err == nil || platen.KindOf(err) != kind || !strings.Contains(codeOf(err), code) {
		t.Errorf("%s: got %v (%v, code %q), want %v with code %q", what, err, platen.KindOf(err), codeOf(err), kind, code)
	}
}

func (f *harness) commands() []platen.OutboxCommand {
	f.t.Helper()
	claimed, err := f.Outbox.ClaimCommands(f.t.Context(), 100, time.Minute)
	f.must(err)
	return claimed
}

// running is an automation with a pinned plan and a run.
func (f *harness) running(w platen.Workflow) platen.Plan {
	f.t.Helper()
	p := f.planned(w)
	f.must(f.Queue.MarkStarted(f.t.Context(), firsts(p.AutomationID)))
	return p
}

// planned accepts one event of a workflow and returns its plan.
func (f *harness) planned(w platen.Workflow) platen.Plan {
	f.t.Helper()
	p, err := f.Plans.Plan(f.t.Context(), f.accept(w, 1)[0])
	f.must(err)
	return p
}

func done(o *platen.Output) error { o.State = platen.OutputDone; return nil }

// named ends an output with a file of this name.
func named(name string) func(*platen.Output) error {
	return func(o *platen.Output) error {
		o.State, o.PDF = platen.OutputDone, &platen.File{ID: "pdf-1", Name: name, URL: "https://drive.example/pdf-1", MIMEType: platen.MIMEPDF}
		return nil
	}
}

func failed(o *platen.Output) error {
	o.State, o.FailureCode, o.Failure = platen.OutputFailed, "pdf_password_empty", "it is empty"
	return nil
}

func eventFor(o platen.Output) (platen.Event, error) {
	return platen.Event{ID: platen.NewID(platen.PrefixEvent), Type: platen.EventDocumentsCreated, Payload: []byte("{\"of\":\"" + o.ID + "\\u0000\"}"), CreatedAt: now()}, nil
}
