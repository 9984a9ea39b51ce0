package platen

// An InvoiceSyntax is one of the two ways to write an e-invoice of EN 16931 down.
type InvoiceSyntax string

// The syntaxes: UN/CEFACT Cross Industry Invoice, and OASIS Universal Business Language.
const (
	InvoiceCII InvoiceSyntax = "CII"
	InvoiceUBL InvoiceSyntax = "UBL"
)

// An InvoiceProfile says whose rules an e-invoice keeps.
type InvoiceProfile string

// The profiles: EN 16931 alone; BASIC of Factur-X, a part of it, and EXTENDED, which has more,
// both in CII alone; the German XRechnung 3.0; and Peppol BIS Billing 3.0, in UBL alone.
const (
	InvoiceEN16931   InvoiceProfile = "EN16931"
	InvoiceBasic     InvoiceProfile = "BASIC"
	InvoiceExtended  InvoiceProfile = "EXTENDED"
	InvoiceXRechnung InvoiceProfile = "XRECHNUNG"
	InvoicePeppol    InvoiceProfile = "PEPPOL"
)

// An EInvoice has the XML of an e-invoice made of each event, from the same data and numbers
// as the pages, and put into the PDF. The PDF is then one of PDF/A-3b. An extension.
type EInvoice struct {
	Syntax  InvoiceSyntax
	Profile InvoiceProfile
	// Map says what each business term is filled with: a JSON object, in the form that
	// package billing reads and writes.
	Map string
}

// IsFacturX tells whether a PDF with the invoice is one of Factur-X, which ZUGFeRD calls
// itself, too: that has CII alone.
func (e EInvoice) IsFacturX() bool { return e.Syntax == InvoiceCII }

// FileName is what the XML is called in the PDF. Factur-X says it (chapter 6.2.2); nothing
// says it of UBL.
func (e EInvoice) FileName() string {
	switch {
	case e.Syntax == InvoiceUBL:
		return "ubl-invoice.xml"
	case e.Profile == InvoiceXRechnung:
		return "xrechnung.xml"
	}
	return "factur-x.xml"
}

// InvoiceFileNames are those that an e-invoice may have in a PDF, the usual ones first:
// zugferd-invoice.xml is that of ZUGFeRD before 2.1.
func InvoiceFileNames() []string {
	return []string{"factur-x.xml", "xrechnung.xml", "zugferd-invoice.xml", "ubl-invoice.xml"}
}

// An InvoiceProposal is a Map by the names of fields, for somebody to look at.
type InvoiceProposal struct {
	Map string
	// Open are terms that the profile asks for and that no field seems to have.
	Open []InvoiceTerm
}

// An InvoiceCount says of how many events an e-invoice is made.
type InvoiceCount struct {
	Made, Refused int
	// Findings are what is wrong with the first that is refused. They quote none of its values.
	Findings []TemplateFinding
}

// An InvoiceTerm is a business term of EN 16931.
type InvoiceTerm struct {
	Number string // BT-1
	Name   string // Invoice number
}

// MaxInvoiceMap bounds a Map, in bytes.
const MaxInvoiceMap = 64 << 10

// Codes of failures, and of findings of a check, about the e-invoice of an output: its data
// breaks a rule that a receiver would refuse it for, or its map cannot be worked out.
const (
	CodeInvoiceRefused = "einvoice_refused"
	CodeInvoiceMap     = "einvoice_map_faulty"
)

// CodeInvoiceDoubtful is the code of a finding about an e-invoice that is made: a total that
// nothing was compared with, or what a receiver may ask about.
const CodeInvoiceDoubtful = "einvoice_doubtful"

// CodeInvoiceWithoutPDF is the code of a setting that makes no e-invoice.
const CodeInvoiceWithoutPDF = "einvoice_without_pdf"

// Archived is the profile that the PDFs of a document conform to: that of its setting, and
// PDF/A-3b where an e-invoice is in them. Empty: none.
func (d Document) Archived() PDFProfile {
	if d.EInvoice != nil {
		return ProfilePDFA3b
	}
	return d.PDFProfile
}

// checkEInvoice refuses what keeps an e-invoice out of the PDF.
func (d Document) checkEInvoice() error {
	switch {
	case d.EInvoice == nil:
		return nil
	case d.EInvoice.Profile == InvoicePeppol && d.EInvoice.Syntax != InvoiceUBL:
		return Errorf(KindInvalid, "einvoice_syntax", "Peppol takes e-invoices in UBL. Set einvoice.syntax to UBL, or another einvoice.profile.")
	case (d.EInvoice.Profile == InvoiceBasic || d.EInvoice.Profile == InvoiceExtended) && d.EInvoice.Syntax != InvoiceCII:
		return Errorf(KindInvalid, "einvoice_syntax", "BASIC and EXTENDED are profiles of Factur-X, which is written in CII. Set einvoice.syntax to CII, or einvoice.profile to EN16931.")
	case d.EnablePDFPassword:
		return Errorf(KindInvalid, "einvoice_encrypted", "A PDF with an e-invoice inside is one of PDF/A-3b, and cannot be encrypted: the standard forbids it. Switch enablePdfPassword off, or send \"einvoice\": null.")
	case d.PDFProfile == ProfilePDFA2b:
		return Errorf(KindInvalid, "einvoice_profile", "A PDF with an e-invoice inside is one of PDF/A-3b: a file of PDF/A-2b holds no other files. Set pdf.profile to PDF/A-3b, send \"pdf\": null, or send \"einvoice\": null.")
	}
	return nil
}
