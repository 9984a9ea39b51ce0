package memory

import (
	"context"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func (m *Store) Schedules(ctx context.Context, u platen.User, wfID string) ([]platen.Schedule, error) {
	if _, err := m.Workflow(ctx, u, wfID); err != nil {
		return nil, err
	}
	return m.clocks[wfID], nil
}

func (m *Store) CallersSchedules(ctx context.Context, u platen.User, q platen.ScheduleQuery) ([]platen.Schedule, error) {
	var found []platen.Schedule
	for id, w := range m.ByID {
		all, err := m.Schedules(ctx, u, id)
		if err != nil || w.Status == platen.StatusArchived { // it is somebody else's
			continue
		}
		for _, s := range all {
			if q.States == nil || s.Last != nil && slices.Contains(q.States, s.Last.State) {
				s.Data = nil
				found = append(found, s)
			}
		}
	}
	return paged(found, q.Page, platen.Schedule.Position), nil
}

func (m *Store) Schedule(ctx context.Context, u platen.User, wfID, id string) (platen.Schedule, error) {
	all, err := m.Schedules(ctx, u, wfID)
	if i := slices.IndexFunc(all, func(s platen.Schedule) bool { return s.ID == id }); err == nil && i >= 0 {
		return all[i], nil
	}
	if err == nil {
		err = platen.ErrScheduleNotFound()
	}
	return platen.Schedule{}, err
}

func (m *Store) ScheduleFiles(ctx context.Context, u platen.User, wfID, id string, q platen.ScheduleFileQuery) ([]platen.ScheduleFile, error) {
	if _, err := m.Schedule(ctx, u, wfID, id); err != nil {
		return nil, err
	}
	var found []platen.ScheduleFile
	for _, f := range m.files[id] {
		if q.States == nil || slices.Contains(q.States, f.State) {
			found = append(found, f)
		}
	}
	return paged(found, q.Page, platen.ScheduleFile.Position), nil
}

// PutScheduleFile adds a file to those of a schedule's folder.
func (m *Store) PutScheduleFile(wfID, id string, f platen.ScheduleFile) {
	if m.files == nil {
		m.files = map[string][]platen.ScheduleFile{}
	}
	m.files[id] = append(m.files[id], f)
	i := slices.IndexFunc(m.clocks[wfID], func(s platen.Schedule) bool { return s.ID == id })
	counts := map[platen.ScheduleFileState]int{}
	for _, f := range m.files[id] {
		counts[f.State]++
	}
	m.clocks[wfID][i].Files = counts
}

func (m *Store) CreateSchedule(_ context.Context, u platen.User, s platen.Schedule) (platen.Schedule, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.change(u, s.WorkflowID); err != nil {
		return s, err
	}
	if m.clocks == nil {
		m.clocks = map[string][]platen.Schedule{}
	}
	made := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.CreatedAt, s.UpdatedAt = made, made
	next, err := s.Next(made)
	if err != nil {
		return s, err
	}
	s.NextAt = next
	m.clocks[s.WorkflowID] = append(m.clocks[s.WorkflowID], s)
	return s, nil
}

func (m *Store) UpdateSchedule(ctx context.Context, u platen.User, wfID, id string, change func(*platen.Schedule) error) (platen.Schedule, error) {
	s, err := m.Schedule(ctx, u, wfID, id)
	if err == nil {
		err = change(&s)
	}
	if err == nil {
		s.NextAt, err = s.Next(s.CreatedAt)
	}
	if err != nil {
		return s, err
	}
	m.putSchedule(s)
	return s, nil
}

// RunSchedule notes that somebody asked. Nobody carries it out.
func (m *Store) RunSchedule(ctx context.Context, u platen.User, wfID, id string) (platen.Schedule, error) {
	s, err := m.Schedule(ctx, u, wfID, id)
	if err == nil {
		at := s.CreatedAt
		s.RequestedAt = &at
		m.putSchedule(s)
	}
	return s, err
}

// EndSchedule sets what became of the last moment of a schedule.
func (m *Store) EndSchedule(wfID, id string, last platen.ScheduleOutcome) {
	i := slices.IndexFunc(m.clocks[wfID], func(s platen.Schedule) bool { return s.ID == id })
	m.clocks[wfID][i].Last = &last
}

func (m *Store) putSchedule(s platen.Schedule) {
	i := slices.IndexFunc(m.clocks[s.WorkflowID], func(had platen.Schedule) bool { return had.ID == s.ID })
	m.clocks[s.WorkflowID][i] = s
}

func (m *Store) DeleteSchedule(ctx context.Context, u platen.User, wfID, id string, allowed func(platen.Schedule) error) error {
	s, err := m.Schedule(ctx, u, wfID, id)
	if err == nil {
		err = allowed(s)
	}
	if err == nil {
		m.clocks[wfID] = slices.DeleteFunc(m.clocks[wfID], func(had platen.Schedule) bool { return had.ID == id })
	}
	return err
}
