package repository

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// test/Makefile names packages that are tested without the race detector: the files of
// their folders start no goroutine, use no channel and no lock, and assign to no
// variable of the package. The test does not see what they change through a pointer,
// nor what the packages do that they import.
func TestPackagesTestedWithoutTheRaceDetectorHaveNothingToRace(t *testing.T) {
	t.Parallel()
	for _, files := range packagesOf(t, "SERIAL") {
		for _, place := range concurrency(t, files) {
			t.Errorf("%s: take its package out of SERIAL in test/Makefile", place)
		}
	}
}

// internal/app wires each program: a test that runs one, or a part of one, within its own
// process imports it.
func TestSuitesTestedWithoutTheRaceDetectorRunNoProgramWithinThem(t *testing.T) {
	t.Parallel()
	for dir, files := range packagesOf(t, "PROCESSES") {
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range file.Imports {
				if strings.HasSuffix(i.Path.Value, `/internal/app"`) {
					t.Errorf("%s imports internal/app: take %s out of PROCESSES in test/Makefile", name, dir)
				}
			}
		}
	}
}

// What runs the whole product runs with the race detector in part: test/Makefile names those
// tests, and each is there. A package that it begins with is one, too.
func TestEachTestThatTheRaceDetectorSeesIsThere(t *testing.T) {
	t.Parallel()
	var sources strings.Builder
	for _, files := range packagesOf(t, "WHOLE") {
		for _, name := range files {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sources.Write(raw)
		}
	}
	for _, test := range wordsOf(t, "RACED") {
		if !strings.Contains(sources.String(), "\nfunc "+test+"(") {
			t.Errorf("RACED in test/Makefile names %s, and no package of WHOLE has it", test)
		}
	}
	packagesOf(t, "LONGEST")
}

// packagesOf returns the files of the packages that a variable of test/Makefile names, by
// their folders.
func packagesOf(t *testing.T, variable string) map[string][]string {
	t.Helper()
	packages := map[string][]string{}
	for _, dir := range wordsOf(t, variable) {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: got %d files, %v; want a package", dir, len(files), err)
		}
		packages[dir] = files
	}
	return packages
}

// wordsOf returns the words of a variable of test/Makefile.
func wordsOf(t *testing.T, variable string) []string {
	t.Helper()
	raw, err := os.ReadFile("test/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^` + variable + ` = ((?:.*\\\n)*.+)$`).FindSubmatch(raw)
	if list == nil {
		t.Fatalf("test/Makefile has no %s", variable)
	}
	return strings.Fields(strings.ReplaceAll(string(list[1]), "\\", ""))
}

func TestWhatCanRaceIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source string
		want   int
	}{
		"a goroutine":                          {"func f() { go f() }", 1},
		"a goroutine of a group":               {"func f(g group) { g.Go(f) }", 1},
		"a channel":                            {"type t struct{ c chan int }", 1},
		"a lock":                               {`import "sync"`, 1},
		"a server":                             {`import "net/http/httptest"`, 1},
		"a variable of the package":            {"var n int\nfunc f() { n = 1 }", 1},
		"one that counts":                      {"var n int\nfunc f() { n++ }", 1},
		"an element of one":                    {"var m map[string]struct{ n [2]int }\nfunc f() { m[\"\"].n[1] = 2 }", 1},
		"one that is deleted from":             {"var m map[string]int\nfunc f() { delete(m, \"\") }", 1},
		"one of another file":                  {"func f() { elsewhere = 1 }", 1},
		"a variable of the function":           {"var n int\nfunc f() { n := 1; n = 2; n++ }", 0},
		"one that is read":                     {"var n int\nfunc f() int { return n }", 0},
		"one that is set where it is declared": {"var n = func() int { m := 1; m = 2; return m }()", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "a.go")
			if err := os.WriteFile(file, []byte("package a\n"+c.source+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := concurrency(t, []string{file}); len(got) != c.want {
				t.Errorf("got %q, want %d", got, c.want)
			}
		})
	}
}

// concurrency returns the places in files of one package at which something goes on
// beside something else, or variables of the package change.
func concurrency(t *testing.T, files []string) (places []string) {
	t.Helper()
	set := token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		found := func(at ast.Node, what string) {
			places = append(places, fmt.Sprintf("%s: %s", set.Position(at.Pos()), what))
		}
		for _, i := range file.Imports {
			switch path := strings.Trim(i.Path.Value, `"`); path {
			case "sync", "sync/atomic", "net/http/httptest":
				found(i, path)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found(n, "a goroutine")
			case *ast.ChanType:
				found(n, "a channel")
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" {
					found(n, "a goroutine")
				}
				if f, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"delete", "clear", "copy"}, f.Name) && isOfPackage(file, n.Args[0]) {
					found(n, "a variable of the package changes")
				}
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE && slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return isOfPackage(file, e) }) {
					found(n, "a variable of the package changes")
				}
			case *ast.IncDecStmt:
				if isOfPackage(file, n.X) {
					found(n, "a variable of the package changes")
				}
			}
			return true
		})
	}
	return places
}

// isOfPackage tells whether what an expression is about is, or is in, a variable of
// the package. The parser resolves a name to what its file declares; a name that it
// does not know is of another file.
func isOfPackage(file *ast.File, e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.Ident:
			return x.Name != "_" && (x.Obj == nil || file.Scope.Objects[x.Name] == x.Obj)
		default:
			return false
		}
	}
}
