package api

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
)

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
	victim, stranger := x.tenant(t, "Victims"), x.tenant(t, "Strangers")
	b := x.console(t).signIn(stranger.token)
	before := x.whole(t, victim)
	for path, form := range formsOf(victim.ids) {
		x.showsNothing(t, b.open("POST", path, form).is(http.StatusNotFound), call{"POST", path}, victim)
	}
	mixed := map[string]string{"workflow": stranger.ids["workflow"], "document": victim.ids["document"], "automation": victim.ids["automation"]}
	for path, form := range formsOf(mixed) {
		if strings.Contains(path, victim.ids["document"]) || strings.Contains(path, victim.ids["automation"]) {
			x.showsNothing(t, b.open("POST", path, form).is(http.StatusNotFound), call{"POST", path}, victim)
		}
	}
	if after := x.whole(t, victim); after != before {
		t.Error("the victim's workflow was changed")
	}
	own := x.console(t).signIn(victim.token)
	for path, form := range formsOf(victim.ids) {
		own.open("POST", path, form, "Sec-Fetch-Site", "cross-site").is(http.StatusForbidden).shows("This came from another page")
	}
	if after := x.whole(t, victim); after != before {
		t.Error("the workflow was changed by a form of another site")
	}
}

var onceField = regexp.MustCompile(`name="once" value="([^"]+)"`)

func TestAWorkflowIsMadeInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(adaToken)
	b.get("/").is(200).shows("/console/new-workflow")
	page := b.get("/console/new-workflow").is(200).shows("New workflow")
	form := url.Values{"once": {onceField.FindStringSubmatch(page.body)[1]}, "name": {"Invoices"},
		"file": {"https://docs.google.com/document/d/docs-file/edit?tab=t.0"}, "receiver": {"not an address"}}
	two := url.Values{"once": form["once"], "name": {strings.Repeat("x", 201)}, "file": form["file"], "receiver": form["receiver"]}
	page = b.open("POST", "/console/new-workflow", two).is(http.StatusBadRequest).shows("The name has 201 characters", "The address must").lacks("see errors")
	form.Set("once", onceField.FindStringSubmatch(page.body)[1])
	page = b.open("POST", "/console/new-workflow", form).is(http.StatusBadRequest).
		shows(`role="alert"`, `value="Invoices"`, `value="not an address"`, "The address must")
	form.Set("once", onceField.FindStringSubmatch(page.body)[1])
	form.Set("receiver", "https://example.com/events")
	made := b.open("POST", "/console/new-workflow", form).is(http.StatusSeeOther).header.Get("Location")
	if again := b.open("POST", "/console/new-workflow", form).is(http.StatusSeeOther).header.Get("Location"); again != made || len(x.store.workflows) != 1 {
		t.Errorf("sent twice: got %s and %s, and %d workflows, want one", made, again, len(x.store.workflows))
	}
	made = made[:strings.Index(made, "/template/")+1]
	b.whole(made).shows("Invoices", "ready", "https://example.com/events")
	x.scoped(t, "read")
	b.get("/console/workflows/").is(200).lacks("New workflow")
	b.open("POST", "/console/new-workflow", form).is(http.StatusForbidden).shows("The access token does not let you do this")
	b.whole(made).lacks("Rename it", "Add a template", "Change the receiver", "Archive it", "Make a new address")
}

func TestFormsOfAWorkflowDoWhatTheAPIDoes(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(adaToken)
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

// /v0 takes such settings, and the check tells of them.
func TestFormsRefuseSettingsByWhichEveryOutputFails(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.Mails = true })
	b := x.console(t, func(o *console.SiteOptions) { o.Mails = true }).signIn(adaToken)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := x.newDocument(t, wf, `{"file_id":"docs-file","createPdfCopy":true}`)
	at := strings.Replace(document, "/v0", "/console", 1)
	settings := func(but ...string) url.Values {
		form := url.Values{"outputName": {"Letter"}, "createPdfCopy": {"on"}, "enablePdfPassword": {"on"}, "pdfPassword": {"open-{{Number}}"}, "onMissing": {"blank"}}
		for i := 0; i < len(but); i += 2 {
			form.Del(but[i])
			if but[i+1] != "" {
				form.Set(but[i], but[i+1])
			}
		}
		return form
	}
	mail := func(attach string) url.Values {
		return url.Values{"to": {"{{Email}}"}, "subject": {"Your letter"}, "text": {"Hello"}, "attach": {attach}}
	}
	saved := x.do(t, "GET", document+"/", "").is(200).object()
	for _, c := range []struct {
		form  string
		typed url.Values
		says  []string // nothing: it is saved
	}{
		{"settings", settings("pdfPassword", " "), []string{"The password is empty", "untick “Encrypt the PDF with a password”", `value="Letter"`}},
		{"settings", settings("pdfPassword", "open-{{Number}"), []string{"The password has a tag that is not closed: every output fails; put }} behind the name.", `value="open-{{Number}"`}},
		{"settings", settings("pdfPassword", "{{= SUMM(1)}}"), []string{"Every output would fail: ", "SUM", `aria-errormessage="fault-password-`}},
		{"settings", settings("outputFolder", "{{#each}}/Letters"), []string{"Every output would fail: ", `aria-errormessage="fault-outputFolder-`}},
		{"settings", settings("createPdfCopy", "", "pdfPassword", ""), nil}, // it encrypts nothing, and makes outputs
		{"mail", mail("pdf"), []string{"The choice needs a PDF, and none is made", "choose the link, or tick “Make a PDF”"}},
		{"mail", mail("link"), nil},
		{"settings", settings(), nil},
		{"mail", mail("pdf"), nil},
		{"settings", settings("createPdfCopy", "", "enablePdfPassword", ""), []string{"“Make a PDF” is not ticked, and every mail would fail", "have the mail bring a link"}},
	} {
		a := b.open("POST", at+"/"+c.form, c.typed)
		if c.says == nil {
			a.is(http.StatusSeeOther)
			saved = x.do(t, "GET", document+"/", "").is(200).object()
			continue
		}
		a.is(http.StatusBadRequest).shows(append(c.says, "Not saved: ", `aria-invalid="true"`)...)
		if now := x.do(t, "GET", document+"/", "").is(200).object(); !reflect.DeepEqual(now, saved) {
			t.Errorf("%s with %v: got %v, want that nothing is changed: %v", c.form, c.typed, now, saved)
		}
	}
}

