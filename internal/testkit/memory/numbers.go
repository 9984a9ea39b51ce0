package memory

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// holder is who a caller's series belong to.
func holder(u platen.User) string {
	if u.Team != nil {
		return u.Team.ID
	}
	return u.ID
}

func (m *Store) AllSeries(_ context.Context, u platen.User) ([]platen.Series, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := slices.Collect(maps.Values(m.series[holder(u)]))
	slices.SortFunc(all, func(a, b platen.Series) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func (m *Store) Series(_ context.Context, u platen.User, name string) (platen.Series, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.series[holder(u)][name]; ok {
		return s, nil
	}
	return platen.Series{Name: name, Next: 1}, nil
}

func (m *Store) SetNext(_ context.Context, u platen.User, name string, next int64) (platen.Series, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	of := m.series[holder(u)]
	begun := slices.ContainsFunc(m.Given, func(n platen.DrawnNumber) bool { return n.Series == name })
	if begun && next < of[name].Next {
		return platen.Series{}, platen.Errorf(platen.KindInvalid, "number_given", "it was given")
	}
	if of == nil {
		of = map[string]platen.Series{}
		m.series[holder(u)] = of
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	of[name] = platen.Series{Name: name, Next: next, UpdatedAt: &at}
	return of[name], nil
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
