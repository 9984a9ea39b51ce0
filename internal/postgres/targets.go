package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Targets is the store of targets, and of what they have of outputs.
type Targets struct{ db *DB }

const targetSecret = "targets.secret"

// targetJSON is what is stored of a target beside its secret. Its names are for ever.
type targetJSON struct {
	Kind       platen.TargetKind `json:"kind"`
	URL        string            `json:"url"`
	Path       string            `json:"path,omitempty"`
	When       string            `json:"when,omitempty"`
	Office     bool              `json:"office,omitempty"`
	Sidecar    bool              `json:"sidecar,omitempty"`
	User       string            `json:"user,omitempty"`
	HostKey    string            `json:"hostKey,omitempty"`
	Region     string            `json:"region,omitempty"`
	Encryption string            `json:"encryption,omitempty"`
	KMSKey     string            `json:"kmsKey,omitempty"`
	LockMode   string            `json:"lockMode,omitempty"`
	LockDays   int               `json:"lockDays,omitempty"`
}

const selectTarget = `
	SELECT t.id, t.workflow_id, w.owner_id, t.name, t.settings, t.secret, t.created_at, t.updated_at, greatest(t.updated_at, t.tested_at) AS checked_at
	FROM targets t
	JOIN workflows w ON w.id = t.workflow_id`

type targetRow struct {
	ID         string          `db:"id"`
	WorkflowID string          `db:"workflow_id"`
	OwnerID    string          `db:"owner_id"`
	Name       string          `db:"name"`
	Settings   json.RawMessage `db:"settings"`
	Secret     []byte          `db:"secret"`
	CreatedAt  time.Time       `db:"created_at"`
	UpdatedAt  time.Time       `db:"updated_at"`
	CheckedAt  time.Time       `db:"checked_at"`
}

func (r targetRow) target(v Vault) (platen.Target, error) {
	var j targetJSON
	if err := json.Unmarshal(r.Settings, &j); err != nil {
		return platen.Target{}, fmt.Errorf("read the settings of target %s: %w", r.ID, err)
	}
	secret, err := v.OpenText(r.Secret, targetSecret, r.ID)
	return platen.Target{
		ID: r.ID, WorkflowID: r.WorkflowID, OwnerID: r.OwnerID, Name: r.Name, Kind: j.Kind, URL: j.URL, Path: j.Path, When: j.When, Office: j.Office, Sidecar: j.Sidecar,
		User: j.User, Secret: platen.Secret(secret), HostKey: j.HostKey, Region: j.Region, Encryption: j.Encryption, KMSKey: j.KMSKey, LockMode: j.LockMode, LockDays: j.LockDays,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), CheckedAt: r.CheckedAt.UTC(),
	}, err
}

