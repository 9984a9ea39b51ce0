package memory

import (
	"context"

	"github.com/platenhq/platen/internal/platen"
)

// Templates keeps the contract of api.Templates, and finds the same in every template.
type Templates struct {
	Checked platen.TemplateCheck
	Sample  platen.Sample
	Trial   platen.RowTrial
	Err     error    // of checks and samples
	Fields  []string // of the last check
	Data    string   // of the last call
	Filled  []string // documents
}

// TryingRows has templates that ask for Name, and try rows by try. closed counts how many
// trials ended.
func TryingRows(try func(row string) []platen.RowFinding, closed *int) *Templates {
	return &Templates{Trial: platen.RowTrial{
		Try: func(row []byte) ([]platen.RowFinding, error) { return try(string(row)), nil },
		Unused: func(fields []string) (all []platen.UnusedField) {
			for _, f := range fields {
				if f != "Name" {
					all = append(all, platen.UnusedField{Field: f, Nearest: []string{"Name"}})
				}
			}
			return all
		},
		Close: func() { *closed++ },
	}}
}

func (l *Templates) CheckTemplate(_ context.Context, _ platen.Workflow, _ platen.Document, fields []string, data []byte) (platen.TemplateCheck, error) {
	l.Fields, l.Data = fields, string(data)
	return l.Checked, l.Err
}

// CountInvoices counts every event as refused for its number.
func (l *Templates) CountInvoices(_ context.Context, _ platen.Workflow, _ platen.Document, events []platen.PastEvent) (platen.InvoiceCount, error) {
	return platen.InvoiceCount{Refused: len(events), Findings: []platen.TemplateFinding{{Where: "einvoice.map.BT-1", Code: platen.CodeInvoiceRefused, Message: "BT-1 is missing."}}}, nil
}

// ProposeInvoice proposes a number, and leaves the seller open.
func (l *Templates) ProposeInvoice(_ context.Context, _ platen.Workflow, _ platen.Document, profile platen.InvoiceProfile, fields []string) (platen.InvoiceProposal, error) {
	return platen.InvoiceProposal{Map: `{"BT-1":"{{Invoice number}}"}`, Open: []platen.InvoiceTerm{{Number: "BT-27", Name: "Seller name"}}}, nil
}

// CountConditions counts every event as made.
func (l *Templates) CountConditions(_ context.Context, _ platen.Workflow, conditions []platen.Condition, events []platen.PastEvent) ([]platen.ConditionCount, error) {
	counts := make([]platen.ConditionCount, len(conditions))
	for i, c := range conditions {
		counts[i] = platen.ConditionCount{Condition: c, Made: len(events)}
	}
	return counts, nil
}

func (l *Templates) SampleOf(_ context.Context, _ platen.Workflow, d platen.Document, data []byte) (platen.Sample, error) {
	l.Data, l.Filled = string(data), append(l.Filled, d.ID)
	return l.Sample, l.Err
}

func (l *Templates) TryRows(context.Context, platen.Workflow) (platen.RowTrial, error) {
	return l.Trial, l.Err
}
