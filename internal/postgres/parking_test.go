package postgres_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
)

// noPause ends the pauses of all workflows.
func (f *harness) noPause() {
	f.t.Helper()
	f.exec(`UPDATE workflow_turns SET paused_until = NULL, alone_until = NULL`)
}

// claimPer claims without regard of pauses and counts by owner.
func (f *harness) claimPer(limit int, places platen.Places) map[string]int {
	f.t.Helper()
	f.noPause()
	claimed, _, err := f.Queue.Claim(f.t.Context(), limit, claimer(places), time.Minute)
	f.must(err)
	f.must(f.Queue.MarkStarted(f.t.Context(), claimed))
	per := map[string]int{}
	for _, a := range claimed {
		per[a.OwnerID]++
	}
	return per
}

// park parks an automation.
func (f *harness) park(id string) platen.Wait {
	f.t.Helper()
	w, err := f.Parking.Park(f.t.Context(), id, 1, platen.Wait{Subject: "out_" + id, Step: "CopyTemplate", Code: platen.CodeStepSlow})
	f.must(err)
	return w
}

// isUnavailable is what a first try came to.
func isUnavailable(subject string) platen.Wait {
	return platen.Wait{Subject: subject, Step: "CopyTemplate", Code: "drive_unavailable", Message: "The drive does not answer."}
}

// underWay accepts and starts n events of a workflow.
func (f *harness) underWay(w platen.Workflow, n int) []string {
	f.t.Helper()
	ids := f.accept(w, n)
	claimed := f.claim(n, 1000)
	if len(claimed) != n {
		f.t.Fatalf("%d claimed, want %d", len(claimed), n)
	}
	f.must(f.Queue.MarkStarted(f.t.Context(), claimed))
	return ids
}

func TestAParkedRunTakesNoPlace(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	waiting := f.underWay(w, 3)
	f.accept(w, 1)
	if got := f.claim(1, 3); len(got) != 0 {
		t.Fatalf("claimed %v beside three open runs, want none", ids(got))
	}
	f.park(waiting[0])
	f.noPause()
	if got := f.claim(2, 3); len(got) != 1 {
		t.Errorf("claimed %v when one of three runs was parked, want one", ids(got))
	}
	f.must(f.Parking.Unpark(t.Context(), waiting[0], "out_"+waiting[0]))
	if open := f.open(); open != 4 {
		t.Errorf("%d open; want a run that goes on to be open again, 4 in all", open)
	}
}

// A run may be parked before it is known that it was started, and be lost then.
func TestAnAutomationThatWaitsAgainIsNotKeptWaitingByItself(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ids := f.accept(f.workflow(f.user(nil)), 1)
	by := claimer(platen.Places{Open: 4, OwnerOpen: 3, Parked: 10, OwnerParked: 1})
	if _, _, err := f.Queue.Claim(t.Context(), 1, by, time.Minute); err != nil {
		t.Fatal(err)
	}
	f.park(ids[0])
	f.exec(`UPDATE automations SET leased_until = now() - interval '1 second'`)
	f.noPause()
	got, _, err := f.Queue.Claim(t.Context(), 1, by, time.Minute)
	f.must(err)
	if len(got) != 1 || got[0].ID != ids[0] {
		t.Errorf("claimed %v when the lease of a parked automation was over, want it", got)
	}
}

func TestARunIsParkedUntilNothingOfItWaits(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.underWay(f.workflow(f.user(nil)), 1)[0]
	for _, subject := range []string{"out_a", "out_b"} {
		_, err := f.Parking.Park(t.Context(), id, 1, isUnavailable(subject))
		f.must(err)
	}
	for _, step := range []struct {
		subject string
		parked  bool
		waits   int
	}{{"out_a", true, 1}, {"out_a", true, 1}, {"out_b", false, 0}} {
		f.must(f.Parking.Unpark(t.Context(), id, step.subject))
		a, err := f.Automations.Automation(t.Context(), id)
		f.must(err)
		if (a.ParkedAt != nil) != step.parked || len(a.Waits) != step.waits {
			t.Errorf("without %s: parked %v, %d waits; want %t, %d", step.subject, a.ParkedAt, len(a.Waits), step.parked, step.waits)
		}
	}
}

