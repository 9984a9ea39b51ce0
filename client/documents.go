package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"mime/multipart"
	"net/http"
)

// A Document is a template, and what is made from it.
type Document struct {
	ID                string    `json:"id"`
	Type              string    `json:"documentType"` // CLOUD_DOCS, CLOUD_SLIDES
	File              File      `json:"file"`
	OutputName        string    `json:"outputName"`
	CreatePDFCopy     bool      `json:"createPdfCopy"`
	RemoveOutput      bool      `json:"removeOutput"`
	EnablePDFPassword bool      `json:"enablePdfPassword"`
	PDFPassword       string    `json:"pdfPassword"`
	PDFPreventCopy    bool      `json:"pdfPasswordPreventCopy"`
	PDF               *PDF      `json:"pdf"`           // nil: the PDF conforms to no standard of archives
	EInvoice          *EInvoice `json:"einvoice"`      // nil: the PDF has no e-invoice inside
	Accessibility     string    `json:"accessibility"` // report, require; empty: report
	Seal              bool      `json:"seal"`          // the PDF is signed by the installation
	OnMissing         string    `json:"onMissing"`     // blank, fail
	OutputFolder      string    `json:"outputFolder"`
	OutputFolderID    string    `json:"outputFolderId"`
	OutputSharing     string    `json:"outputSharing"`     // folder, domain, anyone; empty: folder
	Email             *Email    `json:"email"`             // nil: outputs are not sent by mail
	Approval          *Approval `json:"approval"`          // nil: outputs wait for nobody
	Numbers           []string  `json:"numbers"`           // series that each automation takes a number of
	Appendices        []string  `json:"appendices"`        // ids of files that stand behind the PDF
	When              string    `json:"when"`              // outputs are made of events for which this formula is true; empty: of all
	AppendicesWhen    string    `json:"appendicesWhen"`    // the same of Appendices
	OutputSharingWhen string    `json:"outputSharingWhen"` // the same of OutputSharing
	PreviewURL        string    `json:"previewUrl"`        // everyone with it may see the template
	// Findings are what is wrong with the template and the settings, where the document was
	// made or changed just now; nil: Unchecked says why that is not known.
	Findings  []TemplateFinding `json:"findings"`
	Unchecked *Failure          `json:"unchecked"`
}

// An Email has each output sent by mail. All but Attach and When may have tags.
type Email struct {
	To       string `json:"to"` // addresses with commas between them
	CC       string `json:"cc,omitempty"`
	BCC      string `json:"bcc,omitempty"`
	ReplyTo  string `json:"replyTo,omitempty"`
	Subject  string `json:"subject"`
	Text     string `json:"text"`               // empty: it is made of HTML
	HTML     string `json:"html,omitempty"`     // empty: the mail has text alone
	Attach   string `json:"attach,omitempty"`   // pdf, office, link; empty: pdf
	LinkDays int    `json:"linkDays,omitempty"` // how long links open the output for everybody who has them; 0: they are addresses in the drive
	// AllOutputs has the mail bring the outputs of all documents of the run.
	AllOutputs bool   `json:"allOutputs,omitempty"`
	When       string `json:"when,omitempty"` // as Document.When
	// Sender is the name of a mail sender of the workflow's owner; empty: the mail server of the
	// installation sends it.
	Sender string `json:"sender,omitempty"`
}

// MarshalJSON writes the zero Email as null, which takes the email of a document away.
func (e Email) MarshalJSON() ([]byte, error) {
	if e == (Email{}) {
		return []byte("null"), nil
	}
	type fields Email
	return json.Marshal(fields(e))
}

// An Approval has each output wait in state REVIEW until people let it out.
type Approval struct {
	By         []string          `json:"by"`             // addresses
	Need       Needed            `json:"need,omitempty"` // how many of them; 0: all
	When       string            `json:"when,omitempty"` // as Document.When: what it is false for waits for nobody
	RemindDays *int              `json:"remindDays,omitempty"`
	ExpireDays int               `json:"expireDays,omitempty"` // 0: 30
	Deputies   map[string]string `json:"deputies,omitempty"`   // who may decide after a reminder, by the address in By

	CorrectByLink bool `json:"correctByLink,omitempty"` // those who come by a link may correct the data
}

