package app

import (
	"context"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/postgres"
)

// jobs are what is done now and then beside the API.
func (s served) jobs() []maintenance.Job {
	drives := func(ctx context.Context, ownerID string) (maintenance.TemplateDrive, error) {
		return s.connector.Drive(ctx, ownerID)
	}
	return []maintenance.Job{
		maintenance.SweepTemplates(s.db.OrphanedTemplates, drives),
		maintenance.SweepPreviews(s.db.Previews, s.previews.RemoveOrphan),
		maintenance.SweepKeys(s.db.Idempotency),
	}
}

// workJobs are what is done now and then beside a worker.
func workJobs(db *postgres.DB, open activities.Drives, runs maintenance.Runs, sweepAfter time.Duration) []maintenance.Job {
	drives := func(ctx context.Context, ownerID string) (maintenance.OutputDrive, error) {
		return open(ctx, ownerID)
	}
	return []maintenance.Job{
		maintenance.SweepOutputs(db.Outputs, db.Plans, drives, runs, sweepAfter),
	}
}

// driveJobs are what is done now and then beside our own drive, which knows its
// own rules.
func driveJobs(store *drive.Store) []maintenance.Job {
	return []maintenance.Job{
		{Name: "drive sweep", Every: time.Hour, Do: store.Sweep},
	}
}
