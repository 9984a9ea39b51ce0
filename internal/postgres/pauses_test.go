package postgres_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

func (f *harness) pause(scope platen.PauseScope, id string) {
	f.t.Helper()
	f.must(f.Pauses.Pause(f.t.Context(), platen.Pause{Scope: scope, ID: id, Reason: "the printer is repaired", By: "ada"}))
}

func (f *harness) resume(scope platen.PauseScope, id string) {
	f.t.Helper()
	if was, err := f.Pauses.Resume(f.t.Context(), scope, id); err != nil || !was {
		f.t.Fatalf("resume %s %s: got %v, %v, want a pause to be gone", scope, id, was, err)
	}
}

func TestNothingThatIsPausedStartsAndAllOfItIsThereAfterwards(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	team := f.team("Print")
	member, other := f.user(team), f.user(nil)
	held, beside, foreign := f.workflow(member), f.workflow(member), f.workflow(other)
	for scope, id := range map[platen.PauseScope]string{platen.PauseAll: "", platen.PauseTeam: team.ID, platen.PauseUser: member.ID, platen.PauseWorkflow: held.ID} {
		want := map[string]bool{}
		for w, goesOn := range map[*platen.Workflow]bool{&held: false, &beside: scope == platen.PauseWorkflow, &foreign: scope != platen.PauseAll} {
			for _, id := range f.accept(*w, 3) {
				want[id] = goesOn
			}
		}
		f.pause(scope, id)
		f.pause(scope, id) // twice is once
		claimed := ids(f.claim(20, 100))
		for _, id := range claimed {
			if !want[id] {
				t.Errorf("%s: %s started", scope, id)
			}
			delete(want, id)
		}
		for id, goesOn := range want {
			if goesOn {
				t.Errorf("%s: %s, which is not paused, did not start", scope, id)
			}
		}
		f.resume(scope, id)
		if again := f.claim(20, 100); len(again) != len(want) {
			t.Errorf("%s: after it was resumed %d started, want the %d that were held", scope, len(again), len(want))
		}
		if was, err := f.Pauses.Resume(t.Context(), scope, id); err != nil || was {
			t.Errorf("%s: resumed twice: got %v, %v", scope, was, err)
		}
		f.exec(`UPDATE automations SET state = 'COMPLETED', leased_until = NULL, finished_at = now()`)
	}
}

func TestAnAutomationSaysThatItIsPausedAndWhy(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	w := f.workflow(owner)
	waits, runs := f.accept(w, 1)[0], f.running(w).AutomationID
	f.pause(platen.PauseWorkflow, w.ID)
	shown, err := f.Automations.WorkflowAutomation(t.Context(), owner, w.ID, waits)
	f.must(err)
	if len(shown.Waits) != 1 || shown.Waits[0].Code != platen.CodePaused || !strings.Contains(shown.Waits[0].Message, "the printer is repaired") || time.Since(shown.Waits[0].Since) > time.Hour {
		t.Errorf("got %+v, want that it is paused, since when, and why", shown.Waits)
	}
	if shown, err = f.Automations.WorkflowAutomation(t.Context(), owner, w.ID, runs); err != nil || len(shown.Waits) != 0 {
		t.Errorf("one that has started: got %+v, %v", shown.Waits, err)
	}
	f.resume(platen.PauseWorkflow, w.ID)
	if shown, err = f.Automations.WorkflowAutomation(t.Context(), owner, w.ID, waits); err != nil || len(shown.Waits) != 0 {
		t.Errorf("after it was resumed: got %+v, %v", shown.Waits, err)
	}
}

// A hundred thousand automations of a paused workflow came before those of the owner's
// other workflow, and of another owner: a claim reads none of them.
func TestAClaimReadsNothingOfAPausedWorkflow(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner, other := f.user(nil), f.user(nil)
	held := f.workflow(owner)
	first := f.accept(held, 1)[0]
	f.exec(`INSERT INTO automations
		SELECT (jsonb_populate_record(a, jsonb_build_object('id', 'aut_copy' || n))).*
		FROM automations a, generate_series(1, 100000) n
		WHERE a.id = $1`, first)
	want := append(f.accept(f.workflow(owner), 1), f.accept(f.workflow(other), 1)...)
	f.pause(platen.PauseWorkflow, held.ID)
	text, err := postgres.ExplainClaim(t.Context(), f.DB, anyOwner(20))
	f.must(err)
	var plan []struct{ Plan planNode }
	f.must(json.Unmarshal(text, &plan))
	if read := plan[0].Plan.read(); read > 500 {
		t.Errorf("a claim reads %.0f rows, want some for each workflow: %s", read, text)
	}
	if claimed := ids(f.claim(20, 100)); len(claimed) != 2 || claimed[0] != want[0] || claimed[1] != want[1] {
		t.Errorf("got %v, want %v", claimed, want)
	}
}

// Forty owners wait while a thousand workflows of another are paused: a claim reads the
// pauses once, and not once for each owner.
func TestAClaimReadsManyPausesOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	for range 40 {
		f.accept(f.workflow(f.user(nil)), 1)
	}
	f.exec(`INSERT INTO pauses (scope, id, reason, paused_by) SELECT 'workflow', 'wkf_other' || n, '', '' FROM generate_series(1, 1000) n`)
	text, err := postgres.ExplainClaim(t.Context(), f.DB, anyOwner(20))
	f.must(err)
	var plan []struct{ Plan planNode }
	f.must(json.Unmarshal(text, &plan))
	if read := plan[0].Plan.read(); read > 5000 {
		t.Errorf("a claim reads %.0f rows, want each pause about once", read)
	}
}

func TestPausingAgainKeepsTheReasonUnlessThereIsAnother(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	for _, c := range []struct{ given, want string }{{"first", "first"}, {"", "first"}, {"second", "second"}} {
		f.must(f.Pauses.Pause(t.Context(), platen.Pause{Scope: platen.PauseAll, Reason: c.given, By: "ada"}))
		all, err := f.Pauses.Pauses(t.Context())
		f.must(err)
		if len(all) != 1 || all[0].Reason != c.want {
			t.Errorf("after %q: got %+v, want the reason %q", c.given, all, c.want)
		}
	}
}

func TestAPauseOfWhatIsNotThereIsRefused(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	wantKind(t, "an unknown workflow", f.Pauses.Pause(t.Context(), platen.Pause{Scope: platen.PauseWorkflow, ID: "wkf_unknown"}), platen.KindNotFound, "workflow_not_found")
	long := platen.Pause{Scope: platen.PauseAll, Reason: strings.Repeat("ä", platen.MaxPauseReason+1)}
	wantKind(t, "a long reason", f.Pauses.Pause(t.Context(), long), platen.KindInvalid, "reason_too_long")
	if all, err := f.Pauses.Pauses(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("got %v, %v", all, err)
	}
}
