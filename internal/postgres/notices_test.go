package postgres_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen"
)

// due are the notices of an owner that are due now.
func (f *harness) due(owner platen.User) (found []platen.Notice) {
	f.t.Helper()
	all, err := f.Notices.ClaimNotices(f.t.Context(), 24*time.Hour, 10*time.Minute, time.Minute, 100)
	f.must(err)
	for _, n := range all {
		if n.OwnerID == owner.ID {
			found = append(found, n)
		}
	}
	return found
}

func (f *harness) failOne(w platen.Workflow) {
	f.t.Helper()
	p := f.planned(w)
	_, err := f.Automations.FailAutomation(f.t.Context(), p.AutomationID, 1, "template_faulty", "Why.")
	f.must(err)
}

func TestAnOwnerIsToldOfTheFirstFailureAndThenOnceADay(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	w, other := f.workflow(owner), f.workflow(owner)
	if got := f.due(owner); len(got) > 0 {
		t.Fatalf("before any failure: got %+v", got)
	}
	f.failOne(w)
	first := f.due(owner)
	if len(first) != 1 || first[0].Kind != platen.NoticeFailures || first[0].WorkflowID != w.ID || first[0].Count != 1 || first[0].Email != owner.Email || first[0].Code != "template_faulty" || first[0].Message != "Why." || first[0].Again {
		t.Fatalf("got %+v, want the failure", first)
	}
	if got := f.due(owner); len(got) > 0 {
		t.Errorf("while it is told: got %+v, want nothing", got)
	}
	f.exec(`UPDATE notices SET leased_until = now() - interval '1 second'`)
	if got := f.due(owner); len(got) != 1 {
		t.Errorf("after a worker died: got %+v, want it once more", got)
	}
	f.must(f.Notices.MarkTold(t.Context(), first))
	f.failOne(w)
	f.failOne(w)
	f.failOne(other)
	if got := f.due(owner); len(got) > 0 {
		t.Errorf("after the mail: got %+v, want nothing for a while", got)
	}
	f.exec(`UPDATE notices SET told_at = told_at - interval '11 minutes' WHERE owner_id = $1`, owner.ID)
	if got := f.due(owner); len(got) != 1 || got[0].WorkflowID != other.ID {
		t.Errorf("after ten minutes: got %+v, want the other workflow alone", got)
	}
	f.exec(`UPDATE notices SET told_at = told_at - interval '25 hours', leased_until = NULL WHERE owner_id = $1`, owner.ID)
	got := f.due(owner)
	i := slices.IndexFunc(got, func(n platen.Notice) bool { return n.WorkflowID == w.ID })
	if i < 0 || got[i].Count != 2 || !got[i].Again {
		t.Errorf("after a day: got %+v, want the 2 failures since", got)
	}
}

func TestAnOwnerIsToldOnceOfADisabledReceiverAndABrokenConnection(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	w := f.workflow(owner)
	f.exec(`INSERT INTO endpoints (owner_id, url_hash, disabled, disabled_at)
		SELECT $1, sha256(convert_to(url, 'UTF8')), 'endpoint_gone', now() FROM outgoing_webhooks WHERE workflow_id = $2`, owner.ID, w.ID)
	f.must(f.Connections.SaveDriveConnection(t.Context(), owner.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "secret"}))
	_, err := f.Connections.MarkBroken(t.Context(), owner.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "secret"}, "401")
	f.must(err)
	got := f.due(owner)
	var kinds []string
	for _, n := range got {
		kinds = append(kinds, fmt.Sprint(n.Kind, " ", n.WorkflowID, " ", n.Code))
	}
	if want := []string{"connection  ", "receiver " + w.ID + " endpoint_gone"}; !slices.Equal(kinds, want) {
		t.Fatalf("got %q, want %q", kinds, want)
	}
	f.must(f.Notices.MarkTold(t.Context(), got))
	if got := f.due(owner); len(got) > 0 {
		t.Errorf("told: got %+v, want nothing", got)
	}
	f.exec(`UPDATE endpoints SET disabled_at = now() + interval '1 second' WHERE owner_id = $1`, owner.ID)
	if got := f.due(owner); len(got) != 1 || got[0].Kind != platen.NoticeReceiver {
		t.Errorf("disabled once more: got %+v, want the receiver", got)
	}
	f.exec(`UPDATE users SET disabled_at = now() WHERE id = $1`, owner.ID)
	f.exec(`UPDATE notices SET leased_until = NULL WHERE owner_id = $1`, owner.ID)
	if got := f.due(owner); len(got) > 0 {
		t.Errorf("a disabled user: got %+v, want nothing", got)
	}
}
