package protect

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"github.com/platenhq/platen/internal/platen"
)

// limits bound what reading a PDF takes that somebody else made: a stream of few bytes
// may unpack to many. Its pages are not unpacked.
var limits = model.ResourceLimits{
	MaxStreamBytes: platen.MaxAppendedSize, MaxDecodeBytes: 64 << 20, MaxImagePixels: 100 << 20, MaxImageBytes: 64 << 20,
	MaxObjectCount: 1 << 20, MaxObjectStreamCount: 100_000, MaxObjectStreamFirst: 4 << 20, MaxXRefEntries: 1 << 20, MaxRecursionDepth: 100,
}

// Append puts the pages of parts behind those of a PDF, in their order. Links, bookmarks,
// fonts and layers of the parts stay. Their forms and signatures become what they look
// like, and a finding says so; scripts and attached files are left out. What the PDF says
// of itself as a whole, such as its title, stays that of the PDF.
//
// KindInvalid with one of platen's codes of appendices: a part cannot be appended. Its
// message names the part.
func (p Protector) Append(pdf []byte, parts []platen.AppendedPDF) (_ []byte, findings []platen.Finding, err error) {
	if len(parts) == 0 {
		return pdf, nil, nil
	}
	size := len(pdf)
	for _, part := range parts {
		if size += len(part.Content); size > platen.MaxAppendedSize {
			return nil, nil, platen.ErrAppendixTooLarge(part.Name)
		}
	}
	defer func() {
		if cause := recover(); cause != nil { // the library panics on some broken files
			err = unreadableError(fmt.Errorf("panic: %v", cause))
		}
	}()
	preparePDFCPU()
	whole, err := api.ReadAndValidate(bytes.NewReader(pdf), appending())
	if err != nil {
		return nil, nil, unreadableError(err)
	}
	whole.RootDict.Delete("Metadata") // what they claim is not true of the whole any more
	version := model.V17
	for _, part := range parts {
		found, at, err := appendPart(whole, part)
		if err != nil {
			return nil, nil, err
		}
		findings, version = append(findings, found...), max(version, at)
	}
	if version == model.V20 {
		whole.HeaderVersion, whole.RootVersion = &version, nil
		whole.RootDict.Delete("Version")
	} else {
		whole.EnsureVersionForWriting()
	}
	var out bytes.Buffer
	out.Grow(size + size/8)
	if err := api.WriteContext(whole, &out); err != nil {
		return nil, nil, p.blame(pdf, parts, fmt.Errorf("write the PDF with what is appended: %w", err))
	}
	if out.Len() > platen.MaxAppendedSize {
		return nil, nil, platen.ErrAppendixTooLarge(parts[len(parts)-1].Name)
	}
	return out.Bytes(), findings, nil
}

// blame finds the part with which a PDF cannot be written: damage may show then alone.
func (p Protector) blame(pdf []byte, parts []platen.AppendedPDF, cause error) error {
	if len(parts) == 1 {
		return damaged(parts[0].Name, cause)
	}
	for _, part := range parts {
		if _, _, err := p.Append(pdf, []platen.AppendedPDF{part}); err != nil {
			return err
		}
	}
	return cause
}

// CheckAppendix returns what Append would find about a part by itself, and fails as it
// would, or as Archive would where the whole is to conform to a profile.
func (p Protector) CheckAppendix(part platen.AppendedPDF, profile platen.PDFProfile) ([]platen.Finding, error) {
	_, findings, err := p.Append(blankPage(), []platen.AppendedPDF{part})
	if err == nil && profile != "" {
		_, unmet := p.Archive(part.Content, platen.Archive{Profile: profile})
		err = platen.ErrAppendixUnmet(part.Name, profile, unmet)
	}
	return findings, err
}

// blankPage is a PDF that says nothing.
var blankPage = sync.OnceValue(func() []byte {
	out := []byte("%PDF-1.4\n")
	offsets := ""
	for n, object := range []string{`<</Type /Catalog /Pages 2 0 R>>`, `<</Type /Pages /Kids [3 0 R] /Count 1>>`, `<</Type /Page /Parent 2 0 R /MediaBox [0 0 1 1]>>`} {
		offsets += fmt.Sprintf("%010d 00000 n \n", len(out))
		out = fmt.Appendf(out, "%d 0 obj\n%s\nendobj\n", n+1, object)
	}
	return fmt.Appendf(out, "xref\n0 4\n0000000000 65535 f \n%strailer\n<</Size 4 /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", offsets, len(out))
})

func appending() *model.Configuration {
	config := model.NewDefaultConfiguration()
	config.Cmd = model.MERGECREATE
	config.Offline = true
	config.Optimize, config.OptimizeBeforeWriting = false, false
	config.ValidationMode = model.ValidationRelaxed
	config.CreateBookmarks, config.MergeBookmarkMode = true, model.MergeBookmarkModePreserve
	config.Limits = limits
	return config
}

