package repository

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/pages"
)

// documents are the pages of docs and of its folders, and the three at the root.
func documents(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	err := filepath.WalkDir("docs", func(path string, e fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			all = append(all, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil || len(all) < 90 {
		t.Fatalf("found %d pages: %v", len(all), err)
	}
	return all
}

// Commands in other blocks would escape the test below.
func TestCommandsStandInShellBlocks(t *testing.T) {
	t.Parallel()
	escaped := regexp.MustCompile("(?m)^\n {4}(?:make|platen|bin/platen|curl|go) .*|^ *```(?:bash|shell|console|zsh)$")
	shell := regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	for _, file := range documents(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range escaped.FindAllString(shell.ReplaceAllStringFunc(string(raw), firstLine), -1) {
			t.Errorf("%s has %q: begin the block with ```sh", file, strings.TrimSpace(found))
		}
	}
}

func firstLine(block string) string {
	line, _, _ := strings.Cut(block, "\n")
	return line
}

// A test types each printed command, or pages.Parts has the reason why not.
func TestEachShellBlockIsTypedOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	used := make([]bool, len(pages.Parts))
	for _, file := range documents(t) {
		for _, b := range pages.Of(t, file) {
			found := 0
			for i, p := range pages.Parts {
				if p.Has(b) {
					found++
					used[i] = true
				}
			}
			if found != 1 {
				t.Errorf("%s:%d, below %q: %d parts have this block, want one: name the test that types it, or the reason why none does, in internal/testkit/pages/parts.go", b.File, b.Line, b.Heading, found)
			}
		}
	}
	sources := testSources(t)
	for i, p := range pages.Parts {
		if !used[i] {
			t.Errorf("%s, %q: there is no such block any more", p.File, p.Heading)
		}
		if (p.Tests == "") == (p.Because == "") {
			t.Errorf("%s, %q: got tests %q and reason %q, want one of them", p.File, p.Heading, p.Tests, p.Because)
		}
		for test := range strings.FieldsSeq(p.Tests) {
			if !strings.Contains(sources[test], ".Typed(t, ") {
				t.Errorf("%s, %q: the package of %s types no page", p.File, p.Heading, test)
			}
		}
	}
}

// testSources are the test files of each test's package, by its name.
func testSources(t *testing.T) map[string]string {
	t.Helper()
	packages := map[string]string{}
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		raw, err := os.ReadFile(path)
		packages[filepath.Dir(path)] += string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sources, declared := map[string]string{}, regexp.MustCompile(`(?m)^func (Test\w+)\(t `)
	for _, source := range packages {
		for _, found := range declared.FindAllStringSubmatch(source, -1) {
			sources[found[1]] += source
		}
	}
	return sources
}