func collectTargets(ctx context.Context, q Querier, v Vault, where string, args pgx.NamedArgs) ([]platen.Target, error) {
	rows, err := Collect[targetRow](ctx, q, selectTarget+where, args)
	if err != nil {
		return nil, err
	}
	all := make([]platen.Target, len(rows))
	for i, r := range rows {
		if all[i], err = r.target(v); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func workflowTargets(ctx context.Context, q Querier, v Vault, workflowID string) ([]platen.Target, error) {
	return collectTargets(ctx, q, v, `
	WHERE t.workflow_id = @workflow_id
	ORDER BY t.created_at, t.id`, pgx.NamedArgs{"workflow_id": workflowID})
}

func findTarget(ctx context.Context, q Querier, v Vault, workflowID, targetID string) (platen.Target, error) {
	found, err := collectTargets(ctx, q, v, `
	WHERE t.id = @id AND t.workflow_id = @workflow_id`, pgx.NamedArgs{"id": targetID, "workflow_id": workflowID})
	if err == nil && len(found) == 0 {
		err = platen.ErrTargetNotFound()
	}
	if err != nil {
		return platen.Target{}, err
	}
	return found[0], nil
}

// Targets returns those of one of the caller's workflows, by creation time.
func (s *Targets) Targets(ctx context.Context, caller platen.User, workflowID string) ([]platen.Target, error) {
	all, err := []platen.Target(nil), authorize(ctx, s.db.pool, caller, workflowID)
	if err == nil {
		all, err = workflowTargets(ctx, s.db.pool, s.db.vault, workflowID)
	}
	if err != nil {
		return nil, fmt.Errorf("list the targets of workflow %s: %w", workflowID, err)
	}
	return all, nil
}

// Target answers KindNotFound with code "target_not_found" for one that the workflow does
// not have.
func (s *Targets) Target(ctx context.Context, caller platen.User, workflowID, targetID string) (t platen.Target, err error) {
	if err = authorize(ctx, s.db.pool, caller, workflowID); err == nil {
		t, err = findTarget(ctx, s.db.pool, s.db.vault, workflowID, targetID)
	}
	if err != nil {
		return platen.Target{}, fmt.Errorf("read target %s: %w", targetID, err)
	}
	return t, nil
}

// CreateTarget answers KindInvalid with code "too_many_targets" beyond platen.MaxTargets,
// and with code "target_name_taken" for a second one of its name.
func (s *Targets) CreateTarget(ctx context.Context, caller platen.User, t platen.Target) (platen.Target, error) {
	err := s.configure(ctx, caller, t.WorkflowID, t.ID, func(tx pgx.Tx) error {
		var n int
		if err := tx.QueryRow(ctx, `
			SELECT count(*)
			FROM targets
			WHERE workflow_id = @workflow_id`, pgx.NamedArgs{"workflow_id": t.WorkflowID}).Scan(&n); err != nil {
			return Classify(err)
		}
		if n >= platen.MaxTargets {
			return platen.Errorf(platen.KindInvalid, "too_many_targets", "The workflow has %d targets, and may have no more. Delete one first.", n)
		}
		var err error
		if t.CreatedAt, err = touchWorkflow(ctx, tx, t.WorkflowID); err != nil {
			return err
		}
		t.UpdatedAt, t.CheckedAt = t.CreatedAt, t.CreatedAt
		return s.write(ctx, tx, t)
	})
	if err != nil {
		return platen.Target{}, fmt.Errorf("create a target of workflow %s: %w", t.WorkflowID, err)
	}
	return t, nil
}

// UpdateTarget applies change under the lock of the workflow. Id, owner and times stay.
func (s *Targets) UpdateTarget(ctx context.Context, caller platen.User, workflowID, targetID string, change func(*platen.Target) error) (t platen.Target, err error) {
	err = s.configure(ctx, caller, workflowID, targetID, func(tx pgx.Tx) error {
		stored, err := findTarget(ctx, tx, s.db.vault, workflowID, targetID)
		if err != nil {
			return err
		}
		t = stored
		if err := change(&t); err != nil {
			return err
		}
		t.ID, t.WorkflowID, t.OwnerID, t.CreatedAt = stored.ID, stored.WorkflowID, stored.OwnerID, stored.CreatedAt
		if t.UpdatedAt, err = touchWorkflow(ctx, tx, workflowID); err != nil {
			return err
		}
		return s.write(ctx, tx, t)
	})
	if err != nil {
		return platen.Target{}, fmt.Errorf("update target %s: %w", targetID, err)
	}
	return t, nil
}

// NoteTested notes that a test of a target of one of the caller's workflows succeeded: workers
// that leave it alone go on.
func (s *Targets) NoteTested(ctx context.Context, caller platen.User, workflowID, targetID string) error {
	err := authorize(ctx, s.db.pool, caller, workflowID)
	if err == nil {
		_, err = Execute(ctx, s.db.pool, `
			UPDATE targets
			SET tested_at = now()
			WHERE id = @id AND workflow_id = @workflow_id`, pgx.NamedArgs{"id": targetID, "workflow_id": workflowID})
	}
	if err != nil {
		return fmt.Errorf("note a test of target %s: %w", targetID, err)
	}
	return nil
}

// DeleteTarget takes a target away, with its credentials. What it has stays there, and so do
// the receipts; what waits to be stored is FAILED when it is tried. allowed sees the target
// under the lock of the workflow, and its error keeps it.
func (s *Targets) DeleteTarget(ctx context.Context, caller platen.User, workflowID, targetID string, allowed func(platen.Target) error) error {
	err := s.configure(ctx, caller, workflowID, targetID, func(tx pgx.Tx) error {
		t, err := findTarget(ctx, tx, s.db.vault, workflowID, targetID)
		if err == nil {
			err = allowed(t)
		}
		if err != nil {
			return err
		}
		if _, err := Execute(ctx, tx, `
			DELETE FROM targets
			WHERE id = @id`, pgx.NamedArgs{"id": t.ID}); err != nil {
			return err
		}
		_, err = touchWorkflow(ctx, tx, workflowID)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete target %s: %w", targetID, err)
	}
	return nil
}

func (s *Targets) configure(ctx context.Context, caller platen.User, workflowID, targetID string, change func(tx pgx.Tx) error) error {
	return s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		return Subject{WorkflowID: workflowID, ObjectID: targetID}, whileConfigurable(ctx, tx, caller, workflowID, change)
	})
}

func (s *Targets) write(ctx context.Context, tx pgx.Tx, t platen.Target) error {
	settings, err := json.Marshal(targetJSON{
		Kind: t.Kind, URL: t.URL, Path: t.Path, When: t.When, Office: t.Office, Sidecar: t.Sidecar, User: t.User, HostKey: t.HostKey, Region: t.Region,
		Encryption: t.Encryption, KMSKey: t.KMSKey, LockMode: t.LockMode, LockDays: t.LockDays,
	})
	if err != nil {
		return err
	}
	secret, err := s.db.vault.SealText(string(t.Secret), targetSecret, t.ID)
	if err != nil {
		return err
	}
	_, err = Execute(ctx, tx, `
		INSERT INTO targets (id, workflow_id, name, settings, secret, created_at, updated_at)
		VALUES (@id, @workflow_id, @name, @settings, @secret, @created_at, @updated_at)
		ON CONFLICT (id) DO UPDATE
		SET name = excluded.name, settings = excluded.settings, secret = excluded.secret, updated_at = excluded.updated_at`,
		pgx.NamedArgs{"id": t.ID, "workflow_id": t.WorkflowID, "name": t.Name, "settings": string(settings), "secret": secret, "created_at": t.CreatedAt, "updated_at": t.UpdatedAt})
	if IsUniqueViolation(err, "targets_workflow_id_name_key") {
		return platen.Errorf(platen.KindInvalid, "target_name_taken", "Another target of the workflow has this name.")
	}
	return err
}
