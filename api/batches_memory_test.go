package api

import (
	"context"
	"iter"
	"slices"

	"github.com/platenhq/platen/internal/platen"
)

// batches are a fake store of batches, whose rows never begin.
type batches struct {
	of     *memory
	stored []storedBatch
}

// batchStore is the one of the memory.
func (m *memory) batchStore() *batches {
	if m.batches == nil {
		m.batches = &batches{of: m}
	}
	return m.batches
}

type storedBatch struct {
	platen.Batch
	key  string
	rows []platen.BatchRow
	made map[int][]platen.Output // of rows by their numbers
}

func (b *batches) StoreBatch(_ context.Context, u platen.User, wfID string, n platen.NewBatch, rows iter.Seq2[platen.BatchRow, error]) (platen.Batch, bool, error) {
	if _, err := b.of.find(u, wfID); err != nil {
		return platen.Batch{}, false, err
	}
	made := storedBatch{Batch: platen.Batch{ID: n.ID, WorkflowID: wfID, Name: n.Name, State: platen.BatchRunning, Test: n.Test, Attempt: 1, CreatedAt: n.CreatedAt}, key: n.Key}
	for row, err := range rows {
		if err != nil {
			return platen.Batch{}, false, err
		}
		made.rows = append(made.rows, row)
	}
	made.Rows, made.Counts = len(made.rows), map[platen.RowState]int{platen.RowPending: len(made.rows)}
	for _, before := range b.stored {
		if n.Key != "" && before.key == n.Key {
			return before.Batch, true, nil
		}
	}
	b.stored = append(b.stored, made)
	return made.Batch, false, nil
}

func (b *batches) find(u platen.User, wfID, id string) (*storedBatch, error) {
	if _, err := b.of.find(u, wfID); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(b.stored, func(s storedBatch) bool { return s.ID == id && s.WorkflowID == wfID })
	if i < 0 {
		return nil, platen.ErrBatchNotFound()
	}
	return &b.stored[i], nil
}

func (b *batches) Batch(_ context.Context, u platen.User, wfID, id string) (platen.Batch, error) {
	found, err := b.find(u, wfID, id)
	if err != nil {
		return platen.Batch{}, err
	}
	return found.Batch, nil
}

func (b *batches) WorkflowBatches(_ context.Context, u platen.User, wfID string, q platen.BatchQuery) ([]platen.Batch, error) {
	_, err := b.of.find(u, wfID)
	var found []platen.Batch
	for _, s := range b.stored {
		if s.WorkflowID == wfID && (len(q.States) == 0 || slices.Contains(q.States, s.State)) {
			found = append(found, s.Batch)
		}
	}
	return paged(found, q.Page, func(b platen.Batch) platen.Position { return platen.Position{CreatedAt: b.CreatedAt, ID: b.ID} }), err
}

func (b *batches) BatchRows(_ context.Context, u platen.User, wfID, id string, q platen.RowQuery) ([]platen.StoredRow, error) {
	of, err := b.find(u, wfID, id)
	if err != nil {
		return nil, err
	}
	var found []platen.StoredRow
	for _, row := range of.rows {
		if row.Number > q.After && len(found) < q.Limit && (len(q.States) == 0 || slices.Contains(q.States, platen.RowPending)) {
			found = append(found, platen.StoredRow{Number: row.Number, State: platen.RowPending, Reference: row.Reference, Outputs: of.made[row.Number]})
		}
	}
	return found, nil
}

func (b *batches) set(u platen.User, wfID, id string, state platen.BatchState) (platen.Batch, error) {
	found, err := b.find(u, wfID, id)
	if err != nil {
		return platen.Batch{}, err
	}
	found.State = state
	return found.Batch, nil
}

func (b *batches) PauseBatch(_ context.Context, u platen.User, wfID, id string) (platen.Batch, error) {
	return b.set(u, wfID, id, platen.BatchPaused)
}

func (b *batches) ResumeBatch(_ context.Context, u platen.User, wfID, id string) (platen.Batch, error) {
	return b.set(u, wfID, id, platen.BatchRunning)
}

func (b *batches) CancelBatch(_ context.Context, u platen.User, wfID, id string) (platen.Batch, error) {
	return b.set(u, wfID, id, platen.BatchCancelled)
}

func (b *batches) CorrectBatch(_ context.Context, u platen.User, wfID, id string, c platen.Correction, rows iter.Seq2[platen.BatchRow, error]) (platen.Batch, error) {
	found, err := b.find(u, wfID, id)
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
	if c.Whole && len(all) != len(found.rows) {
		return platen.Batch{}, platen.Errorf(platen.KindInvalid, "rows_differ", "%d rows", len(all))
	}
	for _, row := range all {
		found.rows[row.Number-1] = row
	}
	return found.Batch, nil
}

func (b *batches) RetryBatch(_ context.Context, u platen.User, wfID, id string) (platen.Batch, error) {
	return b.set(u, wfID, id, platen.BatchRunning)
}
