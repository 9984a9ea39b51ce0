package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Exporter makes PDFs of copies, and office files.
type Exporter interface {
	// ExportOffice makes an office file of a copy; contentType is that of its kind.
	ExportOffice(ctx context.Context, fileID, contentType string) ([]byte, error)
	// ExportPDFWithFindings also says what the PDF does not show as the file has
	// it, where the drive tells.
	ExportPDFWithFindings(ctx context.Context, fileID string) ([]byte, []platen.Finding, error)
}

// Uploader stores PDFs, each under an id that is known before.
type Uploader interface {
	// NewFileID returns an id for a later Upload.
	NewFileID(ctx context.Context) (string, error)
	// Upload stores data under file.ID with file's name, MIME type and
	// properties, in the folder file.Parent; KindConflict when the id is taken.
	Upload(ctx context.Context, file platen.File, data []byte) (platen.File, error)
}

// PDFResult says how large the PDF is.
type PDFResult struct {
	Bytes int
}

// MakePDF exports the filled copy, appends what the document names, marks the pages of a test, makes it
// conform to its profile with the e-invoice inside, encrypts and seals the PDF where the
// document asks for it, and uploads it.
//
// Run twice: the upload's id and the hash of its bytes are stored beforehand.
// An execution that finds them looks whether the file is there, and takes it
// over when its bytes have one of the stored hashes and open with the
// password. Two encryptions of one PDF always differ, as two seals do, so bytes of a second one say
// nothing about it. A filled copy that is gone before its PDF is there is made again.
func (d *Documents) MakePDF(ctx context.Context, in Step) (PDFResult, error) {
	j, err := d.job(ctx, in)
	if err != nil {
		return PDFResult{}, err
	}
	o, result, err := d.ensurePDF(ctx, j)
	if err == nil {
		err = d.share(ctx, j, o)
	}
	return result, d.keepNotes(ctx, in.OutputID, err)
}

// ensurePDF returns the output with its PDF, or as it ended.
func (d *Documents) ensurePDF(ctx context.Context, j job) (platen.Output, PDFResult, error) {
	o, err := d.ensureAppendices(ctx, j)
	if err != nil || o.PDF != nil && len(o.Appendices) == 0 || o.HasEnded() {
		return o, PDFResult{}, err
	}
	ctx, done, err := d.reserve(ctx, j, quotaOfPDF.Plus(quotaOfAppending(o.Appendices)), nothingLater)
	if err != nil {
		return o, PDFResult{}, err
	}
	defer done(true)
	result := PDFResult{}
	if o.PDF == nil {
		o, result, err = d.makePDF(ctx, j, o)
	}
	if err != nil || o.PDF == nil {
		return o, result, err
	}
	o, err = d.dropAppendices(ctx, j, o)
	return o, result, err
}

// makePDF makes the PDF of an output that is filled, or finds that it is made.
func (d *Documents) makePDF(ctx context.Context, j job, o platen.Output) (platen.Output, PDFResult, error) {
	began := d.now()
	password, err := d.password(ctx, j, o)
	if err != nil {
		return o, PDFResult{}, err
	}
	if len(o.PDFHashes) > 0 {
		stored, err := j.drive.File(ctx, o.PDFID)
		if err == nil {
			return d.takeOver(ctx, j, o, stored, password, began)
		}
		if platen.KindOf(err) != platen.KindNotFound {
			return o, PDFResult{}, fmt.Errorf("look for the PDF: %w", err)
		}
	}
	leave, err := d.appending.enter(ctx, o.Appendices)
	if err != nil {
		return o, PDFResult{}, err
	}
	defer leave()
	pdf, pages, findings, err := d.render(ctx, j, o, password)
	if err != nil {
		return o, PDFResult{}, d.unlessSuperseded(ctx, j, o, err)
	}
	return d.upload(ctx, j, o, pdf, pages, findings, password, began)
}

// password is what the PDF opens with; empty where the document asks for none,
// and needs no source data for it.
func (d *Documents) password(ctx context.Context, j job, o platen.Output) (string, error) {
	if !j.planned.Document.Encrypts() {
		return "", nil
	}
	filling, err := d.filling(ctx, j)
	if err != nil {
		return "", err
	}
	password, refusal := filling.Password()
	if refusal != nil {
		return "", d.refuse(ctx, o, refusal)
	}
	return password, nil
}

