package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestAPublicFormIsChangedInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"Certificates"}`)
	page := "/console" + strings.TrimPrefix(wf, "/v0") + "/"
	b := x.console(t).signIn(memory.AdaToken)
	b.get(page+"data/").is(http.StatusOK).shows("Make a form", `value="Certificates"`)
	set := func(values url.Values) answer { return b.open("POST", page+"public-form", values) }
	set(url.Values{"title": {"Order"}, "text": {"Soon."}, "perDay": {"50"}, "perAddress": {"2"}, "enabled": {"on"}}).is(http.StatusSeeOther)
	shown := b.get(page+"data/?done=public-form").is(http.StatusOK).shows("The form is saved.", "Everybody who has this link", "https://api.test/forms/", "50 documents a day", "does not see the document")
	link := x.do(t, "GET", wf+"/public-form", "").is(http.StatusOK).object()["url"].(string)
	shown.shows(link)
	set(url.Values{"title": {"Order"}, "perDay": {"many"}, "perAddress": {"2"}}).is(http.StatusBadRequest).shows("The number must be a whole number.", `value="many"`)
	set(url.Values{"title": {"Order"}, "perDay": {"0"}, "perAddress": {"2"}}).is(http.StatusBadRequest).shows("The number must be a whole number from 1 to 10000.")
	set(url.Values{"title": {"Order"}, "perDay": {"5"}, "perAddress": {"2"}}).is(http.StatusSeeOther)
	b.get(page + "data/").shows("The form is switched off.")
	b.open("POST", page+"public-form/rotate", url.Values{}).is(http.StatusBadRequest).shows("Tick the box first")
	b.open("POST", page+"public-form/rotate", url.Values{"certain": {"on"}}).is(http.StatusSeeOther)
	b.get(page + "data/?done=form-link").shows("The new link is").lacks(link)
	b.open("POST", page+"public-form/remove", url.Values{"certain": {"on"}}).is(http.StatusSeeOther)
	b.get(page+"data/?done=public-form-removed").shows("The form is removed. What it made stays.", "Make a form")
}
