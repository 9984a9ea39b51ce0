package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// A mutant is one small change of one file.
type mutant struct {
	file string
	line int
	// The bytes from start to end are replaced.
	start, end int
	with       string
	what       string // the change, for people
	// reached is where a test has to come by to notice it.
	reached token.Position
}

// apply returns the source with the mutant in it.
func (m mutant) apply(source []byte) []byte {
	return slices.Concat(source[:m.start], []byte(m.with), source[m.end:])
}

// A place is a line with the mutants that can be planted there.
type place []mutant

// findPlaces returns the places in files of a folder, in their order.
func findPlaces(dir string, names []string) ([]place, error) {
	var places []place
	for _, name := range names {
		file := filepath.Join(dir, name)
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		mutants, err := plant(file, source)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(mutants, func(a, b mutant) int { return a.line - b.line })
		for i, m := range mutants {
			if i == 0 || m.line != mutants[i-1].line {
				places = append(places, nil)
			}
			last := len(places) - 1
			places[last] = append(places[last], m)
		}
	}
	return places, nil
}

// plant finds the mutants of a file. Files that a program wrote have none.
func plant(name string, source []byte) ([]mutant, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	p := &planter{name: name, source: source, file: files.File(file.FileStart), unseen: map[ast.Node]bool{}}
	ast.PreorderStack(file, nil, p.visit)
	return p.mutants, nil
}

// A planter collects the mutants of one file.
type planter struct {
	name    string
	source  []byte
	file    *token.File
	unseen  map[ast.Node]bool // nodes that the walk skips
	mutants []mutant
}

func (p *planter) offset(at token.Pos) int { return p.file.Offset(at) }

func (p *planter) text(n ast.Node) string {
	return string(p.source[p.offset(n.Pos()):p.offset(n.End())])
}

// replace plants a mutant that puts a text in the place of the bytes from one
// position to another.
func (p *planter) replace(from, to token.Pos, with, what string) {
	p.replaceReached(from, to, with, what, from)
}

// replaceReached is replace for a change that tests notice elsewhere than where
// it begins.
func (p *planter) replaceReached(from, to token.Pos, with, what string, reached token.Pos) {
	p.mutants = append(p.mutants, mutant{
		file: p.name, line: p.file.Line(from), start: p.offset(from), end: p.offset(to),
		with: with, what: what, reached: p.file.Position(reached),
	})
}

// shorten makes one short line of code.
func shorten(code string) string {
	const most = 60
	code = strings.Join(strings.Fields(code), " ")
	if utf8.RuneCountInString(code) <= most {
		return code
	}
	return string([]rune(code)[:most-1]) + "…"
}
