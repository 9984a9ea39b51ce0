package postgres_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
)

// erase carries out what is due, as a worker does whose drive answers.
func (f *harness) erase() (done []string) {
	f.t.Helper()
	due, err := f.Automations.ClaimErasures(f.t.Context(), 10, time.Minute)
	f.must(err)
	for _, e := range due {
		if !e.Ended {
			continue
		}
		f.must(f.Automations.EraseData(f.t.Context(), e.AutomationID))
		f.must(f.Automations.FinishErasure(f.t.Context(), e))
		done = append(done, e.AutomationID)
	}
	return done
}

// named has an output of an automation bear the canary in its files' names.
func (f *harness) named(automationID string) {
	f.t.Helper()
	f.exec(`UPDATE outputs SET copy = '{"id": "file-2", "name": "`+canary+`", "url": "", "mimeType": ""}', missing_fields = '{`+canary+`}', failure = '`+canary+`' WHERE automation_id = $1`, automationID)
	f.exec(`UPDATE automations SET failure = '`+canary+`', request_id = '`+canary+`' WHERE id = $1`, automationID)
	f.exec(`UPDATE deliveries SET failure = '`+canary+`' WHERE event_id IN (SELECT e.id FROM events e JOIN outputs o ON o.id = e.output_id WHERE o.automation_id = $1)`, automationID)
}

// wantNoData looks for what is left of erased data: it is sealed, so that the canary
// tells nothing of it.
func (f *harness) wantNoData() {
	f.t.Helper()
	if n := f.count(`SELECT count(*) FROM automations WHERE data_erased_at IS NOT NULL AND (data_key IS NOT NULL OR body <> '')`); n != 0 {
		f.t.Errorf("got %d automations whose data was erased and that have some, or its key", n)
	}
}

func TestAnErasedAutomationLeavesItsIdAndWhoAsked(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	w := f.workflow(u)
	id, eventID := f.delivered(w)
	f.named(id)
	asked, err := f.Automations.EraseAutomation(t.Context(), u, w.ID, id)
	f.must(err)
	if asked.EraseRequestedAt == nil || asked.EraseRequestedBy != u.ID || asked.ErasedAt != nil {
		t.Errorf("asked for: got %v by %q, erased at %v; want a time, the caller, and not yet", asked.EraseRequestedAt, asked.EraseRequestedBy, asked.ErasedAt)
	}
	if diff := cmp.Diff([]string{id}, f.erase()); diff != "" {
		t.Errorf("carried out (-want +got):\n%s", diff)
	}
	again, err := f.Automations.EraseAutomation(t.Context(), u, w.ID, id)
	f.must(err)
	if again.ErasedAt == nil || again.DataErasedAt == nil || !again.EraseRequestedAt.Equal(*asked.EraseRequestedAt) {
		t.Errorf("asked for twice: got %+v, want it erased, as of the first request", again)
	}
	if got := f.erase(); len(got) != 0 {
		t.Errorf("asked for twice: got %v carried out, want nothing", got)
	}
	if f.showsCanary() {
		t.Errorf("got rows in which %q stands", canary)
	}
	f.wantNoData()
	_, err = f.another().Automations.SourceData(t.Context(), id)
	wantKind(t, "source data", err, platen.KindInvalid, platen.CodeDataErased)
	wantKind(t, "redeliver", f.Events.RedeliverEvent(t.Context(), u, w.ID, eventID), platen.KindInvalid, platen.CodeDataErased)
	e, attempts, err := f.Events.WorkflowEvent(t.Context(), u, w.ID, eventID)
	f.must(err)
	if len(e.Payload) != 0 || len(attempts) != 1 || attempts[0].Answer != "" {
		t.Errorf("event: got %q and attempts %+v, want neither payload nor answer", e.Payload, attempts)
	}
}

