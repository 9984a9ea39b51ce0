// Package conformance holds the whole service to the interface specification,
// row by row: each row of the specification's tables, and each of the
// sentences around them that says something about the wire, has a test of its
// name. Everything goes over HTTP, and every answer is held against the
// contract that the service serves at /openapi.json.
//
// docs/conformance.md is written from a run. What goes beyond the
// specification is tested beside its code, and held against the contract here.
package conformance

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A row of the specification: the section, the row's name there, what it
// asks for, and what tests it.
type row struct {
	section, name, asks string
	test                func(*testing.T, *harness)
}

func (r row) testName() string {
	name := runtime.FuncForPC(reflect.ValueOf(r.test).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}

var report = flag.String("report", "", "file to write the rows and their results to")

const reportFile = "../../docs/conformance.md"

func TestConformance(t *testing.T) {
	s := newHarness(t)
	all := rows()
	passed := make([]bool, len(all))
	var mu sync.Mutex
	ended := 0
	t.Run("rows", func(t *testing.T) {
		for i, r := range all {
			t.Run(r.section+" "+r.name, func(t *testing.T) {
				t.Parallel()
				t.Cleanup(func() {
					mu.Lock()
					defer mu.Unlock()
					passed[i] = !t.Failed()
					ended++
				})
				r.test(t, s)
			})
		}
	})
	t.Run("extensions", func(t *testing.T) {
		extensions(t, s)
		// Not when -run asks for a part.
		// A mail needs a mail server, which this stack has not: test/journey sends one.
		if missing := slices.DeleteFunc(s.contract.unanswered(), func(id string) bool { return id == "mailOutput" }); len(missing) > 0 && ended == len(all) {
			t.Errorf("the suite has no successful answer of %v", missing)
		}
	})
	if *report != "" {
		if err := os.WriteFile(*report, []byte(page(all, passed)), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// A page that was written from other rows than these says so here.
func TestThePageHasTheRowsOfTheSuite(t *testing.T) {
	t.Parallel()
	all := rows()
	passed := make([]bool, len(all))
	for i := range passed {
		passed[i] = true
	}
	got, err := os.ReadFile(reportFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != page(all, passed) {
		t.Errorf("%s is not the page of a run of these rows in which all passed: write it with `make conformance-report`", reportFile)
	}
}

func TestRowsAreNamedOnceAndHaveTheirOwnTests(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range rows() {
		for _, name := range []string{r.section + " " + r.name, r.testName()} {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
	}
}

// page writes rows and results; sections come in the order of the rows.
func page(all []row, passed []bool) string {
	var b strings.Builder
	count := 0
	for _, ok := range passed {
		if ok {
			count++
		}
	}
	fmt.Fprintf(&b, `# Conformance

Row by row of the interface specification: what it asks for, the test that checks it over HTTP against the whole service (`+"`test/conformance`"+`), and the result. Every answer that the tests get is checked against `+"`api/openapi.yaml`"+` as well.

This page is written by `+"`make conformance-report`"+` from a run: %d of %d rows pass.

Sections 1 and 8 have nothing to test on the wire; where the specification says "not shown", [the design of the API](design/api.md) says what we do. Section 6's outputs page belongs to the operator's web application, not to this interface.
`, count, len(all))
	section := ""
	for i, r := range all {
		if r.section != section {
			section = r.section
			fmt.Fprintf(&b, "\n## %s %s\n\n| row | asks for | test | result |\n|---|---|---|---|\n", section, title(section))
		}
		result := "**fails**"
		if passed[i] {
			result = "passes"
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s |\n", r.name, strings.ReplaceAll(r.asks, "|", `\|`), r.testName(), result)
	}
	return b.String()
}
