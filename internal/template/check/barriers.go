package check

import (
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/accessible"
	"github.com/platenhq/platen/internal/template/fill"
)

// Barriers are what keeps the PDF of the template from being read aloud as it is meant, in
// reading order. They are mistakes where that is required, and notes elsewhere. A note tells of
// a picture of a tag only where its alternative text is lost.
func (t *Template) Barriers(required bool, texts accessible.Texts) []Finding {
	var all []Finding
	for _, b := range t.source.Barriers(texts) {
		f := Finding{Where: b.Where, Tag: b.Tag, Code: b.Code, Message: b.Message, Severity: platen.SeverityMistake}
		if !required {
			f.Severity = platen.SeverityNote
		}
		if required || b.Code != accessible.CodePicture || b.Tag == "" || b.Lost {
			all = append(all, f)
		}
	}
	return all[:min(len(all), maxFindings)]
}

// BarriersAtDesk are the barriers of an Office file, as notes.
func (t *Template) BarriersAtDesk() []Finding { return t.Barriers(false, accessible.Texts{}) }

// RefusedFor is the rule by which nothing is made of the template for a document; nil: none.
func (t *Template) RefusedFor(d platen.Document, texts accessible.Texts) *fill.Refusal {
	return fill.RefuseBarriers(d, t.source, texts)
}
