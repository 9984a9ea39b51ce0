package repository

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Folders whose codes are not ours to document: the drive speaks Google's.
var foreignCodes = []string{"internal/drive", "test", "examples", "deploy"}

var codeForm = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// sources parses every file of the module that is no test.
func sources(t *testing.T) []*ast.File {
	t.Helper()
	var files []*ast.File
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(foreignCodes, path) || path != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		files = append(files, f)
		return err
	})
	if err != nil || len(files) < 50 {
		t.Fatalf("parsed %d files, %v", len(files), err)
	}
	return files
}

// codeParameters are the functions that take a code, by name, and at which
// place: their parameter is called so.
func codeParameters(files []*ast.File) map[string]int {
	places := map[string]int{}
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := 0
			for _, field := range fn.Type.Params.List {
				for _, name := range field.Names {
					if name.Name == "code" {
						places[fn.Name.Name] = n
					}
					n++
				}
			}
		}
	}
	return places
}

// emitted are the codes that stand in the source: where a function takes one,
// in fields called Code, and in constants called so.
func emitted(files []*ast.File) map[string]bool {
	takes, codes := codeParameters(files), map[string]bool{}
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && codeForm.MatchString(s) {
				codes[s] = true
			}
		}
	}
	named := func(name string) bool {
		return strings.HasPrefix(name, "code") || strings.HasPrefix(name, "Code") || name == "FailureCode"
	}
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := ""
			switch fn := n.Fun.(type) {
			case *ast.Ident:
				name = fn.Name
			case *ast.SelectorExpr:
				name = fn.Sel.Name
			}
			if at, ok := takes[name]; ok && at < len(n.Args) {
				add(n.Args[at])
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && named(key.Name) {
				add(n.Value)
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if named(name.Name) && i < len(n.Values) {
					add(n.Values[i])
				}
			}
		}
		return true
	}
	for _, f := range files {
		ast.Inspect(f, look)
	}
	return codes
}

func TestEveryCodeHasItsSectionInTheDocumentation(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for section := range strings.SplitSeq(string(raw), "\n### ") {
		title, text, _ := strings.Cut(section, "\n")
		code := strings.Trim(title, "`")
		if !codeForm.MatchString(code) {
			continue
		}
		if documented[code] {
			t.Errorf("%s has two sections", code)
		}
		documented[code] = true
		for _, part := range []string{"**Meaning.**", "**Cause.**", "**Cure.**"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %s", code, part)
			}
		}
	}
	codes := emitted(sources(t))
	if len(codes) < 50 {
		t.Fatalf("found %d codes in the source", len(codes))
	}
	for code := range codes {
		if !documented[code] {
			t.Errorf("%s is emitted and has no section in docs/errors.md", code)
		}
	}
	for code := range documented {
		if !codes[code] {
			t.Errorf("%s is in docs/errors.md and emitted nowhere", code)
		}
	}
}

// What the console calls an error of the data is one of the findings about the data.
func TestTheConsoleKnowsEveryErrorOfTheData(t *testing.T) {
	t.Parallel()
	file := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	_, list, ok := strings.Cut(file("internal/console/runs.go"), "var ofData = []string{")
	if !ok {
		t.Fatal("runs.go has no list of errors of the data")
	}
	list, _, _ = strings.Cut(list, "\n}")
	// valueFindingf is left out: a run calls all of its findings data_unusable.
	ofData := regexp.MustCompile(`dataFindingf\("([a-z_]+)"|Finding\{Code: "([a-z_]+)"[^\n]*Data: true`)
	found := 0
	for _, folder := range []string{"internal/template/lang", "internal/template/fill"} {
		paths, err := fs.Glob(os.DirFS("."), folder+"/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, m := range ofData.FindAllStringSubmatch(file(path), -1) {
				found++
				if code := m[1] + m[2]; !strings.Contains(list, `"`+code+`"`) {
					t.Errorf("%s: a run that failed by %s is not offered to be sent again with other data", path, code)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("found %d errors of the data, want those of tags, codes, links and lists", found)
	}
}
