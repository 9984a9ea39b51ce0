package google

import (
	"context"

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
