package repository

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// named are the tests that a page names.
var named = regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z]\\w+)`")

// Pages for those who develop Platen may name tests; pages for users do not.
func TestOnlyPagesForDevelopersNameTests(t *testing.T) {
	t.Parallel()
	there := declaredTests(t)
	for _, page := range documents(t) {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		developers := page == "docs/testing.md" || page == "CONTRIBUTING.md" || strings.HasPrefix(page, "docs/design/") || strings.HasPrefix(page, "docs/decisions/")
		for _, found := range named.FindAllSubmatch(raw, -1) {
			name := string(found[1])
			if name == "TestDirMetadataExtension" { // of rclone's suite
				continue
			}
			if !developers {
				t.Errorf("%s names %s: put the claim and its test into test/CLAIMS.md", page, name)
			} else if len(there[name]) == 0 {
				t.Errorf("%s names %s, which is not there", page, name)
			}
		}
	}
}

// declaredTests are the directories of the tests by their names.
func declaredTests(t *testing.T) map[string][]string {
	t.Helper()
	there := map[string][]string{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		raw, err := os.ReadFile(path)
		for _, found := range declared.FindAllSubmatch(raw, -1) {
			there[string(found[1])] = append(there[string(found[1])], filepath.ToSlash(filepath.Dir(path)))
		}
		return err
	})
	if err != nil || len(there) == 0 {
		t.Fatalf("found %d tests: %v", len(there), err)
	}
	return there
}

// TestClaimsHaveTheirTests holds each row of test/CLAIMS.md to a section of a page, a
// test, and a command that runs it.
func TestClaimsHaveTheirTests(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("test/CLAIMS.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	there, targets := declaredTests(t), makeTargets(t)
	for i, line := range strings.Split(string(raw), "\n") {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		if rows++; rows > 2 { // below the heading
			for _, fault := range faultsOfClaim(t, line, there, targets) {
				t.Errorf("test/CLAIMS.md:%d: %s", i+1, fault)
			}
		}
	}
	if rows < 200 {
		t.Errorf("test/CLAIMS.md has %d rows, want more: is it still a table?", rows)
	}
}

func TestAClaimWithoutItsPartsIsAFault(t *testing.T) {
	t.Parallel()
	there, targets := map[string][]string{"TestA": {"api"}}, map[string][]string{"kill": nil, "test": nil, "chaos": {"B", "Other"}, "upgrade": {"Other", "A"}}
	for _, c := range []struct{ page, section, test, command, want string }{
		{"errors", "errors", "`TestA`", "make test TESTS=./api", ""},
		{"errors", "errors", "`TestA`", "make kill", ""},
		{"errors", "nowhere", "`TestA`", "make kill", "docs/errors.md has no section nowhere"},
		{"nowhere", "a", "`TestA`", "make kill", "there is no page nowhere"},
		{"errors", "errors", "`TestB`", "make kill", "TestB is not there"},
		{"errors", "errors", "`TestA`", "make test TESTS=./drive", "TestA is not in ./drive"},
		{"errors", "errors", "`TestA`", "make upgrade", ""},
		{"errors", "errors", "`TestA`", "make chaos", "make chaos runs the tests B and Other, and not TestA"},
		{"errors", "errors", "`TestA`", "make nothing", "the Makefile has no target nothing"},
		{"errors", "errors", "", "make kill", "want a claim, a section, a test and a command"},
	} {
		row := fmt.Sprintf("| It holds | [%[1]s#%[2]s](../docs/%[1]s.md#%[2]s) | %s | `%s` |", c.page, c.section, c.test, c.command)
		if got := strings.Join(faultsOfClaim(t, row, there, targets), "; "); got != c.want {
			t.Errorf("%s\n got %q, want %q", row, got, c.want)
		}
	}
}

var claim = regexp.MustCompile("^\\| \\S.* \\| \\[\\S+\\]\\(\\.\\./(\\S+\\.md)#(\\S+)\\) \\| `(\\w+)` \\| `make ([\\w-]+)(?: TESTS=\\./(\\S+))?(?: ARGS=\"[^\"]+\")?` \\|$")

func faultsOfClaim(t *testing.T, line string, there, targets map[string][]string) (faults []string) {
	t.Helper()
	parts := claim.FindStringSubmatch(line)
	if parts == nil {
		return []string{"want a claim, a section, a test and a command"}
	}
	page, section, test, target, folder := parts[1], parts[2], parts[3], parts[4], parts[5]
	if _, err := os.Stat(page); err != nil {
		faults = append(faults, "there is no page "+strings.TrimSuffix(filepath.Base(page), ".md"))
	} else if !anchors(t, page)[section] {
		faults = append(faults, page+" has no section "+section)
	}
	switch {
	case len(there[test]) == 0:
		faults = append(faults, test+" is not there")
	case folder != "" && !slices.Contains(there[test], folder):
		faults = append(faults, test+" is not in ./"+folder)
	}
	if run, ok := targets[target]; !ok {
		faults = append(faults, "the Makefile has no target "+target)
	} else if len(run) > 0 && !slices.ContainsFunc(run, func(part string) bool { return strings.Contains(test, part) }) {
		faults = append(faults, fmt.Sprintf("make %s runs the tests %s, and not %s", target, strings.Join(run, " and "), test))
	}
	return faults
}

// Each part of a name that a recipe gives to -run is of a test.
func TestMakeRunsTestsThatAreThere(t *testing.T) {
	t.Parallel()
	there, found := declaredTests(t), 0
	for target, run := range makeTargets(t) {
		for _, part := range run {
			found++
			if !slices.ContainsFunc(slices.Collect(maps.Keys(there)), func(test string) bool { return strings.Contains(test, part) }) {
				t.Errorf("make %s runs the tests %s, and there are none", target, part)
			}
		}
	}
	if found < 20 {
		t.Errorf("found %d names of tests in the Makefiles: the pattern of this test finds too little", found)
	}
}

// makeTargets are the targets of the Makefiles, with the parts of names that their recipes
// give to -run. A target without any runs all tests of its packages.
func makeTargets(t *testing.T) map[string][]string {
	t.Helper()
	heading := regexp.MustCompile(`^([a-z][\w-]*):`)
	run, part := regexp.MustCompile(`-run ('[^']*'|\S+)`), regexp.MustCompile(`\b[A-Z]+[a-z]\w*`)
	targets := map[string][]string{}
	for _, file := range []string{"Makefile", "test/Makefile"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		target := ""
		for line := range strings.Lines(string(raw)) {
			if found := heading.FindStringSubmatch(line); found != nil {
				target = found[1]
				targets[target] = nil
			} else if strings.HasPrefix(line, "\t") {
				for _, names := range run.FindAllStringSubmatch(line, -1) {
					targets[target] = append(targets[target], part.FindAllString(names[1], -1)...)
				}
			}
		}
	}
	return targets
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
