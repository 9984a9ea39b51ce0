package console

import (
	"testing"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
)

func TestARequestIDOfTheConsoleIsNoName(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"made-0123456789abcdef01234567": "", sentAgainAs("aut_0123456789abcdef"): "", "again-Kiel": "again-Kiel"} {
		if got := nameOf(client.Automation{RequestID: id}); got != want {
			t.Errorf("the run of %q is called %q", id, got)
		}
	}
}

func TestARunIsCalledAsItsOutputElseAsItsSenderElseAsItsTemplate(t *testing.T) {
	t.Parallel()
	name, reference := "Invoice 17 Jensen", "Order 17"
	w := client.Workflow{ID: "wkf_1", Documents: []client.Document{{ID: "doc_1", File: client.File{Name: "Invoice.docx"}}}}
	of := func(o client.Output, reference *string) client.Automation {
		o.DocumentID = "doc_1"
		return client.Automation{WorkflowID: "wkf_1", RequestID: "req_1", Reference: reference, Outputs: []client.Output{o}}
	}
	for want, a := range map[string]client.Automation{
		name:           of(client.Output{State: "FAILED", Name: &name}, &reference),
		"As it was":    of(client.Output{State: "DONE", Files: []client.OutputFile{{File: client.File{Name: "As it was.pdf"}}}}, &reference),
		reference:      of(client.Output{State: "FAILED"}, &reference),
		"Invoice.docx": of(client.Output{State: "FAILED"}, nil),
	} {
		if got := rowsOf(catalog.Printer{}, []client.Automation{a}, w)[0].Title; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
