package worker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/platenhq/platen/internal/platen"
)

// panicOf returns how the SDK sees a panic with this value.
func panicOf(t *testing.T, value any) error {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivityWithOptions(func() error { panic(value) }, activity.RegisterOptions{Name: "Panic"})
	_, err := env.ExecuteActivity("Panic")
	var panicked *temporal.PanicError
	if !errors.As(err, &panicked) {
		t.Fatalf("got %T, want the SDK's error of a panic", err)
	}
	return panicked
}

func TestHistoriesKeepNothingOfAPanic(t *testing.T) {
	t.Parallel()
	failure := Failures().ErrorToFailure(panicOf(t, "no letter for Canary"))
	if text := failure.String(); strings.Contains(text, "Canary") || strings.Contains(text, ".go:") || failure.GetMessage() == "" {
		t.Errorf("got %s, want words without value and stack", text)
	}
	failure = Failures().ErrorToFailure(temporal.NewApplicationErrorWithCause("a step failed", "internal", panicOf(t, "no letter for Canary")))
	if text := failure.String(); strings.Contains(text, "Canary") || strings.Contains(text, ".go:") {
		t.Errorf("as a cause: got %s, want nothing of value and stack", text)
	}
}

func TestHistoriesSayThatCodeDoesNotFitARun(t *testing.T) {
	t.Parallel()
	const said = "[TMPRL1100] history event is TimerStarted, replay command is ScheduleActivityTask"
	if got := Failures().ErrorToFailure(panicOf(t, said)).GetMessage(); got != said {
		t.Errorf("got %q, want %q", got, said)
	}
}

// Failures other than panics stay as the SDK writes and reads them.
func TestOtherFailuresStayAsTheyAre(t *testing.T) {
	t.Parallel()
	err := temporal.NewApplicationErrorWithOptions("The drive is full.", "drive_quota", temporal.ApplicationErrorOptions{NonRetryable: true, NextRetryDelay: time.Minute})
	got, want := Failures().ErrorToFailure(err), temporal.GetDefaultFailureConverter().ErrorToFailure(err)
	if got.String() != want.String() {
		t.Errorf("got %s, want %s", got, want)
	}
	var kept *temporal.ApplicationError
	if back := Failures().FailureToError(got); !errors.As(back, &kept) || kept.Type() != "drive_quota" || !kept.NonRetryable() {
		t.Errorf("read back: got %v", back)
	}
}

func TestAStepThatPanicsEndsAfterSomeTries(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	unknown, away := errors.New("unknown"), platen.Errorf(platen.KindUnavailable, "drive_unavailable", "away")
	for name, c := range map[string]struct {
		err  error
		info activity.Info
		last bool
	}{
		"a panic, first":                {&stepPanic{}, activity.Info{Attempt: 1, IsLocalActivity: true}, false},
		"a panic, again":                {&stepPanic{}, activity.Info{Attempt: panicTries - 1, ScheduleToCloseTimeout: day}, false},
		"a panic, at last":              {&stepPanic{}, activity.Info{Attempt: panicTries, ScheduleToCloseTimeout: day}, true},
		"a panic of a record":           {&stepPanic{}, activity.Info{Attempt: panicTries}, true},
		"an unknown error of a record":  {unknown, activity.Info{Attempt: 10 * panicTries}, false},
		"a drive that does not answer":  {away, activity.Info{Attempt: 10 * panicTries, ScheduleToCloseTimeout: day}, false},
		"a step whose worker goes away": {context.DeadlineExceeded, activity.Info{Attempt: 1, ScheduleToCloseTimeout: day}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := isLastAttempt(c.info, c.err); got != c.last {
				t.Errorf("the last attempt: got %t, want %t", got, c.last)
			}
		})
	}
}
