package api

import (
	"cmp"

	"github.com/platenhq/platen/internal/platen"
)

// The wire types are the resources as clients see them (specification,
// section 2), field by field in its order.

type workflowJSON struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Color  string        `json:"color"`
	Icon   string        `json:"icon"`
	Status platen.Status `json:"status"`
	workflowExtensions
	AutoCreate      bool                 `json:"autoCreate"`
	Owner           ownerJSON            `json:"owner"`
	Team            *teamJSON            `json:"team"`
	Source          sourceJSON           `json:"source"`
	Documents       []documentJSON       `json:"documents"`
	OutgoingWebhook *outgoingWebhookJSON `json:"outgoingWebhook"`
	CreatedByAPI    bool                 `json:"createdByApi"`
	CreatedAt       string               `json:"createdAt"`
	UpdatedAt       string               `json:"updatedAt"`
}

type ownerJSON struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

type teamJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type sourceJSON struct {
	ID           string   `json:"id"`
	SourceType   string   `json:"sourceType"`
	SourceFields []string `json:"sourceFields"`
	WebhookURL   string   `json:"webhookUrl"`
	// TestWebhookURL is where an event is POSTed that is to be a test.
	TestWebhookURL string `json:"testWebhookUrl"`
}

type documentJSON struct {
	ID                     string               `json:"id"`
	DocumentType           platen.DocumentType  `json:"documentType"`
	File                   fileJSON             `json:"file"`
	OutputName             string               `json:"outputName"`
	CreatePDFCopy          bool                 `json:"createPdfCopy"`
	RemoveOutput           bool                 `json:"removeOutput"`
	EnablePDFPassword      bool                 `json:"enablePdfPassword"`
	PDFPassword            string               `json:"pdfPassword"`
	PDFPasswordPreventCopy bool                 `json:"pdfPasswordPreventCopy"`
	PDF                    *pdfJSON             `json:"pdf,omitempty"`
	EInvoice               *einvoiceJSON        `json:"einvoice,omitempty"`
	Accessibility          platen.Accessibility `json:"accessibility,omitempty"`
	Seal                   bool                 `json:"seal,omitempty"`
	OnMissing              platen.OnMissing     `json:"onMissing"`
	OutputFolder           string               `json:"outputFolder,omitempty"`
	OutputFolderID         string               `json:"outputFolderId,omitempty"`
	OutputSharing          platen.Sharing       `json:"outputSharing,omitempty"`
	Email                  *emailJSON           `json:"email,omitempty"`
	Approval               *approvalJSON        `json:"approval,omitempty"`
	Numbers                []string             `json:"numbers,omitempty"`
	Appendices             []string             `json:"appendices,omitempty"`
	When                   string               `json:"when,omitempty"`
	AppendicesWhen         string               `json:"appendicesWhen,omitempty"`
	OutputSharingWhen      string               `json:"outputSharingWhen,omitempty"`
	PreviewURL             string               `json:"previewUrl"`
	// Findings are in answers to what makes or changes a document; null where it could not
	// be checked, and Unchecked says why.
	Findings  *[]checkedJSON `json:"findings,omitempty"`
	Unchecked *uncheckedJSON `json:"unchecked,omitempty"`
}

type emailJSON struct {
	To         string            `json:"to"`
	CC         string            `json:"cc,omitempty"`
	BCC        string            `json:"bcc,omitempty"`
	ReplyTo    string            `json:"replyTo,omitempty"`
	Subject    string            `json:"subject"`
	Text       string            `json:"text"`
	HTML       string            `json:"html,omitempty"`
	Attach     platen.Attachment `json:"attach"`
	LinkDays   int               `json:"linkDays,omitempty"`
	AllOutputs bool              `json:"allOutputs,omitempty"`
	When       string            `json:"when,omitempty"`
	Sender     string            `json:"sender,omitempty"`
}

func email(e *platen.Email) *emailJSON {
	if e == nil {
		return nil
	}
	j := emailJSON(*e)
	return &j
}

type approvalJSON struct {
	By         []string          `json:"by"`
	Need       any               `json:"need"` // a number, or "all"
	When       string            `json:"when,omitempty"`
	RemindDays int               `json:"remindDays"`
	ExpireDays int               `json:"expireDays"`
	Deputies   map[string]string `json:"deputies,omitempty"`

	CorrectByLink bool `json:"correctByLink,omitempty"`
}

