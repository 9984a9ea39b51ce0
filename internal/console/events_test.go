package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestTheEventsOfAWorkflowAreShownWithTheirAttempts(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me, other := x.tenant("Mine"), x.tenant("Theirs")
	_, err := x.Owner.Exec(t.Context(), `UPDATE events SET created_at = '2026-01-31T23:59:59Z', state = 'FAILED' WHERE id = $1`, me.IDs["event"])
	x.Must(err)
	b, workflow := x.console(t).signIn(me.Token), "/console/workflows/"+me.IDs["workflow"]+"/"
	page := workflow + "events/"
	for _, query := range []string{"", "?from=2026-01-31&to=2026-01-31", "?state=FAILED", "?state=FAILED&to=2026-01-31"} {
		b.get(page+query).is(200).shows(me.IDs["event"], "/runs/"+me.IDs["automation"]+"/").lacks(other.IDs["event"])
	}
	for _, query := range []string{"?from=2026-02-01", "?state=DELIVERED", "?state=FAILED&to=2026-01-30"} {
		b.get(page + query).is(200).shows("Nothing.").lacks(me.IDs["event"])
	}
	b.get(page + "?from=yesterday").is(200).shows("A day is written like 2026-01-31.")
	b.get(workflow).is(200).shows(page)
	b.get(workflow + "runs/" + me.IDs["automation"] + "/").is(200).shows(page)
	b.get("/console/workflows/" + other.IDs["workflow"] + "/events/").is(http.StatusNotFound)
	b.open("POST", page+other.IDs["event"]+"/redeliver", url.Values{}).is(http.StatusNotFound)
}

func TestFailedEventsAreDeliveredAgainWithTheirProgress(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant("Mine")
	set := func(state platen.EventState) {
		t.Helper()
		_, err := x.Owner.Exec(t.Context(), `UPDATE events SET state = $2 WHERE id = $1`, me.IDs["event"], state)
		x.Must(err)
	}
	b, page := x.console(t).signIn(me.Token), "/console/workflows/"+me.IDs["workflow"]+"/events/"
	set(platen.EventFailed)
	b.open("POST", page+"recover", url.Values{"since": {"yesterday"}}).is(http.StatusBadRequest).shows("Choose a day.")
	to := b.open("POST", page+"recover", url.Values{"since": {"2026-01-01"}}).is(http.StatusSeeOther).header.Get("Location")
	b.get(to).is(200).shows("0 of 1 event is delivered, 1 waits.", `<progress max="1" value="0"`)
	set(platen.EventFailed)
	b.get(to).is(200).shows("0 of 1 event is delivered, 0 wait", "1 failed again or is held")
	set(platen.EventDelivered)
	b.get(to).is(200).shows("1 of 1 event is delivered, 0 wait.")
	to = b.open("POST", page+me.IDs["event"]+"/redeliver", url.Values{}).is(http.StatusSeeOther).header.Get("Location")
	if want := "/console/workflows/" + me.IDs["workflow"] + "/runs/" + me.IDs["automation"] + "/#" + me.IDs["event"]; to != want {
		t.Errorf("a redelivery leads to %s, want %s", to, want)
	}
	b.get(strings.TrimSuffix(to, "#"+me.IDs["event"])).is(200).shows(`id="`+me.IDs["event"]+`"`, "under way")
	b.get(page + "?state=PENDING").is(200).shows(me.IDs["event"])
	b.get(page + "?recovered=1&since=nonsense").is(200).lacks("<progress")
}
