// Package check finds the mistakes of a template at once, each with its place
// and what may have been meant: in a .docx or .pptx at a desk and in CI, and in
// a document as the Docs and Slides APIs show it.
//
// It is the one package outside the drive's wing that reads Office files: it
// shows them as the drive would and asks the planner what a run would ask. What
// tags mean, and how files are read, belong to the packages it calls; so does
// getting a document out of a drive.
package check

import (
	"fmt"
	"slices"
	"strings"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/merge"
	"github.com/platenhq/platen/internal/merge/plan"
)

// maxFindings bounds what is found in one template; who made more mistakes than
// that begins at the top.
const maxFindings = 200

// A Finding is a mistake and where it is.
type Finding struct {
	Where   string   `json:"where"`            // such as "paragraph 3", "header, paragraph 1" or "slide 2"; empty for the whole file
	Around  string   `json:"around,omitempty"` // the text at the place
	Tag     string   `json:"tag,omitempty"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Nearest []string `json:"nearest,omitempty"` // what may have been meant, best first
	at      position
}

// position orders findings as a reader meets them.
type position struct{ story, passage, offset int }

func (p position) compare(q position) int {
	if p.story != q.story {
		return p.story - q.story
	}
	if p.passage != q.passage {
		return p.passage - q.passage
	}
	return p.offset - q.offset
}

// String is the finding in one line.
func (f Finding) String() string {
	var b strings.Builder
	if f.Where != "" {
		b.WriteString(f.Where + ": ")
	}
	if f.Tag != "" && !strings.Contains(f.Message, f.Tag) {
		fmt.Fprintf(&b, "%.80s: ", f.Tag)
	}
	b.WriteString(f.Message)
	if len(f.Nearest) > 0 {
		fmt.Fprintf(&b, " Did you mean %s?", f.Nearest[0])
	}
	if f.Around != "" && f.Around != f.Tag {
		fmt.Fprintf(&b, " At %q.", f.Around)
	}
	return b.String()
}

// A Template is what is checked: stories of passages, in none of which a tag
// can go on from another.
type Template struct {
	document     *docsapi.Document
	presentation *slidesapi.Presentation
	stories      []story
	// objects are the pictures of the tab that is being read.
	objects map[string]docsapi.InlineObject
}

// A story is a part of a template that no block reaches out of: the body, a
// header, the slides.
type story struct{ passages []passage }

type passage struct{ where, text string }

// Add puts a text that stands outside the file to what is checked, such as the
// template of an output's name.
func (t *Template) Add(where, text string) {
	t.begin()
	t.add(where, text)
}

// Texts are the passages so far, in reading order.
func (t *Template) Texts() []string {
	var all []string
	for _, s := range t.stories {
		all = append(all, s.texts()...)
	}
	return all
}

func (s story) texts() []string {
	texts := make([]string, len(s.passages))
	for i, p := range s.passages {
		texts[i] = p.text
	}
	return texts
}

// Tags is how many tags the template has, those of formulas and blocks included.
func (t *Template) Tags() int {
	n := 0
	for _, text := range t.Texts() {
		n += len(merge.Parse(text))
	}
	return n
}

// Findings are the mistakes of the template in reading order. fields are those
// of the source; nil when nothing is known of them, and then no name is wrong.
// With data, the JSON object of a source event, what cannot be worked out with
// it is found, too, and its fields stand for those that are not known. The error
// is for data that cannot be read.
func (t *Template) Findings(fields []string, data []byte) ([]Finding, error) {
	if data != nil && fields == nil {
		var err error
		if fields, err = platen.SourceFields(data); err != nil {
			return nil, fmt.Errorf("read the data: %w", err)
		}
		if fields == nil {
			fields = []string{}
		}
	}
	findings := t.inspected(fields)
	if data != nil {
		faults, err := t.planned(data)
		if err != nil {
			return nil, err
		}
		findings = t.with(findings, faults)
	}
	slices.SortStableFunc(findings, func(a, b Finding) int { return a.at.compare(b.at) })
	return findings[:min(len(findings), maxFindings)], nil
}

// inspected are the mistakes that need no data to be seen.
func (t *Template) inspected(fields []string) []Finding {
	foreign := newForeigners(t, fields)
	var findings []Finding
	for n, s := range t.stories {
		texts := s.texts()
		issues, explained := foreign.in(texts)
		for _, issue := range merge.Inspect(texts, fields) {
			if fields == nil && issue.Code == "unknown_field" || isExplained(issue, explained) {
				continue
			}
			issues = append(issues, cured(issue))
		}
		for _, issue := range issues {
			findings = append(findings, Finding{
				Where: s.passages[issue.Text].where, Around: issue.Around, Tag: issue.Tag, Code: issue.Code,
				Message: issue.Message, Nearest: issue.Nearest, at: position{n, issue.Text, issue.Offset},
			})
		}
	}
	return findings
}

func isExplained(issue merge.Issue, explained []stretch) bool {
	return slices.ContainsFunc(explained, func(s stretch) bool {
		return s.passage == issue.Text && s.from <= issue.Offset && issue.Offset < s.to
	})
}

// cured says what a section of Mustache would be here.
func cured(issue merge.Issue) merge.Issue {
	if issue.Code != "unknown_block" || len(issue.Nearest) > 0 {
		return issue
	}
	name := merge.Canonical(strings.Trim(issue.Tag, "{}"))
	word, rest, _ := strings.Cut(name[1:], " ")
	switch {
	case name[0] == '/':
		issue.Nearest = []string{"{{/each}}"}
	case word == "unless":
		issue.Nearest = []string{"{{#if not " + rest + "}}"}
	case rest == "" && word != "":
		issue.Nearest = []string{"{{#each " + word + "}}"}
	}
	return issue
}

// with adds the faults of a plan that were not found before.
func (t *Template) with(findings []Finding, faults []merge.Fault) []Finding {
	found := map[string]bool{}
	for _, f := range findings {
		found[f.Code+" "+f.Tag] = true
	}
	for _, f := range faults {
		if !found[f.Code+" "+f.Tag] {
			at, where := t.place(f.Tag)
			findings = append(findings, Finding{Where: where, Tag: f.Tag, Code: f.Code, Message: f.Message, Nearest: f.Nearest, at: at})
		}
	}
	return findings
}

// planned returns the faults that filling with this data would meet.
func (t *Template) planned(body []byte) ([]merge.Fault, error) {
	data, err := merge.ParseData(body)
	if err != nil {
		return nil, fmt.Errorf("read the data: %w", err)
	}
	e := merge.NewEvaluator(data, merge.Builtins{})
	switch {
	case t.presentation != nil:
		_, err = plan.Presentation(t.presentation, e, platen.NewKey())
	case t.document != nil:
		_, err = plan.Document(t.document, e, platen.NewKey())
	}
	if err != nil && len(e.Faults()) == 0 {
		return nil, err
	}
	return e.Faults(), nil
}

// place finds a tag that only a plan found fault with; a fault of the whole
// file comes last.
func (t *Template) place(tag string) (position, string) {
	for n, s := range t.stories {
		for i, p := range s.passages {
			if offset := strings.Index(p.text, tag); tag != "" && offset >= 0 {
				return position{n, i, offset}, p.where
			}
		}
	}
	return position{story: len(t.stories)}, ""
}
