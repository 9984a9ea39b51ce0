package console

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/platen"
)

// routeBatches are the pages of a workflow's batches.
func (s *site) routeBatches(mux *http.ServeMux, one string) {
	const batch = "batches/{batch}/"
	mux.HandleFunc("GET "+one+"batches/{$}", s.page("batches", s.batches))
	mux.HandleFunc("POST "+one+"batches/{$}", s.takeTable(at(newTable), "batches", s.sentTable))
	mux.HandleFunc("POST "+one+"batches/check", s.takeTable(at(checkTable), "batches", s.checkedTable))
	mux.HandleFunc("GET "+one+"batches/check", s.page("batches", func(_ context.Context, r request) (view, error) {
		return view{to: "/console" + r.workflowPath() + "/batches/"}, nil
	}))
	mux.HandleFunc("GET "+one+batch+"{$}", s.page("batch", s.batch))
	mux.HandleFunc("POST "+one+batch+"correct", s.takeTable(func(r request) string { return r.PathValue("batch") + "/correct/" }, "batch", s.correctedTable))
	mux.HandleFunc("POST "+one+batch+"{verb}", s.change(s.changeBatch))
	of := func(file string) http.HandlerFunc {
		return s.file(func(r request) string {
			return r.workflowPath() + "/batches/" + r.PathValue("batch") + "/" + file + "/?" + query("rows", r.URL.Query().Get("rows"))
		})
	}
	mux.HandleFunc("GET "+one+batch+"results.csv", of("results.csv"))
	mux.HandleFunc("GET "+one+batch+"outputs.zip", of("outputs.zip"))
	mux.HandleFunc("GET "+one+batch+"outputs.pdf", of("outputs.pdf"))
}

type batchesPage struct {
	Workflow client.Workflow
	Rows     []client.Batch
	Next     string
	Newest   bool
	in       catalog.Printer
	tableForm
}

// batches lists those of a workflow, the newest first, below the form that sends one.
func (s *site) batches(ctx context.Context, r request) (view, error) {
	return r.batchesPage(ctx, newTableForm(), r.URL.Query().Get("cursor"))
}

func (r request) batchesPage(ctx context.Context, form tableForm, cursor string) (v view, err error) {
	form.in = r.Printer
	p := batchesPage{Newest: cursor == "", in: r.Printer, tableForm: form}
	if p.Workflow, err = r.api.Workflow(ctx, r.workflowID()); err != nil {
		return v, err
	}
	page := client.Page{Limit: onPage, Cursor: cursor}
	p.Rows, err = client.Collect(r.api.Batches(client.WithPage(ctx, &page), r.workflowID(), client.BatchQuery{Newest: true}))
	p.Next = nextPage(page)
	return view{Title: r.Text("Batches of %s", p.Workflow.Name), Page: p}, err
}

// Makes says what a press makes of the rows that were looked at.
func (p batchesPage) Makes() string {
	if len(p.Workflow.Documents) == 1 {
		return p.in.Text("Make %d documents", p.Checked.Rows)
	}
	return p.in.Text("Make the documents of %d rows", p.Checked.Rows)
}

// MaySend tells whether rows would be carried out.
func (p batchesPage) MaySend() bool { return p.Workflow.Status == "COMPLETE" && p.Workflow.AutoCreate }

type batchPage struct {
	client.Batch
	Workflow  client.Workflow
	Lines     []client.BatchRow
	Only      string // the state of the rows that are listed; empty: all
	First     bool
	Next      string
	Parts     []filePart
	in        catalog.Printer
	tableForm // that corrects failed rows
}

// onBatchPage is how many rows of a batch a page lists.
const onBatchPage = 50

// batch shows how far a batch is, and what became of its rows.
func (s *site) batch(ctx context.Context, r request) (v view, err error) {
	asked := r.URL.Query()
	after, _ := strconv.Atoi(asked.Get("after"))
	p := batchPage{in: r.Printer, tableForm: newTableForm(), Only: asked.Get("state"), First: after <= 0}
	if p.First {
		v.Live = r.watched(ctx, "batch:"+r.PathValue("workflow")+"/"+r.PathValue("batch"))
	}
	if p.Workflow, err = r.api.Workflow(ctx, r.workflowID()); err != nil {
		return v, err
	}
	if p.Batch, err = r.api.Batch(ctx, r.workflowID(), r.PathValue("batch")); err != nil {
		return v, err
	}
	if !slices.Contains(platen.RowStates(), platen.RowState(p.Only)) {
		p.Only = ""
	}
	page := client.Page{Limit: onBatchPage + 1}
	p.Lines, err = client.Collect(r.api.BatchRows(client.WithPage(ctx, &page), r.workflowID(), p.ID, client.BatchRowQuery{States: some(p.Only), After: max(after, 0)}))
	if len(p.Lines) > onBatchPage {
		p.Lines = p.Lines[:onBatchPage]
		p.Next = "?" + query("state", p.Only, "after", strconv.Itoa(p.Lines[onBatchPage-1].Row))
	}
	if err == nil {
		p.Parts, err = r.partsOf(ctx, p.Batch)
	}
	v.Title, v.Page = p.Title(), p
	return v, err
}

