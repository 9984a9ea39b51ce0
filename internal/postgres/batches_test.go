package postgres_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// rowsOf are n rows, and an error behind them.
func rowsOf(n int, err error) iter.Seq2[platen.BatchRow, error] {
	return func(yield func(platen.BatchRow, error) bool) {
		for i := range n {
			if !yield(platen.BatchRow{Number: i + 1, Body: fmt.Appendf(nil, `{"Name":"%s","n":%d}`, storetest.Canary, i), Reference: fmt.Sprint("R", i+1)}, nil) {
				return
			}
		}
		if err != nil {
			yield(platen.BatchRow{}, err)
		}
	}
}

func newBatch() platen.NewBatch {
	return platen.NewBatch{ID: platen.NewID(platen.PrefixBatch), Name: "October.csv", RequestID: "req_1", CreatedAt: storetest.Now()}
}

// store stores a batch of n rows.
func (f *harness) store(w platen.Workflow, n int) platen.Batch {
	f.T.Helper()
	b, _, err := f.Batches.StoreBatch(f.T.Context(), w.Owner, w.ID, newBatch(), rowsOf(n, nil))
	f.Must(err)
	return b
}

func (f *harness) move(ahead int) {
	f.T.Helper()
	_, err := f.Batches.MoveRows(f.T.Context(), ahead)
	f.Must(err)
}

func (f *harness) batch(b platen.Batch, owner platen.User) platen.Batch {
	f.T.Helper()
	b, err := f.Batches.Batch(f.T.Context(), owner, b.WorkflowID, b.ID)
	f.Must(err)
	return b
}

// endRows ends automations of a batch that wait, in the order of the queue.
func (f *harness) endRows(w platen.Workflow, change func(*platen.Output) error, ids ...string) {
	f.T.Helper()
	for _, id := range ids {
		p, err := f.Plans.Plan(f.T.Context(), id)
		f.Must(err)
		f.Must(f.Queue.MarkStarted(f.T.Context(), storetest.Firsts(id)))
		_, _, err = f.Outputs.RecordOutput(f.T.Context(), p.Documents[0].OutputID, change, storetest.EventFor)
		f.Must(err)
		_, err = f.Automations.EndAutomation(f.T.Context(), id, 0)
		f.Must(err)
	}
}

func (f *harness) inQueue(w platen.Workflow) (ids []string) {
	f.T.Helper()
	found, err := f.Automations.WorkflowAutomations(f.T.Context(), w.Owner, w.ID, platen.AutomationQuery{States: []platen.AutomationState{platen.AutomationAccepted}})
	f.Must(err)
	return storetest.IDs(found)
}

func TestABatchIsStoredWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	cut := errors.New("cut off")
	_, _, err := f.Batches.StoreBatch(t.Context(), w.Owner, w.ID, newBatch(), rowsOf(1200, cut))
	if !errors.Is(err, cut) {
		t.Fatalf("got %v, want the error of the file", err)
	}
	if n := f.Count(`SELECT (SELECT count(*) FROM batches) + (SELECT count(*) FROM batch_rows)`); n != 0 {
		t.Errorf("%d rows are left of a file that was cut off, want none", n)
	}

	b := f.store(w, 1200)
	want := platen.Batch{ID: b.ID, WorkflowID: w.ID, Name: "October.csv", State: platen.BatchRunning, Attempt: 1, Rows: 1200, Counts: map[platen.RowState]int{platen.RowPending: 1200}, CreatedAt: b.CreatedAt}
	if diff := cmp.Diff(want, b); diff != "" {
		t.Errorf("batch (-want +got):\n%s", diff)
	}
	if f.Count(`SELECT count(*) FROM batch_rows r WHERE r::text LIKE '%`+storetest.Canary+`%'`) > 0 {
		t.Error("a row of a batch shows its data, want it encrypted")
	}
	if got := f.Fields(w); !cmp.Equal(got, []string{"Name", "n"}) {
		t.Errorf("the source has the fields %q, want those of the rows", got)
	}
	stranger := f.User(nil)
	_, err = f.Batches.Batch(t.Context(), stranger, w.ID, b.ID)
	storetest.WantKind(t, "a stranger's look", err, platen.KindNotFound, "workflow_not_found")
	_, _, err = f.Batches.StoreBatch(t.Context(), stranger, w.ID, newBatch(), rowsOf(1, nil))
	storetest.WantKind(t, "a stranger's batch", err, platen.KindNotFound, "workflow_not_found")
}

