package lang

import (
	"fmt"
)

const (
	// maxSteps bounds what the formulas and blocks of one document may do in
	// all.
	maxSteps = 2_000_000
	// maxVisits bounds how many parts of the data they may look at.
	maxVisits = 20_000_000
	// maxWritten is how many bytes of text one document is given at most.
	maxWritten = 4 << 20
)

// A budget is what a document has cost so far.
type budget struct {
	steps   int // of formulas and blocks
	written int // bytes of text
	longest LongList
}

// countItems counts those that a part of the document is repeated for.
func (b *budget) countItems(items []*Scope) {
	b.steps += len(items)
	if len(items) > b.longest.Items {
		b.longest = LongList{Name: items[0].List(), Items: len(items)}
	}
}

// A LongList is one that makes a document large.
type LongList struct {
	Name  string
	Items int
}

// Longest is the longest list that a part of the document was repeated for.
func (b *budget) Longest() LongList { return b.longest }

func (l LongList) String() string {
	if l.Items == 0 {
		return ""
	}
	return fmt.Sprintf(" The longest list, %s, has %d items.", l.Name, l.Items)
}

// TooMuch tells that the template has reached the limit of what is filled, and
// reports it.
func (e *Evaluator) TooMuch() bool {
	switch {
	case e.isExhausted():
		e.Report(Finding{Code: "template_too_costly", Data: true, Message: "The template's formulas and blocks take too many steps for this data: send less, or repeat fewer lists inside one another." + e.longest.String()})
	case e.written > maxWritten:
		e.Report(Finding{Code: "document_too_large", Data: true, Message: fmt.Sprintf("The values for this document have more than %d MiB together: send less data.%s", maxWritten>>20, e.longest)})
	default:
		return false
	}
	return true
}

func (e *Evaluator) isExhausted() bool {
	return e.steps > maxSteps || e.data.visits > maxVisits
}
