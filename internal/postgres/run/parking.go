package run

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// Parking is the store of what runs wait for.
type Parking struct{ db *postgres.DB }

// Park notes what a run waits for and takes it out of the count of open runs.
// It returns the wait with how often the step failed alike, this time included,
// since when, until when it is tried, and how many other parked runs wait for the same: those of the workflow,
// or of its owner where all wait for the owner's drive. When a step begins to fail, the
// workflow's next run starts after a pause (see platen.Wait.HasFailed).
//
// An automation that has ended, or whose later attempt it is by now, is left
// alone: the zero Wait. attempt 0 is not known and taken for the latest. Nothing
// waits for the disk: what a crash takes back, the next try notes again.
func (s *Parking) Park(ctx context.Context, automationID string, attempt int, w platen.Wait) (platen.Wait, error) {
	type row struct {
		Wait   postgres.WaitJSON `db:"wait"`
		Beside int               `db:"beside"`
	}
	tries := 1
	if !w.HasFailed() {
		tries = 0
	}
	var until *time.Time
	if !w.Until.IsZero() {
		until = &w.Until
	}
	r, found, err := postgres.CollectOne[row](ctx, s.db.Pool(), `
		WITH parked AS (
			UPDATE automations a
			SET parked_at = coalesce(a.parked_at, now()),
				waits = a.waits || jsonb_build_object(@subject::text, jsonb_build_object(
					'step', @step::text, 'code', @code::text, 'message', @message::text,
					'since', CASE WHEN a.waits -> @subject ->> 'code' = @code THEN a.waits -> @subject -> 'since' ELSE to_jsonb(now()) END,
					'until', CASE WHEN @patience::interval > '0' THEN least(@until::timestamptz, @patience::interval +
						CASE WHEN a.waits -> @subject ->> 'code' = @code THEN (a.waits -> @subject ->> 'since')::timestamptz ELSE now() END) END,
					'tries', @tries::int + CASE WHEN a.waits -> @subject ->> 'code' = @code THEN (a.waits -> @subject ->> 'tries')::int ELSE 0 END))
			FROM set_config('synchronous_commit', 'off', true) AS commit
			WHERE a.id = @id AND a.state IN ('ACCEPTED', 'RUNNING') AND (@attempt = 0 OR a.attempt = @attempt) AND commit = 'off'
			RETURNING a.owner_id, a.workflow_id, a.waits -> @subject AS wait
		)
		SELECT wait, (
				SELECT count(*)
				FROM automations o
				WHERE o.owner_id = p.owner_id AND (o.state = 'RUNNING' OR o.leased_until IS NOT NULL) AND o.parked_at IS NOT NULL AND o.id <> @id
					AND (o.workflow_id = p.workflow_id OR EXISTS (SELECT FROM jsonb_each(o.waits) w WHERE w.value ->> 'code' = ANY (@reasons)))
			) AS beside
		FROM parked p`,
		pgx.NamedArgs{
			"id": automationID, "attempt": attempt, "subject": w.Subject, "step": w.Step,
			"code": w.Code, "message": postgres.CleanText(w.Message), "tries": tries, "reasons": w.OwnersReasons(),
			"patience": w.Patience, "until": until,
		})
	if err == nil && r.Wait.Tries == 1 {
		err = postgres.PauseWorkflow(ctx, s.db.Pool(), automationID, postgres.PauseWhenParked)
	}
	if err != nil {
		return platen.Wait{}, fmt.Errorf("park automation %s: %w", automationID, err)
	}
	if !found {
		return platen.Wait{}, nil
	}
	w.Since, w.Tries, w.Beside, w.Until = r.Wait.Since.UTC(), r.Wait.Tries, r.Beside, r.Wait.GivenUp()
	return w, nil
}

// Unpark notes that the subject waits no longer; a run without waiting subjects is open
// again.
func (s *Parking) Unpark(ctx context.Context, automationID, subject string) error {
	_, err := postgres.Execute(ctx, s.db.Pool(), `
		UPDATE automations
		SET waits = waits - @subject::text,
			parked_at = CASE WHEN waits - @subject::text = '{}' THEN NULL ELSE parked_at END
		FROM set_config('synchronous_commit', 'off', true) AS commit
		WHERE id = @id AND waits ? @subject::text AND commit = 'off'`,
		pgx.NamedArgs{"id": automationID, "subject": subject})
	if err != nil {
		return fmt.Errorf("unpark automation %s: %w", automationID, err)
	}
	return nil
}
