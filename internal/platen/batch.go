package platen

import (
	"time"
)

// PrefixBatch begins the id of a Batch.
const PrefixBatch = "bat_"

// Bounds of a batch. One row is bounded as the body of a source event is.
const (
	MaxBatchRows  = 100_000
	MaxBatchBytes = 256 << 20 // of a file, unpacked
	// MaxRowsOfFile is how many rows of a batch one zip of its outputs has: what a zip says
	// of each of its files is in memory until its end.
	MaxRowsOfFile = 10_000
)

// A BatchState is how far a batch is.
type BatchState string

const (
	// BatchRunning: its rows go into the queue of automations, a few at a time.
	BatchRunning BatchState = "RUNNING"
	// BatchPaused: no more of them do.
	BatchPaused BatchState = "PAUSED"
	// BatchCompleted: every row has ended, whether or not it was made.
	BatchCompleted BatchState = "COMPLETED"
	// BatchCancelled: rows that had not begun never will. Those that had may still run.
	BatchCancelled BatchState = "CANCELLED"
)

// A RowState is how far a row of a batch is.
type RowState string

const (
	RowPending   RowState = "PENDING" // its automation is not in the queue yet
	RowRunning   RowState = "RUNNING" // it is, or runs
	RowCompleted RowState = "COMPLETED"
	RowFailed    RowState = "FAILED"
	RowSkipped   RowState = "SKIPPED"
	RowCancelled RowState = "CANCELLED"
)

// RowStates are all of them, in the order in which a row has them.
func RowStates() []RowState {
	return []RowState{RowPending, RowRunning, RowCompleted, RowFailed, RowSkipped, RowCancelled}
}

// A Batch is a file whose rows are source events of one workflow. It is stored whole or
// not at all; each row then is an automation like any other.
type Batch struct {
	ID         string // bat_…
	WorkflowID string
	Name       string // of the file; may be empty
	State      BatchState
	Test       bool // its automations are tests
	Attempt    int  // 1, and one more for each retry of its failed rows
	Rows       int
	Counts     map[RowState]int
	CreatedAt  time.Time
	FinishedAt *time.Time // when its last row ended; nil: some have not
	// Rate is how many rows ended in a second, of late; 0: that is not known yet.
	Rate float64
	// InReview is how many of its RowRunning wait for people who approve their documents.
	InReview int
	// Undelivered is how many have a mail that somebody did not get who should.
	Undelivered int
}

// SecondsLeft is how long the batch takes until every row has ended or waits for people, if
// rows go on ending at its rate; nil: that is not known, or it does not go on.
func (b Batch) SecondsLeft() *int {
	rows := b.Counts[RowPending] + b.Counts[RowRunning] - b.InReview
	if b.FinishedAt != nil || b.State == BatchPaused || b.Rate <= 0 || rows <= 0 {
		return nil
	}
	left := int(float64(rows)/b.Rate + 0.5)
	return &left
}

// A NewBatch is a batch that is about to be stored.
type NewBatch struct {
	ID        string // bat_…
	Name      string
	Test      bool
	RequestID string
	CreatedAt time.Time
	// Key is the Idempotency-Key of the request; empty: it has none.
	Key string
}

// A Correction replaces rows of a batch.
type Correction struct {
	RequestID string
	CreatedAt time.Time
	// Whole: the file has a row for each of the batch, and those count that have FAILED. Else
	// each row of it must have.
	Whole bool
}

// A BatchRow is one row of a file: a source event that is not stored yet.
type BatchRow struct {
	// Number is its place in the file, from 1: the line of JSON Lines, the element of a
	// list, the row of a sheet.
	Number int
	// Body is one JSON object.
	Body []byte
	// Reference is what its sender calls it; empty: nothing.
	Reference string
}

// A StoredRow is a row of a batch, and what became of it.
type StoredRow struct {
	Number       int
	State        RowState
	AutomationID string // empty: its automation has not begun
	Reference    string
	// Code and Message say why it failed or was skipped; empty: it was not.
	Code, Message string
	Outputs       []Output
	// Numbers are those that its automation drew, by the names of their series.
	Numbers []SeriesNumber
}

// A SeriesNumber is a number of a series.
type SeriesNumber struct {
	Series string
	Number int64
}

// A RowQuery says which rows of a batch a list is to hold.
type RowQuery struct {
	After  int // the number of the last row of the page before
	Limit  int
	States []RowState // any of these; empty: any state
}

// A BatchQuery says which batches of a workflow a list is to hold.
type BatchQuery struct {
	Page
	States []BatchState // any of these; empty: any state
}

// A RowTrial tries rows on the templates of a workflow, which were read once. It makes
// nothing. Try returns what is wrong with a row, Unused which of the fields of rows no
// template asks for. Close ends it.
type RowTrial struct {
	Try    func(row []byte) ([]RowFinding, error)
	Unused func(fields []string) []UnusedField
	Close  func()
}

// A RowFinding is what is wrong with a row of a batch. It may quote the row.
type RowFinding struct {
	DocumentID string
	Field      string // where in the row, such as "Items, item 2, Price"; may be empty
	OfTemplate bool   // other rows have it, too: it is the template's mistake
	Code       string
	Message    string
	Nearest    []string // what may have been meant, best first
	Note       bool     // the row is made all the same
}

// An UnusedField is a field of rows that no template asks for.
type UnusedField struct {
	Field   string
	Nearest []string // what nothing fills and may have been meant, best first
}

// ErrBatchNotFound is KindNotFound for a batch that its workflow does not have.
func ErrBatchNotFound() error {
	return Errorf(KindNotFound, "batch_not_found", "The workflow has no such batch.")
}

// ErrBatchEnded is KindInvalid for a change of a batch whose rows have all begun or ended.
func ErrBatchEnded(state BatchState) error {
	return Errorf(KindInvalid, "batch_ended", "The batch is %s: there is nothing left of it to pause, resume or cancel.", state)
}
