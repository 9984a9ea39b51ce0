package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// A script does the same on any stores, and writes down what they answer.
type script struct {
	Stores
	Answers
	ctx           context.Context
	ada, bob, cyd platen.User // bob and cyd are of one team
	workflow      platen.Workflow
	said          []string
}

func (s *script) say(what string, err error, values ...any) {
	var e *platen.Error
	if errors.As(err, &e) {
		s.said = append(s.said, fmt.Sprintf("%s: %v %s", what, e.Kind, e.Code))
		return
	}
	s.said = append(s.said, fmt.Sprintf("%s: %v %v", what, err, values))
}

// Tests of the API and of the console's pages run on the store in memory. It answers as the
// real stores do.
func TestTheStoreInMemoryAnswersAsTheRealOne(t *testing.T) {
	t.Parallel()
	m, x := memory.New(), newTenancy(t)
	user := func(token string) platen.User { return m.Tokens[sha256.Sum256([]byte(token))] }
	ada, bob, cyd := user(memory.AdaToken), user(memory.BobToken), user(memory.CydToken)
	x.Must(x.Users.CreateTeam(t.Context(), *bob.Team))
	for _, u := range []platen.User{ada, bob, cyd} {
		x.Must(x.Users.CreateUser(t.Context(), u))
	}
	wf := storetest.NewWorkflow(bob)
	wf.Documents, wf.OutgoingWebhook, wf.Status = nil, nil, platen.StatusIncomplete
	for _, part := range []struct {
		of string
		do func(*script)
	}{
		{"workflows", (*script).workflows}, {"documents", (*script).documents}, {"receivers", (*script).receivers}, {"sources", (*script).sources}, {"forms", (*script).forms},
		{"versions", (*script).versions}, {"numbers", (*script).numbers}, {"batches", (*script).batches}, {"audit", (*script).audit}, {"answers", (*script).answers},
	} {
		wf.ID, wf.Source.ID, wf.Source.Key = platen.NewID(platen.PrefixWorkflow), platen.NewID(platen.PrefixSource), platen.NewKey()
		inMemory := &script{Stores: storesIn(m), Answers: m}
		real := &script{Stores: x.stores(), Answers: x.Idempotency}
		for _, s := range []*script{inMemory, real} {
			s.ctx, s.ada, s.bob, s.cyd, s.workflow = t.Context(), ada, bob, cyd, wf
			s.say("create", s.Workflows.CreateWorkflow(s.ctx, wf))
			part.do(s)
		}
		if diff := cmp.Diff(real.said, inMemory.said); diff != "" {
			t.Errorf("%s: the store in memory answers otherwise (-real +memory):\n%s", part.of, diff)
		}
	}
}

var errNo = platen.Errorf(platen.KindConflict, "no", "no")

func (s *script) workflows() {
	for _, caller := range []platen.User{s.bob, s.cyd, s.ada} {
		w, err := s.Workflows.Workflow(s.ctx, caller, s.workflow.ID)
		s.say("read", err, w.Name, w.Status, w.Owner.Name, w.Source.Key)
	}
	_, err := s.Workflows.Workflow(s.ctx, s.bob, "wkf_0000000000000009")
	s.say("read none", err)
	second := s.workflow
	second.ID, second.Source.ID, second.Source.Key, second.CreatedAt = platen.NewID(platen.PrefixWorkflow), platen.NewID(platen.PrefixSource), platen.NewKey(), s.workflow.CreatedAt.Add(time.Second)
	s.say("create", s.Workflows.CreateWorkflow(s.ctx, second))
	for _, q := range []platen.WorkflowQuery{
		{}, {Page: platen.Page{Limit: 1}}, {Statuses: []platen.Status{platen.StatusComplete}},
		{Page: platen.Page{After: platen.Position{CreatedAt: s.workflow.CreatedAt, ID: s.workflow.ID}}},
	} {
		all, err := s.Workflows.Workflows(s.ctx, s.cyd, q)
		said := ""
		for _, w := range all {
			switch w.ID {
			case s.workflow.ID:
				said += "first "
			case second.ID:
				said += "second "
			}
		}
		s.say("list", err, said)
	}
	none, err := s.Workflows.Workflows(s.ctx, s.ada, platen.WorkflowQuery{})
	s.say("list of a stranger", err, len(none))
	_, err = s.Workflows.UpdateWorkflow(s.ctx, s.cyd, s.workflow.ID, func(w *platen.Workflow) error { w.Name = "No"; return errNo })
	s.say("a change that is refused", err)
	w, err := s.Workflows.UpdateWorkflow(s.ctx, s.cyd, s.workflow.ID, func(w *platen.Workflow) error { w.Name += " of Cyd"; return nil })
	s.say("a change", err, w.Name)
	_, err = s.Workflows.UpdateWorkflow(s.ctx, s.ada, s.workflow.ID, storetest.Rename)
	s.say("a change by a stranger", err)
	s.say("an archiving that is refused", s.Workflows.ArchiveWorkflow(s.ctx, s.bob, s.workflow.ID, func(platen.Workflow) error { return errNo }))
	for range 2 {
		s.say("archive", s.Workflows.ArchiveWorkflow(s.ctx, s.bob, s.workflow.ID, nil))
	}
	w, err = s.Workflows.Workflow(s.ctx, s.cyd, s.workflow.ID)
	s.say("read", err, w.Name, w.Status)
	_, err = s.Workflows.UpdateWorkflow(s.ctx, s.bob, s.workflow.ID, storetest.Rename)
	s.say("a change of an archived one", err)
	s.say("archive by a stranger", s.Workflows.ArchiveWorkflow(s.ctx, s.ada, s.workflow.ID, nil))
}

