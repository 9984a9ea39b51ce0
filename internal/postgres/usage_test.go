package postgres_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// pdfOf ends an output with a PDF of so many pages and bytes.
func pdfOf(pages int, bytes int64) func(*platen.Output) error {
	return func(o *platen.Output) error {
		o.State, o.PDF = platen.OutputDone, &platen.File{ID: "pdf-" + o.ID, Name: "A.pdf", MIMEType: platen.MIMEPDF, Size: bytes, Properties: map[string]string{platen.PropertyPages: fmt.Sprint(pages)}}
		return nil
	}
}

// used are the months of a user, one a line, as they are before and after entries are added
// to them: that must make no difference.
func (f *harness) used(u platen.User) string {
	f.T.Helper()
	read := func() string {
		all, err := f.Usage.CallersUsage(f.T.Context(), u, platen.Page{})
		f.Must(err)
		var lines []string
		for _, m := range all {
			lines = append(lines, fmt.Sprintf("%s %d %d %d %d", platen.FormatMonth(m.Month), m.Documents, m.Pages, m.Bytes, m.Mails))
		}
		return strings.Join(lines, "\n")
	}
	before := read()
	f.Must(f.Folding.FoldUsage(f.T.Context()))
	if diff := cmp.Diff(before, read()); diff != "" {
		f.T.Errorf("adding entries to their months changed the sums (-before +after):\n%s", diff)
	}
	if n := f.Count(`SELECT count(*) FROM usage_entries`); n != 0 {
		f.T.Errorf("%d entries are left, want none", n)
	}
	return before
}

func thisMonth(rest string) string { return platen.FormatMonth(time.Now()) + " " + rest }

func TestAnOutputCountsOnceWhenItIsMade(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada, bea := f.User(nil), f.User(nil)
	w := f.Workflow(ada)
	p := f.Retried(w) // FAILED once, and made by the second attempt
	for range 3 {     // the step runs again
		_, _, err := f.Another().Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, pdfOf(3, 2000), storetest.EventFor)
		f.Must(err)
	}
	if got, want := f.used(ada), thisMonth("1 3 2000 0"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := f.used(bea); got != "" {
		t.Errorf("another owner: got %q, want nothing", got)
	}
	failing := f.Running(w)
	_, _, err := f.Outputs.RecordOutput(t.Context(), failing.Documents[0].OutputID, storetest.Failed, storetest.EventFor)
	f.Must(err)
	if got, want := f.used(ada), thisMonth("1 3 2000 0"); got != want {
		t.Errorf("with one that failed: got %q, want %q", got, want)
	}
}

func TestATransactionThatIsCutOffCountsNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada := f.User(nil)
	p := f.Running(f.Workflow(ada))
	tx, err := f.Owner.Begin(t.Context())
	f.Must(err)
	_, err = tx.Exec(t.Context(), `UPDATE outputs SET state = 'DONE', updated_at = now() WHERE id = $1`, p.Documents[0].OutputID)
	f.Must(err)
	f.Must(tx.Rollback(t.Context()))
	if got := f.used(ada); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
	_, _, err = f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, pdfOf(1, 1), storetest.EventFor)
	f.Must(err)
	if got, want := f.used(ada), thisMonth("1 1 1 0"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTestsAreNotCounted(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada := f.User(nil)
	p := f.Running(f.Workflow(ada))
	f.Exec(`UPDATE automations SET test = true WHERE id = $1`, p.AutomationID)
	f.Exec(`UPDATE outputs SET test = true WHERE id = $1`, p.Documents[0].OutputID)
	_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, pdfOf(1, 1), storetest.EventFor)
	f.Must(err)
	if got := f.used(ada); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestMonthsOfUsageAreThoseOfUTC(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada := f.User(nil)
	w := f.Workflow(ada)
	for _, at := range []string{"2026-10-31 23:59:59.999999+00", "2026-11-01 00:00:00+00", "2026-11-01 01:30:00+14", "2026-12-31 23:00:00-05"} {
		p := f.Running(w)
		f.Exec(`UPDATE outputs SET state = 'DONE', updated_at = $2 WHERE id = $1`, p.Documents[0].OutputID, mustTime(t, at))
	}
	want := "2026-10 2 0 0 0\n2026-11 1 0 0 0\n2027-01 1 0 0 0"
	if got := f.used(ada); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	page, err := f.Usage.CallersUsage(t.Context(), ada, platen.Page{Limit: 1, After: platen.Position{CreatedAt: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), ID: ada.ID}})
	if f.Must(err); len(page) != 1 || platen.FormatMonth(page[0].Month) != "2026-11" {
		t.Errorf("got %+v, want November alone", page)
	}
}

