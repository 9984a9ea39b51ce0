package console_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/api"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestEverySettingOfADocumentIsChangedInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *api.Options) { o.Mails, o.Seals = true, true })
	b := x.console(t, func(o *console.SiteOptions) { o.Seals = true }).signIn(memory.AdaToken)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	id := document[strings.LastIndex(document, "/")+1:]
	page, doc := strings.Replace(wf, "/v0", "/console", 1)+"/", strings.Replace(document, "/v0", "/console", 1)+"/"
	b.whole(page).shows("Who may open the outputs", "Send each output by mail", "Series that each run takes a number of")
	settings := url.Values{
		"outputName": {"Invoice {{Number invoices}}"}, "createPdfCopy": {"on"}, "onMissing": {"blank"}, "outputFolder": {"Customers/{{Name}}"},
		"outputFolderId": {"https://drive.test/drive/folders/1AbCdEfGhIjKlMnOp"}, "outputSharing": {"anyone"}, "numbers": {"invoices, receipts@year"},
		"pdfProfile": {"PDF/A-2b"}, "accessibility": {"require"}, "sealing": {"1"}, "seal": {"on"},
		"appendices": {"pdf-file\r\n https://docs.google.com/document/d/docs-file/edit \r\n"},
	}
	b.open("POST", doc+"settings", settings).is(http.StatusSeeOther)
	mail := url.Values{"to": {"{{Email}}, archive@example.com"}, "subject": {"Invoice"}, "text": {"Dear {{Name}},\r\n\r\nhere it is.\r\n"}, "attach": {"link"}, "allOutputs": {"on"}}
	b.open("POST", doc+"mail", mail).is(http.StatusSeeOther)
	want := `"outputFolder":"Customers/{{Name}}","outputFolderId":"1AbCdEfGhIjKlMnOp","outputSharing":"anyone","email":{"to":"{{Email}}, archive@example.com","subject":"Invoice","text":"Dear {{Name}},\n\nhere it is.","attach":"link","allOutputs":true},"numbers":["invoices","receipts@year"],"appendices":["pdf-file","docs-file"]`
	if got := x.do(t, "GET", document, "").is(200).body; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	b.whole(page).shows("Everybody who has the link can open the outputs.", `href="/console/series/invoices/"`, "Customers/{{Name}}",
		`<option value="anyone" selected>`, `<option selected>PDF/A-2b</option>`, `<option value="require" selected>`, `name="seal" checked`, `<option value="link" selected>`, `value="invoices, receipts@year"`, "pdf-file\ndocs-file</textarea>", "2 files are appended to it.", `value="{{Email}}, archive@example.com"`, "here it is.</textarea>", "Its mail brings the outputs of all documents.", `name="allOutputs" checked`)

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
	b := x.console(t).signIn(memory.AdaToken)
	b.whole(page).shows(hint, "/docs/mails#set-up-the-mail-server")
	b.open("POST", strings.Replace(document, "/v0", "/console", 1)+"/mail", url.Values{"to": {"{{Email}}"}, "subject": {"Invoice"}, "text": {"Dear"}, "attach": {"pdf"}}).
		is(http.StatusBadRequest).shows("This installation sends no mail: whoever runs it sets PLATEN_SMTP_URL", `value="{{Email}}"`, `value="Invoice"`)
	x.console(t, func(o *console.SiteOptions) { o.Mails = true }).signIn(memory.AdaToken).whole(page).lacks(hint)
}

// A form that has no field for the seal takes it from no document.
func TestADocumentIsSealedWhereTheInstallationHasACertificate(t *testing.T) {
	t.Parallel()
	const field = `name="seal"`
	x := newHarness(t, func(o *api.Options) { o.Seals = true })
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	page, doc := strings.Replace(wf, "/v0", "/console", 1)+"/", strings.Replace(document, "/v0", "/console", 1)+"/"
	b := x.console(t).signIn(memory.AdaToken)
	b.whole(page).lacks(field)
	x.do(t, "PATCH", document, `{"seal":true}`).is(200)
	b.whole(page).shows(field + " checked")
	settings := url.Values{"outputName": {"Invoice"}, "createPdfCopy": {"on"}, "onMissing": {"blank"}}
	for _, c := range []struct {
		with []string
		has  bool
	}{{nil, true}, {[]string{"sealing", "seal"}, true}, {[]string{"sealing"}, false}} {
		for _, name := range c.with {
			settings[name] = []string{"on"}
		}
		b.open("POST", doc+"settings", settings).is(http.StatusSeeOther)
		settings.Del("seal")
		if got := x.do(t, "GET", document, "").is(200).body; strings.Contains(got, `"seal":true`) != c.has {
			t.Errorf("with %q: got %s", c.with, got)
		}
	}
	x.console(t, func(o *console.SiteOptions) { o.Seals = true }).signIn(memory.AdaToken).whole(page).shows(field)
}

