package lang

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

const (
	// maxSuggested is how many tags MatchNames looks for nearest names of; a
	// template with more mistakes than that was made for other data.
	maxSuggested = 100
	// maxComparisons bounds the names that it compares for all of them: of very
	// many fields, fewer tags get suggestions.
	maxComparisons = 500_000
)

// A NameMatch is what MatchNames found out about the tags of one name.
type NameMatch struct {
	Name   string
	Filled bool // one of the fields or a built-in has it
	// Optional: nothing fills it, and only conditions and what stands behind them ask
	// for it, so that events may lack it.
	Optional bool
	// Nearest are the names most like it, best first, of a tag that nothing fills.
	Nearest []string
}

// MatchNames tells which of the names that the tags of the texts use can be
// filled from source fields (leaf paths, as platen.SourceFields gives them) or
// built-ins; each name once, in reading order. A name is found by the rules
// that fill it; an index into a list, as in Items[0].Name, is taken to be there
// when the list's field is.
func MatchNames(texts, fields []string) []NameMatch {
	matches, _ := inspect(texts, fields, nil, AnySeries)
	return matches
}

// fieldsData is source data in which each field has a value: a key may hold
// dots, so that paths need not be taken apart.
func fieldsData(fields []string) *Data {
	object := make(map[string]string, len(fields))
	for _, f := range fields {
		object[f] = "x"
	}
	return dataOf(object)
}

// dataOf is source data of these fields.
func dataOf(object map[string]string) *Data {
	body, err := json.Marshal(object)
	if err != nil {
		return nil // strings always marshal
	}
	data, err := ParseData(body)
	if err != nil {
		return nil // what was marshalled parses
	}
	return data
}

func dropIndexes(path string) string {
	parts := strings.Split(dotIndexes(path), ".")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool {
		return p != "" && strings.Trim(p, "0123456789") == ""
	}), ".")
}

func newFieldCandidates(fields []string) []syntax.Candidate {
	names := append(slices.Clone(fields), "Timestamp", "Automation ID", "Workflow Name")
	return syntax.NewCandidates(names...)
}
