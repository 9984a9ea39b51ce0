package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// causesOf reads failed automations a, with why each failed. What messages of one cause differ
// in is left out of the cause.
const causesOf = `
		SELECT a.id, a.workflow_id, a.accepted_at, a.finished_at, a.replaced_by,
			sha256(convert_to(coalesce(nullif(a.failure_code, ''), o.failure_code, '') || ' ' ||
				regexp_replace(coalesce(nullif(a.failure, ''), o.failure, ''), '"[^"]*"|“[^”]*”|[0-9]+', '', 'g'), 'UTF8')) AS cause
		FROM {failed} a
		LEFT JOIN LATERAL (
			SELECT failure_code, failure
			FROM outputs
			WHERE automation_id = a.id AND state = 'FAILED' AND a.failure_code = ''
			ORDER BY id
			LIMIT 1
		) o ON true`

// failuresByCause reads the newest failed automations of each workflow from its own index, and
// for each whether a later one cured it.
var failuresByCause = `
	WITH failed AS MATERIALIZED (
		SELECT f.*, f.replaced_by IS NOT NULL OR EXISTS (
				SELECT
				FROM automations again
				WHERE again.workflow_id = f.workflow_id AND again.request_id = '` + platen.AgainPrefix + `' || f.id AND again.request_id NOT LIKE 'req\_%' AND again.state = 'COMPLETED'
			) AS cured
		FROM (` + strings.Replace(causesOf, "{failed}", `workflows w
		CROSS JOIN LATERAL (
			SELECT *
			FROM automations
			WHERE workflow_id = w.id AND state = 'FAILED' AND accepted_at >= @since AND NOT test
			ORDER BY accepted_at DESC, id DESC
			LIMIT @read
		)`, 1) + `
		WHERE w.owner_id = @caller OR w.team_id = @caller_team
		) f
		LEFT JOIN failures_done d ON d.workflow_id = f.workflow_id AND d.cause = f.cause
		WHERE f.finished_at > coalesce(d.done_at, '-infinity')
	)
	SELECT workflow_id, count(*) FILTER (WHERE NOT cured)::integer AS open, count(*) FILTER (WHERE cured)::integer AS cured,
		coalesce((array_agg(id ORDER BY accepted_at DESC, id DESC) FILTER (WHERE NOT cured))[1:@examples], '{}') AS newest
	FROM failed
	GROUP BY workflow_id, cause
	ORDER BY max(accepted_at) FILTER (WHERE NOT cured) DESC NULLS LAST, workflow_id, cause
	LIMIT @causes`

// Failures are the causes of the failed automations of all of the caller's workflows that were
// accepted at or after a time, those that failed last before others. Tests are left out.
func (s *Automations) Failures(ctx context.Context, caller platen.User, since time.Time) ([]platen.FailureCause, error) {
	type row struct {
		WorkflowID string   `db:"workflow_id"`
		Open       int      `db:"open"`
		Cured      int      `db:"cured"`
		Newest     []string `db:"newest"`
	}
	args := callerArgs(caller, "")
	args["since"], args["read"], args["examples"], args["causes"] = since, platen.MaxFailuresRead, platen.MaxFailureExamples, platen.MaxFailureCauses
	var rows []row
	err := s.db.InTx(ctx, func(tx pgx.Tx) error {
		_, err := Execute(ctx, tx, `SET LOCAL statement_timeout = '2s'`, nil)
		if err == nil {
			rows, err = Collect[row](ctx, tx, failuresByCause, args)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the failures of user %s: %w", caller.ID, err)
	}
	var ids []string
	for _, r := range rows {
		ids = append(ids, r.Newest...)
	}
	found, err := s.WithOutputs(ctx, `
		SELECT `+AutomationColumns+`
		FROM automations a
		WHERE a.id = ANY (@ids)`, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("read the failures of user %s: %w", caller.ID, err)
	}
	named := make(map[string]platen.Automation, len(found))
	for _, a := range found {
		named[a.ID] = a
	}
	causes := make([]platen.FailureCause, len(rows))
	for i, r := range rows {
		causes[i] = platen.FailureCause{WorkflowID: r.WorkflowID, Open: r.Open, Cured: r.Cured}
		for _, id := range r.Newest {
			if a, ok := named[id]; ok { // else it was retried meanwhile, or erased
				causes[i].Newest = append(causes[i].Newest, a)
			}
		}
	}
	return causes, nil
}

// maxDone is how many causes of a workflow are done at once: the latest.
const maxDone = 200

// MarkDone leaves the failures of the cause of a FAILED automation out of Failures, until the next
// one. Twice is no error.
func (s *Automations) MarkDone(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error) {
	return s.changeDone(ctx, caller, workflowID, automationID, `
		INSERT INTO failures_done AS d (workflow_id, cause, done_at)
		SELECT workflow_id, cause, clock_timestamp()
		FROM failed
		ON CONFLICT (workflow_id, cause) DO UPDATE
		SET done_at = excluded.done_at`, `
		DELETE FROM failures_done
		WHERE workflow_id = @workflow_id AND cause NOT IN (
			SELECT cause
			FROM failures_done
			WHERE workflow_id = @workflow_id
			ORDER BY done_at DESC
			LIMIT @done
		)`)
}

// MarkOpen takes MarkDone back.
func (s *Automations) MarkOpen(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error) {
	return s.changeDone(ctx, caller, workflowID, automationID, `
		DELETE FROM failures_done d
		USING failed f
		WHERE d.workflow_id = f.workflow_id AND d.cause = f.cause`)
}

// changeDone carries out statements about a FAILED automation and its cause, the first of
// which may read it as failed.
func (s *Automations) changeDone(ctx context.Context, caller platen.User, workflowID, automationID string, first string, others ...string) (platen.Automation, error) {
	args := pgx.NamedArgs{"workflow_id": workflowID, "id": automationID, "done": maxDone}
	err := s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		if err := requireAutomation(ctx, tx, workflowID, automationID); err != nil {
			return err
		}
		locked, err := lockAutomation(ctx, tx, automationID)
		if err == nil && locked.State != platen.AutomationFailed {
			err = platen.Errorf(platen.KindInvalid, "automation_not_failed", "automation %s is %s: only the failures of a FAILED one can be done", automationID, locked.State)
		}
		if err != nil {
			return err
		}
		if _, err := Execute(ctx, tx, `
		WITH failed AS (`+strings.Replace(causesOf, "{failed}", "automations", 1)+`
		WHERE a.id = @id
		)`+first, args); err != nil {
			return err
		}
		for _, sql := range others {
			if _, err := Execute(ctx, tx, sql, args); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return platen.Automation{}, fmt.Errorf("change what is done about automation %s: %w", automationID, err)
	}
	return s.WorkflowAutomation(ctx, caller, workflowID, automationID)
}
