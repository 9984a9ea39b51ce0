package postgres_test

import (
	"context"
	"net/url"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// writes tells how often an output's row was written since the last call.
func (f *harness) writes(outputID string) func() bool {
	f.T.Helper()
	version := func() (v int64) {
		f.T.Helper()
		f.Must(f.Owner.QueryRow(f.T.Context(), `SELECT xmin::text::bigint FROM outputs WHERE id = $1`, outputID).Scan(&v))
		return v
	}
	before := version()
	return func() bool {
		now := version()
		defer func() { before = now }()
		return now != before
	}
}

func noteCopy(id string) func(*platen.Output) error {
	return func(o *platen.Output) error { o.Copy = &platen.File{ID: id}; return nil }
}

func TestWhatIsNotedIsWrittenWithTheNextChange(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.Planned(f.Workflow(f.User(nil))).Documents[0].OutputID
	written := f.writes(id)
	noted, err := f.Outputs.NoteOutput(t.Context(), id, noteCopy("c"))
	f.Must(err)
	remembered, err := f.Outputs.RememberedOutput(t.Context(), id)
	f.Must(err)
	read, err := f.Outputs.Output(t.Context(), id)
	f.Must(err)
	for what, o := range map[string]platen.Output{"answered": noted, "remembered": remembered, "read": read} {
		if o.Copy == nil || o.Copy.ID != "c" {
			t.Errorf("%s: got copy %v, want the one that was noted", what, o.Copy)
		}
	}
	if written() {
		t.Error("the note was written by itself")
	}
	elsewhere := f.Another()
	if o, err := elsewhere.Outputs.Output(t.Context(), id); err != nil || o.Copy != nil {
		t.Errorf("another process: got copy %v, %v; want none yet", o.Copy, err)
	}
	_, err = f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.FillBegun = true; return nil })
	f.Must(err)
	o, err := elsewhere.Outputs.Output(t.Context(), id)
	f.Must(err)
	if o.Copy == nil || o.Copy.ID != "c" || !o.FillBegun {
		t.Errorf("after a change: got %+v, want copy and change", o)
	}
}

func TestOnlyWhatWasNotedIsWrittenByItself(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.Planned(f.Workflow(f.User(nil))).Documents[0].OutputID
	_, err := f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.CopyBegun = true; return nil })
	f.Must(err)
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Outputs.WriteNotes(cut, id); err != nil {
		t.Errorf("nothing noted, and no database: got %v, want none asked", err)
	}
	_, err = f.Outputs.NoteOutput(t.Context(), id, noteCopy("c"))
	f.Must(err)
	if err := f.Outputs.WriteNotes(cut, id); err == nil {
		t.Error("a note, and no database: got no error, want one")
	}
	f.Must(f.Outputs.WriteNotes(t.Context(), id))
	if o, err := f.Another().Outputs.Output(t.Context(), id); err != nil || o.Copy == nil || o.Copy.ID != "c" {
		t.Errorf("another process: got copy %v, %v; want the one that was noted", o.Copy, err)
	}
}

func TestAChangeThatMakesNoneWritesWhatWasNoted(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.Planned(f.Workflow(f.User(nil))).Documents[0].OutputID
	_, err := f.Outputs.NoteOutput(t.Context(), id, noteCopy("c"))
	f.Must(err)
	_, err = f.Outputs.UpdateOutput(t.Context(), id, func(*platen.Output) error { return nil })
	f.Must(err)
	if o, err := f.Another().Outputs.Output(t.Context(), id); err != nil || o.Copy == nil {
		t.Errorf("another process: got copy %v, %v; want the one that was noted", o.Copy, err)
	}
}

func TestWhatIsNotedIsLostWhenAnotherProcessChangesTheRow(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.Planned(f.Workflow(f.User(nil))).Documents[0].OutputID
	_, err := f.Outputs.NoteOutput(t.Context(), id, noteCopy("ours"))
	f.Must(err)
	_, err = f.Another().Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.Generation = 1; return nil })
	f.Must(err)
	var saw []string
	o, err := f.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error {
		copied := ""
		if o.Copy != nil {
			copied = o.Copy.ID
		}
		saw = append(saw, copied)
		o.FillBegun = true
		return nil
	})
	f.Must(err)
	if o.Copy != nil || o.Generation != 1 || !o.FillBegun || saw[len(saw)-1] != "" {
		t.Errorf("got %+v after calls that saw %q, want generation 1 without a copy", o, saw)
	}
}

