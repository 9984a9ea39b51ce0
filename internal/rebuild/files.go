package rebuild

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
)

// files are those of one output that is made.
type files struct {
	platen.FoundFiles
	attempt int // of its event
}

// generationsAhead is how many generations of the copy a run may have made since the
// backup: each stands for a death in the middle of a fill.
const generationsAhead = 3

// A search is for what a run made of a document.
type search struct {
	drive    Drive
	document platen.Document
	filling  *fill.Filling // what fills it
}

// findFiles looks for what a run made of the document, and tells whether it is
// complete. A PDF is uploaded when all else is done; its original is in the latest
// generation that is filled. A copy alone may be one that was not filled, unless the
// run made every document and the drive did not go back.
//
// An error of a kind that activities.Retryable does not retry is about the account: its
// files cannot be listed, or its connection broke. A file that cannot be read is no error.
func (s search) findFiles(ctx context.Context, o platen.Output, run platen.LatestRun) (files, bool, error) {
	found, d := files{platen.FoundFiles{Generation: o.Generation}, run.Attempt}, s.document
	if !d.CreatePDFCopy && !run.Completed {
		return found, false, nil
	}
	if d.CreatePDFCopy {
		pdf, unsure, err := findPDF(ctx, s.drive, o)
		if err != nil || pdf == nil {
			return found, false, err
		}
		found.PDF, found.Unsure = pdf, unsure
		if said := attemptOf(*pdf); said > 0 && said < run.Attempt {
			found.attempt = said
		}
	}
	// Each attempt may have begun a generation, too.
	for generation := o.Generation + run.Attempt + generationsAhead; generation >= 0; generation-- {
		copies, err := s.drive.FindByKey(ctx, platen.Output{ID: o.ID, Generation: generation}.CopyKey())
		if err != nil {
			return found, false, fmt.Errorf("look for the copy: %w", err)
		}
		if d.RemoveOutput && found.PDF != nil {
			for _, c := range copies {
				found.ThrownAway = append(found.ThrownAway, c.ID)
			}
			continue
		}
		original, ok, err := s.theFilled(ctx, copies)
		if err != nil {
			return found, false, err
		}
		if ok {
			found.Generation, found.Original = generation, &original
			found.Unsure = found.Unsure || len(copies) > 1
		}
		if ok || found.PDF == nil && len(copies) > 0 {
			break
		}
	}
	if found.PDF == nil && found.Original != nil && found.Generation == o.Generation { // a retry makes the next one
		found.attempt = o.Attempt
	}
	return found, found.PDF != nil || found.Original != nil, nil
}

// theFilled returns that of the copies under one key into which something was filled,
// if any: a step that was cut off may have left another. A copy waits to be filled if
// tags stand in it and nothing was filled into it. It counts as filled if the drive
// never shows it, or if no other can be made because its template is gone.
func (s search) theFilled(ctx context.Context, copies []platen.File) (filled platen.File, ok bool, err error) {
	for _, c := range copies {
		is, err := fill.Compare(ctx, s.drive, s.document.File, c, s.filling)
		switch {
		case isGone(err): // since it was listed
		case isForGood(err):
			return c, true, nil
		case err != nil:
			return platen.File{}, false, fmt.Errorf("look into a copy: %w", err)
		case is.NoTemplate || !is.Untouched || !is.HasTags:
			return c, true, nil
		}
	}
	return platen.File{}, false, nil
}

// isGone tells of a file that is not there.
func isGone(err error) bool { return err != nil && platen.KindOf(err) == platen.KindNotFound }

// isForGood reports whether another attempt would fail with the same error.
func isForGood(err error) bool { return err != nil && !activities.MayPass(err) }

// attemptOf returns the attempt of a PDF's event; 0: the PDF does not name it.
func attemptOf(pdf platen.File) int {
	said, err := strconv.Atoi(pdf.Properties[platen.PropertyAttempt])
	if err != nil {
		return 0
	}
	return said
}

// findPDF returns the PDF of an output with its hash; nil: the drive has none. unsure:
// another of several PDFs may be the right one. Of several it returns the one whose
// upload the row records, else the first of the latest attempt, because the event of an
// earlier one said that it failed. A PDF that cannot be read has no hash.
func findPDF(ctx context.Context, drive Drive, o platen.Output) (_ *platen.File, unsure bool, err error) {
	found, err := drive.FindByKey(ctx, o.ID)
	if err != nil {
		return nil, false, fmt.Errorf("look for the PDF: %w", err)
	}
	if len(found) == 0 {
		return nil, false, nil
	}
	pdf := slices.MaxFunc(found, func(a, b platen.File) int { return cmp.Compare(attemptOf(a), attemptOf(b)) })
	unsure = len(found) > 1
	for _, f := range found {
		if f.ID == o.PDFID {
			pdf, unsure = f, false
		}
	}
	if pdf.SHA256 == "" {
		content, err := drive.Download(ctx, pdf.ID)
		switch {
		case isGone(err): // since it was listed
			return nil, false, nil
		case err == nil:
			sum := sha256.Sum256(content)
			pdf.SHA256 = hex.EncodeToString(sum[:])
		case !isForGood(err):
			return nil, false, fmt.Errorf("read the PDF: %w", err)
		}
	}
	return &pdf, unsure, nil
}
