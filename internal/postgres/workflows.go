package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Workflows is the store of workflows with all of their parts.
type Workflows struct{ db *DB }

// workflowColumns are of workflows w with everything but their documents.
const workflowColumns = `
		w.id, w.name, w.color, w.icon, w.status, w.locale, w.ordered_by, w.auto_create, w.created_by_api, w.created_at, w.updated_at,
		w.team_id, t.name AS team_name,
		u.id AS owner_id, u.name AS owner_name, u.email AS owner_email, u.team_id AS owner_team_id, ut.name AS owner_team_name,
		s.id AS source_id, s.type AS source_type, s.key AS source_key, s.fields AS source_fields, s.fields_given AS source_fields_given,
		o.id AS webhook_id, o.url AS webhook_url, o.secret AS webhook_secret, o.created_at AS webhook_created_at, o.updated_at AS webhook_updated_at,
		o.previous_secret AS webhook_previous_secret, o.previous_until AS webhook_previous_until`

// workflowParts are what belongs to workflows w.
const workflowParts = `
	JOIN users u ON u.id = w.owner_id
	JOIN sources s ON s.workflow_id = w.id
	LEFT JOIN teams t ON t.id = w.team_id
	LEFT JOIN teams ut ON ut.id = u.team_id
	LEFT JOIN outgoing_webhooks o ON o.workflow_id = w.id`

// selectWorkflow reads workflows; each use adds its condition.
const selectWorkflow = `
	SELECT` + workflowColumns + `
	FROM workflows w` + workflowParts

type workflowRow struct {
	ID           string          `db:"id"`
	Name         string          `db:"name"`
	Color        string          `db:"color"`
	Icon         string          `db:"icon"`
	Status       platen.Status   `db:"status"`
	Locale       string          `db:"locale"`
	OrderedBy    string          `db:"ordered_by"`
	AutoCreate   bool            `db:"auto_create"`
	CreatedByAPI bool            `db:"created_by_api"`
	CreatedAt    time.Time       `db:"created_at"`
	UpdatedAt    time.Time       `db:"updated_at"`
	TeamID       *string         `db:"team_id"`
	TeamName     *string         `db:"team_name"`
	OwnerID      string          `db:"owner_id"`
	OwnerName    string          `db:"owner_name"`
	OwnerEmail   string          `db:"owner_email"`
	OwnerTeamID  *string         `db:"owner_team_id"`
	OwnerTeam    *string         `db:"owner_team_name"`
	SourceID     string          `db:"source_id"`
	SourceType   string          `db:"source_type"`
	SourceKey    []byte          `db:"source_key"`
	SourceFields json.RawMessage `db:"source_fields"`
	SourceGiven  bool            `db:"source_fields_given"`

	WebhookID        *string    `db:"webhook_id"`
	WebhookURL       *string    `db:"webhook_url"`
	WebhookSecret    []byte     `db:"webhook_secret"`
	WebhookCreatedAt *time.Time `db:"webhook_created_at"`
	WebhookUpdatedAt *time.Time `db:"webhook_updated_at"`
	WebhookPrevious  []byte     `db:"webhook_previous_secret"`
	WebhookUntil     *time.Time `db:"webhook_previous_until"`
}

func (r workflowRow) workflow(v Vault) (platen.Workflow, error) {
	w := platen.Workflow{
		ID: r.ID, Name: r.Name, Color: r.Color, Icon: r.Icon, Status: r.Status,
		Locale: r.Locale, OrderedBy: r.OrderedBy, AutoCreate: r.AutoCreate, CreatedByAPI: r.CreatedByAPI,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
		Team:   team(r.TeamID, r.TeamName),
		Owner:  platen.User{ID: r.OwnerID, Name: r.OwnerName, Email: r.OwnerEmail, Team: team(r.OwnerTeamID, r.OwnerTeam)},
		Source: platen.Source{ID: r.SourceID, Type: r.SourceType, FieldsGiven: r.SourceGiven},
	}
	var err error
	if w.Source.Key, err = v.OpenText(r.SourceKey, sourceKey, r.SourceID); err != nil {
		return w, err
	}
	if err := json.Unmarshal(r.SourceFields, &w.Source.Fields); err != nil {
		return w, fmt.Errorf("read fields of source %s: %w", r.SourceID, err)
	}
	if r.WebhookID != nil {
		o, err := webhookRow{
			of: liveReceivers, ID: *r.WebhookID, URL: *r.WebhookURL, Secret: r.WebhookSecret,
			CreatedAt: *r.WebhookCreatedAt, UpdatedAt: *r.WebhookUpdatedAt,
			PreviousSecret: r.WebhookPrevious, PreviousUntil: r.WebhookUntil,
		}.webhook(v)
		if err != nil {
			return w, err
		}
		w.OutgoingWebhook = &o
	}
	return w, nil
}

