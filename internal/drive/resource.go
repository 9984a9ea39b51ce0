package drive

import (
	"encoding/hex"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

// googleTime is how Drive writes times.
const googleTime = "2006-01-02T15:04:05.000Z"

// resource is a file as Drive's files resource, with every field that this
// drive knows. Fields that are false stay in, as Google leaves them in.
func (s *Server) resource(f file, user User) map[string]any {
	owner := userResource(user)
	r := map[string]any{
		"kind": "drive#file", "id": f.ID, "name": f.Name, "mimeType": f.MimeType,
		"starred": f.Starred, "trashed": f.Trashed, "explicitlyTrashed": f.ExplicitlyTrashed,
		"spaces": []any{"drive"}, "version": strconv.FormatInt(f.Version, 10),
		"createdTime": wireTime(f.CreatedAt), "modifiedTime": wireTime(f.ModifiedAt),
		"viewedByMe": true, "viewedByMeTime": wireTime(f.ModifiedAt),
		"modifiedByMe": true, "modifiedByMeTime": wireTime(f.ModifiedAt),
		"owners": []any{owner}, "lastModifyingUser": owner, "ownedByMe": true, "shared": false,
		"permissionIds": []any{user.ID}, "permissions": []any{ownerPermission(user)},
		"capabilities": capabilities(f), "isAppAuthorized": true, "hasThumbnail": false, "thumbnailVersion": "0",
		"writersCanShare": true, "viewersCanCopyContent": true, "copyRequiresWriterPermission": false,
		"quotaBytesUsed": "0",
	}
	if f.ParentID != nil {
		r["parents"] = []any{*f.ParentID}
	}
	if f.Description != "" {
		r["description"] = f.Description
	}
	if len(f.Properties) > 0 {
		r["properties"] = anyMap(f.Properties)
	}
	if len(f.AppProperties) > 0 {
		r["appProperties"] = anyMap(f.AppProperties)
	}
	if f.Trashed {
		if f.TrashedAt != nil {
			r["trashedTime"] = wireTime(*f.TrashedAt)
		}
		r["trashingUser"] = owner
	}
	if !f.isFolder() {
		s.addContent(r, f)
	}
	return r
}

// addContent adds what only files with content have.
func (s *Server) addContent(r map[string]any, f file) {
	link := s.linkURL(f)
	r["webViewLink"] = link
	if f.Size != nil {
		size := strconv.FormatInt(*f.Size, 10)
		r["size"], r["quotaBytesUsed"] = size, size
	}
	if f.isEditor() {
		links := map[string]any{}
		for _, target := range exportTypes(f.MimeType) {
			links[target] = s.publicURL + "/drive/v3/files/" + url.PathEscape(f.ID) + "/export?mimeType=" + url.QueryEscape(target)
		}
		r["exportLinks"] = links
		return
	}
	r["webContentLink"] = link + "?download=1"
	r["md5Checksum"], r["sha256Checksum"] = hex.EncodeToString(f.MD5), hex.EncodeToString(f.SHA256)
	r["headRevisionId"] = f.revisionID()
	r["originalFilename"] = f.Name
	if f.OriginalFilename != "" {
		r["originalFilename"] = f.OriginalFilename
	}
	extension := strings.TrimPrefix(path.Ext(f.Name), ".")
	r["fileExtension"], r["fullFileExtension"] = extension, extension
}

// linkURL is the file's public address: whoever knows it sees the file.
func (s *Server) linkURL(f file) string { return s.publicURL + "/d/" + f.LinkKey }

func userResource(u User) map[string]any {
	return map[string]any{
		"kind": "drive#user", "displayName": u.Name, "emailAddress": u.Email, "me": true, "permissionId": u.ID,
	}
}

func ownerPermission(u User) map[string]any {
	return map[string]any{
		"kind": "drive#permission", "id": u.ID, "type": "user", "role": "owner",
		"displayName": u.Name, "emailAddress": u.Email, "deleted": false, "pendingOwner": false,
	}
}

// capabilities says what the caller, who is the owner, may do.
func capabilities(f file) map[string]any {
	folder, root := f.isFolder(), f.ParentID == nil
	return map[string]any{
		"canAddChildren": folder, "canListChildren": folder, "canRemoveChildren": folder, "canDeleteChildren": false,
		"canCopy": !folder, "canDownload": !folder, "canEdit": true, "canRename": !root, "canModifyContent": true,
		"canDelete": !root, "canTrash": !root, "canUntrash": !root, "canShare": false, "canComment": false, "canReadRevisions": false,
		"canMoveItemWithinDrive": !root, "canMoveChildrenWithinDrive": folder,
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