// render makes the PDF of a filled copy, and counts its pages.
func (d *Documents) render(ctx context.Context, j job, o platen.Output, password string) (pdf []byte, pages int, findings []platen.Finding, err error) {
	pdf, findings, err = j.drive.ExportPDFWithFindings(ctx, o.Copy.ID)
	if err != nil {
		return nil, 0, nil, fmt.Errorf("export the copy as PDF: %w", err)
	}
	pdf, appended, err := d.withAppendices(ctx, j, o, pdf)
	if err != nil {
		return nil, 0, nil, err
	}
	findings = append(findings, appended...)
	if j.plan.Test {
		if pdf, err = d.Protector.Mark(pdf, platen.TestMark); err != nil {
			return nil, 0, nil, fmt.Errorf("mark the PDF of a test: %w", err)
		}
	}
	if profile := j.planned.Document.Archived(); profile != "" {
		archive := platen.Archive{Profile: profile, At: j.plan.AcceptedAt}
		doubts, err := d.addInvoice(ctx, j, &archive)
		if err != nil {
			return nil, 0, nil, err
		}
		findings = append(findings, doubts...)
		if pdf, err = d.Protector.Archive(pdf, archive); err != nil {
			return nil, 0, nil, fmt.Errorf("make the PDF one of %s: %w", profile, err)
		}
	}
	pages = d.Protector.Pages(pdf)
	if pdf, err = d.lock(ctx, j, pdf, password); err != nil {
		return nil, 0, nil, err
	}
	return pdf, pages, findings, nil
}

// lock encrypts and seals a PDF, as its document asks for. Nothing is changed in it afterwards.
// That of a test has no seal.
func (d *Documents) lock(ctx context.Context, j job, pdf []byte, password string) (_ []byte, err error) {
	preventCopy := j.planned.Document.PDFPasswordPreventCopy
	switch seals := j.planned.Document.Seals() && !j.plan.Test; {
	case seals && password != "":
		pdf, err = d.Protector.ProtectAndSeal(ctx, pdf, password, preventCopy, d.now())
	case seals:
		pdf, err = d.Protector.Seal(ctx, pdf, d.now())
	case password != "":
		pdf, err = d.Protector.Protect(pdf, password, preventCopy)
	}
	if err != nil {
		return nil, fmt.Errorf("encrypt and seal the PDF: %w", err)
	}
	return pdf, nil
}

// addInvoice has a PDF hold the e-invoice of its document, made of the same event and the same
// numbers as its pages. It says what may be asked about the invoice.
func (d *Documents) addInvoice(ctx context.Context, j job, archive *platen.Archive) ([]platen.Finding, error) {
	setting := j.planned.Document.EInvoice
	if setting == nil {
		return nil, nil
	}
	filling, err := d.filling(ctx, j)
	if err != nil {
		return nil, err
	}
	xml, doubts, refusal := filling.Invoice()
	if refusal != nil {
		return nil, refusal.Err(nil)
	}
	archive.Hold(*setting, xml)
	return doubts, nil
}

// withAppendices puts the PDFs of all appendices behind that of a document, and says what
// was found about them.
func (d *Documents) withAppendices(ctx context.Context, j job, o platen.Output, pdf []byte) ([]byte, []platen.Finding, error) {
	if len(o.Appendices) == 0 {
		return pdf, nil, nil
	}
	var parts []platen.AppendedPDF
	var findings []platen.Finding
	size := len(pdf)
	for i, a := range o.Appendices {
		part, found, err := d.appendixPDF(ctx, j, o, i)
		if err != nil {
			return nil, nil, err
		}
		if size += len(part); size > platen.MaxAppendedSize {
			return nil, nil, platen.ErrAppendixTooLarge(a.Name)
		}
		if err := d.mayBeArchived(j, a.Name, part); err != nil {
			return nil, nil, err
		}
		parts = append(parts, platen.AppendedPDF{Name: a.Name, Content: part})
		findings = append(append(findings, a.Notes...), found...)
	}
	joined, found, err := d.Protector.Append(pdf, parts)
	if err != nil {
		return nil, nil, fmt.Errorf("append to the PDF: %w", err)
	}
	return joined, append(findings, found...), nil
}

