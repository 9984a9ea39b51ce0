package platen

import (
	"regexp"
	"slices"
	"strings"
)

// A SettingFinding is what is wrong with a document's own settings, whatever its template and
// its data are. The specification lets nobody refuse it when it is set.
type SettingFinding struct {
	In      string // the setting, as /v0 calls it
	Code    string
	Message string // what it does and the cure, as it goes on behind the setting's name
	// Fails: every output fails by it, or every mail about one.
	Fails bool
	// Note: it works, and may be meant so.
	Note bool
}

// Severity is SeverityNote of what may be meant so.
func (f SettingFinding) Severity() string {
	if f.Note {
		return SeverityNote
	}
	return SeverityMistake
}

// CodeTagNotClosed is the code of a tag that is opened and not closed.
const CodeTagNotClosed = "tag_not_closed"

// Codes of settings by which something fails every time.
const (
	CodePasswordEmpty   = "pdf_password_empty"
	CodeEmailWithoutPDF = "email_without_pdf"

	CodeEmailWithoutOffice = "email_without_office"
	// CodeOfficeRemoved: a target is to have an office file that the document removes.
	CodeOfficeRemoved = "office_file_removed"
)

// timeTag is the one tag that says nothing of an event.
var timeTag = regexp.MustCompile(`\{\{\s*Timestamp\s*\}\}`)

// NamesAlike tells whether the names of all outputs of a document are the same but for the time.
func (d Document) NamesAlike() bool {
	return !strings.Contains(timeTag.ReplaceAllString(d.OutputName, ""), "{{")
}

// MailBrings are the documents whose outputs the mail of a document brings, its own alone
// unless Email.AllOutputs; nil: it has no mail.
func (w Workflow) MailBrings(d Document) []Document {
	switch {
	case d.Email == nil:
		return nil
	case !d.Email.AllOutputs:
		return []Document{d}
	}
	return w.Documents
}

// SettingFindings returns what is wrong with the settings of a document among the others of its
// workflow, and with its targets; nil: nothing.
func (w Workflow) SettingFindings(d Document, targets []Target) []SettingFinding {
	all := append(d.SettingFindings(), w.mailFindings(d)...)
	all = append(all, w.othersMails(d)...)
	for _, t := range targets {
		if t.MissesOffice(d) {
			all = append(all, SettingFinding{In: "removeOutput", Code: CodeOfficeRemoved, Message: "removes the office file, and target " + t.Name + " is to have it: the target gets the PDF alone; switch removeOutput off, or office of the target"})
		}
	}
	return all
}

// mailFindings returns what keeps the mail of a document from bringing the outputs of others.
func (w Workflow) mailFindings(d Document) []SettingFinding {
	var all []SettingFinding
	for _, other := range w.MailBrings(d) {
		if other.ID == d.ID { // SettingFindings has its own
			continue
		}
		add := func(code, what string) {
			all = append(all, SettingFinding{In: "email", Code: code, Fails: true, Message: "is to bring all outputs, and document " + other.ID + " " + what})
		}
		switch code, _ := d.Email.lacks(other); code {
		case CodeEmailWithoutPDF:
			add(code, "makes no PDF: every mail fails; set its createPdfCopy, or set allOutputs to false")
		case CodeEmailWithoutOffice:
			add(code, "removes its office file: every mail fails; set attach to pdf or link, or switch its removeOutput off")
		case CodeApprovalOfPDF:
			add(code, "has its PDF approved, and no office file: every mail fails; set attach to pdf or link")
		}
	}
	return all
}

// lacks says which file a mail of all outputs would bring of another document that has none
// such, and by which of its settings; empty: none.
func (e *Email) lacks(other Document) (code, setting string) {
	switch attach := e.Attach; {
	case !other.CreatePDFCopy && (attach == AttachPDF || attach == AttachLink && e.LinkDays > 0):
		return CodeEmailWithoutPDF, "createPdfCopy"
	case attach == AttachOffice && other.CreatePDFCopy && other.RemoveOutput:
		return CodeEmailWithoutOffice, "removeOutput"
	case attach == AttachOffice && other.Approval != nil:
		return CodeApprovalOfPDF, "approval"
	}
	return "", ""
}

// othersMails returns by what a document keeps mails of others from bringing all outputs.
func (w Workflow) othersMails(d Document) []SettingFinding {
	var all []SettingFinding
	for _, of := range w.Documents {
		if of.ID == d.ID || of.Email == nil || !of.Email.AllOutputs {
			continue
		}
		if code, setting := of.Email.lacks(d); code != "" {
			all = append(all, SettingFinding{In: setting, Code: code, Message: "leaves nothing that the mail of document " + of.ID + " could bring, and that is to bring all outputs: every mail fails; correct this setting, or set attach or allOutputs of that mail"})
		}
	}
	return all
}

