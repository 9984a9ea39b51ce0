package preview

import (
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/accessible"
	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/fill"
)

// barriers are what keeps the PDF of a document from being read aloud as it is meant, and that
// no run makes it if the document requires that; none where no PDF is made.
func barriers(d platen.Document, t *check.Template, texts accessible.Texts) []platen.TemplateFinding {
	if !d.CreatePDFCopy {
		return nil
	}
	all := tell(t.Barriers(d.RequiresAccessibility(), texts))
	if r := t.RefusedFor(d, texts); r != nil {
		all = append(all, r.Finding())
	}
	return all
}

// alts is what is known of the alternative texts of tags. Google's drive is the one that puts
// no document into another.
func (p *Previewer) alts(tried fill.Outcome) accessible.Texts {
	return accessible.Texts{Empty: tried.Alts.Empty, OnGoogle: p.Include == nil}
}
