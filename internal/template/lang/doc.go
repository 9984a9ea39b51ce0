// Package lang is the tag language: the value of each tag of a template for given
// source data.
//
// From a tag to its value: package syntax finds tags in a text and reads them as
// statements. A paragraph of tags is a line (line.go). An Evaluator
// (evaluator.go) works them out: fields (show.go, resolve.go, path.go), formulas
// (evaluate.go), blocks and rows (blocks.go, scope.go). What does without data
// is Inspect, MatchNames and ReadRequirements.
//
// Where would I add …
//
//   - a function of formulas: to the table of its group, in functions_*.go; see
//     function.go
//   - a kind of tag: to Kind, in syntax/statement.go, where it is read, in syntax/reader.go,
//     and where it shows, in show.go
//   - a built-in name: to Builtins, in builtins.go
//   - a bound on what a document may cost: to budget.go
//
// It reads no file and calls no service; the shape of documents, what a drive
// can edit, and how values get into a PDF or a password dictionary belong
// elsewhere.
package lang
