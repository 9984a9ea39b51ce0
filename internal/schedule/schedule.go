// Package schedule carries out moments of schedules: it reads their events and has them
// accepted.
//
// When a moment comes, and what counts as one, is the domain's (platen.Cron). Rows are the
// store's. No run of an automation belongs here.
package schedule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

const (
	// atOnce is how many schedules a worker carries out side by side, and ofOwner how many of
	// one owner all workers do: a host that does not answer holds up no other owner.
	atOnce  = 16
	ofOwner = 4
	// lease is far longer than a request to a URL and the commit behind it may take.
	lease = 2 * time.Minute
	// Every is how often a worker looks.
	Every = time.Second
)

// Store has schedules.
type Store interface {
	// ClaimSchedules leases schedules that are due, at most in all and share of one owner. With
	// an error it returns those that can be carried out nevertheless.
	ClaimSchedules(ctx context.Context, most, share int, lease time.Duration) ([]platen.DueSchedule, error)
	// AcceptMoment stores the events of a moment and moves the schedule on to next, in one
	// commit, and answers with what became of the moment; nil: the schedule is not as it was
	// claimed, and nothing is stored. KindRateLimited: the owner's limit leaves no room, and
	// nothing is stored.
	AcceptMoment(ctx context.Context, due platen.DueSchedule, at, next time.Time, events [][]byte) (*platen.ScheduleOutcome, error)
	// SettleMoment moves a schedule on to next, or has it looked at again at retry where that
	// is not zero. Outcome nil: nothing is said. held is false where the schedule is not as it
	// was claimed, and stays as it is.
	SettleMoment(ctx context.Context, due platen.DueSchedule, next, retry time.Time, outcome *platen.ScheduleOutcome) (held bool, err error)
}

// A Runner carries out what is due. Any number of them may work side by side.
type Runner struct {
	Store Store
	// Read reads the URL of a schedule.
	Read func(ctx context.Context, s platen.Schedule, at time.Time) ([]byte, error)
	Now  func() time.Time // the clock
	// Folders looks into the folder of a schedule.
	Folders *Folders
	// Count is told what became of a moment that this worker held to its end; nil: nobody is.
	Count func(state platen.ScheduleState, code string)
}

// Pass carries out what is due, until nothing is and nothing is under way.
func (r Runner) Pass(ctx context.Context, log *slog.Logger) error {
	done := make(chan struct{}, atOnce)
	running, failed := 0, error(nil)
	for {
		if running < atOnce && ctx.Err() == nil {
			due, err := r.Store.ClaimSchedules(ctx, atOnce-running, ofOwner, lease)
			if err != nil {
				failed = err
			}
			for _, one := range due {
				running++
				go func() {
					defer func() { done <- struct{}{} }()
					if err := r.safely(ctx, one); err != nil && ctx.Err() == nil {
						log.LogAttrs(ctx, slog.LevelWarn, "a schedule was not carried out; it is tried again", slog.String("schedule", one.ID), slog.String("error", err.Error()))
					}
				}()
			}
		}
		if running == 0 {
			return failed
		}
		select {
		case <-done:
			running--
		case <-time.After(Every):
		}
	}
}

// safely is carryOut, whose panic is an error.
func (r Runner) safely(ctx context.Context, due platen.DueSchedule) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic of type %T at %s", value, debug.Stack())
		}
	}()
	return r.carryOut(ctx, due)
}

// carryOut carries out the moment of a schedule. Its error leaves the lease to run out: another
// worker takes the moment then.
func (r Runner) carryOut(ctx context.Context, due platen.DueSchedule) error {
	at, missed, err := r.momentOf(due)
	if err != nil {
		return err
	}
	next, err := due.Next(at)
	if err != nil {
		return err
	}
	if now := r.Now(); missed || next.Before(now) {
		if next, err = due.Next(now); err != nil {
			return err
		}
	}
	switch {
	case due.Off:
		return r.settle(ctx, due, next, time.Time{}, givenUp(due.Last))
	case due.Folder != "": // files wait, however long
		return r.look(ctx, due, at, next)
	case missed:
		return r.settle(ctx, due, next, time.Time{}, &platen.ScheduleOutcome{
			At: at, State: platen.ScheduleFailed, Code: platen.CodeScheduleMissed,
			Message: "No worker was there for a day after this moment. Run the schedule, if its documents are still wanted.",
		})
	}
	events, err := r.events(ctx, due, at)
	refused, isRefused := errors.AsType[*platen.Error](err)
	if err == nil {
		var outcome *platen.ScheduleOutcome
		outcome, err = r.Store.AcceptMoment(ctx, due, at, next, events)
		r.count(outcome)
		// A database that is away says nothing of the schedule.
		isRefused = errors.As(err, &refused) && refused.Kind == platen.KindRateLimited
	}
	if !isRefused {
		return err
	}
	return r.fail(ctx, due, at, next, refused)
}

// givenUp is what is said of a last moment with which nothing more is tried; nil: what was said.
func givenUp(last *platen.ScheduleOutcome) *platen.ScheduleOutcome {
	if last == nil || last.State != platen.ScheduleRetry {
		return nil
	}
	outcome := *last
	outcome.State = platen.ScheduleFailed
	return &outcome
}

// momentOf is the moment that is carried out. What was asked for besides is of when it was.
func (r Runner) momentOf(due platen.DueSchedule) (at time.Time, missed bool, err error) {
	if due.RequestedAt != nil {
		return *due.RequestedAt, false, nil
	}
	return due.Due(r.Now())
}

func (r Runner) events(ctx context.Context, due platen.DueSchedule, at time.Time) ([][]byte, error) {
	if due.URL == "" {
		return platen.ScheduleEvents(due.Data)
	}
	data, err := r.Read(ctx, due.Schedule, at)
	if err != nil || data == nil {
		return nil, err
	}
	return platen.ScheduleEvents(data)
}

// fail has a moment tried again where another attempt may do and comes before the next
// moment; else it is over. A folder has no moment that is late, and once it has failed it is
// looked at at each moment.
func (r Runner) fail(ctx context.Context, due platen.DueSchedule, at, next time.Time, why *platen.Error) error {
	outcome := platen.ScheduleOutcome{At: at, State: platen.ScheduleFailed, Code: why.Code, Message: why.Message}
	var retry time.Time
	folder := due.Folder != ""
	mayDo := why.Kind == platen.KindUnavailable || folder && why.Kind == platen.KindRateLimited && why.Code != platen.CodeUsageLimit
	failedBefore := folder && due.Last != nil && due.Last.State == platen.ScheduleFailed && due.Last.Code == why.Code
	if wait, more := platen.RetrySchedule(due.Attempts); more && mayDo && !failedBefore {
		if again := r.Now().Add(wait); folder || due.RequestedAt != nil || again.Before(next) {
			outcome.State, retry = platen.ScheduleRetry, again
		}
	}
	return r.settle(ctx, due, next, retry, &outcome)
}

func (r Runner) settle(ctx context.Context, due platen.DueSchedule, next, retry time.Time, outcome *platen.ScheduleOutcome) error {
	held, err := r.Store.SettleMoment(ctx, due, next, retry, outcome)
	if held {
		r.count(outcome)
	}
	return err
}

func (r Runner) count(outcome *platen.ScheduleOutcome) {
	if outcome != nil && r.Count != nil {
		r.Count(outcome.State, outcome.Code)
	}
}
