package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen"
)

const webhookSecret = "outgoing_webhooks.secret"

type webhookRow struct {
	ID        string    `db:"id"`
	URL       string    `db:"url"`
	Secret    []byte    `db:"secret"`
	CreatedAt time.Time `db:"created_at"`
	UpdatedAt time.Time `db:"updated_at"`
}

func (s *Store) webhook(r webhookRow) (platen.OutgoingWebhook, error) {
	secret, err := s.open(r.Secret, webhookSecret, r.ID)
	return platen.OutgoingWebhook{
		ID: r.ID, URL: r.URL, Secret: secret, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}, err
}

func (s *Store) loadWebhook(ctx context.Context, q querier, workflowID string) (platen.OutgoingWebhook, bool, error) {
	r, ok, err := collectOne[webhookRow](ctx, q, `
		SELECT id, url, secret, created_at, updated_at
		FROM outgoing_webhooks
		WHERE workflow_id = @workflow_id`,
		pgx.NamedArgs{"workflow_id": workflowID})
	if err != nil || !ok {
		return platen.OutgoingWebhook{}, false, err
	}
	o, err := s.webhook(r)
	return o, true, err
}

func (s *Store) insertWebhook(ctx context.Context, q querier, workflowID string, o platen.OutgoingWebhook) error {
	sealed, err := s.seal(o.Secret, webhookSecret, o.ID)
	if err != nil {
		return err
	}
	_, err = execute(ctx, q, `
		INSERT INTO outgoing_webhooks (id, workflow_id, url, secret, created_at, updated_at)
		VALUES (@id, @workflow_id, @url, @secret, @created_at, @updated_at)`,
		pgx.NamedArgs{
			"id": o.ID, "workflow_id": workflowID, "url": o.URL, "secret": sealed,
			"created_at": o.CreatedAt, "updated_at": o.UpdatedAt,
		})
	if uniqueViolation(err, "outgoing_webhooks_workflow_id_key") {
		return platen.Errorf(platen.KindInvalid, "outgoing_webhook_exists",
			"the workflow has an outgoing webhook: change it with PATCH")
	}
	if err != nil {
		return fmt.Errorf("insert outgoing webhook %s: %w", o.ID, err)
	}
	return nil
}

func errWebhookNotFound() error {
	return platen.Errorf(platen.KindNotFound, "outgoing_webhook_not_found", "the workflow has no outgoing webhook: create one with POST")
}

// OutgoingWebhook answers KindNotFound with code "outgoing_webhook_not_found"
// when the workflow has none.
func (s *Store) OutgoingWebhook(ctx context.Context, caller platen.User, workflowID string) (platen.OutgoingWebhook, error) {
	w, err := s.callersWorkflow(ctx, s.pool, caller, workflowID)
	if err == nil && w.OutgoingWebhook == nil {
		err = errWebhookNotFound()
	}
	if err != nil {
		return platen.OutgoingWebhook{}, fmt.Errorf("read outgoing webhook of workflow %s: %w", workflowID, err)
	}
	return *w.OutgoingWebhook, nil
}

// CreateOutgoingWebhook answers KindInvalid with code
// "outgoing_webhook_exists" when there is one. Times are o's.
func (s *Store) CreateOutgoingWebhook(ctx context.Context, caller platen.User, workflowID string, o platen.OutgoingWebhook) error {
	err := s.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		if err := s.insertWebhook(ctx, tx, workflowID, o); err != nil {
			return err
		}
		_, err := touchWorkflow(ctx, tx, workflowID)
		return err
	})
	if err != nil {
		return fmt.Errorf("create outgoing webhook of workflow %s: %w", workflowID, err)
	}
	return nil
}

// UpdateOutgoingWebhook applies change to address and secret under a row lock.
func (s *Store) UpdateOutgoingWebhook(ctx context.Context, caller platen.User, workflowID string, change func(*platen.OutgoingWebhook) error) (platen.OutgoingWebhook, error) {
	var o platen.OutgoingWebhook
	err := s.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		stored, ok, err := s.loadWebhook(ctx, tx, workflowID)
		if err != nil {
			return err
		}
		if !ok {
			return errWebhookNotFound()
		}
		o = stored
		if err := change(&o); err != nil {
			return err
		}
		o.ID, o.CreatedAt = stored.ID, stored.CreatedAt
		if o.UpdatedAt, err = touchWorkflow(ctx, tx, workflowID); err != nil {
			return err
		}
		sealed, err := s.seal(o.Secret, webhookSecret, o.ID)
		if err != nil {
			return err
		}
		_, err = execute(ctx, tx, `
			UPDATE outgoing_webhooks
			SET url = @url, secret = @secret, updated_at = @updated_at
			WHERE id = @id`,
			pgx.NamedArgs{"id": o.ID, "url": o.URL, "secret": sealed, "updated_at": o.UpdatedAt})
		return err
	})
	if err != nil {
		return platen.OutgoingWebhook{}, fmt.Errorf("update outgoing webhook of workflow %s: %w", workflowID, err)
	}
	return o, nil
}
