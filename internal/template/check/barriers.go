package check

import (
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/accessible"
	"github.com/platenhq/platen/internal/template/fill"
)

// Barriers are what keeps the PDF of the template from being read aloud as it is meant, in
// reading order. They are mistakes where that is required, and notes elsewhere. A note tells of
// no picture of a tag, which has no alternative text in any template.
func (t *Template) Barriers(required bool) []Finding {
	var all []Finding
	for _, b := range t.source.Barriers() {
		f := Finding{Where: b.Where, Tag: b.Tag, Code: b.Code, Message: b.Message, Severity: platen.SeverityMistake}
		if !required {
			f.Severity = platen.SeverityNote
		}
		if required || b.Code != accessible.CodePicture || b.Tag == "" {
			all = append(all, f)
		}
	}
	return all[:min(len(all), maxFindings)]
}

// RefusedFor is the rule by which nothing is made of the template for a document, whatever the
// data; nil: none.
func (t *Template) RefusedFor(d platen.Document) *fill.Refusal {
	return fill.RefuseBarriers(d, t.source)
}
