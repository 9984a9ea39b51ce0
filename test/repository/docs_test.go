package repository

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every link of the docs within the repository leads to a file that is there, and to
// a heading or an anchor in it. Anchors are made as GitHub makes them.
func TestLinksOfTheDocsLeadSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)|<img src="([^"]+)"`)
	headings := map[string]map[string]bool{}
	for _, page := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(withoutCode(t, page), -1) {
			target := found[1] + found[2]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			where := page
			if file != "" {
				where = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(where); err != nil {
				t.Errorf("%s links to %s: %v", page, target, err)
				continue
			}
			if anchor != "" && headings[where] == nil {
				headings[where] = anchors(t, where)
			}
			if anchor != "" && !headings[where][anchor] {
				t.Errorf("%s links to %s, which has no such heading", page, target)
			}
		}
	}
}

// withoutCode is a page without its blocks and spans of code.
func withoutCode(t *testing.T, page string) string {
	t.Helper()
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile("(?ms)^ *```.*?^ *```").ReplaceAllString(string(raw), "")
	return regexp.MustCompile("`[^`\n]*`").ReplaceAllString(text, "x")
}

func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	text := regexp.MustCompile("(?ms)^ *```.*?^ *```").ReplaceAllString(string(raw), "")
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(heading[1], "$1")
		name = regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(name), "")
		out[strings.ReplaceAll(name, " ", "-")] = true
	}
	for _, named := range regexp.MustCompile(`(?:id|name)="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		out[named[1]] = true
	}
	return out
}

// A sentence that names the test that holds it names one that is there.
func TestTheDocsNameTestsThatAreThere(t *testing.T) {
	t.Parallel()
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		raw, err := os.ReadFile(path)
		for _, found := range declared.FindAllSubmatch(raw, -1) {
			there[string(found[1])] = true
		}
		return err
	})
	if err != nil || len(there) == 0 {
		t.Fatalf("found %d tests: %v", len(there), err)
	}
	named := regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z]\\w+)`")
	for _, page := range documents(t) {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range named.FindAllSubmatch(raw, -1) {
			name := string(found[1])
			if name == "TestDirMetadataExtension" { // of rclone's suite
				continue
			}
			if !there[name] {
				t.Errorf("%s names %s, which is not there", page, name)
			}
		}
	}
}

// Programs and their comments name pages that are there, and anchors in them: as files, or
// as addresses of a running instance.
func TestTheProgramsNamePagesThatAreThere(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`(?:[^\w/.]|/|\.\./)docs/([\w/-]+\.md)(#[\w-]+)?|Base}}/docs/([\w/-]*)(#[\w-]+)?`)
	headings, found := map[string]map[string]bool{}, 0
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if e != nil && (e.Name() == "testdata" || e.Name() == "node_modules" || strings.HasPrefix(e.Name(), ".") && path != ".") {
				return filepath.SkipDir
			}
			return err
		}
		switch filepath.Ext(path) {
		case ".go", ".html", ".yaml", ".sh", ".sql":
		default:
			return nil
		}
		raw, err := os.ReadFile(path)
		for _, m := range named.FindAllStringSubmatch(string(raw), -1) {
			file, anchor := m[1], m[2]
			if file == "" {
				if file, anchor = m[3]+".md", m[4]; m[3] == "" || m[3] == "contract" {
					continue
				}
			}
			found++
			where := filepath.Join("docs", file)
			if _, err := os.Stat(where); err != nil {
				t.Errorf("%s names %s: %v", path, strings.TrimSpace(m[0]), err)
				continue
			}
			if anchor != "" && headings[where] == nil {
				headings[where] = anchors(t, where)
			}
			if anchor != "" && !headings[where][anchor[1:]] {
				t.Errorf("%s names %s, which has no such heading", path, strings.TrimSpace(m[0]))
			}
		}
		return err
	})
	if err != nil || found < 20 {
		t.Fatalf("found %d names of pages: %v", found, err)
	}
}

// Each finding of newcomers is in the table of docs/testing.md, with a test.
func TestEachFindingOfNewcomersHasATest(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	for letter, last := range map[string]int{"I": 12, "B": 5} {
		for n := range last {
			row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| %s%d: [^|]+ \\| `Test\\w+`", letter, n+1))
			if !row.Match(raw) {
				t.Errorf("docs/testing.md names no test of the finding %s%d", letter, n+1)
			}
		}
	}
}

// Readers of the docs in a browser see pages, not files.
func TestLinksAreCalledAsTheirPagesAre(t *testing.T) {
	t.Parallel()
	file := regexp.MustCompile(`\[(?:docs/)?[\w-]+\.md\]\(`)
	for _, page := range documents(t) {
		for _, found := range file.FindAllString(withoutCode(t, page), -1) {
			t.Errorf("%s calls a link %s: say what the page is about", page, found)
		}
	}
}
