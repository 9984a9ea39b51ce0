package postgres

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Documents is the store of workflows' template documents.
type Documents struct{ db *DB }

const documentPassword = "documents.pdf_password"

// States of a document's row. Only READY ones are documents to anybody else.
const (
	documentPending   = "PENDING"
	documentReady     = "READY"
	documentDiscarded = "DISCARDED"
	documentRemoved   = "REMOVED" // kept for the outputs that were made from it
)

// selectDocument names its columns: a release must not stumble over one that
// the migrations of the next one add.
const selectDocument = `
	SELECT id, workflow_id, state, type, file_id, file_name, file_url, file_mime_type, output_name,
		create_pdf_copy, remove_output, enable_pdf_password, pdf_password, pdf_password_prevent_copy, pdf_profile, accessibility, seal, einvoice,
		on_missing, output_folder, output_folder_id, output_sharing, email, approval, numbers, appendices, condition, appendices_condition, output_sharing_condition, preview_version, created_at, updated_at
	FROM documents`

type documentRow struct {
	ID                     string               `db:"id"`
	WorkflowID             string               `db:"workflow_id"`
	State                  string               `db:"state"`
	Type                   platen.DocumentType  `db:"type"`
	FileID                 string               `db:"file_id"`
	FileName               string               `db:"file_name"`
	FileURL                string               `db:"file_url"`
	FileMIMEType           string               `db:"file_mime_type"`
	OutputName             string               `db:"output_name"`
	CreatePDFCopy          bool                 `db:"create_pdf_copy"`
	RemoveOutput           bool                 `db:"remove_output"`
	EnablePDFPassword      bool                 `db:"enable_pdf_password"`
	PDFPassword            []byte               `db:"pdf_password"`
	PDFPasswordPreventCopy bool                 `db:"pdf_password_prevent_copy"`
	PDFProfile             platen.PDFProfile    `db:"pdf_profile"`
	Accessibility          platen.Accessibility `db:"accessibility"`
	Seal                   bool                 `db:"seal"`
	EInvoice               *einvoiceJSON        `db:"einvoice"`
	OnMissing              platen.OnMissing     `db:"on_missing"`
	OutputFolder           string               `db:"output_folder"`
	OutputFolderID         string               `db:"output_folder_id"`
	OutputSharing          platen.Sharing       `db:"output_sharing"`
	Email                  *emailJSON           `db:"email"`
	Approval               *approvalJSON        `db:"approval"`
	Condition              string               `db:"condition"`
	AppendicesCondition    string               `db:"appendices_condition"`
	OutputSharingCondition string               `db:"output_sharing_condition"`
	Numbers                []string             `db:"numbers"`
	Appendices             []string             `db:"appendices"`
	PreviewVersion         int                  `db:"preview_version"`
	CreatedAt              time.Time            `db:"created_at"`
	UpdatedAt              time.Time            `db:"updated_at"`
}

func (r documentRow) document(v Vault) (platen.Document, error) {
	password, err := v.OpenText(r.PDFPassword, documentPassword, r.ID)
	return platen.Document{
		ID: r.ID, WorkflowID: r.WorkflowID, Type: r.Type,
		File:       platen.File{ID: r.FileID, Name: r.FileName, URL: r.FileURL, MIMEType: r.FileMIMEType},
		OutputName: r.OutputName, CreatePDFCopy: r.CreatePDFCopy, RemoveOutput: r.RemoveOutput,
		EnablePDFPassword: r.EnablePDFPassword, PDFPassword: password, PDFPasswordPreventCopy: r.PDFPasswordPreventCopy, PDFProfile: r.PDFProfile, Accessibility: r.Accessibility, Seal: r.Seal, EInvoice: r.EInvoice.einvoice(),
		OnMissing: r.OnMissing, OutputFolder: r.OutputFolder, OutputFolderID: r.OutputFolderID, OutputSharing: r.OutputSharing, Email: r.Email.email(), Approval: r.Approval.approval(), Numbers: nilIfEmpty(r.Numbers), Appendices: nilIfEmpty(r.Appendices), When: r.Condition, AppendicesWhen: r.AppendicesCondition, OutputSharingWhen: r.OutputSharingCondition, PreviewVersion: r.PreviewVersion,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}, err
}

