package fill

import (
	"fmt"
	"strings"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/accessible"
)

// Barriers are what keeps the PDF of a template from being read aloud as it is meant.
func (t Template) Barriers(texts accessible.Texts) (all []accessible.Barrier) {
	t.Show(
		func(d *docs.Document) { all = accessible.InDocument(d, texts) },
		func(p *slides.Presentation) { all = accessible.InPresentation(p, texts) },
	)
	return all
}

// RefuseBarriers refuses a template whose PDF a screen reader could not read as it is meant. It
// is nil where the document does not require that, or nothing keeps it.
func RefuseBarriers(d platen.Document, t Template, texts accessible.Texts) *Refusal {
	if !d.RequiresAccessibility() {
		return nil
	}
	found := t.Barriers(texts)
	if len(found) == 0 {
		return nil
	}
	would := "An automation with this data would fail"
	if len(t.Barriers(accessible.Texts{OnGoogle: texts.OnGoogle})) > 0 {
		would = "Every automation would fail"
	}
	const shown = 10
	var told []string
	for _, b := range found[:min(len(found), shown)] {
		told = append(told, fmt.Sprintf("%s: %s", b.Where, b.Message))
	}
	if more := len(found) - shown; more > 0 {
		told = append(told, fmt.Sprintf("And %d more.", more))
	}
	return newRefusal(platen.CodeAccessibilityUnmet, "", nil,
		"A screen reader cannot read the PDF as it is meant, and the document requires that. "+strings.Join(told, " "),
		would+": a screen reader cannot read the PDF as it is meant, and accessibility of the document is require.")
}
