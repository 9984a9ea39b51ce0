package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

const (
	// maxTemplates is how many documents a workflow has that is copied, exported or
	// imported: their templates are made one after the other.
	maxTemplates = 20
	// templatesTimeout is for all of them, within what the host gives one answer.
	templatesTimeout = 40 * time.Second
)

// copyRequest asks for a copy of a workflow.
type copyRequest struct {
	name    *string
	webhook *bool
}

func readCopy(body []byte) (copyRequest, error) {
	var in copyRequest
	return in, decode(body, members{
		"name":            text(&in.name, line(platen.MaxWorkflowName)),
		"outgoingWebhook": flag(&in.webhook),
	}, "name")
}

// copyWorkflow makes a workflow of the caller's with the look, the documents and the
// settings of another one. What a copy must not share it does not have: the address of the
// source, what the source asks of senders, the signing secret, and what was made.
func (s *server) copyWorkflow(w http.ResponseWriter, r *http.Request) error {
	from, err := s.findChangeable(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	in, err := readCopy(body)
	if err != nil {
		return err
	}
	if err := fewTemplates(len(from.Documents)); err != nil {
		return err
	}
	wanted := newWorkflow{workflowPatch: settingsOfWorkflow(from)}
	wanted.name = in.name
	if from.Source.FieldsGiven {
		wanted.sourceFields = from.Source.Fields
	}
	if in.webhook != nil && *in.webhook {
		if from.OutgoingWebhook == nil {
			return platen.ErrOutgoingWebhookNotFound()
		}
		wanted.hasWebhook, wanted.webhookURL = true, &from.OutgoingWebhook.URL
	}
	var templates []newDocument
	for _, d := range from.Documents {
		settings := settingsOf(d)
		if err := s.checkSender(r.Context(), caller(r.Context()).ID, settings.email, ""); err != nil {
			return err
		}
		templates = append(templates, newDocument{of: d.ID, fileID: &d.File.ID, documentPatch: settings})
	}
	return s.addWorkflow(w, r, wanted, from.AutoCreate, templates)
}

// fewTemplates refuses a workflow with more documents than one request makes.
func fewTemplates(n int) error {
	if n <= maxTemplates {
		return nil
	}
	return platen.Errorf(platen.KindInvalid, "workflow_too_large", "The workflow has %d documents, and at most %d are copied, exported or imported at once. Make a workflow of its own for some of them.", n, maxTemplates)
}

// settingsOf are the settings of a document as a body would have them.
func settingsOf(d platen.Document) documentPatch {
	missing, sharing := string(d.OnMissing), string(d.OutputSharing)
	p := documentPatch{
		outputName: &d.OutputName, pdfPassword: &d.PDFPassword, onMissing: &missing,
		folder: &d.OutputFolder, folderID: &d.OutputFolderID, sharing: &sharing,
		createPDFCopy: &d.CreatePDFCopy, removeOutput: &d.RemoveOutput,
		enablePDFPassword: &d.EnablePDFPassword, preventCopy: &d.PDFPasswordPreventCopy, numbers: &d.Numbers,
	}
	if len(d.Appendices) > 0 {
		p.appendices.ids = &d.Appendices
	}
	p.when, p.appendicesWhen, p.sharingWhen = &d.When, &d.AppendicesWhen, &d.OutputSharingWhen
	if d.Seal {
		p.seal = &d.Seal
	}
	if d.Accessibility != "" {
		accessibility := string(d.Accessibility)
		p.accessibility = &accessibility
	}
	if d.PDFProfile != "" {
		profile := string(d.PDFProfile)
		p.pdf = pdfPatch{named: true, there: true, profile: &profile}
	}
	if a := d.Approval; a != nil {
		p.approval = approvalPatch{named: true, there: true, by: &a.By, need: a.Need, when: &a.When, remindDays: &a.RemindDays, expireDays: &a.ExpireDays, deputies: &a.Deputies, correctByLink: &a.CorrectByLink}
	}
	if e := d.EInvoice; e != nil {
		syntax, profile := string(e.Syntax), string(e.Profile)
		p.einvoice = einvoicePatch{named: true, there: true, syntax: &syntax, profile: &profile, terms: e.Map}
	}
	if e := d.Email; e != nil {
		attach := string(e.Attach)
		p.email = emailPatch{named: true, there: true, to: &e.To, cc: &e.CC, bcc: &e.BCC, replyTo: &e.ReplyTo, subject: &e.Subject, text: &e.Text, html: &e.HTML, attach: &attach, linkDays: &e.LinkDays, allOutputs: &e.AllOutputs, when: &e.When, sender: &e.Sender}
	}
	return p
}

// addWorkflow answers with a new workflow of the caller's that has these templates. It is
// stored with all of them or not at all: each is noted before it is made, so that what a
// request leaves half done is swept.
func (s *server) addWorkflow(w http.ResponseWriter, r *http.Request, in newWorkflow, autoCreate bool, templates []newDocument) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), templatesTimeout+storeTimeout)
	defer cancel()
	wf := s.newWorkflow(caller(ctx), in)
	wf.AutoCreate = autoCreate
	making, cancelMaking := context.WithTimeoutCause(ctx, templatesTimeout, errDriveTimeout)
	defer cancelMaking()
	for i, one := range templates {
		d, err := s.makeTemplate(making, wf, one, s.noteTemplate(ctx, wf))
		if err != nil {
			s.trashAll(ctx, wf.Owner.ID, wf.Documents)
			return ofTemplate(one, err)
		}
		// Documents are in the order of their creation.
		d.CreatedAt = wf.CreatedAt.Add(time.Duration(i) * time.Microsecond)
		wf.Documents = append(wf.Documents, d)
	}
	wf.Status = wf.ReadyStatus()
	if err := s.Workflows.CreateWorkflow(ctx, wf); err != nil {
		for _, d := range wf.Documents {
			s.discard(ctx, wf.Owner.ID, d, err)
		}
		return err
	}
	edge.Note(ctx, slog.String("workflow", wf.ID))
	for i, one := range templates {
		if one.office != nil {
			s.noteUpload(ctx, wf.Documents[i].ID, one.office.content, wf.Documents[i].File)
		}
	}
	return writeTagged(w, r, http.StatusCreated, s.workflow(wf))
}

// ofTemplate says which document of a copied workflow an error is about. One of an import
// has its place in the file.
func ofTemplate(one newDocument, err error) error {
	var e *platen.Error
	if one.of == "" || !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Message, named.Err = fmt.Sprintf("The template of %s could not be copied. %s", one.of, e.Message), err
	return &named
}

// trashAll trashes templates of a workflow that there will not be. The sweep finds what it
// leaves.
func (s *server) trashAll(ctx context.Context, ownerID string, documents []platen.Document) {
	if len(documents) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	drive, err := s.drives(ctx, ownerID)
	for _, d := range documents {
		if err == nil {
			err = drive.Trash(ctx, d.File.ID)
		}
	}
	if err != nil {
		edge.Note(ctx, slog.String("orphan_error", err.Error()))
	}
}
