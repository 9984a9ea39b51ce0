package run_test

import (
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// watched is a schedule with a folder that is due, of a workflow that starts runs.
func (f *harness) watched(changes ...func(*platen.Schedule)) (platen.Workflow, platen.DueSchedule) {
	f.T.Helper()
	w := f.Workflow(f.User(nil))
	f.Exec(`UPDATE workflows SET status = 'COMPLETE' WHERE id = $1`, w.ID)
	f.scheduled(w, append([]func(*platen.Schedule){func(s *platen.Schedule) { s.Data, s.Folder = nil, "inbox" }}, changes...)...)
	return w, f.only()
}

// file is one of a folder, so many seconds old.
func file(id, name string, seconds int) platen.File {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).Add(-time.Duration(seconds) * time.Second)
	return platen.File{ID: id, Name: name, MIMEType: "text/plain", Size: 2, CreatedAt: at, ModifiedAt: at}
}

func (f *harness) notes(due platen.DueSchedule, files ...platen.File) {
	f.T.Helper()
	held, err := f.Moments.NoteFiles(f.T.Context(), due, files, make([]string, len(files)))
	if f.Must(err); !held {
		f.T.Fatal("the schedule is not held")
	}
}

func (f *harness) pending(due platen.DueSchedule) []platen.ScheduleFile {
	f.T.Helper()
	found, err := f.Moments.PendingFiles(f.T.Context(), due.ID, 100)
	f.Must(err)
	return found
}

// rowsOf are so many, with an error behind them unless it is nil.
func rowsOf(n int, err error) iter.Seq2[platen.BatchRow, error] {
	return func(yield func(platen.BatchRow, error) bool) {
		for i := range n {
			if !yield(platen.BatchRow{Number: i + 1, Body: []byte(`{"Name":"Ada"}`)}, nil) {
				return
			}
		}
		if err != nil {
			yield(platen.BatchRow{}, err)
		}
	}
}

func (f *harness) filesOf(w platen.Workflow, due platen.DueSchedule, states ...platen.ScheduleFileState) []platen.ScheduleFile {
	f.T.Helper()
	found, err := f.Schedules.ScheduleFiles(f.T.Context(), w.Owner, w.ID, due.ID, platen.ScheduleFileQuery{States: states})
	f.Must(err)
	return found
}

func TestAFileOfAFolderCountsOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, due := f.watched()
	if due.Folder != "inbox" || due.OwnerID != w.Owner.ID || due.FolderSince == nil || due.ListedAt != nil {
		t.Fatalf("got %+v", due)
	}
	f.notes(due, file("new", "b.json", 1), file("old", "a.csv", 2), file("new", "b.json", 1))
	f.notes(due, file("old", "renamed.csv", 2))
	found := f.pending(due)
	if len(found) != 2 || found[0].ID != "old" || found[0].Name != "a.csv" || found[1].ID != "new" {
		t.Fatalf("got %+v, want two, the older one first", found)
	}
	var all sync.WaitGroup
	for range 3 { // workers whose leases have run out, and the one that has it
		all.Go(func() {
			f.Must(f.Moments.TakeEvent(t.Context(), due, found[1], []byte(`{"Name":"Ada"}`)))
		})
	}
	all.Wait()
	f.Must(f.Moments.TakeBatch(t.Context(), due, found[0], "a.csv", rowsOf(3, nil)))
	f.Must(f.Moments.TakeBatch(t.Context(), due, found[0], "a.csv", rowsOf(4, nil)))
	f.notes(due, file("new", "b.json", 0), file("old", "a.csv", 0)) // both were changed
	if left := f.pending(due); len(left) != 0 || f.automations(w) != 1 {
		t.Errorf("%d files wait, and there are %d automations; want none and one", len(left), f.automations(w))
	}
	got := f.stored(platen.FileAutomation(due.ID, "new"))
	if got.Reference != "b.json" || got.State != platen.AutomationAccepted {
		t.Errorf("got %+v", got)
	}
	b, err := f.Batches.Batch(t.Context(), w.Owner, w.ID, platen.FileBatch(due.ID, "old"))
	if f.Must(err); b.Rows != 3 || b.Name != "a.csv" {
		t.Errorf("got %+v, want three rows", b)
	}
	taken := f.filesOf(w, due, platen.FileTaken)
	if len(taken) != 2 || taken[0].AutomationID+taken[1].AutomationID != got.ID || taken[0].BatchID+taken[1].BatchID != b.ID {
		t.Errorf("got %+v", taken)
	}
	s, err := f.Schedules.Schedule(t.Context(), w.Owner, w.ID, due.ID)
	if f.Must(err); s.Files[platen.FileTaken] != 2 || len(s.Files) != 1 {
		t.Errorf("got %v, want two that are taken", s.Files)
	}
}

