package console_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestButtonsOfTheConsoleDoWhatTheAPIDoes(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	b := x.console(t).signIn(me.Token)
	run := "/console/workflows/" + me.IDs["workflow"] + "/runs/" + me.IDs["automation"] + "/"
	b.open("POST", run+"retry", nil).is(http.StatusBadRequest).shows("This was not done", "FAILED")
	if a := b.open("POST", run+"cancel", nil).is(http.StatusSeeOther); a.header.Get("Location") != run {
		t.Errorf("cancel leads to %q, want the run", a.header.Get("Location"))
	}
	b.get(run).is(200).shows("Somebody asked to cancel it")
	b.open("POST", run+"events/"+me.IDs["event"]+"/redeliver", nil).is(http.StatusSeeOther)
	if got := x.as(t, me.Token, "GET", "/v0/workflows/"+me.IDs["workflow"]+"/events/"+me.IDs["event"]+"/", "").is(200).object()["state"]; got != "PENDING" {
		t.Errorf("the event is %v, want PENDING", got)
	}
	b.open("POST", "/console/workflows/"+me.IDs["workflow"]+"/test", nil).is(200).shows("The receiver did not take the test event: <bdi>the receiver refuses connections</bdi>.")
	b.open("POST", run+"restore", nil).is(http.StatusNotFound)
	if a := b.get(run + "cancel").is(http.StatusSeeOther); a.header.Get("Location") != run {
		t.Errorf("the address of a button leads to %q, want the run", a.header.Get("Location"))
	}
}

func TestATokenThatOnlyReadsSeesNoButtons(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := strings.Replace(x.withRun(t, platen.AutomationFailed), "/v0", "/console", 1) + "/"
	outputs := x.store.Runs.Automations[0].Outputs
	outputs[0].ID, outputs[1].ID = memory.DoneID, memory.FailedID
	x.store.Runs.Events[0].OutputID, x.store.Runs.Events[0].AutomationID = outputs[0].ID, memory.AutomationID
	b := x.console(t).signIn(memory.AdaToken)
	run := wf + "runs/" + memory.AutomationID + "/"
	b.get(run).is(200).shows("Retry", "Redeliver", "The drive is full.", "oops", "the receiver answered 500", "City")
	x.store.Scope(memory.AdaToken, "read")
	b.get(run).is(200).shows("may only read", "The drive is full.").lacks("Retry", "Redeliver", "Cancel")
	b.get(wf).is(200).lacks("Send a test event")
	for _, path := range []string{run + "retry", run + "cancel", run + "events/" + memory.EventID + "/redeliver", wf + "test"} {
		b.open("POST", path, nil).is(http.StatusForbidden).shows("The access token does not let you do this", "lacks the scope write")
	}
	x.store.Scope(memory.AdaToken, "read,workflow:"+strings.Trim(strings.TrimPrefix(wf, "/console/workflows/"), "/"))
	if a := b.get("/").is(http.StatusSeeOther); a.header.Get("Location") != "/console/workflows/" {
		t.Errorf("the first page leads to %q", a.header.Get("Location"))
	}
	b.get("/console/workflows/").is(200).shows(wf)
	b.get(run).is(200)
}

func TestTheRunPageSaysThatItsDataIsErased(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	b := x.console(t).signIn(me.Token)
	run := "/console/workflows/" + me.IDs["workflow"] + "/runs/" + me.IDs["automation"] + "/"
	b.open("POST", run+"erase", nil).is(http.StatusBadRequest).shows("Tick the box first")
	b.get(run).is(200).shows("Erase this run").lacks("being erased", "were erased")
	b.open("POST", run+"erase", url.Values{"certain": {"on"}}).is(http.StatusSeeOther)
	b.get(run+"?data=shown").is(200).shows("is being erased").lacks("Show the source data", "null", "Erase this run", "Redeliver")
	_, err := x.Owner.Exec(t.Context(), `UPDATE automations SET state = 'FAILED', finished_at = now(), data_erased_at = now(), erase_requested_at = NULL WHERE id = $1`, me.IDs["automation"])
	x.Must(err)
	for _, path := range []string{run, run + "?data=shown"} {
		b.get(path).is(200).shows("source data, its events and the answers to them were erased").lacks("Show the source data", "null", "Retry", "Redeliver")
	}
	for _, verb := range []string{"retry", "events/" + me.IDs["event"] + "/redeliver"} { // of a page that was opened before
		if a := b.open("POST", run+verb, nil).is(http.StatusSeeOther); a.header.Get("Location") != run {
			t.Errorf("%s leads to %q, want the run's page, which says why", verb, a.header.Get("Location"))
		}
	}
}

