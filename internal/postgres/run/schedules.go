package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// Schedules is the store of schedules, for the worker: their moments, and what becomes of them.
type Schedules struct{ db *postgres.DB }

// ClaimSchedules leases schedules that are due, at most in all and share of one owner, those
// that are leased already included. Owners with the fewest come first. A lease that is not
// settled runs out. With an error about a schedule that does not open, it returns the others.
func (s *Schedules) ClaimSchedules(ctx context.Context, most, share int, lease time.Duration) ([]platen.DueSchedule, error) {
	type row struct {
		postgres.ScheduleRow
		Attempts    int        `db:"attempts"`
		LeasedUntil time.Time  `db:"leased_until"`
		Off         bool       `db:"off"`
		OwnerID     string     `db:"owner_id"`
		FolderSince *time.Time `db:"folder_since"`
		ListedAt    *time.Time `db:"listed_at"`
		LookedAt    *time.Time `db:"looked_at"`
	}
	rows, err := postgres.Collect[row](ctx, s.db.Pool(), `
		WITH ranked AS (
			SELECT due.id, due.try_at, due.leased, row_number() OVER (PARTITION BY w.owner_id ORDER BY due.leased DESC, due.try_at, due.id) AS place
			FROM (
				SELECT id, workflow_id, try_at, coalesce(leased_until > now(), false) AS leased
				FROM schedules
				WHERE try_at <= now()
			) due
			JOIN workflows w ON w.id = due.workflow_id
		), chosen AS (
			SELECT s.id, s.workflow_id
			FROM ranked r
			JOIN schedules s ON s.id = r.id
			WHERE r.place <= @share AND NOT r.leased AND s.try_at <= now() AND coalesce(s.leased_until <= now(), true)
			ORDER BY r.place, r.try_at
			LIMIT @most
			FOR NO KEY UPDATE OF s SKIP LOCKED
		)
		UPDATE schedules s
		SET leased_until = now() + @lease::interval, attempts = s.attempts + 1
		FROM chosen c
		JOIN workflows w ON w.id = c.workflow_id
		JOIN users u ON u.id = w.owner_id
		WHERE s.id = c.id
		RETURNING `+postgres.ScheduleColumns+`, s.attempts, s.leased_until, `+isOff+` AS off, w.owner_id, s.folder_since, s.listed_at, s.looked_at`,
		pgx.NamedArgs{"most": most, "share": share, "lease": lease})
	if err != nil {
		return nil, fmt.Errorf("claim schedules: %w", err)
	}
	var due []platen.DueSchedule
	for _, r := range rows {
		of, wrong := r.Schedule(s.db.Vault())
		if wrong != nil { // its lease runs out, and others do not wait for it
			err = errors.Join(err, fmt.Errorf("open schedule %s: %w", r.ID, wrong))
			continue
		}
		due = append(due, platen.DueSchedule{Schedule: of, Attempts: r.Attempts, LeasedUntil: r.LeasedUntil, Off: r.Off, OwnerID: r.OwnerID, FolderSince: postgres.UTC(r.FolderSince), ListedAt: postgres.UTC(r.ListedAt), LookedAt: postgres.UTC(r.LookedAt)})
	}
	return due, err
}

// isOff is a condition for schedules of workflows w of users u that start nothing.
const isOff = `(w.status = 'ARCHIVED' OR u.disabled_at IS NOT NULL)`

// AcceptMoment stores the events of a moment as automations and moves the schedule on to
// next, in one commit. The ids of automations are derived of schedule, moment and index. A
// schedule that was changed, deleted, moved on or switched off meanwhile is left as it is,
// nothing is stored, and the outcome is nil. A workflow that makes nothing of events has them
// skipped, and the outcome says why. Where the limit of the owner leaves no room, it is KindRateLimited with code
// "usage_limit_reached".
func (s *Schedules) AcceptMoment(ctx context.Context, due platen.DueSchedule, at, next time.Time, events [][]byte) (outcome *platen.ScheduleOutcome, err error) {
	payload, stored := "", false
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		outcome = nil
		moment, held, err := holdMoment(ctx, tx, due, "NOT "+isOff)
		if err != nil || !held {
			return err
		}
		became := &platen.ScheduleOutcome{At: at, State: platen.ScheduleDone, Events: len(events)}
		if len(events) > 0 {
			ids := make([]string, len(events))
			for i := range events {
				ids[i] = platen.ScheduledAutomation(due.ID, at, i)
			}
			reason, err := s.insertEvents(ctx, tx, due, due.Name, ids, events)
			if err != nil {
				return err
			}
			became.Code, became.Message = skipped(reason)
			stored = true
		}
		if moment.Ordered {
			payload = postgres.OrderedPayload
		}
		outcome = became
		return settle(ctx, tx, due, next, time.Time{}, became)
	})
	if err == nil && stored {
		// Dispatch looks once a second anyway.
		_ = postgres.Notify(ctx, s.db.Pool(), payload)
	}
	if err != nil {
		return nil, fmt.Errorf("accept a moment of schedule %s: %w", due.ID, err)
	}
	return outcome, nil
}

