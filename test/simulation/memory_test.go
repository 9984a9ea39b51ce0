package simulation

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/platenhq/platen/internal/platen"
)

// A memory is what a process remembers of outputs and plans, as package postgres
// does: a row as it was seen or written last, and what was noted since then.
type memory struct {
	mu      sync.Mutex
	outputs map[string]remembered
	plans   map[string]platen.Plan
}

type remembered struct {
	stored outputRow
	noted  *platen.Output
}

func newMemory() *memory {
	return &memory{outputs: map[string]remembered{}, plans: map[string]platen.Plan{}}
}

// now is the row with what was noted.
func (m remembered) now() platen.Output {
	if m.noted != nil {
		return *m.noted
	}
	return m.stored.Output
}

// become is what is remembered once an output is noted.
func (m remembered) become(o platen.Output) remembered {
	m.noted = nil
	if !reflect.DeepEqual(m.stored.Output, o) {
		m.noted = &o
	}
	return m
}

func (m *memory) get(id string) (remembered, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one, ok := m.outputs[id]
	return one, ok
}

func (m *memory) take(id string) (remembered, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one, ok := m.outputs[id]
	delete(m.outputs, id)
	return one, ok
}

// put keeps what is known of an output, unless it has ended: a retry may begin it
// again elsewhere.
func (m *memory) put(id string, one remembered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.outputs, id)
	if one.stored.State == platen.OutputPending {
		m.outputs[id] = one
	}
}

func (m *memory) drop(id string) { m.take(id) }

func (m *memory) plan(id string) (platen.Plan, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	plan, ok := m.plans[id]
	return plan, ok
}

func (m *memory) keepPlan(plan platen.Plan) {
	m.mu.Lock()
	defer m.mu.Unlock()
	plan.Attempt, plan.Cancelled = 0, false
	m.plans[plan.AutomationID] = plan
}

// forget is what happens to all that is remembered when there is too much of it.
func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.outputs)
	clear(m.plans)
}

func (d database) Plan(ctx context.Context, id string) (platen.Plan, error) {
	var p platen.Plan
	var inserted []outputRow
	err := d.do(ctx, "plans", id, func(s *store) (err error) {
		p, inserted, err = s.plan(id)
		return err
	})
	if err != nil {
		return platen.Plan{}, err
	}
	for _, r := range inserted {
		fresh := r.Output
		fresh.CopyBegun = false
		d.memory.put(r.ID, remembered{stored: r, noted: &fresh})
	}
	if len(p.Documents) > 0 {
		d.memory.keepPlan(p)
	}
	return p, nil
}

func (d database) PinnedPlan(ctx context.Context, id string) (platen.Plan, error) {
	if p, ok := d.memory.plan(id); ok {
		return p, nil
	}
	return d.Plan(ctx, id)
}

// current reads an output's row and remembers it.
func (d database) current(ctx context.Context, id string) (remembered, error) {
	var r outputRow
	err := d.do(ctx, "reads", id, func(s *store) (err error) {
		r, err = s.output(id)
		return err
	})
	if err != nil {
		return remembered{}, err
	}
	m := remembered{stored: r}
	if before, ok := d.memory.get(id); ok && before.stored.writtenBy == r.writtenBy {
		m.noted = before.noted
	}
	d.memory.put(id, m)
	return m, nil
}

func (d database) Output(ctx context.Context, id string) (platen.Output, error) {
	m, err := d.current(ctx, id)
	return m.now(), err
}

func (d database) RememberedOutput(ctx context.Context, id string) (platen.Output, error) {
	if m, ok := d.memory.get(id); ok {
		return m.now(), nil
	}
	return d.Output(ctx, id)
}

func (d database) WriteNotes(ctx context.Context, id string) error {
	if m, ok := d.memory.get(id); !ok || m.noted == nil {
		return nil
	}
	_, err := d.UpdateOutput(ctx, id, func(*platen.Output) error { return nil })
	return err
}

