package activities

import (
	"context"
	"errors"
	"fmt"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
)

// Folders finds and makes folders of a drive.
type Folders interface {
	// FindFolders returns the folders of that name in a folder, oldest first, trashed
	// ones left out; a list may lag behind.
	FindFolders(ctx context.Context, parentID, name string) ([]platen.File, error)
	// CreateFolder makes a folder with folder's id, name and parent; KindConflict when
	// the id is taken.
	CreateFolder(ctx context.Context, folder platen.File) (platen.File, error)
}

// OutputFolders keeps which folders outputs went into. A folder is that of its owner,
// parent and name.
type OutputFolders interface {
	// Folder returns what is known of a folder: its ID is empty where nothing is.
	Folder(ctx context.Context, f platen.OutputFolder) (platen.OutputFolder, error)
	// KeepFolder stores f in the place of the folder with the id instead, empty: of
	// none, and returns what is stored then: of several, the first counts.
	KeepFolder(ctx context.Context, f platen.OutputFolder, instead string) (platen.OutputFolder, error)
	// FolderMade notes that the folder is there.
	FolderMade(ctx context.Context, f platen.OutputFolder) error
}

// parentRoot is how drives call the folder of an account that holds all its others.
const parentRoot = "root"

// outputFolder returns the folder of the document's outputs, and makes it if it is
// missing; empty: the template's folder.
//
// Run twice, also at the same time: drives let many folders have one name, so the id of
// a new one is stored before it is made. A second execution uses the same id, which the
// drive refuses.
func (d *Documents) outputFolder(ctx context.Context, j job, filling *fill.Filling) (string, error) {
	of := j.planned.Document
	if of.OutputFolder == "" && of.OutputFolderID == "" {
		return "", nil
	}
	path, refusal := filling.Folder()
	if refusal != nil {
		return "", refusal.Err(nil) // before there is anything to note it with
	}
	root, err := topFolder(ctx, j)
	if err != nil {
		return "", err
	}
	return d.folderBelow(ctx, j, root, path, func() error { return checkTopFolder(ctx, j, root) })
}

