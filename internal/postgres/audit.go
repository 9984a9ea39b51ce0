package postgres

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Audit is the store of who did what. Its table refuses to change entries.
type Audit struct{ db *DB }

type auditRow struct {
	ID         string           `db:"id"`
	At         time.Time        `db:"at"`
	Actor      platen.ActorKind `db:"actor"`
	ActorID    string           `db:"actor_id"`
	TokenID    string           `db:"token_id"`
	Address    *netip.Addr      `db:"address"`
	Agent      bool             `db:"agent"`
	Action     string           `db:"action"`
	OwnerID    string           `db:"owner_id"`
	TeamID     *string          `db:"team_id"`
	WorkflowID string           `db:"workflow_id"`
	ObjectID   string           `db:"object_id"`
	Outcome    string           `db:"outcome"`
	RequestID  string           `db:"request_id"`
	Fields     []string         `db:"fields"`
}

func (r auditRow) entry() platen.AuditEntry {
	e := platen.AuditEntry{
		ID: r.ID, At: r.At.UTC(), Actor: platen.Actor{Kind: r.Actor, ID: r.ActorID, TokenID: r.TokenID, Agent: r.Agent}, Action: r.Action,
		OwnerID: r.OwnerID, WorkflowID: r.WorkflowID, ObjectID: r.ObjectID, Outcome: r.Outcome, RequestID: r.RequestID,
	}
	if len(r.Fields) > 0 {
		e.Fields = r.Fields
	}
	if r.TeamID != nil {
		e.TeamID = *r.TeamID
	}
	if r.Address != nil {
		e.Actor.Address = *r.Address
	}
	return e
}

const selectAudit = `
		SELECT id, at, actor, actor_id, token_id, address, agent, action, owner_id, team_id, workflow_id, object_id, outcome, request_id, fields
		FROM audit`

// Record adds an entry; one whose id is there is left as it is. The owner of a
// workflow that the actor may see is the owner of the entry, and the database
// says when it was.
func (s *Audit) Record(ctx context.Context, e platen.AuditEntry) error {
	if err := insertAudit(ctx, s.db.pool, e); err != nil {
		return fmt.Errorf("record %q of %s %s: %w", e.Action, e.Actor.Kind, e.Actor.ID, err)
	}
	return nil
}

func insertAudit(ctx context.Context, q Querier, e platen.AuditEntry) error {
	var address *netip.Addr
	if e.Actor.Address.IsValid() {
		plain := e.Actor.Address.Unmap().WithZone("")
		address = &plain
	}
	_, err := Execute(ctx, q, `
		INSERT INTO audit (id, actor, actor_id, token_id, address, agent, action, owner_id, team_id, workflow_id, object_id, outcome, request_id, fields)
		SELECT @id, @actor, @actor_id, @token_id, @address, @agent, @action,
			coalesce(w.owner_id, @owner_id),
			CASE WHEN w.id IS NULL THEN u.team_id ELSE w.team_id END,
			@workflow_id, @object_id, @outcome, @request_id, @fields
		FROM (SELECT) one
		LEFT JOIN users u ON u.id = @owner_id
		LEFT JOIN workflows w ON w.id = @workflow_id AND (@actor <> 'user' OR w.owner_id = @actor_id OR w.team_id = u.team_id)
		ON CONFLICT (id) DO NOTHING`,
		pgx.NamedArgs{
			"id": e.ID, "actor": e.Actor.Kind, "actor_id": CleanText(e.Actor.ID), "token_id": e.Actor.TokenID, "address": address, "agent": e.Actor.Agent,
			"action": e.Action, "owner_id": e.OwnerID, "workflow_id": CleanText(e.WorkflowID), "object_id": CleanText(e.ObjectID),
			"outcome": e.Outcome, "request_id": e.RequestID, "fields": orNone(e.Fields),
		})
	return err
}

// A Subject is what an act is done to, as far as the act did not know it before.
type Subject struct{ OwnerID, WorkflowID, ObjectID string }

// InAct is InTx for what ctx says is being done: its entry in the audit is
// committed with it, or neither is. do returns what it was done to.
func (db *DB) InAct(ctx context.Context, do func(tx pgx.Tx) (Subject, error)) error {
	act := platen.ActOf(ctx)
	err := db.InTx(ctx, func(tx pgx.Tx) error {
		of, err := do(tx)
		if err != nil || act == nil {
			return err
		}
		e := act.Entry
		e.Outcome = platen.AuditDone
		if of.OwnerID != "" {
			e.OwnerID = of.OwnerID
		}
		if of.WorkflowID != "" {
			e.WorkflowID = of.WorkflowID
		}
		if of.ObjectID != "" {
			e.ObjectID = of.ObjectID
		}
		if err := insertAudit(ctx, tx, e); err != nil {
			return fmt.Errorf("record %q in the audit: %w", e.Action, err)
		}
		return nil
	})
	if err == nil && act != nil {
		act.MarkRecorded()
	}
	return err
}

