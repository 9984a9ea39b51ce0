package postgres_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/platenhq/platen"
)

// planned accepts one event of a workflow and returns its plan.
func (f *fixture) planned(w platen.Workflow) platen.Plan {
	f.t.Helper()
	p, err := f.Plans.Plan(f.t.Context(), f.accept(w, 1)[0])
	f.must(err)
	return p
}

func done(o *platen.Output) error { o.State = platen.OutputDone; return nil }

func failed(o *platen.Output) error {
	o.State, o.FailureCode, o.Failure = platen.OutputFailed, "pdf_password_empty", "it is empty"
	return nil
}

func eventFor(o platen.Output) (platen.Event, error) {
	return platen.Event{ID: platen.NewID(platen.PrefixEvent), Type: platen.EventDocumentsCreated, Payload: []byte("{\"of\":\"" + o.ID + "\\u0000\"}"), CreatedAt: now()}, nil
}

func TestAPlanIsPinnedAgainstLaterChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(f.team("Sales")))
	p := f.planned(w)
	want := platen.Plan{
		Attempt: 1, AutomationID: p.AutomationID, WorkflowID: w.ID, WorkflowName: w.Name, OwnerID: w.Owner.ID, TeamID: w.Team.ID, AcceptedAt: p.AcceptedAt,
		Documents: []platen.PlannedDocument{{OutputID: p.Documents[0].OutputID, Document: w.Documents[0]}},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err := f.Workflows.UpdateWorkflow(t.Context(), w.Owner, w.ID, rename)
	f.must(err)
	_, err = f.Documents.UpdateDocument(t.Context(), w.Owner, w.ID, w.Documents[0].ID, func(d *platen.Document) error {
		d.OutputName, d.PDFPassword, d.CreatePDFCopy = "changed", "changed", false
		return nil
	})
	f.must(err)
	d := newDocument(w.ID, now())
	f.must(f.Documents.ReserveDocument(t.Context(), w.Owner, d))
	_, err = f.Documents.CompleteDocument(t.Context(), w.Owner, d)
	f.must(err)
	f.must(f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, nil))
	again, err := f.Plans.Plan(t.Context(), p.AutomationID)
	f.must(err)
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("the plan changed (-first +later):\n%s", diff)
	}
	o, err := f.Outputs.Output(t.Context(), p.Documents[0].OutputID)
	f.must(err)
	pending := platen.Output{ID: o.ID, AutomationID: p.AutomationID, DocumentID: w.Documents[0].ID, State: platen.OutputPending, Attempt: 1, ThrownAway: []string{}, MissingFields: []string{}, PDFHashes: []string{}}
	if diff := cmp.Diff(pending, o, untimed()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	_, err = f.Plans.Plan(t.Context(), "aut_none")
	wantKind(t, "plan of nothing", err, platen.KindNotFound, "automation_not_found")
}

func TestConcurrentFirstCallsPinOnePlan(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, newDocument(w.ID, now()), newDocument(w.ID, now()))
	})
	id := f.accept(w, 1)[0]
	plans := make([]platen.Plan, 8)
	var calling sync.WaitGroup
	for i := range plans {
		calling.Go(func() {
			var err error
			if plans[i], err = f.Plans.Plan(t.Context(), id); err != nil {
				t.Errorf("Plan: %v", err)
			}
		})
	}
	calling.Wait()
	for _, p := range plans[1:] {
		if diff := cmp.Diff(plans[0], p); diff != "" {
			t.Errorf("two plans:\n%s", diff)
		}
	}
	if n := f.count(`SELECT count(*) FROM outputs`); n != 3 {
		t.Errorf("%d outputs for 3 documents", n)
	}
}

