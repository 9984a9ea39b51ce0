package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func code(err error) string {
	if e, ok := errors.AsType[*platen.Error](err); ok {
		return e.Code
	}
	return ""
}

func archive(f *storetest.Harness, w platen.Workflow, name string) platen.Target {
	f.T.Helper()
	t, err := f.Targets.CreateTarget(f.T.Context(), w.Owner, platen.Target{ID: platen.NewID(platen.PrefixTarget), WorkflowID: w.ID, Name: name, Kind: platen.TargetWebDAV, URL: "https://cloud.example/in", User: "ada", Secret: "hidden"})
	f.Must(err)
	return t
}

// stored is an automation of a workflow with a target whose output was made then.
func stored(f *storetest.Harness) (platen.Workflow, platen.Target, platen.PlacementKey) {
	f.T.Helper()
	w := f.Workflow(f.User(nil))
	to := archive(f, w, "Cloud")
	p := f.Running(w)
	key := platen.PlacementKey{AutomationID: p.AutomationID, OutputID: p.Documents[0].OutputID, TargetID: to.ID}
	_, _, err := f.Outputs.RecordOutput(f.T.Context(), key.OutputID, storetest.Named("Invoice 7.pdf"), storetest.EventFor)
	f.Must(err)
	_, err = f.Automations.EndAutomation(f.T.Context(), p.AutomationID, 1)
	f.Must(err)
	return w, to, key
}

func placement(f *storetest.Harness, w platen.Workflow, key platen.PlacementKey) platen.Placement {
	f.T.Helper()
	found, err := f.Outputs.WorkflowOutputs(f.T.Context(), w.Owner, w.ID, platen.OutputQuery{IDs: []string{key.OutputID}})
	f.Must(err)
	for _, p := range found[0].Placements {
		if p.TargetID == key.TargetID {
			return p
		}
	}
	return platen.Placement{}
}

func TestAnOutputThatIsMadeIsToBeStoredAtEachTarget(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	w, to, key := stored(f)
	commands, err := f.Outbox.ClaimCommands(t.Context(), 100, time.Minute)
	f.Must(err)
	var asked []platen.PlacementKey
	for _, c := range commands {
		if c.Kind == platen.CommandStore && c.WorkflowID == w.ID && c.OwnerID == w.Owner.ID {
			asked = append(asked, c.Placement)
		}
	}
	if len(asked) != 1 || asked[0] != key {
		t.Errorf("asked for %v, want %v", asked, key)
	}
	if p := placement(f, w, key); p.State != platen.PlacementPending || p.TargetName != "Cloud" || p.Attempts != 0 {
		t.Errorf("got %+v, want one that waits", p)
	}
	p, opened, err := f.Targets.BeginPlacement(t.Context(), key, time.Minute)
	f.Must(err)
	if opened.Secret != "hidden" || opened.OwnerID != w.Owner.ID || opened.URL != to.URL || p.Known {
		t.Errorf("got %+v of %+v", p, opened)
	}
	if _, _, err := f.Targets.BeginPlacement(t.Context(), key, time.Minute); code(err) != "target_under_way" {
		t.Errorf("a second attempt: got %v, want target_under_way", err)
	}
	f.Must(f.Targets.PinFolder(t.Context(), key, "in"))
	f.Must(f.Targets.PinFolder(t.Context(), key, "elsewhere"))
	f.Must(f.Targets.BeginFile(t.Context(), key, "in/Invoice 7.pdf", "aa"))
	f.Must(f.Targets.BeginFile(t.Context(), key, "in/Invoice 7.pdf", "aa"))
	p.State, p.Receipts = platen.PlacementStored, []platen.Receipt{{Kind: "pdf", Key: "in/Invoice 7.pdf", Version: "v1", SHA256: "aa", Bytes: 3, StoredAt: storetest.Now()}}
	f.Must(f.Targets.RecordPlacement(t.Context(), p))
	f.Must(f.Targets.GiveUpPlacement(t.Context(), key, platen.CodeGaveUp, "Late."))
	got := placement(f, w, key)
	if got.State != platen.PlacementStored || got.Folder != "in" || len(got.Hashes) != 1 || len(got.Receipts) != 1 || got.Receipts[0] != p.Receipts[0] || got.StoredAt == nil || got.Code != "" {
		t.Errorf("got %+v, want it stored, and that kept", got)
	}
	if again, _, err := f.Targets.BeginPlacement(t.Context(), key, time.Minute); err != nil || again.State != platen.PlacementStored {
		t.Errorf("an attempt after that: got %+v, %v", again, err)
	}
}

