package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A verdict is what became of the mutants of one package.
type verdict struct {
	goPackage
	places  int           // that there are
	clean   time.Duration // of the tests without a mutant
	results []result
}

func (v verdict) killed() int {
	n := 0
	for _, r := range v.results {
		if r.isKilled() {
			n++
		}
	}
	return n
}

// passes tells whether so many per cent are killed. A package without a place
// for a mutant passes.
func (v verdict) passes(least int) bool { return 100*v.killed() >= least*len(v.results) }

func (v verdict) summary() string {
	if len(v.results) == 0 {
		return v.name() + ": there is no place for a mutant"
	}
	return fmt.Sprintf("%s: %d of %d killed, %d %%", v.name(), v.killed(), len(v.results), 100*v.killed()/len(v.results))
}

// print writes the summary, and below it each mutant, by file and line.
func (v verdict) print(to io.Writer) {
	fmt.Fprintf(to, "\n%s (%d places, tests of %.1f s)\n", v.summary(), v.places, v.clean.Seconds())
	results := slices.SortedFunc(slices.Values(v.results), func(a, b result) int {
		return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line)
	})
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, r := range results {
		fmt.Fprintf(table, "  %s\t%s:%d\t%s\n", r.outcome, filepath.Join(v.name(), filepath.Base(r.file)), r.line, r.what)
	}
	_ = table.Flush()
}

// checkVerdicts is the error that names the packages under the limit; nil: there is
// none.
func checkVerdicts(verdicts []verdict, least int) error {
	var under []string
	for _, v := range verdicts {
		if !v.passes(least) {
			under = append(under, v.summary())
		}
	}
	if under == nil {
		return nil
	}
	return fmt.Errorf("too many mutants survive, of which the tests have to kill %d %%:\n%s", least, strings.Join(under, "\n"))
}
