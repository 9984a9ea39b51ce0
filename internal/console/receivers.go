package console

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/platenhq/platen/client"
)

// lookedAt is how many receivers the first page asks /v0 about, and of how many workflows it
// lists the receivers by rules. Each costs a request, and two more where there is trouble, which
// count as the caller's.
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
	Rule          client.Receiver // with an id: the events are for this receiver by rules
	IsKnown       bool
	Pending, Held int
}

// Query begins the query of a list of its events.
func (w waitingWorkflow) Query() string {
	if w.Rule.ID == "" {
		return "?"
	}
	return "?receiver=" + w.Rule.ID + "&"
}

// Anchor is where the page of the workflow has the receiver.
func (w waitingWorkflow) Anchor() string {
	if w.Rule.ID == "" {
		return "receiver"
	}
	return "of-" + w.Rule.ID
}

// Waiting is how many events of its workflows wait for it.
func (t troubledReceiver) Waiting() (n int) {
	for _, w := range t.Workflows {
		n += w.Pending
	}
	return n
}

// First is the workflow on whose page it is cured.
func (t troubledReceiver) First() waitingWorkflow { return t.Workflows[0] }

// receivers finds those in trouble. It looks first at workflows that ran last; more is how
// many it did not look at.
func (r request) receivers(ctx context.Context, all []client.Workflow, recent []runRow) (found []troubledReceiver, more int, err error) {
	sorted := lastRunFirst(all, recent)
	rules := map[string][]client.Receiver{} // by workflow
	for _, w := range sorted[:min(len(sorted), lookedAt)] {
		if rules[w.ID], err = r.api.Receivers(ctx, w.ID); err != nil {
			return nil, 0, err
		}
	}
	of := byReceiver(sorted, rules)
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
		state, err := r.stateOf(ctx, w.ID, w.Rule.ID)
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

// stateOf is the state of a receiver by rules, or without its id of the outgoing webhook.
func (r request) stateOf(ctx context.Context, workflowID, receiverID string) (client.EndpointState, error) {
	if receiverID != "" {
		return r.api.ReceiverState(ctx, workflowID, receiverID)
	}
	return r.api.EndpointState(ctx, workflowID)
}

// lastRunFirst are the workflows that are not archived.
func lastRunFirst(all []client.Workflow, recent []runRow) []client.Workflow {
	rank := func(w client.Workflow) int {
		if i := slices.IndexFunc(recent, func(row runRow) bool { return row.WorkflowID == w.ID }); i >= 0 {
			return i
		}
		return len(recent)
	}
	sorted := slices.DeleteFunc(slices.Clone(all), func(w client.Workflow) bool { return w.Status == "ARCHIVED" })
	slices.SortStableFunc(sorted, func(a, b client.Workflow) int { return rank(a) - rank(b) })
	return sorted
}

// byReceiver gathers workflows by the owner and the address that their events go to: their
// breaker is one. rules are receivers by rules, by workflow.
func byReceiver(all []client.Workflow, rules map[string][]client.Receiver) (out []troubledReceiver) {
	add := func(address string, w waitingWorkflow) {
		same := func(t troubledReceiver) bool {
			return t.Address == address && t.First().Owner.Email == w.Owner.Email
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].Workflows = append(out[i].Workflows, w)
			return
		}
		out = append(out, troubledReceiver{Address: address, Workflows: []waitingWorkflow{w}})
	}
	for _, w := range all {
		if w.OutgoingWebhook != nil {
			add(w.OutgoingWebhook.URL, waitingWorkflow{Workflow: w})
		}
		for _, rule := range rules[w.ID] {
			add(rule.URL, waitingWorkflow{Workflow: w, Rule: rule})
		}
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
		waiting, err := r.waitingFor(ctx, w.ID, w.Rule.ID)
		if err != nil {
			return err
		}
		w.Pending = countPending(waiting)
		t.Last = cmp.Or(t.Last, lastFailure(waiting))
	}
	return nil
}

// waitingFor are the oldest events of a workflow that a receiver did not get yet, or without its
// id the outgoing webhook.
func (r request) waitingFor(ctx context.Context, workflowID, receiverID string) ([]client.Event, error) {
	found, err := client.Collect(r.api.Events(client.WithPage(ctx, &client.Page{Limit: 1000}), workflowID, client.EventQuery{States: []string{"PENDING", "HELD"}, Receivers: some(receiverID)}))
	return slices.DeleteFunc(found, func(e client.Event) bool { return e.ReceiverID != receiverID }), err
}

func countPending(events []client.Event) (n int) {
	for _, e := range events {
		if e.State == "PENDING" {
			n++
		}
	}
	return n
}

// lastFailure is why the last attempt at the oldest of these events failed: it was tried most
// often.
func lastFailure(oldest []client.Event) string {
	for _, e := range oldest {
		if e.LastFailure != nil {
			return *e.LastFailure
		}
	}
	return ""
}
