package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// Webhooks is the store of workflows' outgoing webhooks.
type Webhooks struct{ db *DB }

const (
	webhookSecret         = "outgoing_webhooks.secret"
	webhookPreviousSecret = "outgoing_webhooks.previous_secret"
)

type webhookRow struct {
	ID        string    `db:"id"`
	URL       string    `db:"url"`
	Secret    []byte    `db:"secret"`
	CreatedAt time.Time `db:"created_at"`
	UpdatedAt time.Time `db:"updated_at"`

	PreviousSecret []byte     `db:"previous_secret"`
	PreviousUntil  *time.Time `db:"previous_until"`

	of receiverTable
}

func (r webhookRow) webhook(v Vault) (platen.OutgoingWebhook, error) {
	of := r.of
	o := platen.OutgoingWebhook{ID: r.ID, URL: r.URL, Test: of.test, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC()}
	secret, err := v.OpenText(r.Secret, of.secret, r.ID)
	if err != nil {
		return o, err
	}
	if r.PreviousUntil != nil {
		o.PreviousUntil = r.PreviousUntil.UTC()
	}
	previous, err := v.OpenText(r.PreviousSecret, of.previousSecret, r.ID)
	o.Secret, o.PreviousSecret = platen.Secret(secret), platen.Secret(previous)
	return o, err
}

func loadWebhook(ctx context.Context, q Querier, v Vault, workflowID string, test bool) (platen.OutgoingWebhook, bool, error) {
	r, ok, err := CollectOne[webhookRow](ctx, q, `
		SELECT id, url, secret, created_at, updated_at, previous_secret, previous_until
		FROM `+receiversOf(test).table+`
		WHERE workflow_id = @workflow_id`,
		pgx.NamedArgs{"workflow_id": workflowID})
	if err != nil || !ok {
		return platen.OutgoingWebhook{}, false, err
	}
	r.of = receiversOf(test)
	o, err := r.webhook(v)
	return o, true, err
}

// insertWebhook enables the endpoint, too: an address that is given is meant.
func insertWebhook(ctx context.Context, q Querier, v Vault, workflowID string, o platen.OutgoingWebhook) error {
	of := receiversOf(o.Test)
	sealed, err := v.SealText(string(o.Secret), of.secret, o.ID)
	if err != nil {
		return err
	}
	_, err = Execute(ctx, q, `
		INSERT INTO `+of.table+` (id, workflow_id, url, secret, created_at, updated_at)
		VALUES (@id, @workflow_id, @url, @secret, @created_at, @updated_at)`,
		pgx.NamedArgs{
			"id": o.ID, "workflow_id": workflowID, "url": o.URL, "secret": sealed,
			"created_at": o.CreatedAt, "updated_at": o.UpdatedAt,
		})
	if IsUniqueViolation(err, "outgoing_webhooks_workflow_id_key") {
		return platen.ErrOutgoingWebhookExists()
	}
	if err != nil {
		return fmt.Errorf("insert outgoing webhook %s: %w", o.ID, err)
	}
	type row struct {
		OwnerID string `db:"owner_id"`
	}
	r, _, err := CollectOne[row](ctx, q, `
		SELECT owner_id
		FROM workflows
		WHERE id = @id`, pgx.NamedArgs{"id": workflowID})
	if err == nil {
		err = enableEndpoint(ctx, q, platen.EndpointKey{OwnerID: r.OwnerID, URL: o.URL, Test: o.Test})
	}
	if err != nil {
		return fmt.Errorf("enable the endpoint of outgoing webhook %s: %w", o.ID, err)
	}
	return nil
}

