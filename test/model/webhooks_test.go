package model

import (
	"net/http"
	"slices"
)

func (o *webhook) wire() object {
	return object{"id": known(o.id, "owc_[0-9A-Za-z]{14,}"), "webhookUrl": o.url}
}

// getEndpoint reads the state of the address that events go to. The model knows how
// many of its events are held.
func (w *model) getEndpoint() {
	c := w.caller()
	to := w.target(c)
	want, over := w.mayReadWebhook(c, to)
	if !over {
		want = outcome{status: 200, body: to.workflow.endpointWire(nil)}
	}
	w.do(w.part(c, "GET", to, w.webhookPath()+"/state"), want)
}

// endpointWire is the state of the address of a receiver; nil: the outgoing webhook.
func (one *workflow) endpointWire(of *receiver) object {
	held := 0
	for _, e := range one.told {
		if e.state == "HELD" && e.receiver == of {
			held++
		}
	}
	anything := check{"anything", func(any) bool { return true }}
	return object{
		"state": anything, "reason": nil, "places": anything, "failures": anything, "failingSince": anything, "restsUntil": anything,
		"disabledAt": nil, "heldEvents": float64(held),
	}
}

// webhookPath draws one of the two spellings, which are the same (section 4.3).
func (w *model) webhookPath() string {
	return w.one("path", "outgoing-webhooks", "outgoing-webhooks", "outgoing-webhook")
}

func (w *model) getWebhook() {
	c := w.caller()
	to := w.target(c)
	want, over := w.mayReadWebhook(c, to)
	if !over {
		want = outcome{status: 200, body: to.workflow.webhook.wire()}
	}
	w.do(w.part(c, "GET", to, w.webhookPath()), want)
}

func (w *model) mayReadWebhook(c caller, to target) (want outcome, over bool) {
	want, over = w.maySeePart(c, to)
	if !over && to.workflow.webhook == nil {
		return refusal(403, "outgoing_webhook_not_found"), true
	}
	return want, over
}

func (w *model) createWebhook() {
	c := w.caller()
	to := w.target(c)
	r := w.part(c, "POST", to, w.webhookPath())
	r.body = w.webhookBody()
	want, over := w.mayChange(c, to)
	if !over && to.workflow.webhook != nil {
		want, over = refusal(400, "outgoing_webhook_exists"), true
	}
	if !over {
		want, over = r.body.refused()
	}
	if over {
		w.do(r, want)
		return
	}
	made := &webhook{url: r.body.values["/webhookUrl"].(string)}
	a := w.do(r, outcome{status: 201, body: made.wire()})
	made.id = a.value.(object)["id"].(string)
	to.workflow.webhook, to.workflow.moved = made, true
}

func (w *model) updateWebhook() {
	c := w.caller()
	to := w.target(c)
	r := w.part(c, "PATCH", to, w.webhookPath())
	r.body = w.webhookBody()
	want, over := w.mayReadWebhook(c, to)
	if !over {
		want, over = w.mayChange(c, to)
	}
	if !over {
		want, over = r.body.refused()
	}
	if !over {
		to.workflow.webhook.url = r.body.values["/webhookUrl"].(string)
		to.workflow.moved = true
		want = outcome{status: 200, body: to.workflow.webhook.wire()}
	}
	w.do(r, want)
}

// webhookBody draws a body that must have exactly one field (section 4.3).
func (w *model) webhookBody() *body {
	if b := w.malformed("webhookUrl", urlField.good[0]); b != nil {
		return b
	}
	b := newBody()
	good := member{name: "webhookUrl", value: w.one("value", urlField.good...), of: &urlField}
	switch w.one("webhook", "good", "good", "good", "good", "bad", "more", "none") {
	case "good":
		b.text = b.add("", []member{good})
	case "bad":
		b.text = b.add("", []member{{name: "webhookUrl", value: w.one("value", urlField.bad...), bad: true}})
	case "more":
		more := member{name: w.one("name", "id", "secret", "url"), value: `"owc_0123456789ABCDEF"`, bad: true}
		b.text = b.add("", []member{good, more})
	case "none":
		b.text, b.faults = `{}`, []string{"/webhookUrl"}
	}
	return b
}

// getSecret reads the secret that signs events: it survives every change of the
// address.
func (w *model) getSecret() {
	c := w.caller()
	to := w.target(c)
	want, over := w.mayReadWebhook(c, to)
	if !over {
		want = outcome{status: 200, body: to.workflow.webhook.secretWire()}
	}
	a := w.do(w.part(c, "GET", to, w.webhookPath()+"/secret"), want)
	if !over {
		to.workflow.webhook.secret = a.value.(object)["secret"].(string)
	}
}

