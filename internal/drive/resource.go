package drive

import (
	"encoding/hex"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/drive/store"
)

// googleTime is how Drive writes times.
const googleTime = "2006-01-02T15:04:05.000Z"

// resource is a file as Drive's files resource, with every field that this
// drive knows, as user sees it. Fields that are false stay in, as Google leaves
// them in.
func (s *Server) resource(f store.File, user, fileOwner store.User) map[string]any {
	isMine := fileOwner.ID == user.ID
	owner := userResource(fileOwner)
	owner["me"] = isMine
	r := map[string]any{
		"kind": "drive#file", "id": f.ID, "name": f.Name, "mimeType": f.MimeType,
		"starred": f.Starred, "trashed": f.Trashed, "explicitlyTrashed": f.ExplicitlyTrashed,
		"spaces": []any{"drive"}, "version": strconv.FormatInt(f.Version, 10),
		"createdTime": wireTime(f.CreatedAt), "modifiedTime": wireTime(f.ModifiedAt),
		"viewedByMe": true, "viewedByMeTime": wireTime(f.ModifiedAt),
		"modifiedByMe": true, "modifiedByMeTime": wireTime(f.ModifiedAt),
		"owners": []any{owner}, "lastModifyingUser": owner, "ownedByMe": isMine, "shared": f.LinkRole != nil,
		"capabilities": capabilities(f, f.Role(user.ID), s.mayDelete(user)), "isAppAuthorized": true, "hasThumbnail": false, "thumbnailVersion": "0",
		"writersCanShare": false, "viewersCanCopyContent": true, "copyRequiresWriterPermission": false,
		"quotaBytesUsed": "0",
	}
	if isMine {
		all := permissions(f, fileOwner)
		r["permissions"], r["permissionIds"] = all, permissionIDs(all)
	}
	if isMine && f.ParentID != nil {
		r["parents"] = []any{*f.ParentID}
	}
	if f.Description != "" {
		r["description"] = f.Description
	}
	if len(f.Properties) > 0 {
		r["properties"] = anyMap(f.Properties)
	}
	if isMine && len(f.AppProperties) > 0 { // private to app and user, as at Google
		r["appProperties"] = anyMap(f.AppProperties)
	}
	if f.Trashed {
		if f.TrashedAt != nil {
			r["trashedTime"] = wireTime(*f.TrashedAt)
		}
		r["trashingUser"] = owner
	}
	if f.IsShortcut() {
		r["shortcutDetails"] = shortcutDetails(f)
	}
	if f.HasContent() {
		s.addContent(r, f, isMine)
	}
	return r
}

// addContent adds what only files with content have.
func (s *Server) addContent(r map[string]any, f store.File, isMine bool) {
	link, download := s.linkURL(f), s.linkURL(f)+"?download=1"
	if !isMine {
		// The secret address is the owner's to give out.
		link = s.publicURL + "/open?id=" + url.QueryEscape(f.ID)
		download = link + "&download=1"
	}
	r["webViewLink"] = link
	if f.Size != nil {
		size := strconv.FormatInt(*f.Size, 10)
		r["size"], r["quotaBytesUsed"] = size, size
	}
	if f.IsEditor() {
		links := map[string]any{}
		for _, target := range exportTypes(f.MimeType) {
			links[target] = s.publicURL + "/drive/v3/files/" + url.PathEscape(f.ID) + "/export?mimeType=" + url.QueryEscape(target)
		}
		r["exportLinks"] = links
		return
	}
	r["webContentLink"] = download
	r["md5Checksum"], r["sha1Checksum"], r["sha256Checksum"] = hex.EncodeToString(f.MD5), hex.EncodeToString(f.SHA1), hex.EncodeToString(f.SHA256)
	r["headRevisionId"] = f.RevisionID()
	r["originalFilename"] = f.Name
	if f.OriginalFilename != "" {
		r["originalFilename"] = f.OriginalFilename
	}
	extension := strings.TrimPrefix(path.Ext(f.Name), ".")
	r["fileExtension"], r["fullFileExtension"] = extension, extension
}

// linkURL is the file's public address: anyone with the link can see the file.
func (s *Server) linkURL(f store.File) string { return s.publicURL + "/d/" + f.LinkKey }

func userResource(u store.User) map[string]any {
	return map[string]any{
		"kind": "drive#user", "displayName": u.Name, "emailAddress": u.Email, "me": true, "permissionId": u.ID,
	}
}

func ownerPermission(u store.User) map[string]any {
	return map[string]any{
		"kind": "drive#permission", "id": u.ID, "type": "user", "role": "owner",
		"displayName": u.Name, "emailAddress": u.Email, "deleted": false, "pendingOwner": false,
	}
}

func permissionIDs(permissions []any) []any {
	ids := make([]any, len(permissions))
	for i, p := range permissions {
		ids[i] = p.(map[string]any)["id"]
	}
	return ids
}

// capabilities says what somebody with that role may do, and mayDelete whether
// owners delete for good.
func capabilities(f store.File, role string, mayDelete bool) map[string]any {
	folder, content, root := f.IsFolder(), f.HasContent(), f.ParentID == nil
	owner := role == store.RoleOwner
	edit := owner || role == store.RoleWriter
	return map[string]any{
		"canAddChildren": folder && owner, "canListChildren": folder, "canRemoveChildren": folder && owner, "canDeleteChildren": false,
		"canCopy": content, "canDownload": content, "canEdit": edit, "canRename": edit && !root, "canModifyContent": edit,
		"canDelete": owner && !root && mayDelete, "canTrash": owner && !root, "canUntrash": owner && !root,
		"canShare": owner && content, "canComment": false, "canReadRevisions": false,
		"canMoveItemWithinDrive": owner && !root, "canMoveChildrenWithinDrive": folder && owner,
		"canMoveItemOutOfDrive": false, "canChangeCopyRequiresWriterPermission": false,
	}
}

func anyMap(m map[string]string) map[string]any {
	result := make(map[string]any, len(m))
	for k, v := range m {
		result[k] = v
	}
	return result
}

func wireTime(t time.Time) string { return t.UTC().Format(googleTime) }
