// Package interop has other people's programs work with ours: clients that generators make
// of the contract, Google's own clients for Node, and rclone, which knows Google's drive.
// `make generated`, `make clients` and `make rclone` fetch each and run its tests. What these
// programs do not ask for is tested beside the code that answers.
package interop

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/testkit"
)

const (
	// generatorsVariable names the environment variable with the directory that has
	// the generators for TypeScript in its node_modules.
	generatorsVariable = "PLATEN_GENERATED"

	pageFile = "../../docs/clients.md"

	// demoData is where the page looks for the token.
	demoData = `${XDG_STATE_HOME:-~/.local/state}/platen-dev; [ "$(id -u)" != 0 ] || DATA=/var/lib/platen-dev`
)

// shell has a folder take the place of what the page begins with: a module and packages
// of the versions that are held here. What the page installs has to be those.
const shell = `set -euo pipefail
go() { test "$1 $2" = "mod init" || command go "$@"; }
npm() {
	test "$1" = install || { command npm "$@"; return; }
	node -e '
		for (const name of process.argv.slice(1).filter((word) => !word.startsWith("-") && word !== "install")) {
			const [, of, version] = name.match(/^(.+)@(.+)$/);
			const here = JSON.parse(require("fs").readFileSync("node_modules/" + of + "/package.json")).version;
			if (here !== version) throw new Error("the page installs " + name + ", and test/Makefile " + here);
		}' -- "$@"
}
`

// A way is a generator with its part of the page.
type way struct {
	name     string
	sections []string // headings that its reader follows
	job      string   // our program, below testdata
	as       string   // where it is put
	run      string   // what runs it
	node     bool
}

// Generators make clients of the contract as docs/clients.md prints it. Compilers take
// them, and each does the main job: a template is uploaded, an event is posted, the PDF is
// read, and the event of the output arrives. What is generated goes into folders that are
// removed.
func TestClientsThatAreGeneratedDoTheMainJob(t *testing.T) {
	t.Parallel()
	for _, w := range []way{
		{name: "oapi-codegen", sections: []string{"# Generate a client", "## In Go"}, job: "job/main.go", as: "job/main.go", run: "go run ./job"},
		{name: "openapi-typescript", sections: []string{"# Generate a client", "## In TypeScript", "### With openapi-typescript"}, job: "fetch.ts", as: "job.ts", run: "node out/job.js", node: true},
		{name: "hey-api", sections: []string{"# Generate a client", "## In TypeScript", "### With hey-api"}, job: "hey.ts", as: "job.ts", run: "node out/job.js", node: true},
	} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			stack := testkit.Running(t)
			dir := filepath.Join(t.TempDir(), "letters")
			w.furnish(t, dir)
			received := newReceiver(t)
			commands := w.page(t, dir, strings.NewReplacer(demoData, dir, "http://127.0.0.1:8080", strings.TrimSuffix(stack.APIURL, "/v0")))
			settings := []string{
				"CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "TEMPLATE=" + filepath.Join(dir, "letter.docx"), "EVENT=" + filepath.Join(dir, "letter.json"),
				"RECEIVER=" + received.url, "PDF=" + filepath.Join(dir, "letter.pdf"),
			}
			write(t, filepath.Join(dir, "demo-token"), []byte(stack.AccessToken))
			said := typed(t, dir, shell+commands+w.run+"\n", settings)
			var done result
			last := said[strings.LastIndexByte(strings.TrimSpace(said), '\n')+1:]
			if err := json.Unmarshal([]byte(last), &done); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			if !regexp.MustCompile(`(?m)^wkf_\w+ .* COMPLETE$`).MatchString(said) {
				t.Errorf("the page's program said %s, want a line for each workflow", said)
			}
			done.check(t, filepath.Join(dir, "letter.pdf"), received)
		})
	}
}

// furnish makes the folder that the page's reader has.
func (w way) furnish(t *testing.T, dir string) {
	t.Helper()
	copied := func(from, to string) {
		t.Helper()
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, to), content)
	}
	copied("../../examples/letter.docx", "letter.docx")
	copied("../../examples/letter.json", "letter.json")
	copied("testdata/"+w.job, w.as)
	if !w.node {
		copied("tools/go.sum", "go.sum")
		module, err := os.ReadFile("tools/go.mod")
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "go.mod"), regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(module, []byte("module example.com/letters")))
		return
	}
	generators := filepath.Join(os.Getenv(generatorsVariable), "node_modules")
	if _, err := os.Stat(filepath.Join(generators, "typescript")); err != nil {
		t.Skipf("%s does not name a directory with the generators for TypeScript; make generated fetches them and runs this", generatorsVariable)
	}
	if err := os.Symlink(generators, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
}

