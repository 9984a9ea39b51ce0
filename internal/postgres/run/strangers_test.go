package run_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// claimPerWorkflow claims and counts by workflow.
func (f *harness) claimPerWorkflow(limit int, places platen.Places) map[string]int {
	f.T.Helper()
	claimed, _, err := f.Queue.Claim(f.T.Context(), limit, storetest.Claimer(places), time.Minute)
	f.Must(err)
	f.Must(f.Queue.MarkStarted(f.T.Context(), claimed))
	per := map[string]int{}
	for _, a := range claimed {
		per[a.WorkflowID]++
	}
	return per
}

// two returns two workflows of one owner.
func (f *harness) two() (a, b platen.Workflow) {
	f.T.Helper()
	owner := f.User(nil)
	return f.Workflow(owner), f.Workflow(owner)
}

func TestWorkflowsOfOneOwnerTakeTurns(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	many, few := f.two()
	f.Accept(many, 40)
	f.Accept(few, 5)
	if per := f.claimPerWorkflow(10, platen.PlacesFor(100, 100, 100)); per[many.ID] != 5 || per[few.ID] != 5 {
		t.Errorf("10 claims gave %v, want 5 of each workflow", per)
	}
	late := f.Workflow(many.Owner)
	f.Accept(late, 3)
	if per := f.claimPerWorkflow(3, platen.PlacesFor(100, 100, 100)); per[late.ID] != 3 {
		t.Errorf("3 claims gave %v, want those of the workflow that had none open", per)
	}
}

func TestAnOwnerWithFiftyWorkflowsHasTheShareOfOneWithOne(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	rich, poor := f.User(nil), f.User(nil)
	for range 50 {
		f.Accept(f.Workflow(rich), 2)
	}
	f.Accept(f.Workflow(poor), 50)
	if per := f.claimPer(20, platen.PlacesFor(100, 100, 100)); per[rich.ID] != 10 || per[poor.ID] != 10 {
		t.Errorf("20 claims gave %d to the owner with fifty workflows and %d to the one with one, want 10 each", per[rich.ID], per[poor.ID])
	}
}

func TestAStepThatBeginsToFailMakesNoOtherWorkflowWait(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	dead, well := f.two()
	for _, id := range f.UnderWay(dead, 3) {
		_, err := f.Parking.Park(t.Context(), id, 1, storetest.IsUnavailable("out_"+id))
		f.Must(err)
	}
	f.Accept(dead, 5)
	f.Accept(well, 4)
	if per := f.claimPerWorkflow(9, platen.PlacesFor(100, 100, 100)); per[dead.ID] != 0 || per[well.ID] != 4 {
		t.Errorf("got %d of the workflow in trouble and %d of the other, want 0 and all 4", per[dead.ID], per[well.ID])
	}
}

func TestRunsThatFailMakeNoOtherWorkflowWait(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	failing, well := f.two()
	for _, id := range f.UnderWay(failing, 21) {
		_, err := f.Automations.FailAutomation(t.Context(), id, 1, "tag_without_value", "There is no value.")
		f.Must(err)
	}
	f.Accept(failing, 5)
	f.Accept(well, 4)
	if per := f.claimPerWorkflow(9, platen.PlacesFor(100, 100, 100)); per[failing.ID] != 0 || per[well.ID] != 4 {
		t.Errorf("got %d of the workflow whose runs fail and %d of the other, want 0 and all 4", per[failing.ID], per[well.ID])
	}
}

func TestParkedRunsOfOneWorkflowKeepNoOtherFromStarting(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	places := platen.Places{Open: 8, OwnerOpen: 6, Parked: 100, OwnerParked: 4}
	dead, well := f.two()
	for _, id := range f.UnderWay(dead, 4) {
		f.Park(id)
	}
	f.Accept(dead, 5)
	f.Accept(well, 6)
	f.noPause()
	if per := f.claimPerWorkflow(8, places); per[dead.ID] != 0 || per[well.ID] != 6 {
		t.Errorf("got %d of the workflow that has as many parked as its owner may and %d of the other, want 0 and all the owner's 6 places", per[dead.ID], per[well.ID])
	}
}

