package google

import (
	"context"
	"errors"
	"slices"
	"strings"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/platen"
)

// Share has everybody of the account's domain, or everybody, read a file by its link,
// unless they may do so already. A drive that does not let the account do that is
// KindForbidden with code platen.CodeSharingRefused.
func (c *Client) Share(ctx context.Context, fileID string, with platen.Sharing) error {
	wanted := &driveapi.Permission{Type: "anyone", Role: "reader"}
	if with == platen.SharingDomain {
		domain, err := c.domain(ctx)
		if err != nil {
			return err
		}
		wanted.Type, wanted.Domain = "domain", domain
	}
	list, err := c.drive.Permissions.List(fileID).SupportsAllDrives(true).PageSize(100).Fields("permissions(type,domain)").Context(ctx).Do()
	if err != nil {
		return refusedToShare(with, classify("read who may open the file", err))
	}
	if slices.ContainsFunc(list.Permissions, func(p *driveapi.Permission) bool { return p.Type == wanted.Type && p.Domain == wanted.Domain }) {
		return nil
	}
	_, err = c.drive.Permissions.Create(fileID, wanted).SupportsAllDrives(true).Fields("id").Context(ctx).Do()
	return refusedToShare(with, classify("share the file", err))
}

// refusedToShare translates errors of sharing, and returns all others as they are.
func refusedToShare(with platen.Sharing, err error) error {
	e, ok := errors.AsType[*platen.Error](err)
	if !ok || e.Code != codeForbidden && e.Code != codeRefused {
		return err
	}
	return &platen.Error{Kind: platen.KindForbidden, Code: platen.CodeSharingRefused, Err: err,
		Message: "The drive does not let this account share the output as outputSharing says (" + string(with) + "), so only people with access to its folder can open it: have the administrator of the drive allow it, or set outputSharing to folder."}
}

// domain is that of the account's address, which is read once.
func (c *Client) domain(ctx context.Context) (string, error) {
	c.mu.Lock()
	known := c.accountDomain
	c.mu.Unlock()
	if known != "" {
		return known, nil
	}
	about, err := c.drive.About.Get().Fields("user(emailAddress)").Context(ctx).Do()
	if err != nil {
		return "", classify("read the account", err)
	}
	domain := ""
	if about.User != nil {
		_, domain, _ = strings.Cut(strings.ToLower(about.User.EmailAddress), "@")
	}
	if domain == "" || domain == "gmail.com" || domain == "googlemail.com" || strings.HasSuffix(domain, ".gserviceaccount.com") {
		return "", platen.Errorf(platen.KindForbidden, platen.CodeSharingRefused,
			"The account of the drive belongs to no domain with which the output could be shared, so only people with access to its folder can open it. Connect an account of the domain, or set outputSharing to folder or anyone.")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.accountDomain = domain
	return domain, nil
}
