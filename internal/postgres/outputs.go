package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/cache"
	"github.com/platenhq/platen/internal/platen"
)

// Outputs is the store of outputs: what each step intends and has done.
type Outputs struct {
	db *DB
	// recent are rows as this process saw or wrote them last, with what it noted.
	recent *cache.Cache[rememberedOutput]
}

func newOutputs(db *DB) *Outputs {
	return &Outputs{db: db, recent: cache.New(maxRecentOutputs, rememberedOutput.size)}
}

const selectOutput = `
	SELECT ` + outputColumns + `
	FROM outputs o`

const outputColumns = `o.id, o.automation_id, o.document_id, o.state, o.name, o.test, o.attempt, o.generation, o.copy_begun, o.copy, o.fill_begun, o.fill_ended,
		o.missing_fields, o.pdf_id, o.pdf_hashes, o.pdf, o.findings, o.removed, o.appendices, o.appendix_begun, o.repeated, o.keeps_files, o.thrown_away, o.failure_code, o.failure, o.verdict, o.created_at, o.updated_at, o.xmin AS written_by,
		pg_postmaster_start_time() AS read_from`

type outputRow struct {
	ID            string             `db:"id"`
	AutomationID  string             `db:"automation_id"`
	DocumentID    string             `db:"document_id"`
	State         platen.OutputState `db:"state"`
	Name          string             `db:"name"`
	Test          bool               `db:"test"`
	Attempt       int                `db:"attempt"`
	Generation    int                `db:"generation"`
	CopyBegun     bool               `db:"copy_begun"`
	Copy          json.RawMessage    `db:"copy"`
	FillBegun     bool               `db:"fill_begun"`
	FillEnded     bool               `db:"fill_ended"`
	MissingFields []string           `db:"missing_fields"`
	PDFID         string             `db:"pdf_id"`
	PDFHashes     []string           `db:"pdf_hashes"`
	PDF           json.RawMessage    `db:"pdf"`
	Findings      json.RawMessage    `db:"findings"`
	Removed       bool               `db:"removed"`
	Appendices    json.RawMessage    `db:"appendices"`
	AppendixBegun bool               `db:"appendix_begun"`
	Repeated      bool               `db:"repeated"`
	KeepsFiles    bool               `db:"keeps_files"`
	ThrownAway    []string           `db:"thrown_away"`
	FailureCode   string             `db:"failure_code"`
	Failure       string             `db:"failure"`
	Verdict       platen.Verdict     `db:"verdict"`
	CreatedAt     time.Time          `db:"created_at"`
	UpdatedAt     time.Time          `db:"updated_at"`
	// WrittenBy is the transaction that wrote the row as it is: it differs after
	// every change.
	WrittenBy uint32 `db:"written_by"`
	// ReadFrom is the start time of the server that the row was read from: a restored
	// server may hold the same version of a row, without later changes.
	ReadFrom time.Time `db:"read_from"`
}

// size is about what a row takes in memory.
func (r outputRow) size() int {
	n := 512 + len(r.Name) + len(r.Copy) + len(r.PDF) + len(r.Findings) + len(r.Appendices) + len(r.Failure)
	for _, list := range [][]string{r.MissingFields, r.PDFHashes, r.ThrownAway} {
		for _, text := range list {
			n += 16 + len(text)
		}
	}
	return n
}

