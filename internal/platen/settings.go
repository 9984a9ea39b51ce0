package platen

import "strings"

// A SettingFault is what is wrong with a document's own settings, whatever its template and
// its data are. The specification lets nobody refuse it when it is set.
type SettingFault struct {
	In      string // the setting, as /v0 calls it
	Code    string
	Message string // what it does and the cure, as it goes on behind the setting's name
	// Fails: every output fails by it, or every mail about one.
	Fails bool
}

// CodeTagNotClosed is the code of a tag that is opened and not closed.
const CodeTagNotClosed = "tag_not_closed"

// Codes of settings by which something fails every time.
const (
	CodePasswordEmpty   = "pdf_password_empty"
	CodeEmailWithoutPDF = "email_without_pdf"
)

// SettingFaults are all of a document.
func (d Document) SettingFaults() []SettingFault {
	var all []SettingFault
	add := func(f SettingFault) { all = append(all, f) }
	const unclosed = "has a tag that is not closed: it stays as it is; put }} behind the name"
	if UnclosedTag(d.OutputName) {
		add(SettingFault{In: "outputName", Code: CodeTagNotClosed, Message: unclosed})
	}
	if UnclosedTag(d.OutputFolder) {
		add(SettingFault{In: "outputFolder", Code: CodeTagNotClosed, Message: unclosed})
	}
	if e := d.Email; e != nil && (UnclosedTag(e.To) || UnclosedTag(e.Subject) || UnclosedTag(e.Text)) {
		add(SettingFault{In: "email", Code: CodeTagNotClosed, Message: unclosed})
	}
	if d.EnablePDFPassword && UnclosedTag(d.PDFPassword) {
		add(SettingFault{In: "pdfPassword", Code: CodeTagNotClosed, Fails: d.CreatePDFCopy, Message: "has a tag that is not closed: every output fails; put }} behind the name"})
	}
	empty := strings.TrimSpace(d.PDFPassword) == ""
	switch {
	case d.EnablePDFPassword && !d.CreatePDFCopy:
		cure := "set createPdfCopy, or switch encryption off"
		if empty {
			cure = "set createPdfCopy and a pdfPassword, or switch encryption off"
		}
		add(SettingFault{In: "enablePdfPassword", Code: "encrypts_nothing", Message: "encrypts nothing, for no PDF is made; the original alone is, and its address asks for credentials: " + cure})
	case d.EnablePDFPassword && empty:
		add(SettingFault{In: "pdfPassword", Code: CodePasswordEmpty, Fails: true, Message: "is empty and enablePdfPassword is true: every output fails; set a password, or switch encryption off"})
	case d.EnablePDFPassword && !d.RemoveOutput:
		add(SettingFault{In: "removeOutput", Code: "original_unencrypted", Message: "is false and enablePdfPassword is true: the original stays beside the encrypted PDF and has no password. On Platen's own drive its address asks for credentials; on Google everybody opens it who may open its folder. Set removeOutput, or switch encryption off"})
	}
	if d.Email != nil && d.Email.Attach == AttachPDF && !d.CreatePDFCopy {
		add(SettingFault{In: "email", Code: CodeEmailWithoutPDF, Fails: true, Message: "is to bring a PDF, and none is made: every mail fails; set createPdfCopy, or attach to link"})
	}
	if len(d.Appendices) > 0 && !d.CreatePDFCopy {
		add(SettingFault{In: "appendices", Code: "appends_nothing", Message: "does nothing, for no PDF is made that the files could stand behind: set createPdfCopy, or empty the list"})
	}
	if d.RemoveOutput && !d.CreatePDFCopy {
		add(SettingFault{In: "removeOutput", Code: "removes_nothing", Message: "does nothing, for no PDF is made that could stand for the output: set createPdfCopy, or switch it off"})
	}
	return all
}