// What the database forgot in a restore has the same ids once more.
func TestAFileHasTheSameIDsAfterARestore(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	_, due := f.watched()
	rows := func() (ids []string) {
		f.T.Helper()
		f.notes(due, file("a", "a.csv", 1))
		f.Must(f.Moments.TakeBatch(t.Context(), due, f.pending(due)[0], "a.csv", rowsOf(2, nil)))
		f.Must(f.Owner.QueryRow(t.Context(), `SELECT array_agg(batch_id || automation_id ORDER BY number) FROM batch_rows`).Scan(&ids))
		f.Exec(`DELETE FROM batch_rows`)
		f.Exec(`DELETE FROM batches`)
		f.Exec(`DELETE FROM schedule_files`)
		return ids
	}
	if first, again := fmt.Sprint(rows()), fmt.Sprint(rows()); first != again || len(first) < 60 {
		t.Errorf("got %s, then %s", first, again)
	}
}

// A worker that stands still while another one takes its file stores no row among the other's.
func TestALateWorkerStoresNothingOfAFile(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, due := f.watched()
	f.notes(due, file("a", "a.csv", 1))
	one := f.pending(due)[0]
	f.Must(f.Moments.TakeBatch(t.Context(), due, one, "a.csv", func(yield func(platen.BatchRow, error) bool) {
		for row := range rowsOf(600, nil) { // a part is stored
			if !yield(row, nil) {
				return
			}
		}
		f.Must(f.Moments.TakeBatch(t.Context(), due, one, "a.csv", rowsOf(2, nil)))
	}))
	b, err := f.Batches.Batch(t.Context(), w.Owner, w.ID, platen.FileBatch(due.ID, "a"))
	if f.Must(err); b.Rows != 2 || f.Count(`SELECT count(*) FROM batch_rows`) != 2 {
		t.Errorf("got %+v, want the two rows of the other", b)
	}
}