func TestAnOutputIsStoredAgainAndOneFromBeforeTheTarget(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	w, to, key := stored(f)
	f.Must(f.Targets.PinFolder(t.Context(), key, "wrong"))
	f.Must(f.Targets.GiveUpPlacement(t.Context(), key, platen.CodeTargetTaken, "Taken."))
	failed, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, platen.OutputQuery{Placements: []platen.PlacementState{platen.PlacementFailed}})
	f.Must(err)
	automations, err := f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, platen.AutomationQuery{Placements: []platen.PlacementState{platen.PlacementFailed}})
	f.Must(err)
	if len(failed) != 1 || len(automations) != 1 || automations[0].Outputs[0].Placements[0].Code != platen.CodeTargetTaken {
		t.Errorf("failed: got %v and %v", failed, automations)
	}
	f.Must(f.Targets.StoreOutput(t.Context(), w.Owner, w.ID, key.OutputID, to.ID))
	if p := placement(f, w, key); p.State != platen.PlacementPending || p.Known || p.Code != "" {
		t.Errorf("got %+v, want another attempt, and the path worked out again", p)
	}
	second := archive(f, w, "Second")
	f.Must(f.Targets.StoreOutput(t.Context(), w.Owner, w.ID, key.OutputID, second.ID))
	if p := placement(f, w, platen.PlacementKey{OutputID: key.OutputID, TargetID: second.ID}); p.State != platen.PlacementPending || p.TargetName != "Second" {
		t.Errorf("got %+v, want it to wait", p)
	}
	if err := f.Targets.StoreOutput(t.Context(), f.User(nil), w.ID, key.OutputID, to.ID); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("somebody else: got %v", err)
	}
	f.Must(f.Targets.DeleteTarget(t.Context(), w.Owner, w.ID, to.ID, func(platen.Target) error { return nil }))
	if _, _, err := f.Targets.BeginPlacement(t.Context(), key, time.Minute); code(err) != "target_not_found" {
		t.Errorf("a target that was deleted: got %v", err)
	}
	if p := placement(f, w, key); p.TargetName != "Cloud" {
		t.Errorf("got %+v, want what is known of it kept", p)
	}
}

func TestTargetsOfAWorkflowAreBoundedAndHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	w := f.Workflow(f.User(nil))
	first := archive(f, w, "0")
	if _, err := f.Targets.CreateTarget(t.Context(), w.Owner, platen.Target{ID: platen.NewID(platen.PrefixTarget), WorkflowID: w.ID, Name: "0"}); code(err) != "target_name_taken" {
		t.Errorf("a name twice: got %v", err)
	}
	for i := 1; i < platen.MaxTargets; i++ {
		archive(f, w, string(rune('0'+i)))
	}
	if _, err := f.Targets.CreateTarget(t.Context(), w.Owner, platen.Target{ID: platen.NewID(platen.PrefixTarget), WorkflowID: w.ID, Name: "more"}); code(err) != "too_many_targets" {
		t.Errorf("one more: got %v", err)
	}
	changed, err := f.Targets.UpdateTarget(t.Context(), w.Owner, w.ID, first.ID, func(to *platen.Target) error { to.Path = "{{X}}"; return nil })
	if err != nil || changed.Path != "{{X}}" || changed.Secret != "hidden" || !changed.UpdatedAt.After(first.UpdatedAt) {
		t.Errorf("changed: got %+v, %v", changed, err)
	}
	if all, err := f.Targets.Targets(t.Context(), w.Owner, w.ID); err != nil || len(all) != platen.MaxTargets || all[0].ID != first.ID {
		t.Errorf("got %d targets, %v", len(all), err)
	}
}

