package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// memory is all Stores: it keeps their contract in a map.
type memory struct {
	batches   *batches
	mu        sync.Mutex
	tokens    map[[32]byte]platen.User
	scopes    map[[32]byte]platen.Scopes
	expires   time.Time // of every token
	audit     []platen.AuditEntry
	verified  map[string]platen.Verification
	seen      []platen.SeenField
	workflows map[string]*platen.Workflow
	pending   map[string]platen.Document
	versions  versions
	testers   map[string]platen.OutgoingWebhook // test receivers, by workflow
	forms     map[string]platen.PublicForm      // by workflow
	probed    atomic.Int32                      // how often Ready was asked
	fail      error                             // answered by every method but TokenByHash
	runs      runs
	numbers   numbersInMemory
}

func storesIn(m *memory) Stores {
	return Stores{
		Tokens: m, Workflows: m, Documents: m, Orphans: m, Versions: m, Webhooks: m, Endpoints: m,
		Automations: m, Outputs: m, Mails: m, Events: m, Audit: m, Sources: m, Forms: m, Numbers: &m.numbers, Batches: m.batchStore(),
	}
}

func (m *memory) Record(_ context.Context, e platen.AuditEntry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.At = time.Date(2026, 1, 2, 3, 4, 5, len(m.audit)*1000, time.UTC)
	m.audit = append(m.audit, e)
	return m.fail
}

// CallersAudit shows what the caller did; whose entries those of others are is the
// store's to know.
func (m *memory) CallersAudit(_ context.Context, u platen.User, q platen.AuditQuery) ([]platen.AuditEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []platen.AuditEntry
	for _, e := range m.audit {
		if e.OwnerID == u.ID && (q.WorkflowID == "" || q.WorkflowID == e.WorkflowID) && !e.At.Before(q.Since) {
			out = append(out, e)
		}
	}
	return paged(out, q.Page, func(e platen.AuditEntry) platen.Position { return platen.Position{CreatedAt: e.At, ID: e.ID} }), m.fail
}

func (m *memory) TokenByHash(_ context.Context, hash [32]byte) (platen.AccessToken, error) {
	if u, ok := m.tokens[hash]; ok {
		return platen.AccessToken{ID: "tok_of_" + u.ID, User: u, Scopes: m.scopes[hash], ExpiresAt: m.expires}, nil
	}
	return platen.AccessToken{}, platen.Errorf(platen.KindForbidden, "token_unknown", "the access token is not known")
}

func (m *memory) SignedInUser(_ context.Context, userID string) (platen.AccessToken, error) {
	for _, u := range m.tokens {
		if u.ID == userID {
			return platen.AccessToken{User: u}, nil
		}
	}
	return platen.AccessToken{}, platen.Errorf(platen.KindForbidden, "token_unknown", "the user is not known")
}

func (m *memory) Ready(context.Context) error {
	m.probed.Add(1)
	return m.fail
}

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
	return nil, platen.ErrWorkflowNotFound()
}

func (m *memory) change(u platen.User, id string) (*platen.Workflow, error) {
	w, err := m.find(u, id)
	if err == nil && w.Status == platen.StatusArchived {
		err = platen.ErrWorkflowArchived()
	}
	return w, err
}

