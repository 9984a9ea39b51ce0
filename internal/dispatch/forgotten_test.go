package dispatch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
)

// A forgetful store was restored from a backup. It notes the outcome of its
// automations.
type forgetful struct {
	queue
	mu      sync.Mutex
	running []platen.Automation
	waiting []platen.Automation
	away    map[string]error // automations whose owners' drives do not answer
	hangs   map[string]bool  // automations whose owners' drives hang
	slow    map[string]bool  // automations whose owners' drives take 50 s, which a turn has time for once
	became  map[string][]string
}

var errAway = &platen.DriveWaitError{Kind: platen.KindUnavailable, Code: "drive_unavailable", Err: errors.New("the drive does not answer")}

func (f *forgetful) note(id, what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.became == nil {
		f.became = map[string][]string{}
	}
	f.became[id] = append(f.became[id], what)
}

func (f *forgetful) Claim(_ context.Context, _ int, by platen.Claimer, _ time.Duration) ([]platen.Automation, platen.Occupancy, error) {
	claimed := f.waiting
	f.waiting = nil
	return claimed, by.Occupancy(0, 0, platen.Others{}), nil
}

func (f *forgetful) OverdueAutomations(_ context.Context, age time.Duration, after platen.Automation) ([]platen.Automation, error) {
	at := slices.IndexFunc(f.running, func(a platen.Automation) bool { return a.ID == after.ID })
	var overdue []platen.Automation
	for _, a := range f.running[at+1:] {
		if a.StartedAt == nil || time.Since(*a.StartedAt) > age {
			overdue = append(overdue, a)
		}
	}
	return overdue, nil
}

func (f *forgetful) MarkStarted(_ context.Context, started []platen.Automation) error {
	for _, a := range started {
		f.note(a.ID, "started")
	}
	return nil
}

func (f *forgetful) Requeue(_ context.Context, id string, attempt int) error {
	f.note(id, fmt.Sprintf("queued again after attempt %d", attempt))
	return nil
}

func (f *forgetful) EndAbandonedAutomation(_ context.Context, id string, _ int, _ func(platen.Automation, platen.Output) (platen.Event, error)) (platen.AutomationState, error) {
	f.note(id, "ended by its outputs")
	return platen.AutomationFailed, nil
}

func (f *forgetful) Release(_ context.Context, ids []string, delay time.Duration) error {
	for _, id := range ids {
		f.note(id, fmt.Sprintf("put off by %v", delay))
	}
	return nil
}

func (f *forgetful) Rebuild(ctx context.Context, id string, run platen.LatestRun) (platen.AutomationState, error) {
	if f.hangs[id] {
		<-ctx.Done()
		f.note(id, "hung")
		return "", errAway
	}
	if f.slow[id] {
		select {
		case <-ctx.Done():
			f.note(id, "cut off")
			return "", errAway
		case <-time.After(50 * time.Second):
		}
	}
	if err := f.away[id]; err != nil {
		f.note(id, "not found out")
		return "", err
	}
	f.note(id, fmt.Sprintf("rebuilt by %+v", run))
	return platen.AutomationCompleted, nil
}

func (f *forgetful) Postpone(_ context.Context, id string, _ platen.LatestRun, why *platen.DriveWaitError) (platen.AutomationState, error) {
	f.note(id, "postponed")
	return "", why
}

// completed has all runs be over that told how they end.
var completed = starter{
	start: func(context.Context, platen.Automation) error { return dispatch.ErrEnded },
	look: func(string) (dispatch.Run, error) {
		return dispatch.Run{State: dispatch.RunCompleted, Attempt: 1, Told: true}, nil
	},
}

func dispatchFor(t *testing.T, d time.Duration, f *forgetful, o dispatch.Options) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	var log bytes.Buffer
	o.Queue, o.Running, o.Automations, o.Rebuilder = f, f, f, f
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	if err := dispatch.New(o).Run(ctx); err != nil {
		t.Errorf("Run: %v", err)
	}
	return log.String()
}