func TestAnOutputKeepsEverythingThatIsWrittenIntoIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.planned(f.workflow(f.user(nil))).Documents[0].OutputID
	stored, err := f.Outputs.Output(t.Context(), id)
	f.must(err)
	want := stored
	want.Generation, want.CopyBegun, want.FillBegun, want.FillEnded, want.Removed, want.Repeated = 3, true, true, true, true, true
	want.Copy = &platen.File{ID: "c", Name: "Copy", URL: "u", MIMEType: platen.MIMEDocs, Properties: map[string]string{"k": "v"}, Size: 7, Trashed: true}
	want.PDF = &platen.File{ID: "p", Name: "Pdf", MIMEType: platen.MIMEPDF, SHA256: "ab"}
	want.MissingFields, want.PDFID, want.PDFHashes = []string{"A", "B"}, "p", []string{"ab", "cd"}
	want.ThrownAway = []string{"c1", "c2"}
	want.Findings = []platen.Finding{{Code: "missing_glyph", Message: "日"}, {Code: "drawing_not_drawn", Message: "a chart"}}
	answered, err := f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { *o = want; o.ID = "out_other"; return nil })
	f.must(err)
	got, err := f.Outputs.Output(t.Context(), id)
	f.must(err)
	if diff := cmp.Diff(want, got, untimed()) + cmp.Diff(want, answered, untimed()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	refused := errors.New("refused")
	_, err = f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.Generation = 9; return refused })
	if o, _ := f.Outputs.Output(t.Context(), id); !errors.Is(err, refused) || o.Generation != 3 {
		t.Errorf("a refused change: %v, generation %d", err, o.Generation)
	}
	got, err = f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.Copy.Name = "nul\x00"; return nil })
	if err != nil || got.Copy == nil {
		t.Errorf("a name from source data with U+0000: %v", err)
	}
	_, err = f.Outputs.UpdateOutput(t.Context(), "out_none", done)
	wantKind(t, "no output", err, platen.KindNotFound, "output_not_found")
}

func TestConcurrentUpdatesOfAnOutputTakeTurns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.planned(f.workflow(f.user(nil))).Documents[0].OutputID
	var updating sync.WaitGroup
	for range 8 {
		updating.Go(func() {
			for range 5 {
				if _, err := f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.Generation++; return nil }); err != nil {
					t.Errorf("update: %v", err)
				}
			}
		})
	}
	updating.Wait()
	if o, err := f.Outputs.Output(t.Context(), id); err != nil || o.Generation != 40 {
		t.Errorf("generation %d, %v; want 40", o.Generation, err)
	}
}

func TestAnOutputEndsOnceWithOneEvent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.planned(f.workflow(f.user(nil))).Documents[0].OutputID
	events := make([]string, 8)
	var recording sync.WaitGroup
	for i := range events {
		recording.Go(func() {
			change := done
			if i%2 == 1 {
				change = failed
			}
			var err error
			if events[i], err = f.Outputs.RecordOutput(t.Context(), id, change, eventFor); err != nil {
				t.Errorf("record: %v", err)
			}
		})
	}
	recording.Wait()
	for _, e := range events {
		if e == "" || e != events[0] {
			t.Errorf("events %q, want one", events)
			break
		}
	}
	if n := f.count(`SELECT count(*) FROM events`); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
	unchanged, err := f.Outputs.UpdateOutput(t.Context(), id, func(*platen.Output) error { return nil })
	if err != nil || unchanged.State == platen.OutputPending {
		t.Errorf("a change that makes none: %+v, %v", unchanged, err)
	}
	_, err = f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.Generation++; return nil })
	wantKind(t, "change after the end", err, platen.KindConflict, "output_ended")
}

func TestWithoutAnOutgoingWebhookThereIsNoEvent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil), func(w *platen.Workflow) { w.OutgoingWebhook = nil })
	id := f.planned(w).Documents[0].OutputID
	got, err := f.Outputs.RecordOutput(t.Context(), id, done, eventFor)
	if err != nil || got != "" {
		t.Errorf("got %q, %v; want none", got, err)
	}
	f.must(f.Webhooks.CreateOutgoingWebhook(t.Context(), w.Owner, w.ID, *newWorkflow(w.Owner).OutgoingWebhook))
	if got, err := f.Outputs.RecordOutput(t.Context(), id, done, eventFor); err != nil || got != "" {
		t.Errorf("recording again with a webhook made meanwhile: %q, %v; want none", got, err)
	}
	other := f.planned(w).Documents[0].OutputID
	_, err = f.Outputs.RecordOutput(t.Context(), other, func(*platen.Output) error { return nil }, eventFor)
	wantKind(t, "a change that does not end it", err, platen.KindInternal, "output_not_ended")
	broken := errors.New("broken")
	_, err = f.Outputs.RecordOutput(t.Context(), other, done, func(platen.Output) (platen.Event, error) { return platen.Event{}, broken })
	if o, _ := f.Outputs.Output(t.Context(), other); !errors.Is(err, broken) || o.State != platen.OutputPending {
		t.Errorf("an event that cannot be made: %v, output %s; want its error and PENDING", err, o.State)
	}
}

