package main

import (
	"go/token"
	"path"
	"path/filepath"

	"golang.org/x/tools/cover"
)

// coverage is what tests reach of a package; of the zero value, nothing.
type coverage struct {
	blocks map[string][]cover.ProfileBlock // by the name of the file
}

func newCoverage(profiles []*cover.Profile) *coverage {
	c := &coverage{blocks: map[string][]cover.ProfileBlock{}}
	for _, p := range profiles {
		c.blocks[path.Base(p.FileName)] = p.Blocks
	}
	return c
}

// has tells whether tests reach a position. What is in no block, such as a
// variable of the package, they do if there are tests at all.
func (c *coverage) has(at token.Position) bool {
	if c.blocks == nil {
		return false
	}
	reached := true
	var line, column int // where the innermost block so far begins
	for _, b := range c.blocks[filepath.Base(at.Filename)] {
		if isBefore(at.Line, at.Column, b.StartLine, b.StartCol) || !isBefore(at.Line, at.Column, b.EndLine, b.EndCol) || isBefore(b.StartLine, b.StartCol, line, column) {
			continue
		}
		line, column, reached = b.StartLine, b.StartCol, b.Count > 0
	}
	return reached
}

func isBefore(line, column, otherLine, otherColumn int) bool {
	return line < otherLine || line == otherLine && column < otherColumn
}
