package lang

import "fmt"

import (
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// A Finding is what is wrong with a template, for its author, or with the data
// for it. Its message quotes the template and never the data; WithValue does.
type Finding struct {
	Code    string // for programs, such as unknown_function
	Tag     string // the tag, or the beginning of the place, that it is about
	Message string
	Nearest []string // what may have been meant, best first
	// Data says that the template has no mistake here: with other data it can
	// be filled.
	Data bool
	// Note says that it may be meant so: a check tells of it and fails nothing for it.
	Note bool
	// Value says that a value of the data does not fit what a formula does with it.
	// Then Data is set, too.
	Value bool
	// Place is where Inspect found it. What filling finds has its tag alone.
	Place Place
	// Field is where in the data the value stands that does not fit, such as "Items, item
	// 2, Price"; empty where no single field is at fault.
	Field string
	item  string // of a list, such as "For item 2 of Items: "; empty for none

	name string // of the field, until Field is known
	// said is what is wrong with the field's value, and value and cure are for readers
	// who may see the data.
	said, value, cure string
}

// maxValueShown is how many characters of a value are quoted.
const maxValueShown = 40

// WithValue is the message with the value that it is about and how that is written, for
// the sender of the data. It is never stored or logged.
func (f Finding) WithValue() string {
	if f.Field == "" || f.cure == "" {
		return f.Message
	}
	if f.value == "" {
		return f.Field + ": " + f.cure + "."
	}
	value := []rune(documentText(f.value))
	if len(value) > maxValueShown {
		value = append(value[:maxValueShown], '…')
	}
	return f.Field + ": \"" + string(value) + "\" – " + f.cure + "."
}

// A Place is where in the texts of a template something stands.
type Place struct {
	Text   int    // the number of the text, from 0
	Offset int    // bytes from its beginning
	Around string // what stands there
	At     int    // characters of Around before the place
}

// maxFindings bounds the findings about one document: the data may have a mistake
// in each of thousands of items.
const maxFindings = 200

// findingf is a finding about the tag that is being read or worked out.
func findingf(code, format string, args ...any) *Finding {
	return &Finding{Code: code, Message: fmt.Sprintf(format, args...)}
}

// findingOf is a mistake of a tag as a finding.
func findingOf(m *syntax.Mistake) *Finding {
	return &Finding{Code: m.Code, Message: m.Message, Nearest: m.Nearest}
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
	notes []Finding // which fail nothing
	known map[string]bool
}

// Findings are the mistakes that came up, each once, and of a value's field once.
func (e *Evaluator) Findings() []Finding {
	e.settle()
	return e.findings.all
}

// Report adds a finding, unless it has been reported.
func (c *findings) Report(f Finding) {
	key := f.Code + " " + f.Tag + " " + f.item
	if f.Field != "" {
		key = f.Code + " " + f.Field
	}
	if !c.known[key] && len(c.all) < maxFindings {
		c.known[key] = true
		c.all = append(c.all, f)
	}
}

// report names the tag that a finding is about.
func (c *findings) report(s *syntax.Statement, of *Finding) {
	f := *of
	f.Tag = s.Tag
	c.Report(f)
}

// reportOf also names the item whose data is wrong.
func (e *Evaluator) reportOf(s *syntax.Statement, scope *Scope, of *Finding) {
	f := *of
	f.Tag = s.Tag
	if f.Value && s.Formula != nil && len(syntax.NamesIn(s.Formula, true, nil, nil)) == 0 {
		f.Data, f.Value = false, false
	}
	e.reportAt(scope, f)
}

// reportAt adds a finding that came up for a scope.
func (e *Evaluator) reportAt(scope *Scope, f Finding) {
	e.locate(&f, scope)
	e.Report(f)
}

// locate names the item or the field whose data is wrong, unless that was said.
func (e *Evaluator) locate(f *Finding, scope *Scope) {
	switch {
	case !f.Data || f.item != "" || f.Field != "":
	case f.name != "":
		f.Field = e.fieldOf(f.name, scope)
		f.Message = f.Field + ": " + f.said
	case scope != nil:
		f.item = fmt.Sprintf("For item %d of %s: ", scope.number(), scope.paths[0])
		f.Message = f.item + f.Message
	}
}

// fieldOf writes where a name leads to from a scope, such as Items, item 2, Price.
func (e *Evaluator) fieldOf(name string, scope *Scope) string {
	found, ok := e.data.seek(name, scope)
	if !ok || found.base == nil {
		return name
	}
	inside := name
	if rest, cut := found.base.cutInside(name, found.loose); cut {
		inside = rest
	}
	if inside == "" {
		return found.base.where()
	}
	return found.base.where() + ", " + inside
}