func TestTheFinalStateFollowsTheOutputs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil), func(w *platen.Workflow) { w.Documents = append(w.Documents, newDocument(w.ID, now())) })
	for want, changes := range map[platen.AutomationState][]func(*platen.Output) error{
		platen.AutomationCompleted: {done, done},
		platen.AutomationFailed:    {done, failed},
	} {
		p := f.planned(w)
		for i, change := range changes {
			_, err := f.Outputs.RecordOutput(t.Context(), p.Documents[i].OutputID, change, eventFor)
			f.must(err)
		}
		for range 2 {
			if got, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1); err != nil || got != want {
				t.Errorf("got %s, %v; want %s", got, err, want)
			}
		}
		a, err := f.Automations.Automation(t.Context(), p.AutomationID)
		if err != nil || a.State != want || a.FinishedAt == nil {
			t.Errorf("row: %+v, %v; want %s", a, err, want)
		}
	}
	unplanned := f.accept(w, 1)[0]
	if got, err := f.Automations.EndAutomation(t.Context(), unplanned, 1); err != nil || got != platen.AutomationFailed {
		t.Errorf("without a plan: %s, %v; want FAILED", got, err)
	}
	p := f.planned(w)
	if got, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1); err != nil || got != platen.AutomationFailed {
		t.Errorf("with pending outputs: %s, %v; want FAILED", got, err)
	}
	if o, err := f.Outputs.Output(t.Context(), p.Documents[0].OutputID); err != nil || o.FailureCode != "run_ended" {
		t.Errorf("a pending output became %+v, %v; want run_ended", o, err)
	}
}

func TestARetryRedoesOnlyWhatFailed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil), func(w *platen.Workflow) { w.Documents = append(w.Documents, newDocument(w.ID, now())) })
	p := f.planned(w)
	good, bad := p.Documents[0].OutputID, p.Documents[1].OutputID
	kept, err := f.Outputs.RecordOutput(t.Context(), good, done, eventFor)
	f.must(err)
	_, err = f.Outputs.UpdateOutput(t.Context(), bad, func(o *platen.Output) error {
		o.CopyBegun, o.Copy, o.PDFID = true, &platen.File{ID: "trashed"}, "p"
		return nil
	})
	f.must(err)
	first, err := f.Outputs.RecordOutput(t.Context(), bad, failed, eventFor)
	f.must(err)
	_, err = f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	wantKind(t, "retry of an open one", err, platen.KindInvalid, "automation_not_failed")
	_, err = f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	f.must(err)

	a, err := f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	if err != nil || a.State != platen.AutomationAccepted || a.Attempt != 2 || a.FinishedAt != nil {
		t.Errorf("got %+v, %v; want ACCEPTED with attempt 2", a, err)
	}
	o, err := f.Outputs.Output(t.Context(), bad)
	f.must(err)
	fresh := platen.Output{ID: bad, AutomationID: p.AutomationID, DocumentID: o.DocumentID, State: platen.OutputPending, Attempt: 2, Generation: 1, Repeated: true, ThrownAway: []string{}, MissingFields: []string{}, PDFHashes: []string{}}
	if diff := cmp.Diff(fresh, o, untimed()); diff != "" {
		t.Errorf("failed output (-want +got):\n%s", diff)
	}
	if again, err := f.Outputs.RecordOutput(t.Context(), good, done, eventFor); err != nil || again != kept {
		t.Errorf("the output that was done: event %q, %v; want %q", again, err, kept)
	}
	second, err := f.Outputs.RecordOutput(t.Context(), bad, done, eventFor)
	if err != nil || second == "" || second == first {
		t.Errorf("the retried output: event %q, %v; want a new one", second, err)
	}
	if got, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 2); err != nil || got != platen.AutomationCompleted {
		t.Errorf("after the retry: %s, %v; want COMPLETED", got, err)
	}
}

