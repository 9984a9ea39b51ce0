package model

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const timestamp = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00`

// workflowFields are those of a request for the workflow itself.
var workflowFields = []field{
	nameField,
	{[]string{"color"}, []string{`"#fff"`, `"#A1b2C3"`, `"#12345678"`, `"#abcd"`}, []string{`"fff"`, `"#ggg"`, `"#12345"`, `""`, `"#"`, `5`, `null`}},
	{[]string{"icon"}, []string{`"Invoice"`, `"paper-plane 2"`}, []string{`""`, `"a/b"`, `null`, `{}`, long201}},
	{[]string{"orderedBy"}, []string{`"Nowhere"`, `"1"`, `""`, `"1 + 1"`}, []string{`7`, `[]`, long501}},
	{[]string{"locale"}, []string{`"de-AT"`, `"sr-Latn"`, `""`}, []string{`"German"`, `"de_AT"`, `"und"`, `7`, `{}`}},
}

// A workflow as the specification has it. What the service chooses (ids,
// addresses, times) is learned from its first answer and must stay.
type workflow struct {
	label             string // in messages
	doneAt            int    // how many had failed when somebody was done with its failures; 0: nobody is
	owner             *person
	team              *team // with whom it is shared; nil: with nobody
	id                string
	name, color, icon string
	locale            string // empty: none
	orderedBy         string // empty: it has no order
	archived          bool
	sourceID, address string
	fields            []string
	fieldsGiven       bool
	last, had         []string // fields of the last event, and those that others had before it
	documents         []*document
	webhook           *webhook
	receivers         []*receiver
	created, updated  string
	moved             bool // the configuration has changed since updated was read
	automations       []*automation
	verified          bool                // its source takes events of listed networks alone
	events            map[string][]string // bodies that came, by webhook-id, the one that took it first
	gone              int                 // documents that were deleted
	outputs           []*output
	told              []*event // of outputs
}

// wire is the workflow as section 2.1 has it.
func (one *workflow) wire(w *model) object {
	var sharedWith, hook any
	if of := one.team; of != nil {
		sharedWith = object{"id": of.id, "name": of.name}
	}
	if one.webhook != nil {
		hook = one.webhook.wire()
	}
	documents := []any{}
	for _, d := range one.documents {
		documents = append(documents, d.wire(w))
	}
	o := object{
		"id": known(one.id, "wkf_[0-9A-Za-z]{14,}"), "name": one.name, "color": one.color, "icon": one.icon,
		"status": one.status(), "autoCreate": true,
		"owner": object{"id": one.owner.id, "name": one.owner.name, "email": one.owner.email},
		"team":  sharedWith, "source": one.source(w), "documents": documents, "outgoingWebhook": hook,
		"createdByApi": true, "createdAt": known(one.created, timestamp), "updatedAt": one.updatedAt(),
	}
	if one.locale != "" {
		o["locale"] = one.locale
	}
	if one.orderedBy != "" {
		o["orderedBy"] = one.orderedBy
	}
	return o
}

func (one *workflow) source(w *model) object {
	fields := []any{}
	for _, f := range one.fields {
		fields = append(fields, f)
	}
	return object{
		"id": known(one.sourceID, "src_[0-9A-Za-z]{14,}"), "sourceType": "WEBHOOK", "sourceFields": fields,
		"webhookUrl": known(one.address, w.hooks+"/[0-9A-Za-z]{27,}"), "testWebhookUrl": one.testAddress(w),
	}
}

// testAddress is below that of the source.
func (one *workflow) testAddress(w *model) any {
	if one.address == "" {
		return matches(w.hooks + "/[0-9A-Za-z]{27,}/test")
	}
	return one.address + "/test"
}

// updatedAt moves with every change of the configuration and with nothing else.
func (one *workflow) updatedAt() any {
	if one.updated == "" || !one.moved {
		return known(one.updated, timestamp)
	}
	form, before := matches(timestamp), one.updated
	return check{"a later time than before", func(v any) bool { return form.ok(v) && v.(string) > before }}
}

func (one *workflow) has(id string) bool {
	if id == one.id || id == one.sourceID || one.webhook != nil && id == one.webhook.id {
		return true
	}
	return slices.ContainsFunc(one.documents, func(d *document) bool { return d.id == id }) ||
		slices.ContainsFunc(one.automations, func(a *automation) bool { return a.id == id }) ||
		slices.ContainsFunc(one.outputs, func(o *output) bool { return o.id == id }) ||
		slices.ContainsFunc(one.receivers, func(r *receiver) bool { return r.id == id }) ||
		slices.ContainsFunc(one.told, func(e *event) bool { return e.id == id })
}

// reading is the outcome of reading the workflow.
func (one *workflow) reading(w *model) outcome { return outcome{status: 200, body: one.wire(w)} }

// read takes over the time of the last change, where there was one.
func (one *workflow) read(got any) {
	one.updated, one.moved = got.(object)["updatedAt"].(string), false
}

// workflowRequest is one to the workflow itself, part one to what is below it:
// a name, or "documents", an id and its label.
func (w *model) workflowRequest(c caller, method string, to target) request {
	return request{caller: c, method: method, path: "/workflows/" + to.id, shown: shownPath("workflows", to.label)}
}

func (w *model) part(c caller, method string, to target, part ...string) request {
	r := w.workflowRequest(c, method, to)
	if len(part) == 3 {
		r.path += "/" + part[0] + "/" + part[1]
		r.shown += "/" + part[0] + "/" + part[2]
		return r
	}
	r.path += "/" + part[0]
	r.shown += "/" + part[0]
	return r
}

// maySee answers for the workflow itself: 404 for one that is missing or
// another's (section 7). over: the outcome is decided.
func (w *model) maySee(c caller, to target) (want outcome, over bool) {
	switch {
	case c.person == nil:
		return refusal(403, c.code), true
	case to.workflow == nil || !c.person.sees(to.workflow):
		return refusal(404, "workflow_not_found"), true
	}
	return outcome{}, false
}

// maySeePart answers for what is below a workflow, which knows no 404.
func (w *model) maySeePart(c caller, to target) (want outcome, over bool) {
	want, over = w.maySee(c, to)
	if over {
		want.status = 403
	}
	return want, over
}

// mayChange answers for changes of what is below a workflow.
func (w *model) mayChange(c caller, to target) (want outcome, over bool) {
	if want, over = w.maySeePart(c, to); over {
		return want, over
	}
	return refusal(400, "workflow_archived"), to.workflow.archived
}

func (w *model) createWorkflow() {
	c := w.caller()
	w.create(c, w.newWorkflow(c))
}

// createRunnable makes a workflow that can run, as most of them can.
func (w *model) createRunnable() {
	p := w.people[w.number("person", len(w.people))]
	b := newBody()
	b.text = `{"name":"Runnable","outgoingWebhook":{"webhookUrl":"http://127.0.0.1:9/runnable"}`
	b.values["/name"], b.values["/outgoingWebhook/webhookUrl"] = "Runnable", "http://127.0.0.1:9/runnable"
	if p.account != nil {
		b.text += fmt.Sprintf(`,"document":{"fileId":%q,"when":"1 < 2"}`, p.account.files[fileText])
		b.values["/document"], b.values["/document/fileId"], b.values["/document/when"] = true, p.account.files[fileText], "1 < 2"
	}
	if w.number("order", 3) == 0 {
		b.text += `,"orderedBy":"1"`
		b.values["/orderedBy"] = "1"
	}
	b.text += "}"
	w.create(caller{name: p.name, person: p, authorization: p.token}, b)
}

func (w *model) create(c caller, b *body) {
	w.t.Helper()
	r := request{caller: c, method: "POST", path: "/workflows", shown: "/workflows", body: b}
	if c.person == nil {
		w.do(r, refusal(403, c.code))
		return
	}
	if want, refused := b.refused(); refused {
		w.do(r, want)
		return
	}
	// The defaults of section 2.1.
	one := &workflow{
		label: fmt.Sprintf("W%d", len(w.workflows)+1), owner: c.person, team: c.person.team, events: map[string][]string{},
		color: "#cccccc", icon: "DocumentText",
	}
	one.change(b)
	if given, ok := b.values["/source/sourceFields"].([]any); ok {
		one.fieldsGiven = true
		for _, f := range given {
			one.fields = append(one.fields, f.(string))
		}
	}
	if address, ok := b.values["/outgoingWebhook/webhookUrl"].(string); ok {
		one.webhook = &webhook{url: address}
	}
	if b.values["/document"] != nil {
		slides, refused := templateOf(c.person, c.person, b, "/document")
		if refused.code != "" {
			w.do(r, refused)
			return
		}
		one.documents = []*document{w.newDocument(one, b, "/document", slides)}
	}
	before := time.Now()
	a := w.do(r, outcome{status: 201, body: one.wire(w)})
	one.learn(w, a.value.(object), before)
	for _, d := range one.documents {
		d.learn(w, one, a.value.(object)["documents"].([]any)[0].(object), b, "/document")
	}
	w.workflows = append(w.workflows, one)
}

// learn takes over what the service chose.
func (one *workflow) learn(w *model, made object, before time.Time) {
	w.t.Helper()
	source := made["source"].(object)
	one.id, one.sourceID, one.address = made["id"].(string), source["id"].(string), source["webhookUrl"].(string)
	if one.webhook != nil {
		one.webhook.id = made["outgoingWebhook"].(object)["id"].(string)
	}
	one.created = made["createdAt"].(string)
	one.read(made)
	at, err := time.Parse("2006-01-02T15:04:05.000000-07:00", one.created)
	if err != nil || at.Before(before.Add(-time.Second)) || at.After(time.Now().Add(time.Second)) || one.updated < one.created {
		w.t.Fatalf("%s: createdAt and updatedAt are not the time of the creation: %v", one.label, err)
	}
}

// change gives the workflow what a body says and tells whether it says anything.
func (one *workflow) change(b *body) bool {
	changed := set(b, "/name", &one.name)
	changed = set(b, "/color", &one.color) || changed
	changed = set(b, "/locale", &one.locale) || changed
	changed = set(b, "/orderedBy", &one.orderedBy) || changed
	return set(b, "/icon", &one.icon) || changed
}

// listWorkflows reads a list by pages, and of one status at times.
func (w *model) listWorkflows() {
	c := w.caller()
	r := request{caller: c, method: "GET", path: "/workflows", shown: "/workflows"}
	if c.person == nil {
		w.do(r, refusal(403, c.code))
		return
	}
	list := []any{}
	status := w.one("status", "", "", "COMPLETE", "INCOMPLETE", "ARCHIVED")
	for _, one := range w.seenBy(c.person) {
		if status == "" || status == one.status() {
			list = append(list, one.wire(w))
		}
	}
	limit := 1 + w.number("limit", 3)
	r.query = fmt.Sprintf("?limit=%d", limit)
	if status != "" {
		r.query += "&status=" + status
	}
	for at := 0; r.query != ""; at += limit {
		end := min(at+limit, len(list))
		a := w.do(r, outcome{status: 200, body: list[at:end]})
		_, next, more := strings.Cut(strings.TrimSuffix(a.header.Get("Link"), `>; rel="next"`), "?")
		if more != (end < len(list)) {
			w.t.Fatalf("GET /workflows?limit=%d as %s: a next page: got %v after %d of %d", limit, c.name, more, end, len(list))
		}
		r.query = ""
		if more {
			r.query = "?" + next
		}
	}
}

// look reads the list of a person whole: it has all that the person may see,
// in the order of creation, as the model has it.
func (w *model) look(c caller) {
	w.t.Helper()
	list := []any{}
	seen := w.seenBy(c.person)
	for _, one := range seen {
		list = append(list, one.wire(w))
	}
	a := w.do(request{caller: c, method: "GET", path: "/workflows", shown: "/workflows"}, outcome{status: 200, body: list})
	for i, one := range seen {
		one.read(a.value.([]any)[i])
	}
}

func (w *model) getWorkflow() {
	c := w.caller()
	to := w.target(c)
	want, over := w.maySee(c, to)
	if !over {
		want = to.workflow.reading(w)
	}
	a := w.do(w.workflowRequest(c, "GET", to), want)
	if !over {
		to.workflow.read(a.value)
	}
}

func (w *model) patchWorkflow() {
	c := w.caller()
	to := w.target(c)
	b := w.malformed("name", nameField.good[0])
	if b == nil {
		b = newBody()
		b.text = b.add("", w.members(4, workflowFields, append([]string{"source", "documents", "outgoingWebhook"}, workflowFixed...)))
	}
	w.changeWorkflow(c, to, b)
}

func (w *model) changeWorkflow(c caller, to target, b *body) {
	w.t.Helper()
	want, over := w.maySee(c, to)
	if !over {
		if want, over = w.mayChange(c, to); !over {
			want, over = b.refused()
		}
	}
	r := w.workflowRequest(c, "PATCH", to)
	r.body = b
	if over {
		w.do(r, want)
		return
	}
	if to.workflow.change(b) {
		to.workflow.moved = true
	}
	a := w.do(r, to.workflow.reading(w))
	to.workflow.read(a.value)
}

func (w *model) deleteWorkflow() {
	c := w.caller()
	to := w.target(c)
	want, over := w.maySee(c, to)
	if !over {
		want = outcome{status: 204}
		if !to.workflow.archived {
			to.workflow.archived, to.workflow.moved = true, true
			to.workflow.had = nil
		}
	}
	w.do(w.workflowRequest(c, "DELETE", to), want)
}

// otherMethod is one that no path knows.
func (w *model) otherMethod() {
	c := w.caller()
	to := w.target(c)
	r := w.part(c, w.one("method", "PUT", "REPORT"), to, w.one("part", "source", "documents"))
	want := refusal(405, "method_not_allowed")
	if c.person == nil {
		want = refusal(403, c.code)
	}
	a := w.do(r, want)
	if allow := a.header.Get("Allow"); c.person != nil && !strings.Contains(allow, "GET") {
		w.t.Fatalf("%s %s: Allow: got %q, want what the path knows", r.method, r.shown, allow)
	}
}
