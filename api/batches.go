package api

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/rows"
	"github.com/platenhq/platen/internal/table"
)

// Memory in bytes that storing a batch takes beside its rows: one part of it, encrypted.
const batchRoom = 4 << 20

// maxBatchName is how many bytes the name of a batch may have.
const maxBatchName = 200

// createBatch stores a file whose rows are source events of a workflow.
func (s *server) createBatch(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.findForRows(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	name, reference, test, asTable := in.fileName(), in.field("reference"), in.test(), in.tableOptions()
	if err := in.err(); err != nil {
		return err
	}
	key, err := idempotencyKey(r.Header)
	if err != nil {
		return err
	}
	if err := edge.Reserve(r.Context(), batchRoom+2*s.eventLimit); err != nil {
		return err
	}
	file, err := s.openBatch(w, r, asTable)
	if err != nil {
		return err
	}
	if name == "" {
		name = cut(file.name)
	}
	checker := &rows.Checker{Limit: s.eventLimit, Reference: reference, Most: maxFaults}
	b := platen.NewBatch{ID: platen.NewID(platen.PrefixBatch), Name: name, Test: test, RequestID: edge.RequestID(r.Context()), CreatedAt: s.now(), Key: key}
	stored, again, err := s.Batches.StoreBatch(r.Context(), caller(r.Context()), wf.ID, b, checker.Whole(file.Rows))
	if err != nil {
		return err
	}
	edge.Note(r.Context(), slog.String("batch", stored.ID), slog.Int("rows", stored.Rows))
	if again {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.Header().Set("Location", s.origin+"/v0/workflows/"+wf.ID+"/batches/"+stored.ID+"/")
	out := batch(stored)
	out.Table = tableOf(file.Table)
	return edge.WriteJSON(w, http.StatusCreated, out)
}

// findForRows finds the workflow that a request brings rows for, if it would carry them out.
func (s *server) findForRows(r *http.Request) (platen.Workflow, error) {
	wf, err := s.findChangeable(r)
	if err == nil {
		err = wf.CheckStarts()
	}
	return wf, err
}

// fileName reads what the file of a batch is called.
func (p *parameters) fileName() string {
	text, given := p.one("name")
	if given && (text == "" || len(text) > maxBatchName || !utf8.ValidString(text) || safeName(text) != text) {
		p.fault("The parameter name must be the name of a file, of at most %d bytes.", maxBatchName)
	}
	return text
}

// field reads the name of a field of source data.
func (p *parameters) field(name string) string {
	text, given := p.one(name)
	if given && (text == "" || len(text) > platen.MaxSourceFieldLength || !utf8.ValidString(text)) {
		p.fault("The parameter %s must be the name of a field of the rows, such as Customer.No.", name)
	}
	return text
}

// batch reads the id of the batch whose rows a list is to hold.
func (p *parameters) batch() string {
	id, given := p.one("batch")
	if given && !platen.IsID(platen.PrefixBatch, id) {
		p.fault("The parameter batch must be an id that begins with %s.", platen.PrefixBatch)
	}
	return id
}

func (s *server) listBatches(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	page := in.newestFirst()
	states := anyOf(in, "state", platen.BatchRunning, platen.BatchPaused, platen.BatchCompleted, platen.BatchCancelled)
	if err := in.err(); err != nil {
		return err
	}
	found, err := s.Batches.WorkflowBatches(r.Context(), caller(r.Context()), id, platen.BatchQuery{Page: oneMore(page), States: states})
	if err != nil {
		return err
	}
	position := func(b platen.Batch) platen.Position { return platen.Position{CreatedAt: b.CreatedAt, ID: b.ID} }
	return writePage(s, w, r, page, found, position, batch)
}

func (s *server) getBatch(w http.ResponseWriter, r *http.Request) error {
	wfID, id, err := s.batchID(r)
	if err != nil {
		return err
	}
	b, err := s.Batches.Batch(r.Context(), caller(r.Context()), wfID, id)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, batch(b))
}

// listBatchRows shows rows by their numbers, which are what a page goes on behind.
func (s *server) listBatchRows(w http.ResponseWriter, r *http.Request) error {
	wfID, id, err := s.batchID(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	q := platen.RowQuery{Limit: in.whole("limit", 1, maxLimit, defaultLimit), After: in.whole("after", 0, 1<<31-1, 0)}
	q.States = anyOf(in, "state", platen.RowStates()...)
	if err := in.err(); err != nil {
		return err
	}
	q.Limit++
	found, err := s.Batches.BatchRows(r.Context(), caller(r.Context()), wfID, id, q)
	if err != nil {
		return err
	}
	q.Limit--
	if len(found) > q.Limit {
		found = found[:q.Limit]
		query := r.URL.Query()
		query.Set("limit", strconv.Itoa(q.Limit))
		query.Set("after", strconv.Itoa(found[q.Limit-1].Number))
		w.Header().Set("Link", "<"+s.origin+r.URL.EscapedPath()+"?"+query.Encode()+`>; rel="next"`)
	}
	out := make([]batchRowJSON, len(found))
	for i, row := range found {
		out[i] = batchRowOf(row)
	}
	return edge.WriteJSON(w, http.StatusOK, out)
}

// whole reads a whole number from least to most.
func (p *parameters) whole(name string, least, most, otherwise int) int {
	text, given := p.one(name)
	if !given {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		p.fault("The parameter %s must be a whole number from %d to %d.", name, least, most)
	}
	return n
}

// changeBatch answers what asks for a change of a batch and has no body.
func (s *server) changeBatch(change func(ctx context.Context, caller platen.User, workflowID, batchID string) (platen.Batch, error)) edge.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		wfID, id, err := s.batchID(r)
		if err != nil {
			return err
		}
		// Authorize first: other callers must not learn about faults of the body.
		if _, err := s.Batches.Batch(r.Context(), caller(r.Context()), wfID, id); err != nil {
			return err
		}
		if err := readNothing(r); err != nil {
			return err
		}
		b, err := change(r.Context(), caller(r.Context()), wfID, id)
		if err != nil {
			return err
		}
		return edge.WriteJSON(w, http.StatusAccepted, batch(b))
	}
}

