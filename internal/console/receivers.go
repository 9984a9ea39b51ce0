package console

import (
	"context"
	"net/url"
	"slices"
)

// lookedAt is how many workflows the first page asks /v0 about the state of their receiver:
// each costs a request, and four where there is trouble, which count as the caller's.
const lookedAt = 10

// A troubledReceiver takes no events now, or has not taken all.
type troubledReceiver struct {
	Endpoint  endpoint
	Address   string
	Since     string            // it is so; empty: nobody knows
	Last      string            // why the last attempt failed; empty: nothing is known of one
	Workflows []waitingWorkflow // whose events it is to get
}

// A waitingWorkflow has events for a receiver: Pending wait for it, Held are held. They are
// counted where IsKnown says so.
type waitingWorkflow struct {
	workflow
	IsKnown       bool
	Pending, Held int
}

// Waiting is how many events of its workflows wait for it.
func (t troubledReceiver) Waiting() (n int) {
	for _, w := range t.Workflows {
		n += w.Pending
	}
	return n
}

// First is the workflow on whose page it is cured.
func (t troubledReceiver) First() workflow { return t.Workflows[0].workflow }

// receivers finds those in trouble. It looks first at workflows that ran last; more is how
// many it did not look at.
func (r request) receivers(ctx context.Context, all []workflow, recent []runRow) (found []troubledReceiver, more int, err error) {
	of := byReceiver(all, recent)
	more = max(0, len(of)-lookedAt)
	of = of[:min(len(of), lookedAt)]
	left := lookedAt - len(of) // for further workflows of a receiver
	for _, one := range of {
		further := min(left, len(one.Workflows)-1)
		left -= further
		isTroubled, err := r.look(ctx, &one, 1+further)
		if err == nil && isTroubled {
			err = r.explainReceiver(ctx, &one)
			found = append(found, one)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	return found, more, nil
}

// look asks for the state of a receiver, and for the held events of so many of its workflows.
func (r request) look(ctx context.Context, t *troubledReceiver, workflows int) (isTroubled bool, err error) {
	for i := range t.Workflows[:workflows] {
		w := &t.Workflows[i]
		_, err := r.get(ctx, "/workflows/"+w.ID+"/outgoing-webhooks/state/", &t.Endpoint)
		if isNotFound(err) { // it was taken away meanwhile
			continue
		}
		if err != nil {
			return false, err
		}
		w.IsKnown, w.Held = true, t.Endpoint.HeldEvents
		isTroubled = isTroubled || t.Endpoint.State != "READY" || t.Endpoint.Failures > 0 || w.Held > 0
	}
	return isTroubled, nil
}

// byReceiver gathers workflows by the owner and the address that their events go to: their
// breaker is one.
func byReceiver(all []workflow, recent []runRow) (out []troubledReceiver) {
	rank := func(w workflow) int {
		if i := slices.IndexFunc(recent, func(row runRow) bool { return row.WorkflowID == w.ID }); i >= 0 {
			return i
		}
		return len(recent)
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b workflow) int { return rank(a) - rank(b) })
	for _, w := range sorted {
		if w.OutgoingWebhook == nil || w.Status == "ARCHIVED" {
			continue
		}
		same := func(t troubledReceiver) bool {
			return t.Address == w.OutgoingWebhook.WebhookURL && t.First().Owner.Email == w.Owner.Email
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].Workflows = append(out[i].Workflows, waitingWorkflow{workflow: w})
			continue
		}
		out = append(out, troubledReceiver{Address: w.OutgoingWebhook.WebhookURL, Workflows: []waitingWorkflow{{workflow: w}}})
	}
	return out
}

// explainReceiver says since when, why, and how many events wait.
func (r request) explainReceiver(ctx context.Context, t *troubledReceiver) error {
	for _, since := range []*string{t.Endpoint.DisabledAt, t.Endpoint.FailingSince} {
		if since != nil && t.Since == "" {
			t.Since = *since
		}
	}
	for i := range t.Workflows {
		w := &t.Workflows[i]
		if !w.IsKnown {
			continue
		}
		at := "/workflows/" + w.ID + "/events/"
		var n struct{ Pending int }
		if _, err := r.get(ctx, at+"counts/", &n); err != nil {
			return err
		}
		w.Pending = n.Pending
		if t.Last != "" || w.Pending+w.Held == 0 {
			continue
		}
		var err error
		if t.Last, err = r.lastFailure(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

// lastFailure is why the last attempt at the oldest event that waits failed: it was tried
// most often. at is the list of events.
func (r request) lastFailure(ctx context.Context, at string) (last string, err error) {
	var oldest []event
	if _, err := r.get(ctx, at+"?"+url.Values{"limit": {"1"}, "state": {"PENDING", "HELD"}}.Encode(), &oldest); err != nil || len(oldest) == 0 {
		return "", err
	}
	if _, err := r.get(ctx, at+oldest[0].ID+"/", &oldest[0]); err != nil {
		return "", err
	}
	for _, d := range oldest[0].Deliveries {
		if d.Failure != nil {
			last = *d.Failure
		}
	}
	return last, nil
}
