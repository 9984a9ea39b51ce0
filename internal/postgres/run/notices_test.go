package run_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func (f *harness) failOne(w platen.Workflow) {
	f.T.Helper()
	p := f.Planned(w)
	_, err := f.Automations.FailAutomation(f.T.Context(), p.AutomationID, 1, "template_faulty", "Why.")
	f.Must(err)
}

func TestAnOwnerIsToldOfTheFirstFailureAndThenOnceADay(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, other := f.Workflow(owner), f.Workflow(owner)
	if got := f.Due(owner); len(got) > 0 {
		t.Fatalf("before any failure: got %+v", got)
	}
	f.failOne(w)
	first := f.Due(owner)
	if len(first) != 1 || first[0].Kind != platen.NoticeFailures || first[0].WorkflowID != w.ID || first[0].Count != 1 || first[0].Email != owner.Email || first[0].Code != "template_faulty" || first[0].Message != "Why." || first[0].Again {
		t.Fatalf("got %+v, want the failure", first)
	}
	if got := f.Due(owner); len(got) > 0 {
		t.Errorf("while it is told: got %+v, want nothing", got)
	}
	f.Exec(`UPDATE notices SET leased_until = now() - interval '1 second'`)
	if got := f.Due(owner); len(got) != 1 {
		t.Errorf("after a worker died: got %+v, want it once more", got)
	}
	f.Must(f.Notices.MarkTold(t.Context(), first))
	f.failOne(w)
	f.failOne(w)
	f.failOne(other)
	if got := f.Due(owner); len(got) > 0 {
		t.Errorf("after the mail: got %+v, want nothing for a while", got)
	}
	f.Exec(`UPDATE notices SET told_at = told_at - interval '11 minutes' WHERE owner_id = $1`, owner.ID)
	got := f.Due(owner)
	if len(got) != 1 || got[0].WorkflowID != other.ID {
		t.Errorf("after ten minutes: got %+v, want the other workflow alone", got)
	}
	f.Must(f.Notices.MarkTold(t.Context(), got))
	f.Exec(`UPDATE notices SET told_at = told_at - interval '25 hours' WHERE owner_id = $1`, owner.ID)
	got = f.Due(owner)
	i := slices.IndexFunc(got, func(n platen.Notice) bool { return n.WorkflowID == w.ID })
	if i < 0 || got[i].Count != 2 || !got[i].Again {
		t.Errorf("after a day: got %+v, want the 2 failures since", got)
	}
}

// The mail server may have taken the first one: programs leave a repeat out by its id.
func TestAMailThatIsSentAgainTellsOfNothingThatFailedSince(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, other := f.Workflow(owner), f.Workflow(owner)
	f.failOne(w)
	first := f.Due(owner)
	f.failOne(w)
	f.failOne(other)
	f.Exec(`UPDATE notices SET leased_until = now() - interval '1 second'`)
	again := f.Due(owner)
	if len(first) != 1 || len(again) != 1 || again[0] != first[0] || first[0].Mail == "" {
		t.Fatalf("got %+v, then %+v, want the same notice of the same mail", first, again)
	}
	f.Must(f.Notices.MarkTold(t.Context(), again))
	f.Exec(`UPDATE notices SET told_at = told_at - interval '25 hours'`)
	rest := f.Due(owner)
	if len(rest) != 2 || rest[0].Mail != rest[1].Mail || rest[0].Mail == first[0].Mail || rest[0].Count != 1 || rest[1].Count != 1 {
		t.Errorf("the next mail: got %+v, want one mail of both workflows", rest)
	}
}

func TestACauseThatIsGoneHoldsNoOtherBack(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w := f.Workflow(owner)
	f.failOne(w)
	if got := f.Due(owner); len(got) != 1 {
		t.Fatalf("got %+v, want the failure", got)
	}
	f.Exec(`UPDATE automations SET state = 'COMPLETED' WHERE workflow_id = $1`, w.ID) // it was retried
	f.failOne(w)
	f.Exec(`UPDATE notices SET leased_until = now() - interval '1 second'`)
	if got := f.Due(owner); len(got) != 1 || got[0].Count != 1 {
		t.Errorf("got %+v, want the failure since", got)
	}
}

