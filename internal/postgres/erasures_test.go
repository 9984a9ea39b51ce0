package postgres_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// erase carries out what is due, as a worker does whose drive answers.
func (f *harness) erase() (done []string) {
	f.T.Helper()
	due, err := f.Automations.ClaimErasures(f.T.Context(), 10, time.Minute)
	f.Must(err)
	for _, e := range due {
		if !e.Ended {
			continue
		}
		f.Must(f.Automations.EraseData(f.T.Context(), e.AutomationID))
		f.Must(f.Automations.FinishErasure(f.T.Context(), e))
		done = append(done, e.AutomationID)
	}
	return done
}

// named has an output of an automation bear the canary in its files' names.
func (f *harness) named(automationID string) {
	f.T.Helper()
	f.Exec(`UPDATE outputs SET copy = '{"id": "file-2", "name": "`+storetest.Canary+`", "url": "", "mimeType": ""}', missing_fields = '{`+storetest.Canary+`}', failure = '`+storetest.Canary+`' WHERE automation_id = $1`, automationID)
	skipped := `'[{"documentId": "doc_1", "part": "email", "when": "` + storetest.Canary + `"}]'`
	f.Exec(`UPDATE plans SET plan = jsonb_set(plan, '{skipped}', `+skipped+`) WHERE automation_id = $1`, automationID)
	f.Exec(`UPDATE automations SET skipped = `+skipped+`, failure = '`+storetest.Canary+`', request_id = '`+storetest.Canary+`', reference = '`+storetest.Canary+`' WHERE id = $1`, automationID)
	f.Exec(`UPDATE deliveries SET failure = '`+storetest.Canary+`' WHERE event_id IN (SELECT e.id FROM events e JOIN outputs o ON o.id = e.output_id WHERE o.automation_id = $1)`, automationID)
}

// wantNoData looks for what is left of erased data: it is sealed, so that the canary
// tells nothing of it.
func (f *harness) wantNoData() {
	f.T.Helper()
	if n := f.Count(`SELECT count(*) FROM automations WHERE data_erased_at IS NOT NULL AND (data_key IS NOT NULL OR body <> '')`); n != 0 {
		f.T.Errorf("got %d automations whose data was erased and that have some, or its key", n)
	}
}

func TestAnErasedAutomationLeavesItsIdAndWhoAsked(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u)
	id, eventID := f.Delivered(w)
	f.named(id)
	asked, err := f.Automations.EraseAutomation(t.Context(), u, w.ID, id)
	f.Must(err)
	if asked.EraseRequestedAt == nil || asked.EraseRequestedBy != u.ID || asked.ErasedAt != nil {
		t.Errorf("asked for: got %v by %q, erased at %v; want a time, the caller, and not yet", asked.EraseRequestedAt, asked.EraseRequestedBy, asked.ErasedAt)
	}
	if diff := cmp.Diff([]string{id}, f.erase()); diff != "" {
		t.Errorf("carried out (-want +got):\n%s", diff)
	}
	again, err := f.Automations.EraseAutomation(t.Context(), u, w.ID, id)
	f.Must(err)
	if again.ErasedAt == nil || again.DataErasedAt == nil || !again.EraseRequestedAt.Equal(*asked.EraseRequestedAt) {
		t.Errorf("asked for twice: got %+v, want it erased, as of the first request", again)
	}
	if got := f.erase(); len(got) != 0 {
		t.Errorf("asked for twice: got %v carried out, want nothing", got)
	}
	if f.ShowsCanary() {
		t.Errorf("got rows in which %q stands", storetest.Canary)
	}
	f.wantNoData()
	_, err = f.Another().Automations.SourceData(t.Context(), id)
	storetest.WantKind(t, "source data", err, platen.KindInvalid, platen.CodeDataErased)
	storetest.WantKind(t, "redeliver", f.Events.RedeliverEvent(t.Context(), u, w.ID, eventID), platen.KindInvalid, platen.CodeDataErased)
	e, attempts, err := f.Events.WorkflowEvent(t.Context(), u, w.ID, eventID)
	f.Must(err)
	if len(e.Payload) != 0 || len(attempts) != 1 || attempts[0].Answer != "" {
		t.Errorf("event: got %q and attempts %+v, want neither payload nor answer", e.Payload, attempts)
	}
}

func TestOnlyThoseOfAWorkflowHaveItsAutomationsErased(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	id, _ := f.Delivered(w)
	other := f.User(nil)
	_, err := f.Automations.EraseAutomation(t.Context(), other, w.ID, id)
	storetest.WantKind(t, "another user", err, platen.KindNotFound, "workflow_not_found")
	_, err = f.Automations.EraseAutomation(t.Context(), other, f.Workflow(other).ID, id)
	storetest.WantKind(t, "through another workflow", err, platen.KindNotFound, "automation_not_found")
	if got := f.erase(); len(got) != 0 {
		t.Errorf("got %v erased, want nothing", got)
	}
}

