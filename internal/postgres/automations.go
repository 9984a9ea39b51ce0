package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/cache"
	"github.com/platenhq/platen/internal/platen"
)

// maxRecentBodies bounds the source data that Automations keeps in memory, in
// bytes.
const maxRecentBodies = 8 << 20

// Automations is the store of accepted events and of what became of them: how
// they are shown, retried, cancelled and ended. Those that wait to start are
// the Queue's.
type Automations struct {
	db *DB
	// data is asked for by each step of a run, and never changes.
	data *cache.Cache[sourceData]
}

func newAutomations(db *DB) *Automations {
	return &Automations{db: db, data: cache.New(maxRecentBodies, func(d sourceData) int { return len(d.body) + keyInMemory })}
}

// keyInMemory is about what a data key takes, in bytes.
const keyInMemory = 1024

// An origin is where an automation comes from: the key of its data, and how its sender
// named it, the request and the event.
type origin struct {
	key                            DataKey
	requestID, eventKey, reference string
}

// A sourceData is what was POSTed, and where from.
type sourceData struct {
	body []byte
	origin
}

// AutomationColumns are the columns that every query of automationRow returns.
const AutomationColumns = `a.id, a.workflow_id, a.source_id, a.owner_id, a.team_id, a.state, a.reason, a.attempt, a.accepted_at, a.started_at, a.finished_at, a.cancel_requested_at, a.request_id, a.reference, coalesce(a.key_taken_by, '') AS key_taken_by, coalesce(a.replaced_by, '') AS replaced_by, a.test, a.failure_code, a.failure, a.parked_at, a.waits, a.skipped, a.order_number IS NOT NULL AS ordered, a.data_erased_at, a.erase_requested_at, a.erase_requested_by, a.erased_at`

type automationRow struct {
	ID         string                 `db:"id"`
	WorkflowID string                 `db:"workflow_id"`
	SourceID   string                 `db:"source_id"`
	OwnerID    string                 `db:"owner_id"`
	TeamID     *string                `db:"team_id"`
	State      platen.AutomationState `db:"state"`
	Reason     string                 `db:"reason"`
	Attempt    int                    `db:"attempt"`
	AcceptedAt time.Time              `db:"accepted_at"`
	StartedAt  *time.Time             `db:"started_at"`
	FinishedAt *time.Time             `db:"finished_at"`

	CancelRequestedAt *time.Time    `db:"cancel_requested_at"`
	RequestID         string        `db:"request_id"`
	Reference         string        `db:"reference"`
	KeyTakenBy        string        `db:"key_taken_by"`
	ReplacedBy        string        `db:"replaced_by"`
	Test              bool          `db:"test"`
	FailureCode       string        `db:"failure_code"`
	Failure           string        `db:"failure"`
	ParkedAt          *time.Time    `db:"parked_at"`
	Waits             waitsJSON     `db:"waits"`
	Skipped           []skippedJSON `db:"skipped"`
	Ordered           bool          `db:"ordered"`

	DataErasedAt     *time.Time `db:"data_erased_at"`
	EraseRequestedAt *time.Time `db:"erase_requested_at"`
	EraseRequestedBy *string    `db:"erase_requested_by"`
	ErasedAt         *time.Time `db:"erased_at"`
}

func (r automationRow) automation() platen.Automation {
	return platen.Automation{
		ID: r.ID, WorkflowID: r.WorkflowID, SourceID: r.SourceID, OwnerID: r.OwnerID, TeamID: orEmpty(r.TeamID),
		State: shown(r.State), Reason: r.Reason, Attempt: r.Attempt,
		AcceptedAt: r.AcceptedAt.UTC(), StartedAt: UTC(r.StartedAt), FinishedAt: UTC(r.FinishedAt),
		CancelRequestedAt: UTC(r.CancelRequestedAt), RequestID: r.RequestID, Reference: r.Reference, KeyTakenBy: r.KeyTakenBy, ReplacedBy: r.ReplacedBy, Test: r.Test,
		FailureCode: r.FailureCode, Failure: r.Failure, ParkedAt: UTC(r.ParkedAt), Waits: r.Waits.waits(), Skipped: skippedFrom(r.Skipped),
		DataErasedAt: UTC(r.DataErasedAt), EraseRequestedAt: UTC(r.EraseRequestedAt), EraseRequestedBy: orEmpty(r.EraseRequestedBy), ErasedAt: UTC(r.ErasedAt),
	}
}

