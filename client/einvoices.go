package client

import (
	"context"
	"encoding/json"
)

// An EInvoice says how the e-invoice in the PDFs of a document is made.
type EInvoice struct {
	Syntax  string `json:"syntax"`  // CII, UBL
	Profile string `json:"profile"` // EN16931, BASIC, EXTENDED, XRECHNUNG, PEPPOL
	// Map is a JSON object: what each business term of EN 16931 is filled with, such as
	// {"BT-1": "{{Number invoices}}", "BG-25": {"each": "Items", "BT-129": "{{Qty}}"}}.
	Map json.RawMessage `json:"map"`
}

// MarshalJSON writes the zero EInvoice as null, which takes the e-invoice of a document away.
func (e EInvoice) MarshalJSON() ([]byte, error) {
	if e.Syntax == "" && e.Profile == "" && len(e.Map) == 0 {
		return []byte("null"), nil
	}
	type fields EInvoice
	return json.Marshal(fields(e))
}

// An EInvoiceProposal is a setting by the names of fields, for somebody to look at.
type EInvoiceProposal struct {
	EInvoice EInvoice `json:"einvoice"`
	// Open are terms that the profile asks for and that no field seems to have.
	Open []InvoiceTerm `json:"open"`
}

// An InvoiceTerm is a business term of EN 16931.
type InvoiceTerm struct {
	Term string `json:"term"` // BT-27
	Name string `json:"name"` // Seller name
}

// ProposeEInvoice proposes the e-invoice of a document for a profile. Nothing is changed.
func (c *Client) ProposeEInvoice(ctx context.Context, workflowID, documentID, profile string) (EInvoiceProposal, error) {
	return post[EInvoiceProposal](ctx, c, documentPath(workflowID, documentID)+"einvoice/propose/", map[string]string{"profile": profile})
}

// EInvoiceCount says of how many events an e-invoice is made.
type EInvoiceCount struct {
	Made    int `json:"made"`
	Refused int `json:"refused"` // a receiver would refuse it, so that the output fails
}
