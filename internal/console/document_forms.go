package console

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// withPDF are the settings of a document that the console makes.
func withPDF() client.DocumentSettings {
	yes := true
	return client.DocumentSettings{CreatePDFCopy: &yes}
}

// addDocument takes a file that was chosen, a file of the drive, or a new one.
func (s *site) addDocument(ctx context.Context, r request) (string, error) {
	content, err := r.chosen()
	if err != nil {
		return "", err
	}
	if content != nil {
		return r.uploadTemplate(ctx, r.workflowID(), content)
	}
	made, err := r.api.CreateDocument(ctx, r.workflowID(), client.AddedDocument{FileID: r.typed("file"), DocumentSettings: withPDF()})
	return made.ID, err
}

// uploadTemplate makes a document of an office file, with a PDF of each output.
func (r request) uploadTemplate(ctx context.Context, workflowID string, content []byte) (string, error) {
	made, err := r.api.UploadDocument(ctx, workflowID, content)
	if err != nil {
		return "", err
	}
	_, err = r.api.UpdateDocument(ctx, workflowID, made.ID, withPDF())
	return made.ID, err
}

// replaceTemplate keeps the document and its settings, also where its file is gone.
func (s *site) replaceTemplate(ctx context.Context, r request) (string, error) {
	content, err := r.chosen()
	if err == nil && content == nil {
		// A caller who may not see the document must not learn its forms.
		_, err = r.api.Document(ctx, r.workflowID(), r.PathValue("document"))
	}
	if err == nil && content == nil {
		err = refused(r.Text("Choose a .docx or .pptx file first."))
	}
	if err != nil {
		return "", err
	}
	_, err = r.api.ReplaceTemplate(ctx, r.workflowID(), r.PathValue("document"), content)
	return r.PathValue("document"), err
}

// setDocument sets what the form has: one of a page that was opened before an update may
// lack fields, and takes nothing away.
func (s *site) setDocument(ctx context.Context, r request) (string, error) {
	text := func(field string) *string { s := r.typed(field); return &s }
	ticked := func(field string) *bool { b := r.PostForm.Has(field); return &b }
	ifThere := func(field string) *string {
		if !r.PostForm.Has(field) {
			return nil
		}
		return text(field)
	}
	names := func(field string) *[]string {
		if !r.PostForm.Has(field) {
			return nil
		}
		all := append([]string{}, namesIn(r.PostForm.Get(field))...)
		return &all
	}
	password := r.PostForm.Get("pdfPassword")
	settings := client.DocumentSettings{
		OutputName: text("outputName"), CreatePDFCopy: ticked("createPdfCopy"), RemoveOutput: ticked("removeOutput"),
		EnablePDFPassword: ticked("enablePdfPassword"), PDFPassword: &password, PDFPreventCopy: ticked("enablePdfPreventCopy"),
		OnMissing: text("onMissing"), Accessibility: ifThere("accessibility"),
		OutputFolder: ifThere("outputFolder"), OutputFolderID: ifThere("outputFolderId"), OutputSharing: ifThere("outputSharing"),
		Numbers: names("numbers"), Appendices: names("appendices"), When: ifThere("when"), AppendicesWhen: ifThere("appendicesWhen"), OutputSharingWhen: ifThere("outputSharingWhen"),
	}
	if r.PostForm.Has("sealing") {
		settings.Seal = ticked("seal")
	}
	if r.PostForm.Has("pdfProfile") {
		settings.PDF = &client.PDF{Profile: r.PostForm.Get("pdfProfile")}
	}
	if err := r.refuseFailing(ctx, settings); err != nil {
		return "", err
	}
	return r.changeDocument(ctx, settings)
}

// namesIn are names with commas or white space between them.
func namesIn(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
}

// setMail has each output sent by mail.
func (s *site) setMail(ctx context.Context, r request) (string, error) {
	days, err := strconv.Atoi(cmp.Or(r.typed("linkDays"), "0"))
	if err != nil || days < 0 || days > platen.MaxLinkDays {
		return "", refusedField("linkDays", r.Text("The days must be a whole number from 0 to %d.", platen.MaxLinkDays))
	}
	settings := client.DocumentSettings{Email: &client.Email{
		To: r.typed("to"), CC: r.typed("cc"), BCC: r.typed("bcc"), ReplyTo: r.typed("replyTo"), Subject: r.typed("subject"), Attach: cmp.Or(r.typed("attach"), "pdf"), LinkDays: days, AllOutputs: r.PostForm.Has("allOutputs"), When: r.typed("when"), Sender: r.typed("sender"),
		Text: lines(r.typed("text")), HTML: lines(r.typed("html")),
	}}
	if s.Mails || settings.Email.Sender != "" { // else /v0 says that none is sent
		if err := r.refuseFailing(ctx, settings); err != nil {
			return "", err
		}
	}
	return r.changeDocument(ctx, settings)
}

