package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Schedules is the store of what starts runs by the clock. Workers find the moments that have
// come in package run.
type Schedules struct{ db *DB }

const (
	scheduleData   = "schedules.data"
	scheduleSecret = "schedules.secret"
)

// ScheduleColumns are those of a ScheduleRow, of a table s.
const ScheduleColumns = `s.id, s.workflow_id, s.name, s.cron, s.time_zone, s.data, s.url, s.header, s.secret, s.folder, s.take_existing, s.test, s.paused, s.next_at, s.requested_at, s.try_at,
		s.last_at, s.last_state, s.last_events, s.last_code, s.last_message, s.last_ended, s.created_at, s.updated_at`

// A ScheduleRow is a schedule as it is stored.
type ScheduleRow struct {
	ID          string     `db:"id"`
	WorkflowID  string     `db:"workflow_id"`
	Name        string     `db:"name"`
	Cron        string     `db:"cron"`
	TimeZone    string     `db:"time_zone"`
	Data        []byte     `db:"data"`
	URL         string     `db:"url"`
	Header      string     `db:"header"`
	Secret      []byte     `db:"secret"`
	Folder      string     `db:"folder"`
	Existing    bool       `db:"take_existing"`
	Test        bool       `db:"test"`
	Paused      bool       `db:"paused"`
	NextAt      time.Time  `db:"next_at"`
	RequestedAt *time.Time `db:"requested_at"`
	TryAt       *time.Time `db:"try_at"`
	LastAt      *time.Time `db:"last_at"`
	LastState   *string    `db:"last_state"`
	LastEvents  int        `db:"last_events"`
	LastCode    string     `db:"last_code"`
	LastMessage string     `db:"last_message"`
	LastEnded   *time.Time `db:"last_ended"`
	CreatedAt   time.Time  `db:"created_at"`
	UpdatedAt   time.Time  `db:"updated_at"`
}