// loadWorkflows runs a query for workflowColumns and adds the documents:
// two statements, however many workflows there are.
func loadWorkflows(ctx context.Context, q Querier, v Vault, sql string, args pgx.NamedArgs) ([]platen.Workflow, error) {
	rows, err := Collect[workflowRow](ctx, q, sql, args)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	documents, err := loadDocuments(ctx, q, v, ids)
	if err != nil {
		return nil, err
	}
	workflows := make([]platen.Workflow, len(rows))
	for i, r := range rows {
		if workflows[i], err = r.workflow(v); err != nil {
			return nil, err
		}
		workflows[i].Documents = documents[r.ID]
	}
	return workflows, nil
}

// loadWorkflow is loadWorkflows for the one that there may be.
func loadWorkflow(ctx context.Context, q Querier, v Vault, sql string, args pgx.NamedArgs) (platen.Workflow, error) {
	found, err := loadWorkflows(ctx, q, v, sql, args)
	if err != nil {
		return platen.Workflow{}, err
	}
	if len(found) == 0 {
		return platen.Workflow{}, platen.ErrWorkflowNotFound()
	}
	return found[0], nil
}

// callerArgs are the arguments of the condition that every query on behalf of a
// caller carries: (w.owner_id = @caller OR w.team_id = @caller_team).
func callerArgs(caller platen.User, workflowID string) pgx.NamedArgs {
	return pgx.NamedArgs{"caller": caller.ID, "caller_team": TeamID(caller.Team), "workflow_id": workflowID}
}

// Workflows returns those of the caller's workflows that q asks for, archived
// ones included, by creation time, then id. The caller's own and the team's are
// read from an index each and no further than the page goes.
func (s *Workflows) Workflows(ctx context.Context, caller platen.User, q platen.WorkflowQuery) ([]platen.Workflow, error) {
	args := pageArgs(q.Page, callerArgs(caller, ""))
	args["statuses"] = q.Statuses
	found, err := loadWorkflows(ctx, s.db.pool, s.db.vault, `
		SELECT`+workflowColumns+`
		FROM (
			(
				SELECT *
				FROM workflows
				WHERE owner_id = @caller AND (created_at, id) > (@after_time::timestamptz, @after_id::text)
					AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
				ORDER BY created_at, id
				LIMIT @limit
			) UNION ALL (
				SELECT *
				FROM workflows
				WHERE team_id = @caller_team AND owner_id <> @caller AND (created_at, id) > (@after_time::timestamptz, @after_id::text)
					AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
				ORDER BY created_at, id
				LIMIT @limit
			)
		) w`+workflowParts+`
		ORDER BY w.created_at, w.id
		LIMIT @limit`, args)
	if err != nil {
		return nil, fmt.Errorf("list workflows of user %s: %w", caller.ID, err)
	}
	return found, nil
}

// Workflow returns one of the caller's workflows.
func (s *Workflows) Workflow(ctx context.Context, caller platen.User, workflowID string) (platen.Workflow, error) {
	w, err := callersWorkflow(ctx, s.db.pool, s.db.vault, caller, workflowID)
	if err != nil {
		return w, fmt.Errorf("read workflow %s: %w", workflowID, err)
	}
	return w, nil
}