// What waits keeps the source data; an erasure ends it, and leaves no path.
func TestAnErasureEndsWhatWaitsToBeStored(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	w, _, key := stored(f)
	f.Must(f.Targets.PinFolder(t.Context(), key, "Globex"))
	if _, err := f.Automations.EraseAutomation(t.Context(), w.Owner, w.ID, key.AutomationID); err != nil {
		t.Fatal(err)
	}
	if p := placement(f, w, key); p.State != platen.PlacementFailed || p.Code != platen.CodeDataErased {
		t.Errorf("got %+v, want it given up", p)
	}
	f.Must(f.Targets.RecordPlacement(t.Context(), platen.Placement{PlacementKey: key, State: platen.PlacementStored, Receipts: []platen.Receipt{{Key: "Globex/a"}}}))
	if p := placement(f, w, key); p.State != platen.PlacementFailed || len(p.Receipts) != 0 {
		t.Errorf("an attempt that ended late: got %+v", p)
	}
	f.Must(f.Automations.FinishErasure(t.Context(), platen.Erasure{AutomationID: key.AutomationID}))
	f.Must(f.Targets.PinFolder(t.Context(), key, "Globex"))
	if err := f.Targets.BeginFile(t.Context(), key, "Globex/a", "aa"); code(err) != platen.CodeTargetUnderWay {
		t.Errorf("a file after the erasure: got %v, want %s", err, platen.CodeTargetUnderWay)
	}
	if p := placement(f, w, key); p.Known || len(p.Hashes) != 0 {
		t.Errorf("an attempt under way wrote after the erasure: got %+v", p)
	}
}

// The run of an output may record it while its erasure is asked for.
func TestAnOutputThatIsMadeWhileItIsErasedIsStoredNowhere(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	w, _, key := stored(f)
	if _, err := f.Automations.EraseAutomation(t.Context(), w.Owner, w.ID, key.AutomationID); err != nil {
		t.Fatal(err)
	}
	f.Exec(`UPDATE placements SET state = 'PENDING', code = '' WHERE id = '` + key.ID() + `'`)
	if err := f.Targets.BeginFile(t.Context(), key, "a", "aa"); code(err) != platen.CodeTargetUnderWay {
		t.Errorf("got %v, want %s", err, platen.CodeTargetUnderWay)
	}
	f.Must(f.Automations.FinishErasure(t.Context(), platen.Erasure{AutomationID: key.AutomationID}))
	if p := placement(f, w, key); p.State != platen.PlacementFailed || p.Code != platen.CodeDataErased {
		t.Errorf("got %+v, want it ended with the erasure", p)
	}
}

func TestOutputsOfOnePathAreStoredOneAfterTheOther(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	w, to, first := stored(f)
	p := f.Running(w)
	second := platen.PlacementKey{AutomationID: p.AutomationID, OutputID: p.Documents[0].OutputID, TargetID: to.ID}
	if _, _, err := f.Outputs.RecordOutput(t.Context(), second.OutputID, storetest.Named("Invoice 7.pdf"), storetest.EventFor); err != nil {
		t.Fatal(err)
	}
	f.Must(f.Targets.BeginFile(t.Context(), first, "in/a.pdf", "aa"))
	f.Must(f.Targets.BeginFile(t.Context(), first, "in/a.pdf", "aa"))
	if err := f.Targets.BeginFile(t.Context(), second, "in/a.pdf", "bb"); code(err) != platen.CodeTargetPathBusy || platen.KindOf(err) != platen.KindRateLimited {
		t.Errorf("another output of the path: got %v, want %s", err, platen.CodeTargetPathBusy)
	}
	f.Must(f.Targets.BeginFile(t.Context(), second, "in/b.pdf", "bb"))
	f.Must(f.Targets.RecordPlacement(t.Context(), platen.Placement{PlacementKey: first, State: platen.PlacementStored}))
	f.Must(f.Targets.BeginFile(t.Context(), second, "in/a.pdf", "bb"))
}

