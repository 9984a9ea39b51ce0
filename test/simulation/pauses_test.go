package simulation

import (
	"context"
	"fmt"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/operate"
	runs "github.com/platenhq/platen/internal/postgres/run"
)

// A pauseKey is what a pause holds.
type pauseKey struct {
	scope platen.PauseScope
	id    string
}

// held tells whether a pause keeps an automation from starting. Users have no team here.
func (s *store) held(a automationRow) bool {
	return s.pauses[pauseKey{platen.PauseAll, ""}] || s.pauses[pauseKey{platen.PauseUser, a.OwnerID}] || s.pauses[pauseKey{platen.PauseWorkflow, a.WorkflowID}]
}

// ofPauses pauses once for each two times that it resumes.
func (p *pair) ofPauses() operation {
	i := p.random.below(2)
	key := []pauseKey{{platen.PauseAll, ""}, {platen.PauseUser, p.users[i].ID}, {platen.PauseWorkflow, p.workflows[i].ID}}[p.random.below(3)]
	if p.random.below(3) == 0 {
		return operation{fmt.Sprintf("pause %+v", key), func(ctx context.Context, db *runs.DB) (any, error) {
			return nil, operate.New(db.DB).Pauses.Pause(ctx, platen.Pause{Scope: key.scope, ID: key.id})
		}, func(context.Context, database) (any, error) {
			p.harness.store.pauses[key] = true
			return nil, nil
		}}
	}
	return operation{fmt.Sprintf("resume %+v", key), func(ctx context.Context, db *runs.DB) (any, error) {
		return operate.New(db.DB).Pauses.Resume(ctx, key.scope, key.id)
	}, func(context.Context, database) (any, error) {
		was := p.harness.store.pauses[key]
		delete(p.harness.store.pauses, key)
		return was, nil
	}}
}

func (p *pair) pauseLines() (lines []string) {
	for key := range p.harness.store.pauses {
		lines = append(lines, fmt.Sprintf("%s %s", key.scope, key.id))
	}
	return lines
}
