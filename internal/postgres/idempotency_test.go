package postgres_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

func TestTheFirstRequestWithAKeyGetsTheClaimAndTheOthersItsAnswer(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u, other := f.user(nil), f.user(nil)
	claim := func(u platen.User, fingerprint string) platen.Claim {
		t.Helper()
		c, err := f.Idempotency.ClaimRequest(t.Context(), u.ID, "key", []byte(fingerprint), time.Minute)
		f.must(err)
		return c
	}
	first := claim(u, "a")
	if first.ID == "" {
		t.Fatalf("got %+v, want a claim", first)
	}
	if got := claim(u, "a"); got.ID != "" || !got.Same || got.Answer != nil {
		t.Errorf("while it is under way: got %+v", got)
	}
	if got := claim(u, "b"); got.ID != "" || got.Same {
		t.Errorf("another request: got %+v", got)
	}
	if got := claim(other, "b"); got.ID == "" {
		t.Error("another user's key is not this one's")
	}
	f.must(f.Idempotency.KeepAnswer(t.Context(), u.ID, "key", "not the claim", []byte("forged")))
	f.must(f.Idempotency.KeepAnswer(t.Context(), u.ID, "key", first.ID, []byte("the secret answer")))
	f.must(f.Idempotency.ReleaseRequest(t.Context(), u.ID, "key", first.ID)) // has no effect any more
	if got := claim(u, "a"); !got.Same || string(got.Answer) != "the secret answer" {
		t.Errorf("afterwards: got %+v", got)
	}
	if n := f.count(`SELECT count(*) FROM idempotency_keys WHERE position('secret'::bytea IN answer) > 0`); n != 0 {
		t.Error("an answer is stored in the clear")
	}
}

func TestAKeyIsFreeAgainAfterARelease24HoursOrItsHoldersDeath(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	claim := func(key string) platen.Claim {
		t.Helper()
		c, err := f.Idempotency.ClaimRequest(t.Context(), u.ID, key, []byte("f"), time.Minute)
		f.must(err)
		return c
	}
	f.must(f.Idempotency.ReleaseRequest(t.Context(), u.ID, "released", claim("released").ID))
	f.must(f.Idempotency.KeepAnswer(t.Context(), u.ID, "old", claim("old").ID, []byte("x")))
	f.must(f.Idempotency.KeepAnswer(t.Context(), u.ID, "young", claim("young").ID, []byte("x")))
	dead := claim("dead")
	f.exec(`UPDATE idempotency_keys SET created_at = now() - interval '24 hours' WHERE key = 'old'`)
	f.exec(`UPDATE idempotency_keys SET claimed_until = now() WHERE key = 'dead'`)
	for key, free := range map[string]bool{"released": true, "old": true, "young": false, "dead": true} {
		if got := claim(key); (got.ID != "") != free {
			t.Errorf("%s: got %+v, want it free: %v", key, got, free)
		}
	}
	f.must(f.Idempotency.KeepAnswer(t.Context(), u.ID, "dead", dead.ID, []byte("late"))) // lost its claim
	if got := claim("dead"); got.Answer != nil {
		t.Error("an answer was kept under a lost claim")
	}
}

func TestOneOfManyClaimsSideBySideSucceeds(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	var side sync.WaitGroup
	claims := make(chan string, 16)
	for range cap(claims) {
		side.Go(func() {
			c, err := f.Idempotency.ClaimRequest(t.Context(), u.ID, "key", []byte("f"), time.Minute)
			if err != nil {
				t.Error(err)
			}
			claims <- c.ID
		})
	}
	side.Wait()
	close(claims)
	got := 0
	for id := range claims {
		if id != "" {
			got++
		}
	}
	if got != 1 {
		t.Errorf("claims: got %d, want 1", got)
	}
}

func TestAnEventWhoseKeyItsSourceHadStartsNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	w, other := f.workflow(owner), f.workflow(owner)
	b := f.batcher(postgres.BatcherOptions{})
	accept := func(w platen.Workflow, key string, fields ...string) string {
		t.Helper()
		e := event(w, fields...)
		e.EventKey = key
		f.must(b.Accept(t.Context(), e))
		return e.AutomationID
	}
	stored := func(id string) bool {
		return f.count(`SELECT count(*) FROM automations WHERE id = $1`, id) == 1
	}
	first := accept(w, "k", "Name")
	repeat := accept(w, "k", "Other")
	if !stored(first) || stored(repeat) {
		t.Errorf("stored: first %v, repeat %v; want the first only", stored(first), stored(repeat))
	}
	if got := f.fields(w); !slices.Equal(got, []string{"Name"}) {
		t.Errorf("fields: got %v, want those of the first", got)
	}
	for what, id := range map[string]string{"another key": accept(w, "l"), "no key": accept(w, ""), "no key again": accept(w, ""), "another source": accept(other, "k")} {
		if !stored(id) {
			t.Errorf("%s: was not stored", what)
		}
	}
	f.exec(`UPDATE source_event_keys SET accepted_at = now() - interval '5 days'`)
	f.must(f.Idempotency.SweepExpired(t.Context()))
	if n := f.count(`SELECT count(*) FROM source_event_keys`); n != 0 {
		t.Errorf("keys after the sweep: got %d", n)
	}
	if !stored(accept(w, "k")) {
		t.Error("a key that was forgotten still counts")
	}
}

