// Package manifest keeps workflows in files: YAML names them with their settings, and the
// templates lie beside it. It reads and writes such files, plans what makes an installation
// equal to them, and carries a plan out. All that it does goes through package client.
//
// What a setting may be, the service says: no rule of the service belongs here, and nothing
// that asks or prints at a terminal.
package manifest

import (
	"cmp"
	"strings"

	"github.com/platenhq/platen/client"
)

// Version is that of the format.
const Version = 1

// A Workflow is what a file says of one. What it leaves out has its default, but for the
// colour and the icon, which stay.
type Workflow struct {
	Settings
	AutoCreate      *bool                          `json:"autoCreate,omitempty"`   // nil: true; given when it is made
	SourceFields    []string                       `json:"sourceFields,omitempty"` // given when it is made
	OutgoingWebhook *client.OutgoingWebhookAddress `json:"outgoingWebhook,omitempty"`
	Documents       []Document                     `json:"documents,omitempty"`
	Receivers       []Receiver                     `json:"receivers,omitempty"`
	Targets         []Target                       `json:"targets,omitempty"`
	Schedules       []Schedule                     `json:"schedules,omitempty"`
}

// own is what a file says of the workflow itself.
func (w Workflow) own() Workflow {
	w.Documents, w.OutgoingWebhook, w.Receivers, w.Targets, w.Schedules = nil, nil, nil, nil, nil
	return w
}

// Settings are those of a workflow itself, which a change of it sets.
type Settings struct {
	Color     string `json:"color,omitempty"`
	Icon      string `json:"icon,omitempty"`
	Locale    string `json:"locale,omitempty"`
	OrderedBy string `json:"orderedBy,omitempty"`
}

func settingsOf(w client.Workflow) Settings {
	return Settings{Color: w.Color, Icon: w.Icon, Locale: w.Locale, OrderedBy: w.OrderedBy}
}

func (s Settings) change() client.WorkflowChange {
	return client.WorkflowChange{Color: s.Color, Icon: s.Icon, Locale: &s.Locale, OrderedBy: &s.OrderedBy}
}

// A Document is what a file says of one.
type Document struct {
	Template          string           `json:"template"` // path of a .docx or .pptx file, from the folder of the YAML file
	OutputName        string           `json:"outputName,omitempty"`
	CreatePDFCopy     bool             `json:"createPdfCopy,omitempty"`
	RemoveOutput      bool             `json:"removeOutput,omitempty"`
	EnablePDFPassword bool             `json:"enablePdfPassword,omitempty"`
	PDFPassword       string           `json:"pdfPassword,omitempty"`
	PDFPreventCopy    bool             `json:"pdfPasswordPreventCopy,omitempty"`
	PDF               *client.PDF      `json:"pdf,omitempty"`
	EInvoice          *client.EInvoice `json:"einvoice,omitempty"`
	Accessibility     string           `json:"accessibility,omitempty"`
	Seal              bool             `json:"seal,omitempty"`
	OnMissing         string           `json:"onMissing,omitempty"`
	OutputFolder      string           `json:"outputFolder,omitempty"`
	OutputFolderID    string           `json:"outputFolderId,omitempty"`
	OutputSharing     string           `json:"outputSharing,omitempty"`
	OutputSharingWhen string           `json:"outputSharingWhen,omitempty"`
	Email             *client.Email    `json:"email,omitempty"`
	Approval          *client.Approval `json:"approval,omitempty"`
	Numbers           []string         `json:"numbers,omitempty"`
	Appendices        []string         `json:"appendices,omitempty"`
	AppendicesWhen    string           `json:"appendicesWhen,omitempty"`
	When              string           `json:"when,omitempty"`
}

// What the contract says that is left out means.
const (
	reported      = "report"
	missingBlank  = "blank"
	sharingFolder = "folder"
	attachPDF     = "pdf"
	remindDays    = 3
	expireDays    = 30
)

