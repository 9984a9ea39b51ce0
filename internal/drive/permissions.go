package drive

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// anyoneID is the id of the permission that everybody has who knows a file's
// id, on Google's drive as here.
const anyoneID = "anyoneWithLink"

// maxPermission bounds the body that says what a permission is, in bytes.
const maxPermission = 64 << 10

// linkRoles are what a file may be to everybody who knows its id. There is
// nothing to comment on here: a commenter is a reader.
var linkRoles = []string{"reader", "commenter", store.RoleWriter}

// defaultPermissionFields are answered when a request does not say which.
const defaultPermissionFields = "id,type,kind,role,allowFileDiscovery"

// permissions are the file's, the owner's first.
func permissions(f store.File, owner store.User) []any {
	all := []any{ownerPermission(owner)}
	if f.LinkRole != nil {
		all = append(all, map[string]any{
			"kind": "drive#permission", "id": anyoneID, "type": "anyone", "role": *f.LinkRole, "allowFileDiscovery": false,
		})
	}
	return all
}

func permissionMask(r *http.Request) (mask, error) {
	fields := r.URL.Query().Get("fields")
	if fields == "" {
		fields = defaultPermissionFields
	}
	return parseFields(fields, driveapi.Permission{})
}

// requireOwned reads a file whose permissions the user may see and change.
func (s *Server) requireOwned(r *http.Request, user store.User) (store.File, error) {
	f, err := s.store.Get(r.Context(), user.ID, r.PathValue("id"))
	if err == nil && f.OwnerID != user.ID {
		return store.File{}, store.Insufficient()
	}
	return f, err
}

func (s *Server) listPermissions(w http.ResponseWriter, r *http.Request, user store.User) error {
	fields := r.URL.Query().Get("fields")
	if fields == "" {
		fields = "kind,permissions(" + defaultPermissionFields + ")"
	}
	m, err := parseFields(fields, driveapi.PermissionList{})
	if err != nil {
		return err
	}
	f, err := s.requireOwned(r, user)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, m.apply(map[string]any{"kind": "drive#permissionList", "permissions": permissions(f, user)}))
}

func (s *Server) getPermission(w http.ResponseWriter, r *http.Request, user store.User) error {
	m, err := permissionMask(r)
	if err != nil {
		return err
	}
	f, err := s.requireOwned(r, user)
	if err != nil {
		return err
	}
	return writePermission(w, m, f, user, r.PathValue("permission"))
}

func writePermission(w http.ResponseWriter, m mask, f store.File, owner store.User, id string) error {
	for _, p := range permissions(f, owner) {
		if p.(map[string]any)["id"] == id {
			return writeJSON(w, http.StatusOK, m.apply(p))
		}
	}
	return permissionNotFound(id)
}

func permissionNotFound(id string) *fault.Error {
	f := fault.FileNotFound("")
	f.Message = "Permission not found: " + id + "."
	return f.At("parameter", "permissionId")
}

// createPermission shares a file with everybody who knows its id. Named users
// are not served: accounts of this drive do not know of each other.
func (s *Server) createPermission(w http.ResponseWriter, r *http.Request, user store.User) error {
	m, p, err := readPermission(r)
	if err != nil {
		return err
	}
	switch {
	case p.Type == "":
		return fault.BadRequest("required", "The permission type field is required.").At("parameter", "permission.type")
	case p.Role == "":
		return fault.BadRequest("required", "The permission role field is required.").At("parameter", "permission.role")
	case p.Type != "anyone":
		return fault.BadRequest("invalidSharingRequest", "Files of this drive can be shared with type anyone alone, not with type %.40s.", p.Type).At("parameter", "permission.type")
	case p.AllowFileDiscovery:
		return fault.BadRequest("invalidSharingRequest", "Files of this drive cannot be found by others: leave out allowFileDiscovery.").At("parameter", "permission.allowFileDiscovery")
	}
	f, err := s.share(r, user, p.Role)
	if err != nil {
		return err
	}
	return writePermission(w, m, f, user, anyoneID)
}

func (s *Server) updatePermission(w http.ResponseWriter, r *http.Request, user store.User) error {
	m, p, err := readPermission(r)
	if err != nil {
		return err
	}
	f, err := s.requireOwned(r, user)
	if err != nil {
		return err
	}
	id := r.PathValue("permission")
	switch {
	case id == user.ID && (p.Role == "" || p.Role == store.RoleOwner):
	case id == user.ID:
		return fault.Forbidden("cannotRemoveOwner", "The owner's role cannot be changed.")
	case id != anyoneID || f.LinkRole == nil:
		return permissionNotFound(id)
	case p.Role != "":
		if f, err = s.share(r, user, p.Role); err != nil {
			return err
		}
	}
	return writePermission(w, m, f, user, id)
}

// deletePermission ends what sharing gave out: the file's id opens it no
// longer, nor does the public address that it had.
func (s *Server) deletePermission(w http.ResponseWriter, r *http.Request, user store.User) error {
	id := r.PathValue("permission")
	_, err := s.store.Change(r.Context(), user.ID, r.PathValue("id"), func(_ pgx.Tx, f *store.File) (*store.Blob, error) {
		switch {
		case f.OwnerID != user.ID:
			return nil, store.Insufficient()
		case id == user.ID:
			return nil, fault.Forbidden("cannotRemoveOwner", "The owner of a file cannot be removed.")
		case id != anyoneID || f.LinkRole == nil:
			return nil, permissionNotFound(id)
		}
		f.Unshare()
		return nil, nil
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func readPermission(r *http.Request) (mask, driveapi.Permission, error) {
	var p driveapi.Permission
	m, err := permissionMask(r)
	if err != nil {
		return nil, p, err
	}
	body, err := readBody(r, "The permission", maxPermission)
	if err != nil {
		return nil, p, err
	}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := json.Unmarshal(body, &p); err != nil {
			return nil, p, fault.BadRequest("parseError", "The request body is not a valid permission: %s.", jsonFault(err))
		}
	}
	for field, isGiven := range map[string]bool{
		"expirationTime": p.ExpirationTime != "", "view": p.View != "", "inheritedPermissionsDisabled": p.InheritedPermissionsDisabled,
	} {
		if isGiven {
			return nil, p, fault.InvalidParameter("permission."+field, "Permissions of this drive hold until they are deleted and for the file as it is: leave out %s.", field)
		}
	}
	if p.Role != "" && p.Role != store.RoleOwner && !slices.Contains(linkRoles, p.Role) {
		return nil, p, fault.InvalidParameter("permission.role", "The specified role is invalid or not supported.")
	}
	return m, p, nil
}

func (s *Server) share(r *http.Request, user store.User, role string) (store.File, error) {
	if role == store.RoleOwner {
		return store.File{}, fault.Forbidden("invalidSharingRequest", "Files of this drive stay their owner's.")
	}
	return s.store.Change(r.Context(), user.ID, r.PathValue("id"), func(_ pgx.Tx, f *store.File) (*store.Blob, error) {
		switch {
		case f.OwnerID != user.ID:
			return nil, store.Insufficient()
		case !f.HasContent():
			// What is in a folder would have to be shared with it.
			return nil, fault.Forbidden("invalidSharingRequest", "Folders and shortcuts of this drive cannot be shared; share the files that they lead to.")
		}
		f.LinkRole = &role
		return nil, nil
	})
}
