package quota

import (
	"cmp"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// A decision is when somebody may take what he asks for: at once, if that is not
// after the book's moment.
type decision struct {
	at      time.Time
	kind    platen.QuotaKind // that he waits for
	project bool             // it is the project's, not the account's
}

// A line is what one decision looks at.
type line struct {
	limits           platen.Quotas
	book             platen.QuotaBook
	account, project *bucket
	used             map[string]platen.Usage // by owner, with what is promised to tickets before
}

func newLine(limits platen.Quotas, ask platen.QuotaTicket, book platen.QuotaBook) *line {
	l := &line{
		limits:  limits,
		book:    book,
		account: newBucket(book.Now, limits.Account, ask.Shared, book.Account),
		project: newBucket(book.Now, limits.Project, true, book.Project),
		used:    map[string]platen.Usage{},
	}
	for _, u := range book.Project {
		l.used[u.OwnerID] = l.used[u.OwnerID].Plus(u.Usage)
	}
	return l
}

// decide says when a ticket may be taken, if all that wait and come before it take
// theirs. Owners who have used less within the minute come first, each with one
// ticket after the other, of its workflows in turns.
func decide(limits platen.Quotas, ask platen.QuotaTicket, book platen.QuotaBook) decision {
	l := newLine(limits, ask, book)
	var waiting platen.Usage
	for _, t := range book.Waiting {
		waiting = waiting.Plus(t.Asks)
	}
	if l.account.isAmple(ask.Asks, waiting) && l.project.isAmple(ask.Asks, waiting) {
		return decision{at: book.Now}
	}
	for _, t := range l.order(ask) {
		if t.ID == ask.ID {
			break
		}
		at := l.decide(t, t.Account == ask.Account).at
		if t.DueAt.After(at) {
			at = t.DueAt // it comes when it was told to
		}
		l.project.promise(at, t.Asks)
		if t.Account == ask.Account {
			l.account.promise(at, t.Asks)
		}
		l.used[t.OwnerID] = l.used[t.OwnerID].Plus(t.Asks)
	}
	return l.decide(ask, true)
}

// decideNow is decide for somebody who does not wait in line, or has done so: what is
// promised to others may then come later.
func decideNow(limits platen.Quotas, ask platen.QuotaTicket, book platen.QuotaBook) decision {
	l := newLine(limits, ask, book)
	delete(l.used, ask.OwnerID)
	return l.decide(ask, true)
}

// decide is when a ticket may be taken of what the line leaves. Of other accounts
// than that of who asks only the project's part is known.
func (l *line) decide(t platen.QuotaTicket, sameAccount bool) decision {
	newcomer := l.used[t.OwnerID] == platen.Usage{}
	d := decision{at: l.book.Now}
	look := func(b *bucket, usage platen.Usage, lead time.Duration) {
		if at, kind := b.earliest(usage, newcomer, lead); at.After(d.at) {
			d = decision{at: at, kind: kind, project: b == l.project}
		}
	}
	look(l.project, t.Asks.Minus(t.Later), 0)
	look(l.project, t.Later, laterBy)
	if sameAccount {
		look(l.account, t.Asks.Minus(t.Later), 0)
		look(l.account, t.Later, laterBy)
	}
	return d
}

// laterBy is how much later a ticket's Later is used, at the earliest: a copy and a
// reading come before the change of a document, and Google takes longer for them. It
// is asked for again then.
const laterBy = time.Second

// order is who waits, with who asks, in the order of their turns.
func (l *line) order(ask platen.QuotaTicket) []platen.QuotaTicket {
	waiting := append(slices.Clone(l.book.Waiting), ask)
	slices.SortFunc(waiting, func(x, y platen.QuotaTicket) int {
		return cmp.Or(x.AskedAt.Compare(y.AskedAt), cmp.Compare(x.ID, y.ID))
	})
	turns := make(map[string]float64, len(waiting))
	with := map[string]platen.Usage{}
	for _, t := range inTurns(waiting) {
		with[t.OwnerID] = with[t.OwnerID].Plus(t.Asks)
		turns[t.ID] = l.share(l.used[t.OwnerID].Plus(with[t.OwnerID]))
	}
	slices.SortStableFunc(waiting, func(x, y platen.QuotaTicket) int { return cmp.Compare(turns[x.ID], turns[y.ID]) })
	return waiting
}

// inTurns are tickets in the order in which workflows take turns: the oldest of each,
// then the next.
func inTurns(oldestFirst []platen.QuotaTicket) []platen.QuotaTicket {
	type of struct{ owner, workflow string }
	before, ofEach := make(map[string]int, len(oldestFirst)), map[of]int{}
	for _, t := range oldestFirst {
		key := of{t.OwnerID, t.WorkflowID}
		before[t.ID] = ofEach[key]
		ofEach[key]++
	}
	turns := slices.Clone(oldestFirst)
	slices.SortStableFunc(turns, func(x, y platen.QuotaTicket) int { return cmp.Compare(before[x.ID], before[y.ID]) })
	return turns
}

// share is the largest part that usage is of any limit of the project, or of the
// account where the project has none: the dominant share of Ghodsi et al.
// (Dominant Resource Fairness, NSDI 2011).
func (l *line) share(u platen.Usage) float64 {
	most := 0.0
	for kind, n := range u {
		if limit := cmp.Or(l.limits.Project[kind], l.limits.Account[kind]); limit > 0 {
			most = max(most, float64(n)/float64(limit))
		}
	}
	return most
}