func callersWorkflow(ctx context.Context, q Querier, v Vault, caller platen.User, workflowID string) (platen.Workflow, error) {
	return loadWorkflow(ctx, q, v, selectWorkflow+`
		WHERE w.id = @workflow_id AND (w.owner_id = @caller OR w.team_id = @caller_team)`, callerArgs(caller, workflowID))
}

// authorize answers KindNotFound for a workflow that is not there or not the
// caller's.
func authorize(ctx context.Context, q Querier, caller platen.User, workflowID string) error {
	var found bool
	err := q.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT
			FROM workflows w
			WHERE w.id = @workflow_id AND (w.owner_id = @caller OR w.team_id = @caller_team)
		)`, callerArgs(caller, workflowID)).Scan(&found)
	if err == nil && !found {
		return platen.ErrWorkflowNotFound()
	}
	return Classify(err)
}

// WorkflowByID returns a workflow without a caller: for addresses that carry their own
// permission.
func (s *Workflows) WorkflowByID(ctx context.Context, id string) (platen.Workflow, error) {
	w, err := loadWorkflow(ctx, s.db.pool, s.db.vault, selectWorkflow+`
		WHERE w.id = @id`, pgx.NamedArgs{"id": id})
	if err != nil {
		return platen.Workflow{}, fmt.Errorf("read workflow %s: %w", id, err)
	}
	return w, nil
}

// CreateWorkflow stores w with its source, documents and outgoing webhook.
func (s *Workflows) CreateWorkflow(ctx context.Context, w platen.Workflow) error {
	err := s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		return Subject{OwnerID: w.Owner.ID, WorkflowID: w.ID}, s.insertWorkflow(ctx, tx, w)
	})
	if err != nil {
		return fmt.Errorf("create workflow %s: %w", w.ID, err)
	}
	return nil
}

func (s *Workflows) insertWorkflow(ctx context.Context, tx pgx.Tx, w platen.Workflow) error {
	_, err := Execute(ctx, tx, `
			INSERT INTO workflows (id, owner_id, team_id, name, color, icon, status, locale, ordered_by, auto_create, created_by_api, created_at, updated_at)
			VALUES (@id, @owner_id, @team_id, @name, @color, @icon, @status, @locale, @ordered_by, @auto_create, @created_by_api, @created_at, @updated_at)`,
		pgx.NamedArgs{
			"id": w.ID, "owner_id": w.Owner.ID, "team_id": TeamID(w.Team), "name": w.Name, "color": w.Color, "icon": w.Icon,
			"status": w.Status, "locale": w.Locale, "ordered_by": w.OrderedBy, "auto_create": w.AutoCreate, "created_by_api": w.CreatedByAPI,
			"created_at": w.CreatedAt, "updated_at": w.UpdatedAt,
		})
	if err != nil {
		return err
	}
	if err := insertSource(ctx, tx, s.db.vault, w.ID, w.Source); err != nil {
		return err
	}
	for _, d := range w.Documents {
		d.WorkflowID = w.ID
		if err := insertDocument(ctx, tx, s.db.vault, d, documentReady); err != nil {
			return err
		}
	}
	if len(w.Documents) > 0 {
		if err := forgetNotes(ctx, tx, w.Documents); err != nil {
			return err
		}
	}
	if w.OutgoingWebhook == nil {
		return nil
	}
	return insertWebhook(ctx, tx, s.db.vault, w.ID, *w.OutgoingWebhook)
}

// UpdateWorkflow applies change to name, colour, icon, locale and order under a row lock.
func (s *Workflows) UpdateWorkflow(ctx context.Context, caller platen.User, workflowID string, change func(*platen.Workflow) error) (platen.Workflow, error) {
	var w platen.Workflow
	err := s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		var err error
		if w, err = callersWorkflow(ctx, tx, s.db.vault, caller, workflowID); err != nil {
			return err
		}
		changed := w
		if err := change(&changed); err != nil {
			return err
		}
		w.Name, w.Color, w.Icon, w.Locale, w.OrderedBy = changed.Name, changed.Color, changed.Icon, changed.Locale, changed.OrderedBy
		_, err = Execute(ctx, tx, `
			UPDATE workflows
			SET name = @name, color = @color, icon = @icon, locale = @locale, ordered_by = @ordered_by
			WHERE id = @id`,
			pgx.NamedArgs{"id": w.ID, "name": w.Name, "color": w.Color, "icon": w.Icon, "locale": w.Locale, "ordered_by": w.OrderedBy})
		if err != nil {
			return err
		}
		w.UpdatedAt, err = touchWorkflow(ctx, tx, w.ID)
		return err
	})
	if err != nil {
		return platen.Workflow{}, fmt.Errorf("update workflow %s: %w", workflowID, err)
	}
	return w, nil
}

// configure runs change in a transaction that holds the row of one of the
// caller's workflows, so that changes of a workflow and its parts take turns.
// Acceptance is not held up: it reads the row without a lock. The change is what
// ctx says is being done.
func (db *DB) configure(ctx context.Context, caller platen.User, workflowID string, change func(tx pgx.Tx) error) error {
	return db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		return Subject{WorkflowID: workflowID}, whileConfigurable(ctx, tx, caller, workflowID, change)
	})
}

// whileConfigurable runs change while it holds the row of one of the caller's
// workflows that is not archived.
func whileConfigurable(ctx context.Context, tx pgx.Tx, caller platen.User, workflowID string, change func(tx pgx.Tx) error) error {
	status, err := lockWorkflow(ctx, tx, caller, workflowID)
	if err != nil {
		return err
	}
	if status == platen.StatusArchived {
		return platen.ErrWorkflowArchived()
	}
	return change(tx)
}

// lockWorkflow holds the row of one of the caller's workflows.
func lockWorkflow(ctx context.Context, tx pgx.Tx, caller platen.User, workflowID string) (platen.Status, error) {
	type row struct {
		Status platen.Status `db:"status"`
	}
	locked, ok, err := CollectOne[row](ctx, tx, `
		SELECT w.status
		FROM workflows w
		WHERE w.id = @workflow_id AND (w.owner_id = @caller OR w.team_id = @caller_team)
		FOR NO KEY UPDATE`, callerArgs(caller, workflowID))
	if err == nil && !ok {
		err = platen.ErrWorkflowNotFound()
	}
	return locked.Status, err
}

// touchWorkflow moves updated_at by the clock of the database, and forward in
// any case: created_at came from another clock.
func touchWorkflow(ctx context.Context, tx pgx.Tx, workflowID string) (time.Time, error) {
	var at time.Time
	err := tx.QueryRow(ctx, `
		UPDATE workflows
		SET updated_at = greatest(updated_at + interval '1 microsecond', clock_timestamp())
		WHERE id = @id
		RETURNING updated_at`, pgx.NamedArgs{"id": workflowID}).Scan(&at)
	return at.UTC(), Classify(err)
}

// ArchiveWorkflow works from any state; archiving twice is no error and
// changes nothing. allowed, where there is one, sees the workflow under its row
// lock and its error keeps it as it is.
func (s *Workflows) ArchiveWorkflow(ctx context.Context, caller platen.User, workflowID string, allowed func(platen.Workflow) error) error {
	err := s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		archived := Subject{WorkflowID: workflowID}
		// A statement of its own locks: what the next ones see is what is locked.
		if _, err := lockWorkflow(ctx, tx, caller, workflowID); err != nil {
			return archived, err
		}
		if allowed != nil {
			w, err := callersWorkflow(ctx, tx, s.db.vault, caller, workflowID)
			if err != nil {
				return archived, err
			}
			if err := allowed(w); err != nil {
				return archived, err
			}
		}
		_, err := Execute(ctx, tx, `
			UPDATE workflows
			SET status = 'ARCHIVED', updated_at = greatest(updated_at + interval '1 microsecond', clock_timestamp())
			WHERE id = @id AND status <> 'ARCHIVED'`, pgx.NamedArgs{"id": workflowID})
		return archived, err
	})
	if err != nil {
		return fmt.Errorf("archive workflow %s: %w", workflowID, err)
	}
	return nil
}
