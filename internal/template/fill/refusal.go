package fill

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// The rules by which nothing is made of a document. A run fails by them, and a
// preview and a check foretell it, under the same code: a sample shows more
// than would ever be sent.

// AppendicesField is where findings about appended files say that they are.
const AppendicesField = "appendices"

// PasswordField and FolderField are where findings about the password and the folder
// say that they are.
const (
	PasswordField = "pdfPassword"
	FolderField   = "outputFolder"
)

// A Refusal is a rule that a document and its data break.
type Refusal struct {
	Code  string
	Where string // PasswordField, FolderField, or empty
	// Missing are the fields that would have to have a value.
	Missing []string

	failed string // what the failure says
	// secret is the field that failed does not name and named does.
	secret, named string
	foretold      string // what a finding says
}

func newRefusal(code, where string, missing []string, failed, foretold string) *Refusal {
	return &Refusal{Code: code, Where: where, Missing: missing, failed: failed, foretold: foretold}
}

// Err is what a run fails with, of KindInvalid. told are the missing fields that its event
// names anyway.
func (r *Refusal) Err(told []string) error {
	message := r.failed
	if r.secret != "" && slices.Contains(told, r.secret) {
		message = r.named
	}
	return &platen.Error{Kind: platen.KindInvalid, Code: r.Code, Message: message}
}

// Finding is what a preview or a check says of it.
func (r *Refusal) Finding() platen.TemplateFinding {
	return platen.TemplateFinding{Where: r.Where, Code: r.Code, Message: r.foretold}
}

// Refusals are all rules that are broken, for an outcome that misses fields; those of the
// mail keep nothing from being made.
func (f *Filling) Refusals(missing []string) []*Refusal {
	var all []*Refusal
	if r := f.RefuseMissing(missing); r != nil {
		all = append(all, r)
	}
	if _, r := f.Folder(); r != nil {
		all = append(all, r)
	}
	if f.document.CreatePDFCopy {
		if _, r := f.Password(); r != nil {
			all = append(all, r)
		}
	}
	if f.document.Email != nil {
		if _, r := f.Letter(); r != nil {
			all = append(all, r)
		}
	}
	return all
}

// CodeFieldsMissing is the code of a document that is not made, because data lacks fields.
const CodeFieldsMissing = "fields_missing"

// RefuseMissing refuses a document that is not to be made with fields missing.
// It is nil where nothing is missing, or may be.
func (f *Filling) RefuseMissing(missing []string) *Refusal {
	if len(missing) == 0 || f.document.OnMissing != platen.MissingFail {
		return nil
	}
	return newRefusal(CodeFieldsMissing, "", missing,
		fmt.Sprintf("The source data did not have %s, and the document %s is not to be made without. Send what is missing, or set onMissing to blank.", syntax.Quote(missing, 20), f.document.ID),
		fmt.Sprintf("An automation with this data would fail: it does not have %s, and onMissing of the document is fail.", syntax.Quote(missing, 5)))
}

// Folder is the path of folders that the output goes into, outermost first; none
// where the document names none. It refuses rather than put an output into the folder
// of nobody.
func (f *Filling) Folder() ([]string, *Refusal) {
	var path []string
	for _, template := range platen.FolderPath(f.document.OutputFolder) {
		name, missing := lang.ExpandFolder(template, f.data, f.builtins)
		switch {
		case len(missing) > 0:
			return nil, newRefusal("output_folder_field_missing", FolderField, missing,
				fmt.Sprintf("The output folder of document %s names the field %q, for which the source data has no value. Send the field, or change outputFolder.", f.document.ID, missing[0]),
				fmt.Sprintf("An automation with this data would fail: it has no value for %q, which the output folder needs.", missing[0]))
		case name == "":
			return nil, newRefusal("output_folder_empty", FolderField, nil,
				fmt.Sprintf("A name of the output folder of document %s is empty. Set outputFolder, or send another value for the field it names.", f.document.ID),
				"An automation with this data would fail: a name of the output folder is empty.")
		}
		path = append(path, name)
	}
	return path, nil
}

