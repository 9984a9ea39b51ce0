package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// ScheduleFileColumns are those of a ScheduleFileRow, of a table f.
const ScheduleFileColumns = `f.file_id, f.name, f.mime_type, f.size, f.made_at, f.changed_at, f.state, f.automation_id, f.batch_id, f.code, f.message, f.attempts, f.noted_at, f.ended_at`

// A ScheduleFileRow is a file of a schedule's folder as it is stored.
type ScheduleFileRow struct {
	FileID       string                   `db:"file_id"`
	Name         string                   `db:"name"`
	MIMEType     string                   `db:"mime_type"`
	Size         int64                    `db:"size"`
	MadeAt       time.Time                `db:"made_at"`
	ChangedAt    time.Time                `db:"changed_at"`
	State        platen.ScheduleFileState `db:"state"`
	AutomationID string                   `db:"automation_id"`
	BatchID      string                   `db:"batch_id"`
	Code         string                   `db:"code"`
	Message      string                   `db:"message"`
	Attempts     int                      `db:"attempts"`
	NotedAt      time.Time                `db:"noted_at"`
	EndedAt      *time.Time               `db:"ended_at"`
}

// ScheduleFilesOf is what rows say.
func ScheduleFilesOf(rows []ScheduleFileRow) []platen.ScheduleFile {
	all := make([]platen.ScheduleFile, len(rows))
	for i, r := range rows {
		if r.State == platen.FileSkipped {
			r.Message = platen.MessageOfSkipped(r.Code)
		}
		all[i] = platen.ScheduleFile{
			File:  platen.File{ID: r.FileID, Name: r.Name, MIMEType: r.MIMEType, Size: r.Size, CreatedAt: r.MadeAt.UTC(), ModifiedAt: r.ChangedAt.UTC()},
			State: r.State, AutomationID: r.AutomationID, BatchID: r.BatchID, Code: r.Code, Message: r.Message, Attempts: r.Attempts, NotedAt: r.NotedAt.UTC(), EndedAt: UTC(r.EndedAt),
		}
	}
	return all
}

// ScheduleFiles returns a page of the files of a schedule's folder, by when they were noted.
func (s *Schedules) ScheduleFiles(ctx context.Context, caller platen.User, workflowID, scheduleID string, q platen.ScheduleFileQuery) ([]platen.ScheduleFile, error) {
	err := authorize(ctx, s.db.pool, caller, workflowID)
	if err == nil {
		_, err = findSchedule(ctx, s.db.pool, s.db.vault, workflowID, scheduleID)
	}
	var rows []ScheduleFileRow
	if err == nil {
		rows, err = Collect[ScheduleFileRow](ctx, s.db.pool, `
			SELECT `+ScheduleFileColumns+`
			FROM schedule_files f
			WHERE f.schedule_id = @schedule AND `+only("f.state", q.States)+` AND (f.noted_at, f.file_id) `+beyond(q.Page)+` (@after_time::timestamptz, @after_id::text)
			ORDER BY f.noted_at`+direction(q.Page)+`, f.file_id`+direction(q.Page)+`
			LIMIT @limit`, boundedPageArgs(q.Page, pgx.NamedArgs{"schedule": scheduleID, "states": q.States}))
	}
	if err != nil {
		return nil, fmt.Errorf("list files of schedule %s: %w", scheduleID, err)
	}
	return putInOrder(q.Page, ScheduleFilesOf(rows)), nil
}

// countFiles counts the files of schedules that have a folder, each state up to
// platen.MaxFilesCounted.
func countFiles(ctx context.Context, q Querier, all []platen.Schedule) error {
	var ids []string
	of := map[string]map[platen.ScheduleFileState]int{}
	for i, s := range all {
		if s.Folder != "" {
			of[s.ID] = map[platen.ScheduleFileState]int{}
			all[i].Files, ids = of[s.ID], append(ids, s.ID)
		}
	}
	if ids == nil {
		return nil
	}
	rows, err := Collect[struct {
		ID    string                   `db:"schedule_id"`
		State platen.ScheduleFileState `db:"state"`
		N     int                      `db:"n"`
	}](ctx, q, countOfFiles, pgx.NamedArgs{"ids": ids, "states": platen.ScheduleFileStates(), "most": platen.MaxFilesCounted})
	for _, r := range rows {
		if r.N > 0 {
			of[r.ID][r.State] = r.N
		}
	}
	return err
}

// countOfFiles ends at a bound for each state: a folder that was watched for years has a million
// files, and each page with its schedule counts them.
const countOfFiles = `
	SELECT s.id AS schedule_id, t.state, (SELECT count(*) FROM (SELECT FROM schedule_files f WHERE f.schedule_id = s.id AND f.state = t.state LIMIT @most) few) AS n
	FROM unnest(@ids::text[]) AS s (id)
	CROSS JOIN unnest(@states::text[]) AS t (state)`
