package preview

import (
	"context"
	"errors"
	"fmt"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/fill"
)

const (
	// maxCheckedFile is the largest PDF or office file that is read to check it, in bytes.
	maxCheckedFile = 8 << 20
	// maxOfAppendices is how many findings there are about what is appended.
	maxOfAppendices = 100
)

// Appendices looks at PDFs that are appended to others.
type Appendices interface {
	// CheckAppendix returns what appending a PDF would find, and fails as that would:
	// KindInvalid.
	CheckAppendix(part platen.AppendedPDF, profile platen.PDFProfile) ([]platen.Finding, error)
}

// appended is what was found about the files that are appended to a document's PDF.
type appended struct {
	texts    []string // of templates
	missing  []string // fields that the data does not have
	findings []platen.TemplateFinding
}

func (a *appended) add(code, message string) {
	if len(a.findings) < maxOfAppendices {
		a.findings = append(a.findings, platen.TemplateFinding{Where: fill.AppendicesField, Code: code, Message: message})
	}
}

// checkAppendices looks at the files that are appended to a document's PDF, and has its
// template ask for what theirs ask for. data, if there is any, fills them.
func (p *Previewer) checkAppendices(ctx context.Context, drive Drive, wf platen.Workflow, d platen.Document, t *check.Template, fields []string, data []byte) (appended, error) {
	var all appended
	if len(d.Appendices) == 0 {
		return all, nil
	}
	own := p.driveOfCaller(ctx, drive, wf)
	for _, id := range d.Appendices {
		file, err := drive.File(ctx, id)
		switch {
		case isUnopened(err), err == nil && file.Trashed:
			all.add(platen.CodeAppendixNotFound, fmt.Sprintf("appendices names the file %s, which the workflow's owner cannot open in the drive: every output fails. Restore the file, share it with the owner, or name another one.", id))
			continue
		case err != nil:
			return all, fmt.Errorf("look for an appended file: %w", err)
		}
		filledAs, ok := platen.AppendedAs(file.MIMEType)
		if !opens(ctx, own, drive, id) { // runs read it with the owner's access
			continue
		}
		switch {
		case !ok:
			all.add(platen.CodeAppendixType, fmt.Sprintf("appendices names the file %q of type %.100s, which cannot be appended: every output fails. Name a PDF, a text document or a presentation.", file.Name, file.MIMEType))
		case filledAs == "" && d.RequiresAccessibility():
			all.add(platen.CodeAccessibilityUnmet, platen.ErrAppendixUntagged(file.Name).Message)
		case filledAs == "":
			err = p.checkPDF(ctx, own, file, d.Archived(), &all)
		default:
			err = p.checkAppended(ctx, own, wf, d.OfAppendix(file, filledAs), file, t, fields, data, &all)
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// driveOfCaller is the drive with the access of the caller: the document's template is
// shared with the team, other files of its owner's drive are not. nil: the caller has none.
func (p *Previewer) driveOfCaller(ctx context.Context, owners Drive, wf platen.Workflow) Drive {
	caller, ok := platen.CallerOf(ctx)
	if !ok || caller.ID == wf.Owner.ID {
		return owners
	}
	own, err := p.Drives(ctx, caller.ID)
	if err != nil {
		return nil
	}
	return own
}

// opens tells whether a file that the owner can open is open to the caller, too.
func opens(ctx context.Context, own, owners Drive, id string) bool {
	if own == nil || own == owners {
		return own != nil
	}
	_, err := own.File(ctx, id)
	return err == nil
}

// checkPDF reads a PDF that is appended, unless it is large.
func (p *Previewer) checkPDF(ctx context.Context, drive Drive, file platen.File, profile platen.PDFProfile, all *appended) error {
	switch {
	case file.Size > platen.MaxAppendedSize:
		tooLarge := platen.ErrAppendixTooLarge(file.Name)
		all.add(tooLarge.Code, tooLarge.Message)
		return nil
	case file.Size > maxCheckedFile || p.Appendices == nil:
		return nil
	}
	content, err := drive.Download(ctx, file.ID)
	if err != nil {
		return fmt.Errorf("read an appended file: %w", err)
	}
	found, err := p.Appendices.CheckAppendix(platen.AppendedPDF{Name: file.Name, Content: content}, profile)
	if refused, ok := errors.AsType[*platen.Error](err); ok && refused.Kind == platen.KindInvalid {
		all.add(refused.Code, refused.Message)
		return nil
	}
	if err != nil {
		return fmt.Errorf("look into an appended file: %w", err)
	}
	for _, f := range found {
		all.add(f.Code, f.Message)
	}
	return nil
}

// checkAppended finds the mistakes of a template that is appended. d is the document with
// this template in the place of its own.
func (p *Previewer) checkAppended(ctx context.Context, drive Drive, wf platen.Workflow, d platen.Document, file platen.File, whole *check.Template, fields []string, data []byte, all *appended) error {
	t, err := readAppended(ctx, drive, d, file)
	if fill.IsUnreadable(err) {
		all.add(platen.CodeAppendixDamaged, fmt.Sprintf("appendices names the file %q, which cannot be read as a template. Save it again, or name another one.", file.Name))
		return nil
	}
	if err != nil || t == nil {
		return err
	}
	t.Number = d.Sample
	whole.Append(t)
	all.texts = append(all.texts, t.Texts()...)
	found := t.Findings(fields)
	var out fill.Outcome
	if data != nil {
		filling, err := p.filling(wf, d, data)
		if err != nil {
			return fmt.Errorf("read the data: %w", err)
		}
		if found, out, err = t.FindingsWith(filling, fields); err != nil {
			return err
		}
		all.missing = platen.UnionOfFields(all.missing, out.Missing)
	}
	for _, f := range append(tell(found), barriers(d, t, p.alts(out))...) {
		if f.Where = fmt.Sprintf("%s, %q, %s", fill.AppendicesField, file.Name, f.Where); len(all.findings) < maxOfAppendices {
			all.findings = append(all.findings, f)
		}
	}
	return nil
}

// readAppended reads a template that is appended; nil: it is too large to be read here.
func readAppended(ctx context.Context, drive Drive, d platen.Document, file platen.File) (*check.Template, error) {
	if file.MIMEType == d.File.MIMEType {
		read, err := fill.Read(ctx, drive, d.File)
		if err != nil {
			return nil, fmt.Errorf("read an appended template: %w", err)
		}
		return check.Read(read), nil
	}
	if file.Size > maxCheckedFile {
		return nil, nil
	}
	content, err := drive.Download(ctx, file.ID)
	if err != nil {
		return nil, fmt.Errorf("read an appended file: %w", err)
	}
	t, err := check.ReadFile(content)
	if err != nil {
		return nil, &platen.Error{Kind: platen.KindInvalid, Code: platen.CodeAppendixDamaged, Message: "The appended file cannot be read as a template.", Err: err}
	}
	return t, nil
}

// isUnopened tells of the drive's answer for a file that is not there, or not for this
// account.
func isUnopened(err error) bool {
	e, ok := errors.AsType[*platen.Error](err)
	return ok && (e.Code == "drive_file_not_found" || e.Code == "drive_file_forbidden")
}