func TestPagesSayThatAMailDidNotGoOut(t *testing.T) {
	t.Parallel()
	x := newHarness(t, mailing)
	wf, _ := x.withMail(t, platen.MailFailed)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	b := x.console(t, func(o *console.SiteOptions) {
		o.Now = func() time.Time { return x.store.Runs.Automations[0].AcceptedAt.Add(time.Hour) }
	}).signIn(memory.AdaToken)
	const why = "The mail server refuses an address."
	b.get("/").is(200).shows("1 mail did not go out", `href="#unsent"`, "Mails that did not go out in the last 24 hours", why, "runs/"+memory.AutomationID+"/")
	b.get(page+"runs/?mail=FAILED").is(200).shows(why, "runs/"+memory.AutomationID+"/")
	b.get(page+"outputs/?mail=FAILED").is(200).shows("Mail: ", "The mail server refuses an address.", platen.CodeEmailAddressRefused)
	b.get(page + "outputs/?mail=SENT").is(200).lacks("The mail server refuses an address.")
	x.store.Runs.Automations[0].Outputs[0].Mail.State = platen.MailSent
	b.get("/").is(200).lacks("did not go out")
}

// A mail server is tried for a day: what failed today may be of a run of yesterday.
func TestTodayHasTheMailsThatWereGivenUpSinceYesterday(t *testing.T) {
	t.Parallel()
	x := newHarness(t, mailing)
	x.withMail(t, platen.MailFailed)
	accepted := x.store.Runs.Automations[0].AcceptedAt
	b := x.console(t, func(o *console.SiteOptions) {
		o.Now = func() time.Time { return accepted.Add(30 * time.Hour) }
	}).signIn(memory.AdaToken)
	for after, shown := range map[time.Duration]bool{time.Hour: false, 25 * time.Hour: true} {
		tried := accepted.Add(after)
		x.store.Runs.Automations[0].Outputs[0].Mail.TriedAt = &tried
		if page := b.get("/").is(200); shown {
			page.shows("1 mail did not go out")
		} else {
			page.lacks("1 mail did not go out")
		}
	}
}

func TestAnOutputIsSentAgainFromItsRun(t *testing.T) {
	t.Parallel()
	x := newHarness(t, mailing)
	wf, output := x.withMail(t, platen.MailFailed)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	run := page + "runs/" + memory.AutomationID + "/"
	const button = "Send it again by mail"
	x.console(t).signIn(memory.AdaToken).get(run).is(200).lacks(button) // no mail server
	b := x.console(t, func(o *console.SiteOptions) { o.Mails = true }).signIn(memory.AdaToken)
	b.get(run).is(200).shows(button, `action="`+run+"outputs/"+output+`/mail"`, "to those that the document names")
	b.get(page+"outputs/").is(200).shows(button, "#mail-"+output)
	form := url.Values{"to": {"ada@new.example"}, "once": {"x"}}
	for range 2 { // a double click
		if to := b.open("POST", run+"outputs/"+output+"/mail", form).is(http.StatusSeeOther).header.Get("Location"); to != run+"#mail-"+output {
			t.Errorf("it leads to %q", to)
		}
	}
	if want := []string{output + " ada@new.example"}; !slices.Equal(x.store.Runs.Mailed, want) {
		t.Errorf("got %q, want %q once", x.store.Runs.Mailed, want)
	}
	b.get(run).is(200).shows("Mail 2: ")
	b.open("POST", run+"outputs/"+output+"/mail", url.Values{"to": {"ada"}, "once": {"y"}}).is(http.StatusBadRequest).shows("must be plain addresses such as ada@example.com")
	x.store.Runs.Automations[0].Outputs[0].Test = true
	b.get(run).is(200).lacks(button)
}

func TestARunSaysWhatTargetsHaveAndStoresItsOutputAgain(t *testing.T) {
	t.Parallel()
	x := newHarness(t, mailing)
	wf, output := x.withMail(t, platen.MailSent)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	run := page + "runs/" + memory.AutomationID + "/"
	target := x.do(t, "POST", wf+"/targets/", `{"name":"Archive","kind":"webdav","url":"https://cloud.example/in"}`).is(http.StatusCreated).object()["id"].(string)
	key := platen.PlacementKey{AutomationID: memory.AutomationID, OutputID: output, TargetID: target}
	x.store.Runs.Automations[0].Outputs[0].Placements = []platen.Placement{{
		PlacementKey: key, TargetName: "Archive", State: platen.PlacementFailed, Attempts: 7, Code: platen.CodeTargetFull, Message: "The target has no room left.",
		Receipts: []platen.Receipt{{Kind: "pdf", Key: "in/Letter.pdf", SHA256: "9f86d081", Bytes: 7}},
	}}
	b := x.console(t).signIn(memory.AdaToken)
	b.get(run).is(200).shows("Archive", "The target has no room left.", "in/Letter.pdf", "9f86d081", "Store it again", `action="`+run+"outputs/"+output+"/targets/"+target+`"`)
	if to := b.open("POST", run+"outputs/"+output+"/targets/"+target, nil).is(http.StatusSeeOther).header.Get("Location"); to != run+"#targets-"+output {
		t.Errorf("it leads to %q", to)
	}
}

