package api

import (
	"net/http"
	"strings"
	"testing"
)

// Where a form was refused the page stands at the form's address: it may be loaded again.
func TestTheAddressOfAnyOtherFormLeadsToItsPage(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := "/console" + strings.TrimPrefix(x.newWorkflow(t, `{"name":"W"}`), "/v0") + "/"
	run := wf + "runs/" + autID + "/"
	b := x.console(t).signIn(adaToken)
	for at, want := range map[string]string{
		wf + "events/recover": wf + "events/", wf + "events/evt_0000000000000001/redeliver": wf + "events/",
		run + "erase": run, run + "retry": run, run + "events/evt_0000000000000001/redeliver": run,
		"/console/sign-out": "/console/",
	} {
		if to := b.get(at).is(http.StatusSeeOther).header.Get("Location"); to != want {
			t.Errorf("%s leads to %q, want %q", at, to, want)
		}
	}
	for _, at := range []string{wf + "nothing", "/console/nothing", wf + "events/recover/more"} {
		b.get(at).is(http.StatusNotFound)
	}
	b.open("PUT", wf+"events/recover", nil).is(http.StatusNotFound)
}
