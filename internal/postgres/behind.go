package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// stateBehind is the state of a row that platen.Automation shows as ACCEPTED.
const stateBehind platen.AutomationState = "BEHIND"

// startState is the state in which an automation a waits for another attempt: one with an
// order takes its place among those of its key again.
const startState = `CASE WHEN a.order_number IS NULL THEN 'ACCEPTED' ELSE 'BEHIND' END`

// loadBehind returns what each automation waits for that is behind another, by its id.
// Nothing is read where none may be.
func loadBehind(ctx context.Context, q Querier, of []automationRow) (map[string]platen.Wait, error) {
	var behind []string
	for _, r := range of {
		if r.State == stateBehind {
			behind = append(behind, r.ID)
		}
	}
	if len(behind) == 0 {
		return nil, nil
	}
	type row struct {
		ID         string    `db:"id"`
		Before     string    `db:"before_id"`
		AcceptedAt time.Time `db:"accepted_at"`
	}
	rows, err := Collect[row](ctx, q, `
		SELECT a.id, b.id AS before_id, a.accepted_at
		FROM automations a
		CROSS JOIN LATERAL (
			SELECT id
			FROM automations
			WHERE order_number IS NOT NULL AND finished_at IS NULL AND order_key = a.order_key AND workflow_id = a.workflow_id AND state = 'RUNNING'
			UNION ALL
			SELECT id
			FROM automations
			WHERE order_number IS NOT NULL AND finished_at IS NULL AND order_key = a.order_key AND workflow_id = a.workflow_id AND state = 'ACCEPTED'
			UNION ALL
			SELECT id
			FROM automations
			WHERE order_number IS NOT NULL AND finished_at IS NULL AND order_key = a.order_key AND workflow_id = a.workflow_id AND state = 'REVIEW'
			LIMIT 1
		) b
		WHERE a.id = ANY (@behind) AND a.order_key <> ''`, pgx.NamedArgs{"behind": behind})
	waits := make(map[string]platen.Wait, len(rows))
	for _, r := range rows {
		waits[r.ID] = platen.BehindWait(r.Before, r.AcceptedAt.UTC())
	}
	return waits, err
}

// shown is a state as others see it.
func shown(state platen.AutomationState) platen.AutomationState {
	if state == stateBehind {
		return platen.AutomationAccepted
	}
	return state
}

// WithBehind are the states in which rows are shown in these.
func WithBehind(states []platen.AutomationState) []platen.AutomationState {
	if slices.Contains(states, platen.AutomationAccepted) {
		return append(slices.Clone(states), stateBehind)
	}
	return states
}
