package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestAReceiverIsMadeChangedTestedAndRemoved(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) {
		o.Condition = func(when string) string {
			if when == "Total >" {
				return "cannot be read"
			}
			return ""
		}
	})
	wf := x.newWorkflow(t, `{"name":"A"}`)
	all := wf + "/receivers"
	answer := x.do(t, "POST", all, `{"name":"Accounts","webhookUrl":"https://accounts.example/in","when":" Total > 1 ","events":["DOCUMENT_FAILED","DOCUMENTS_CREATED"]}`).is(http.StatusCreated)
	made := answer.object()
	if made["when"] != "Total > 1" || made["webhookUrl"] != "https://accounts.example/in" || strings.Contains(string(answer.body), "whsec_") || !strings.Contains(string(answer.body), `"events":["DOCUMENTS_CREATED","DOCUMENT_FAILED"]`) {
		t.Errorf("got %s", answer.body)
	}
	one := all + "/" + made["id"].(string)
	secret := x.do(t, "GET", one+"/secret", "").is(http.StatusOK).object()["secret"].(string)
	rotated := x.do(t, "POST", one+"/secret/rotate", "").is(http.StatusOK).object()
	if !strings.HasPrefix(secret, "whsec_") || rotated["secret"] == secret || rotated["previousSecretUntil"] == nil {
		t.Errorf("the secret %s is rotated to %v", secret, rotated)
	}
	if got := x.do(t, "GET", one+"/state", "").is(http.StatusOK).object(); got["state"] != "READY" {
		t.Errorf("the state is %v", got)
	}
	if got := x.do(t, "POST", one+"/test", "").is(http.StatusOK).object(); got["eventType"] != platen.EventWorkflowTest {
		t.Errorf("a test: got %v", got)
	}
	x.do(t, "PATCH", one, `{"webhookUrl":"https://accounts.example/in","when":"","events":["BATCH_COMPLETED"]}`).is(http.StatusOK)
	if got := x.do(t, "GET", one, "").is(http.StatusOK).object(); got["when"] != "" || got["name"] != "Accounts" || len(got["events"].([]any)) != 1 {
		t.Errorf("changed to %v", got)
	}
	if !slices.Equal(x.store.Runs.Enabled, []string{"https://accounts.example/in"}) {
		t.Errorf("enabled are %v, want the address once it was set", x.store.Runs.Enabled)
	}
	x.do(t, "PATCH", one, `{"name":"B"}`, "If-Match", `"another"`).is(http.StatusPreconditionFailed)
	x.do(t, "DELETE", one, "", "If-Match", `"another"`).is(http.StatusPreconditionFailed)

	for body, member := range map[string]string{
		`{"webhookUrl":"https://a.example"}`:                               "/name",
		`{"name":"B"}`:                                                     "/webhookUrl",
		`{"name":"B","webhookUrl":"a.example"}`:                            "/webhookUrl",
		`{"name":"B","webhookUrl":"https://a.example","events":[]}`:        "/events",
		`{"name":"B","webhookUrl":"https://a.example","events":["MADE"]}`:  "/events/0",
		`{"name":"B","webhookUrl":"https://a.example","when":"Total >"}`:   "/when",
		`{"name":"B","webhookUrl":"https://a.example","secret":"whsec_x"}`: "/secret",
	} {
		if got := x.do(t, "POST", all, body).problem(http.StatusBadRequest, "invalid_body"); !slices.Contains(got.pointers(), member) {
			t.Errorf("%s: got %v, want %s", body, got.pointers(), member)
		}
	}
	x.do(t, "DELETE", one, "").is(http.StatusNoContent)
	x.do(t, "GET", one, "").problem(http.StatusForbidden, "receiver_not_found")
	x.do(t, "GET", all+"/rcv_nothing", "").problem(http.StatusForbidden, "receiver_not_found")
}

func TestTheSecretOfAReceiverNeedsATokenThatWrites(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	all := x.newWorkflow(t, `{"name":"A"}`) + "/receivers"
	id := x.do(t, "POST", all, `{"name":"Accounts","webhookUrl":"https://accounts.example"}`).is(http.StatusCreated).object()["id"].(string)
	x.store.Scope(memory.AdaToken, "read")
	x.do(t, "GET", all+"/"+id, "").is(http.StatusOK)
	x.do(t, "GET", all+"/"+id+"/secret", "").problem(http.StatusForbidden, "scope_missing")
}

func TestEventsAreListedAndRecoveredByReceiver(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationCompleted)
	id := x.do(t, "POST", wf+"/receivers", `{"name":"Accounts","webhookUrl":"https://accounts.example"}`).is(http.StatusCreated).object()["id"].(string)
	x.store.Runs.Events[0].ReceiverID = id
	if got := x.do(t, "GET", wf+"/events?receiverId="+id, "").is(http.StatusOK).body; !strings.Contains(string(got), `"receiverId":"`+id+`"`) {
		t.Errorf("got %s", got)
	}
	if got := x.do(t, "GET", wf+"/events?receiverId=rcv_00000000000000", "").is(http.StatusOK).body; strings.TrimSpace(string(got)) != "[]" {
		t.Errorf("of another receiver: got %s", got)
	}
	recovery := `{"since":"2026-01-01T00:00:00Z","receiverId":"` + id + `"`
	if got := x.do(t, "POST", wf+"/events/recover", recovery+`}`).is(http.StatusAccepted).object(); got["recovered"] != 4.0 {
		t.Errorf("recovered %v", got)
	}
	x.do(t, "POST", wf+"/events/recover", recovery+`,"test":true}`).problem(http.StatusBadRequest, "invalid_body")
	x.do(t, "POST", wf+"/events/recover", `{"since":"2026-01-01T00:00:00Z","receiverId":"rcv_00000000000000"}`).problem(http.StatusForbidden, "receiver_not_found")
}
