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

// CheckProfile refuses settings of a document that exclude each other: a PDF that is to be kept
// for years, or has an e-invoice inside, and one that opens with a password.
func (d Document) CheckProfile() error {
	if err := d.checkEInvoice(); err != nil {
		return err
	}
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

// Hold puts an e-invoice into the PDF. One in CII is described as Factur-X wants it (ZUGFeRD
// 2.3, chapter 6): the XML says the same as the pages do.
func (a *Archive) Hold(e EInvoice, xml []byte) {
	name := e.FileName()
	a.Files = append(a.Files, EmbeddedFile{
		Name: name, Description: "E-invoice (EN 16931, " + string(e.Syntax) + ")", MIMEType: "text/xml",
		Relationship: RelationshipAlternative, Content: xml, ModifiedAt: a.At,
	})
	if !e.IsFacturX() {
		return
	}
	level, version := "EN 16931", "1.0"
	switch e.Profile {
	case InvoiceXRechnung:
		level, version = "XRECHNUNG", "3.0"
	case InvoiceBasic, InvoiceExtended:
		level = string(e.Profile)
	}
	a.Schemas = append(a.Schemas, XMPSchema{
		Name: "Factur-X PDFA Extension Schema", Namespace: "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#", Prefix: "fx",
		Properties: []XMPProperty{
			{Name: "DocumentFileName", Value: name, Description: "The name of the embedded XML document"},
			{Name: "DocumentType", Value: "INVOICE", Description: "The type of the hybrid document"},
			{Name: "Version", Value: version, Description: "The version of the standard that the embedded XML document follows"},
			{Name: "ConformanceLevel", Value: level, Description: "The profile that the embedded XML document conforms to"},
		},
	})
}