func TestMailsThatAreOnTheirWayKeepNoOthersBackAndTheOldestCauseComesFirst(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	one := func() string {
		t.Helper()
		all, err := f.Notices.ClaimNotices(t.Context(), 24*time.Hour, 10*time.Minute, time.Minute, 1)
		f.Must(err)
		if len(all) != 1 {
			t.Fatalf("got %+v, want one", all)
		}
		return all[0].OwnerID
	}
	var owners []string
	for range 3 {
		u := f.User(nil)
		f.failOne(f.Workflow(u))
		owners = append(owners, u.ID)
		f.Exec(`UPDATE automations SET finished_at = now() - interval '1 hour' * $2 WHERE owner_id = $1`, u.ID, len(owners))
	}
	slices.Reverse(owners)
	if got := []string{one(), one(), one()}; !slices.Equal(got, owners) {
		t.Errorf("got %q, want %q", got, owners)
	}
}

func TestTheLastFailureIsTheOneThatEndedLast(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w := f.Workflow(owner)
	early, late := f.Planned(w), f.Planned(w)
	for _, id := range []string{late.AutomationID, early.AutomationID} {
		_, err := f.Automations.FailAutomation(t.Context(), id, 1, "template_faulty", id)
		f.Must(err)
	}
	if got := f.Due(owner); len(got) != 1 || got[0].Message != early.AutomationID {
		t.Errorf("got %+v, want the failure of %s, which ended last", got, early.AutomationID)
	}
}

func TestAnOwnerIsToldOnceOfADisabledReceiverAndABrokenConnection(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w := f.Workflow(owner)
	f.Exec(`UPDATE workflows SET locale = 'de-DE' WHERE id = $1`, w.ID)
	f.Exec(`INSERT INTO endpoints (owner_id, url_hash, disabled, disabled_at)
		SELECT $1, sha256(convert_to(url, 'UTF8')), 'endpoint_gone', now() FROM outgoing_webhooks WHERE workflow_id = $2`, owner.ID, w.ID)
	f.Must(f.Connections.SaveDriveConnection(t.Context(), owner.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "secret"}))
	_, err := f.Connections.MarkBroken(t.Context(), owner.ID, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: "secret"}, "401")
	f.Must(err)
	got := f.Due(owner)
	var kinds []string
	for _, n := range got {
		kinds = append(kinds, fmt.Sprint(n.Kind, " ", n.WorkflowID, " ", n.Code, " ", n.Locale))
	}
	if want := []string{"receiver " + w.ID + " endpoint_gone de-DE", "connection   de-DE"}; !slices.Equal(kinds, want) {
		t.Fatalf("got %q, want %q", kinds, want)
	}
	f.Must(f.Notices.MarkTold(t.Context(), got))
	if got := f.Due(owner); len(got) > 0 {
		t.Errorf("told: got %+v, want nothing", got)
	}
	f.Exec(`UPDATE endpoints SET disabled_at = now() + interval '1 second' WHERE owner_id = $1`, owner.ID)
	if got := f.Due(owner); len(got) != 1 || got[0].Kind != platen.NoticeReceiver {
		t.Errorf("disabled once more: got %+v, want the receiver", got)
	}
	f.Exec(`UPDATE users SET disabled_at = now() WHERE id = $1`, owner.ID)
	f.Exec(`UPDATE notices SET leased_until = NULL WHERE owner_id = $1`, owner.ID)
	if got := f.Due(owner); len(got) > 0 {
		t.Errorf("a disabled user: got %+v, want nothing", got)
	}
}

