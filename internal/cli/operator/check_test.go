package operator

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/template/check"
)

const letter = "../../../examples/letter.docx"

func TestACheckFailsForMistakesAndForNothingElse(t *testing.T) {
	t.Parallel()
	if err := (checkCommand{File: letter, Data: "../../../examples/letter.json"}).run(t.Context(), io.Discard); err != nil {
		t.Errorf("the example with its event: %v", err)
	}
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, []byte(`{"Customer Nam": "Ada"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, asJSON := range []bool{false, true} {
		if err := (checkCommand{File: letter, Data: other, JSON: asJSON}).run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), " mistakes") {
			t.Errorf("the example with another event: got %v, want mistakes", err)
		}
	}
	if err := (checkCommand{File: other}).run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "other.json") {
		t.Errorf("a file of another kind: got %v, want an error that names it", err)
	}
}

func TestACheckWithoutMistakesSaysWhatWasChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		command checkCommand
		want    string
	}{
		{"with data", checkCommand{File: letter, Data: "../../../examples/letter.json"}, letter + ": 23 tags, no mistakes\n"},
		{"without data", checkCommand{File: letter}, letter + ": 23 tags, no mistakes; give --data to check names and values, too\n"},
		{"for programs", checkCommand{File: letter, JSON: true}, "[]\n"},
	} {
		var said bytes.Buffer
		if err := c.command.run(t.Context(), &said); err != nil || said.String() != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.name, said.String(), err, c.want)
		}
	}
}

func TestACheckSaysWhereItsDataIsNoJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, want string }{
		{"", "it is empty"},
		{"{\n  \"Name\": \"Ada\",\n}\n", "line 3, column 1: "},
		{`{"Name": "Ad`, "line 1, column 12: "},
		{`{"Name": "Ada"} {}`, "line 1, column 17: "},
		{`["Ada"]`, "it is no JSON object"},
		{strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), "64 levels"},
	} {
		file := filepath.Join(t.TempDir(), "event.json")
		if err := os.WriteFile(file, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		err := (checkCommand{File: letter, Data: file}).run(t.Context(), io.Discard)
		if err == nil || !strings.HasPrefix(err.Error(), file+": ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "body") {
			t.Errorf("%.20q: got %v, want the data's file and %q, and no word of a body", c.data, err, c.want)
		}
	}
}

func TestACheckNamesFilesAsTheyWereNamed(t *testing.T) {
	t.Parallel()
	var c commands
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"check", letter, "--data", letter}); err != nil || c.Check.File != letter || c.Check.Data != letter {
		t.Errorf("got %q and %q, %v; want %q", c.Check.File, c.Check.Data, err, letter)
	}
	if err := (checkCommand{File: "nowhere.docx"}).run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "nowhere.docx") {
		t.Errorf("a file that is not there: got %v, want an error that names it", err)
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

// Names of data and texts of templates are other people's.
func TestACheckShowsTextsFromOutsideAsText(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	if err := (checkCommand{File: letter, Data: `{"Customer Nam\u202e\u001b": "Ada"}`}).run(t.Context(), &said); err == nil {
		t.Error("there are no mistakes")
	}
	if got := said.String(); !strings.Contains(got, `Customer Nam\u202e\x1b`) || strings.ContainsAny(got, "\u202e\x1b") {
		t.Errorf("got %.400q, want marks and controls spelled out", got)
	}
}

func TestTheIntegratorsCommandsKnowWhatIsNoTemplate(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(letter)
	if err != nil {
		t.Fatal(err)
	}
	if err := integratorsEnvironment().CheckTemplate(content); err != nil {
		t.Errorf("the example: %v", err)
	}
	if err := integratorsEnvironment().CheckTemplate(damaged(t, content)); err != nil {
		t.Errorf("a damaged file, which the API takes and a drive may open: %v", err)
	}
	old := []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	for _, other := range [][]byte{nil, old, []byte("%PDF-1.7"), []byte("{}")} {
		if integratorsEnvironment().CheckTemplate(other) == nil {
			t.Errorf("%q passes as a template", other)
		}
	}
}

// damaged is a document whose text is no XML.
func damaged(t *testing.T, content []byte) []byte {
	t.Helper()
	from, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, part := range from.File {
		if part.Name != "word/document.xml" {
			err = to.Copy(part)
		} else if w, failed := to.Create(part.Name); failed == nil {
			_, err = w.Write([]byte("<w:document"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
