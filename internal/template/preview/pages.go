package preview

import (
	"context"
	"errors"
	"fmt"

	"github.com/platenhq/platen/internal/platen"
)

// PagesOf makes a PDF of an office file, such as a template as it was before, in the drive of
// its owner, and keeps nothing of it. The file is read when its turn has come, so that those
// who wait hold none. KindRateLimited with code "preview_busy": too many are being made.
func (p *Previewer) PagesOf(ctx context.Context, ownerID string, read func(context.Context) (platen.DocumentType, []byte, error)) (pdf []byte, err error) {
	release, err := take(ctx, p.turns, ownerID)
	if err != nil {
		return nil, err
	}
	defer release()
	kind, content, err := read(ctx)
	if err != nil {
		return nil, err
	}
	if p.Quotas != nil {
		reserved, done, err := p.Quotas.ReservePreview(ctx, ownerID, quotaOf(platen.Document{Type: kind}))
		if err != nil {
			return nil, err
		}
		defer done()
		ctx = reserved
	}
	drive, err := p.Drives(ctx, ownerID)
	if err != nil {
		return nil, err
	}
	key := platen.NewID(platen.PrefixPreview)
	if err := p.Copies.NotePreviewCopy(ctx, key, ownerID); err != nil {
		return nil, err
	}
	made, err := drive.CreateFrom(ctx, copyName+"version", kind.MIMEType(), key, kind.OfficeType(), content)
	if err != nil {
		return nil, fmt.Errorf("make a file of the version: %w", err)
	}
	defer func() {
		removing, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
		defer cancel()
		if _, gone := p.remove(removing, drive, made.ID, key); gone != nil {
			pdf, err = nil, errors.Join(err, gone)
		}
	}()
	if pdf, _, err = drive.ExportPDFWithFindings(ctx, made.ID); err != nil {
		return nil, fmt.Errorf("export the version as PDF: %w", err)
	}
	return pdf, nil
}
