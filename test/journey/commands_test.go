package journey

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/cli"
)

// commandLine returns what runs a command and returns what it printed.
func commandLine(t *testing.T, commands any) func(input string, args ...string) string {
	e := &cli.Environment{Err: &bytes.Buffer{}, Config: filepath.Join(t.TempDir(), "config")}
	return func(input string, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		e.In, e.Out = strings.NewReader(input), &out
		parser, err := kong.New(commands, kong.Bind(e), kong.BindTo(t.Context(), (*context.Context)(nil)))
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.Parse(args)
		if err == nil {
			err = parsed.Run()
		}
		if err != nil {
			t.Fatalf("platen %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), e.Err)
		}
		return strings.TrimSpace(out.String())
	}
}

// An integrator sets up a workflow, sends an event and looks at what became of it, with
// commands alone.
func TestTheCommandLineDoesTheMainJob(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	dir, platen := t.TempDir(), commandLine(t, &cli.Commands{})
	const letter = "../../examples/letter.docx"
	event, err := os.ReadFile("../../examples/letter.json")
	if err != nil {
		t.Fatal(err)
	}
	r := newReceiver(t)
	platen(h.token, "login", h.api)
	workflow := platen("", "workflows", "create", "Letters", "--file", letter, "--pdf")
	platen("", "webhooks", "create", "letters", r.url)
	r.trust(t, platen("", "webhooks", "secret", workflow))
	var made client.Automation
	if err := json.Unmarshal([]byte(platen(string(event), "trigger", workflow, "-", "--wait", "--json", "--key", "order 17")), &made); err != nil || made.State != "COMPLETED" {
		t.Fatalf("got %+v, %v", made, err)
	}
	if again := platen(string(event), "trigger", "Letters", "-", "--key", "order 17"); again != made.ID {
		t.Errorf("the same key: got %s, want %s", again, made.ID)
	}
	got := r.next(t)
	eventually(t, "the event is delivered", func() error {
		if list := platen("", "events", "list", "--state", "DELIVERED"); !strings.Contains(list, got.event.ID) || !strings.Contains(list, made.ID) {
			return errors.New(list)
		}
		return nil
	})
	if shown := platen("", "automations", "show", workflow, made.ID); !strings.Contains(shown, "COMPLETED") || strings.Contains(shown, "Köhler") {
		t.Errorf("got %s, want its state, and nothing that was sent", shown)
	}
	for range 2 {
		file := platen("", "preview", letter, "--data", "../../examples/letter.json", "--to", dir)
		if pdf, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			t.Errorf("the preview: got %q with %d bytes, %v", file, len(pdf), err)
		}
	}
	if list := platen("", "documents", "list", "Previews from the command line"); strings.Count(list, "doc_") != 1 {
		t.Errorf("two previews: got\n%s\nwant one document", list)
	}
	document := regexp.MustCompile(`doc_\w+`).FindString(platen("", "documents", "list", workflow))
	if said := platen("", "documents", "check", workflow, document, "--data", "../../examples/letter.json"); !strings.HasSuffix(said, " tags, no mistakes") {
		t.Errorf("got %s", said)
	}
	platen("", "documents", "replace", workflow, document, letter)
	if said := platen("", "workflows", "delete", workflow); said != workflow+" is ARCHIVED." {
		t.Errorf("got %s", said)
	}
}

func TestTheCommandLineMovesFilesToTheDriveAndBack(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	platen := commandLine(t, &cli.DriveCommands{})
	drive := func(args ...string) string {
		t.Helper()
		return platen("", append(args, "--drive-endpoint", h.drive, "--credential", h.driveToken)...)
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const letter = "../../examples/letter.docx"
	id := drive("put", letter, "--name", "Letter's \u202ename")
	drive("get", id, "--to", at("letter.docx"))
	drive("get", id, "--to", at("letter.pdf"), "--pdf")
	kept := drive("put", letter, "--as-is")
	drive("get", kept, "--to", at("kept.docx"))
	original, err := os.ReadFile(letter)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"letter.docx": "PK", "letter.pdf": "%PDF-", "kept.docx": string(original)} {
		if got, err := os.ReadFile(at(name)); err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%s: got %.20q, %v", name, got, err)
		}
	}
	if list := drive("ls", "--name", "Letter's"); !strings.Contains(list, id+`  Letter's \u202ename  document  `) || strings.Contains(list, kept) {
		t.Errorf("got\n%s\nwant the first file alone", list)
	}
	if list := drive("ls", "--limit", "1", "--json"); strings.Count(list, "\n") != 0 || !strings.Contains(list, kept) {
		t.Errorf("got %s, want the newest file", list)
	}
	drive("put", at("letter.pdf"))
	if list := drive("ls", "--limit", "1", "--json"); !strings.Contains(list, `"application/pdf"`) { // or it could not be appended
		t.Errorf("got %s, want a PDF to be one in the drive", list)
	}
}
