package cli

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/platenhq/platen/client"
)

// A recent tells what is new in a list that begins with its newest entry, by asking for
// its beginning again and again.
type recent[T any] struct {
	list  func(ctx context.Context, page int) iter.Seq2[T, error]
	key   func(T) (id string, created time.Time)
	since time.Time            // entries from before are old; zero: all that are there are
	seen  map[string]time.Time // when those of the last look were created; nil: there was none
}

// late is how much later than a younger one an entry may appear in a list: it is there
// when its transaction is.
const late = time.Minute

// glance is how many more entries than the last look had are asked for at once: mostly,
// nothing is new.
const (
	glance    = 20
	maxGlance = 200
)

// next reads what is new, and the beginning of the list in which it is, the oldest first.
// The first look remembers what is there, and finds only what was created since.
func (r *recent[T]) next(ctx context.Context) (fresh, beginning []T, err error) {
	oldest, now := newestOf(r.seen).Add(-late), map[string]time.Time{}
	for entry, err := range r.list(ctx, min(glance+len(r.seen), maxGlance)) {
		if err != nil {
			return nil, nil, err
		}
		id, created := r.key(entry)
		if r.seen == nil && len(now) == 0 {
			oldest = r.reach(created.Add(-late))
		}
		if created.Before(oldest) {
			break
		}
		now[id] = created
		beginning = append(beginning, entry)
		_, old := r.seen[id]
		if r.seen != nil && !old || r.seen == nil && !r.since.IsZero() && !created.Before(r.since) {
			fresh = append(fresh, entry)
		}
	}
	if len(now) > 0 || r.seen == nil {
		r.seen = now
	}
	slices.Reverse(fresh)
	slices.Reverse(beginning)
	return fresh, beginning, nil
}

// reach is how far back the first look goes.
func (r *recent[T]) reach(oldest time.Time) time.Time {
	if !r.since.IsZero() && r.since.Before(oldest) {
		return r.since
	}
	return oldest
}

func newestOf(seen map[string]time.Time) time.Time {
	var at time.Time
	for _, created := range seen {
		if created.After(at) {
			at = created
		}
	}
	return at
}

// A feed tells which events of workflows are new. It needs no address at which it can be
// reached.
type feed []*recent[news]

// An eventList is the events of a workflow: those of tests, or all others.
type eventList struct {
	workflowID string
	test       bool
}

func newFeed(api *client.Client, lists []eventList, since time.Time) feed {
	var f feed
	for _, l := range lists {
		f = append(f, &recent[news]{
			list: func(ctx context.Context, page int) iter.Seq2[news, error] {
				return eventsOf(ctx, api, l.workflowID, client.EventQuery{Newest: true, Page: page, Test: l.test})
			},
			key:   func(n news) (string, time.Time) { return n.ID, n.CreatedAt },
			since: since,
		})
	}
	return f
}

// A news is an event beside its workflow.
type news struct {
	WorkflowID string `json:"workflowId"`
	client.Event
}

func eventsOf(ctx context.Context, api *client.Client, workflowID string, q client.EventQuery) iter.Seq2[news, error] {
	return func(yield func(news, error) bool) {
		for event, err := range api.Events(ctx, workflowID, q) {
			if err != nil {
				err = fmt.Errorf("events of workflow %s: %w", Shown(workflowID), err)
			}
			if !yield(news{workflowID, event}, err) {
				return
			}
		}
	}
}

// next reads what is new in all workflows, the oldest first. What was found before an
// error comes with it.
func (f feed) next(ctx context.Context) ([]news, error) {
	var all []news
	var failed error
	for _, r := range f {
		fresh, _, err := r.next(ctx)
		if all = append(all, fresh...); err != nil {
			failed = err
			break
		}
	}
	slices.SortStableFunc(all, func(a, b news) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return all, failed
}