// A sender that gives another event a name of before would lose it: it is kept, once, and
// says why nothing was made of it.
func TestAnotherEventUnderANameOfBeforeIsKeptAndStartsNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	named := func(body string, fields ...string) platen.SourceEvent {
		e := event(w, fields...)
		e.EventKey, e.Body = "invoice-417", []byte(body)
		return e
	}
	first, other, third := named(`{"Total":1}`, "Total"), named(`{"Total":2}`, "Sum"), named(`{"Total":3}`, "Sum")
	again := func(e platen.SourceEvent) platen.SourceEvent { return named(string(e.Body), "Sum") }
	for _, batch := range [][]platen.SourceEvent{
		{first, other}, // at once
		{again(other), again(first), third, again(third)}, // in any order, later
		{again(third)},
	} {
		for range 2 { // as after an answer that was lost
			results, err := postgres.InsertEvents(t.Context(), f.DB, batch)
			f.must(err)
			f.must(errors.Join(results...))
		}
	}
	got := map[string]string{}
	for id, want := range map[string]string{first.AutomationID: "ACCEPTED ", other.AutomationID: "SKIPPED KEY_REUSED", third.AutomationID: "SKIPPED KEY_REUSED"} {
		a, err := f.Automations.Automation(t.Context(), id)
		f.must(err)
		if got[id] = string(a.State) + " " + a.Reason; got[id] != want || (a.State == platen.AutomationSkipped) != (a.FinishedAt != nil) {
			t.Errorf("got %s, ended %v; want %s", got[id], a.FinishedAt, want)
		}
		data, err := f.Automations.SourceData(t.Context(), id)
		f.must(err)
		t.Logf("%s: %s", got[id], data)
	}
	if n := f.count(`SELECT count(*) FROM automations`); n != 3 {
		t.Errorf("%d automations, want 3: each body once", n)
	}
	if got := f.fields(w); !slices.Equal(got, []string{"Total"}) {
		t.Errorf("fields: got %v, want those of the event that was carried out", got)
	}
}

func TestRepeatsInOneBatchAndSideBySideStartOneAutomation(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	sources := []platen.Workflow{f.workflow(owner), f.workflow(owner)}
	b := f.batcher(postgres.BatcherOptions{Flushers: 4, MaxEvents: 20})
	keys := strings.Split("abcdefghij", "")
	var senders sync.WaitGroup
	for i := range 400 {
		senders.Go(func() {
			e := event(sources[i%2])
			e.EventKey = keys[(i*7)%len(keys)]
			if err := b.Accept(t.Context(), e); err != nil {
				t.Errorf("Accept: %v", err)
			}
		})
	}
	senders.Wait()
	if n := f.count(`SELECT count(*) FROM automations`); n != len(keys) {
		t.Errorf("automations: got %d, want one for each of %d keys that were sent", n, len(keys))
	}
}

func TestAKeySentToAnArchivedWorkflowIsNotTaken(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.workflow(f.user(nil))
	b := f.batcher(postgres.BatcherOptions{})
	f.must(f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, nil))
	e := event(w)
	e.EventKey = "k"
	wantKind(t, "archived", b.Accept(t.Context(), e), platen.KindGone, "workflow_archived")
	_, err := f.Workflows.RestoreWorkflow(t.Context(), w.ID)
	f.must(err)
	e = event(w)
	e.EventKey = "k"
	f.must(b.Accept(t.Context(), e))
	if f.state(e.AutomationID) != platen.AutomationAccepted {
		t.Error("the event was taken for a repeat")
	}
}

func TestTheSweepForgetsOldAnswersOnly(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.user(nil)
	for _, key := range []string{"old", "young"} {
		_, err := f.Idempotency.ClaimRequest(t.Context(), u.ID, key, []byte("f"), time.Minute)
		f.must(err)
	}
	f.exec(`UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = 'old'`)
	f.must(f.Idempotency.SweepExpired(t.Context()))
	if got := f.count(`SELECT count(*) FROM idempotency_keys`); got != 1 {
		t.Errorf("keys: got %d, want the young one", got)
	}
}
