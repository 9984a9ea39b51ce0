package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// AppendResult counts what stands behind the document's own pages.
type AppendResult struct {
	Files   int
	Missing int // tags of templates without data
}

// FillAppendices gets the files ready that are appended to the PDF: it sees that the PDFs
// are there, and fills a copy of each template with the event of the document.
//
// Run twice: what is ready is noted file by file. A copy is filled by the execution that
// made it, and by no other. A copy that was begun and not noted is thrown away, because no
// event names these copies: they carry a key of their own (platen.Output.AppendixKey),
// MakePDF removes them when the PDF is there, and what it could not remove is an orphan.
func (d *Documents) FillAppendices(ctx context.Context, in Step) (AppendResult, error) {
	j, err := d.job(ctx, in)
	if err != nil {
		return AppendResult{}, err
	}
	o, err := d.ensureAppendices(ctx, j)
	var missing []string
	for _, a := range o.Appendices {
		missing = platen.UnionOfFields(missing, a.Missing)
	}
	return AppendResult{Files: len(o.Appendices), Missing: len(missing)}, d.keepNotes(ctx, in.OutputID, err)
}

// ensureAppendices returns the filled output with all that is to be appended to its PDF,
// or as it ended.
func (d *Documents) ensureAppendices(ctx context.Context, j job) (platen.Output, error) {
	o, _, err := d.ensureFilled(ctx, j)
	wanted := j.planned.Document.Appended()
	for err == nil && o.Phase() < platen.PhaseStored && len(o.Appendices) < len(wanted) {
		o, err = d.nextAppendix(ctx, j, o, wanted[len(o.Appendices)])
	}
	return o, err
}

// nextAppendix gets the next of an output's appendices ready.
func (d *Documents) nextAppendix(ctx context.Context, j job, o platen.Output, fileID string) (platen.Output, error) {
	file, filledAs, err := appendixFile(ctx, j, fileID)
	if err != nil {
		return o, err
	}
	if filledAs == "" && j.planned.Document.RequiresAccessibility() {
		return o, platen.ErrAppendixUntagged(file.Name)
	}
	if filledAs == "" {
		return d.noteAppendix(ctx, j, o, platen.Appendix{FileID: fileID, Name: file.Name, Size: file.Size})
	}
	ctx, done, err := d.reserve(ctx, j, quotaOfAppendix(filledAs), nothingLater)
	if err != nil {
		return o, err
	}
	defer done(true)
	again, seen := false, o
	o, err = d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) (err error) {
		again, err = current.BeginAppendix(j.step.Attempt, seen)
		return err
	})
	if err != nil {
		return o, fmt.Errorf("note that a copy of an appended template begins: %w", err)
	}
	if again {
		if err := d.discardBegun(ctx, j, o); err != nil {
			return o, err
		}
	}
	return d.fillAppendix(ctx, j, o, file, filledAs)
}

// appendixFile looks at a file that is to be appended, and tells what it is filled as;
// empty: a PDF.
func appendixFile(ctx context.Context, j job, fileID string) (_ platen.File, filledAs string, _ error) {
	of := j.planned.Document.ID
	file, err := j.drive.File(ctx, fileID)
	switch {
	case isFileNotFound(err), isFileForbidden(err), err == nil && file.Trashed:
		return file, "", errAppendixNotFound(of, fileID, err)
	case err != nil:
		return file, "", fmt.Errorf("look for the appended file: %w", err)
	}
	filledAs, ok := platen.AppendedAs(file.MIMEType)
	if !ok {
		return file, "", platen.Errorf(platen.KindInvalid, platen.CodeAppendixType,
			"The appended file %q of document %s is of type %.100s. Append a PDF, a text document or a presentation.", file.Name, of, file.MIMEType)
	}
	return file, filledAs, nil
}

// errAppendixNotFound says that a file that is to be appended cannot be had; err is the
// drive's.
func errAppendixNotFound(documentID, fileID string, err error) error {
	return &platen.Error{Kind: platen.KindInvalid, Code: platen.CodeAppendixNotFound, Err: err,
		Message: fmt.Sprintf("appendices of document %s names the file %s, which the workflow's owner cannot open in the drive. Restore the file or share it with the owner, then retry the run. Or take it out of appendices, and send the event again.", documentID, fileID)}
}

// discardBegun trashes copies of appended templates that the output does not note.
func (d *Documents) discardBegun(ctx context.Context, j job, o platen.Output) error {
	found, err := j.drive.FindByKey(ctx, o.AppendixKey())
	if err != nil {
		return fmt.Errorf("look for copies of appended templates: %w", err)
	}
	for _, f := range found {
		if slices.Contains(o.AppendixCopies(), f.ID) {
			continue
		}
		if err := discard(ctx, j.drive, f.ID); err != nil {
			return fmt.Errorf("remove a copy of an appended template: %w", err)
		}
	}
	return nil
}

