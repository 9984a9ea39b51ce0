package run_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// noPause ends the pauses of all workflows.
func (f *harness) noPause() {
	f.T.Helper()
	f.Exec(`UPDATE workflow_turns SET paused_until = NULL, alone_until = NULL`)
}

// claimPer claims without regard of pauses and counts by owner.
func (f *harness) claimPer(limit int, places platen.Places) map[string]int {
	f.T.Helper()
	f.noPause()
	claimed, _, err := f.Queue.Claim(f.T.Context(), limit, storetest.Claimer(places), time.Minute)
	f.Must(err)
	f.Must(f.Queue.MarkStarted(f.T.Context(), claimed))
	per := map[string]int{}
	for _, a := range claimed {
		per[a.OwnerID]++
	}
	return per
}

func TestAParkedRunTakesNoPlace(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	waiting := f.UnderWay(w, 3)
	f.Accept(w, 1)
	if got := f.Claim(1, 3); len(got) != 0 {
		t.Fatalf("claimed %v beside three open runs, want none", storetest.IDs(got))
	}
	f.Park(waiting[0])
	f.noPause()
	if got := f.Claim(2, 3); len(got) != 1 {
		t.Errorf("claimed %v when one of three runs was parked, want one", storetest.IDs(got))
	}
	f.Must(f.Parking.Unpark(t.Context(), waiting[0], "out_"+waiting[0]))
	if open := f.Open(); open != 4 {
		t.Errorf("%d open; want a run that goes on to be open again, 4 in all", open)
	}
}

// A run may be parked before it is known that it was started, and be lost then.
func TestAnAutomationThatWaitsAgainIsNotKeptWaitingByItself(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ids := f.Accept(f.Workflow(f.User(nil)), 1)
	by := storetest.Claimer(platen.Places{Open: 4, OwnerOpen: 3, Parked: 10, OwnerParked: 1})
	if _, _, err := f.Queue.Claim(t.Context(), 1, by, time.Minute); err != nil {
		t.Fatal(err)
	}
	f.Park(ids[0])
	f.Exec(`UPDATE automations SET leased_until = now() - interval '1 second'`)
	f.noPause()
	got, _, err := f.Queue.Claim(t.Context(), 1, by, time.Minute)
	f.Must(err)
	if len(got) != 1 || got[0].ID != ids[0] {
		t.Errorf("claimed %v when the lease of a parked automation was over, want it", got)
	}
}

func TestARunIsParkedUntilNothingOfItWaits(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.UnderWay(f.Workflow(f.User(nil)), 1)[0]
	for _, subject := range []string{"out_a", "out_b"} {
		_, err := f.Parking.Park(t.Context(), id, 1, storetest.IsUnavailable(subject))
		f.Must(err)
	}
	for _, step := range []struct {
		subject string
		parked  bool
		waits   int
	}{{"out_a", true, 1}, {"out_a", true, 1}, {"out_b", false, 0}} {
		f.Must(f.Parking.Unpark(t.Context(), id, step.subject))
		a := f.stored(id)
		if (a.ParkedAt != nil) != step.parked || len(a.Waits) != step.waits {
			t.Errorf("without %s: parked %v, %d waits; want %t, %d", step.subject, a.ParkedAt, len(a.Waits), step.parked, step.waits)
		}
	}
}