func TestAnOwnerIsToldOfMailsThatDidNotGoOutAndOfReusedKeys(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.Made(owner)
	f.Fail(key)
	told := f.Due(owner)
	if len(told) != 1 || told[0].Kind != platen.NoticeMails || told[0].WorkflowID != w.ID || told[0].Count != 1 || told[0].Code != platen.CodeEmailAddressRefused || told[0].Message != "refused" {
		t.Fatalf("got %+v, want the mail that failed", told)
	}
	f.Must(f.Notices.MarkTold(t.Context(), told))
	_, sent := f.Made(owner)
	f.Fail(sent)
	f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: sent, State: platen.MailSent}))
	f.Exec(`UPDATE notices SET told_at = told_at - interval '25 hours' WHERE owner_id = $1`, owner.ID)
	if got := f.Due(owner); len(got) > 0 {
		t.Errorf("of a mail that was sent after all: got %+v", got)
	}
	first := f.Accept(w, 1)[0]
	f.Exec(`INSERT INTO automations (id, workflow_id, source_id, owner_id, state, reason, body, request_id, accepted_at, finished_at, key_taken_by)
		SELECT 'aut_0000000000000777' || right(id, 4), workflow_id, source_id, owner_id, 'SKIPPED', 'KEY_REUSED', body, request_id, accepted_at, now(), id FROM automations WHERE id = $1`, first)
	if got := f.Due(owner); len(got) != 1 || got[0].Kind != platen.NoticeKeys || got[0].WorkflowID != w.ID || got[0].Count != 1 || got[0].AutomationID != "aut_0000000000000777"+first[len(first)-4:] || got[0].KeyTakenBy != first {
		t.Errorf("got %+v, want the event that came under a key of before", got)
	}
}

func TestAnOwnerIsToldOfOutputsThatATargetDidNotGet(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	for code, isTold := range map[string]bool{platen.CodeTargetFull: true, platen.CodeTargetGone: false} {
		w := f.Workflow(f.User(nil))
		to, err := f.Targets.CreateTarget(t.Context(), w.Owner, platen.Target{ID: platen.NewID(platen.PrefixTarget), WorkflowID: w.ID, Name: "Cloud", Kind: platen.TargetWebDAV, URL: "https://cloud.example/in"})
		f.Must(err)
		p := f.Running(w)
		key := platen.PlacementKey{AutomationID: p.AutomationID, OutputID: p.Documents[0].OutputID, TargetID: to.ID}
		_, _, err = f.Outputs.RecordOutput(t.Context(), key.OutputID, storetest.Named("Invoice 7.pdf"), storetest.EventFor)
		f.Must(err)
		f.Must(f.Targets.GiveUpPlacement(t.Context(), key, code, "No room is left for in/Invoice of Ada.pdf."))
		told := f.Due(w.Owner)
		if isTold && (len(told) != 1 || told[0].Kind != platen.NoticeTargets || told[0].WorkflowID != w.ID || told[0].Count != 1 || told[0].Code != code || told[0].Message != "Cloud") {
			t.Errorf("%s: got %+v, want the output, and the name of its target alone", code, told)
		}
		if !isTold && len(told) > 0 {
			t.Errorf("of a target that its owner deleted: got %+v", told)
		}
	}
}

func TestAnOwnerIsToldOfSchedulesThatStartedNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	for _, test := range []bool{false, true} {
		w := f.Workflow(f.User(nil))
		s := f.scheduled(w, func(s *platen.Schedule) { s.Test = test })
		due := f.only()
		f.settles(due, due.NextAt.Add(time.Hour), time.Time{}, &platen.ScheduleOutcome{At: due.NextAt, State: platen.ScheduleFailed, Code: platen.CodeScheduleRefused, Message: "No."})
		told := f.Due(w.Owner)
		if !test && (len(told) != 1 || told[0].Kind != platen.NoticeSchedules || told[0].WorkflowID != w.ID || told[0].Count != 1 || told[0].Code != platen.CodeScheduleRefused || told[0].Message != s.Name) {
			t.Errorf("got %+v, want the schedule that started nothing", told)
		}
		if test && len(told) > 0 {
			t.Errorf("of a schedule of tests: got %+v", told)
		}
	}
}

