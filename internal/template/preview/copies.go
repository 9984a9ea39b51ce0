package preview

import (
	"context"
	"fmt"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
)

// fillCopy makes a copy, fills it, makes its PDF and removes it. The PDF is nil
// where the copy could not be filled with the data: the outcome says why.
//
// The copy is noted first. It is forgotten only when it is known to be gone: a
// copy whose making was not answered may still appear, and RemoveOrphan finds it.
func (p *Previewer) fillCopy(ctx context.Context, s subject, ownerID string, d platen.Document, name string) (made sampled, err error) {
	key := platen.NewID(platen.PrefixPreview)
	if err := p.Copies.NotePreviewCopy(ctx, key, ownerID); err != nil {
		return made, err
	}
	copied, err := s.drive.Copy(ctx, d.File.ID, name, key)
	if err != nil {
		return made, fmt.Errorf("copy the template: %w", err)
	}
	defer func() {
		// Nobody is waiting any more, or somebody has left: it goes all the same.
		removing, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
		defer cancel()
		kept, gone := p.remove(removing, s.drive, copied.ID, key)
		switch {
		case gone != nil && err == nil:
			made.pdf, made.findings, err = nil, nil, gone
		case kept && err == nil:
			made.findings = append(made.findings, copyKept)
		}
	}()
	if made.outcome, err = s.filling.Fill(ctx, s.drive, copied, nil); err != nil {
		if made.outcome.Explains(err) {
			return made, nil
		}
		return made, fmt.Errorf("fill the copy: %w", err)
	}
	if made.pdf, made.findings, err = s.drive.ExportPDFWithFindings(ctx, copied.ID); err != nil {
		return made, fmt.Errorf("export the sample as PDF: %w", err)
	}
	return made, nil
}

// sampled is what became of a copy.
type sampled struct {
	outcome  fill.Outcome
	pdf      []byte
	findings []platen.Finding // what the PDF does not show
}

// copyKept is the finding of a preview whose copy is still there.
var copyKept = platen.Finding{Code: platen.CodeFileKept, Message: "The sample's copy of the template stays in the drive, which lets the workflow's owner neither delete nor trash it. Give the owner the role of a content manager there, and remove the file by hand."}

// remove leaves what cannot be removed now to RemoveOrphan, and tells of it. A
// copy that the drive does not let go is kept, and forgotten: RemoveOrphan could
// not remove it either.
func (p *Previewer) remove(ctx context.Context, drive Drive, fileID, key string) (kept bool, err error) {
	err = drive.Delete(ctx, fileID)
	if kept = platen.IsFileKept(err); err != nil && !kept {
		return false, fmt.Errorf("remove the sample's copy: %w", err)
	}
	return kept, p.Copies.ForgetPreviewCopy(ctx, key)
}

// RemoveOrphan removes a copy that was noted long ago and not forgotten: its
// process died, or its drive did not answer. ctx bounds how long it waits for the
// drive. Run twice, also at once: what is gone is gone.
func (p *Previewer) RemoveOrphan(ctx context.Context, c platen.PreviewCopy) error {
	drive, err := p.Drives(ctx, c.OwnerID)
	if err != nil {
		return err
	}
	copies, err := drive.FindByKey(ctx, c.Key)
	if err != nil {
		return err
	}
	for _, f := range copies {
		if err := drive.Delete(ctx, f.ID); err != nil && !platen.IsFileKept(err) {
			return err
		}
	}
	return p.Copies.ForgetPreviewCopy(ctx, c.Key)
}
