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

// An integrator sets up a workflow, sends an event and looks at what became of it, with
// commands alone.
func TestTheCommandLineDoesTheMainJob(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	dir := t.TempDir()
	e := &cli.Environment{Err: &bytes.Buffer{}, Config: filepath.Join(dir, "config")}
	platen := func(input string, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		e.In, e.Out = strings.NewReader(input), &out
		parser, err := kong.New(&cli.Commands{}, kong.Bind(e), kong.BindTo(t.Context(), (*context.Context)(nil)))
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
		file := platen("", "preview", letter, "--data", "../../examples/letter.json", "--out", dir)
		if pdf, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			t.Errorf("the preview: got %q with %d bytes, %v", file, len(pdf), err)
		}
	}
	if list := platen("", "documents", "list", "Previews from the command line"); strings.Count(list, "doc_") != 1 {
		t.Errorf("two previews: got\n%s\nwant one document", list)
	}
	document := regexp.MustCompile(`doc_\w+`).FindString(platen("", "documents", "list", workflow))
	platen("", "documents", "replace", workflow, document, letter)
	if said := platen("", "workflows", "delete", workflow); said != workflow+" is ARCHIVED." {
		t.Errorf("got %s", said)
	}
}
