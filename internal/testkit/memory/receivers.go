package memory

import (
	"context"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func (m *Store) Receivers(ctx context.Context, u platen.User, wfID string) ([]platen.Receiver, error) {
	if _, err := m.Workflow(ctx, u, wfID); err != nil {
		return nil, err
	}
	return m.receivers[wfID], nil
}

func (m *Store) Receiver(ctx context.Context, u platen.User, wfID, id string) (platen.Receiver, error) {
	all, err := m.Receivers(ctx, u, wfID)
	if err != nil {
		return platen.Receiver{}, err
	}
	for _, r := range all {
		if r.ID == id {
			return r, nil
		}
	}
	return platen.Receiver{}, platen.ErrReceiverNotFound()
}

func (m *Store) CreateReceiver(_ context.Context, u platen.User, r platen.Receiver) (platen.Receiver, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.change(u, r.WorkflowID); err != nil {
		return r, err
	}
	if m.receivers == nil {
		m.receivers = map[string][]platen.Receiver{}
	}
	r.CreatedAt, r.UpdatedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m.receivers[r.WorkflowID] = append(m.receivers[r.WorkflowID], r)
	return r, nil
}

func (m *Store) UpdateReceiver(ctx context.Context, u platen.User, wfID, id string, change func(*platen.Receiver) error) (platen.Receiver, error) {
	r, err := m.Receiver(ctx, u, wfID, id)
	if err == nil {
		err = change(&r)
	}
	if err != nil {
		return r, err
	}
	i := slices.IndexFunc(m.receivers[wfID], func(r platen.Receiver) bool { return r.ID == id })
	m.receivers[wfID][i] = r
	return r, nil
}

func (m *Store) DeleteReceiver(ctx context.Context, u platen.User, wfID, id string, allowed func(platen.Receiver) error) error {
	r, err := m.Receiver(ctx, u, wfID, id)
	if err == nil {
		err = allowed(r)
	}
	if err == nil {
		m.receivers[wfID] = slices.DeleteFunc(m.receivers[wfID], func(r platen.Receiver) bool { return r.ID == id })
	}
	return err
}

func (m *Store) ReceiverState(ctx context.Context, u platen.User, wfID, id string) (platen.EndpointState, int, error) {
	_, err := m.Receiver(ctx, u, wfID, id)
	return m.Runs.Endpoint, 3, err
}

func (m *Store) EnableReceiver(ctx context.Context, u platen.User, wfID, id, url string) error {
	_, err := m.Receiver(ctx, u, wfID, id)
	m.Runs.Enabled = append(m.Runs.Enabled, url)
	return err
}
