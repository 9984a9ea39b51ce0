package lifecycle

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/installation"
)

func TestARestoreOfPostgresDoesNoHarm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		together bool // the drive's tables go back with the service's
		temporal bool // Temporal's databases go back as well, to another moment
	}{
		"documents elsewhere":        {},
		"our own drive in it":        {together: true},
		"Temporal goes back as well": {temporal: true},
	} {
		if c.together && !whole() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRestored(t, c.together, c.temporal)
			s.start(t)
			before := s.post(t, "before")
			s.awaitDelivered(t, before)
			s.Stop(t, "worker")
			if c.temporal {
				s.temporal.typed(t, "Back up Temporal")
			}
			waiting := []string{s.post(t, "waiting"), s.post(t, "patient")}
			s.Typed(t, "restore.md", "Back up")
			s.wantBackupTold(t)
			s.Start(t, "worker")
			for _, id := range waiting {
				s.awaitDelivered(t, id)
			}
			after := s.post(t, "after")
			s.awaitDelivered(t, after)
			files, told := s.files(t), s.receiver.ids()

			s.Stop(t, "worker", "serve", "drive")
			if c.temporal {
				s.temporal.stopped(t, func() { s.temporal.typed(t, "Put Temporal back") })
			}
			s.Typed(t, "restore.md", "Put Postgres back")
			s.start(t)
			for _, id := range waiting {
				s.awaitEnd(t, id)
			}
			if state := s.state(t, before); state != platen.AutomationCompleted {
				t.Errorf("what had ended before the backup is %s, want COMPLETED", state)
			}
			if state := s.state(t, after); state != "" {
				t.Errorf("what was accepted after the backup is %s, want it forgotten", state)
			}
			s.receiver.wantNoFailure(t)
			for _, id := range waiting {
				s.awaitToldAgain(t, id, told[id], c.together)
			}
			s.awaitSwept(t, !c.together && !c.temporal)
			s.checkFiles(t, files, c.together)
			if again := s.receiver.ids(); !maps.Equal(again[before], told[before]) || !maps.Equal(again[after], told[after]) {
				t.Errorf("others were told again: got %v and %v, want %v and %v", again[before], again[after], told[before], told[after])
			}
		})
	}
}

// With Temporal's database goes a run that was open at the backup or began after it. The
// drive is away meanwhile, so that both wait.
func TestATemporalThatGoesBackAloneCostsNothing(t *testing.T) {
	t.Parallel()
	for name, heading := range map[string]string{
		"to an earlier moment": "Put Temporal back",
		"to nothing":           "Begin with an empty Temporal",
	} {
		if name == "to nothing" && !whole() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRestored(t, false, true)
			s.start(t)
			before := s.post(t, "before")
			s.awaitDelivered(t, before)
			files, told := s.files(t), s.receiver.ids()
			s.Stop(t, "drive")
			open := s.post(t, "open")
			s.awaitState(t, open, platen.AutomationRunning)
			s.temporal.typed(t, "Back up Temporal")
			after := s.post(t, "after")
			s.awaitState(t, after, platen.AutomationRunning)
			s.Stop(t, "worker")
			waiting := s.post(t, "waiting")

			s.temporal.stopped(t, func() { s.temporal.typed(t, heading) })
			s.start(t)
			for _, id := range []string{open, after, waiting} {
				s.awaitDelivered(t, id)
			}
			if state := s.state(t, before); state != platen.AutomationCompleted {
				t.Errorf("what had ended before is %s, want COMPLETED", state)
			}
			if again := s.receiver.ids()[before]; !maps.Equal(again, told[before]) {
				t.Errorf("what had ended before was told as %v, want %v as before", again, told[before])
			}
			s.receiver.wantNoFailure(t)
			s.awaitSwept(t, false)
			s.checkFiles(t, files, false)
		})
	}
}

// wantBackupTold sees that node_exporter has the time of the backup to tell.
func (s *restored) wantBackupTold(t *testing.T) {
	t.Helper()
	told, err := os.ReadFile(filepath.Join(s.Dir, "platen.prom"))
	if err != nil {
		t.Fatal(err)
	}
	var at int64
	if _, err := fmt.Sscanf(string(told), "platen_backup_completed_timestamp_seconds %d\n", &at); err != nil || time.Since(time.Unix(at, 0)) > installation.Patience {
		t.Errorf("got %q, %v; want the time of the backup", told, err)
	}
}

// awaitSwept waits until the orphan sweep has looked for files of every output that
// was repeated; some says that there are any.
func (s *restored) awaitSwept(t *testing.T, some bool) {
	t.Helper()
	installation.Eventually(t, "the orphan sweep", func() error {
		var left, swept int
		installation.Query(t, s.Database, `SELECT count(*) FROM outputs WHERE state <> 'PENDING' AND (repeated OR state = 'FAILED' AND copy_begun) AND swept_at IS NULL`, nil, &left)
		installation.Query(t, s.Database, `SELECT count(*) FROM outputs WHERE swept_at IS NOT NULL`, nil, &swept)
		if left > 0 || some && swept == 0 {
			return fmt.Errorf("got %d outputs swept and %d left, want all swept, and some: %t", swept, left, some)
		}
		return nil
	})
}

// checkFiles sees that nothing is in the trash, and that what was there is, but in a
// drive that went back itself.
func (s *restored) checkFiles(t *testing.T, before map[string]file, together bool) {
	t.Helper()
	now := s.files(t)
	for id, f := range now {
		if f.trashed {
			t.Errorf("%q (%s) is in the trash", f.name, id)
		}
	}
	if together {
		for _, f := range before {
			if f.customer() != "after" && !slices.ContainsFunc(slices.Collect(maps.Values(now)), func(g file) bool { return g.name == f.name }) {
				t.Errorf("there is no %q any more", f.name)
			}
		}
		return
	}
	for id, f := range before {
		if _, ok := now[id]; !ok {
			t.Errorf("%q (%s) is gone", f.name, id)
			continue
		}
		if answer, err := http.Get(f.link); err != nil {
			t.Errorf("%q: %v", f.name, err)
		} else if answer.Body.Close(); answer.StatusCode != http.StatusOK {
			t.Errorf("%q: its link answers %s", f.name, answer.Status)
		}
	}
}

// awaitToldAgain waits for the events of an automation: under the ids that they had,
// or under new ones where its documents are new.
func (s *restored) awaitToldAgain(t *testing.T, id string, told map[string]int, together bool) {
	t.Helper()
	installation.Eventually(t, "the events of "+id, func() error {
		for event, times := range s.receiver.ids()[id] {
			switch _, known := told[event]; {
			case !known && !together:
				t.Fatalf("%s is told as %s, want the ids %v that the receiver knows", id, event, told)
			case !known, !together && times > told[event]:
				return nil
			}
		}
		return fmt.Errorf("got %v, as before", s.receiver.ids()[id])
	})
}