// fillAppendix makes a filled copy of a template, beside that of the document.
func (d *Documents) fillAppendix(ctx context.Context, j job, o platen.Output, file platen.File, filledAs string) (platen.Output, error) {
	folder, err := folderOf(ctx, j.drive, *o.Copy)
	if err != nil {
		return o, d.unlessSuperseded(ctx, j, o, err)
	}
	protection := platen.ProtectionNone
	if j.planned.Document.Encrypts() {
		protection = platen.ProtectionCredentials
	}
	as := filledAs
	if as == file.MIMEType {
		as = ""
	}
	copied, err := j.drive.CopyAs(ctx, as, folder, file.ID, o.Copy.Name+" - "+file.Name, o.AppendixKey(), protection)
	if err != nil {
		return o, ofAppendix(file.Name, fmt.Errorf("copy an appended template: %w", err))
	}
	out, err := d.fillCopy(ctx, j, o, file.ID, copied, filledAs)
	if err != nil {
		d.discardUnfilled(ctx, j, copied.ID, err)
		return o, ofAppendix(file.Name, fmt.Errorf("fill an appended template: %w", err))
	}
	ready := platen.Appendix{FileID: file.ID, Name: file.Name, CopyID: copied.ID, Missing: out.Missing}
	for _, note := range out.Notes {
		ready.Notes = append(ready.Notes, ofAppendixFinding(file.Name, note))
	}
	return d.noteAppendix(ctx, j, o, ready)
}

// fillCopy fills a copy of an appended template, unless the document is not to be made
// with this data.
func (d *Documents) fillCopy(ctx context.Context, j job, o platen.Output, fileID string, copied platen.File, filledAs string) (fill.Outcome, error) {
	filling, err := d.fillingOfAppendix(ctx, j, copied, filledAs)
	if err != nil {
		return fill.Outcome{}, err
	}
	if d.Include != nil {
		filling.Include = d.Include(j.plan.OwnerID, fileID)
	}
	return filling.Fill(ctx, j.drive, copied, func(out fill.Outcome) error {
		if refusal := filling.RefuseMissing(out.Missing); refusal != nil {
			return d.refuse(ctx, o, refusal)
		}
		return nil
	})
}

// discardUnfilled trashes a copy that the drive has refused to fill, so that tries pile up
// none. What cannot be removed now is an orphan.
func (d *Documents) discardUnfilled(ctx context.Context, j job, copyID string, refused error) {
	if _, ok := errors.AsType[*platen.Error](refused); !ok {
		return
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	_ = discard(within, j.drive, copyID)
}

// discardTimeout bounds the removal of a copy, after a failed step as well.
const discardTimeout = 3 * time.Second

// fillingOfAppendix returns what fills a copy of an appended template: the same event,
// numbers and rules as those of the document.
func (d *Documents) fillingOfAppendix(ctx context.Context, j job, copied platen.File, filledAs string) (*fill.Filling, error) {
	j.planned.Document = j.planned.Document.OfAppendix(copied, filledAs)
	filling, err := d.filling(ctx, j)
	if err != nil {
		return nil, err
	}
	filling.Readings = nil // they are of the document's own template
	if d.Pictures != nil {
		filling.Obtain = func(p lang.Picture) (lang.Obtained, error) { return d.Pictures.Obtain(ctx, p, j.drive.Download) }
	}
	return filling, nil
}

// noteAppendix notes that an appendix is ready. A copy that another execution was ahead
// with is removed.
func (d *Documents) noteAppendix(ctx context.Context, j job, o platen.Output, ready platen.Appendix) (platen.Output, error) {
	now, err := d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error {
		return current.TakeAppendix(j.step.Attempt, o, ready)
	})
	if err == nil {
		return now, nil
	}
	if ready.CopyID != "" && platen.KindOf(err) == platen.KindConflict {
		if gone := discard(ctx, j.drive, ready.CopyID); gone != nil {
			return o, fmt.Errorf("remove a copy of an appended template that came too late: %w", gone)
		}
	}
	return o, fmt.Errorf("note that an appended file is ready: %w", err)
}

// ofAppendix says of a failure for good which appended file it is about.
func ofAppendix(name string, err error) error {
	e, ok := errors.AsType[*platen.Error](err)
	if !ok || MayPass(err) {
		return err
	}
	return &platen.Error{Kind: e.Kind, Code: e.Code, Message: fmt.Sprintf("In the appended file %q: %s", name, e.Message), Err: err}
}

// ofAppendixFinding is a finding with the appended file that it is about.
func ofAppendixFinding(name string, f platen.Finding) platen.Finding {
	return platen.Finding{Code: f.Code, Message: fmt.Sprintf("In the appended file %q: %s", name, f.Message)}
}
