package syntax

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// maxNearest is how many names are suggested.
	maxNearest = 3
	// maxDifferent is by how many letters at most a nearest name differs.
	maxDifferent = 5
	// maxCompared is the longest name in characters that is compared letter by
	// letter.
	maxCompared = 80
)

// A Candidate is a name that a tag may have been meant to have, as Simplify
// returns it, whole and its last part.
type Candidate struct {
	name        string
	whole, last []rune
}

func (c Candidate) parent() []rune { return c.whole[:len(c.whole)-len(c.last)] }

func newCandidate(name string) Candidate {
	return Candidate{name, Simplify(name), Simplify(name[strings.LastIndexByte(name, '.')+1:])}
}

// Nearest returns the candidates that name may have been meant to be: those
// that differ by few letters, as a whole or in their last part.
func Nearest(name string, candidates []Candidate) []string {
	type scored struct {
		name     string
		distance int
	}
	wanted := newCandidate(name)
	limit := min(max(1, len(wanted.whole)/3), maxDifferent)
	var near []scored
	for _, c := range candidates {
		best := Distance(wanted.whole, c.whole, limit)
		if len(wanted.last) < len(wanted.whole) && slices.Equal(wanted.parent(), c.parent()) && best > (len(wanted.last)+1)/2 {
			continue // that they are parts of the same object makes no two names alike
		}
		if len(c.last) != len(c.whole) {
			best = min(best, 1+Distance(wanted.whole, c.last, limit))
		}
		if len(wanted.last) != len(wanted.whole) {
			best = min(best, 1+Distance(wanted.last, c.whole, limit))
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

// Simplify leaves of a name what people do not mistype on purpose: letters and
// digits in one case.
func Simplify(name string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-.", r) {
			return -1
		}
		return r
	}, Fold(Canonical(name))))
}

// Distance is how many letters must be added, left out or changed
// (Levenshtein), or a number above limit when it is more.
func Distance(a, b []rune, limit int) int {
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

// NewCandidates makes candidates of names, in their order.
func NewCandidates(names ...string) []Candidate {
	all := make([]Candidate, len(names))
	for i, name := range names {
		all[i] = newCandidate(name)
	}
	return all
}