func TestParkingCountsHowOftenAStepFailedAlike(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.UnderWay(f.Workflow(f.User(nil)), 1)[0]
	park := func(code string) platen.Wait {
		t.Helper()
		w := storetest.IsUnavailable("out_a")
		w.Code = code
		w, err := f.Parking.Park(t.Context(), id, 1, w)
		f.Must(err)
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
	a := f.stored(id)
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
	w := f.Workflow(f.User(nil))
	id := f.UnderWay(w, 1)[0]
	for range 2 {
		wait := storetest.IsUnavailable("out_a")
		wait.Code = platen.CodeQuotaUsedUp
		got, err := f.Parking.Park(t.Context(), id, 1, wait)
		f.Must(err)
		if got.Tries != 0 || got.Since.IsZero() {
			t.Errorf("got %d tries since %v, want none, and since when it waits", got.Tries, got.Since)
		}
	}
	a := f.stored(id)
	if a.ParkedAt == nil || len(a.Waits) != 1 {
		t.Errorf("got parked %v with %d waits, want it parked with one", a.ParkedAt, len(a.Waits))
	}
	if got := f.UnderWay(w, 1); len(got) != 1 {
		t.Errorf("got %d started while the owner's other run waits, want one at once", len(got))
	}
}

func TestOnlyTheLatestAttemptIsParked(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.UnderWay(f.Workflow(f.User(nil)), 1)[0]
	f.Park(id)
	f.Must(f.Queue.Requeue(t.Context(), id, 1))
	f.Park(id)
	a := f.stored(id)
	if a.ParkedAt != nil || len(a.Waits) != 0 {
		t.Errorf("parked at %v with %d waits by a step of the attempt before, want neither", a.ParkedAt, len(a.Waits))
	}
	_, err := f.Automations.FailAutomation(t.Context(), id, 2, "c", "m")
	f.Must(err)
	if w, err := f.Parking.Park(t.Context(), id, 2, storetest.IsUnavailable("out_a")); err != nil || w != (platen.Wait{}) {
		t.Errorf("an automation that has ended: got %v, %v; want no wait and no error", w, err)
	}
}

func TestAnOwnerHasThreeQuartersOfThePlaces(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	rich, poor := f.User(nil), f.User(nil)
	f.Accept(f.Workflow(rich), 20)
	places := platen.PlacesFor(12, 100, 100)
	if per := f.claimPer(12, places); per[rich.ID] != 9 {
		t.Errorf("an owner alone got %d of 12 places, want 9", per[rich.ID])
	}
	f.Accept(f.Workflow(poor), 20)
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
		owner := f.User(nil)
		w := f.Workflow(owner)
		f.Park(f.UnderWay(w, 1)[0])
		f.Accept(w, 10)
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
	fine := f.User(nil)
	f.Accept(f.Workflow(fine), 1)
	if per := f.claimPer(8, places); per[fine.ID] != 1 {
		t.Errorf("got %v, want a place for the owner without trouble", per)
	}
}

func TestAnOwnerWithTooManyParkedRunsWaitsAlone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	stuck, fine := f.User(nil), f.User(nil)
	w := f.Workflow(stuck)
	for _, id := range f.UnderWay(w, 4) {
		f.Park(id)
	}
	f.Accept(w, 10)
	f.Accept(f.Workflow(fine), 10)
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
	many, few, fine := f.User(nil), f.User(nil), f.User(nil)
	workflows := map[string]platen.Workflow{}
	for owner, parked := range map[*platen.User]int{&many: 6, &few: 2} {
		w := f.Workflow(*owner)
		for _, id := range f.UnderWay(w, parked) {
			f.Park(id)
		}
		workflows[owner.ID] = w
	}
	for _, w := range workflows {
		f.Accept(w, 5)
	}
	f.Accept(f.Workflow(fine), 5)
	per := f.claimPer(20, platen.Places{Open: 40, OwnerOpen: 30, Parked: 8, OwnerParked: 100})
	if per[many.ID] != 0 || per[few.ID] != 5 || per[fine.ID] != 5 {
		t.Errorf("8 of 8 are parked: got %d, %d and %d for owners with 6, 2 and none; want 0, 5 and 5", per[many.ID], per[few.ID], per[fine.ID])
	}
}

// pausedFor is how long a workflow's next run waits to start, and how long its
// runs then start one at a time; as it was when the pause began, 0 without one.
func (f *harness) pausedFor(w platen.Workflow) (pause, alone time.Duration) {
	f.T.Helper()
	err := f.Owner.QueryRow(f.T.Context(), `
		SELECT coalesce(max(paused_until - served_at), '0'), coalesce(max(alone_until - paused_until), '0')
		FROM workflow_turns
		WHERE workflow_id = $1 AND served = 0`, w.ID).Scan(&pause, &alone)
	f.Must(err)
	return pause, alone
}

func TestEachStepThatBeginsToFailMakesItsWorkflowsNextRunWaitLonger(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	fail := func(id string) {
		_, err := f.Parking.Park(t.Context(), id, 1, storetest.IsUnavailable("out_"+id))
		f.Must(err)
	}
	for i, id := range f.UnderWay(w, 4) {
		f.Exec(`DELETE FROM workflow_turns`)
		f.Park(id)
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
		f.Exec(`DELETE FROM workflow_turns`)
		fail(id)
		if pause, _ := f.pausedFor(w); pause != 0 {
			t.Errorf("run %d goes on failing: a pause of %v, want none", i, pause)
		}
	}
}

func TestRunsThatFailMakeTheirWorkflowsNextOneWait(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	for i, id := range f.UnderWay(w, 3) {
		f.Exec(`DELETE FROM workflow_turns`)
		_, err := f.Automations.FailAutomation(t.Context(), id, 1, "drive_file_not_found", "There is no such file.")
		f.Must(err)
		pause, _ := f.pausedFor(w)
		if want := time.Duration(i+1) * 50 * time.Millisecond; pause < want || pause > want+time.Minute {
			t.Errorf("failure %d: a pause of %v, want %v", i, pause, want)
		}
	}
}