func TestWhatTemporalKnowsOfARunDecides(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attempt int // that the store knows
		run     dispatch.Run
		want    string
	}{
		"open":                             {1, dispatch.Run{State: dispatch.RunOpen, Attempt: 1}, ""},
		"open, of the attempt before":      {2, dispatch.Run{State: dispatch.RunOpen, Attempt: 1}, ""},
		"gone":                             {1, dispatch.Run{}, "queued again after attempt 1"},
		"gone, but for the attempt before": {2, dispatch.Run{State: dispatch.RunFailed, Attempt: 1, Told: true}, "queued again after attempt 2"},
		"terminated":                       {1, dispatch.Run{State: dispatch.RunClosed, Attempt: 1}, "ended by its outputs"},
		"failed in recording":              {1, dispatch.Run{State: dispatch.RunFailed, Attempt: 1}, "ended by its outputs"},
		"completed":                        {1, dispatch.Run{State: dispatch.RunCompleted, Attempt: 1, Told: true}, "rebuilt by {Attempt:1 Open:false Completed:true Cancelled:false}"},
		"failed by a document":             {1, dispatch.Run{State: dispatch.RunFailed, Attempt: 1, Told: true}, "rebuilt by {Attempt:1 Open:false Completed:false Cancelled:false}"},
		"cancelled":                        {1, dispatch.Run{State: dispatch.RunCancelled, Attempt: 1, Told: true}, "rebuilt by {Attempt:1 Open:false Completed:false Cancelled:true}"},
		"open, of a later attempt":         {1, dispatch.Run{State: dispatch.RunOpen, Attempt: 2}, "rebuilt by {Attempt:2 Open:true Completed:false Cancelled:false}"},
		"terminated in a later attempt":    {1, dispatch.Run{State: dispatch.RunClosed, Attempt: 3}, "rebuilt by {Attempt:3 Open:false Completed:false Cancelled:false}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &forgetful{running: []platen.Automation{{ID: "aut_1", OwnerID: "usr_1", Attempt: c.attempt}}}
				dispatchFor(t, time.Second, f, dispatch.Options{Starter: starter{look: func(string) (dispatch.Run, error) { return c.run, nil }}})
				got := slices.Compact(f.became["aut_1"]) // all are looked at again when one was lost
				if strings.Join(got, ", ") != c.want {
					t.Errorf("it was %q, want %q", got, c.want)
				}
			})
		})
	}
}

func TestARetryThatIsToBeCancelledEndsWithTheRunOfTheAttemptBefore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wished := time.Now()
		f := &forgetful{running: []platen.Automation{{ID: "aut_1", OwnerID: "usr_1", Attempt: 2, CancelRequestedAt: &wished}}}
		dispatchFor(t, time.Second, f, dispatch.Options{Starter: starter{look: func(string) (dispatch.Run, error) {
			return dispatch.Run{State: dispatch.RunFailed, Attempt: 1, Told: true}, nil
		}}})
		if got := f.became["aut_1"]; !slices.Equal(got, []string{"ended by its outputs"}) {
			t.Errorf("it was %q, want it ended by its outputs", got)
		}
	})
}

// Temporal takes the wish also for a run that has ended.
func TestAnAutomationIsCancelledAfterItsRunEndedAsTheRebuilderDecides(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wished := time.Now()
		f := &forgetful{running: []platen.Automation{{ID: "aut_1", OwnerID: "usr_1", Attempt: 1, CancelRequestedAt: &wished}}}
		outbox := &oneCommand{command: platen.OutboxCommand{Kind: platen.CommandCancel, ID: "aut_1"}}
		dispatchFor(t, time.Second, f, dispatch.Options{Outbox: outbox, Runs: &temporal{known: true}, Starter: completed})
		if got, want := slices.Compact(f.became["aut_1"]), []string{"rebuilt by {Attempt:1 Open:false Completed:true Cancelled:true}"}; !slices.Equal(got, want) || !outbox.acknowledged {
			t.Errorf("it was %q, the command acknowledged %t; want %q, and that", got, outbox.acknowledged, want)
		}
	})
}

// oneCommand is an outbox with one command.
type oneCommand struct {
	command      platen.OutboxCommand
	claimed      bool
	acknowledged bool
}

func (o *oneCommand) ClaimCommands(context.Context, int, time.Duration) ([]platen.OutboxCommand, error) {
	if o.claimed {
		return nil, nil
	}
	o.claimed = true
	return []platen.OutboxCommand{o.command}, nil
}

func (o *oneCommand) AcknowledgeCommand(context.Context, platen.OutboxCommand) error {
	o.acknowledged = true
	return nil
}

func (*oneCommand) PutOffDeliveries(context.Context, platen.EndpointKey, time.Duration) error {
	return nil
}

