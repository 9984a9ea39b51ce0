// Package lang is the tag language: which texts of a template are tags, and
// the value of each for given source data.
//
// From a tag to its value: tags are found in a text (tag.go) and read as
// statements (read.go, insertion.go). Formulas are read in lexer.go and
// formula.go. A paragraph of tags is a line (line.go). An Evaluator
// (evaluator.go) works them out: fields (show.go, resolve.go, path.go), formulas
// (evaluate.go), blocks and rows (blocks.go, scope.go). What does without data
// is Inspect, MatchNames and ReadRequirements.
//
// Where would I add …
//
//   - a function of formulas: to the table of its group, in functions_*.go; see
//     function.go
//   - a kind of tag: to Kind, in statement.go, where it is read, in read.go, and
//     where it shows, in show.go
//   - a built-in name: to Builtins, in builtins.go
//   - a bound on what a document may cost: to budget.go
//
// It reads no file and calls no service; the shape of documents, what a drive
// can edit, and how values get into a PDF or a password dictionary belong
// elsewhere.
package lang
