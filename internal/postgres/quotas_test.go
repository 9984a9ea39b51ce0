package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
	"github.com/platenhq/platen/internal/quota"
)

var _ quota.Store = (*postgres.Quotas)(nil)

// A quotaClock is one that tests set.
type quotaClock struct{ now time.Time }

func (f *harness) quotaClock() *quotaClock {
	c := &quotaClock{now: storetest.Now()}
	f.Quotas.Now = func() time.Time { return c.now }
	return c
}

func quotaTicket(id, account string) platen.QuotaTicket {
	return platen.QuotaTicket{
		ID: id, QuotaAccount: platen.QuotaAccount{Project: "p", Account: account}, OwnerID: "usr_" + account,
		Asks: platen.Usage{platen.DocsWrites: 1, platen.DocsReads: 2},
	}
}

// quotaBook is what there is of everybody but this one.
func (f *harness) quotaBook(t platen.QuotaTicket) (book platen.QuotaBook) {
	f.T.Helper()
	f.Must(f.Quotas.AskQuota(f.T.Context(), t, func(b platen.QuotaBook) *platen.QuotaTicket {
		book = b
		return nil
	}))
	return book
}

// storeQuota has a ticket held, or waiting, from then on.
func (f *harness) storeQuota(t platen.QuotaTicket, held, due time.Duration) {
	f.T.Helper()
	f.Must(f.Quotas.AskQuota(f.T.Context(), t, func(b platen.QuotaBook) *platen.QuotaTicket {
		t.AskedAt = b.Now
		if held > 0 {
			t.HeldUntil = b.Now.Add(held)
		} else {
			t.DueAt = b.Now.Add(due)
		}
		return &t
	}))
}

func countedQuota(uses []platen.QuotaUse) (sum platen.Usage) {
	for _, u := range uses {
		sum = sum.Plus(u.Usage)
	}
	return sum
}

func TestAQuotaCountsWhileItIsHeldAndAMinuteFromWhenItIsSettled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	clock := f.quotaClock()
	other, held := quotaTicket("out_2", "a"), quotaTicket("out_1", "a")
	f.storeQuota(held, 2*time.Minute, 0)
	check := func(what string, want platen.Usage) {
		t.Helper()
		book := f.quotaBook(other)
		if got := countedQuota(book.Account); got != want {
			t.Errorf("%s: got %v of the account, want %v", what, got, want)
		}
		if got := countedQuota(book.Project); got != want {
			t.Errorf("%s: got %v of the project, want %v", what, got, want)
		}
	}
	check("held", held.Asks)
	clock.now = clock.now.Add(70 * time.Second)
	check("held for long", held.Asks)
	f.Must(f.Quotas.SettleQuota(t.Context(), held, platen.Usage{platen.DocsReads: 1}, platen.Usage{platen.DocsWrites: 1}))
	check("settled, with something kept", platen.Usage{platen.DocsReads: 1, platen.DocsWrites: 1})
	f.Must(f.Quotas.SettleQuota(t.Context(), held, platen.Usage{platen.DocsWrites: 1}, platen.Usage{}))
	check("settled", platen.Usage{platen.DocsReads: 1, platen.DocsWrites: 1})
	clock.now = clock.now.Add(platen.QuotaWindow)
	check("a minute later, all but a moment", platen.Usage{platen.DocsReads: 1, platen.DocsWrites: 1})
	clock.now = clock.now.Add(250 * time.Millisecond)
	check("a minute later", platen.Usage{})
}

func TestWhatNobodySettlesCountsNoMoreAfterItsTime(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	clock := f.quotaClock()
	f.storeQuota(quotaTicket("out_1", "a"), 2*time.Minute, 0)
	f.storeQuota(quotaTicket("out_2", "b"), 0, time.Minute)
	for after, want := range []struct{ project, waiting int }{{1, 1}, {1, 1}, {0, 0}} {
		book := f.quotaBook(quotaTicket("out_3", "a"))
		if len(book.Project) != want.project || len(book.Waiting) != want.waiting {
			t.Errorf("after %d minutes: got %d that count and %d that wait, want %d and %d", after, len(book.Project), len(book.Waiting), want.project, want.waiting)
		}
		clock.now = clock.now.Add(time.Minute)
	}
}

func TestWhatGoogleRefusedIsUsedUpWhereItSaysSo(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	clock := f.quotaClock()
	mine, others := quotaTicket("out_1", "a"), quotaTicket("out_2", "b")
	f.storeQuota(quotaTicket("out_3", "a"), time.Minute, 0)
	for range 2 {
		f.Must(f.Quotas.UseUpQuota(t.Context(), mine.QuotaAccount, platen.DocsWrites, false, 60))
	}
	writes := func(of platen.QuotaTicket) (account, project int) {
		book := f.quotaBook(of)
		return countedQuota(book.Account)[platen.DocsWrites], countedQuota(book.Project)[platen.DocsWrites]
	}
	if account, project := writes(mine); account != 60 || project != 1 {
		t.Errorf("the account that was refused: got %d, and %d of the project; want 60 and 1", account, project)
	}
	if account, project := writes(others); account != 0 || project != 1 {
		t.Errorf("another account: got %d, and %d of the project; want 0 and 1", account, project)
	}
	f.Must(f.Quotas.UseUpQuota(t.Context(), mine.QuotaAccount, platen.DocsWrites, true, 600))
	if account, project := writes(others); account != 0 || project != 600 {
		t.Errorf("another account, when the project was refused: got %d, and %d of the project; want 0 and 600", account, project)
	}
	clock.now = clock.now.Add(platen.QuotaWindow + time.Second)
	if account, project := writes(mine); account != 0 || project != 0 {
		t.Errorf("a minute later: got %d, and %d of the project; want neither", account, project)
	}
}

func TestWorkersTogetherTakeNoMoreOfAQuotaThanThereIs(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	limits := platen.Quotas{Account: platen.Usage{platen.DocsWrites: 30}, Project: platen.Usage{platen.DocsWrites: 1000}}
	var granted [2]atomic.Int32
	var asking sync.WaitGroup
	for worker := range 4 {
		budgets := quota.Budgets{Store: f.Another().Quotas, Limits: limits}
		asking.Go(func() {
			for i := range 40 {
				err := budgets.Take(context.WithoutCancel(t.Context()), quotaTicket(fmt.Sprintf("out_%d_%d", worker, i), fmt.Sprint(worker%2)))
				refused, ok := errors.AsType[*platen.Error](err)
				switch {
				case err == nil:
					granted[worker%2].Add(1)
				case !ok || refused.Code != platen.CodeQuotaUsedUp || refused.RetryAfter <= 0:
					t.Errorf("got %v, want a refusal that says until when", err)
				}
			}
		})
	}
	asking.Wait()
	for account := range granted {
		if n := granted[account].Load(); n < 29 || n > 30 {
			t.Errorf("account %d: got %d granted, want all but one that is left for others, of 30", account, n)
		}
	}
}
