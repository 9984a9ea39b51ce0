package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// An automation as it is without a worker: it waits, was skipped at once, was
// cancelled, or its run was lost. A retry that is cancelled while it waits
// counts as running: dispatch has to report its outputs first.
type automation struct {
	label      string // in messages
	id, state  string // id is learned when it is first seen in a list
	reason     string // why it is SKIPPED
	retries    int
	erasedBy   *person // who asked for its erasure, which nobody carries out here
	planned    bool
	outputs    []*output
	skipped    []any // what conditions left out of it
	receivers  []plannedReceiver
	turn       turn
	sourceData any
	findings   []any
	failedAt   int // by the count of failures; that of the last time
}

func (a *automation) wire(one *workflow) object {
	var reason, started, ended, cancelled any
	if a.state != "ACCEPTED" && a.state != "RUNNING" && a.state != "REVIEW" {
		ended = matches(timestamp)
	}
	switch a.state {
	case "SKIPPED":
		reason = a.reason
	case "CANCELLED":
		cancelled = matches(timestamp)
	case "RUNNING":
		started, cancelled = matches(timestamp), matches(timestamp)
	}
	outputs, failure, erasure, taken := []any{}, any(nil), any(nil), any(nil)
	if a.reason == "KEY_REUSED" {
		taken = matches("aut_.+")
	}
	if a.erasedBy != nil {
		erasure = object{"requestedAt": matches(timestamp), "requestedBy": a.erasedBy.id, "erasedAt": nil}
	}
	for _, o := range a.outputs {
		outputs = append(outputs, o.wire(one))
		if a.state == "FAILED" && failure == nil && o.failure != "" {
			failure = object{"code": o.failure, "message": matches(".+")}
		}
	}
	return object{
		"id": known(a.id, "aut_[0-9A-Za-z]{14,}"), "workflowId": one.id, "state": a.state, "reason": reason, "attempt": float64(1 + a.retries),
		"acceptedAt": matches(timestamp), "startedAt": started, "finishedAt": ended, "cancelRequestedAt": cancelled,
		"missingFields": []any{}, "error": failure, "held": one.heldOf(a), "waitingFor": one.waitsOf(a), "outputs": outputs, "skipped": append([]any{}, a.skipped...), "requestId": matches("req_.+"), "reference": nil, "test": false,
		"temporalUrl": nil, "dataErasedAt": nil, "erasure": erasure, "keyTakenBy": taken, "replacedBy": nil,
	}
}

// heldOf says why events of an automation are held: of several reasons the first by its code.
func (one *workflow) heldOf(a *automation) any {
	var first *event
	for _, e := range one.told {
		if e.output.automation == a && e.state == "HELD" && (first == nil || e.reason < first.reason) {
			first = e
		}
	}
	if first == nil {
		return nil
	}
	return first.held()
}

// accept is what an accepted event does to a workflow.
// An event under a name of before is kept and not carried out.
func (one *workflow) accept(e sourceEvent, reused bool) {
	a := &automation{label: fmt.Sprintf("%sA%d", one.label, len(one.automations)+1), state: "SKIPPED", reason: "WORKFLOW_INCOMPLETE", findings: []any{}}
	switch {
	case reused:
		a.reason = "KEY_REUSED"
	case one.status() == "COMPLETE":
		a.state = "ACCEPTED"
		a.turn.ordered, a.turn.behind = one.orderedBy != "", one.orderedBy != ""
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(e.text, "\ufeff")), &a.sourceData); err != nil {
		panic(err) // of this test's own table
	}
	for _, pointer := range e.twice {
		a.findings = append(a.findings, object{"code": "duplicate_key", "pointer": pointer, "message": matches(".+")})
	}
	one.automations = append(one.automations, a)
	if reused {
		return
	}
	if !slices.Equal(one.last, e.fields) {
		one.had = append(one.had, one.last...)
	}
	one.last = e.fields
	if !one.fieldsGiven {
		one.fields = e.fields
	}
}

