package console

import (
	"context"

	"github.com/platenhq/platen/client"
)

// readTestReceiver reads where the events of tests go.
func (r request) readTestReceiver(ctx context.Context, p *workflowPage) error {
	found, err := r.api.TestReceiver(client.WithETag(ctx, &p.TestTag), r.workflowID())
	if isNotFound(err) {
		return nil
	}
	p.TestAddress = found.URL
	return err
}

// setTestReceiver sets the receiver of test events; without an address, they are not
// delivered.
func (s *site) setTestReceiver(ctx context.Context, r request) (view, error) {
	address := r.typed("webhookUrl")
	return s.form("test-receiver", removedOr(address, "test-receiver"), func(ctx context.Context, r request) (string, error) {
		if address == "" {
			return "", r.api.DeleteTestReceiver(ctx, r.workflowID())
		}
		_, err := r.api.SetTestReceiver(ctx, r.workflowID(), address)
		return "", err
	})(ctx, r)
}

// showTestSecret is workflow with the secret that events of tests are signed with.
func (s *site) showTestSecret(ctx context.Context, r request) (view, error) {
	found, err := r.api.TestSecret(ctx, r.workflowID())
	if err != nil {
		return view{}, err
	}
	p, err := s.workflowPage(ctx, r, tabData)
	p.TestSecret = &found
	return view{Title: p.Name, Page: p}, err
}