// SettingFindings returns what is wrong with the settings of a document alone; nil: nothing.
func (d Document) SettingFindings() []SettingFinding {
	var all []SettingFinding
	add := func(f SettingFinding) { all = append(all, f) }
	const unclosed = "has a tag that is not closed: it stays as it is; put }} behind the name"
	if UnclosedTag(d.OutputName) {
		add(SettingFinding{In: "outputName", Code: CodeTagNotClosed, Message: unclosed})
	}
	if UnclosedTag(d.OutputFolder) {
		add(SettingFinding{In: "outputFolder", Code: CodeTagNotClosed, Message: unclosed})
	}
	if e := d.Email; e != nil && slices.ContainsFunc(e.Templates(), UnclosedTag) {
		add(SettingFinding{In: "email", Code: CodeTagNotClosed, Message: unclosed})
	}
	if d.EnablePDFPassword && UnclosedTag(d.PDFPassword) {
		add(SettingFinding{In: "pdfPassword", Code: CodeTagNotClosed, Fails: d.CreatePDFCopy, Message: "has a tag that is not closed: every output fails; put }} behind the name"})
	}
	empty := strings.TrimSpace(d.PDFPassword) == ""
	switch {
	case d.EnablePDFPassword && !d.CreatePDFCopy:
		cure := "set createPdfCopy, or switch encryption off"
		if empty {
			cure = "set createPdfCopy and a pdfPassword, or switch encryption off"
		}
		add(SettingFinding{In: "enablePdfPassword", Code: "encrypts_nothing", Message: "encrypts nothing, for no PDF is made; the original alone is, and its address asks for credentials: " + cure})
	case d.EnablePDFPassword && empty:
		add(SettingFinding{In: "pdfPassword", Code: CodePasswordEmpty, Fails: true, Message: "is empty and enablePdfPassword is true: every output fails; set a password, or switch encryption off"})
	case d.EnablePDFPassword && !d.RemoveOutput:
		add(SettingFinding{In: "removeOutput", Code: "original_unencrypted", Note: true, Message: "is false and enablePdfPassword is true: the original stays beside the encrypted PDF and has no password. On Platen's own drive its address asks for credentials; on Google everybody opens it who may open its folder. Set removeOutput, or switch encryption off"})
	}
	if d.Email != nil && d.Email.Attach == AttachOffice && d.CreatePDFCopy && d.RemoveOutput {
		add(SettingFinding{In: "email", Code: CodeEmailWithoutOffice, Fails: true, Message: "is to bring the office file, and removeOutput removes it: every mail fails; set attach to pdf or link, or switch removeOutput off"})
	}
	if d.Email != nil && d.Email.Attach == AttachOffice && d.EnablePDFPassword && d.CreatePDFCopy {
		add(SettingFinding{In: "email", Code: "email_unencrypted", Message: "brings the office file, which has no password, and enablePdfPassword is true: set attach to pdf or link"})
	}
	if d.Email != nil && d.Email.Attach == AttachPDF && !d.CreatePDFCopy {
		add(SettingFinding{In: "email", Code: CodeEmailWithoutPDF, Fails: true, Message: "is to bring a PDF, and none is made: every mail fails; set createPdfCopy, or attach to link"})
	}
	if d.Approval != nil && d.EnablePDFPassword && d.CreatePDFCopy {
		add(SettingFinding{In: "approval", Code: "approval_encrypted", Note: true, Message: "asks people to approve a PDF that has a password: who does not know it sees no page before the answer. Tell them the password, or switch encryption off"})
	}
	if d.EInvoice != nil && !d.CreatePDFCopy {
		add(SettingFinding{In: "einvoice", Code: CodeInvoiceWithoutPDF, Message: "does nothing, for no PDF is made that the e-invoice could be in: set createPdfCopy, or send \"einvoice\": null"})
	}
	if len(d.Appendices) > 0 && !d.CreatePDFCopy {
		add(SettingFinding{In: "appendices", Code: "appends_nothing", Message: "does nothing, for no PDF is made that the files could stand behind: set createPdfCopy, or empty the list"})
	}
	if d.Seal && !d.CreatePDFCopy {
		add(SettingFinding{In: "seal", Code: "seals_nothing", Message: "does nothing, for no PDF is made that could be sealed: set createPdfCopy, or switch it off"})
	}
	if d.Accessibility == AccessibilityRequire && !d.CreatePDFCopy {
		add(SettingFinding{In: "accessibility", Code: "accessibility_without_pdf", Message: "does nothing, for no PDF is made that could be read aloud: set createPdfCopy, or set it to report"})
	}
	if d.RemoveOutput && !d.CreatePDFCopy {
		add(SettingFinding{In: "removeOutput", Code: "removes_nothing", Message: "does nothing, for no PDF is made that could stand for the output: set createPdfCopy, or switch it off"})
	}
	return all
}
