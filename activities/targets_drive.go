package activities

import (
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// placeIn is where a target in the owner's drive stores files: in the folder of its path, which
// is made as those of outputs are. Of other targets it is empty.
func (t *Targets) placeIn(ctx context.Context, j job, p platen.Placement, target platen.Target) (in platen.InDrive, err error) {
	if target.Kind != platen.TargetDrive {
		return in, nil
	}
	ctx, done, err := t.Documents.reserve(ctx, j, quotaOfPlace, nothingLater)
	if err != nil {
		return in, err
	}
	defer done(true)
	root := target.URL
	var names []string
	if p.Folder != "" {
		names = strings.Split(p.Folder, "/")
	}
	protection := platen.ProtectionNone
	if j.planned.Document.Encrypts() {
		protection = platen.ProtectionCredentials // of a PDF, its password is
	}
	in.Properties = map[string]string{platen.PropertyKey: p.ID(), platen.PropertyProtection: string(protection)}
	in.FolderID, err = t.Documents.folderBelow(ctx, j, root, names, func() error {
		return platen.TargetFolderError(j.drive.File(ctx, root))
	})
	return in, platen.TargetDriveError(err)
}

// copyPDF has f be a copy of the PDF of an output, with the hash that the drive says.
func (t *Targets) copyPDF(ctx context.Context, j job, o platen.Output, f *platen.StoredFile) error {
	source, err := j.drive.File(ctx, o.PDF.ID)
	if err != nil {
		return err
	}
	if source.SHA256 == "" {
		source.SHA256 = o.PDF.SHA256
	}
	if !o.IsApprovedHash(source.SHA256) {
		return platen.ErrApprovedFileChanged()
	}
	if n, err := hex.Decode(f.SHA256[:], []byte(source.SHA256)); err != nil || n != len(f.SHA256) {
		return fmt.Errorf("read the hash of file %s: %w", o.PDF.ID, err)
	}
	f.Key, f.Type, f.Drive.CopyOf, f.Drive.Size = o.PDF.Name, platen.MIMEPDF, source.ID, source.Size
	if j.planned.Document.Encrypts() {
		f.Drive.Properties = map[string]string{platen.PropertyKey: f.Drive.Properties[platen.PropertyKey], platen.PropertyProtection: string(platen.ProtectionPassword)}
	}
	return nil
}

// put is Places.Put.
//
// Run twice, in a drive: the id of the file is stored before the file is. A second execution,
// and one for another output of the same name, use the same id, which the drive refuses. So
// it needs no list, which may lag. An id that cannot be used any more is replaced: its file was
// made, and trashed or moved, or the id is for the account that was connected before.
func (t *Targets) put(ctx context.Context, j job, target platen.Target, f platen.StoredFile, known []string) (r platen.Receipt, err error) {
	if target.Kind != platen.TargetDrive {
		return t.Places.Put(ctx, target, f, known)
	}
	ctx, done, err := t.Documents.reserve(ctx, j, quotaOfPlacing, nothingLater)
	if err != nil {
		return r, err
	}
	defer done(true)
	// No folder has a slash in its name.
	at, err := t.Documents.Folders.Folder(ctx, platen.OutputFolder{OwnerID: j.plan.OwnerID, ParentID: f.Drive.FolderID, Name: "/" + path.Base(f.Key)})
	if err != nil {
		return r, err
	}
	spent := at.ID == ""
	for range 2 {
		if spent {
			next := at
			if next.ID, err = j.drive.NewFileID(ctx); err != nil {
				return r, fmt.Errorf("get an id for a file: %w", err)
			}
			if at, err = t.Documents.Folders.KeepFolder(ctx, next, at.ID); err != nil {
				return r, err
			}
		}
		f.Drive.FileID = at.ID
		r, err = t.Places.Put(ctx, target, f, known)
		if spent = err != nil && (platen.KindOf(err) == platen.KindConflict || isRefused(err)); !spent {
			return r, err
		}
	}
	return r, err
}
