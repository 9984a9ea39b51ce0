package memory

import (
	"context"
	"iter"
	"reflect"
	"slices"

	"github.com/platenhq/platen/internal/platen"
)

// Batch is a batch whose rows never begin.
type Batch struct {
	platen.Batch
	Content []platen.BatchRow
	Outputs map[int][]platen.Output // of rows, by their numbers

	key  string
	sent []platen.BatchRow
}

func (m *Store) StoreBatch(_ context.Context, u platen.User, wfID string, n platen.NewBatch, rows iter.Seq2[platen.BatchRow, error]) (platen.Batch, bool, error) {
	if _, err := m.find(u, wfID); err != nil {
		return platen.Batch{}, false, err
	}
	made := Batch{Batch: platen.Batch{ID: n.ID, WorkflowID: wfID, Name: n.Name, State: platen.BatchRunning, Test: n.Test, Attempt: 1, CreatedAt: n.CreatedAt}, key: n.Key}
	for row, err := range rows {
		if err != nil {
			return platen.Batch{}, false, err
		}
		made.Content = append(made.Content, row)
	}
	made.sent = slices.Clone(made.Content)
	made.Rows, made.Counts = len(made.Content), map[platen.RowState]int{platen.RowPending: len(made.Content)}
	for _, before := range m.Batches {
		switch {
		case n.Key == "" || before.WorkflowID != wfID || before.key != n.Key:
		case !reflect.DeepEqual(before.sent, made.sent):
			return platen.Batch{}, false, platen.Errorf(platen.KindConflict, "idempotency_key_reused", "it was sent with other rows")
		default:
			return before.Batch, true, nil
		}
	}
	m.Batches = append(m.Batches, made)
	return made.Batch, false, nil
}

func (m *Store) batch(u platen.User, wfID, id string) (*Batch, error) {
	if _, err := m.find(u, wfID); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(m.Batches, func(s Batch) bool { return s.ID == id && s.WorkflowID == wfID })
	if i < 0 {
		return nil, platen.ErrBatchNotFound()
	}
	return &m.Batches[i], nil
}

func (m *Store) Batch(_ context.Context, u platen.User, wfID, id string) (platen.Batch, error) {
	found, err := m.batch(u, wfID, id)
	if err != nil {
		return platen.Batch{}, err
	}
	return found.Batch, nil
}

func (m *Store) WorkflowBatches(_ context.Context, u platen.User, wfID string, q platen.BatchQuery) ([]platen.Batch, error) {
	_, err := m.find(u, wfID)
	var found []platen.Batch
	for _, s := range m.Batches {
		if s.WorkflowID == wfID && (len(q.States) == 0 || slices.Contains(q.States, s.State)) {
			found = append(found, s.Batch)
		}
	}
	return paged(found, q.Page, func(b platen.Batch) platen.Position { return platen.Position{CreatedAt: b.CreatedAt, ID: b.ID} }), err
}

func (m *Store) BatchRows(_ context.Context, u platen.User, wfID, id string, q platen.RowQuery) ([]platen.StoredRow, error) {
	of, err := m.batch(u, wfID, id)
	if err != nil {
		return nil, err
	}
	var found []platen.StoredRow
	for _, row := range of.Content {
		if row.Number > q.After && len(found) < q.Limit && (len(q.States) == 0 || slices.Contains(q.States, platen.RowPending)) {
			found = append(found, platen.StoredRow{Number: row.Number, State: platen.RowPending, Reference: row.Reference, Outputs: of.Outputs[row.Number]})
		}
	}
	return found, nil
}

func (m *Store) setBatch(u platen.User, wfID, id string, state platen.BatchState) (platen.Batch, error) {
	found, err := m.batch(u, wfID, id)
	if err != nil {
		return platen.Batch{}, err
	}
	if found.State == platen.BatchCancelled && state != platen.BatchCancelled {
		return platen.Batch{}, platen.ErrBatchEnded(found.State)
	}
	found.State = state
	return found.Batch, nil
}

func (m *Store) PauseBatch(_ context.Context, u platen.User, wfID, id string) (platen.Batch, error) {
	return m.setBatch(u, wfID, id, platen.BatchPaused)
}

func (m *Store) ResumeBatch(_ context.Context, u platen.User, wfID, id string) (platen.Batch, error) {
	return m.setBatch(u, wfID, id, platen.BatchRunning)
}

func (m *Store) CancelBatch(_ context.Context, u platen.User, wfID, id string) (platen.Batch, error) {
	return m.setBatch(u, wfID, id, platen.BatchCancelled)
}

func (m *Store) CorrectBatch(_ context.Context, u platen.User, wfID, id string, c platen.Correction, rows iter.Seq2[platen.BatchRow, error]) (platen.Batch, error) {
	found, err := m.failed(u, wfID, id)
	if err != nil {
		return platen.Batch{}, err
	}
	var all []platen.BatchRow
	for row, err := range rows {
		if err != nil {
			return platen.Batch{}, err
		}
		all = append(all, row)
	}
	if c.Whole && len(all) != len(found.Content) {
		return platen.Batch{}, platen.Errorf(platen.KindInvalid, "rows_differ", "%d rows", len(all))
	}
	for _, row := range all {
		found.Content[row.Number-1] = row
	}
	return found.Batch, nil
}

func (m *Store) RetryBatch(_ context.Context, u platen.User, wfID, id string) (platen.Batch, error) {
	found, err := m.failed(u, wfID, id)
	if err != nil {
		return platen.Batch{}, err
	}
	found.State = platen.BatchRunning
	return found.Batch, nil
}

// failed is a batch with a FAILED row: a test says so in its Counts.
func (m *Store) failed(u platen.User, wfID, id string) (*Batch, error) {
	found, err := m.batch(u, wfID, id)
	if err == nil && found.Counts[platen.RowFailed] == 0 {
		err = platen.Errorf(platen.KindInvalid, "batch_not_failed", "it has no FAILED row")
	}
	return found, err
}
