// Package platen is the domain: workflows and what they are made of,
// automations and what comes out of them, ids, and errors with a kind.
//
// It uses the standard library only and knows nothing of HTTP, SQL, Temporal
// or any drive; every other package may import it, it imports none of them.
package platen

import (
	"errors"
	"strings"
	"time"
)

// Status says how far a workflow is configured (specification, section 3).
type Status string

const (
	StatusIncomplete Status = "INCOMPLETE" // needs a template document before it can run
	StatusComplete   Status = "COMPLETE"   // has a source and at least one template document
	StatusArchived   Status = "ARCHIVED"   // deleted by its owner; kept, no longer usable
)

// What a workflow gets when its creator names nothing else.
const (
	DefaultIcon  = "DocumentText"
	DefaultColor = "#cccccc"
)

// A Workflow turns source data into documents (specification, section 2.1).
type Workflow struct {
	ID              string // wkf_…
	Name            string
	Color           string // '#' and hex digits
	Icon            string
	Status          Status
	Locale          string // of numbers, dates and words, such as de-AT (BCP 47); empty: English
	OrderedBy       string // a formula for the key of an event: automations of one key run one after the other; empty: side by side. An extension
	AutoCreate      bool   // false: events are accepted but start nothing
	Owner           User
	Team            *Team // nil: shared with nobody
	Source          Source
	Documents       []Document // by creation time; pending ones are left out
	OutgoingWebhook *OutgoingWebhook
	CreatedByAPI    bool
	CreatedAt       time.Time
	UpdatedAt       time.Time // last change of configuration, sub-resources included; not moved by events
}

// CheckStarts refuses a file whose rows would all be skipped. An event is kept all the same: its
// sender cannot repair it.
func (w Workflow) CheckStarts() error {
	switch {
	case w.Status != StatusComplete:
		return Errorf(KindInvalid, "workflow_incomplete", "The workflow has no template document, so that nothing would be made of the rows. Add one first.")
	case !w.AutoCreate:
		return Errorf(KindInvalid, "auto_create_off", "The workflow takes events and makes nothing of them (autoCreate), so that nothing would be made of the rows.")
	}
	return nil
}

// ReadyStatus is the status that a workflow which is not archived has by its
// parts: COMPLETE with at least one template document, else INCOMPLETE.
func (w Workflow) ReadyStatus() Status {
	if len(w.Documents) > 0 {
		return StatusComplete
	}
	return StatusIncomplete
}

// DocumentType tells which editor a template belongs to.
type DocumentType string

const (
	TypeDocs   DocumentType = "CLOUD_DOCS"
	TypeSlides DocumentType = "CLOUD_SLIDES"
)

// OnMissing is what becomes of tags without data.
type OnMissing string

const (
	MissingBlank OnMissing = "blank" // they are filled with nothing, and noted with the output
	MissingFail  OnMissing = "fail"  // the document fails
)

