package memory

import (
	"context"

	"github.com/platenhq/platen/internal/platen"
)

// DocumentsLimit returns what m.Limits has for the caller.
func (m *Store) DocumentsLimit(_ context.Context, u platen.User) (*int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if most, ok := m.Limits[u.ID]; ok {
		return &most, nil
	}
	return nil, nil
}

// CallersUsage returns those months of m.Used that are the caller's.
func (m *Store) CallersUsage(_ context.Context, u platen.User, page platen.Page) ([]platen.MonthUsage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []platen.MonthUsage
	for _, one := range m.Used {
		if one.OwnerID == u.ID {
			found = append(found, one)
		}
	}
	return paged(found, page, platen.MonthUsage.Position), nil
}

// WorkflowRoom has the limit of the caller, with nothing used and one document of each event.
func (m *Store) WorkflowRoom(ctx context.Context, u platen.User, _ string) (*platen.UsageRoom, int64, error) {
	limit, err := m.DocumentsLimit(ctx, u)
	if limit == nil || err != nil {
		return nil, 0, err
	}
	return &platen.UsageRoom{Most: *limit}, 1, nil
}