// What /v0 finds in a document that it saved must not be lost on the way to the page.
func TestAFormThatWasSavedShowsTheMistakesThatWereFound(t *testing.T) {
	t.Parallel()
	looked := &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
	x, wf, document := withTemplates(t, looked, func(o *api.Options) { o.Mails = true })
	id := document[strings.LastIndex(document, "/")+1:]
	page, doc := strings.Replace(wf, "/v0", "/console", 1)+"/", strings.Replace(document, "/v0", "/console", 1)+"/"
	b := x.console(t).signIn(memory.AdaToken)
	settings := url.Values{"outputName": {"Invoice"}, "onMissing": {"blank"}, "removeOutput": {"on"}}
	saved, mailed := page+"settings/?saved="+id+"#of-"+id, page+"delivery/?saved="+id+"#of-"+id
	if to := b.open("POST", doc+"settings", settings).is(http.StatusSeeOther).header.Get("Location"); to != saved {
		t.Errorf("a setting with a mistake leads to %q, want %q", to, saved)
	}
	at, _, _ := strings.Cut(saved, "#")
	b.get(at).is(200).shows("The settings are saved.", "Mistakes", "does nothing, for no PDF is made")
	mail := url.Values{"to": {"{{Emial}}"}, "subject": {"Invoice"}, "text": {"Dear"}, "attach": {"pdf"}}
	looked.Checked.Findings = []platen.TemplateFinding{{Where: "email", Code: "unknown_field", Tag: "{{Emial}}", Message: "The source has no field Emial.", Nearest: []string{"Email"}}}
	if to := b.open("POST", doc+"mail", mail).is(http.StatusSeeOther).header.Get("Location"); to != mailed {
		t.Errorf("a mail with a mistake leads to %q, want %q", to, mailed)
	}
	atMail, _, _ := strings.Cut(mailed, "#")
	b.get(atMail).is(200).shows(`id="finding-1"`, "The source has no field Emial.", "Did you mean <code>Email</code>?", "is to bring a PDF, and none is made")
	looked.Err = platen.Errorf(platen.KindUnavailable, "drive_unavailable", "The drive does not answer.")
	if to := b.open("POST", doc+"settings", settings).is(http.StatusSeeOther).header.Get("Location"); to != saved {
		t.Errorf("a document that could not be checked leads to %q, want %q", to, saved)
	}
	b.get(at).is(200).shows("The settings are saved.", "Whether they have mistakes is not known", "The drive does not answer.")
	looked.Err, looked.Checked.Findings = nil, nil
	settings.Set("createPdfCopy", "on")
	if to := b.open("POST", doc+"settings", settings).is(http.StatusSeeOther).header.Get("Location"); to != page+"settings/?done=settings&of="+id+"#done" {
		t.Errorf("settings without a mistake lead to %q, want that they are saved", to)
	}
}

// /v0 takes such settings, and the check tells of them.
func TestFormsRefuseSettingsByWhichEveryOutputFails(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *api.Options) { o.Mails = true })
	b := x.console(t, func(o *console.SiteOptions) { o.Mails = true }).signIn(memory.AdaToken)
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

func TestATemplateIsUploadedAndReplacedInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	path := x.newWorkflow(t, `{"name":"W"}`)
	page := strings.Replace(path, "/v0", "/console", 1) + "/"
	docx := memory.Zip("word/document.xml", "")
	b.attach(page+"documents/", "no office file").is(http.StatusBadRequest).shows(`role="alert"`, "no .docx or .pptx file")
	b.attach(page+"documents/", docx).is(http.StatusSeeOther)
	d := x.do(t, "GET", path+"/", "").is(200).object()["documents"].([]any)[0].(map[string]any)
	if d["createPdfCopy"] != true || d["documentType"] != "CLOUD_DOCS" {
		t.Errorf("the document is %v, want a text document with a PDF", d)
	}
	b.whole(page).shows("Replace what the template says", "Open the template")
	at := page + "documents/" + d["id"].(string) + "/template"
	b.attach(at, memory.Zip("ppt/presentation.xml", "")).is(http.StatusBadRequest).shows(`role="alert"`, "send a .docx file")
	b.attach(at, memory.Zip("word/document.xml", "other")).is(http.StatusSeeOther)
	if len(x.drive.Replaced) != 1 {
		t.Errorf("got %v, want one content", x.drive.Replaced)
	}
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
	b := x.console(t).signIn(memory.AdaToken)
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

