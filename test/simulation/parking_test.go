package simulation

import (
	"maps"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// How long a workflow's next run waits, for each run in trouble; see package postgres.
const (
	pauseWhenParked = 400 * time.Millisecond
	pauseWhenFailed = 50 * time.Millisecond
	alone           = 200 * time.Millisecond
)

func (s *store) park(id string, attempt int, w platen.Wait) platen.Wait {
	a, ok := s.automations[id]
	if !ok || a.State != platen.AutomationAccepted && a.State != platen.AutomationRunning || attempt != 0 && a.Attempt != attempt {
		return platen.Wait{}
	}
	now := s.now()
	tries := 1
	if w.Code == platen.CodeStepSlow {
		tries = 0
	}
	kept := w
	kept.Since, kept.Tries = now, tries
	if before, ok := a.waits[w.Subject]; ok && before.Code == w.Code {
		kept.Since, kept.Tries = before.Since, before.Tries+tries
	}
	if a.ParkedAt == nil {
		a.ParkedAt = &now
	}
	a.waits = maps.Clone(a.waits)
	if a.waits == nil {
		a.waits = map[string]platen.Wait{}
	}
	a.waits[w.Subject] = kept
	s.automations[id] = a
	kept.Beside = 0
	for _, o := range s.automations {
		if o.OwnerID == a.OwnerID && o.ID != id && (o.State == platen.AutomationRunning || !o.leasedUntil.IsZero()) && o.ParkedAt != nil && waitsBeside(a, o, w) {
			kept.Beside++
		}
	}
	if kept.Tries == 1 {
		s.pause(a, pauseWhenParked)
	}
	return kept
}

// waitsBeside tells whether another run of the owner waits for the same.
func waitsBeside(a, other automationRow, w platen.Wait) bool {
	if other.WorkflowID == a.WorkflowID {
		return true
	}
	for _, waits := range other.waits {
		if slices.Contains(w.OwnersReasons(), waits.Code) {
			return true
		}
	}
	return false
}

// pause keeps an automation's workflow from starting the next run for a while.
func (s *store) pause(a automationRow, each time.Duration) {
	troubled, seen := time.Duration(1), 0
	rows := s.byAge()
	for i := len(rows) - 1; i >= 0 && seen < 20; i-- {
		b := rows[i]
		if b.WorkflowID != a.WorkflowID || !(b.AcceptedAt.Before(a.AcceptedAt) || b.AcceptedAt.Equal(a.AcceptedAt) && b.ID < a.ID) {
			continue
		}
		seen++
		if b.ParkedAt != nil || b.State == platen.AutomationFailed {
			troubled++
		}
	}
	now := s.now()
	t, known := s.turns[a.WorkflowID]
	if !known {
		t.servedAt = now
	}
	t.pausedUntil = latest(t.pausedUntil, now.Add(each*troubled))
	t.aloneUntil = latest(t.aloneUntil, now.Add((each+alone)*troubled))
	s.turns[a.WorkflowID] = t
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (s *store) unpark(id, subject string) {
	a, ok := s.automations[id]
	if _, waits := a.waits[subject]; !ok || !waits {
		return
	}
	a.waits = maps.Clone(a.waits)
	delete(a.waits, subject)
	if len(a.waits) == 0 {
		a.waits, a.ParkedAt = nil, nil
	}
	s.automations[id] = a
}
