package einvoice

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
)

var (
	// ErrForeign is a document that is neither CII nor UBL.
	ErrForeign = errors.New("the document is no e-invoice: it begins neither as CrossIndustryInvoice (CII) nor as Invoice or CreditNote (UBL)")
	// ErrOutdated is a ZUGFeRD 1, which has a syntax of its own.
	ErrOutdated = errors.New("the document is a ZUGFeRD 1, which is no e-invoice of EN 16931: ask the sender for ZUGFeRD 2 or XRechnung")
)

// Read reads an invoice in either syntax. It reports what it cannot read, such as a date
// that is none; Validate reports the rest. It fails for what is no invoice at all, and for
// a document over the limits of this package.
func Read(document []byte) (*Invoice, []Finding, error) {
	root, err := parse(document)
	if err != nil {
		return nil, nil, err
	}
	var found []Finding
	inv := &Invoice{}
	b := &binder{at: root, found: &found}
	switch root.name {
	case "rsm:CrossIndustryInvoice":
		inv.Syntax = CII
		bindCII(b, inv)
	case "ubl:Invoice":
		inv.Syntax = UBL
		bindUBL(b, inv, false)
		kindUBL(b, inv, "an Invoice", "invoice", "credit note")
	case "cn:CreditNote":
		inv.Syntax = UBL
		bindUBL(b, inv, true)
		kindUBL(b, inv, "a CreditNote", "credit note", "invoice")
	case ":CrossIndustryDocument":
		return nil, nil, ErrOutdated
	default:
		return nil, nil, ErrForeign
	}
	return inv, found, nil
}

// Write writes an invoice down in its syntax. It does not validate. The same invoice gives
// the same bytes.
func Write(inv *Invoice) ([]byte, error) {
	root, namespaces := &element{}, []vocabulary(nil)
	b := &binder{at: root, writing: true}
	switch inv.Syntax {
	case CII:
		root.name, namespaces = "rsm:CrossIndustryInvoice", ciiVocabulary
		bindCII(b, inv)
	case UBL:
		kind := ublInvoice
		if root.name = "ubl:Invoice"; inv.IsCreditNote() {
			root.name, kind = "cn:CreditNote", ublCreditNote
		}
		namespaces = append([]vocabulary{kind}, ublVocabulary...)
		bindUBL(b, inv, inv.IsCreditNote())
	default:
		return nil, fmt.Errorf("write an invoice: %q is neither %s nor %s", inv.Syntax, CII, UBL)
	}
	out := bytes.NewBufferString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	root.write(out, 0, namespaces)
	return out.Bytes(), nil
}

// Unwritten are terms of an invoice that Write leaves out: the syntax has room for them beside a
// payment alone, and the invoice has none.
func Unwritten(inv *Invoice) []string {
	if len(inv.Payments) > 0 {
		return nil
	}
	debit := cmp.Or(inv.Debit, &Debit{})
	var all []string
	for _, term := range []struct {
		number, text string
		isLost       bool
	}{
		{"BT-9", inv.DueDate, inv.Syntax == UBL && inv.IsCreditNote()},
		{"BT-83", inv.Remittance, inv.Syntax == UBL},
		{"BT-89", debit.Mandate, inv.Syntax == UBL},
		{"BT-91", debit.Account, true},
	} {
		if term.isLost && term.text != "" {
			all = append(all, term.number)
		}
	}
	return all
}
