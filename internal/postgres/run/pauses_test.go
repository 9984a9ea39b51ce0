package run_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func (f *harness) resume(scope platen.PauseScope, id string) {
	f.T.Helper()
	if was, err := f.Pauses.Resume(f.T.Context(), scope, id); err != nil || !was {
		f.T.Fatalf("resume %s %s: got %v, %v, want a pause to be gone", scope, id, was, err)
	}
}

func TestNothingThatIsPausedStartsAndAllOfItIsThereAfterwards(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	team := f.Team("Print")
	member, other := f.User(team), f.User(nil)
	held, beside, foreign := f.Workflow(member), f.Workflow(member), f.Workflow(other)
	for scope, id := range map[platen.PauseScope]string{platen.PauseAll: "", platen.PauseTeam: team.ID, platen.PauseUser: member.ID, platen.PauseWorkflow: held.ID} {
		want := map[string]bool{}
		for w, goesOn := range map[*platen.Workflow]bool{&held: false, &beside: scope == platen.PauseWorkflow, &foreign: scope != platen.PauseAll} {
			for _, id := range f.Accept(*w, 3) {
				want[id] = goesOn
			}
		}
		f.Pause(scope, id)
		f.Pause(scope, id) // twice is once
		claimed := storetest.IDs(f.Claim(20, 100))
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
		if again := f.Claim(20, 100); len(again) != len(want) {
			t.Errorf("%s: after it was resumed %d started, want the %d that were held", scope, len(again), len(want))
		}
		if was, err := f.Pauses.Resume(t.Context(), scope, id); err != nil || was {
			t.Errorf("%s: resumed twice: got %v, %v", scope, was, err)
		}
		f.Exec(`UPDATE automations SET state = 'COMPLETED', leased_until = NULL, finished_at = now()`)
	}
}

func TestAnAutomationSaysThatItIsPausedAndWhy(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w := f.Workflow(owner)
	waits, runs := f.Accept(w, 1)[0], f.Running(w).AutomationID
	f.Pause(platen.PauseWorkflow, w.ID)
	shown, err := f.Automations.WorkflowAutomation(t.Context(), owner, w.ID, waits)
	f.Must(err)
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
	owner, other := f.User(nil), f.User(nil)
	held := f.Workflow(owner)
	first := f.Accept(held, 1)[0]
	f.Exec(`INSERT INTO automations
		SELECT (jsonb_populate_record(a, jsonb_build_object('id', 'aut_copy' || n))).*
		FROM automations a, generate_series(1, 100000) n
		WHERE a.id = $1`, first)
	want := append(f.Accept(f.Workflow(owner), 1), f.Accept(f.Workflow(other), 1)...)
	f.Pause(platen.PauseWorkflow, held.ID)
	text, err := run.ExplainClaim(t.Context(), f.DB.DB, storetest.AnyOwner(20))
	f.Must(err)
	var plan []struct{ Plan storetest.PlanNode }
	f.Must(json.Unmarshal(text, &plan))
	if read := plan[0].Plan.Read(); read > 500 {
		t.Errorf("a claim reads %.0f rows, want some for each workflow: %s", read, text)
	}
	if claimed := storetest.IDs(f.Claim(20, 100)); len(claimed) != 2 || claimed[0] != want[0] || claimed[1] != want[1] {
		t.Errorf("got %v, want %v", claimed, want)
	}
}

// Forty owners wait while a thousand workflows of another are paused: a claim reads the
// pauses once, and not once for each owner.
func TestAClaimReadsManyPausesOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	for range 40 {
		f.Accept(f.Workflow(f.User(nil)), 1)
	}
	f.Exec(`INSERT INTO pauses (scope, id, reason, paused_by) SELECT 'workflow', 'wkf_other' || n, '', '' FROM generate_series(1, 1000) n`)
	text, err := run.ExplainClaim(t.Context(), f.DB.DB, storetest.AnyOwner(20))
	f.Must(err)
	var plan []struct{ Plan storetest.PlanNode }
	f.Must(json.Unmarshal(text, &plan))
	if read := plan[0].Plan.Read(); read > 5000 {
		t.Errorf("a claim reads %.0f rows, want each pause about once", read)
	}
}

func TestPausingAgainKeepsTheReasonUnlessThereIsAnother(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	for _, c := range []struct{ given, want string }{{"first", "first"}, {"", "first"}, {"second", "second"}} {
		f.Must(f.Pauses.Pause(t.Context(), platen.Pause{Scope: platen.PauseAll, Reason: c.given, By: "ada"}))
		all, err := f.Pauses.Pauses(t.Context())
		f.Must(err)
		if len(all) != 1 || all[0].Reason != c.want {
			t.Errorf("after %q: got %+v, want the reason %q", c.given, all, c.want)
		}
	}
}

func TestAPauseOfWhatIsNotThereIsRefused(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	storetest.WantKind(t, "an unknown workflow", f.Pauses.Pause(t.Context(), platen.Pause{Scope: platen.PauseWorkflow, ID: "wkf_unknown"}), platen.KindNotFound, "workflow_not_found")
	long := platen.Pause{Scope: platen.PauseAll, Reason: strings.Repeat("ä", platen.MaxPauseReason+1)}
	storetest.WantKind(t, "a long reason", f.Pauses.Pause(t.Context(), long), platen.KindInvalid, "reason_too_long")
	if all, err := f.Pauses.Pauses(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("got %v, %v", all, err)
	}
}