func (d database) NoteOutput(ctx context.Context, id string, change func(*platen.Output) error) (platen.Output, error) {
	m, ok := d.memory.take(id)
	if !ok {
		var err error
		if m, err = d.current(ctx, id); err != nil {
			return platen.Output{}, err
		}
	}
	o, _, err := m.now().Change(change)
	if err == nil {
		m = m.become(o)
	}
	d.memory.put(id, m)
	return o, err
}

// writeOver writes an output over a row, if that is still as it was read.
func (d database) writeOver(ctx context.Context, r outputRow, o platen.Output) (ok bool, err error) {
	d.memory.drop(r.ID)
	var written outputRow
	err = d.do(ctx, "writes", r.ID, func(s *store) error {
		written, ok = s.writeOver(r, o)
		return nil
	})
	if err != nil {
		return false, err
	}
	if ok {
		d.memory.put(r.ID, remembered{stored: written})
	}
	return ok, nil
}

func (d database) UpdateOutput(ctx context.Context, id string, change func(*platen.Output) error) (platen.Output, error) {
	if m, ok := d.memory.take(id); ok {
		if o, done, err := d.updateRemembered(ctx, m, change); err != nil || done {
			return o, err
		}
	}
	m, err := d.current(ctx, id)
	if err != nil {
		return platen.Output{}, err
	}
	o, changes, err := m.now().Change(change)
	if err != nil || !changes && m.noted == nil {
		return o, err
	}
	if ok, err := d.writeOver(ctx, m.stored, o); err != nil || ok {
		return o, err
	}
	err = d.do(ctx, "updates", id, func(s *store) (err error) {
		o, err = s.updateOutput(id, change)
		return err
	})
	d.memory.drop(id)
	return o, err
}

func (d database) updateRemembered(ctx context.Context, m remembered, change func(*platen.Output) error) (o platen.Output, done bool, err error) {
	o, changes, err := m.now().Change(change)
	if err != nil || !changes && m.noted == nil {
		d.memory.put(m.stored.ID, m)
		return o, false, nil // the remembered output may be stale: the row decides
	}
	next := m.become(o)
	if next.noted == nil {
		d.memory.put(m.stored.ID, next)
		return o, true, nil
	}
	done, err = d.writeOver(ctx, m.stored, o)
	if err != nil {
		d.memory.put(m.stored.ID, m)
	}
	return o, done, err
}

type recording struct {
	change func(*platen.Output) error
	event  func(platen.Output) (platen.Event, error)
}

func (d database) RecordOutput(ctx context.Context, id string, change func(*platen.Output) error, event func(platen.Output) (platen.Event, error)) (platen.Output, string, error) {
	defer d.memory.drop(id)
	o, eventID, done, err := d.recordAtOnce(ctx, id, recording{change, event})
	if err == nil && !done {
		err = d.do(ctx, "records", id, func(s *store) (err error) {
			o, eventID, err = s.recordOutput(id, change, event)
			return err
		})
	}
	if err != nil {
		return platen.Output{}, "", fmt.Errorf("record output %s: %w", id, err)
	}
	return o, eventID, nil
}

func (d database) recordAtOnce(ctx context.Context, id string, r recording) (o platen.Output, eventID string, done bool, err error) {
	m, ok := d.memory.take(id)
	if !ok {
		if m, err = d.current(ctx, id); err != nil {
			return o, "", false, err
		}
	}
	o, changes, err := m.now().Change(r.change)
	if err != nil || !changes || o.State == platen.OutputPending {
		return o, "", false, nil // RecordOutput repeats the change on the row itself
	}
	err = d.do(ctx, "records at once", id, func(s *store) (err error) {
		if _, done = s.writeOver(m.stored, o); done {
			eventID, _, err = s.storeEvent(o, r.event)
		}
		return err
	})
	return o, eventID, done, err
}
