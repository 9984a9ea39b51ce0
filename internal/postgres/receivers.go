package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Receivers is the store of workflows' receivers beside their outgoing webhooks.
type Receivers struct{ db *DB }

const selectReceiver = `
	SELECT r.id, r.workflow_id, w.owner_id, r.name, r.url, r.events, r.condition, r.secret, r.previous_secret, r.previous_until, r.created_at, r.updated_at
	FROM receivers r
	JOIN workflows w ON w.id = r.workflow_id`

type receiverRow struct {
	WorkflowID string   `db:"workflow_id"`
	OwnerID    string   `db:"owner_id"`
	Name       string   `db:"name"`
	Events     []string `db:"events"`
	Condition  string   `db:"condition"`
	webhookRow
}

func (r receiverRow) receiver(v Vault) (platen.Receiver, error) {
	r.of = furtherReceivers
	o, err := r.webhook(v)
	return platen.Receiver{OutgoingWebhook: o, WorkflowID: r.WorkflowID, OwnerID: r.OwnerID, Name: r.Name, Events: r.Events, When: r.Condition}, err
}

func collectReceivers(ctx context.Context, q Querier, v Vault, where string, args pgx.NamedArgs) ([]platen.Receiver, error) {
	rows, err := Collect[receiverRow](ctx, q, selectReceiver+where, args)
	if err != nil {
		return nil, err
	}
	all := make([]platen.Receiver, len(rows))
	for i, r := range rows {
		if all[i], err = r.receiver(v); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func workflowReceivers(ctx context.Context, q Querier, v Vault, workflowID string) ([]platen.Receiver, error) {
	return collectReceivers(ctx, q, v, `
	WHERE r.workflow_id = @workflow_id
	ORDER BY r.created_at, r.id`, pgx.NamedArgs{"workflow_id": workflowID})
}

func findReceiver(ctx context.Context, q Querier, v Vault, workflowID, receiverID string) (platen.Receiver, error) {
	found, err := collectReceivers(ctx, q, v, `
	WHERE r.id = @id AND r.workflow_id = @workflow_id`, pgx.NamedArgs{"id": receiverID, "workflow_id": workflowID})
	if err == nil && len(found) == 0 {
		err = platen.ErrReceiverNotFound()
	}
	if err != nil {
		return platen.Receiver{}, err
	}
	return found[0], nil
}

// Receivers returns those of one of the caller's workflows, by creation time.
func (s *Receivers) Receivers(ctx context.Context, caller platen.User, workflowID string) ([]platen.Receiver, error) {
	all, err := []platen.Receiver(nil), authorize(ctx, s.db.pool, caller, workflowID)
	if err == nil {
		all, err = workflowReceivers(ctx, s.db.pool, s.db.vault, workflowID)
	}
	if err != nil {
		return nil, fmt.Errorf("list the receivers of workflow %s: %w", workflowID, err)
	}
	return all, nil
}

// Receiver answers KindNotFound with code "receiver_not_found" for one that the workflow does
// not have.
func (s *Receivers) Receiver(ctx context.Context, caller platen.User, workflowID, receiverID string) (r platen.Receiver, err error) {
	if err = authorize(ctx, s.db.pool, caller, workflowID); err == nil {
		r, err = findReceiver(ctx, s.db.pool, s.db.vault, workflowID, receiverID)
	}
	if err != nil {
		return platen.Receiver{}, fmt.Errorf("read receiver %s: %w", receiverID, err)
	}
	return r, nil
}

// CreateReceiver answers KindInvalid with code "too_many_receivers" beyond platen.MaxReceivers,
// and with code "receiver_name_taken" for a second one of its name. It enables the endpoint, too:
// an address that is given is meant.
func (s *Receivers) CreateReceiver(ctx context.Context, caller platen.User, r platen.Receiver) (platen.Receiver, error) {
	err := s.configure(ctx, caller, r.WorkflowID, r.ID, func(tx pgx.Tx) error {
		var n int
		if err := tx.QueryRow(ctx, `
			SELECT count(*)
			FROM receivers
			WHERE workflow_id = @workflow_id`, pgx.NamedArgs{"workflow_id": r.WorkflowID}).Scan(&n); err != nil {
			return Classify(err)
		}
		if n >= platen.MaxReceivers {
			return platen.Errorf(platen.KindInvalid, "too_many_receivers", "The workflow has %d receivers, and may have no more. Delete one first.", n)
		}
		err := refuseTestAddress(ctx, tx, r)
		if err != nil {
			return err
		}
		if r.CreatedAt, err = touchWorkflow(ctx, tx, r.WorkflowID); err != nil {
			return err
		}
		r.UpdatedAt = r.CreatedAt
		if err := s.write(ctx, tx, r); err != nil {
			return err
		}
		return enableEndpoint(ctx, tx, platen.EndpointKey{OwnerID: r.OwnerID, URL: r.URL})
	})
	if err != nil {
		return platen.Receiver{}, fmt.Errorf("create a receiver of workflow %s: %w", r.WorkflowID, err)
	}
	return r, nil
}

// UpdateReceiver applies change under the lock of the workflow. Id, owner and creation time stay.
func (s *Receivers) UpdateReceiver(ctx context.Context, caller platen.User, workflowID, receiverID string, change func(*platen.Receiver) error) (r platen.Receiver, err error) {
	err = s.configure(ctx, caller, workflowID, receiverID, func(tx pgx.Tx) error {
		stored, err := findReceiver(ctx, tx, s.db.vault, workflowID, receiverID)
		if err != nil {
			return err
		}
		r = stored
		if err := change(&r); err != nil {
			return err
		}
		r.ID, r.WorkflowID, r.OwnerID, r.CreatedAt = stored.ID, stored.WorkflowID, stored.OwnerID, stored.CreatedAt
		if r.URL != stored.URL {
			if err := refuseTestAddress(ctx, tx, r); err != nil {
				return err
			}
		}
		if r.UpdatedAt, err = touchWorkflow(ctx, tx, workflowID); err != nil {
			return err
		}
		return s.write(ctx, tx, r)
	})
	if err != nil {
		return platen.Receiver{}, fmt.Errorf("update receiver %s: %w", receiverID, err)
	}
	return r, nil
}

// refuseTestAddress answers KindInvalid with code "test_receiver_live" for a receiver with the
// address of the workflow's test receiver: it would get events that are no tests.
func refuseTestAddress(ctx context.Context, tx pgx.Tx, r platen.Receiver) error {
	n, err := Execute(ctx, tx, `
		SELECT FROM test_receivers
		WHERE workflow_id = @workflow_id AND url = @url`, pgx.NamedArgs{"workflow_id": r.WorkflowID, "url": r.URL})
	if err == nil && n > 0 {
		err = platen.ErrReceiverOfTests()
	}
	return err
}

// DeleteReceiver takes a receiver away, with its secrets. Its events stay; those that were HELD
// are FAILED, and those that are PENDING fail at their next attempt. allowed sees the receiver under the lock of the
// workflow, and its error keeps it.
func (s *Receivers) DeleteReceiver(ctx context.Context, caller platen.User, workflowID, receiverID string, allowed func(platen.Receiver) error) error {
	err := s.configure(ctx, caller, workflowID, receiverID, func(tx pgx.Tx) error {
		r, err := findReceiver(ctx, tx, s.db.vault, workflowID, receiverID)
		if err == nil {
			err = allowed(r)
		}
		if err != nil {
			return err
		}
		if _, err := Execute(ctx, tx, `
			DELETE FROM receivers
			WHERE id = @id`, pgx.NamedArgs{"id": r.ID}); err != nil {
			return err
		}
		// What was held for it has nowhere to go.
		if _, err := Execute(ctx, tx, `
			UPDATE events
			SET state = 'FAILED', reason = ''
			WHERE workflow_id = @workflow_id AND receiver_id = @id AND state = 'HELD'`, pgx.NamedArgs{"workflow_id": workflowID, "id": r.ID}); err != nil {
			return err
		}
		_, err = touchWorkflow(ctx, tx, workflowID)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete receiver %s: %w", receiverID, err)
	}
	return nil
}

// ReceiverState returns what is known of the endpoint of a receiver, and how many of its events
// are HELD.
func (s *Receivers) ReceiverState(ctx context.Context, caller platen.User, workflowID, receiverID string) (platen.EndpointState, int, error) {
	state, held, err := s.db.Endpoints.state(ctx, caller, workflowID, destination{receiverID: receiverID})
	if err != nil {
		return platen.EndpointState{}, 0, fmt.Errorf("read the endpoint of receiver %s: %w", receiverID, err)
	}
	return state, held, nil
}

// EnableReceiver lets events go to the address of a receiver again, if that is still url. Callers
// have set the address or seen a test pass.
func (s *Receivers) EnableReceiver(ctx context.Context, caller platen.User, workflowID, receiverID, url string) error {
	if err := s.db.Endpoints.enable(ctx, caller, workflowID, destination{receiverID: receiverID}, url); err != nil {
		return fmt.Errorf("enable the endpoint of receiver %s: %w", receiverID, err)
	}
	return nil
}

func (s *Receivers) configure(ctx context.Context, caller platen.User, workflowID, receiverID string, change func(tx pgx.Tx) error) error {
	return s.db.InAct(ctx, func(tx pgx.Tx) (Subject, error) {
		return Subject{WorkflowID: workflowID, ObjectID: receiverID}, whileConfigurable(ctx, tx, caller, workflowID, change)
	})
}

func (s *Receivers) write(ctx context.Context, tx pgx.Tx, r platen.Receiver) error {
	secret, previous, err := furtherReceivers.seal(s.db.vault, r.OutgoingWebhook)
	if err != nil {
		return err
	}
	var until *time.Time
	if previous != nil {
		until = &r.PreviousUntil
	}
	_, err = Execute(ctx, tx, `
		INSERT INTO receivers (id, workflow_id, name, url, events, condition, secret, previous_secret, previous_until, created_at, updated_at)
		VALUES (@id, @workflow_id, @name, @url, @events, @condition, @secret, @previous_secret, @previous_until, @created_at, @updated_at)
		ON CONFLICT (id) DO UPDATE
		SET name = excluded.name, url = excluded.url, events = excluded.events, condition = excluded.condition, secret = excluded.secret,
			previous_secret = excluded.previous_secret, previous_until = excluded.previous_until, updated_at = excluded.updated_at`,
		pgx.NamedArgs{
			"id": r.ID, "workflow_id": r.WorkflowID, "name": r.Name, "url": r.URL, "events": r.Events, "condition": r.When, "secret": secret,
			"previous_secret": previous, "previous_until": until, "created_at": r.CreatedAt, "updated_at": r.UpdatedAt,
		})
	if IsUniqueViolation(err, "receivers_workflow_id_name_key") {
		return platen.Errorf(platen.KindInvalid, "receiver_name_taken", "Another receiver of the workflow has this name.")
	}
	return err
}
