package quota

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

var now = time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)

// limits are those of changes of documents alone.
func limits(account, project int) platen.Quotas {
	return platen.Quotas{Account: changes(account), Project: changes(project)}
}

func changes(n int) platen.Usage { return platen.Usage{platen.DocsWrites: n} }

func ticket(owner string, waits time.Duration) platen.QuotaTicket {
	return platen.QuotaTicket{
		ID: fmt.Sprint(owner, waits), OwnerID: owner, Asks: changes(1), AskedAt: now.Add(-waits), DueAt: now,
		QuotaAccount: platen.QuotaAccount{Project: "p", Account: "a"},
	}
}

// used is what an owner used so long ago.
func used(owner string, n int, ago time.Duration) platen.QuotaUse {
	return platen.QuotaUse{Account: "a", OwnerID: owner, Until: now.Add(platen.QuotaWindow - ago), Usage: changes(n)}
}

func book(waiting []platen.QuotaTicket, uses ...platen.QuotaUse) platen.QuotaBook {
	b := platen.QuotaBook{Now: now, Project: uses, Waiting: waiting}
	for _, u := range uses {
		if u.Account == "a" {
			b.Account = append(b.Account, u)
		}
	}
	return b
}

// Two of the owner's workflow are older; the first of another comes after one of them.
func TestWorkflowsOfAnOwnerTakeTurns(t *testing.T) {
	t.Parallel()
	of := func(workflow string, waits time.Duration) platen.QuotaTicket {
		x := ticket("one", waits)
		x.ID, x.WorkflowID = fmt.Sprint(workflow, waits), workflow
		return x
	}
	waiting := []platen.QuotaTicket{of("many", 30*time.Second), of("many", 20*time.Second), of("many", 10*time.Second), ticket("two", 5*time.Second)}
	ask := of("few", 0)
	l := newLine(limits(60, 600), ask, book(waiting))
	var got []string
	for _, x := range l.order(ask) {
		got = append(got, x.ID)
	}
	want := []string{"many30s", "two5s", "few0s", "many20s", "many10s"}
	if !slices.Equal(got, want) {
		t.Errorf("got the order %v, want %v", got, want)
	}
}

func TestWhoAsksWaitsUntilThereIsEnoughForAllWhoComeBefore(t *testing.T) {
	t.Parallel()
	shared := ticket("many", 0)
	shared.Shared = true
	elsewhere := ticket("else", time.Minute)
	elsewhere.Account = "b"
	for name, c := range map[string]struct {
		ask  platen.QuotaTicket
		book platen.QuotaBook
		wait time.Duration
	}{
		"nothing is used":                         {ticket("many", 0), book(nil), 0},
		"all is used":                             {ticket("many", 0), book(nil, used("many", 60, 20*time.Second)), 40 * time.Second},
		"what is over does not count":             {ticket("many", 0), book(nil, used("many", 60, 61*time.Second)), 0},
		"the reserve is left":                     {ticket("many", 0), book(nil, used("many", 58, 20*time.Second)), 40 * time.Second},
		"an owner who used nothing has it":        {ticket("few", 0), book(nil, used("many", 58, 20*time.Second)), 0},
		"the project's is used by others":         {ticket("few", 0), book(nil, platen.QuotaUse{Account: "b", OwnerID: "else", Until: now.Add(5 * time.Second), Usage: changes(600)}), 5 * time.Second},
		"one who used less and waits comes first": {ticket("many", 0), book([]platen.QuotaTicket{ticket("few", 0)}, used("many", 57, 20*time.Second)), 40 * time.Second},
		"one who used more does not":              {ticket("few", 0), book([]platen.QuotaTicket{ticket("many", time.Minute)}, used("many", 59, 20*time.Second)), 0},
		"of one owner who waits longer does":      {ticket("many", 0), book([]platen.QuotaTicket{ticket("many", time.Minute)}, used("many", 57, 20*time.Second)), 40 * time.Second},
		"who waits for another account does not":  {ticket("few", 0), book([]platen.QuotaTicket{elsewhere}, used("many", 59, 20*time.Second)), 0},
		"a shared account is given out evenly":    {shared, book(nil, used("many", 13, 0)), time.Second},
	} {
		if d := decide(limits(60, 600), c.ask, c.book); d.at.Sub(now).Round(time.Second) != c.wait {
			t.Errorf("%s: got a wait of %v, want %v", name, d.at.Sub(now), c.wait)
		}
	}
}

// A second later is when a step needs it that copies first.
func TestWhatIsUsedLaterMayBecomeFreeUntilThen(t *testing.T) {
	t.Parallel()
	ask := ticket("few", 0)
	ask.Later = ask.Asks
	for ago, wait := range map[time.Duration]time.Duration{59 * time.Second: 0, 58 * time.Second: time.Second} {
		if d := decide(limits(60, 600), ask, book(nil, used("many", 60, ago))); d.at.Sub(now) != wait {
			t.Errorf("used %v ago: got a wait of %v, want %v", ago, d.at.Sub(now), wait)
		}
	}
}

// A ticket with a later due time does not block a ticket that is due now from the free
// quota.
func TestWhoWaitsForLaterKeepsNobodyFromWhatIsFreeNow(t *testing.T) {
	t.Parallel()
	later := ticket("few", time.Second)
	later.DueAt = now.Add(30 * time.Second)
	uses := []platen.QuotaUse{used("many", 30, 50*time.Second), used("many", 27, 5*time.Second)}
	if d := decide(limits(60, 600), ticket("many", 0), book([]platen.QuotaTicket{later}, uses...)); d.at.After(now) {
		t.Errorf("got a wait of %v, want none: 30 become free before the other one is due", d.at.Sub(now))
	}
}

func TestEachWhoWaitsIsToldATimeOfItsOwn(t *testing.T) {
	t.Parallel()
	var uses []platen.QuotaUse
	for i := range 20 {
		uses = append(uses, used("many", 3, time.Duration(i)*3*time.Second))
	}
	var waiting []platen.QuotaTicket
	at := map[time.Time]int{}
	for i := range 100 {
		ask := ticket("many", time.Duration(100-i)*time.Second)
		d := decide(limits(60, 600), ask, book(waiting, uses...))
		at[d.at]++
		ask.DueAt = d.at
		waiting = append(waiting, ask)
	}
	for moment, n := range at {
		if n > 3 || moment.After(now.Add(2*platen.QuotaWindow)) {
			t.Errorf("got %d told to come in %v, want at most the 3 that become free, within two minutes", n, moment.Sub(now))
		}
	}
}
