package platen

import (
	"time"
)

// An OutputQuery says which outputs a list is to hold.
type OutputQuery struct {
	Page
	States []OutputState // any of these; empty: any state
	IDs    []string      // any of these; empty: any output
	// Since and Until bound when it was begun, the end excluded; zero: nothing does.
	Since, Until time.Time
	Test         bool             // as in AutomationQuery; with IDs, false finds both
	Mails        []MailState      // its latest mail is in one of these states; empty: any
	Placements   []PlacementState // it is in one of these states at a target; empty: any
	// Name has words that must all be in the output's name or in those of its files, in any
	// order and case; only outputs that have ended are found. Empty: any name.
	Name string
	// Batch is the id of the batch whose rows they were made of; empty: any batch, or none.
	Batch string
}

// A Plan is the configuration that an automation was started with. It is
// pinned: later changes of the workflow do not touch it.
type Plan struct {
	// Cancelled: the automation is to end, or has ended, as CANCELLED. A plan
	// that was not pinned before has no documents then.
	Cancelled bool
	// Attempt is the automation's latest when the plan was asked for; a plan
	// that is read as it was pinned does not say it.
	Attempt      int
	AutomationID string
	WorkflowID   string
	WorkflowName string
	Locale       string // the workflow's
	OwnerID      string
	TeamID       string
	AcceptedAt   time.Time
	Test         bool // the automation's: what is made is marked, and no customer gets a mail
	Documents    []PlannedDocument
	// Numbers are those that it drew, by what its documents declare; see Series.
	Numbers map[string]int64
	// Receivers get events beside the outgoing webhook. A test has none.
	Receivers []PlannedReceiver
	// Skipped is what conditions left out: none of Documents and Receivers has it.
	Skipped []Skipped
}

// Output returns the planned document that an output is made from.
func (p Plan) Output(outputID string) (PlannedDocument, bool) {
	for _, d := range p.Documents {
		if d.OutputID == outputID {
			return d, true
		}
	}
	return PlannedDocument{}, false
}

// A PlannedDocument is a Document as it was when its automation started.
type PlannedDocument struct {
	OutputID string
	Document Document
}

// OutputState says where an output stands.
type OutputState string

const (
	OutputPending OutputState = "PENDING"
	OutputReview  OutputState = "REVIEW" // made, and waits for those who approve it
	OutputDone    OutputState = "DONE"
	OutputFailed  OutputState = "FAILED"
)

