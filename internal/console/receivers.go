package console

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/platenhq/platen/client"
)

// lookedAt is how many workflows the first page asks /v0 about the state of their receiver:
// each costs a request, and four where there is trouble, which count as the caller's.
const lookedAt = 10

// A troubledReceiver takes no events now, or has not taken all.
type troubledReceiver struct {
	Endpoint  client.EndpointState
	Address   string
	Since     *time.Time        // it is so; nil: nobody knows
	Last      string            // why the last attempt failed; empty: nothing is known of one
	Workflows []waitingWorkflow // whose events it is to get
}

// A waitingWorkflow has events for a receiver: Pending wait for it, Held are held. They are
// counted where IsKnown says so.
type waitingWorkflow struct {
	client.Workflow
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
func (t troubledReceiver) First() client.Workflow { return t.Workflows[0].Workflow }

// receivers finds those in trouble. It looks first at workflows that ran last; more is how
// many it did not look at.
func (r request) receivers(ctx context.Context, all []client.Workflow, recent []runRow) (found []troubledReceiver, more int, err error) {
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
		state, err := r.api.EndpointState(ctx, w.ID)
		if isNotFound(err) { // it was taken away meanwhile
			continue
		}
		if err != nil {
			return false, err
		}
		t.Endpoint = state
		w.IsKnown, w.Held = true, t.Endpoint.HeldEvents
		isTroubled = isTroubled || t.Endpoint.State != "READY" || t.Endpoint.Failures > 0 || w.Held > 0
	}
	return isTroubled, nil
}

// byReceiver gathers workflows by the owner and the address that their events go to: their
// breaker is one.
func byReceiver(all []client.Workflow, recent []runRow) (out []troubledReceiver) {
	rank := func(w client.Workflow) int {
		if i := slices.IndexFunc(recent, func(row runRow) bool { return row.WorkflowID == w.ID }); i >= 0 {
			return i
		}
		return len(recent)
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b client.Workflow) int { return rank(a) - rank(b) })
	for _, w := range sorted {
		if w.OutgoingWebhook == nil || w.Status == "ARCHIVED" {
			continue
		}
		same := func(t troubledReceiver) bool {
			return t.Address == w.OutgoingWebhook.URL && t.First().Owner.Email == w.Owner.Email
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].Workflows = append(out[i].Workflows, waitingWorkflow{Workflow: w})
			continue
		}
		out = append(out, troubledReceiver{Address: w.OutgoingWebhook.URL, Workflows: []waitingWorkflow{{Workflow: w}}})
	}
	return out
}

// explainReceiver says since when, why, and how many events wait.
func (r request) explainReceiver(ctx context.Context, t *troubledReceiver) error {
	t.Since = cmp.Or(t.Endpoint.DisabledAt, t.Endpoint.FailingSince)
	for i := range t.Workflows {
		w := &t.Workflows[i]
		if !w.IsKnown {
			continue
		}
		n, err := r.api.CountEvents(ctx, w.ID, time.Time{})
		if err != nil {
			return err
		}
		w.Pending = n.Pending
		if t.Last != "" || w.Pending+w.Held == 0 {
			continue
		}
		if t.Last, err = r.lastFailure(ctx, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// lastFailure is why the last attempt at the oldest event that waits failed: it was tried
// most often.
func (r request) lastFailure(ctx context.Context, workflowID string) (string, error) {
	oldest, err := client.Collect(r.api.Events(client.WithPage(ctx, &client.Page{Limit: 1}), workflowID, client.EventQuery{States: []string{"PENDING", "HELD"}}))
	if err != nil || len(oldest) == 0 {
		return "", err
	}
	e, err := r.api.Event(ctx, workflowID, oldest[0].ID)
	return failureOf(e), err
}
