package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

// withMail is withRun with one output whose mail failed.
func (x *harness) withMail(t testing.TB, state platen.MailState) (wf, output string) {
	t.Helper()
	wf = x.withRun(t, platen.AutomationCompleted)
	x.store.runs.automations[0].Outputs[1].ID = "out_0000000000000002"
	o := &x.store.runs.automations[0].Outputs[0]
	o.ID, output = outID, outID
	o.Mail = &platen.Mail{State: state, Recipients: 1, Attempts: 1, Code: platen.CodeEmailAddressRefused, Message: "The mail server refuses an address."}
	return wf, output
}

const outID = "out_0000000000000001"

func TestListsOfOutputsSayWhatBecameOfMails(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, _ := x.withMail(t, platen.MailFailed)
	for _, list := range []string{"/outputs/", "/outputs/?mail=FAILED", "/automations/?mail=FAILED"} {
		if body := x.do(t, "GET", wf+list, "").is(200).body; !strings.Contains(body, `"mail":{"number":1,"state":"FAILED"`) {
			t.Errorf("%s: got %s, want the mail that FAILED", list, body)
		}
	}
	if body := x.do(t, "GET", wf+"/outputs/?mail=SENT", "").is(200).body; strings.Contains(body, outID) {
		t.Errorf("mail=SENT: got %s, want none", body)
	}
	x.do(t, "GET", wf+"/outputs/?mail=LOST", "").problem(400, "invalid_parameter")
}

func TestAnOutputIsSentAgainByMail(t *testing.T) {
	t.Parallel()
	x := newHarness(t, mailing)
	wf, output := x.withMail(t, platen.MailFailed)
	at := wf + "/outputs/" + output + "/mail/"
	body := x.do(t, "POST", at, `{"to": "ada@new.example,bob@new.example"}`, "Idempotency-Key", "k").is(202).body
	if !strings.Contains(body, `"mail":{"number":2,"state":"PENDING"`) || strings.Contains(body, "ada@new.example") {
		t.Errorf("got %s, want the output with its second mail, and nobody named", body)
	}
	x.do(t, "POST", at, `{"to": "ada@new.example,bob@new.example"}`, "Idempotency-Key", "k").is(202)
	x.do(t, "POST", at, "").is(202)
	x.do(t, "POST", at, "{}").is(202)
	if want := []string{output + " ada@new.example, bob@new.example", output + " ", output + " "}; !slices.Equal(x.store.runs.mailed, want) {
		t.Errorf("got %q, want %q", x.store.runs.mailed, want)
	}
	for _, body := range []string{
		`{"to": ""}`, `{"to": "ada"}`, `{"to": "{{Email}}"}`, `{"to": "{{Email}}@example.com"}`, `{"to": "Ada <ada@example.com>"}`, `{"to": "ada@example.com\\nBcc: eve@example.com"}`,
		`{"to": "` + strings.Repeat("ada@example.com,", 10) + `ada@example.com"}`, `{"to": null}`, `{"cc": "ada@example.com"}`, `[]`,
	} {
		x.do(t, "POST", at, body).problem(400, "invalid_body")
	}
	x.as(t, bobToken, "POST", at, `{"to": "eve@example.com"}`).problem(403, "workflow_not_found")
	x.do(t, "POST", wf+"/outputs/out_0000000000000009/mail/", "").problem(403, "output_not_found")
}

func TestAnInstallationWithoutAMailServerMailsNothingAgain(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, output := x.withMail(t, platen.MailFailed)
	x.do(t, "POST", wf+"/outputs/"+output+"/mail/", `{"to": "ada@example.com"}`).problem(400, "email_not_configured")
}