// The last try of a day often finds the breaker open; what an attempt failed with has a cure.
func TestWhatIsGivenUpSaysWhyItsLastAttemptFailed(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	w, _, key := stored(f)
	f.Must(f.Targets.RecordPlacement(t.Context(), platen.Placement{PlacementKey: key, State: platen.PlacementPending, Code: platen.CodeTargetFull, Message: "Full."}))
	f.Must(f.Targets.GiveUpPlacement(t.Context(), key, platen.CodeTargetBreaker, "A pause."))
	if p := placement(f, w, key); p.State != platen.PlacementFailed || p.Code != platen.CodeTargetFull || p.Message != "Full." {
		t.Errorf("got %+v, want %s", p, platen.CodeTargetFull)
	}
}

func TestWhatWaitsForATargetSaysUntilWhenAndATestOfItEndsThat(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	w, to, key := stored(f)
	_, at, err := f.Targets.BeginPlacement(t.Context(), key, time.Minute)
	f.Must(err)
	if !at.CheckedAt.Equal(to.CheckedAt) {
		t.Errorf("got a target of %v, want %v", at.CheckedAt, to.CheckedAt)
	}
	f.Must(f.Targets.RecordPlacement(t.Context(), platen.Placement{PlacementKey: key, State: platen.PlacementPending}))
	until := storetest.Now().Add(time.Minute)
	leave := func() bool {
		alone, err := f.Targets.LeaveAlone(t.Context(), key, at.CheckedAt, until, platen.CodeTargetBreaker, "A pause.")
		f.Must(err)
		return alone
	}
	for range 2 {
		if !leave() {
			t.Error("nothing changed, and the target is not left alone")
		}
	}
	if p := placement(f, w, key); p.Code != platen.CodeTargetBreaker || p.Message != "A pause." || p.NextAt == nil || !p.NextAt.Equal(until) {
		t.Errorf("got %+v, want the code and until when", p)
	}
	f.Must(f.Targets.NoteTested(t.Context(), w.Owner, w.ID, to.ID))
	if leave() {
		t.Error("a test succeeded, and the target is left alone")
	}
	f.Must(f.Targets.RecordPlacement(t.Context(), platen.Placement{PlacementKey: key, State: platen.PlacementPending, Code: platen.CodeTargetFull, Message: "Full."}))
	if p := placement(f, w, key); p.NextAt != nil {
		t.Errorf("after an attempt: got %v, want no pause", p.NextAt)
	}
	storetest.WantKind(t, "another's target", f.Targets.NoteTested(t.Context(), f.User(nil), w.ID, to.ID), platen.KindNotFound, "")
}

func TestWhatNobodyTriesToStoreIsResumed(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	_, _, key := stored(f)
	f.Exec(`DELETE FROM errands WHERE id = '` + key.ID() + `'`)
	ids, err := f.Targets.ResumePlacements(t.Context(), 0, 1000)
	f.Must(err)
	found := false
	for _, id := range ids {
		found = found || id == key.ID()
	}
	commands, err := f.Outbox.ClaimCommands(t.Context(), 1000, time.Minute)
	f.Must(err)
	asked := false
	for _, c := range commands {
		asked = asked || c.Kind == platen.CommandStore && c.Placement == key
	}
	if !found || !asked {
		t.Errorf("resumed %v, asked for %v", found, asked)
	}
	if ids, err := f.Targets.ResumePlacements(t.Context(), time.Hour, 1000); err != nil || len(ids) != 0 {
		t.Errorf("what was tried now: got %v, %v", ids, err)
	}
}

// The run of one at a target that is away is started again when others have kept it from a try
// for an hour; its day ends all the same.
func TestWhatIsResumedEndsToo(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	w, _, key := stored(f)
	f.Must(f.Targets.RecordPlacement(t.Context(), platen.Placement{PlacementKey: key, State: platen.PlacementPending, Code: platen.CodeTargetFull, Message: "Full."}))
	f.Exec(`UPDATE placements SET created_at = now() - interval '27 hours', tried_at = now() - interval '2 hours', attempts = 1 WHERE id = '` + key.ID() + `'`)
	if _, err := f.Targets.ResumePlacements(t.Context(), time.Hour, 1000); err != nil {
		t.Fatal(err)
	}
	if p := placement(f, w, key); p.State != platen.PlacementFailed || p.Code != platen.CodeTargetFull {
		t.Errorf("got %+v, want it FAILED", p)
	}
}
