package platen

import "time"

// A TemplateVersion is what a template said at a moment: an office file that is kept, so
// that it can be put back. An extension.
type TemplateVersion struct {
	ID         string // ver_…
	DocumentID string
	// Number counts the versions of a document from 1, and is never given twice.
	Number    int
	Type      DocumentType
	Cause     VersionCause
	Note      string // of whoever kept it on purpose; may be empty
	SHA256    string // hex, of the office file
	Size      int64  // bytes
	CreatedAt time.Time
	CreatedBy User // whose name is empty where the caller may not see it
}

// ContentType is the MIME type of the office file.
func (v TemplateVersion) ContentType() string { return v.Type.OfficeType() }

// A VersionCause says why a version was kept.
type VersionCause string

// The causes of versions.
const (
	VersionKept     VersionCause = "KEPT"     // on purpose
	VersionReplaced VersionCause = "REPLACED" // another content was about to take its place
	VersionRestored VersionCause = "RESTORED" // an earlier version was about to be put back
)

const (
	// MaxVersions is how many versions a document has; the oldest goes.
	MaxVersions = 20
	// MaxVersionSize is how many bytes the office file of a version has, which is how
	// many Google exports.
	MaxVersionSize = 10 << 20
	// MaxVersionNote is how many characters a note has.
	MaxVersionNote = 200
)

// OfficeType is the MIME type of office files of which the drive makes files of this type.
func (t DocumentType) OfficeType() string {
	if t == TypeSlides {
		return MIMEPptx
	}
	return MIMEDocx
}

// OfficeExtension is the ending of their names.
func (t DocumentType) OfficeExtension() string {
	if t == TypeSlides {
		return ".pptx"
	}
	return ".docx"
}
