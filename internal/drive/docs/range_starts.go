package docs

import (
	"encoding/json"
	"slices"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// A range must say where it begins, also when that is 0: Google's interface has
// a wrapped number there ("a start index must be provided"), and Google's Go
// client leaves a 0 out unless ForceSendFields names it. So ForceSendFields
// tells the two apart here as well: in requests that Go code makes it is what
// would have been sent, in decoded ones MarkStarts notes what was.
const startField = "StartIndex"

// begins refuses a range without a start.
func begins(r *gdocs.Range, invalid edit.RequestFault) error {
	if r.StartIndex == 0 && !slices.Contains(r.ForceSendFields, startField) {
		return invalid("The range's start index (range.startIndex) must be provided.")
	}
	return nil
}

// rangeFrom is a range that says where it begins.
func rangeFrom(segment string, start, end int64) *gdocs.Range {
	return &gdocs.Range{SegmentId: segment, StartIndex: start, EndIndex: end, ForceSendFields: []string{startField}}
}

// MarkStarts notes in requests which of their ranges begin at 0 because body,
// the JSON that they were decoded from, says so. It reads body only when one
// of them does not begin anywhere else.
func MarkStarts(body []byte, requests []*gdocs.Request) error {
	open := func(r *gdocs.Request) bool { of := rangeOf(r); return of != nil && of.StartIndex == 0 }
	if !slices.ContainsFunc(requests, open) {
		return nil
	}
	// Nobody counted what this takes: it is six bytes for each request.
	var said struct{ Requests []rangesGiven }
	if err := json.Unmarshal(body, &said); err != nil {
		return err
	}
	mark := []string{startField}
	for i, starts := range said.Requests {
		if i < len(requests) && open(requests[i]) && starts != (rangesGiven{}) {
			rangeOf(requests[i]).ForceSendFields = mark
		}
	}
	return nil
}

// rangesGiven says of the kinds of rangeOf whether a request has them with the
// start of a range.
type rangesGiven struct {
	DeleteContentRange, UpdateTextStyle, UpdateParagraphStyle,
	CreateParagraphBullets, DeleteParagraphBullets, CreateNamedRange struct{ Range struct{ StartIndex given } }
}

// given is whether a field has a value, whichever.
type given bool

func (g *given) UnmarshalJSON(value []byte) error {
	*g = string(value) != "null"
	return nil
}

// rangeOf is the range of a request of the kinds that this drive serves; nil
// where there is none.
func rangeOf(r *gdocs.Request) *gdocs.Range {
	switch {
	case r == nil:
		return nil
	case r.DeleteContentRange != nil:
		return r.DeleteContentRange.Range
	case r.UpdateTextStyle != nil:
		return r.UpdateTextStyle.Range
	case r.UpdateParagraphStyle != nil:
		return r.UpdateParagraphStyle.Range
	case r.CreateParagraphBullets != nil:
		return r.CreateParagraphBullets.Range
	case r.DeleteParagraphBullets != nil:
		return r.DeleteParagraphBullets.Range
	case r.CreateNamedRange != nil:
		return r.CreateNamedRange.Range
	}
	return nil
}