var (
	headings  = regexp.MustCompile(`(?m)^#+ .*$`)
	fileBlock = regexp.MustCompile("(?s)This is `([^`]+)`[^\n]*:\n\n```\\w+\n(.*?)```")
	block     = regexp.MustCompile("(?s)```sh\n(.*?)```")
)

// page writes the files that the way's sections print, and returns their commands, both
// with the addresses and places that are right here.
func (w way) page(t *testing.T, dir string, here *strings.Replacer) string {
	t.Helper()
	raw, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	page := here.Replace(string(raw))
	var commands strings.Builder
	for _, heading := range w.sections {
		_, text, found := strings.Cut(page, heading+"\n")
		if next := headings.FindStringIndex(text); next != nil {
			text = text[:next[0]]
		}
		blocks := block.FindAllStringSubmatch(text, -1)
		if !found || len(blocks) == 0 {
			t.Fatalf("%s has no commands under %q", pageFile, heading)
		}
		for _, file := range fileBlock.FindAllStringSubmatch(text, -1) {
			write(t, filepath.Join(dir, file[1]), []byte(file[2]))
		}
		for _, b := range blocks {
			commands.WriteString(b[1])
		}
	}
	return commands.String()
}

// Every command of the page is one of a way, and what it prints of a body that is a file
// is what our program does.
func TestThePageHasNoOtherCommands(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(block.FindAll(raw, -1)); got != 10 {
		t.Errorf("got %d blocks of commands, want the 10 that ways run: name the section of a new one in a way", got)
	}
	program, err := os.ReadFile("testdata/fetch.ts")
	if err != nil {
		t.Fatal(err)
	}
	words := func(s []byte) string { return strings.Join(strings.Fields(string(s)), " ") }
	shown := regexp.MustCompile("(?s)```ts\nawait (api.POST.*?),?\n}\\);\n```").FindSubmatch(raw)
	if shown == nil || !strings.Contains(words(program), words(shown[1])) {
		t.Errorf("the page's upload is not that of testdata/fetch.ts: %s", shown)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// typed has a shell run a script in a folder, and returns what it printed.
func typed(t *testing.T, dir, script string, settings []string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "bash", "-c", script)
	var said, complaints bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &said, &complaints
	c.Env = append(os.Environ(), settings...)
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, said.String(), complaints.String())
	}
	return said.String()
}

// A receiver keeps what is sent to it.
type receiver struct {
	url string

	mu     sync.Mutex
	events []event
}

type event struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, event{request.Header, body})
	}))
	t.Cleanup(server.Close)
	r.url = server.URL + "/events"
	return r
}

// A result is what our programs say.
type result struct{ WorkflowID, AutomationID, EventID, Secret string }

// check compares what a program said with what arrived.
func (r result) check(t *testing.T, pdf string, at *receiver) {
	t.Helper()
	verifier, err := client.NewVerifier(r.Secret)
	if err != nil {
		t.Fatal(err)
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	if len(at.events) == 0 {
		t.Fatal("the receiver got no event")
	}
	for _, e := range at.events {
		signed, err := verifier.Verify(e.header, e.body)
		if err != nil {
			t.Errorf("%v: %s", err, e.body)
		}
		if signed.ID != r.EventID || signed.Data.AutomationID != r.AutomationID || signed.Data.WorkflowID != r.WorkflowID {
			t.Errorf("the receiver got %s, want event %s of %s and %s", e.body, r.EventID, r.WorkflowID, r.AutomationID)
		}
	}
	text, err := exec.CommandContext(t.Context(), "pdftotext", pdf, "-").Output()
	if err != nil {
		t.Fatalf("read the PDF: %v; `make witnesses` installs pdftotext", err)
	}
	if !strings.Contains(string(text), "Fairwind Sailing Club") {
		t.Errorf("the PDF says %q, want the name of the event in it", text)
	}
}
