// Package memory stands in for what package api asks of the rest of the installation: its
// stores, the drives of its callers and what looks at templates. Tests of the API and of the
// console's pages use it where a database would only slow them down.
//
// A test of package api does the same on this store and on the real ones, and holds the
// answers to each other. What runs, outputs and events are is seeded by a test, so their
// store is held to nothing but the shape of api's interfaces. It knows the types of the
// domain alone. What the API does with an answer does not belong here.
package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Store is each of api.Stores but Reviews, and api.Answers. Tests seed
// its exported fields and read them while no request runs.
type Store struct {
	Tokens   map[[32]byte]platen.User // by the SHA-256 of their text
	Scopes   map[[32]byte]platen.Scopes
	Expires  time.Time                   // of every token
	ByID     map[string]*platen.Workflow // workflows
	Acts     []platen.AuditEntry
	Verified map[string]platen.Verification // by workflow
	Seen     []platen.SeenField             // of every workflow
	Noted    []string                       // documents whose template is noted as an orphan
	Given    []platen.DrawnNumber
	Used     []platen.MonthUsage
	Limits   map[string]int64 // documents in a month, by user
	Batches  []Batch
	Runs     Runs
	Probed   atomic.Int32 // how often Ready was asked
	Fail     error        // answered by every method but TokenByHash

	mu        sync.Mutex
	pending   map[string]platen.Document
	testers   map[string]platen.OutgoingWebhook // test receivers, by workflow
	forms     map[string]platen.PublicForm      // by workflow
	senders   []platen.MailSender
	targets   map[string][]platen.Target          // by workflow
	receivers map[string][]platen.Receiver        // by workflow
	clocks    map[string][]platen.Schedule        // by workflow
	files     map[string][]platen.ScheduleFile    // of folders, by schedule
	series    map[string]map[string]platen.Series // by holder and name
	versions  []platen.TemplateVersion
	contents  map[string][]byte // of versions
	turns     map[string]string // to change templates, by document
	uploads   map[string]platen.TemplateUpload
	claims    map[string]*claim // by user and Idempotency-Key
	claimed   int               // claims so far
}

// Tokens of the users of New, and one of nobody.
const (
	AdaToken    = "plt_Ada00000000000000000000000007Mh5I" // in no team
	BobToken    = "plt_Bob0000000000000000000000000ipOaW" // in a team with Cyd
	CydToken    = "plt_Cyd0000000000000000000000003MUVBO"
	NobodyToken = "plt_Eve0000000000000000000000000ePsdR"
)

// New returns a store with three users and nothing else.
func New() *Store {
	team := &platen.Team{ID: "team_00000000000001", Name: "Print"}
	return &Store{
		Tokens: map[[32]byte]platen.User{
			sha256.Sum256([]byte(AdaToken)): {ID: "usr_00000000000001", Name: "Ada", Email: "ada@example.com"},
			sha256.Sum256([]byte(BobToken)): {ID: "usr_00000000000002", Name: "Bob", Email: "bob@example.com", Team: team},
			sha256.Sum256([]byte(CydToken)): {ID: "usr_00000000000003", Name: "Cyd", Email: "cyd@example.com", Team: team},
		},
		ByID:     map[string]*platen.Workflow{},
		Verified: map[string]platen.Verification{},
		pending:  map[string]platen.Document{},
		testers:  map[string]platen.OutgoingWebhook{},
		forms:    map[string]platen.PublicForm{},
		series:   map[string]map[string]platen.Series{},
		contents: map[string][]byte{},
		turns:    map[string]string{},
		uploads:  map[string]platen.TemplateUpload{},
		claims:   map[string]*claim{},
	}
}