func TestOnlyThoseOfAWorkflowHaveItsAutomationsErased(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	id, _ := f.delivered(w)
	other := f.user(nil)
	_, err := f.Automations.EraseAutomation(t.Context(), other, w.ID, id)
	wantKind(t, "another user", err, platen.KindNotFound, "workflow_not_found")
	_, err = f.Automations.EraseAutomation(t.Context(), other, f.workflow(other).ID, id)
	wantKind(t, "through another workflow", err, platen.KindNotFound, "automation_not_found")
	if got := f.erase(); len(got) != 0 {
		t.Errorf("got %v erased, want nothing", got)
	}
}

func TestAnAutomationUnderWayIsCancelledThenErasedAndTellsNothingMore(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	w := f.workflow(u)
	p := f.running(w)
	_, err := f.Automations.EraseAutomation(t.Context(), u, w.ID, p.AutomationID)
	f.must(err)
	if got := f.commands(); len(got) != 1 || got[0].Kind != platen.CommandCancel {
		t.Errorf("commands: got %+v, want one that cancels the run", got)
	}
	if got := f.erase(); len(got) != 0 {
		t.Errorf("while it runs: got %v erased, want nothing", got)
	}
	_, eventID, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, failed, eventFor)
	f.must(err)
	if eventID != "" {
		t.Errorf("got event %s of the cancelled run, want none", eventID)
	}
	_, err = f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	f.must(err)
	f.exec(`UPDATE automations SET erase_due_at = now()`)
	if diff := cmp.Diff([]string{p.AutomationID}, f.erase()); diff != "" {
		t.Errorf("after its end (-want +got):\n%s", diff)
	}
	_, err = f.Automations.RetryAutomation(t.Context(), u, w.ID, p.AutomationID)
	wantKind(t, "retry", err, platen.KindInvalid, platen.CodeDataErased)
}

func TestDeliveriesOfAnErasedAutomationEnd(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	w := f.workflow(u)
	id, eventID := f.delivered(w)
	f.must(f.Events.RedeliverEvent(t.Context(), u, w.ID, eventID))
	_, err := f.Automations.EraseAutomation(t.Context(), u, w.ID, id)
	f.must(err)
	if got := f.commands(); len(got) != 0 {
		t.Errorf("commands: got %+v, want no delivery", got)
	}
	// An attempt that was under way ends after that.
	f.must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: eventID, Attempt: 2, At: now(), Failure: "busy"}, platen.EventPending, time.Hour))
	e, _, err := f.Deliveries.Event(t.Context(), eventID)
	f.must(err)
	if e.State != platen.EventFailed {
		t.Errorf("got the event %s, want it FAILED: nothing more is sent", e.State)
	}
}

func TestAutomationsThatWereErasedAreErasedAgainInADatabaseThatWentBack(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	erased, _ := f.delivered(w)
	kept, _ := f.delivered(w)
	at := now().Add(-time.Hour)
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
	f.must(err)
	if !a.EraseRequestedAt.Equal(at) || a.EraseRequestedBy != "usr_a" {
		t.Errorf("got %v by %s, want what the tombstone says", a.EraseRequestedAt, a.EraseRequestedBy)
	}
	if body, err := f.another().Automations.SourceData(t.Context(), kept); err != nil || len(body) == 0 {
		t.Errorf("an automation that nobody erased: got %q and %v, want its data", body, err)
	}
}

