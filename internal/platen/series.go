package platen

import (
	"slices"
	"strings"
	"time"
)

const (
	// MaxDocumentSeries is how many series a document may take numbers of.
	MaxDocumentSeries = 5
	// MaxSeriesName is how many characters the name of a series has at most.
	MaxSeriesName = 40
	// MaxNumber is the last number of a series: 15 digits, which every JSON reader keeps.
	MaxNumber = 999_999_999_999_999

	yearly = "@year"
)

// A Series counts without gaps: each number that it gives is kept by one automation,
// or left out for a reason that is listed. Its name belongs to a team, or to an owner
// without one; every name is a series, which begins at 1 until somebody says otherwise.
type Series struct {
	Name      string
	Next      int64      // what the next automation gets
	UpdatedAt *time.Time // nil: nothing was drawn, and nobody has set Next
}

// IsSeries tells whether a name can be that of a series: lower-case letters, digits
// and "_", a letter first, at most MaxSeriesName. The series of one year has "@" and
// the year behind that.
func IsSeries(name string) bool {
	plain, year, ofYear := strings.Cut(name, "@")
	return isPlainSeries(plain) && (!ofYear || len(year) == 4 && strings.Trim(year, "0123456789") == "")
}

func isPlainSeries(name string) bool {
	if name == "" || len(name) > MaxSeriesName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// SeriesTag is the name that tags use for a series as a document names it; false where
// that is none. "invoices@year" counts from 1 in each year, and tags say invoices.
func SeriesTag(declared string) (string, bool) {
	name := strings.TrimSuffix(declared, yearly)
	return name, isPlainSeries(name)
}

// SeriesAt is the series that a document means with what it declares, for an event of
// this time in its zone.
func SeriesAt(declared string, at time.Time) string {
	name, ofYear := strings.CutSuffix(declared, yearly)
	if !ofYear {
		return name
	}
	return name + "@" + at.Format("2006")
}

// Declared are the series that the documents of a plan name, each once, sorted: the
// order in which they are drawn from. A test draws none.
func (p Plan) Declared() []string {
	if p.Test {
		return nil
	}
	var all []string
	for _, d := range p.Documents {
		all = append(all, d.Document.Numbers...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Number is what a tag of a document shows for a series that the document declares:
// SampleNumber in a test.
func (p Plan) Number(d Document, tag string) (int64, bool) {
	if p.Test {
		return d.Sample(tag)
	}
	for _, declared := range d.Numbers {
		if name, ok := SeriesTag(declared); ok && name == tag {
			n, drawn := p.Numbers[declared]
			return n, drawn
		}
	}
	return 0, false
}

// SampleNumber is what samples and checks show for a number: no series gives it.
const SampleNumber = 0

// Sample is Number where there is no run: SampleNumber for what the document declares.
func (d Document) Sample(tag string) (int64, bool) {
	is := func(declared string) bool { name, ok := SeriesTag(declared); return ok && name == tag }
	return SampleNumber, slices.ContainsFunc(d.Numbers, is)
}

// A NumberState says what became of a number.
type NumberState string

const (
	NumberOpen NumberState = "OPEN" // its automation has not ended
	NumberUsed NumberState = "USED" // a document that asks for it was made
	NumberVoid NumberState = "VOID" // no such document was made
)

// CodeNumberSkipped is the code of void numbers that somebody left out.
const CodeNumberSkipped = "number_skipped"

// A DrawnNumber is a number of a series, or several in a row that were left out.
type DrawnNumber struct {
	Series       string
	Number       int64
	UpTo         int64  // the last of several; Number where it is one
	AutomationID string // empty: they were left out
	WorkflowID   string
	State        NumberState
	Code         string // of a void one: why
	DrawnAt      time.Time
	VoidAt       *time.Time
}

// A NumberQuery asks for numbers of one series, in their order.
type NumberQuery struct {
	Series string
	After  int64 // only those that are higher
	States []NumberState
	Limit  int // 0: 1,000
}
