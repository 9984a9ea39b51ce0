package api

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

func (s *server) listDocuments(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	page := in.page()
	if err := in.err(); err != nil {
		return err
	}
	found, err := s.Documents.Documents(r.Context(), caller(r.Context()), id, oneMore(page))
	if err != nil {
		return err
	}
	return writePage(s, w, r, page, found, documentPosition, s.document)
}

func (s *server) getDocument(w http.ResponseWriter, r *http.Request) error {
	_, d, err := s.findDocument(r)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, s.document(d))
}

func (s *server) createDocument(w http.ResponseWriter, r *http.Request) error {
	wf, body, err := s.readChange(r)
	if err != nil {
		return err
	}
	in, err := readNewDocument(body)
	if err != nil {
		return err
	}
	if err := s.checkSettings(r.Context(), wf.Owner.ID, in.documentPatch, ""); err != nil {
		return err
	}
	return s.addDocument(w, r, wf, in)
}

// addDocument answers with a new document of a workflow.
func (s *server) addDocument(w http.ResponseWriter, r *http.Request, wf platen.Workflow, in newDocument) error {
	ctx, cancel := s.detach(r.Context())
	defer cancel()
	user := caller(ctx)
	made, err := s.makeTemplate(ctx, wf, in, func(d platen.Document) error {
		return s.Documents.ReserveDocument(ctx, user, d)
	})
	if err != nil {
		return err
	}
	d, err := s.Documents.CompleteDocument(ctx, user, made)
	if err != nil {
		s.discard(ctx, wf.Owner.ID, made, err)
		return err
	}
	edge.Note(ctx, slog.String("document", d.ID))
	if in.office != nil {
		s.noteUpload(ctx, d.ID, in.office.content, made.File)
	}
	return s.writeChanged(r.Context(), w, r, http.StatusCreated, wf, d)
}

func (s *server) updateDocument(w http.ResponseWriter, r *http.Request) error {
	wf, d, err := s.findChangeableDocument(r)
	if err != nil {
		return err
	}
	d, err = patch[platen.Document, documentPatch, documentJSON]{
		read: func(body []byte) (documentPatch, error) {
			in, err := readDocumentPatch(body)
			if err == nil {
				err = s.checkSettings(r.Context(), wf.Owner.ID, in, "")
			}
			if err == nil {
				err = s.checkAppendices(r.Context(), wf, in.appendices, d.Appendices)
			}
			return in, err
		},
		apply: func(in documentPatch, d *platen.Document) {
			in.apply(d)
			d.UpdatedAt = s.now()
		},
		wire: s.document,
		store: func(change func(*platen.Document) error) (platen.Document, error) {
			return s.Documents.UpdateDocument(r.Context(), caller(r.Context()), wf.ID, d.ID, func(d *platen.Document) error {
				if err := change(d); err != nil {
					return err
				}
				return cmp.Or(d.CheckProfile(), d.CheckApproval())
			})
		},
	}.to(d, r)
	if err != nil {
		return err
	}
	return s.writeChanged(r.Context(), w, r, http.StatusOK, wf, d)
}

