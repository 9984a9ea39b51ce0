package repository

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// printed finds the commands of make that a page prints, in blocks and within sentences.
var printed = regexp.MustCompile("(?m)(?:^ *|`)(make(?: +(?:[a-z][a-z-]*|[A-Z]+=(?:\"[^\"\n]*\"|[^ `\n]*)))+)")

// step is the name of a step of a run, or a sentence that goes on with the word.
var step = regexp.MustCompile("(?m)(?:^ *|`)make (?:a|an|the|it|them|one|sure)\\b")

// Each make command on a page has a target with a description, and each test that it
// names exists.
func TestMakeKnowsEachCommandOfTheDocs(t *testing.T) {
	t.Parallel()
	var targets []byte
	for _, file := range []string{"Makefile", "test/Makefile"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, raw...)
	}
	sources, asked := testSources(t), map[string]bool{}
	for _, file := range documents(t) {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := step.ReplaceAllString(string(page), "")
		for _, found := range printed.FindAllStringSubmatch(text, -1) {
			command := found[1]
			if asked[command] {
				continue
			}
			asked[command] = true
			target := strings.Fields(command)[1]
			if !regexp.MustCompile(`(?m)^` + target + `:.*##`).Match(targets) {
				t.Errorf("%s prints %q, and make help has no %s", file, command, target)
				continue
			}
			dry := exec.CommandContext(t.Context(), "sh", "-c", "unset MAKEFLAGS MFLAGS MAKELEVEL; exec make --dry-run "+strings.TrimPrefix(command, "make "))
			out, err := dry.CombinedOutput()
			if err != nil {
				t.Errorf("%s prints %q: %v: %s", file, command, err, out)
			}
			for _, run := range regexp.MustCompile(`-run '?([A-Za-z]+)'?`).FindAllStringSubmatch(string(out), -1) {
				if !anyHas(sources, run[1]) {
					t.Errorf("%s prints %q, which runs the tests %s, and there are none", file, command, run[1])
				}
			}
		}
	}
	if len(asked) < 30 {
		t.Errorf("found %d commands of make in the docs: the pattern of this test finds too little", len(asked))
	}
	t.Logf("%d commands", len(asked))
}

// platen-dev is a module of its own, which a pattern of the root's does not reach.
func TestAPartNamesPackagesOfPlatenDevToo(t *testing.T) {
	t.Parallel()
	for part, want := range map[string][]string{
		"./api":                            {"part-within"},
		"./cmd/...":                        {"part-within", "part-outside ./..."},
		"./cmd/platen":                     {"part-within"},
		"./cmd/platen-dev/...":             {"part-outside ./..."},
		"./api ./cmd/platen-dev":           {"part-within", "part-outside ."},
		"./cmd/... ./cmd/platen-dev/...":   {"part-within", "part-outside ./..."},
		"./cmd/platen-dev/internal/...":    {"part-outside ./internal/..."},
		"./cmd/platen ./cmd/platen-dev/in": {"part-within", "part-outside ./in"},
	} {
		dry := exec.CommandContext(t.Context(), "sh", "-c", "unset MAKEFLAGS MFLAGS MAKELEVEL; exec make --dry-run test TESTS='"+part+"'")
		out, err := dry.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", part, err, out)
		}
		var got []string
		if strings.Contains(string(out), "no package matches") {
			got = append(got, "part-within")
		}
		if found := regexp.MustCompile(`-C cmd/platen-dev test +(.*)`).FindStringSubmatch(string(out)); found != nil {
			got = append(got, "part-outside "+strings.TrimSpace(found[1]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("make test TESTS=%q tests %q, want %q", part, got, want)
		}
	}
}

func anyHas(sources map[string]string, part string) bool {
	for test := range sources {
		if strings.Contains(test, part) {
			return true
		}
	}
	return false
}