func TestAnAutomationUnderWayIsCancelledThenErasedAndTellsNothingMore(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u)
	p := f.Running(w)
	_, err := f.Automations.EraseAutomation(t.Context(), u, w.ID, p.AutomationID)
	f.Must(err)
	if got := f.Commands(); len(got) != 1 || got[0].Kind != platen.CommandCancel {
		t.Errorf("commands: got %+v, want one that cancels the run", got)
	}
	if got := f.erase(); len(got) != 0 {
		t.Errorf("while it runs: got %v erased, want nothing", got)
	}
	_, eventID, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Failed, storetest.EventFor)
	f.Must(err)
	if eventID != "" {
		t.Errorf("got event %s of the cancelled run, want none", eventID)
	}
	_, err = f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	f.Must(err)
	f.Exec(`UPDATE automations SET erase_due_at = now()`)
	if diff := cmp.Diff([]string{p.AutomationID}, f.erase()); diff != "" {
		t.Errorf("after its end (-want +got):\n%s", diff)
	}
	_, err = f.Automations.RetryAutomation(t.Context(), u, w.ID, p.AutomationID)
	storetest.WantKind(t, "retry", err, platen.KindInvalid, platen.CodeDataErased)
}

func TestDeliveriesOfAnErasedAutomationEnd(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u)
	id, eventID := f.Delivered(w)
	f.Must(f.Events.RedeliverEvent(t.Context(), u, w.ID, eventID))
	_, err := f.Automations.EraseAutomation(t.Context(), u, w.ID, id)
	f.Must(err)
	if got := f.Commands(); len(got) != 0 {
		t.Errorf("commands: got %+v, want no delivery", got)
	}
	// An attempt that was under way ends after that.
	f.Must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: eventID, Attempt: 2, At: storetest.Now(), Failure: "busy"}, platen.EventPending, time.Hour))
	e, _, err := f.Deliveries.Event(t.Context(), eventID)
	f.Must(err)
	if e.State != platen.EventFailed {
		t.Errorf("got the event %s, want it FAILED: nothing more is sent", e.State)
	}
}

func TestAutomationsThatWereErasedAreErasedAgainInADatabaseThatWentBack(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	erased, _ := f.Delivered(w)
	kept, _ := f.Delivered(w)
	at := storetest.Now().Add(-time.Hour)
	stones := []platen.Tombstone{{AutomationID: erased, WorkflowID: w.ID, RequestedAt: at, By: "usr_a"}, {AutomationID: "aut_unknown00000000", By: "usr_a"}}
	for want := 1; want >= 0; want-- {
		if n, err := f.Automations.EraseAgain(t.Context(), stones); n != want || err != nil {
			t.Errorf("got %d and %v, want %d", n, err, want)
		}
	}
	if diff := cmp.Diff([]string{erased}, f.erase()); diff != "" {
		t.Errorf("carried out (-want +got):\n%s", diff)
	}
	a, err := f.Automations.Automation(t.Context(), erased)
	f.Must(err)
	if !a.EraseRequestedAt.Equal(at) || a.EraseRequestedBy != "usr_a" {
		t.Errorf("got %v by %s, want what the tombstone says", a.EraseRequestedAt, a.EraseRequestedBy)
	}
	if body, err := f.Another().Automations.SourceData(t.Context(), kept); err != nil || len(body) == 0 {
		t.Errorf("an automation that nobody erased: got %q and %v, want its data", body, err)
	}
}

