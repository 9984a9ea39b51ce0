package postgres_test

import (
	"errors"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// The API refuses the same before it asks the store: both use the same words.
func TestTheStoreRefusesInTheWordsOfTheAPI(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, archived := f.Workflow(f.User(nil)), f.Workflow(f.User(nil))
	bare := f.Workflow(f.User(nil), func(w *platen.Workflow) { w.OutgoingWebhook = nil })
	f.Must(f.Workflows.ArchiveWorkflow(t.Context(), archived.Owner, archived.ID, nil))
	first := func(_ any, err error) error { return err }
	_, _, noEvent := f.Events.WorkflowEvent(t.Context(), w.Owner, w.ID, "evt_none")
	for _, c := range []struct{ got, want error }{
		{first(f.Workflows.Workflow(t.Context(), archived.Owner, w.ID)), platen.ErrWorkflowNotFound()},
		{first(f.Workflows.UpdateWorkflow(t.Context(), archived.Owner, archived.ID, func(*platen.Workflow) error { return nil })), platen.ErrWorkflowArchived()},
		{first(f.Documents.UpdateDocument(t.Context(), w.Owner, w.ID, "doc_none", func(*platen.Document) error { return nil })), platen.ErrDocumentNotFound()},
		{first(f.Webhooks.OutgoingWebhook(t.Context(), bare.Owner, bare.ID)), platen.ErrOutgoingWebhookNotFound()},
		{f.Webhooks.CreateOutgoingWebhook(t.Context(), w.Owner, w.ID, *storetest.NewWorkflow(w.Owner).OutgoingWebhook), platen.ErrOutgoingWebhookExists()},
		{first(f.Automations.WorkflowAutomation(t.Context(), w.Owner, w.ID, "aut_none")), platen.ErrAutomationNotFound()},
		{noEvent, platen.ErrEventNotFound()},
		{f.Events.RedeliverEvent(t.Context(), w.Owner, w.ID, "evt_none"), platen.ErrEventNotFound()},
	} {
		var got, want *platen.Error
		if !errors.As(c.got, &got) || !errors.As(c.want, &want) || got.Kind != want.Kind || got.Code != want.Code || got.Message != want.Message {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}