// Scope gives a token scopes, such as "read,write", and takes those of all other tokens.
func (m *Store) Scope(token, scopes string) {
	parsed, err := platen.ParseScopes(scopes)
	if err != nil {
		panic(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Scopes = map[[32]byte]platen.Scopes{sha256.Sum256([]byte(token)): parsed}
}

func (m *Store) Record(_ context.Context, e platen.AuditEntry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.ContainsFunc(m.Acts, func(have platen.AuditEntry) bool { return have.ID == e.ID }) {
		return m.Fail
	}
	e.At = time.Date(2026, 1, 2, 3, 4, 5, len(m.Acts)*1000, time.UTC)
	m.Acts = append(m.Acts, e)
	return m.Fail
}

// CallersAudit shows what the caller did; whose entries those of others are is the
// store's to know.
func (m *Store) CallersAudit(_ context.Context, u platen.User, q platen.AuditQuery) ([]platen.AuditEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []platen.AuditEntry
	for _, e := range m.Acts {
		if e.OwnerID == u.ID && (q.WorkflowID == "" || q.WorkflowID == e.WorkflowID) && !e.At.Before(q.Since) {
			out = append(out, e)
		}
	}
	return paged(out, q.Page, func(e platen.AuditEntry) platen.Position { return platen.Position{CreatedAt: e.At, ID: e.ID} }), m.Fail
}

func (m *Store) TokenByHash(_ context.Context, hash [32]byte) (platen.AccessToken, error) {
	if u, ok := m.Tokens[hash]; ok {
		return platen.AccessToken{ID: "tok_of_" + u.ID, User: u, Scopes: m.Scopes[hash], ExpiresAt: m.Expires}, nil
	}
	return platen.AccessToken{}, platen.Errorf(platen.KindForbidden, "token_unknown", "the access token is not known")
}

func (m *Store) SignedInUser(_ context.Context, userID string) (platen.AccessToken, error) {
	for _, u := range m.Tokens {
		if u.ID == userID {
			return platen.AccessToken{User: u}, nil
		}
	}
	return platen.AccessToken{}, platen.Errorf(platen.KindForbidden, "token_unknown", "the user is not known")
}

func (m *Store) Ready(context.Context) error {
	m.Probed.Add(1)
	return m.Fail
}

func (m *Store) sees(u platen.User, w *platen.Workflow) bool {
	return w.Owner.ID == u.ID || w.Team != nil && u.Team != nil && w.Team.ID == u.Team.ID
}

func (m *Store) find(u platen.User, id string) (*platen.Workflow, error) {
	if m.Fail != nil {
		return nil, m.Fail
	}
	if w := m.ByID[id]; w != nil && m.sees(u, w) {
		return w, nil
	}
	return nil, platen.ErrWorkflowNotFound()
}

func (m *Store) change(u platen.User, id string) (*platen.Workflow, error) {
	w, err := m.find(u, id)
	if err == nil && w.Status == platen.StatusArchived {
		err = platen.ErrWorkflowArchived()
	}
	return w, err
}

func (m *Store) Workflows(_ context.Context, u platen.User, q platen.WorkflowQuery) ([]platen.Workflow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []platen.Workflow
	for _, w := range m.ByID {
		if m.sees(u, w) && (len(q.Statuses) == 0 || slices.Contains(q.Statuses, w.Status)) {
			out = append(out, *w)
		}
	}
	return paged(out, q.Page, func(w platen.Workflow) platen.Position { return platen.Position{CreatedAt: w.CreatedAt, ID: w.ID} }), m.Fail
}

// paged orders a list and cuts a page out of it.
func paged[T any](all []T, page platen.Page, position func(T) platen.Position) []T {
	compare := func(a, b platen.Position) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	}
	order := 1
	if page.Newest {
		order = -1
	}
	all = slices.DeleteFunc(slices.Clone(all), func(v T) bool {
		return page.After != (platen.Position{}) && order*compare(position(v), page.After) <= 0
	})
	slices.SortFunc(all, func(a, b T) int { return order * compare(position(a), position(b)) })
	if page.Limit > 0 && len(all) > page.Limit {
		all = all[:page.Limit]
	}
	return all
}

func (m *Store) WorkflowByID(_ context.Context, id string) (platen.Workflow, error) {
	if w := m.ByID[id]; w != nil {
		return *w, nil
	}
	return platen.Workflow{}, platen.ErrWorkflowNotFound()
}

func (m *Store) Workflow(_ context.Context, u platen.User, id string) (platen.Workflow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.find(u, id)
	if err != nil {
		return platen.Workflow{}, err
	}
	return *w, nil
}

func (m *Store) CreateWorkflow(ctx context.Context, w platen.Workflow) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := cmp.Or(ctx.Err(), m.Fail); err != nil {
		return err
	}
	m.ByID[w.ID] = &w
	return nil
}

