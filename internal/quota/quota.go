// Package quota shares what Google lets us call in a minute among all who call:
// steps of runs, previews, and what is looked up now and then. It decides who may
// call and who waits until when; Store keeps the books, so that all processes
// decide by the same.
//
// What a call costs is package google's, which step asks for what package
// activities'. No SQL and no HTTP belong here.
package quota

import (
	"context"
	"fmt"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// OfGoogle are Google's limits, as of the pages at platen.QuotaKind.
func OfGoogle() platen.Quotas {
	return platen.Quotas{
		Account: platen.Usage{platen.DocsWrites: 60, platen.DocsReads: 300, platen.SlidesWrites: 60, platen.SlidesReads: 600, platen.DriveUnits: 325_000},
		Project: platen.Usage{platen.DocsWrites: 600, platen.DocsReads: 3000, platen.SlidesWrites: 600, platen.SlidesReads: 3000, platen.DriveUnits: 1_000_000},
	}
}

// Store keeps who uses quotas and who waits.
type Store interface {
	// AskQuota opens the book of a ticket's project, has decide say what becomes of
	// the ticket, and stores that; nil: nothing is stored. Nobody else decides about
	// the project meanwhile.
	AskQuota(ctx context.Context, t platen.QuotaTicket, decide func(platen.QuotaBook) *platen.QuotaTicket) error
	// SettleQuota counts for a minute what was used of a ticket, and has what is
	// kept of it count on for a while. Nothing of the rest counts any more.
	SettleQuota(ctx context.Context, t platen.QuotaTicket, used, kept platen.Usage) error
	// UseUpQuota has a limit count as used up for a minute, the account's or the
	// project's.
	UseUpQuota(ctx context.Context, a platen.QuotaAccount, kind platen.QuotaKind, project bool, limit int) error
}

// Budgets shares quotas.
type Budgets struct {
	Store  Store
	Limits platen.Quotas
}

const (
	// holdMargin is how long a ticket counts that nobody settles, beyond the time
	// that its holder has and the minute after: a worker died with it.
	holdMargin = 5 * time.Second
	// holdMost is the time that a holder has who does not say.
	holdMost = 2 * time.Minute
	// soonest is when somebody who waits asks again.
	soonest = 200 * time.Millisecond
)

// Take has a run's ticket count as used, until it is settled. Where the quotas do
// not leave that, it answers KindRateLimited with code platen.CodeQuotaUsedUp, says
// until when, and keeps the ticket a place in line.
func (b Budgets) Take(ctx context.Context, t platen.QuotaTicket) error {
	return b.take(ctx, t, func(book platen.QuotaBook) (platen.QuotaTicket, decision) {
		t.AskedAt = book.Now
		if own := book.Own; own != nil {
			t.AskedAt = own.AskedAt
			if !own.HeldUntil.IsZero() && own.Asks.Covers(t.Asks) {
				return t, decideNow(b.Limits, t, book)
			}
		}
		return t, decide(b.Limits, t, book)
	}, true)
}

// TakeNow is Take for calls that somebody waits for, or that are few: they come
// before runs that wait, and do not wait in line.
func (b Budgets) TakeNow(ctx context.Context, t platen.QuotaTicket) error {
	return b.take(ctx, t, func(book platen.QuotaBook) (platen.QuotaTicket, decision) {
		t.AskedAt = book.Now
		return t, decideNow(b.Limits, t, book)
	}, false)
}

// previewPart of a budget is for previews, and at least one a minute.
const previewPart = 10

// TakePreview is TakeNow for previews: their owner, who is the same for all, has a
// tenth of a budget.
func (b Budgets) TakePreview(ctx context.Context, t platen.QuotaTicket) error {
	return b.take(ctx, t, func(book platen.QuotaBook) (platen.QuotaTicket, decision) {
		t.AskedAt = book.Now
		d := decideNow(b.Limits, t, book)
		own := platen.QuotaBook{Now: book.Now, Account: usesOf(book.Account, t.OwnerID), Project: usesOf(book.Project, t.OwnerID)}
		if few := decideNow(platen.Quotas{Account: part(b.Limits.Account, t.Asks), Project: part(b.Limits.Project, t.Asks)}, t, own); few.at.After(d.at) {
			d = few
		}
		return t, d
	}, false)
}

func usesOf(uses []platen.QuotaUse, owner string) (own []platen.QuotaUse) {
	for _, u := range uses {
		if u.OwnerID == owner {
			own = append(own, u)
		}
	}
	return own
}

func part(limit, least platen.Usage) platen.Usage {
	for kind := range limit {
		if limit[kind] > 0 {
			limit[kind] = max(limit[kind]/previewPart, least[kind])
		}
	}
	return limit
}

func (b Budgets) take(ctx context.Context, t platen.QuotaTicket, decide func(platen.QuotaBook) (platen.QuotaTicket, decision), waits bool) error {
	var refused error
	err := b.Store.AskQuota(ctx, t, func(book platen.QuotaBook) *platen.QuotaTicket {
		t, d := decide(book)
		if !d.at.After(book.Now) {
			t.DueAt, t.HeldUntil = time.Time{}, book.Now.Add(holdOf(ctx)+platen.QuotaWindow)
			return &t
		}
		if soon := book.Now.Add(soonest); d.at.Before(soon) {
			d.at = soon
		}
		refused = b.refuse(d, book.Now)
		if !waits {
			return nil
		}
		t.DueAt, t.HeldUntil = d.at, time.Time{}
		return &t
	})
	if err != nil {
		return fmt.Errorf("ask for a quota of the drive: %w", err)
	}
	return refused
}

// holdOf is how long a holder has, by its context.
func holdOf(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return holdMost
	}
	return min(max(0, time.Until(deadline)), holdMost) + holdMargin
}

