package postgres_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen"
)

// claimPer claims and counts by owner.
func (f *fixture) claimPer(limit int, places platen.Places) map[string]int {
	f.t.Helper()
	claimed, _, err := f.Claim(f.t.Context(), limit, places, time.Minute)
	f.must(err)
	f.must(f.Started(f.t.Context(), claimed))
	per := map[string]int{}
	for _, a := range claimed {
		per[a.OwnerID]++
	}
	return per
}

// park parks an automation for a reason that makes no pause.
func (f *fixture) park(id string) platen.Wait {
	f.t.Helper()
	w, err := f.Park(f.t.Context(), id, 1, platen.Wait{Subject: "out_" + id, Step: "CopyTemplate", Code: platen.CodeStepSlow})
	f.must(err)
	return w
}

// unavailable is what a first try came to.
func unavailable(subject string) platen.Wait {
	return platen.Wait{Subject: subject, Step: "CopyTemplate", Code: "drive_unavailable", Message: "The drive does not answer."}
}

// underWay accepts and starts n events of a workflow.
func (f *fixture) underWay(w platen.Workflow, n int) []string {
	f.t.Helper()
	ids := f.accept(w, n)
	claimed := f.claim(n, 1000)
	if len(claimed) != n {
		f.t.Fatalf("%d claimed, want %d", len(claimed), n)
	}
	f.must(f.Started(f.t.Context(), claimed))
	return ids
}

func TestAParkedRunTakesNoPlace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	waiting := f.underWay(w, 3)
	f.accept(w, 1)
	if got := f.claim(1, 3); len(got) != 0 {
		t.Fatalf("claimed %v beside three open runs, want none", ids(got))
	}
	f.park(waiting[0])
	if got := f.claim(2, 3); len(got) != 1 {
		t.Errorf("claimed %v when one of three runs was parked, want one", ids(got))
	}
	f.must(f.Unpark(t.Context(), waiting[0], "out_"+waiting[0]))
	if open, err := f.CountOpen(t.Context()); err != nil || open != 4 {
		t.Errorf("%d open, %v; want a run that goes on to be open again, 4 in all", open, err)
	}
}

func TestARunIsParkedUntilNothingOfItWaits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.underWay(f.workflow(f.user(nil)), 1)[0]
	for _, subject := range []string{"out_a", "out_b"} {
		_, err := f.Park(t.Context(), id, 1, unavailable(subject))
		f.must(err)
	}
	for _, step := range []struct {
		subject string
		parked  bool
		waits   int
	}{{"out_a", true, 1}, {"out_a", true, 1}, {"out_b", false, 0}} {
		f.must(f.Unpark(t.Context(), id, step.subject))
		a, err := f.Automation(t.Context(), id)
		f.must(err)
		if (a.ParkedAt != nil) != step.parked || len(a.Waits) != step.waits {
			t.Errorf("without %s: parked %v, %d waits; want %t, %d", step.subject, a.ParkedAt, len(a.Waits), step.parked, step.waits)
		}
	}
}

