package postgres_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// failed makes an automation that failed, and returns its id.
func (f *harness) failed(w platen.Workflow, code, message string) string {
	f.T.Helper()
	id := f.Planned(w).AutomationID
	_, err := f.Automations.FailAutomation(f.T.Context(), id, 1, code, message)
	f.Must(err)
	return id
}

func (f *harness) wantCauses(u platen.User, want ...string) {
	f.T.Helper()
	if got := f.causes(u); !slices.Equal(got, want) {
		f.T.Errorf("got %q, want %q", got, want)
	}
}

func (f *harness) causes(u platen.User) (told []string) {
	f.T.Helper()
	causes, err := f.Automations.Failures(f.T.Context(), u, time.Now().Add(-time.Hour))
	f.Must(err)
	for _, c := range causes {
		newest := ""
		if len(c.Newest) > 0 {
			newest = c.Newest[0].Failure
		}
		told = append(told, fmt.Sprintf("%d+%d of %d: %s", c.Open, c.Cured, len(c.Newest), newest))
	}
	return told
}

func TestFailuresAreToldByCauseWithoutThoseThatWereMadeSince(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	wrong := make([]string, 5)
	for i := range wrong {
		wrong[i] = f.failed(w, "data_unusable", fmt.Sprintf("Posten, item %d: %q is not a number.", i+1, "zwölf"))
	}
	f.failed(w, "drive_unavailable", "The drive does not answer.")
	f.Exec(`UPDATE automations SET test = true WHERE id = $1`, f.failed(w, "drive_unavailable", "A test."))
	f.failed(f.Workflow(f.User(nil)), "drive_unavailable", "Somebody else's.")
	f.wantCauses(w.Owner, "1+0 of 1: The drive does not answer.", `5+0 of 3: Posten, item 5: "zwölf" is not a number.`)

	again := f.Planned(w).AutomationID
	f.Exec(`UPDATE automations SET request_id = $2, state = 'COMPLETED', finished_at = now() WHERE id = $1`, again, platen.AgainPrefix+wrong[4])
	f.Exec(`UPDATE automations SET replaced_by = $2 WHERE id = $1`, wrong[3], again)
	f.wantCauses(w.Owner, "1+0 of 1: The drive does not answer.", `3+2 of 3: Posten, item 3: "zwölf" is not a number.`)
}

func TestFailuresThatAreDoneAreToldFromTheNextOneOn(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	done := f.failed(w, "data_unusable", `"zwölf" is not a number.`)
	f.failed(w, "data_unusable", `"elf" is not a number.`)
	f.failed(w, "drive_unavailable", "The drive does not answer.")
	for range 2 {
		_, err := f.Automations.MarkDone(t.Context(), w.Owner, w.ID, done)
		f.Must(err)
	}
	f.wantCauses(w.Owner, "1+0 of 1: The drive does not answer.")
	f.failed(w, "data_unusable", `"zehn" is not a number.`)
	f.wantCauses(w.Owner, `1+0 of 1: "zehn" is not a number.`, "1+0 of 1: The drive does not answer.")
	for range 2 {
		_, err := f.Automations.MarkOpen(t.Context(), w.Owner, w.ID, done)
		f.Must(err)
	}
	f.wantCauses(w.Owner, `3+0 of 3: "zehn" is not a number.`, "1+0 of 1: The drive does not answer.")

	running := f.Planned(w).AutomationID
	_, err := f.Automations.MarkDone(t.Context(), w.Owner, w.ID, running)
	storetest.WantKind(t, "of one that runs", err, platen.KindInvalid, "automation_not_failed")
	_, err = f.Automations.MarkDone(t.Context(), f.User(nil), w.ID, done)
	storetest.WantKind(t, "a stranger", err, platen.KindNotFound, "workflow_not_found")
}

// A workflow keeps so many causes at most, the latest.
func TestDoneCausesAreBounded(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.Exec(`INSERT INTO failures_done (workflow_id, cause, done_at) SELECT $1, sha256(convert_to(n::text, 'UTF8')), now() - n * interval '1 minute' FROM generate_series(1, 250) n`, w.ID)
	_, err := f.Automations.MarkDone(t.Context(), w.Owner, w.ID, f.failed(w, "data_unusable", "Why."))
	f.Must(err)
	if n := f.Count(`SELECT count(*) FROM failures_done`); n != 200 {
		t.Errorf("got %d causes, want 200", n)
	}
	if told := f.causes(w.Owner); len(told) != 0 {
		t.Errorf("got %q, want the cause done", told)
	}
}