// known are the fields that a check looks tags up in: those of the source, and behind them
// those that its events had.
func (one *workflow) known() []string {
	known := slices.Clone(one.fields)
	for _, name := range slices.Concat(one.last, one.had) {
		if !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	return known
}

// lookAtAutomations compares the automations of a workflow with the model, in
// the order of their events.
func (w *model) lookAtAutomations(c caller, to target) {
	w.t.Helper()
	list := []any{}
	for _, a := range to.workflow.automations {
		list = append(list, a.wire(to.workflow))
	}
	got := w.do(w.part(c, "GET", to, "automations"), outcome{status: 200, body: list})
	for i, a := range to.workflow.automations {
		a.id = got.value.([]any)[i].(object)["id"].(string)
	}
}

// readAutomations reads the lists that grow with events.
func (w *model) readAutomations() {
	c := w.caller()
	to := w.target(c)
	if want, over := w.maySeePart(c, to); over {
		w.do(w.part(c, "GET", to, w.one("list", "automations", "outputs", "events")), want)
		return
	}
	w.lookAtAutomations(c, to)
	w.lookAtRuns(to.workflow)
}

// countAutomations counts those of all workflows that a person sees.
func (w *model) countAutomations() {
	c := w.caller()
	r := request{caller: c, method: "GET", path: "/automations/counts", shown: "/automations/counts", query: "?each=hour"}
	if c.person == nil {
		w.do(r, refusal(403, c.code))
		return
	}
	accepted, failed := 0.0, 0.0
	for _, one := range w.seenBy(c.person) {
		for _, a := range one.automations {
			accepted++
			if a.state == "FAILED" {
				failed++
			}
		}
	}
	w.do(r, outcome{status: 200, body: check{fmt.Sprintf("%v automations in all hours, %v of them failed", accepted, failed), func(v any) bool {
		hours, _ := v.([]any)
		for _, hour := range hours {
			in, _ := hour.(object)
			a, _ := in["accepted"].(float64)
			f, _ := in["failed"].(float64)
			accepted, failed = accepted-a, failed-f
		}
		return len(hours) > 0 && accepted == 0 && failed == 0
	}}})
}

// readFailures reads why automations of all workflows that a person sees failed. Whatever fails
// here has the same cause: its run was lost.
func (w *model) readFailures() {
	c := w.caller()
	r := request{caller: c, method: "GET", path: "/automations/failures", shown: "/automations/failures"}
	if c.person == nil {
		w.do(r, refusal(403, c.code))
		return
	}
	open := map[string][]string{} // ids by workflow, the newest first
	for _, one := range w.seenBy(c.person) {
		for _, a := range slices.Backward(one.automations) {
			if a.state == "FAILED" && a.failedAt > one.doneAt {
				open[one.id] = append(open[one.id], a.id)
			}
		}
	}
	w.do(r, outcome{status: 200, body: check{fmt.Sprintf("the failures %v", open), func(v any) bool {
		causes, _ := v.([]any)
		for _, cause := range causes {
			of, _ := cause.(object)
			id, _ := of["workflowId"].(string)
			newest, _ := of["newest"].([]any)
			ids := open[id]
			delete(open, id)
			if of["open"] != float64(len(ids)) || of["cured"] != 0.0 || len(newest) != min(len(ids), platen.MaxFailureExamples) {
				return false
			}
			for i, a := range newest {
				if shown, _ := a.(object); shown["id"] != ids[i] {
					return false
				}
			}
		}
		return len(open) == 0
	}}})
}

// askOfAutomation reads one automation, or asks to cancel, to retry or to erase it, or says that
// somebody is done with its failure or is not.
func (w *model) askOfAutomation() {
	c := w.caller()
	to := w.target(c)
	a := w.automation(to)
	ask := w.one("ask", "nothing", "cancel", "retry", "erase", "erase", "done", "done", "undone")
	id, label := "aut_0123456789ABCDEF", "aut_0123456789ABCDEF"
	if a != nil {
		id, label = a.id, a.label
	}
	r := w.part(c, "GET", to, "automations", id, label)
	switch ask {
	case "cancel", "retry":
		r.method, r.path, r.shown = "POST", r.path+"/"+ask, r.shown+"/"+ask
	case "erase":
		r.method = "DELETE"
	case "done", "undone":
		r.method, r.path, r.shown = "POST", r.path+"/done", r.shown+"/done"
		if ask == "undone" {
			r.method = "DELETE"
		}
	}
	want, over := w.maySeePart(c, to)
	if !over && !slices.Contains(to.workflow.automations, a) {
		want, over = refusal(403, "automation_not_found"), true
	}
	if !over {
		want = w.asked(c.person, to.workflow, a, ask)
	}
	w.do(r, want)
}

// asked is what comes of asking something of one of a workflow's automations.
func (w *model) asked(by *person, one *workflow, a *automation, ask string) outcome {
	switch {
	case ask == "retry" && one.archived:
		return refusal(400, "workflow_archived")
	case ask == "retry" && a.erasedBy != nil:
		return refusal(400, "data_erased")
	case ask == "erase" && a.erasedBy == nil:
		return one.erase(by, a, w)
	case ask == "erase":
		return outcome{status: 202, body: a.wire(one)}
	case ask == "retry" && a.state != "FAILED":
		return refusal(400, "automation_not_failed")
	case ask == "retry":
		a.state, a.retries = "ACCEPTED", a.retries+1
		for _, o := range a.outputs {
			if o.failure != "" {
				o.failure, o.verdict, o.made, o.attempt = "", "", false, 1+a.retries
			}
		}
		a.turn.behind = a.turn.ordered
		one.startNext(a.turn)
		return outcome{status: 202, body: a.wire(one)}
	case (ask == "done" || ask == "undone") && one.archived:
		return refusal(400, "workflow_archived")
	case (ask == "done" || ask == "undone") && a.state != "FAILED":
		return refusal(400, "automation_not_failed")
	case ask == "done":
		one.doneAt = w.failures
		return outcome{status: 200, body: a.wire(one)}
	case ask == "undone":
		one.doneAt = 0
		return outcome{status: 200, body: a.wire(one)}
	case ask == "cancel" && (a.state == "SKIPPED" || a.state == "FAILED" || a.state == "COMPLETED"):
		return refusal(400, "automation_ended")
	case ask == "cancel" && len(a.outputs) > 0:
		if a.state == "REVIEW" { // its run counts as gone
			a.retries++
		}
		a.state, a.turn.behind = "RUNNING", false
		return outcome{status: 202, body: a.wire(one)}
	case ask == "cancel":
		a.state, a.turn.behind = "CANCELLED", false
		one.startNext(a.turn)
		return outcome{status: 202, body: a.wire(one)}
	}
	whole := a.wire(one)
	whole["sourceData"], whole["findings"], whole["unknownFields"] = a.sourceData, a.findings, []any{}
	if a.erasedBy != nil {
		whole["sourceData"], whole["findings"] = nil, []any{}
	}
	return outcome{status: 200, body: whole}
}

// erase ends what is open of an automation: its run is cancelled, and nothing more is
// delivered of it.
func (one *workflow) erase(by *person, a *automation, w *model) outcome {
	if a.state == "ACCEPTED" || a.state == "REVIEW" {
		w.asked(by, one, a, "cancel")
	}
	a.erasedBy = by
	for _, e := range one.told {
		if e.output.automation == a && (e.state == "PENDING" || e.state == "HELD") {
			e.state = "FAILED"
		}
	}
	return outcome{status: 202, body: a.wire(one)}
}

// automation draws one whose id is known, mostly of the target; nil: there is
// none.
func (w *model) automation(to target) *automation {
	choices := w.workflows
	if to.workflow != nil && w.one("whose automation", "its", "its", "its", "any") == "its" {
		choices = []*workflow{to.workflow}
	}
	var all []*automation
	for _, one := range choices {
		for _, a := range one.automations {
			if a.id != "" {
				all = append(all, a)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[w.number("automation", len(all))]
}

// deleteDocument takes a document away: without its last one a workflow is
// INCOMPLETE, and the template goes to the trash.
func (w *model) deleteDocument() {
	c := w.caller()
	to := w.target(c)
	d, id, label := w.documentTarget(to)
	want, over := w.maySeePart(c, to)
	if !over && d == nil {
		want, over = refusal(403, "document_not_found"), true
	}
	if !over {
		want, over = w.mayChange(c, to)
	}
	r := w.part(c, "DELETE", to, "documents", id, label)
	if over {
		w.do(r, want)
		return
	}
	one := to.workflow
	w.do(r, outcome{status: 204})
	one.remove(d)
	w.mustTrashed(one, d)
}

func (one *workflow) remove(d *document) {
	one.moved = true
	one.gone++
	one.documents = slices.DeleteFunc(one.documents, func(of *document) bool { return of == d })
}

func (w *model) deleteWebhook() {
	c := w.caller()
	to := w.target(c)
	want, over := w.mayReadWebhook(c, to)
	if !over {
		want, over = w.mayChange(c, to)
	}
	if !over {
		to.workflow.webhook, to.workflow.moved = nil, true
		want = outcome{status: 204}
	}
	w.do(w.part(c, "DELETE", to, w.webhookPath()), want)
}

// rotateSecret makes a new secret, and the one before signs along for a day.
func (w *model) rotateSecret() {
	c := w.caller()
	to := w.target(c)
	want, over := w.mayReadWebhook(c, to)
	if !over {
		want, over = w.mayChange(c, to)
	}
	r := w.part(c, "POST", to, w.webhookPath()+"/secret/rotate")
	if over {
		w.do(r, want)
		return
	}
	hook := to.workflow.webhook
	before := hook.secret
	hook.secret, hook.rotated = "", matches(timestamp)
	made := w.do(r, outcome{status: 200, body: hook.secretWire()}).value.(object)
	if hook.secret, hook.rotated = made["secret"].(string), made["previousSecretUntil"]; hook.secret == before {
		w.t.Fatalf("%s: the secret is the same as before", to.label)
	}
	to.workflow.moved = true
}

func (o *webhook) secretWire() object {
	return object{"secret": known(o.secret, `whsec_[0-9A-Za-z+/]{43}=`), "previousSecretUntil": o.rotated}
}

// lostUpdate is two clients that change one workflow: the one with the old ETag
// gets a 412 and changes nothing.
func (w *model) lostUpdate() {
	c := w.caller()
	if c.person == nil {
		return
	}
	to := w.target(c)
	if to.workflow == nil || !c.person.sees(to.workflow) || to.workflow.archived {
		return
	}
	one := to.workflow
	read := w.do(w.workflowRequest(c, "GET", to), one.reading(w))
	one.read(read.value)
	patch := w.workflowRequest(c, "PATCH", to)
	send := func(name, tag string, want outcome) answer {
		patch.body = &body{text: text(object{"name": name})}
		patch.header = []string{"If-Match", tag}
		return w.do(patch, want)
	}
	one.name, one.moved = "First", true
	first := send("First", read.header.Get("ETag"), one.reading(w))
	one.read(first.value)
	send("Late", read.header.Get("ETag"), refusal(412, "precondition_failed"))
	again := w.workflowRequest(c, "GET", to)
	again.header = []string{"If-None-Match", first.header.Get("ETag")}
	w.do(again, outcome{status: 304})
}
