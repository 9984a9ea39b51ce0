package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
)

func TestEverySettingOfADocumentIsChangedInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.Mails = true })
	b := x.console(t).signIn(adaToken)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	id := document[strings.LastIndex(document, "/")+1:]
	page, doc := strings.Replace(wf, "/v0", "/console", 1)+"/", strings.Replace(document, "/v0", "/console", 1)+"/"
	b.whole(page).shows("Who may open the outputs", "Send each output by mail", "Series that each run takes a number of")
	settings := url.Values{
		"outputName": {"Invoice {{Number invoices}}"}, "createPdfCopy": {"on"}, "onMissing": {"blank"}, "outputFolder": {"Customers/{{Name}}"},
		"outputFolderId": {"https://drive.test/drive/folders/1AbCdEfGhIjKlMnOp"}, "outputSharing": {"anyone"}, "numbers": {"invoices, receipts@year"},
		"pdfProfile": {"PDF/A-2b"},
		"appendices": {"pdf-file\r\n https://docs.google.com/document/d/docs-file/edit \r\n"},
	}
	b.open("POST", doc+"settings", settings).is(http.StatusSeeOther)
	mail := url.Values{"to": {"{{Email}}, archive@example.com"}, "subject": {"Invoice"}, "text": {"Dear {{Name}},\r\n\r\nhere it is.\r\n"}, "attach": {"link"}}
	b.open("POST", doc+"mail", mail).is(http.StatusSeeOther)
	want := `"outputFolder":"Customers/{{Name}}","outputFolderId":"1AbCdEfGhIjKlMnOp","outputSharing":"anyone","email":{"to":"{{Email}}, archive@example.com","subject":"Invoice","text":"Dear {{Name}},\n\nhere it is.","attach":"link"},"numbers":["invoices","receipts@year"],"appendices":["pdf-file","docs-file"]`
	if got := x.do(t, "GET", document, "").is(200).body; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	b.whole(page).shows("Everybody who has the link can open the outputs.", `href="/console/series/invoices/"`, "Customers/{{Name}}",
		`<option value="anyone" selected>`, `<option selected>PDF/A-2b</option>`, `<option value="link" selected>`, `value="invoices, receipts@year"`, "pdf-file\ndocs-file</textarea>", "2 files are appended to it.", `value="{{Email}}, archive@example.com"`, "here it is.</textarea>")

	for field, c := range map[string]struct{ form, value, want string }{
		"outputFolder":   {"settings", "a//b", "The folder must be names of folders"},
		"outputFolderId": {"settings", "My folder", "The folder to begin in must be the folder&#39;s id"},
		"outputSharing":  {"settings", "nobody", "The choice must be folder or domain or anyone"},
		"numbers":        {"settings", "Invoices", "A series must be a name such as invoices"},
		"appendices":     {"settings", "pdf-file\nnowhere", "A line names no file that you can open in the drive"},
		"to":             {"mail", "Ada", "The recipients must be addresses with commas"},
		"subject":        {"mail", "", "The subject must not be empty."},
		"text":           {"mail", strings.Repeat("x", platen.MaxEmailText+1), "The text has 10001 characters"},
	} {
		typed := map[string]url.Values{"settings": settings, "mail": mail}[c.form]
		wrong, err := url.ParseQuery(typed.Encode())
		if err != nil {
			t.Fatal(err)
		}
		wrong.Set(field, c.value)
		b.open("POST", doc+c.form, wrong).is(http.StatusBadRequest).shows(`aria-errormessage="fault-`+field+"-"+id+`"`, `role="alert" id="fault-`+field+"-"+id+`">`+c.want)
	}
	// A page that was opened before an update has none of the new fields.
	b.open("POST", doc+"settings", url.Values{"outputName": {"Invoice"}, "onMissing": {"blank"}}).is(http.StatusSeeOther)
	if got := x.do(t, "GET", document, "").is(200).body; !strings.Contains(got, want) {
		t.Errorf("a form without these fields: got %s, want %s in it", got, want)
	}
	settings.Set("enablePdfPassword", "on")
	settings.Set("pdfPassword", "x")
	b.open("POST", doc+"settings", settings).is(http.StatusBadRequest).shows("A PDF of the profile PDF/A-2b cannot be encrypted")
	settings.Del("enablePdfPassword")
	for _, field := range []string{"outputFolder", "outputFolderId", "numbers", "appendices", "pdfProfile"} {
		settings.Set(field, "")
	}
	settings.Set("outputSharing", "folder")
	b.open("POST", doc+"settings", settings).is(http.StatusSeeOther)
	b.open("POST", doc+"mail/remove", nil).is(http.StatusSeeOther)
	if got := x.do(t, "GET", document, "").is(200).body; strings.Contains(got, `"email"`) || strings.Contains(got, `"profile"`) || strings.Contains(got, `"numbers"`) || strings.Contains(got, `"appendices"`) || strings.Contains(got, "outputFolder") {
		t.Errorf("got %s, want neither mails, numbers, appended files nor a folder", got)
	}
	b.whole(page).shows("Whoever can open their folder in the drive can open the outputs.").lacks("Send no mail any more")
}