func TestAFileThatFailsStoresNothingAndIsTakenOnceItIsCorrected(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, due := f.watched()
	f.notes(due, file("a", "a.csv", 3), file("b", "b.json", 2))
	found, wrong := f.pending(due), errors.New("wrong")
	if err := f.Moments.TakeBatch(t.Context(), due, found[0], "a.csv", rowsOf(2, wrong)); !errors.Is(err, wrong) {
		t.Fatalf("got %v", err)
	}
	why := platen.Errorf(platen.KindInvalid, "batch_unreadable", "No.")
	f.Must(f.Moments.RefuseFile(t.Context(), due, found[0], why, time.Time{}))
	f.Must(f.Moments.RefuseFile(t.Context(), due, found[1], why, time.Now().Add(time.Hour)))
	standing, err := f.Moments.FolderStanding(t.Context(), due.ID, due.NextAt)
	if f.Must(err); standing.Failed != 1 || standing.Last.Name != "a.csv" || standing.Pending != 0 || standing.Waits.Name != "b.json" || standing.WaitsUntil.IsZero() || f.Count(`SELECT count(*) FROM batches`) != 0 {
		t.Errorf("got %+v", standing)
	}
	f.notes(due, file("a", "a.csv", 3))
	if len(f.pending(due)) != 0 {
		t.Error("a file that failed is tried again, and it is as it was")
	}
	f.notes(due, file("a", "a.csv", 1))
	if again := f.pending(due); len(again) != 1 || again[0].Attempts != 0 {
		t.Fatalf("got %+v, want the corrected file", again)
	}
	f.Must(f.Moments.RefuseFile(t.Context(), due, f.pending(due)[0], why, time.Time{}))
	failed, err := f.Moments.FailedFiles(t.Context(), due.ID)
	if f.Must(err); len(failed) != 1 || failed[0] != "a" {
		t.Errorf("got %v", failed)
	}
	f.Must(f.Moments.EndListing(t.Context(), due, due.NextAt, false, nil, true))
	if len(f.pending(due)) != 1 {
		t.Error("a run that is asked for does not try it again")
	}
	limit := platen.Errorf(platen.KindRateLimited, platen.CodeUsageLimit, "No room.")
	f.Must(f.Moments.RefuseFile(t.Context(), due, f.pending(due)[0], limit, time.Now().Add(time.Hour)))
	if waits := f.filesOf(w, due, platen.FilePending); len(f.pending(due)) != 0 || len(waits) != 2 || waits[1].Attempts != 0 {
		t.Errorf("got %+v, want a file that waits for room and had no attempt", waits)
	}
	f.Must(f.Moments.EndListing(t.Context(), due, due.NextAt, false, nil, true))
	if len(f.pending(due)) != 1 {
		t.Error("a run that is asked for does not try a file that waits for room")
	}
	f.Must(f.Moments.RefuseFile(t.Context(), due, f.pending(due)[0], why, time.Time{}))
	f.Must(f.Moments.EndListing(t.Context(), due, due.NextAt, false, failed, false))
	if left := f.filesOf(w, due); len(left) != 1 || left[0].ID != "b" {
		t.Errorf("got %+v, want the one that was removed to be forgotten", left)
	}
	f.Must(f.Moments.ForgetFile(t.Context(), due.ID, "b"))
	if left := f.filesOf(w, due); len(left) != 0 {
		t.Errorf("got %+v, want none", left)
	}
}

func TestAFileWaitsForAWorkflowThatStartsNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, due := f.watched()
	f.Must(f.Moments.CheckStarts(t.Context(), due))
	f.notes(due, file("a", "a.json", 1), file("b", "b.csv", 1))
	found := f.pending(due)
	takes := func(code string) {
		t.Helper()
		kind := platen.KindInvalid
		if code == platen.CodeUsageLimit {
			kind = platen.KindRateLimited
		}
		storetest.WantKind(t, "an event", f.Moments.TakeEvent(t.Context(), due, found[0], []byte(`{}`)), kind, code)
		storetest.WantKind(t, "before a look", f.Moments.CheckStarts(t.Context(), due), kind, code)
		storetest.WantKind(t, "a batch", f.Moments.TakeBatch(t.Context(), due, found[1], "b.csv", rowsOf(2, nil)), kind, code)
	}
	f.Exec(`UPDATE workflows SET status = 'INCOMPLETE' WHERE id = $1`, w.ID)
	takes("workflow_incomplete")
	f.Exec(`UPDATE workflows SET status = 'COMPLETE', auto_create = false WHERE id = $1`, w.ID)
	takes("auto_create_off")
	f.Exec(`UPDATE workflows SET auto_create = true WHERE id = $1`, w.ID)
	f.Exec(`INSERT INTO usage_limits (owner_id, documents) VALUES ($1, 0)`, w.Owner.ID)
	takes(platen.CodeUsageLimit)
	due.Test = true // documents of tests do not count
	f.Must(f.Moments.CheckStarts(t.Context(), due))
	if len(f.pending(due)) != 2 || f.automations(w)+f.Count(`SELECT count(*) FROM batches`) != 0 {
		t.Error("files do not wait, or something of them is stored")
	}
}

