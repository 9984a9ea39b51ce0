package google

import (
	"context"
	"errors"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/platen"
)

// FindFolders returns the folders of exactly that name in a folder, oldest first,
// trashed ones left out. Google's list may lag behind by minutes.
func (c *Client) FindFolders(ctx context.Context, parentID, name string) ([]platen.File, error) {
	return c.findIn(ctx, parentID, name, " and mimeType = '"+platen.MIMEFolder+"'")
}

// FindFiles is FindFolders for all that is in a folder, folders included.
func (c *Client) FindFiles(ctx context.Context, parentID, name string) ([]platen.File, error) {
	return c.findIn(ctx, parentID, name, "")
}

func (c *Client) findIn(ctx context.Context, parentID, name, further string) ([]platen.File, error) {
	query := "name = '" + quote(name) + "' and '" + quote(parentID) + "' in parents" + further + " and trashed=false"
	list, err := c.drive.Files.List().Q(query).Spaces("drive").OrderBy("createdTime").PageSize(100).
		Corpora("allDrives").SupportsAllDrives(true).IncludeItemsFromAllDrives(true).
		Fields("files(" + fileFields + ")").Context(ctx).Do()
	if err != nil {
		return nil, classify("look into a folder", err)
	}
	var found []platen.File
	for _, file := range list.Files {
		if file.Name == name { // Google compares without regard to case
			found = append(found, domainFile(file))
		}
	}
	return found, nil
}

// CreateFolder makes a folder with folder's id, name and parent. KindConflict when the
// id is taken, which after an attempt of unknown outcome means that it arrived.
func (c *Client) CreateFolder(ctx context.Context, folder platen.File) (platen.File, error) {
	wanted := &driveapi.File{Id: folder.ID, Name: folder.Name, MimeType: platen.MIMEFolder, Parents: []string{folder.Parent}}
	file, err := c.drive.Files.Create(wanted).SupportsAllDrives(true).Fields(fileFields).Context(ctx).Do()
	return fileOf(file, classify("make a folder", err))
}

// FolderToFill is File for what files are to be put into; KindForbidden with code
// drive_file_forbidden: the account may put none into this folder.
func (c *Client) FolderToFill(ctx context.Context, folderID string) (platen.File, error) {
	file, err := c.drive.Files.Get(folderID).SupportsAllDrives(true).Fields(fileFields + ",capabilities/canAddChildren").Context(ctx).Do()
	if err == nil && file.MimeType == platen.MIMEFolder && (file.Capabilities == nil || !file.Capabilities.CanAddChildren) {
		return platen.File{}, fileForbidden()
	}
	return fileOf(file, classify("read the folder", err))
}

// folderPage is how many files a page of a folder has. Google has no larger ones, and a page
// costs the same however long it is.
const folderPage = 1000

// ListFolder calls page with the files of a folder, a page at a time, the newest first, until
// most were listed. Folders in it and files in the trash are left out. complete: these are all,
// though Google's list may lag behind by minutes. A folder that is not there, is in the trash or
// is none is KindNotFound.
func (c *Client) ListFolder(ctx context.Context, folderID string, most int, page func([]platen.File) error) (complete bool, err error) {
	folder, err := c.drive.Files.Get(folderID).SupportsAllDrives(true).Fields("mimeType,trashed,driveId").Context(ctx).Do()
	switch {
	case err != nil:
		return false, classify("read the folder", err)
	case folder.Trashed || folder.MimeType != platen.MIMEFolder:
		return false, platen.Errorf(platen.KindNotFound, "drive_file_not_found", "It is in the trash, or is no folder.")
	}
	query := "'" + quote(folderID) + "' in parents and mimeType != '" + platen.MIMEFolder + "' and trashed=false"
	call := c.drive.Files.List().Q(query).Spaces("drive").OrderBy("createdTime desc").PageSize(folderPage).
		SupportsAllDrives(true).IncludeItemsFromAllDrives(true).
		Fields("nextPageToken", "incompleteSearch", "files(id,name,mimeType,size,createdTime,modifiedTime,appProperties)")
	if folder.DriveId != "" {
		call = call.Corpora("drive").DriveId(folder.DriveId)
	} else {
		call = call.Corpora("allDrives") // the folder may be shared, and its files be of others
	}
	listed := 0
	complete = true
	errEnough, errPage := errors.New("enough"), error(nil)
	err = call.Pages(ctx, func(list *driveapi.FileList) error {
		complete = complete && !list.IncompleteSearch
		files := make([]platen.File, len(list.Files))
		for i, file := range list.Files {
			files[i] = domainFile(file)
		}
		listed += len(files)
		if errPage = page(files); errPage != nil {
			return errPage
		}
		if listed >= most && list.NextPageToken != "" {
			return errEnough
		}
		return nil
	})
	switch {
	case errPage != nil:
		return false, errPage
	case errors.Is(err, errEnough):
		return false, nil
	}
	return complete && err == nil, classify("list the folder", err)
}
