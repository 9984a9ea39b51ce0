package console

import (
	"context"
	"net/url"
	"slices"
)

// lookedAt is how many receivers the first page looks at: each costs a request to /v0.
const lookedAt = 20

// A troubledReceiver takes no events now, or has not taken all.
type troubledReceiver struct {
	Endpoint      endpoint
	Address       string
	Since         string // it is so; empty: nobody knows
	Last          string // why the last attempt failed; empty: nothing is known of one
	Pending, Held int
	Workflows     []workflow // whose events it is to get
}

// First is the workflow on whose page it is cured.
func (t troubledReceiver) First() workflow { return t.Workflows[0] }

// receivers finds those in trouble. It looks first at workflows that ran last; more is how
// many it did not look at.
func (r request) receivers(ctx context.Context, all []workflow, recent []runRow) (found []troubledReceiver, more int, err error) {
	of := byReceiver(all, recent)
	more = max(0, len(of)-lookedAt)
	for _, one := range of[:min(len(of), lookedAt)] {
		_, err := r.get(ctx, "/workflows/"+one.First().ID+"/outgoing-webhooks/state/", &one.Endpoint)
		if isNotFound(err) { // it was taken away meanwhile
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		if one.Endpoint.State == "READY" && one.Endpoint.Failures == 0 && one.Endpoint.HeldEvents == 0 {
			continue
		}
		if err := r.explainReceiver(ctx, &one); err != nil {
			return nil, 0, err
		}
		found = append(found, one)
	}
	return found, more, nil
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
			out[i].Workflows = append(out[i].Workflows, w)
			continue
		}
		out = append(out, troubledReceiver{Address: w.OutgoingWebhook.WebhookURL, Workflows: []workflow{w}})
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
	t.Held = t.Endpoint.HeldEvents
	at := "/workflows/" + t.First().ID + "/events/"
	var n struct{ Pending int }
	if _, err := r.get(ctx, at+"counts/", &n); err != nil {
		return err
	}
	t.Pending = n.Pending
	// The oldest that waits was tried most often.
	var oldest []event
	if _, err := r.get(ctx, at+"?"+url.Values{"limit": {"1"}, "state": {"PENDING", "HELD"}}.Encode(), &oldest); err != nil || len(oldest) == 0 {
		return err
	}
	if _, err := r.get(ctx, at+oldest[0].ID+"/", &oldest[0]); err != nil {
		return err
	}
	for _, d := range oldest[0].Deliveries {
		if d.Failure != nil {
			t.Last = *d.Failure
		}
	}
	return nil
}
