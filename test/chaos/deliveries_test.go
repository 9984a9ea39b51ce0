package chaos

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// An eventRow is what the service recorded to tell.
type eventRow struct {
	ID, WorkflowID, OutputID, ReceiverID, State, Payload string
}

func (w *witness) events(ctx context.Context) []eventRow {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `SELECT id, workflow_id, output_id, receiver_id, state, '' FROM events`)
	if err != nil {
		w.t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[eventRow])
	if err != nil {
		w.t.Fatal(err)
	}
	for i, e := range all {
		event, _, err := w.store.Deliveries.Event(ctx, e.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		all[i].Payload = string(event.Payload)
	}
	return all
}

// checkDeliveries: one event for each output; at least one delivery of each;
// every attempt under the event's id, with the same bytes, and signed.
func (w *witness) checkDeliveries(ctx context.Context) {
	w.t.Helper()
	events := w.events(ctx)
	taken := w.checkAttempts(events)
	about := map[string]int{}
	for _, e := range events {
		about[e.OutputID+e.ReceiverID]++
		one := w.workflow(e.WorkflowID)
		if e.State != "DELIVERED" {
			w.fault("event", "%s of workflow %s is %s, want DELIVERED", e.ID, one.name, e.State)
		}
		if len(taken[e.ID]) == 0 {
			w.fault("lost", "event %s of workflow %s never arrived", e.ID, one.name)
		}
		w.checkRepeats(e, taken[e.ID])
	}
	w.taken = taken
	for _, o := range w.outputs(ctx) {
		switch n := about[o.ID]; {
		case n == 0:
			w.fault("lost", "output %s of %s has no event", o.ID, o.Chaos)
		case n > o.Attempt: // each attempt that a retry began may end it once
			w.fault("duplicated", "output %s of %s has %d events, want at most %d", o.ID, o.Chaos, n, o.Attempt)
		}
		w.checkRules(o, about)
	}
	if n := w.receiver.followed.Load(); n > 0 {
		w.fault("redirect", "%d redirects were followed", n)
	}
	w.counts["events"] = len(events)
}

// recoverEvents: what a receiver refused for good, and what was due after that,
// is held, and delivered when its owner says that it takes events again. So is
// an event whose delivery was cancelled in Temporal.
func (w *witness) recoverEvents(ctx context.Context) {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `SELECT id, workflow_id, output_id, receiver_id, state, '' FROM events WHERE state <> 'DELIVERED'`)
	if err != nil {
		w.t.Fatal(err)
	}
	refused, err := pgx.CollectRows(rows, pgx.RowToStructByPos[eventRow])
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range refused {
		one := w.workflow(e.WorkflowID)
		switch {
		case one.gone && (e.State == "FAILED" || e.State == "HELD"), e.State == "HELD" && w.interventions.mayBeHeld(e.ID):
		default:
			w.fault("event", "%s of workflow %s is %s before its receiver moves", e.ID, one.name, e.State)
		}
		w.counts[strings.ToLower(e.State)]++
	}
	w.receiver.moved.Store(true)
	for _, one := range w.integrator.workflows {
		if one.gone {
			w.integrator.call(w.t, one.owner, http.MethodPatch, "/workflows/"+one.id+"/outgoing-webhooks/", object{"webhookUrl": w.receiver.url + "/" + one.name}, nil)
		}
		w.integrator.call(w.t, one.owner, http.MethodPost, "/workflows/"+one.id+"/events/recover/", object{"since": "2020-01-01T00:00:00Z"}, nil)
	}
}

