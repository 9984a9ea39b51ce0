package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func (m *Store) AllSeries(_ context.Context, u platen.User) ([]platen.Series, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []platen.Series
	for key, next := range m.next {
		if name, ok := strings.CutPrefix(key, u.ID+" "); ok {
			all = append(all, platen.Series{Name: name, Next: next})
		}
	}
	slices.SortFunc(all, func(a, b platen.Series) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func (m *Store) Series(_ context.Context, u platen.User, name string) (platen.Series, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return platen.Series{Name: name, Next: max(m.next[u.ID+" "+name], 1)}, nil
}

func (m *Store) SetNext(_ context.Context, u platen.User, name string, next int64) (platen.Series, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if next < m.next[u.ID+" "+name] {
		return platen.Series{}, platen.Errorf(platen.KindInvalid, "number_given", "it was given")
	}
	m.next[u.ID+" "+name] = next
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return platen.Series{Name: name, Next: next, UpdatedAt: &at}, nil
}

func (m *Store) Drawn(_ context.Context, _ platen.User, q platen.NumberQuery) ([]platen.DrawnNumber, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []platen.DrawnNumber
	for _, n := range m.Given {
		if n.Series == q.Series && n.Number > q.After && (len(q.States) == 0 || slices.Contains(q.States, n.State)) && len(all) < q.Limit {
			all = append(all, n)
		}
	}
	return all, nil
}
