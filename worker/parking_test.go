package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// lot notes what is parked, and says that it failed so often since then.
type lot struct {
	mu    sync.Mutex
	calls []string
	tries int
	since time.Time
	away  error

	beside int // other runs that are parked
	last   platen.Wait
}

func (l *lot) Park(_ context.Context, id string, _ int, w platen.Wait) (platen.Wait, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, "park "+id+" "+w.Subject+" "+w.Step+" "+w.Code)
	l.last = w
	w.Tries, w.Since, w.Beside = l.tries, l.since, l.beside
	return w, l.away
}

func (l *lot) Unpark(_ context.Context, id, subject string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, "unpark "+id+" "+subject)
	return l.away
}

// ofRun is an attempt of a document's step, the first or a later one.
func ofRun(local bool) activity.Info {
	info := activity.Info{ActivityType: activity.Type{Name: "CopyTemplate"}, WorkflowType: &workflow.Type{Name: runAutomation}, IsLocalActivity: local}
	info.WorkflowExecution.ID = "aut_1"
	if !local {
		info.ScheduleToCloseTimeout = activities.Day
	}
	return info
}

func stepOf(output string) *interceptor.ExecuteActivityInput {
	return &interceptor.ExecuteActivityInput{Args: []any{activities.Step{AutomationID: "aut_1", OutputID: output, Attempt: 1}}}
}

// run makes one attempt that takes so long and ends so.
func (l *lot) run(t *testing.T, info activity.Info, in *interceptor.ExecuteActivityInput, takes time.Duration, end error) error {
	t.Helper()
	s := &Steps{log: slog.New(slog.DiscardHandler), parking: l, slow: time.Second}
	w := s.newAttempt(info, in)
	if w == nil {
		return end
	}
	w.begin(t.Context(), s.slow)
	time.Sleep(takes) // of a bubble
	return w.end(t.Context(), end)
}

var (
	errAway       = platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive does not answer.")
	errPicture    = platen.Errorf(platen.KindUnavailable, "address_unavailable", "An address of the data answered 500.")
	errCopyGone   = platen.Errorf(platen.KindConflict, "copy_gone", "The copy of the template was removed. Another one is made.")
	errDriveFault = platen.Errorf(platen.KindUnavailable, "drive_fault", "The drive answered 500.")
	errNoPDF      = platen.Errorf(platen.KindUnavailable, "drive_export_not_pdf", "The drive answered with something else than a PDF.")
	errBroken     = platen.Errorf(platen.KindForbidden, platen.CodeConnectionBroken, "Connect the drive again.")
	errRefused    = platen.Errorf(platen.KindForbidden, "drive_file_forbidden", "The drive does not allow that.")
)

func TestARunIsParkedWhileAStepOfItWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		info  activity.Info
		in    *interceptor.ExecuteActivityInput
		takes time.Duration
		end   error
		want  []string
	}{
		"a first attempt":                 {info: ofRun(true), in: stepOf("out_1")},
		"a first attempt that is refused": {info: ofRun(true), in: stepOf("out_1"), end: errRefused},
		"a slow first attempt":            {info: ofRun(true), in: stepOf("out_1"), takes: 2 * time.Second, want: []string{"park aut_1 out_1 CopyTemplate step_slow", "unpark aut_1 out_1"}},
		"a slow first attempt, refused":   {info: ofRun(true), in: stepOf("out_1"), takes: 2 * time.Second, end: errRefused, want: []string{"park aut_1 out_1 CopyTemplate step_slow", "unpark aut_1 out_1"}},
		"a first attempt that fails":      {info: ofRun(true), in: stepOf("out_1"), end: errAway, want: []string{"park aut_1 out_1 CopyTemplate drive_unavailable"}},
		"a first attempt without access":  {info: ofRun(true), in: stepOf("out_1"), end: errBroken, want: []string{"park aut_1 out_1 CopyTemplate drive_connection_broken"}},
		"a later attempt without access":  {info: ofRun(false), in: stepOf("out_1"), end: errBroken, want: []string{"park aut_1 out_1 CopyTemplate drive_connection_broken"}},
		"a later attempt that fails":      {info: ofRun(false), in: stepOf("out_1"), takes: 2 * time.Second, end: errAway, want: []string{"park aut_1 out_1 CopyTemplate drive_unavailable"}},
		"a later attempt":                 {info: ofRun(false), in: stepOf("out_1"), want: []string{"unpark aut_1 out_1"}},
		"a later attempt that is refused": {info: ofRun(false), in: stepOf("out_1"), end: errRefused, want: []string{"unpark aut_1 out_1"}},
		"an attempt of a run that ends":   {info: ofRun(false), in: stepOf("out_1"), end: context.Canceled},
		"a delivery, slow":                {info: ofRun(true), in: &interceptor.ExecuteActivityInput{Args: []any{activities.SendInput{EventID: "evt_1"}}}, takes: 2 * time.Second, want: []string{"park aut_1 evt_1 CopyTemplate step_slow", "unpark aut_1 evt_1"}},
		"a step that records, slow":       {info: ofRun(true), in: &interceptor.ExecuteActivityInput{Args: []any{activities.FinishInput{AutomationID: "aut_1"}}}, takes: 2 * time.Second, want: []string{"park aut_1 aut_1 CopyTemplate step_slow", "unpark aut_1 aut_1"}},
		"a failure is recorded":           {info: ofRun(true), in: &interceptor.ExecuteActivityInput{Args: []any{activities.FailureInput{Step: activities.Step{OutputID: "out_1"}}}}, want: []string{"unpark aut_1 out_1"}},
		"a question to an endpoint":       {info: ofRun(true), in: &interceptor.ExecuteActivityInput{Args: []any{"evt_1"}}, takes: 2 * time.Second},
		"an event with a run of its own": {info: func() activity.Info {
			info := ofRun(true)
			info.WorkflowType = &workflow.Type{Name: "DeliverEvent"}
			return info
		}(), in: stepOf("out_1"), takes: 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := &lot{tries: 1, since: time.Now()}
				if err := l.run(t, c.info, c.in, c.takes, c.end); !errors.Is(err, c.end) {
					t.Errorf("got %v, want %v", err, c.end)
				}
				if diff := cmp.Diff(c.want, l.calls); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestAStepThatFailsAlikeForTooLongIsGivenUp(t *testing.T) {
	t.Parallel()
	unknown := errors.New("unknown")
	for name, c := range map[string]struct {
		info  activity.Info
		err   error
		tries int
		since time.Duration
		code  string // of what ends the step; empty: it is tried again
	}{
		"a picture's host, soon":     {ofRun(false), errPicture, 30, 59 * time.Minute, ""},
		"a picture's host, seldom":   {ofRun(false), errPicture, 9, 2 * time.Hour, ""},
		"a picture's host":           {ofRun(false), errPicture, 10, time.Hour, "gave_up"},
		"a picture's host, at first": {ofRun(true), errPicture, 10, time.Hour, ""},
		"a copy that goes, soon":     {ofRun(false), errCopyGone, 30, 59 * time.Minute, ""},
		"a copy that goes each time": {ofRun(false), errCopyGone, 10, time.Hour, "gave_up"},
		"a drive, after an hour":     {ofRun(false), errAway, 20, time.Hour, ""},
		"a broken connection, 23 h":  {ofRun(false), errBroken, 400, 23 * time.Hour, ""},
		"a broken connection, 24 h":  {ofRun(false), errBroken, 400, 24 * time.Hour, "gave_up"},
		"a drive's fault, 5 h":       {ofRun(false), errDriveFault, 30, 5 * time.Hour, ""},
		"a drive's fault, 6 h":       {ofRun(false), errDriveFault, 10, 6 * time.Hour, "gave_up"},
		"an export without a PDF":    {ofRun(false), errNoPDF, 10, 6 * time.Hour, "gave_up"},
		"a fault of ours":            {ofRun(false), unknown, 9, time.Minute, ""},
		"a fault of ours at last":    {ofRun(false), unknown, 10, time.Minute, "internal"},
		"a panic, twice":             {ofRun(false), &stepPanic{of: "string"}, 3, time.Second, ""},
		"a panic, again and again":   {ofRun(false), &stepPanic{of: "string"}, 4, time.Second, "internal"},
		"a fault of ours, recording": {func() activity.Info { i := ofRun(false); i.ScheduleToCloseTimeout = 0; return i }(), unknown, 99, activities.Day, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := &lot{tries: c.tries, since: time.Now().Add(-c.since)}
				err := l.run(t, c.info, stepOf("out_1"), 0, c.err)
				ended := !activities.MayPass(err)
				if ended != (c.code != "") || ended && failureOf(err).Code != c.code {
					t.Errorf("got %v, want the code %q", err, c.code)
				}
				if unparked := l.calls[len(l.calls)-1] == "unpark aut_1 out_1"; unparked != ended {
					t.Errorf("calls %v: the run is unparked: %t, want %t", l.calls, unparked, ended)
				}
			})
		})
	}
}

// Each step that waits for a quota gets a time of its own.
func TestAStepThatWaitsForAQuotaComesWhenItWasToldTo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		used := &platen.Error{Kind: platen.KindRateLimited, Code: platen.CodeQuotaUsedUp, Message: "It goes on at 15:05:00 UTC.", RetryAfter: 12 * time.Second}
		l := &lot{tries: 0, since: time.Now().Add(-2 * activities.Day), beside: 50}
		err := l.run(t, ofRun(false), stepOf("out_1"), 0, used)
		if !errors.Is(err, used) || failureOf(err).RetryAfter != used.RetryAfter {
			t.Errorf("got %v, want it as it is, with %v until the next attempt", err, used.RetryAfter)
		}
	})
}

