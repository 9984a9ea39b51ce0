package api

import (
	"errors"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

const invoiceSetting = `{"syntax":"CII","profile":"EN16931","map":{"BT-1":"{{Number invoices}}","BG-25":{"each":"Items","BT-129":"{{Qty}}"}}}`

func TestADocumentHasAnEInvoiceUntilItIsTakenAway(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	d := x.newDocument(t, wf, `{"einvoice":`+invoiceSetting+`}`)
	const has = `"einvoice":` + invoiceSetting
	for _, step := range []struct {
		body string
		has  bool
	}{{`{"outputName":"X"}`, true}, {`{"einvoice":null}`, false}, {`{"einvoice":` + strings.ReplaceAll(invoiceSetting, ":", " : ") + `,"enablePdfPassword":false}`, true}} {
		if got := x.do(t, "PATCH", d, step.body).is(200).body; strings.Contains(got, has) != step.has {
			t.Errorf("%s: got %s", step.body, got)
		}
	}
	x.do(t, "PATCH", d, x.do(t, "GET", d, "").is(200).body).is(200) // what was read can be sent back
	if copied := x.do(t, "POST", wf+"/copy/", `{"name":"C"}`).is(201); !strings.Contains(copied.body, has) {
		t.Errorf("the copy: got %s", copied.body)
	}
	archive := x.do(t, "GET", wf+"/export/", "").is(200)
	if again := x.do(t, "POST", "/v0/workflows/import/", archive.body).is(201); !strings.Contains(again.body, has) {
		t.Errorf("the import: got %s", again.body)
	}
	for body, want := range map[string][2]string{
		`{"einvoice":{"syntax":"EDIFACT","profile":"EN16931","map":{}}}`: {"/einvoice/syntax", "CII"},
		`{"einvoice":{"syntax":"CII","profile":"COMFORT","map":{}}}`:     {"/einvoice/profile", "EXTENDED"},
		`{"einvoice":{"syntax":"CII","profile":"MINIMUM","map":{}}}`:     {"/einvoice/profile", "has no lines"},
		`{"einvoice":{"syntax":"CII","profile":"EN16931"}}`:              {"/einvoice/map", "required"},
		`{"einvoice":{"syntax":"CII","profile":"EN16931","map":[]}}`:     {"/einvoice/map", "object"},
	} {
		got := x.do(t, "PATCH", d, body).problem(400, "invalid_body")
		if at := got.pointers(); len(at) != 1 || at[0] != want[0] || !strings.Contains(got.Detail, want[1]) {
			t.Errorf("%s: got %q at %v, want %q at %s", body, got.Detail, at, want[1], want[0])
		}
	}
}

// What is wrong with a map is said at its place in the body, whichever request has it.
func TestAMapIsRefusedAtItsPlaceInTheBody(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) {
		o.InvoiceMap = func(profile platen.InvoiceProfile, _ []byte) []platen.Fault {
			if profile != platen.InvoiceEN16931 {
				t.Errorf("got the profile %s", profile)
			}
			return []platen.Fault{{Pointer: "/BG-25/BT-9", Message: "belongs to the whole invoice"}}
		}
	})
	wf := x.newWorkflow(t, `{"name":"W"}`)
	d := x.newDocument(t, wf, `{}`)
	for what, c := range map[string]struct{ method, path, body, pointer string }{
		"a change":       {"PATCH", d, `{"einvoice":` + invoiceSetting + `}`, "/einvoice/map/BG-25/BT-9"},
		"a new document": {"POST", wf + "/documents/", `{"einvoice":` + invoiceSetting + `}`, "/einvoice/map/BG-25/BT-9"},
		"a new workflow": {"POST", "/v0/workflows/", `{"name":"W","document":{"einvoice":` + invoiceSetting + `}}`, "/document/einvoice/map/BG-25/BT-9"},
	} {
		if got := x.do(t, c.method, c.path, c.body).problem(400, "invalid_body").pointers(); len(got) != 1 || got[0] != c.pointer {
			t.Errorf("%s: got %v, want %s", what, got, c.pointer)
		}
	}
}

