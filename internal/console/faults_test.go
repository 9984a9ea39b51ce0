package console_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/memory"
)

// etagOf is the hidden field of the form that is sent to an address.
func (a answer) etagOf(action string) string {
	a.t.Helper()
	found := regexp.MustCompile(`action="` + regexp.QuoteMeta(action) + `"><input type="hidden" name="etag" value="([^"]*)">`).FindStringSubmatch(a.body)
	if found == nil {
		a.t.Fatalf("the page has no form to %s with an etag:\n%s", action, a.body)
	}
	return html.UnescapeString(found[1])
}

func TestAFormSaysBesideAFieldWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	settings := strings.Replace(document, "/v0", "/console", 1) + "/settings"
	x.do(t, "POST", wf+"/outgoing-webhooks/", `{"webhookUrl":"https://one.example/"}`).is(http.StatusCreated)
	id := document[strings.LastIndex(document, "/")+1:]
	for _, c := range []struct {
		form        string
		typed       url.Values
		field, want string
	}{
		{"/console/new-workflow", url.Values{"name": {""}}, "name", "The name must not be empty."},
		{"/console/new-workflow", url.Values{"name": {"A"}, "file": {"My template.docx"}}, "file", "The file must be the address or the id of a file in the drive, not its name."},
		{"/console/new-workflow", url.Values{"name": {"A"}, "receiver": {"example.com"}}, "receiver", "The address must be an absolute http or https address, such as https://example.com/events."},
		{page + "name", url.Values{"name": {""}}, "name", "The name must not be empty."},
		{page + "receiver", url.Values{"webhookUrl": {"example.com"}}, "webhookUrl", "The address must be an absolute http or https address, such as https://example.com/events."},
		{page + "documents/", url.Values{"file": {"My template.docx"}}, "file", "The file must be the address or the id of a file in the drive, not its name."},
		{page + "receiver/recover", url.Values{"since": {"yesterday"}}, "since", "Choose a day."},
		{page + "source/verification", url.Values{}, "scheme", "Choose a signature, or type in networks."},
		{page + "source/verification", url.Values{"networks": {"203.0.113.0/24 nowhere"}}, "networks", "The networks must be a network such as 203.0.113.0/24, or an address."},
		{settings, url.Values{"outputName": {""}, "onMissing": {"blank"}}, "name-" + id, "The name of outputs must not be empty."},
		{settings, url.Values{"outputName": {""}, "onMissing": {"never"}}, "missing-" + id, "The choice must be "},
	} {
		a := b.open("POST", c.form, c.typed).is(http.StatusBadRequest)
		a.shows(`aria-invalid="true" aria-errormessage="fault-`+c.field+`"`, `role="alert" id="fault-`+c.field+`">`+c.want)
		a.lacks("outputName must", "webhookUrl must", "send DELETE", "invalid_body")
	}
}

func TestTwoPeopleDoNotUndoEachOthersChanges(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	settings := strings.Replace(document, "/v0", "/console", 1) + "/settings"
	for _, c := range []struct {
		form, field, first, second, read, member string
		also                                     url.Values
	}{
		{page + "receiver", "webhookUrl", "https://one.example/", "https://two.example/", wf + "/outgoing-webhooks/", "webhookUrl", nil}, // none was set
		{page + "receiver", "webhookUrl", "https://three.example/", "https://four.example/", wf + "/outgoing-webhooks/", "webhookUrl", nil},
		{settings, "outputName", "First", "Second", document, "outputName", url.Values{"onMissing": {"blank"}}},
		{page + "name", "name", "First", "Second", wf + "/", "name", nil},
	} {
		opened := b.whole(page).etagOf(c.form)
		typed := url.Values{"etag": {opened}, c.field: {c.first}}
		for field, value := range c.also {
			typed[field] = value
		}
		b.open("POST", c.form, typed).is(http.StatusSeeOther)
		typed.Set(c.field, c.second)
		refused := b.open("POST", c.form, typed).is(http.StatusBadRequest).shows("Somebody changed this while the page was open", `value="`+c.second+`"`)
		if got := x.do(t, "GET", c.read, "").is(200).object()[c.member]; got != c.first {
			t.Errorf("%s: after the second save %s is %v, want %s", c.form, c.member, got, c.first)
		}
		// Who was told may save all the same.
		typed.Set("etag", refused.etagOf(c.form))
		b.open("POST", c.form, typed).is(http.StatusSeeOther)
		if got := x.do(t, "GET", c.read, "").is(200).object()[c.member]; got != c.second {
			t.Errorf("%s: saved again %s is %v, want %s", c.form, c.member, got, c.second)
		}
	}
}
