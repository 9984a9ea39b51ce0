package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/api"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestAReceiverInAPrivateNetworkIsToldOnceItIsSaved(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *api.Options) {
		o.PrivateReceiver = func(address string) bool { return strings.Contains(address, "127.0.0.1") }
	})
	b := x.console(t).signIn(memory.AdaToken)
	page := strings.Replace(x.newWorkflow(t, `{"name":"W"}`), "/v0", "/console", 1) + "/"
	const told = "names a private network or this machine"
	to := b.open("POST", page+"receiver", url.Values{"webhookUrl": {"http://127.0.0.1:9/"}}).is(http.StatusSeeOther).header.Get("Location")
	b.get(strings.TrimSuffix(to, "#receiver")).is(200).shows(told)
	to = b.open("POST", page+"receiver", url.Values{"webhookUrl": {"https://example.com/"}}).is(http.StatusSeeOther).header.Get("Location")
	b.get(strings.TrimSuffix(to, "#done")).is(200).shows("The receiver is saved.").lacks(told)
	form := url.Values{"name": {"W"}, "receiver": {"http://127.0.0.1:9/"}, "once": {"one"}}
	to = b.open("POST", "/console/new-workflow", form).is(http.StatusSeeOther).header.Get("Location")
	b.get(strings.TrimSuffix(to, "#receiver")).is(200).shows(told)
}

// formsOf are the addresses of every form of a workflow's page, with what is typed in.
func formsOf(ids map[string]string) map[string]url.Values {
	wf := "/console/workflows/" + ids["workflow"] + "/"
	doc := wf + "documents/" + ids["document"] + "/"
	certain := url.Values{"certain": {"on"}}
	return map[string]url.Values{
		wf + "name":                       {"name": {"Another"}},
		wf + "locale":                     {"locale": {"de"}},
		wf + "order":                      {"orderedBy": {"Theirs"}},
		wf + "documents/":                 {"file": {"docs-file"}},
		wf + "receiver":                   {"webhookUrl": {"https://other.example/events"}},
		wf + "receiver/secret":            {},
		wf + "receiver/rotate":            {},
		wf + "receiver/recover":           {"since": {"2026-01-01"}},
		wf + "source/rotate":              {"overlapHours": {"0"}},
		wf + "source/verification":        {"scheme": {"GITHUB"}, "secrets": {"correct-horse-battery"}},
		wf + "source/verification/remove": {},
		doc + "settings":                  {"outputName": {"Letter"}, "onMissing": {"fail"}},
		doc + "mail":                      {"to": {"theirs@example.com"}, "subject": {"Theirs"}, "text": {"Theirs"}, "attach": {"link"}},
		doc + "mail/remove":               {},
		doc + "preview-address":           {},
		doc + "einvoice":                  {"syntax": {"CII"}, "profile": {"EN16931"}, "map/BT-1": {"Theirs"}},
		doc + "template":                  {},
		doc + "versions/":                 {"note": {"Theirs"}},
		wf + "copy":                       {"name": {"Theirs"}},
		doc + "sample":                    {},
		doc + "remove":                    certain,
		wf + "archive":                    certain,
		wf + "runs/" + ids["automation"] + "/erase": certain,
	}
}

func TestFormsOfAWorkflowAreItsCallersAlone(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	victim, stranger := x.tenant("Victims"), x.tenant("Strangers")
	b := x.console(t).signIn(stranger.Token)
	before := x.whole(victim)
	for path, form := range formsOf(victim.IDs) {
		showsNothing(b.open("POST", path, form).is(http.StatusNotFound), victim)
	}
	mixed := map[string]string{"workflow": stranger.IDs["workflow"], "document": victim.IDs["document"], "automation": victim.IDs["automation"]}
	for path, form := range formsOf(mixed) {
		if strings.Contains(path, victim.IDs["document"]) || strings.Contains(path, victim.IDs["automation"]) {
			showsNothing(b.open("POST", path, form).is(http.StatusNotFound), victim)
		}
	}
	if after := x.whole(victim); after != before {
		t.Error("the victim's workflow was changed")
	}
	own := x.console(t).signIn(victim.Token)
	for path, form := range formsOf(victim.IDs) {
		own.open("POST", path, form, "Sec-Fetch-Site", "cross-site").is(http.StatusForbidden).shows("This came from another page")
	}
	if after := x.whole(victim); after != before {
		t.Error("the workflow was changed by a form of another site")
	}
}

