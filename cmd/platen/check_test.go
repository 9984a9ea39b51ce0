package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/check"
)

const letter = "../../examples/letter.docx"

func TestACheckFailsForMistakesAndForNothingElse(t *testing.T) {
	t.Parallel()
	if err := (checkCommand{File: letter, Data: "../../examples/letter.json"}).Run(); err != nil {
		t.Errorf("the example with its event: %v", err)
	}
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, []byte(`{"Customer Nam": "Ada"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, asJSON := range []bool{false, true} {
		if err := (checkCommand{File: letter, Data: other, JSON: asJSON}).Run(); err == nil || !strings.Contains(err.Error(), "findings") {
			t.Errorf("the example with another event: got %v, want findings", err)
		}
	}
	if err := (checkCommand{File: other}).Run(); err == nil || !strings.Contains(err.Error(), "other.json") {
		t.Errorf("a file of another kind: got %v, want an error that names it", err)
	}
}

func TestFindingsAreOneLineEachOrAList(t *testing.T) {
	t.Parallel()
	findings := []check.Finding{{Where: "slide 2", Tag: "{{Nam}}", Code: "unknown_field", Message: "The source has no field Nam.", Nearest: []string{"Name"}}, {Code: "document_too_large", Message: "Too large."}}
	var lines, list, none bytes.Buffer
	for _, c := range []struct {
		to       *bytes.Buffer
		command  checkCommand
		findings []check.Finding
	}{{&lines, checkCommand{File: "a.pptx"}, findings}, {&list, checkCommand{JSON: true}, findings}, {&none, checkCommand{JSON: true}, nil}} {
		if err := c.command.print(c.to, c.findings); err != nil {
			t.Fatal(err)
		}
	}
	if want := "a.pptx: slide 2: {{Nam}}: The source has no field Nam. Did you mean Name?\na.pptx: Too large.\n"; lines.String() != want {
		t.Errorf("got %q, want %q", lines.String(), want)
	}
	var read []check.Finding
	if err := json.Unmarshal(list.Bytes(), &read); err != nil || len(read) != 2 || read[0].Nearest[0] != "Name" {
		t.Errorf("got %s, %v", list.String(), err)
	}
	if got := strings.TrimSpace(none.String()); got != "[]" {
		t.Errorf("without findings: got %q, want an empty list", got)
	}
}