// nilIfEmpty is nil for no series or files, as documents without any have it.
func nilIfEmpty(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

// emailJSON is what is stored of a document's email. Its names are for ever: plans have
// them, too.
type emailJSON struct {
	To         string            `json:"to"`
	CC         string            `json:"cc,omitempty"`
	BCC        string            `json:"bcc,omitempty"`
	ReplyTo    string            `json:"replyTo,omitempty"`
	Subject    string            `json:"subject"`
	Text       string            `json:"text"`
	HTML       string            `json:"html,omitempty"`
	Attach     platen.Attachment `json:"attach"`
	LinkDays   int               `json:"linkDays,omitempty"`
	AllOutputs bool              `json:"allOutputs,omitempty"`
	When       string            `json:"when,omitempty"`
	Sender     string            `json:"sender,omitempty"`
}

func newEmailJSON(e *platen.Email) *emailJSON {
	if e == nil {
		return nil
	}
	j := emailJSON(*e)
	return &j
}

func (j *emailJSON) email() *platen.Email {
	if j == nil {
		return nil
	}
	e := platen.Email(*j)
	return &e
}

// einvoiceJSON is what is stored of a document's e-invoice. Its names are for ever: plans have
// them, too.
type einvoiceJSON struct {
	Syntax  platen.InvoiceSyntax  `json:"syntax"`
	Profile platen.InvoiceProfile `json:"profile"`
	Map     string                `json:"map"` // a text, whose order and spaces no database changes
}

func newEInvoiceJSON(e *platen.EInvoice) *einvoiceJSON {
	if e == nil {
		return nil
	}
	j := einvoiceJSON(*e)
	return &j
}

func (j *einvoiceJSON) einvoice() *platen.EInvoice {
	if j == nil {
		return nil
	}
	e := platen.EInvoice(*j)
	return &e
}

// loadDocuments returns the ready documents of workflows by workflow id.
func loadDocuments(ctx context.Context, q Querier, v Vault, workflowIDs []string) (map[string][]platen.Document, error) {
	if len(workflowIDs) == 0 {
		return nil, nil
	}
	rows, err := Collect[documentRow](ctx, q, selectDocument+`
		WHERE workflow_id = ANY (@workflow_ids) AND state = 'READY'
		ORDER BY created_at, id`,
		pgx.NamedArgs{"workflow_ids": workflowIDs})
	if err != nil {
		return nil, err
	}
	documents := make(map[string][]platen.Document, len(workflowIDs))
	for _, r := range rows {
		d, err := r.document(v)
		if err != nil {
			return nil, err
		}
		documents[r.WorkflowID] = append(documents[r.WorkflowID], d)
	}
	return documents, nil
}

// insertDocument does nothing when the id is there already.
func insertDocument(ctx context.Context, tx pgx.Tx, v Vault, d platen.Document, state string) error {
	if err := requireSender(ctx, tx, d); err != nil {
		return err
	}
	sealed, err := v.SealText(d.PDFPassword, documentPassword, d.ID)
	if err != nil {
		return err
	}
	_, err = Execute(ctx, tx, `
		INSERT INTO documents (id, workflow_id, state, type, file_id, file_name, file_url, file_mime_type, output_name,
			create_pdf_copy, remove_output, enable_pdf_password, pdf_password, pdf_password_prevent_copy, pdf_profile, accessibility, seal, einvoice,
			on_missing, output_folder, output_folder_id, output_sharing, email, approval, numbers, appendices, condition, appendices_condition, output_sharing_condition, created_at, updated_at)
		VALUES (@id, @workflow_id, @state, @type, @file_id, @file_name, @file_url, @file_mime_type, @output_name,
			@create_pdf_copy, @remove_output, @enable_pdf_password, @pdf_password, @pdf_password_prevent_copy, @pdf_profile, @accessibility, @seal, @einvoice,
			@on_missing, @output_folder, @output_folder_id, @output_sharing, @email, @approval, @numbers, @appendices, @condition, @appendices_condition, @output_sharing_condition, @created_at, @updated_at)
		ON CONFLICT (id) DO NOTHING`,
		documentArgs(d, state, sealed))
	if err != nil {
		return fmt.Errorf("insert document %s: %w", d.ID, err)
	}
	return nil
}

func documentArgs(d platen.Document, state string, sealedPassword []byte) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id": d.ID, "workflow_id": d.WorkflowID, "state": state, "type": d.Type,
		"file_id": d.File.ID, "file_name": d.File.Name, "file_url": d.File.URL, "file_mime_type": d.File.MIMEType,
		"output_name": d.OutputName, "create_pdf_copy": d.CreatePDFCopy, "remove_output": d.RemoveOutput,
		"enable_pdf_password": d.EnablePDFPassword, "pdf_password": sealedPassword,
		"pdf_password_prevent_copy": d.PDFPasswordPreventCopy, "pdf_profile": d.PDFProfile, "accessibility": d.Accessibility, "seal": d.Seal, "einvoice": newEInvoiceJSON(d.EInvoice),
		"on_missing":    cmp.Or(d.OnMissing, platen.MissingBlank),
		"output_folder": d.OutputFolder, "output_folder_id": d.OutputFolderID, "output_sharing": d.OutputSharing, "email": newEmailJSON(d.Email), "approval": newApprovalJSON(d.Approval), "numbers": append([]string{}, d.Numbers...), "appendices": orNone(d.Appendices),
		"condition": d.When, "appendices_condition": d.AppendicesWhen, "output_sharing_condition": d.OutputSharingWhen,
		"preview_version": d.PreviewVersion,
		"created_at":      d.CreatedAt, "updated_at": d.UpdatedAt,
	}
}