// readPart reads a part and makes it one that can stand behind another.
func readPart(part platen.AppendedPDF) (read *model.Context, findings []platen.Finding, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			read, err = nil, damaged(part.Name, fmt.Errorf("panic: %v", cause))
		}
	}()
	if read, err = openPart(part); err != nil {
		return nil, nil, err
	}
	was, err := makePart(read, false)
	if err != nil {
		if read, err = openPart(part); err != nil {
			return nil, nil, err
		}
		was, err = makePart(read, true)
	}
	if err != nil {
		return nil, nil, damaged(part.Name, err)
	}
	return read, tellOfForm(was, part.Name), nil
}

func openPart(part platen.AppendedPDF) (*model.Context, error) {
	read, err := api.ReadContext(bytes.NewReader(part.Content), appending())
	if err == nil {
		err = read.EnsurePageCount()
	}
	switch {
	case errors.Is(err, pdfcpu.ErrEncrypted), errors.Is(err, pdfcpu.ErrWrongPassword), err == nil && read.E != nil:
		return nil, platen.Errorf(platen.KindInvalid, platen.CodeAppendixEncrypted, "The appended file %q is an encrypted PDF. Save it without encryption, or take it out of appendices.", part.Name)
	case err != nil:
		return nil, damaged(part.Name, err)
	case read.PageCount > platen.MaxAppendedPages:
		return nil, platen.ErrAppendixTooLarge(part.Name)
	}
	return read, nil
}

// makePart makes a PDF one that can stand behind another. asDrawn leaves nothing of its notes
// but their looks: a fault in what they are is none in what they look like.
func makePart(read *model.Context, asDrawn bool) (was form, err error) {
	if was, err = fixAnnotations(read, asDrawn); err != nil {
		return was, err
	}
	if err := validate(read); err != nil {
		return was, err
	}
	return was, detach(read)
}

// ofTheWhole are entries of a catalog that say how a document is opened, printed, read aloud
// or archived. They mean nothing for pages behind those of another, so that their faults are
// none.
var ofTheWhole = []string{"ViewerPreferences", "PageMode", "PageLayout", "Lang", "MarkInfo", "StructTreeRoot", "OutputIntents", "PieceInfo", "Perms",
	"Metadata", "Legal", "Requirements", "Collection", "SpiderInfo", "Threads", "DSS", "Extensions"}

// validate sees that the pages of a PDF can stand behind others. What is newer than the
// version that the file says of itself is no fault: readers show it.
func validate(pdf *model.Context) error {
	for _, entry := range ofTheWhole {
		pdf.RootDict.Delete(entry)
	}
	said, root := pdf.HeaderVersion, pdf.RootVersion
	if pdf.XRefTable.Version() < model.V17 {
		newest := model.V17
		pdf.HeaderVersion, pdf.RootVersion = &newest, nil
	}
	err := api.ValidateContext(pdf)
	pdf.HeaderVersion, pdf.RootVersion = said, root
	return err
}

// tellOfForm says what became of a form.
func tellOfForm(was form, name string) []platen.Finding {
	if was.fields == 0 {
		return nil
	}
	text := fmt.Sprintf("The appended file %q has a form or a signature. Its fields stand in the PDF as they look, cannot be filled in there, and no signature of it is valid there.", name)
	if was.unseen > 0 {
		text += fmt.Sprintf(" %d of its fields are filled in and have no looks in the file, so they are not seen: print the file to a new PDF, and append that.", was.unseen)
	}
	return []platen.Finding{{Code: platen.CodeAppendixForm, Message: text}}
}

func appendPart(whole *model.Context, part platen.AppendedPDF) (_ []platen.Finding, version model.Version, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = damaged(part.Name, fmt.Errorf("panic: %v", cause))
		}
	}()
	read, findings, err := readPart(part)
	if err != nil {
		return nil, version, err
	}
	if whole.PageCount+read.PageCount > platen.MaxAppendedPages {
		return nil, version, platen.ErrAppendixTooLarge(part.Name)
	}
	version = read.XRefTable.Version()
	layers := read.RootDict["OCProperties"]
	if err := pdfcpu.MergeXRefTables(part.Name, read, whole, false, false); err != nil {
		return nil, version, damaged(part.Name, err)
	}
	if err := addLayers(whole, layers); err != nil {
		return nil, version, damaged(part.Name, err)
	}
	return findings, version, nil
}

func damaged(name string, cause error) *platen.Error {
	return &platen.Error{Kind: platen.KindInvalid, Code: platen.CodeAppendixDamaged, Err: cause,
		Message: fmt.Sprintf("The appended file %q cannot be read as a PDF: it is damaged, or no PDF. Save it again, or take it out of appendices.", name)}
}
