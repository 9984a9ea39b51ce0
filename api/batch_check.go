package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/rows"
)

const (
	// maxRowFindings is how many findings one answer names.
	maxRowFindings = 100
	// trialTime is how long rows are tried on the templates. The rest of the file is read
	// all the same.
	trialTime = 25 * time.Second
	// maxTrialFields bounds the fields of JSON rows that are looked up.
	maxTrialFields = 500
)

// checkBatch reads a file as createBatch does, and tries its rows on the templates of the
// workflow. It stores nothing.
func (s *server) checkBatch(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.findForRows(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	reference, asTable := in.field("reference"), in.tableOptions()
	if err := in.err(); err != nil {
		return err
	}
	if s.templates == nil {
		return platen.Errorf(platen.KindUnavailable, "check_unavailable", "Templates cannot be checked here.")
	}
	if err := s.previews.Take(w.Header(), sha256.Sum256([]byte(caller(r.Context()).ID))); err != nil {
		return err
	}
	if err := edge.Reserve(r.Context(), 2*s.eventLimit); err != nil {
		return err
	}
	trial, err := s.tryRows(r.Context(), wf)
	if err != nil {
		return err
	}
	// A sender that is slow keeps no turn of others.
	release := sync.OnceFunc(trial.Close)
	defer release()
	defer time.AfterFunc(trialTime, release).Stop()
	c := batchCheck{trial: trial, until: time.Now().Add(trialTime), faulty: map[int]bool{}, told: map[string]bool{}}
	file, err := s.openBatch(w, r, asTable)
	if err != nil {
		return err
	}
	checker := &rows.Checker{Limit: s.eventLimit, Reference: reference, Most: maxRowFindings}
	for row, err := range checker.Check(file.Rows) {
		if err == nil {
			err = r.Context().Err()
		}
		if err == nil {
			err = c.add(row)
		}
		if err != nil {
			return err
		}
	}
	for _, fault := range checker.Faults {
		c.mistakes = append(c.mistakes, rowFindingJSON{Row: fault.Row, Code: rows.CodeInvalid, Message: fault.Message, Nearest: []string{}, Severity: platen.SeverityMistake})
	}
	c.namesAlike(wf, checker.Count)
	out := batchCheckJSON{Rows: checker.Count, Checked: c.checked + checker.Wrong, Faulty: checker.Wrong + len(c.faulty), Table: tableOf(file.Table), Findings: c.findings(), Unused: []unusedFieldJSON{}}
	if out.Refusal, err = s.refusalOf(r.Context(), wf, checker.Count); err != nil {
		return err
	}
	fields := c.fields
	if file.Table != nil {
		fields = slices.DeleteFunc(slices.Clone(file.Table.Columns), func(name string) bool { return name == "" })
	}
	for _, f := range trial.Unused(fields) {
		out.Unused = append(out.Unused, unusedFieldJSON{f.Field, append([]string{}, f.Nearest...)})
	}
	return edge.WriteJSON(w, http.StatusOK, out)
}

// refusalOf says that the limit of the workflow's owner leaves no room for a batch of so many
// rows. A batch of tests is not refused.
func (s *server) refusalOf(ctx context.Context, wf platen.Workflow, rows int) (*failureJSON, error) {
	room, documents, err := s.Usage.WorkflowRoom(ctx, caller(ctx), wf.ID)
	makes := int64(rows) * documents
	if err != nil || room == nil || makes <= room.Left() {
		return nil, err
	}
	refused := platen.ErrUsageLimit(s.now(), *room, makes).(*platen.Error)
	return failure(refused.Code, refused.Message), nil
}

func (s *server) tryRows(ctx context.Context, wf platen.Workflow) (platen.RowTrial, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.driveTimeout, errDriveTimeout)
	defer cancel()
	trial, err := s.templates.TryRows(ctx, wf)
	if err != nil {
		return trial, sampleError(ctx, err)
	}
	return trial, nil
}

