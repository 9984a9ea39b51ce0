package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Parking is the store of what runs wait for.
type Parking struct{ db *DB }

// How long a workflow's next run waits to start after a step of another begins to fail,
// or a run has failed. The pause is this long, plus the same for each of the twenty
// events before it that is parked or has failed. The more there are, the less another
// run reveals. The receiver waits for events of failures, so that pause is shorter.
const (
	pauseWhenParked = 400 * time.Millisecond
	pauseWhenFailed = 50 * time.Millisecond
)

// alone is for how long after a pause a workflow's runs start one at a time, for
// each of those events.
const alone = 200 * time.Millisecond

// waitJSON is a platen.Wait as the column waits keeps it.
type waitJSON struct {
	Step    string     `json:"step"`
	Code    string     `json:"code"`
	Message string     `json:"message"`
	Since   time.Time  `json:"since"`
	Tries   int        `json:"tries"`
	Until   *time.Time `json:"until"` // nil: it is not given up, or a row of before
}

func (w waitJSON) until() time.Time {
	if w.Until == nil {
		return time.Time{}
	}
	return w.Until.UTC()
}

// waitsJSON is the column waits: what waits, by its subject.
type waitsJSON map[string]waitJSON

// waits are in the order of their subjects.
func (j waitsJSON) waits() []platen.Wait {
	var waits []platen.Wait
	for _, subject := range slices.Sorted(maps.Keys(j)) {
		w := j[subject]
		waits = append(waits, platen.Wait{Subject: subject, Step: w.Step, Code: w.Code, Message: w.Message, Since: w.Since.UTC(), Tries: w.Tries, Until: w.until()})
	}
	return waits
}

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
		Wait   waitJSON `db:"wait"`
		Beside int      `db:"beside"`
	}
	tries := 1
	if !w.HasFailed() {
		tries = 0
	}
	r, found, err := CollectOne[row](ctx, s.db.pool, `
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
			"code": w.Code, "message": CleanText(w.Message), "tries": tries, "reasons": w.OwnersReasons(),
			"patience": w.Patience, "until": orNull(w.Until),
		})
	if err == nil && r.Wait.Tries == 1 {
		err = pause(ctx, s.db.pool, automationID, pauseWhenParked)
	}
	if err != nil {
		return platen.Wait{}, fmt.Errorf("park automation %s: %w", automationID, err)
	}
	if !found {
		return platen.Wait{}, nil
	}
	w.Since, w.Tries, w.Beside, w.Until = r.Wait.Since.UTC(), r.Wait.Tries, r.Beside, r.Wait.until()
	return w, nil
}

// pause keeps the automation's workflow from starting the next run for a while.
func pause(ctx context.Context, q Querier, automationID string, each time.Duration) error {
	_, err := Execute(ctx, q, `
		WITH before AS (
			SELECT a.workflow_id, 1 + count(b) FILTER (WHERE b.parked_at IS NOT NULL OR b.state = 'FAILED') AS troubled
			FROM automations a
			LEFT JOIN LATERAL (
				SELECT e.parked_at, e.state
				FROM automations e
				WHERE e.workflow_id = a.workflow_id AND (e.accepted_at, e.id) < (a.accepted_at, a.id)
				ORDER BY e.accepted_at DESC, e.id DESC
				LIMIT 20
			) b ON true
			WHERE a.id = @id
			GROUP BY a.workflow_id
		)
		INSERT INTO workflow_turns (workflow_id, served_at, paused_until, alone_until)
		SELECT workflow_id, now(), clock_timestamp() + @each::interval * troubled, clock_timestamp() + (@each::interval + @alone::interval) * troubled
		FROM before
		ON CONFLICT (workflow_id) DO UPDATE
		SET paused_until = greatest(workflow_turns.paused_until, excluded.paused_until), alone_until = greatest(workflow_turns.alone_until, excluded.alone_until)`,
		pgx.NamedArgs{"id": automationID, "each": each, "alone": alone})
	return err
}

// Unpark notes that the subject waits no longer; a run without waiting subjects is open
// again.
func (s *Parking) Unpark(ctx context.Context, automationID, subject string) error {
	_, err := Execute(ctx, s.db.pool, `
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
