package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// CheckVersion looks at what a server says it is.
func CheckVersion(version string) error { return checkVersion(version) }

// Automation reads an automation without a check of the caller.
func (s *Automations) Automation(ctx context.Context, automationID string) (platen.Automation, error) {
	r, err := readAutomation(ctx, s.db.pool, `
		SELECT `+AutomationColumns+`
		FROM automations a
		WHERE a.id = @id`, automationID)
	return r.automation(), err
}

// ExplainLists is how Postgres reads the lists of a workflow and of its owner: each
// plan, carried out, as JSON.
func ExplainLists(ctx context.Context, db *DB, w platen.Workflow, page platen.Page, state string, since, until time.Time) (map[string][]byte, error) {
	automations, outputs := platen.AutomationQuery{Page: page, Since: since, Until: until}, platen.OutputQuery{Page: page, Since: since, Until: until}
	if state != "" {
		automations.States, outputs.States = []platen.AutomationState{platen.AutomationState(state)}, []platen.OutputState{platen.OutputState(state)}
	}
	named := outputs
	named.Name = "invoice ada"
	out := map[string][]byte{}
	for name, sql := range map[string]string{
		"automations": workflowAutomations(automations), "automations of all": callersAutomations(automations), "outputs": outputsIn(ofOneWorkflow, outputs), "outputs by name": namedOutputs(ofOneWorkflow, named),
		"outputs of all": outputsIn(ofCaller, outputs), "outputs of all by name": namedOutputs(ofCaller, named),
	} {
		args := boundedPageArgs(page, callerArgs(w.Owner, ""))
		args["workflow_id"], args["since"], args["until"], args["ids"], args["states"] = w.ID, since, until, []string{}, automations.States
		args["words"], args["word"], args["others"] = []string{"invoice", "ada"}, "invoice", []string{"ada"}
		var plan []byte
		if err := db.pool.QueryRow(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+sql, args).Scan(&plan); err != nil {
			return nil, err
		}
		out[name] = plan
	}
	return out, nil
}

// ExplainEntries is how Postgres reads a page of the audit, as JSON.
func ExplainEntries(ctx context.Context, db *DB, q platen.AuditQuery) (plan []byte, err error) {
	args := auditArgs(q, pgx.NamedArgs{"workflow_id": q.WorkflowID, "of_workflow": q.WorkflowID})
	err = db.pool.QueryRow(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+entriesStatement(q), args).Scan(&plan)
	return plan, err
}

// ExplainEvents is how Postgres reads a page of the events of a workflow, and counts them.
func ExplainEvents(ctx context.Context, db *DB, w platen.Workflow, query platen.EventQuery) (list, count []byte, err error) {
	args := boundedPageArgs(query.Page, pgx.NamedArgs{"workflow_id": w.ID, "states": query.States, "outputs": query.OutputIDs, "since": query.Since, "until": query.Until})
	if err := db.pool.QueryRow(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+workflowEvents(query), args).Scan(&list); err != nil {
		return nil, nil, err
	}
	err = db.pool.QueryRow(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+countEvents, args).Scan(&count)
	return list, count, err
}

// ExplainFileCounts is how Postgres counts the files of a schedule, as JSON.
func ExplainFileCounts(ctx context.Context, db *DB, scheduleID string) (plan []byte, err error) {
	args := pgx.NamedArgs{"ids": []string{scheduleID}, "states": platen.ScheduleFileStates(), "most": platen.MaxFilesCounted}
	err = db.pool.QueryRow(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+countOfFiles, args).Scan(&plan)
	return plan, err
}
