package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// A Batch is a file whose rows are source events of a workflow.
type Batch struct {
	ID          string     `json:"id"`
	WorkflowID  string     `json:"workflowId"`
	Name        string     `json:"name"`
	State       string     `json:"state"`   // RUNNING, PAUSED, COMPLETED, CANCELLED
	Test        bool       `json:"test"`    // its automations are tests
	Attempt     int        `json:"attempt"` // 1, and one more with each retry
	Rows        int        `json:"rows"`
	Counts      RowCounts  `json:"counts"`
	CreatedAt   time.Time  `json:"createdAt"`
	FinishedAt  *time.Time `json:"finishedAt"`  // nil: some rows have not ended
	Rate        *float64   `json:"rate"`        // rows in a second, of late; nil: not known
	SecondsLeft *int       `json:"secondsLeft"` // at that rate, without those in review; nil: not known
	InReview    int        `json:"inReview"`    // rows that are RUNNING and wait for people
	Undelivered int        `json:"undelivered"` // rows with a mail that somebody did not get who should
	Table       *Table     `json:"table"`       // nil but in the answer to a table
}

// A Table is what a CSV file or a workbook was read as.
type Table struct {
	Kind       string   `json:"kind"`      // csv, xlsx
	Encoding   string   `json:"encoding"`  // of a CSV file
	Delimiter  string   `json:"delimiter"` // of a CSV file
	Decimal    string   `json:"decimal"`   // as its sender says
	Sheet      string   `json:"sheet"`     // of a workbook
	Sheets     []string `json:"sheets"`    // all of a workbook
	HiddenRows int      `json:"hiddenRows"`
	Columns    []string `json:"columns"` // the names in the first row
}

// RowCounts are how many rows of a batch are in each state.
type RowCounts struct {
	Pending   int `json:"PENDING"` // not in the queue yet
	Running   int `json:"RUNNING"` // in the queue, or made at this moment
	Completed int `json:"COMPLETED"`
	Failed    int `json:"FAILED"`
	Skipped   int `json:"SKIPPED"`
	Cancelled int `json:"CANCELLED"`
}

// Ended tells whether every row of a batch has ended.
func (b Batch) Ended() bool { return b.FinishedAt != nil }

// A BatchRow is a row of a batch, and what was made of it.
type BatchRow struct {
	Row          int      `json:"row"`   // its number in the file, from 1
	State        string   `json:"state"` // PENDING, RUNNING, COMPLETED, FAILED, SKIPPED, CANCELLED
	Reference    *string  `json:"reference"`
	AutomationID *string  `json:"automationId"` // nil: it has not begun
	Error        *Failure `json:"error"`        // why it failed or was skipped
	Outputs      []Output `json:"outputs"`
	// Numbers are those that its automation drew.
	Numbers []SeriesNumber `json:"numbers"`
}

// A SeriesNumber is a number of a series.
type SeriesNumber struct {
	Series string `json:"series"`
	Number int    `json:"number"`
}

// BatchOptions say what a batch is like.
type BatchOptions struct {
	Name      string // of its file
	Reference string // the field that holds the reference of each row; empty: none does
	Test      bool   // each row is a test
	// Of a table; each may be empty.
	Key       string // the column whose rows with one value make one event
	Items     string // the list that they become the items of; empty: Items
	Sheet     string // of a workbook
	Encoding  string // of a CSV file that is neither UTF-8 nor UTF-16, such as windows-1252
	Delimiter string // of a CSV file
	Decimal   string // of a CSV file: "." or ","
}

// CreateBatch stores a file whose rows are source events: a CSV file or an Excel workbook
// with names in its first row, a JSON list of objects, or an object on each line. It is stored whole or not at all; an Error with code
// batch_rows_invalid has a Fault for each row that cannot be taken.
func (c *Client) CreateBatch(ctx context.Context, workflowID string, content []byte, o BatchOptions) (Batch, error) {
	var b Batch
	_, err := c.ask(ctx, request{method: http.MethodPost, path: workflowPath(workflowID) + "batches/", query: o.query(), body: content, contentType: octets, keyed: true}, &b)
	return b, err
}

// A BatchCheck is what a dry run found in a file of rows.
type BatchCheck struct {
	Rows     int           `json:"rows"`
	Checked  int           `json:"checked"`  // fewer than all if the time was over
	Faulty   int           `json:"faulty"`   // of them: nothing would be made of these, or not all
	Findings []RowFinding  `json:"findings"` // the first 100
	Unused   []UnusedField `json:"unused"`
	Table    *Table        `json:"table"` // nil: the file is JSON
	// Refusal is why the batch would be refused whole; nil: it would not.
	Refusal *Failure `json:"refusal"`
}