// removeDocument takes the document out of the workflow first: a template that
// could not be trashed then is left to the sweep.
func (s *server) removeDocument(w http.ResponseWriter, r *http.Request) error {
	wf, d, err := s.findDocument(r)
	if err != nil {
		return err
	}
	check := requireUnchanged(r)
	needed, err := s.Documents.RemoveDocument(r.Context(), caller(r.Context()), wf.ID, d.ID, func(d platen.Document) error {
		return check(s.document(d))
	})
	if err != nil {
		return err
	}
	if !needed {
		if err := s.trashTemplate(r.Context(), wf.Owner.ID, d); err != nil {
			edge.Note(r.Context(), slog.String("orphan", d.ID), slog.String("orphan_error", err.Error()))
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *server) trashTemplate(ctx context.Context, ownerID string, d platen.Document) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	drive, err := s.drives(ctx, ownerID)
	if err != nil {
		return err
	}
	if err := drive.Trash(ctx, d.File.ID); err != nil {
		return err
	}
	return s.Orphans.MarkTemplateTrashed(ctx, d.ID)
}

// checkSettings refuses the mails and seals of an installation that has none, senders that the
// owner of the workflow does not have, conditions that cannot be read, HTML that mails may not have, and maps of e-invoices with a mistake. Pointer is where in the body the settings are.
func (s *server) checkSettings(ctx context.Context, ownerID string, in documentPatch, pointer string) error {
	if err := s.checkSender(ctx, ownerID, in.email, pointer); err != nil {
		return err
	}
	if in.seal != nil && *in.seal && !s.seals {
		return platen.ErrSealUnset()
	}
	var faults []platen.Fault
	for _, c := range []struct {
		field string
		when  *string
	}{{"/when", in.when}, {"/appendicesWhen", in.appendicesWhen}, {"/outputSharingWhen", in.sharingWhen}, {"/email/when", in.email.when}, {"/approval/when", in.approval.when}} {
		if when := strings.TrimSpace(orEmpty(c.when)); when != "" && s.condition != nil {
			if wrong := s.condition(when); wrong != "" {
				faults = append(faults, platen.Fault{Pointer: pointer + c.field, Message: "cannot be read: " + wrong})
			}
		}
	}
	if html := orEmpty(in.email.html); html != "" && s.mailHTML != nil {
		if wrong := s.mailHTML(html); wrong != "" {
			faults = append(faults, platen.Fault{Pointer: pointer + "/email/html", Message: wrong})
		}
	}
	faults = append(faults, s.invoiceFaults(in.einvoice, pointer)...)
	if len(faults) > 0 {
		return &platen.Error{Kind: platen.KindInvalid, Code: "invalid_body", Faults: faults, Message: faultsMessage(faults)}
	}
	return nil
}

func (in documentPatch) apply(d *platen.Document) {
	set(&d.OutputName, in.outputName)
	set(&d.CreatePDFCopy, in.createPDFCopy)
	set(&d.RemoveOutput, in.removeOutput)
	set(&d.EnablePDFPassword, in.enablePDFPassword)
	set(&d.PDFPassword, in.pdfPassword)
	set(&d.PDFPasswordPreventCopy, in.preventCopy)
	set(&d.Seal, in.seal)
	set(&d.OutputFolder, in.folder)
	set(&d.OutputFolderID, in.folderID)
	in.email.apply(d)
	in.pdf.apply(d)
	in.approval.apply(d)
	in.einvoice.apply(d)
	set(&d.Numbers, in.numbers)
	set(&d.Appendices, in.appendices.ids)
	set(&d.When, trimmed(in.when))
	set(&d.AppendicesWhen, trimmed(in.appendicesWhen))
	set(&d.OutputSharingWhen, trimmed(in.sharingWhen))
	if in.sharing != nil {
		d.OutputSharing = platen.Sharing(*in.sharing)
	}
	if in.accessibility != nil {
		d.Accessibility = platen.Accessibility(*in.accessibility)
	}
	if in.onMissing != nil {
		d.OnMissing = platen.OnMissing(*in.onMissing)
	}
}

func trimmed(sent *string) *string {
	if sent == nil {
		return nil
	}
	return new(strings.TrimSpace(*sent))
}

// findDocument reads the workflow and the document that the path names. The workflow
// comes first: callers who may not see it must not learn of its documents.
func (s *server) findDocument(r *http.Request) (platen.Workflow, platen.Document, error) {
	wf, err := s.find(r)
	if err != nil {
		return wf, platen.Document{}, err
	}
	id, err := documentID(r)
	if err != nil {
		return wf, platen.Document{}, err
	}
	for _, d := range wf.Documents {
		if d.ID == id {
			return wf, d, nil
		}
	}
	return wf, platen.Document{}, platen.ErrDocumentNotFound()
}

// findChangeableDocument is findDocument in a workflow that is not archived.
func (s *server) findChangeableDocument(r *http.Request) (platen.Workflow, platen.Document, error) {
	wf, d, err := s.findDocument(r)
	if err == nil {
		err = checkChangeable(wf)
	}
	return wf, d, err
}

func documentID(r *http.Request) (string, error) {
	id := mux.Vars(r)["document"]
	if !platen.IsID(platen.PrefixDocument, id) {
		return "", platen.ErrDocumentNotFound()
	}
	edge.Note(r.Context(), slog.String("document", id))
	return id, nil
}

// storeTimeout is what a creation may take beyond its drive calls.
const storeTimeout = 10 * time.Second

// detach returns the context of a creation: one that began is ended even if the
// client leaves, because a copy in the drive cannot be taken back with its
// request.
func (s *server) detach(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), s.driveTimeout+storeTimeout)
}