func TestDataWhoseTimeIsOverIsErasedInBatches(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	w := f.workflow(u)
	age := 24 * time.Hour
	var old []string
	for range 3 {
		id, _ := f.delivered(w)
		old = append(old, id)
	}
	busy, busyEvent := f.delivered(w)
	f.exec(`UPDATE automations SET finished_at = now() - interval '25 hours'`)
	f.exec(`UPDATE events SET state = 'PENDING' WHERE id = $1`, busyEvent)
	young, _ := f.delivered(w)
	for _, want := range []platen.ErasedData{{Automations: 2, Events: 2, Answers: 2}, {Automations: 1, Events: 1, Answers: 1}, {}} {
		got, err := f.Automations.EraseExpiredData(t.Context(), age, 2)
		f.must(err)
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	f.wantNoData()
	other := f.another()
	for _, id := range old {
		_, err := other.Automations.SourceData(t.Context(), id)
		wantKind(t, "old", err, platen.KindInvalid, platen.CodeDataErased)
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
	if n := f.count(`SELECT count(*) FROM outputs`); n != 2 {
		t.Errorf("got %d outputs, want those of the two that stay", n)
	}
	if n, err := f.Events.RecoverEvents(t.Context(), u, w.ID, time.Time{}, 10); n.Events != 0 || err != nil {
		t.Errorf("recover: got %+v and %v, want nothing", n, err)
	}
}

// recovering begins a recovery of a FAILED event that waits for the event until end is
// called.
func (f *harness) recovering(u platen.User, w platen.Workflow, eventID string) (end func()) {
	f.t.Helper()
	f.exec(`UPDATE events SET state = 'FAILED' WHERE id = $1`, eventID)
	hold, err := f.pool.Begin(f.t.Context())
	f.must(err)
	_, err = hold.Exec(f.t.Context(), `SELECT FROM events WHERE id = $1 FOR UPDATE`, eventID)
	f.must(err)
	recovered := make(chan error, 1)
	go func() {
		_, err := f.Events.RecoverEvents(f.t.Context(), u, w.ID, time.Time{}, 10)
		recovered <- err
	}()
	f.waitFor(waitForLocks, 1)
	return func() {
		f.t.Helper()
		f.must(hold.Commit(f.t.Context()))
		f.must(<-recovered)
	}
}

const waitForLocks = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

func TestNothingIsRecoveredThatIsErasedMeanwhile(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	w := f.workflow(u)
	id, eventID := f.delivered(w)
	end := f.recovering(u, w, eventID)
	erased := make(chan error, 1)
	go func() {
		_, err := f.another().Automations.EraseAutomation(t.Context(), u, w.ID, id)
		erased <- err
	}()
	f.waitFor(waitForLocks, 2)
	end()
	f.must(<-erased)
	e, _, err := f.another().Deliveries.Event(t.Context(), eventID)
	if err != nil || e.State != platen.EventFailed {
		t.Errorf("after its erasure: got %s and %v, want FAILED", e.State, err)
	}
}

func TestRetentionLeavesAloneWhatIsRecovered(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	w := f.workflow(u)
	id, eventID := f.delivered(w)
	f.exec(`UPDATE automations SET finished_at = now() - interval '2 hours' WHERE id = $1`, id)
	end := f.recovering(u, w, eventID)
	n, err := f.another().Automations.EraseExpiredData(t.Context(), time.Hour, 10)
	if err != nil || n.Automations != 0 {
		t.Errorf("got %+v and %v, want that it waits for what is sent once more", n, err)
	}
	end()
	e, _, err := f.another().Deliveries.Event(t.Context(), eventID)
	if err != nil || e.State != platen.EventPending || len(e.Payload) == 0 {
		t.Errorf("recovered: got %s with %d bytes and %v, want PENDING with its payload", e.State, len(e.Payload), err)
	}
}

func TestAnAnswerThatComesAfterTheErasureIsNotKept(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	w := f.workflow(u)
	id, eventID := f.delivered(w)
	f.must(f.Events.RedeliverEvent(t.Context(), u, w.ID, eventID))
	_, _, err := f.Deliveries.Event(t.Context(), eventID) // an attempt begins, with the key
	f.must(err)
	_, err = f.Automations.EraseAutomation(t.Context(), u, w.ID, id)
	f.must(err)
	f.erase()
	f.must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: eventID, Attempt: 3, At: now(), Status: 200, Answer: canary}, platen.EventDelivered, 0))
	_, deliveries, err := f.Events.WorkflowEvent(t.Context(), u, w.ID, eventID)
	if err != nil || len(deliveries) == 0 || deliveries[len(deliveries)-1].Answer != "" {
		t.Errorf("got %+v and %v, want the attempt without its answer", deliveries, err)
	}
	if n := f.count(`SELECT count(*) FROM deliveries WHERE event_id = $1 AND answer IS NOT NULL`, eventID); n != 0 {
		t.Errorf("%d answers are stored, want none", n)
	}
}
