package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"

	"github.com/platenhq/platen/client"
)

type documentsCommand struct {
	List     documentsList     `cmd:"" help:"List the documents (templates) of a workflow, the oldest first."`
	Show     documentsShow     `cmd:"" help:"Show one document and its settings."`
	Create   documentsCreate   `cmd:"" help:"Add a document to a workflow. Prints its id."`
	Update   documentsUpdate   `cmd:"" help:"Change settings of a document. What is not named stays as it is."`
	Check    documentsCheck    `cmd:"" help:"Find the mistakes of a document's template and settings."`
	Propose  documentsPropose  `cmd:"" name:"propose-einvoice" help:"Propose what the e-invoice of a document is filled with, by the names of its fields. Nothing is changed."`
	Replace  documentsReplace  `cmd:"" help:"Give a document another template. Its id, settings and file id stay, and what the template said is kept as a version."`
	Versions documentsVersions `cmd:"" help:"List what a template said before, the oldest first. The newest 20 versions are kept."`
	Keep     documentsKeep     `cmd:"" help:"Keep what a template says now as a version, for example before you change it in the drive's editor."`
	Restore  documentsRestore  `cmd:"" help:"Put a version back into the template, or write it to a file. What was there is kept as a version."`
	Delete   documentsDelete   `cmd:"" help:"Take a document out of its workflow. Its versions go, too."`
}

// A DocumentOf is a document of a workflow.
type DocumentOf struct {
	OfWorkflow
	Document string `arg:"" help:"Id of the document (doc_…)."`
}

type documentsList struct {
	OfWorkflow
	Listing
}

func (c *documentsList) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	return printList(e, c.Listing, api.Documents(ctx, id), []string{"ID", "TYPE", "TEMPLATE", "OUTPUT NAME", "PDF", "PASSWORD"}, func(d client.Document) []string {
		return []string{d.ID, d.Type, d.File.Name, d.OutputName, yesNo(d.CreatePDFCopy), yesNo(d.EnablePDFPassword)}
	})
}

type documentsShow struct {
	DocumentOf
	Showing
}

func (c *documentsShow) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	d, err := api.Document(ctx, id, c.Document)
	if err != nil {
		return err
	}
	return printOne(e, c.Showing, d, func(row func(...string)) {
		row("document", d.ID)
		row("type", d.Type)
		row("template", d.File.Name+" ("+d.File.ID+")")
		row("template's address", d.File.URL)
		row("output name", d.OutputName)
		row("PDF, original removed", yesNo(d.CreatePDFCopy)+", "+yesNo(d.RemoveOutput))
		row("PDF with password", yesNo(d.EnablePDFPassword))
		row("accessibility", d.Accessibility)
		row("PDF with seal", yesNo(d.Seal))
		row("missing fields", d.OnMissing)
		row("output folder", d.OutputFolder)
		row("numbers of", strings.Join(d.Numbers, ", "))
		row("appended to the PDF", strings.Join(d.Appendices, ", "))
		if d.EInvoice != nil {
			row("e-invoice in the PDF", d.EInvoice.Syntax+", "+d.EInvoice.Profile)
		}
		row("made when", d.When)
		row("appended when", d.AppendicesWhen)
		row("shared when", d.OutputSharingWhen)
		if d.Email != nil {
			row("mailed to", d.Email.To)
			row("mailed to, seen by all", d.Email.CC)
			row("mailed to, hidden", d.Email.BCC)
			row("answers go to", d.Email.ReplyTo)
			row("mailed when", d.Email.When)
		}
		if d.Approval != nil {
			row("waits for", strings.Join(d.Approval.By, ", "))
			row("waits when", d.Approval.When)
		}
		row("preview (keep it secret)", d.PreviewURL)
	})
}

type documentsCreate struct {
	OfWorkflow
	Showing
	File   string   `arg:"" optional:"" help:"The template, a .docx or .pptx file of this machine."`
	FileID string   `name:"file-id" placeholder:"ID" help:"In place of it, the id or the address of a file in the cloud drive."`
	PDF    bool     `name:"pdf" help:"Make a PDF of each document, too."`
	Number []string `name:"number" placeholder:"SERIES" help:"Series that each automation takes a number of, such as invoices."`
	Append []string `name:"append" placeholder:"ID" help:"Id or address of a file in the cloud drive that stands behind the PDF: a PDF, or a template that is filled with the same event. Five at most, in their order."`
}

