package repository

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/platenhq/platen"

// allowedImports is the structure of the house: every package, and which of
// our packages it may import. Test files may
// import what they need to check their package.
var allowedImports = map[string][]string{
	"internal/platen": {}, // the domain knows nothing of ours
	"api":             {"internal/platen", "api/edge", "internal/admission", "internal/delivery", "internal/intake", "internal/office/opc", "internal/peer", "internal/probe", "internal/rows", "internal/table"},
	"api/edge":        {"internal/platen", "internal/admission", "internal/intake"},
	"api/hooks":       {"internal/platen", "api/edge", "internal/intake", "internal/peer", "internal/probe"},
	"client":          {}, // programs of integrators are built with it, and with nothing of ours
	"activities":      {"internal/platen", "internal/catalog", "internal/delivery", "internal/maintenance", "internal/template/fill", "internal/template/lang"},
	"workflows":       {"internal/platen", "activities"},
	"worker":          {"internal/platen", "activities", "workflows", "internal/dispatch"},
	"deploy":          {},
	"docs":            {},
	"examples":        {},

	"internal/admin":             {"internal/platen", "internal/drive/store", "internal/postgres", "internal/postgres/operate", "internal/secret"},
	"internal/admission":         {}, // of all that let in some and not others, the wing included
	"internal/bounce":            {"internal/platen"},
	"internal/cache":             {},                           // of all that keep something, the wing included
	"internal/catalog":           {"internal/template/locale"}, // of all that speak to people
	"internal/compare":           {"internal/platen", "activities", "internal/drive/store", "internal/google", "internal/template/fill", "internal/template/include"},
	"internal/agent":             {"client", "docs", "internal/admission", "internal/platen"},
	"internal/cli":               {"client", "internal/agent", "internal/manifest"}, // an integrator's program alone
	"internal/cli/operator":      {"internal/platen", "internal/admin", "internal/app", "internal/cli", "internal/compare", "internal/config", "internal/doctor", "internal/drive/store", "internal/einvoice", "internal/office/opc", "internal/protect", "internal/telemetry", "internal/template/check"},
	"internal/config":            {"internal/platen", "internal/secret", "internal/telemetry"},
	"internal/console":           {"client", "examples", "internal/platen", "api/edge", "internal/admission", "internal/cache", "internal/catalog", "internal/einvoice", "internal/inside", "internal/intake", "internal/office/opc", "internal/protect", "internal/signin", "internal/template/form", "internal/template/lang"},
	"internal/signin":            {"internal/platen"},
	"internal/delivery":          {"internal/platen", "internal/outgoing"},
	"internal/dispatch":          {"internal/platen", "internal/delivery"},
	"internal/einvoice":          {}, // the model of EN 16931, its syntaxes and rules, without events and PDF
	"internal/ends":              {"internal/admission"},
	"internal/failpoint":         {"internal/platen", "activities", "internal/delivery", "internal/dispatch"},
	"internal/google":            {"internal/platen", "internal/google/walk"},
	"internal/google/walk":       {}, // of Google's types alone, for the client and for templates
	"internal/handbook":          {"docs"},
	"internal/inside":            {"client", "internal/platen"},
	"internal/intake":            {"internal/admission"},                // of all that listen, the wing included
	"internal/rows":              {"internal/platen", "internal/table"}, // of files that are batches, for the API and the worker
	"internal/schedule":          {"internal/platen", "internal/outgoing", "internal/rows", "internal/table"},
	"internal/target":            {"internal/platen", "internal/outgoing"},
	"internal/mail":              {"internal/platen", "internal/outgoing"},
	"internal/maintenance":       {"internal/catalog", "internal/platen", "internal/template/fill"},
	"internal/migration":         {},         // of all that have tables, the wing included
	"internal/manifest":          {"client"}, // of files of workflows, for commands
	"internal/outgoing":          {"internal/platen"},
	"internal/postgres":          {"internal/platen", "internal/admission", "internal/cache", "internal/migration", "internal/outage"},
	"internal/outage":            {}, // of all that ask Postgres, the wing included
	"internal/peer":              {}, // of all that listen, the wing included
	"internal/probe":             {}, // of all that are probed, the wing included
	"internal/pdfa":              {}, // judges what others write, and shares no code with them
	"internal/protect":           {"internal/platen", "internal/pdfa", "internal/render/pdf/fonts"},
	"internal/quota":             {"internal/platen"},
	"internal/rebuild":           {"internal/platen", "activities", "internal/delivery", "internal/template/fill", "internal/template/lang"},
	"internal/seal":              {"internal/platen"}, // signatures of hashes: nothing of PDFs
	"internal/seal/sealtest":     {},
	"internal/secret":            {"internal/platen"},
	"internal/table":             {}, // tables of other programs, for rows of batches
	"internal/telemetry":         {"internal/platen"},
	"internal/testkit":           {"internal/testkit/ports"},
	"internal/testkit/browser":   {},
	"internal/testkit/mailbox":   {},
	"internal/testkit/memory":    {"internal/platen"}, // what api asks for, of its tests and the console's
	"internal/testkit/pages":     {},
	"internal/testkit/ports":     {}, // of platen-dev as well
	"internal/testkit/property":  {},
	"internal/testkit/drivetest": {"internal/platen", "internal/drive", "internal/drive/store", "internal/google", "internal/testkit"},
	"internal/testkit/program":   {"internal/testkit", "internal/testkit/ports"},
	// The programs of an installation, as processes.
	"internal/testkit/installation": {"examples", "internal/testkit", "internal/testkit/pages", "internal/testkit/ports", "internal/testkit/program"},
	"internal/testkit/standin":      {"internal/drive", "internal/drive/store", "internal/testkit"},

	// The stores by the role that runs their statements, and the database of their tests.
	"internal/postgres/accept":    {"internal/platen", "internal/postgres"}, // adds events and reads none
	"internal/postgres/operate":   {"internal/platen", "internal/postgres"}, // across tenants, for commands and operators' pages
	"internal/postgres/run":       {"internal/platen", "internal/postgres"}, // across tenants, for the worker alone
	"internal/postgres/storetest": {"internal/platen", "internal/postgres", "internal/postgres/accept", "internal/postgres/operate", "internal/postgres/run", "internal/secret", "internal/testkit"},

	// Templates. check reads Office files at a desk; api and console look at the kind of those
	// that are uploaded. Nothing else crosses into the wing.
	"internal/template/accessible":      {"internal/google/walk", "internal/template/lang/syntax"},
	"internal/template/billing":         {"internal/platen", "internal/einvoice", "internal/template/lang"},
	"internal/template/check":           {"internal/platen", "internal/template/accessible", "internal/drive/docs", "internal/drive/slides", "internal/google/walk", "internal/office/pml", "internal/office/wml", "internal/template/fill", "internal/template/lang", "internal/template/lang/syntax"},
	"internal/template/fill":            {"internal/platen", "internal/cache", "internal/google/walk", "internal/protect", "internal/template/accessible", "internal/template/billing", "internal/template/lang", "internal/template/lang/syntax", "internal/template/mailbody", "internal/template/rich"},
	"internal/template/lang":            {"internal/platen", "internal/template/lang/syntax", "internal/template/locale", "internal/template/hypertext", "internal/template/markdown", "internal/template/rich", "internal/template/words"},
	"internal/template/lang/syntax":     {}, // what a tag says, without data
	"internal/template/locale":          {},
	"internal/template/locale/generate": {},
	"internal/template/hypertext":       {"internal/template/rich"},
	"internal/template/include":         {"internal/platen", "internal/office/merge", "internal/office/opc", "internal/template/fill"},
	"internal/template/mailbody":        {"internal/template/hypertext"}, // HTML that was filled, without tags and data
	"internal/template/markdown":        {"internal/template/rich"},
	"internal/template/rich":            {},
	"internal/template/words":           {},
	"internal/template/picture":         {"internal/platen", "internal/template/lang", "internal/template/lang/syntax"},
	"internal/template/form":            {"internal/platen", "internal/template/lang"},
	"internal/template/preview":         {"internal/platen", "internal/admission", "internal/template/accessible", "internal/template/billing", "internal/template/check", "internal/template/fill", "internal/template/form", "internal/template/lang"},

	// The wing: reached over HTTP only, knows nothing outside itself and the
	// document engine but what bounds a process's memory and answers its probes.
	"internal/drive": {"internal/admission", "internal/cache", "internal/intake", "internal/outage", "internal/peer", "internal/probe", "internal/drive/docs", "internal/drive/fault", "internal/drive/slides", "internal/drive/soffice", "internal/drive/store",
		"internal/office/blank", "internal/office/opc", "internal/office/pml", "internal/office/wml",
		"internal/render", "internal/render/flow", "internal/render/pdf", "internal/render/slide"},
	"internal/drive/fault":        {},                                                               // what the protocol answers and the store refuses
	"internal/drive/store":        {"internal/cache", "internal/drive/fault", "internal/migration"}, // rows alone, without HTTP and office files
	"internal/drive/docs":         {"internal/office/dml", "internal/office/edit", "internal/office/opc", "internal/office/wml"},
	"internal/drive/slides":       {"internal/office/dml", "internal/office/edit", "internal/office/opc", "internal/office/pml"},
	"internal/drive/soffice":      {"internal/drive/soffice/cell"},
	"internal/drive/soffice/cell": {}, // of every program in which a cell begins

	// The document engine: from the container up to the two formats …
	"internal/office/opc":        {},
	"internal/office/dml":        {"internal/office/opc", "internal/template/words"},                         // numbers of lists in words
	"internal/office/wml":        {"internal/office/dml", "internal/office/opc", "internal/template/locale"}, // dates of content controls
	"internal/office/pml":        {"internal/office/dml", "internal/office/opc"},
	"internal/office/edit":       {"internal/office/opc"},
	"internal/office/merge":      {"internal/office/opc"},
	"internal/office/blank":      {"internal/office/opc"},
	"internal/office/officetest": {},
	// … and from the canvas up to pages.
	"internal/render":            {},
	"internal/render/bidi":       {},
	"internal/render/linebreak":  {},
	"internal/render/pdf":        {"internal/cache", "internal/office/dml", "internal/render", "internal/render/bidi", "internal/render/linebreak", "internal/render/pdf/fonts"},
	"internal/render/pdf/fonts":  {},
	"internal/render/metafile":   {"internal/office/dml"},
	"internal/render/shape":      {"internal/office/dml", "internal/office/opc", "internal/render", "internal/render/metafile", "internal/render/pdf"},
	"internal/render/chart":      {"internal/office/dml", "internal/render", "internal/render/pdf", "internal/render/shape"},
	"internal/render/formula":    {"internal/office/dml", "internal/render", "internal/render/pdf"},
	"internal/render/flow":       {"internal/office/dml", "internal/office/wml", "internal/render", "internal/render/bidi", "internal/render/chart", "internal/render/formula", "internal/render/linebreak", "internal/render/pdf", "internal/render/shape"},
	"internal/render/slide":      {"internal/office/dml", "internal/office/pml", "internal/render", "internal/render/bidi", "internal/render/chart", "internal/render/formula", "internal/render/linebreak", "internal/render/pdf", "internal/render/shape"},
	"internal/render/rendertest": {"internal/office/blank", "internal/office/dml", "internal/office/opc", "internal/office/pml", "internal/render"},

	"internal/doctor": {"internal/platen", "worker", "internal/config", "internal/drive/store", "internal/google", "internal/postgres", "internal/postgres/operate", "internal/secret"},

	"internal/app": {"client", "internal/platen", "activities", "api", "api/edge", "api/hooks", "worker", "internal/admin", "internal/agent", "internal/bounce", "internal/compare", "internal/config", "internal/console", "internal/delivery", "internal/dispatch", "internal/doctor", "internal/ends",
		"internal/drive", "internal/drive/soffice", "internal/drive/store", "internal/failpoint", "internal/google", "internal/handbook", "internal/inside", "internal/intake", "internal/mail", "internal/maintenance", "internal/outage", "internal/outgoing", "internal/peer", "internal/postgres", "internal/postgres/accept", "internal/postgres/operate", "internal/postgres/run",
		"internal/protect", "internal/quota", "internal/rebuild", "internal/schedule", "internal/seal", "internal/secret", "internal/signin", "internal/target", "internal/telemetry", "internal/template/billing", "internal/template/fill", "internal/template/include", "internal/template/lang", "internal/template/mailbody", "internal/template/picture", "internal/template/preview"},
	// Tests of the whole: nothing but test files.
	"test/abuse":       {},
	"test/browser":     {},
	"test/chaos":       {},
	"test/conformance": {},
	"test/einvoice":    {},
	"test/google":      {},
	"test/interop":     {},
	"test/journey":     {},
	"test/lifecycle":   {},
	"test/model":       {},
	"test/repository":  {},
	"test/simulation":  {},
	"test/untouched":   {},

	// What judges Google's requests, and PDFs, shares no code with what it judges.
	"test/google/referee": {},
	"test/pdfrules":       {},
	"test/google/probe":   {"internal/platen", "internal/google"},

	// Programs; bench starts the service's parts as processes of their own.
	"test/conformance/outside": {},
	"test/tools/mutants":       {},
	"test/tools/prose/texts":   {},
	"test/tools/security":      {},
	"deploy/release":           {},
	"test/tools/fidelity":      {"internal/config", "internal/office/opc", "internal/office/pml", "internal/office/wml", "internal/render", "internal/render/flow", "internal/render/pdf", "internal/render/slide"},
	"test/tools/samples":       {},
	"test/bench": {"internal/platen", "examples", "internal/admin", "internal/app", "internal/config", "internal/delivery", "internal/google", "internal/maintenance", "internal/outgoing", "internal/postgres", "internal/postgres/run", "internal/protect", "internal/secret",
		"internal/template/fill", "internal/template/lang", "internal/template/picture",
		"internal/drive/docs", "internal/drive/slides", "internal/office/opc", "internal/office/pml", "internal/office/wml", "internal/render/flow", "internal/render/pdf", "internal/render/slide"},

	"cmd/platen": {"internal/cli", "internal/cli/operator", "internal/drive/soffice/cell"},
	"cmd/platen-dev": {"internal/platen", "examples", "workflows", "internal/admin", "internal/app", "internal/config", "internal/drive/soffice/cell", "internal/protect",
		"internal/telemetry", "internal/testkit/ports", "cmd/platen-dev/internal/embedded/postgres", "cmd/platen-dev/internal/embedded/temporal"},
	"cmd/platen-dev/internal/embedded/postgres": {"internal/testkit/ports"},
	"cmd/platen-dev/internal/embedded/temporal": {"internal/testkit/ports"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
	ForTest    string
	Name       string
	Module     *struct {
		Path, Version string
		Replace       *struct{ Path string }
	}
}

// list lists packages of the modules in go.work.
func list(t *testing.T, args ...string) []goPackage {
	t.Helper()
	return listBy(t, exec.Command("go", append([]string{"list", listed}, args...)...))
}

// listAlone lists packages by the list of versions of the module in a folder.
func listAlone(t *testing.T, dir string, args ...string) []goPackage {
	t.Helper()
	c := exec.Command("go", append([]string{"-C", dir, "list", listed}, args...)...)
	c.Env = append(os.Environ(), "GOWORK=off")
	return listBy(t, c)
}

const listed = "-json=ImportPath,Imports,Deps,ForTest,Name,Module"

func listBy(t *testing.T, c *exec.Cmd) []goPackage {
	t.Helper()
	out, err := c.Output()
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
	return strings.CutPrefix(path, module+"/")
}

func TestPackagesImportWhatTheTableAllows(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range slices.Concat(list(t, "work"), listAlone(t, "cmd/platen-dev", "./...")) {
		name, ok := ours(p.ImportPath)
		if !ok {
			continue // the receiver of the examples
		}
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

// Temporal's server takes minutes to compile and seconds to link, and would hold back the
// libraries of the product.
func TestOnlyPlatenDevLinksTemporalsServer(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "-deps", "-test", "work") {
		if p.Module != nil && p.Module.Path == "go.temporal.io/server" {
			t.Errorf("a module of go.work needs %s", p.ImportPath)
		}
	}
}

// Temporal's server can archive to clouds, start workers in them and store in SQLite. Nothing
// here does, and compiling it takes longer than all else together: cmd/platen-dev/stubs has
// in place of these libraries the few names that the server compiles against. A newer Temporal
// may go another way to them, or need a stub no more.
func TestPlatenDevCompilesNoCloudForNothing(t *testing.T) {
	t.Parallel()
	stubs, err := filepath.Glob("cmd/platen-dev/stubs/*")
	if err != nil {
		t.Fatal(err)
	}
	unused := map[string]bool{}
	for _, dir := range stubs {
		unused["./stubs/"+filepath.Base(dir)] = true
	}
	for _, p := range listAlone(t, "cmd/platen-dev", "-deps", ".") {
		if p.Module != nil && p.Module.Replace != nil {
			path := p.Module.Replace.Path
			delete(unused, path)
			if strings.HasPrefix(path, "./stubs/") {
				continue
			}
		}
		for _, heavy := range []string{
			"cloud.google.com/go/storage", "cloud.google.com/go/run", "cloud.google.com/go/monitoring",
			"github.com/aws/aws-sdk-go-v2/config", "github.com/aws/aws-sdk-go-v2/service",
			"github.com/envoyproxy", "google.golang.org/grpc/xds", "k8s.io", "modernc.org",
		} {
			if p.ImportPath == heavy || strings.HasPrefix(p.ImportPath, heavy+"/") {
				t.Errorf("platen-dev compiles %s, want a stub in its place: GOWORK=off go -C cmd/platen-dev list -deps tells what imports it", p.ImportPath)
			}
		}
	}
	for path := range unused {
		t.Errorf("platen-dev has a stub that nothing imports: %s", path)
	}
}

func TestTheClientNeedsOneModuleOfOthers(t *testing.T) {
	t.Parallel()
	for _, p := range listAlone(t, "client", "-deps", ".") {
		if m := p.Module; m != nil && m.Path != module+"/client" && m.Path != "github.com/standard-webhooks/standard-webhooks/libraries" {
			t.Errorf("package client needs %s", m.Path)
		}
	}
}

// Tests go by go.work, and releases by the product's own list.
func TestWhatIsTestedIsWhatIsReleased(t *testing.T) {
	t.Parallel()
	tested := map[string]string{}
	for _, p := range list(t, "-deps", "./cmd/platen") {
		if p.Module != nil {
			tested[p.Module.Path] = p.Module.Version
		}
	}
	for _, p := range listAlone(t, ".", "-deps", "./cmd/platen") {
		if _, own := ours(p.ImportPath); own || p.Module == nil {
			continue
		}
		if got, want := tested[p.Module.Path], p.Module.Version; got != want {
			t.Errorf("%s is tested at %q and released at %q", p.Module.Path, got, want)
		}
	}
}

func TestTheDomainUsesTheStandardLibraryOnly(t *testing.T) {
	t.Parallel()
	for _, path := range list(t, "./internal/platen")[0].Imports {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			t.Errorf("package platen imports %s", path)
		}
	}
}
