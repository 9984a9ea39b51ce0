package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/platen"
)

// fileTimeout bounds the drive's part: an export of a large original takes its time.
const fileTimeout = 40 * time.Second

// fileTurns are those to read a file of an output: each is in memory, 32 MiB at most.
var fileTurns = admission.Places{Total: 4, PerKey: 2, Patience: 15 * time.Second}

var (
	// A page of the console shows fifty first pages.
	outputFileRate = edge.Rate{PerSecond: 5, Burst: 100}
	zipRate        = edge.Rate{PerSecond: 1, Burst: 3}
)

// FileQuotas shares what a drive allows in a minute with the runs of others.
type FileQuotas interface {
	// ReservePreview takes what a reader who does not wait in line will use; files of
	// outputs share with previews what is left by runs.
	ReservePreview(ctx context.Context, ownerID string, asks platen.Usage) (_ context.Context, done func(), _ error)
}

// outputFiles reads the PDFs of outputs in the drive of their workflow's owner, whose
// team the caller is in.
type outputFiles struct {
	drives Drives
	quotas FileQuotas       // nil: nothing is counted
	turns  *admission.Keyed // by caller
}

// hasPDF tells why an output has nothing to read; nil: it has.
func hasPDF(o platen.Output) error {
	switch {
	case len(o.Files()) > 0 && o.State == platen.OutputDone:
		return nil
	case o.State == platen.OutputDone:
		return platen.Errorf(platen.KindInvalid, platen.CodeDataErased, "The files of the output were erased.")
	}
	return platen.ErrOutputNotMade(o.State)
}

// maySee is hasPDF for somebody who looks at one output: an output that waits for people is
// there to be looked at. What puts outputs together to pass them on leaves it out.
func maySee(o platen.Output) error {
	if o.State == platen.OutputReview && o.PDF != nil {
		return nil
	}
	return hasPDF(o)
}

// pdfName is what the PDF of an output that hasPDF is called.
func pdfName(o platen.Output) string {
	if o.PDF != nil {
		return o.PDF.Name
	}
	return o.Copy.Name + ".pdf"
}

// read returns the PDF of an output that hasPDF: the one that was stored, encrypted where
// it is, else an export of the original as it is now. Of an output that people are asked, or
// were asked, to approve, other bytes than theirs are KindInvalid with code
// platen.CodeApprovedFileChanged.
func (f *outputFiles) read(ctx context.Context, ownerID, callerID string, o platen.Output) ([]byte, error) {
	leave, err := f.turns.Take(ctx, callerID)
	if err != nil {
		return nil, &platen.Error{Kind: platen.KindUnavailable, Code: "outputs_busy", RetryAfter: 5 * time.Second,
			Message: "Too many files of outputs are read at once. Try again in a moment."}
	}
	defer leave()
	ctx, cancel := context.WithTimeoutCause(ctx, fileTimeout, errDriveTimeout)
	defer cancel()
	if f.quotas != nil {
		var asks platen.Usage
		asks[platen.DriveUnits] = 205 // a download, and where an export is too large, its link
		reserved, done, err := f.quotas.ReservePreview(ctx, ownerID, asks)
		if err != nil {
			return nil, outputFileError(ctx, err)
		}
		defer done()
		ctx = reserved
	}
	drive, err := f.drives(ctx, ownerID)
	if err != nil {
		return nil, outputFileError(ctx, err)
	}
	var content []byte
	if o.PDF != nil {
		content, err = drive.Download(ctx, o.PDF.ID)
	} else {
		content, err = drive.ExportPDF(ctx, o.Copy.ID)
	}
	if err == nil && !o.IsApproved(content) {
		return nil, platen.ErrApprovedFileChanged()
	}
	return content, outputFileError(ctx, err)
}

// outputFileError turns a failed drive call into the error for a caller who reads an
// output file.
func outputFileError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	e, _ := errors.AsType[*platen.Error](err)
	if e != nil && (e.Kind == platen.KindNotFound || e.Code == "drive_file_not_found" || e.Code == "drive_file_forbidden") {
		return &platen.Error{Kind: platen.KindInvalid, Code: "output_file_removed", Err: err,
			Message: "The file of the output is not in the drive any more, or the workflow's owner may not read it. Look for it in the drive's trash."}
	}
	return driveError(ctx, "", err)
}

func (s *server) findOutput(r *http.Request) (wf platen.Workflow, o platen.Output, err error) {
	if wf, err = s.find(r); err != nil {
		return wf, o, err
	}
	id := mux.Vars(r)["output"]
	if !platen.IsID(platen.PrefixOutput, id) {
		return wf, o, platen.ErrOutputNotFound()
	}
	edge.Note(r.Context(), slog.String("output", id))
	found, err := s.Outputs.WorkflowOutputs(r.Context(), caller(r.Context()), wf.ID, platen.OutputQuery{IDs: []string{id}})
	i := slices.IndexFunc(found, func(o platen.Output) bool { return o.ID == id })
	if err != nil || i < 0 {
		return wf, o, cmp.Or(err, platen.ErrOutputNotFound())
	}
	return wf, found[i], nil
}

// getOutputPDF answers with the PDF of an output. A stored one has an entity tag, which
// the database knows: who has it already gets 304, and the drive is not asked.
func (s *server) getOutputPDF(w http.ResponseWriter, r *http.Request) error {
	wf, o, err := s.findOutput(r)
	if err != nil {
		return err
	}
	if err := refuseParameters(r); err != nil {
		return err
	}
	if err := maySee(o); err != nil {
		return err
	}
	tag := ""
	if o.PDF != nil && o.PDF.SHA256 != "" {
		tag = entityTag([]byte(o.PDF.ID + o.PDF.SHA256))
		if sent := r.Header.Values("If-None-Match"); sent != nil && hasEntityTag(sent, tag, true) {
			tagPDF(w, tag)
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	if err := s.outputReads.Take(w.Header(), sha256.Sum256([]byte(caller(r.Context()).ID))); err != nil {
		return err
	}
	content, err := s.outputFiles.read(r.Context(), wf.Owner.ID, caller(r.Context()).ID, o)
	if err != nil {
		return err
	}
	tagPDF(w, tag)
	h := w.Header()
	h.Set("Content-Type", platen.MIMEPDF)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", disposition("inline", pdfName(o)))
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content) // fails only when nobody listens any more
	return nil
}

// tagPDF lets a client keep a PDF that does not change, and ask whether it is still there.
func tagPDF(w http.ResponseWriter, tag string) {
	if tag != "" {
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "private, no-cache")
	}
}

// disposition is a Content-Disposition with a safe name (RFC 6266).
func disposition(kind, name string) string {
	return mime.FormatMediaType(kind, map[string]string{"filename": safeName(name)})
}
