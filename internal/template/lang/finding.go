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