func TestAnInstallationWithoutAMailServerSaysSoAboveTheFormOfMails(t *testing.T) {
	t.Parallel()
	const hint = "This installation sends no mail yet: whoever runs it sets a mail server."
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	b := x.console(t).signIn(adaToken)
	b.whole(page).shows(hint, "/docs/mails#set-up-the-mail-server")
	b.open("POST", strings.Replace(document, "/v0", "/console", 1)+"/mail", url.Values{"to": {"{{Email}}"}, "subject": {"Invoice"}, "text": {"Dear"}, "attach": {"pdf"}}).
		is(http.StatusBadRequest).shows("This installation sends no mail: whoever runs it sets PLATEN_SMTP_URL", `value="{{Email}}"`, `value="Invoice"`)
	x.console(t, func(o *console.SiteOptions) { o.Mails = true }).signIn(adaToken).whole(page).lacks(hint)
}

// What /v0 finds in a document that it saved must not be lost on the way to the page.
func TestAFormThatWasSavedShowsTheMistakesThatWereFound(t *testing.T) {
	t.Parallel()
	looked := &templates{checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
	x, wf, document := withTemplates(t, looked, func(o *Options) { o.Mails = true })
	id := document[strings.LastIndex(document, "/")+1:]
	page, doc := strings.Replace(wf, "/v0", "/console", 1)+"/", strings.Replace(document, "/v0", "/console", 1)+"/"
	b := x.console(t).signIn(adaToken)
	settings := url.Values{"outputName": {"Invoice"}, "onMissing": {"blank"}, "removeOutput": {"on"}}
	saved, mailed := page+"settings/?saved="+id+"#of-"+id, page+"delivery/?saved="+id+"#of-"+id
	if to := b.open("POST", doc+"settings", settings).is(http.StatusSeeOther).header.Get("Location"); to != saved {
		t.Errorf("a setting with a mistake leads to %q, want %q", to, saved)
	}
	at, _, _ := strings.Cut(saved, "#")
	b.get(at).is(200).shows("The settings are saved.", "Mistakes", "does nothing, for no PDF is made")
	mail := url.Values{"to": {"{{Emial}}"}, "subject": {"Invoice"}, "text": {"Dear"}, "attach": {"pdf"}}
	looked.checked.Findings = []platen.TemplateFinding{{Where: "email", Code: "unknown_field", Tag: "{{Emial}}", Message: "The source has no field Emial.", Nearest: []string{"Email"}}}
	if to := b.open("POST", doc+"mail", mail).is(http.StatusSeeOther).header.Get("Location"); to != mailed {
		t.Errorf("a mail with a mistake leads to %q, want %q", to, mailed)
	}
	atMail, _, _ := strings.Cut(mailed, "#")
	b.get(atMail).is(200).shows(`id="finding-1"`, "The source has no field Emial.", "Did you mean <code>Email</code>?", "is to bring a PDF, and none is made")
	looked.err = platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive does not answer.")
	if to := b.open("POST", doc+"settings", settings).is(http.StatusSeeOther).header.Get("Location"); to != saved {
		t.Errorf("a document that could not be checked leads to %q, want %q", to, saved)
	}
	b.get(at).is(200).shows("The settings are saved.", "Whether they have mistakes is not known", "The drive does not answer.")
	looked.err, looked.checked.Findings = nil, nil
	settings.Set("createPdfCopy", "on")
	if to := b.open("POST", doc+"settings", settings).is(http.StatusSeeOther).header.Get("Location"); to != page+"settings/?done=settings&of="+id+"#done" {
		t.Errorf("settings without a mistake lead to %q, want that they are saved", to)
	}
}

func TestAReceiverInAPrivateNetworkIsToldOnceItIsSaved(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) {
		o.PrivateReceiver = func(address string) bool { return strings.Contains(address, "127.0.0.1") }
	})
	b := x.console(t).signIn(adaToken)
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

