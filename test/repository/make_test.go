package repository

import (
	"os"
	"os/exec"
	"regexp"
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

func anyHas(sources map[string]string, part string) bool {
	for test := range sources {
		if strings.Contains(test, part) {
			return true
		}
	}
	return false
}
