package drive

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// isServiceAccount tells the addresses of Google's service accounts. On a drive like
// Google's such an account owns no storage, and its folders are as those of a shared
// drive in which it is a content manager: it may trash files and not delete them.
func isServiceAccount(u store.User) bool { return strings.HasSuffix(u.Email, ".gserviceaccount.com") }

// checkStorage refuses a new file whose owner has no storage quota: a service
// account's file outside a folder.
func (s *Server) checkStorage(ctx context.Context, f store.File) error {
	if s.google == nil || f.IsFolder() {
		return nil
	}
	owner, err := s.store.UserByID(ctx, f.OwnerID)
	if err != nil || !isServiceAccount(owner) {
		return err
	}
	if f.ParentID != nil {
		parent, err := s.store.Get(ctx, owner.ID, *f.ParentID)
		if err != nil || parent.ParentID != nil {
			return err
		}
	}
	return fault.Forbidden("storageQuotaExceeded", "Service Accounts do not have storage quota. Leverage shared drives (https://developers.google.com/workspace/drive/api/guides/about-shareddrives), "+
		"or use OAuth delegation (http://support.google.com/a/answer/7281227) instead.")
}

// mayDelete tells whether an account may delete files of its own for good.
func (s *Server) mayDelete(u store.User) bool { return s.google == nil || !isServiceAccount(u) }

// needsAccess tells whether a file opens at its public address for those alone who may
// read it: at Google wherever it is not shared with everybody.
func (s *Server) needsAccess(f store.File) bool {
	return f.IsProtected() || s.google != nil && f.LinkRole == nil
}

// isSignedOut tells whether a request for such an address is answered with the page
// on which people sign in, as Google does.
func (s *Server) isSignedOut(r *http.Request, f store.File) bool {
	return s.google != nil && s.needsAccess(f) && r.Header.Get("Authorization") == ""
}

func writeSignIn(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<!doctype html><title>Sign in</title><p>Sign in with an account that has access to this file.\n")
}
