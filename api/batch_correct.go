package api

import (
	"log/slog"
	"net/http"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/rows"
)

// correctBatch makes the FAILED rows of a batch of other data: those of a file with as many
// rows, or with a field that has their numbers.
func (s *server) correctBatch(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.findForRows(r)
	if err != nil {
		return err
	}
	_, id, err := s.batchID(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	reference, number, asTable := in.field("reference"), in.field("row"), in.tableOptions()
	if err := in.err(); err != nil {
		return err
	}
	if _, err := s.Batches.Batch(r.Context(), caller(r.Context()), wf.ID, id); err != nil {
		return err
	}
	if err := edge.Reserve(r.Context(), batchRoom+2*s.eventLimit); err != nil {
		return err
	}
	file, err := s.openBatch(w, r, asTable)
	if err != nil {
		return err
	}
	checker := &rows.Checker{Limit: s.eventLimit, Reference: reference, Number: number, Most: maxFaults}
	c := platen.Correction{RequestID: edge.RequestID(r.Context()), CreatedAt: s.now(), Whole: number == ""}
	b, err := s.Batches.CorrectBatch(r.Context(), caller(r.Context()), wf.ID, id, c, checker.Whole(file.Rows))
	if err != nil {
		return err
	}
	edge.Note(r.Context(), slog.Int("rows", checker.Count))
	out := batch(b)
	out.Table = tableOf(file.Table)
	return edge.WriteJSON(w, http.StatusAccepted, out)
}