func TestTheFormOfMailsHasFurtherRecipients(t *testing.T) {
	t.Parallel()
	x, wf, document := withTemplates(t, &memory.Templates{}, mailing)
	b := x.console(t, func(o *console.SiteOptions) { o.Mails = true }).signIn(memory.AdaToken)
	at := strings.Replace(document, "/v0", "/console", 1)
	form := url.Values{"to": {"{{Email}}"}, "cc": {"{{Accountant}}"}, "bcc": {"archive@example.com"}, "replyTo": {"{{Clerk}}"}, "subject": {"s"}, "text": {"t"}, "attach": {"link"}}
	b.open("POST", at+"/mail", form).is(http.StatusSeeOther)
	delivery := strings.Replace(wf, "/v0", "/console", 1) + "/delivery/"
	b.get(delivery).is(200).shows(`name="cc" value="{{Accountant}}"`, `name="bcc" value="archive@example.com"`, `name="replyTo" value="{{Clerk}}"`, "hidden <code>archive@example.com</code>")
	form.Set("cc", "ada")
	b.open("POST", at+"/mail", form).is(http.StatusBadRequest).shows("must be addresses with commas between them")
}

func TestATemplateThatIsGoneIsReplacedWithItsSettings(t *testing.T) {
	t.Parallel()
	gone := platen.Errorf(platen.KindNotFound, "drive_file_not_found", "gone")
	looked := &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
	x := newHarness(t, func(o *api.Options) {
		o.Tags = func([]string, []string) []api.TagFinding { return nil }
		o.Templates = looked
	})
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	x.do(t, "PATCH", document+"/", `{"outputName":"Letter {{Name}}","createPdfCopy":true,"onMissing":"fail"}`).is(200)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	id := document[strings.LastIndex(document, "/")+1:]
	b := x.console(t).signIn(memory.AdaToken)
	const said = "The file of this template is gone"
	b.get(page + "template/").is(200).lacks(said)
	looked.Err = gone
	b = x.console(t).signIn(memory.AdaToken) // what a page knows of a template counts for a minute
	b.get(page).is(200).shows("is gone. Runs fail until it is back.")
	b.get(page+"template/").is(200).shows(said, `<details id="form-template-`+id+`" open>`)
	b.get(page + "template/?check=" + id).is(200).shows(said)
	before := x.do(t, "GET", document+"/", "").is(200).object()
	file := before["file"].(map[string]any)["id"].(string)
	delete(x.drive.Files, file)
	x.drive.Fails["ExportOffice"] = gone
	at := page + "documents/" + id + "/template"
	b.drop(at, url.Values{}, "letter.docx", "no office file").is(http.StatusBadRequest).shows("no .docx or .pptx file")
	looked.Err = nil
	b.drop(at, url.Values{}, "letter.docx", memory.Zip("word/document.xml", "new")).is(http.StatusSeeOther)
	after := x.do(t, "GET", document+"/", "").is(200).object()
	if now := after["file"].(map[string]any)["id"]; now == file {
		t.Errorf("got the file %s, want a new one", now)
	}
	for _, name := range []string{"outputName", "createPdfCopy", "onMissing", "documentType"} {
		if after[name] != before[name] {
			t.Errorf("%s: got %v, want %v", name, after[name], before[name])
		}
	}
}

func TestAMailIsWrittenInHTMLInTheConsole(t *testing.T) {
	t.Parallel()
	x, wf, d := withTemplates(t, &memory.Templates{}, mailing, func(o *api.Options) {
		o.MailHTML = func(template string) string {
			if strings.Contains(template, "<img") {
				return "has <img>"
			}
			return ""
		}
	})
	b := x.console(t, func(o *console.SiteOptions) { o.Mails = true }).signIn(memory.AdaToken)
	form := url.Values{"to": {"{{Email}}"}, "subject": {"s"}, "text": {""}, "html": {"<p>\r\n{{Name}}</p>"}, "attach": {"link"}}
	at := strings.Replace(d, "/v0", "/console", 1) + "/mail"
	b.open("POST", at, form).is(303)
	b.get(strings.Replace(wf, "/v0", "/console", 1) + "/delivery/").is(200).shows("&lt;p&gt;\n{{Name}}&lt;/p&gt;</textarea>")
	form.Set("html", "<img>")
	b.open("POST", at, form).is(400).shows("The HTML has &lt;img&gt;")
}