func TestDataWhoseTimeIsOverIsErasedInBatches(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u)
	age := 24 * time.Hour
	var old []string
	for range 3 {
		id, _ := f.Delivered(w)
		old = append(old, id)
	}
	busy, busyEvent := f.Delivered(w)
	f.Exec(`UPDATE automations SET finished_at = now() - interval '25 hours', reference = 'Order 17'`)
	f.Exec(`UPDATE events SET state = 'PENDING' WHERE id = $1`, busyEvent)
	young, _ := f.Delivered(w)
	for _, want := range []platen.ErasedData{{Automations: 2, Events: 2, Answers: 2}, {Automations: 1, Events: 1, Answers: 1}, {}} {
		got, err := f.Automations.EraseExpiredData(t.Context(), age, 2)
		f.Must(err)
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	f.wantNoData()
	other := f.Another()
	for _, id := range old {
		if a, err := other.Automations.Automation(t.Context(), id); err != nil || a.Reference != "" {
			t.Errorf("got reference %q (%v), want it erased with the data", a.Reference, err)
		}
		_, err := other.Automations.SourceData(t.Context(), id)
		storetest.WantKind(t, "old", err, platen.KindInvalid, platen.CodeDataErased)
	}
	for what, id := range map[string]string{"with an event under way": busy, "young": young} {
		if _, err := other.Automations.SourceData(t.Context(), id); err != nil {
			t.Errorf("%s: got %v, want its data", what, err)
		}
	}
	if n, err := f.Automations.EraseExpiredOutputs(t.Context(), 26*time.Hour, 10); n != 0 || err != nil {
		t.Errorf("outputs that are kept an hour longer: got %d and %v, want none", n, err)
	}
	if n, err := f.Automations.EraseExpiredOutputs(t.Context(), age, 10); n != 3 || err != nil {
		t.Errorf("outputs: got %d and %v, want 3", n, err)
	}
	if got := f.erase(); len(got) != 3 {
		t.Errorf("outputs: got %v erased, want 3", got)
	}
	if n := f.Count(`SELECT count(*) FROM outputs`); n != 2 {
		t.Errorf("got %d outputs, want those of the two that stay", n)
	}
	if n, err := f.Events.RecoverEvents(t.Context(), u, w.ID, time.Time{}, 10); n.Events != 0 || err != nil {
		t.Errorf("recover: got %+v and %v, want nothing", n, err)
	}
}

// recovering begins a recovery of a FAILED event that waits for the event until end is
// called.
func (f *harness) recovering(u platen.User, w platen.Workflow, eventID string) (end func()) {
	f.T.Helper()
	f.Exec(`UPDATE events SET state = 'FAILED' WHERE id = $1`, eventID)
	hold, err := f.Owner.Begin(f.T.Context())
	f.Must(err)
	_, err = hold.Exec(f.T.Context(), `SELECT FROM events WHERE id = $1 FOR UPDATE`, eventID)
	f.Must(err)
	recovered := make(chan error, 1)
	go func() {
		_, err := f.Events.RecoverEvents(f.T.Context(), u, w.ID, time.Time{}, 10)
		recovered <- err
	}()
	f.WaitFor(storetest.WaitForLocks, 1)
	return func() {
		f.T.Helper()
		f.Must(hold.Commit(f.T.Context()))
		f.Must(<-recovered)
	}
}

func TestNothingIsRecoveredThatIsErasedMeanwhile(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u)
	id, eventID := f.Delivered(w)
	end := f.recovering(u, w, eventID)
	erased := make(chan error, 1)
	go func() {
		_, err := f.Another().Automations.EraseAutomation(t.Context(), u, w.ID, id)
		erased <- err
	}()
	f.WaitFor(storetest.WaitForLocks, 2)
	end()
	f.Must(<-erased)
	e, _, err := f.Another().Deliveries.Event(t.Context(), eventID)
	if err != nil || e.State != platen.EventFailed {
		t.Errorf("after its erasure: got %s and %v, want FAILED", e.State, err)
	}
}

func TestRetentionLeavesAloneWhatIsRecovered(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u)
	id, eventID := f.Delivered(w)
	f.Exec(`UPDATE automations SET finished_at = now() - interval '2 hours' WHERE id = $1`, id)
	end := f.recovering(u, w, eventID)
	n, err := f.Another().Automations.EraseExpiredData(t.Context(), time.Hour, 10)
	if err != nil || n.Automations != 0 {
		t.Errorf("got %+v and %v, want that it waits for what is sent once more", n, err)
	}
	end()
	e, _, err := f.Another().Deliveries.Event(t.Context(), eventID)
	if err != nil || e.State != platen.EventPending || len(e.Payload) == 0 {
		t.Errorf("recovered: got %s with %d bytes and %v, want PENDING with its payload", e.State, len(e.Payload), err)
	}
}

func TestAnAnswerThatComesAfterTheErasureIsNotKept(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u)
	id, eventID := f.Delivered(w)
	f.Must(f.Events.RedeliverEvent(t.Context(), u, w.ID, eventID))
	_, _, err := f.Deliveries.Event(t.Context(), eventID) // an attempt begins, with the key
	f.Must(err)
	_, err = f.Automations.EraseAutomation(t.Context(), u, w.ID, id)
	f.Must(err)
	f.erase()
	f.Must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: eventID, Attempt: 3, At: storetest.Now(), Status: 200, Answer: storetest.Canary}, platen.EventDelivered, 0))
	_, deliveries, err := f.Events.WorkflowEvent(t.Context(), u, w.ID, eventID)
	if err != nil || len(deliveries) == 0 || deliveries[len(deliveries)-1].Answer != "" {
		t.Errorf("got %+v and %v, want the attempt without its answer", deliveries, err)
	}
	if n := f.Count(`SELECT count(*) FROM deliveries WHERE event_id = $1 AND answer IS NOT NULL`, eventID); n != 0 {
		t.Errorf("%d answers are stored, want none", n)
	}
}
