package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/cache"
	"github.com/platenhq/platen/internal/platen"
)

// PlannedPassword is the context of passwords inside a plan; the row is the output.
const PlannedPassword = "plans.pdf_password"

// maxRecentPlans bounds the plans that Plans keeps in memory, in bytes.
const maxRecentPlans = 4 << 20

// Plans is the store of plans: the configuration that each automation is
// pinned to.
type Plans struct {
	db *DB
	// recent are asked for by each step of a run, and never change.
	recent *cache.Cache[planJSON]
	// drawing are the turns of those who draw from the series of one team or owner.
	drawing *admission.Keyed
	// Decide works out a plan's conditions with the data of its event: see
	// platen.Plan.Decide. It is set before first use; without it nothing with a
	// condition is planned.
	Decide func(p *platen.Plan, event []byte) error
	// Zone is where the years of series begin. Default: UTC. It is set before first use.
	Zone *time.Location
}

func newPlans(db *DB) *Plans {
	return &Plans{db: db, recent: cache.New(maxRecentPlans, planJSON.size), drawing: admission.NewKeyed(admission.Places{PerKey: 1})}
}

// planJSON is the row of a plan. Its names are for ever: plans are read years
// after they were written.
type planJSON struct {
	WorkflowID   string        `json:"workflowId"`
	WorkflowName string        `json:"workflowName"`
	Locale       string        `json:"locale,omitempty"`
	OwnerID      string        `json:"ownerId"`
	TeamID       string        `json:"teamId,omitempty"`
	Test         bool          `json:"test,omitempty"`
	AcceptedAt   time.Time     `json:"acceptedAt"`
	Documents    []plannedJSON `json:"documents"`
	// Numbers are those that it drew, by what its documents declare.
	Numbers map[string]int64 `json:"numbers,omitempty"`
	// Receivers get events beside the outgoing webhook.
	Receivers []plannedReceiverJSON `json:"receivers,omitempty"`
	// Skipped is what conditions left out of Documents and Receivers.
	Skipped []skippedJSON `json:"skipped,omitempty"`
}

// plannedReceiverJSON is also what is read of a receiver when a plan is made.
type plannedReceiverJSON struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Events []string `json:"events"`
	When   string   `json:"when,omitempty"`
	Faulty bool     `json:"faulty,omitempty"`
}

func newReceiversJSON(all []platen.PlannedReceiver) []plannedReceiverJSON {
	var stored []plannedReceiverJSON
	for _, one := range all {
		stored = append(stored, plannedReceiverJSON(one))
	}
	return stored
}

func plannedReceivers(stored []plannedReceiverJSON) []platen.PlannedReceiver {
	var all []platen.PlannedReceiver
	for _, one := range stored {
		all = append(all, platen.PlannedReceiver(one))
	}
	return all
}

// skippedJSON is what is stored of a platen.Skipped, of an automation as well.
type skippedJSON struct {
	DocumentID string      `json:"documentId"`
	Part       platen.Part `json:"part"`
	When       string      `json:"when"`
	ReceiverID string      `json:"receiverId,omitempty"`
	Receiver   string      `json:"receiver,omitempty"`
}

func newSkippedJSON(all []platen.Skipped) []skippedJSON {
	stored := make([]skippedJSON, len(all))
	for i, one := range all {
		stored[i] = skippedJSON(one)
	}
	return stored
}

func skippedFrom(stored []skippedJSON) []platen.Skipped {
	var all []platen.Skipped
	for _, one := range stored {
		all = append(all, platen.Skipped(one))
	}
	return all
}