func (c *documentsCreate) Run(ctx context.Context, e *Environment) error {
	if (c.File == "") == (c.FileID == "") {
		return Usage(errors.New("name a file, or give --file-id, and not both"))
	}
	var content []byte
	var err error
	if c.File != "" {
		if content, err = os.ReadFile(c.File); err != nil {
			return err
		}
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	d, err := c.create(ctx, api, id, content)
	if err != nil {
		return err
	}
	warn(e, d.Findings, d.Unchecked)
	if c.JSON {
		return printJSON(e.Out, d)
	}
	_, err = fmt.Fprintln(e.Out, Shown(d.ID))
	return err
}

func (c *documentsCreate) create(ctx context.Context, api *client.Client, workflowID string, content []byte) (client.Document, error) {
	settings := client.DocumentSettings{CreatePDFCopy: onlyTrue(c.PDF)}
	if len(c.Number) > 0 {
		settings.Numbers = &c.Number
	}
	if len(c.Append) > 0 {
		settings.Appendices = &c.Append
	}
	if c.FileID != "" {
		return api.CreateDocument(ctx, workflowID, client.AddedDocument{FileID: c.FileID, DocumentSettings: settings})
	}
	return api.UploadDocumentWith(ctx, workflowID, content, settings)
}

type documentsUpdate struct {
	DocumentOf
	Showing
	Name           *string  `help:"Name of each output; it may have tags, as in 'Invoice {{Number}}'."`
	PDF            *bool    `name:"pdf" negatable:"" help:"Make a PDF of each document, too."`
	RemoveOriginal *bool    `negatable:"" help:"Remove the original once its PDF is made."`
	Password       *string  `help:"Encrypt the PDF with this password; it may have tags. An empty one switches encryption off. Other users of this machine may see it in the list of processes: --password-file keeps it from them."`
	PasswordFile   string   `xor:"password" placeholder:"FILE" help:"Read the password from a file; -: standard input."`
	PreventCopy    *bool    `negatable:"" help:"Forbid readers to copy from the encrypted PDF."`
	Profile        *string  `enum:"none,PDF/A-2b,PDF/A-3b" help:"Standard of archives that the PDF conforms to (none, PDF/A-2b, PDF/A-3b). It goes with no password."`
	EInvoice       string   `name:"einvoice" xor:"einvoice" placeholder:"FILE" help:"Make an e-invoice with each PDF, by the setting in this file of JSON, as propose-einvoice prints it; -: standard input. The PDF is one of PDF/A-3b then, and has no password."`
	NoEInvoice     bool     `name:"no-einvoice" xor:"einvoice" help:"Make no e-invoices any more."`
	Accessibility  *string  `enum:"report,require" help:"What becomes of a template whose PDF a screen reader cannot read as it is meant: a check tells of it, or the document fails (report, require)."`
	Seal           *bool    `negatable:"" help:"Seal the PDF: sign it with the certificate of the installation."`
	OnMissing      *string  `enum:"blank,fail" help:"What becomes of an event without a field of the template: a blank, or a failed document (blank, fail)."`
	Folder         *string  `placeholder:"PATH" help:"Folder of the outputs below that of the template; it may have tags. Empty: that of the template."`
	FolderID       *string  `name:"folder-id" placeholder:"ID" help:"Id or address of the folder in which that path begins. Empty: the folder of the template."`
	Sharing        *string  `enum:"folder,domain,anyone" help:"Who may open the outputs (folder, domain, anyone)."`
	MailTo         *string  `placeholder:"ADDRESSES" help:"Mail each output to these addresses; they may have tags. Empty: send no mail."`
	MailCC         *string  `name:"mail-cc" placeholder:"ADDRESSES" help:"Further recipients whom all see; they may have tags, and a tag without a value is left out. Empty: none."`
	MailBCC        *string  `name:"mail-bcc" placeholder:"ADDRESSES" help:"Further recipients whom nobody else sees. Empty: none."`
	MailReplyTo    *string  `name:"mail-reply-to" placeholder:"ADDRESSES" help:"Where answers to the mail go. Empty: to the sender."`
	MailSubject    *string  `placeholder:"TEXT" help:"Subject of the mail; it may have tags."`
	MailText       *string  `placeholder:"TEXT" help:"Text of the mail; it may have tags."`
	MailHTML       *string  `name:"mail-html" xor:"mail-html" placeholder:"HTML" help:"HTML beside the text; it may have tags. Empty: text alone."`
	MailHTMLFile   string   `name:"mail-html-file" xor:"mail-html" placeholder:"FILE" help:"Read the HTML from a file; -: standard input."`
	MailAttach     *string  `enum:"pdf,office,link" help:"What the mail brings (pdf, office, link)."`
	MailLinkDays   *int     `name:"mail-link-days" placeholder:"DAYS" help:"How many days a link opens the PDF for everybody who has it. With it, a file that is too large for mails is sent as a link. 0: a link is the address in the drive."`
	MailAllOutputs *bool    `name:"mail-all-outputs" negatable:"" help:"Have the mail bring the outputs of all documents of the run, once all are made."`
	MailSender     *string  `placeholder:"NAME" help:"Name of a mail sender of the workflow's owner, by whose server the mail leaves. Empty: that of the installation."`
	Number         []string `xor:"number" placeholder:"SERIES" help:"Series that each automation takes a number of, in place of those of before."`
	NoNumbers      bool     `xor:"number" help:"Take no numbers any more."`
	Append         []string `xor:"append" placeholder:"ID" help:"Id or address of a file that stands behind the PDF, in place of those of before."`
	NoAppendices   bool     `xor:"append" help:"Append no files any more."`
	When           *string  `placeholder:"FORMULA" help:"Make the document of those events alone for which this is true, such as 'Total > 1000'. Empty: of all."`
	MailWhen       *string  `placeholder:"FORMULA" help:"The same for the mail."`
	AppendWhen     *string  `placeholder:"FORMULA" help:"The same for what stands behind the PDF."`
	SharingWhen    *string  `placeholder:"FORMULA" help:"The same for the sharing of outputs."`

	ApproveBy         *string           `placeholder:"ADDRESSES" help:"Have each output wait until people approve it: their e-mail addresses, with commas in between. Empty: it waits for nobody."`
	ApproveNeed       *int              `placeholder:"N" help:"How many of them have to approve. 0: all."`
	ApproveWhen       *string           `placeholder:"FORMULA" help:"Only outputs of events for which this is true wait, such as 'Total > 10000'. Empty: all do."`
	ApproveRemindDays *int              `placeholder:"DAYS" help:"After how many days who has not answered gets another mail. 0: never."`
	ApproveExpireDays *int              `placeholder:"DAYS" help:"After how many days the output fails."`
	ApproveDeputy     map[string]string `placeholder:"ADDRESS=DEPUTY" help:"Who may decide in place of an address after a reminder, in place of those of before."`

	ApproveCorrectByLink *bool `help:"Let those who come by the link of a mail correct the data, and see all of it."`
}

func (c *documentsUpdate) Run(ctx context.Context, e *Environment) error {
	settings, err := c.settings(ctx, e)
	if err != nil {
		return err
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	if c.MailHTMLFile != "" {
		content, err := readInput(ctx, e, c.MailHTMLFile)
		if err != nil {
			return err
		}
		html := string(content)
		c.MailHTML = &html
	}
	if settings.Email, err = c.email(ctx, api, id); err != nil {
		return err
	}
	if settings.Approval, err = c.approval(ctx, api, id); err != nil {
		return err
	}
	if settings == (client.DocumentSettings{}) {
		return Usage(errors.New("name a setting to change, such as --name or --password"))
	}
	d, err := api.UpdateDocument(ctx, id, c.Document, settings)
	if err != nil {
		return err
	}
	warn(e, d.Findings, d.Unchecked)
	if c.JSON {
		return printJSON(e.Out, d)
	}
	_, err = fmt.Fprintf(e.Out, "%s is changed. Automations that start from now on use it.\n", Shown(d.ID))
	return err
}

func (c *documentsUpdate) settings(ctx context.Context, e *Environment) (client.DocumentSettings, error) {
	s := client.DocumentSettings{
		OutputName: c.Name, CreatePDFCopy: c.PDF, RemoveOutput: c.RemoveOriginal, PDFPreventCopy: c.PreventCopy,
		Accessibility: c.Accessibility, Seal: c.Seal, OnMissing: c.OnMissing, OutputFolder: c.Folder, OutputFolderID: c.FolderID, OutputSharing: c.Sharing,
		When: c.When, AppendicesWhen: c.AppendWhen, OutputSharingWhen: c.SharingWhen,
	}
	password := c.Password
	if c.PasswordFile != "" {
		if password != nil {
			return s, Usage(errors.New("give --password or --password-file, and not both"))
		}
		content, err := readInput(ctx, e, c.PasswordFile)
		if err != nil {
			return s, err
		}
		text := strings.TrimRight(string(content), "\r\n")
		password = &text
	}
	if password != nil {
		encrypts := *password != ""
		s.EnablePDFPassword, s.PDFPassword = &encrypts, password
	}
	if c.Profile != nil {
		s.PDF = &client.PDF{}
		if *c.Profile != "none" {
			s.PDF.Profile = *c.Profile
		}
	}
	if c.EInvoice != "" || c.NoEInvoice {
		s.EInvoice = &client.EInvoice{}
	}
	if c.EInvoice != "" {
		content, err := readInput(ctx, e, c.EInvoice)
		if err != nil {
			return s, err
		}
		decoder := json.NewDecoder(bytes.NewReader(content))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(s.EInvoice); err != nil {
			return s, Usage(fmt.Errorf(`%s: %w: write one JSON object, as in {"syntax": "CII", "profile": "EN16931", "map": {"BT-1": "{{Number invoices}}"}}`, c.EInvoice, err))
		}
	}
	if len(c.Number) > 0 || c.NoNumbers {
		s.Numbers = listed(c.Number)
	}
	if len(c.Append) > 0 || c.NoAppendices {
		s.Appendices = listed(c.Append)
	}
	return s, nil
}

// listed is a list that is sent also where it is empty.
func listed(all []string) *[]string {
	all = append([]string{}, all...)
	return &all
}

// email is the document's mail with what was named; nil where nothing of it changes. It is
// sent whole, so that what was not named is read first.
func (c *documentsUpdate) email(ctx context.Context, api *client.Client, workflowID string) (*client.Email, error) {
	var mail client.Email
	named := map[*string]*string{&mail.To: c.MailTo, &mail.CC: c.MailCC, &mail.BCC: c.MailBCC, &mail.ReplyTo: c.MailReplyTo, &mail.Subject: c.MailSubject, &mail.Text: c.MailText, &mail.HTML: c.MailHTML, &mail.Attach: c.MailAttach, &mail.When: c.MailWhen, &mail.Sender: c.MailSender}
	maps.DeleteFunc(named, func(_, value *string) bool { return value == nil })
	switch {
	case len(named) == 0 && c.MailLinkDays == nil && c.MailAllOutputs == nil:
		return nil, nil
	case c.MailTo != nil && *c.MailTo == "":
		return &client.Email{}, nil
	}
	d, err := api.Document(ctx, workflowID, c.Document)
	if err != nil {
		return nil, err
	}
	mail = client.Email{Subject: "{{Workflow Name}}", Text: "{{Workflow Name}}"}
	if d.Email != nil {
		mail = *d.Email
	}
	for at, value := range named {
		*at = *value
	}
	if c.MailLinkDays != nil {
		mail.LinkDays = *c.MailLinkDays
	}
	if c.MailAllOutputs != nil {
		mail.AllOutputs = *c.MailAllOutputs
	}
	if mail.To == "" {
		return nil, Usage(errors.New("the document sends no mail: give --mail-to, too"))
	}
	return &mail, nil
}

// approval is the document's approval with what was named; nil where nothing of it changes.
func (c *documentsUpdate) approval(ctx context.Context, api *client.Client, workflowID string) (*client.Approval, error) {
	if c.ApproveBy == nil && c.ApproveNeed == nil && c.ApproveWhen == nil && c.ApproveRemindDays == nil && c.ApproveExpireDays == nil && c.ApproveDeputy == nil && c.ApproveCorrectByLink == nil {
		return nil, nil
	}
	if c.ApproveBy != nil && strings.TrimSpace(*c.ApproveBy) == "" {
		return &client.Approval{}, nil
	}
	d, err := api.Document(ctx, workflowID, c.Document)
	if err != nil {
		return nil, err
	}
	var a client.Approval
	if d.Approval != nil {
		a = *d.Approval
	}
	if c.ApproveBy != nil {
		a.By = strings.FieldsFunc(*c.ApproveBy, func(r rune) bool { return r == ',' || r == ' ' })
	}
	if c.ApproveNeed != nil {
		a.Need = client.Needed(*c.ApproveNeed)
	}
	if c.ApproveWhen != nil {
		a.When = *c.ApproveWhen
	}
	if c.ApproveRemindDays != nil {
		a.RemindDays = c.ApproveRemindDays
	}
	if c.ApproveExpireDays != nil {
		a.ExpireDays = *c.ApproveExpireDays
	}
	if c.ApproveDeputy != nil {
		a.Deputies = c.ApproveDeputy
	}
	if c.ApproveCorrectByLink != nil {
		a.CorrectByLink = *c.ApproveCorrectByLink
	}
	if len(a.By) == 0 {
		return nil, Usage(errors.New("the document waits for nobody: give --approve-by, too"))
	}
	return &a, nil
}

type documentsReplace struct {
	DocumentOf
	File string `arg:"" help:"The template, a .docx or .pptx file of this machine, of the same kind as before."`
}

func (c *documentsReplace) Run(ctx context.Context, e *Environment) error {
	content, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	d, err := api.ReplaceTemplate(ctx, id, c.Document, content)
	if err != nil {
		return err
	}
	warn(e, d.Findings, d.Unchecked)
	_, err = fmt.Fprintf(e.Out, "%s has the template %s. Automations that start from now on use it.\n", Shown(d.ID), Shown(c.File))
	return err
}

type documentsDelete struct {
	DocumentOf
}

func (c *documentsDelete) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	if err := api.RemoveDocument(ctx, id, c.Document); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s is no document of %s any more.\n", Shown(c.Document), Shown(id))
	return err
}

type documentsCheck struct {
	DocumentOf
	Showing
	Data string `placeholder:"FILE" help:"File with one JSON object such as the source will send, -: standard input, or the object itself. With it, values are checked too."`
}

// Run prints every mistake of the template and of the settings, and fails if there are any.
func (c *documentsCheck) Run(ctx context.Context, e *Environment) error {
	var data []byte
	var err error
	if c.Data != "" {
		if data, err = ReadObject(ctx, e.In, c.Data); err != nil {
			return err
		}
	}
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	found, err := checked(ctx, api, id, c.Document, data)
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(e.Out, found)
	} else {
		err = printCheck(e, found)
	}
	n := len(found.Unfilled)
	for _, f := range found.Faults {
		if f.Severity != client.SeverityNote {
			n++
		}
	}
	for _, f := range found.Findings {
		if f.Severity != client.SeverityNote {
			n++
		}
	}
	if n > 0 {
		return errors.Join(err, fmt.Errorf("%s in %s", count(n, "mistake"), Shown(c.Document)))
	}
	return err
}

