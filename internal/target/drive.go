package target

import (
	"bytes"
	"context"
	"encoding/hex"
	"path"

	"github.com/platenhq/platen/internal/platen"
)

// A Drive is that of a workflow's owner. Errors carry a platen.Kind.
type Drive interface {
	// File answers KindNotFound for a file that is not there; one in the trash is there.
	File(ctx context.Context, fileID string) (platen.File, error)
	// FolderToFill is File; KindForbidden: nothing may be put into the folder.
	FolderToFill(ctx context.Context, folderID string) (platen.File, error)
	// FindFiles returns the files of that name in a folder; a list may lag behind.
	FindFiles(ctx context.Context, parentID, name string) ([]platen.File, error)
	NewFileID(ctx context.Context) (string, error)
	// CopyWithID and Upload store a file with its id; KindConflict when the id is taken.
	CopyWithID(ctx context.Context, fileID string, copied platen.File) (platen.File, error)
	Upload(ctx context.Context, file platen.File, data []byte) (platen.File, error)
	Download(ctx context.Context, fileID string) ([]byte, error)
	Delete(ctx context.Context, fileID string) error
}

// Drives opens the drive of a user.
type Drives func(ctx context.Context, userID string) (Drive, error)

// inDrive stores files in folders of a drive. The version of a file is its id, which is known
// before it is stored: by it a file is found whose answer was lost, also where lists lag.
type inDrive struct{ drive Drive }

func (d inDrive) find(ctx context.Context, f platen.StoredFile) (*object, error) {
	if f.Drive.FileID != "" {
		there, err := d.standing(ctx, f, f.Drive.FileID)
		if there != nil || err != nil {
			return there, err
		}
	}
	found, err := d.drive.FindFiles(ctx, f.Drive.FolderID, path.Base(f.Key))
	if err != nil {
		return nil, platen.TargetDriveError(err)
	}
	for _, one := range found {
		there, err := d.standing(ctx, f, one.ID) // a list may show what is gone
		if there != nil || err != nil {
			return there, err
		}
	}
	return nil, nil
}

// standing returns the file of that id where it stands under the key of f; nil: it does not.
func (d inDrive) standing(ctx context.Context, f platen.StoredFile, id string) (*object, error) {
	file, err := d.drive.File(ctx, id)
	switch {
	case err != nil && platen.KindOf(err) == platen.KindNotFound:
		return nil, nil
	case err != nil:
		return nil, platen.TargetDriveError(err)
	case file.Trashed, file.Name != path.Base(f.Key), file.Parent != "" && file.Parent != f.Drive.FolderID:
		return nil, nil
	}
	return d.object(ctx, file)
}

// object is what the drive has, which it says of most files.
func (d inDrive) object(ctx context.Context, file platen.File) (*object, error) {
	there := &object{sha256: file.SHA256, bytes: file.Size, version: file.ID}
	if there.sha256 != "" || file.IsOfDrive() {
		return there, nil
	}
	content, err := d.drive.Download(ctx, file.ID)
	if err != nil {
		return nil, platen.TargetDriveError(err)
	}
	if there, err = objectOf(bytes.NewReader(content)); err == nil {
		there.version = file.ID
	}
	return there, err
}

// put answers KindConflict where the id of the file cannot be used any more: its file was
// trashed, moved or deleted.
func (d inDrive) put(ctx context.Context, f platen.StoredFile, _ bool) (version string, err error) {
	if err := platen.TargetFolderError(d.drive.FolderToFill(ctx, f.Drive.FolderID)); err != nil {
		return "", err
	}
	file := platen.File{ID: f.Drive.FileID, Name: path.Base(f.Key), Parent: f.Drive.FolderID, MIMEType: f.Type, Properties: f.Drive.Properties}
	if file.ID == "" {
		if file.ID, err = d.drive.NewFileID(ctx); err != nil {
			return "", err
		}
	}
	var stored platen.File
	if f.Drive.CopyOf != "" {
		stored, err = d.drive.CopyWithID(ctx, f.Drive.CopyOf, file)
	} else {
		stored, err = d.drive.Upload(ctx, file, f.Content)
	}
	if err != nil && platen.KindOf(err) == platen.KindConflict {
		switch there, unseen := d.standing(ctx, f, file.ID); {
		case unseen != nil:
			return "", unseen
		case there == nil:
			return "", err
		}
		return "", errExists
	}
	if err != nil {
		return "", platen.TargetDriveError(err)
	}
	there, err := d.object(ctx, stored)
	if err == nil && there.sha256 != hex.EncodeToString(f.SHA256[:]) {
		err = unavailable(platen.CodeTargetRefused, "The drive has stored another content than that of the file, which may have been changed meanwhile. It is tried again.")
	}
	return stored.ID, err
}

func (d inDrive) remove(ctx context.Context, _, version string) error {
	return platen.TargetDriveError(d.drive.Delete(ctx, version))
}

// close: the connection is the owner's.
func (inDrive) close() {}
