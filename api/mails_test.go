package api

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// withMail is withRun with one output whose mail failed.
func (x *harness) withMail(t testing.TB, state platen.MailState) (wf, output string) {
	t.Helper()
	wf = x.withRun(t, platen.AutomationCompleted)
	x.store.AddMail(state)
	return wf, memory.DoneID
}

func TestListsOfOutputsSayWhatBecameOfMails(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, _ := x.withMail(t, platen.MailFailed)
	for _, list := range []string{"/outputs/", "/outputs/?mail=FAILED", "/automations/?mail=FAILED"} {
		if body := x.do(t, "GET", wf+list, "").is(200).body; !strings.Contains(body, `"mail":{"number":1,"state":"FAILED"`) {
			t.Errorf("%s: got %s, want the mail that FAILED", list, body)
		}
	}
	if body := x.do(t, "GET", wf+"/outputs/?mail=SENT", "").is(200).body; strings.Contains(body, memory.DoneID) {
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
	if want := []string{output + " ada@new.example, bob@new.example", output + " ", output + " "}; !slices.Equal(x.store.Runs.Mailed, want) {
		t.Errorf("got %q, want %q", x.store.Runs.Mailed, want)
	}
	for _, body := range []string{
		`{"to": ""}`, `{"to": "ada"}`, `{"to": "{{Email}}"}`, `{"to": "{{Email}}@example.com"}`, `{"to": "Ada <ada@example.com>"}`, `{"to": "ada@example.com\\nBcc: eve@example.com"}`,
		`{"to": "` + strings.Repeat("ada@example.com,", 10) + `ada@example.com"}`, `{"to": null}`, `{"cc": "ada@example.com"}`, `[]`,
	} {
		x.do(t, "POST", at, body).problem(400, "invalid_body")
	}
	x.as(t, memory.BobToken, "POST", at, `{"to": "eve@example.com"}`).problem(403, "workflow_not_found")
	x.do(t, "POST", wf+"/outputs/out_0000000000000009/mail/", "").problem(403, "output_not_found")
}

func TestAnInstallationWithoutAMailServerMailsNothingAgain(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, output := x.withMail(t, platen.MailFailed)
	x.do(t, "POST", wf+"/outputs/"+output+"/mail/", `{"to": "ada@example.com"}`).problem(400, "email_not_configured")
}

func TestWhomMailsWentToIsListed(t *testing.T) {
	t.Parallel()
	x := newHarness(t, mailing)
	wf, output := x.withMail(t, platen.MailPartlySent)
	at := wf + "/outputs/" + output + "/mail/"
	m := x.store.Runs.Automations[0].Outputs[0].Mail
	m.Recipients, m.Accepted = 2, 1
	m.Whom = []platen.Recipient{{Address: "ada@example.com", State: platen.RecipientAccepted}, {Address: "bob@example.com", State: platen.RecipientRefused, Status: "550 5.1.1"}}
	body := x.do(t, "GET", at, "").is(200).body
	for _, want := range []string{`"state":"PARTLY_SENT","recipients":2,"accepted":1`, `{"address":"ada@example.com","state":"ACCEPTED","status":""}`, `{"address":"bob@example.com","state":"REFUSED","status":"550 5.1.1"}`} {
		if !strings.Contains(body, want) {
			t.Errorf("got %s, want %s in it", body, want)
		}
	}
	if body := x.do(t, "GET", wf+"/outputs/?mail=PARTLY_SENT", "").is(200).body; strings.Contains(body, "ada@example.com") || !strings.Contains(body, output) {
		t.Errorf("got %s, want the output, and nobody named", body)
	}
	x.as(t, memory.BobToken, "GET", at, "").problem(403, "workflow_not_found")
}

func TestAMailHasFurtherRecipients(t *testing.T) {
	t.Parallel()
	x, _, d := withTemplates(t, &memory.Templates{}, mailing)
	set := func(further string) answer {
		return x.do(t, "PATCH", d, `{"email": {"to": "{{Email}}", "subject": "s", "text": "t", `+further+`}}`)
	}
	const whole = `"cc":"{{Accountant}}","bcc":"archive@example.com","replyTo":"{{Clerk}}, office@example.com"`
	if body := set(whole).is(200).body; !strings.Contains(body, whole) {
		t.Errorf("got %s, want %s in it", body, whole)
	}
	if body := set(`"cc": "", "bcc": "", "replyTo": ""`).is(200).body; strings.Contains(body, `"cc"`) || strings.Contains(body, `"replyTo"`) {
		t.Errorf("got %s, want none of them", body)
	}
	ten := strings.TrimSuffix(strings.Repeat("a@example.com,", platen.MaxEmailRecipients), ",")
	for _, wrong := range []string{`"cc": "Ada <ada@example.com>"`, `"bcc": "ada"`, `"replyTo": "a@example.com\nBcc: b@example.com"`, `"cc": "` + ten + `"`, `"cc": null`} {
		set(wrong).problem(400, "invalid_body")
	}
}

func TestAMailHasHTMLBesideItsText(t *testing.T) {
	t.Parallel()
	x, _, d := withTemplates(t, &memory.Templates{}, mailing, func(o *Options) {
		o.MailHTML = func(template string) string {
			if strings.Contains(template, "<img") {
				return "has <img>"
			}
			return ""
		}
	})
	set := func(further string) answer {
		return x.do(t, "PATCH", d, `{"email": {"to": "{{Email}}", "subject": "s"`+further+`}}`)
	}
	if body := set(`, "html": "<p>{{Name}}</p>"`).is(200).body; !strings.Contains(body, `"text":"","html":"\u003cp\u003e{{Name}}\u003c/p\u003e"`) && !strings.Contains(body, `"text":"","html":"<p>{{Name}}</p>"`) {
		t.Errorf("got %s, want the HTML and no text", body)
	}
	for body, pointer := range map[string]string{"": "/email/text", `, "html": " "`: "/email/text", `, "html": "<img>"`: "/email/html", `, "html": "` + strings.Repeat("x", platen.MaxEmailHTML+1) + `"`: "/email/html"} {
		if said := set(body).is(400).body; !strings.Contains(said, pointer) {
			t.Errorf("%.40s: got %s, want %s in it", body, said, pointer)
		}
	}
}

func TestALinkOfAMailOpensItsPDFUntilItEnds(t *testing.T) {
	t.Parallel()
	key := []byte("key")
	x := newHarness(t, mailing, func(o *Options) { o.MailLinkKeys = [][]byte{key} })
	wf, ids := x.withOutputs(t, "Letter.pdf")
	workflow, output := strings.TrimPrefix(wf, "/v0/workflows/"), ids[0]
	m := &platen.Mail{MailKey: platen.MailKey{OutputID: output}, State: platen.MailSent, LinkUntil: new(time.Now().Add(time.Hour))}
	x.store.Output(0).Mail = m
	link := platen.MailLink(key, workflow, output)
	open := func(method, path string) answer { return x.as(t, "", method, path, "") }
	got := open("GET", link).is(200)
	if got.header.Get("Content-Type") != platen.MIMEPDF || got.header.Get("Cache-Control") != "private, no-store" || got.header.Get("Referrer-Policy") != "no-referrer" || got.body == "" {
		t.Errorf("got %v, %q, want the PDF, which nobody keeps", got.header, got.body)
	}
	if body := open("HEAD", link).is(200).body; body != "" {
		t.Errorf("HEAD: got %q", body)
	}
	open("POST", link).is(405)
	// What never was, and what has ended, look alike.
	ended := open("GET", platen.MailLink([]byte("other"), workflow, output)).is(404).body
	for name, path := range map[string]string{"another mail": platen.MailLink(key, workflow, output+".2"), "another workflow": platen.MailLink(key, platen.NewID(platen.PrefixWorkflow), output), "no link": platen.MailLinkPath} {
		if body := open("GET", path).is(404).body; body != ended || !strings.Contains(body, "Ask the sender") {
			t.Errorf("%s: got %q, want %q", name, body, ended)
		}
	}
	at := wf + "/outputs/" + output + "/mail/revoke/"
	x.as(t, memory.BobToken, "POST", at, "").problem(403, "workflow_not_found")
	open("GET", link).is(200)
	x.do(t, "POST", at, "").is(200)
	if body := open("GET", link).is(404).body; body != ended {
		t.Errorf("revoked: got %q, want %q", body, ended)
	}
	m.LinkUntil = new(time.Now().Add(time.Hour))
	for range 30 {
		x.as(t, "", "GET", link, "")
	}
	open("GET", link).is(429)
}
