package preview

import (
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/check"
)

// barriers are what keeps the PDF of a document from being read aloud as it is meant, and that
// no run makes it if the document requires that; none where no PDF is made.
func barriers(d platen.Document, t *check.Template) []platen.TemplateFinding {
	if !d.CreatePDFCopy {
		return nil
	}
	all := tell(t.Barriers(d.RequiresAccessibility()))
	if r := t.RefusedFor(d); r != nil {
		all = append(all, r.Finding())
	}
	return all
}
