package platen

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
)

// MIME types that the drive and the service exchange.
const (
	MIMEDocs   = "application/vnd.google-apps.document"
	MIMESlides = "application/vnd.google-apps.presentation"
	MIMEPDF    = "application/pdf"
	// Office files, which the drive converts to Docs and Slides files.
	MIMEDocx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	MIMEPptx = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
)

// MaxFileID is the longest id of a file in a drive, in characters.
const MaxFileID = 200

// A File is a file in the cloud drive (specification, section 2.3, Cloud File).
type File struct {
	ID       string
	Name     string
	URL      string // opens the file in a browser
	MIMEType string
	// Parent is the folder that the file is in; empty where the drive does not
	// say it, which our own does and Google does to those who may see the folder.
	Parent string
	// Properties are the appProperties that this service gave it.
	Properties map[string]string
	SHA256     string    // hex; empty where the drive does not say
	Size       int64     // bytes; 0 for Docs-type files
	ModifiedAt time.Time // of its content; zero where it was not asked for
	CreatedAt  time.Time // zero where it was not asked for
	Trashed    bool
}

// A Protection says what a reader needs to open a file of this service at its URL,
// beside the drive's own access rules.
type Protection string

// The protections of files.
const (
	ProtectionNone        Protection = "none"
	ProtectionPassword    Protection = "password"    // an encrypted PDF
	ProtectionCredentials Protection = "credentials" // the drive asks for credentials unless the owner shares the file
)

// Protection is what protects the file; empty: that is not known.
func (f File) Protection() Protection { return Protection(f.Properties[PropertyProtection]) }

// A FileKind says what a file is to its output.
type FileKind string

// The kinds of files that an output has.
const (
	FileOriginal FileKind = "original" // the filled copy of the template
	FilePDF      FileKind = "pdf"
)

// An OutputFile is a file of an output.
type OutputFile struct {
	File
	Kind FileKind
}

// DocumentTypeOf returns the document type of a drive file, and false for a
// file that cannot be a template.
func DocumentTypeOf(mimeType string) (DocumentType, bool) {
	switch mimeType {
	case MIMEDocs:
		return TypeDocs, true
	case MIMESlides:
		return TypeSlides, true
	}
	return "", false
}

// MIMEType is the drive's MIME type of files of this type.
func (t DocumentType) MIMEType() string {
	if t == TypeSlides {
		return MIMESlides
	}
	return MIMEDocs
}

// Keys of the appProperties that files made by this service carry, so that a
// step that runs again finds what it made before.
const (
	PropertyKey    = "platenKey"    // the copy's key: doc_… for templates, out_….<generation> for outputs
	PropertySHA256 = "platenSha256" // hex hash of an uploaded PDF
	// PropertyAttempt is the attempt that the event of an uploaded PDF belongs to.
	PropertyAttempt = "platenAttempt"
	// PropertyProtection holds the file's Protection. Our own drive acts on it:
	// the public address of a file with ProtectionCredentials asks for them.
	PropertyProtection = "platenProtection"
	// PropertyPages is how many pages an uploaded PDF has; a file without it has an unknown
	// number.
	PropertyPages = "platenPages"
)

// CodeFileKept is the code of an error, and of the finding of an output, about
// a file that the drive lets its account neither delete nor trash: it stays.
const CodeFileKept = "drive_file_kept"

// IsFileKept tells whether an error says that a file has to stay where it is,
// however often it is tried to remove it.
func IsFileKept(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeFileKept
}

// CodeTagLeft is the code of an error about a tag that stands in a file and that
// the drive did not replace.
const CodeTagLeft = "drive_tag_not_replaced"

// A Reading says how much of a file is read before it is changed.
type Reading int

// ReadTexts leaves out styles, which make an answer several times as large.
const (
	ReadTexts Reading = iota // texts, their addresses and places, bullets and pictures
	ReadWhole
)

// DistinctName returns the name of a file among others that a person gets with it: with a
// number before its extension if the name is taken, which then has it in lower case.
func DistinctName(name string, taken map[string]bool) string {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 2; taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s (%d)%s", stem, n, ext)
	}
	taken[strings.ToLower(name)] = true
	return name
}