func (s *script) documents() {
	d := storetest.NewDocument(s.workflow.ID, storetest.Now())
	s.say("reserve", s.Documents.ReserveDocument(s.ctx, s.bob, d))
	s.say("reserve by a stranger", s.Documents.ReserveDocument(s.ctx, s.ada, d))
	list := func() {
		w, err := s.Workflows.Workflow(s.ctx, s.bob, s.workflow.ID)
		all, _ := s.Documents.Documents(s.ctx, s.cyd, s.workflow.ID, platen.Page{})
		names := []string{}
		for _, d := range all {
			names = append(names, d.OutputName)
		}
		s.say("documents", err, w.Status, len(w.Documents), names)
	}
	list()
	for range 2 {
		_, err := s.Documents.CompleteDocument(s.ctx, s.bob, d)
		s.say("complete", err)
		list()
	}
	_, err := s.Documents.UpdateDocument(s.ctx, s.cyd, s.workflow.ID, d.ID, func(d *platen.Document) error { d.OutputName = "No"; return errNo })
	s.say("a change that is refused", err)
	changed, err := s.Documents.UpdateDocument(s.ctx, s.cyd, s.workflow.ID, d.ID, func(d *platen.Document) error { d.OutputName = "Letter"; return nil })
	s.say("a change", err, changed.OutputName)
	_, err = s.Documents.UpdateDocument(s.ctx, s.bob, s.workflow.ID, "doc_0000000000000009", func(*platen.Document) error { return nil })
	s.say("a change of none", err)
	_, err = s.Documents.RemoveDocument(s.ctx, s.bob, s.workflow.ID, "doc_0000000000000009", storetest.AnyDocument)
	s.say("remove none", err)
	_, err = s.Documents.RemoveDocument(s.ctx, s.bob, s.workflow.ID, d.ID, func(platen.Document) error { return errNo })
	s.say("a removal that is refused", err)
	list()
	needed, err := s.Documents.RemoveDocument(s.ctx, s.cyd, s.workflow.ID, d.ID, storetest.AnyDocument)
	s.say("remove", err, needed)
	list()
}