// Documents returns a page of a workflow's documents by creation time, then id.
func (s *Documents) Documents(ctx context.Context, caller platen.User, workflowID string, page platen.Page) ([]platen.Document, error) {
	found, err := s.listDocuments(ctx, caller, workflowID, page)
	if err != nil {
		return nil, fmt.Errorf("list documents of workflow %s: %w", workflowID, err)
	}
	return found, nil
}

func (s *Documents) listDocuments(ctx context.Context, caller platen.User, workflowID string, page platen.Page) ([]platen.Document, error) {
	if page == (platen.Page{}) {
		w, err := callersWorkflow(ctx, s.db.pool, s.db.vault, caller, workflowID)
		return w.Documents, err
	}
	if err := authorize(ctx, s.db.pool, caller, workflowID); err != nil {
		return nil, err
	}
	rows, err := Collect[documentRow](ctx, s.db.pool, selectDocument+`
		WHERE workflow_id = @workflow_id AND state = 'READY' AND (created_at, id) > (@after_time::timestamptz, @after_id::text)
		ORDER BY created_at, id
		LIMIT @limit`, pageArgs(page, pgx.NamedArgs{"workflow_id": workflowID}))
	if err != nil {
		return nil, err
	}
	found := make([]platen.Document, len(rows))
	for i, r := range rows {
		if found[i], err = r.document(s.db.vault); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// DocumentByID returns a document and its workflow's owner, without a caller:
// for addresses that carry their own permission.
func (s *Documents) DocumentByID(ctx context.Context, documentID string) (platen.Document, platen.User, error) {
	w, err := loadWorkflow(ctx, s.db.pool, s.db.vault, selectWorkflow+`
		WHERE w.id = (SELECT workflow_id FROM documents WHERE id = @document_id)`,
		pgx.NamedArgs{"document_id": documentID})
	if platen.KindOf(err) == platen.KindNotFound {
		err = platen.ErrDocumentNotFound()
	}
	if err != nil {
		return platen.Document{}, platen.User{}, fmt.Errorf("read document %s: %w", documentID, err)
	}
	for _, d := range w.Documents {
		if d.ID == documentID {
			return d, w.Owner, nil
		}
	}
	return platen.Document{}, platen.User{}, fmt.Errorf("read document %s: %w", documentID, platen.ErrDocumentNotFound())
}

// ReserveDocument stores a pending row before the template is copied.
// Reserving the same id again changes nothing.
func (s *Documents) ReserveDocument(ctx context.Context, caller platen.User, d platen.Document) error {
	// What is being done is done by CompleteDocument.
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		return whileConfigurable(ctx, tx, caller, d.WorkflowID, func(tx pgx.Tx) error {
			return insertDocument(ctx, tx, s.db.vault, d, documentPending)
		})
	})
	if err != nil {
		return fmt.Errorf("reserve document %s: %w", d.ID, err)
	}
	return nil
}