// attach sends a form with a file, as a browser does.
func (b *browser) attach(path, content string) answer {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("upload", "invoice.docx")
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return b.send("POST", path, &body, "Content-Type", form.FormDataContentType())
}

func TestATemplateIsUploadedAndReplacedInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(adaToken)
	path := x.newWorkflow(t, `{"name":"W"}`)
	page := strings.Replace(path, "/v0", "/console", 1) + "/"
	docx := office(t, "word/document.xml")
	b.attach(page+"documents/", "no office file").is(http.StatusBadRequest).shows(`role="alert"`, "no .docx or .pptx file")
	b.attach(page+"documents/", docx).is(http.StatusSeeOther)
	d := x.do(t, "GET", path+"/", "").is(200).object()["documents"].([]any)[0].(map[string]any)
	if d["createPdfCopy"] != true || d["documentType"] != "CLOUD_DOCS" {
		t.Errorf("the document is %v, want a text document with a PDF", d)
	}
	b.whole(page).shows("Replace what the template says", "Open the template")
	at := page + "documents/" + d["id"].(string) + "/template"
	b.attach(at, office(t, "ppt/presentation.xml")).is(http.StatusBadRequest).shows(`role="alert"`, "send a .docx file")
	b.attach(at, packed(t, "word/document.xml", "other")).is(http.StatusSeeOther)
	if len(x.cloud.replaced) != 1 {
		t.Errorf("got %v, want one content", x.cloud.replaced)
	}
}

