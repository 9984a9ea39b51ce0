package drive

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/drive/fault"
	"github.com/platenhq/platen/internal/drive/store"
)

// metadata is what a client may set of a file. nil means: not mentioned.
// Other fields of the resource are ignored, so that a file that was read can
// be sent back; those that restrict are refused (restrictions).
type metadata struct {
	ID               *string            `json:"id"`
	Name             *string            `json:"name"`
	MimeType         *string            `json:"mimeType"`
	Description      *string            `json:"description"`
	OriginalFilename *string            `json:"originalFilename"`
	Parents          []string           `json:"parents"`
	Properties       map[string]*string `json:"properties"`
	AppProperties    map[string]*string `json:"appProperties"`
	Starred          *bool              `json:"starred"`
	Trashed          *bool              `json:"trashed"`
	ShortcutDetails  struct {
		TargetID string `json:"targetId"`
	} `json:"shortcutDetails"` // of a new file alone
	CreatedTime  *time.Time `json:"createdTime"`
	ModifiedTime *time.Time `json:"modifiedTime"`
	restrictions
}

// restrictions are the fields that forbid something to somebody. This drive does
// not obey them, so it refuses those that forbid anything.
type restrictions struct {
	ContentRestrictions []struct {
		ReadOnly bool `json:"readOnly"`
	} `json:"contentRestrictions"`
	CopyRequiresWriterPermission bool  `json:"copyRequiresWriterPermission"`
	ViewersCanCopyContent        *bool `json:"viewersCanCopyContent"`
	DownloadRestrictions         struct {
		Item struct {
			Readers bool `json:"restrictedForReaders"`
			Writers bool `json:"restrictedForWriters"`
		} `json:"itemDownloadRestriction"`
	} `json:"downloadRestrictions"`
	InheritedPermissionsDisabled bool `json:"inheritedPermissionsDisabled"`
}

// check refuses what forbids anything.
func (r restrictions) check() error {
	field := ""
	for _, c := range r.ContentRestrictions {
		if c.ReadOnly {
			field = "contentRestrictions"
		}
	}
	switch {
	case field != "":
	case r.CopyRequiresWriterPermission:
		field = "copyRequiresWriterPermission"
	case r.ViewersCanCopyContent != nil && !*r.ViewersCanCopyContent:
		field = "viewersCanCopyContent"
	case r.DownloadRestrictions.Item.Readers, r.DownloadRestrictions.Item.Writers:
		field = "downloadRestrictions"
	case r.InheritedPermissionsDisabled:
		field = "inheritedPermissionsDisabled"
	default:
		return nil
	}
	return fault.InvalidParameter("file."+field, "This drive does not restrict what may be done with a file: leave out %s. Whoever must not write a file gets the role reader.", field)
}

func parseMetadata(body []byte) (metadata, error) {
	var m metadata
	if len(bytes.TrimSpace(body)) == 0 {
		return m, nil
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return m, fault.BadRequest("parseError", "The request body is not a valid file resource: %s.", jsonFault(err))
	}
	if len(m.Parents) > 1 {
		return m, fault.Forbidden("multipleParentsNotAllowed", "A file has exactly one parent.").At("parameter", "file.parents")
	}
	return m, m.restrictions.check()
}

// newFile makes a file out of what the client says of it.
func (m metadata) newFile(owner, mediaType string) store.File {
	f := store.File{OwnerID: owner, Name: "Untitled", MimeType: mediaType}
	if f.MimeType == "" {
		f.MimeType = store.BinaryType
	}
	m.alter(&f)
	if m.ID != nil {
		f.ID = *m.ID
	}
	if m.CreatedTime != nil {
		f.CreatedAt = *m.CreatedTime
	}
	f.TargetID = m.ShortcutDetails.TargetID
	return f
}

// alter sets what the client mentions, but for the id and the trash.
func (m metadata) alter(f *store.File) {
	set := func(field *string, value *string) {
		if value != nil {
			*field = *value
		}
	}
	set(&f.Name, m.Name)
	set(&f.Description, m.Description)
	set(&f.OriginalFilename, m.OriginalFilename)
	if m.MimeType != nil && *m.MimeType != "" {
		// Parameters such as a charset are not kept.
		f.MimeType, _, _ = strings.Cut(*m.MimeType, ";")
	}
	f.Properties = store.MergeProperties(f.Properties, m.Properties)
	f.AppProperties = store.MergeProperties(f.AppProperties, m.AppProperties)
	if m.Starred != nil {
		f.Starred = *m.Starred
	}
	if m.ModifiedTime != nil {
		f.ModifiedAt = *m.ModifiedTime
	}
	if len(m.Parents) == 1 {
		f.ParentID = &m.Parents[0]
	}
}

// isOwnersAlone reports whether m sets a field that only the owner may change, even if
// others may write the file. appProperties are private to the app and its user.
func (m metadata) isOwnersAlone() bool {
	return m.Trashed != nil || m.Starred != nil || len(m.AppProperties) > 0
}

// isEdit reports whether an update with m moves the file's modification time by
// itself: marks such as stars and properties do not.
func (m metadata) isEdit() bool {
	return m.ModifiedTime == nil && (m.Name != nil || m.Description != nil || m.MimeType != nil)
}