func (s *script) receivers() {
	o := platen.OutgoingWebhook{ID: platen.NewID(platen.PrefixOutgoingWebhook), URL: "https://one.example/", Secret: "whsec_c2VjcmV0", CreatedAt: storetest.Now(), UpdatedAt: storetest.Now()}
	anyway := func(platen.OutgoingWebhook) error { return nil }
	no := func(platen.OutgoingWebhook) error { return errNo }
	rename := func(o *platen.OutgoingWebhook) error { o.URL = "https://two.example/"; return nil }
	read := func(caller platen.User) {
		o, err := s.Webhooks.OutgoingWebhook(s.ctx, caller, s.workflow.ID)
		s.say("read", err, o.URL)
	}
	read(s.bob)
	read(s.ada)
	_, err := s.Webhooks.UpdateOutgoingWebhook(s.ctx, s.bob, s.workflow.ID, rename)
	s.say("change none", err)
	s.say("delete none", s.Webhooks.DeleteOutgoingWebhook(s.ctx, s.bob, s.workflow.ID, anyway))
	for range 2 {
		o.ID = platen.NewID(platen.PrefixOutgoingWebhook)
		s.say("set", s.Webhooks.CreateOutgoingWebhook(s.ctx, s.cyd, s.workflow.ID, o))
	}
	read(s.cyd)
	changed, err := s.Webhooks.UpdateOutgoingWebhook(s.ctx, s.bob, s.workflow.ID, rename)
	s.say("change", err, changed.URL)

	tests := platen.OutgoingWebhook{ID: platen.NewID(platen.PrefixOutgoingWebhook), URL: "https://two.example/", Secret: "whsec_c2VjcmV0", CreatedAt: storetest.Now(), UpdatedAt: storetest.Now()}
	set := func(url string, allowed func(platen.OutgoingWebhook) error) {
		tests.URL = url
		o, created, err := s.Webhooks.SetTestReceiver(s.ctx, s.bob, s.workflow.ID, tests, allowed)
		s.say("test receiver", err, o.URL, created)
	}
	_, err = s.Webhooks.TestReceiver(s.ctx, s.bob, s.workflow.ID)
	s.say("no test receiver", err)
	s.say("delete none", s.Webhooks.DeleteTestReceiver(s.ctx, s.bob, s.workflow.ID, anyway))
	set("https://two.example/", anyway)
	set("https://tests.example/", anyway)
	set("https://other.example/", no)
	set("https://other.example/", anyway)
	s.say("a deletion that is refused", s.Webhooks.DeleteTestReceiver(s.ctx, s.bob, s.workflow.ID, no))
	s.say("delete", s.Webhooks.DeleteTestReceiver(s.ctx, s.bob, s.workflow.ID, anyway))
	s.say("a deletion that is refused", s.Webhooks.DeleteOutgoingWebhook(s.ctx, s.bob, s.workflow.ID, no))
	s.say("delete", s.Webhooks.DeleteOutgoingWebhook(s.ctx, s.bob, s.workflow.ID, anyway))
	read(s.bob)
}

func (s *script) sources() {
	read := func(caller platen.User) {
		v, err := s.Sources.SourceVerification(s.ctx, caller, s.workflow.ID)
		s.say("verification", err, v.Scheme, v.Networks)
	}
	read(s.bob)
	v := platen.Verification{Scheme: platen.SchemeGitHub, Secrets: []platen.Secret{"correct-horse"}, Networks: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}}
	s.say("set", s.Sources.SetSourceVerification(s.ctx, s.cyd, s.workflow.ID, v))
	s.say("set by a stranger", s.Sources.SetSourceVerification(s.ctx, s.ada, s.workflow.ID, v))
	read(s.cyd)
	read(s.ada)
	s.say("take away", s.Sources.SetSourceVerification(s.ctx, s.bob, s.workflow.ID, platen.Verification{}))
	read(s.bob)
	w, err := s.Sources.RotateWorkflowSource(s.ctx, s.bob, s.workflow.ID, time.Hour)
	s.say("rotate", err, w.Source.Key != s.workflow.Source.Key, len(w.Source.Key))
}

func (s *script) forms() {
	f := platen.PublicForm{ID: platen.NewID(platen.PrefixForm), Key: strings.Repeat("j", len(platen.NewKey())), Enabled: true, Title: "Order", PerDay: 5, PerAddress: 2}
	set := func(change func(*platen.PublicForm, bool) error) {
		f, created, err := s.Forms.SetPublicForm(s.ctx, s.bob, s.workflow.ID, f, change)
		s.say("form", err, f.Title, f.Key, created)
	}
	_, err := s.Forms.PublicForm(s.ctx, s.bob, s.workflow.ID)
	s.say("no form", err)
	_, err = s.Forms.RotatePublicForm(s.ctx, s.bob, s.workflow.ID, "key")
	s.say("renew none", err)
	set(func(*platen.PublicForm, bool) error { return errNo })
	set(func(f *platen.PublicForm, created bool) error { f.Text = fmt.Sprint(created); return nil })
	set(func(f *platen.PublicForm, created bool) error { f.Title += f.Text + fmt.Sprint(created); return nil })
	renewed, err := s.Forms.RotatePublicForm(s.ctx, s.cyd, s.workflow.ID, strings.Repeat("k", len(f.Key)))
	s.say("renew", err, renewed.Key, renewed.Title)
	s.say("a deletion that is refused", s.Forms.DeletePublicForm(s.ctx, s.bob, s.workflow.ID, func(platen.PublicForm) error { return errNo }))
	for range 2 {
		s.say("delete", s.Forms.DeletePublicForm(s.ctx, s.bob, s.workflow.ID, func(platen.PublicForm) error { return nil }))
	}
}