// folderBelow returns the folder of a path below root, and makes those that are missing after
// check has seen that root can be used.
func (d *Documents) folderBelow(ctx context.Context, j job, root string, path []string, check func() error) (string, error) {
	found, err := d.knownFolder(ctx, j, root, path)
	if err != nil || found != "" {
		return found, err
	}
	if err := check(); err != nil {
		return "", err
	}
	folder := root
	for _, name := range path {
		if folder, err = d.ensureFolder(ctx, j, platen.OutputFolder{OwnerID: j.plan.OwnerID, ParentID: folder, Name: name}); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// topFolder is where the path of an output's folders begins.
func topFolder(ctx context.Context, j job) (string, error) {
	of := j.planned.Document
	if of.OutputFolderID != "" {
		return of.OutputFolderID, nil
	}
	template, err := j.drive.File(ctx, of.File.ID)
	if err != nil {
		return "", fmt.Errorf("look in which folder the template is: %w", err)
	}
	if template.Parent == "" {
		return parentRoot, nil
	}
	return template.Parent, nil
}

// checkTopFolder refuses a folder that was named and cannot be used. A template's is
// left to the drive.
func checkTopFolder(ctx context.Context, j job, root string) error {
	if j.planned.Document.OutputFolderID == "" {
		return nil
	}
	folder, err := j.drive.File(ctx, root)
	switch {
	case err != nil && !isFileNotFound(err):
		return fmt.Errorf("look for the folder of outputs: %w", err)
	case err != nil, folder.Trashed, folder.MIMEType != platen.MIMEFolder:
		return &platen.Error{Kind: platen.KindInvalid, Code: "output_folder_not_found", Err: err,
			Message: fmt.Sprintf("outputFolderId of document %s names no folder that the drive shows to this account. Restore it, share it with the account as an editor, or set outputFolderId to another folder.", j.planned.Document.ID)}
	}
	return nil
}

// knownFolder returns the last folder of a path if all its folders are known and it
// exists. One call is enough: the content of a trashed folder is trashed with it.
func (d *Documents) knownFolder(ctx context.Context, j job, root string, path []string) (string, error) {
	folder := root
	for _, name := range path {
		f, err := d.Folders.Folder(ctx, platen.OutputFolder{OwnerID: j.plan.OwnerID, ParentID: folder, Name: name})
		if err != nil || !f.Made {
			return "", err
		}
		folder = f.ID
	}
	if len(path) == 0 {
		return "", nil
	}
	there, err := isThere(ctx, j, folder)
	if !there {
		return "", err
	}
	return folder, nil
}

// isThere tells whether a folder is in the drive, and not in its trash.
func isThere(ctx context.Context, j job, folderID string) (bool, error) {
	folder, err := j.drive.File(ctx, folderID)
	switch {
	case isFileNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for the folder of outputs: %w", err)
	}
	return !folder.Trashed, nil
}

// ensureFolder returns the id of a folder that is there.
func (d *Documents) ensureFolder(ctx context.Context, j job, wanted platen.OutputFolder) (string, error) {
	f, err := d.Folders.Folder(ctx, wanted)
	if err != nil {
		return "", err
	}
	if f.Made {
		there, err := isThere(ctx, j, f.ID)
		if err != nil || there {
			return f.ID, err
		}
	}
	if f.ID == "" || f.Made { // no execution is about to make it
		if f, err = d.chooseFolder(ctx, j, f); err != nil || f.Made {
			return f.ID, err
		}
	}
	for range 2 {
		var made bool
		if made, err = makeFolder(ctx, j, f); made {
			return f.ID, d.Folders.FolderMade(ctx, f)
		}
		if err != nil && !isRefused(err) {
			return "", err
		}
		var unchosen error
		if f, unchosen = d.chooseFolder(ctx, j, f); unchosen != nil || f.Made {
			return f.ID, unchosen
		}
	}
	if err != nil { // it is not about the id
		return "", err
	}
	return "", platen.Errorf(platen.KindUnavailable, "drive_fault", "The drive takes no id for the folder of outputs: try again.")
}

// isRefused tells of a request that the drive finds wrong.
func isRefused(err error) bool {
	e, ok := errors.AsType[*platen.Error](err)
	return ok && e.Code == "drive_request_refused"
}

// makeFolder makes a folder under the id that is stored for it, or finds it made. It
// returns false for an id that cannot be used any more: its folder was made and
// trashed. The drive refuses one that is for the account that was connected before.
func makeFolder(ctx context.Context, j job, f platen.OutputFolder) (bool, error) {
	_, err := j.drive.CreateFolder(ctx, platen.File{ID: f.ID, Name: f.Name, Parent: f.ParentID, MIMEType: platen.MIMEFolder})
	switch {
	case err == nil:
		return true, nil
	case platen.KindOf(err) == platen.KindConflict:
		return isThere(ctx, j, f.ID)
	}
	return false, fmt.Errorf("make the folder of outputs: %w", err)
}

// chooseFolder stores which folder takes the place of gone, whose ID is empty if there
// was none: one that the drive lists, or a new one that is to be made.
func (d *Documents) chooseFolder(ctx context.Context, j job, gone platen.OutputFolder) (platen.OutputFolder, error) {
	next := gone
	found, err := j.drive.FindFolders(ctx, gone.ParentID, gone.Name)
	if err != nil {
		return gone, fmt.Errorf("look for the folder of outputs: %w", err)
	}
	next.ID, next.Made = "", false
	for _, folder := range found {
		there, err := isThere(ctx, j, folder.ID) // a list may show what is gone
		if err != nil {
			return gone, err
		}
		if there {
			next.ID, next.Made = folder.ID, true
			break
		}
	}
	if next.ID == "" {
		if next.ID, err = j.drive.NewFileID(ctx); err != nil {
			return gone, fmt.Errorf("get an id for the folder of outputs: %w", err)
		}
	}
	return d.Folders.KeepFolder(ctx, next, gone.ID)
}