func (w *model) getSource() {
	c := w.caller()
	to := w.target(c)
	want, over := w.maySeePart(c, to)
	if !over {
		want = outcome{status: 200, body: to.workflow.source(w)}
	}
	w.do(w.part(c, "GET", to, "source"), want)
}

// A sourceEvent is a body with the fields that it gives and the keys that are
// there once more.
type sourceEvent struct {
	text          string
	fields, twice []string
}

var events = []sourceEvent{
	{text: `{"Name":"Ada","Nr":1}`, fields: []string{"Name", "Nr"}},
	{text: `{"Nr":12345678901234567890,"Name":null}`, fields: []string{"Nr", "Name"}},
	{text: `{"Name":"Ada","Customer":{"City":"Wien","Address":{"Zip":"1010"}}}`, fields: []string{"Name", "Customer.City", "Customer.Address.Zip"}},
	{text: `{"Item":[{"Name":"a","Price":1},{"Name":"b","Tax":2}],"Tags":["x","y"]}`, fields: []string{"Item.Name", "Item.Price", "Item.Tax", "Tags"}},
	{text: `{"Empty":{},"None":[],"":1}`, fields: []string{"Empty", "None"}},
	// A sender cannot repair its body.
	{text: `{"Twice":1,"List":[{"a/b":1,"a/b":2}],"Twice":2}`, fields: []string{"Twice", "List.a/b"}, twice: []string{"/List/0/a~1b", "/Twice"}},
	{text: "\ufeff" + `{"Größe":"{{Name}}"}`, fields: []string{"Größe"}},
	{text: `{}`},
}

// wrongEvents are bodies that are no JSON object, with what is said of them.
var wrongEvents = []struct{ text, code string }{
	{``, "source_empty"}, {` `, "source_empty"},
	{`{`, "source_not_json"}, {`Name=Ada`, "source_not_json"}, {`{} {}`, "source_not_json"},
	{`[{"Name":"Ada"}]`, "source_not_object"}, {`null`, "source_not_object"}, {`"x"`, "source_not_object"},
}

// unknownKey could be that of a source.
const unknownKey = "0123456789abcdefghijklmnopq"

// postEvent sends source data, as any sender does. No credentials are asked
// for, and wrong ones do not matter.
func (w *model) postEvent() {
	to := w.target(caller{})
	address, label := "", to.label
	if to.workflow != nil && w.one("address", "known", "known", "known", "known", "known", "unknown") == "known" {
		address = to.workflow.address
	} else {
		to.workflow, label = nil, "nothing"
		address = w.hooks + "/" + w.one("key", unknownKey, "short", "", unknownKey+"/x")
	}
	b, sent, code := &body{}, sourceEvent{}, ""
	if w.number("right or wrong", 6) < 5 {
		sent = events[w.number("event", len(events))]
		b.text = sent.text
	} else {
		e := wrongEvents[w.number("event", len(wrongEvents))]
		b.text, code = e.text, e.code
	}
	header := []string{"Content-Type", w.one("type", "application/json", "text/plain", "")}
	event := w.one("webhook-id", "", "", "", "msg_1", "msg_2")
	if event != "" {
		header = append(header, "webhook-id", event)
	}
	want := outcome{status: 200, body: object{}}
	switch {
	case to.workflow == nil:
		want = refusal(404, "source_not_found") // the body is not read
	case code != "":
		want = refusal(400, code)
	case to.workflow.archived:
		want = refusal(410, "workflow_archived")
	default:
		came := to.workflow.events[event]
		if event == "" {
			came = nil
		}
		if !slices.Contains(came, sent.text) { // a repeat of an event starts nothing
			to.workflow.accept(sent, len(came) > 0)
			to.workflow.events[event] = append(came, sent.text)
		}
	}
	shown := "a sender: POST to the address of " + label
	authorization := w.one("credentials", "", "", w.people[0].token, "wrong")
	a := w.send(http.MethodPost, address+w.one("end", "", "", "/"), authorization, b, header)
	w.t.Logf("%s %s → %d %s", shown, b.text, a.status, codeOf(a))
	w.judge(shown, a, want)
	if to.workflow != nil {
		o := to.workflow.owner
		w.lookAtAutomations(caller{name: o.name, person: o, authorization: o.token}, to)
	}
}
