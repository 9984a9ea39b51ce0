package accept_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestAnEventWhoseKeyItsSourceHadStartsNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, other := f.Workflow(owner), f.Workflow(owner)
	b := f.Batcher(accept.BatcherOptions{})
	send := func(w platen.Workflow, key string, fields ...string) string {
		t.Helper()
		e := storetest.Event(w, fields...)
		e.EventKey = key
		f.Must(b.Accept(t.Context(), e))
		return e.AutomationID
	}
	stored := func(id string) bool {
		return f.Count(`SELECT count(*) FROM automations WHERE id = $1`, id) == 1
	}
	first := send(w, "k", "Name")
	repeat := send(w, "k", "Other")
	if !stored(first) || stored(repeat) {
		t.Errorf("stored: first %v, repeat %v; want the first only", stored(first), stored(repeat))
	}
	if got := f.Fields(w); !slices.Equal(got, []string{"Name"}) {
		t.Errorf("fields: got %v, want those of the first", got)
	}
	for what, id := range map[string]string{"another key": send(w, "l"), "no key": send(w, ""), "no key again": send(w, ""), "another source": send(other, "k")} {
		if !stored(id) {
			t.Errorf("%s: was not stored", what)
		}
	}
	f.Exec(`UPDATE source_event_keys SET accepted_at = now() - interval '5 days'`)
	f.Must(f.Idempotency.SweepExpired(t.Context()))
	if n := f.Count(`SELECT count(*) FROM source_event_keys`); n != 0 {
		t.Errorf("keys after the sweep: got %d", n)
	}
	if !stored(send(w, "k")) {
		t.Error("a key that was forgotten still counts")
	}
}

// A sender that gives another event a name of before would lose it: it is kept, once, and
// says why nothing was made of it.
func TestAnotherEventUnderANameOfBeforeIsKeptAndStartsNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	named := func(body string, fields ...string) platen.SourceEvent {
		e := storetest.Event(w, fields...)
		e.EventKey, e.Body = "invoice-417", []byte(body)
		return e
	}
	first, other, third := named(`{"Total":1}`, "Total"), named(`{"Total":2}`, "Sum"), named(`{"Total":3}`, "Sum")
	again := func(e platen.SourceEvent) platen.SourceEvent { return named(string(e.Body), "Sum") }
	for _, batch := range [][]platen.SourceEvent{
		{first, other}, // at once
		{again(other), again(first), third, again(third)}, // in any order, later
		{again(third)},
	} {
		for range 2 { // as after an answer that was lost
			results, err := accept.InsertEvents(t.Context(), f.DB.DB, batch)
			f.Must(err)
			f.Must(errors.Join(results...))
		}
	}
	got := map[string]string{}
	for id, want := range map[string]string{first.AutomationID: "ACCEPTED ", other.AutomationID: "SKIPPED KEY_REUSED", third.AutomationID: "SKIPPED KEY_REUSED"} {
		a := f.Automation(w, id)
		if got[id] = string(a.State) + " " + a.Reason; got[id] != want || (a.State == platen.AutomationSkipped) != (a.FinishedAt != nil) {
			t.Errorf("got %s, ended %v; want %s", got[id], a.FinishedAt, want)
		}
		data, err := f.Automations.SourceData(t.Context(), id)
		f.Must(err)
		t.Logf("%s: %s", got[id], data)
	}
	if n := f.Count(`SELECT count(*) FROM automations`); n != 3 {
		t.Errorf("%d automations, want 3: each body once", n)
	}
	if got := f.Fields(w); !slices.Equal(got, []string{"Total"}) {
		t.Errorf("fields: got %v, want those of the event that was carried out", got)
	}
}

func TestRepeatsInOneBatchAndSideBySideStartOneAutomation(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	sources := []platen.Workflow{f.Workflow(owner), f.Workflow(owner)}
	b := f.Batcher(accept.BatcherOptions{Flushers: 4, MaxEvents: 20})
	keys := strings.Split("abcdefghij", "")
	var senders sync.WaitGroup
	for i := range 400 {
		senders.Go(func() {
			e := storetest.Event(sources[i%2])
			e.EventKey = keys[(i*7)%len(keys)]
			if err := b.Accept(t.Context(), e); err != nil {
				t.Errorf("Accept: %v", err)
			}
		})
	}
	senders.Wait()
	if n := f.Count(`SELECT count(*) FROM automations`); n != len(keys) {
		t.Errorf("automations: got %d, want one for each of %d keys that were sent", n, len(keys))
	}
}

func TestAKeySentToAnArchivedWorkflowIsNotTaken(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.Batcher(accept.BatcherOptions{})
	f.Must(f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, nil))
	e := storetest.Event(w)
	e.EventKey = "k"
	storetest.WantKind(t, "archived", b.Accept(t.Context(), e), platen.KindGone, "workflow_archived")
	_, err := f.Workflows.RestoreWorkflow(t.Context(), w.ID)
	f.Must(err)
	e = storetest.Event(w)
	e.EventKey = "k"
	f.Must(b.Accept(t.Context(), e))
	if f.State(e.AutomationID) != platen.AutomationAccepted {
		t.Error("the event was taken for a repeat")
	}
}
