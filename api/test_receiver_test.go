package api

import (
	"net/http"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestTheTestReceiverIsSetReadAndRemovedUnderBothPaths(t *testing.T) {
	t.Parallel()
	for _, spelling := range webhookSpellings {
		x := newHarness(t)
		path := x.newWorkflow(t, `{"name":"A","outgoingWebhook":{"webhookUrl":"https://live.example"}}`) + spelling + "/test-receiver"
		if code := x.do(t, "GET", path, "").is(http.StatusForbidden).object()["code"]; code != "test_receiver_not_found" {
			t.Errorf("before it is set: got %v", code)
		}
		made := x.do(t, "PUT", path, `{"webhookUrl":"https://tests.example"}`).is(http.StatusCreated).object()
		if !platen.IsID(platen.PrefixTestReceiver, made["id"].(string)) || made["webhookUrl"] != "https://tests.example" {
			t.Errorf("got %v, want an id with %s and the address", made, platen.PrefixTestReceiver)
		}
		secret := x.do(t, "GET", path+"/secret", "").is(http.StatusOK).object()["secret"]
		if live := x.do(t, "GET", path[:len(path)-len("/test-receiver")]+"/secret", "").is(http.StatusOK).object()["secret"]; secret == live || secret == "" {
			t.Errorf("the secret of tests: got %v, want one of its own", secret)
		}
		changed := x.do(t, "PUT", path, `{"webhookUrl":"https://other.example"}`).is(http.StatusOK).object()
		if changed["id"] != made["id"] || changed["webhookUrl"] != "https://other.example" || x.do(t, "GET", path+"/secret", "").is(http.StatusOK).object()["secret"] != secret {
			t.Errorf("got %v, want the same receiver with its secret and another address", changed)
		}
		x.do(t, "DELETE", path, "").is(http.StatusNoContent)
		x.do(t, "GET", path, "").is(http.StatusForbidden)
	}
}

func TestATestReceiverIsNoOtherReceiver(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	path := x.newWorkflow(t, `{"name":"A","outgoingWebhook":{"webhookUrl":"https://live.example"}}`) + "/outgoing-webhooks/test-receiver"
	for body, want := range map[string]string{
		`{"webhookUrl":"https://live.example"}`: "test_receiver_live",
		`{"webhookUrl":"nowhere"}`:              "invalid_body",
		`{}`:                                    "invalid_body",
		`{"webhookUrl":"https://t.example","secret":"x"}`: "invalid_body",
	} {
		if code := x.do(t, "PUT", path, body).is(http.StatusBadRequest).object()["code"]; code != want {
			t.Errorf("%s: got %v, want %s", body, code, want)
		}
	}
	x.do(t, "PUT", path, `{"webhookUrl":"https://t.example"}`, "If-Match", `"another"`).is(http.StatusCreated)
	x.do(t, "PUT", path, `{"webhookUrl":"https://u.example"}`, "If-Match", `"another"`).is(http.StatusPreconditionFailed)
}
