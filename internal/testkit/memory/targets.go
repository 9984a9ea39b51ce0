package memory

import (
	"context"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func (m *Store) Targets(ctx context.Context, u platen.User, wfID string) ([]platen.Target, error) {
	if _, err := m.Workflow(ctx, u, wfID); err != nil {
		return nil, err
	}
	return m.targets[wfID], nil
}

func (m *Store) Target(ctx context.Context, u platen.User, wfID, id string) (platen.Target, error) {
	all, err := m.Targets(ctx, u, wfID)
	if i := slices.IndexFunc(all, func(t platen.Target) bool { return t.ID == id }); err == nil && i >= 0 {
		return all[i], nil
	}
	if err == nil {
		err = platen.ErrTargetNotFound()
	}
	return platen.Target{}, err
}

func (m *Store) CreateTarget(_ context.Context, u platen.User, t platen.Target) (platen.Target, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.change(u, t.WorkflowID); err != nil {
		return t, err
	}
	if m.targets == nil {
		m.targets = map[string][]platen.Target{}
	}
	t.CreatedAt, t.UpdatedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m.targets[t.WorkflowID] = append(m.targets[t.WorkflowID], t)
	return t, nil
}

func (m *Store) UpdateTarget(ctx context.Context, u platen.User, wfID, id string, change func(*platen.Target) error) (platen.Target, error) {
	t, err := m.Target(ctx, u, wfID, id)
	if err == nil {
		err = change(&t)
	}
	if err != nil {
		return t, err
	}
	i := slices.IndexFunc(m.targets[wfID], func(t platen.Target) bool { return t.ID == id })
	m.targets[wfID][i] = t
	return t, nil
}

func (m *Store) NoteTested(_ context.Context, _ platen.User, wfID, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, t := range m.targets[wfID] {
		if t.ID == id {
			m.targets[wfID][i].CheckedAt = t.CheckedAt.Add(time.Second)
		}
	}
	return nil
}

func (m *Store) DeleteTarget(ctx context.Context, u platen.User, wfID, id string, allowed func(platen.Target) error) error {
	t, err := m.Target(ctx, u, wfID, id)
	if err == nil {
		err = allowed(t)
	}
	if err == nil {
		m.targets[wfID] = slices.DeleteFunc(m.targets[wfID], func(t platen.Target) bool { return t.ID == id })
	}
	return err
}

// StoreOutput stores nothing: it looks for the target alone.
func (m *Store) StoreOutput(ctx context.Context, u platen.User, wfID, _, targetID string) error {
	if _, err := m.Target(ctx, u, wfID, targetID); err != nil {
		return err
	}
	return nil
}
