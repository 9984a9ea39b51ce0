package repository

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A decision is a numbered, dated record that says what was weighed, and the index has a
// line for each. There are few: a choice that hurts nobody when it is undone is part of a
// page of design.
func TestDecisionsSayWhatWasWeighed(t *testing.T) {
	t.Parallel()
	const most, contextWords = 30, 30
	files, err := filepath.Glob("docs/decisions/[0-9]*.md")
	if err != nil || len(files) == 0 || len(files) > most {
		t.Fatalf("docs/decisions has %d records, want 1 to %d: %v", len(files), most, err)
	}
	index, err := os.ReadFile("docs/decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	record := regexp.MustCompile(`(?s)\A# (\d{4})\. ([^\n]+)\n\n- Date: \d+ [A-Z]\w+ \d{4}\n\n## Context\n\n(.+)\n\n## Decision\n\n.+\n\n## Alternatives\n\n- .+\n\n## Price\n\n.+\n\z`)
	for i, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := record.FindStringSubmatch(string(raw))
		if found == nil {
			t.Errorf("%s is no record: want number, title and date, then Context, Decision, Alternatives as a list, and Price", file)
			continue
		}
		number, base := fmt.Sprintf("%04d", i+1), filepath.Base(file)
		if found[1] != number || base != number+"-"+slug(found[2])+".md" {
			t.Errorf("%s is called %s-%s.md by its number and title, and its number is to be %s", file, found[1], slug(found[2]), number)
		}
		if words := len(strings.Fields(found[3])); words < contextWords {
			t.Errorf("%s has %d words of context, want %d", file, words, contextWords)
		}
		if line := fmt.Sprintf("- [%s](%s) %s\n", number, base, found[2]); strings.Count(string(index), line) != 1 {
			t.Errorf("the index lacks the line %q", line)
		}
	}
	if got := strings.Count(string(index), "\n- ["); got != len(files) {
		t.Errorf("the index has %d lines for %d records", got, len(files))
	}
}

// slug is a title as the name of a file: all of it.
func slug(title string) string {
	title = strings.NewReplacer("'", "", "`", "", "/", "").Replace(strings.ToLower(title))
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(title, "-"), "-")
}