func TestWhatABatchMadeIsListed(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.Accept(w, 1)
	before := f.inQueue(w)
	first := f.store(w, 2)
	f.move(10)
	ofFirst := f.inQueue(w)[1:]
	second := f.store(w, 1)
	f.move(10)
	f.endRows(w, storetest.Named("Invoice.pdf"), append(before, ofFirst...)...)
	for what, want := range map[string]struct {
		batch         string
		runs, outputs int
	}{"the first": {first.ID, 2, 2}, "the second": {second.ID, 1, 0}, "none": {platen.NewID(platen.PrefixBatch), 0, 0}, "all": {"", 4, 3}} {
		ofOne, err := f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, platen.AutomationQuery{Batch: want.batch})
		f.Must(err)
		ofAll, err := f.Automations.CallersAutomations(t.Context(), w.Owner, platen.AutomationQuery{Batch: want.batch})
		f.Must(err)
		outputs, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{Batch: want.batch})
		f.Must(err)
		named, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{Batch: want.batch, Name: "invoice"})
		f.Must(err)
		everywhere, err := f.Outputs.CallersOutputs(t.Context(), w.Owner, platen.OutputQuery{Batch: want.batch})
		f.Must(err)
		if len(ofOne) != want.runs || len(ofAll) != want.runs || len(outputs) != want.outputs || len(named) != want.outputs || len(everywhere) != want.outputs {
			t.Errorf("%s: got %d and %d automations, %d, by name %d, and %d outputs; want %d and %d", what, len(ofOne), len(ofAll), len(outputs), len(named), len(everywhere), want.runs, want.outputs)
		}
	}
}

func TestRowsOfABatchHaveTheNumbersThatTheyDrew(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), numbering("invoices", "letters"))
	b := f.store(w, 2)
	f.move(1)
	f.endRows(w, storetest.Failed, f.inQueue(w)...)
	rows, err := f.Batches.BatchRows(t.Context(), w.Owner, w.ID, b.ID, platen.RowQuery{Limit: 10})
	f.Must(err)
	want := []platen.SeriesNumber{{Series: "invoices", Number: 1}, {Series: "letters", Number: 1}}
	if len(rows) != 2 || !cmp.Equal(rows[0].Numbers, want) || rows[1].Numbers != nil {
		t.Errorf("got %+v, want the numbers of the first row alone", rows)
	}
}

func TestABatchIsStoredOnceUnderItsKey(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	send := func(n int) (platen.Batch, bool, error) {
		b := newBatch()
		b.Key = "october"
		return f.Batches.StoreBatch(t.Context(), w.Owner, w.ID, b, rowsOf(n, nil))
	}
	first, again, err := send(3)
	if err != nil || again {
		t.Fatalf("got %v and %t, want it stored", err, again)
	}
	second, again, err := send(3)
	if err != nil || !again || second.ID != first.ID {
		t.Errorf("a repeat: got %s, %t and %v, want %s of before", second.ID, again, err, first.ID)
	}
	_, _, err = send(4)
	storetest.WantKind(t, "other rows", err, platen.KindConflict, "idempotency_key_reused")
	if n := f.Count(`SELECT count(*) FROM batch_rows`); n != 3 {
		t.Errorf("%d rows are stored, want 3", n)
	}
}