// retryFailed retries what operators have ended in Temporal: then it completes.
func (w *witness) retryFailed(ctx context.Context) {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `SELECT id, workflow_id FROM automations WHERE state = 'FAILED'`)
	if err != nil {
		w.t.Fatal(err)
	}
	var id, workflowID string
	_, err = pgx.ForEachRow(rows, []any{&id, &workflowID}, func() error {
		if w.interventions.endOf(id) == "" {
			return nil // checkStates tells of it
		}
		one := w.workflow(workflowID)
		w.integrator.call(w.t, one.owner, http.MethodPost, "/workflows/"+one.id+"/automations/"+id+"/retry/", nil, nil)
		w.counts["retried"]++
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// checkAttempts returns when each event was taken. An event names a file under one
// webhook-id, also where Postgres forgot the event and it was written again. Its
// bytes may differ then: findings and missing fields are forgotten.
func (w *witness) checkAttempts(events []eventRow) map[string][]time.Time {
	w.t.Helper()
	told := map[string]string{} // the webhook-id of the first event that named a file to a receiver
	known := map[string]eventRow{}
	for _, e := range events {
		known[e.ID] = e
	}
	taken := map[string][]time.Time{}
	for _, a := range w.receiver.all() {
		w.counts["attempts"]++
		var said struct {
			ID   string `json:"event_id"`
			Data struct {
				Documents []struct {
					ID string `json:"id"`
				} `json:"documents"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(a.body), &said); err != nil {
			w.fault("attempt", "not JSON: %v", err)
			continue
		}
		e, ok := known[said.ID]
		id := a.header.Get("webhook-id")
		for _, file := range said.Data.Documents {
			if first := told[a.place+file.ID]; first != "" && first != id {
				w.fault("duplicated", "file %s was named under webhook-id %s and under %s", file.ID, first, id)
			}
			told[a.place+file.ID] = id
		}
		switch {
		case !ok && w.timeline.forgot(a.at, lateAttempt):
			w.counts["taken back"]++
			continue
		case !ok:
			w.fault("stray", "event %s was sent and is not recorded", said.ID)
			continue
		case id != said.ID:
			w.fault("duplicated", "event %s was sent under webhook-id %s", said.ID, id)
		case a.body != e.Payload && w.timeline.forgot(a.at, lateAttempt):
			w.counts["rewritten"]++ // by what the drive holds after a restore
		case a.body != e.Payload:
			w.fault("attempt", "event %s: an attempt had other bytes than what is recorded", id)
		}
		one := w.workflow(e.WorkflowID)
		place, signers := one.receiver(e.ReceiverID)
		if _, err := signers.verify(a); err != nil {
			w.fault("attempt", "event %s: %v", id, err)
		}
		if a.place != place {
			w.fault("attempt", "event %s of workflow %s came to %s", id, one.name, a.place)
		}
		if a.status/100 == 2 {
			taken[said.ID] = append(taken[said.ID], a.at)
			w.counts["taken"]++
		}
	}
	return taken
}

// workflow returns one that must be known.
func (w *witness) workflow(id string) *workflow {
	w.t.Helper()
	one := w.integrator.workflow(id)
	if one == nil {
		w.t.Fatalf("workflow %s was never made", id)
	}
	return one
}

// checkRepeats: an event that was taken is sent again only where a fault
// kept its worker from recording that, or where somebody asked for it.
func (w *witness) checkRepeats(e eventRow, taken []time.Time) {
	w.t.Helper()
	asked := w.interventions.redeliveriesOf(e.ID)
	for _, at := range taken[:max(0, len(taken)-1)] {
		w.counts["repeats"]++
		cause, found := w.timeline.cutOff(at)
		switch {
		case asked > 0:
			asked--
			w.causes["redelivery through /v0"]++
		case found:
			w.causes[cause]++
		default:
			w.fault("repeated", "event %s of workflow %s was taken at %s and came again, though no fault kept that from being recorded; taken at %s",
				e.ID, w.workflow(e.WorkflowID).name, at.Format(clock), times(taken))
		}
	}
}

func times(all []time.Time) string {
	var text []string
	for _, at := range all {
		text = append(text, at.Format(clock))
	}
	return strings.Join(text, ", ")
}