func automations(rows []automationRow) []platen.Automation {
	found := make([]platen.Automation, len(rows))
	for i, r := range rows {
		found[i] = r.automation()
	}
	return found
}

// ScanAutomations reads rows of AutomationColumns.
func ScanAutomations(rows pgx.Rows) ([]platen.Automation, error) {
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[automationRow])
	if err != nil {
		return nil, Classify(err)
	}
	return automations(found), nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// ErrAutomationNotFound is KindNotFound with code "automation_not_found".
func ErrAutomationNotFound(id string) error {
	return platen.Errorf(platen.KindNotFound, "automation_not_found", "there is no automation %s", id)
}

// lockAutomation reads an automation's row and holds it.
func lockAutomation(ctx context.Context, tx pgx.Tx, automationID string) (automationRow, error) {
	return readAutomation(ctx, tx, `
		SELECT `+AutomationColumns+`
		FROM automations a
		WHERE a.id = @id
		FOR NO KEY UPDATE`, automationID)
}

func readAutomation(ctx context.Context, q Querier, sql, automationID string) (automationRow, error) {
	r, ok, err := CollectOne[automationRow](ctx, q, sql, pgx.NamedArgs{"id": automationID})
	if err == nil && !ok {
		err = ErrAutomationNotFound(automationID)
	}
	return r, err
}

// SourceData returns the JSON object that was POSTed, byte for byte. It is
// shared: nobody may write to it. Where it was erased, the error is KindInvalid with
// code platen.CodeDataErased.
func (s *Automations) SourceData(ctx context.Context, automationID string) ([]byte, error) {
	return s.sourceData(ctx, s.db.pool, automationID)
}

func (s *Automations) sourceData(ctx context.Context, q Querier, automationID string) ([]byte, error) {
	if known, ok := s.data.Get(automationID); ok {
		return known.body, nil
	}
	type row struct {
		Body     []byte     `db:"body"`
		Test     bool       `db:"test"`
		ErasedAt *time.Time `db:"data_erased_at"`
		originRow
	}
	r, ok, err := CollectOne[row](ctx, q, `
		SELECT body, test, data_erased_at, data_key, request_id, event_key, reference
		FROM automations
		WHERE id = @id`, pgx.NamedArgs{"id": automationID})
	switch {
	case err == nil && !ok:
		err = ErrAutomationNotFound(automationID)
	case err == nil && r.ErasedAt != nil:
		err = platen.ErrDataErased("the source data of automation "+automationID, *r.ErasedAt)
	}
	var d sourceData
	if err == nil {
		d.origin, err = s.db.openOrigin(automationID, r.originRow)
	}
	if err == nil {
		d.body, err = d.key.Open(r.Body, AutomationBody)
	}
	if err != nil {
		return nil, fmt.Errorf("read source data of automation %s: %w", automationID, err)
	}
	s.data.Put(automationID, d)
	return d.body, nil
}

// LatestEvents returns at most limit events of a workflow that the caller was found to see,
// newest first, which together have at most size bytes. Of the last 10 × limit automations it
// leaves out tests, those of a reused key and erased ones.
func (s *Automations) LatestEvents(ctx context.Context, workflowID string, limit, size int) ([]platen.PastEvent, error) {
	type row struct {
		ID         string    `db:"id"`
		AcceptedAt time.Time `db:"accepted_at"`
		Body       []byte    `db:"body"`
		DataKey    []byte    `db:"data_key"`
	}
	rows, err := Collect[row](ctx, s.db.pool, `
		SELECT id, accepted_at, body, data_key
		FROM (
			SELECT id, accepted_at, body, data_key,
				row_number() OVER newest AS place, sum(octet_length(body)) OVER newest AS size
			FROM (
				SELECT id, accepted_at, body, data_key, test, reason, data_erased_at, erase_requested_at
				FROM automations
				WHERE workflow_id = @workflow_id
				ORDER BY accepted_at DESC, id DESC
				LIMIT 10 * @most_events::integer
			) AS looked_at
			WHERE NOT test AND reason <> 'KEY_REUSED' AND data_erased_at IS NULL AND erase_requested_at IS NULL
			WINDOW newest AS (ORDER BY accepted_at DESC, id DESC)
		) AS counted
		WHERE place <= @most_events AND size <= @size
		ORDER BY accepted_at DESC, id DESC`, pgx.NamedArgs{"workflow_id": workflowID, "most_events": limit, "size": size})
	events := make([]platen.PastEvent, len(rows))
	for i := 0; i < len(rows) && err == nil; i++ {
		r := rows[i]
		var key DataKey
		if key, err = s.db.vault.OpenDataKey(r.DataKey, r.ID); err == nil {
			r.Body, err = key.Open(r.Body, AutomationBody)
		}
		events[i] = platen.PastEvent{AutomationID: r.ID, AcceptedAt: r.AcceptedAt.UTC(), Body: r.Body}
	}
	if err != nil {
		return nil, fmt.Errorf("read the last events of workflow %s: %w", workflowID, err)
	}
	return events, nil
}

