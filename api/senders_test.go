package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

const newSenderBody = `{"name":"Accounting","from":"\"Example Ltd\" <a@example.com>","host":"mail.example.com","user":"ada","password":"hidden-7"}`

func TestAMailSenderIsMadeChangedTestedAndRemovedAndItsPasswordNeverShown(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) {
		o.TestSender = func(_ context.Context, s platen.MailSender, to string) error {
			if s.Password != "hidden-8" || to != "ada@example.com" {
				return platen.Errorf(platen.KindUnavailable, platen.CodeSenderSignInRefused, "Refused.")
			}
			return nil
		}
	})
	const all = "/v0/mail-senders"
	answer := x.do(t, "POST", all, newSenderBody).is(http.StatusCreated)
	made := answer.object()
	if made["port"] != 587.0 || made["security"] != "STARTTLS" || made["hasPassword"] != true || made["error"] != nil || strings.Contains(string(answer.body), "hidden") {
		t.Errorf("got %s", answer.body)
	}
	one := all + "/" + made["id"].(string)
	if got := x.do(t, "POST", one+"/test", "").is(http.StatusOK).object(); got["sent"] != false || got["error"].(map[string]any)["code"] != platen.CodeSenderSignInRefused {
		t.Errorf("a test with a wrong password: got %v", got)
	}
	changed := x.do(t, "PATCH", one, `{"password":"hidden-8","from":"b@example.com"}`).is(http.StatusOK).object()
	if changed["from"] != "b@example.com" || changed["host"] != "mail.example.com" || changed["name"] != "Accounting" {
		t.Errorf("changed to %v, want what was left out to stay", changed)
	}
	if got := x.do(t, "POST", one+"/test", "").is(http.StatusOK).object(); got["sent"] != true || got["to"] != "ada@example.com" || got["error"] != nil {
		t.Errorf("a test: got %v", got)
	}
	x.do(t, "PATCH", one, `{"from":"c@example.com"}`, "If-Match", `"another"`).is(http.StatusPreconditionFailed)
	x.do(t, "DELETE", one, "", "If-Match", `"another"`).is(http.StatusPreconditionFailed)
	// A token that may change a sender has its password sent nowhere else.
	for _, body := range []string{`{"host":"evil.example"}`, `{"port":2525}`, `{"user":"eve"}`} {
		if got := x.do(t, "PATCH", one, body).problem(http.StatusBadRequest, "invalid_body"); !slices.Contains(got.pointers(), "/password") {
			t.Errorf("%s without the password: got %v", body, got)
		}
	}
	if got := x.do(t, "PATCH", one, `{"user":""}`).is(http.StatusOK).object(); got["hasPassword"] != false {
		t.Errorf("without a user: got %v, want no password", got)
	}
	x.do(t, "DELETE", one, "").is(http.StatusNoContent)
	x.do(t, "GET", one, "").is(http.StatusForbidden)
}