// withDefaults is a document as the service would answer it, so that both can be compared.
// The white space around a formula means nothing, such as the end of a folded line.
func (d Document) withDefaults(workflow string) Document {
	for _, formula := range []*string{&d.When, &d.AppendicesWhen, &d.OutputSharingWhen} {
		*formula = strings.TrimSpace(*formula)
	}
	d.OutputName = cmp.Or(d.OutputName, workflow+" - {{Timestamp}}")
	if d.Accessibility == reported {
		d.Accessibility = ""
	}
	if d.OnMissing == missingBlank {
		d.OnMissing = ""
	}
	if d.OutputSharing == sharingFolder {
		d.OutputSharing = ""
	}
	if d.Email != nil {
		mail := *d.Email
		mail.Attach, mail.When = cmp.Or(mail.Attach, attachPDF), strings.TrimSpace(mail.When)
		d.Email = &mail
	}
	if d.Approval != nil {
		a := *d.Approval
		a.ExpireDays, a.When = cmp.Or(a.ExpireDays, expireDays), strings.TrimSpace(a.When)
		if a.RemindDays == nil {
			days := min(remindDays, a.ExpireDays-1)
			a.RemindDays = &days
		}
		d.Approval = &a
	}
	return d
}

// documentOf is what a file would say of a document that is there, without its template.
func documentOf(workflow string, d client.Document) Document {
	return Document{
		OutputName: d.OutputName, CreatePDFCopy: d.CreatePDFCopy, RemoveOutput: d.RemoveOutput,
		EnablePDFPassword: d.EnablePDFPassword, PDFPassword: d.PDFPassword, PDFPreventCopy: d.PDFPreventCopy,
		PDF: d.PDF, EInvoice: d.EInvoice, Accessibility: d.Accessibility, Seal: d.Seal, OnMissing: d.OnMissing,
		OutputFolder: d.OutputFolder, OutputFolderID: d.OutputFolderID, OutputSharing: d.OutputSharing, OutputSharingWhen: d.OutputSharingWhen,
		Email: d.Email, Approval: d.Approval, Numbers: d.Numbers,
		Appendices: d.Appendices, AppendicesWhen: d.AppendicesWhen, When: d.When,
	}.withDefaults(workflow)
}

// changed are the settings of d that have these names, for a PATCH.
func (d Document) changed(names map[string]bool) client.DocumentSettings {
	s := client.DocumentSettings{
		OutputName: pick(names, "outputName", d.OutputName), CreatePDFCopy: pick(names, "createPdfCopy", d.CreatePDFCopy),
		RemoveOutput: pick(names, "removeOutput", d.RemoveOutput), EnablePDFPassword: pick(names, "enablePdfPassword", d.EnablePDFPassword),
		PDFPassword: pick(names, "pdfPassword", d.PDFPassword), PDFPreventCopy: pick(names, "pdfPasswordPreventCopy", d.PDFPreventCopy),
		Accessibility: pick(names, "accessibility", cmp.Or(d.Accessibility, reported)), Seal: pick(names, "seal", d.Seal),
		OnMissing: pick(names, "onMissing", cmp.Or(d.OnMissing, missingBlank)), OutputFolder: pick(names, "outputFolder", d.OutputFolder),
		OutputFolderID: pick(names, "outputFolderId", d.OutputFolderID), OutputSharing: pick(names, "outputSharing", cmp.Or(d.OutputSharing, sharingFolder)),
		OutputSharingWhen: pick(names, "outputSharingWhen", d.OutputSharingWhen), When: pick(names, "when", d.When),
		Numbers: pick(names, "numbers", append([]string{}, d.Numbers...)), Appendices: pick(names, "appendices", append([]string{}, d.Appendices...)),
		AppendicesWhen: pick(names, "appendicesWhen", d.AppendicesWhen),
	}
	// The zero value of each of these takes it away.
	s.PDF = pick(names, "pdf", orZero(d.PDF))
	s.EInvoice = pick(names, "einvoice", orZero(d.EInvoice))
	s.Email = pick(names, "email", orZero(d.Email))
	s.Approval = pick(names, "approval", orZero(d.Approval))
	return s
}

func pick[T any](names map[string]bool, name string, value T) *T {
	if !names[name] {
		return nil
	}
	return &value
}

func orZero[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
