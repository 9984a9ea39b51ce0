package console

import (
	"context"
	"net/http"
)

func (r request) testReceiverPath() string {
	return r.workflowPath() + "/outgoing-webhooks/test-receiver/"
}

// readTestReceiver reads where the events of tests go.
func (r request) readTestReceiver(ctx context.Context, p *workflowPage) error {
	var found struct{ WebhookURL string }
	tag, err := r.getTagged(ctx, r.testReceiverPath(), &found)
	if isNotFound(err) {
		return nil
	}
	p.TestAddress, p.TestTag = found.WebhookURL, tag
	return err
}

// setTestReceiver sets the receiver of test events; without an address, they are not
// delivered.
func (s *site) setTestReceiver(ctx context.Context, r request) (view, error) {
	address := r.typed("webhookUrl")
	return s.form("test-receiver", removedOr(address, "test-receiver"), func(ctx context.Context, r request) (string, error) {
		if address == "" {
			return "", r.ask(ctx, http.MethodDelete, r.testReceiverPath(), nil, nil)
		}
		return "", r.ask(ctx, http.MethodPut, r.testReceiverPath(), map[string]string{"webhookUrl": address}, nil)
	})(ctx, r)
}

// showTestSecret is workflow with the secret that events of tests are signed with.
func (s *site) showTestSecret(ctx context.Context, r request) (view, error) {
	var found signingSecret
	if _, err := r.get(ctx, r.testReceiverPath()+"secret/", &found); err != nil {
		return view{}, err
	}
	p, err := r.workflowPage(ctx)
	p.TestSecret = &found
	return view{Title: p.Name, Page: p}, err
}
