package lang

import "fmt"

// A Finding is what is wrong with a template, for its author, or with the data
// for it. It quotes the template and never the data.
type Finding struct {
	Code    string // for programs, such as unknown_function
	Tag     string // the tag, or the beginning of the place, that it is about
	Message string
	Nearest []string // what may have been meant, best first
	// Data says that the template has no mistake here: with other data it can
	// be filled.
	Data bool
	// Value says that a value of the data does not fit what a formula does with it.
	// Then Data is set, too.
	Value bool
	// Place is where Inspect found it. What filling finds has its tag alone.
	Place Place
	item  string // of which list's item; empty for none
}

// A Place is where in the texts of a template something stands.
type Place struct {
	Text   int    // the number of the text, from 0
	Offset int    // bytes from its beginning
	Around string // what stands there
}

// maxFindings bounds what is told of one document: the data may have a mistake
// in each of thousands of items.
const maxFindings = 200

// findingf is a finding about the tag that is being read or worked out.
func findingf(code, format string, args ...any) *Finding {
	return &Finding{Code: code, Message: fmt.Sprintf(format, args...)}
}

// dataFindingf is a finding about the data, with which the template has no
// mistake.
func dataFindingf(code, format string, args ...any) *Finding {
	f := findingf(code, format, args...)
	f.Data = true
	return f
}

// valueFindingf is a finding about a value that does not fit: the data's mistake where
// the formula names a field.
func valueFindingf(code, format string, args ...any) *Finding {
	f := dataFindingf(code, format, args...)
	f.Value = true
	return f
}

// findings collects what is wrong with one document, each once.
type findings struct {
	all   []Finding
	known map[string]bool
}

// Findings are the mistakes of the template that came up, each once.
func (c *findings) Findings() []Finding { return c.all }

// Report adds a finding, unless it has been reported.
func (c *findings) Report(f Finding) {
	if key := f.Code + " " + f.Tag + " " + f.item; !c.known[key] && len(c.all) < maxFindings {
		c.known[key] = true
		c.all = append(c.all, f)
	}
}

// report says of which tag a finding is.
func (c *findings) report(s *Statement, of *Finding) {
	f := *of
	f.Tag = s.Tag
	c.Report(f)
}

// reportOf also says of which item the data is wrong.
func (c *findings) reportOf(s *Statement, scope *Scope, of *Finding) {
	f := *of
	f.Tag = s.Tag
	if f.Value && s.formula != nil && len(namesIn(s.formula, true, nil, nil)) == 0 {
		f.Data, f.Value = false, false
	}
	f.at(scope)
	c.Report(f)
}

// at says of which item the data is wrong, unless that was said.
func (f *Finding) at(scope *Scope) {
	if f.Data && f.item == "" && scope != nil {
		f.item = fmt.Sprintf("item %d of %s", scope.index, scope.paths[0])
		f.Message = "For " + f.item + ": " + f.Message
	}
}