func TestRowsOfABatchEnterTheQueueAFewAtATimeAndInTheirOrder(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.store(w, 12)
	f.move(4)
	f.move(4)
	waiting := f.inQueue(w)
	if len(waiting) != 4 {
		t.Fatalf("%d rows wait in the queue, want 4", len(waiting))
	}
	body, err := f.Automations.SourceData(t.Context(), waiting[3])
	if err != nil || !strings.Contains(string(body), `"n":3`) {
		t.Errorf("the fourth: got %s and %v, want row 4", body, err)
	}
	if a := f.Automation(w, waiting[3]); a.Reference != "R4" || a.RequestID != "req_1" {
		t.Errorf("got %+v, want the reference of its row and the request of the batch", a)
	}
	f.endRows(w, storetest.Done, waiting[:3]...)
	f.endRows(w, storetest.Failed, waiting[3])
	f.move(4)
	if n := len(f.inQueue(w)); n != 8 { // all that are left: four ended, so twelve may wait
		t.Errorf("%d rows wait once four have ended, want 8", n)
	}
	got := f.batch(b, w.Owner)
	if diff := cmp.Diff(map[platen.RowState]int{platen.RowCompleted: 3, platen.RowFailed: 1, platen.RowRunning: 8}, got.Counts); diff != "" || got.Rate <= 0 || got.SecondsLeft() == nil {
		t.Errorf("counts (-want +got):\n%s\nrate %v", diff, got.Rate)
	}
	f.endRows(w, storetest.Done, f.inQueue(w)...)
	f.move(4)
	got = f.batch(b, w.Owner)
	if got.State != platen.BatchCompleted || got.FinishedAt == nil || got.Counts[platen.RowCompleted] != 11 || got.Counts[platen.RowFailed] != 1 {
		t.Errorf("got %+v, want it COMPLETED with one row that failed", got)
	}
	rows, err := f.Batches.BatchRows(t.Context(), w.Owner, w.ID, b.ID, platen.RowQuery{Limit: 5, States: []platen.RowState{platen.RowFailed}})
	f.Must(err)
	if len(rows) != 1 || rows[0].Number != 4 || rows[0].AutomationID != waiting[3] || rows[0].Reference != "R4" || rows[0].Code == "" || len(rows[0].Outputs) != 1 {
		t.Errorf("got %+v, want row 4 with why it failed", rows)
	}
	rows, err = f.Batches.BatchRows(t.Context(), w.Owner, w.ID, b.ID, platen.RowQuery{Limit: 5, After: 10})
	f.Must(err)
	if len(rows) != 2 || rows[0].Number != 11 {
		t.Errorf("got %+v, want the last two", rows)
	}
	if n := f.Count(`SELECT count(*) FROM batch_rows WHERE data_key IS NOT NULL OR body <> '' OR reference <> ''`); n != 0 {
		t.Errorf("%d rows keep data that their automations have, want none", n)
	}
}

func TestABatchIsPausedResumedAndCancelled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.store(w, 10)
	change := func(do func() (platen.Batch, error), want platen.BatchState) platen.Batch {
		t.Helper()
		got, err := do()
		if err != nil || got.State != want {
			t.Fatalf("got %+v and %v, want it %s", got, err, want)
		}
		return got
	}
	pause := func() (platen.Batch, error) { return f.Batches.PauseBatch(t.Context(), w.Owner, w.ID, b.ID) }
	resume := func() (platen.Batch, error) { return f.Batches.ResumeBatch(t.Context(), w.Owner, w.ID, b.ID) }
	cancel := func() (platen.Batch, error) { return f.Batches.CancelBatch(t.Context(), w.Owner, w.ID, b.ID) }
	change(pause, platen.BatchPaused)
	f.move(4)
	if n := len(f.inQueue(w)); n != 0 {
		t.Errorf("%d rows of a paused batch begin, want none", n)
	}
	change(resume, platen.BatchRunning)
	f.move(4)
	if got := change(cancel, platen.BatchCancelled); got.Counts[platen.RowCancelled] != 6 || got.Counts[platen.RowRunning] != 4 || got.FinishedAt != nil {
		t.Errorf("got %+v, want six rows that never begin and four that run", got)
	}
	change(cancel, platen.BatchCancelled)
	if _, err := pause(); platen.KindOf(err) != platen.KindInvalid {
		t.Errorf("a pause of a cancelled batch: got %v, want it refused", err)
	}
	if n := f.Count(`SELECT count(*) FROM batch_rows WHERE data_key IS NOT NULL OR body <> ''`); n != 0 {
		t.Errorf("%d rows keep data that nobody needs, want none", n)
	}
	f.endRows(w, storetest.Done, f.inQueue(w)...)
	f.move(4)
	if got := f.batch(b, w.Owner); got.State != platen.BatchCancelled || got.FinishedAt == nil {
		t.Errorf("got %+v, want it ended once its last row has", got)
	}
	_, err := f.Batches.RetryBatch(t.Context(), w.Owner, w.ID, b.ID)
	storetest.WantKind(t, "a retry without a failed row", err, platen.KindInvalid, "batch_not_failed")
}

