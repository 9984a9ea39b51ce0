package platen_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A decision is a numbered, dated record, and the index has a line for each.
func TestDecisionsAreNumberedRecords(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("docs/decisions/[0-9]*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("docs/decisions has %d records: %v", len(files), err)
	}
	index, err := os.ReadFile("docs/decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	head := regexp.MustCompile(`\A# (\d{4})\. (.+)\n\n- Date: (\d+ [A-Z]\w+ \d{4})\n- About: .+\n- Superseded by: (nothing|\[\d{4}\]\(\d{4}-.+\.md\))\n`)
	for i, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := head.FindStringSubmatch(string(raw))
		if found == nil {
			t.Errorf("%s does not begin with number, title, date, subject and what superseded it", file)
			continue
		}
		number, base := fmt.Sprintf("%04d", i+1), filepath.Base(file)
		if found[1] != number || !strings.HasPrefix(base, number+"-") {
			t.Errorf("%s has the number %s, want %s", file, found[1], number)
		}
		if !strings.Contains(string(raw), "\n## Decision\n") {
			t.Errorf("%s has no section Decision", file)
		}
		if line := fmt.Sprintf("- [%s](%s) %s\n", number, base, found[2]); strings.Count(string(index), line) != 1 {
			t.Errorf("the index lacks the line %q", line)
		}
	}
	if got := strings.Count(string(index), "\n- ["); got != len(files) {
		t.Errorf("the index has %d lines for %d records", got, len(files))
	}
}
