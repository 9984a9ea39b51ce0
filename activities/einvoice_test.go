package activities_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// anInvoice fills what EN 16931 asks for with fixed text, and the rest with the event.
const anInvoice = `{"BT-1":"{{Number invoices}}","BT-2":"2026-01-02","BT-3":"380","BT-5":"EUR","BT-20":"now","BT-27":"Seller","BT-31":"DE123456789","BT-40":"DE","BT-44":"{{Name}}","BT-55":"DE","BT-112":"{{Total}}",
	"BG-25":{"BT-126":"1","BT-129":"2","BT-130":"C62","BT-146":"5","BT-151":"S","BT-152":"19","BT-153":"Bolt"}}`

func newInvoicing(data string) *harness {
	d := document()
	d.EnablePDFPassword, d.RemoveOutput, d.Numbers = false, false, []string{"invoices"}
	d.EInvoice = &platen.EInvoice{Syntax: platen.InvoiceCII, Profile: platen.InvoiceEN16931, Map: anInvoice}
	w := newHarness(d, data)
	w.plan.Numbers = map[string]int64{"invoices": 17}
	return w
}

func TestAnOutputHoldsItsEInvoice(t *testing.T) {
	t.Parallel()
	w := newInvoicing(`{"Name":"Ada","Total":"11.90"}`)
	runAll(t, steps(w.documents()), false)
	o := w.known()
	if o.State != platen.OutputDone || o.PDF == nil {
		t.Fatalf("got %+v, want it done", o)
	}
	got := w.files[o.PDF.ID].content
	for _, want := range []string{"PDF/A-3b of 2026-01-02", "factur-x.xml (Alternative)", "fx: EN 16931", "<ram:ID>17</ram:ID>", "<ram:Name>Ada</ram:Name>", "<ram:GrandTotalAmount>11.90</ram:GrandTotalAmount>"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
}

// Nothing is copied for an invoice that a receiver would refuse, and no value is shown.
func TestARefusedEInvoiceFailsItsOutputBeforeAnythingIsMade(t *testing.T) {
	t.Parallel()
	w := newInvoicing(`{"Name":"Ada","Total":"12.00"}`)
	before := len(w.files)
	_, err := w.documents().CopyTemplate(t.Context(), step)
	if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != platen.CodeInvoiceRefused || e.Kind != platen.KindInvalid {
		t.Fatalf("got %v, want %s", err, platen.CodeInvoiceRefused)
	}
	if text := err.Error(); !strings.Contains(text, "BT-112 (Total with VAT), filled with {{Total}}") || !strings.Contains(text, "correct what it sums up") || !strings.Contains(text, "(BR-CO-15)") || strings.Contains(text, "12.00") {
		t.Errorf("got %s", text)
	}
	if o := w.known(); len(w.files) != before || o.CopyBegun {
		t.Errorf("got %d files, %+v", len(w.files), o)
	}
}