func TestFailedRowsOfABatchAreRetried(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.store(w, 3)
	f.move(4)
	ids := f.inQueue(w)
	f.endRows(w, storetest.Failed, ids...)
	f.move(4)
	_, err := f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, ids[0]) // by itself
	f.Must(err)
	if got := f.batch(b, w.Owner); got.State != platen.BatchRunning || got.FinishedAt != nil || got.Counts[platen.RowRunning] != 1 || got.Attempt != 2 {
		t.Errorf("got %+v, want the batch to go on with the row that is retried, in its next attempt", got)
	}
	f.Must(f.Queue.MarkStarted(t.Context(), []platen.Automation{{ID: ids[0], Attempt: 2}}))
	f.endRetried(ids[0])
	f.move(4)
	if got := f.batch(b, w.Owner); got.State != platen.BatchCompleted || got.Counts[platen.RowCompleted] != 1 || got.Counts[platen.RowFailed] != 2 {
		t.Fatalf("got %+v, want it COMPLETED again", got)
	}
	f.Must(f.Automations.EraseData(t.Context(), ids[1])) // which can be retried no more
	got, err := f.Batches.RetryBatch(t.Context(), w.Owner, w.ID, b.ID)
	if err != nil || got.State != platen.BatchRunning || got.Attempt != 3 || got.Counts[platen.RowPending] != 2 {
		t.Fatalf("got %+v and %v, want two rows that wait", got, err)
	}
	f.move(4)
	f.Must(f.Queue.MarkStarted(t.Context(), []platen.Automation{{ID: ids[2], Attempt: 2}}))
	f.endRetried(ids[2])
	f.move(4)
	if got := f.batch(b, w.Owner); got.State != platen.BatchCompleted || got.Counts[platen.RowCompleted] != 2 || got.Counts[platen.RowFailed] != 1 {
		t.Errorf("got %+v, want the row without data to stay FAILED", got)
	}
}

// corrected are rows with these numbers, and an error behind them.
func corrected(err error, numbers ...int) iter.Seq2[platen.BatchRow, error] {
	return func(yield func(platen.BatchRow, error) bool) {
		for _, n := range numbers {
			if !yield(platen.BatchRow{Number: n, Body: fmt.Appendf(nil, `{"Name":"right %d"}`, n), Reference: fmt.Sprint("R", n)}, nil) {
				return
			}
		}
		if err != nil {
			yield(platen.BatchRow{}, err)
		}
	}
}

