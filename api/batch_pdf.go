package api

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/platen"
)

// A BoundPDF is one PDF that is written out of many.
type BoundPDF interface {
	// Add writes the pages of a PDF, with a bookmark of this title. KindInvalid: it cannot be
	// read, and nothing of it is written.
	Add(title string, pdf []byte) error
	// Close writes the end, with a text about what is left out; empty: nothing is.
	Close(left []byte) error
}

// boundPDFs are those that are sent at once. Each holds a PDF of 32 MiB at most, or what is
// written of it.
var boundPDFs = admission.Places{Total: 16, PerKey: 1, Patience: 15 * time.Second}

// bindTurns are those to bind one PDF more, with all its objects in memory. A reader who is
// slow holds none.
var bindTurns = admission.Places{Total: 2}

// bindBatch answers with one PDF that has the pages of all outputs of a batch in the order of
// its rows, with a bookmark for each. It is sent while the outputs are read.
func (s *server) bindBatch(w http.ResponseWriter, r *http.Request) error {
	f, err := s.batchFiles(w, r)
	if err != nil {
		return err
	}
	if err := f.canBeBound(); err != nil {
		return err
	}
	leave, err := s.boundPDFs.Take(r.Context(), f.callerID)
	if err != nil {
		return &platen.Error{Kind: platen.KindUnavailable, Code: "outputs_busy", RetryAfter: 5 * time.Second,
			Message: "Too many files of outputs are read at once. Try again in a moment."}
	}
	defer leave()
	if !f.begin(w, platen.MIMEPDF, ".pdf") {
		return nil
	}
	f.open = true
	var made bytes.Buffer
	pdf := s.bind(&made, strings.TrimSpace(f.of.Name+" "+f.of.ID))
	send := func() bool { // false: nobody listens any more
		_ = f.out.SetWriteDeadline(time.Now().Add(zipEntryWindow))
		_, err := made.WriteTo(w)
		_ = f.out.Flush() // the next write tells
		return err == nil
	}
	bound := 0
	if !f.send(func(_ int, o platen.Output, content []byte) (bool, error) {
		leave, err := s.bindTurns.Take(r.Context(), f.callerID)
		if err != nil {
			return false, nil // nobody listens any more
		}
		err = pdf.Add(strings.TrimSuffix(pdfName(o), ".pdf"), content)
		leave()
		if err == nil {
			bound++
		}
		return send(), err
	}) {
		return nil
	}
	if err := pdf.Close([]byte(f.left.String())); err != nil {
		panic(http.ErrAbortHandler) // half of it must not look like all
	}
	send()
	edge.Note(r.Context(), slog.Int("bound", bound))
	return nil
}

// canBeBound refuses rows without a PDF that opens without a password, before the answer
// begins.
func (f *batchFiles) canBeBound() error {
	found, encrypted := false, false
	_, err := f.each(func(row platen.StoredRow) bool {
		for _, o := range row.Outputs {
			if hasPDF(o) != nil {
				continue
			}
			if isEncrypted(o) {
				encrypted = true
			} else {
				found = true
			}
		}
		return !found
	})
	switch {
	case err != nil || found:
		return err
	case encrypted:
		return errEncrypted
	}
	return platen.Errorf(platen.KindInvalid, "batch_without_pdf", "No output of these rows is made yet, or none has a PDF any more. Look at the rows of the batch.")
}

// isEncrypted tells whether the PDF of an output has a password.
func isEncrypted(o platen.Output) bool {
	return o.PDF != nil && o.PDF.Protection() == platen.ProtectionPassword
}

// errEncrypted is that of an output that opens with its password alone.
var errEncrypted = platen.Errorf(platen.KindInvalid, "outputs_encrypted", "Outputs with a password are not put into one PDF: it would open without. Download the zip, whose files keep their passwords.")
