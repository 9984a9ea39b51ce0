package app

import (
	"context"
	"strings"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/schedule"
	"github.com/platenhq/platen/internal/telemetry"
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
		maintenance.SweepAudit(s.db.Audit, s.AuditRetention.Value()),
		maintenance.WarnOfTokens(endingTokens(s.db.Tokens)),
	}
}

func endingTokens(tokens *postgres.Tokens) func(context.Context, time.Duration) ([]maintenance.EndingToken, error) {
	return func(ctx context.Context, within time.Duration) ([]maintenance.EndingToken, error) {
		found, err := tokens.TokensEndingSoon(ctx, within)
		ending := make([]maintenance.EndingToken, len(found))
		for i, t := range found {
			ending[i] = maintenance.EndingToken{ID: t.ID, UserID: t.UserID, ExpiresAt: *t.ExpiresAt}
		}
		return ending, err
	}
}

// workJobs are what is done now and then beside a worker. folders opens drives whose folders
// schedules look into.
func workJobs(c config.Work, db *run.DB, open activities.Drives, folders func(ctx context.Context, ownerID string) (schedule.Drive, error), runs maintenance.Runs, mails *activities.Mails, counts *telemetry.Metrics) []maintenance.Job {
	var stones maintenance.Tombstones
	var erased func(automationID string) (bool, error)
	if c.ErasuresFile != "" {
		file := maintenance.NewTombstoneFile(c.ErasuresFile)
		stones, erased = file, file.Had
	}
	erasing := func(ctx context.Context, ownerID string) (maintenance.ErasingDrive, error) {
		return open(ctx, ownerID)
	}
	sweepAfter := c.SweepAfter.Value()
	drives := func(ctx context.Context, ownerID string) (maintenance.OutputDrive, error) {
		return open(ctx, ownerID)
	}
	jobs := []maintenance.Job{
		maintenance.SweepOutputs(db.Outputs, db.Plans, drives, runs, sweepAfter),
		maintenance.SweepFolders(db.Folders),
		maintenance.SweepBatches(db.Batches),
		maintenance.FoldUsage(db.Usage),
		maintenance.WakeReviews(db.Reviews),
		maintenance.StoreOverdueOutputs(db.Targets),
		schedules(c, db, folders, erased, counts),
		maintenance.Retain(db.Automations, maintenance.Ages{Data: c.RetentionData.Value(), Outputs: c.RetentionOutputs.Value()}),
		maintenance.Erase(db.Automations, erasing, stones, sweepAfter),
	}
	if mails.Server == nil {
		return jobs
	}
	jobs = append(jobs, maintenance.SendOverdueMails(countedMails{db.Mails, counts}, func(ctx context.Context, m platen.OverdueMail) error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		_, err := mails.SendMail(ctx, activities.MailInput{Step: activities.Step{AutomationID: m.AutomationID, OutputID: m.OutputID}, Number: m.Number})
		return err
	}))
	if c.SMTPNotices.Value() {
		jobs = append(jobs, maintenance.TellOwners(db.Notices, countedNotices{mails.Server, counts}, consoleURL(c.APIURL)))
	}
	return jobs
}

// consoleURL is where users of an API sign in; empty: its address is not known.
func consoleURL(apiURL string) string {
	if base, ok := strings.CutSuffix(strings.TrimRight(apiURL, "/"), "/v0"); ok {
		return base + "/console"
	}
	return ""
}

// driveJobs are what is done now and then beside our own drive, which knows its
// own rules.
func driveJobs(store *store.Store) []maintenance.Job {
	return []maintenance.Job{
		{Name: "drive sweep", Every: time.Hour, Do: store.Sweep},
	}
}
