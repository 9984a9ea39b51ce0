package platen_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/platenhq/platen"

// allowedImports is the structure of the house: every package, and which of
// our packages it may import. "" is the root, package platen. Test files may
// import what they need to check their package.
var allowedImports = map[string][]string{
	"":           {}, // the domain knows nothing of ours
	"api":        {"", "api/edge", "internal/intake", "internal/probe"},
	"api/edge":   {"", "internal/intake"},
	"api/hooks":  {"", "api/edge", "internal/intake"},
	"activities": {"", "internal/merge", "internal/merge/plan"},
	"workflows":  {"", "activities"},
	"worker":     {"", "activities", "workflows", "internal/dispatch"},
	"deploy":     {},
	"examples":   {},

	// The one import that crosses into the wing: it reads Office files at a desk.
	"internal/cache":           {}, // of all that keep something, the wing included
	"internal/check":           {"", "internal/drive/docs", "internal/drive/office", "internal/drive/slides", "internal/merge", "internal/merge/plan"},
	"internal/config":          {"", "internal/secret"},
	"internal/console":         {""},
	"internal/dispatch":        {""},
	"internal/failpoint":       {"", "activities"},
	"internal/google":          {""},
	"internal/intake":          {}, // of all that listen, the wing included
	"internal/merge":           {""},
	"internal/merge/plan":      {"", "internal/merge"},
	"internal/outgoing":        {""},
	"internal/picture":         {"", "internal/merge"},
	"internal/postgres":        {"", "internal/cache"},
	"internal/preview":         {"", "internal/check", "internal/merge", "internal/merge/plan"},
	"internal/probe":           {}, // of all that are probed, the wing included
	"internal/protect":         {""},
	"internal/secret":          {""},
	"internal/testkit":         {},
	"internal/testkit/program": {"internal/testkit", "internal/embedded/ports"},
	"internal/testkit/standin": {"internal/drive", "internal/testkit"},

	// The wing: reached over HTTP only, knows nothing outside itself but what
	// bounds a process's memory and answers its probes.
	"internal/drive":         {"internal/cache", "internal/intake", "internal/probe", "internal/drive/docs", "internal/drive/layout", "internal/drive/office", "internal/drive/slides", "internal/drive/soffice"},
	"internal/drive/docs":    {"internal/drive/office"},
	"internal/drive/layout":  {"internal/cache", "internal/drive/office", "internal/drive/layout/fonts"},
	"internal/drive/office":  {},
	"internal/drive/slides":  {"internal/drive/office"},
	"internal/drive/soffice": {},

	"internal/embedded/ports":    {},
	"internal/embedded/postgres": {"internal/embedded/ports"},
	"internal/embedded/temporal": {"internal/embedded/ports"},

	"internal/app": {"", "activities", "api", "api/edge", "api/hooks", "worker", "internal/config", "internal/console", "internal/dispatch",
		"internal/drive", "internal/drive/soffice", "internal/failpoint", "internal/google", "internal/intake", "internal/merge", "internal/outgoing", "internal/picture", "internal/postgres", "internal/preview", "internal/protect", "internal/secret"},
	// Tests of the whole: nothing but test files.
	"test/chaos":       {},
	"test/clients":     {},
	"test/conformance": {},
	"test/flood":       {},
	"test/journey":     {},
	"test/kill":        {},
	"test/model":       {},
	"test/rclone":      {},
	"test/untouched":   {},

	// Programs; bench starts the service's parts as processes of their own.
	"test/conformance/outside": {},
	"test/mutants":             {},
	"test/fidelity":            {"internal/drive/layout", "internal/drive/office"},
	"test/bench": {"", "examples", "internal/app", "internal/config", "internal/google", "internal/merge", "internal/merge/plan", "internal/outgoing", "internal/picture", "internal/postgres", "internal/protect",
		"internal/drive/docs", "internal/drive/layout", "internal/drive/office", "internal/drive/slides"},

	"cmd/platen": {"", "internal/app", "internal/check", "internal/config"},
	"cmd/platen-dev": {"", "examples", "workflows", "internal/app", "internal/config", "internal/protect",
		"internal/embedded/ports", "internal/embedded/postgres", "internal/embedded/temporal"},
}

type goPackage struct {
	ImportPath  string
	Imports     []string
	Deps        []string
	ForTest     string
	Name        string
	TestGoFiles []string
}

func list(t *testing.T, args ...string) []goPackage {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps,ForTest,Name"}, args...)...).Output()
	var exited *exec.ExitError
	if errors.As(err, &exited) {
		t.Fatalf("go list: %v\n%s", err, exited.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	var packages []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func ours(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

func TestPackagesImportWhatTheTableAllows(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range list(t, "./...") {
		name, _ := ours(p.ImportPath)
		seen[name] = true
		allowed, ok := allowedImports[name]
		if !ok {
			t.Errorf("package %q is not in the table of imports", name)
			continue
		}
		for _, path := range p.Imports {
			if imported, ok := ours(path); ok && !slices.Contains(allowed, imported) {
				t.Errorf("package %q imports %q, which the table does not allow", name, imported)
			}
		}
	}
	for name := range allowedImports {
		if !seen[name] {
			t.Errorf("the table names package %q, which is not there", name)
		}
	}
}

// Temporal's server takes minutes to compile and seconds to link.
func TestOnlyPlatenDevLinksTemporalsServer(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "-test", "./...") {
		name, _ := ours(p.ImportPath)
		if name == "cmd/platen-dev" || name == "internal/embedded/temporal" {
			continue
		}
		if slices.Contains(p.Deps, "go.temporal.io/server/temporal") {
			t.Errorf("%s links Temporal's server", p.ImportPath)
		}
	}
}

func TestTheRootUsesTheStandardLibraryOnly(t *testing.T) {
	t.Parallel()
	for _, path := range list(t, ".")[0].Imports {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			t.Errorf("package platen imports %s", path)
		}
	}
}