func mustTime(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05.999999-07", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestAMailCountsEachRecipientOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada := f.User(nil)
	_, key := f.Made(ada)
	_, err := f.Mails.BeginMail(t.Context(), key, time.Minute)
	f.Must(err)
	for range 2 { // an outcome is recorded again
		f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: key, State: platen.MailPending, Recipients: 3, Accepted: 2}))
	}
	for range 2 {
		f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: key, State: platen.MailSent, Recipients: 3, Accepted: 3}))
	}
	if got, want := f.used(ada), thisMonth("1 0 0 3"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUsageOutlivesErasureAndRetention(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada := f.User(nil)
	p := f.Running(f.Workflow(ada))
	_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, pdfOf(2, 10), storetest.EventFor)
	f.Must(err)
	f.Exec(`DELETE FROM events`)
	f.Exec(`DELETE FROM outputs`)
	f.Exec(`DELETE FROM plans`)
	f.Exec(`DELETE FROM automations`)
	if got, want := f.used(ada), thisMonth("1 2 10 0"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestManyWorkersCountAndAddAtOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada, bea := f.User(nil), f.User(nil)
	const each = 12
	var outputs []string
	for _, u := range []platen.User{ada, bea} {
		w := f.Workflow(u)
		for range each {
			outputs = append(outputs, f.Running(w).Documents[0].OutputID)
		}
	}
	stores := []func(string) error{}
	for range 2 {
		db := f.Another()
		stores = append(stores, func(id string) error {
			_, _, err := db.Outputs.RecordOutput(t.Context(), id, pdfOf(2, 5), storetest.EventFor)
			return err
		})
	}
	var all sync.WaitGroup
	for _, id := range outputs {
		for _, record := range stores { // both make the same
			all.Go(func() {
				if err := record(id); err != nil {
					t.Error(err)
				}
			})
		}
	}
	for range 4 {
		all.Go(func() {
			for range 5 {
				if err := f.Folding.FoldUsage(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	want := thisMonth(fmt.Sprintf("%d %d %d 0", each, 2*each, 5*each))
	for _, u := range []platen.User{ada, bea} {
		if got := f.used(u); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestABatchAboveTheLimitIsRefusedWhole(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada := f.User(nil)
	w := f.Workflow(ada)
	f.Limit(ada.ID, new(int64(4)))
	if limit, err := f.Usage.DocumentsLimit(t.Context(), ada); err != nil || limit == nil || *limit != 4 {
		t.Errorf("got a limit of %v, %v, want 4", limit, err)
	}
	if limit, err := f.Usage.DocumentsLimit(t.Context(), f.User(nil)); err != nil || limit != nil {
		t.Errorf("another owner has a limit of %v, %v", limit, err)
	}
	f.Accept(w, 1)
	_, _, err := f.Batches.StoreBatch(t.Context(), ada, w.ID, newBatch(), rowsOf(4, nil))
	storetest.WantKind(t, "four rows where three fit", err, platen.KindRateLimited, "usage_limit_reached")
	if n := f.Count(`SELECT count(*) FROM batches`) + f.Count(`SELECT count(*) FROM batch_rows`); n != 0 {
		t.Errorf("%d rows are left of it, want none", n)
	}
	keyed := newBatch()
	keyed.Key = "october"
	_, _, err = f.Batches.StoreBatch(t.Context(), ada, w.ID, keyed, rowsOf(3, nil))
	f.Must(err)
	_, again, err := f.Batches.StoreBatch(t.Context(), ada, w.ID, platen.NewBatch{ID: platen.NewID(platen.PrefixBatch), Name: keyed.Name, RequestID: keyed.RequestID, CreatedAt: keyed.CreatedAt, Key: keyed.Key}, rowsOf(3, nil))
	if err != nil || !again {
		t.Errorf("got %v, %v; want that the repeat is answered with the batch", again, err)
	}
	_, _, err = f.Batches.StoreBatch(t.Context(), ada, w.ID, newBatch(), rowsOf(1, nil))
	storetest.WantKind(t, "one more", err, platen.KindRateLimited, "usage_limit_reached")
	f.store(f.Workflow(f.User(nil)), 3)
}

// two has a workflow make two documents of each event.
func two(w *platen.Workflow) {
	w.Documents = append(w.Documents, storetest.NewDocument(w.ID, w.CreatedAt))
}

func TestTheLimitCountsEachDocumentOfWhatWaits(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada := f.User(nil)
	w := f.Workflow(ada, two)
	f.Limit(ada.ID, new(int64(13)))
	p := f.Running(w) // makes one of its two
	_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, pdfOf(1, 1), storetest.EventFor)
	f.Must(err)
	failed := f.Running(w) // and this one of two
	_, _, err = f.Outputs.RecordOutput(t.Context(), failed.Documents[0].OutputID, storetest.Failed, storetest.EventFor)
	f.Must(err)
	f.Accept(w, 1)
	room := func(want int) {
		t.Helper()
		if got := f.Count(`SELECT usage_room($1, false)`, ada.ID); got != want {
			t.Errorf("got room for %d documents, want %d", got, want)
		}
	}
	room(13 - 2 - 1 - 2)
	f.Exec(`UPDATE automations SET state = 'REVIEW' WHERE id = $1`, p.AutomationID)
	room(8)
	_, _, err = f.Batches.StoreBatch(t.Context(), ada, w.ID, newBatch(), rowsOf(5, nil))
	storetest.WantKind(t, "ten documents where eight fit", err, platen.KindRateLimited, "usage_limit_reached")
	if want := "leaves room for 8 documents, and this makes 10. The limit is 13 in a month, and 5 are made or wait"; err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	f.store(w, 4)
	room(0)
}