var actionOf = regexp.MustCompile(`(?:form)?action="(/console/workflows/[^"]+)"`)

// After a form was refused its address is the page's: who loads that again gets the form.
func TestTheAddressOfAFormLeadsToTheForm(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.Mails = true })
	b := x.console(t).signIn(adaToken)
	wf := x.newWorkflow(t, `{"name":"W","outgoingWebhook":{"webhookUrl":"https://one.example/"}}`)
	id := x.do(t, "POST", wf+"/documents/upload/", docx(t, "first")).is(201).object()["id"].(string)
	document := wf + "/documents/" + id
	x.do(t, "PATCH", document+"/", `{"email":{"to":"{{Email}}","subject":"A","text":"B"}}`).is(200)
	x.do(t, "POST", document+"/versions/", `{}`).is(201)
	x.do(t, "PUT", wf+"/outgoing-webhooks/test-receiver/", `{"webhookUrl":"https://test.example/"}`)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	body := b.whole(page).body
	forms := map[string]string{
		page + "name": "name", page + "archive": "archive", page + "receiver": "receiver", page + "copy": "copy", page + "test-receiver": "test-receiver",
		page + "documents/": "add", page + "documents/" + id + "/settings": "settings-" + id, page + "documents/" + id + "/mail": "mail-" + id,
		page + "documents/" + id + "/template": "template-" + id, page + "documents/" + id + "/sample": "sample-" + id, page + "documents/" + id + "/versions/": "keep-" + id,
		page + "source/verification": "verification", page + "receiver/recover": "recover",
	}
	found := actionOf.FindAllStringSubmatch(body, -1)
	if len(found) < len(forms)+5 {
		t.Fatalf("got %d forms, want each of the page", len(found))
	}
	for _, action := range found {
		to := b.get(action[1]).is(http.StatusSeeOther).header.Get("Location")
		at, fragment, _ := strings.Cut(to, "#")
		again := b.get(at).is(200)
		if fragment == "" || !strings.Contains(again.body, `id="`+fragment+`"`) {
			t.Errorf("%s leads to %s, which has no such place", action[1], to)
		}
		if name, ok := forms[action[1]]; ok {
			again.shows(`<details id="form-` + name + `" open>`)
			delete(forms, action[1])
		}
	}
	if len(forms) > 0 {
		t.Errorf("the page has no forms to %v", forms)
	}
	b.get(page + "documents/doc_x/settings").is(http.StatusNotFound)
	x.console(t).signIn(bobToken).get(b.get(page + "name").header.Get("Location")).is(http.StatusNotFound)
}