func TestAStartWhoseRunHasEndedIsPutRightAtOnceAndNotMarked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{waiting: []platen.Automation{{ID: "aut_1", OwnerID: "usr_1", Attempt: 1, State: platen.AutomationAccepted}}}
		log := dispatchFor(t, time.Second, f, dispatch.Options{Starter: starter{
			start: func(context.Context, platen.Automation) error { return fmt.Errorf("start: %w", dispatch.ErrEnded) },
			look: func(string) (dispatch.Run, error) {
				return dispatch.Run{State: dispatch.RunCompleted, Attempt: 1, Told: true}, nil
			},
		}})
		if want := []string{"rebuilt by {Attempt:1 Open:false Completed:true Cancelled:false}"}; !slices.Equal(f.became["aut_1"], want) {
			t.Errorf("it was %q, want %q", f.became["aut_1"], want)
		}
		for _, want := range []string{"level=WARN", "automation=aut_1", "found=1"} {
			if !strings.Contains(log, want) {
				t.Errorf("log: got %s, want %s", log, want)
			}
		}
	})
}

func TestADriveThatDoesNotAnswerIsAskedOnceALookAndKeepsNobodyElseWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{away: map[string]error{"aut_1": errAway, "aut_2": errAway}}
		for i, owner := range []string{"usr_away", "usr_away", "usr_1"} {
			f.running = append(f.running, platen.Automation{ID: fmt.Sprintf("aut_%d", i+1), OwnerID: owner, Attempt: 1})
		}
		log := dispatchFor(t, 20*time.Second, f, dispatch.Options{Starter: completed})
		if want := []string{"not found out"}; !slices.Equal(f.became["aut_1"], want) {
			t.Errorf("in one look the first was %q, want %q", f.became["aut_1"], want)
		}
		if want := []string{"postponed"}; !slices.Equal(f.became["aut_2"], want) {
			t.Errorf("in one look the second of the owner was %q, want %q", f.became["aut_2"], want)
		}
		if !strings.HasPrefix(strings.Join(f.became["aut_3"], ""), "rebuilt") {
			t.Errorf("the neighbour's was %q, want it rebuilt", f.became["aut_3"])
		}
		if want := `"waiting for a drive"=2`; !strings.Contains(log, want) {
			t.Errorf("log: got %s, want %s", log, want)
		}
	})
}

func TestADriveThatRefusesOneAutomationIsAskedAboutTheNext(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]*platen.DriveWaitError{
		"for good":   {Kind: platen.KindForbidden, Code: "drive_access_revoked", Err: errors.New("refused")},
		"by a fault": {Kind: platen.KindUnavailable, Code: "drive_fault", Err: errors.New("500")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &forgetful{away: map[string]error{"aut_1": refusal}, running: []platen.Automation{
					{ID: "aut_1", OwnerID: "usr_1", Attempt: 1}, {ID: "aut_2", OwnerID: "usr_1", Attempt: 1},
				}}
				dispatchFor(t, time.Second, f, dispatch.Options{Starter: completed})
				if got := strings.Join(f.became["aut_2"], ", "); !strings.HasPrefix(got, "rebuilt") {
					t.Errorf("the next was %q, want it rebuilt", got)
				}
			})
		})
	}
}

func TestADriveThatHangsHoldsUpOnlyItsOwner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{hangs: map[string]bool{"aut_1": true}, running: []platen.Automation{
			{ID: "aut_1", OwnerID: "usr_hangs", Attempt: 1}, {ID: "aut_2", OwnerID: "usr_hangs", Attempt: 1}, {ID: "aut_3", OwnerID: "usr_1", Attempt: 1},
		}}
		dispatchFor(t, time.Second, f, dispatch.Options{Starter: completed})
		if got := strings.Join(f.became["aut_3"], ", "); !strings.HasPrefix(got, "rebuilt") {
			t.Errorf("within a second the neighbour's was %q, want it rebuilt", got)
		}
		if got := f.became["aut_2"]; len(got) > 0 {
			t.Errorf("the other one of the owner was %q, want it to wait for its turn", got)
		}
	})
}

func TestMoreDrivesThatHangThanThereIsRoomForLeaveOthersTheNextTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{hangs: map[string]bool{}}
		for i := range 100 {
			id := fmt.Sprintf("aut_hangs_%d", i)
			f.hangs[id] = true
			f.running = append(f.running, platen.Automation{ID: id, OwnerID: "usr_" + id, Attempt: 1})
		}
		f.running = append(f.running, platen.Automation{ID: "aut_1", OwnerID: "usr_1", Attempt: 1})
		dispatchFor(t, 62*time.Second, f, dispatch.Options{Starter: completed})
		if got := strings.Join(f.became["aut_1"], ", "); !strings.HasPrefix(got, "rebuilt") {
			t.Errorf("when the first turns were over, the neighbour's was %q, want it rebuilt", got)
		}
	})
}