func TestFailedRowsAreMadeOfCorrectedDataOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.store(w, 3)
	f.move(4)
	before := f.inQueue(w)
	f.endRows(w, storetest.Done, before[0])
	f.endRows(w, storetest.Failed, before[1:]...)
	f.move(4)
	send := func(c platen.Correction, rows iter.Seq2[platen.BatchRow, error]) (platen.Batch, error) {
		c.RequestID, c.CreatedAt = "req_2", storetest.Now()
		return f.Batches.CorrectBatch(t.Context(), w.Owner, w.ID, b.ID, c, rows)
	}
	cut := errors.New("cut off")
	if _, err := send(platen.Correction{}, corrected(cut, 2)); !errors.Is(err, cut) {
		t.Errorf("a file that is cut off: got %v", err)
	}
	_, err := send(platen.Correction{}, corrected(nil, 1, 2))
	storetest.WantKind(t, "a row that was made", err, platen.KindInvalid, "row_not_failed")
	_, err = send(platen.Correction{}, corrected(nil, 4))
	storetest.WantKind(t, "a row that is not there", err, platen.KindInvalid, "row_not_failed")
	_, err = send(platen.Correction{Whole: true}, corrected(nil, 1, 2))
	storetest.WantKind(t, "a file with fewer rows", err, platen.KindInvalid, "rows_differ")
	_, err = send(platen.Correction{Whole: true}, corrected(nil, 1, 3, 4))
	storetest.WantKind(t, "a file whose rows have moved", err, platen.KindInvalid, "rows_differ")
	_, err = send(platen.Correction{Whole: true}, func(yield func(platen.BatchRow, error) bool) {
		for row := range corrected(nil, 1, 2, 3) {
			if !yield(row, nil) {
				return
			}
		}
		f.Exec(`UPDATE batches SET touched_at = now() - interval '1 hour' WHERE state = 'STORING'`)
		f.Must(f.Batches.SweepBatches(t.Context()))
	})
	storetest.WantKind(t, "a file that came too slowly", err, platen.KindUnavailable, "timed_out")
	_, err = send(platen.Correction{}, func(yield func(platen.BatchRow, error) bool) {
		yield(platen.BatchRow{Number: 2, Body: []byte(`{}`), Reference: "R3"}, nil)
	})
	storetest.WantKind(t, "another row", err, platen.KindInvalid, "rows_differ")
	if n := f.Count(`SELECT (SELECT count(*) FROM batches) * 10 + (SELECT count(*) FROM batch_rows)`); n != 13 {
		t.Errorf("got %d, want one batch with three rows after files that were refused", n)
	}

	got, err := send(platen.Correction{Whole: true}, corrected(nil, 1, 2, 3))
	if err != nil || got.State != platen.BatchRunning || got.Attempt != 2 || got.Counts[platen.RowPending] != 2 || got.Counts[platen.RowCompleted] != 1 {
		t.Fatalf("got %+v and %v, want two rows that wait", got, err)
	}
	_, err = send(platen.Correction{Whole: true}, corrected(nil, 1, 2, 3))
	storetest.WantKind(t, "the same file again", err, platen.KindInvalid, "batch_not_failed")
	f.move(4)
	made := f.inQueue(w)
	if len(made) != 2 || made[0] == before[1] || made[1] == before[2] {
		t.Errorf("got the automations %q, want two that are new", made)
	}
	body, err := f.Automations.SourceData(t.Context(), made[0])
	if err != nil || string(body) != `{"Name":"right 2"}` {
		t.Errorf("got %s and %v, want the corrected data", body, err)
	}
	if rows, err := f.Batches.BatchRows(t.Context(), w.Owner, w.ID, b.ID, platen.RowQuery{After: 1, Limit: 1}); err != nil || len(rows) != 1 || rows[0].AutomationID != made[0] || rows[0].Reference != "R2" {
		t.Errorf("got %+v and %v, want the row with its new automation", rows, err)
	}
	f.endRows(w, storetest.Done, made...)
	f.move(4)
	if got := f.batch(b, w.Owner); got.State != platen.BatchCompleted || got.Counts[platen.RowCompleted] != 3 {
		t.Errorf("got %+v, want all rows COMPLETED", got)
	}
	if n := f.Count(`SELECT count(*) FROM automations`); n != 5 {
		t.Errorf("got %d automations, want those before to stay", n)
	}
	replaced, err := f.Automations.WorkflowAutomation(t.Context(), w.Owner, w.ID, before[1])
	if err != nil || !slices.Contains(made, replaced.ReplacedBy) {
		t.Errorf("got %q and %v, want the automation of the corrected row", replaced.ReplacedBy, err)
	}
	_, err = f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, before[1])
	storetest.WantKind(t, "a retry of what was replaced", err, platen.KindInvalid, "automation_replaced")
	_, err = f.Batches.CorrectBatch(t.Context(), f.User(nil), w.ID, b.ID, platen.Correction{CreatedAt: storetest.Now()}, corrected(nil, 1))
	storetest.WantKind(t, "a stranger's correction", err, platen.KindNotFound, "workflow_not_found")
}