// OutgoingWebhook answers KindNotFound with code "outgoing_webhook_not_found"
// when the workflow has none.
func (s *Webhooks) OutgoingWebhook(ctx context.Context, caller platen.User, workflowID string) (platen.OutgoingWebhook, error) {
	w, err := callersWorkflow(ctx, s.db.pool, s.db.vault, caller, workflowID)
	if err == nil && w.OutgoingWebhook == nil {
		err = platen.ErrOutgoingWebhookNotFound()
	}
	if err != nil {
		return platen.OutgoingWebhook{}, fmt.Errorf("read outgoing webhook of workflow %s: %w", workflowID, err)
	}
	return *w.OutgoingWebhook, nil
}

// CreateOutgoingWebhook answers KindInvalid with code
// "outgoing_webhook_exists" when there is one. Times are o's.
func (s *Webhooks) CreateOutgoingWebhook(ctx context.Context, caller platen.User, workflowID string, o platen.OutgoingWebhook) error {
	err := s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		if err := insertWebhook(ctx, tx, s.db.vault, workflowID, o); err != nil {
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

// UpdateOutgoingWebhook applies change to address and secrets under a row lock.
func (s *Webhooks) UpdateOutgoingWebhook(ctx context.Context, caller platen.User, workflowID string, change func(*platen.OutgoingWebhook) error) (platen.OutgoingWebhook, error) {
	var o platen.OutgoingWebhook
	err := s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		stored, ok, err := loadWebhook(ctx, tx, s.db.vault, workflowID, false)
		if err != nil {
			return err
		}
		if !ok {
			return platen.ErrOutgoingWebhookNotFound()
		}
		o = stored
		if err := change(&o); err != nil {
			return err
		}
		o.ID, o.CreatedAt = stored.ID, stored.CreatedAt
		if o.UpdatedAt, err = touchWorkflow(ctx, tx, workflowID); err != nil {
			return err
		}
		return storeWebhook(ctx, tx, s.db.vault, o)
	})
	if err != nil {
		return platen.OutgoingWebhook{}, fmt.Errorf("update outgoing webhook of workflow %s: %w", workflowID, err)
	}
	return o, nil
}

func storeWebhook(ctx context.Context, tx pgx.Tx, v Vault, o platen.OutgoingWebhook) error {
	of := receiversOf(o.Test)
	sealed, previous, err := of.seal(v, o)
	if err != nil {
		return err
	}
	var until *time.Time
	if previous != nil {
		until = &o.PreviousUntil
	}
	_, err = Execute(ctx, tx, `
		UPDATE `+of.table+`
		SET url = @url, secret = @secret, previous_secret = @previous_secret, previous_until = @previous_until, updated_at = @updated_at
		WHERE id = @id`,
		pgx.NamedArgs{
			"id": o.ID, "url": o.URL, "secret": sealed, "previous_secret": previous, "previous_until": until, "updated_at": o.UpdatedAt,
		})
	return err
}

// DeleteOutgoingWebhook removes the outgoing webhook with its secrets. Events
// that were not delivered by then fail at their next attempt. allowed sees it
// while its workflow's row is held, and its error keeps it.
func (s *Webhooks) DeleteOutgoingWebhook(ctx context.Context, caller platen.User, workflowID string, allowed func(platen.OutgoingWebhook) error) error {
	if err := s.deleteReceiver(ctx, caller, workflowID, false, allowed); err != nil {
		return fmt.Errorf("delete outgoing webhook of workflow %s: %w", workflowID, err)
	}
	return nil
}

func (s *Webhooks) deleteReceiver(ctx context.Context, caller platen.User, workflowID string, test bool, allowed func(platen.OutgoingWebhook) error) error {
	return s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		o, ok, err := loadWebhook(ctx, tx, s.db.vault, workflowID, test)
		if err == nil && !ok {
			err = receiversOf(test).notFound()
		}
		if err == nil {
			err = allowed(o)
		}
		if err != nil {
			return err
		}
		_, err = Execute(ctx, tx, `
			DELETE FROM `+receiversOf(test).table+`
			WHERE id = @id`, pgx.NamedArgs{"id": o.ID})
		if err != nil {
			return err
		}
		_, err = touchWorkflow(ctx, tx, workflowID)
		return err
	})
}
