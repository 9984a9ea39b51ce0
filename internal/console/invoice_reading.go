package console

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/platenhq/platen/internal/einvoice"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
)

// readInvoicePath is where anybody with a session reads an e-invoice, their own or a foreign one.
const readInvoicePath = "/console/e-invoice"

// A readInvoicePage is what an e-invoice says. Nothing of it is kept.
type readInvoicePage struct {
	Name     string // of the file
	Problem  saying
	Invoice  *einvoice.Invoice // nil: no file was read
	Errors   []einvoice.Finding
	Warnings []einvoice.Finding
}

func (s *site) askForInvoice(_ context.Context, r request) (view, error) {
	return view{Title: r.Text("Read an e-invoice"), Page: readInvoicePage{}}, nil
}

func (s *site) readInvoice(_ context.Context, r request) (view, error) {
	p := readInvoicePage{}
	content, err := r.chosen()
	switch {
	case err != nil:
		p.Problem = saidIn(r.Printer, refusalIn(err))
	case content == nil:
		p.Problem = own(r.Text("Choose a file first."))
	default:
		p.Name = r.file.name
		p.Problem = p.read(r, content)
	}
	v := view{Title: r.Text("Read an e-invoice"), Page: p}
	if p.Problem != "" {
		v.status = http.StatusBadRequest
	}
	return v, nil
}

// read reads a file, and says why it is no e-invoice.
func (p *readInvoicePage) read(r request, content []byte) (problem saying) {
	const firstBytes = 1024 // where readers of PDF look for its mark
	if bytes.Contains(content[:min(len(content), firstBytes)], []byte("%PDF-")) {
		names := platen.InvoiceFileNames()
		inside, err := protect.Embedded(content, names...)
		switch {
		case errors.Is(err, protect.ErrNothingEmbedded):
			return own(r.Text("The PDF has no e-invoice inside: no embedded file is called %s.", strings.Join(names, ", ")))
		case err != nil:
			return own(r.Text("The PDF cannot be read, or asks for a password."))
		}
		content = inside
	}
	inv, found, err := einvoice.Read(content)
	if err != nil {
		said := err.Error()
		return theirs(r.Printer, "", strings.ToUpper(said[:1])+said[1:]+".")
	}
	p.Invoice = inv
	for _, f := range append(found, einvoice.Validate(inv)...) {
		if f.Severity == einvoice.Error {
			p.Errors = append(p.Errors, f)
		} else {
			p.Warnings = append(p.Warnings, f)
		}
	}
	return ""
}
