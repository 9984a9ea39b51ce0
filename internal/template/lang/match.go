package lang

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

const (
	// maxNearest is how many names MatchNames suggests for a tag.
	maxNearest = 3
	// maxSuggested is how many tags MatchNames looks for nearest names of; a
	// template with more mistakes than that was made for other data.
	maxSuggested = 100
	// maxComparisons bounds the names that it compares for all of them: of very
	// many fields, fewer tags get suggestions.
	maxComparisons = 500_000
	// maxDifferent is by how many letters at most a nearest name differs.
	maxDifferent = 5
	// maxCompared is the longest name in characters that is compared letter by
	// letter.
	maxCompared = 80
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

// A candidate is a name that a tag may have been meant to have, as plain has
// it, whole and its last part.
type candidate struct {
	name        string
	whole, last []rune
}

func newFieldCandidates(fields []string) []candidate {
	names := append(slices.Clone(fields), "Timestamp", "Automation ID", "Workflow Name")
	candidates := make([]candidate, len(names))
	for i, name := range names {
		candidates[i] = newCandidate(name)
	}
	return candidates
}

func (c candidate) parent() []rune { return c.whole[:len(c.whole)-len(c.last)] }

func newCandidate(name string) candidate {
	return candidate{name, simplify(name), simplify(name[strings.LastIndexByte(name, '.')+1:])}
}

// findNearest returns the candidates that name may have been meant to be: those
// that differ by few letters, as a whole or in their last part.
func findNearest(name string, candidates []candidate) []string {
	type scored struct {
		name     string
		distance int
	}
	wanted := newCandidate(name)
	limit := min(max(1, len(wanted.whole)/3), maxDifferent)
	var near []scored
	for _, c := range candidates {
		best := distance(wanted.whole, c.whole, limit)
		if len(wanted.last) < len(wanted.whole) && slices.Equal(wanted.parent(), c.parent()) && best > (len(wanted.last)+1)/2 {
			continue // that they are parts of the same object makes no two names alike
		}
		if len(c.last) != len(c.whole) {
			best = min(best, 1+distance(wanted.whole, c.last, limit))
		}
		if len(wanted.last) != len(wanted.whole) {
			best = min(best, 1+distance(wanted.last, c.whole, limit))
		}
		if best <= limit {
			near = append(near, scored{c.name, best})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, n := range near[:min(len(near), maxNearest)] {
		names = append(names, n.name)
	}
	return names
}

// simplify leaves of a name what people do not mistype on purpose: letters and
// digits in one case.
func simplify(name string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-.", r) {
			return -1
		}
		return r
	}, fold(Canonical(name))))
}

// distance is how many letters must be added, left out or changed
// (Levenshtein), or a number above limit when it is more.
func distance(a, b []rune, limit int) int {
	if abs(len(a)-len(b)) > limit || len(a) > maxCompared || len(b) > maxCompared {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		// What is further from the diagonal than limit is more than limit away.
		from, to := max(0, i-limit), min(len(b), i+limit+1)
		diagonal := row[from]
		row[from] = limit + 1
		if from == 0 {
			row[0] = i + 1
		}
		least := row[from]
		for j := from; j < to; j++ {
			change := diagonal
			if x != b[j] {
				change++
			}
			diagonal = row[j+1]
			above := row[j+1] + 1
			if j+1 > i+limit {
				above = limit + 1
			}
			row[j+1] = min(change, row[j]+1, above)
			least = min(least, row[j+1])
		}
		if least > limit {
			return limit + 1
		}
	}
	return row[len(b)]
}

func abs(n int) int { return max(n, -n) }
