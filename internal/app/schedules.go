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
// schedules. erased tells of automations that were erased; nil: that is not kept.
func schedules(c config.Work, db *run.DB, open func(ctx context.Context, ownerID string) (schedule.Drive, error), erased func(automationID string) (bool, error), counts *telemetry.Metrics) maintenance.Job {
	client := outgoing.NewClient(outgoing.Options{AllowPrivate: c.AllowPrivate.Value(), Own: append(ownPorts(c.Database, c.Observe), c.TemporalAddress)})
	folders := schedule.NewFolders(db.Schedules, open)
	folders.Erased = erased
	runner := schedule.Runner{Store: db.Schedules, Read: schedule.Reader{Client: client}.Read, Now: time.Now, Folders: folders, Count: counts.Carried}
	return maintenance.Job{Name: "schedules", Every: schedule.Every, Do: runner.Pass}
}
