package main

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"strings"
)

// explainedFile has a line for each finding that stays: part, rule, where, reason.
const explainedFile = "test/tools/security/explained.txt"

type explanation struct {
	part, rule, where string
	line              int
}

type explanations []explanation

// readExplanations reads lines such as "code G304 internal/drive/*.go: why it stays".
// A place is a pattern of package path, in which * stands for anything in a folder; an
// empty line or one that begins with # says nothing.
func readExplanations(file string) (explanations, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	var all explanations
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		place, reason, _ := strings.Cut(text, ": ")
		words := strings.Fields(place)
		if len(words) != 3 || strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s:%d: want part, rule and place, a colon and the reason, such as \"code G304 internal/drive/*.go: the operator names the file\"", file, n)
		}
		if _, err := path.Match(words[2], ""); err != nil {
			return nil, fmt.Errorf("%s:%d: the place %q: %w", file, n, words[2], err)
		}
		all = append(all, explanation{part: words[0], rule: words[1], where: words[2], line: n})
	}
	return all, lines.Err()
}

// judge says which findings of a part nothing explains, and which explanations of the
// part explain nothing.
func (all explanations) judge(part string, found []finding) (open []finding, unused explanations) {
	used := make([]bool, len(all))
	for _, f := range found {
		explained := false
		for i, e := range all {
			if e.part == part && e.matches(f) {
				explained, used[i] = true, true
			}
		}
		if !explained {
			open = append(open, f)
		}
	}
	for i, e := range all {
		if e.part == part && !used[i] {
			unused = append(unused, e)
		}
	}
	return open, unused
}

func (e explanation) matches(f finding) bool {
	inFolder, _ := path.Match(e.where, f.Where)
	return e.rule == f.Rule && (inFolder || e.where == "*")
}