// lines is a text of several lines, which forms end in another way.
func lines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

func (s *site) removeMail(ctx context.Context, r request) error {
	_, err := r.api.UpdateDocument(ctx, r.workflowID(), r.PathValue("document"), client.DocumentSettings{Email: &client.Email{}})
	return err
}

// changeDocument saves settings of a document. It returns the document's id where there
// is something to be seen to: mistakes, or that nobody knows of any.
func (r request) changeDocument(ctx context.Context, settings client.DocumentSettings) (string, error) {
	saved, err := r.api.UpdateDocument(ctx, r.workflowID(), r.PathValue("document"), settings)
	if err != nil || len(saved.Findings) == 0 && saved.Unchecked == nil {
		return "", err
	}
	return r.PathValue("document"), nil
}

// refuseFailing refuses what a form changes if then every output fails, or every mail about
// one. /v0 takes it, and tells of it.
func (r request) refuseFailing(ctx context.Context, change client.DocumentSettings) error {
	stored, err := r.api.Document(ctx, r.workflowID(), r.PathValue("document"))
	if err != nil {
		return err
	}
	d := platen.Document{CreatePDFCopy: stored.CreatePDFCopy, RemoveOutput: stored.RemoveOutput}
	email := change.Email
	if change.CreatePDFCopy != nil {
		d.CreatePDFCopy, d.EnablePDFPassword, d.PDFPassword = *change.CreatePDFCopy, *change.EnablePDFPassword, *change.PDFPassword
		d.RemoveOutput = *change.RemoveOutput
		if stored.CreatePDFCopy { // else it is not this form by which mails fail
			email = stored.Email
		}
	}
	if email != nil {
		d.Email = &platen.Email{Attach: platen.Attachment(email.Attach)}
	}
	for _, f := range d.SettingFindings() {
		switch {
		case !f.Fails:
		case f.Code == platen.CodePasswordEmpty:
			return refusedField(f.In, r.Text("The password is empty, and every output would fail: type one in, or untick “Encrypt the PDF with a password”."))
		case f.Code == platen.CodeEmailWithoutPDF && change.Email == nil:
			return refusedField("createPdfCopy", r.Text("“Make a PDF” is not ticked, and every mail would fail, for it brings the PDF: tick it, or have the mail bring a link."))
		case f.Code == platen.CodeEmailWithoutOffice && change.Email == nil:
			return refusedField("removeOutput", r.Text("“Remove the original once the PDF is made” removes the office file, and every mail would fail, for it brings that: untick it, or have the mail bring the PDF."))
		case f.Code == platen.CodeEmailWithoutOffice:
			return refusedField("attach", r.Text("The choice needs the office file, and it is removed, so every mail would fail: choose the PDF, or untick removing the original in the settings first."))
		case f.Code == platen.CodeEmailWithoutPDF:
			return refusedField("attach", r.Text("The choice needs a PDF, and none is made, so every mail would fail: choose the link, or tick “Make a PDF” in the settings first."))
		default:
			return &client.Error{Status: http.StatusBadRequest, Code: f.Code, Detail: f.Message, Faults: []client.Fault{{Pointer: "/" + f.In, Detail: f.Message}}}
		}
	}
	return r.refuseFormulas(change, d)
}

// refuseFormulas refuses a formula that cannot be read, where every output needs its value.
func (r request) refuseFormulas(change client.DocumentSettings, d platen.Document) error {
	texts := [][2]string{}
	if change.OutputFolder != nil {
		texts = append(texts, [2]string{"outputFolder", *change.OutputFolder})
	}
	if d.CreatePDFCopy && d.EnablePDFPassword {
		texts = append(texts, [2]string{"pdfPassword", d.PDFPassword})
	}
	for _, text := range texts {
		for _, f := range lang.Inspect([]string{text[1]}, nil) {
			if slices.Contains(unreadable, f.Code) {
				return refusedField(text[0], r.Text("Every output would fail: %s", r.Mistake(f.Code, f.Message)))
			}
		}
	}
	return nil
}

// unreadable are the mistakes by which a text has no value with any data.
var unreadable = []string{
	"unknown_function", "wrong_arguments", "formula_empty", "formula_incomplete", "formula_not_closed", "formula_unexpected", "formula_too_deep",
	"block_not_closed", "block_not_open", "else_after_else", "unknown_block", "each_without_list", "clause_incomplete", "clause_unexpected", "too_many_clauses", "wrong_clause", "wrong_limit",
}

func (s *site) removeDocument(ctx context.Context, r request) error {
	if err := r.certain(); err != nil {
		return err
	}
	return r.api.RemoveDocument(ctx, r.workflowID(), r.PathValue("document"))
}

func (s *site) rotatePreview(ctx context.Context, r request) error {
	_, err := r.api.RotatePreviewURL(ctx, r.workflowID(), r.PathValue("document"))
	return err
}
