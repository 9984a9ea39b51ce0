package postgres

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// How long a workflow's next run waits to start after a step of another begins to fail,
// or a run has failed. The pause is this long, plus the same for each of the twenty
// events before it that is parked or has failed. The more there are, the less another
// run reveals. The receiver waits for events of failures, so that pause is shorter.
const (
	PauseWhenParked = 400 * time.Millisecond
	pauseWhenFailed = 50 * time.Millisecond
)

// alone is for how long after a pause a workflow's runs start one at a time, for
// each of those events.
const alone = 200 * time.Millisecond

// WaitJSON is a platen.Wait as the column waits keeps it.
type WaitJSON struct {
	Step    string     `json:"step"`
	Code    string     `json:"code"`
	Message string     `json:"message"`
	Since   time.Time  `json:"since"`
	Tries   int        `json:"tries"`
	Until   *time.Time `json:"until"` // nil: it is not given up, or a row of before
}

// GivenUp is until when it is tried; zero: without an end.
func (w WaitJSON) GivenUp() time.Time {
	if w.Until == nil {
		return time.Time{}
	}
	return w.Until.UTC()
}

// waitsJSON is the column waits: what waits, by its subject.
type waitsJSON map[string]WaitJSON

// waits are in the order of their subjects.
func (j waitsJSON) waits() []platen.Wait {
	var waits []platen.Wait
	for _, subject := range slices.Sorted(maps.Keys(j)) {
		w := j[subject]
		waits = append(waits, platen.Wait{Subject: subject, Step: w.Step, Code: w.Code, Message: w.Message, Since: w.Since.UTC(), Tries: w.Tries, Until: w.GivenUp()})
	}
	return waits
}

// PauseWorkflow keeps the automation's workflow from starting the next run for a while.
func PauseWorkflow(ctx context.Context, q Querier, automationID string, each time.Duration) error {
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