func TestAnOwnersTurnIsOverAfterAMinuteAndTheNextGoesOnWithWhatItCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f *forgetful
		after := func(d time.Duration) {
			f = &forgetful{slow: map[string]bool{}}
			for i := range 64 {
				for j := range 2 {
					id := fmt.Sprintf("aut_slow_%d_%d", i, j)
					f.slow[id] = true
					f.running = append(f.running, platen.Automation{ID: id, OwnerID: fmt.Sprintf("usr_%d", i), Attempt: 1})
				}
			}
			f.running = append(f.running, platen.Automation{ID: "aut_1", OwnerID: "usr_neighbour", Attempt: 1})
			dispatchFor(t, d, f, dispatch.Options{Starter: completed, ReconcileEvery: time.Hour})
		}
		if after(62 * time.Second); !strings.HasPrefix(strings.Join(f.became["aut_1"], ", "), "rebuilt") {
			t.Errorf("after the first turns the neighbour's was %q, want it rebuilt", f.became["aut_1"])
		}
		after(112 * time.Second)
		if got, want := f.became["aut_slow_0_1"], []string{"cut off", "rebuilt by {Attempt:1 Open:false Completed:true Cancelled:false}"}; !slices.Equal(got, want) {
			t.Errorf("what a turn cut off was %q, want %q", got, want)
		}
	})
}

func TestAnAutomationInTheQueueThatWaitsForItsOwnersTurnIsPutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{hangs: map[string]bool{"aut_1": true}, running: []platen.Automation{{ID: "aut_1", OwnerID: "usr_1", Attempt: 1}},
			waiting: []platen.Automation{{ID: "aut_2", OwnerID: "usr_1", Attempt: 1, State: platen.AutomationAccepted}}}
		dispatchFor(t, time.Second, f, dispatch.Options{Starter: completed, ReconcileEvery: 20 * time.Second})
		if want := []string{"put off by 20s"}; !slices.Equal(f.became["aut_2"], want) {
			t.Errorf("it was %q, want %q", f.became["aut_2"], want)
		}
	})
}

func TestAForgottenAutomationIsLookedForWithinTwoMinutesAnd30SecondsForEachHundredThatRun(t *testing.T) {
	t.Parallel()
	for others, within := range map[int]time.Duration{0: 2 * time.Minute, 99: 2 * time.Minute, 950: 2*time.Minute + 9*30*time.Second} {
		for _, after := range []time.Duration{time.Second, 29 * time.Second, 31 * time.Second} { // the reconciler began
			synctest.Test(t, func(t *testing.T) {
				startedAt := time.Now().Add(after)
				f := &forgetful{}
				for i := range others {
					f.running = append(f.running, platen.Automation{ID: fmt.Sprintf("aut_open_%d", i), OwnerID: "usr_2", Attempt: 1})
				}
				f.running = append(f.running, platen.Automation{ID: "aut_1", OwnerID: "usr_1", Attempt: 1, StartedAt: &startedAt})
				dispatchFor(t, after+within, f, dispatch.Options{Starter: starter{look: func(id string) (dispatch.Run, error) {
					if id != "aut_1" {
						return dispatch.Run{State: dispatch.RunOpen, Attempt: 1}, nil
					}
					return dispatch.Run{State: dispatch.RunFailed, Attempt: 1, Told: true}, nil
				}}})
				if got := strings.Join(f.became["aut_1"], ", "); !strings.HasPrefix(got, "rebuilt") {
					t.Errorf("%v after its start, beside %d others, it was %q, want it rebuilt", within, others, got)
				}
			})
		}
	}
}

func TestAWishToCancelReachesTheRebuilder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wished := time.Now()
		f := &forgetful{running: []platen.Automation{{ID: "aut_1", OwnerID: "usr_1", Attempt: 1, CancelRequestedAt: &wished}}}
		dispatchFor(t, time.Second, f, dispatch.Options{Starter: completed})
		if got, want := strings.Join(slices.Compact(f.became["aut_1"]), ", "), "rebuilt by {Attempt:1 Open:false Completed:true Cancelled:true}"; got != want {
			t.Errorf("it was %q, want %q", got, want)
		}
	})
}

