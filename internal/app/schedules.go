package app

import (
	"context"
	"time"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/schedule"
	"github.com/platenhq/platen/internal/telemetry"
)

// schedules starts runs by the clock. What is allowed to receivers is allowed to addresses of
// schedules.
func schedules(c config.Work, db *run.DB, folders func(ctx context.Context, ownerID string) (schedule.Drive, error), counts *telemetry.Metrics) maintenance.Job {
	client := outgoing.NewClient(outgoing.Options{AllowPrivate: c.AllowPrivate.Value(), Own: append(ownPorts(c.Database, c.Observe), c.TemporalAddress)})
	runner := schedule.Runner{Store: db.Schedules, Read: schedule.Reader{Client: client}.Read, Now: time.Now, Folders: schedule.NewFolders(db.Schedules, folders), Count: counts.Carried}
	return maintenance.Job{Name: "schedules", Every: schedule.Every, Do: runner.Pass}
}
