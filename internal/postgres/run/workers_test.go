package run_test

import (
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// worker registers one that carries so many runs; ceiling bounds all workers, 0: nothing does.
func (f *harness) worker(id string, carries, ceiling int) platen.Claimer {
	f.T.Helper()
	f.Must(f.Queue.Register(f.T.Context(), id, carries))
	most := platen.Places{Parked: 1000, OwnerParked: 1000}
	if ceiling > 0 {
		most = platen.PlacesFor(ceiling, 1000, 1000)
	}
	return platen.Claimer{Worker: id, Carries: carries, Most: most}
}

// take claims all that a worker has room for, and starts it.
func (f *harness) take(by platen.Claimer) ([]platen.Automation, platen.Occupancy) {
	f.T.Helper()
	f.noPause()
	claimed, seen, err := f.Queue.Claim(f.T.Context(), 1000, by, time.Minute)
	f.Must(err)
	f.Must(f.Queue.MarkStarted(f.T.Context(), claimed))
	return claimed, seen
}

// queued has many owners with many automations each.
func (f *harness) queued() {
	f.T.Helper()
	for range 40 {
		f.Accept(f.Workflow(f.User(nil)), 5)
	}
}

// all claims until a worker gets nothing more: owners who come after a rest start
// one run first.
func (f *harness) all(by platen.Claimer) (claimed int) {
	f.T.Helper()
	for {
		got, _ := f.take(by)
		if len(got) == 0 {
			return claimed
		}
		claimed += len(got)
	}
}

func TestEachWorkerClaimsWhatItCarries(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.queued()
	small, large := f.worker("wrk_small", 6, 0), f.worker("wrk_large", 18, 0)
	if a, b := f.all(small), f.all(large); a != 6 || b != 18 {
		t.Errorf("workers that carry 6 and 18 runs claimed %d and %d", a, b)
	}
	if _, seen := f.take(small); seen.Open != 24 || seen.Own != 6 || seen.Workers != 2 || seen.Carried != 24 || seen.Most.OwnerOpen != 18 {
		t.Errorf("got %+v, want 24 open, 6 of them own, and 18 for one owner, of the 24 that two workers carry", seen)
	}
}

func TestACeilingBoundsAllWorkersTogether(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.queued()
	one, two := f.worker("wrk_1", 12, 16), f.worker("wrk_2", 12, 16)
	if a, b := f.all(one), f.all(two); a != 12 || b != 4 {
		t.Errorf("under a ceiling of 16, workers that carry 12 each claimed %d and %d, want 12 and 4", a, b)
	}
	// It needs no equal hands: each worker minds its own ceiling.
	if got := f.all(f.worker("wrk_3", 12, 20)); got != 4 {
		t.Errorf("under a ceiling of 20 a third claimed %d, want 4", got)
	}
}

func TestRunsOfAWorkerThatDiedCountUntilTheyEnd(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.queued()
	dies, stays := f.worker("wrk_dies", 6, 0), f.worker("wrk_stays", 6, 0)
	f.all(dies)
	claimed, _ := f.take(stays)
	f.Exec(`UPDATE workers SET seen_at = now() - interval '9 seconds' WHERE id = 'wrk_dies'`)
	if _, seen := f.take(stays); seen.Carried != 12 {
		t.Errorf("a worker that was seen 9 s ago: %d runs are carried, want 12", seen.Carried)
	}
	f.Exec(`UPDATE workers SET seen_at = now() - interval '11 seconds' WHERE id = 'wrk_dies'`)
	_, err := f.Automations.FailAutomation(t.Context(), claimed[0].ID, 1, "c", "m")
	f.Must(err)
	got, seen := f.take(stays)
	if len(got) != 0 || seen.Carried != 6 || seen.Open != 11 || seen.Own != 5 {
		t.Errorf("when a worker is gone: claimed %d, saw %+v; want nothing, 6 carried and 11 open, 5 of them own", len(got), seen)
	}
	f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE claimed_by = 'wrk_dies'`)
	if got, _ := f.take(stays); len(got) != 1 {
		t.Errorf("when the runs of a worker that is gone have ended: claimed %d, want 1", len(got))
	}
}

// A run stays with the build on which it began. Without a worker of that build nobody goes
// on with it, until it is reset to another build a minute and a half later.
func TestRunsThatNoWorkerCanGoOnWithTakeNoPlace(t *testing.T) {
	t.Parallel()
	const dies, beside, next = "wrk_dies", "wrk_beside", "wrk_next"
	for _, c := range []struct {
		name     string
		build    string         // on which the runs began
		besides  map[string]int // what other workers of the build carry
		stops    bool           // the worker stops; otherwise it says nothing any more
		wantOpen int
	}{
		{name: "no worker of the build is there", build: "before", wantOpen: 0},
		{name: "the last worker of the build stopped", build: "before", stops: true, wantOpen: 0},
		{name: "another worker of the build is there", build: "before", besides: map[string]int{beside: 6}, wantOpen: 6},
		{name: "another worker of the build only ends its runs", build: "before", besides: map[string]int{beside: 0}, wantOpen: 6},
		{name: "the next worker is of the build", build: "next", wantOpen: 6},
		{name: "runs are of no build", build: "", wantOpen: 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			f.queued()
			f.Queue.Settings.Build = c.build
			f.all(f.worker(dies, 6, 0))
			for id, carries := range c.besides {
				f.Must(f.Queue.Register(t.Context(), id, carries))
			}
			f.Exec(`UPDATE workers SET seen_at = now() - interval '11 seconds', alive_at = now() - interval '11 seconds' WHERE id = $1`, dies)
			if c.stops {
				f.Must(f.Queue.Unregister(t.Context(), dies))
			}
			f.Queue.Settings.Build = "next"
			f.Must(f.Queue.Register(t.Context(), next, 6))
			if open := f.Open(); open != c.wantOpen {
				t.Errorf("%d runs take a place, want %d", open, c.wantOpen)
			}
		})
	}
}

// A stranded run takes its place again when the build that it was reset to asks for its plan,
// or when a worker of its own build comes back.
func TestAStrandedRunThatGoesOnTakesAPlace(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.queued()
	registers := func(id, build string) {
		t.Helper()
		f.Queue.Settings.Build = build
		f.Must(f.Queue.Register(t.Context(), id, 6))
	}
	f.Queue.Settings.Build = "before"
	began := f.all(f.worker("wrk_dies", 6, 0))
	f.Exec(`UPDATE workers SET seen_at = now() - interval '11 seconds', alive_at = now() - interval '11 seconds'`)
	registers("wrk_next", "next")
	if open := f.Open(); began != 6 || open != 0 {
		t.Fatalf("%d of %d runs take a place, want none of 6", open, began)
	}
	var id string
	f.Must(f.Owner.QueryRow(t.Context(), `SELECT id FROM automations WHERE state = 'RUNNING' LIMIT 1`).Scan(&id))
	_, err := f.Plans.Plan(t.Context(), id)
	f.Must(err)
	registers("wrk_next", "next")
	if open := f.Open(); open != 1 {
		t.Errorf("%d runs take a place, want the one that was reset", open)
	}
	registers("wrk_back", "before")
	registers("wrk_next", "next")
	if open := f.Open(); open != began {
		t.Errorf("%d runs take a place after a worker of their build came back, want %d", open, began)
	}
}

// A worker that only ends its runs takes none of others, and none is counted on it.
func TestAWorkerThatTakesNoNewRunsCarriesNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	stays := f.worker("wrk_stays", 6, 0)
	f.worker("wrk_ends", 6, 0)
	f.Must(f.Queue.Register(t.Context(), "wrk_ends", 0))
	if _, seen := f.take(stays); seen.Carried != 6 || seen.Workers != 1 {
		t.Errorf("got %+v, want one worker that carries 6", seen)
	}
}

func TestAWorkerThatStopsLeavesAtOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	stays := f.worker("wrk_stays", 6, 0)
	f.worker("wrk_stops", 6, 0)
	f.Must(f.Queue.Unregister(t.Context(), "wrk_stops"))
	f.Must(f.Queue.Unregister(t.Context(), "wrk_stops"))
	if _, seen := f.take(stays); seen.Carried != 6 || seen.Workers != 1 {
		t.Errorf("got %+v, want one worker that carries 6", seen)
	}
	f.worker("wrk_stays", 8, 0)
	if _, seen := f.take(f.worker("wrk_new", 6, 0)); seen.Carried != 14 || seen.Workers != 2 {
		t.Errorf("got %+v, want the 8 that a worker said last, and 6", seen)
	}
}

func TestRowsOfWorkersThatDiedDoNotPileUp(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.worker("wrk_died", 6, 0)
	f.Exec(`UPDATE workers SET seen_at = now() - interval '61 minutes', alive_at = seen_at - interval '61 minutes'`)
	f.worker("wrk_new", 6, 0)
	if n := f.Count(`SELECT count(*) FROM workers`); n != 1 {
		t.Errorf("got %d rows, want the one of the new worker", n)
	}
}

func TestWorkersThatClaimAtTheSameTimeNeverTakeTooMany(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.queued()
	carries := map[string]int{"wrk_1": 5, "wrk_2": 10, "wrk_3": 15}
	workers := map[string]platen.Claimer{}
	for id, n := range carries {
		workers[id] = f.worker(id, n, 25)
	}
	var claiming sync.WaitGroup
	for _, by := range workers {
		for range 3 {
			claiming.Go(func() {
				for range 10 {
					if _, _, err := f.Queue.Claim(t.Context(), 3, by, time.Minute); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	claiming.Wait()
	for id, most := range carries {
		if n := f.Count(`SELECT count(*) FROM automations WHERE claimed_by = $1`, id); n > most {
			t.Errorf("%s claimed %d, want %d at most", id, n, most)
		}
	}
	if open := f.Open(); open != 25 {
		t.Errorf("%d open, want the ceiling of 25", open)
	}
}

func TestAParkedRunTakesNoPlaceOfItsWorker(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.queued()
	by := f.worker("wrk_1", 6, 0)
	f.all(by)
	f.Exec(`UPDATE automations SET parked_at = now() WHERE id = (SELECT min(id) FROM automations WHERE state = 'RUNNING')`)
	if got, seen := f.take(by); len(got) != 1 || seen.Own != 6 {
		t.Errorf("with one of six parked: claimed %d, %d own are open; want 1 and 6", len(got), seen.Own)
	}
}
