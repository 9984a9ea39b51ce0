// Package platen is the domain: workflows and what they are made of,
// automations and what comes out of them, ids, and errors with a kind.
//
// It uses the standard library only and knows nothing of HTTP, SQL, Temporal
// or any drive; every other package may import it, it imports none of them.
package platen

import "time"

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

// A User calls /v0 with a token and owns workflows.
type User struct {
	ID    string // usr_…
	Name  string
	Email string // unique, compared without regard to case
	Team  *Team  // nil: in no team
}

// A Team shares the workflows of its members among them.
type Team struct {
	ID   string // team_…
	Name string
}

// A Workflow turns source data into documents (specification, section 2.1).
type Workflow struct {
	ID              string // wkf_…
	Name            string
	Color           string // '#' and hex digits
	Icon            string
	Status          Status
	Locale          string // of numbers, dates and words, such as de-AT (BCP 47); empty: English
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

// ReadyStatus is the status that a workflow which is not archived has by its
// parts: COMPLETE with at least one template document, else INCOMPLETE.
func (w Workflow) ReadyStatus() Status {
	if len(w.Documents) > 0 {
		return StatusComplete
	}
	return StatusIncomplete
}

// SourceWebhook is the only source type of workflows made through the API.
const SourceWebhook = "WEBHOOK"

// A Source is where a workflow's data comes from (specification, section 2.2).
type Source struct {
	ID     string // src_…
	Type   string // SourceWebhook
	Fields []string
	// FieldsGiven: Fields were named at creation, so events do not change them.
	FieldsGiven bool
	// Key is the secret last segment of the source's address. It is a
	// credential: never logged; logs and traces name the ID.
	Key string
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
	// EnablePDFPassword encrypts the PDF with what PDFPassword, a template,
	// comes to; it makes no PDF by itself.
	EnablePDFPassword      bool
	PDFPassword            string
	PDFPasswordPreventCopy bool
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
	// Numbers are the series that outputs take numbers of; see SeriesTag. An extension.
	Numbers []string
	// Appendices are ids of files in the owner's drive that are put behind the PDF of each
	// output, in this order: PDFs as they are, and templates filled with the same event.
	// They have no effect without a PDF. An extension.
	Appendices []string
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