// lockDocument reads a document's row in any state, inside a transaction
// that holds its workflow.
func lockDocument(ctx context.Context, tx pgx.Tx, workflowID, documentID string) (documentRow, error) {
	r, ok, err := CollectOne[documentRow](ctx, tx, selectDocument+`
		WHERE id = @id AND workflow_id = @workflow_id
		FOR NO KEY UPDATE`,
		pgx.NamedArgs{"id": documentID, "workflow_id": workflowID})
	if err == nil && !ok {
		err = platen.ErrDocumentNotFound()
	}
	return r, err
}

// CompleteDocument turns the pending row into a document as d describes it,
// and the workflow COMPLETE. Completing twice returns what is stored. A row
// that was discarded meanwhile (see Orphans.DiscardOrphans) is KindNotFound.
func (s *Documents) CompleteDocument(ctx context.Context, caller platen.User, d platen.Document) (platen.Document, error) {
	var done platen.Document
	err := s.db.configure(ctx, caller, d.WorkflowID, func(tx pgx.Tx) error {
		r, err := lockDocument(ctx, tx, d.WorkflowID, d.ID)
		switch {
		case err != nil:
			return err
		case r.State == documentReady:
			done, err = r.document(s.db.vault)
			return err
		case r.State != documentPending:
			return platen.ErrDocumentNotFound()
		}
		done = d
		done.CreatedAt = r.CreatedAt.UTC()
		if done.UpdatedAt, err = touchWorkflow(ctx, tx, d.WorkflowID); err != nil {
			return err
		}
		if err := storeDocument(ctx, tx, s.db.vault, done); err != nil {
			return err
		}
		_, err = Execute(ctx, tx, `
			UPDATE workflows
			SET status = 'COMPLETE'
			WHERE id = @id`, pgx.NamedArgs{"id": d.WorkflowID})
		return err
	})
	if err != nil {
		return platen.Document{}, fmt.Errorf("complete document %s: %w", d.ID, err)
	}
	return done, nil
}

// UpdateDocument applies change under a row lock: to the name template and the
// options, not to the file.
func (s *Documents) UpdateDocument(ctx context.Context, caller platen.User, workflowID, documentID string, change func(*platen.Document) error) (platen.Document, error) {
	var d platen.Document
	err := s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		r, err := lockDocument(ctx, tx, workflowID, documentID)
		if err != nil {
			return err
		}
		if r.State != documentReady {
			return platen.ErrDocumentNotFound()
		}
		stored, err := r.document(s.db.vault)
		if err != nil {
			return err
		}
		d = stored
		if err := change(&d); err != nil {
			return err
		}
		if d.Email.SenderName() != stored.Email.SenderName() {
			if err := requireSender(ctx, tx, d); err != nil {
				return err
			}
		}
		d.ID, d.WorkflowID, d.Type, d.File, d.CreatedAt = stored.ID, stored.WorkflowID, stored.Type, stored.File, stored.CreatedAt
		if d.UpdatedAt, err = touchWorkflow(ctx, tx, workflowID); err != nil {
			return err
		}
		return storeDocument(ctx, tx, s.db.vault, d)
	})
	if err != nil {
		return platen.Document{}, fmt.Errorf("update document %s: %w", documentID, err)
	}
	return d, nil
}