// skipped says why nothing is made of events that were accepted; empty: it is.
func skipped(reason string) (code, message string) {
	switch reason {
	case platen.ReasonIncomplete:
		return "workflow_incomplete", "The workflow has no template document, so that nothing was made of the events. Add one, and run the schedule."
	case platen.ReasonAutoCreateOff:
		return "auto_create_off", "The workflow takes events and makes nothing of them (autoCreate)."
	}
	return "", ""
}

// SettleMoment moves a schedule on to next, or has it looked at again at retry, which is zero
// for never. Outcome nil: what was said of its last moment stays. One that another worker has
// leased meanwhile is left to it, and held is false.
func (s *Schedules) SettleMoment(ctx context.Context, due platen.DueSchedule, next, retry time.Time, outcome *platen.ScheduleOutcome) (held bool, err error) {
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		_, held, err = holdMoment(ctx, tx, due, "s.leased_until = @leased_until")
		if err != nil || !held {
			return err
		}
		return settle(ctx, tx, due, next, retry, outcome)
	})
	if err != nil {
		return false, fmt.Errorf("settle a moment of schedule %s: %w", due.ID, err)
	}
	return held, nil
}

// A heldMoment is what is known of the workflow of a schedule whose row is locked.
type heldMoment struct {
	Ordered    bool          `db:"ordered"`
	Status     platen.Status `db:"status"`
	AutoCreate bool          `db:"auto_create"`
}

// holdMoment locks the row of a schedule for which holds is true. Not held: it is not, or is not
// as it was claimed.
func holdMoment(ctx context.Context, tx pgx.Tx, due platen.DueSchedule, holds string) (m heldMoment, held bool, err error) {
	return postgres.CollectOne[heldMoment](ctx, tx, `
		SELECT w.ordered_by <> '' AS ordered, w.status, w.auto_create
		FROM schedules s
		JOIN workflows w ON w.id = s.workflow_id
		JOIN users u ON u.id = w.owner_id
		WHERE s.id = @id AND s.updated_at = @updated_at AND `+holds+`
			AND CASE WHEN @requested_at::timestamptz IS NULL THEN s.next_at = @next_at ELSE s.requested_at = @requested_at END
		FOR NO KEY UPDATE OF s`,
		pgx.NamedArgs{"id": due.ID, "updated_at": due.UpdatedAt, "next_at": due.NextAt, "requested_at": due.RequestedAt, "leased_until": due.LeasedUntil})
}

