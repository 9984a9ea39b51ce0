package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

// OperatorAutomations returns automations of all tenants, the newest first, at most
// limit: those in one of the states (none: any) that were accepted within since.
// Why one failed is its own code, else that of an output. It reads for 30 seconds
// at most.
func (s *Automations) OperatorAutomations(ctx context.Context, states []platen.AutomationState, since time.Duration, limit int) ([]platen.Ending, error) {
	var rows []endingRow
	err := s.db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := execute(ctx, tx, `SET LOCAL statement_timeout = '30s'`, nil); err != nil {
			return err
		}
		var err error
		rows, err = collect[endingRow](ctx, tx, `
			SELECT `+endingColumns+`
			FROM automations a
			WHERE a.accepted_at > now() - @since::interval AND (cardinality(@states::text[]) = 0 OR a.state = ANY (@states::text[]))
			ORDER BY a.accepted_at DESC, a.id
			LIMIT @limit`, pgx.NamedArgs{"since": since, "states": texts(states), "limit": limit})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list automations of all users: %w", err)
	}
	endings := make([]platen.Ending, len(rows))
	for i, r := range rows {
		endings[i] = r.ending()
	}
	return endings, nil
}

func texts(states []platen.AutomationState) []string {
	all := make([]string, len(states))
	for i, s := range states {
		all[i] = string(s)
	}
	return all
}
