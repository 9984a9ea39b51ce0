// Package check finds the mistakes of a template at once, each with its place
// and what may have been meant. It does so in a .docx or .pptx at a desk and in
// CI, and in a document as the Docs and Slides APIs show it.
//
// It is the one package outside the drive's wing that reads Office files: it
// shows them as the drive would and tries to fill them as a run would. What
// tags mean, how files are read, and how a document comes out of a drive belong
// to the packages it calls.
package check

import (
	"fmt"
	"slices"
	"strings"

	docsapi "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// maxFindings bounds what is found in one template; who made more mistakes than
// that begins at the top.
const maxFindings = 200

// A Finding is a mistake and where it is.
type Finding struct {
	Where   string   `json:"where"`            // such as "paragraph 3", "header, paragraph 1" or "slide 2"; empty for the whole file
	Around  string   `json:"around,omitempty"` // the text at the place
	Offset  int      `json:"offset"`           // characters of Around before the place
	Tag     string   `json:"tag,omitempty"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Nearest []string `json:"nearest,omitempty"` // what may have been meant, best first
	// Severity is platen.SeverityNote of what may be meant so, else platen.SeverityMistake.
	Severity string `json:"severity"`
	at       position
}

// Mistakes counts the findings that are not notes.
func Mistakes(findings []Finding) int {
	n := 0
	for _, f := range findings {
		if f.Severity != platen.SeverityNote {
			n++
		}
	}
	return n
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
	if f.Severity == platen.SeverityNote {
		b.WriteString("note: ")
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

// A Template is what is checked: stories of passages. No tag goes on from one
// passage in another.
type Template struct {
	source  fill.Template
	stories []story
	behind  []*Template // what is appended
	reading reading
	lost    []Finding // what filling the file loses
	tabs    int       // of a document
	// Number tells of the series that the document declares. Default: all are.
	Number func(series string) (int64, bool)
}

// reading is what is known of the tab or page that is being read.
type reading struct {
	objects  map[string]docsapi.InlineObject
	floating map[string]docsapi.PositionedObject
	// stays says why addresses of links are not filled; empty where they are.
	stays string
	// replaced says that pictures here take the places of others.
	replaced bool
	autofits map[string]bool // shapes that fit their text by themselves
}

// A story is a part of a template that no block reaches out of: the body, a
// header, the slides.
type story struct {
	passages []passage
	asides   []aside
	added    bool // it stands outside the file
	// tried says that somebody else works it out with data.
	tried bool
}

type passage struct{ where, text string }

// Add puts a text that stands outside the file to what is checked, such as the
// template of an output's name.
func (t *Template) Add(where, text string) {
	t.begin()
	t.add(where, text)
	t.stories[len(t.stories)-1].added = true
}

// A Passage is a text that stands outside the file, with where it stands.
type Passage struct{ Where, Text string }

// AddPassages puts texts that blocks may reach over to what is checked. The caller works them
// out with data.
func (t *Template) AddPassages(passages []Passage) {
	t.begin()
	for _, p := range passages {
		t.add(p.Where, p.Text)
	}
	last := &t.stories[len(t.stories)-1]
	last.added, last.tried = true, true
}

// Append has the template ask for what another asks for, which is filled with the same
// data. Its mistakes are not among those of the template.
func (t *Template) Append(other *Template) { t.behind = append(t.behind, other) }

// Texts are the passages so far, in reading order, and behind those of each
// story the addresses of its links, inside tags of the blocks around them.
func (t *Template) Texts() []string {
	var all []string
	for _, s := range t.stories {
		all = append(append(all, s.texts()...), s.asideTexts()...)
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

// Tags is how many tags the template has, those of formulas and blocks
// included.
func (t *Template) Tags() int {
	n := 0
	for _, s := range t.stories {
		for _, p := range s.passages {
			n += len(syntax.Parse(p.text))
		}
		for _, a := range s.asides {
			n += len(syntax.Parse(a.text))
		}
	}
	return n
}

// Findings are the mistakes of the template that need no data to be seen, in
// reading order. fields are those of the source; nil when nothing is known of
// them, and then no name is wrong.
func (t *Template) Findings(fields []string) []Finding { return sortFindings(t.inspect(fields, nil)) }

// FindingsWith are Findings, and what cannot be worked out with the data of a
// filling, whose fields stand for those that are not known. The outcome is
// that of a run with the data. The error is for data that cannot be read.
func (t *Template) FindingsWith(f *fill.Filling, fields []string) ([]Finding, fill.Outcome, error) {
	if fields == nil {
		var err error
		if fields, err = f.Fields(); err != nil {
			return nil, fill.Outcome{}, fmt.Errorf("read the data: %w", err)
		}
		if fields == nil {
			fields = []string{}
		}
	}
	findings := t.inspect(fields, f.Empty())
	out, err := f.Try(t.source)
	if err != nil {
		return nil, out, err
	}
	for n, s := range t.stories {
		if s.added && !s.tried {
			findings = t.tryAdded(findings, n, f)
		}
	}
	return t.With(findings, slices.Concat(out.Findings, out.Noted)), out, nil
}

// Try works the template out with a filling. It says what a run would meet in the file,
// and nothing of places.
func (t *Template) Try(f *fill.Filling) (fill.Outcome, error) { return f.Try(t.source) }

func sortFindings(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int { return a.at.compare(b.at) })
	return findings[:min(len(findings), maxFindings)]
}

// inspect finds the mistakes that need no data to be seen.
func (t *Template) inspect(fields, empty []string) []Finding {
	foreign := newForeigners(t, fields, empty)
	var findings []Finding
	for n, s := range t.stories {
		texts := s.texts()
		all, explained := foreign.findForeign(texts)
		for _, f := range lang.InspectFor(texts, fields, empty, t.number()) {
			if fields == nil && f.Code == "unknown_field" || isExplained(f, explained) {
				continue
			}
			all = append(all, cure(f))
		}
		for _, f := range all {
			findings = append(findings, placeAt(f, s.passages[f.Place.Text].where, position{n, f.Place.Text, f.Place.Offset}))
		}
		findings = append(findings, foreign.inspectAsides(s, n)...)
	}
	return append(findings, t.findLost()...)
}

func (t *Template) number() func(string) (int64, bool) {
	if t.Number == nil {
		return lang.AnySeries
	}
	return t.Number
}

func placeAt(f lang.Finding, where string, at position) Finding {
	return Finding{
		Where: where, Around: f.Place.Around, Offset: f.Place.At, Tag: f.Tag, Code: f.Code,
		Message: f.Message, Nearest: f.Nearest, Severity: severityOf(f), at: at,
	}
}

func severityOf(f lang.Finding) string {
	if f.Note {
		return platen.SeverityNote
	}
	return platen.SeverityMistake
}

func isExplained(f lang.Finding, explained []stretch) bool {
	return slices.ContainsFunc(explained, func(s stretch) bool {
		return s.passage == f.Place.Text && s.from <= f.Place.Offset && f.Place.Offset < s.to
	})
}

// cure says what a section of Mustache would be here.
func cure(f lang.Finding) lang.Finding {
	if f.Code != "unknown_block" || len(f.Nearest) > 0 {
		return f
	}
	name := syntax.Canonical(strings.Trim(f.Tag, "{}"))
	word, rest, _ := strings.Cut(name[1:], " ")
	switch {
	case name[0] == '/':
		f.Nearest = []string{"{{/each}}"}
	case word == "unless":
		f.Nearest = []string{"{{#if not " + rest + "}}"}
	case rest == "" && word != "":
		f.Nearest = []string{"{{#each " + word + "}}"}
	}
	return f
}

// With adds what filling the file met and was not found
// before, each with its place, and returns all in reading order.
func (t *Template) With(findings []Finding, met []lang.Finding) []Finding {
	before := map[string]bool{}
	for _, f := range findings {
		if f.at.story == len(t.stories) || !t.stories[f.at.story].added {
			before[f.Code+" "+f.Tag] = true
		}
	}
	for _, f := range met {
		if before[f.Code+" "+f.Tag] {
			continue
		}
		out := Finding{Tag: f.Tag, Code: f.Code, Message: f.WithValue(), Nearest: f.Nearest, Severity: severityOf(f)}
		var place lang.Place
		out.at, out.Where, place = t.place(f.Tag)
		out.Around, out.Offset = place.Around, place.At
		findings = append(findings, out)
	}
	return sortFindings(findings)
}

// tryAdded adds what filling a text that stands outside the file meets.
func (t *Template) tryAdded(findings []Finding, n int, with *fill.Filling) []Finding {
	before := map[string]bool{}
	for _, f := range findings {
		if f.at.story == n {
			before[f.Code+" "+f.Tag] = true
		}
	}
	for i, p := range t.stories[n].passages {
		e := with.Evaluator()
		line := e.ReadLine(p.text)
		for _, s := range line.Statements() {
			if s.Kind == syntax.Image || s.Kind == syntax.Code {
				e.Text(s, nil) // says that no picture can be here
			}
		}
		e.Fill(line, nil, false)
		for _, f := range e.Findings() {
			if offset := strings.Index(p.text, f.Tag); offset >= 0 && !before[f.Code+" "+f.Tag] {
				place := lang.PlaceIn(p.text, i, offset)
				findings = append(findings, Finding{
					Where: p.where, Around: place.Around, Offset: place.At, Tag: f.Tag, Code: f.Code,
					Message: f.WithValue(), Nearest: f.Nearest, Severity: severityOf(f), at: position{n, i, offset},
				})
			}
		}
	}
	return findings
}

// place finds a tag that only filling found, of the file, and what
// stands around it; a finding about the whole file comes last.
func (t *Template) place(tag string) (at position, where string, _ lang.Place) {
	for n, s := range t.stories {
		if tag == "" || s.added {
			continue
		}
		for i, p := range s.passages {
			if offset := strings.Index(p.text, tag); offset >= 0 {
				return position{n, i, offset}, p.where, lang.PlaceIn(p.text, i, offset)
			}
		}
		for _, a := range s.asides {
			if offset := strings.Index(a.text, tag); offset >= 0 {
				return s.placeBehind(n, a, offset), a.where, lang.PlaceIn(a.text, 0, offset)
			}
		}
	}
	return position{story: len(t.stories)}, "", lang.Place{}
}
