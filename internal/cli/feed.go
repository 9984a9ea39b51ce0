package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/platenhq/platen/client"
)

// A feed tells which events of workflows are new, by asking for the newest again and
// again. It needs no address at which it can be reached.
type feed struct {
	api       *client.Client
	workflows []string                        // whose
	since     time.Time                       // events from before are old; zero: all that are there are
	seen      map[string]map[string]time.Time // by workflow, by event: when it was created
}

// late is how much later than a younger one an event may appear in a list: it is there
// when its transaction is.
const late = time.Minute

func newFeed(api *client.Client, workflows []string, since time.Time) *feed {
	return &feed{api: api, workflows: workflows, since: since, seen: map[string]map[string]time.Time{}}
}

// A news is an event beside its workflow.
type news struct {
	WorkflowID string `json:"workflowId"`
	client.Event
}

// next reads what is new in all workflows, the oldest first. The first call remembers
// what is there, and tells of that only what was created since the feed's time.
func (f *feed) next(ctx context.Context) ([]news, error) {
	var all []news
	for _, id := range f.workflows {
		found, err := f.nextOf(ctx, id)
		if err != nil {
			return all, fmt.Errorf("events of workflow %s: %w", shown(id), err)
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b news) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return all, nil
}

func (f *feed) nextOf(ctx context.Context, workflowID string) ([]news, error) {
	before, known := f.seen[workflowID]
	now, found := map[string]time.Time{}, []news(nil)
	oldest := newestOf(before).Add(-late)
	for e, err := range f.api.Events(ctx, workflowID, client.EventQuery{Newest: true, Page: glance}) {
		if err != nil {
			return nil, err
		}
		if !known && len(now) == 0 {
			oldest = f.reach(e.CreatedAt.Add(-late))
		}
		if e.CreatedAt.Before(oldest) {
			break
		}
		now[e.ID] = e.CreatedAt
		_, old := before[e.ID]
		if known && !old || !known && !f.since.IsZero() && !e.CreatedAt.Before(f.since) {
			found = append(found, news{workflowID, e})
		}
	}
	if len(now) > 0 || !known {
		f.seen[workflowID] = now
	}
	slices.Reverse(found)
	return found, nil
}

// reach is how far back the first look goes.
func (f *feed) reach(oldest time.Time) time.Time {
	if !f.since.IsZero() && f.since.Before(oldest) {
		return f.since
	}
	return oldest
}

// glance is how many events are asked for at once: mostly, nothing is new.
const glance = 20

func newestOf(seen map[string]time.Time) time.Time {
	var at time.Time
	for _, created := range seen {
		if created.After(at) {
			at = created
		}
	}
	return at
}