// A schedule that was changed, and a workflow that was archived, take and note nothing.
func TestAFolderThatIsNotLookedIntoAnyMoreHasNoNewFiles(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, due := f.watched(func(s *platen.Schedule) { s.TakeExisting = true })
	f.notes(due, file("a", "a.json", 1), file("b", "b.csv", 1))
	found := f.pending(due)
	f.Must(f.Moments.EndListing(t.Context(), due, due.NextAt, false, nil, false))
	_, err := f.Schedules.UpdateSchedule(t.Context(), w.Owner, w.ID, due.ID, func(s *platen.Schedule) error { s.Folder = "other"; return nil })
	f.Must(err)
	held, err := f.Moments.NoteFiles(t.Context(), due, []platen.File{file("c", "c.json", 1)}, []string{""})
	if f.Must(err); held {
		t.Error("a schedule that was changed is held")
	}
	f.Must(f.Moments.TakeEvent(t.Context(), due, found[0], []byte(`{}`)))
	f.Must(f.Moments.TakeBatch(t.Context(), due, found[1], "b.csv", rowsOf(2, nil)))
	if f.automations(w)+f.Count(`SELECT count(*) FROM batches`) != 0 {
		t.Error("something was taken")
	}
	next := f.only() // at once
	if next.ListedAt != nil || next.LookedAt != nil || next.Folder != "other" || !next.FolderSince.After(*due.FolderSince) {
		t.Errorf("got %+v, want another folder that was not listed", next)
	}
}

// What was in another folder is forgotten, but what was taken: it counts once.
func TestTheFilesOfTheFolderBeforeAreNotTaken(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, due := f.watched(func(s *platen.Schedule) { s.TakeExisting = true })
	f.notes(due, file("taken", "a.json", 3), file("waits", "b.json", 2), file("failed", "c.csv", 1))
	found := f.pending(due)
	f.Must(f.Moments.TakeEvent(t.Context(), due, found[0], []byte(`{}`)))
	f.Must(f.Moments.RefuseFile(t.Context(), due, found[2], platen.Errorf(platen.KindInvalid, "batch_unreadable", "No."), time.Time{}))
	_, err := f.Moments.NoteFiles(t.Context(), due, []platen.File{file("existing", "d.json", 4)}, []string{platen.CodeFileExisting})
	f.Must(err)
	change := func(folder string) {
		t.Helper()
		_, err := f.Schedules.UpdateSchedule(t.Context(), w.Owner, w.ID, due.ID, func(s *platen.Schedule) error { s.Folder, s.Paused = folder, false; return nil })
		f.Must(err)
	}
	change("inbox") // as it was
	if left := f.filesOf(w, due); len(left) != 4 {
		t.Fatalf("got %+v, want all four", left)
	}
	change("other")
	next := f.only()
	if left := f.pending(next); len(left) != 0 {
		t.Errorf("got %+v, want nothing of the folder before", left)
	}
	f.notes(next, file("existing", "d.json", 4), file("taken", "a.json", 3)) // both were moved here
	if left := f.pending(next); len(left) != 1 || left[0].ID != "existing" {
		t.Errorf("got %+v, want the one that was not taken", left)
	}
}

func TestAFullFolderIsNotedAsListed(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	_, due := f.watched()
	ends := func(full bool) platen.DueSchedule {
		t.Helper()
		f.Must(f.Moments.EndListing(t.Context(), due, due.NextAt, full, nil, false))
		f.Exec(`UPDATE schedules SET leased_until = NULL`)
		return f.only()
	}
	if got := ends(true); got.ListedAt != nil || got.LookedAt == nil || !got.LookedAt.Equal(due.NextAt) {
		t.Errorf("got %+v, want a folder that was never listed to its end", got)
	}
	if got := ends(false); got.ListedAt == nil || !got.ListedAt.Equal(*got.LookedAt) {
		t.Errorf("got %+v, want a folder that was", got)
	}
}

