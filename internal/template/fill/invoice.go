package fill

import (
	"fmt"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/billing"
)

// InvoiceField is where findings about the e-invoice say that they are, or what their place
// begins with: einvoice.map.BG-25.BT-129.
const InvoiceField = "einvoice"

// maxDoubts is how many doubts about its e-invoice an output has.
const maxDoubts = 5

// Invoice is the XML of the document's e-invoice; nil where it asks for none, or makes no PDF
// that it could be in. It refuses what a receiver would refuse, and says what may be asked
// about the invoice.
func (f *Filling) Invoice() (xml []byte, doubts []platen.Finding, refusal *Refusal) {
	xml, found := f.invoice()
	var told []string
	code := platen.CodeInvoiceRefused
	for _, one := range found {
		switch {
		case one.Note:
			doubts = append(doubts, platen.Finding{Code: platen.CodeInvoiceDoubtful, Message: one.Words(false)})
			continue
		case one.OfMap:
			code = platen.CodeInvoiceMap
		}
		told = append(told, one.Words(false))
	}
	if len(told) == 0 {
		return xml, doubts[:min(len(doubts), maxDoubts)], nil
	}
	const shown = 10
	if more := len(told) - shown; more > 0 {
		told = append(told[:shown], fmt.Sprintf("And %d more.", more))
	}
	failed := "A receiver would refuse the e-invoice. "
	if code == platen.CodeInvoiceMap {
		failed = "The e-invoice cannot be made. "
	}
	return nil, nil, newRefusal(code, InvoiceField, nil, failed+strings.Join(told, " "), "")
}

// InvoiceFindings are what is wrong with the e-invoice of this data, each at its place, and
// what a receiver may ask about. They quote the data, or not.
func (f *Filling) InvoiceFindings(values bool) []platen.TemplateFinding {
	_, found := f.invoice()
	all := make([]platen.TemplateFinding, len(found))
	for i, one := range found {
		code := platen.CodeInvoiceRefused
		switch {
		case one.Note:
			code = platen.CodeInvoiceDoubtful
		case one.OfMap:
			code = platen.CodeInvoiceMap
		}
		all[i] = platen.TemplateFinding{Where: one.Setting, Around: one.Template, Tag: one.Template, Code: code, Message: one.Words(values), Note: one.Note}
	}
	slices.SortStableFunc(all, func(a, b platen.TemplateFinding) int {
		switch {
		case a.Note == b.Note:
			return 0
		case b.Note:
			return -1
		}
		return 1
	})
	return all
}

func (f *Filling) invoice() ([]byte, []billing.Finding) {
	if f.document.EInvoice == nil || !f.document.CreatePDFCopy {
		return nil, nil
	}
	return billing.Make(*f.document.EInvoice, f.Evaluator())
}
