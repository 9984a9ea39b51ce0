package simulation

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// hasReceivers tells whether the workflows of a seed have receivers by rules.
func hasReceivers(seed uint64) bool {
	return draw(seed, "receivers", "")%4 == 0 && !rollsOut(seed) && !hasNeighbours(seed)
}

// faulty is a condition that no data gives a value.
const faulty = "1 / 0 > 1"

// receiversOf are those of a workflow: by a condition, by one that cannot be worked out, and by
// the type of the event.
func receiversOf(workflowID, owner string) []platen.Receiver {
	all := []platen.Receiver{
		{Name: "some", When: when, Events: platen.EventTypes()},
		{Name: "faulty", When: faulty, Events: platen.EventTypes()},
		{Name: "failures", Events: []string{platen.EventDocumentFailed}},
		{Name: "all", Events: platen.EventTypes()},
	}
	for i := range all {
		all[i].ID, all[i].WorkflowID, all[i].OwnerID = fmt.Sprint("rcv_", workflowID, "_", all[i].Name), workflowID, owner
		all[i].URL = "https://receiver.example/" + owner + "/" + all[i].Name
	}
	return all
}

// further returns a receiver of a workflow beside its outgoing webhook.
func (s *store) further(workflowID, receiverID string) (platen.Receiver, bool) {
	all := s.workflows[workflowID].receivers
	i := slices.IndexFunc(all, func(r platen.Receiver) bool { return r.ID == receiverID })
	if i < 0 {
		return platen.Receiver{}, false
	}
	return all[i], true
}

// storeReceiverEvents stores the events for receivers beside e, and returns those to be sent.
func (s *store) storeReceiverEvents(e platen.Event, attempt int) (pending []string) {
	for _, r := range s.plans[e.AutomationID].Receivers {
		own, ok := r.Event(e)
		if _, known := s.further(e.WorkflowID, r.ID); !ok || !known || s.dropsFaulty && r.Faulty {
			continue
		}
		if s.sendsFaulty {
			own.State, own.Reason = platen.EventPending, ""
		}
		s.events[own.ID] = eventRow{Event: own, attempt: attempt}
		if own.State == platen.EventPending {
			pending = append(pending, own.ID)
		}
	}
	return pending
}

func (s *store) receiverEvents(outputID string, attempt int) []string {
	var ids []string
	for _, id := range sorted(s.events) {
		if e := s.events[id]; e.OutputID == outputID && e.attempt == attempt && e.ReceiverID != "" && e.State == platen.EventPending {
			ids = append(ids, id)
		}
	}
	return ids
}

func (d database) ReceiverEvents(ctx context.Context, outputID string, attempt int) (ids []string, err error) {
	err = d.run(ctx, "lists the events for receivers of", outputID, func(s *store) { ids = s.receiverEvents(outputID, attempt) })
	return ids, err
}

// furtherReceiverFails has a receiver by rules answer otherwise for a time, or not at all.
func (c *config) furtherReceiverFails(d *generator) {
	owner := d.below(c.owners)
	all := receiversOf(fmt.Sprint("wfl_", owner), fmt.Sprint("usr_", owner))
	url := all[d.below(len(all))].URL
	status := []int{http.StatusInternalServerError, http.StatusGone, hangs, hangs, hangs, hangs}[d.below(6)]
	c.act(d, 0, c.lasts/2, url+describe(status), func(w *harness) { w.receiver.status[url] = status })
	c.act(d, c.lasts/2, c.lasts, url+" takes events", func(w *harness) { delete(w.receiver.status, url) })
}

// checkSent sees that an event goes to its own receiver, under its own id, and where its condition
// cannot be worked out not before somebody asks for it.
func (w *harness) checkSent(e platen.Event, to platen.Endpoint) {
	url := w.store.workflows[e.WorkflowID].url
	if r, ok := w.store.further(e.WorkflowID, e.ReceiverID); ok {
		if url = r.URL; r.When == faulty && !w.store.asked[e.ID] {
			w.violate("%s was sent, and its condition cannot be worked out", e.ID)
		}
	}
	if to.URL != url {
		w.violate("%s went to %s, not to %s", e.ID, to.URL, url)
	}
	if !bytes.Contains(e.Payload, []byte(`"`+e.ID+`"`)) {
		w.violate("%s names another event: %s", e.ID, e.Payload)
	}
}

// checkReceivers sees that each receiver has the events that its rules give it, and no others.
func (w *harness) checkReceivers() {
	for _, id := range sorted(w.store.outputs) {
		o := w.store.outputs[id]
		a, ofType := w.store.automations[o.AutomationID], platen.EventDocumentsCreated
		if o.State == platen.OutputFailed {
			ofType = platen.EventDocumentFailed
		}
		for _, r := range w.store.workflows[a.WorkflowID].receivers {
			want := slices.Contains(r.Events, ofType) && (r.When != when || strings.Contains(string(a.body), `"Key": 1`))
			told := slices.DeleteFunc(w.store.eventsOf(a.ID), func(e eventRow) bool {
				return e.OutputID != o.ID || e.attempt != o.Attempt || e.ReceiverID != r.ID
			})
			if is := len(told) == 1; is != want || len(told) > 1 {
				w.violate("%s is told that %s is %s: %v, want %v", r.Name, o.ID, o.State, is, want)
			}
		}
	}
}