func TestParkingCountsHowOftenAStepFailedAlike(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.underWay(f.workflow(f.user(nil)), 1)[0]
	park := func(code string) platen.Wait {
		t.Helper()
		w := isUnavailable("out_a")
		w.Code = code
		w, err := f.Parking.Park(t.Context(), id, 1, w)
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
	a, err := f.Automations.Automation(t.Context(), id)
	f.must(err)
	want := []platen.Wait{{Subject: "out_a", Step: "CopyTemplate", Code: "address_unavailable", Message: "The drive does not answer.", Since: other.Since, Tries: 1}}
	if diff := cmp.Diff(want, a.Waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// What a quota leaves is given out in turns; a pause would keep what is left from
// being used.
func TestAStepThatWaitsForAQuotaHasNotFailed(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	id := f.underWay(w, 1)[0]
	for range 2 {
		wait := isUnavailable("out_a")
		wait.Code = platen.CodeQuotaUsedUp
		got, err := f.Parking.Park(t.Context(), id, 1, wait)
		f.must(err)
		if got.Tries != 0 || got.Since.IsZero() {
			t.Errorf("got %d tries since %v, want none, and since when it waits", got.Tries, got.Since)
		}
	}
	a, err := f.Automations.Automation(t.Context(), id)
	f.must(err)
	if a.ParkedAt == nil || len(a.Waits) != 1 {
		t.Errorf("got parked %v with %d waits, want it parked with one", a.ParkedAt, len(a.Waits))
	}
	if got := f.underWay(w, 1); len(got) != 1 {
		t.Errorf("got %d started while the owner's other run waits, want one at once", len(got))
	}
}

func TestOnlyTheLatestAttemptIsParked(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.underWay(f.workflow(f.user(nil)), 1)[0]
	f.park(id)
	f.must(f.Queue.Requeue(t.Context(), id, 1))
	f.park(id)
	a, err := f.Automations.Automation(t.Context(), id)
	f.must(err)
	if a.ParkedAt != nil || len(a.Waits) != 0 {
		t.Errorf("parked at %v with %d waits by a step of the attempt before, want neither", a.ParkedAt, len(a.Waits))
	}
	_, err = f.Automations.FailAutomation(t.Context(), id, 2, "c", "m")
	f.must(err)
	if w, err := f.Parking.Park(t.Context(), id, 2, isUnavailable("out_a")); err != nil || w != (platen.Wait{}) {
		t.Errorf("an automation that has ended: got %v, %v; want no wait and no error", w, err)
	}
}

func TestAnOwnerHasThreeQuartersOfThePlaces(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
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
	f := newHarness(t)
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
	f := newHarness(t)
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
	f := newHarness(t)
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

// pausedFor is how long a workflow's next run waits to start, and how long its
// runs then start one at a time; as it was when the pause began, 0 without one.
func (f *harness) pausedFor(w platen.Workflow) (pause, alone time.Duration) {
	f.t.Helper()
	err := f.pool.QueryRow(f.t.Context(), `
		SELECT coalesce(max(paused_until - served_at), '0'), coalesce(max(alone_until - paused_until), '0')
		FROM workflow_turns
		WHERE workflow_id = $1 AND served = 0`, w.ID).Scan(&pause, &alone)
	f.must(err)
	return pause, alone
}

func TestEachStepThatBeginsToFailMakesItsWorkflowsNextRunWaitLonger(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	fail := func(id string) {
		_, err := f.Parking.Park(t.Context(), id, 1, isUnavailable("out_"+id))
		f.must(err)
	}
	for i, id := range f.underWay(w, 4) {
		f.exec(`DELETE FROM workflow_turns`)
		f.park(id)
		if pause, _ := f.pausedFor(w); pause != 0 {
			t.Errorf("run %d is slow: a pause of %v, want none", i, pause)
		}
		fail(id)
		pause, alone := f.pausedFor(w)
		if want := time.Duration(i+1) * 400 * time.Millisecond; pause < want || pause > want+time.Minute {
			t.Errorf("run %d: a pause of %v, want %v", i, pause, want)
		}
		if want := time.Duration(i+1) * 200 * time.Millisecond; alone.Round(time.Millisecond) != want {
			t.Errorf("run %d: one at a time for %v, want %v", i, alone, want)
		}
		f.exec(`DELETE FROM workflow_turns`)
		fail(id)
		if pause, _ := f.pausedFor(w); pause != 0 {
			t.Errorf("run %d goes on failing: a pause of %v, want none", i, pause)
		}
	}
}

func TestRunsThatFailMakeTheirWorkflowsNextOneWait(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	for i, id := range f.underWay(w, 3) {
		f.exec(`DELETE FROM workflow_turns`)
		_, err := f.Automations.FailAutomation(t.Context(), id, 1, "drive_file_not_found", "There is no such file.")
		f.must(err)
		pause, _ := f.pausedFor(w)
		if want := time.Duration(i+1) * 50 * time.Millisecond; pause < want || pause > want+time.Minute {
			t.Errorf("failure %d: a pause of %v, want %v", i, pause, want)
		}
	}
}

func TestAWorkflowInAPauseStartsNothingAndThenOneAtATime(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	f.must(f.Queue.MarkStarted(t.Context(), firsts(f.accept(w, 1)[0])))
	f.accept(w, 5)
	paused := func(pause, alone string) {
		f.exec(`DELETE FROM workflow_turns`)
		f.exec(`INSERT INTO workflow_turns (workflow_id, served_at, served, paused_until, alone_until)
			VALUES ('` + w.ID + `', now(), 1000, now() + interval '` + pause + `', now() + interval '` + alone + `')`)
	}
	paused("1 hour", "2 hours")
	if got := f.claim(9, 100); len(got) != 0 {
		t.Errorf("claimed %v in the pause, want nothing", ids(got))
	}
	paused("-1 second", "1 hour")
	if got := f.claim(9, 100); len(got) != 0 {
		t.Errorf("claimed %v beside an open run, want none", ids(got))
	}
	f.exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE state = 'RUNNING'`)
	if got := f.claim(9, 100); len(got) != 1 {
		t.Errorf("claimed %v when no run is open, want one", ids(got))
	}
	paused("-2 seconds", "-1 second")
	if got := f.claim(9, 100); len(got) != 4 {
		t.Errorf("claimed %v after that, want the four others", ids(got))
	}
}

func TestAnOwnerWhoComesAfterARestStartsSlowly(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	f.rested()
	f.accept(w, 30)
	for i, want := range []int{1, 2, 6} {
		claimed, _, err := f.Queue.Claim(t.Context(), 30, anyOwner(100), time.Minute)
		f.must(err)
		if len(claimed) != want {
			t.Fatalf("claim %d: got %d, want %d", i, len(claimed), want)
		}
		if again := f.claim(30, 100); len(again) != 0 {
			t.Fatalf("claim %d: got %d more beside them, want none", i, len(again))
		}
		f.must(f.Queue.MarkStarted(t.Context(), claimed))
		f.exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE state = 'RUNNING'`)
	}
}

func TestRunsThatWaitDoNotLetTheirOwnerStartMore(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	f.rested()
	f.accept(w, 10)
	for i := range 4 {
		claimed := f.claim(10, 100)
		if len(claimed) != 1 {
			t.Fatalf("claim %d: got %d, want one", i, len(claimed))
		}
		f.must(f.Queue.MarkStarted(t.Context(), claimed))
		f.park(claimed[0].ID)
		f.noPause()
	}
}

func TestARunThatNeverEndsHoldsOnePlaceAndNotItsOwner(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	f.underWay(w, 1)
	f.rested()
	f.accept(w, 10)
	for i, want := range []int{1, 2} {
		claimed := f.claim(10, 100)
		if len(claimed) != want {
			t.Fatalf("claim %d beside a run that never ends: got %d, want %d", i, len(claimed), want)
		}
		f.must(f.Queue.MarkStarted(t.Context(), claimed))
		for _, a := range claimed {
			f.exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE id = '` + a.ID + `'`)
		}
	}
}

func TestAnOwnerWithAParkedRunHasTurnsBesideOthersWhoAlwaysWait(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	troubled, busy := f.user(nil), f.user(nil)
	w := f.workflow(troubled)
	f.park(f.underWay(w, 1)[0])
	f.accept(w, 1)
	f.accept(f.workflow(busy), 20)
	f.exec(`UPDATE turns SET served_at = now() - interval '20 seconds' WHERE owner_id = '` + troubled.ID + `'`)
	f.exec(`UPDATE turns SET served_at = now() - interval '10 seconds' WHERE owner_id = '` + busy.ID + `'`)
	claimed := f.claim(1, 100)
	if len(claimed) != 1 || claimed[0].OwnerID != troubled.ID {
		t.Errorf("claimed %v, want one of the owner who waits for longer", ids(claimed))
	}
}

func TestAWaitSaysUntilWhenItsStepIsTried(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.underWay(f.workflow(f.user(nil)), 1)[0]
	park := func(code string, patience time.Duration, until time.Time) platen.Wait {
		t.Helper()
		w, err := f.Parking.Park(t.Context(), id, 1, platen.Wait{Subject: "out_a", Step: "FillTags", Code: code, Patience: patience, Until: until})
		if err != nil {
			t.Fatal(err)
		}
		a, err := f.Automations.Automation(t.Context(), id)
		if err != nil || len(a.Waits) != 1 || !a.Waits[0].Until.Equal(w.Until) {
			t.Fatalf("kept %+v, %v; want until %v", a.Waits, err, w.Until)
		}
		return w
	}
	late := time.Now().Add(24 * time.Hour).Truncate(time.Microsecond)
	if w := park("address_unavailable", 0, time.Time{}); !w.Until.IsZero() {
		t.Errorf("the first try: got until %v, want that nobody knows", w.Until)
	}
	first := park("address_unavailable", time.Hour, late)
	if got := first.Until.Sub(first.Since); got != time.Hour {
		t.Errorf("got %v after it began to fail, want an hour", got)
	}
	if w := park("address_unavailable", time.Hour, late); !w.Until.Equal(first.Until) {
		t.Errorf("the next try: got until %v, want %v as before", w.Until, first.Until)
	}
	if w := park("drive_unavailable", 25*time.Hour, late); !w.Until.Equal(late) {
		t.Errorf("got until %v, want no later than %v", w.Until, late)
	}
}