// ofKind says in words what a quota counts.
var ofKind = map[platen.QuotaKind]string{
	platen.DocsWrites: "changes of documents", platen.DocsReads: "readings of documents",
	platen.SlidesWrites: "changes of presentations", platen.SlidesReads: "readings of presentations",
	platen.DriveUnits: "quota units of the Drive API",
}

func (b Budgets) refuse(d decision, now time.Time) error {
	limit, whose := b.Limits.Account[d.kind], "this account"
	if d.project {
		limit, whose = b.Limits.Project[d.kind], "this service"
	}
	return &platen.Error{
		Kind: platen.KindRateLimited, Code: platen.CodeQuotaUsedUp, RetryAfter: d.at.Sub(now),
		Message: fmt.Sprintf("Google gives %s %d %s a minute, and they are used up: it goes on at %s UTC.", whose, limit, ofKind[d.kind], d.at.UTC().Format("15:04:05")),
	}
}

// Settle counts what was used of a ticket, and keeps some of it for who takes the
// same soon.
func (b Budgets) Settle(ctx context.Context, t platen.QuotaTicket, used, kept platen.Usage) error {
	if err := b.Store.SettleQuota(ctx, t, used, kept); err != nil {
		return fmt.Errorf("settle a quota of the drive: %w", err)
	}
	return nil
}

// Refused says that Google refused a call for its quota, although we did not know
// that it is used up: somebody else uses it, too, or it is lower. Nothing more is
// taken of it until what we have used ourselves is over.
func (b Budgets) Refused(ctx context.Context, a platen.QuotaAccount, kind platen.QuotaKind, project bool) error {
	limit := b.Limits.Account[kind]
	if project {
		limit = b.Limits.Project[kind]
	}
	if limit == 0 {
		return nil
	}
	if err := b.Store.UseUpQuota(ctx, a, kind, project, limit); err != nil {
		return fmt.Errorf("note that a quota of the drive is used up: %w", err)
	}
	return nil
}