func TestParkingCountsHowOftenAStepFailedAlike(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.underWay(f.workflow(f.user(nil)), 1)[0]
	park := func(code string) platen.Wait {
		t.Helper()
		w := unavailable("out_a")
		w.Code = code
		w, err := f.Park(t.Context(), id, 1, w)
		f.must(err)
		return w
	}
	slow, first := park(platen.CodeStepSlow), park("drive_unavailable")
	again, other := park("drive_unavailable"), park("address_unavailable")
	for i, got := range []struct {
		wait  platen.Wait
		tries int
	}{{slow, 0}, {first, 1}, {again, 2}, {other, 1}} {
		if got.wait.Tries != got.tries {
			t.Errorf("park %d: %d tries, want %d", i, got.wait.Tries, got.tries)
		}
	}
	if !again.Since.Equal(first.Since) || !other.Since.After(again.Since) {
		t.Errorf("since %v, %v, then %v with another code; want the first twice, then a later one", first.Since, again.Since, other.Since)
	}
	a, err := f.Automation(t.Context(), id)
	f.must(err)
	want := []platen.Wait{{Subject: "out_a", Step: "CopyTemplate", Code: "address_unavailable", Message: "The drive does not answer.", Since: other.Since, Tries: 1}}
	if diff := cmp.Diff(want, a.Waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

func TestOnlyTheLatestAttemptIsParked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.underWay(f.workflow(f.user(nil)), 1)[0]
	f.park(id)
	f.must(f.Requeue(t.Context(), id, 1))
	f.park(id)
	a, err := f.Automation(t.Context(), id)
	f.must(err)
	if a.ParkedAt != nil || len(a.Waits) != 0 {
		t.Errorf("parked at %v with %d waits by a step of the attempt before, want neither", a.ParkedAt, len(a.Waits))
	}
	_, err = f.FinishAutomation(t.Context(), id, 2)
	f.must(err)
	if w, err := f.Park(t.Context(), id, 2, unavailable("out_a")); err != nil || w != (platen.Wait{}) {
		t.Errorf("an automation that has ended: got %v, %v; want no wait and no error", w, err)
	}
}

func TestAnOwnerHasThreeQuartersOfThePlaces(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	rich, poor := f.user(nil), f.user(nil)
	f.accept(f.workflow(rich), 20)
	places := platen.PlacesFor(12, 100, 100)
	if per := f.claimPer(12, places); per[rich.ID] != 9 {
		t.Errorf("an owner alone got %d of 12 places, want 9", per[rich.ID])
	}
	f.accept(f.workflow(poor), 20)
	if per := f.claimPer(12, places); per[poor.ID] != 1 || per[rich.ID] != 0 {
		t.Errorf("the other three gave %v, want one, for the owner who had none", per)
	}
}

func TestPlacesAreLeftForOwnersWithoutTrouble(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	places := platen.PlacesFor(8, 100, 100)
	var troubled []string
	for range 8 {
		owner := f.user(nil)
		w := f.workflow(owner)
		f.park(f.underWay(w, 1)[0])
		f.accept(w, 10)
		troubled = append(troubled, owner.ID)
	}
	per := f.claimPer(8, places)
	sum := 0
	for _, id := range troubled {
		sum += per[id]
	}
	if sum != 6 {
		t.Errorf("owners whose runs wait got %d of 8 places, want three quarters", sum)
	}
	fine := f.user(nil)
	f.accept(f.workflow(fine), 1)
	if per := f.claimPer(8, places); per[fine.ID] != 1 {
		t.Errorf("got %v, want a place for the owner without trouble", per)
	}
}

func TestAnOwnerWithTooManyParkedRunsWaitsAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	stuck, fine := f.user(nil), f.user(nil)
	w := f.workflow(stuck)
	for _, id := range f.underWay(w, 4) {
		f.park(id)
	}
	f.accept(w, 10)
	f.accept(f.workflow(fine), 10)
	places := platen.Places{Open: 8, OwnerOpen: 6, Parked: 100, OwnerParked: 4}
	if per := f.claimPer(8, places); per[stuck.ID] != 0 || per[fine.ID] != 6 {
		t.Errorf("got %d for the owner with 4 parked runs and %d for the other; want 0 and 6", per[stuck.ID], per[fine.ID])
	}
	places.OwnerParked = 6
	if per := f.claimPer(8, places); per[stuck.ID] != 0 {
		t.Errorf("got %d for the owner beside six open runs; want none of the places that are left", per[stuck.ID])
	}
	places.Open, places.OwnerOpen = 20, 15
	if per := f.claimPer(20, places); per[stuck.ID] != 2 {
		t.Errorf("got %d for the owner with 4 of 6, want 2", per[stuck.ID])
	}
}

func TestOwnersShareWhatMayBeParkedInAll(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	many, few, fine := f.user(nil), f.user(nil), f.user(nil)
	workflows := map[string]platen.Workflow{}
	for owner, parked := range map[*platen.User]int{&many: 6, &few: 2} {
		w := f.workflow(*owner)
		for _, id := range f.underWay(w, parked) {
			f.park(id)
		}
		workflows[owner.ID] = w
	}
	for _, w := range workflows {
		f.accept(w, 5)
	}
	f.accept(f.workflow(fine), 5)
	per := f.claimPer(20, platen.Places{Open: 40, OwnerOpen: 30, Parked: 8, OwnerParked: 100})
	if per[many.ID] != 0 || per[few.ID] != 5 || per[fine.ID] != 5 {
		t.Errorf("8 of 8 are parked: got %d, %d and %d for owners with 6, 2 and none; want 0, 5 and 5", per[many.ID], per[few.ID], per[fine.ID])
	}
}

func TestOwnersWaitAMomentAfterARunOfTheirsFailed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	failing, slow := f.user(nil), f.user(nil)
	paused := func(w platen.Workflow, park func(id string)) bool {
		for _, id := range f.underWay(w, 3) {
			park(id)
		}
		return f.count(`SELECT count(*) FROM turns WHERE owner_id = '`+w.Owner.ID+`' AND paused_until IS NOT NULL`) > 0
	}
	fails := func(id string) {
		_, err := f.Park(t.Context(), id, 1, unavailable("out_"+id))
		f.must(err)
	}
	w := f.workflow(failing)
	if !paused(w, fails) {
		t.Error("nothing keeps an owner from starting the next run when three have failed")
	}
	if paused(f.workflow(slow), func(id string) { f.park(id) }) {
		t.Error("an owner whose runs are slow has to wait")
	}
	f.accept(w, 1)
	f.exec(`UPDATE turns SET paused_until = now() + interval '1 hour'`)
	if got := f.claim(1, 100); len(got) != 0 {
		t.Errorf("claimed %v in the pause, want nothing", ids(got))
	}
	f.exec(`UPDATE turns SET paused_until = now()`)
	if got := f.claim(1, 100); len(got) != 1 {
		t.Errorf("claimed %v after the pause, want one", ids(got))
	}
}

func TestARunThatGoesOnFailingPausesNobody(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.workflow(f.user(nil))
	for _, id := range f.underWay(w, 3) {
		f.park(id)
	}
	id := f.underWay(w, 1)[0]
	fail := func() {
		_, err := f.Park(t.Context(), id, 1, unavailable("out_a"))
		f.must(err)
	}
	fail()
	f.exec(`UPDATE turns SET paused_until = NULL`)
	fail()
	if n := f.count(`SELECT count(*) FROM turns WHERE paused_until IS NOT NULL`); n != 0 {
		t.Error("the second failure of a parked run pauses its owner; want the first alone to")
	}
}
