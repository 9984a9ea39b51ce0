package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestTheSecretBeforeSignsAlongForAWhile(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	_, id, err := f.Outputs.RecordOutput(t.Context(), f.Planned(w).Documents[0].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	rotate := func(until time.Time) {
		t.Helper()
		_, err := f.Webhooks.UpdateOutgoingWebhook(t.Context(), w.Owner, w.ID, func(o *platen.OutgoingWebhook) error {
			o.PreviousSecret, o.PreviousUntil, o.Secret = o.Secret, until, "whsec_bmV3"
			return nil
		})
		f.Must(err)
	}
	secrets := func() []platen.Secret {
		t.Helper()
		_, to, err := f.Deliveries.Event(t.Context(), id)
		f.Must(err)
		return to.Secrets
	}
	rotate(storetest.Now().Add(time.Hour))
	if got, want := secrets(), []platen.Secret{"whsec_bmV3", w.OutgoingWebhook.Secret}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if o, err := f.Webhooks.OutgoingWebhook(t.Context(), w.Owner, w.ID); err != nil || o.PreviousSecret != w.OutgoingWebhook.Secret {
		t.Errorf("read back: got %+v, %v", o, err)
	}
	if n := f.Count(`SELECT count(*) FROM outgoing_webhooks WHERE previous_secret = convert_to($1, 'UTF8')`, w.OutgoingWebhook.Secret); n != 0 {
		t.Error("the secret before is stored in the clear")
	}
	rotate(storetest.Now().Add(-time.Second))
	if got, want := secrets(), []platen.Secret{"whsec_bmV3"}; !slices.Equal(got, want) {
		t.Errorf("after its time: got %v, want %v", got, want)
	}
}

func TestThereIsOneOutgoingWebhookAtMost(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) { w.OutgoingWebhook = nil })
	_, err := f.Webhooks.OutgoingWebhook(t.Context(), w.Owner, w.ID)
	storetest.WantKind(t, "none", err, platen.KindNotFound, "outgoing_webhook_not_found")
	_, err = f.Webhooks.UpdateOutgoingWebhook(t.Context(), w.Owner, w.ID, func(*platen.OutgoingWebhook) error { return nil })
	storetest.WantKind(t, "update of none", err, platen.KindNotFound, "outgoing_webhook_not_found")
	first := *storetest.NewWorkflow(w.Owner).OutgoingWebhook
	f.Must(f.Webhooks.CreateOutgoingWebhook(t.Context(), w.Owner, w.ID, first))
	storetest.WantKind(t, "second", f.Webhooks.CreateOutgoingWebhook(t.Context(), w.Owner, w.ID, *storetest.NewWorkflow(w.Owner).OutgoingWebhook), platen.KindInvalid, "outgoing_webhook_exists")
	changed, err := f.Webhooks.UpdateOutgoingWebhook(t.Context(), w.Owner, w.ID, func(o *platen.OutgoingWebhook) error { o.URL = "https://new"; return nil })
	f.Must(err)
	got, err := f.Webhooks.OutgoingWebhook(t.Context(), w.Owner, w.ID)
	f.Must(err)
	if !cmp.Equal(got, changed) || got.URL != "https://new" || got.Secret != first.Secret || got.ID != first.ID {
		t.Errorf("got %+v, want %+v with the new address", got, first)
	}
}
