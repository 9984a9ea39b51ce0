package platen

// MaxAppendices is how many files a Document.Appendices may name.
const MaxAppendices = 5

// Bounds of a PDF with all that is appended to it.
const (
	MaxAppendedSize  = 32 << 20 // bytes
	MaxAppendedPages = 1000
)

// Codes of failures, and of findings of a check, about a file that is to be appended.
const (
	CodeAppendixNotFound  = "appendix_not_found"
	CodeAppendixType      = "appendix_type_unsupported"
	CodeAppendixDamaged   = "appendix_damaged"
	CodeAppendixEncrypted = "appendix_encrypted"
	CodeAppendixTooLarge  = "appendix_too_large"
)

// CodeAppendixForm is the code of a finding about an appended PDF whose form is one no
// more, or whose signature proves nothing there.
const CodeAppendixForm = "appendix_form_fixed"

// AppendedAs returns the MIME type of the file that is made of an appendix to fill it;
// empty: it is a PDF, and appended as it is. It is false for a file that cannot be
// appended.
func AppendedAs(mimeType string) (filledAs string, ok bool) {
	switch mimeType {
	case MIMEPDF:
		return "", true
	case MIMEDocs, MIMEDocx:
		return MIMEDocs, true
	case MIMESlides, MIMEPptx:
		return MIMESlides, true
	}
	return "", false
}

// An Appendix is what a run has found out of a file that is appended to an output's PDF.
type Appendix struct {
	FileID string // in the drive of the workflow's owner: Document.Appendices names it
	Name   string
	Size   int64 // of a PDF, in bytes, as far as the drive says it
	// CopyID is the filled copy of a template; empty: the file is a PDF.
	CopyID  string
	Missing []string  // tags of the template without data
	Notes   []Finding // what filling it found
}

// An AppendedPDF is what is put behind the pages of another.
type AppendedPDF struct {
	Name    string // of its file
	Content []byte
}

// AppendixKey is the key of copies of templates that are appended to an output's PDF. No
// event names them.
func (o Output) AppendixKey() string { return o.ID + ".appendix" }

// Appended are the files that stand behind the PDF of an output: none without a PDF.
func (d Document) Appended() []string {
	if !d.CreatePDFCopy {
		return nil
	}
	return d.Appendices
}

// OfAppendix is the document as one whose template is that of an appendix: it is filled by
// the same rules, and is no output of its own.
func (d Document) OfAppendix(file File, filledAs string) Document {
	file.MIMEType = filledAs
	d.File, d.OutputName = file, "Appendix"
	d.Type, _ = DocumentTypeOf(filledAs)
	d.EnablePDFPassword, d.PDFPassword, d.OutputFolder, d.OutputFolderID, d.Email, d.Appendices = false, "", "", "", nil, nil
	return d
}

// ErrAppendixTooLarge says that a PDF would be too large with an appended file.
func ErrAppendixTooLarge(name string) *Error {
	return Errorf(KindInvalid, CodeAppendixTooLarge,
		"With the appended file %q the PDF has more than %d MiB or %d pages. Make the file smaller, or take it out of appendices.", name, MaxAppendedSize>>20, MaxAppendedPages)
}

// AppendixCopies are the ids of the filled copies that an output notes.
func (o Output) AppendixCopies() []string {
	var ids []string
	for _, a := range o.Appendices {
		if a.CopyID != "" {
			ids = append(ids, a.CopyID)
		}
	}
	return ids
}