func approval(a *platen.Approval) *approvalJSON {
	if a == nil {
		return nil
	}
	j := approvalJSON{By: a.By, Need: "all", When: a.When, RemindDays: a.RemindDays, ExpireDays: a.ExpireDays, Deputies: a.Deputies, CorrectByLink: a.CorrectByLink}
	if a.Need > 0 {
		j.Need = a.Need
	}
	return &j
}

type pdfJSON struct {
	Profile platen.PDFProfile `json:"profile"`
}

func pdfOf(d platen.Document) *pdfJSON {
	if d.PDFProfile == "" {
		return nil
	}
	return &pdfJSON{d.PDFProfile}
}

type fileJSON struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	URL      string `json:"url"`
	MIMEType string `json:"mimeType"`
}

type outgoingWebhookJSON struct {
	ID         string `json:"id"`
	WebhookURL string `json:"webhookUrl"`
	// Findings are in answers to what makes or changes it, where there are any.
	Findings []checkedJSON `json:"findings,omitempty"`
}

type secretJSON struct {
	Secret string `json:"secret"`
	// PreviousSecretUntil is how long the secret before this one signs along.
	PreviousSecretUntil *string `json:"previousSecretUntil"`
}

func (s *server) workflow(w platen.Workflow) workflowJSON {
	out := workflowJSON{
		ID:           w.ID,
		Name:         w.Name,
		Color:        w.Color,
		Icon:         w.Icon,
		Status:       w.Status,
		AutoCreate:   w.AutoCreate,
		Owner:        ownerJSON{w.Owner.ID, w.Owner.Name, w.Owner.Email},
		Source:       s.source(w.Source),
		Documents:    s.documents(w.Documents),
		CreatedByAPI: w.CreatedByAPI,
		CreatedAt:    platen.Timestamp(w.CreatedAt),
		UpdatedAt:    platen.Timestamp(w.UpdatedAt),

		workflowExtensions: extensionsOf(w),
	}
	if w.Team != nil {
		out.Team = &teamJSON{w.Team.ID, w.Team.Name}
	}
	if w.OutgoingWebhook != nil {
		o := outgoingWebhook(*w.OutgoingWebhook)
		out.OutgoingWebhook = &o
	}
	return out
}

func (s *server) source(src platen.Source) sourceJSON {
	return sourceJSON{
		ID:             src.ID,
		SourceType:     src.Type,
		SourceFields:   append([]string{}, src.Fields...),
		WebhookURL:     s.hooksURL + "/" + src.Key,
		TestWebhookURL: s.hooksURL + "/" + src.Key + "/" + platen.TestSegment,
	}
}

func (s *server) documents(ds []platen.Document) []documentJSON {
	out := make([]documentJSON, 0, len(ds))
	for _, d := range ds {
		out = append(out, s.document(d))
	}
	return out
}

func (s *server) document(d platen.Document) documentJSON {
	return documentJSON{
		ID:                     d.ID,
		DocumentType:           d.Type,
		File:                   fileJSON{d.File.ID, d.File.Name, d.File.URL, d.File.MIMEType},
		OutputName:             d.OutputName,
		CreatePDFCopy:          d.CreatePDFCopy,
		RemoveOutput:           d.RemoveOutput,
		EnablePDFPassword:      d.EnablePDFPassword,
		PDFPassword:            d.PDFPassword,
		PDFPasswordPreventCopy: d.PDFPasswordPreventCopy,
		PDF:                    pdfOf(d),
		EInvoice:               einvoiceOf(d),
		Accessibility:          d.Accessibility,
		Seal:                   d.Seal,
		OnMissing:              cmp.Or(d.OnMissing, platen.MissingBlank),
		OutputFolder:           d.OutputFolder,
		OutputFolderID:         d.OutputFolderID,
		OutputSharing:          d.OutputSharing,
		Email:                  email(d.Email),
		Approval:               approval(d.Approval),
		Numbers:                d.Numbers,
		Appendices:             d.Appendices,
		When:                   d.When,
		AppendicesWhen:         d.AppendicesWhen,
		OutputSharingWhen:      d.OutputSharingWhen,
		PreviewURL:             s.previewAt(s.origin, d),
	}
}

func outgoingWebhook(o platen.OutgoingWebhook) outgoingWebhookJSON {
	return outgoingWebhookJSON{ID: o.ID, WebhookURL: o.URL}
}