// MarshalJSON writes an Approval without By as null, which takes that of a document away.
func (a Approval) MarshalJSON() ([]byte, error) {
	if len(a.By) == 0 {
		return []byte("null"), nil
	}
	type fields Approval
	return json.Marshal(fields(a))
}

// Needed is how many have to approve; 0 is all of them, which is written as "all".
type Needed int

// UnmarshalJSON reads a number, or "all".
func (n *Needed) UnmarshalJSON(text []byte) error {
	if string(text) == `"all"` {
		*n = 0
		return nil
	}
	return json.Unmarshal(text, (*int)(n))
}

// A PDF says what the PDFs of a document are.
type PDF struct {
	Profile string `json:"profile"` // PDF/A-2b, PDF/A-3b
}

// MarshalJSON writes the zero PDF as null, which takes the profile of a document away.
func (p PDF) MarshalJSON() ([]byte, error) {
	if p == (PDF{}) {
		return []byte("null"), nil
	}
	type fields PDF
	return json.Marshal(fields(p))
}

// A File is one in the drive.
type File struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	URL      string `json:"url"`
	MIMEType string `json:"mimeType"`
}

// DocumentSettings leave out what stays, or has its default: nil. An empty string takes
// a folder back, and an empty list series or appendices.
type DocumentSettings struct {
	OutputName        *string   `json:"outputName,omitempty"`
	CreatePDFCopy     *bool     `json:"createPdfCopy,omitempty"`
	RemoveOutput      *bool     `json:"removeOutput,omitempty"`
	EnablePDFPassword *bool     `json:"enablePdfPassword,omitempty"`
	PDFPassword       *string   `json:"pdfPassword,omitempty"`
	PDFPreventCopy    *bool     `json:"enablePdfPreventCopy,omitempty"`
	PDF               *PDF      `json:"pdf,omitempty"`
	EInvoice          *EInvoice `json:"einvoice,omitempty"`
	Accessibility     *string   `json:"accessibility,omitempty"`
	Seal              *bool     `json:"seal,omitempty"`
	OnMissing         *string   `json:"onMissing,omitempty"`
	OutputFolder      *string   `json:"outputFolder,omitempty"`
	OutputFolderID    *string   `json:"outputFolderId,omitempty"`
	OutputSharing     *string   `json:"outputSharing,omitempty"`
	Email             *Email    `json:"email,omitempty"`
	Approval          *Approval `json:"approval,omitempty"`
	Numbers           *[]string `json:"numbers,omitempty"`
	Appendices        *[]string `json:"appendices,omitempty"`
	When              *string   `json:"when,omitempty"`
	AppendicesWhen    *string   `json:"appendicesWhen,omitempty"`
	OutputSharingWhen *string   `json:"outputSharingWhen,omitempty"`
}

// Documents lists the templates of a workflow, the oldest first.
func (c *Client) Documents(ctx context.Context, workflowID string) iter.Seq2[Document, error] {
	return list[Document](ctx, c, workflowPath(workflowID)+"documents/", values())
}

// An AddedDocument is a document of a workflow that is there: the specification spells
// its file in another way than that of a new workflow.
type AddedDocument struct {
	FileID string `json:"file_id,omitempty"` // of the drive; empty: a blank file
	DocumentSettings
}

// CreateDocument adds a template that is in the drive.
func (c *Client) CreateDocument(ctx context.Context, workflowID string, d AddedDocument) (Document, error) {
	return post[Document](ctx, c, workflowPath(workflowID)+"documents/", d)
}

const octets = "application/octet-stream"

// UploadDocument adds the content of a .docx or .pptx file as a template. It is not
// tried again unless the answer says that nothing was done.
func (c *Client) UploadDocument(ctx context.Context, workflowID string, content []byte) (Document, error) {
	var d Document
	_, err := c.ask(ctx, request{method: http.MethodPost, path: workflowPath(workflowID) + "documents/upload/", body: content, contentType: octets}, &d)
	return d, err
}