func (s *server) batchID(r *http.Request) (wfID, id string, err error) {
	if wfID, err = workflowID(r); err != nil {
		return "", "", err
	}
	id = mux.Vars(r)["batch"]
	if !platen.IsID(platen.PrefixBatch, id) {
		return "", "", s.findBefore(r, platen.ErrBatchNotFound())
	}
	edge.Note(r.Context(), slog.String("batch", id))
	return wfID, id, nil
}

// batchJSON is a batch on the wire.
type batchJSON struct {
	ID          string                  `json:"id"`
	WorkflowID  string                  `json:"workflowId"`
	Name        string                  `json:"name"`
	State       platen.BatchState       `json:"state"`
	Test        bool                    `json:"test"`
	Attempt     int                     `json:"attempt"`
	Rows        int                     `json:"rows"`
	Counts      map[platen.RowState]int `json:"counts"` // every state is there
	CreatedAt   string                  `json:"createdAt"`
	FinishedAt  *string                 `json:"finishedAt"`
	Rate        *float64                `json:"rate"`        // rows in a second, of late
	SecondsLeft *int                    `json:"secondsLeft"` // at that rate
	InReview    int                     `json:"inReview"`    // of those that are RUNNING
	Undelivered int                     `json:"undelivered"` // rows with a mail that somebody did not get
	Table       *tableJSON              `json:"table"`       // null but in the answer to a table
}

// tableJSON is what a file was read as.
type tableJSON struct {
	Kind       string   `json:"kind"` // csv or xlsx
	Encoding   string   `json:"encoding"`
	Delimiter  string   `json:"delimiter"`
	Decimal    string   `json:"decimal"`
	Sheet      string   `json:"sheet"`
	Sheets     []string `json:"sheets"`
	HiddenRows int      `json:"hiddenRows"`
	Columns    []string `json:"columns"`
}

func tableOf(f *table.Found) *tableJSON {
	if f == nil {
		return nil
	}
	return &tableJSON{f.Kind, f.Encoding, f.Delimiter, f.Decimal, f.Sheet, append([]string{}, f.Sheets...), f.Hidden, append([]string{}, f.Columns...)}
}

func batch(b platen.Batch) batchJSON {
	out := batchJSON{
		ID: b.ID, WorkflowID: b.WorkflowID, Name: b.Name, State: b.State, Test: b.Test, Attempt: b.Attempt, Rows: b.Rows,
		Counts: map[platen.RowState]int{}, CreatedAt: platen.Timestamp(b.CreatedAt), FinishedAt: moment(b.FinishedAt), SecondsLeft: b.SecondsLeft(), InReview: b.InReview, Undelivered: b.Undelivered,
	}
	for _, state := range platen.RowStates() {
		out.Counts[state] = b.Counts[state]
	}
	if b.Rate > 0 {
		out.Rate = &b.Rate
	}
	return out
}

// batchRowJSON is a row of a batch on the wire.
type batchRowJSON struct {
	Row          int             `json:"row"`
	State        platen.RowState `json:"state"`
	Reference    *string         `json:"reference"`
	AutomationID *string         `json:"automationId"` // null: it has not begun
	Error        *failureJSON    `json:"error"`        // why it failed or was skipped
	Outputs      []outputJSON    `json:"outputs"`
	Numbers      []rowNumberJSON `json:"numbers"` // that it drew
}

// rowNumberJSON is a number of a series.
type rowNumberJSON struct {
	Series string `json:"series"`
	Number int64  `json:"number"`
}

func batchRowOf(row platen.StoredRow) batchRowJSON {
	out := batchRowJSON{
		Row: row.Number, State: row.State, Reference: orNull(row.Reference), AutomationID: orNull(row.AutomationID),
		Error: failure(row.Code, row.Message), Outputs: []outputJSON{}, Numbers: []rowNumberJSON{},
	}
	for _, n := range row.Numbers {
		out.Numbers = append(out.Numbers, rowNumberJSON(n))
	}
	for _, o := range row.Outputs {
		o.Reference = row.Reference
		out.Outputs = append(out.Outputs, output(o))
	}
	return out
}