// A RowFinding is what is wrong with a row.
type RowFinding struct {
	Row        int      `json:"row"`
	Field      *string  `json:"field"`      // where in it
	DocumentID *string  `json:"documentId"` // nil: the row cannot be taken
	Code       string   `json:"code"`
	Message    string   `json:"message"`
	Nearest    []string `json:"nearest"`  // what may have been meant
	Severity   string   `json:"severity"` // mistake; note: the row is made all the same
}

// An UnusedField is a field of rows that no template asks for.
type UnusedField struct {
	Field   string   `json:"field"`
	Nearest []string `json:"nearest"` // what may have been meant
}

// CheckBatch reads a file as CreateBatch does, tries its rows on the templates, and stores
// nothing. Name and Test of the options count for nothing.
func (c *Client) CheckBatch(ctx context.Context, workflowID string, content []byte, o BatchOptions) (BatchCheck, error) {
	var found BatchCheck
	o.Name, o.Test = "", false
	_, err := c.ask(ctx, request{method: http.MethodPost, path: workflowPath(workflowID) + "batches/check/", query: o.query(), body: content, contentType: octets}, &found)
	return found, err
}

func (o BatchOptions) query() url.Values {
	return values("name", o.Name, "reference", o.Reference, "test", o.Test, "key", o.Key, "items", o.Items,
		"sheet", o.Sheet, "encoding", o.Encoding, "delimiter", o.Delimiter, "decimal", o.Decimal)
}

// A BatchQuery says which batches a list is to hold.
type BatchQuery struct {
	States []string // any of these; empty: any state
	Newest bool     // the newest first
}

// Batches lists those of a workflow, the oldest first.
func (c *Client) Batches(ctx context.Context, workflowID string, q BatchQuery) iter.Seq2[Batch, error] {
	return list[Batch](ctx, c, workflowPath(workflowID)+"batches/", values("state", q.States, "order", q.Newest))
}

// Batch reads one.
func (c *Client) Batch(ctx context.Context, workflowID, id string) (Batch, error) {
	return get[Batch](ctx, c, batchPath(workflowID, id))
}

// A BatchRowQuery says which rows of a batch a list is to hold.
type BatchRowQuery struct {
	States []string // any of these; empty: any state
	After  int      // rows behind the one with this number
}

// BatchRows lists the rows of a batch by their numbers.
func (c *Client) BatchRows(ctx context.Context, workflowID, id string, q BatchRowQuery) iter.Seq2[BatchRow, error] {
	return list[BatchRow](ctx, c, batchPath(workflowID, id)+"rows/", values("state", q.States, "after", q.After))
}

// BatchResults reads a line for each row of a batch, as CSV.
func (c *Client) BatchResults(ctx context.Context, workflowID, id string) (Content, error) {
	return get[Content](ctx, c, batchPath(workflowID, id)+"results.csv/")
}

// PauseBatch keeps the other rows of a batch from beginning.
func (c *Client) PauseBatch(ctx context.Context, workflowID, id string) (Batch, error) {
	return post[Batch](ctx, c, batchPath(workflowID, id)+"pause/", nil)
}

// ResumeBatch lets rows of a batch that was paused begin again.
func (c *Client) ResumeBatch(ctx context.Context, workflowID, id string) (Batch, error) {
	return post[Batch](ctx, c, batchPath(workflowID, id)+"resume/", nil)
}

// CancelBatch has rows that have not begun never begin. Those that have go on.
func (c *Client) CancelBatch(ctx context.Context, workflowID, id string) (Batch, error) {
	return post[Batch](ctx, c, batchPath(workflowID, id)+"cancel/", nil)
}

// RetryBatch makes the FAILED rows of a batch once more.
func (c *Client) RetryBatch(ctx context.Context, workflowID, id string) (Batch, error) {
	return post[Batch](ctx, c, batchPath(workflowID, id)+"retry/", nil)
}

// CorrectBatch makes the FAILED rows of a batch of other data. The file is the whole one with
// corrected rows or, with a field that holds the numbers of rows in the batch, has some of
// them. Name and Test of the options count for nothing.
func (c *Client) CorrectBatch(ctx context.Context, workflowID, id string, content []byte, numberField string, o BatchOptions) (Batch, error) {
	var b Batch
	o.Name, o.Test = "", false
	query := o.query()
	if numberField != "" {
		query.Set("row", numberField)
	}
	_, err := c.ask(ctx, request{method: http.MethodPost, path: batchPath(workflowID, id) + "correct/", query: query, body: content, contentType: octets, repeatable: true}, &b)
	return b, err
}

func batchPath(workflowID, id string) string {
	return workflowPath(workflowID) + "batches/" + url.PathEscape(id) + "/"
}
