package operator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
)

type einvoiceCommand struct {
	File string `arg:"" help:"An e-invoice: XML in the syntax CII or UBL, or a PDF with it inside (Factur-X, ZUGFeRD)."`
	JSON bool   `name:"json" help:"Print one JSON object: the invoice with its terms by their numbers in EN 16931, and the findings."`
}

// Run shows the invoice, and fails when a receiver would refuse it.
func (c einvoiceCommand) Run() error { return c.run(os.Stdout) }

func (c einvoiceCommand) run(to io.Writer) error {
	document, err := readInvoiceFile(c.File)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	inv, findings, err := einvoice.Read(document)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	findings = append(findings, einvoice.Validate(inv)...)
	if c.JSON {
		err = printInvoiceJSON(to, inv, findings)
	} else {
		err = printInvoice(to, inv, findings)
	}
	if err != nil {
		return err
	}
	if n := errorsAmong(findings); n > 0 {
		return fmt.Errorf("%s: a receiver would refuse the invoice: %s", c.File, count(n, "error"))
	}
	return nil
}

// readInvoiceFile reads the XML of a file, or of the PDF that it is.
func readInvoiceFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, einvoice.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(content) > einvoice.MaxBytes {
		return nil, fmt.Errorf("the file is larger than %d MB", einvoice.MaxBytes>>20)
	}
	// Readers of PDF look for the mark in the first 1,024 bytes.
	if !bytes.Contains(content[:min(len(content), 1024)], []byte("%PDF-")) {
		return content, nil
	}
	names := platen.InvoiceFileNames()
	inside, err := protect.Embedded(content, names...)
	if errors.Is(err, protect.ErrNothingEmbedded) {
		return nil, fmt.Errorf("the PDF has no e-invoice inside: no embedded file is called %s", strings.Join(names, ", "))
	}
	return inside, err
}

func errorsAmong(findings []einvoice.Finding) int {
	n := 0
	for _, f := range findings {
		if f.Severity == einvoice.Error {
			n++
		}
	}
	return n
}

type findingJSON struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Term     string `json:"term"`
	Field    string `json:"field"`
	Place    string `json:"place,omitempty"`
	Message  string `json:"message"`
	Cure     string `json:"cure"`
}

func printInvoiceJSON(to io.Writer, inv *einvoice.Invoice, findings []einvoice.Finding) error {
	out := struct {
		Syntax   string            `json:"syntax"`
		Profile  string            `json:"profile"`
		Valid    bool              `json:"valid"`
		Invoice  *einvoice.Invoice `json:"invoice"`
		Findings []findingJSON     `json:"findings"`
	}{string(inv.Syntax), inv.Profile(), errorsAmong(findings) == 0, inv, []findingJSON{}}
	for _, f := range findings {
		out.Findings = append(out.Findings, findingJSON{f.Rule, string(f.Severity), f.Term, f.Field, f.Place, f.Message, f.Cure})
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(out)
}

// printInvoice prints an invoice as people read it: who, what, how much, and what is wrong.
func printInvoice(to io.Writer, inv *einvoice.Invoice, findings []einvoice.Finding) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s of %s (%s, %s)\n\n", inv.TypeName(), shownOr(inv.Number), shownOr(inv.IssueDate), inv.Syntax, cli.Shown(inv.Profile()))
	err := errors.Join(
		tableTo(&b, "WHAT\tIS", func(row func(...string)) error {
			about(inv, func(what, is string) {
				if is != "" {
					row(what, cli.Shown(is))
				}
			})
			return nil
		}),
		section(&b, "LINE\tITEM\tQUANTITY\tUNIT\tPRICE\tVAT\tNET", inv.Lines, func(l einvoice.Line) []string {
			price := einvoice.FormatNumber(l.Price)
			if l.BaseQuantity.Valid {
				price += " for " + einvoice.FormatNumber(l.BaseQuantity)
			}
			return []string{l.ID, l.Name, einvoice.FormatNumber(l.Quantity), l.Unit, price, vatOf(l.Category, l.Rate), einvoice.FormatNumber(l.Net)}
		}),
		section(&b, "ALLOWANCE\tVAT\tAMOUNT", inv.Allowances, allowanceCells),
		section(&b, "CHARGE\tVAT\tAMOUNT", inv.Charges, allowanceCells),
		section(&b, "SERVICE CHARGE\tVAT\tAMOUNT", inv.ServiceCharges, func(s einvoice.ServiceCharge) []string {
			return []string{s.Description, vatOf(s.Category, s.Rate), einvoice.FormatNumber(s.Amount)}
		}),
		section(&b, "VAT\tTAXABLE\tTAX\tREASON OF EXEMPTION", inv.VAT, func(v einvoice.Breakdown) []string {
			return []string{vatOf(v.Category, v.Rate), einvoice.FormatNumber(v.Base), einvoice.FormatNumber(v.Tax), cmp.Or(v.Exemption, v.ExemptionCode)}
		}),
		totalsTable(&b, inv),
	)
	if err != nil {
		return err
	}
	b.WriteString("\n")
	for _, f := range findings {
		fmt.Fprintf(&b, "%s: %s\n", f.Severity, cli.Shown(f.String()))
	}
	if errorsAmong(findings) == 0 {
		b.WriteString("The invoice breaks no rule that a receiver refuses it for.\n")
	}
	_, err = to.Write(b.Bytes())
	return err
}

