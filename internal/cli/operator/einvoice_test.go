package operator

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/einvoice"
)

// invoiceFile writes an invoice of one line down.
func invoiceFile(t *testing.T, unit string) string {
	t.Helper()
	number := func(text string) einvoice.Number {
		n, ok := einvoice.ParseNumber(text)
		if !ok {
			t.Fatalf("%s is no number", text)
		}
		return n
	}
	inv := &einvoice.Invoice{
		Syntax: einvoice.UBL, Specification: einvoice.SpecEN16931, Number: "R-1", IssueDate: "2026-11-29", TypeCode: "380", Currency: "EUR",
		Seller: einvoice.Party{Name: "Seller \x1b[31m", VATID: "DE123456789", Address: &einvoice.Address{City: "Berlin", Country: "DE"}},
		Buyer:  einvoice.Party{Name: "Buyer", Address: &einvoice.Address{City: "Paris", Country: "FR"}},
		Lines:  []einvoice.Line{{ID: "1", Name: "Work", Quantity: number("2.5"), Unit: unit, Price: number("80.00"), Category: "S", Rate: number("19")}},
	}
	einvoice.Complete(inv)
	document, err := einvoice.Write(inv)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "invoice.xml")
	if err := os.WriteFile(path, document, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestServiceChargesOfAnInvoiceAreShown(t *testing.T) {
	t.Parallel()
	amount, _ := einvoice.ParseNumber("9.00")
	var out bytes.Buffer
	inv := &einvoice.Invoice{Syntax: einvoice.CII, Specification: einvoice.SpecExtended, ServiceCharges: []einvoice.ServiceCharge{{Description: "Freight", Amount: amount, Category: "S"}}}
	if err := printInvoice(&out, inv, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "SERVICE CHARGE  VAT  AMOUNT\nFreight         S    9.00\n") {
		t.Errorf("got\n%s", out.String())
	}
}

func TestAnInvoiceIsShownAsPeopleReadIt(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := (einvoiceCommand{File: invoiceFile(t, "HUR")}).run(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Invoice R-1 of 2026-11-29 (UBL, EN 16931)\n", "Buyer   Buyer, Paris, FR\n", "1     Work  2.5       HUR   80.00  S 19 %  200.00\n",
		"S 19 %  200.00   38.00", "Due          238.00\n", "breaks no rule",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("a control character of the invoice reached the terminal:\n%s", out.String())
	}
}

func TestAnInvoiceThatAReceiverRefusesFailsWithItsFindings(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := (einvoiceCommand{File: invoiceFile(t, "hours")}).run(&out)
	if err == nil || !strings.Contains(err.Error(), "refuse the invoice: 1 error") {
		t.Errorf("got %v, want that a receiver refuses it", err)
	}
	if want := "error: BR-CL-23: Unit of quantity (BT-130) of line 1: \"hours\""; !strings.Contains(out.String(), want) {
		t.Errorf("it does not say %q:\n%s", want, out.String())
	}
}

func TestAnInvoiceIsPrintedForPrograms(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := (einvoiceCommand{File: invoiceFile(t, "hours"), JSON: true}).run(&out); err == nil {
		t.Error("an invoice that is refused: got no error")
	}
	var got struct {
		Syntax, Profile string
		Valid           bool
		Invoice         map[string]any
		Findings        []struct{ Rule, Term, Place, Cure string }
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if got.Valid || got.Syntax != "UBL" || got.Invoice["BT-1"] != "R-1" || len(got.Findings) != 1 || got.Findings[0].Term != "BT-130" || got.Findings[0].Place != "line 1" {
		t.Errorf("got %+v", got)
	}
}

func TestAFileThatIsNoInvoiceIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, c := range map[string]struct{ content, want string }{
		"letter.xml": {"<letter/>", "no e-invoice"},
		"letter.pdf": {"%PDF-1.7 broken", "cannot be read"},
		"empty.xml":  {"", "no element"},
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := (einvoiceCommand{File: path}).run(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
	if err := (einvoiceCommand{File: filepath.Join(folder, "missing")}).run(&bytes.Buffer{}); err == nil {
		t.Error("a file that is not there: got no error")
	}
	plain := "../../../docs/invoice.png"
	if err := (einvoiceCommand{File: plain}).run(&bytes.Buffer{}); err == nil {
		t.Error("a picture: got no error")
	}
}