// UploadDocumentWith is UploadDocument with settings, which the document has from the start.
func (c *Client) UploadDocumentWith(ctx context.Context, workflowID string, content []byte, settings DocumentSettings) (Document, error) {
	var d Document
	said, err := json.Marshal(settings)
	if err != nil {
		return d, err
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	field, err := w.CreateFormField("settings")
	if err == nil {
		_, err = field.Write(said)
	}
	if err == nil {
		field, err = w.CreateFormFile("file", "template")
	}
	if err == nil {
		_, err = field.Write(content)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return d, err
	}
	_, err = c.ask(ctx, request{method: http.MethodPost, path: workflowPath(workflowID) + "documents/upload/", body: form.Bytes(), contentType: w.FormDataContentType()}, &d)
	return d, err
}

// Document reads one.
func (c *Client) Document(ctx context.Context, workflowID, id string) (Document, error) {
	return get[Document](ctx, c, documentPath(workflowID, id))
}

// UpdateDocument changes what is set.
func (c *Client) UpdateDocument(ctx context.Context, workflowID, id string, change DocumentSettings) (Document, error) {
	return patch[Document](ctx, c, documentPath(workflowID, id), change)
}

// RemoveDocument takes a template out of its workflow.
func (c *Client) RemoveDocument(ctx context.Context, workflowID, id string) error {
	return remove(ctx, c, documentPath(workflowID, id))
}

// A TemplateState tells one content of a template from another.
type TemplateState struct {
	DocumentID string `json:"documentId"`
	MIMEType   string `json:"mimeType"` // of the office file
	Size       int    `json:"size"`     // bytes
	SHA256     string `json:"sha256"`   // hex, of the office file as the drive gives it
	// UploadedSHA256 is that of the file that the template was made of, which a drive may
	// have converted; nil: not known, or the template was changed in the drive since.
	UploadedSHA256 *string `json:"uploadedSha256"`
}

// Has tells whether a template was made of a file with this SHA-256, in hex, and still is
// so.
func (t TemplateState) Has(sha256 string) bool {
	return t.SHA256 == sha256 || t.UploadedSHA256 != nil && *t.UploadedSHA256 == sha256
}

// TemplateState reads which content a template has now. Its ETag is for WithIfMatch of
// ReplaceTemplate.
func (c *Client) TemplateState(ctx context.Context, workflowID, id string) (TemplateState, error) {
	return get[TemplateState](ctx, c, documentPath(workflowID, id)+"template/")
}

// ReplaceTemplate gives a template the content of a .docx or .pptx file of its kind.
func (c *Client) ReplaceTemplate(ctx context.Context, workflowID, id string, content []byte) (Document, error) {
	var d Document
	_, err := c.ask(ctx, request{method: http.MethodPost, path: documentPath(workflowID, id) + "template/", body: content, contentType: octets, repeatable: true, matched: true}, &d)
	return d, err
}

// RotatePreviewURL makes a new preview address; the ones before lead nowhere.
func (c *Client) RotatePreviewURL(ctx context.Context, workflowID, id string) (Document, error) {
	return post[Document](ctx, c, documentPath(workflowID, id)+"preview-url/rotate/", nil)
}

// A DocumentCheck is every mistake of a template and of its settings.
type DocumentCheck struct {
	DocumentID   string            `json:"documentId"`
	Tags         []Tag             `json:"tags"`
	Unfilled     []string          `json:"unfilled"` // names that nothing fills
	Faults       []SettingFault    `json:"faults"`
	SourceFields []string          `json:"sourceFields"`
	Findings     []TemplateFinding `json:"findings"`
	Schema       json.RawMessage   `json:"schema"` // JSON Schema of the data
	Conditions   []ConditionCount  `json:"conditions"`
	EInvoices    *EInvoiceCount    `json:"einvoices"`  // nil: the document makes none
	MailBrings   []BroughtOutput   `json:"mailBrings"` // nil: the document has no mail
}

// A BroughtOutput is a document whose outputs a mail brings.
type BroughtOutput struct {
	DocumentID string `json:"documentId"`
	Name       string `json:"name"` // of its template
	When       string `json:"when"` // its condition; empty: always
}

// A ConditionCount says of how many of the last events a condition is true (Made), false
// (Skipped), and cannot be worked out (Faulty).
type ConditionCount struct {
	Setting string `json:"setting"` // when, appendicesWhen, outputSharingWhen, email.when
	When    string `json:"when"`
	Made    int    `json:"made"`
	Skipped int    `json:"skipped"`
	Faulty  int    `json:"faulty"`
}

// A Tag is one name that a template asks for.
type Tag struct {
	Name    string   `json:"name"`
	In      []string `json:"in"` // template, outputName, outputFolder, pdfPassword, email, appendices
	Filled  bool     `json:"filled"`
	Nearest []string `json:"nearest"`
}

// A SettingFault is what is wrong with one setting of a document.
type SettingFault struct {
	In      string `json:"in"`
	Code    string `json:"code"`
	Message string `json:"message"`
	// Severity is SeverityNote of what works and may be meant so, else SeverityMistake.
	Severity Severity `json:"severity"`
}

// A TemplateFinding is one mistake, with its place.
type TemplateFinding struct {
	Where  string `json:"where"`
	Around string `json:"around"`
	// Offset is how many characters of Around stand before the place.
	Offset  int      `json:"offset"`
	Tag     string   `json:"tag"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Nearest []string `json:"nearest"`
	// Severity is SeverityNote of what may be meant so, else SeverityMistake.
	Severity Severity `json:"severity"`
}

// A Severity tells a mistake of a template from what may be meant so.
type Severity string

const (
	SeverityMistake Severity = "mistake"
	SeverityNote    Severity = "note"
)

// CheckDocument finds the mistakes of a template, and with data, an event such as the
// source will send, those of its values. nil: without.
func (c *Client) CheckDocument(ctx context.Context, workflowID, id string, data any) (DocumentCheck, error) {
	return checkWith[DocumentCheck](ctx, c, documentPath(workflowID, id), data)
}

// checkWith has what a path names checked with data.
func checkWith[T any](ctx context.Context, c *Client, path string, data any) (T, error) {
	sample, err := sampleOf(data)
	if err != nil {
		var none T
		return none, err
	}
	return post[T](ctx, c, path+"check/", struct {
		Data json.RawMessage `json:"data,omitempty"`
	}{sample})
}

func sampleOf(data any) (json.RawMessage, error) {
	encoded, err := encode(data)
	return json.RawMessage(encoded), err
}

// A PreviewRequest names the data to fill templates with.
type PreviewRequest struct {
	DocumentID string          `json:"documentId,omitempty"` // empty: every document
	Data       json.RawMessage `json:"data"`
}

// A Preview is what would be made. Nothing of it is an output.
type Preview struct {
	WorkflowID string            `json:"workflowId"`
	Sample     bool              `json:"sample"`
	Documents  []PreviewDocument `json:"documents"`
}

// A PreviewDocument is one document of a preview.
type PreviewDocument struct {
	DocumentID    string            `json:"documentId"`
	DocumentType  string            `json:"documentType"`
	OutputName    string            `json:"outputName"`
	PDF           []byte            `json:"pdf"` // nil: the template cannot be filled
	Findings      []TemplateFinding `json:"findings"`
	MissingFields []string          `json:"missingFields"`
	PDFFindings   []PDFFinding      `json:"pdfFindings"`
}

// A PDFFinding is what a PDF does not show as its document has it.
type PDFFinding struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Preview fills templates with sample data. It keeps nothing.
func (c *Client) Preview(ctx context.Context, workflowID string, r PreviewRequest) (Preview, error) {
	var p Preview
	_, err := c.ask(ctx, request{method: http.MethodPost, path: workflowPath(workflowID) + "preview/", body: r, repeatable: true}, &p)
	return p, err
}
