package app

import (
	"context"
	"time"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/schedule"
	"github.com/platenhq/platen/internal/telemetry"
)

// schedules starts runs by the clock. What is allowed to receivers is allowed to addresses of
// schedules.
func schedules(c config.Work, db *run.DB, folders func(ctx context.Context, ownerID string) (schedule.Drive, error), counts *telemetry.Metrics) maintenance.Job {
	client := outgoing.NewClient(outgoing.Options{AllowPrivate: c.AllowPrivate.Value(), Own: append(ownPorts(c.Database, c.Observe), c.TemporalAddress)})
	runner := schedule.Runner{Store: countedSchedules{db.Schedules, counts}, Read: schedule.Reader{Client: client}.Read, Now: time.Now, Folders: schedule.NewFolders(db.Schedules, folders)}
	return maintenance.Job{Name: "schedules", Every: schedule.Every, Do: runner.Pass}
}

// countedSchedules counts what became of moments.
type countedSchedules struct {
	*run.Schedules
	counts *telemetry.Metrics
}

func (s countedSchedules) AcceptMoment(ctx context.Context, due platen.DueSchedule, at, next time.Time, events [][]byte) error {
	err := s.Schedules.AcceptMoment(ctx, due, at, next, events)
	if err == nil {
		s.counts.Carried(platen.ScheduleDone, "")
	}
	return err
}

func (s countedSchedules) SettleMoment(ctx context.Context, due platen.DueSchedule, next, retry time.Time, outcome *platen.ScheduleOutcome) error {
	err := s.Schedules.SettleMoment(ctx, due, next, retry, outcome)
	if err == nil && outcome != nil {
		s.counts.Carried(outcome.State, outcome.Code)
	}
	return err
}