func (s *script) versions() {
	d := storetest.NewDocument(s.workflow.ID, storetest.Now())
	_ = s.Documents.ReserveDocument(s.ctx, s.bob, d)
	_, err := s.Documents.CompleteDocument(s.ctx, s.bob, d)
	s.say("document", err)
	_, err = s.Versions.BeginTemplateChange(s.ctx, s.ada, s.workflow.ID, d.ID, time.Minute)
	s.say("begin by a stranger", err)
	turn, err := s.Versions.BeginTemplateChange(s.ctx, s.bob, s.workflow.ID, d.ID, time.Minute)
	s.say("begin", err, turn != "")
	_, err = s.Versions.BeginTemplateChange(s.ctx, s.cyd, s.workflow.ID, d.ID, time.Minute)
	s.say("begin meanwhile", err)
	first := ""
	for _, content := range []string{"one", "one", "two"} {
		v := platen.TemplateVersion{ID: platen.NewID(platen.PrefixVersion), DocumentID: d.ID, Type: d.Type, Cause: platen.VersionKept, Note: content, CreatedAt: storetest.Now(), CreatedBy: s.bob}
		kept, made, err := s.Versions.KeepTemplateVersion(s.ctx, turn, v, []byte(content), "")
		s.say("keep", err, kept.Number, kept.SHA256, kept.Size, kept.Note, made)
		if first == "" {
			first = kept.ID
		}
	}
	_, _, err = s.Versions.KeepTemplateVersion(s.ctx, "another", platen.TemplateVersion{ID: platen.NewID(platen.PrefixVersion), DocumentID: d.ID, CreatedBy: s.bob}, nil, "")
	s.say("keep in no turn", err)
	all, err := s.Versions.TemplateVersions(s.ctx, s.cyd, s.workflow.ID, d.ID, platen.Page{Limit: 10})
	s.say("versions", err, len(all))
	read, err := s.Versions.TemplateVersion(s.ctx, s.cyd, s.workflow.ID, d.ID, first)
	s.say("version", err, read.Number)
	_, err = s.Versions.TemplateVersion(s.ctx, s.cyd, s.workflow.ID, d.ID, "ver_0000000000000009")
	s.say("no version", err)
	content, err := s.Versions.VersionContent(s.ctx, first)
	s.say("content", err, string(content))
	file := platen.File{ID: "another", Name: "A", MIMEType: d.File.MIMEType, URL: "https://drive.example/another"}
	_, err = s.Versions.SetTemplateFile(s.ctx, s.bob, turn, s.workflow.ID, d.ID, "nothing", file)
	s.say("in place of none", err)
	set, err := s.Versions.SetTemplateFile(s.ctx, s.bob, turn, s.workflow.ID, d.ID, d.File.ID, file)
	s.say("another file", err, set.File.ID)
	s.say("end", s.Versions.EndTemplateChange(s.ctx, d.ID, turn))
	_, err = s.Versions.SetTemplateFile(s.ctx, s.bob, turn, s.workflow.ID, d.ID, "another", file)
	s.say("out of turn", err)
}

func (s *script) numbers() {
	read := func(caller platen.User) {
		one, err := s.Numbers.Series(s.ctx, caller, "letters")
		all, _ := s.Numbers.AllSeries(s.ctx, caller)
		s.say("series", err, one.Name, one.Next, one.UpdatedAt != nil, len(all))
	}
	read(s.bob)
	for _, next := range []int64{1001, 1000, 1001} {
		set, err := s.Numbers.SetNext(s.ctx, s.bob, "letters", next)
		s.say("set", err, set.Next, set.UpdatedAt != nil)
	}
	for _, caller := range []platen.User{s.bob, s.cyd, s.ada} {
		read(caller)
	}
	drawn, err := s.Numbers.Drawn(s.ctx, s.bob, platen.NumberQuery{Series: "letters", Limit: 10})
	s.say("drawn", err, len(drawn))
}

