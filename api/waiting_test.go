package api

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// ending ends the automation that is waited for, where it has one to end.
type ending struct {
	store  *memory.Store
	ends   bool
	asked  []time.Duration
	refuse bool
}

func (e *ending) Wait(_ context.Context, _, _ string, most time.Duration) (ended, kept bool) {
	e.asked = append(e.asked, most)
	if e.refuse {
		return false, false
	}
	if e.ends {
		at := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
		e.store.Runs.Automations[0].State, e.store.Runs.Automations[0].FinishedAt = platen.AutomationCancelled, &at
	}
	return e.ends, true
}

func TestARetryOrACancellationIsWaitedForWhereThatIsPreferred(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, prefer   string
		ends, refuse   bool
		status         int
		applied, shows string
		asked          []time.Duration
	}{
		{"no preference", "", true, false, 202, "", "ACCEPTED", nil},
		{"one that cannot be read", "wait=x", true, false, 202, "", "ACCEPTED", nil},
		{"an end in time", "wait=30", true, false, 200, "wait=30", "CANCELLED", []time.Duration{30 * time.Second}},
		{"no end in time", "wait=30", false, false, 202, "wait=30", "ACCEPTED", []time.Duration{30 * time.Second}},
		{"no place", "wait=30", false, true, 202, "", "ACCEPTED", []time.Duration{30 * time.Second}},
	} {
		e := &ending{ends: c.ends, refuse: c.refuse}
		x := newHarness(t, func(o *Options) { o.Ends = e })
		e.store = x.store
		wf := x.withRun(t, platen.AutomationFailed)
		a := x.do(t, "POST", wf+"/automations/"+memory.AutomationID+"/retry/", "", "Prefer", c.prefer).is(c.status)
		location := ""
		if c.status == 202 && c.asked != nil {
			location = "https://api.test" + wf + "/automations/" + memory.AutomationID + "/"
		}
		if a.header.Get("Preference-Applied") != c.applied || a.header.Get("Location") != location || !strings.Contains(a.body, `"state":"`+c.shows+`"`) || !slices.Equal(e.asked, c.asked) {
			t.Errorf("%s: got %q, %q and %s, asked for %v", c.what, a.header.Get("Preference-Applied"), a.header.Get("Location"), a.body, e.asked)
		}
	}
}