// unlisted has no list of overdue events.
type unlisted struct{ dispatch.Deliveries }

func (unlisted) ClaimOverdueEvents(context.Context, time.Duration, time.Duration, int) ([]platen.OverdueEvent, error) {
	return nil, errors.New("an event that is not understood")
}

func TestAnAutomationThatCannotBeComparedKeepsOnlyItsOwnFilesFromTheSweep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var looks atomic.Int64
		f := &forgetful{running: append([]platen.Automation{{ID: "aut_bad", Attempt: 1}}, many(400)...)}
		d := dispatch.New(dispatch.Options{Queue: f, Running: f, Automations: f, Rebuilder: f, Deliveries: unlisted{}, Log: slog.New(slog.DiscardHandler), Starter: starter{look: func(id string) (dispatch.Run, error) {
			looks.Add(1)
			if id == "aut_bad" && time.Since(began) < 4*time.Minute {
				return dispatch.Run{}, errors.New("an answer that is not understood")
			}
			return dispatch.Run{State: dispatch.RunOpen, Attempt: 1}, nil
		}}})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- d.Run(ctx) }()
		may := func(when, id string, want bool) {
			t.Helper()
			if got, err := d.MaySweep(ctx, platen.Automation{ID: id, Attempt: 1}); got != want || err != nil {
				t.Errorf("%s, %s: got %t, %v; want %t", when, id, got, err, want)
			}
		}
		<-time.After(time.Second)
		may("before all were compared", "aut_0000", false)
		<-time.After(time.Minute + 50*time.Second)
		may("after all but one were compared", "aut_0000", true)
		may("after all but one were compared", "aut_bad", false)
		if n := looks.Load(); n > 401+3*100+2 {
			t.Errorf("looked %d times in three looks after the first; want a hundred each", n)
		}
		<-time.After(7 * time.Minute)
		may("when it was compared, too", "aut_bad", true)
		<-time.After(time.Second) // the reconciler may rest
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

func TestNothingIsSweptBeforeAllWasComparedOrAgainstTemporal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run     dispatch.Run
		refused bool // by people
		want    bool
	}{
		"failed, as the store says":             {dispatch.Run{State: dispatch.RunFailed, Attempt: 1, Told: true}, false, true},
		"gone":                                  {dispatch.Run{}, false, true},
		"completed where the store says not":    {dispatch.Run{State: dispatch.RunCompleted, Attempt: 1, Told: true}, false, false},
		"completed where people rejected since": {dispatch.Run{State: dispatch.RunCompleted, Attempt: 1, Told: true}, true, true},
		"retried since":                         {dispatch.Run{State: dispatch.RunOpen, Attempt: 2}, false, false},
		"retried since it was rejected":         {dispatch.Run{State: dispatch.RunOpen, Attempt: 2}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failedFirst := platen.Automation{ID: "aut_1", OwnerID: "usr_1", Attempt: 1, State: platen.AutomationFailed, Refused: c.refused}
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				f := &forgetful{running: []platen.Automation{{ID: "aut_open", Attempt: 1}}}
				d := dispatch.New(dispatch.Options{Queue: f, Running: f, Automations: f, Rebuilder: f, Log: slog.New(slog.DiscardHandler), Starter: starter{look: func(id string) (dispatch.Run, error) {
					switch {
					case time.Since(began) < 3*time.Minute:
						return dispatch.Run{}, platen.Errorf(platen.KindUnavailable, "temporal_unavailable", "away")
					case id == "aut_open":
						return dispatch.Run{State: dispatch.RunOpen, Attempt: 1}, nil
					}
					return c.run, nil
				}}})
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() { done <- d.Run(ctx) }()
				<-time.After(2 * time.Minute)
				if may, err := d.MaySweep(ctx, failedFirst); may || err != nil {
					t.Errorf("before Temporal answered: got %t, %v; want no", may, err)
				}
				<-time.After(2 * time.Minute)
				if may, err := d.MaySweep(ctx, failedFirst); may != c.want || err != nil {
					t.Errorf("after all was compared: got %t, %v; want %t", may, err, c.want)
				}
				<-time.After(time.Second) // the reconciler may rest
				cancel()
				if err := <-done; err != nil {
					t.Errorf("Run: %v", err)
				}
				if rebuilt := len(f.became["aut_1"]) > 0; rebuilt == c.want {
					t.Errorf("it was %q; want it put right where it may not be swept", f.became["aut_1"])
				}
			})
		})
	}
}