func shownOr(text string) string { return cli.Shown(cmp.Or(text, "-")) }

func vatOf(category string, rate einvoice.Number) string {
	if !rate.Valid {
		return category
	}
	return category + " " + einvoice.FormatNumber(rate) + " %"
}

func allowanceCells(a einvoice.Allowance) []string {
	return []string{cmp.Or(a.Reason, a.ReasonCode), vatOf(a.Category, a.Rate), einvoice.FormatNumber(a.Amount)}
}

// section prints a list as a table, nothing of an empty one.
func section[T any](to io.Writer, heading string, list []T, cells func(T) []string) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(to)
	return tableTo(to, heading, func(row func(...string)) error {
		for _, item := range list {
			shown := cells(item)
			for i := range shown {
				shown[i] = cli.Shown(shown[i])
			}
			row(shown...)
		}
		return nil
	})
}

// about has what the head of an invoice says.
func about(inv *einvoice.Invoice, row func(what, is string)) {
	row("Seller", partyLine(&inv.Seller))
	row("Buyer", partyLine(&inv.Buyer))
	if inv.Payee != nil {
		row("Payee", inv.Payee.Name)
	}
	if inv.Representative != nil {
		row("Tax representative", partyLine(inv.Representative))
	}
	if d := inv.Delivery; d != nil {
		row("Delivered", joined(d.Date, d.Name, addressLine(d.Address)))
	}
	if p := inv.Period; p != nil {
		row("Period", strings.Trim(p.Start+" to "+p.End, " "))
	}
	for _, term := range []struct{ name, value string }{
		{"Buyer reference", inv.BuyerReference}, {"Purchase order", inv.Order}, {"Sales order", inv.SalesOrder},
		{"Contract", inv.Contract}, {"Project", inv.Project}, {"Due", inv.DueDate}, {"Payment terms", strings.TrimSpace(inv.PaymentTerms)},
		{"Remittance", inv.Remittance},
	} {
		row(term.name, term.value)
	}
	for _, r := range inv.Preceding {
		row("Preceding invoice", joined(r.Number, r.Date))
	}
	for _, p := range inv.Payments {
		var account string
		if p.Account != nil {
			account = joined(p.Account.ID, p.Account.Name, p.Account.Bank)
		}
		row("Payment", joined(cmp.Or(p.Text, "code "+p.Code), account))
	}
	for _, n := range inv.Notes {
		row("Note", strings.TrimSpace(n.Text))
	}
	for _, d := range inv.Documents {
		name := ""
		if d.File != nil {
			name = d.File.Name
		}
		row("Document", joined(d.Reference, d.Description, d.URL, name))
	}
}

func joined(parts ...string) string {
	var given []string
	for _, p := range parts {
		if p != "" {
			given = append(given, p)
		}
	}
	return strings.Join(given, ", ")
}

func partyLine(p *einvoice.Party) string {
	vat := ""
	if id := cmp.Or(p.VATID, p.TaxID); id != "" {
		vat = "VAT " + id
	}
	return joined(p.Name, addressLine(p.Address), vat)
}

func addressLine(a *einvoice.Address) string {
	if a == nil {
		return ""
	}
	return joined(a.Line1, a.Line2, a.Line3, strings.TrimSpace(a.PostCode+" "+a.City), a.Subdivision, a.Country)
}

func totalsTable(to io.Writer, inv *einvoice.Invoice) error {
	t := inv.Totals
	if t == nil {
		return nil
	}
	fmt.Fprintln(to)
	return tableTo(to, "TOTAL\t"+cli.Shown(cmp.Or(inv.Currency, "AMOUNT")), func(row func(...string)) error {
		for _, total := range []struct {
			name   string
			amount einvoice.Number
		}{
			{"Lines", t.Lines}, {"Allowances", t.Allowances}, {"Charges", t.Charges}, {"Without VAT", t.WithoutVAT}, {"VAT", t.VAT},
			{"With VAT", t.WithVAT}, {"Paid", t.Paid}, {"Rounding", t.Rounding}, {"Due", t.Due},
		} {
			if total.amount.Valid {
				row(total.name, einvoice.FormatNumber(total.amount))
			}
		}
		if t.VATForeign.Valid {
			row("VAT in "+cli.Shown(inv.TaxCurrency), einvoice.FormatNumber(t.VATForeign))
		}
		return nil
	})
}
