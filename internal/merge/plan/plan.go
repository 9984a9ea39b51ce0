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
	"strings"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/merge"
)

// MaxRequests is how many requests a plan may have. Google does not publish its
// limit of a batch.
const MaxRequests = 10_000

// maxQuoted is how many bytes of values a plan may replace tags by.
const maxQuoted = 4 << 20

// planner holds what the parts of one plan share.
type planner struct {
	e     *merge.Evaluator
	nonce string
	// hidden are values that must not be seen by the replacement of tags,
	// because they have braces or stand beside some.
	hidden []string
	// kept are the tags that mean the same wherever they still stand when the
	// document has its shape, each once.
	kept   []*merge.Statement
	noted  map[string]bool
	quoted int // bytes of the values of kept tags
	// noPictures says why what is being planned cannot hold pictures.
	noPictures string
}

func newPlanner(e *merge.Evaluator, nonce string) *planner {
	return &planner{e: e, nonce: nonce, noted: map[string]bool{}}
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

func (p *planner) keep(s *merge.Statement) {
	if !p.noted[s.Tag] {
		p.noted[s.Tag] = true
		p.kept = append(p.kept, s)
	}
}

// replacements returns the replacements that end the plan: first every tag by a
// placeholder, then every placeholder by its value, so that nothing in a value
// is taken for a tag.
func (p *planner) replacements() []platen.Replacement {
	all := make([]platen.Replacement, 0, 2*len(p.kept)+len(p.hidden))
	for i, s := range p.kept {
		all = append(all, platen.Replacement{Find: s.Tag, Replace: p.placeholder('t', i)})
	}
	for i, s := range p.kept {
		value := p.e.Replacement(s).Replace
		p.quoted += len(value)
		all = append(all, platen.Replacement{Find: p.placeholder('t', i), Replace: value})
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
	if p.quoted > maxQuoted {
		p.e.Report(merge.Fault{Code: "document_too_large", Message: "The values for this document are too large together: send less data."})
	}
	p.e.TooMuch()
	if err := p.e.Failed(); err != nil {
		return fmt.Errorf("obtain the pictures: %w", err)
	}
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