func TestASourceIsMadeSafeInTheConsole(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	b := x.console(t).signIn(me.token)
	page := "/console/workflows/" + me.ids["workflow"] + "/"
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
	me := x.tenant(t, "Mine")
	b := x.console(t).signIn(me.token)
	page := "/console/workflows/" + me.ids["workflow"] + "/"
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

func TestASampleIsCheckedAndShownInTheConsole(t *testing.T) {
	t.Parallel()
	looked := &templates{checked: platen.TemplateCheck{Schema: []byte(`{}`)}, sample: platen.Sample{PDF: []byte("%PDF-1.7")}}
	x, wf, d := withTemplates(t, looked)
	page, doc := strings.Replace(wf, "/v0", "/console", 1)+"/", strings.Replace(d, "/v0", "/console", 1)+"/"
	b := x.console(t).signIn(adaToken)
	b.get(page).is(200).shows(`{&#34;Name&#34;:&#34;Ada Lovelace&#34;}`)
	for _, wrong := range []string{`[1]`, `{"Name":`, `Name: Ada`} {
		b.open("POST", doc+"check", url.Values{"data": {wrong}}).is(200).shows("The data is ")
		b.open("POST", doc+"sample", url.Values{"data": {wrong}}).is(http.StatusBadRequest).shows("The data is ")
	}
	b.open("POST", doc+"check", url.Values{"data": {`{"Name":"Ada"}`}}).is(200).shows(`{&#34;Name&#34;:&#34;Ada&#34;}`)
	a := b.open("POST", doc+"sample", url.Values{"data": {`{"Name":"Ada"}`}}).is(200)
	if a.header.Get("Content-Type") != platen.MIMEPDF || !strings.HasPrefix(a.body, "%PDF") {
		t.Errorf("got %s, %.20q, want a PDF", a.header.Get("Content-Type"), a.body)
	}
	b.open("POST", doc+"check", url.Values{"data": {strings.Repeat("x", 2<<20)}}).is(http.StatusBadRequest).shows("What was typed in has more than 1 MiB")
}

func TestTheRunPageSaysThatItsDataIsErased(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	b := x.console(t).signIn(me.token)
	run := "/console/workflows/" + me.ids["workflow"] + "/runs/" + me.ids["automation"] + "/"
	b.open("POST", run+"erase", nil).is(http.StatusBadRequest).shows("Tick the box first")
	b.get(run).is(200).shows("Erase this run").lacks("being erased", "were erased")
	b.open("POST", run+"erase", url.Values{"certain": {"on"}}).is(http.StatusSeeOther)
	b.get(run+"?data=shown").is(200).shows("is being erased").lacks("Show the source data", "null", "Erase this run", "Redeliver")
	_, err := x.db.Pool().Exec(t.Context(), `UPDATE automations SET state = 'FAILED', finished_at = now(), data_erased_at = now(), erase_requested_at = NULL WHERE id = $1`, me.ids["automation"])
	x.must(t, err)
	for _, path := range []string{run, run + "?data=shown"} {
		b.get(path).is(200).shows("source data, its events and the answers to them were erased").lacks("Show the source data", "null", "Retry", "Redeliver")
	}
	for _, verb := range []string{"retry", "events/" + me.ids["event"] + "/redeliver"} { // of a page that was opened before
		if a := b.open("POST", run+verb, nil).is(http.StatusSeeOther); a.header.Get("Location") != run {
			t.Errorf("%s leads to %q, want the run's page, which says why", verb, a.header.Get("Location"))
		}
	}
}

func TestTheFirstPageCounts(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	b := x.console(t).signIn(me.token)
	figure := func(name, n string) string { return "<span>" + name + "</span><strong" + n + "</strong>" }
	b.get("/").is(200).shows(figure("Received in 24 hours", ">1"), figure("Failed", ">0"), figure("Waiting", ">0"))
	_, err := x.db.Pool().Exec(t.Context(), `UPDATE automations SET state = 'FAILED', finished_at = now() WHERE id = $1`, me.ids["automation"])
	x.must(t, err)
	b.get("/").is(200).shows(figure("Received in 24 hours", ">1"), figure("Failed", ` class="bad">1`), "1 cause")
	b.get("/?span=days").is(200).shows(figure("Received in 30 days", ">1"), "Runs of the last 30 days")
}

// longest is how many characters a page lets type into a field.
func (a answer) longest(field string) int {
	a.t.Helper()
	input := regexp.MustCompile(`<input [^>]*name="` + field + `"[^>]*maxlength="([0-9]+)"`).FindStringSubmatch(a.body)
	if input == nil {
		a.t.Fatalf("the page has no field %s with a maxlength:\n%s", field, a.body)
	}
	n, err := strconv.Atoi(input[1])
	if err != nil {
		a.t.Fatal(err)
	}
	return n
}

func TestFieldsTakeAsManyCharactersAsTheAPI(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(adaToken)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	x.do(t, "POST", wf+"/outgoing-webhooks/", `{"webhookUrl":"https://one.example/"}`).is(201)
	for _, c := range []struct{ page, field, begins, method, path, member string }{
		{"/console/new-workflow", "name", "", "POST", "/v0/workflows/", "name"},
		{"/console/new-workflow", "receiver", "https://one.example/", "PATCH", wf + "/outgoing-webhooks/", "webhookUrl"},
		{page + "settings/", "name", "", "PATCH", wf + "/", "name"},
		{page + "settings/", "outputName", "", "PATCH", document, "outputName"},
		{page + "settings/", "pdfPassword", "", "PATCH", document, "pdfPassword"},
		{page + "settings/", "outputFolder", "", "PATCH", document, "outputFolder"},
		{page + "delivery/", "webhookUrl", "https://one.example/", "PATCH", wf + "/outgoing-webhooks/", "webhookUrl"},
		{page + "data/", "header", "", "POST", wf + "/source/verification/", "header"},
		{page + "data/", "prefix", "", "POST", wf + "/source/verification/", "prefix"},
	} {
		n := b.get(c.page).is(200).longest(c.field)
		for _, length := range []int{n, n + 1} {
			body := map[string]any{c.member: c.begins + strings.Repeat("a", length-len(c.begins))}
			if strings.HasSuffix(c.path, "/verification/") {
				body["scheme"], body["secrets"] = "HMAC", []string{"correct-horse"}
				if c.member != "header" {
					body["header"] = "X-Sum"
				}
			}
			text, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			a := x.do(t, c.method, c.path, string(text))
			if refused := a.status == 400; refused != (length > n) || a.status >= 500 {
				t.Errorf("%s of %s takes %d characters; the API answers %d to %d: %.200s", c.field, c.page, n, a.status, length, a.body)
			}
		}
	}
}