// An Output is what an automation makes from one template document. Its row is
// written before each outside effect, so that a step that runs again knows
// what an earlier one began: output_states.go has its phases and its transitions.
type Output struct {
	ID           string // out_…
	AutomationID string
	DocumentID   string
	WorkflowID   string // in lists; else empty
	State        OutputState
	// Name is what it is called, a PDF without the suffix; empty: no copy was begun yet.
	Name    string
	Test    bool // the automation's
	Attempt int  // at the automation: the one that planned it, or whose retry repeated it
	// Generation counts copies: a copy whose filling began but did not end is
	// thrown away and the next generation made.
	Generation int
	Repeated   bool  // a step began what an earlier execution of it had begun: there may be orphans
	CopyBegun  bool  // a copy of this generation was or may have been made
	Copy       *File // the copy, once it is known
	// KeepsFiles: it is made again because the database was restored, and its receiver
	// may know files under its keys. Only orphans whose ids are noted here are removed.
	KeepsFiles bool
	// ThrownAway are ids of copies that are not in use any more. They are removed when
	// they are noted here and again at the end, even if the drive does not list them.
	ThrownAway    []string
	FillBegun     bool
	FillEnded     bool
	MissingFields []string // tags without data, in document order
	PDFID         string   // id that the upload will have, generated beforehand
	PDFHashes     []string // hex SHA-256 of every encoding that an upload was begun with
	PDF           *File    // the stored PDF, read back and checked
	Removed       bool     // the original is gone
	// Appendices are the first of the document's that are ready to be appended, and
	// AppendixBegun says that a copy of the next was or may have been made. There are none
	// once the PDF is made.
	Appendices    []Appendix
	AppendixBegun bool
	// Findings are what the PDF does not show as the document has it, and an
	// original that has to stay (CodeFileKept), or what is wrong with the output's name
	// (CodeNameFaulty, CodeNameEmpty), or with the event (CodeNoField, CodeHTMLLeftOut).
	Findings    []Finding
	FailureCode string
	Failure     string // why it could not be made, in words for the integrator; quotes no value
	// RequestID is that of the source event, and EventKey the value by which its sender named
	// it, where the event about the output is written; else empty.
	RequestID, EventKey string
	// Reference is that of the automation, in lists and where the event is written; else empty.
	Reference string
	Mail      *Mail // only where a reader of an automation asks for it; nil: none was begun
	// Placements say which targets have it; only where Mail is set, too.
	Placements []Placement
	// Verdict is what people have decided about it; empty: nothing, or nobody was asked.
	Verdict   Verdict
	Review    *Review // in lists, the latest; nil: nobody was asked
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Codes of findings about an output's name: a tag of it cannot be worked out, or nothing
// is left of it.
const (
	CodeNameFaulty = "output_name_faulty"
	CodeNameEmpty  = "output_name_empty"
)

// CodeNoField is the code of a finding about an output of an event that has no field of
// its template.
const CodeNoField = "no_field_given"

// Codes of findings about HTML of the data: parts that no document takes, and text without
// its styles.
const (
	CodeHTMLLeftOut = "html_left_out"
	CodeHTMLAsText  = "html_as_text"
)

// IsOfFilling tells of a finding that was met before a PDF was made, and stays.
func (f Finding) IsOfFilling() bool {
	switch f.Code {
	case CodeNameFaulty, CodeNameEmpty, CodeNoField, CodeHTMLLeftOut, CodeHTMLAsText:
		return true
	}
	return false
}

// A Finding tells of something that is not as the author of a template or of a
// workflow meant it, such as characters in a PDF that no font of the drive has.
// It is no failure.
type Finding struct {
	Code    string
	Message string // for the integrator; names single characters at most
}

// OutputID is the id of what an automation makes from a document. A plan that is
// pinned once more, because the database has forgotten it, names the same outputs,
// whose files in the drive carry it.
func OutputID(automationID, documentID string) string {
	return DerivedID(PrefixOutput, automationID, documentID)
}

// MaxAppendices is how many files a Document.Appendices may name.
const MaxAppendices = 5

// Bounds of a PDF with all that is appended to it.
const (
	MaxAppendedSize  = 32 << 20 // bytes
	MaxAppendedPages = 1000
)

// Codes of failures, and of findings of a check, about a file that is to be appended.
const (
	CodeAppendixNotFound  = "appendix_not_found"
	CodeAppendixType      = "appendix_type_unsupported"
	CodeAppendixDamaged   = "appendix_damaged"
	CodeAppendixEncrypted = "appendix_encrypted"
	CodeAppendixTooLarge  = "appendix_too_large"
)

// CodeAppendixForm is the code of a finding about an appended PDF whose form fields
// were flattened or whose signature is no longer valid.
const CodeAppendixForm = "appendix_form_fixed"

// AppendedAs returns the MIME type of the file that is made of an appendix to fill it;
// empty: it is a PDF, and appended as it is. It is false for a file that cannot be
// appended.
func AppendedAs(mimeType string) (filledAs string, ok bool) {
	switch mimeType {
	case MIMEPDF:
		return "", true
	case MIMEDocs, MIMEDocx:
		return MIMEDocs, true
	case MIMESlides, MIMEPptx:
		return MIMESlides, true
	}
	return "", false
}

// An Appendix is what a run has found out of a file that is appended to an output's PDF.
type Appendix struct {
	FileID string // in the drive of the workflow's owner: Document.Appendices names it
	Name   string
	Size   int64 // of a PDF, in bytes, as far as the drive says it
	// CopyID is the filled copy of a template; empty: the file is a PDF.
	CopyID  string
	Missing []string  // tags of the template without data
	Notes   []Finding // what filling it found
}

// An AppendedPDF is what is put behind the pages of another.
type AppendedPDF struct {
	Name    string // of its file
	Content []byte
}

// Appended are the files that stand behind the PDF of an output: none without a PDF.
func (d Document) Appended() []string {
	if !d.CreatePDFCopy {
		return nil
	}
	return d.Appendices
}

// OfAppendix is the document as one whose template is that of an appendix: it is filled by
// the same rules, and is no output of its own.
func (d Document) OfAppendix(file File, filledAs string) Document {
	file.MIMEType = filledAs
	d.File, d.OutputName = file, "Appendix"
	d.Type, _ = DocumentTypeOf(filledAs)
	d.EInvoice = nil
	d.EnablePDFPassword, d.PDFPassword, d.PDFProfile, d.OutputFolder, d.OutputFolderID, d.Email, d.Appendices = false, "", "", "", "", nil, nil
	return d
}

// ErrAppendixTooLarge says that a PDF would be too large with an appended file.
func ErrAppendixTooLarge(name string) *Error {
	return Errorf(KindInvalid, CodeAppendixTooLarge,
		"With the appended file %q the PDF has more than %d MiB or %d pages. Make the file smaller, or take it out of appendices.", name, MaxAppendedSize>>20, MaxAppendedPages)
}
