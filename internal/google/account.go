package google

import (
	"context"
	"slices"
	"strings"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/platen"
)

// An Account is what a drive tells of the account behind a connection.
type Account struct {
	// Limit is its storage in bytes, and Used what of it is taken; 0: it has no limit,
	// or is a service account, which has no storage.
	Limit, Used int64
	// Scopes are what the connection allows, without the address that Google's begin
	// with; nil: the sign-in service does not tell.
	Scopes []string
}

// Account asks the drive whose connection it is.
func (c *Client) Account(ctx context.Context) (Account, error) {
	about, err := c.drive.About.Get().Fields("storageQuota").Context(ctx).Do()
	if err != nil {
		return Account{}, classify("read the account", err)
	}
	token, err := c.tokens.get(ctx)
	if err != nil {
		return Account{}, classify("read the account", err)
	}
	var a Account
	if q := about.StorageQuota; q != nil {
		a.Limit, a.Used = q.Limit, q.Usage
	}
	if granted, _ := token.Extra("scope").(string); granted != "" {
		for scope := range strings.FieldsSeq(granted) {
			a.Scopes = append(a.Scopes, strings.TrimPrefix(scope, scopes))
		}
		slices.Sort(a.Scopes)
	}
	return a, nil
}

// A Folder is what a connection may do in one.
type Folder struct {
	IsFolder bool
	Trashed  bool
	// Shared: it is in a shared drive.
	Shared bool
	// CanAdd: files may be made there. CanTrash: it may be put into the trash, which
	// is how a content manager of a shared drive removes files.
	CanAdd, CanTrash bool
}

// Folder answers KindNotFound for one that is not there, or that the account may not
// see.
func (c *Client) Folder(ctx context.Context, id string) (Folder, error) {
	file, err := c.drive.Files.Get(id).SupportsAllDrives(true).
		Fields("mimeType,trashed,driveId,capabilities(canAddChildren,canTrash,canTrashChildren)").Context(ctx).Do()
	if err != nil {
		return Folder{}, classify("read the folder", err)
	}
	can := file.Capabilities
	if can == nil {
		can = &driveapi.FileCapabilities{}
	}
	return Folder{
		IsFolder: file.MimeType == platen.MIMEFolder, Trashed: file.Trashed, Shared: file.DriveId != "",
		CanAdd: can.CanAddChildren, CanTrash: can.CanTrash || can.CanTrashChildren,
	}, nil
}