func TestAnOwnerIsToldAtOnceOfAMailSenderWhoseServerRefusesAndSoonOfOneThatIsAway(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	for code, after := range map[string]string{platen.CodeSenderSignInRefused: "0", platen.CodeSenderAddressRefused: "0", platen.CodeSenderUnavailable: "11 minutes"} {
		ada := f.User(nil)
		f.Exec(`INSERT INTO mail_senders (id, owner_id, name, settings, created_at, updated_at, failing_since, code, message) VALUES ($1, $2, 'Accounting', '{}', now(), now(), now(), $3, 'No.')`, platen.NewID(platen.PrefixSender), ada.ID, code)
		if got := f.Due(ada); after != "0" && len(got) > 0 {
			t.Errorf("%s: got %+v, want nothing at once", code, got)
		} else if after == "0" && len(got) != 1 {
			t.Errorf("%s: got %+v, want one at once", code, got)
		}
		f.Exec(`UPDATE mail_senders SET failing_since = now() - $2::interval WHERE owner_id = $1`, ada.ID, after)
		f.Exec(`DELETE FROM notices WHERE owner_id = $1`, ada.ID)
		got := f.Due(ada)
		if len(got) != 1 || got[0].Kind != platen.NoticeSenders || got[0].Code != code || got[0].Message != "No." {
			t.Errorf("%s: got %+v, want one of the sender", code, got)
		}
		f.Must(f.Notices.MarkTold(t.Context(), got))
		f.Exec(`UPDATE mail_senders SET failing_since = failing_since + interval '1 second' WHERE owner_id = $1`, ada.ID)
		if got := f.Due(ada); len(got) > 0 {
			t.Errorf("%s: got %+v, want nothing more in a day", code, got)
		}
	}
}

func TestAnOwnerIsToldOnceWhenMostDocumentsOfTheMonthAreMadeAndWhenAllAre(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada, bea := f.User(nil), f.User(nil)
	most := int64(10)
	f.Limit(ada.ID, &most)
	month := platen.Month(time.Now())
	made := func(n int, in time.Time) {
		t.Helper()
		for _, owner := range []platen.User{ada, bea} {
			f.Exec(`INSERT INTO usage_entries (owner_id, month, documents) VALUES ($1, $2, $3)`, owner.ID, in, n)
		}
		f.Must(f.Folding.FoldUsage(t.Context()))
	}
	told := func(when string, count int, code string) {
		t.Helper()
		got := f.Due(ada)
		if count == 0 && len(got) == 0 {
			return
		}
		if len(got) != 1 || got[0].Kind != platen.NoticeUsage || got[0].Count != count || got[0].Code != code || got[0].Message != "10" {
			t.Errorf("%s: got %+v, want one of %d documents with the code %q", when, got, count, code)
		}
		f.Must(f.Notices.MarkTold(t.Context(), got))
	}
	made(10, month.AddDate(0, -1, 0))
	made(7, month)
	told("before, and in another month", 0, "")
	made(1, month)
	told("near", 8, "")
	made(1, month)
	told("nearer", 0, "")
	made(1, month)
	told("all", 10, platen.CodeUsageLimit)
	made(5, month)
	told("over", 0, "")
	f.Limit(ada.ID, &most)
	made(1, month)
	told("set again", 16, platen.CodeUsageLimit)
	f.Exec(`UPDATE usage_limits SET near_at = near_at - interval '40 days', reached_at = reached_at - interval '40 days'`)
	f.Exec(`UPDATE notices SET caused_at = caused_at - interval '40 days', told_at = told_at - interval '40 days'`)
	f.Exec(`UPDATE usage_months SET documents = 7 WHERE month = $1`, month)
	made(1, month)
	told("in the next month", 8, "")
	if got := f.Due(bea); len(got) > 0 {
		t.Errorf("without a limit: got %+v", got)
	}
}