// makeTemplate makes the template of a new document: a copy of the file that
// was named, or a blank one. The caller must be able to open the file; the
// copy is made in the drive of the workflow's owner, where its automations
// run. reserve is called when nothing but the copying is left, so that a copy
// that got lost is known. All drive calls together have driveTimeout.
func (s *server) makeTemplate(ctx context.Context, wf platen.Workflow, in newDocument, reserve func(platen.Document) error) (platen.Document, error) {
	now := s.now()
	d := platen.Document{
		ID:         platen.NewID(platen.PrefixDocument),
		WorkflowID: wf.ID,
		Type:       platen.TypeDocs,
		OutputName: wf.Name + " - {{Timestamp}}",
		OnMissing:  platen.MissingBlank,
		CreatedAt:  now,
		UpdatedAt:  now,
	}
	in.apply(&d)
	if err := cmp.Or(d.CheckProfile(), d.CheckApproval()); err != nil {
		return d, err
	}
	driveCtx, cancel := context.WithTimeoutCause(ctx, s.driveTimeout, errDriveTimeout)
	defer cancel()
	var err error
	if in.office != nil {
		d.Type = in.office.documentType
	}
	if in.fileID != nil {
		if d.Type, err = s.templateType(driveCtx, in); err != nil {
			return d, err
		}
	}
	if err := s.checkAppendices(driveCtx, wf, in.appendices, nil); err != nil {
		return d, err
	}
	drive, err := s.drives(driveCtx, wf.Owner.ID)
	if err != nil {
		return d, driveError(driveCtx, in.fileIDPointer, err)
	}
	if err := reserve(d); err != nil {
		return d, err
	}
	name := wf.Name + " - [Template]"
	switch {
	case in.office != nil:
		d.File, err = drive.CreateFrom(driveCtx, name, d.Type.MIMEType(), d.ID, in.office.contentType, in.office.content)
	case in.fileID == nil:
		d.File, err = drive.CreateBlank(driveCtx, name, d.Type.MIMEType(), d.ID)
	default:
		d.File, err = drive.Copy(driveCtx, *in.fileID, name, d.ID)
	}
	if err != nil {
		return d, copyError(driveCtx, wf.Owner.ID != caller(ctx).ID, in.fileIDPointer, err)
	}
	return d, nil
}

// templateType looks at the file that a body names with the caller's eyes, and
// says what document it makes or why it can be no template.
func (s *server) templateType(ctx context.Context, in newDocument) (platen.DocumentType, error) {
	drive, err := s.drives(ctx, caller(ctx).ID)
	if err != nil {
		return "", driveError(ctx, in.fileIDPointer, err)
	}
	file, err := drive.File(ctx, *in.fileID)
	if err != nil {
		return "", driveError(ctx, in.fileIDPointer, err)
	}
	if file.Trashed {
		return "", fileFault("drive_file_trashed", in.fileIDPointer, "names a file in the drive's trash: restore it or choose another")
	}
	t, ok := platen.DocumentTypeOf(file.MIMEType)
	if !ok {
		return "", fileFault("drive_file_not_document", in.fileIDPointer,
			fmt.Sprintf("names a file of type %s: choose a text document or a presentation of the drive's own kind, or convert it to one", cut(file.MIMEType)))
	}
	return t, nil
}

// discardTimeout is short: somebody waits for the answer, and a template that
// becomes an orphan is swept later.
const discardTimeout = 5 * time.Second

// discard trashes a template whose document the store refused for good. After
// any other failure the document may have been stored, so it is left alone.
func (s *server) discard(ctx context.Context, ownerID string, d platen.Document, refusal error) {
	switch platen.KindOf(refusal) {
	case platen.KindInvalid, platen.KindForbidden, platen.KindNotFound:
	default:
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	drive, err := s.drives(ctx, ownerID)
	if err == nil {
		err = drive.Trash(ctx, d.File.ID)
	}
	if err != nil {
		edge.Note(ctx, slog.String("orphan", d.ID), slog.String("orphan_error", err.Error()))
	}
}
