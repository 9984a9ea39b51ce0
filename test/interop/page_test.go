package interop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/standin"
)

// programs are the blocks of a language on the page about the drive.
func programs(t *testing.T, language string) []string {
	t.Helper()
	page, err := os.ReadFile("../../docs/drive.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		all = append(all, m[1])
	}
	if len(all) == 0 {
		t.Fatalf("docs/drive.md has no program in %s", language)
	}
	return all
}

// runOnDrive runs a program that meets the drive at its own address: any other is
// refused by the proxy. It prints the ids of a document and of a file.
func runOnDrive(t *testing.T, google *standin.Google, name string, args ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(os.Environ(), "DRIVE="+google.URL, "TOKEN="+google.Token, "HTTPS_PROXY=http://127.0.0.1:1", "https_proxy=http://127.0.0.1:1", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	if ids := strings.Fields(string(out)); len(ids) != 2 {
		t.Errorf("got %q, want the ids of a document and of a file", out)
	}
}

func TestThePagesProgramInGoWorks(t *testing.T) {
	for _, program := range programs(t, "go") {
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		runOnDrive(t, standin.New(t), "go", "run", file)
	}
}

func TestThePagesProgramInNodeWorks(t *testing.T) {
	dir := os.Getenv(clientsVariable)
	if dir == "" {
		t.Skipf("%s does not name a directory with Google's clients; make clients fetches them and runs this", clientsVariable)
	}
	for _, program := range programs(t, "js") {
		// Node looks for modules from where the program is.
		file, err := os.CreateTemp(dir, "page-*.mjs")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(file.Name()) })
		if _, err := file.WriteString(program); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		runOnDrive(t, standin.New(t), "node", file.Name())
	}
}

func TestThePagesProgramInPythonWorks(t *testing.T) {
	if err := exec.CommandContext(t.Context(), "python3", "-c", "import googleapiclient").Run(); err != nil {
		t.Skip("Python has no google-api-python-client here")
	}
	for _, program := range programs(t, "python") {
		runOnDrive(t, standin.New(t), "python3", "-c", program)
	}
}
