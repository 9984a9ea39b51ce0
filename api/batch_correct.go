package api

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"strconv"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
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
	checker := &rowChecker{limit: s.eventLimit, reference: reference, number: number, most: maxFaults}
	c := platen.Correction{RequestID: edge.RequestID(r.Context()), CreatedAt: s.now(), Whole: number == ""}
	b, err := s.Batches.CorrectBatch(r.Context(), caller(r.Context()), wf.ID, id, c, checker.whole(file.rows))
	if err != nil {
		return err
	}
	edge.Note(r.Context(), slog.Int("rows", checker.count))
	out := batch(b)
	out.Table = tableOf(file.table)
	return edge.WriteJSON(w, http.StatusAccepted, out)
}

// takeNumber takes the number of a row out of its data.
func (c *rowChecker) takeNumber(row *platen.BatchRow) error {
	text, ok := textAt(row.Body, c.number)
	n, err := strconv.Atoi(text)
	if !ok || err != nil || n < 1 || n > math.MaxInt32 { // tables number rows by their lines
		return rowFault("has no number of a row in %s: it must be a whole number from 1 to %d", cut(c.number), math.MaxInt32)
	}
	if c.numbers[n] {
		return rowFault("has the number %d, as another row of the file", n)
	}
	if c.numbers == nil {
		c.numbers = map[int]bool{}
	}
	c.numbers[n] = true
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(row.Body, &fields); err != nil {
		return err
	}
	if _, ok := fields[c.number]; !ok {
		return rowFault("has its number within %s: name a field that is in none", cut(c.number))
	}
	delete(fields, c.number)
	var body bytes.Buffer
	out := json.NewEncoder(&body)
	out.SetEscapeHTML(false)
	if err := out.Encode(fields); err != nil {
		return err
	}
	row.Number, row.Body = n, bytes.TrimSpace(body.Bytes())
	return nil
}
