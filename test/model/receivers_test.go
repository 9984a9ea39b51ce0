package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/platenhq/platen/internal/platen"
)

// faulty is a condition that no data gives a value.
const faulty = "1 / 0 > 1"

var receiverFields = []field{
	{[]string{"name"}, []string{`"Accounts"`, `"Stock"`, `"Büro <1>"`}, nameBad},
	urlField,
	{[]string{"when"}, []string{`"1 < 2"`, `"1 > 2"`, `"` + faulty + `"`, `""`}, []string{`"1 <"`, `7`, `null`, long501}},
	{[]string{"events"}, []string{`["DOCUMENT_FAILED"]`, `["DOCUMENTS_CREATED"]`, `["BATCH_COMPLETED","DOCUMENT_FAILED"]`}, []string{`[]`, `"DOCUMENT_FAILED"`, `null`}},
}

var receiverFixed = []string{"id", "findings", "createdAt", "updatedAt"}

// A receiver gets events of a workflow by its rules.
type receiver struct {
	webhook
	name, when string
	events     []any // types
}

// A plannedReceiver is a receiver with the rules that it had when an automation started.
type plannedReceiver struct {
	*receiver
	events []any
	faulty bool
}

func (r *receiver) wire() object {
	return object{
		"id": known(r.id, "rcv_[0-9A-Za-z]{14,}"), "name": r.name, "webhookUrl": r.url, "events": r.events, "when": r.when,
		"createdAt": matches(timestamp), "updatedAt": matches(timestamp),
	}
}

func (r *receiver) change(b *body) {
	set(b, "/name", &r.name)
	set(b, "/webhookUrl", &r.url)
	set(b, "/when", &r.when)
	if set(b, "/events", &r.events) {
		slices.SortFunc(r.events, func(x, y any) int {
			return cmp.Compare(slices.Index(platen.EventTypes(), x.(string)), slices.Index(platen.EventTypes(), y.(string)))
		})
	}
}

// isNamed tells whether another receiver has a name.
func (one *workflow) isNamed(name string, but *receiver) bool {
	return slices.ContainsFunc(one.receivers, func(r *receiver) bool { return r != but && r.name == name })
}

// receiverBody draws a body; a new receiver needs a name and an address.
func (w *model) receiverBody(isNew bool) *body {
	if b := w.malformed("name", receiverFields[0].good[0]); b != nil {
		if isNew && slices.Contains(b.faults, "/name") {
			b.faults = append(b.faults, "/webhookUrl")
		}
		return b
	}
	b := newBody()
	if !isNew {
		b.text = b.add("", w.members(3, receiverFields, receiverFixed))
		return b
	}
	members := w.members(2, receiverFields[2:], receiverFixed)
	for i := range 2 {
		f := &receiverFields[i]
		switch w.one(f.names[0], "good", "good", "good", "good", "good", "good", "bad", "none") {
		case "good":
			members = append(members, member{name: f.names[0], value: w.one("value", f.good...), of: f})
		case "bad":
			members = append(members, member{name: f.names[0], value: w.one("value", f.bad...), bad: true})
		case "none":
			b.faults = append(b.faults, "/"+f.names[0])
		}
	}
	b.text = b.add("", members)
	return b
}

func (w *model) createReceiver() {
	c := w.caller()
	to := w.target(c)
	if w.number("many", 8) > 0 {
		w.addReceiver(c, to, w.receiverBody(true))
		return
	}
	for i := range platen.MaxReceivers + 1 {
		b := newBody()
		b.values["/name"], b.values["/webhookUrl"] = fmt.Sprint("Receiver ", i), "http://127.0.0.1:9/further"
		b.text = text(object{"name": b.values["/name"], "webhookUrl": b.values["/webhookUrl"]})
		w.addReceiver(c, to, b)
	}
}

func (w *model) addReceiver(c caller, to target, b *body) {
	w.t.Helper()
	r := w.part(c, "POST", to, "receivers")
	r.body = b
	want, over := w.mayChange(c, to)
	if !over {
		want, over = b.refused()
	}
	made := &receiver{events: []any{}}
	for _, name := range platen.EventTypes() {
		made.events = append(made.events, name)
	}
	if !over {
		made.change(b)
		switch one := to.workflow; {
		case len(one.receivers) == platen.MaxReceivers:
			want, over = refusal(400, "too_many_receivers"), true
		case one.isNamed(made.name, nil):
			want, over = refusal(400, "receiver_name_taken"), true
		}
	}
	if over {
		w.do(r, want)
		return
	}
	a := w.do(r, outcome{status: 201, body: made.wire()})
	made.id = a.value.(object)["id"].(string)
	to.workflow.receivers, to.workflow.moved = append(to.workflow.receivers, made), true
}

