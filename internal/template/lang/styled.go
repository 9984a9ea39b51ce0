package lang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/hypertext"
	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/template/markdown"
	"github.com/platenhq/platen/internal/template/rich"
)

const (
	// stepCost is how much of the cost of Markdown is one of a budget's steps, and
	// htmlCost how many bytes of HTML are one: reading them takes about as long.
	stepCost, htmlCost = 1000, 20
	// maxNotes is how many notes a document has.
	maxNotes = 20
)

// readMarkdown reads a value, as text and as what a document can hold of it. Links that
// no document should have are text.
func (e *Evaluator) readMarkdown(source string) (text string, d rich.Document, err *Finding) {
	d, bad := markdown.Read(source)
	if bad != nil {
		return "", nil, dataFindingf("markdown_too_large", "A Markdown text has at most %d KiB, and few marks in one paragraph: send less, or begin paragraphs with empty lines.", markdown.MaxSize>>10)
	}
	e.steps += markdown.Cost(source) / stepCost
	return d.Text(), fitted(d), nil
}

// readHTML is readMarkdown for HTML. What is left out of it is noted.
func (e *Evaluator) readHTML(s *syntax.Statement, source string) (text string, d rich.Document, err *Finding) {
	e.steps += len(source) / htmlCost
	if e.TooMuch() {
		return "", nil, nil
	}
	d, left, bad := hypertext.Read(source)
	if bad != nil {
		return "", nil, ofField(s.Formula, dataFindingf("html_too_large", "%s", sentence(bad)+": send less, or part it into several fields."))
	}
	if len(left) > 0 {
		e.Note(Finding{Code: platen.CodeHTMLLeftOut, Tag: s.Tag, Message: fmt.Sprintf("%.120s: the HTML has %s. That was left out, and nothing was fetched.", s.Tag, strings.Join(left, ", "))})
	}
	return d.Text(), fitted(d), nil
}

// sentence is an error that begins with a capital letter.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// fitted is a text with what a document can hold of its runs.
func fitted(d rich.Document) rich.Document {
	d.Each(func(r *rich.Run) {
		r.Text = documentText(r.Text)
		if strings.HasPrefix(strings.ToLower(r.Link), "www.") {
			r.Link = "https://" + r.Link
		}
		if !isAddress(r.Link) {
			r.Link = ""
		}
	})
	return d
}

// Styled works a Markdown or an HTML out; empty where there is nothing to show.
func (e *Evaluator) Styled(s *syntax.Statement, scope *Scope) rich.Document {
	return e.insert(s, scope, Span{}).Styled
}

// PictureIn is a picture that stands in the styled text of a tag; nil for none. An
// alternative text that is too long is cut.
func (e *Evaluator) PictureIn(s *syntax.Statement, scope *Scope, of *rich.Picture) *Placed {
	placed, unfit := e.place(&syntax.Statement{Kind: syntax.Image, Formula: s.Formula, Tag: s.Tag}, of.Source)
	if unfit != nil {
		e.reportOf(s, scope, unfit)
	}
	if placed != nil {
		text := []rune(lineOf(of.Alt))
		placed.Alt = string(text[:min(len(text), MaxAlt)])
		e.written += len(placed.Alt)
	}
	return placed
}

// Note notes what fails nothing and somebody may have to know, each once.
func (e *Evaluator) Note(f Finding) {
	f.Note = true
	same := func(other Finding) bool { return other.Code == f.Code && other.Tag == f.Tag }
	if len(e.notes) < maxNotes && !slices.ContainsFunc(e.notes, same) {
		e.notes = append(e.notes, f)
	}
}

// Notes are what was noted.
func (e *Evaluator) Notes() []Finding { return e.notes }
