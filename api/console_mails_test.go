package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
)

func TestPagesSayThatAMailDidNotGoOut(t *testing.T) {
	t.Parallel()
	x := newHarness(t, mailing)
	wf, _ := x.withMail(t, platen.MailFailed)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	b := x.console(t, func(o *console.SiteOptions) {
		o.Now = func() time.Time { return x.store.runs.automations[0].AcceptedAt.Add(time.Hour) }
	}).signIn(adaToken)
	const why = "A mail did not go out: The mail server refuses an address."
	b.get("/").is(200).shows("1 mail did not go out", `href="#unsent"`, "Mails that did not go out in the last 24 hours", why, "runs/"+autID+"/")
	b.get(page+"runs/?mail=FAILED").is(200).shows(why, "runs/"+autID+"/")
	b.get(page+"outputs/?mail=FAILED").is(200).shows("Mail: ", "The mail server refuses an address.", platen.CodeEmailAddressRefused)
	b.get(page + "outputs/?mail=SENT").is(200).lacks("The mail server refuses an address.")
	x.store.runs.automations[0].Outputs[0].Mail.State = platen.MailSent
	b.get("/").is(200).lacks("did not go out")
}

func TestAnOutputIsSentAgainFromItsRun(t *testing.T) {
	t.Parallel()
	x := newHarness(t, mailing)
	wf, output := x.withMail(t, platen.MailFailed)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	run := page + "runs/" + autID + "/"
	const button = "Send it again by mail"
	x.console(t).signIn(adaToken).get(run).is(200).lacks(button) // no mail server
	b := x.console(t, func(o *console.SiteOptions) { o.Mails = true }).signIn(adaToken)
	b.get(run).is(200).shows(button, `action="`+run+"outputs/"+output+`/mail"`, "to those that the document names")
	b.get(page+"outputs/").is(200).shows(button, "#mail-"+output)
	form := url.Values{"to": {"ada@new.example"}, "once": {"x"}}
	for range 2 { // a double click
		if to := b.open("POST", run+"outputs/"+output+"/mail", form).is(http.StatusSeeOther).header.Get("Location"); to != run+"#mail-"+output {
			t.Errorf("it leads to %q", to)
		}
	}
	if want := []string{output + " ada@new.example"}; !slices.Equal(x.store.runs.mailed, want) {
		t.Errorf("got %q, want %q once", x.store.runs.mailed, want)
	}
	b.get(run).is(200).shows("Mail 2: ")
	b.open("POST", run+"outputs/"+output+"/mail", url.Values{"to": {"ada"}, "once": {"y"}}).is(http.StatusBadRequest).shows("must be plain addresses such as ada@example.com")
	x.store.runs.automations[0].Outputs[0].Test = true
	b.get(run).is(200).lacks(button)
}

func TestPagesSayThatAMailReachedAPartOfItsRecipients(t *testing.T) {
	t.Parallel()
	x := newHarness(t, mailing)
	wf, _ := x.withMail(t, platen.MailPartlySent)
	m := x.store.runs.automations[0].Outputs[0].Mail
	m.Recipients, m.Accepted = 3, 2
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	b := x.console(t, func(o *console.SiteOptions) {
		o.Mails = true
		o.Now = func() time.Time { return x.store.runs.automations[0].AcceptedAt.Add(time.Hour) }
	}).signIn(adaToken)
	b.get("/").is(200).shows("1 mail did not go out", "A mail did not reach everybody: ")
	b.get(page+"outputs/?mail=FAILED").is(200).shows("sent in part", platen.CodeEmailAddressRefused)
	b.get(page+"runs/"+autID+"/").is(200).shows("sent in part", "to 2 of 3 recipients", "empty: to those that did not get it")
}

func TestTheFormOfMailsHasFurtherRecipients(t *testing.T) {
	t.Parallel()
	x, wf, document := withTemplates(t, &templates{}, mailing)
	b := x.console(t, func(o *console.SiteOptions) { o.Mails = true }).signIn(adaToken)
	at := strings.Replace(document, "/v0", "/console", 1)
	form := url.Values{"to": {"{{Email}}"}, "cc": {"{{Accountant}}"}, "bcc": {"archive@example.com"}, "replyTo": {"{{Clerk}}"}, "subject": {"s"}, "text": {"t"}, "attach": {"link"}}
	b.open("POST", at+"/mail", form).is(http.StatusSeeOther)
	delivery := strings.Replace(wf, "/v0", "/console", 1) + "/delivery/"
	b.get(delivery).is(200).shows(`name="cc" value="{{Accountant}}"`, `name="bcc" value="archive@example.com"`, `name="replyTo" value="{{Clerk}}"`, "hidden <code>archive@example.com</code>")
	form.Set("cc", "ada")
	b.open("POST", at+"/mail", form).is(http.StatusBadRequest).shows("must be addresses with commas between them")
}

func TestAReceiverWhoseLastAttemptsFailedIsNotGreen(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationCompleted)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	b := x.console(t).signIn(adaToken)
	b.get(page + "delivery/").is(200).shows(`<span class="state good">in use</span>`)
	x.store.runs.endpoint.Failures = 4
	for _, at := range []string{page + "delivery/", "/"} {
		b.get(at).is(200).shows(`<span class="state bad">failing</span>`, "The last 4 attempts failed").lacks("in use")
	}
}

func TestAnEventUnderAKeyOfBeforeIsOnTheFirstPageAndLeadsToTheOther(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationCompleted)
	a := &x.store.runs.automations[0]
	const other = "aut_0000000000000009"
	a.State, a.Reason, a.KeyTakenBy, a.Outputs, a.RequestID = platen.AutomationSkipped, platen.ReasonKeyReused, other, nil, "R/2026-1"
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	b := x.console(t, func(o *console.SiteOptions) { o.Now = func() time.Time { return a.AcceptedAt.Add(time.Hour) } }).signIn(adaToken)
	b.get("/").is(200).shows("1 event had the key of another event", `href="#reused"`, "runs/"+autID+"/")
	b.get(page+"runs/"+autID+"/").is(200).shows("Its sender gave another event the same key before.", page+"runs/"+other+"/")
	b.get(page+"outputs/?q="+url.QueryEscape("R/2026-1")).is(200).shows("The run of your event of this name", page+"runs/"+autID+"/")
	b.get(page + "outputs/?q=Kiel+%C3%BC").is(200).lacks("The run of your event of this name")
	if body := x.do(t, "GET", wf+"/automations/?requestId=R/2026-1", "").is(200).body; !strings.Contains(body, `"keyTakenBy":"`+other+`"`) {
		t.Errorf("got %s, want the automation that has the key", body)
	}
	for _, query := range []string{"requestId=%C3%BC", "reference=", "reference=a%09b"} {
		x.do(t, "GET", wf+"/automations/?"+query, "").problem(400, "invalid_parameter")
	}
}