func TestABatchCountsRowsWhoseMailsSomebodyDidNotGet(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	other := f.store(w, 1)
	b := f.store(w, 3)
	for range 2 { // one batch of a workflow at a time
		f.move(4)
		f.endRows(w, storetest.Done, f.inQueue(w)...)
	}
	rows, err := f.Batches.BatchRows(t.Context(), w.Owner, w.ID, b.ID, platen.RowQuery{Limit: 3})
	f.Must(err)
	for i, code := range []string{"email_address_refused", platen.CodeCancelled} {
		o := rows[i].Outputs[0]
		f.Must(f.Mails.GiveUpMail(t.Context(), platen.MailKey{AutomationID: o.AutomationID, OutputID: o.ID}, code, "why"))
	}
	if got := f.batch(b, w.Owner); got.Undelivered != 1 {
		t.Errorf("got %d rows, want the one whose mail failed, not the one whose mail was given up", got.Undelivered)
	}
	all, err := f.Batches.WorkflowBatches(t.Context(), w.Owner, w.ID, platen.BatchQuery{})
	f.Must(err)
	for _, got := range all {
		if want := map[string]int{b.ID: 1, other.ID: 0}[got.ID]; got.Undelivered != want {
			t.Errorf("in the list: got %d, want %d", got.Undelivered, want)
		}
	}
}

// endRetried completes an automation that runs again.
func (f *harness) endRetried(id string) {
	f.T.Helper()
	p, err := f.Plans.Plan(f.T.Context(), id)
	f.Must(err)
	_, _, err = f.Outputs.RecordOutput(f.T.Context(), p.Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	_, err = f.Automations.EndAutomation(f.T.Context(), id, 2)
	f.Must(err)
}

func TestRowsOfAnArchivedWorkflowNeverBegin(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.store(w, 5)
	f.Must(f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, func(platen.Workflow) error { return nil }))
	f.move(4)
	f.move(4)
	if got := f.batch(b, w.Owner); got.State != platen.BatchCompleted || got.Counts[platen.RowCancelled] != 5 {
		t.Errorf("got %+v, want all rows CANCELLED", got)
	}
	_, _, err := f.Batches.StoreBatch(t.Context(), w.Owner, w.ID, newBatch(), rowsOf(1, nil))
	storetest.WantKind(t, "a batch of an archived workflow", err, platen.KindInvalid, "workflow_archived")
}

// A database that was put back has rows of before that were erased meanwhile.
func TestARowThatWasErasedNeverBegins(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.store(w, 2)
	var id string
	f.Must(f.Owner.QueryRow(t.Context(), `SELECT automation_id FROM batch_rows WHERE number = 2`).Scan(&id))
	_, err := f.Automations.EraseAgain(t.Context(), []platen.Tombstone{{AutomationID: id, By: w.Owner.ID}})
	f.Must(err)
	f.move(4)
	if got := f.inQueue(w); len(got) != 1 || got[0] == id {
		t.Errorf("got %q, want the row alone that was not erased", got)
	}
	if n := f.Count(`SELECT count(*) FROM batch_rows WHERE data_key IS NOT NULL`); n != 0 {
		t.Errorf("%d rows have a key, want none", n)
	}
}

func TestWhatIsLeftOfABatchIsSwept(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	kept := f.store(w, 2)
	left := f.store(w, 2)
	f.Exec(`UPDATE batches SET state = 'STORING', touched_at = now() - interval '1 hour' WHERE id = '` + left.ID + `'`)
	_, err := f.Batches.Batch(t.Context(), w.Owner, w.ID, left.ID)
	storetest.WantKind(t, "a batch that is not stored", err, platen.KindNotFound, "batch_not_found")
	f.Must(f.Batches.SweepBatches(t.Context()))
	if n := f.Count(`SELECT count(*) FROM batch_rows`); n != 2 {
		t.Errorf("%d rows are left, want 2", n)
	}
	found, err := f.Batches.WorkflowBatches(t.Context(), w.Owner, w.ID, platen.BatchQuery{})
	if err != nil || len(found) != 1 || found[0].ID != kept.ID {
		t.Errorf("got %+v and %v, want the batch that was stored", found, err)
	}
}

