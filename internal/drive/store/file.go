package store

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/drive/fault"
)

// MIME types that mean something here. The Google types are stored as the
// bytes of their office twins.
const (
	FolderType       = "application/vnd.google-apps.folder"
	DocumentType     = "application/vnd.google-apps.document"
	PresentationType = "application/vnd.google-apps.presentation"
	GoogleTypes      = "application/vnd.google-apps."

	DocxType   = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	PptxType   = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	PDFType    = "application/pdf"
	TextType   = "text/plain"
	BinaryType = "application/octet-stream"
)

// Limits on metadata. Google publishes those of properties: 100 a file, and
// 124 bytes of UTF-8 for a key and its value together.
const (
	maxDescription   = 16 << 10
	maxProperties    = 100
	maxPropertyBytes = 124
)

// File is a row of drive.files with what is known of its content.
type File struct {
	ID                string            `db:"id"`
	OwnerID           string            `db:"owner_id"`
	ParentID          *string           `db:"parent_id"` // nil for the root folder
	Name              string            `db:"name"`
	MimeType          string            `db:"mime_type"`
	Description       string            `db:"description"`
	OriginalFilename  string            `db:"original_filename"`
	Properties        map[string]string `db:"properties"`
	AppProperties     map[string]string `db:"app_properties"`
	Starred           bool              `db:"starred"`
	Trashed           bool              `db:"trashed"`
	ExplicitlyTrashed bool              `db:"explicitly_trashed"`
	TrashedAt         *time.Time        `db:"trashed_at"`
	CreatedAt         time.Time         `db:"created_at"`
	ModifiedAt        time.Time         `db:"modified_at"`
	Version           int64             `db:"version"`
	Revision          int64             `db:"revision"`
	SHA256            []byte            `db:"sha256"` // nil for folders and shortcuts
	SHA1              []byte            `db:"sha1"`
	MD5               []byte            `db:"md5"`
	Size              *int64            `db:"size"`
	LinkKey           string            `db:"link_key"`
	LinkRole          *string           `db:"link_role"` // nil: the owner's alone
	TargetID          string            `db:"target_id"` // of a shortcut
	TargetType        string            `db:"target_type"`
}

// fileColumns reads a file from drive.files f and drive.contents c.
const fileColumns = `f.id, f.owner_id, f.parent_id, f.name, f.mime_type, f.description, f.original_filename,
	f.properties, f.app_properties, f.starred, f.trashed, f.explicitly_trashed, f.trashed_at,
	f.created_at, f.modified_at, f.version, f.revision, f.sha256, c.sha1, c.md5, c.size, f.link_key, f.link_role,
	f.target_id, f.target_type`

// A file whose app property protectionProperty says askCredentials does not open
// at its public address: it asks for the token of somebody who may read it.
// Google's protocol has no field for that. A property comes with the request
// that makes the file, so there is no moment in which the file is open, and means
// nothing on drives that do not know it.
const (
	protectionProperty = "platenProtection"
	askCredentials     = "credentials"
)

// IsProtected reports whether the public address asks for credentials. An owner
// who shares the file with everybody means it.
func (f File) IsProtected() bool {
	return f.AppProperties[protectionProperty] == askCredentials && f.LinkRole == nil
}

// IsFolder reports whether the file is a folder.
func (f File) IsFolder() bool { return f.MimeType == FolderType }

// IsEditor reports whether the file is a Docs or Slides file.
func (f File) IsEditor() bool { return f.MimeType == DocumentType || f.MimeType == PresentationType }

// RevisionID names the content's revision to Docs and Slides clients. It holds
// a part of the content's hash, so that no other file's revision passes for it,
// and its letter changes with what indexes mean: a batch for indexes of another
// meaning is stale.
func (f File) RevisionID() string { return fmt.Sprintf("s%d-%x", f.Revision, f.SHA256[:8]) }

// isStorable reports whether Postgres takes s as text: it refuses U+0000.
func isStorable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

var (
	fileIDPattern   = regexp.MustCompile(`^[A-Za-z0-9_-]{10,128}$`)
	mimeTypePattern = regexp.MustCompile(`^[A-Za-z0-9!#$&^_.+-]{1,127}/[A-Za-z0-9!#$&^_.+-]{1,127}$`)
)

// check refuses metadata that cannot be stored or goes over a limit.
func (f File) check() error {
	switch {
	case !fileIDPattern.MatchString(f.ID):
		return fault.InvalidParameter("file.id", "The provided file ID is not usable.")
	case len(f.Name) > maxNameLength || !isStorable(f.Name):
		return fault.InvalidParameter("file.name", "name must be at most %d bytes of text without U+0000.", maxNameLength)
	case !mimeTypePattern.MatchString(f.MimeType):
		return fault.InvalidParameter("file.mimeType", "mimeType must be of the form type/subtype.")
	case len(f.Description) > maxDescription || !isStorable(f.Description):
		return fault.InvalidParameter("file.description", "description must be at most %d bytes of text without U+0000.", maxDescription)
	case len(f.OriginalFilename) > maxNameLength || !isStorable(f.OriginalFilename):
		return fault.InvalidParameter("file.originalFilename", "originalFilename must be at most %d bytes of text without U+0000.", maxNameLength)
	}
	if err := checkProperties("properties", f.Properties); err != nil {
		return err
	}
	return checkProperties("appProperties", f.AppProperties)
}

func checkProperties(field string, properties map[string]string) error {
	if len(properties) > maxProperties {
		return fault.InvalidParameter("file."+field, "%s may have at most %d entries.", field, maxProperties)
	}
	for k, v := range properties {
		if len(k)+len(v) > maxPropertyBytes || k == "" || !isStorable(k) || !isStorable(v) {
			return fault.InvalidParameter("file."+field, "a key of %s and its value may have at most %d bytes of text together, and the key at least one.", field, maxPropertyBytes)
		}
	}
	return nil
}

// MergeProperties returns old with the changes of an update or copy request, in which
// null removes an entry.
func MergeProperties(old map[string]string, changes map[string]*string) map[string]string {
	result := maps.Clone(old)
	if result == nil {
		result = map[string]string{}
	}
	for k, v := range changes {
		if v == nil {
			delete(result, k)
		} else {
			result[k] = *v
		}
	}
	return result
}

// RoleOwner and RoleWriter are the roles that may change a file.
const RoleOwner, RoleWriter = "owner", "writer"

// Role says what the file is to a user: roleOwner, one of linkRoles, or
// nothing.
func (f File) Role(userID string) string {
	switch {
	case f.OwnerID == userID:
		return RoleOwner
	case f.LinkRole != nil:
		return *f.LinkRole
	}
	return ""
}

// Unshare has neither the file's id nor the public address that it had open it.
func (f *File) Unshare() { f.LinkRole, f.LinkKey = nil, secret(16) }

// CheckWritable refuses changes by those who may only read the file.
func (f File) CheckWritable(userID string) error {
	if role := f.Role(userID); role != RoleOwner && role != RoleWriter {
		return Insufficient()
	}
	return nil
}

// Insufficient is 403 for a file that the user may read and not change so.
func Insufficient() *fault.Error {
	return fault.Forbidden("insufficientFilePermissions", "The user does not have sufficient permissions for this file.")
}

// ShortcutType is the type of a file that leads to another.
const ShortcutType = "application/vnd.google-apps.shortcut"

// IsShortcut reports whether the file leads to another.
func (f File) IsShortcut() bool { return f.MimeType == ShortcutType }

// HasContent reports whether the file has bytes, or is kept as bytes.
func (f File) HasContent() bool { return !f.IsFolder() && !f.IsShortcut() }