func (m *memory) Workflows(_ context.Context, u platen.User, q platen.WorkflowQuery) ([]platen.Workflow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []platen.Workflow
	for _, w := range m.workflows {
		if m.sees(u, w) && (len(q.Statuses) == 0 || slices.Contains(q.Statuses, w.Status)) {
			out = append(out, *w)
		}
	}
	return paged(out, q.Page, workflowPosition), m.fail
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

func (m *memory) WorkflowByID(_ context.Context, id string) (platen.Workflow, error) {
	if w := m.workflows[id]; w != nil {
		return *w, nil
	}
	return platen.Workflow{}, platen.ErrWorkflowNotFound()
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

func (m *memory) CreateWorkflow(ctx context.Context, w platen.Workflow) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := cmp.Or(ctx.Err(), m.fail); err != nil {
		return err
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
	changed := *w
	if err := change(&changed); err != nil {
		return platen.Workflow{}, err
	}
	*w = changed
	return *w, nil
}

func (m *memory) ArchiveWorkflow(_ context.Context, u platen.User, id string, allowed func(platen.Workflow) error) error {
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

func (m *memory) Documents(ctx context.Context, u platen.User, id string, page platen.Page) ([]platen.Document, error) {
	w, err := m.Workflow(ctx, u, id)
	return paged(w.Documents, page, documentPosition), err
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
	changed := w.Documents[i]
	if err := change(&changed); err != nil {
		return platen.Document{}, err
	}
	w.Documents = slices.Clone(w.Documents)
	w.Documents[i] = changed
	return changed, nil
}

func (m *memory) OutgoingWebhook(ctx context.Context, u platen.User, wfID string) (platen.OutgoingWebhook, error) {
	w, err := m.Workflow(ctx, u, wfID)
	if err == nil && w.OutgoingWebhook == nil {
		err = platen.ErrOutgoingWebhookNotFound()
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
	if err := change(&o); err != nil {
		return o, err
	}
	w.OutgoingWebhook = &o
	return o, nil
}

func (m *memory) TestReceiver(ctx context.Context, u platen.User, wfID string) (platen.OutgoingWebhook, error) {
	if _, err := m.Workflow(ctx, u, wfID); err != nil {
		return platen.OutgoingWebhook{}, err
	}
	o, ok := m.testers[wfID]
	if !ok {
		return o, platen.ErrTestReceiverNotFound()
	}
	return o, nil
}

func (m *memory) SetTestReceiver(_ context.Context, u platen.User, wfID string, o platen.OutgoingWebhook, allowed func(platen.OutgoingWebhook) error) (platen.OutgoingWebhook, bool, error) {
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
	if m.testers == nil {
		m.testers = map[string]platen.OutgoingWebhook{}
	}
	m.testers[wfID] = o
	return o, !there, nil
}

func (m *memory) DeleteTestReceiver(ctx context.Context, u platen.User, wfID string, allowed func(platen.OutgoingWebhook) error) error {
	o, err := m.TestReceiver(ctx, u, wfID)
	if err == nil {
		err = allowed(o)
	}
	if err == nil {
		delete(m.testers, wfID)
	}
	return err
}

func (m *memory) PublicForm(ctx context.Context, u platen.User, wfID string) (platen.PublicForm, error) {
	if _, err := m.Workflow(ctx, u, wfID); err != nil {
		return platen.PublicForm{}, err
	}
	f, ok := m.forms[wfID]
	if !ok {
		return f, platen.ErrPublicFormNotFound()
	}
	return f, nil
}

func (m *memory) SetPublicForm(_ context.Context, u platen.User, wfID string, fresh platen.PublicForm, change func(*platen.PublicForm, bool) error) (platen.PublicForm, bool, error) {
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
	if m.forms == nil {
		m.forms = map[string]platen.PublicForm{}
	}
	m.forms[wfID] = f
	return f, !there, nil
}

func (m *memory) RotatePublicForm(ctx context.Context, u platen.User, wfID, key string) (platen.PublicForm, error) {
	f, err := m.PublicForm(ctx, u, wfID)
	if err == nil {
		f.Key = key
		m.forms[wfID] = f
	}
	return f, err
}

func (m *memory) DeletePublicForm(ctx context.Context, u platen.User, wfID string, allowed func(platen.PublicForm) error) error {
	f, err := m.PublicForm(ctx, u, wfID)
	if err == nil {
		err = allowed(f)
	}
	if err == nil {
		delete(m.forms, wfID)
	}
	return err
}

// cloud is a drive with some files in it.
type cloud struct {
	replaced []string          // file, type and length of each content
	contents map[string][]byte // of files, as office files
	Drive
	mu     sync.Mutex
	files  map[string]platen.File
	fails  map[string]error // by method
	hang   bool             // until the context ends
	during func()           // runs in every call
	copies []platen.File
	trash  []string
}

// templates finds the same in every template.
type templates struct {
	checked platen.TemplateCheck
	sample  platen.Sample
	trial   platen.RowTrial
	err     error
	fields  []string // of the last check
	data    string   // of the last call
	filled  []string // documents
}

func (l *templates) CheckTemplate(_ context.Context, _ platen.Workflow, _ platen.Document, fields []string, data []byte) (platen.TemplateCheck, error) {
	l.fields, l.data = fields, string(data)
	return l.checked, l.err
}

// CountInvoices counts every event as refused for its number.
func (l *templates) CountInvoices(_ context.Context, _ platen.Workflow, _ platen.Document, events []platen.PastEvent) (platen.InvoiceCount, error) {
	return platen.InvoiceCount{Refused: len(events), Findings: []platen.TemplateFinding{{Where: "einvoice.map.BT-1", Code: platen.CodeInvoiceRefused, Message: "BT-1 is missing."}}}, nil
}

// ProposeInvoice proposes a number, and leaves the seller open.
func (l *templates) ProposeInvoice(_ context.Context, _ platen.Workflow, _ platen.Document, profile platen.InvoiceProfile, fields []string) (platen.InvoiceProposal, error) {
	return platen.InvoiceProposal{Map: `{"BT-1":"{{Invoice number}}"}`, Open: []platen.InvoiceTerm{{Number: "BT-27", Name: "Seller name"}}}, nil
}

// CountConditions counts every event as made.
func (l *templates) CountConditions(_ context.Context, _ platen.Workflow, d platen.Document, events []platen.PastEvent) ([]platen.ConditionCount, error) {
	return []platen.ConditionCount{{Condition: platen.Condition{Part: platen.PartDocument, Setting: "when", When: d.When}, Made: len(events)}}, nil
}

func (l *templates) SampleOf(_ context.Context, _ platen.Workflow, d platen.Document, data []byte) (platen.Sample, error) {
	l.data, l.filled = string(data), append(l.filled, d.ID)
	return l.sample, l.err
}

func (l *templates) TryRows(context.Context, platen.Workflow) (platen.RowTrial, error) {
	return l.trial, l.err
}

func (c *cloud) call(ctx context.Context, method string) error {
	if c.hang {
		<-ctx.Done()
		return platen.Errorf(platen.KindUnavailable, "", "gave up")
	}
	if c.during != nil {
		c.during()
	}
	return cmp.Or(ctx.Err(), c.fails[method])
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
	if _, err := c.File(ctx, id); err != nil {
		return platen.File{}, err
	}
	return c.add(ctx, "Copy", name, c.files[id].MIMEType, key)
}

func (c *cloud) CreateBlank(ctx context.Context, name, mimeType, key string) (platen.File, error) {
	return c.add(ctx, "CreateBlank", name, mimeType, key)
}

func (c *cloud) CreateFrom(ctx context.Context, name, mimeType, key, _ string, content []byte) (platen.File, error) {
	f, err := c.add(ctx, "CreateFrom", name, mimeType, key)
	if err == nil {
		c.write(f.ID, content)
	}
	return f, err
}

func (c *cloud) write(id string, content []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.contents == nil {
		c.contents = map[string][]byte{}
	}
	c.contents[id] = content
}

// ExportOffice gives an empty office file where nothing was written.
func (c *cloud) ExportOffice(ctx context.Context, id, contentType string) ([]byte, error) {
	if err := c.call(ctx, "ExportOffice"); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if content := c.contents[id]; content != nil {
		return content, nil
	}
	return emptyOffice(contentType), nil
}

func (c *cloud) ReplaceContent(ctx context.Context, id, contentType string, content []byte) (platen.File, error) {
	if err := c.call(ctx, "ReplaceContent"); err != nil {
		return platen.File{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replaced = append(c.replaced, fmt.Sprintf("%s %s %d", id, contentType, len(content)))
	if c.contents == nil {
		c.contents = map[string][]byte{}
	}
	c.contents[id] = content
	return platen.File{ID: id}, nil
}

func (c *cloud) add(ctx context.Context, method, name, mimeType, key string) (platen.File, error) {
	if err := c.call(ctx, method); err != nil {
		return platen.File{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f := platen.File{ID: "copy-of-" + key, Name: name, URL: "https://drive.test/" + key, MIMEType: mimeType,
		Properties: map[string]string{platen.PropertyKey: key}}
	for slices.ContainsFunc(c.copies, func(one platen.File) bool { return one.ID == f.ID }) {
		f.ID += "-again"
	}
	c.copies = append(c.copies, f)
	c.files[f.ID] = f
	return f, nil
}

func (c *cloud) Download(ctx context.Context, id string) ([]byte, error) {
	f, err := c.File(ctx, id)
	return []byte("%PDF stored " + f.Name), cmp.Or(err, c.fails[id])
}

func (c *cloud) ExportPDF(ctx context.Context, id string) ([]byte, error) {
	f, err := c.File(ctx, id)
	return []byte("%PDF exported " + f.Name), cmp.Or(err, c.fails[id])
}

func (c *cloud) Trash(_ context.Context, id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trash = append(c.trash, id)
	return nil
}

// SeenFields has what a test stored as the fields before those of the last event.
func (m *memory) SeenFields(context.Context, string) ([]platen.SeenField, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen, nil
}

func (m *memory) RotateWorkflowSource(_ context.Context, u platen.User, id string, _ time.Duration) (platen.Workflow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, err := m.change(u, id)
	if err != nil {
		return platen.Workflow{}, err
	}
	w.Source.Key = platen.NewKey()
	return *w, nil
}

func (m *memory) SourceVerification(_ context.Context, u platen.User, id string) (platen.Verification, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.find(u, id)
	return m.verified[id], err
}

func (m *memory) SetSourceVerification(_ context.Context, u platen.User, id string, v platen.Verification) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.change(u, id); err != nil {
		return err
	}
	if m.verified == nil {
		m.verified = map[string]platen.Verification{}
	}
	m.verified[id] = v
	return nil
}