// inActOf is InAct for what an object of a workflow is done to, which is there for the
// caller.
func (db *DB) inActOf(ctx context.Context, caller platen.User, workflowID, objectID string, do func(tx pgx.Tx) error) error {
	return db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		err := authorize(ctx, tx, caller, workflowID)
		if err == nil {
			err = do(tx)
		}
		return Subject{WorkflowID: workflowID, ObjectID: objectID}, err
	})
}

// auditFilter is what a query asks for, of entries that the caller may see.
func auditFilter(p platen.Page) string {
	return `
				AND (at, id) ` + beyond(p) + ` (@after_time::timestamptz, @after_id::text) AND at >= @since::timestamptz AND at < @until::timestamptz
				AND (@workflow_id = '' OR workflow_id = @workflow_id)
				AND (@user_id = '' OR actor_id = @user_id OR owner_id = @user_id)`
}

// CallersAudit returns the entries that concern the caller or the caller's team,
// by time, then id; the zero page is the last platen.MaxList ones. Both kinds are
// read from an index each and no further than the page goes.
func (s *Audit) CallersAudit(ctx context.Context, caller platen.User, query platen.AuditQuery) ([]platen.AuditEntry, error) {
	filter, order := auditFilter(query.Page), auditOrder(query.Page)
	found, err := s.list(ctx, query, callerArgs(caller, query.WorkflowID), `
		SELECT *
		FROM (
			(`+selectAudit+`
			WHERE owner_id = @caller`+filter+order+`
			) UNION ALL (`+selectAudit+`
			WHERE team_id = @caller_team AND owner_id <> @caller`+filter+order+`
			)
		) e`+order)
	if err != nil {
		return nil, fmt.Errorf("list audit of user %s: %w", caller.ID, err)
	}
	return found, nil
}

// Entries returns the entries of all tenants, for an operator, as CallersAudit does. A query
// for a user reads the indexes of actors and of owners; one for a workflow reads the index
// of workflows. A query for both uses those of the user.
func (s *Audit) Entries(ctx context.Context, query platen.AuditQuery) ([]platen.AuditEntry, error) {
	found, err := s.list(ctx, query, pgx.NamedArgs{"workflow_id": query.WorkflowID, "of_workflow": query.WorkflowID}, entriesStatement(query))
	if err != nil {
		return nil, fmt.Errorf("list audit: %w", err)
	}
	return found, nil
}

func entriesStatement(query platen.AuditQuery) string {
	filter, order := auditFilter(query.Page), auditOrder(query.Page)
	switch {
	case query.UserID != "":
		return `
		SELECT *
		FROM (
			(` + selectAudit + `
			WHERE actor_id = @user_id` + filter + order + `
			) UNION (` + selectAudit + `
			WHERE owner_id = @user_id` + filter + order + `
			)
		) e` + order
	case query.WorkflowID != "":
		return selectAudit + `
			WHERE workflow_id = @of_workflow AND workflow_id <> ''` + filter + order
	}
	return selectAudit + `
			WHERE true` + filter + order
}

func auditOrder(p platen.Page) string {
	return `
			ORDER BY at` + direction(p) + `, id` + direction(p) + `
			LIMIT @limit`
}

func (s *Audit) list(ctx context.Context, query platen.AuditQuery, args pgx.NamedArgs, sql string) ([]platen.AuditEntry, error) {
	rows, err := Collect[auditRow](ctx, s.db.pool, sql, auditArgs(query, args))
	if err != nil {
		return nil, err
	}
	found := make([]platen.AuditEntry, len(rows))
	for i, r := range rows {
		found[i] = r.entry()
	}
	return putInOrder(query.Page, found), nil
}

func auditArgs(query platen.AuditQuery, args pgx.NamedArgs) pgx.NamedArgs {
	args = boundedPageArgs(query.Page, args)
	args["since"], args["until"], args["user_id"] = query.Since, query.Until, query.UserID
	if query.Until.IsZero() {
		args["until"] = endOfTime
	}
	return args
}

// Sweep removes entries older than kept, and at least 30 days old. Any number of
// processes may sweep side by side.
func (s *Audit) Sweep(ctx context.Context, kept time.Duration) (swept int64, err error) {
	for {
		var n int64
		err := s.db.pool.QueryRow(ctx, `SELECT audit_sweep(now() - @kept::interval, @most)`,
			pgx.NamedArgs{"kept": kept, "most": SweepAtOnce}).Scan(&n)
		if err != nil {
			return swept, fmt.Errorf("sweep the audit: %w", Classify(err))
		}
		swept += n
		if n < SweepAtOnce {
			return swept, nil
		}
	}
}