func TestEachMistakeOfAMailSenderIsNamed(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	const all = "/v0/mail-senders"
	change := func(member string) string { return strings.TrimSuffix(newSenderBody, "}") + "," + member + "}" }
	replaced := func(old, with string) string { return strings.Replace(newSenderBody, old, with, 1) }
	for body, member := range map[string]string{
		`{}`:                            "/name",
		replaced(`"Accounting"`, `" "`): "/name",
		replaced(`\"Example Ltd\" <a@example.com>`, `a`):     "/from",
		replaced(`mail.example.com`, `mail.example.com:587`): "/host",
		replaced(`mail.example.com`, `smtp://mail`):          "/host",
		replaced(`mail.example.com`, `fe80::1%e\n`):          "/host",
		replaced(`,"password":"hidden-7"`, ``):               "/password",
		replaced(`"user":"ada",`, ``):                        "/password",
		replaced(`hidden-7`, `hidden\n7`):                    "/password",
		change(`"port":0`):                                   "/port",
		change(`"security":"SSL"`):                           "/security",
		change(`"security":"NONE"`):                          "/security",
		change(`"bounces":"bounces@example.com"`):            "/bounces",
		change(`"secret":"x"`):                               "/secret",
	} {
		got := x.do(t, "POST", all, body).problem(http.StatusBadRequest, "invalid_body")
		if !slices.Contains(got.pointers(), member) || strings.Contains(got.Detail+strings.Join(details(got), " "), "hidden") {
			t.Errorf("%s: got %v, want a fault of %s", body, got, member)
		}
	}
	x.do(t, "POST", all, `{"name":"Relay","from":"a@example.com","host":"10.0.0.7","security":"NONE"}`).is(http.StatusCreated)
	made := x.do(t, "POST", all, newSenderBody).is(http.StatusCreated).object()
	if got := x.do(t, "PATCH", all+"/"+made["id"].(string), `{"name":"Other"}`).problem(http.StatusBadRequest, "invalid_body"); !slices.Contains(got.pointers(), "/name") {
		t.Errorf("another name: got %v", got)
	}
	x.do(t, "PATCH", all+"/"+made["id"].(string), `{"name":"Accounting"}`).is(http.StatusOK)
}

func TestAMailSenderThatTookItsDefaultPortFollowsItsSecurity(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	made := x.do(t, "POST", "/v0/mail-senders", newSenderBody).is(http.StatusCreated).object()
	one := "/v0/mail-senders/" + made["id"].(string)
	for _, step := range []struct {
		body string
		want float64
	}{
		{`{"security":"TLS"}`, 465},
		{`{"security":"TLS","from":"b@example.com"}`, 465},
		{`{"security":"STARTTLS"}`, 587},
		{`{"port":2525,"password":"hidden-7"}`, 2525},
		{`{"security":"TLS"}`, 2525}, // the port was said
		{`{"user":"","host":"10.0.0.7","port":465}`, 465},
		{`{"security":"NONE"}`, 25},
		{`{"security":"TLS","port":25}`, 25},
	} {
		if got := x.do(t, "PATCH", one, step.body).is(http.StatusOK).object()["port"]; got != step.want {
			t.Errorf("%s: got port %v, want %v", step.body, got, step.want)
		}
	}
}

// A document names a sender of its workflow's owner, and needs no mail server of the installation
// then.
func TestADocumentNamesAMailSenderOfItsOwner(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.Mails = false })
	wf := x.newWorkflow(t, `{"name":"A","document":{"fileId":"docs-file"}}`)
	document := wf + "/documents/" + x.do(t, "GET", wf, "").is(http.StatusOK).object()["documents"].([]any)[0].(map[string]any)["id"].(string)
	email := func(sender string) string {
		return `{"email":{"to":"a@example.com","subject":"S","text":"T","sender":"` + sender + `"}}`
	}
	x.do(t, "PATCH", document, email("")).problem(http.StatusBadRequest, platen.CodeEmailUnset)
	if got := x.do(t, "PATCH", document, email("Accounting")).problem(http.StatusBadRequest, platen.CodeSenderUnknown); !slices.Contains(got.pointers(), "/email/sender") {
		t.Errorf("got %v, want a fault of the sender", got)
	}
	x.do(t, "POST", "/v0/mail-senders", newSenderBody).is(http.StatusCreated)
	if got := x.do(t, "PATCH", document, email("Sales")).problem(http.StatusBadRequest, platen.CodeSenderUnknown); !strings.Contains(got.Detail+strings.Join(details(got), " "), "Accounting") {
		t.Errorf("got %v, want the senders that there are", got)
	}
	if got := x.do(t, "PATCH", document, email("Accounting")).is(http.StatusOK).object()["email"].(map[string]any); got["sender"] != "Accounting" {
		t.Errorf("got %v, want the sender", got)
	}
	x.do(t, "POST", wf+"/copy", `{"name":"B"}`).is(http.StatusCreated)
}

func details(p problemJSON) (all []string) {
	for _, e := range p.Errors {
		all = append(all, e.Detail)
	}
	return all
}
