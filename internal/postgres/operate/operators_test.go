package operate_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestOperatorsSeeWhatFailedOfAllUsersAndWhatWaits(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	first, second := f.Workflow(f.User(nil)), f.Workflow(f.User(nil))
	failed, waits := f.Running(first), f.Accept(second, 2)
	_, err := f.Automations.FailAutomation(t.Context(), failed.AutomationID, 1, "plan_unreadable", "words")
	f.Must(err)
	found, err := f.Automations.OperatorAutomations(t.Context(), []platen.AutomationState{platen.AutomationFailed}, time.Hour, 10)
	f.Must(err)
	if len(found) != 1 || found[0].AutomationID != failed.AutomationID || found[0].OwnerID != first.Owner.ID || found[0].Code != "plan_unreadable" {
		t.Errorf("what failed: got %+v", found)
	}
	all, err := f.Automations.OperatorAutomations(t.Context(), nil, time.Hour, 2)
	f.Must(err)
	if len(all) != 2 {
		t.Errorf("got %d automations, want the 2 newest of %d", len(all), 1+len(waits))
	}
	o, err := f.Overview(t.Context())
	f.Must(err)
	if o.Backlog != 2 || o.Open != 0 || o.OldestAge < 0 || o.OldestAge > time.Minute {
		t.Errorf("overview: got %+v, want a backlog of 2", o)
	}
	if o.Erasures != 0 || o.OldestData == nil || time.Since(*o.OldestData) > time.Minute {
		t.Errorf("overview: got %+v, want nothing to erase, and source data of just now", o)
	}
}

// What is behind another of its key has not started, as what waits in the queue.
func TestOperatorsSeeWhatIsBehindAsAccepted(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Accept(f.Workflow(f.User(nil), func(w *platen.Workflow) { w.OrderedBy = "Name" }), 1)
	found, err := f.Automations.OperatorAutomations(t.Context(), []platen.AutomationState{platen.AutomationAccepted}, time.Hour, 10)
	f.Must(err)
	if len(found) != 1 || found[0].State != platen.AutomationAccepted {
		t.Errorf("got %+v, want it ACCEPTED", found)
	}
}

func TestOperatorsSeeHowManyAttemptsWereMade(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	_, eventID := f.Delivered(f.Workflow(f.User(nil)))
	// A redelivery of a PENDING event skips the number of the attempt that is under way.
	f.Must(f.Deliveries.RecordDelivery(t.Context(), platen.Delivery{EventID: eventID, Attempt: 3, At: storetest.Now(), Status: 503}, platen.EventFailed, 0))
	found, err := f.Events.OperatorEvents(t.Context(), platen.EventStandingQuery{Since: time.Hour, Limit: 10})
	f.Must(err)
	if len(found) != 1 || found[0].Attempts != 2 || found[0].Status != 503 {
		t.Errorf("got %+v, want 2 attempts, the last of which was answered with 503", found)
	}
}

func TestTheOverviewCountsTokensInUseThatEndWithinAWeek(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	ada, gone := f.User(nil), f.User(nil)
	week := storetest.Now().Add(6 * 24 * time.Hour)
	for _, c := range []struct {
		name    string
		owner   platen.User
		ends    time.Time
		use     bool
		revoked bool
	}{
		{name: "counts", owner: ada, ends: week, use: true},
		{name: "was never used", owner: ada, ends: week},
		{name: "ends later", owner: ada, ends: storetest.Now().Add(8 * 24 * time.Hour), use: true},
		{name: "never ends", owner: ada, use: true},
		{name: "revoked", owner: ada, ends: week, use: true, revoked: true},
		{name: "of a user who is disabled", owner: gone, ends: week, use: true},
	} {
		id, text, err := f.Tokens.CreateToken(t.Context(), c.owner.ID, c.name, c.ends)
		f.Must(err)
		if c.use {
			_, err = f.Tokens.TokenByHash(t.Context(), sha256.Sum256([]byte(text)))
			f.Must(err)
		}
		if c.revoked {
			f.Must(f.Tokens.RevokeToken(t.Context(), id))
		}
	}
	f.Must(f.Users.DisableUser(t.Context(), gone.ID))
	o, err := f.Overview(t.Context())
	f.Must(err)
	if o.TokensEnding != 1 {
		t.Errorf("got %d tokens that end soon, want 1", o.TokensEnding)
	}
}
