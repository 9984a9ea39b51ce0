package interop

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit"
)

// typescriptVariable names the environment variable with the directory that has what the
// client for TypeScript is built with in its node_modules, and the platforms that it runs on.
const typescriptVariable = "PLATEN_TYPESCRIPT"

// ours has no registry take part: what is installed for the tests stands for what the page
// installs, and the package is the one that was built.
const ours = `
npm() {
	case "$1" in
	ci) test -d node_modules ;;
	install)
		for word in "$@"; do
			case "$word" in
			*.tgz) mkdir -p node_modules/@platen/client && tar -xzf "$word" -C node_modules/@platen/client --strip-components 1 ;;
			esac
		done ;;
	*) command npm "$@" ;;
	esac
}
`

// The client is built of the contract as it is, so that it cannot be out of date. Its own
// tests pass, the page's program runs, and the main job is done on each platform.
func TestTheClientForTypeScriptDoesTheMainJobOnEachPlatform(t *testing.T) {
	t.Parallel()
	modules := filepath.Join(os.Getenv(typescriptVariable), "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "@edge-runtime", "vm")); err != nil {
		t.Skipf("%s does not name a directory with what the client is built with and runs on; make generated fetches it and runs this", typescriptVariable)
	}
	stack, dir := testkit.Running(t), t.TempDir()
	repository, letters := filepath.Join(dir, "platen"), filepath.Join(dir, "letters")
	client := filepath.Join(repository, "clients", "typescript")
	copyTree(t, "../../clients/typescript", client)
	for _, file := range []string{"api/openapi.yaml", "examples/letter.docx", "examples/letter.json"} {
		copyTree(t, "../../"+file, filepath.Join(repository, file))
	}
	link(t, modules, filepath.Join(client, "node_modules"))
	for _, file := range []string{"testdata/platen/work.ts", "testdata/platen/job.ts", "testdata/platen/edge.cjs"} {
		copyTree(t, file, filepath.Join(letters, filepath.Base(file)))
	}
	linkEach(t, modules, filepath.Join(letters, "node_modules"))
	write(t, filepath.Join(letters, "demo-token"), []byte(stack.AccessToken))
	settings := []string{"TEMPLATE=letter.docx", "EVENT=letter.json", "API=" + stack.APIURL, "TOKEN=" + stack.AccessToken}

	w := way{sections: []string{"# Generate a client", "## Our client for TypeScript"}}
	commands := w.page(t, letters, strings.NewReplacer(demoData, letters, "PLATEN=~/platen", "PLATEN="+repository, "http://127.0.0.1:8080", strings.TrimSuffix(stack.APIURL, "/v0")))
	said := typed(t, letters, "set -euo pipefail\n"+ours+commands+"(cd $PLATEN/clients/typescript && npm test)\n", settings)
	if want := "Fairwind Sailing Club"; !strings.Contains(said, want) {
		t.Errorf("the page's program said %s, want the name %s of the file that it made", said, want)
	}
	typed(t, letters, "node_modules/.bin/rolldown out/work.js --format iife --name job --file out/edge.js", nil)

	for name, program := range map[string]string{
		"Node": "node out/job.js",
		"Deno": "node_modules/.bin/deno run --allow-all --node-modules-dir=manual out/job.js",
		"Bun":  "node_modules/.bin/bun out/job.js",
		"edge": "node edge.cjs",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			received, pdf := newReceiver(t), filepath.Join(letters, name+".pdf")
			var done result
			if said := typed(t, letters, program, append(settings, "RECEIVER="+received.url, "PDF="+pdf)); json.Unmarshal([]byte(said), &done) != nil {
				t.Fatalf("the program said %s", said)
			}
			done.check(t, pdf, received)
			received.mu.Lock()
			defer received.mu.Unlock()
			headers := map[string]string{}
			for header := range received.events[0].header {
				headers[header] = received.events[0].header.Get(header)
			}
			event, err := json.Marshal(map[string]any{"secret": done.Secret, "headers": headers, "body": string(received.events[0].body)})
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(letters, name+".json")
			write(t, file, event)
			if id := strings.TrimSpace(typed(t, letters, program, []string{"RECEIVED=" + file})); id != done.EventID {
				t.Errorf("the client verified event %q, want %s", id, done.EventID)
			}
		})
	}
}

// copyTree copies a file or a folder without what git leaves alone.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if !info.IsDir() {
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, to, content)
		return
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); name != "node_modules" && name != "dist" {
			copyTree(t, filepath.Join(from, name), filepath.Join(to, name))
		}
	}
}

func link(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Symlink(from, to); err != nil {
		t.Fatal(err)
	}
}

// linkEach has a folder with what is in another one, to which more can be added. Names with
// a scope have a folder of their own.
func linkEach(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err == nil {
		err = os.MkdirAll(to, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		link(t, filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
	}
}