func TestAStepIsMadeAgainWhenItsRunCannotBeUnparked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := platen.Errorf(platen.KindUnavailable, "database_unavailable", "The database does not answer.")
		l := &lot{away: away}
		if err := l.run(t, ofRun(false), stepOf("out_1"), 0, nil); !errors.Is(err, away) {
			t.Errorf("got %v, want %v", err, away)
		}
		if err := l.run(t, ofRun(false), stepOf("out_1"), 0, errAway); !errors.Is(err, errAway) {
			t.Errorf("got %v, want the step's own error", err)
		}
	})
}

func TestOnlyLaterTriesOfDocumentsNeedAShare(t *testing.T) {
	t.Parallel()
	recording := ofRun(false)
	recording.ScheduleToCloseTimeout = 0
	for name, c := range map[string]struct {
		w    *stepAttempt
		want bool
	}{
		"a first attempt":           {&stepAttempt{info: ofRun(true)}, false},
		"a later attempt":           {&stepAttempt{info: ofRun(false)}, true},
		"a later attempt to record": {&stepAttempt{info: recording}, false},
		"an event's own run":        {nil, false},
	} {
		if got := c.w.needsShare(); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}

func TestNoOwnerTakesAllLaterTries(t *testing.T) {
	t.Parallel()
	s := newShares(12)
	count := func(owner string) (n int) {
		for range 20 {
			if _, ok := s.take(owner, "wkf_"+owner); ok {
				n++
			}
		}
		return n
	}
	if a, b, c := count("a"), count("b"), count("c"); a != 4 || b != 2 || c != 1 {
		t.Errorf("got %d, %d and %d of 12; want 4, then 2 up to the half, then 1", a, b, c)
	}
	giveBack, ok := s.take("d", "wkf_d")
	if !ok {
		t.Fatal("an owner without attempts gets none")
	}
	giveBack()
	if _, ok := s.take("d", "wkf_d"); !ok {
		t.Error("what was given back is not to be had")
	}
}

func TestNoWorkflowTakesAllLaterTriesOfItsOwner(t *testing.T) {
	t.Parallel()
	s := newShares(64)
	count := func(workflow string) (n int) {
		for range 20 {
			if _, ok := s.take("usr_1", workflow); ok {
				n++
			}
		}
		return n
	}
	if a, b, c := count("a"), count("b"), count("c"); a != 4 || b != 1 || c != 1 {
		t.Errorf("got %d, %d and %d, want 4, and one for each other workflow", a, b, c)
	}
	more := 0
	for i := range 50 {
		more += count(fmt.Sprint("w", i))
	}
	if more != 2 {
		t.Errorf("fifty more workflows got %d, want 8 of the owner in all", 6+more)
	}
}

func TestAStepLooksEveryMinuteForItsOwnersConnectionAndBacksOffFromADrive(t *testing.T) {
	t.Parallel()
	policy := &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 5 * time.Minute}
	for name, c := range map[string]struct {
		err     error
		attempt int32
		beside  int
		want    time.Duration // 0: Temporal's backoff
	}{
		"connection, at first":          {errBroken, 1, 0, time.Minute},
		"connection, after hours":       {errBroken, 60, 0, time.Minute},
		"connection, many runs":         {errBroken, 60, 100, 200 * time.Second},
		"connection, more runs":         {errBroken, 60, 1000, 5 * time.Minute},
		"a drive, after hours":          {errAway, 60, 0, 0},
		"a drive, at first, many runs":  {errAway, 1, 100, 200 * time.Second},
		"a drive, after hours and many": {errAway, 60, 100, 0},
	} {
		info := ofRun(false)
		info.RetryPolicy, info.Attempt = policy, c.attempt
		w := &stepAttempt{info: info, jitter: func(time.Duration) time.Duration { return 0 }}
		if got := failureOf(w.later(failureOf(c.err), c.beside, c.err)).RetryAfter; got != c.want {
			t.Errorf("%s: got a wait of %v, want %v", name, got, c.want)
		}
	}
}

// A person who reads that a run waits wants to know how long that may take.
func TestALaterTrySaysUntilWhenThereAreOthers(t *testing.T) {
	t.Parallel()
	scheduled := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	later, first, record := ofRun(false), ofRun(true), ofRun(false)
	later.ScheduledTime, record.ScheduledTime = scheduled, scheduled
	record.ScheduleToCloseTimeout = 0
	for name, c := range map[string]struct {
		info     activity.Info
		end      error
		patience time.Duration
		until    time.Time
	}{
		"a picture's host": {later, errPicture, time.Hour, scheduled.Add(activities.Day)},
		"a drive":          {later, errAway, activities.Day, scheduled.Add(activities.Day)},
		"a first try":      {first, errPicture, 0, time.Time{}},
		"a record":         {record, errAway, 0, time.Time{}},
		"a quota":          {later, platen.Errorf(platen.KindRateLimited, platen.CodeQuotaUsedUp, "Wait."), 0, time.Time{}},
	} {
		l := &lot{}
		_ = l.run(t, c.info, stepOf("out_1"), 0, c.end)
		if l.last.Patience != c.patience || !l.last.Until.Equal(c.until) {
			t.Errorf("%s: got %v and %v, want %v and %v", name, l.last.Patience, l.last.Until, c.patience, c.until)
		}
	}
}
