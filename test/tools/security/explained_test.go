package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func explain(t *testing.T, text string) (explanations, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "explained.txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return readExplanations(file)
}

func TestAFindingStaysOnlyWhereItsRuleAndPlaceAreExplained(t *testing.T) {
	t.Parallel()
	all, err := explain(t, "# why\n\ncode G304 cmd/*.go: the operator names the file\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		found finding
		stays bool
	}{
		{finding{Rule: "G304", Where: "cmd/main.go"}, true},
		{finding{Rule: "G304", Where: "cmd/platen/main.go"}, false},
		{finding{Rule: "G301", Where: "cmd/main.go"}, false},
	} {
		open, _ := all.judge("code", []finding{c.found})
		if got := len(open) == 0; got != c.stays {
			t.Errorf("%s in %s: explained %v, want %v", c.found.Rule, c.found.Where, got, c.stays)
		}
	}
	if open, _ := all.judge("secrets", []finding{{Rule: "G304", Where: "cmd/main.go"}}); len(open) != 1 {
		t.Error("what is said of another part explains the finding")
	}
}

func TestAnExplanationOfNothingIsSaid(t *testing.T) {
	t.Parallel()
	all, err := explain(t, "code G304 cmd/*.go: the operator names the file\nsecrets x y: z\n")
	if err != nil {
		t.Fatal(err)
	}
	_, unused := all.judge("code", nil)
	if len(unused) != 1 || unused[0].line != 1 {
		t.Errorf("got %+v, want the first line alone", unused)
	}
}

func TestALineWithoutAReasonIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"code G304 cmd/main.go", "code G304: why", "code G304 cmd/main.go: ", "code G304 [: why"} {
		if _, err := explain(t, text+"\n"); err == nil || !strings.Contains(err.Error(), ":1: ") {
			t.Errorf("%q: got %v, want an error that names line 1", text, err)
		}
	}
}