// Schedule opens what is sealed of a row.
func (r ScheduleRow) Schedule(v Vault) (platen.Schedule, error) {
	s := platen.Schedule{
		ID: r.ID, WorkflowID: r.WorkflowID, Name: r.Name, Cron: r.Cron, TimeZone: r.TimeZone, URL: r.URL, Header: r.Header, Folder: r.Folder, TakeExisting: r.Existing, Test: r.Test, Paused: r.Paused,
		NextAt: r.NextAt.UTC(), CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
	if r.RequestedAt != nil {
		at := r.RequestedAt.UTC()
		s.RequestedAt = &at
	}
	if r.LastAt != nil && r.LastState != nil && r.LastEnded != nil {
		s.Last = &platen.ScheduleOutcome{At: r.LastAt.UTC(), State: platen.ScheduleState(*r.LastState), Events: r.LastEvents, Code: r.LastCode, Message: r.LastMessage, EndedAt: r.LastEnded.UTC()}
		if s.Last.State == platen.ScheduleRetry && r.TryAt != nil {
			at := r.TryAt.UTC()
			s.Last.RetryAt = &at
		}
	}
	data, err := v.OpenText(r.Data, scheduleData, r.ID)
	if err != nil {
		return s, err
	}
	if data != "" {
		s.Data = []byte(data)
	}
	secret, err := v.OpenText(r.Secret, scheduleSecret, r.ID)
	s.Secret = platen.Secret(secret)
	return s, err
}

func collectSchedules(ctx context.Context, q Querier, v Vault, where string, args pgx.NamedArgs) ([]platen.Schedule, error) {
	return collectColumns(ctx, q, v, ScheduleColumns, where, args)
}

func collectColumns(ctx context.Context, q Querier, v Vault, columns, where string, args pgx.NamedArgs) ([]platen.Schedule, error) {
	rows, err := Collect[ScheduleRow](ctx, q, `
	SELECT `+columns+`
	FROM schedules s`+where, args)
	if err != nil {
		return nil, err
	}
	all := make([]platen.Schedule, len(rows))
	for i, r := range rows {
		if all[i], err = r.Schedule(v); err != nil {
			return nil, err
		}
	}
	return all, countFiles(ctx, q, all)
}

func findSchedule(ctx context.Context, q Querier, v Vault, workflowID, scheduleID string) (platen.Schedule, error) {
	found, err := collectSchedules(ctx, q, v, `
	WHERE s.id = @id AND s.workflow_id = @workflow_id`, pgx.NamedArgs{"id": scheduleID, "workflow_id": workflowID})
	if err == nil && len(found) == 0 {
		err = platen.ErrScheduleNotFound()
	}
	if err != nil {
		return platen.Schedule{}, err
	}
	return found[0], nil
}

// Schedules returns those of one of the caller's workflows, by creation time.
func (s *Schedules) Schedules(ctx context.Context, caller platen.User, workflowID string) ([]platen.Schedule, error) {
	all, err := []platen.Schedule(nil), authorize(ctx, s.db.pool, caller, workflowID)
	if err == nil {
		all, err = collectSchedules(ctx, s.db.pool, s.db.vault, `
	WHERE s.workflow_id = @workflow_id
	ORDER BY s.created_at, s.id`, pgx.NamedArgs{"workflow_id": workflowID})
	}
	if err != nil {
		return nil, fmt.Errorf("list the schedules of workflow %s: %w", workflowID, err)
	}
	return all, nil
}

// listColumns are ScheduleColumns without what is large.
var listColumns = strings.Replace(ScheduleColumns, "s.data", "NULL::bytea AS data", 1)

// CallersSchedules returns those of all of the caller's workflows that are not archived, by
// creation time, without their Data.
func (s *Schedules) CallersSchedules(ctx context.Context, caller platen.User, q platen.ScheduleQuery) ([]platen.Schedule, error) {
	args := pageArgs(q.Page, callerArgs(caller, ""))
	args["states"] = q.States
	all, err := collectColumns(ctx, s.db.pool, s.db.vault, listColumns, `
	JOIN (
		SELECT w.id, w.status
		FROM workflows w
		WHERE w.owner_id = @caller OR w.team_id = @caller_team
	) w ON w.id = s.workflow_id
	WHERE w.status <> 'ARCHIVED' AND `+only("s.last_state", q.States)+` AND (s.created_at, s.id) > (@after_time::timestamptz, @after_id::text)
	ORDER BY s.created_at, s.id
	LIMIT @limit`, args)
	if err != nil {
		return nil, fmt.Errorf("list schedules of user %s: %w", caller.ID, err)
	}
	return all, nil
}

// Schedule answers KindNotFound with code "schedule_not_found" for one that the workflow does
// not have.
func (s *Schedules) Schedule(ctx context.Context, caller platen.User, workflowID, scheduleID string) (found platen.Schedule, err error) {
	if err = authorize(ctx, s.db.pool, caller, workflowID); err == nil {
		found, err = findSchedule(ctx, s.db.pool, s.db.vault, workflowID, scheduleID)
	}
	if err != nil {
		return platen.Schedule{}, fmt.Errorf("read schedule %s: %w", scheduleID, err)
	}
	return found, nil
}

// CreateSchedule answers KindInvalid with code "too_many_schedules" beyond
// platen.MaxSchedules, and with code "schedule_name_taken" for a second one of its name.
func (s *Schedules) CreateSchedule(ctx context.Context, caller platen.User, made platen.Schedule) (platen.Schedule, error) {
	err := s.configure(ctx, caller, made.WorkflowID, made.ID, func(tx pgx.Tx) error {
		var n int
		if err := tx.QueryRow(ctx, `
			SELECT count(*)
			FROM schedules
			WHERE workflow_id = @workflow_id`, pgx.NamedArgs{"workflow_id": made.WorkflowID}).Scan(&n); err != nil {
			return Classify(err)
		}
		if n >= platen.MaxSchedules {
			return platen.Errorf(platen.KindInvalid, "too_many_schedules", "The workflow has %d schedules, and may have no more. Delete one first.", n)
		}
		var err error
		if made.CreatedAt, err = touchWorkflow(ctx, tx, made.WorkflowID); err != nil {
			return err
		}
		made.UpdatedAt = made.CreatedAt
		if made.NextAt, err = made.Next(made.CreatedAt); err != nil {
			return err
		}
		if made.Folder != "" {
			made.NextAt = made.CreatedAt // what is in it is noted at once
		}
		return s.write(ctx, tx, made)
	})
	if err != nil {
		return platen.Schedule{}, fmt.Errorf("create a schedule of workflow %s: %w", made.WorkflowID, err)
	}
	return made, nil
}

// UpdateSchedule applies change under the lock of the workflow. Id and times stay. A moment
// that a worker carries out is dropped, and is carried out as the schedule is then. With
// another cron or time zone, and after a pause, the moments from now on count. A folder that was
// set is looked into at once.
func (s *Schedules) UpdateSchedule(ctx context.Context, caller platen.User, workflowID, scheduleID string, change func(*platen.Schedule) error) (changed platen.Schedule, err error) {
	err = s.configure(ctx, caller, workflowID, scheduleID, func(tx pgx.Tx) error {
		stored, err := findSchedule(ctx, tx, s.db.vault, workflowID, scheduleID)
		if err != nil {
			return err
		}
		changed = stored
		if err := change(&changed); err != nil {
			return err
		}
		changed.ID, changed.WorkflowID, changed.CreatedAt, changed.RequestedAt, changed.Last = stored.ID, stored.WorkflowID, stored.CreatedAt, stored.RequestedAt, stored.Last
		if changed.UpdatedAt, err = touchWorkflow(ctx, tx, workflowID); err != nil {
			return err
		}
		if changed.Cron != stored.Cron || changed.TimeZone != stored.TimeZone || stored.Paused {
			if changed.NextAt, err = changed.Next(changed.UpdatedAt); err != nil {
				return err
			}
		}
		if changed.Folder != "" && changed.Folder != stored.Folder {
			changed.NextAt = changed.UpdatedAt
		}
		if err = s.write(ctx, tx, changed); err == nil && changed.Folder != stored.Folder {
			// What was taken counts once, also when it is moved into the other folder.
			_, err = Execute(ctx, tx, `
				DELETE FROM schedule_files
				WHERE schedule_id = @id AND state <> 'TAKEN'`, pgx.NamedArgs{"id": scheduleID})
		}
		if err == nil {
			changed, err = findSchedule(ctx, tx, s.db.vault, workflowID, scheduleID)
		}
		return err
	})
	if err != nil {
		return platen.Schedule{}, fmt.Errorf("update schedule %s: %w", scheduleID, err)
	}
	return changed, nil
}

// RunSchedule has a worker start the events of a schedule now, beside its moments, also while
// it is paused. Until that is done, another request changes nothing.
func (s *Schedules) RunSchedule(ctx context.Context, caller platen.User, workflowID, scheduleID string) (asked platen.Schedule, err error) {
	err = s.configure(ctx, caller, workflowID, scheduleID, func(tx pgx.Tx) error {
		if _, err := Execute(ctx, tx, `
			UPDATE schedules
			SET attempts = CASE WHEN requested_at IS NULL THEN 0 ELSE attempts END, leased_until = CASE WHEN requested_at IS NULL THEN NULL ELSE leased_until END,
				try_at = CASE WHEN requested_at IS NULL THEN now() ELSE try_at END, requested_at = coalesce(requested_at, now())
			WHERE id = @id AND workflow_id = @workflow_id`, pgx.NamedArgs{"id": scheduleID, "workflow_id": workflowID}); err != nil {
			return err
		}
		asked, err = findSchedule(ctx, tx, s.db.vault, workflowID, scheduleID)
		return err
	})
	if err != nil {
		return platen.Schedule{}, fmt.Errorf("run schedule %s: %w", scheduleID, err)
	}
	return asked, nil
}

// DeleteSchedule removes a schedule with its data and its secret. What it started stays.
// allowed sees the schedule under the lock of the workflow, and its error keeps it. That of an
// archived workflow can be removed, too: its events may be of persons.
func (s *Schedules) DeleteSchedule(ctx context.Context, caller platen.User, workflowID, scheduleID string, allowed func(platen.Schedule) error) error {
	err := s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		of := Subject{WorkflowID: workflowID, ObjectID: scheduleID}
		if _, err := lockWorkflow(ctx, tx, caller, workflowID); err != nil {
			return of, err
		}
		found, err := findSchedule(ctx, tx, s.db.vault, workflowID, scheduleID)
		if err == nil {
			err = allowed(found)
		}
		if err != nil {
			return of, err
		}
		if _, err := Execute(ctx, tx, `
			DELETE FROM schedules
			WHERE id = @id`, pgx.NamedArgs{"id": found.ID}); err != nil {
			return of, err
		}
		_, err = touchWorkflow(ctx, tx, workflowID)
		return of, err
	})
	if err != nil {
		return fmt.Errorf("delete schedule %s: %w", scheduleID, err)
	}
	return nil
}

