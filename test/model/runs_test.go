package model

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// An output of an automation whose run was lost: it waits, or nothing became
// of it.
type output struct {
	id, documentID string
	failure        string // code; "": it waits
	automation     *automation
	attempt        int     // of the automation that makes it, or does what was decided
	made           bool    // as far as people are asked about it
	review         *review // the latest; nil: nobody was asked
	verdict        string  // that a run has to carry out
}

// An event tells of an output that failed. Nobody delivers it here.
type event struct {
	id, state string
	output    *output
	receiver  *receiver // nil: the outgoing webhook
	reason    string    // why it is HELD
	attempts  int       // the number of the last one
	failed    []int
}

func (o *output) wire(one *workflow) object {
	state, failure := "PENDING", any(nil)
	switch {
	case o.failure != "":
		state, failure = "FAILED", object{"code": o.failure, "message": matches(".+")}
	case o.isReviewed():
		state = "REVIEW"
	}
	whole := object{
		"id": o.id, "workflowId": one.id, "name": nil, "automationId": o.automation.id, "documentId": o.documentID, "reference": nil, "state": state,
		"progress": object{"copied": o.made, "filled": o.made, "pdfMade": o.made, "originalRemoved": false},
		"files":    []any{}, "missingFields": []any{}, "findings": []any{}, "error": failure, "test": false,
		"createdAt": matches(timestamp), "updatedAt": matches(timestamp),
	}
	if o.review != nil {
		whole["review"] = o.review.wire()
	}
	return whole
}

func (e *event) held() object {
	return object{"code": e.reason, "message": platen.MessageOfHeld(e.reason)}
}

func (e *event) wire() object {
	var held any
	if e.state == "HELD" {
		held = e.held()
	}
	whenever := check{"a moment, a failure or null", func(any) bool { return true }} // as the receiver answers
	whole := object{
		"nextAttemptAt": whenever, "lastFailure": whenever,
		"id": e.id, "type": platen.EventDocumentFailed, "state": e.state, "held": held, "automationId": e.output.automation.id,
		"outputId": e.output.id, "createdAt": matches(timestamp), "test": false,
	}
	if e.receiver != nil {
		whole["receiverId"] = e.receiver.id
	}
	return whole
}

// detail is the event with its payload and attempts.
func (e *event) detail() object {
	whole := e.wire()
	attempts := []any{}
	for _, n := range e.failed {
		attempts = append(attempts, object{
			"attempt": float64(n), "at": matches(timestamp), "delivered": false, "status": 500.0, "durationMs": 1000.0,
			"failure": "the receiver answered 500", "answer": "",
		})
	}
	whole["payload"], whole["deliveries"] = object{}, attempts
	return whole
}

// loseRun does what dispatch does for an automation whose run is gone: what it
// was to make has failed, and events say so.
func (w *model) loseRun() {
	one, a := w.waiting()
	if a == nil {
		w.sendToRunnable()
		one, a = w.waiting()
	}
	if a == nil || len(one.documents) == 0 && !a.planned {
		return
	}
	w.planRun(one, a)
	w.t.Logf("the run of %s is lost", a.label)
	var told []*event
	var lost []*output
	for _, o := range a.outputs {
		if o.failure == "" && !o.isReviewed() && o.attempt <= 1+a.retries {
			lost = append(lost, o)
		}
	}
	_, err := w.admin.DB.Automations.EndAbandonedAutomation(w.t.Context(), a.id, 0, func(_ platen.Automation, o platen.Output) (platen.Event, error) {
		at := slices.IndexFunc(a.outputs, func(of *output) bool { return of.id == o.ID })
		e := &event{id: platen.NewID(platen.PrefixEvent), state: "PENDING", output: a.outputs[at]}
		told = append(told, e)
		w.clock = w.clock.Add(time.Millisecond) // lists are by time
		return platen.Event{ID: e.id, Type: platen.EventDocumentFailed, Payload: []byte(`{}`), State: platen.EventPending, CreatedAt: w.clock}, nil
	})
	w.must(err)
	for _, o := range lost {
		o.failure = "run_ended"
	}
	switch {
	case a.settle():
	case len(a.outputs) == 0: // all is skipped: nothing is left to be made
		a.state = "COMPLETED"
	default:
		w.failures++
		a.state, a.failedAt = "FAILED", w.failures
	}
	one.startNext(a.turn)
	wanted := 0
	if one.webhook != nil || len(a.receivers) > 0 {
		wanted = len(lost)
	}
	if len(told) != wanted {
		w.t.Fatalf("%s: %d events of %d outputs, want %d", a.label, len(told), len(lost), wanted)
	}
	for _, e := range told {
		one.told = append(one.told, a.events(one, e)...)
	}
	w.lookAtRuns(one)
}