// A Document is a template and how its outputs are made (specification, section 2.3).
type Document struct {
	ID         string // doc_…; also the key under which the template was copied
	WorkflowID string
	Type       DocumentType
	File       File // the template: our own copy of the file the integrator named
	OutputName string
	// CreatePDFCopy makes a PDF of each output; RemoveOutput then removes the
	// original, and has no effect without a PDF.
	CreatePDFCopy bool
	RemoveOutput  bool
	// EnablePDFPassword encrypts the PDF with PDFPassword, a template, once filled; it
	// makes no PDF by itself.
	EnablePDFPassword      bool
	PDFPassword            string
	PDFPasswordPreventCopy bool
	// PDFProfile is the standard of archives that the PDF conforms to, empty: none. It makes no
	// PDF by itself, and goes with no password. An extension.
	PDFProfile PDFProfile
	// EInvoice has an e-invoice made with each PDF, and put into it; nil: none is. It goes
	// with no password, and makes no PDF by itself. An extension.
	EInvoice *EInvoice
	// Accessibility says what becomes of an output whose template keeps its PDF from being read
	// aloud; an extension. Empty is AccessibilityReport.
	Accessibility Accessibility
	// Seal has the PDF signed with the certificate of the installation; an extension. It makes
	// no PDF by itself.
	Seal bool
	// OnMissing says what becomes of an output whose event lacks a field that the
	// template names; an extension. Empty is MissingBlank.
	OnMissing OnMissing
	// OutputFolder, a template, names the folder of outputs, and the folders that it
	// is in, by slashes: FolderPath. They are looked for, and made, in the folder
	// OutputFolderID, or without one in that of the template. Extensions; without
	// both, outputs go where the template is.
	OutputFolder   string
	OutputFolderID string
	// OutputSharing says who may open outputs that remain; an extension.
	OutputSharing Sharing
	// Email has each output sent by mail; nil: none is. An extension.
	Email *Email
	// Approval has each output wait for people before it is shared, mailed and told of; nil:
	// none waits. It goes with a PDF alone. An extension.
	Approval *Approval
	// Numbers are the series that outputs take numbers of; see SeriesTag. An extension.
	Numbers []string
	// Appendices are ids of files in the owner's drive that are put behind the PDF of each
	// output, in this order: PDFs as they are, and templates filled with the same event.
	// They have no effect without a PDF. An extension.
	Appendices []string
	// When is a condition, a formula of the template language: an output is made of those
	// events for which it is true. AppendicesWhen and OutputSharingWhen are those of
	// Appendices and OutputSharing. Empty: always. Extensions.
	When              string
	AppendicesWhen    string
	OutputSharingWhen string
	// PreviewVersion is signed into the preview's address, so that raising it
	// revokes the addresses before.
	PreviewVersion int
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Encrypts tells whether what is made from the document must not be open to
// everybody who knows an address: its original asks for credentials from the
// moment it is copied, whether or not a PDF is made and whether or not the
// original is removed after that.
func (d Document) Encrypts() bool { return d.EnablePDFPassword }

// An OutgoingWebhook is where a workflow's events go (specification, section 2.4).
type OutgoingWebhook struct {
	ID     string // owc_…
	URL    string
	Secret Secret // Standard Webhooks signing secret, whsec_…
	// PreviousSecret signs along until PreviousUntil, so that receivers can
	// change theirs while events arrive. Empty: the secret was never rotated.
	PreviousSecret Secret
	PreviousUntil  time.Time
	// Test: it is the workflow's test receiver, where the events of tests go.
	Test      bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Endpoint is where and under which secrets events are sent at a moment.
func (o OutgoingWebhook) Endpoint(at time.Time) Endpoint {
	secrets := []Secret{o.Secret}
	if o.PreviousSecret != "" && at.Before(o.PreviousUntil) {
		secrets = append(secrets, o.PreviousSecret)
	}
	return Endpoint{WebhookID: o.ID, URL: o.URL, Secrets: secrets, Test: o.Test}
}

// Sharing says who may open outputs beside those whom their folder lets.
type Sharing string

// Kinds of sharing; empty is SharingFolder.
const (
	SharingFolder Sharing = "folder" // nobody else
	SharingDomain Sharing = "domain" // everybody of the account's domain who has the link
	SharingAnyone Sharing = "anyone" // everybody who has the link
)

// Shares tells whether outputs are given to others than their folder's.
func (s Sharing) Shares() bool { return s == SharingDomain || s == SharingAnyone }

// CodeSharingRefused is the code of an error, and of the finding of an output, about
// files that the drive does not let its account share as the document asks for.
const CodeSharingRefused = "drive_sharing_refused"

// IsSharingRefused tells whether an error says that, however often it is tried.
func IsSharingRefused(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeSharingRefused
}

// MIMEFolder is the MIME type of the drive's folders.
const MIMEFolder = "application/vnd.google-apps.folder"

// MaxFolderDepth is how many folders a Document.OutputFolder may name, one in the other.
const MaxFolderDepth = 10

// FolderPath returns the templates of the folders that an output folder names,
// outermost first: what stands between slashes, those inside of tags left alone.
// Without a template there are none.
func FolderPath(template string) []string { return cutTemplate(template, '/') }

// cutTemplate cuts a template at each separator that is not inside of a tag. There is
// nothing of an empty one.
func cutTemplate(template string, separator byte) []string {
	if template == "" {
		return nil
	}
	var parts []string
	begin := 0
	for at := 0; at < len(template); at++ {
		switch rest := template[at:]; {
		case strings.HasPrefix(rest, "{{"):
			if end := strings.Index(rest, "}}"); end > 0 {
				at += end + 1
			}
		case rest[0] == separator:
			parts, begin = append(parts, template[begin:at]), at+1
		}
	}
	return append(parts, template[begin:])
}

// An OutputFolder is a folder that outputs go into. Drives let many folders of one
// name be in one place: what is kept of it makes it the only one of its owner.
type OutputFolder struct {
	OwnerID  string
	ParentID string // folder that it was made in
	Name     string
	ID       string // in the drive; chosen before the folder is made
	Made     bool   // it is known to have been there
}

// Limits of text input, in characters. The API refuses longer texts, and the forms of
// the console do not accept them.
const (
	MaxWorkflowName    = 200
	MaxTextTemplate    = 500 // output names and passwords, before their tags are filled
	MaxReceiverAddress = 2048
	MaxLocale          = 35 // as BCP 47 asks of buffers at least (RFC 5646, 4.4.1)
)