// A batchCheck gathers what is wrong with rows.
type batchCheck struct {
	trial    platen.RowTrial
	until    time.Time
	checked  int
	first    int          // the number of the first row
	faulty   map[int]bool // rows
	fields   []string     // of all rows, while they are few
	mistakes []rowFindingJSON
	notes    []rowFindingJSON
	told     map[string]bool // findings of templates that an earlier row has
}

func (c *batchCheck) add(row platen.BatchRow) error {
	if time.Now().After(c.until) {
		return nil
	}
	c.checked++
	c.first = cmp.Or(c.first, row.Number)
	if len(c.fields) < maxTrialFields {
		names, err := platen.SourceFields(row.Body)
		if err != nil {
			return err
		}
		if c.fields = platen.UnionOfFields(c.fields, names); len(c.fields) > maxTrialFields {
			c.fields = c.fields[:maxTrialFields]
		}
	}
	found, err := c.trial.Try(row.Body)
	if err != nil {
		return err
	}
	for _, p := range found {
		list := &c.notes
		if !p.Note {
			list, c.faulty[row.Number] = &c.mistakes, true
		}
		if p.OfTemplate {
			key := p.DocumentID + p.Code + p.Message
			if c.told[key] {
				continue
			}
			c.told[key] = true
		}
		if len(*list) < maxRowFindings {
			*list = append(*list, rowFindingOf(row.Number, p))
		}
	}
	return nil
}

// namesAlike notes, at the first row, documents whose outputs nobody could tell apart by their names.
func (c *batchCheck) namesAlike(wf platen.Workflow, rows int) {
	if rows < 2 || len(c.fields) == 0 {
		return
	}
	for _, d := range wf.Documents {
		if d.NamesAlike() {
			c.notes = append([]rowFindingJSON{rowFindingOf(c.first, platen.RowFinding{
				DocumentID: d.ID, Field: "outputName", Code: "output_names_alike", Note: true,
				Message: fmt.Sprintf("All %d outputs will have the same name but for the time: put a field into it, such as {{%s}}.", rows, c.fields[0]),
			})}, c.notes...)
		}
	}
}

// findings are the first of them by their rows: what fails rows before what does not.
func (c *batchCheck) findings() []rowFindingJSON {
	byRow := func(a, b rowFindingJSON) int { return a.Row - b.Row }
	slices.SortStableFunc(c.mistakes, byRow)
	all := append(append([]rowFindingJSON{}, c.mistakes...), c.notes...)
	all = all[:min(len(all), maxRowFindings)]
	slices.SortStableFunc(all, byRow)
	return all
}

// batchCheckJSON is what a file of rows would make, as far as it is known before.
type batchCheckJSON struct {
	Rows     int               `json:"rows"`
	Checked  int               `json:"checked"` // of them
	Faulty   int               `json:"faulty"`  // of the checked
	Findings []rowFindingJSON  `json:"findings"`
	Unused   []unusedFieldJSON `json:"unused"`
	Table    *tableJSON        `json:"table"`
	// Refusal is why the batch would be refused whole; null: it would not.
	Refusal *failureJSON `json:"refusal"`
}

type rowFindingJSON struct {
	Row        int      `json:"row"`
	Field      *string  `json:"field"`
	DocumentID *string  `json:"documentId"`
	Code       string   `json:"code"`
	Message    string   `json:"message"`
	Nearest    []string `json:"nearest"`
	Severity   string   `json:"severity"` // mistake or note
}

func rowFindingOf(row int, p platen.RowFinding) rowFindingJSON {
	severity := platen.SeverityMistake
	if p.Note {
		severity = platen.SeverityNote
	}
	return rowFindingJSON{row, orNull(p.Field), orNull(p.DocumentID), p.Code, p.Message, append([]string{}, p.Nearest...), severity}
}

type unusedFieldJSON struct {
	Field   string   `json:"field"`
	Nearest []string `json:"nearest"`
}