func TestFormsOfAWorkflowDoWhatTheAPIDoes(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	path := x.newWorkflow(t, `{"name":"W"}`)
	page := strings.Replace(path, "/v0", "/console", 1) + "/"
	done := func(form string, typed url.Values) {
		t.Helper()
		if a := b.open("POST", page+form, typed).is(http.StatusSeeOther); !regexp.MustCompile(`^` + page + `\w+/\?done=`).MatchString(a.header.Get("Location")) {
			t.Errorf("%s leads to %q, want the workflow, which says what was done", form, a.header.Get("Location"))
		}
	}
	done("name", url.Values{"name": {" Letters "}})
	b.open("POST", page+"name", url.Values{"name": {""}}).is(http.StatusBadRequest).shows(`role="alert"`)
	done("locale", url.Values{"locale": {" de-AT "}})
	b.whole(page).shows("(now <code>de-AT</code>)", `value="de-AT"`)
	b.open("POST", page+"locale", url.Values{"locale": {"German"}}).is(http.StatusBadRequest).shows("The locale must be a locale that exists", `value="German"`)
	done("locale", url.Values{"locale": {""}})
	done("order", url.Values{"orderedBy": {" Customer.Number "}})
	b.whole(page).shows("(now by <code>Customer.Number</code>)", `value="Customer.Number"`)
	b.open("POST", page+"order", url.Values{"orderedBy": {"{{No}}"}}).is(http.StatusBadRequest).shows("The formula cannot be read", `value="{{No}}"`)
	done("order", url.Values{"orderedBy": {""}})
	b.open("POST", page+"documents/", url.Values{"file": {"nowhere"}}).is(http.StatusBadRequest).shows(`role="alert"`, `value="nowhere"`)
	added := b.open("POST", page+"documents/", url.Values{"file": {"https://drive.test/open?id=docs-file"}}).is(http.StatusSeeOther).header.Get("Location")
	doc := x.do(t, "GET", path+"/", "").is(200).object()["documents"].([]any)[0].(map[string]any)["id"].(string)
	if want := page + "template/?check=" + doc + "&done=added#of-" + doc; added != want {
		t.Errorf("a new template leads to %q, want its mistakes at %q", added, want)
	}
	settings := url.Values{"outputName": {"Letter {{Name}}"}, "createPdfCopy": {"on"}, "enablePdfPassword": {"on"}, "pdfPassword": {"open-{{Number}}"}, "onMissing": {"fail"}}
	done("documents/"+doc+"/settings", settings)
	d := x.do(t, "GET", path+"/documents/"+doc+"/", "").is(200).object()
	if d["outputName"] != "Letter {{Name}}" || d["createPdfCopy"] != true || d["removeOutput"] != false || d["enablePdfPassword"] != true || d["pdfPassword"] != "open-{{Number}}" || d["onMissing"] != "fail" {
		t.Errorf("the document is %v", d)
	}
	settings.Set("outputName", "")
	b.open("POST", page+"documents/"+doc+"/settings", settings).is(http.StatusBadRequest).shows(`role="alert"`, "open-{{Number}}")
	b.open("POST", page+"receiver", url.Values{}).is(http.StatusBadRequest).shows("Type in the address")
	done("receiver", url.Values{"webhookUrl": {"https://one.example/"}})
	done("receiver", url.Values{"webhookUrl": {"https://two.example/"}})
	b.whole(page).shows("https://two.example/").lacks("https://one.example/", "whsec_")
	b.open("POST", page+"receiver/secret", nil).is(200).shows("whsec_")
	done("receiver/rotate", nil)
	b.open("POST", page+"receiver/secret", nil).is(200).shows("signs along until")
	b.open("POST", page+"receiver/recover", url.Values{"since": {"yesterday"}}).is(http.StatusBadRequest).shows(`role="alert"`)
	if to := b.open("POST", page+"receiver/recover", url.Values{"since": {"2026-01-01"}}).is(http.StatusSeeOther).header.Get("Location"); !strings.HasPrefix(to, page+"events/?recovered=") {
		t.Errorf("events that are recovered lead to %q, want their progress", to)
	}
	done("receiver", url.Values{"webhookUrl": {""}})
	b.whole(page).shows("No outgoing webhook is set")
	b.open("POST", page+"documents/"+doc+"/remove", nil).is(http.StatusBadRequest).shows("Tick the box first")
	done("documents/"+doc+"/remove", url.Values{"certain": {"on"}})
	b.whole(page).shows("There is no template document yet")
	b.open("POST", page+"archive", nil).is(http.StatusBadRequest).shows("Tick the box first")
	done("archive", url.Values{"certain": {"on"}})
	b.whole(page).shows("archived").lacks("Rename it", "Add a template")
}