// Past what an owner may have parked, each of its workflows that has some has the same
// part of it, one at least.
func TestWorkflowsShareWhatTheirOwnerMayHaveParked(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	places := platen.Places{Open: 40, OwnerOpen: 30, Parked: 100, OwnerParked: 8}
	many, few := f.two()
	for w, parked := range map[*platen.Workflow]int{&many: 6, &few: 2} {
		for _, id := range f.UnderWay(*w, parked) {
			f.Park(id)
		}
	}
	f.Accept(many, 5)
	f.Accept(few, 5)
	f.noPause()
	if per := f.claimPerWorkflow(20, places); per[many.ID] != 0 || per[few.ID] != 2 {
		t.Errorf("8 of 8 are parked: got %d and %d for workflows with 6 and 2, want 0, and 2 up to the half", per[many.ID], per[few.ID])
	}
}

// In all, owners with parked runs share what may be parked; a workflow without goes on.
func TestAWorkflowWithoutParkedRunsGoesOnThoughItsOwnersShareIsUsedUp(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	places := platen.Places{Open: 40, OwnerOpen: 30, Parked: 4, OwnerParked: 100}
	dead, well := f.two()
	for _, id := range f.UnderWay(dead, 4) {
		f.Park(id)
	}
	f.Accept(dead, 5)
	f.Accept(well, 5)
	f.noPause()
	if per := f.claimPerWorkflow(20, places); per[dead.ID] != 0 || per[well.ID] != 5 {
		t.Errorf("got %d of the workflow with all that may be parked and %d of the other, want 0 and 5", per[dead.ID], per[well.ID])
	}
}

func TestAWorkflowThatNothingIsKnownOfDoesNotWaitForTheFirstRunOfAnother(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	slow, other := f.two()
	f.Rested()
	f.Accept(slow, 10)
	places := platen.PlacesFor(100, 100, 100)
	if per := f.claimPerWorkflow(20, places); per[slow.ID] != 1 {
		t.Fatalf("got %d after a rest, want one", per[slow.ID])
	}
	f.Accept(other, 10)
	if per := f.claimPerWorkflow(20, places); per[slow.ID] != 0 || per[other.ID] != 1 {
		t.Errorf("got %d of the workflow with an open run and %d of the other, want 0 and its first", per[slow.ID], per[other.ID])
	}
}

// Four of them begin at once, however many workflows an owner has.
func TestAnOwnerWithManyWorkflowsStartsSlowlyToo(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	for range 30 {
		f.Accept(f.Workflow(owner), 1)
	}
	f.Rested()
	for i, want := range []int{4, 8, 18} {
		claimed := f.Claim(30, 100)
		if len(claimed) != want {
			t.Fatalf("claim %d: got %d, want %d", i, len(claimed), want)
		}
		f.Must(f.Queue.MarkStarted(t.Context(), claimed))
		f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE state = 'RUNNING'`)
	}
}

func TestOneWorkflowLeavesPlacesToTheOthersThatItsOwnerUses(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	busy, other := f.two()
	f.Accept(busy, 20)
	places := platen.PlacesFor(16, 100, 100)
	if per := f.claimPerWorkflow(16, places); per[busy.ID] != 12 {
		t.Errorf("a workflow alone got %d of its owner's 12 places, want all", per[busy.ID])
	}
	f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE state = 'RUNNING'`)
	f.Accept(other, 1)
	f.claimPerWorkflow(1, places)
	f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE state = 'RUNNING'`)
	f.Accept(busy, 20)
	if per := f.claimPerWorkflow(16, places); per[busy.ID] != 9 {
		t.Errorf("beside another that has just started one it got %d, want three quarters of the 12", per[busy.ID])
	}
}