type plannedJSON struct {
	OutputID               string               `json:"outputId"`
	DocumentID             string               `json:"documentId"`
	Type                   platen.DocumentType  `json:"type"`
	File                   fileJSON             `json:"file"`
	OutputName             string               `json:"outputName"`
	CreatePDFCopy          bool                 `json:"createPdfCopy"`
	RemoveOutput           bool                 `json:"removeOutput"`
	EnablePDFPassword      bool                 `json:"enablePdfPassword"`
	PDFPassword            []byte               `json:"pdfPassword,omitempty"` // sealed
	PDFPasswordPreventCopy bool                 `json:"pdfPasswordPreventCopy"`
	PDFProfile             platen.PDFProfile    `json:"pdfProfile,omitempty"`
	Accessibility          platen.Accessibility `json:"accessibility,omitempty"`
	Seal                   bool                 `json:"seal,omitempty"`
	EInvoice               *einvoiceJSON        `json:"einvoice,omitempty"`
	OnMissing              platen.OnMissing     `json:"onMissing"`
	OutputFolder           string               `json:"outputFolder,omitempty"`
	OutputFolderID         string               `json:"outputFolderId,omitempty"`
	OutputSharing          platen.Sharing       `json:"outputSharing,omitempty"`
	Email                  *emailJSON           `json:"email,omitempty"`
	Approval               *approvalJSON        `json:"approval,omitempty"`
	Numbers                []string             `json:"numbers,omitempty"`
	Appendices             []string             `json:"appendices,omitempty"`
	CreatedAt              time.Time            `json:"createdAt"`
	UpdatedAt              time.Time            `json:"updatedAt"`
}

// size is about what a plan takes in memory.
func (j planJSON) size() int {
	n := 256 + len(j.WorkflowName) + len(j.Receivers)*(platen.MaxWorkflowName+platen.MaxTextTemplate+128)
	for _, d := range j.Documents {
		n += 1024 + len(d.Numbers)*2*platen.MaxSeriesName + len(d.Appendices)*platen.MaxFileID + len(d.OutputName) + len(d.OutputFolder) + len(d.PDFPassword)
		if d.EInvoice != nil {
			n += len(d.EInvoice.Map)
		}
		if d.Email != nil {
			for _, template := range d.Email.email().Templates() {
				n += len(template)
			}
		}
		if d.Approval != nil {
			n += 2 * platen.MaxApprovers * 256
		}
	}
	return n
}

// Plan returns the automation's plan. The first call pins it, with one pending
// output for each document, from one snapshot of the configuration; concurrent
// first calls agree on one. Of an automation that is to be cancelled, or was,
// nothing is pinned.
func (s *Plans) Plan(ctx context.Context, automationID string) (platen.Plan, error) {
	p, err := s.plan(ctx, automationID)
	if err != nil {
		return platen.Plan{}, fmt.Errorf("plan automation %s: %w", automationID, err)
	}
	return p, nil
}

func (s *Plans) plan(ctx context.Context, automationID string) (platen.Plan, error) {
	a, p, err := s.pinnedPlan(ctx, s.db.pool, automationID)
	if err == nil && a.ParkedAt != nil && len(a.Waits) == 0 {
		err = s.goOn(ctx, automationID)
	}
	if err == nil && p != nil && p.Attempt > 1 {
		p, err = s.refile(ctx, *p)
	}
	if err != nil || p != nil {
		return orNoPlan(p), err
	}
	if a.CancelRequestedAt == nil {
		// The usual case: nobody else pins it, and nobody cancels.
		current, err := s.currentPlan(ctx, s.db.pool, a)
		if err != nil {
			return platen.Plan{}, err
		}
		if len(current.Declared()) > 0 {
			return s.pinNumbered(ctx, current)
		}
		if len(current.Skipped) > 0 {
			return s.pinPlan(ctx, automationID)
		}
		inserted, err := s.insertPlan(ctx, s.db.pool, current)
		if err != nil || len(inserted) > 0 {
			s.db.Outputs.rememberPlanned(inserted)
			return current, err
		}
	}
	return s.pinPlan(ctx, automationID)
}