// planRun pins the plan of an automation, if it has none yet.
func (w *model) planRun(one *workflow, a *automation) {
	if a.planned {
		return
	}
	plan, err := w.admin.DB.Plans.Plan(w.t.Context(), a.id)
	w.must(err)
	a.planned = true
	for _, d := range one.documents {
		if d.when == "1 > 2" {
			a.skipped = append(a.skipped, object{"documentId": d.id, "part": "document", "when": d.when})
		}
	}
	if len(plan.Documents)+len(a.skipped) != len(one.documents) {
		w.t.Fatalf("%s: its plan has %d documents, want %d without %d", a.label, len(plan.Documents), len(one.documents), len(a.skipped))
	}
	a.planReceivers(one)
	if len(plan.Receivers) != len(a.receivers) {
		w.t.Fatalf("%s: its plan has %d receivers, want %d", a.label, len(plan.Receivers), len(a.receivers))
	}
	for _, d := range plan.Documents {
		a.outputs = append(a.outputs, &output{id: d.OutputID, documentID: d.Document.ID, automation: a, attempt: 1 + a.retries})
	}
	for _, id := range w.byID(a) {
		at := slices.IndexFunc(a.outputs, func(o *output) bool { return o.id == id })
		one.outputs = append(one.outputs, a.outputs[at])
	}
}

// sendToRunnable has an automation wait, if some workflow can run.
func (w *model) sendToRunnable() {
	var runnable []*workflow
	for _, one := range w.workflows {
		if one.status() == "COMPLETE" && one.webhook != nil {
			runnable = append(runnable, one)
		}
	}
	if len(runnable) == 0 {
		return
	}
	one := runnable[w.number("workflow that runs", len(runnable))]
	w.judge("a sender", w.send(http.MethodPost, one.address, "", &body{text: events[0].text}, nil), outcome{status: 200, body: object{}})
	one.accept(events[0], false)
	w.lookAtAutomations(caller{name: one.owner.name, person: one.owner, authorization: one.owner.token}, target{label: one.label, id: one.id, workflow: one})
}