func (m *Store) UpdateWorkflow(_ context.Context, u platen.User, id string, change func(*platen.Workflow) error) (platen.Workflow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, id)
	if err != nil {
		return platen.Workflow{}, err
	}
	changed := *w
	if err := change(&changed); err != nil {
		return platen.Workflow{}, err
	}
	*w = changed
	return *w, nil
}

func (m *Store) ArchiveWorkflow(_ context.Context, u platen.User, id string, allowed func(platen.Workflow) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.find(u, id)
	if err == nil && allowed != nil {
		err = allowed(*w)
	}
	if err == nil {
		w.Status = platen.StatusArchived
	}
	return err
}

func (m *Store) Documents(ctx context.Context, u platen.User, id string, page platen.Page) ([]platen.Document, error) {
	w, err := m.Workflow(ctx, u, id)
	return paged(w.Documents, page, func(d platen.Document) platen.Position { return platen.Position{CreatedAt: d.CreatedAt, ID: d.ID} }), err
}

func (m *Store) ReserveDocument(_ context.Context, u platen.User, d platen.Document) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.change(u, d.WorkflowID)
	if err == nil {
		m.pending[d.ID] = d
	}
	return err
}

func (m *Store) CompleteDocument(_ context.Context, u platen.User, d platen.Document) (platen.Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, d.WorkflowID)
	if err != nil {
		return d, err
	}
	if i := slices.IndexFunc(w.Documents, func(have platen.Document) bool { return have.ID == d.ID }); i >= 0 {
		return w.Documents[i], nil
	}
	if _, ok := m.pending[d.ID]; !ok {
		return d, platen.Errorf(platen.KindInternal, "", "document %s was not reserved", d.ID)
	}
	delete(m.pending, d.ID)
	w.Documents = append(w.Documents, d)
	w.Status = w.ReadyStatus()
	return d, nil
}

func (m *Store) UpdateDocument(_ context.Context, u platen.User, wfID, id string, change func(*platen.Document) error) (platen.Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, i, err := m.document(u, wfID, id)
	if err != nil {
		return platen.Document{}, err
	}
	changed := w.Documents[i]
	if err := change(&changed); err != nil {
		return platen.Document{}, err
	}
	w.Documents = slices.Clone(w.Documents)
	w.Documents[i] = changed
	return changed, nil
}

// document is the place of a document in its workflow, to be changed.
func (m *Store) document(u platen.User, wfID, id string) (w *platen.Workflow, i int, err error) {
	if w, err = m.change(u, wfID); err != nil {
		return nil, 0, err
	}
	if i = slices.IndexFunc(w.Documents, func(d platen.Document) bool { return d.ID == id }); i < 0 {
		return nil, 0, platen.ErrDocumentNotFound()
	}
	return w, i, nil
}

func (m *Store) OutgoingWebhook(ctx context.Context, u platen.User, wfID string) (platen.OutgoingWebhook, error) {
	w, err := m.Workflow(ctx, u, wfID)
	if err == nil && w.OutgoingWebhook == nil {
		err = platen.ErrOutgoingWebhookNotFound()
	}
	if err != nil {
		return platen.OutgoingWebhook{}, err
	}
	return *w.OutgoingWebhook, nil
}

func (m *Store) CreateOutgoingWebhook(_ context.Context, u platen.User, wfID string, o platen.OutgoingWebhook) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, wfID)
	if err == nil && w.OutgoingWebhook != nil {
		err = platen.ErrOutgoingWebhookExists()
	}
	if err == nil {
		w.OutgoingWebhook = &o
	}
	return err
}

