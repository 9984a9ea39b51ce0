// Package plan turns a template, as the Docs and Slides APIs show it, into the
// batchUpdate requests that fill it: rows and bullets repeated for the items of
// lists, blocks repeated or left out, and every other tag replaced.
//
// The requests of a plan are one batch for the revision that the template was
// read in. They edit from the end to the beginning, so that no request moves
// what a later one is about. What tags mean is package merge's; sending the
// requests, and what a drive makes of them, belong elsewhere.
package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/merge"
)

// MaxRequests is how many requests a plan may have. Google does not publish its
// limit of a batch.
const MaxRequests = 10_000

// planner holds what the parts of one plan share.
type planner struct {
	e     *merge.Evaluator
	nonce string
	// hidden are values that must not be seen by the replacement of tags,
	// because they have braces or stand beside some.
	hidden []string
	// kept are tags that stay for the replacement, by their text.
	kept map[string]*merge.Statement
	// edits counts what changes the document.
	edits int
}

func newPlanner(e *merge.Evaluator, nonce string) *planner {
	return &planner{e: e, nonce: nonce, kept: map[string]*merge.Statement{}}
}

// stand returns what takes the place of a value until all tags are replaced.
// Placeholders are all of one length, so that none is a part of another.
func (p *planner) stand(value string) string {
	p.hidden = append(p.hidden, value)
	return p.placeholder('h', len(p.hidden)-1)
}

func (p *planner) placeholder(kind byte, n int) string {
	return fmt.Sprintf("%s%c%07d", p.nonce, kind, n)
}

// replacements returns the replacements that end the plan: first every tag by a
// placeholder, then every placeholder by its value, so that nothing in a value
// is taken for a tag.
func (p *planner) replacements(f merge.Filling) []platen.Replacement {
	tags := slices.Clone(f.Replacements)
	for _, s := range f.Positional {
		if p.kept[s.Tag] != nil {
			tags = append(tags, p.e.Replacement(s))
		}
	}
	all := make([]platen.Replacement, 0, 2*len(tags)+len(p.hidden))
	for i, r := range tags {
		all = append(all, platen.Replacement{Find: r.Find, Replace: p.placeholder('t', i)})
	}
	for i, r := range tags {
		all = append(all, platen.Replacement{Find: p.placeholder('t', i), Replace: r.Replace})
	}
	for i, value := range p.hidden {
		all = append(all, platen.Replacement{Find: p.placeholder('h', i), Replace: value})
	}
	return all
}

// checked returns the faults of a plan as one error that names them all.
func (p *planner) checked(requests int) error {
	if requests > MaxRequests {
		p.e.Report(merge.Fault{Code: "document_too_large", Message: fmt.Sprintf("Filling this document takes %d changes, more than %d: send less data.", requests, MaxRequests)})
	}
	p.e.TooMuch()
	return FaultsError(p.e.Faults())
}

// FaultsError returns nil without faults, else an error of KindInvalid with
// code template_faulty that says all of them to the template's author.
func FaultsError(faults []merge.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	const shown = 10
	var texts []string
	for _, f := range faults[:min(len(faults), shown)] {
		text := f.Message
		if f.Tag != "" && !strings.Contains(text, f.Tag) {
			text = fmt.Sprintf("%.120s: %s", f.Tag, f.Message)
		}
		if len(f.Nearest) > 0 {
			text += fmt.Sprintf(" Did you mean %s?", f.Nearest[0])
		}
		texts = append(texts, text)
	}
	if more := len(faults) - shown; more > 0 {
		texts = append(texts, fmt.Sprintf("And %d more.", more))
	}
	return platen.Errorf(platen.KindInvalid, "template_faulty", "The template cannot be filled. %s", strings.Join(texts, " "))
}