// requireAutomation answers KindNotFound for an automation of another workflow.
func requireAutomation(ctx context.Context, q Querier, workflowID, automationID string) error {
	var found bool
	err := q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM automations WHERE id = @id AND workflow_id = @workflow_id)`,
		pgx.NamedArgs{"id": automationID, "workflow_id": workflowID}).Scan(&found)
	if err == nil && !found {
		return platen.ErrAutomationNotFound()
	}
	return Classify(err)
}

// WorkflowAutomations returns those that query asks for of one of the caller's
// workflows' automations, in the order of their acceptance, then id, with their
// outputs. The zero page is the last platen.MaxList of them.
func (s *Automations) WorkflowAutomations(ctx context.Context, caller platen.User, workflowID string, query platen.AutomationQuery) ([]platen.Automation, error) {
	if err := authorize(ctx, s.db.pool, caller, workflowID); err != nil {
		return nil, fmt.Errorf("list automations of workflow %s: %w", workflowID, err)
	}
	query.States = WithBehind(query.States)
	found, err := s.WithOutputs(ctx, workflowAutomations(query), boundedPageArgs(query.Page, pgx.NamedArgs{"workflow_id": workflowID, "states": query.States, "since": query.Since, "until": query.Until, "mails": query.Mails, "placements": query.Placements, "request": query.RequestID, "reference": query.Reference, "batch": query.Batch, "keys": keyHashes(query)}))
	if err == nil {
		err = s.loadReviews(ctx, found)
	}
	if err != nil {
		return nil, fmt.Errorf("list automations of workflow %s: %w", workflowID, err)
	}
	return putInOrder(query.Page, found), nil
}

func workflowAutomations(query platen.AutomationQuery) string {
	return `
		SELECT ` + AutomationColumns + `
		FROM automations a
		WHERE a.workflow_id = @workflow_id AND (a.accepted_at, a.id) ` + beyond(query.Page) + ` (@after_time::timestamptz, @after_id::text)
			AND ` + only("a.state", query.States) + between("a.accepted_at", query.Since, query.Until) + tests("a.test", query.Test) + mailsOf(query.Mails, "a.id", "automation_id", "@workflow_id") + placementsIn(query.Placements, "a.id", "automation_id", "@workflow_id") + named(query, "a", "@workflow_id") + `
		ORDER BY a.accepted_at` + direction(query.Page) + `, a.id` + direction(query.Page) + `
		LIMIT @limit`
}

// named narrows a list to automations whose senders gave their events a name. Ids of
// requests that were made for senders are in no index: there are as many as events.
func named(query platen.AutomationQuery, automations, workflow string) (condition string) {
	if query.RequestID != "" {
		condition = `
			AND ` + automations + `.request_id = @request`
		if !strings.HasPrefix(query.RequestID, platen.PrefixRequest) {
			condition += ` AND ` + automations + `.request_id NOT LIKE 'req\_%'`
		}
	}
	if query.Reference != "" {
		condition += `
			AND ` + automations + `.reference = @reference AND ` + automations + `.reference <> ''`
	}
	if query.Batch != "" {
		condition += ofBatch(automations + ".id")
	}
	if query.EventKey != "" {
		of := ` = ANY (ARRAY(
				SELECT k.automation_id
				FROM sources s
				JOIN source_event_keys k ON k.source_id = s.id AND k.key_hash = ANY (@keys::bytea[])
				WHERE s.workflow_id = ` + workflow + `
			))`
		condition += `
			AND (` + automations + `.id` + of + ` OR ` + automations + `.key_taken_by` + of + `)`
	}
	return condition
}

// ofBatch narrows a list to the rows of a batch.
func ofBatch(automationID string) string {
	return `
			AND EXISTS (SELECT FROM batch_rows r WHERE r.automation_id = ` + automationID + ` AND r.batch_id = @batch)`
}

// keyHashes are those of the names that the key of a query may be.
func keyHashes(query platen.AutomationQuery) [][]byte {
	var all [][]byte
	for _, key := range platen.EventKeys(query.EventKey, query.Test) {
		all = append(all, HashKey(key))
	}
	return all
}

// CallersAutomations returns those that query asks for of the automations of all of
// the caller's workflows, in the order of WorkflowAutomations. Each workflow is read
// from its own index and no further than the page goes.
func (s *Automations) CallersAutomations(ctx context.Context, caller platen.User, query platen.AutomationQuery) ([]platen.Automation, error) {
	query.States = WithBehind(query.States)
	args := boundedPageArgs(query.Page, callerArgs(caller, ""))
	args["states"], args["since"], args["until"], args["mails"], args["placements"] = query.States, query.Since, query.Until, query.Mails, query.Placements
	args["request"], args["reference"], args["batch"], args["keys"] = query.RequestID, query.Reference, query.Batch, keyHashes(query)
	found, err := s.WithOutputs(ctx, callersAutomations(query), args)
	if err == nil {
		err = s.loadReviews(ctx, found)
	}
	if err != nil {
		return nil, fmt.Errorf("list automations of user %s: %w", caller.ID, err)
	}
	return putInOrder(query.Page, found), nil
}

func callersAutomations(query platen.AutomationQuery) string {
	backwards := direction(query.Page)
	return `
		SELECT ` + AutomationColumns + `
		FROM workflows w
		CROSS JOIN LATERAL (
			SELECT *
			FROM automations
			WHERE workflow_id = w.id AND (accepted_at, id) ` + beyond(query.Page) + ` (@after_time::timestamptz, @after_id::text)
				AND ` + only("state", query.States) + between("accepted_at", query.Since, query.Until) + tests("test", query.Test) + mailsOf(query.Mails, "automations.id", "automation_id", "w.id") + placementsIn(query.Placements, "automations.id", "automation_id", "w.id") + named(query, "automations", "w.id") + `
			ORDER BY accepted_at` + backwards + `, id` + backwards + `
			LIMIT @limit
		) a
		WHERE w.owner_id = @caller OR w.team_id = @caller_team
		ORDER BY a.accepted_at` + backwards + `, a.id` + backwards + `
		LIMIT @limit`
}

// countAutomations reads indexes alone, but for tests: those with all automations, with
// failed ones, and with tests, which count for less than nothing.
const countAutomations = `
	SELECT date_bin(@each::interval, a.accepted_at, @since) AS starts, sum(a.accepted)::integer AS accepted, sum(a.failed)::integer AS failed
	FROM workflows w
	CROSS JOIN LATERAL (
		SELECT accepted_at, 1 AS accepted, 0 AS failed
		FROM automations
		WHERE workflow_id = w.id AND accepted_at >= @since
		UNION ALL
		SELECT accepted_at, 0, 1
		FROM automations
		WHERE workflow_id = w.id AND state = 'FAILED' AND accepted_at >= @since
		UNION ALL
		SELECT accepted_at, -1, CASE state WHEN 'FAILED' THEN -1 ELSE 0 END
		FROM automations
		WHERE workflow_id = w.id AND test AND accepted_at >= @since
	) a
	WHERE (w.owner_id = @caller OR w.team_id = @caller_team) AND (@workflow_id = '' OR w.id = @workflow_id)
	GROUP BY 1`

// CountAutomations counts the automations of one of the caller's workflows in each span;
// of all without an id. What was accepted after the last span is left out.
func (s *Automations) CountAutomations(ctx context.Context, caller platen.User, workflowID string, spans platen.Spans) ([]platen.AutomationCount, error) {
	if workflowID != "" {
		if err := authorize(ctx, s.db.pool, caller, workflowID); err != nil {
			return nil, fmt.Errorf("count automations of workflow %s: %w", workflowID, err)
		}
	}
	type row struct {
		Starts   time.Time `db:"starts"`
		Accepted int       `db:"accepted"`
		Failed   int       `db:"failed"`
	}
	args := callerArgs(caller, workflowID)
	args["since"], args["each"] = spans.From, spans.Each
	var found []row
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		_, err := Execute(ctx, tx, `SET LOCAL statement_timeout = '2s'`, nil)
		if err == nil {
			found, err = Collect[row](ctx, tx, countAutomations, args)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count automations of user %s: %w", caller.ID, err)
	}
	counted := make([]platen.AutomationCount, spans.Number)
	for i := range counted {
		counted[i].From = spans.From.Add(time.Duration(i) * spans.Each)
	}
	for _, r := range found {
		if i := int(r.Starts.Sub(spans.From) / spans.Each); i < len(counted) {
			counted[i].Accepted, counted[i].Failed = r.Accepted, r.Failed
		}
	}
	return counted, nil
}

// WorkflowAutomation returns one automation of one of the caller's workflows,
// with its outputs; KindNotFound with code "automation_not_found" for one that
// the workflow does not have.
func (s *Automations) WorkflowAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error) {
	err := authorize(ctx, s.db.pool, caller, workflowID)
	if err == nil {
		err = requireAutomation(ctx, s.db.pool, workflowID, automationID)
	}
	if err != nil {
		return platen.Automation{}, fmt.Errorf("read automation %s: %w", automationID, err)
	}
	found, err := s.WithOutputs(ctx, `
		SELECT `+AutomationColumns+`
		FROM automations a
		WHERE a.id = @id`, pgx.NamedArgs{"id": automationID})
	if err == nil && len(found) == 0 {
		err = ErrAutomationNotFound(automationID)
	}
	if err == nil {
		err = s.loadReviews(ctx, found)
	}
	if err != nil {
		return platen.Automation{}, fmt.Errorf("read automation %s: %w", automationID, err)
	}
	return found[0], nil
}

// loadReviews gives the outputs of automations their latest reviews. Operators may not read
// who answered.
func (s *Automations) loadReviews(ctx context.Context, found []platen.Automation) error {
	var all []platen.Output
	for _, a := range found {
		all = append(all, a.Outputs...)
	}
	if err := s.db.Reviews.loadReviews(ctx, s.db.pool, all); err != nil {
		return err
	}
	for _, a := range found {
		all = all[copy(a.Outputs, all):]
	}
	return nil
}

// Ended returns those of the automations that have ended, of all workflows.
func (s *Automations) Ended(ctx context.Context, automationIDs []string) ([]string, error) {
	type row struct {
		ID string `db:"id"`
	}
	rows, err := Collect[row](ctx, s.db.pool, `
		SELECT id
		FROM automations
		WHERE id = ANY (@ids) AND state NOT IN ('ACCEPTED', 'BEHIND', 'RUNNING', 'REVIEW')`, pgx.NamedArgs{"ids": automationIDs})
	if err != nil {
		return nil, fmt.Errorf("look which automations have ended: %w", err)
	}
	ended := make([]string, len(rows))
	for i, r := range rows {
		ended[i] = r.ID
	}
	return ended, nil
}

// WithOutputs is five statements at most, however many automations there are.
func (s *Automations) WithOutputs(ctx context.Context, sql string, args pgx.NamedArgs) ([]platen.Automation, error) {
	rows, err := Collect[automationRow](ctx, s.db.pool, sql, args)
	if err != nil {
		return nil, err
	}
	found := automations(rows)
	ids := make([]string, len(found))
	for i, a := range found {
		ids[i] = a.ID
	}
	outputs, err := loadOutputs(ctx, s.db.pool, ids)
	if err != nil {
		return nil, err
	}
	held, err := loadHeldReasons(ctx, s.db.pool, found)
	if err != nil {
		return nil, err
	}
	pauses, err := loadPauses(ctx, s.db.pool, found)
	if err != nil {
		return nil, err
	}
	behind, err := loadBehind(ctx, s.db.pool, rows)
	if err != nil {
		return nil, err
	}
	for i, a := range found {
		found[i].Outputs, found[i].Held = outputs[a.ID], held[a.ID]
		if w, ok := behind[a.ID]; ok {
			found[i].Waits = append(found[i].Waits, w)
		}
		if p, ok := pauses[a.ID]; ok {
			found[i].Waits = append(found[i].Waits, p.Wait())
		}
	}
	return found, nil
}
