package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// A receiverTable holds where events of workflows go: to the outgoing webhook, those of tests,
// or those for further receivers. All have the columns of the first.
type receiverTable struct {
	table                  string
	test                   bool
	secret, previousSecret string // the contexts of what is sealed
	notFound               func() error
}

var (
	liveReceivers    = receiverTable{"outgoing_webhooks", false, webhookSecret, webhookPreviousSecret, platen.ErrOutgoingWebhookNotFound}
	testReceivers    = receiverTable{"test_receivers", true, "test_receivers.secret", "test_receivers.previous_secret", platen.ErrTestReceiverNotFound}
	furtherReceivers = receiverTable{"receivers", false, "receivers.secret", "receivers.previous_secret", platen.ErrReceiverNotFound}
)

// seal seals the secrets of one, as its row has them.
func (t receiverTable) seal(v Vault, o platen.OutgoingWebhook) (secret, previous []byte, err error) {
	if secret, err = v.SealText(string(o.Secret), t.secret, o.ID); err == nil {
		previous, err = v.SealText(string(o.PreviousSecret), t.previousSecret, o.ID)
	}
	return secret, previous, err
}

func receiversOf(test bool) receiverTable {
	if test {
		return testReceivers
	}
	return liveReceivers
}

// allReceivers are the three tables, as a list to join with. Of a workflow whose test receiver
// has the address of another one, tests go nowhere.
const allReceivers = `(
			SELECT false AS test, '' AS receiver_id, o.id, o.workflow_id, o.url, o.secret, o.previous_secret, o.previous_until
			FROM outgoing_webhooks o
			UNION ALL
			SELECT false, r.id, r.id, r.workflow_id, r.url, r.secret, r.previous_secret, r.previous_until
			FROM receivers r
			UNION ALL
			SELECT true, '', t.id, t.workflow_id, t.url, t.secret, t.previous_secret, t.previous_until
			FROM test_receivers t
			WHERE NOT EXISTS (SELECT FROM outgoing_webhooks l WHERE l.workflow_id = t.workflow_id AND l.url = t.url)
				AND NOT EXISTS (SELECT FROM receivers l WHERE l.workflow_id = t.workflow_id AND l.url = t.url)
		)`

// tests is the condition, behind others, for what belongs to tests or to none.
func tests(column string, test bool) string {
	if test {
		return " AND " + column
	}
	return " AND " + column + " IS NOT TRUE"
}

// testsOrByID is tests, but for a list that is asked for by ids: it has tests beside others.
func testsOrByID(column string, test bool, ids []string) string {
	if len(ids) > 0 && !test {
		return ""
	}
	return tests(column, test)
}

// TestReceiver answers KindNotFound with code "test_receiver_not_found" when the workflow
// has none.
func (s *Webhooks) TestReceiver(ctx context.Context, caller platen.User, workflowID string) (platen.OutgoingWebhook, error) {
	err := authorize(ctx, s.db.pool, caller, workflowID)
	var o platen.OutgoingWebhook
	if err == nil {
		var ok bool
		if o, ok, err = loadWebhook(ctx, s.db.pool, s.db.vault, workflowID, true); err == nil && !ok {
			err = platen.ErrTestReceiverNotFound()
		}
	}
	if err != nil {
		return platen.OutgoingWebhook{}, fmt.Errorf("read test receiver of workflow %s: %w", workflowID, err)
	}
	return o, nil
}

// SetTestReceiver stores o as the workflow's test receiver. One that is there gets o's
// address and keeps its id and secrets; created tells that there was none. allowed sees
// the one that is there while the workflow's row is held, and its error keeps it.
// KindInvalid with code "test_receiver_live": it is the outgoing webhook's address.
func (s *Webhooks) SetTestReceiver(ctx context.Context, caller platen.User, workflowID string, o platen.OutgoingWebhook, allowed func(platen.OutgoingWebhook) error) (_ platen.OutgoingWebhook, created bool, err error) {
	o.Test = true
	err = s.db.configure(ctx, caller, workflowID, func(tx pgx.Tx) error {
		live, ok, err := loadWebhook(ctx, tx, s.db.vault, workflowID, false)
		if err != nil {
			return err
		}
		further, err := workflowReceivers(ctx, tx, s.db.vault, workflowID)
		if err != nil {
			return err
		}
		if ok && live.URL == o.URL || slices.ContainsFunc(further, func(r platen.Receiver) bool { return r.URL == o.URL }) {
			return platen.ErrTestReceiverLive()
		}
		stored, ok, err := loadWebhook(ctx, tx, s.db.vault, workflowID, true)
		if err != nil {
			return err
		}
		if created = !ok; created {
			if err := insertWebhook(ctx, tx, s.db.vault, workflowID, o); err != nil {
				return err
			}
			_, err := touchWorkflow(ctx, tx, workflowID)
			return err
		}
		if err := allowed(stored); err != nil {
			return err
		}
		stored.URL = o.URL
		o = stored
		if o.UpdatedAt, err = touchWorkflow(ctx, tx, workflowID); err != nil {
			return err
		}
		if err := storeWebhook(ctx, tx, s.db.vault, o); err != nil {
			return err
		}
		// Setting an address, even the same one, enables its endpoint.
		key, err := findEndpoint(ctx, tx, caller, workflowID, destination{test: true})
		if err != nil {
			return err
		}
		return enableEndpoint(ctx, tx, key)
	})
	if err != nil {
		return platen.OutgoingWebhook{}, false, fmt.Errorf("set test receiver of workflow %s: %w", workflowID, err)
	}
	return o, created, nil
}

// DeleteTestReceiver removes the test receiver with its secrets. Events of tests that were
// not delivered by then fail at their next attempt. allowed is as in SetTestReceiver.
func (s *Webhooks) DeleteTestReceiver(ctx context.Context, caller platen.User, workflowID string, allowed func(platen.OutgoingWebhook) error) error {
	if err := s.deleteReceiver(ctx, caller, workflowID, true, allowed); err != nil {
		return fmt.Errorf("delete test receiver of workflow %s: %w", workflowID, err)
	}
	return nil
}