// A retry of one row holds the workflow, then the batch. A retry of all rows that took them the
// other way round would wait for it, and be waited for.
func TestARetryOfABatchHoldsTheWorkflowFirst(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.store(w, 1)
	f.move(4)
	f.endRows(w, storetest.Failed, f.inQueue(w)...)
	f.move(4)
	other, err := f.Owner.Begin(t.Context())
	f.Must(err)
	_, err = other.Exec(t.Context(), `SELECT FROM workflows WHERE id = $1 FOR NO KEY UPDATE`, w.ID)
	f.Must(err)
	retried := make(chan error, 1)
	go func() {
		_, err := f.Batches.RetryBatch(t.Context(), w.Owner, w.ID, b.ID)
		retried <- err
	}()
	f.WaitFor(storetest.WaitForLocks, 1)
	if _, err := other.Exec(t.Context(), `SELECT FROM batches WHERE id = $1 FOR NO KEY UPDATE NOWAIT`, b.ID); err != nil {
		t.Errorf("the batch is held by who waits for the workflow: %v", err)
	}
	f.Must(other.Rollback(t.Context()))
	f.Must(<-retried)
}

// The roles of serve and of a worker may do what a batch needs.
func TestABatchGoesThroughWalls(t *testing.T) {
	t.Parallel()
	f, serve := walled(t)
	w := f.Workflow(f.User(nil))
	ctx := platen.WithCaller(t.Context(), w.Owner)
	b, _, err := serve.Batches.StoreBatch(ctx, w.Owner, w.ID, newBatch(), rowsOf(3, nil))
	f.Must(err)
	work, err := postgres.Open(t.Context(), f.Owner.Config().ConnString(), f.Box, postgres.Options{Part: postgres.PartWork})
	f.Must(err)
	t.Cleanup(work.Close)
	work.Batches.Completed = delivery.NewBatchEvent
	_, err = work.Batches.MoveRows(t.Context(), 1)
	f.Must(err)
	ids := f.inQueue(w)
	f.endRows(w, storetest.Failed, ids...)
	_, err = work.Batches.MoveRows(t.Context(), 1)
	f.Must(err)
	for _, do := range []func() (platen.Batch, error){
		func() (platen.Batch, error) { return serve.Batches.PauseBatch(ctx, w.Owner, w.ID, b.ID) },
		func() (platen.Batch, error) { return serve.Batches.ResumeBatch(ctx, w.Owner, w.ID, b.ID) },
		func() (platen.Batch, error) { return serve.Batches.RetryBatch(ctx, w.Owner, w.ID, b.ID) },
		func() (platen.Batch, error) { return serve.Batches.CancelBatch(ctx, w.Owner, w.ID, b.ID) },
	} {
		if _, err := do(); err != nil {
			t.Error(err)
		}
	}
	if _, err := serve.Batches.BatchRows(ctx, w.Owner, w.ID, b.ID, platen.RowQuery{Limit: 10}); err != nil {
		t.Error(err)
	}
	cut := errors.New("cut off")
	if _, _, err := serve.Batches.StoreBatch(ctx, w.Owner, w.ID, newBatch(), rowsOf(501, cut)); !errors.Is(err, cut) {
		t.Errorf("a batch that is cut off: got %v", err)
	}
	if _, err := serve.Batches.CorrectBatch(ctx, w.Owner, w.ID, b.ID, platen.Correction{CreatedAt: storetest.Now()}, corrected(nil, 9)); platen.KindOf(err) != platen.KindInvalid {
		t.Errorf("a correction of a row that is not there: got %v", err)
	}
	if n := f.Count(`SELECT count(*) FROM batch_rows WHERE batch_id <> '` + b.ID + `'`); n != 0 {
		t.Errorf("%d rows are left of files that were refused", n)
	}
	f.Must(work.Batches.SweepBatches(t.Context()))
	f.Must(serve.Ready(t.Context()))
	stranger := f.User(nil)
	if _, err := serve.Batches.Batch(platen.WithCaller(t.Context(), stranger), w.Owner, w.ID, b.ID); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("a stranger: got %v, want that row security hides it", err)
	}
}
