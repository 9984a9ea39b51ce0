package preview

import (
	"context"
	"fmt"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// filled makes a copy, fills it, makes its PDF and removes it. The PDF is nil
// where the copy could not be filled with the data.
//
// The copy is noted first. It is forgotten only when it is known to be gone: a
// copy whose making was not answered may still appear, and Sweep finds it.
func (p *Previewer) filled(ctx context.Context, drive Drive, ownerID string, d platen.Document, e *lang.Evaluator, name string) (pdf []byte, drawn []platen.Finding, err error) {
	key := platen.NewID(platen.PrefixPreview)
	if err := p.Copies.NotePreviewCopy(ctx, key, ownerID); err != nil {
		return nil, nil, err
	}
	copied, err := drive.Copy(ctx, d.File.ID, name, key)
	if err != nil {
		return nil, nil, fmt.Errorf("copy the template: %w", err)
	}
	defer func() {
		// Nobody is waiting any more, or somebody has left: it goes all the same.
		removing, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
		defer cancel()
		kept, gone := p.remove(removing, drive, copied.ID, key)
		switch {
		case gone != nil && err == nil:
			pdf, drawn, err = nil, nil, gone
		case kept && err == nil:
			drawn = append(drawn, copyKept)
		}
	}()
	if err := fillCopy(ctx, drive, copied, e); err != nil {
		return nil, nil, unlessFaulty(err, e)
	}
	if pdf, drawn, err = drive.ExportPDFWithFindings(ctx, copied.ID); err != nil {
		return nil, nil, fmt.Errorf("export the sample as PDF: %w", err)
	}
	return pdf, drawn, nil
}

func fillCopy(ctx context.Context, drive Drive, copied platen.File, e *lang.Evaluator) error {
	nonce := platen.NewKey()
	var err error
	if copied.MIMEType == platen.MIMESlides {
		_, err = drive.EditPresentation(ctx, copied.ID, func(p *slidesapi.Presentation) ([]*slidesapi.Request, error) {
			return fill.Presentation(p, e, nonce)
		})
	} else {
		_, err = drive.EditDocument(ctx, copied.ID, func(d *docsapi.Document) ([]*docsapi.Request, error) {
			return fill.Document(d, e, nonce)
		})
	}
	return err
}

// copyKept is the finding of a preview whose copy is still there.
var copyKept = platen.Finding{Code: platen.CodeFileKept, Message: "The sample's copy of the template stays in the drive, which lets the workflow's owner neither delete nor trash it: give the owner the role of a content manager there, and remove the file by hand."}

// remove leaves what cannot be removed now to Sweep, and tells of it. A copy
// that the drive does not let go is kept, and forgotten: Sweep could do no
// more.
func (p *Previewer) remove(ctx context.Context, drive Drive, fileID, key string) (kept bool, err error) {
	err = drive.Delete(ctx, fileID)
	if kept = platen.IsFileKept(err); err != nil && !kept {
		return false, fmt.Errorf("remove the sample's copy: %w", err)
	}
	return kept, p.Copies.ForgetPreviewCopy(ctx, key)
}

// A Left copy was noted long ago and not forgotten.
type Left struct{ Key, OwnerID string }

// Sweep removes a copy that a process left behind which died, or whose drive did
// not answer. ctx bounds how long it waits for the drive. Run twice, also at
// once: what is gone is gone.
func (p *Previewer) Sweep(ctx context.Context, l Left) error {
	drive, err := p.Drives(ctx, l.OwnerID)
	if err != nil {
		return err
	}
	copies, err := drive.FindByKey(ctx, l.Key)
	if err != nil {
		return err
	}
	for _, f := range copies {
		if err := drive.Delete(ctx, f.ID); err != nil && !platen.IsFileKept(err) {
			return err
		}
	}
	return p.Copies.ForgetPreviewCopy(ctx, l.Key)
}