// checked leaves the data out where there is none: null would be data.
func checked(ctx context.Context, api *client.Client, workflowID, documentID string, data []byte) (client.DocumentCheck, error) {
	if data == nil {
		return api.CheckDocument(ctx, workflowID, documentID, nil)
	}
	return api.CheckDocument(ctx, workflowID, documentID, data)
}

func printCheck(e *Environment, found client.DocumentCheck) error {
	text := ""
	for _, f := range found.Findings {
		text += fmt.Sprintf("%s: %s%s (%s)\n", Shown(f.Where), noted(f.Severity), Shown(f.Message), Shown(f.Code))
	}
	for _, f := range found.Faults {
		text += fmt.Sprintf("%s: %s%s\n", Shown(f.In), noted(f.Severity), Shown(f.Message))
	}
	for _, name := range found.Unfilled {
		text += fmt.Sprintf("nothing fills %s\n", Shown(name))
	}
	if text == "" {
		text = count(len(found.Tags), "tag") + ", no mistakes\n"
	}
	for _, c := range found.Conditions {
		text += fmt.Sprintf("%s (%s): true of %s, false of %d, cannot be worked out for %d\n", Shown(c.Setting), Shown(c.When), count(c.Made, "event"), c.Skipped, c.Faulty)
	}
	if len(found.MailBrings) > 1 {
		text += "the mail brings " + count(len(found.MailBrings), "output") + ":\n"
		for _, one := range found.MailBrings {
			when := ""
			if one.When != "" {
				when = ", if " + Shown(one.When)
			}
			text += fmt.Sprintf("  %s (%s)%s\n", Shown(one.Name), one.DocumentID, when)
		}
	}
	if n := found.EInvoices; n != nil {
		text += fmt.Sprintf("e-invoices: made of %s, refused of %d\n", count(n.Made, "event"), n.Refused)
	}
	_, err := io.WriteString(e.Out, text)
	return err
}

type documentsPropose struct {
	DocumentOf
	Profile string `default:"EN16931" enum:"EN16931,BASIC,EXTENDED,XRECHNUNG,PEPPOL" help:"Whose rules the invoice keeps (EN16931, BASIC, EXTENDED, XRECHNUNG, PEPPOL). EN16931 is the one of Factur-X and ZUGFeRD."`
}

// Run prints the setting, for documents update --einvoice, and what is open beside it.
func (c *documentsPropose) Run(ctx context.Context, e *Environment) error {
	api, id, err := c.open(ctx, e)
	if err != nil {
		return err
	}
	proposed, err := api.ProposeEInvoice(ctx, id, c.Document, c.Profile)
	if err != nil {
		return err
	}
	for _, term := range proposed.Open {
		if _, err := fmt.Fprintf(e.Err, "open: %s (%s): no field seems to have it; write the field, or fixed text.\n", Shown(term.Term), Shown(term.Name)); err != nil {
			return err
		}
	}
	return printJSON(e.Out, proposed.EInvoice)
}
