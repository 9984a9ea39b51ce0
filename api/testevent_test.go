package api

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// pleased is a receiver's side that takes every event.
type pleased struct{}

func (pleased) Send(_ context.Context, e platen.Event, _ platen.Endpoint, attempt int) (platen.Delivery, error) {
	return platen.Delivery{EventID: e.ID, Attempt: attempt, At: e.CreatedAt, Status: 200}, nil
}

func TestTheStateOfAnAddressIsShown(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A","outgoingWebhook":{"webhookUrl":"https://example.com"}}`) + "/outgoing-webhooks/state/"
	since, later := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2999, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		state platen.EndpointState
		want  map[string]any
	}{
		{platen.EndpointState{}, map[string]any{"state": "READY", "places": nil, "failures": 0.0, "failingSince": nil, "restsUntil": nil, "disabledAt": nil, "heldEvents": 3.0}},
		{platen.EndpointState{Places: 4, Failures: 5, FailingSince: since, OpenUntil: since}, map[string]any{"state": "READY", "places": 4.0, "failures": 5.0, "restsUntil": nil, "failingSince": platen.Timestamp(since)}},
		{platen.EndpointState{Failures: 6, FailingSince: since, OpenUntil: later}, map[string]any{"state": "RESTING", "restsUntil": platen.Timestamp(later)}},
		{platen.EndpointState{Disabled: platen.CodeEndpointGone, DisabledAt: since, OpenUntil: later}, map[string]any{"state": "DISABLED", "restsUntil": nil, "disabledAt": platen.Timestamp(since)}},
	} {
		x.store.Runs.Endpoint = c.state
		got := x.do(t, "GET", path, "").is(200).object()
		for name, want := range c.want {
			if got[name] != want {
				t.Errorf("%+v: %s: got %v, want %v", c.state, name, got[name], want)
			}
		}
		if reason, _ := got["reason"].(map[string]any); (reason["code"] == c.state.Disabled) != (c.state.Disabled != "") || c.state.Disabled != "" && reason["message"] == "" {
			t.Errorf("%+v: reason: got %v", c.state, got["reason"])
		}
	}
}

func TestAnAddressThatIsPatchedOrPassesATestIsEnabled(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A","outgoingWebhook":{"webhookUrl":"https://example.com/a"}}`) + "/outgoing-webhooks"
	enabled := func(what string, want ...string) {
		t.Helper()
		if got := x.store.Runs.Enabled; !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
		x.store.Runs.Enabled = nil
	}
	x.do(t, "PATCH", path+"/", `{"webhookUrl":"https://example.com/a"}`).is(200)
	enabled("the same address", "https://example.com/a")
	x.do(t, "PATCH", path+"/", `{"webhookUrl":"nowhere"}`).is(400)
	enabled("a wrong address")
	x.do(t, "POST", path+"/secret/rotate/", "").is(200)
	enabled("another secret")
	x.do(t, "POST", path+"/test/", "").is(200)
	enabled("a test that fails")
	x = newHarness(t, func(o *Options) { o.Sender = pleased{} })
	path = x.newWorkflow(t, `{"name":"A","outgoingWebhook":{"webhookUrl":"https://example.com/a"}}`) + "/outgoing-webhooks"
	x.do(t, "POST", path+"/test/", "").is(200)
	enabled("a test that passes", "https://example.com/a")
}