func TestPagesSayThatAMailReachedAPartOfItsRecipients(t *testing.T) {
	t.Parallel()
	x := newHarness(t, mailing)
	wf, _ := x.withMail(t, platen.MailPartlySent)
	m := x.store.Runs.Automations[0].Outputs[0].Mail
	m.Recipients, m.Accepted = 3, 2
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	b := x.console(t, func(o *console.SiteOptions) {
		o.Mails = true
		o.Now = func() time.Time { return x.store.Runs.Automations[0].AcceptedAt.Add(time.Hour) }
	}).signIn(memory.AdaToken)
	b.get("/").is(200).shows("1 mail did not go out", "A mail did not reach everybody: ")
	b.get(page+"outputs/?mail=FAILED").is(200).shows("sent in part", platen.CodeEmailAddressRefused)
	b.get(page+"runs/"+memory.AutomationID+"/").is(200).shows("sent in part", "to 2 of 3 recipients", "empty: to those that did not get it")
}

// inReview has the output of a tenant wait for its user, in the second round.
func (x *tenancy) inReview(me storetest.Tenant) {
	x.t.Helper()
	output := me.IDs["output"]
	for _, sql := range []string{
		`UPDATE automations SET state = 'REVIEW', attempt = 2 WHERE id = (SELECT automation_id FROM outputs WHERE id = $1)`,
		`UPDATE outputs SET state = 'REVIEW', attempt = 2 WHERE id = $1`,
	} {
		x.Exec(sql, output)
	}
	x.Exec(`
		INSERT INTO reviews (output_id, round, automation_id, workflow_id, terms, sha256, expires_at)
		SELECT o.id, 2, a.id, a.workflow_id, jsonb_build_object('by', jsonb_build_array($2::text), 'expireDays', 30), 'x', now() + interval '30 days'
		FROM outputs o
		JOIN automations a ON a.id = o.automation_id
		WHERE o.id = $1`, output, me.User.Email)
}

// Somebody who looks at a page while the document is made again has not seen the new one.
func TestAnAnswerIsAboutTheRoundThatWasSeen(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	x.inReview(me)
	at := "/v0/workflows/" + me.IDs["workflow"] + "/outputs/" + me.IDs["output"] + "/"
	x.as(t, me.Token, "POST", at+"approve/", `{"round":1}`).is(400).shows("review_superseded")
	x.as(t, me.Token, "POST", at+"reject/", `{"reason":"Wrong town.","round":1}`).is(400).shows("review_superseded")
	x.as(t, me.Token, "POST", at+"approve/", `{"round":0}`).is(400)
	x.as(t, me.Token, "POST", at+"approve/", `{"reason":"None."}`).is(400)
	x.as(t, me.Token, "POST", at+"reject/", `{"round":2}`).is(400)
	b, page := x.console(t).signIn(me.Token), "/console/workflows/"+me.IDs["workflow"]+"/runs/"+me.IDs["automation"]+"/"
	b.get("/").is(200).shows("Waiting for approval")
	b.get(page).is(200).shows(`name="round" value="2"`)
	for _, seen := range []url.Values{{"round": {"1"}}, {}} {
		b.open("POST", page+"outputs/"+me.IDs["output"]+"/approve", seen)
		if got := x.as(t, me.Token, "GET", "/v0/workflows/"+me.IDs["workflow"]+"/outputs/?id="+me.IDs["output"], "").is(200).list(); len(got) != 1 || got[0].(map[string]any)["state"] != "REVIEW" {
			t.Fatalf("after an answer about %v: got %v, want that it still waits", seen, got)
		}
	}
	x.as(t, me.Token, "POST", at+"correct/", `{"round":1,"data":{"Name":"Eve"}}`).is(400).shows("review_superseded")
	x.as(t, me.Token, "POST", at+"correct/", `{"round":2,"data":["Eve"]}`).is(400)
	x.as(t, me.Token, "POST", at+"correct/", `{"round":2,"data":{"a":`+strings.Repeat("[", 64)+strings.Repeat("]", 64)+`}}`).is(400)
	b.get(page).shows("Correct the data", `name="v0"`)
	b.open("POST", page+"outputs/"+me.IDs["output"]+"/approve", url.Values{"round": {"2"}}).is(http.StatusSeeOther)
	got := x.as(t, me.Token, "POST", at+"approve/", "").is(200).object() // the same answer again
	if verdict := got["review"].(map[string]any)["verdict"]; verdict != "APPROVED" {
		t.Errorf("got %v, want that it is approved", verdict)
	}
}