func (s *Schedules) configure(ctx context.Context, caller platen.User, workflowID, scheduleID string, change func(tx pgx.Tx) error) error {
	return s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		return Subject{WorkflowID: workflowID, ObjectID: scheduleID}, whileConfigurable(ctx, tx, caller, workflowID, change)
	})
}

func (s *Schedules) write(ctx context.Context, tx pgx.Tx, of platen.Schedule) error {
	data, err := s.db.vault.SealText(string(of.Data), scheduleData, of.ID)
	if err != nil {
		return err
	}
	secret, err := s.db.vault.SealText(string(of.Secret), scheduleSecret, of.ID)
	if err != nil {
		return err
	}
	_, err = Execute(ctx, tx, `
		INSERT INTO schedules (id, workflow_id, name, cron, time_zone, data, url, header, secret, folder, take_existing, folder_since, test, paused, next_at, try_at, created_at, updated_at)
		VALUES (@id, @workflow_id, @name, @cron, @time_zone, @data, @url, @header, @secret, @folder, @take_existing, CASE WHEN @folder <> '' THEN @updated_at::timestamptz END, @test, @paused, @next_at, CASE WHEN NOT @paused THEN @next_at::timestamptz END, @created_at, @updated_at)
		ON CONFLICT (id) DO UPDATE
		SET name = excluded.name, cron = excluded.cron, time_zone = excluded.time_zone, data = excluded.data, url = excluded.url, header = excluded.header,
			secret = excluded.secret, folder = excluded.folder, take_existing = excluded.take_existing,
			folder_since = CASE WHEN schedules.folder = excluded.folder THEN schedules.folder_since WHEN excluded.folder <> '' THEN clock_timestamp() END,
			listed_at = CASE WHEN schedules.folder = excluded.folder THEN schedules.listed_at END,
			looked_at = CASE WHEN schedules.folder = excluded.folder THEN schedules.looked_at END, test = excluded.test, paused = excluded.paused, next_at = excluded.next_at,
			try_at = coalesce(schedules.requested_at, excluded.try_at), attempts = 0, leased_until = NULL, updated_at = excluded.updated_at`,
		pgx.NamedArgs{
			"id": of.ID, "workflow_id": of.WorkflowID, "name": of.Name, "cron": of.Cron, "time_zone": of.TimeZone, "data": data, "url": of.URL, "header": of.Header, "secret": secret,
			"folder": of.Folder, "take_existing": of.TakeExisting,
			"test": of.Test, "paused": of.Paused, "next_at": of.NextAt, "created_at": of.CreatedAt, "updated_at": of.UpdatedAt,
		})
	if IsUniqueViolation(err, "schedules_workflow_id_name_key") {
		return platen.Errorf(platen.KindInvalid, "schedule_name_taken", "Another schedule of the workflow has this name.")
	}
	return err
}
