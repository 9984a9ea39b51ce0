package platen

import (
	"errors"
	"time"
)

// A PDFProfile is a part of the standard of PDFs that are kept for years, with a level;
// empty: none.
type PDFProfile string

// The profiles: ISO 19005-2 and ISO 19005-3, level B. Files of the second may hold others.
const (
	ProfilePDFA2b PDFProfile = "PDF/A-2b"
	ProfilePDFA3b PDFProfile = "PDF/A-3b"
)

// CheckProfile refuses a document whose PDF is to be kept for years and to open with a password.
func (d Document) CheckProfile() error {
	if d.PDFProfile == "" || !d.EnablePDFPassword {
		return nil
	}
	return Errorf(KindInvalid, "pdf_profile_encrypted", "A PDF of the profile %s cannot be encrypted: the standard forbids it. Switch enablePdfPassword off, or send \"pdf\": null.", d.PDFProfile)
}

// CodeProfileUnmet is the code of an error about a PDF that does not conform to the profile
// of its document.
const CodeProfileUnmet = "pdf_profile_unmet"

// ErrAppendixUnmet says that an appended file keeps a PDF from conforming; cause says why. It is
// nil for a cause that is another one.
func ErrAppendixUnmet(name string, profile PDFProfile, cause error) error {
	var e *Error
	if !errors.As(cause, &e) || e.Code != CodeProfileUnmet {
		return nil
	}
	return Errorf(KindInvalid, CodeProfileUnmet, "The appended file %q keeps the PDF from conforming to %s. %s", name, profile, e.Message)
}

// An Archive says what a PDF is made for being kept.
type Archive struct {
	Profile PDFProfile
	Files   []EmbeddedFile // of PDF/A-3b alone
	Schemas []XMPSchema
	// At is when the PDF says that it was made. The zero time: it does not say it.
	At time.Time
}

// MaxEmbedded bounds the files in a PDF, in bytes together.
const MaxEmbedded = 8 << 20

// An EmbeddedFile is one inside a PDF, which belongs to the document as a whole.
type EmbeddedFile struct {
	Name         string // "factur-x.xml": printable ASCII, no path; its own in the PDF
	Description  string // for people
	MIMEType     string // "text/xml"
	Relationship Relationship
	Content      []byte
	ModifiedAt   time.Time // the zero time: it does not say it
}

// A Relationship is what a file is to the PDF that holds it (ISO 19005-3, annex E).
type Relationship string

// The relationships.
const (
	RelationshipSource      Relationship = "Source"      // the PDF was made of it
	RelationshipData        Relationship = "Data"        // it has the data that pages show
	RelationshipAlternative Relationship = "Alternative" // it says the same in another form
	RelationshipSupplement  Relationship = "Supplement"
	RelationshipUnspecified Relationship = "Unspecified"
)

// An XMPSchema describes properties that no standard knows, and what a PDF says of itself by
// them (ISO 19005-2, 6.6.2.3). Values are texts about something outside of the file.
type XMPSchema struct {
	Name       string // for people
	Namespace  string // a URI, which ends with # or /
	Prefix     string // "fx"
	Properties []XMPProperty
}

// An XMPProperty is one of a schema with its value.
type XMPProperty struct {
	Name, Value string
	Description string // for people
}