// mayBeArchived refuses an appended PDF that keeps the whole from conforming to the profile of
// its document, and names it: nothing else in the whole may.
func (d *Documents) mayBeArchived(j job, name string, part []byte) error {
	profile := j.planned.Document.Archived()
	if profile == "" {
		return nil
	}
	_, err := d.Protector.Archive(part, platen.Archive{Profile: profile})
	return platen.ErrAppendixUnmet(name, profile, err) // what else is wrong with it, appending says
}

// appendixPDF is the PDF of one appendix. A file may have changed since the step before:
// what the drive has now counts.
func (d *Documents) appendixPDF(ctx context.Context, j job, o platen.Output, i int) ([]byte, []platen.Finding, error) {
	a := o.Appendices[i]
	if a.CopyID == "" {
		file, filledAs, err := appendixFile(ctx, j, a.FileID)
		if err != nil {
			return nil, nil, err
		}
		if filledAs != "" {
			return nil, nil, d.forgetAppendices(ctx, j, o, i)
		}
		if file.Size > platen.MaxAppendedSize {
			return nil, nil, platen.ErrAppendixTooLarge(a.Name)
		}
		pdf, err := j.drive.Download(ctx, a.FileID)
		if isFileNotFound(err) || isFileForbidden(err) {
			err = errAppendixNotFound(j.planned.Document.ID, a.FileID, err)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read an appended file: %w", err)
		}
		return pdf, nil, nil
	}
	pdf, found, err := j.drive.ExportPDFWithFindings(ctx, a.CopyID)
	if isFileNotFound(err) {
		return nil, nil, d.forgetAppendices(ctx, j, o, i)
	}
	if err != nil {
		return nil, nil, ofAppendix(a.Name, fmt.Errorf("export an appended template as PDF: %w", err))
	}
	named := make([]platen.Finding, len(found))
	for n, f := range found {
		named[n] = ofAppendixFinding(a.Name, f)
	}
	return pdf, named, nil
}

// forgetAppendices has the next try get an appendix ready once more, and those after it:
// its copy is gone, or its file is of another kind now.
func (d *Documents) forgetAppendices(ctx context.Context, j job, o platen.Output, from int) error {
	now, err := d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error {
		return current.ForgetAppendices(j.step.Attempt, o, from)
	})
	if err != nil {
		return fmt.Errorf("note that an appendix is made again: %w", err)
	}
	return platen.ErrStepSuperseded(now)
}

// dropAppendices removes the copies of an output whose PDF holds what they say. One that
// the drive does not let go is a finding.
func (d *Documents) dropAppendices(ctx context.Context, j job, o platen.Output) (platen.Output, error) {
	if len(o.Appendices) == 0 {
		return o, nil
	}
	var kept []string
	for _, id := range o.AppendixCopies() {
		err := j.drive.Delete(ctx, id)
		switch {
		case platen.IsFileKept(err):
			kept = append(kept, id)
		case err != nil:
			return o, fmt.Errorf("remove the copy of an appended template: %w", err)
		}
	}
	o, err := d.Outputs.NoteOutput(ctx, o.ID, func(current *platen.Output) error {
		current.DropAppendices(kept)
		return nil
	})
	if err != nil {
		return o, fmt.Errorf("record that the copies of appended templates are removed: %w", err)
	}
	return o, nil
}

// upload stores the hash before the PDF, with how the fill ended and the findings:
// whichever execution's PDF is kept, all were made of the same filled copy.
func (d *Documents) upload(ctx context.Context, j job, o platen.Output, pdf []byte, pages int, findings []platen.Finding, password string, began time.Time) (platen.Output, PDFResult, error) {
	parent, err := folderOf(ctx, j.drive, *o.Copy)
	if err != nil {
		return o, PDFResult{}, err
	}
	id := o.PDFID
	if id == "" {
		if id, err = j.drive.NewFileID(ctx); err != nil {
			return o, PDFResult{}, fmt.Errorf("get an id for the PDF: %w", err)
		}
	}
	hash, seen := sum(pdf), o
	o, err = d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error {
		return current.BeginUpload(seen, id, hash, findings)
	})
	if err != nil {
		return o, PDFResult{}, fmt.Errorf("note that the upload begins: %w", err)
	}
	protection := platen.ProtectionNone
	if password != "" {
		protection = platen.ProtectionPassword
	}
	file := platen.File{
		ID: o.PDFID, Name: o.Copy.Name + ".pdf", Parent: parent, MIMEType: platen.MIMEPDF,
		Properties: map[string]string{
			platen.PropertyKey: o.ID, platen.PropertySHA256: hash, platen.PropertyAttempt: strconv.Itoa(o.Attempt), platen.PropertyProtection: string(protection),
		},
	}
	if pages > 0 {
		file.Properties[platen.PropertyPages] = strconv.Itoa(pages)
	}
	stored, err := j.drive.Upload(ctx, file, pdf)
	if platen.KindOf(err) == platen.KindConflict && err != nil {
		stored, err = j.drive.File(ctx, o.PDFID)
	}
	if err != nil {
		return o, PDFResult{}, fmt.Errorf("upload the PDF: %w", err)
	}
	if stored.SHA256 == hash && !stored.Trashed {
		return d.notePDF(ctx, j, o, stored, len(pdf), began)
	}
	return d.takeOver(ctx, j, o, stored, password, began)
}