// settle writes what became of a moment. What was asked for besides takes no moment away, and
// keeps the lease that another worker may have for it. A folder of which the same is said as
// before has failed since then.
func settle(ctx context.Context, tx pgx.Tx, due platen.DueSchedule, next, retry time.Time, outcome *platen.ScheduleOutcome) error {
	requested, again := due.RequestedAt != nil, !retry.IsZero()
	args := pgx.NamedArgs{"id": due.ID, "requested": requested, "again": again, "next_at": next, "retry": retry, "attempts": 0, "told": outcome != nil}
	if again {
		args["attempts"] = due.Attempts
	}
	if outcome == nil {
		outcome = &platen.ScheduleOutcome{}
	}
	args["at"], args["state"], args["events"], args["code"], args["message"] = outcome.At, string(outcome.State), outcome.Events, outcome.Code, outcome.Message
	_, err := postgres.Execute(ctx, tx, `
		UPDATE schedules s
		SET next_at = CASE WHEN @requested OR @again THEN s.next_at ELSE @next_at END,
			attempts = CASE WHEN NOT @requested AND s.requested_at IS NOT NULL THEN s.attempts ELSE @attempts END,
			leased_until = CASE WHEN NOT @requested AND s.requested_at IS NOT NULL THEN s.leased_until END,
			requested_at = CASE WHEN @requested AND NOT @again THEN NULL ELSE s.requested_at END,
			try_at = CASE
				WHEN NOT @requested AND s.requested_at IS NOT NULL THEN s.requested_at
				WHEN @again THEN @retry
				WHEN s.paused THEN NULL
				WHEN @requested THEN s.next_at
				ELSE @next_at
			END,
			last_at = CASE WHEN @told THEN @at ELSE s.last_at END, last_state = CASE WHEN @told THEN @state ELSE s.last_state END,
			last_events = CASE WHEN @told THEN @events ELSE s.last_events END, last_code = CASE WHEN @told THEN @code ELSE s.last_code END,
			last_message = CASE WHEN @told THEN @message ELSE s.last_message END, last_ended = CASE
				WHEN NOT @told OR s.folder <> '' AND s.last_state = 'FAILED' AND s.last_state = @state AND s.last_code = @code AND s.last_message = @message THEN s.last_ended
				ELSE now()
			END
		WHERE s.id = @id`, args)
	return err
}

// insertEvents stores events under these ids as a source's are stored. The last one gives the
// source its fields. reason is why the workflow skips them; empty: it does not.
func (s *Schedules) insertEvents(ctx context.Context, tx pgx.Tx, due platen.DueSchedule, reference string, ids []string, events [][]byte) (reason string, err error) {
	var keys, bodies [][]byte
	for i, event := range events {
		key, err := s.db.Vault().NewDataKey(ids[i])
		if err != nil {
			return "", err
		}
		keys, bodies = append(keys, key.Sealed), append(bodies, key.Seal(event, postgres.AutomationBody))
	}
	names, err := platen.SourceFields(events[len(events)-1])
	if err != nil {
		return "", err
	}
	fields, err := postgres.FieldsJSON(names)
	if err != nil {
		return "", err
	}
	args := pgx.NamedArgs{
		"workflow": due.WorkflowID, "ids": ids, "keys": keys, "bodies": bodies, "test": due.Test, "reference": reference, "request": platen.NewID(platen.PrefixRequest),
	}
	type row struct {
		Reason string `db:"reason"`
	}
	rows, err := postgres.Collect[row](ctx, tx, `
		INSERT INTO automations (id, workflow_id, source_id, owner_id, team_id, state, reason, body, request_id, accepted_at, finished_at, data_key, test, reference, order_number, order_key)
		SELECT e.id, k.workflow_id, k.source_id, k.owner_id, k.team_id, CASE k.reason WHEN '' THEN CASE WHEN k.ordered THEN 'BEHIND' ELSE 'ACCEPTED' END ELSE 'SKIPPED' END, k.reason, e.body, @request,
			clock_timestamp() + e.place * interval '1 microsecond', CASE k.reason WHEN '' THEN NULL ELSE now() END, e.data_key, @test, @reference,
			CASE WHEN k.ordered THEN nextval('automation_order') END, CASE WHEN k.ordered THEN ''::bytea END
		FROM (
			SELECT s.id AS source_id, w.id AS workflow_id, w.owner_id, w.team_id, w.ordered_by <> '' AS ordered, `+postgres.SkipReason+` AS reason
			FROM workflows w
			JOIN sources s ON s.workflow_id = w.id
			WHERE w.id = @workflow
		) k
		CROSS JOIN unnest(@ids::text[], @keys::bytea[], @bodies::bytea[]) WITH ORDINALITY AS e (id, data_key, body, place)
		ORDER BY e.place
		ON CONFLICT (id) DO NOTHING
		RETURNING reason`, args)
	if err != nil {
		return "", err
	}
	if len(rows) > 0 {
		reason = rows[0].Reason
	}
	// The limit is locked before the source, as by a batch.
	if !due.Test {
		if err := postgres.CheckUsage(ctx, tx, due.WorkflowID, len(events)); err != nil {
			return "", err
		}
	}
	return reason, postgres.NoteFields(ctx, tx, due.WorkflowID, fields)
}