// A check with part of an event does not call a mistake what the document lets be empty.
func TestACheckWithDataFollowsWhatTheDocumentDoesWithoutAField(t *testing.T) {
	t.Parallel()
	absent := platen.TemplateFinding{Code: "unknown_field", Where: "paragraph 1", Tag: "{{City}}", Message: "The source has no field City."}
	typed := platen.TemplateFinding{Code: "unknown_field", Where: "paragraph 2", Tag: "{{Nmae}}", Message: "The source has no field Nmae.", Nearest: []string{"Name"}}
	folder := platen.TemplateFinding{Code: "unknown_field", Where: "outputFolder", Tag: "{{Region}}", Message: "The source has no field Region."}
	looked := &templates{checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
	x := newHarness(t, func(o *Options) {
		o.Tags = func(_, fields []string) []TagFinding { return []TagFinding{{Name: "City"}} }
		o.Templates = looked
	})
	known, unknown := x.newWorkflow(t, `{"name":"W","source":{"sourceFields":["Name","City"]}}`), x.newWorkflow(t, `{"name":"V"}`)
	for _, c := range []struct{ wf, missing, fields, want string }{
		{known, "blank", "[Name City]", "Nmae City Region"},
		{known, "fail", "[Name]", "Nmae City Region"},
		{unknown, "blank", "[Name]", "Nmae Region"}, // before the first event no name is wrong, but for one like another, and where a run fails without it
		{unknown, "fail", "[Name]", "Nmae City Region"},
	} {
		d := x.newDocument(t, c.wf, `{"file_id":"docs-file","onMissing":"`+c.missing+`"}`)
		looked.checked.Findings = []platen.TemplateFinding{typed, absent, folder}
		var got struct {
			SourceFields, Unfilled []string
			Findings               []struct{ Tag string }
		}
		a := x.do(t, "POST", d+"/check/", `{"data":{"Name":"Ada"}}`).is(200)
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatal(err)
		}
		var tags []string
		for _, f := range got.Findings {
			tags = append(tags, strings.Trim(f.Tag, "{}"))
		}
		if fields := strings.Join(looked.fields, " "); "["+fields+"]" != c.fields || strings.Join(tags, " ") != c.want {
			t.Errorf("%s: looked up in %s and found %q; want %s and %s", c.missing, fields, tags, c.fields, c.want)
		}
		if len(got.SourceFields) != 1 || len(got.Unfilled) != 1 {
			t.Errorf("%s: got the fields %q and %q unfilled, want those of the data", c.missing, got.SourceFields, got.Unfilled)
		}
		id := d[strings.LastIndex(d, "/")+1:]
		at := strings.Replace(c.wf, "/v0", "/console", 1) + "/documents/" + id + "/check"
		page := x.console(t).signIn(adaToken).open("POST", at, url.Values{"data": {`{"Name":"Ada"}`}}).is(200)
		switch {
		case c.wf == known: // what is found stands with its place
		case c.missing == "blank":
			page.shows("The data lacks a field, whose place stays empty: <code>City</code>.").lacks("No source field fills")
		default:
			page.shows("The source has no field City.").lacks("stays empty")
		}
	}
}

// A check of large data takes no longer than it has names.
func TestACheckOfManyNamesEndsSoon(t *testing.T) {
	t.Parallel()
	const many = 80_000
	x := newHarness(t, func(o *Options) {
		o.Tags = func(_, _ []string) []TagFinding { return nil }
		o.Templates = &templates{checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
	})
	d := x.newDocument(t, x.newWorkflow(t, `{"name":"W"}`), `{"file_id":"docs-file"}`)
	data := strings.Builder{}
	for n := range many {
		x.store.seen = append(x.store.seen, platen.SeenField{Name: fmt.Sprintf("a%06d", n)})
		fmt.Fprintf(&data, `,"b%06d":1`, n)
	}
	began := time.Now()
	x.do(t, "POST", d+"/check/", `{"data":{`+data.String()[1:]+`}}`).is(200)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a check with %d names of the source and as many others took %v", many, took)
	}
}