func TestFilesThatWereThereAreTakenOnceThatIsAskedFor(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, due := f.watched()
	there, picture := file("a", "a.json", 2), file("b", "b.png", 1)
	_, err := f.Moments.NoteFiles(t.Context(), due, []platen.File{there, picture}, []string{platen.CodeFileExisting, platen.CodeFileExisting})
	f.Must(err)
	f.Must(f.Moments.EndListing(t.Context(), due, due.NextAt, false, nil, false))
	f.notes(due, there)
	if left := f.pending(due); len(left) != 0 {
		t.Errorf("got %+v, want none before it is asked for", left)
	}
	if all := f.filesOf(w, due); len(all) != 2 || all[0].Message != platen.MessageOfSkipped(platen.CodeFileExisting) {
		t.Errorf("got %+v, want both to say why they are skipped", all)
	}
	_, err = f.Schedules.UpdateSchedule(t.Context(), w.Owner, w.ID, due.ID, func(s *platen.Schedule) error { s.TakeExisting = true; return nil })
	f.Must(err)
	f.Exec(`UPDATE schedules SET try_at = now()`)
	next := f.only()
	_, err = f.Moments.NoteFiles(t.Context(), next, []platen.File{there, picture}, []string{"", platen.CodeFileKind})
	f.Must(err)
	if left := f.pending(next); len(left) != 1 || left[0].ID != "a" || f.Count(`SELECT count(*) FROM schedule_files WHERE code = 'schedule_file_kind'`) != 1 {
		t.Errorf("got %+v, want the event alone", left)
	}
}

// A folder of which the same is said as before has failed since then: its owner gets one mail.
func TestAFolderFailsOnceWhileItsFilesAreThere(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, due := f.watched()
	says := func(due platen.DueSchedule, message string) time.Time {
		t.Helper()
		_, err := f.Moments.SettleMoment(t.Context(), due, time.Now().Add(-time.Second), time.Time{}, &platen.ScheduleOutcome{At: due.NextAt, State: platen.ScheduleFailed, Code: platen.CodeFilesFailed, Message: message})
		f.Must(err)
		s, err := f.Schedules.Schedule(t.Context(), w.Owner, w.ID, due.ID)
		f.Must(err)
		return s.Last.EndedAt
	}
	first := says(due, "One.")
	if again := says(f.only(), "One."); !again.Equal(first) {
		t.Errorf("the same fails at %v and at %v", first, again)
	}
	if another := says(f.only(), "Two."); !another.After(first) {
		t.Errorf("something else failed at %v, as before", another)
	}
}

// Files go with their schedule, also by the hand of an operator who deletes a user.
func TestFilesEndWithTheirSchedule(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, due := f.watched()
	f.notes(due, file("a", "a.json", 1))
	f.Must(f.Users.DeleteUser(t.Context(), w.Owner.ID))
	if left := f.Count(`SELECT count(*) FROM schedule_files`); left != 0 {
		t.Errorf("%d files are left, want none", left)
	}
}

// The name of a file is the reference of its run, and goes with it.
func TestTheNameOfAFileEndsWithTheDataOfItsRun(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, due := f.watched()
	f.notes(due, file("a", "Ada Lovelace.json", 2), file("b", "Bob.json", 1))
	found := f.pending(due)
	for _, one := range found {
		f.Must(f.Moments.TakeEvent(t.Context(), due, one, []byte(`{}`)))
	}
	id := platen.FileAutomation(due.ID, "a")
	_, err := f.Automations.FailAutomation(t.Context(), id, 0, "c", "m")
	f.Must(err)
	f.Must(f.Automations.EraseData(t.Context(), id))
	for _, one := range f.filesOf(w, due) {
		if want := map[string]string{"a": "", "b": "Bob.json"}[one.ID]; one.Name != want || one.State != platen.FileTaken {
			t.Errorf("got %+v, want the name %q", one, want)
		}
	}
	f.notes(due, file("a", "Ada Lovelace.json", 2))
	if left := f.pending(due); len(left) != 0 {
		t.Errorf("got %+v: it counts once", left)
	}
}