// storeDocument writes everything but id, workflow and created_at.
func storeDocument(ctx context.Context, tx pgx.Tx, v Vault, d platen.Document) error {
	sealed, err := v.SealText(d.PDFPassword, documentPassword, d.ID)
	if err != nil {
		return err
	}
	_, err = Execute(ctx, tx, `
		UPDATE documents
		SET state = @state, type = @type,
			file_id = @file_id, file_name = @file_name, file_url = @file_url, file_mime_type = @file_mime_type,
			output_name = @output_name, create_pdf_copy = @create_pdf_copy, remove_output = @remove_output,
			enable_pdf_password = @enable_pdf_password, pdf_password = @pdf_password,
			pdf_password_prevent_copy = @pdf_password_prevent_copy, pdf_profile = @pdf_profile, accessibility = @accessibility, seal = @seal, einvoice = @einvoice,
			on_missing = @on_missing, output_folder = @output_folder, output_folder_id = @output_folder_id, output_sharing = @output_sharing, email = @email, approval = @approval, numbers = @numbers, appendices = @appendices, condition = @condition, appendices_condition = @appendices_condition, output_sharing_condition = @output_sharing_condition, preview_version = @preview_version, updated_at = @updated_at
		WHERE id = @id`,
		documentArgs(d, documentReady, sealed))
	return err
}

// RemoveDocument takes a document out of its workflow, which is INCOMPLETE
// without its last one. The row stays for the outputs that were made from it; the
// versions of its template go.
// needed: outputs under way are still copied from its template, so that it is
// not to be trashed before they have ended (see RemovedTemplates). allowed sees
// the document under its row lock, and its error keeps it as it is.
func (s *Documents) RemoveDocument(ctx context.Context, caller platen.User, workflowID, documentID string, allowed func(platen.Document) error) (needed bool, err error) {
	err = s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		r, err := lockDocument(ctx, tx, workflowID, documentID)
		if err != nil {
			return err
		}
		if r.State != documentReady {
			return platen.ErrDocumentNotFound()
		}
		d, err := r.document(s.db.vault)
		if err != nil {
			return err
		}
		if err := allowed(d); err != nil {
			return err
		}
		_, err = Execute(ctx, tx, `
			UPDATE documents
			SET state = 'REMOVED', updated_at = clock_timestamp()
			WHERE id = @id`, pgx.NamedArgs{"id": documentID})
		if err != nil {
			return err
		}
		_, err = Execute(ctx, tx, `
			DELETE FROM template_versions
			WHERE document_id = @id`, pgx.NamedArgs{"id": documentID})
		if err != nil {
			return err
		}
		_, err = Execute(ctx, tx, `
			UPDATE workflows w
			SET status = 'INCOMPLETE'
			WHERE w.id = @id AND NOT EXISTS (SELECT FROM documents d WHERE d.workflow_id = w.id AND d.state = 'READY')`,
			pgx.NamedArgs{"id": workflowID})
		if err != nil {
			return err
		}
		if _, err = touchWorkflow(ctx, tx, workflowID); err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM outputs WHERE document_id = @id AND state = 'PENDING') OR EXISTS (SELECT FROM outputs WHERE document_id = @id AND state = 'REVIEW')`,
			pgx.NamedArgs{"id": documentID}).Scan(&needed)
		return Classify(err)
	})
	if err != nil {
		return false, fmt.Errorf("remove document %s: %w", documentID, err)
	}
	return needed, nil
}