func TestAnEInvoiceIsRefusedWithWhatKeepsItOutOfThePDF(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	const invoice, password = `{"einvoice":` + invoiceSetting + `}`, `{"enablePdfPassword":true,"pdfPassword":"x"}`
	holding, locked := x.newDocument(t, wf, invoice), x.newDocument(t, wf, password)
	for what, c := range map[string]struct{ path, body, code string }{
		"a password behind it":    {holding, password, "einvoice_encrypted"},
		"an invoice behind it":    {locked, invoice, "einvoice_encrypted"},
		"a profile without files": {holding, `{"pdf":{"profile":"PDF/A-2b"}}`, "einvoice_profile"},
		"EXTENDED in UBL":         {holding, `{"einvoice":` + strings.NewReplacer("CII", "UBL", "EN16931", "EXTENDED").Replace(invoiceSetting) + `}`, "einvoice_syntax"},
		"Peppol in CII":           {holding, `{"einvoice":` + strings.Replace(invoiceSetting, "EN16931", "PEPPOL", 1) + `}`, "einvoice_syntax"},
	} {
		if p := x.do(t, "PATCH", c.path, c.body).problem(400, c.code); !strings.Contains(p.Detail, "Set ") && !strings.Contains(p.Detail, "Switch ") {
			t.Errorf("%s: got %q, want a cure", what, p.Detail)
		}
	}
	x.do(t, "PATCH", holding, `{"pdf":{"profile":"PDF/A-3b"}}`).is(200)
}

func TestAnEInvoiceIsProposedAndCounted(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) {
		o.Templates = &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
		o.Tags = func(_, _ []string) []TagFinding { return nil }
	})
	wf := x.newWorkflow(t, `{"name":"W"}`)
	d := x.newDocument(t, wf, `{"createPdfCopy":true}`)
	if got := x.do(t, "POST", d+"/einvoice/propose/", `{"profile":"PEPPOL"}`).is(200).body; !strings.Contains(got, `"einvoice":{"syntax":"UBL","profile":"PEPPOL","map":{"BT-1":"{{Invoice number}}"}},"open":[{"term":"BT-27","name":"Seller name"}]`) {
		t.Errorf("got %s", got)
	}
	if got := x.do(t, "POST", d+"/einvoice/propose/", `{"profile":"EXTENDED"}`).is(200).body; !strings.Contains(got, `"einvoice":{"syntax":"CII","profile":"EXTENDED"`) {
		t.Errorf("got %s", got)
	}
	x.do(t, "POST", d+"/einvoice/propose/", `{"profile":"MINIMUM"}`).problem(400, "invalid_body")
	if got := x.do(t, "POST", d+"/check/", `{}`).is(200).body; strings.Contains(got, `"einvoices"`) {
		t.Errorf("without one: got %s", got)
	}
	x.do(t, "PATCH", d, `{"einvoice":`+invoiceSetting+`}`).is(200)
	if got := x.do(t, "POST", d+"/check/", `{"data":{"A":1}}`).is(200).body; !strings.Contains(got, `"einvoices":{"made":0,"refused":1}`) {
		t.Errorf("got %s", got)
	}
}

func TestTheXMLOfAnOutputIsReadOutOfItsPDF(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) {
		o.InvoiceIn = func(pdf []byte) ([]byte, error) {
			if !strings.Contains(string(pdf), "Invoice") {
				return nil, errors.New("nothing is embedded")
			}
			return []byte("<invoice/>"), nil
		}
	})
	wf, ids := x.withOutputs(t, "Invoice 17.pdf", "Letter.pdf", "Original")
	got := x.do(t, "GET", wf+"/outputs/"+ids[0]+"/einvoice/", "").is(200)
	if got.body != "<invoice/>" || got.header.Get("Content-Type") != "application/xml" || got.header.Get("Content-Disposition") != `attachment; filename="Invoice 17.xml"` {
		t.Errorf("got %q, %v", got.body, got.header)
	}
	for _, id := range ids[1:] {
		x.do(t, "GET", wf+"/outputs/"+id+"/einvoice/", "").problem(400, "einvoice_none")
	}
	x.as(t, memory.BobToken, "GET", wf+"/outputs/"+ids[0]+"/einvoice/", "").problem(403, "workflow_not_found")
}
