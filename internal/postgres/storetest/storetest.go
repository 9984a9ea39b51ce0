// Package storetest is a database of its own for a test of the stores, and means to fill
// it, to play the programs on it and to look at it.
//
// It is for tests alone. What one package of stores needs stays in its own tests.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/operate"
	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit"
)

// A Harness is a database of its own, with means to fill it and a
// pool of its own to look at it.
type Harness struct {
	*operate.DB
	Queue   *run.Queue
	Order   *run.Order
	Parking *run.Parking
	Folders *run.OutputFolders
	Notices *run.Notices
	Folding *run.Usage
	Moments *run.Schedules

	T     testing.TB
	Box   *secret.Box
	Owner *pgxpool.Pool
	n     atomic.Int64
	ran   recorder
}

// New makes a database with roles, and its stores, which act as the owner of the tables. In
// the end it fails a test in which a room ran a statement that is not for its role.
func New(t testing.TB) *Harness {
	t.Helper()
	box, err := secret.ParseKeys(secret.NewKey())
	if err != nil {
		t.Fatalf("ParseKeys: %v", err)
	}
	f := &Harness{T: t, Box: box, Owner: testkit.Database(t, "walled", migrateBehindWalls)}
	t.Cleanup(func() {
		for _, refused := range f.Beyond() {
			t.Errorf("a statement that is not for its role: %s", refused)
		}
	})
	f.DB = f.Another()
	work := run.New(f.DB.DB)
	f.Queue, f.Order, f.Parking, f.Folders, f.Notices, f.Folding, f.Moments = work.Queue, work.Order, work.Parking, work.Folders, work.Notices, work.Usage, work.Schedules
	return f
}

// Another is the store of another process.
func (f *Harness) Another() *operate.DB {
	f.T.Helper()
	db, err := postgres.Open(f.T.Context(), f.Owner.Config().ConnString(), f.Box, postgres.Options{Tracer: discretion{f.T, &f.ran}})
	if err != nil {
		f.T.Fatalf("Open: %v", err)
	}
	f.T.Cleanup(db.Close)
	return operate.New(db)
}

// Must ends the test on an error.
func (f *Harness) Must(err error) {
	f.T.Helper()
	if err != nil {
		f.T.Fatal(err)
	}
}

// Now is cut to what Postgres stores.
func Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Team makes a team.
func (f *Harness) Team(name string) *platen.Team {
	f.T.Helper()
	team := platen.Team{ID: platen.NewID(platen.PrefixTeam), Name: name}
	f.Must(f.Users.CreateTeam(f.T.Context(), team))
	return &team
}

// User makes a user who is nobody new to the queue.
func (f *Harness) User(team *platen.Team) platen.User {
	f.T.Helper()
	u := platen.User{ID: platen.NewID(platen.PrefixUser), Name: "Ada", Email: fmt.Sprintf("ada%d@example.org", f.n.Add(1)), Team: team}
	f.Must(f.Users.CreateUser(f.T.Context(), u))
	f.Exec(`INSERT INTO turns (owner_id, served_at, served) VALUES ('` + u.ID + `', now(), 1000)`) // nobody new
	return u
}

// NewDocument is a document with every option, not stored yet.
func NewDocument(workflowID string, at time.Time) platen.Document {
	return platen.Document{
		ID: platen.NewID(platen.PrefixDocument), WorkflowID: workflowID, Type: platen.TypeDocs,
		File:       platen.File{ID: "file-1", Name: "Invoice - [Template]", URL: "https://drive.example/file-1", MIMEType: platen.MIMEDocs},
		OutputName: "Invoice {{No}} - {{Timestamp}}", CreatePDFCopy: true, RemoveOutput: true,
		EnablePDFPassword: true, PDFPassword: "geheim-{{Code}}", PDFPasswordPreventCopy: true, PDFProfile: platen.ProfilePDFA3b, Accessibility: platen.AccessibilityRequire, Seal: true, EInvoice: &platen.EInvoice{Syntax: platen.InvoiceCII, Profile: platen.InvoiceEN16931, Map: `{"BT-1":"{{Number invoices}}"}`}, OnMissing: platen.MissingFail,
		OutputFolder: "Customers/{{Name}}", OutputFolderID: "folder-1", OutputSharing: platen.SharingDomain,
		Email:     &platen.Email{To: "{{Email}}", Subject: "S", Text: "T", Attach: platen.AttachLink},
		CreatedAt: at, UpdatedAt: at,
	}
}