// goOn gives a run a place again that was stranded, and was reset to the build that asks for
// its plan. It is no longer a run of the worker that claimed it.
func (s *Plans) goOn(ctx context.Context, automationID string) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE automations
		SET parked_at = NULL, claimed_by = NULL
		WHERE id = @id AND state = 'RUNNING' AND `+IsStranded, pgx.NamedArgs{"id": automationID})
	return err
}

// refile gives the plan of a retry the files that took the place of lost templates since.
func (s *Plans) refile(ctx context.Context, p platen.Plan) (*platen.Plan, error) {
	n, err := Execute(ctx, s.db.pool, `
		UPDATE plans p
		SET plan = jsonb_set(p.plan, '{documents}', (
			SELECT jsonb_agg(CASE WHEN d.id IS NULL THEN planned ELSE jsonb_set(planned, '{file}', (planned->'file') ||
				jsonb_build_object('id', d.file_id, 'name', d.file_name, 'url', d.file_url, 'mimeType', d.file_mime_type)) END ORDER BY place)
			FROM jsonb_array_elements(p.plan->'documents') WITH ORDINALITY AS all_planned(planned, place)
			LEFT JOIN documents d ON d.id = planned->>'documentId' AND d.state = 'READY' AND d.file_id <> planned->'file'->>'id'))
		WHERE p.automation_id = @id AND EXISTS (
			SELECT FROM jsonb_array_elements(p.plan->'documents') AS planned
			JOIN documents d ON d.id = planned->>'documentId' AND d.state = 'READY' AND d.file_id <> planned->'file'->>'id')`,
		pgx.NamedArgs{"id": p.AutomationID})
	if err != nil || n == 0 {
		return &p, err
	}
	_, again, err := s.pinnedPlan(ctx, s.db.pool, p.AutomationID)
	return again, err
}

// pinNumbered is pinPlan for a plan with numbers. Those who draw from the same series
// wait for each other at its row. In this process they wait before they take a
// connection, so that they leave the others' alone.
func (s *Plans) pinNumbered(ctx context.Context, p platen.Plan) (platen.Plan, error) {
	leave, err := s.drawing.Take(ctx, cmp.Or(p.TeamID, p.OwnerID))
	if err != nil {
		return platen.Plan{}, fmt.Errorf("wait for a turn: %w", Classify(err))
	}
	defer leave()
	return s.pinPlan(ctx, p.AutomationID)
}

func orNoPlan(p *platen.Plan) platen.Plan {
	if p == nil {
		return platen.Plan{}
	}
	return *p
}

// PinnedPlan returns what Plan returned first. Whether the automation is to be
// cancelled meanwhile, or was retried, it does not say.
func (s *Plans) PinnedPlan(ctx context.Context, automationID string) (platen.Plan, error) {
	j, ok := s.recent.Get(automationID)
	if !ok {
		return s.Plan(ctx, automationID)
	}
	p, err := s.planOf(automationID, j)
	if err != nil {
		return platen.Plan{}, fmt.Errorf("plan automation %s: %w", automationID, err)
	}
	return p, nil
}

// StoredPlan returns the plan of an automation as it is stored, and changes nothing. It has no
// documents where none is pinned.
func (s *Plans) StoredPlan(ctx context.Context, automationID string) (platen.Plan, error) {
	_, p, err := s.pinnedPlan(ctx, s.db.pool, automationID)
	if err != nil {
		return platen.Plan{}, fmt.Errorf("read the plan of automation %s: %w", automationID, err)
	}
	return orNoPlan(p), nil
}

// receiversOf returns the receivers of the plan that an automation is pinned to.
func (s *Plans) receiversOf(ctx context.Context, q Querier, automationID string) ([]platen.PlannedReceiver, error) {
	if j, ok := s.recent.Get(automationID); ok {
		return plannedReceivers(j.Receivers), nil
	}
	type row struct {
		Receivers []plannedReceiverJSON `db:"receivers"`
	}
	r, _, err := CollectOne[row](ctx, q, `
		SELECT coalesce(plan->'receivers', '[]') AS receivers
		FROM plans
		WHERE automation_id = @id`, pgx.NamedArgs{"id": automationID})
	if err != nil {
		return nil, fmt.Errorf("read the receivers of automation %s: %w", automationID, err)
	}
	return plannedReceivers(r.Receivers), nil
}

// pinnedPlan reads an automation with its plan, nil when none is pinned.
func (s *Plans) pinnedPlan(ctx context.Context, q Querier, automationID string) (automationRow, *platen.Plan, error) {
	type row struct {
		automationRow
		Plan json.RawMessage `db:"plan"`
	}
	r, ok, err := CollectOne[row](ctx, q, `
		SELECT `+AutomationColumns+`, p.plan
		FROM automations a
		LEFT JOIN plans p ON p.automation_id = a.id
		WHERE a.id = @id`, pgx.NamedArgs{"id": automationID})
	switch {
	case err != nil:
		return automationRow{}, nil, err
	case !ok:
		return automationRow{}, nil, ErrAutomationNotFound(automationID)
	case r.Plan == nil:
		return r.automationRow, nil, nil
	}
	var j planJSON
	if err := json.Unmarshal(r.Plan, &j); err != nil {
		return automationRow{}, nil, fmt.Errorf("read pinned plan: %w", err)
	}
	j.Test = r.Test // also for a plan pinned without it
	p, err := s.planOf(automationID, j)
	if err != nil {
		return automationRow{}, nil, err
	}
	s.recent.Put(automationID, j)
	p.Cancelled, p.Attempt = r.CancelRequestedAt != nil, r.Attempt
	return r.automationRow, &p, nil
}

func (s *Plans) pinPlan(ctx context.Context, automationID string) (platen.Plan, error) {
	var p platen.Plan
	var inserted []outputRow
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		inserted = nil
		// The row lock makes concurrent first calls take turns: the second
		// finds the plan of the first.
		if _, err := lockAutomation(ctx, tx, automationID); err != nil {
			return err
		}
		a, pinned, err := s.pinnedPlan(ctx, tx, automationID)
		switch {
		case err != nil:
			return err
		case pinned != nil:
			p = *pinned
			return nil
		case a.CancelRequestedAt != nil:
			p = platen.Plan{Cancelled: true, Attempt: a.Attempt, AutomationID: a.ID, WorkflowID: a.WorkflowID, OwnerID: a.OwnerID, TeamID: orEmpty(a.TeamID), AcceptedAt: a.AcceptedAt.UTC(), Test: a.Test}
			return nil
		}
		if p, err = s.currentPlan(ctx, tx, a); err != nil {
			return err
		}
		if p.Numbers, err = s.draw(ctx, tx, p); err != nil {
			return err
		}
		inserted, err = s.insertPlan(ctx, tx, p)
		if err == nil {
			err = noteSkipped(ctx, tx, p)
		}
		if err == nil && len(inserted) == 0 && len(p.Numbers) > 0 {
			return platen.Errorf(platen.KindConflict, platen.CodeStepSuperseded, "The plan was pinned meanwhile: trying again finds it.")
		}
		return err
	})
	if err != nil {
		s.recent.Drop(automationID) // it may not be the one that is pinned
		return p, err
	}
	s.db.Outputs.rememberPlanned(inserted)
	return p, nil
}

// currentPlan reads workflow and documents in one statement, so that no change
// comes between them.
func (s *Plans) currentPlan(ctx context.Context, q Querier, a automationRow) (platen.Plan, error) {
	type row struct {
		WorkflowName string                `db:"workflow_name"`
		Locale       string                `db:"locale"`
		Receivers    []plannedReceiverJSON `db:"receivers"`
		documentRow
	}
	rows, err := Collect[row](ctx, q, `
		SELECT w.name AS workflow_name, w.locale,
			coalesce((SELECT jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'events', r.events, 'when', r.condition) ORDER BY r.created_at, r.id) FROM receivers r WHERE r.workflow_id = w.id AND NOT @test), '[]') AS receivers,
			d.id, d.workflow_id, d.state, d.type, d.file_id, d.file_name, d.file_url, d.file_mime_type, d.output_name,
			d.create_pdf_copy, d.remove_output, d.enable_pdf_password, d.pdf_password, d.pdf_password_prevent_copy, d.pdf_profile, d.accessibility, d.seal, d.einvoice,
			d.on_missing, d.output_folder, d.output_folder_id, d.output_sharing, d.email, d.approval, d.numbers, d.appendices, d.condition, d.appendices_condition, d.output_sharing_condition, d.preview_version, d.created_at, d.updated_at
		FROM workflows w
		JOIN documents d ON d.workflow_id = w.id AND d.state = 'READY'
		WHERE w.id = @workflow_id
		ORDER BY d.created_at, d.id`, pgx.NamedArgs{"workflow_id": a.WorkflowID, "test": a.Test})
	if err != nil {
		return platen.Plan{}, err
	}
	if len(rows) == 0 {
		return platen.Plan{}, platen.Errorf(platen.KindInvalid, "workflow_incomplete", "the workflow had no template document when the automation was started: add one, then retry")
	}
	p := platen.Plan{
		Attempt: a.Attempt, AutomationID: a.ID, WorkflowID: a.WorkflowID, WorkflowName: rows[0].WorkflowName, Locale: rows[0].Locale,
		OwnerID: a.OwnerID, TeamID: orEmpty(a.TeamID), AcceptedAt: a.AcceptedAt.UTC(), Test: a.Test,
		Documents: make([]platen.PlannedDocument, len(rows)), Receivers: plannedReceivers(rows[0].Receivers),
	}
	for i, r := range rows {
		d, err := r.documentRow.document(s.db.vault)
		if err != nil {
			return platen.Plan{}, err
		}
		if a.Test {
			d.Approval = nil // what is marked as a test waits for nobody
		}
		p.Documents[i] = platen.PlannedDocument{OutputID: platen.OutputID(a.ID, d.ID), Document: d}
	}
	return p, s.decide(ctx, q, &p)
}

// decide leaves out of a plan what its conditions skip. A plan without conditions reads
// nothing.
func (s *Plans) decide(ctx context.Context, q Querier, p *platen.Plan) error {
	ofDocuments := slices.ContainsFunc(p.Documents, func(d platen.PlannedDocument) bool { return len(d.Document.Conditions()) > 0 })
	if !ofDocuments && !slices.ContainsFunc(p.Receivers, func(r platen.PlannedReceiver) bool { return r.When != "" }) {
		return nil
	}
	if s.Decide == nil {
		return errors.New("conditions cannot be worked out here")
	}
	event, err := s.db.Automations.sourceData(ctx, q, p.AutomationID)
	if err != nil {
		return err
	}
	return s.Decide(p, event)
}

// noteSkipped has the automation say what its plan left out.
func noteSkipped(ctx context.Context, tx pgx.Tx, p platen.Plan) error {
	if len(p.Skipped) == 0 {
		return nil
	}
	raw, err := json.Marshal(newSkippedJSON(p.Skipped))
	if err != nil {
		return fmt.Errorf("write what is skipped: %w", err)
	}
	_, err = Execute(ctx, tx, `
		UPDATE automations
		SET skipped = @skipped
		WHERE id = @id`, pgx.NamedArgs{"id": p.AutomationID, "skipped": string(raw)})
	return err
}

// insertPlan pins a plan, unless there is one or the automation is to be
// cancelled, and returns its outputs.
//
// A copy of each may have been made from now on, say their rows, so that nothing
// has to be written before one is: rememberPlanned is for the process that knows
// better.
func (s *Plans) insertPlan(ctx context.Context, q Querier, p platen.Plan) ([]outputRow, error) {
	j, err := s.planJSON(p)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("write plan: %w", err)
	}
	outputs, documents := make([]string, len(p.Documents)), make([]string, len(p.Documents))
	for i, d := range p.Documents {
		outputs[i], documents[i] = d.OutputID, d.Document.ID
	}
	inserted, err := Collect[outputRow](ctx, q, `
		WITH automation AS (
			SELECT id, attempt
			FROM automations
			WHERE id = @automation_id AND cancel_requested_at IS NULL
			FOR NO KEY UPDATE
		), pinned AS (
			INSERT INTO plans (automation_id, plan)
			SELECT id, @plan
			FROM automation
			ON CONFLICT (automation_id) DO NOTHING
			RETURNING automation_id
		)
		INSERT INTO outputs AS o (id, automation_id, document_id, state, test, attempt, generation, copy_begun, fill_begun, fill_ended,
			missing_fields, pdf_id, pdf_hashes, removed, repeated, failure_code, failure)
		SELECT d.id, pinned.automation_id, d.document_id, 'PENDING', @test, automation.attempt, 0, true, false, false,
			'{}', '', '{}', false, false, '', ''
		FROM pinned, automation, unnest(@outputs::text[], @documents::text[]) AS d (id, document_id)
		RETURNING `+outputColumns,
		pgx.NamedArgs{"automation_id": p.AutomationID, "plan": string(raw), "test": p.Test, "outputs": outputs, "documents": documents})
	if err == nil && len(inserted) > 0 {
		s.recent.Put(p.AutomationID, j)
	}
	return inserted, err
}

func (s *Plans) planJSON(p platen.Plan) (planJSON, error) {
	j := planJSON{
		WorkflowID: p.WorkflowID, WorkflowName: p.WorkflowName, Locale: p.Locale, OwnerID: p.OwnerID, TeamID: p.TeamID,
		Test: p.Test, AcceptedAt: p.AcceptedAt, Documents: make([]plannedJSON, len(p.Documents)), Numbers: p.Numbers,
		Receivers: newReceiversJSON(p.Receivers), Skipped: newSkippedJSON(p.Skipped),
	}
	for i, planned := range p.Documents {
		d := planned.Document
		sealed, err := s.db.vault.SealText(d.PDFPassword, PlannedPassword, planned.OutputID)
		if err != nil {
			return j, err
		}
		j.Documents[i] = plannedJSON{
			OutputID: planned.OutputID, DocumentID: d.ID, Type: d.Type, File: *newFileJSON(&d.File),
			OutputName: d.OutputName, CreatePDFCopy: d.CreatePDFCopy, RemoveOutput: d.RemoveOutput,
			EnablePDFPassword: d.EnablePDFPassword, PDFPassword: sealed, PDFPasswordPreventCopy: d.PDFPasswordPreventCopy, PDFProfile: d.PDFProfile, Accessibility: d.Accessibility, Seal: d.Seal, EInvoice: newEInvoiceJSON(d.EInvoice),
			OnMissing: d.OnMissing, OutputFolder: d.OutputFolder, OutputFolderID: d.OutputFolderID, OutputSharing: d.OutputSharing, Email: newEmailJSON(d.Email), Approval: newApprovalJSON(d.Approval), Numbers: d.Numbers, Appendices: d.Appendices, CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt,
		}
	}
	return j, nil
}

func (s *Plans) planOf(automationID string, j planJSON) (platen.Plan, error) {
	p := platen.Plan{
		AutomationID: automationID, WorkflowID: j.WorkflowID, WorkflowName: j.WorkflowName, Locale: j.Locale,
		OwnerID: j.OwnerID, TeamID: j.TeamID, Test: j.Test, AcceptedAt: j.AcceptedAt.UTC(),
		Documents: make([]platen.PlannedDocument, len(j.Documents)), Numbers: maps.Clone(j.Numbers),
		Receivers: plannedReceivers(j.Receivers), Skipped: skippedFrom(j.Skipped),
	}
	for i, d := range j.Documents {
		password, err := s.db.vault.OpenText(d.PDFPassword, PlannedPassword, d.OutputID)
		if err != nil {
			return p, err
		}
		p.Documents[i] = platen.PlannedDocument{OutputID: d.OutputID, Document: platen.Document{
			ID: d.DocumentID, WorkflowID: j.WorkflowID, Type: d.Type, File: *d.File.file(),
			OutputName: d.OutputName, CreatePDFCopy: d.CreatePDFCopy, RemoveOutput: d.RemoveOutput,
			EnablePDFPassword: d.EnablePDFPassword, PDFPassword: password, PDFPasswordPreventCopy: d.PDFPasswordPreventCopy, PDFProfile: d.PDFProfile, Accessibility: d.Accessibility, Seal: d.Seal, EInvoice: d.EInvoice.einvoice(),
			OnMissing: d.OnMissing, OutputFolder: d.OutputFolder, OutputFolderID: d.OutputFolderID, OutputSharing: d.OutputSharing, Email: d.Email.email(), Approval: d.Approval.approval(), Numbers: d.Numbers, Appendices: d.Appendices, CreatedAt: d.CreatedAt.UTC(), UpdatedAt: d.UpdatedAt.UTC(),
		}}
	}
	return p, nil
}