// folderOf is the folder of a copy, into which its PDF goes too: an account may
// have no storage but there. A drive may not have said it with the copy.
func folderOf(ctx context.Context, drive Files, copied platen.File) (string, error) {
	if copied.Parent != "" {
		return copied.Parent, nil
	}
	found, err := drive.File(ctx, copied.ID)
	if err != nil {
		return "", fmt.Errorf("look in which folder the copy is: %w", err)
	}
	return found.Parent, nil
}

// takeOver accepts a PDF that another execution uploaded, after reading it back.
func (d *Documents) takeOver(ctx context.Context, j job, o platen.Output, stored platen.File, password string, began time.Time) (platen.Output, PDFResult, error) {
	if stored.Trashed {
		return o, PDFResult{}, d.leavePDF(ctx, o, stored.ID)
	}
	content, err := j.drive.Download(ctx, stored.ID)
	if err != nil {
		return o, PDFResult{}, fmt.Errorf("read the PDF back: %w", err)
	}
	hash := sum(content)
	if !slices.Contains(o.PDFHashes, hash) && !isUploaded(o, stored, hash) {
		return o, PDFResult{}, platen.Errorf(platen.KindConflict, "pdf_differs", "The stored PDF %s is not one that this automation made.", stored.ID)
	}
	if password != "" {
		if err := d.Protector.Opens(content, password); err != nil {
			return o, PDFResult{}, fmt.Errorf("open the stored PDF: %w", err)
		}
	}
	stored.SHA256 = hash
	return d.notePDF(ctx, j, o, stored, len(content), began)
}

// leavePDF has the next try make another PDF, under an id of its own: the one with
// that id is in the drive's trash.
func (d *Documents) leavePDF(ctx context.Context, o platen.Output, id string) error {
	now, err := d.Outputs.UpdateOutput(ctx, o.ID, func(current *platen.Output) error {
		current.LeavePDF(id)
		return nil
	})
	if err != nil {
		return fmt.Errorf("note that a PDF is in the trash: %w", err)
	}
	return platen.ErrStepSuperseded(now)
}

// isUploaded reports whether a stored PDF comes from an upload of the output that the
// row does not record, because the database was restored from a backup.
func isUploaded(o platen.Output, stored platen.File, hash string) bool {
	return stored.Properties[platen.PropertyKey] == o.ID && stored.Properties[platen.PropertySHA256] == hash
}

// notePDF notes which PDF is the output's, after the drive confirmed its bytes. One
// that came when the output had failed already, or was retried, is known to nobody else
// and removed here.
func (d *Documents) notePDF(ctx context.Context, j job, o platen.Output, stored platen.File, size int, began time.Time) (platen.Output, PDFResult, error) {
	stored.Size = int64(size)
	late := func(now platen.Output) bool { return !now.TakesPDF(stored.ID) }
	now, err := d.decide(ctx, began, o.ID, late, func(current *platen.Output) error {
		current.TakePDF(stored)
		return nil
	})
	if err != nil {
		return now, PDFResult{}, fmt.Errorf("record the PDF: %w", err)
	}
	if late(now) {
		if err := discard(ctx, j.drive, stored.ID); err != nil {
			return now, PDFResult{}, fmt.Errorf("remove a PDF that came too late: %w", err)
		}
		return now, PDFResult{}, platen.ErrStepSuperseded(now)
	}
	d.uploaded.add(stored.ID, d.now())
	return now, PDFResult{Bytes: size}, nil
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}