// receiver draws one, mostly of the target; nil: the target has none of this id.
func (w *model) receiver(to target) (r *receiver, id string) {
	choices := w.workflows
	switch whose := w.one("whose receiver", "its", "its", "its", "its", "its", "any", "none"); {
	case whose == "none":
		choices = nil
	case whose == "its" && to.workflow != nil:
		choices = []*workflow{to.workflow}
	}
	var all []*receiver
	for _, one := range choices {
		all = append(all, one.receivers...)
	}
	if len(all) == 0 {
		return nil, "rcv_0123456789ABCDEF"
	}
	r = all[w.number("receiver", len(all))]
	if to.workflow == nil || !slices.Contains(to.workflow.receivers, r) {
		return nil, r.id
	}
	return r, r.id
}

func (w *model) listReceivers() {
	c := w.caller()
	to := w.target(c)
	want, over := w.maySeePart(c, to)
	if !over {
		all := []any{}
		for _, r := range to.workflow.receivers {
			all = append(all, r.wire())
		}
		want = outcome{status: 200, body: all}
	}
	w.do(w.part(c, "GET", to, "receivers"), want)
}

// askOfReceiver reads or changes one receiver.
func (w *model) askOfReceiver() {
	c := w.caller()
	to := w.target(c)
	of, id := w.receiver(to)
	ask := w.one("ask", "read", "change", "change", "delete", "secret", "secret/rotate", "state", "test", "events")
	r := w.part(c, "GET", to, "receivers", id, w.plain(id))
	want, over := w.maySeePart(c, to)
	found := func() {
		if !over && of == nil {
			want, over = refusal(403, "receiver_not_found"), true
		}
	}
	mayChange := func() {
		if !over {
			want, over = w.mayChange(c, to)
		}
	}
	switch ask {
	case "change":
		r.method, r.body = "PATCH", w.receiverBody(false)
		mayChange()
		if !over {
			want, over = r.body.refused()
		}
		found()
		if !over {
			changed := *of
			if changed.change(r.body); to.workflow.isNamed(changed.name, of) {
				want, over = refusal(400, "receiver_name_taken"), true
			} else {
				*of, to.workflow.moved = changed, true
				want = outcome{status: 200, body: of.wire()}
			}
		}
	case "delete":
		r.method = "DELETE"
		found()
		mayChange()
		if !over {
			to.workflow.receivers = slices.DeleteFunc(to.workflow.receivers, func(r *receiver) bool { return r == of })
			to.workflow.moved, want = true, outcome{status: 204}
		}
	case "secret", "secret/rotate":
		r.path, r.shown = r.path+"/"+ask, r.shown+"/"+ask
		rotates := ask != "secret"
		if rotates {
			r.method = "POST"
			mayChange()
		}
		if found(); over {
			break
		}
		if before := of.secret; rotates {
			of.secret, of.rotated = "", matches(timestamp)
			to.workflow.moved = true
			defer func() {
				if of.secret == before {
					w.t.Fatalf("%s: the secret is the same as before", r.shown)
				}
			}()
		}
		made := w.do(r, outcome{status: 200, body: of.secretWire()}).value.(object)
		of.secret, of.rotated = made["secret"].(string), made["previousSecretUntil"]
		return
	case "state":
		r.path, r.shown = r.path+"/state", r.shown+"/state"
		if found(); !over {
			want = outcome{status: 200, body: to.workflow.endpointWire(of)}
		}
	case "test":
		r.method, r.path, r.shown = "POST", r.path+"/test", r.shown+"/test"
		mayChange()
		if found(); !over {
			if of.url == publicURL {
				return
			}
			want = outcome{status: 200, body: testWire()}
		}
	case "events":
		r = w.part(c, "GET", to, "events")
		r.query = "?receiverId=" + id
		if !over {
			all := []any{}
			for _, e := range to.workflow.told {
				if of != nil && e.receiver == of {
					all = append(all, e.wire())
				}
			}
			want = outcome{status: 200, body: all}
		}
	default:
		if found(); !over {
			want = outcome{status: 200, body: of.wire()}
		}
	}
	w.do(r, want)
}

// planReceivers pins the receivers of a workflow for an automation.
func (a *automation) planReceivers(one *workflow) {
	for _, r := range one.receivers {
		if r.when == "1 > 2" {
			a.skipped = append(a.skipped, object{"documentId": "", "part": "receiver", "when": r.when, "receiverId": r.id, "receiver": r.name})
			continue
		}
		a.receivers = append(a.receivers, plannedReceiver{r, slices.Clone(r.events), r.when == faulty})
	}
}

// events are those that are stored where e tells that an output failed: for the outgoing webhook,
// and for each receiver whose rules it fits.
func (a *automation) events(one *workflow, e *event) []*event {
	var all []*event
	if one.webhook != nil {
		all = append(all, e)
	}
	for _, r := range a.receivers {
		if !slices.Contains(r.events, any(platen.EventDocumentFailed)) || !slices.Contains(one.receivers, r.receiver) {
			continue
		}
		own := &event{id: platen.DerivedID(platen.PrefixEvent, e.id, r.id), state: "PENDING", output: e.output, receiver: r.receiver}
		if r.faulty {
			own.state, own.reason = "HELD", platen.CodeReceiverCondition
		}
		all = append(all, own)
	}
	slices.SortFunc(all, func(x, y *event) int { return cmp.Compare(x.id, y.id) }) // of one moment
	return all
}