func TestASourceIsMadeSafeInTheConsole(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	b := x.console(t).signIn(me.Token)
	page := "/console/workflows/" + me.IDs["workflow"] + "/"
	signed := url.Values{"scheme": {"HMAC"}, "secrets": {"correct-horse-battery other-horse-battery"}, "header": {"X-Signature"}, "encoding": {"base64"}, "networks": {"203.0.113.0/24 2001:db8::/32"}}
	b.open("POST", page+"source/verification", signed).is(http.StatusSeeOther)
	b.whole(page).shows("HMAC", "X-Signature", "2 secrets", "203.0.113.0/24", "2001:db8::/32").lacks("correct-horse")
	signed.Set("networks", "nowhere")
	b.open("POST", page+"source/verification", signed).is(http.StatusBadRequest).shows(`role="alert"`, `value="nowhere"`).lacks("correct-horse")
	b.open("POST", page+"source/verification/remove", nil).is(http.StatusSeeOther)
	before := b.whole(page).shows("Events need not be signed.").body
	b.open("POST", page+"source/rotate", url.Values{"overlapHours": {"many"}}).is(http.StatusBadRequest).shows("whole number")
	b.open("POST", page+"source/rotate", url.Values{"overlapHours": {"24"}}).is(http.StatusSeeOther)
	address := regexp.MustCompile(`https://hooks\.test/\w+`)
	if old, now := address.FindString(before), address.FindString(b.whole(page).body); old == now || now == "" {
		t.Errorf("the address is %q, and was %q; want another", now, old)
	}
}

// The form that adds a network must not take away the signature that is set.
func TestTheFormOfASourceKeepsTheSignatureThatIsAsked(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	b := x.console(t).signIn(me.Token)
	page := "/console/workflows/" + me.IDs["workflow"] + "/"
	b.open("POST", page+"source/verification", url.Values{"scheme": {"STRIPE"}, "secrets": {"correct-horse-battery"}}).is(http.StatusSeeOther)
	b.whole(page).shows("<option selected>STRIPE</option>")
	for name, form := range map[string]url.Values{
		"no signature": {"networks": {"203.0.113.0/24"}},
		"no secret":    {"scheme": {"STRIPE"}, "networks": {"203.0.113.0/24"}},
	} {
		if shown := b.open("POST", page+"source/verification", form); shown.status != http.StatusBadRequest {
			t.Errorf("%s: got %d, want that it is refused", name, shown.status)
		}
		b.whole(page).shows("signed", "STRIPE", "1 secret").lacks("They come from")
	}
	both := url.Values{"scheme": {"STRIPE"}, "secrets": {"correct-horse-battery"}, "networks": {"203.0.113.0/24"}}
	b.open("POST", page+"source/verification", both).is(http.StatusSeeOther)
	b.whole(page).shows("STRIPE", `value="203.0.113.0/24"`)
}

func TestAReceiverWhoseLastAttemptsFailedIsNotGreen(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withRun(t, platen.AutomationCompleted)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	b := x.console(t).signIn(memory.AdaToken)
	b.get(page + "delivery/").is(200).shows(`<span class="state good">in use</span>`)
	x.store.Runs.Endpoint.Failures = 4
	for _, at := range []string{page + "delivery/", "/"} {
		b.get(at).is(200).shows(`<span class="state bad">failing</span>`, "The last 4 attempts failed").lacks("in use")
	}
}

func TestAMisspeltTagIsFoundByTheNextEvent(t *testing.T) {
	t.Parallel()
	x := newHarness(t, matching)
	wf := x.withRun(t, platen.AutomationCompleted)
	x.store.Runs.Data = []byte(`{"line_items":[{"price":1}]}`)
	documents := x.do(t, "GET", wf+"/", "").is(200).object()["documents"].([]any)
	a := &x.store.Runs.Automations[0]
	a.Outputs = a.Outputs[:1]
	a.Outputs[0].ID = "out_00000000000001"
	a.Outputs[0].DocumentID, a.Outputs[0].MissingFields = documents[0].(map[string]any)["id"].(string), []string{"line_items.prise"}
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	b := x.console(t, func(o *console.SiteOptions) { o.Now = func() time.Time { return a.AcceptedAt.Add(time.Hour) } }).signIn(memory.AdaToken)
	const meant = "did you mean <code>line_items.price</code>?"
	found := "<code>line_items.prise</code>: no such field in the last event; " + meant
	b.get(page).is(200).shows(found, "runs/"+memory.AutomationID+"/")
	b.get(page + "runs/" + memory.AutomationID + "/").is(200).shows("<code>line_items.prise</code> (no such field in the event; " + meant)
	b.get("/").is(200).shows("1 output made with empty fields", `href="#empty"`, "Made with empty fields in the last 24 hours", "1 field empty")

	// A newer run that is still under way says nothing, and neither hides the finding.
	newer := *a
	newer.ID, newer.State, newer.Outputs, newer.FinishedAt = "aut_00000000000009", platen.AutomationRunning, nil, nil
	x.store.Runs.Automations = append([]platen.Automation{newer}, *a)
	b.get(page).is(200).shows(found)
	x.store.Runs.Automations = x.store.Runs.Automations[1:]

	a = &x.store.Runs.Automations[0]
	a.Outputs[0].MissingFields = nil
	b.get(page).is(200).lacks("no such field")
	b.get("/").is(200).lacks("empty fields")
}

// matching are names as the programs look them up.
func matching(o *api.Options) {
	o.Tags = func(texts, fields []string) (found []api.TagFinding) {
		for _, f := range lang.MatchNames(texts, fields) {
			found = append(found, api.TagFinding(f))
		}
		return found
	}
}