// Password is what the document's PDF opens with; empty when it asks for none.
// It refuses rather than leave a PDF open or under a password that everybody
// can guess, or that nobody can type.
func (f *Filling) Password() (string, *Refusal) {
	if !f.document.EnablePDFPassword {
		return "", nil
	}
	password, missing := lang.ExpandPassword(f.document.PDFPassword, f.data, f.builtins, protect.Vanishes)
	switch {
	case platen.UnclosedTag(f.document.PDFPassword):
		return "", newRefusal("pdf_password_unclosed", PasswordField, nil,
			fmt.Sprintf("The PDF password of document %s has a tag that is not closed: every PDF would have the same one. Put }} behind the name in pdfPassword.", f.document.ID),
			"Every automation would fail: a tag of the PDF password is not closed.")
	case len(missing) > 0:
		// A failure goes into an event: which field the password is made of is for those
		// alone who may see the document, unless the event says that it is missing.
		r := newRefusal("pdf_password_field_missing", PasswordField, nil,
			fmt.Sprintf("The PDF password of document %s names a field for which the source data has no value. Check the document with this data to see which; send the field, or change pdfPassword.", f.document.ID),
			fmt.Sprintf("An automation with this data would fail: it has no value for %q, which the PDF password needs.", missing[0]))
		r.secret = missing[0]
		r.named = fmt.Sprintf("The PDF password of document %s names the field %q, for which the source data has no value. Send the field, or change pdfPassword.", f.document.ID, missing[0])
		return "", r
	case password == "":
		return "", newRefusal("pdf_password_empty", PasswordField, nil,
			fmt.Sprintf("The PDF password of document %s comes to nothing. Set pdfPassword, or send a value for the field it names.", f.document.ID),
			"An automation would fail: the PDF password comes to nothing.")
	}
	if refused, ok := errors.AsType[*platen.Error](protect.CheckPassword(password)); ok {
		return "", newRefusal(refused.Code, PasswordField, nil, refused.Message, "An automation with this data would fail. "+refused.Message)
	}
	return password, nil
}

// codeDataUnusable is the code of a document that fails by a value that does not fit.
const codeDataUnusable = "data_unusable"

// FindingsError returns nil without findings, else an error of KindInvalid that
// says all of them to the author of the template. Its code is template_faulty. When all
// of them are the data's, it is that of the first, or data_unusable where the first is a
// value that does not fit. absent are parts of the data that are not there: they come
// first where no single value is at fault.
func FindingsError(findings []lang.Finding, absent []string) error {
	if len(findings) == 0 {
		return nil
	}
	const shown = 10
	var texts []string
	if len(absent) > 0 && slices.ContainsFunc(findings, func(f lang.Finding) bool { return f.Data && f.Field == "" }) {
		texts = append(texts, fmt.Sprintf("It does not have %s.", syntax.Quote(absent, 5)))
	}
	for _, f := range findings[:min(len(findings), shown)] {
		text := f.Message
		if f.Tag != "" && f.Field == "" && !strings.Contains(text, f.Tag) {
			text = fmt.Sprintf("%.120s: %s", f.Tag, f.Message)
		}
		if len(f.Nearest) > 0 {
			text += fmt.Sprintf(" Did you mean %s?", f.Nearest[0])
		}
		texts = append(texts, text)
	}
	if more := len(findings) - shown; more > 0 {
		texts = append(texts, fmt.Sprintf("And %d more.", more))
	}
	if !slices.ContainsFunc(findings, func(f lang.Finding) bool { return !f.Data }) {
		code := findings[0].Code
		if findings[0].Value {
			code = codeDataUnusable
		}
		return platen.Errorf(platen.KindInvalid, code, "The template cannot be filled with this data. %s", strings.Join(texts, " "))
	}
	return platen.Errorf(platen.KindInvalid, "template_faulty", "The template cannot be filled. %s", strings.Join(texts, " "))
}