// A server that was put back may hold the row as it was when the note was made, and a
// drive that went back with it no file as the note has it.
func TestWhatIsNotedIsLostWhenTheServerWasStartedAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Exec(`CREATE TABLE server (started timestamptz); INSERT INTO server VALUES ('2026-01-01')`)
	f.Exec(`CREATE FUNCTION public.pg_postmaster_start_time() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT started FROM server'`)
	url, err := url.Parse(f.Owner.Config().ConnString())
	f.Must(err)
	query := url.Query()
	query.Set("search_path", "public,pg_catalog")
	url.RawQuery = query.Encode()
	db, err := postgres.Open(t.Context(), url.String(), f.Box, postgres.Options{})
	f.Must(err)
	t.Cleanup(db.Close)
	for what, change := range map[string]func(id string) (platen.Output, error){
		"a change": func(id string) (platen.Output, error) {
			return db.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error { o.FillBegun = true; return nil })
		},
		"a record": func(id string) (platen.Output, error) {
			o, _, err := db.Outputs.RecordOutput(t.Context(), id, storetest.Done, storetest.EventFor)
			return o, err
		},
		"a note": func(id string) (platen.Output, error) {
			_, err := db.Outputs.Output(t.Context(), id)
			f.Must(err)
			return db.Outputs.NoteOutput(t.Context(), id, func(*platen.Output) error { return nil })
		},
	} {
		id := f.Planned(f.Workflow(f.User(nil))).Documents[0].OutputID
		_, err := db.Outputs.NoteOutput(t.Context(), id, noteCopy("lost"))
		f.Must(err)
		f.Exec(`UPDATE server SET started = started + interval '1 second'`)
		o, err := change(id)
		f.Must(err)
		if o.Copy != nil {
			t.Errorf("%s: got copy %v, want that the note is lost", what, o.Copy.ID)
		}
	}
}

func TestARecordHasWhatWasNoted(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.Planned(f.Workflow(f.User(nil))).Documents[0].OutputID
	_, err := f.Outputs.NoteOutput(t.Context(), id, noteCopy("c"))
	f.Must(err)
	recorded, event, err := f.Outputs.RecordOutput(t.Context(), id, storetest.Done, storetest.EventFor)
	f.Must(err)
	o, err := f.Another().Outputs.Output(t.Context(), id)
	f.Must(err)
	if o.State != platen.OutputDone || o.Copy == nil || recorded.Copy == nil || event == "" {
		t.Errorf("got %+v, answered %+v with event %q; want it done with its copy, and an event", o, recorded, event)
	}
	if _, err := f.Outputs.NoteOutput(t.Context(), id, noteCopy("late")); platen.KindOf(err) != platen.KindConflict {
		t.Errorf("a note of an output that has ended: got %v, want KindConflict", err)
	}
}

// The process that pins a plan need not write that a copy begins: the row says so
// to all others from the first.
func TestAPlanSaysThatItsCopiesMayHaveBegunToAllButWhoeverPinnedIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.Planned(f.Workflow(f.User(nil))).Documents[0].OutputID
	written := f.writes(id)
	begin := func(db *postgres.DB) (before bool) {
		t.Helper()
		_, err := db.Outputs.UpdateOutput(t.Context(), id, func(o *platen.Output) error {
			before, o.CopyBegun = o.CopyBegun, true
			return nil
		})
		f.Must(err)
		return before
	}
	if begin(f.Another().DB) != true {
		t.Error("another process takes the copy for not begun, want begun")
	}
	if first, second := begin(f.DB.DB), begin(f.DB.DB); first || !second {
		t.Errorf("whoever pinned the plan takes the copy for begun: %t, then %t; want once for not begun", first, second)
	}
	if written() {
		t.Error("the row was written, want it as it was")
	}
}

// serve has the automation retried, and its worker has read the output since it failed.
func TestAnOutputThatHasEndedIsNotRemembered(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	p := f.Planned(w)
	id := p.Documents[0].OutputID
	_, _, err := f.Outputs.RecordOutput(t.Context(), id, storetest.Failed, storetest.EventFor)
	f.Must(err)
	_, err = f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	f.Must(err)
	_, err = f.Outputs.Output(t.Context(), id)
	f.Must(err)
	_, err = f.Another().Automations.RetryAutomation(t.Context(), w.Owner, w.ID, p.AutomationID)
	f.Must(err)
	if o, err := f.Outputs.RememberedOutput(t.Context(), id); err != nil || o.State != platen.OutputPending || o.Attempt != 2 {
		t.Errorf("got %s of attempt %d, %v; want PENDING of attempt 2", o.State, o.Attempt, err)
	}
}