// Title is what a batch is called.
func (p batchPage) Title() string { return batchTitle(p.in, p.Batch) }

func batchTitle(in catalog.Printer, b client.Batch) string {
	if b.Name != "" {
		return b.Name
	}
	return in.Text("Batch %s", b.ID)
}

// rowInWords says the state of a row. One that is PENDING is not in the queue yet.
func rowInWords(in catalog.Printer, state string) string {
	if state == "PENDING" {
		return in.Text("not begun")
	}
	return stateInWords(in, state)
}

// rowTitle is what a row is called: as its first output, or as its sender calls it; empty:
// nothing is known.
func rowTitle(row client.BatchRow) string {
	for _, o := range row.Outputs {
		for _, f := range o.Files {
			return f.Name
		}
	}
	if row.Reference != nil {
		return *row.Reference
	}
	return ""
}

func endedRows(b client.Batch) int {
	return b.Counts.Completed + b.Counts.Failed + b.Counts.Skipped + b.Counts.Cancelled
}

// Done is how many rows have ended.
func (p batchPage) Done() int { return endedRows(p.Batch) }

// Pace is how fast rows end, and how long the rest takes; empty: that is not known.
func (p batchPage) Pace() string {
	if p.Rate == nil || p.SecondsLeft == nil || p.Ended() {
		return ""
	}
	left := leftInWords(p.in, time.Duration(*p.SecondsLeft)*time.Second)
	if *p.Rate < 0.1 {
		return p.in.Text("%.1f rows a minute, about %s left", *p.Rate*60, left)
	}
	return p.in.Text("%.1f rows a second, about %s left", *p.Rate, left)
}

func leftInWords(in catalog.Printer, d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return seconds(in, d)
}

// MayPause, MayResume and MayCancel tell what can be done with its rows.
func (p batchPage) MayPause() bool  { return p.State == "RUNNING" }
func (p batchPage) MayResume() bool { return p.State == "PAUSED" }
func (p batchPage) MayCancel() bool { return p.State == "RUNNING" || p.State == "PAUSED" }

// A rowCount is how many rows are in a state.
type rowCount struct {
	State string
	N     int
}

// Counted are the states that rows of the batch are in.
func (p batchPage) Counted() (all []rowCount) {
	c := p.Counts
	for _, one := range []rowCount{{"PENDING", c.Pending}, {"RUNNING", c.Running}, {"COMPLETED", c.Completed}, {"FAILED", c.Failed}, {"SKIPPED", c.Skipped}, {"CANCELLED", c.Cancelled}} {
		if one.N > 0 {
			all = append(all, one)
		}
	}
	return all
}

// partsOf are the ranges of rows that files of the outputs are downloaded in; one with empty
// Rows is all of them.
func (r request) partsOf(ctx context.Context, b client.Batch) ([]filePart, error) {
	if b.Rows <= platen.MaxRowsOfFile {
		return []filePart{{}}, nil
	}
	ranges, err := r.api.RowRanges(ctx, b.WorkflowID, b.ID, platen.MaxRowsOfFile)
	parts := make([]filePart, len(ranges))
	for i, rows := range ranges {
		parts[i] = filePart{fmt.Sprintf("%d-%d", rows.First, rows.Last), rows.First, rows.Last}
	}
	return parts, err
}

// A filePart is a range of rows, as addresses and as people write it.
type filePart struct {
	Rows        string
	First, Last int
}

func (r request) batchPath() string {
	return "/console" + r.workflowPath() + "/batches/" + r.PathValue("batch") + "/"
}

// changeBatch pauses, resumes or cancels a batch, or retries its failed rows. What came too
// late for that leads back to the page, which says how far the batch is.
func (s *site) changeBatch(ctx context.Context, r request) (string, error) {
	id := r.PathValue("batch")
	var err error
	switch r.PathValue("verb") {
	case "pause":
		_, err = r.api.PauseBatch(ctx, r.workflowID(), id)
	case "resume":
		_, err = r.api.ResumeBatch(ctx, r.workflowID(), id)
	case "cancel":
		if _, err = r.api.Batch(ctx, r.workflowID(), id); err == nil {
			err = r.certain()
		}
		if err == nil {
			_, err = r.api.CancelBatch(ctx, r.workflowID(), id)
		}
	case "retry":
		_, err = r.api.RetryBatch(ctx, r.workflowID(), id)
	default:
		err = errNoPage
	}
	if code := client.CodeOf(err); code == "batch_ended" || code == "batch_not_failed" {
		err = nil
	}
	return r.batchPath(), err
}
