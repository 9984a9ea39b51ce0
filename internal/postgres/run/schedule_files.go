package run

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// CheckStarts says why TakeEvent would refuse each event of a schedule now.
func (s *Schedules) CheckStarts(ctx context.Context, due platen.DueSchedule) error {
	err := s.whileHeld(ctx, due, func(tx pgx.Tx, m heldMoment) error {
		if err := m.checkStarts(); err != nil || due.Test {
			return err
		}
		return postgres.CheckRoom(ctx, tx, due.WorkflowID)
	})
	if err != nil {
		return fmt.Errorf("look what schedule %s may start: %w", due.ID, err)
	}
	return nil
}

// FailedFiles are the ids of files of a schedule's folder that were not taken.
func (s *Schedules) FailedFiles(ctx context.Context, scheduleID string) ([]string, error) {
	rows, err := postgres.Collect[struct {
		ID string `db:"file_id"`
	}](ctx, s.db.Pool(), `
		SELECT file_id
		FROM schedule_files
		WHERE schedule_id = @id AND state = 'FAILED'`, pgx.NamedArgs{"id": scheduleID})
	if err != nil {
		return nil, fmt.Errorf("list failed files of schedule %s: %w", scheduleID, err)
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids, nil
}

// NoteFiles notes files of a folder that are not known yet. skips has for each why it is not
// taken; empty: it is. One that failed and was changed since, or has another name, is noted as a
// new one. One that was there before the schedule is noted again once such files are asked for.
// held is false for a schedule that was changed meanwhile: nothing is noted.
func (s *Schedules) NoteFiles(ctx context.Context, due platen.DueSchedule, files []platen.File, skips []string) (held bool, err error) {
	args := pgx.NamedArgs{"schedule": due.ID, "skips": skips, "kind": platen.CodeFileKind, "existing": platen.CodeFileExisting, "take_existing": due.TakeExisting}
	var ids, names, types []string
	var sizes []int64
	var made, changed []time.Time
	for _, f := range files {
		ids, names, types = append(ids, f.ID), append(names, postgres.CleanText(f.Name)), append(types, postgres.CleanText(f.MIMEType))
		sizes, made, changed = append(sizes, f.Size), append(made, f.CreatedAt), append(changed, f.ModifiedAt)
	}
	args["ids"], args["names"], args["types"], args["sizes"], args["made"], args["changed"] = ids, names, types, sizes, made, changed
	err = s.whileHeld(ctx, due, func(tx pgx.Tx, _ heldMoment) error {
		held = true
		_, err := postgres.Execute(ctx, tx, `
			INSERT INTO schedule_files (schedule_id, file_id, name, mime_type, size, made_at, changed_at, state, code, noted_at, ended_at)
			SELECT @schedule, n.file_id, n.name, n.mime_type, n.size, n.made_at, n.changed_at, CASE n.skip WHEN '' THEN 'PENDING' ELSE 'SKIPPED' END, n.skip, now(), CASE n.skip WHEN '' THEN NULL ELSE now() END
			FROM (
				SELECT DISTINCT ON (file_id) *
				FROM unnest(@ids::text[], @names::text[], @types::text[], @sizes::bigint[], @made::timestamptz[], @changed::timestamptz[], @skips::text[])
					AS n (file_id, name, mime_type, size, made_at, changed_at, skip)
			) n
			LEFT JOIN schedule_files f ON f.schedule_id = @schedule AND f.file_id = n.file_id
			WHERE f.file_id IS NULL
				OR f.state = 'FAILED' AND (f.name, f.size, f.changed_at) IS DISTINCT FROM (n.name, n.size, n.changed_at)
				OR f.state = 'SKIPPED' AND (f.code = @kind AND n.skip = '' OR f.code = @existing AND @take_existing)
			ON CONFLICT (schedule_id, file_id) DO UPDATE
			SET name = excluded.name, mime_type = excluded.mime_type, size = excluded.size, changed_at = excluded.changed_at, state = excluded.state, code = excluded.code,
				message = '', attempts = 0, try_at = NULL, noted_at = excluded.noted_at, ended_at = excluded.ended_at`, args)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("note files of schedule %s: %w", due.ID, err)
	}
	return held, nil
}

// EndListing notes that a folder was listed for a moment; full: it has more files. gone are files that failed and are not
// in it any more: they are forgotten. With retry, those that failed or wait for room are tried again.
func (s *Schedules) EndListing(ctx context.Context, due platen.DueSchedule, at time.Time, full bool, gone []string, retry bool) error {
	args := pgx.NamedArgs{"id": due.ID, "at": at, "full": full, "gone": gone}
	err := s.whileHeld(ctx, due, func(tx pgx.Tx, _ heldMoment) error {
		if _, err := postgres.Execute(ctx, tx, `
			DELETE FROM schedule_files
			WHERE schedule_id = @id AND state = 'FAILED' AND file_id = ANY (@gone)`, args); err != nil {
			return err
		}
		if retry {
			if _, err := postgres.Execute(ctx, tx, `
				UPDATE schedule_files
				SET state = 'PENDING', code = '', message = '', attempts = 0, try_at = NULL, ended_at = NULL
				WHERE schedule_id = @id AND (state = 'FAILED' OR state = 'PENDING' AND code = '`+platen.CodeUsageLimit+`')`, args); err != nil {
				return err
			}
		}
		_, err := postgres.Execute(ctx, tx, `
			UPDATE schedules
			SET looked_at = @at, listed_at = CASE WHEN @full THEN listed_at ELSE @at END
			WHERE id = @id`, args)
		return err
	})
	if err != nil {
		return fmt.Errorf("end the listing of schedule %s: %w", due.ID, err)
	}
	return nil
}

// PendingFiles are files that can be taken now: those that failed less often first, and of these
// the oldest.
func (s *Schedules) PendingFiles(ctx context.Context, scheduleID string, most int) ([]platen.ScheduleFile, error) {
	rows, err := postgres.Collect[postgres.ScheduleFileRow](ctx, s.db.Pool(), `
		SELECT `+postgres.ScheduleFileColumns+`
		FROM schedule_files f
		WHERE f.schedule_id = @id AND f.state = 'PENDING' AND coalesce(f.try_at <= now(), true)
		ORDER BY f.attempts, f.made_at, f.file_id
		LIMIT @most`, pgx.NamedArgs{"id": scheduleID, "most": most})
	if err != nil {
		return nil, fmt.Errorf("list files of schedule %s: %w", scheduleID, err)
	}
	return postgres.ScheduleFilesOf(rows), nil
}

// TakeEvent stores the event of a file as an automation, and notes that the file is taken, in one
// commit. A file that is taken already, or a schedule that was changed, is left as it is. Where
// the workflow starts nothing, or the limit of the owner leaves no room, it is a platen.Error and
// nothing is stored.
func (s *Schedules) TakeEvent(ctx context.Context, due platen.DueSchedule, file platen.ScheduleFile, event []byte) error {
	id, payload := platen.FileAutomation(due.ID, file.ID), ""
	err := s.whileHeld(ctx, due, func(tx pgx.Tx, m heldMoment) error {
		if held, err := m.holdFile(ctx, tx, due, file); err != nil || !held {
			return err
		}
		reference := file.Name
		if !platen.IsReference(reference) {
			reference = due.Name
		}
		if _, err := s.insertEvents(ctx, tx, due, reference, []string{id}, [][]byte{event}); err != nil {
			return err
		}
		if m.Ordered {
			payload = postgres.OrderedPayload
		}
		return taken(ctx, tx, due, file, id, "")
	})
	if err == nil {
		_ = postgres.Notify(ctx, s.db.Pool(), payload) // dispatch looks once a second anyway
	}
	if err != nil {
		return fmt.Errorf("take a file of schedule %s: %w", due.ID, err)
	}
	return nil
}

// TakeBatch stores the rows of a file as a batch, or nothing of it, and otherwise is TakeEvent.
// The first error of rows ends it and comes back as it is.
func (s *Schedules) TakeBatch(ctx context.Context, due platen.DueSchedule, file platen.ScheduleFile, name string, rows iter.Seq2[platen.BatchRow, error]) error {
	b := platen.NewBatch{ID: platen.FileBatch(due.ID, file.ID), Name: name, Test: due.Test, RequestID: platen.NewID(platen.PrefixRequest), CreatedAt: time.Now()}
	return s.db.Batches.StoreFile(ctx, platen.User{ID: due.OwnerID}, due.WorkflowID, b, rows, func(tx pgx.Tx) (bool, error) {
		m, held, err := holdMoment(ctx, tx, due, "NOT "+isOff)
		if err == nil && held {
			held, err = m.holdFile(ctx, tx, due, file)
		}
		if err != nil || !held {
			return false, err
		}
		return true, taken(ctx, tx, due, file, "", b.ID)
	})
}

// RefuseFile notes that an attempt to take a file failed. It is tried again at retry, which is
// zero for never. One that the limit of the owner leaves no room for had no attempt.
func (s *Schedules) RefuseFile(ctx context.Context, due platen.DueSchedule, file platen.ScheduleFile, why *platen.Error, retry time.Time) error {
	args := pgx.NamedArgs{"schedule": due.ID, "file": file.ID, "changed": file.ModifiedAt, "code": why.Code, "message": why.Message, "again": !retry.IsZero(), "retry": retry}
	_, err := postgres.Execute(ctx, s.db.Pool(), `
		UPDATE schedule_files
		SET state = CASE WHEN @again THEN 'PENDING' ELSE 'FAILED' END, code = @code, message = @message, attempts = attempts + CASE WHEN @code = '`+platen.CodeUsageLimit+`' THEN 0 ELSE 1 END,
			try_at = CASE WHEN @again THEN @retry::timestamptz END, ended_at = CASE WHEN @again THEN NULL ELSE now() END
		WHERE schedule_id = @schedule AND file_id = @file AND state = 'PENDING' AND changed_at = @changed`, args)
	if err != nil {
		return fmt.Errorf("refuse a file of schedule %s: %w", due.ID, err)
	}
	return nil
}

// ForgetFile forgets a file that was noted, and is not in the drive any more.
func (s *Schedules) ForgetFile(ctx context.Context, scheduleID, fileID string) error {
	_, err := postgres.Execute(ctx, s.db.Pool(), `
		DELETE FROM schedule_files
		WHERE schedule_id = @schedule AND file_id = @file AND state = 'PENDING'`, pgx.NamedArgs{"schedule": scheduleID, "file": fileID})
	if err != nil {
		return fmt.Errorf("forget a file of schedule %s: %w", scheduleID, err)
	}
	return nil
}

// FolderStanding says how far a look into a folder has got that began at a moment.
func (s *Schedules) FolderStanding(ctx context.Context, scheduleID string, at time.Time) (platen.FolderStanding, error) {
	args := pgx.NamedArgs{"id": scheduleID, "at": at}
	type counts struct {
		Taken   int `db:"taken"`
		Failed  int `db:"failed"`
		Pending int `db:"pending"`
	}
	var standing platen.FolderStanding
	found, _, err := postgres.CollectOne[counts](ctx, s.db.Pool(), `
		SELECT (SELECT count(*) FROM schedule_files WHERE schedule_id = @id AND state = 'TAKEN' AND ended_at >= @at) AS taken,
			(SELECT count(*) FROM schedule_files WHERE schedule_id = @id AND state = 'FAILED') AS failed,
			(SELECT count(*) FROM schedule_files WHERE schedule_id = @id AND state = 'PENDING' AND coalesce(try_at <= now(), true)) AS pending`, args)
	standing.Taken, standing.Failed, standing.Pending = found.Taken, found.Failed, found.Pending
	first := func(where string) (*platen.ScheduleFile, *time.Time, error) {
		type row struct {
			postgres.ScheduleFileRow
			TryAt *time.Time `db:"try_at"`
		}
		r, ok, err := postgres.CollectOne[row](ctx, s.db.Pool(), `
			SELECT `+postgres.ScheduleFileColumns+`, f.try_at
			FROM schedule_files f
			WHERE f.schedule_id = @id AND `+where+`
			LIMIT 1`, args)
		if err != nil || !ok {
			return nil, nil, err
		}
		return &postgres.ScheduleFilesOf([]postgres.ScheduleFileRow{r.ScheduleFileRow})[0], r.TryAt, nil
	}
	if err == nil && standing.Failed > 0 {
		standing.Last, _, err = first("f.state = 'FAILED' ORDER BY f.ended_at DESC, f.file_id")
	}
	var until *time.Time
	if err == nil {
		standing.Waits, until, err = first("f.state = 'PENDING' AND f.try_at > now() ORDER BY f.try_at, f.file_id")
	}
	if err != nil {
		return standing, fmt.Errorf("read how far schedule %s is: %w", scheduleID, err)
	}
	if until != nil {
		standing.WaitsUntil = until.UTC()
	}
	return standing, nil
}

// whileHeld calls do while it holds the row of a schedule that is as it was claimed, and on.
func (s *Schedules) whileHeld(ctx context.Context, due platen.DueSchedule, do func(tx pgx.Tx, m heldMoment) error) error {
	return s.db.InTx(ctx, func(tx pgx.Tx) error {
		m, held, err := holdMoment(ctx, tx, due, "NOT "+isOff)
		if err != nil || !held {
			return err
		}
		return do(tx, m)
	})
}

func (m heldMoment) checkStarts() error {
	return platen.Workflow{Status: m.Status, AutoCreate: m.AutoCreate}.CheckStarts()
}

// holdFile holds a file that is to be taken. Not held: it is taken, or was changed since. The
// error says that the workflow starts nothing.
func (m heldMoment) holdFile(ctx context.Context, tx pgx.Tx, due platen.DueSchedule, file platen.ScheduleFile) (held bool, err error) {
	if err := m.checkStarts(); err != nil {
		return false, err
	}
	_, held, err = postgres.CollectOne[struct {
		State string `db:"state"`
	}](ctx, tx, `
		SELECT state
		FROM schedule_files
		WHERE schedule_id = @schedule AND file_id = @file AND state = 'PENDING' AND changed_at = @changed
		FOR NO KEY UPDATE`, pgx.NamedArgs{"schedule": due.ID, "file": file.ID, "changed": file.ModifiedAt})
	return held, err
}

func taken(ctx context.Context, tx pgx.Tx, due platen.DueSchedule, file platen.ScheduleFile, automationID, batchID string) error {
	_, err := postgres.Execute(ctx, tx, `
		UPDATE schedule_files
		SET state = 'TAKEN', automation_id = @automation, batch_id = @batch, code = '', message = '', try_at = NULL, ended_at = now()
		WHERE schedule_id = @schedule AND file_id = @file`,
		pgx.NamedArgs{"schedule": due.ID, "file": file.ID, "automation": automationID, "batch": batchID})
	return err
}