func (m *Store) UpdateOutgoingWebhook(_ context.Context, u platen.User, wfID string, change func(*platen.OutgoingWebhook) error) (platen.OutgoingWebhook, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, wfID)
	if err == nil && w.OutgoingWebhook == nil {
		err = platen.ErrOutgoingWebhookNotFound()
	}
	if err != nil {
		return platen.OutgoingWebhook{}, err
	}
	o := *w.OutgoingWebhook
	if err := change(&o); err != nil {
		return o, err
	}
	w.OutgoingWebhook = &o
	return o, nil
}

func (m *Store) TestReceiver(ctx context.Context, u platen.User, wfID string) (platen.OutgoingWebhook, error) {
	if _, err := m.Workflow(ctx, u, wfID); err != nil {
		return platen.OutgoingWebhook{}, err
	}
	o, ok := m.testers[wfID]
	if !ok {
		return o, platen.ErrTestReceiverNotFound()
	}
	return o, nil
}

func (m *Store) SetTestReceiver(_ context.Context, u platen.User, wfID string, o platen.OutgoingWebhook, allowed func(platen.OutgoingWebhook) error) (platen.OutgoingWebhook, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, wfID)
	if err != nil {
		return o, false, err
	}
	if w.OutgoingWebhook != nil && w.OutgoingWebhook.URL == o.URL {
		return o, false, platen.ErrTestReceiverLive()
	}
	stored, there := m.testers[wfID]
	if there {
		if err := allowed(stored); err != nil {
			return o, false, err
		}
		stored.URL = o.URL
		o = stored
	}
	m.testers[wfID] = o
	return o, !there, nil
}

func (m *Store) DeleteTestReceiver(ctx context.Context, u platen.User, wfID string, allowed func(platen.OutgoingWebhook) error) error {
	o, err := m.TestReceiver(ctx, u, wfID)
	if err == nil {
		err = allowed(o)
	}
	if err == nil {
		delete(m.testers, wfID)
	}
	return err
}

func (m *Store) PublicForm(ctx context.Context, u platen.User, wfID string) (platen.PublicForm, error) {
	if _, err := m.Workflow(ctx, u, wfID); err != nil {
		return platen.PublicForm{}, err
	}
	f, ok := m.forms[wfID]
	if !ok {
		return f, platen.ErrPublicFormNotFound()
	}
	return f, nil
}

func (m *Store) SetPublicForm(_ context.Context, u platen.User, wfID string, fresh platen.PublicForm, change func(*platen.PublicForm, bool) error) (platen.PublicForm, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.change(u, wfID); err != nil {
		return fresh, false, err
	}
	f, there := m.forms[wfID]
	if !there {
		f = fresh
	}
	if err := change(&f, !there); err != nil {
		return f, false, err
	}
	m.forms[wfID] = f
	return f, !there, nil
}

func (m *Store) RotatePublicForm(ctx context.Context, u platen.User, wfID, key string) (platen.PublicForm, error) {
	f, err := m.PublicForm(ctx, u, wfID)
	if err == nil {
		f.Key = key
		m.forms[wfID] = f
	}
	return f, err
}

func (m *Store) DeletePublicForm(ctx context.Context, u platen.User, wfID string, allowed func(platen.PublicForm) error) error {
	f, err := m.PublicForm(ctx, u, wfID)
	if err == nil {
		err = allowed(f)
	}
	if err == nil {
		delete(m.forms, wfID)
	}
	return err
}

// SeenFields has what a test stored as the fields before those of the last event.
func (m *Store) SeenFields(context.Context, string) ([]platen.SeenField, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Seen, nil
}

func (m *Store) RotateWorkflowSource(_ context.Context, u platen.User, id string, _ time.Duration) (platen.Workflow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, id)
	if err != nil {
		return platen.Workflow{}, err
	}
	w.Source.Key = platen.NewKey()
	return *w, nil
}

func (m *Store) SourceVerification(_ context.Context, u platen.User, id string) (platen.Verification, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.find(u, id)
	return m.Verified[id], err
}

func (m *Store) SetSourceVerification(_ context.Context, u platen.User, id string, v platen.Verification) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.change(u, id); err != nil {
		return err
	}
	m.Verified[id] = v
	return nil
}
