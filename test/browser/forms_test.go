package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/browser"
)

// screens are those on which the forms are looked at.
var screens = map[string]browser.Options{
	"light": {}, "dark": {Dark: true}, "telephone": {Width: 390}, "telephone-dark": {Width: 390, Dark: true},
}

// opensForms shows every form of the page, as after a press on what is above it.
func (v visitor) opensForms() {
	v.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true; ""`)
}

// writes puts a value into a field of a form, in the place of what it has.
func (v visitor) writes(field, value string) {
	v.t.Helper()
	v.Evaluate(fmt.Sprintf(`document.querySelector(%q).value = ""; ""`, field))
	v.Type(field, value)
}

// seesWithoutScrolling waits until what a form says is in sight.
func (v visitor) seesWithoutScrolling(selector string) {
	v.t.Helper()
	v.Await(fmt.Sprintf(`new Promise((found, late) => {
		const until = performance.now() + 50000;
		const look = () => {
			const at = document.querySelector(%[1]q)?.getBoundingClientRect();
			if (at?.height > 0 && at.top >= 0 && at.bottom <= innerHeight) return found();
			if (performance.now() > until) return late(new Error(%[1]q + " is at " + at?.top + " of " + innerHeight));
			requestAnimationFrame(look);
		};
		look();
	})`, selector))
}

func TestFormsOfADocumentAreUsedInChromium(t *testing.T) {
	t.Parallel()
	i := install(t, func(s *config.Serve, w *config.Work) {
		s.SMTPFrom, w.SMTPFrom = "invoices@example.com", "invoices@example.com"
		w.SMTPURL, w.SMTPClearText.Setting = platen.Secret("smtp://127.0.0.1:1"), config.Of(true)
	})
	for screen, o := range looked(screens) {
		i.usesForms(visitor{i.signIn(t, o), t, "forms-" + screen})
	}
}

// usesForms goes through the settings, the mail, the versions and the tests of a workflow
// of its own.
func (i installation) usesForms(v visitor) {
	t := v.t
	t.Helper()
	var w workflow
	i.ask(t, "POST", i.origin+"/v0/workflows/", fmt.Sprintf(`{"name":%q}`, workflowName), &w)
	d := i.upload(t, "POST", i.origin+"/v0/workflows/"+w.ID+"/documents/upload/", order(t, "Invoice {{= PAD(Number invoices, 5)}}"))
	at := i.origin + "/console/workflows/" + w.ID + "/"

	// Settings that are saved with a mistake say so.
	v.Visit(at + "settings/")
	v.opensForms()
	v.writes("#numbers-"+d.ID, "invoices")
	v.writes("#outputFolder-"+d.ID, "Customers/{{Customer.Name}}")
	v.Evaluate(fmt.Sprintf(`document.getElementById("outputSharing-%s").value = "anyone"; document.querySelector("[name=removeOutput]").checked = true; ""`, d.ID))
	v.Press(`form[action$="/settings"] button`)
	v.reads("article", "The settings are saved.", "“Remove the original” does nothing", "Everybody who has the link can open the outputs.", "Customers/{{Customer.Name}}", "Each run takes a number of invoices")
	untilState(v.Page, ".pages", "drawn")
	v.looks("saved-with-a-mistake")

	// A mail that would fail is refused. One that is refused keeps what was typed in, and its address leads to the form.
	v.Visit(at + "delivery/")
	v.opensForms()
	v.writes("#to-"+d.ID, "Ada <ada@example.com>")
	v.writes("#subject-"+d.ID, "Invoice {{Order Number}}")
	v.writes("#text-"+d.ID, "Dear {{Customer.Name}},")
	v.Press(`form[action$="/mail"] button`)
	v.reads("#fault-attach-"+d.ID, "The choice needs a PDF, and none is made, so every mail would fail")
	v.seesWithoutScrolling("#fault-attach-" + d.ID)
	v.looks("mail-that-would-fail")
	v.Evaluate(fmt.Sprintf(`document.getElementById("attach-%s").value = "link"; ""`, d.ID))
	v.Press(`form[action$="/mail"] button`)
	v.reads("#fault-to-"+d.ID, "The recipients must be addresses with commas between them")
	v.seesWithoutScrolling("#fault-to-" + d.ID)
	if v.Status() != http.StatusBadRequest || v.Evaluate(`document.querySelector("[name=subject]").value`) != "Invoice {{Order Number}}" {
		t.Errorf("%s: got %d and the subject %q, want what was typed in", v.screen, v.Status(), v.Evaluate(`document.querySelector("[name=subject]").value`))
	}
	v.looks("mail-refused")
	v.Visit(v.Address())
	if open := v.Evaluate(`document.querySelector("details[open] form").action`); !strings.HasSuffix(open, "/mail") {
		t.Errorf("%s: loaded again, got the form %q open, want that of the mail", v.screen, open)
	}
	v.writes("#to-"+d.ID, "{{Email}}")
	v.writes("#subject-"+d.ID, "Invoice {{Order Number}}")
	v.writes("#text-"+d.ID, "Dear {{Customer.Name}},")
	v.Evaluate(fmt.Sprintf(`document.getElementById("attach-%s").value = "link"; ""`, d.ID))
	v.Press(`form[action$="/mail"] button`)
	v.reads("article", "Each goes by mail to {{Email}}, as a link")

	// Part of an event is enough where fields may be missing.
	v.Visit(at + "template/")
	v.opensForms()
	v.writes("#sample-"+d.ID, `{"Order Number":"7"}`)
	v.Press(`form[action$="/check"] button`)
	v.reads("article", "whose places stay empty")
	if text := v.Text("article"); strings.Contains(text, "has no field Note") {
		t.Errorf("%s: got %q, want no mistake out of what may be missing", v.screen, text)
	}
	if text := v.Text("article"); strings.Contains(text, "Note, Email:") {
		t.Errorf("%s: got %q, want no empty place where a mail fails", v.screen, text)
	}
	v.looks("checked-with-part-of-an-event")

	i.keepsAndTests(v, at, d)
}

// keepsAndTests opens what is shown of versions and tests only once there are some.
func (i installation) keepsAndTests(v visitor, at string, d document) {
	v.opensForms()
	v.writes("#keep-"+d.ID, "Signed by the board")
	v.Press(`form[action$="/versions/"] button`)
	v.seesWithoutScrolling("#done")
	v.reads("#done", "The version is kept.")
	v.opensForms()
	v.reads("article", "Versions of the template: 1", "Signed by the board", "kept on purpose")
	v.Visit(at + "data/")
	v.opensForms()
	v.writes("#testWebhookUrl", "https://receiver.example/tests")
	v.Press(`form[action$="/test-receiver"] button`)
	v.seesWithoutScrolling("#done")
	v.reads("#done", "The test receiver is saved.")
	v.opensForms()
	v.Press(`form[action$="/test-receiver/secret"] button`)
	v.reads("section[aria-labelledby=tests]", "https://receiver.example/tests", "Events of tests are signed with whsec_")
	v.opensForms()
	v.looks("versions-and-tests")
	i.upload(v.t, "POST", strings.Replace(at, "/console/", "/v0/", 1)+"documents/"+d.ID+"/template/", order(v.t, "Thank you."))
	v.Visit(at + "template/")
	v.opensForms()
	v.Press(`form[action$="/restore"] button`)
	v.reads("article", "Versions of the template: 2")
}

func TestSeriesOfNumbersAreSeenInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	var w workflow
	i.ask(t, "POST", i.origin+"/v0/workflows/", `{"name":"Invoices"}`, &w)
	i.ask(t, "POST", i.origin+"/v0/workflows/"+w.ID+"/documents/", `{"outputName":"Invoice {{Number invoices}}","numbers":["invoices"]}`, &struct{}{})
	i.ask(t, "PATCH", i.origin+"/v0/series/invoices/", `{"next":1001}`, &struct{}{})
	i.ask(t, "POST", w.Source.WebhookURL, `{"Name":"Ada"}`, &struct{}{})
	i.ended(t, w)
	i.ask(t, "PATCH", i.origin+"/v0/series/invoices/", `{"next":1005}`, &struct{}{})
	for screen, o := range looked(screens) {
		v := visitor{i.signIn(t, o), t, "series-" + screen}
		v.Visit(i.origin + "/console/workflows/")
		v.Press(`header a[href$="/console/series/"]`)
		v.reads("main", "invoices", "1005")
		v.looks("all")
		v.Press("main tbody a")
		v.reads("main", "1002 to 1004", "left out by somebody who set the next number", "1001", "used")
		v.opensForms()
		v.writes("#next", "7")
		v.Press("main form button")
		v.reads("main", "it cannot go back to 7", "The next number is 1005.")
		if v.Status() != http.StatusBadRequest {
			t.Errorf("%s: got %d, want that a series does not go back", screen, v.Status())
		}
		v.looks("refused")
		v.Press(`main nav a[href$="state=VOID"]`)
		v.reads("main", "1002 to 1004")
		v.looks("void")
	}
}
