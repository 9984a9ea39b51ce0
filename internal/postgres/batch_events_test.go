package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// batchEvents are the events about batches of a workflow, with their payloads.
func (f *harness) batchEvents(w platen.Workflow) (found []platen.Event) {
	f.T.Helper()
	all, err := f.Events.WorkflowEvents(f.T.Context(), w.Owner, w.ID, platen.EventQuery{})
	f.Must(err)
	for _, e := range all {
		if e.BatchID == "" {
			continue
		}
		e, _, err := f.Events.WorkflowEvent(f.T.Context(), w.Owner, w.ID, e.ID)
		f.Must(err)
		found = append(found, e)
	}
	return found
}

func TestABatchThatEndsIsOneEvent(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Batches.Completed = delivery.NewBatchEvent
	w := f.Workflow(f.User(nil))
	b := f.store(w, 2)
	f.move(4)
	ids := f.inQueue(w)
	f.endRows(w, storetest.Failed, ids[0])
	f.move(4)
	if got := f.batchEvents(w); len(got) != 0 {
		t.Fatalf("got %+v while a row is made, want no event", got)
	}
	f.endRows(w, storetest.Done, ids[1])
	f.move(4)
	f.move(4)
	got := f.batchEvents(w)
	want := fmt.Sprintf(`"batch":{"id":%q,"name":"October.csv","state":"COMPLETED","attempt":1,"rows":2,"counts":{"CANCELLED":0,"COMPLETED":1,"FAILED":1,"PENDING":0,"RUNNING":0,"SKIPPED":0}`, b.ID)
	if len(got) != 1 || got[0].Type != platen.EventBatchCompleted || got[0].State != platen.EventPending || got[0].BatchID != b.ID || got[0].AutomationID != ids[1] || !strings.Contains(string(got[0].Payload), want) {
		t.Fatalf("got %+v, want one PENDING event of the row that ended last, with %s", got, want)
	}
	if n := f.Count(`SELECT count(*) FROM errands WHERE kind = 'DELIVER' AND id = $1`, got[0].ID); n != 1 {
		t.Errorf("got %d commands to deliver it, want one", n)
	}

	// Its payload has nothing of the source data: it outlives that, and so does its delivery.
	for _, id := range ids {
		f.Must(f.Automations.EraseData(t.Context(), id))
	}
	e, endpoint, err := f.Deliveries.Event(t.Context(), got[0].ID)
	if err != nil || endpoint == nil || string(e.Payload) != string(got[0].Payload) {
		t.Errorf("after the erasure of its rows: got %+v to %v, %v; want the same payload, and where to send it", e, endpoint, err)
	}
	f.Must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: e.ID, Attempt: 1, At: storetest.Now(), Status: 500, Failure: "500", Answer: "no"}, platen.EventFailed, 0))
	if n, err := f.Events.RecoverEvents(t.Context(), w.Owner, w.ID, b.CreatedAt, 10); err != nil || n.Events != 1 {
		t.Errorf("recovered %+v, %v; want the event of the batch", n, err)
	}
	f.Must(f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, e.ID))
}

func TestEachAttemptOfABatchIsAnEvent(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Batches.Completed = delivery.NewBatchEvent
	w := f.Workflow(f.User(nil))
	b := f.store(w, 1)
	f.move(4)
	id := f.inQueue(w)[0]
	f.endRows(w, storetest.Failed, id)
	f.move(4)
	_, err := f.Batches.RetryBatch(t.Context(), w.Owner, w.ID, b.ID)
	f.Must(err)
	f.move(4)
	f.Must(f.Queue.MarkStarted(t.Context(), []platen.Automation{{ID: id, Attempt: 2}}))
	f.endRetried(id)
	f.move(4)
	got := f.batchEvents(w)
	if len(got) != 2 || !strings.Contains(string(got[1].Payload), `"attempt":2`) {
		t.Errorf("got %+v, want an event of each attempt", got)
	}
}

// A row that somebody retries by itself has its batch go on, and end once more.
func TestARowThatIsRetriedByItselfIsAnAttemptOfItsBatch(t *testing.T) {
	t.Parallel()
	for name, reopened := range map[string]string{"by this release": ``, "by the release before": `UPDATE batches SET attempt = 1`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			f.Batches.Completed = delivery.NewBatchEvent
			w := f.Workflow(f.User(nil))
			b := f.store(w, 2)
			f.move(4)
			ids := f.inQueue(w)
			f.endRows(w, storetest.Failed, ids...)
			f.move(4)
			_, err := f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, ids[0])
			f.Must(err)
			if reopened != "" {
				f.Exec(reopened)
			}
			f.Must(f.Queue.MarkStarted(t.Context(), []platen.Automation{{ID: ids[0], Attempt: 2}}))
			f.endRetried(ids[0])
			f.move(4)
			got := f.batchEvents(w)
			if len(got) != 2 || !strings.Contains(string(got[1].Payload), `"attempt":2,"rows":2,"counts":{"CANCELLED":0,"COMPLETED":1,"FAILED":1,`) {
				t.Errorf("got %+v, want an event of each attempt", got)
			}
			if got := f.batch(b, w.Owner); got.State != platen.BatchCompleted || got.Attempt != 2 {
				t.Errorf("got %+v, want it COMPLETED in attempt 2", got)
			}
		})
	}
}

func TestABatchOfWhichNothingBeganOrThatNobodyHearsOfIsNoEvent(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Batches.Completed = delivery.NewBatchEvent
	w := f.Workflow(f.User(nil))
	b := f.store(w, 2)
	_, err := f.Batches.CancelBatch(t.Context(), w.Owner, w.ID, b.ID)
	f.Must(err)
	f.move(4)
	if got := f.batchEvents(w); len(got) != 0 {
		t.Errorf("got %+v of a batch that was cancelled before a row began, want none", got)
	}
	f.Exec(`DELETE FROM outgoing_webhooks WHERE workflow_id = $1`, w.ID)
	b = f.store(w, 1)
	f.move(4)
	f.endRows(w, storetest.Done, f.inQueue(w)...)
	f.move(4)
	if got := f.batchEvents(w); len(got) != 0 || f.batch(b, w.Owner).State != platen.BatchCompleted {
		t.Errorf("got %+v of a workflow without an outgoing webhook, want none", got)
	}
}