// NewWorkflow is a complete workflow with an outgoing webhook, not stored yet.
func NewWorkflow(owner platen.User) platen.Workflow {
	at := Now().Add(-time.Hour)
	w := platen.Workflow{
		ID: platen.NewID(platen.PrefixWorkflow), Name: "Invoices", Color: platen.DefaultColor, Icon: platen.DefaultIcon,
		Status: platen.StatusComplete, AutoCreate: true, Owner: owner, Team: owner.Team,
		Source:          platen.Source{ID: platen.NewID(platen.PrefixSource), Type: platen.SourceWebhook, Fields: []string{}, Key: platen.NewKey()},
		OutgoingWebhook: &platen.OutgoingWebhook{ID: platen.NewID(platen.PrefixOutgoingWebhook), URL: "https://example.org/in", Secret: "whsec_c2VjcmV0", CreatedAt: at, UpdatedAt: at},
		CreatedByAPI:    true, CreatedAt: at, UpdatedAt: at,
	}
	w.Documents = []platen.Document{NewDocument(w.ID, at)}
	return w
}

// Workflow stores newWorkflow(owner) after changes.
func (f *Harness) Workflow(owner platen.User, changes ...func(*platen.Workflow)) platen.Workflow {
	f.T.Helper()
	w := NewWorkflow(owner)
	for _, change := range changes {
		change(&w)
	}
	f.Must(f.Workflows.CreateWorkflow(f.T.Context(), w))
	f.Exec(`INSERT INTO workflow_turns (workflow_id, served_at, served) VALUES ('` + w.ID + `', now(), 1000)`) // nothing new
	return w
}

// Rested has nothing known of owners and workflows.
func (f *Harness) Rested() {
	f.T.Helper()
	f.Exec(`UPDATE turns SET served_at = now() - interval '2 minutes'`)
	f.Exec(`UPDATE workflow_turns SET served_at = now() - interval '2 minutes'`)
}

// Incomplete takes the documents from a workflow.
func Incomplete(w *platen.Workflow) {
	w.Documents, w.Status = nil, platen.StatusIncomplete
}

// Event is a source event for a workflow.
func Event(w platen.Workflow, fields ...string) platen.SourceEvent {
	return platen.SourceEvent{
		AutomationID: platen.NewID(platen.PrefixAutomation), SourceKey: w.Source.Key, Body: []byte(`{"a":1}`),
		Fields: fields, ReceivedAt: Now(), RequestID: platen.NewID(platen.PrefixRequest),
	}
}

// Batcher takes events until the test ends.
func (f *Harness) Batcher(o accept.BatcherOptions) *accept.Batcher {
	f.T.Helper()
	b := accept.NewBatcher(f.DB.DB, o)
	f.T.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := b.Close(ctx); err != nil {
			f.T.Errorf("close batcher: %v", err)
		}
	})
	return b
}

// Limit lets an owner have so many documents in a month; nil: as many as they like.
func (f *Harness) Limit(ownerID string, documents *int64) {
	f.T.Helper()
	_, err := f.Usage.SetLimit(f.T.Context(), ownerID, documents)
	f.Must(err)
}

// Accept stores n events of a workflow, one after the other, and returns their ids.
func (f *Harness) Accept(w platen.Workflow, n int) []string {
	f.T.Helper()
	b := f.Batcher(accept.BatcherOptions{})
	ids := make([]string, n)
	for i := range ids {
		e := Event(w)
		f.Must(b.Accept(f.T.Context(), e))
		ids[i] = e.AutomationID
	}
	return ids
}

// Send accepts events on the connections of db, one after the other, as another process
// would.
func Send(ctx context.Context, db *postgres.DB, events ...platen.SourceEvent) error {
	b := accept.NewBatcher(db, accept.BatcherOptions{})
	for _, e := range events {
		if err := b.Accept(ctx, e); err != nil {
			return errors.Join(err, b.Close(ctx))
		}
	}
	return b.Close(ctx)
}

// Automation is one of a workflow's, as its owner reads it.
func (f *Harness) Automation(w platen.Workflow, id string) platen.Automation {
	f.T.Helper()
	a, err := f.Automations.WorkflowAutomation(f.T.Context(), w.Owner, w.ID, id)
	f.Must(err)
	return a
}

