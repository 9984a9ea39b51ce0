package preview

import (
	"fmt"
	"slices"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/lang"
)

// What a run makes nothing of is said here, too, under the code that its
// failure has: a sample shows more than would ever be sent.

// refusals says what a run with the data would fail by, beside what was found.
func (p *Previewer) refusals(t template, d platen.Document, data *lang.Data, found []check.Finding) ([]platen.TemplateFinding, error) {
	named := lang.Builtins{AcceptedAt: p.Now(), Zone: p.Location, AutomationID: sampleID, WorkflowName: sampleName}
	var missing []string
	if d.OnMissing == platen.MissingFail {
		e := lang.NewEvaluator(data, named)
		if err := unlessFaulty(t.plan(e), e); err != nil {
			return nil, err
		}
		_, unnamed := lang.ExpandName(d.OutputName, data, named)
		missing = union(e.Missing(), unnamed)
	}
	return append(fieldless(d, missing), passwordless(d, data, named, found)...), nil
}

// fieldless says that a run would fail for the fields that are missing.
func fieldless(d platen.Document, missing []string) []platen.TemplateFinding {
	if len(missing) == 0 || d.OnMissing != platen.MissingFail {
		return nil
	}
	return []platen.TemplateFinding{{Code: "fields_missing", Message: fmt.Sprintf(
		"An automation with this data would fail: it does not have %s, and onMissing of the document is fail.", lang.Quoted(missing, 5))}}
}

// passwordless says that a run would fail for a password that the data leaves a
// part of empty, unless what was found says so.
func passwordless(d platen.Document, data *lang.Data, builtins lang.Builtins, found []check.Finding) []platen.TemplateFinding {
	const where = "pdfPassword"
	if !d.EnablePDFPassword || !d.CreatePDFCopy || slices.ContainsFunc(found, func(f check.Finding) bool { return f.Where == where }) {
		return nil
	}
	switch password, missing := lang.ExpandPassword(d.PDFPassword, data, builtins); {
	case len(missing) > 0:
		return []platen.TemplateFinding{{Where: where, Code: "pdf_password_field_missing", Message: fmt.Sprintf(
			"An automation with this data would fail: it has no value for %q, which the PDF password needs.", missing[0])}}
	case password == "":
		return []platen.TemplateFinding{{Where: where, Code: "pdf_password_empty", Message: "An automation would fail: the PDF password comes to nothing."}}
	}
	return nil
}
