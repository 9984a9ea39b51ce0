package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// An einvoicePatch is a document's e-invoice, whole; null takes it away.
type einvoicePatch struct {
	named, there    bool
	syntax, profile *string
	terms           string // the map as sent
	pointer         string // where the body names it
}

func (in *einvoicePatch) member() member {
	read := object(&in.there, members{
		"syntax":  text(&in.syntax, oneOf(string(platen.InvoiceCII), string(platen.InvoiceUBL))),
		"profile": text(&in.profile, invoiceProfile),
		"map":     objectAsText(&in.terms),
	}, "syntax", "profile", "map")
	return func(d *decoder, pointer string) {
		in.named, in.pointer = true, pointer
		allowNull(read)(d, pointer)
	}
}

// objectAsText is objectAsSent for what is compared.
func objectAsText(dst *string) member {
	return func(d *decoder, pointer string) {
		var sent []byte
		objectAsSent(&sent)(d, pointer)
		*dst = string(sent)
	}
}

var invoiceProfiles = oneOf(string(platen.InvoiceEN16931), string(platen.InvoiceBasic), string(platen.InvoiceExtended), string(platen.InvoiceXRechnung), string(platen.InvoicePeppol))

// invoiceProfile refuses profiles of Factur-X that are no invoice.
func invoiceProfile(s string) string {
	switch s {
	case "MINIMUM", "BASIC WL", "BASICWL":
		return "must not be " + s + ", which has no lines and is no invoice of EN 16931: write EN16931, or XRECHNUNG"
	}
	return invoiceProfiles(s)
}

func (in einvoicePatch) apply(d *platen.Document) {
	switch {
	case in.there:
		var terms bytes.Buffer
		_ = json.Compact(&terms, []byte(in.terms)) // it was read
		d.EInvoice = &platen.EInvoice{Syntax: platen.InvoiceSyntax(*in.syntax), Profile: platen.InvoiceProfile(*in.profile), Map: terms.String()}
	case in.named:
		d.EInvoice = nil
	}
}

// invoiceFaults are those of a map, at their places in the body.
func (s *server) invoiceFaults(in einvoicePatch, pointer string) []platen.Fault {
	if !in.there || s.invoiceMap == nil {
		return nil
	}
	faults := s.invoiceMap(platen.InvoiceProfile(*in.profile), []byte(in.terms))
	for i := range faults {
		faults[i].Pointer = pointer + "/einvoice/map" + faults[i].Pointer
	}
	return faults
}

type einvoiceJSON struct {
	Syntax  platen.InvoiceSyntax  `json:"syntax"`
	Profile platen.InvoiceProfile `json:"profile"`
	Map     json.RawMessage       `json:"map"`
}

func einvoiceOf(d platen.Document) *einvoiceJSON {
	if d.EInvoice == nil {
		return nil
	}
	return &einvoiceJSON{d.EInvoice.Syntax, d.EInvoice.Profile, json.RawMessage(d.EInvoice.Map)}
}

// proposalJSON is a setting to be looked at, and sent as it is or changed.
type proposalJSON struct {
	EInvoice einvoiceJSON      `json:"einvoice"`
	Open     []invoiceTermJSON `json:"open"`
}

type invoiceTermJSON struct {
	Term string `json:"term"`
	Name string `json:"name"`
}

// proposeInvoice proposes what the terms of an e-invoice are filled with, and changes nothing.
func (s *server) proposeInvoice(w http.ResponseWriter, r *http.Request) error {
	wf, d, err := s.findDocument(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	var profile *string
	if err := decode(body, members{"profile": text(&profile, invoiceProfile)}, "profile"); err != nil {
		return err
	}
	if s.templates == nil {
		return platen.Errorf(platen.KindUnavailable, "check_unavailable", "Templates cannot be checked here.")
	}
	fields, err := s.fieldsToCheck(r.Context(), wf, nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), s.driveTimeout, errDriveTimeout)
	defer cancel()
	wanted := platen.InvoiceProfile(*profile)
	proposed, err := s.templates.ProposeInvoice(ctx, wf, d, wanted, fields)
	if err != nil {
		return sampleError(ctx, err)
	}
	out := proposalJSON{EInvoice: einvoiceJSON{platen.InvoiceCII, wanted, json.RawMessage(proposed.Map)}, Open: []invoiceTermJSON{}}
	if wanted == platen.InvoicePeppol {
		out.EInvoice.Syntax = platen.InvoiceUBL
	}
	for _, term := range proposed.Open {
		out.Open = append(out.Open, invoiceTermJSON{term.Number, term.Name})
	}
	return edge.WriteJSON(w, http.StatusOK, out)
}

// invoiceCountJSON says what becomes of events with the e-invoice of a document.
type invoiceCountJSON struct {
	Made    int `json:"made"`
	Refused int `json:"refused"`
}

// countInvoices tells of how many of the last events an e-invoice is made, or with data of that
// alone, and what is wrong with the newest that is refused. nil: the document makes none.
func (s *server) countInvoices(ctx context.Context, wf platen.Workflow, d platen.Document, data []byte) (*invoiceCountJSON, []platen.TemplateFinding, error) {
	if d.EInvoice == nil || !d.CreatePDFCopy {
		return nil, nil, nil
	}
	events, err := s.pastEvents(ctx, wf, data)
	if err != nil {
		return nil, nil, err
	}
	counted, err := s.templates.CountInvoices(ctx, wf, d, events)
	if data != nil {
		counted.Findings = nil // the check with this data has them
	}
	return &invoiceCountJSON{counted.Made, counted.Refused}, counted.Findings, err
}

// errNoInvoice is the answer for an output without an e-invoice inside.
func errNoInvoice(cause error) error {
	return &platen.Error{Kind: platen.KindInvalid, Code: "einvoice_none", Err: cause,
		Message: "The output has no e-invoice: its PDF holds none. Set einvoice of the document, and send the event again."}
}

// getOutputInvoice answers with the XML of the e-invoice that is in the PDF of an output. It is
// kept there alone, so that neither can be lost without the other.
func (s *server) getOutputInvoice(w http.ResponseWriter, r *http.Request) error {
	wf, o, err := s.findOutput(r)
	if err == nil {
		err = refuseParameters(r)
	}
	if err == nil {
		err = hasPDF(o)
	}
	if err != nil {
		return err
	}
	if o.PDF == nil || s.invoiceIn == nil {
		return errNoInvoice(nil)
	}
	if err := s.outputReads.Take(w.Header(), sha256.Sum256([]byte(caller(r.Context()).ID))); err != nil {
		return err
	}
	pdf, err := s.outputFiles.read(r.Context(), wf.Owner.ID, caller(r.Context()).ID, o)
	if err != nil {
		return err
	}
	xml, err := s.invoiceIn(pdf)
	if err != nil {
		return errNoInvoice(err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/xml")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", disposition("attachment", strings.TrimSuffix(pdfName(o), ".pdf")+".xml"))
	h.Set("Content-Length", strconv.Itoa(len(xml)))
	_, _ = w.Write(xml) // fails only when nobody listens any more
	return nil
}