func TestAnEventIsSentToWhatIsConfiguredNow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	p := f.planned(w)
	var made platen.Event
	id, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, done, func(o platen.Output) (platen.Event, error) {
		var err error
		made, err = eventFor(o)
		return made, err
	})
	f.must(err)
	_, err = f.Webhooks.UpdateOutgoingWebhook(t.Context(), w.Owner, w.ID, func(o *platen.OutgoingWebhook) error { o.URL = "https://moved"; return nil })
	f.must(err)
	got, to, err := f.Deliveries.Event(t.Context(), id)
	f.must(err)
	want := made
	want.WorkflowID, want.AutomationID, want.OutputID, want.State = w.ID, p.AutomationID, p.Documents[0].OutputID, platen.EventPending
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&platen.Endpoint{WebhookID: w.OutgoingWebhook.ID, OwnerID: w.Owner.ID, URL: "https://moved", Secrets: []string{w.OutgoingWebhook.Secret}}, to); diff != "" {
		t.Errorf("endpoint (-want +got):\n%s", diff)
	}
	f.exec(`DELETE FROM outgoing_webhooks`)
	if _, to, err := f.Deliveries.Event(t.Context(), id); err != nil || to != nil {
		t.Errorf("without a webhook: %+v, %v; want no endpoint", to, err)
	}
	_, _, err = f.Deliveries.Event(t.Context(), "evt_none")
	wantKind(t, "no event", err, platen.KindNotFound, "event_not_found")
}

func TestAnAttemptIsRecordedOnceAndDeliveredStaysDelivered(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	id, err := f.Outputs.RecordOutput(t.Context(), f.planned(w).Documents[0].OutputID, done, eventFor)
	f.must(err)
	first := platen.Delivery{EventID: id, Attempt: 1, At: now(), Duration: 1234 * time.Microsecond, Status: 503, Failure: "busy", Answer: "a\x00b\xff", RetryAfter: 36 * time.Hour}
	for i, step := range []struct {
		delivery platen.Delivery
		state    platen.EventState
		want     platen.EventState
	}{
		{first, platen.EventPending, platen.EventPending},
		{platen.Delivery{EventID: id, Attempt: 1, At: now(), Status: 500, Failure: "again"}, platen.EventPending, platen.EventPending},
		{platen.Delivery{EventID: id, Attempt: 2, At: now(), Status: 500, Failure: "no"}, platen.EventPending, platen.EventPending},
		{platen.Delivery{EventID: id, Attempt: 2, At: now(), Status: 204}, platen.EventDelivered, platen.EventDelivered},
		{platen.Delivery{EventID: id, Attempt: 2, At: now(), Status: 500, Failure: "late"}, platen.EventFailed, platen.EventDelivered},
	} {
		f.must(f.Deliveries.RecordDelivery(t.Context(), step.delivery, step.state, 0))
		if e, _, err := f.Deliveries.Event(t.Context(), id); err != nil || e.State != step.want {
			t.Errorf("step %d: state %s, %v; want %s", i, e.State, err, step.want)
		}
	}
	_, got, err := f.Events.WorkflowEvent(t.Context(), w.Owner, w.ID, id)
	f.must(err)
	first.Answer = "a\uFFFDb\uFFFD"
	if len(got) != 2 || got[1].Status != 204 || !cmp.Equal(got[0], first) {
		t.Errorf("got %+v; want the first of attempt 1 and the success of attempt 2", got)
	}
	wantKind(t, "no event", f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: "evt_none", Attempt: 1}, platen.EventPending, 0), platen.KindNotFound, "event_not_found")
}

func TestAListHasCreationOrderAndEachWorkflowItsDocuments(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	owner := f.user(nil)
	for i := range 3 {
		f.workflow(owner, func(w *platen.Workflow) { w.Name = fmt.Sprint(i) })
	}
	found, err := f.Workflows.Workflows(t.Context(), owner, platen.WorkflowQuery{})
	f.must(err)
	for i, w := range found {
		if w.Name != fmt.Sprint(i) || len(w.Documents) != 1 || w.Documents[0].WorkflowID != w.ID {
			t.Errorf("workflow %d: %+v; want creation order, each with its own document", i, w)
		}
	}
}

// untimed compares outputs without the times that the store gives them.
func untimed() cmp.Option {
	return cmpopts.IgnoreFields(platen.Output{}, "CreatedAt", "UpdatedAt")
}