// State is where an automation is.
func (f *Harness) State(id string) platen.AutomationState {
	f.T.Helper()
	var state platen.AutomationState
	f.Must(f.Owner.QueryRow(f.T.Context(), `SELECT state FROM automations WHERE id = $1`, id).Scan(&state))
	return state
}

// Open is how many automations take a place.
func (f *Harness) Open() int {
	f.T.Helper()
	_, seen, err := f.Queue.Claim(f.T.Context(), 0, platen.Claimer{}, 0)
	f.Must(err)
	return seen.Open
}

// Exec runs a statement as the owner of the tables.
func (f *Harness) Exec(sql string, args ...any) {
	f.T.Helper()
	_, err := f.Owner.Exec(f.T.Context(), sql, args...)
	f.Must(err)
}

// Count is what a query for a number answers.
func (f *Harness) Count(sql string, args ...any) int {
	f.T.Helper()
	var n int
	f.Must(f.Owner.QueryRow(f.T.Context(), sql, args...).Scan(&n))
	return n
}

// WantKind wants an error of a kind and a code.
func WantKind(t testing.TB, what string, err error, kind platen.Kind, code string) {
	t.Helper()
	if err == nil || platen.KindOf(err) != kind || !strings.Contains(CodeOf(err), code) {
		t.Errorf("%s: got %v (%v, code %q), want %v with code %q", what, err, platen.KindOf(err), CodeOf(err), kind, code)
	}
}

// Commands claims what is in the outbox.
func (f *Harness) Commands() []platen.OutboxCommand {
	f.T.Helper()
	claimed, err := f.Outbox.ClaimCommands(f.T.Context(), 100, time.Minute)
	f.Must(err)
	return claimed
}

// Running is an automation with a pinned plan and a run.
func (f *Harness) Running(w platen.Workflow) platen.Plan {
	f.T.Helper()
	p := f.Planned(w)
	f.Must(f.Queue.MarkStarted(f.T.Context(), Firsts(p.AutomationID)))
	return p
}

// Planned accepts one event of a workflow and returns its plan.
func (f *Harness) Planned(w platen.Workflow) platen.Plan {
	f.T.Helper()
	p, err := f.Plans.Plan(f.T.Context(), f.Accept(w, 1)[0])
	f.Must(err)
	return p
}

// Done ends an output well.
func Done(o *platen.Output) error { o.State = platen.OutputDone; return nil }

// Named ends an output with a file of this name.
func Named(name string) func(*platen.Output) error {
	return func(o *platen.Output) error {
		o.State, o.PDF = platen.OutputDone, &platen.File{ID: "pdf-1", Name: name, URL: "https://drive.example/pdf-1", MIMEType: platen.MIMEPDF}
		return nil
	}
}

// Failed ends an output as one that failed.
func Failed(o *platen.Output) error {
	o.State, o.FailureCode, o.Failure = platen.OutputFailed, "pdf_password_empty", "it is empty"
	return nil
}

// EventFor is the event about an output.
func EventFor(o platen.Output) (platen.Event, error) {
	return platen.Event{ID: platen.NewID(platen.PrefixEvent), Type: platen.EventDocumentsCreated, Payload: []byte("{\"of\":\"" + o.ID + "\\u0000\"}"), CreatedAt: Now()}, nil
}

// Untimed compares outputs without the times that the store gives them.
func Untimed() cmp.Option {
	return cmpopts.IgnoreFields(platen.Output{}, "CreatedAt", "UpdatedAt")
}

// Rename gives a workflow another name.
func Rename(w *platen.Workflow) error { w.Name = "Renamed"; return nil }

// CodeOf is the code of an error, empty without one.
func CodeOf(err error) string {
	var e *platen.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// AnyDocument allows every change.
func AnyDocument(platen.Document) error { return nil }

// Acting is a context in which a user does something by a token.
func Acting(ctx context.Context, by platen.User, action string) (context.Context, *platen.Act) {
	return platen.BeginAct(ctx, platen.AuditEntry{
		Actor:  platen.Actor{Kind: platen.ActorUser, ID: by.ID, TokenID: "tok_0000000000000001", Address: netip.MustParseAddr("203.0.113.7")},
		Action: action, RequestID: "req_1",
	})
}
