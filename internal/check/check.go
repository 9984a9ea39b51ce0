// Package check finds the mistakes of a template in an Office file, without a
// drive and without a service, for an author at a desk and for CI.
//
// It is the one package outside the drive's wing that reads Office files: it
// shows them as the drive would and asks the planner what a run would ask. What
// tags mean, and how files are read, belong to the packages it calls.
package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/drive/office"
	"github.com/platenhq/platen/internal/drive/slides"
	"github.com/platenhq/platen/internal/merge"
	"github.com/platenhq/platen/internal/merge/plan"
)

// A Finding is a mistake and where it is.
type Finding struct {
	Where   string   `json:"where"`            // such as "body, paragraph 3" or "slide 2"; empty for the whole file
	Around  string   `json:"around,omitempty"` // the text at the place
	Tag     string   `json:"tag,omitempty"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Nearest []string `json:"nearest,omitempty"` // what may have been meant, best first
	passage int
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

// File finds the mistakes of a .docx or .pptx. With data, which is the JSON
// object of a source event, it also finds the names that the data does not have
// and what cannot be worked out with it. The error is for a file or data that
// cannot be read.
func File(content, data []byte) ([]Finding, error) {
	t, err := read(content)
	if err != nil {
		return nil, err
	}
	var fields []string
	if data != nil {
		if fields, err = platen.SourceFields(data); err != nil {
			return nil, fmt.Errorf("read the data: %w", err)
		}
	}
	texts := make([]string, len(t.passages))
	for i, p := range t.passages {
		texts[i] = p.text
	}
	var findings []Finding
	found := map[string]bool{}
	for _, i := range merge.Inspect(texts, fields) {
		found[i.Code+" "+i.Tag] = true
		if data == nil && i.Code == "unknown_field" {
			continue
		}
		findings = append(findings, Finding{Where: t.passages[i.Text].where, Around: i.Around, Tag: i.Tag, Code: i.Code, Message: i.Message, Nearest: i.Nearest, passage: i.Text})
	}
	if data == nil {
		return findings, nil
	}
	faults, err := t.planned(data)
	if err != nil {
		return nil, err
	}
	for _, f := range faults {
		if !found[f.Code+" "+f.Tag] {
			at, where := t.place(f.Tag)
			findings = append(findings, Finding{Where: where, Tag: f.Tag, Code: f.Code, Message: f.Message, Nearest: f.Nearest, passage: at})
		}
	}
	slices.SortStableFunc(findings, func(a, b Finding) int { return a.passage - b.passage })
	return findings, nil
}

// template is a file as the drive shows it.
type template struct {
	document     *docsapi.Document
	presentation *slidesapi.Presentation
	passages     []passage
}

type passage struct{ where, text string }

func read(content []byte) (*template, error) {
	if p, err := office.ReadPresentation(content); err == nil {
		shown, err := slides.Get(p, "file", "file", "1")
		if err != nil {
			return nil, fmt.Errorf("read the presentation: %w", err)
		}
		t := &template{presentation: shown}
		for i, s := range shown.Slides {
			t.shapes(fmt.Sprintf("slide %d", i+1), s.PageElements)
			if s.SlideProperties != nil && s.SlideProperties.NotesPage != nil {
				t.shapes(fmt.Sprintf("notes of slide %d", i+1), s.SlideProperties.NotesPage.PageElements)
			}
		}
		return t, nil
	}
	d, err := office.ReadDocument(content)
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	shown, err := docs.Get(d, "file", "file", "1")
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	t := &template{document: shown}
	t.content("body", shown.Body.Content)
	for _, id := range slices.Sorted(maps.Keys(shown.Headers)) {
		t.content("header", shown.Headers[id].Content)
	}
	for _, id := range slices.Sorted(maps.Keys(shown.Footers)) {
		t.content("footer", shown.Footers[id].Content)
	}
	for _, id := range slices.Sorted(maps.Keys(shown.Footnotes)) {
		t.content("note or text box", shown.Footnotes[id].Content)
	}
	return t, nil
}

func (t *template) content(where string, elements []*docsapi.StructuralElement) {
	paragraphs, tables := 0, 0
	for _, e := range elements {
		if e.Paragraph != nil {
			paragraphs++
			text := ""
			for _, r := range e.Paragraph.Elements {
				if r.TextRun != nil {
					text += r.TextRun.Content
				} else {
					text += "\n"
				}
			}
			t.add(fmt.Sprintf("%s, paragraph %d", where, paragraphs), text)
		}
		if e.Table == nil {
			continue
		}
		tables++
		for i, r := range e.Table.TableRows {
			for j, c := range r.TableCells {
				t.content(fmt.Sprintf("%s, table %d, row %d, cell %d", where, tables, i+1, j+1), c.Content)
			}
		}
	}
}

func (t *template) shapes(where string, elements []*slidesapi.PageElement) {
	for _, e := range elements {
		if e.ElementGroup != nil {
			t.shapes(where, e.ElementGroup.Children)
		}
		if e.Shape != nil {
			t.shapeText(where, e.Shape.Text)
		}
		if e.Table == nil {
			continue
		}
		for i, r := range e.Table.TableRows {
			for j, c := range r.TableCells {
				t.shapeText(fmt.Sprintf("%s, row %d, cell %d", where, i+1, j+1), c.Text)
			}
		}
	}
}

func (t *template) shapeText(where string, text *slidesapi.TextContent) {
	if text == nil {
		return
	}
	all := ""
	for _, e := range text.TextElements {
		switch {
		case e.TextRun != nil:
			all += e.TextRun.Content
		case e.AutoText != nil:
			all += "\n"
		}
	}
	t.add(where, all)
}

// add takes a text apart where no tag can go on.
func (t *template) add(where, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			t.passages = append(t.passages, passage{where, line})
		}
	}
}

// planned returns the faults that filling with this data would meet.
func (t *template) planned(body []byte) ([]merge.Fault, error) {
	data, err := merge.ParseData(body)
	if err != nil {
		return nil, fmt.Errorf("read the data: %w", err)
	}
	e := merge.NewEvaluator(data, merge.Builtins{})
	if t.presentation != nil {
		_, err = plan.Presentation(t.presentation, e, platen.NewKey())
	} else {
		_, err = plan.Document(t.document, e, platen.NewKey())
	}
	if err != nil && len(e.Faults()) == 0 {
		return nil, err
	}
	return e.Faults(), nil
}

// place finds a tag that only a plan found fault with; a fault of the whole
// file comes last.
func (t *template) place(tag string) (int, string) {
	for i, p := range t.passages {
		if tag != "" && strings.Contains(p.text, tag) {
			return i, p.where
		}
	}
	return len(t.passages), ""
}