func (s *script) batches() {
	rows := func(bodies ...string) iter.Seq2[platen.BatchRow, error] {
		return func(yield func(platen.BatchRow, error) bool) {
			for i, body := range bodies {
				if body == "" && !yield(platen.BatchRow{}, errNo) || body != "" && !yield(platen.BatchRow{Number: i + 1, Body: []byte(body), Reference: fmt.Sprint("R", i)}, nil) {
					return
				}
			}
		}
	}
	b := platen.NewBatch{ID: platen.NewID(platen.PrefixBatch), Name: "October", CreatedAt: storetest.Now(), Key: "k"}
	store := func(b platen.NewBatch, rows iter.Seq2[platen.BatchRow, error]) {
		made, again, err := s.Batches.StoreBatch(s.ctx, s.bob, s.workflow.ID, b, rows)
		s.say("store", err, made.Name, made.State, made.Rows, made.Counts, again)
	}
	store(b, rows(`{"A":1}`, ""))
	store(b, rows(`{"A":1}`, `{"A":2}`))
	second := b
	second.ID = platen.NewID(platen.PrefixBatch)
	store(second, rows(`{"A":1}`, `{"A":2}`))
	store(second, rows(`{"A":1}`))
	all, err := s.Batches.WorkflowBatches(s.ctx, s.cyd, s.workflow.ID, platen.BatchQuery{})
	s.say("batches", err, len(all))
	_, err = s.Batches.Batch(s.ctx, s.bob, s.workflow.ID, "bat_0000000000000009")
	s.say("no batch", err)
	_, err = s.Batches.Batch(s.ctx, s.ada, s.workflow.ID, b.ID)
	s.say("read by a stranger", err)
	stored, err := s.Batches.BatchRows(s.ctx, s.bob, s.workflow.ID, b.ID, platen.RowQuery{Limit: 10})
	for _, row := range stored {
		s.say("row", err, row.Number, row.State, row.Reference)
	}
	_, err = s.Batches.RetryBatch(s.ctx, s.bob, s.workflow.ID, b.ID)
	s.say("retry without a failed row", err)
	for what, ask := range []func(context.Context, platen.User, string, string) (platen.Batch, error){s.Batches.PauseBatch, s.Batches.PauseBatch, s.Batches.ResumeBatch, s.Batches.CancelBatch, s.Batches.PauseBatch, s.Batches.ResumeBatch} {
		got, err := ask(s.ctx, s.bob, s.workflow.ID, b.ID)
		s.say(fmt.Sprint("step ", what), err, got.State)
	}
}

func (s *script) audit() {
	e := platen.AuditEntry{ID: platen.NewID(platen.PrefixAudit), Action: "workflow.changed", OwnerID: s.ada.ID, WorkflowID: s.workflow.ID, At: storetest.Now(), RequestID: "r", Actor: platen.Actor{Kind: platen.ActorUser, ID: s.ada.ID}}
	for range 2 {
		s.say("record", s.Audit.Record(s.ctx, e))
	}
	for _, caller := range []platen.User{s.ada, s.cyd} {
		all, err := s.Audit.CallersAudit(s.ctx, caller, platen.AuditQuery{WorkflowID: s.workflow.ID})
		s.say("audit", err, len(all))
	}
}

func (s *script) answers() {
	claim := func(fingerprint string) string {
		c, err := s.ClaimRequest(s.ctx, s.ada.ID, "key", []byte(fingerprint), time.Minute)
		s.say("claim", err, c.ID != "", c.Same, string(c.Answer))
		return c.ID
	}
	first := claim("a")
	claim("a")
	claim("b")
	s.say("release", s.ReleaseRequest(s.ctx, s.ada.ID, "key", "another"))
	claim("a")
	s.say("release", s.ReleaseRequest(s.ctx, s.ada.ID, "key", first))
	second := claim("b")
	s.say("keep", s.KeepAnswer(s.ctx, s.ada.ID, "key", second, []byte("answer")))
	claim("b")
	claim("c")
}