func TestAWorkflowInAPauseStartsNothingAndThenOneAtATime(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.Must(f.Queue.MarkStarted(t.Context(), storetest.Firsts(f.Accept(w, 1)[0])))
	f.Accept(w, 5)
	paused := func(pause, alone string) {
		f.Exec(`DELETE FROM workflow_turns`)
		f.Exec(`INSERT INTO workflow_turns (workflow_id, served_at, served, paused_until, alone_until)
			VALUES ('` + w.ID + `', now(), 1000, now() + interval '` + pause + `', now() + interval '` + alone + `')`)
	}
	paused("1 hour", "2 hours")
	if got := f.Claim(9, 100); len(got) != 0 {
		t.Errorf("claimed %v in the pause, want nothing", storetest.IDs(got))
	}
	paused("-1 second", "1 hour")
	if got := f.Claim(9, 100); len(got) != 0 {
		t.Errorf("claimed %v beside an open run, want none", storetest.IDs(got))
	}
	f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE state = 'RUNNING'`)
	if got := f.Claim(9, 100); len(got) != 1 {
		t.Errorf("claimed %v when no run is open, want one", storetest.IDs(got))
	}
	paused("-2 seconds", "-1 second")
	if got := f.Claim(9, 100); len(got) != 4 {
		t.Errorf("claimed %v after that, want the four others", storetest.IDs(got))
	}
}

func TestAnOwnerWhoComesAfterARestStartsSlowly(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.Rested()
	f.Accept(w, 30)
	for i, want := range []int{1, 2, 6} {
		claimed, _, err := f.Queue.Claim(t.Context(), 30, storetest.AnyOwner(100), time.Minute)
		f.Must(err)
		if len(claimed) != want {
			t.Fatalf("claim %d: got %d, want %d", i, len(claimed), want)
		}
		if again := f.Claim(30, 100); len(again) != 0 {
			t.Fatalf("claim %d: got %d more beside them, want none", i, len(again))
		}
		f.Must(f.Queue.MarkStarted(t.Context(), claimed))
		f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE state = 'RUNNING'`)
	}
}

func TestRunsThatWaitDoNotLetTheirOwnerStartMore(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.Rested()
	f.Accept(w, 10)
	for i := range 4 {
		claimed := f.Claim(10, 100)
		if len(claimed) != 1 {
			t.Fatalf("claim %d: got %d, want one", i, len(claimed))
		}
		f.Must(f.Queue.MarkStarted(t.Context(), claimed))
		f.Park(claimed[0].ID)
		f.noPause()
	}
}

func TestARunThatNeverEndsHoldsOnePlaceAndNotItsOwner(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.UnderWay(w, 1)
	f.Rested()
	f.Accept(w, 10)
	for i, want := range []int{1, 2} {
		claimed := f.Claim(10, 100)
		if len(claimed) != want {
			t.Fatalf("claim %d beside a run that never ends: got %d, want %d", i, len(claimed), want)
		}
		f.Must(f.Queue.MarkStarted(t.Context(), claimed))
		for _, a := range claimed {
			f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE id = '` + a.ID + `'`)
		}
	}
}

func TestAnOwnerWithAParkedRunHasTurnsBesideOthersWhoAlwaysWait(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	troubled, busy := f.User(nil), f.User(nil)
	w := f.Workflow(troubled)
	f.Park(f.UnderWay(w, 1)[0])
	f.Accept(w, 1)
	f.Accept(f.Workflow(busy), 20)
	f.Exec(`UPDATE turns SET served_at = now() - interval '20 seconds' WHERE owner_id = '` + troubled.ID + `'`)
	f.Exec(`UPDATE turns SET served_at = now() - interval '10 seconds' WHERE owner_id = '` + busy.ID + `'`)
	claimed := f.Claim(1, 100)
	if len(claimed) != 1 || claimed[0].OwnerID != troubled.ID {
		t.Errorf("claimed %v, want one of the owner who waits for longer", storetest.IDs(claimed))
	}
}

func TestAWaitSaysUntilWhenItsStepIsTried(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.UnderWay(f.Workflow(f.User(nil)), 1)[0]
	park := func(code string, patience time.Duration, until time.Time) platen.Wait {
		t.Helper()
		w, err := f.Parking.Park(t.Context(), id, 1, platen.Wait{Subject: "out_a", Step: "FillTags", Code: code, Patience: patience, Until: until})
		if err != nil {
			t.Fatal(err)
		}
		if a := f.stored(id); len(a.Waits) != 1 || !a.Waits[0].Until.Equal(w.Until) {
			t.Fatalf("kept %+v, want until %v", a.Waits, w.Until)
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
