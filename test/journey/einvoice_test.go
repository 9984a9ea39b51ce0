package journey

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/pdfa"
	"github.com/platenhq/platen/internal/platen"
)

const invoiceExamples = "../../examples/e-invoices/"

// invoicing makes a workflow of the example of e-invoices.
func (h *harness) invoicing(t *testing.T, syntax, profile string) (workflow, *receiver) {
	t.Helper()
	read := func(name string) []byte {
		content, err := os.ReadFile(invoiceExamples + name)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	var setting object
	if err := json.Unmarshal(read("einvoice.json"), &setting); err != nil {
		t.Fatal(err)
	}
	setting["syntax"], setting["profile"] = syntax, profile
	w := h.createWorkflow(t, object{"name": "Invoices"})
	template := h.upload(t, examples.Example{Title: "E-invoice", MIMEType: platen.MIMEDocs, Template: read("invoice.docx")})
	h.addDocument(t, w, template, object{"outputName": "RE-{{Number invoices}}", "numbers": []string{"invoices"}, "createPdfCopy": true, "removeOutput": true, "einvoice": setting})
	r := newReceiver(t)
	h.register(t, w, r)
	return w, r
}

// tool runs a program of other people on a file.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not on this machine: make tools installs it", name)
	}
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	return string(out)
}

// The XML is taken out of the PDF by a program that is not ours, breaks no rule, and says what
// the event does. The PDF is one of PDF/A-3b and says that it is one of Factur-X.
func TestEventsBecomePDFsWithEInvoices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ syntax, profile, file, level string }{
		"Factur-X":  {"CII", "EN16931", "factur-x.xml", "EN 16931"},
		"XRechnung": {"CII", "XRECHNUNG", "xrechnung.xml", "XRECHNUNG"},
		"UBL":       {"UBL", "XRECHNUNG", "ubl-invoice.xml", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, options{})
			w, r := h.invoicing(t, c.syntax, c.profile)
			for n, example := range []string{"invoice", "credit-note", "reverse-charge", "several-rates", "allowances", "advance-payment", "foreign-currency"} {
				event, err := os.ReadFile(invoiceExamples + example + ".json")
				if err != nil {
					t.Fatal(err)
				}
				var sent object
				if err := json.Unmarshal(event, &sent); err != nil {
					t.Fatal(err)
				}
				postObject(t, w.Source.WebhookURL, sent)
				made := r.next(t).event.Data
				if len(made.Documents) != 1 {
					t.Fatalf("%s: got %+v, want one document", example, made)
				}
				pdf := h.fetched(t, made.Documents[0].ID)
				at := filepath.Join(t.TempDir(), "output.pdf")
				if err := os.WriteFile(at, pdf, 0o600); err != nil {
					t.Fatal(err)
				}
				if list := tool(t, "pdfdetach", "-list", at); !strings.Contains(list, "1 embedded files") || !strings.Contains(list, c.file) {
					t.Errorf("%s: pdfdetach lists %q", example, list)
				}
				tool(t, "pdfdetach", "-save", "1", "-o", at+".xml", at)
				tool(t, "qpdf", "--check", at)
				xml, err := os.ReadFile(at + ".xml")
				if err != nil {
					t.Fatal(err)
				}
				wantInvoice(t, example, xml, sent, n+1)
				if meta := tool(t, "pdfinfo", "-meta", at); !strings.Contains(meta, "<pdfaid:part>3</pdfaid:part>") || (c.level != "") != strings.Contains(meta, "<fx:ConformanceLevel>"+c.level+"</fx:ConformanceLevel>") {
					t.Errorf("%s: pdfinfo reads %s", example, meta)
				}
				if faults, err := pdfa.Check(pdf, pdfa.Part3); err != nil || len(faults) > 0 {
					t.Errorf("%s: got %v, %v; want PDF/A-3b", example, faults, err)
				}
			}
			outputs := h.listOutputs(t, w)
			again, err := h.client(t).OutputEInvoice(t.Context(), w.ID, outputs[0])
			if err != nil || !bytes.Contains(again.Content, []byte("RE-")) || !strings.HasSuffix(again.Name, ".xml") {
				t.Errorf("over the API: got %s %s, %v", again.Name, again.Content, err)
			}
		})
	}
}

func wantInvoice(t *testing.T, example string, xml []byte, sent object, number int) {
	t.Helper()
	inv, found, err := einvoice.Read(xml)
	if err != nil {
		t.Fatalf("%s: %v", example, err)
	}
	for _, f := range append(found, einvoice.Validate(inv)...) {
		if f.Severity == einvoice.Error {
			t.Errorf("%s: %s", example, f)
		}
	}
	if want := "RE-" + string(rune('0'+number)); inv.Number != want || einvoice.FormatNumber(inv.Totals.Due) != sent["Due"] || inv.TypeCode != sent["Type"] {
		t.Errorf("%s: got %s, type %s, over %s; want %s, type %s, over %s", example, inv.Number, inv.TypeCode, einvoice.FormatNumber(inv.Totals.Due), want, sent["Type"], sent["Due"])
	}
}

// listOutputs are the ids of a workflow's outputs.
func (h *harness) listOutputs(t *testing.T, w workflow) (ids []string) {
	t.Helper()
	for o, err := range h.client(t).Outputs(t.Context(), w.ID, client.OutputQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, o.ID)
	}
	return ids
}

// An invoice that a receiver would refuse fails once, is void in its series, and tells no value.
func TestAnEInvoiceThatWouldBeRefusedFailsItsRun(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	w, r := h.invoicing(t, "CII", "EN16931")
	event, err := os.ReadFile(invoiceExamples + "invoice.json")
	if err != nil {
		t.Fatal(err)
	}
	var sent object
	if err := json.Unmarshal(event, &sent); err != nil {
		t.Fatal(err)
	}
	sent["Total"] = "7319861.55"
	postObject(t, w.Source.WebhookURL, sent)
	body := string(r.next(t).body)
	for _, want := range []string{"DOCUMENT_FAILED", platen.CodeInvoiceRefused, "BT-112 (Total with VAT), filled with {{Total}}", "BR-CO-15"} {
		if !strings.Contains(body, want) {
			t.Errorf("the event: got %s, want %s in it", body, want)
		}
	}
	// Ids and times have digits, too, but none of these.
	if strings.Contains(body, "7319861") || strings.Contains(body, "3198.72") {
		t.Errorf("the event quotes a value: %s", body)
	}
	h.finished(t, w.ID, platen.AutomationFailed)
	if names := h.fileNames(t); strings.Contains(strings.Join(names, " "), "RE-1") {
		t.Errorf("got the files %q, want none of the output", names)
	}
}
