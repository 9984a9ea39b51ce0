package lang

import (
	"strings"

	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/template/markdown"
)

// stepCost is how much of the cost of Markdown is one of a budget's steps.
const stepCost = 1000

// readMarkdown reads a value, as text and as what a document can hold of it. Links that
// no document should have are text.
func (e *Evaluator) readMarkdown(source string) (text string, d markdown.Document, err *Finding) {
	d, bad := markdown.Read(source)
	if bad != nil {
		return "", nil, dataFindingf("markdown_too_large", "A Markdown text has at most %d KiB, and few marks in one paragraph: send less, or begin paragraphs with empty lines.", markdown.MaxSize>>10)
	}
	e.steps += markdown.Cost(source) / stepCost
	text = d.Text()
	for i := range d {
		for j := range d[i].Runs {
			r := &d[i].Runs[j]
			r.Text = documentText(r.Text)
			if strings.HasPrefix(strings.ToLower(r.Link), "www.") {
				r.Link = "https://" + r.Link
			}
			if !isAddress(r.Link) {
				r.Link = ""
			}
		}
	}
	return text, d, nil
}

// Markdown works a Markdown out; empty where there is nothing to show.
func (e *Evaluator) Markdown(s *syntax.Statement, scope *Scope) markdown.Document {
	return e.insert(s, scope, Span{}).Markdown
}
