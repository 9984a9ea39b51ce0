package preview

import (
	"context"
	"fmt"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/billing"
	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// invoicePassages are the texts of the map of a document's e-invoice; none without one.
func invoicePassages(d platen.Document) []check.Passage {
	if d.EInvoice == nil {
		return nil
	}
	m, _ := billing.Read([]byte(d.EInvoice.Map)) // what is wrong with it was said when it was set
	var all []check.Passage
	for _, p := range m.Passages() {
		all = append(all, check.Passage{Where: billing.Setting(p.Pointer), Text: p.Text})
	}
	return all
}

// uncompared are the totals of a document's e-invoice that no field is compared with.
func uncompared(d platen.Document) []platen.TemplateFinding {
	if d.EInvoice == nil {
		return nil
	}
	m, _ := billing.Read([]byte(d.EInvoice.Map))
	var all []platen.TemplateFinding
	for _, f := range m.Uncompared() {
		all = append(all, platen.TemplateFinding{Where: f.Setting, Code: platen.CodeInvoiceDoubtful, Message: f.Words(false), Note: true})
	}
	return all
}

// ProposeInvoice proposes a map for the e-invoice of a document, by the names of the fields that
// its template asks for and of those that the source has.
func (p *Previewer) ProposeInvoice(ctx context.Context, wf platen.Workflow, d platen.Document, profile platen.InvoiceProfile, fields []string) (platen.InvoiceProposal, error) {
	release, err := take(ctx, p.turns, wf.Owner.ID)
	if err != nil {
		return platen.InvoiceProposal{}, err
	}
	defer release()
	drive, err := p.Drives(ctx, wf.Owner.ID)
	if err != nil {
		return platen.InvoiceProposal{}, err
	}
	read, err := readTemplate(ctx, drive, d)
	if err != nil {
		return platen.InvoiceProposal{}, err
	}
	asked := append(billing.FieldsOf(check.Read(read).Requirements()), billing.FieldsIn(fields)...)
	proposed := billing.Propose(profile, asked, d.Numbers)
	out := platen.InvoiceProposal{Map: string(proposed.Map.JSON())}
	for _, term := range proposed.Open {
		out.Open = append(out.Open, platen.InvoiceTerm{Number: term.Number, Name: term.Name})
	}
	return out, nil
}

// CountInvoices tells of how many events an e-invoice of a document is made, and what is wrong
// with the first that is refused.
func (p *Previewer) CountInvoices(ctx context.Context, wf platen.Workflow, d platen.Document, events []platen.PastEvent) (platen.InvoiceCount, error) {
	var count platen.InvoiceCount
	for _, e := range events {
		if err := ctx.Err(); err != nil {
			return count, err
		}
		builtins := lang.Builtins{AcceptedAt: e.AcceptedAt, Zone: p.Location, AutomationID: e.AutomationID, WorkflowName: wf.Name, Locale: wf.Locale, Number: d.Sample}
		data, err := lang.ParseData(e.Body)
		if err != nil {
			return count, fmt.Errorf("parse the source data of %s: %w", e.AutomationID, err)
		}
		if d.When != "" {
			if holds, _ := lang.Condition(d.When, data, builtins); !holds {
				continue
			}
		}
		filling, err := fill.New(d, e.Body, builtins)
		if err != nil {
			return count, err
		}
		if _, _, refusal := filling.Invoice(); refusal == nil {
			count.Made++
			continue
		}
		if count.Refused++; count.Refused == 1 {
			count.Findings = filling.InvoiceFindings(false)
		}
	}
	return count, nil
}