func (r outputRow) output() (platen.Output, error) {
	o := platen.Output{
		ID: r.ID, AutomationID: r.AutomationID, DocumentID: r.DocumentID, State: r.State, Name: r.Name, Test: r.Test, Attempt: r.Attempt, Generation: r.Generation,
		CopyBegun: r.CopyBegun, FillBegun: r.FillBegun, FillEnded: r.FillEnded, MissingFields: r.MissingFields,
		PDFID: r.PDFID, PDFHashes: r.PDFHashes, Removed: r.Removed, AppendixBegun: r.AppendixBegun, Repeated: r.Repeated, KeepsFiles: r.KeepsFiles, ThrownAway: r.ThrownAway,
		FailureCode: r.FailureCode, Failure: r.Failure, Verdict: r.Verdict, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
	var err error
	if o.Copy, err = readFile(r.Copy); err != nil {
		return o, err
	}
	if o.PDF, err = readFile(r.PDF); err != nil {
		return o, err
	}
	if o.Appendices, err = readAppendices(r.Appendices); err != nil {
		return o, err
	}
	o.Findings, err = readFindings(r.Findings)
	return o, err
}

// hasEnded tells whether nothing more will happen to the output in this attempt.
func (r outputRow) hasEnded() bool { return r.State != platen.OutputPending }

func readOutput(ctx context.Context, q Querier, sql, outputID string) (outputRow, error) {
	r, ok, err := CollectOne[outputRow](ctx, q, sql, pgx.NamedArgs{"id": outputID})
	if err == nil && !ok {
		err = platen.Errorf(platen.KindNotFound, "output_not_found", "there is no output %s", outputID)
	}
	return r, err
}

// Output returns one output, with what this process noted of it; KindNotFound with
// code "output_not_found" when there is none.
func (s *Outputs) Output(ctx context.Context, outputID string) (platen.Output, error) {
	m, err := s.currentOutput(ctx, outputID)
	if err != nil {
		return platen.Output{}, fmt.Errorf("read output %s: %w", outputID, err)
	}
	return m.now().output()
}

// UpdateOutput applies change to the row as it stands, with what this process
// noted of it, and has committed both when it returns. The row is written in one
// statement that takes effect only when it is still the one that change saw; else
// change is applied again, under a lock, to what another execution made of it, and
// what was noted is lost: its last call counts. The row that it sees first may be
// from memory, but never one that it leaves as it is, with one exception: a change
// that only takes back what was noted leaves nothing to write. It is answered from
// memory, and the row may be another by then.
//
// An output that has ended takes no change: one that would make any is
// KindConflict with code "output_ended" – it comes from an execution of a step
// that another one has superseded.
func (s *Outputs) UpdateOutput(ctx context.Context, outputID string, change func(*platen.Output) error) (platen.Output, error) {
	o, err := s.updateOutput(ctx, outputID, change)
	if err != nil {
		return platen.Output{}, fmt.Errorf("update output %s: %w", outputID, err)
	}
	return o, nil
}

func (s *Outputs) updateOutput(ctx context.Context, outputID string, change func(*platen.Output) error) (platen.Output, error) {
	if m, ok := s.recent.Take(outputID); ok {
		if o, done, err := s.updateRemembered(ctx, m, change); err != nil || done {
			return o, err
		}
	}
	m, err := s.currentOutput(ctx, outputID)
	if err != nil {
		return platen.Output{}, err
	}
	o, changes, err := applyChange(m.now(), change)
	if err != nil || !changes && m.noted == nil {
		return o, err
	}
	if ok, err := s.writeOver(ctx, m.stored, o); err != nil || ok {
		return o, err
	}
	err = s.db.InTx(ctx, func(tx pgx.Tx) error {
		r, err := lockOutput(ctx, tx, outputID)
		if err != nil {
			return err
		}
		o, err = changeOutput(ctx, tx, r, change)
		return err
	})
	s.recent.Drop(outputID) // what another execution has put there meanwhile is older
	return o, err
}

// writeOver writes an output over a row, and remembers what it wrote; it is not
// ok when the row is no longer as it was read.
func (s *Outputs) writeOver(ctx context.Context, r outputRow, o platen.Output) (ok bool, err error) {
	s.recent.Drop(r.ID)
	written, ok, err := writeOutput(ctx, s.db.pool, r, o)
	if ok {
		s.remember(rememberedOutput{stored: written})
	}
	return ok, err
}

func lockOutput(ctx context.Context, tx pgx.Tx, outputID string) (outputRow, error) {
	return readOutput(ctx, tx, selectOutput+`
		WHERE o.id = @id
		FOR NO KEY UPDATE`, outputID)
}

// applyChange returns what change makes of a row, and whether that is anything
// else than the row says.
func applyChange(r outputRow, change func(*platen.Output) error) (o platen.Output, changes bool, err error) {
	if o, err = r.output(); err != nil {
		return o, false, err
	}
	return o.Change(change)
}

// changeOutput changes a row that the transaction holds.
func changeOutput(ctx context.Context, tx pgx.Tx, r outputRow, change func(*platen.Output) error) (platen.Output, error) {
	o, changes, err := applyChange(r, change)
	if err != nil || !changes {
		return o, err
	}
	_, ok, err := writeOutput(ctx, tx, r, o)
	if err == nil && !ok {
		err = fmt.Errorf("output %s was changed by another transaction while this one held it", o.ID)
	}
	return o, err
}

// updateOutputSQL changes a row if it is still as it was read, on the same server. The
// files of an output that changes are looked through again.
const updateOutputSQL = `
	UPDATE outputs o
	SET state = @state, name = @name, generation = @generation, copy_begun = @copy_begun, copy = @copy,
		fill_begun = @fill_begun, fill_ended = @fill_ended, missing_fields = @missing_fields,
		pdf_id = @pdf_id, pdf_hashes = @pdf_hashes, pdf = @pdf, findings = @findings, removed = @removed, appendices = @appendices, appendix_begun = @appendix_begun, repeated = @repeated, keeps_files = @keeps_files, thrown_away = @thrown_away,
		failure_code = @failure_code, failure = @failure, verdict = @verdict, swept_at = NULL, updated_at = now()
	WHERE id = @id AND xmin = @written_by AND pg_postmaster_start_time() = @read_from`

// writeOutput writes an output over the row that it was made of, and returns the
// row as it is then; ok is false when the row is no longer as it was read.
func writeOutput(ctx context.Context, q Querier, r outputRow, o platen.Output) (_ outputRow, ok bool, err error) {
	w, err := r.become(o)
	if err != nil {
		return r, false, err
	}
	type stamp struct {
		UpdatedAt time.Time `db:"updated_at"`
		WrittenBy uint32    `db:"written_by"`
	}
	written, ok, err := CollectOne[stamp](ctx, q, updateOutputSQL+`
		RETURNING o.updated_at, o.xmin AS written_by`, w.args())
	w.UpdatedAt, w.WrittenBy = written.UpdatedAt, written.WrittenBy
	return w, ok, err
}

// become is the row with what an output says.
func (r outputRow) become(o platen.Output) (outputRow, error) {
	var err error
	if r.Copy, err = fileColumn(o.Copy); err != nil {
		return r, err
	}
	if r.PDF, err = fileColumn(o.PDF); err != nil {
		return r, err
	}
	if r.Findings, err = findingsColumn(o.Findings); err != nil {
		return r, err
	}
	if r.Appendices, err = appendicesColumn(o.Appendices); err != nil {
		return r, err
	}
	r.AppendixBegun = o.AppendixBegun
	r.State, r.Name, r.Generation, r.CopyBegun, r.FillBegun, r.FillEnded = o.State, o.Name, o.Generation, o.CopyBegun, o.FillBegun, o.FillEnded
	r.MissingFields, r.PDFID, r.PDFHashes, r.ThrownAway = orNone(o.MissingFields), o.PDFID, orNone(o.PDFHashes), orNone(o.ThrownAway)
	r.Removed, r.Repeated, r.KeepsFiles, r.FailureCode, r.Failure, r.Verdict = o.Removed, o.Repeated, o.KeepsFiles, o.FailureCode, o.Failure, o.Verdict
	return r, nil
}

// args are those of updateOutputSQL.
func (r outputRow) args() pgx.NamedArgs {
	return pgx.NamedArgs{
		"id": r.ID, "state": r.State, "name": r.Name, "generation": r.Generation, "copy_begun": r.CopyBegun, "copy": r.Copy,
		"fill_begun": r.FillBegun, "fill_ended": r.FillEnded, "missing_fields": r.MissingFields,
		"pdf_id": r.PDFID, "pdf_hashes": r.PDFHashes, "pdf": r.PDF, "findings": r.Findings, "removed": r.Removed, "appendices": r.Appendices, "appendix_begun": r.AppendixBegun, "repeated": r.Repeated, "keeps_files": r.KeepsFiles, "thrown_away": r.ThrownAway,
		"failure_code": r.FailureCode, "failure": r.Failure, "verdict": r.Verdict, "written_by": r.WrittenBy, "read_from": r.ReadFrom,
	}
}

// orNone keeps a nil slice from becoming null.
func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// WorkflowOutputs returns those that query asks for of one of the caller's
// workflows' outputs, by creation time, then id. The zero page is the last
// platen.MaxList of them.
func (s *Outputs) WorkflowOutputs(ctx context.Context, caller platen.User, workflowID string, query platen.OutputQuery) ([]platen.Output, error) {
	if err := authorize(ctx, s.db.pool, caller, workflowID); err != nil {
		return nil, fmt.Errorf("list outputs of workflow %s: %w", workflowID, err)
	}
	found, err := s.listOutputs(ctx, ofOneWorkflow, query, pgx.NamedArgs{"workflow_id": workflowID})
	if err != nil {
		return nil, fmt.Errorf("list outputs of workflow %s: %w", workflowID, err)
	}
	return found, nil
}

// CallersOutputs is WorkflowOutputs over all of the caller's workflows.
func (s *Outputs) CallersOutputs(ctx context.Context, caller platen.User, query platen.OutputQuery) ([]platen.Output, error) {
	found, err := s.listOutputs(ctx, ofCaller, query, callerArgs(caller, ""))
	if err != nil {
		return nil, fmt.Errorf("list outputs of user %s: %w", caller.ID, err)
	}
	return found, nil
}

// An outputScope is whose outputs a list is of: documents d, and which of them.
type outputScope struct{ documents, which string }

var (
	ofOneWorkflow = outputScope{`documents d`, `d.workflow_id = @workflow_id`}
	ofCaller      = outputScope{`workflows of JOIN documents d ON d.workflow_id = of.id`, `(of.owner_id = @caller OR of.team_id = @caller_team)`}
)

func (s *Outputs) listOutputs(ctx context.Context, of outputScope, query platen.OutputQuery, args pgx.NamedArgs) (found []platen.Output, err error) {
	args["states"], args["ids"], args["since"], args["until"], args["mails"], args["placements"], args["batch"] = query.States, query.IDs, query.Since, query.Until, query.Mails, query.Placements, query.Batch
	if query.Name == "" {
		found, err = collectOutputs(ctx, s.db.pool, outputsIn(of, query), boundedPageArgs(query.Page, args))
	} else {
		found, err = s.outputsByName(ctx, of, query, args)
	}
	if err == nil {
		err = loadMails(ctx, s.db.pool, found)
	}
	if err == nil {
		err = loadPlacements(ctx, s.db.pool, found)
	}
	if err == nil {
		err = s.db.Reviews.loadReviews(ctx, s.db.pool, found)
	}
	return putInOrder(query.Page, found), err
}

func outputsIn(of outputScope, query platen.OutputQuery) string {
	backwards, byID, ofTests := direction(query.Page), "", testsOrByID("test", query.Test, query.IDs)
	narrower := ""
	if query.Name != "" {
		narrower = `
					AND ` + hasWords("@words", "outputs", "id")
	}
	if query.Batch != "" {
		narrower += ofBatch("outputs.automation_id")
	}
	if len(query.IDs) > 0 { // said only where it is meant, so that its index is used
		byID = `
					AND id = ANY (@ids::text[])`
	}
	return selectOutput + `
		WHERE o.id IN (
			SELECT of_document.id
			FROM ` + of.documents + `
			CROSS JOIN LATERAL (
				SELECT id
				FROM outputs
				WHERE document_id = d.id AND (created_at, id) ` + beyond(query.Page) + ` (@after_time::timestamptz, @after_id::text)
					AND ` + only("state", query.States) + ofTests + byID + between("created_at", query.Since, query.Until) + mailsOf(query.Mails, "outputs.id", "output_id", "d.workflow_id") + placementsIn(query.Placements, "outputs.id", "output_id", "d.workflow_id") + narrower + `
				ORDER BY created_at` + backwards + `, id` + backwards + `
				LIMIT @limit
			) of_document
			WHERE ` + of.which + `
		)
		ORDER BY o.created_at` + backwards + `, o.id` + backwards + `
		LIMIT @limit`
}

// loadOutputs returns the outputs of automations by automation id, in the order
// of their documents.
func loadOutputs(ctx context.Context, q Querier, automationIDs []string) (map[string][]platen.Output, error) {
	if len(automationIDs) == 0 {
		return nil, nil
	}
	found, err := collectOutputs(ctx, q, selectOutput+`
		JOIN documents d ON d.id = o.document_id
		WHERE o.automation_id = ANY (@ids)
		ORDER BY d.created_at, d.id`, pgx.NamedArgs{"ids": automationIDs})
	if err != nil {
		return nil, err
	}
	if err := loadMails(ctx, q, found); err != nil {
		return nil, err
	}
	if err := loadPlacements(ctx, q, found); err != nil {
		return nil, err
	}
	outputs := make(map[string][]platen.Output, len(automationIDs))
	for _, o := range found {
		outputs[o.AutomationID] = append(outputs[o.AutomationID], o)
	}
	return outputs, nil
}

// collectOutputs reads outputs for a list, with what their automations say of them.
func collectOutputs(ctx context.Context, q Querier, sql string, args pgx.NamedArgs) ([]platen.Output, error) {
	rows, err := Collect[outputRow](ctx, q, sql, args)
	if err != nil {
		return nil, err
	}
	outputs := make([]platen.Output, len(rows))
	for i, r := range rows {
		if outputs[i], err = r.output(); err != nil {
			return nil, err
		}
	}
	return outputs, loadOrigins(ctx, q, outputs)
}

// loadOrigins sets the workflows and references of outputs.
func loadOrigins(ctx context.Context, q Querier, outputs []platen.Output) error {
	if len(outputs) == 0 {
		return nil
	}
	ids := make([]string, len(outputs))
	for i, o := range outputs {
		ids[i] = o.AutomationID
	}
	type row struct {
		ID         string `db:"id"`
		WorkflowID string `db:"workflow_id"`
		Reference  string `db:"reference"`
	}
	rows, err := Collect[row](ctx, q, `
		SELECT id, workflow_id, reference
		FROM automations
		WHERE id = ANY (@ids)`, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return fmt.Errorf("list where outputs come from: %w", err)
	}
	of := make(map[string]row, len(rows))
	for _, r := range rows {
		of[r.ID] = r
	}
	for i, o := range outputs {
		outputs[i].WorkflowID, outputs[i].Reference = of[o.AutomationID].WorkflowID, of[o.AutomationID].Reference
	}
	return nil
}

// RecordOutput applies the change that ends an output, with what this process noted
// of it, and stores its event in the same transaction, if the workflow has an
// outgoing webhook now and the event has a type (one without is not wanted). It
// returns the output and the event's id, or "". When the output has ended already
// it changes nothing and returns what was stored then. A change that leaves the
// output PENDING is an error. Where another execution has changed the row, change
// is called again on the row as it stands, without what was noted.
func (s *Outputs) RecordOutput(ctx context.Context, outputID string, change func(*platen.Output) error, event func(platen.Output) (platen.Event, error)) (platen.Output, string, error) {
	o, eventID, done, err := s.recordAtOnce(ctx, outputID, change, event)
	if err == nil && !done {
		o, eventID, err = s.recordLocked(ctx, outputID, change, event)
	}
	s.recent.Drop(outputID)
	if err != nil {
		return platen.Output{}, "", fmt.Errorf("record output %s: %w", outputID, err)
	}
	return o, eventID, nil
}

// giveUpAfter is for how long a drive that cannot be opened is tried.
const giveUpAfter = 30 * 24 * time.Hour

// UnsweptOutputs returns the outputs that ended longer than age ago, that
// failed or were made by steps that ran more than once, and whose files nobody
// has looked through since; oldest first, at most a hundred. after is the last
// one of those before, the zero value to begin with: one whose drive does not
// open keeps none from its turn.
func (s *Outputs) UnsweptOutputs(ctx context.Context, age time.Duration, after platen.EndedOutput) ([]platen.EndedOutput, error) {
	type row struct {
		OutputID  string    `db:"output_id"`
		CreatedAt time.Time `db:"output_created_at"`
		EndedAt   time.Time `db:"ended_at"`
		Refused   bool      `db:"refused"`
		automationRow
	}
	rows, err := Collect[row](ctx, s.db.pool, `
		SELECT o.id AS output_id, o.created_at AS output_created_at, o.updated_at AS ended_at, `+refused+`, `+AutomationColumns+`
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.state <> 'PENDING' AND (o.repeated OR o.state = 'FAILED' AND o.copy_begun) AND o.swept_at IS NULL
			AND o.updated_at BETWEEN now() - @most::interval AND now() - @age::interval
			AND (o.created_at, o.id) > (@created, @id)
		ORDER BY o.created_at, o.id
		LIMIT 100`,
		pgx.NamedArgs{"age": age, "most": giveUpAfter, "created": after.CreatedAt, "id": after.OutputID})
	if err != nil {
		return nil, fmt.Errorf("list outputs that may have left files: %w", err)
	}
	found := make([]platen.EndedOutput, len(rows))
	for i, r := range rows {
		found[i] = platen.EndedOutput{OutputID: r.OutputID, Automation: r.automation(), CreatedAt: r.CreatedAt, EndedAt: r.EndedAt}
		found[i].Automation.Refused = r.Refused
	}
	return found, nil
}

// MarkOutputSwept notes that the files of an output were looked through. One
// that has been retried meanwhile is looked through again when it has ended.
func (s *Outputs) MarkOutputSwept(ctx context.Context, o platen.EndedOutput) error {
	_, err := Execute(ctx, s.db.pool, `
		UPDATE outputs
		SET swept_at = now()
		WHERE id = @id AND updated_at = @ended`,
		pgx.NamedArgs{"id": o.OutputID, "ended": o.EndedAt})
	if err != nil {
		return fmt.Errorf("note that the files of %s were looked through: %w", o.OutputID, err)
	}
	return nil
}