// byID returns the ids of an automation's outputs as the database orders them:
// in lists of outputs those of the same moment come so, in their automation in
// the order of documents.
func (w *model) byID(a *automation) []string {
	rows, err := w.database.Query(w.t.Context(), `SELECT id FROM outputs WHERE automation_id = $1 ORDER BY created_at, id`, a.id)
	w.must(err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	w.must(err)
	return ids
}

// waiting draws an automation that waits and whose id is known.
func (w *model) waiting() (*workflow, *automation) {
	for _, one := range w.workflows {
		for _, a := range one.automations {
			if a.mayStart() && a.state == "ACCEPTED" && a.id != "" {
				return one, a
			}
		}
	}
	return nil, nil
}

// lookAtRuns compares what a workflow's automations have made.
func (w *model) lookAtRuns(one *workflow) {
	w.t.Helper()
	c := caller{name: one.owner.name, person: one.owner, authorization: one.owner.token}
	to := target{label: one.label, id: one.id, workflow: one}
	w.lookAtAutomations(c, to)
	outputs, events := []any{}, []any{}
	for _, o := range one.outputs {
		outputs = append(outputs, o.wire(one))
	}
	for _, e := range one.told {
		events = append(events, e.wire())
	}
	w.do(w.part(c, "GET", to, "outputs"), outcome{status: 200, body: outputs})
	w.do(w.part(c, "GET", to, "events"), outcome{status: 200, body: events})
}

// giveUp does what a run does when it gives up delivering an event.
func (w *model) giveUp() {
	for _, one := range w.workflows {
		for _, e := range one.told {
			if e.state != "PENDING" {
				continue
			}
			e.attempts += 10 // more than attempts that a redelivery leaves out
			e.state, e.failed = "FAILED", append(e.failed, e.attempts)
			w.must(w.admin.DB.Deliveries.RecordDelivery(w.t.Context(), platen.Delivery{
				EventID: e.id, Attempt: e.attempts, At: time.Now(), Duration: time.Second, Status: 500, Failure: "the receiver answered 500",
			}, platen.EventFailed, 0))
			return
		}
	}
}

// holdEvent does what a run does when the receiver has no place for days.
func (w *model) holdEvent() {
	const ofAnyAttempt = 1 << 20
	for _, one := range w.workflows {
		for _, e := range one.told {
			if e.state == "PENDING" {
				e.state, e.reason = "HELD", platen.CodeEndpointBusy
				w.must(w.admin.DB.Deliveries.HoldEvent(w.t.Context(), e.id, ofAnyAttempt, platen.CodeEndpointBusy))
				return
			}
		}
	}
}

// askOfEvent reads one event or asks to deliver it again.
func (w *model) askOfEvent() {
	c := w.caller()
	to := w.target(c)
	e := w.event(to)
	id := w.one("event", "evt_0123456789ABCDEF", "1", "aut_0123456789ABCDEF")
	if e != nil {
		id = e.id
	}
	again := w.one("ask", "nothing", "redeliver") == "redeliver"
	r := w.part(c, "GET", to, "events", id, w.plain(id))
	if again {
		r.method, r.path, r.shown = "POST", r.path+"/redeliver", r.shown+"/redeliver"
	}
	want, over := w.maySeePart(c, to)
	malformed := !platen.IsID(platen.PrefixEvent, id)
	switch {
	case over:
	case again && !malformed && to.workflow.webhook == nil && (!slices.Contains(to.workflow.told, e) || e.receiver == nil):
		want = refusal(403, "outgoing_webhook_not_found")
	case !slices.Contains(to.workflow.told, e):
		want = refusal(403, "event_not_found")
	case again && e.receiver != nil && !slices.Contains(to.workflow.receivers, e.receiver):
		want = refusal(403, "receiver_not_found")
	case again && e.output.automation.erasedBy != nil:
		want = refusal(400, "data_erased")
	case again:
		e.state = "PENDING"
		want = outcome{status: 202, body: e.detail()}
	default:
		want = outcome{status: 200, body: e.detail()}
	}
	w.do(r, want)
}

// askOfErased has an automation with an event erased, and asks for the delivery of the
// event in the name of every other workflow: none of them has such an event.
func (w *model) askOfErased() {
	for _, one := range w.workflows {
		at := slices.IndexFunc(one.told, func(e *event) bool { return e.output.automation.erasedBy == nil })
		if at < 0 {
			continue
		}
		e := one.told[at]
		a, o := e.output.automation, one.owner
		to := target{label: one.label, id: one.id, workflow: one}
		r := w.part(caller{name: o.name, person: o, authorization: o.token}, "DELETE", to, "automations", a.id, a.label)
		w.do(r, w.asked(o, one, a, "erase"))
		for _, other := range w.workflows {
			if other == one || other.webhook == nil {
				continue
			}
			p := other.owner
			r := w.part(caller{name: p.name, person: p, authorization: p.token}, "POST", target{label: other.label, id: other.id, workflow: other}, "events", e.id, "an erased event")
			r.path, r.shown = r.path+"/redeliver", r.shown+"/redeliver"
			w.do(r, refusal(403, "event_not_found"))
		}
		return
	}
}

// event draws one, mostly of the target; nil: none.
func (w *model) event(to target) *event {
	choices, whose := w.workflows, w.one("whose event", "its", "its", "any", "any", "erased")
	if to.workflow != nil && whose == "its" {
		choices = []*workflow{to.workflow}
	}
	var all []*event
	for _, one := range choices {
		for _, e := range one.told {
			if whose != "erased" || e.output.automation.erasedBy != nil {
				all = append(all, e)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[w.number("event", len(all))]
}

// recoverEvents asks to deliver all that failed since a time.
func (w *model) recoverEvents() {
	c := w.caller()
	to := w.target(c)
	r := w.part(c, "POST", to, "events")
	r.path, r.shown = r.path+"/recover", r.shown+"/recover"
	since := w.one("since", `"2026-01-02T03:04:05+00:00"`, `"2026-01-02T03:04:05Z"`, `"2999-01-02T03:04:05.5+01:00"`, `"1999-01-01T00:00:00Z"`, `"yesterday"`, `null`, "")
	b := newBody()
	b.text = fmt.Sprintf(`{"since":%s}`, since)
	switch since {
	case "":
		b.text, b.faults = `{}`, []string{"/since"}
	case `"1999-01-01T00:00:00Z"`, `"yesterday"`, `null`:
		b.faults = []string{"/since"}
	}
	var of *receiver
	only := w.one("of", "all", "all", "a receiver") != "all"
	if only {
		id := ""
		of, id = w.receiver(to)
		b.text = strings.Replace(b.text, "{", fmt.Sprintf(`{"receiverId":%q,`, id), 1)
		b.text = strings.Replace(b.text, ",}", "}", 1)
	}
	r.body = b
	want, over := w.maySeePart(c, to)
	if !over {
		want, over = b.refused()
	}
	switch {
	case over:
	case only && of == nil:
		want, over = refusal(403, "receiver_not_found"), true
	case !only && to.workflow.webhook == nil && len(to.workflow.receivers) == 0:
		want, over = refusal(403, "outgoing_webhook_not_found"), true
	}
	goes := func(e *event) bool {
		if e.receiver == nil {
			return !only && to.workflow.webhook != nil
		}
		return (!only || e.receiver == of) && slices.Contains(to.workflow.receivers, e.receiver)
	}
	if !over {
		recovered, held := 0, 0
		for _, e := range to.workflow.told {
			open := (e.state == "FAILED" || e.state == "HELD") && e.output.automation.erasedBy == nil && goes(e)
			if open && since[1] == '2' && since[2] == '0' {
				if e.state == "HELD" {
					held++
				}
				e.state, recovered = "PENDING", recovered+1
			}
		}
		want = outcome{status: 202, body: object{"recovered": float64(recovered), "held": float64(held), "more": false}}
	}
	w.do(r, want)
}

// testWebhook has a test event sent, which no address here takes: they are
// of networks that the service does not connect to.
func (w *model) testWebhook() {
	c := w.caller()
	to := w.target(c)
	if to.workflow != nil && to.workflow.webhook != nil && to.workflow.webhook.url == publicURL {
		return
	}
	want, over := w.mayReadWebhook(c, to)
	if !over {
		want, over = w.mayChange(c, to)
	}
	if !over {
		want = outcome{status: 200, body: testWire()}
	}
	w.do(w.part(c, "POST", to, w.webhookPath()+"/test"), want)
}

// testWire is the answer about a test event that went nowhere.
func testWire() object {
	return object{
		"eventId": matches("evt_[0-9A-Za-z]{14,}"), "eventType": platen.EventWorkflowTest, "attempt": 1.0, "at": matches(timestamp), "delivered": false,
		"status": nil, "durationMs": check{"a duration", func(v any) bool { n, ok := v.(float64); return ok && n >= 0 }},
		"failure": matches(".+"), "answer": "",
	}
}

// mustTrashed checks that a removed document's template is in the trash, or is
// not where outputs are still to be copied from it.
func (w *model) mustTrashed(one *workflow, d *document) {
	w.t.Helper()
	needed := slices.ContainsFunc(one.outputs, func(o *output) bool { return o.documentID == d.id && o.failure == "" })
	file, err := one.owner.account.service.Files.Get(d.fileID).Context(context.WithoutCancel(w.t.Context())).Fields("trashed").Do()
	w.must(err)
	if file.Trashed == needed {
		w.t.Fatalf("%s: outputs need its template: %v, and it is in the trash: %v", d.label, needed, file.Trashed)
	}
}
