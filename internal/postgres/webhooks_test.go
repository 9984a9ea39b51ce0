package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
)

func TestTheSecretBeforeSignsAlongForAWhile(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	_, id, err := f.Outputs.RecordOutput(t.Context(), f.planned(w).Documents[0].OutputID, done, eventFor)
	f.must(err)
	rotate := func(until time.Time) {
		t.Helper()
		_, err := f.Webhooks.UpdateOutgoingWebhook(t.Context(), w.Owner, w.ID, func(o *platen.OutgoingWebhook) error {
			o.PreviousSecret, o.PreviousUntil, o.Secret = o.Secret, until, "whsec_bmV3"
			return nil
		})
		f.must(err)
	}
	secrets := func() []platen.Secret {
		t.Helper()
		_, to, err := f.Deliveries.Event(t.Context(), id)
		f.must(err)
		return to.Secrets
	}
	rotate(now().Add(time.Hour))
	if got, want := secrets(), []platen.Secret{"whsec_bmV3", w.OutgoingWebhook.Secret}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if o, err := f.Webhooks.OutgoingWebhook(t.Context(), w.Owner, w.ID); err != nil || o.PreviousSecret != w.OutgoingWebhook.Secret {
		t.Errorf("read back: got %+v, %v", o, err)
	}
	if n := f.count(`SELECT count(*) FROM outgoing_webhooks WHERE previous_secret = convert_to($1, 'UTF8')`, w.OutgoingWebhook.Secret); n != 0 {
		t.Error("the secret before is stored in the clear")
	}
	rotate(now().Add(-time.Second))
	if got, want := secrets(), []platen.Secret{"whsec_bmV3"}; !slices.Equal(got, want) {
		t.Errorf("after its time: got %v, want %v", got, want)
	}
}

func TestThereIsOneOutgoingWebhookAtMost(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil), func(w *platen.Workflow) { w.OutgoingWebhook = nil })
	_, err := f.Webhooks.OutgoingWebhook(t.Context(), w.Owner, w.ID)
	wantKind(t, "none", err, platen.KindNotFound, "outgoing_webhook_not_found")
	_, err = f.Webhooks.UpdateOutgoingWebhook(t.Context(), w.Owner, w.ID, func(*platen.OutgoingWebhook) error { return nil })
	wantKind(t, "update of none", err, platen.KindNotFound, "outgoing_webhook_not_found")
	first := *newWorkflow(w.Owner).OutgoingWebhook
	f.must(f.Webhooks.CreateOutgoingWebhook(t.Context(), w.Owner, w.ID, first))
	wantKind(t, "second", f.Webhooks.CreateOutgoingWebhook(t.Context(), w.Owner, w.ID, *newWorkflow(w.Owner).OutgoingWebhook), platen.KindInvalid, "outgoing_webhook_exists")
	changed, err := f.Webhooks.UpdateOutgoingWebhook(t.Context(), w.Owner, w.ID, func(o *platen.OutgoingWebhook) error { o.URL = "https://new"; return nil })
	f.must(err)
	got, err := f.Webhooks.OutgoingWebhook(t.Context(), w.Owner, w.ID)
	f.must(err)
	if !cmp.Equal(got, changed) || got.URL != "https://new" || got.Secret != first.Secret || got.ID != first.ID {
		t.Errorf("got %+v, want %+v with the new address", got, first)
	}
}
