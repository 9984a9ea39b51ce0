package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

var fileField = field{names: []string{"fileId", "file_id"}}

// newDocumentMembers draws what a new document is made of: mostly a file, and
// options.
func (w *model) newDocumentMembers(c caller) []member {
	members := w.members(2, documentFields, documentFixed)
	add := func(name, id string) {
		members = append(members, member{name: name, value: fmt.Sprintf("%q", id), of: &fileField})
	}
	switch w.one("file", "none", "one", "one", "one", "one", "both", "two", "malformed") {
	case "one":
		add(w.one("spelling", fileField.names...), w.file(c))
	case "both":
		id := w.file(c)
		add("file_id", id)
		add("fileId", id)
	case "two":
		add("fileId", w.file(c))
		add("file_id", w.file(c))
	case "malformed":
		value := w.one("value", `""`, `"https://drive.example/file/1"`, `null`, `1`, long201)
		members = append(members, member{name: w.one("spelling", fileField.names...), value: value, bad: true})
	}
	// What says of a template what its file alone does is refused without one.
	if !slices.ContainsFunc(members, func(m member) bool { return slices.Contains(fileField.names, m.name) }) {
		for i := range members {
			if m := &members[i]; m.value != "null" && (m.name == "file" || m.name == "documentType") {
				m.bad, m.fixed = true, false
			}
		}
	}
	return members
}

// file draws a file: of the caller's drive, of another's, or one that is not there.
func (w *model) file(c caller) string {
	accounts := []string{"A", "B", "C", "D", "none"}
	if c.person != nil && c.person.account != nil {
		own := c.person.account.name
		accounts = append([]string{own, own, own, own, own}, accounts...)
	}
	a, ok := w.accounts[w.one("account", accounts...)]
	if !ok {
		return "no-such-file"
	}
	return a.files[w.one("kind of file", fileText, fileText, fileText, fileSlides, fileSlides, filePicture, fileTrashed)]
}

func (a *account) kindOf(id string) string {
	for kind, one := range a.files {
		if one == id {
			return kind
		}
	}
	return ""
}

// templateOf says whether a caller can make a document of the body in a
// workflow of owner (section 5: the caller has access to the file), and what.
// at is where the body describes it.
func templateOf(c *person, owner *person, b *body, at string) (slides bool, refused outcome) {
	name := at + "/fileId"
	id, given := b.values[name].(string)
	if given {
		if c.account == nil {
			return false, refusal(403, "drive_not_connected")
		}
		fault := func(code string) (bool, outcome) {
			return false, outcome{status: 400, code: code, faults: []string{b.points[name]}}
		}
		switch c.account.kindOf(id) {
		case "":
			return fault("drive_file_not_found")
		case fileTrashed:
			return fault("drive_file_trashed")
		case filePicture:
			return fault("drive_file_not_document")
		case fileSlides:
			slides = true
		}
	}
	switch {
	case owner.account == nil: // templates are where automations run
		return false, refusal(403, "drive_not_connected")
	case given && owner.account != c.account:
		return false, outcome{status: 400, code: "drive_file_forbidden", faults: []string{b.points[name]}}
	}
	return slides, outcome{}
}

// newDocument is the document that a body describes, with the defaults of
// section 2.3.
func (w *model) newDocument(one *workflow, b *body, at string, slides bool) *document {
	d := &document{
		label:      fmt.Sprintf("%sD%d", one.label, len(one.documents)+one.gone+1),
		slides:     slides,
		fileName:   one.name + " - [Template]",
		outputName: one.name + " - {{Timestamp}}",
		onMissing:  "blank",
	}
	d.change(b, at)
	return d
}

// change gives a document what a body says and tells whether it says anything.
func (d *document) change(b *body, at string) bool {
	changed := set(b, at+"/outputName", &d.outputName)
	changed = set(b, at+"/pdfPassword", &d.password) || changed
	changed = set(b, at+"/enablePdfPassword", &d.protect) || changed
	changed = set(b, at+"/pdfPasswordPreventCopy", &d.preventCopy) || changed
	changed = set(b, at+"/onMissing", &d.onMissing) || changed
	changed = set(b, at+"/when", &d.when) || changed
	changed = set(b, at+"/createPdfCopy", &d.pdfCopy) || changed
	for _, absent := range []string{"/pdf", "/einvoice", "/approval"} { // none, as before
		if _, said := b.values[at+absent]; said {
			changed = true
		}
	}
	return set(b, at+"/removeOutput", &d.remove) || changed
}

func (d *document) wire(w *model) object {
	kind, mimeType := "CLOUD_DOCS", platen.MIMEDocs
	if d.slides {
		kind, mimeType = "CLOUD_SLIDES", platen.MIMESlides
	}
	shown := object{
		"id": known(d.id, "doc_[0-9A-Za-z]{14,}"), "documentType": kind,
		"file": object{
			"id": known(d.fileID, "[0-9A-Za-z_-]{10,}"), "name": d.fileName,
			"url": known(d.fileURL, "http://.+"), "mimeType": mimeType,
		},
		"outputName": d.outputName, "createPdfCopy": d.pdfCopy, "removeOutput": d.remove,
		"enablePdfPassword": d.protect, "pdfPassword": d.password, "pdfPasswordPreventCopy": d.preventCopy,
		"onMissing":  d.onMissing,
		"previewUrl": known(d.previewURL, "http://.+/preview/doc_.+"),
	}
	if d.when != "" {
		shown["when"] = d.when
	}
	return shown
}

// known is what was learned, or before that its form.
func known(learned, form string) any {
	if learned == "" {
		return matches(form)
	}
	return learned
}

// learn reads what the service chose for a new document, and looks at the
// template with the eyes of the workflow's owner: it is a copy, named after
// the workflow.
func (d *document) learn(w *model, one *workflow, made object, b *body, at string) {
	w.t.Helper()
	d.id, d.previewURL = made["id"].(string), made["previewUrl"].(string)
	file := made["file"].(object)
	d.fileID, d.fileURL = file["id"].(string), file["url"].(string)
	if d.fileID == b.values[at+"/fileId"] {
		w.t.Fatalf("%s: the template is the file itself, not a copy", d.label)
	}
	copied, err := one.owner.account.service.Files.Get(d.fileID).Context(w.t.Context()).Fields("name,mimeType,trashed").Do()
	if err != nil {
		w.t.Fatalf("%s: the template is not in the drive of the workflow's owner: %s", d.label, w.plain(err.Error()))
	}
	if copied.Name != d.fileName || copied.MimeType != file["mimeType"] || copied.Trashed {
		w.t.Fatalf("%s: the template in the drive is %q of type %s, trashed %v", d.label, copied.Name, copied.MimeType, copied.Trashed)
	}
}

func (w *model) createDocument() {
	c := w.caller()
	to := w.target(c)
	var b *body
	if w.one("body", "there", "there", "there", "there", "none") == "there" {
		b = w.malformed("outputName", documentFields[0].good[0])
		if b == nil {
			b = newBody()
			b.text = b.add("", w.newDocumentMembers(c))
		}
	}
	read := b
	if b == nil || b.text == "" {
		read = newBody() // an empty body is {}
	}
	r := w.part(c, "POST", to, "documents")
	r.body = b
	want, over := w.mayChange(c, to)
	if !over {
		want, over = read.refused()
	}
	if over {
		w.do(r, want)
		return
	}
	slides, refused := templateOf(c.person, to.workflow.owner, read, "")
	if refused.code != "" {
		w.do(r, refused)
		return
	}
	d := w.newDocument(to.workflow, read, "", slides)
	a := w.do(r, outcome{status: 201, body: d.wire(w)})
	d.learn(w, to.workflow, a.value.(object), read, "")
	to.workflow.documents = append(to.workflow.documents, d)
	to.workflow.moved = true
}

func (w *model) listDocuments() {
	c := w.caller()
	to := w.target(c)
	want, over := w.maySeePart(c, to)
	if !over {
		list := []any{}
		for _, d := range to.workflow.documents {
			list = append(list, d.wire(w))
		}
		want = outcome{status: 200, body: list}
	}
	r := w.part(c, "GET", to, "documents")
	if w.one("page", "whole", "first") == "first" {
		r.query = "?limit=50" // more than there are
	}
	w.do(r, want)
}

// documentTarget draws a document in the path of a workflow: mostly one of
// its own, but also those of others and ids of nothing.
func (w *model) documentTarget(to target) (d *document, id, label string) {
	var choices []*document
	all := func() {
		for _, one := range w.workflows {
			choices = append(choices, one.documents...)
		}
	}
	switch w.one("whose document", "its", "its", "its", "its", "any", "none") {
	case "its":
		if to.workflow != nil {
			choices = to.workflow.documents
		} else {
			all()
		}
	case "any":
		all()
	}
	if len(choices) == 0 {
		id = w.one("document", "doc_0123456789ABCDEF", "1", "wkf_0123456789ABCDEF")
		return nil, id, id
	}
	var labels []string
	for _, one := range choices {
		labels = append(labels, one.label)
	}
	d = choices[slices.Index(labels, w.one("document", labels...))]
	if to.workflow == nil || !slices.Contains(to.workflow.documents, d) {
		return nil, d.id, d.label
	}
	return d, d.id, d.label
}

func (w *model) getDocument() {
	c := w.caller()
	to := w.target(c)
	d, id, label := w.documentTarget(to)
	want, over := w.maySeePart(c, to)
	switch {
	case over:
	case d == nil:
		want = refusal(403, "document_not_found")
	default:
		want = outcome{status: 200, body: d.wire(w)}
	}
	w.do(w.part(c, "GET", to, "documents", id, label), want)
}

var tag = regexp.MustCompile(`\{\{([^{}]+)\}\}`)

// checkDocument asks which tags the source fields fill. The templates of this
// test are empty, so tags are those of the name and the password.
func (w *model) checkDocument() {
	c := w.caller()
	to := w.target(c)
	d, id, label := w.documentTarget(to)
	want, over := w.maySeePart(c, to)
	if !over && d == nil {
		want, over = refusal(403, "document_not_found"), true
	}
	if !over {
		want = outcome{status: 200, body: d.check(to.workflow)}
	}
	r := w.part(c, "POST", to, "documents", id, label)
	r.path, r.shown = r.path+"/check", r.shown+"/check"
	w.do(r, want)
}

func (d *document) check(one *workflow) object {
	tags, unfilled, known := []any{}, []any{}, one.known()
	places := map[string][]any{}
	var found []string
	add := func(place, template string) {
		for _, match := range tag.FindAllStringSubmatch(template, -1) {
			if places[match[1]] == nil {
				found = append(found, match[1])
			}
			if !slices.Contains(places[match[1]], any(place)) {
				places[match[1]] = append(places[match[1]], place)
			}
		}
	}
	add("outputName", d.outputName)
	if d.protect {
		add("pdfPassword", d.password)
	}
	for _, name := range found {
		filled := name == "Timestamp" || slices.Contains(known, name)
		if !filled {
			unfilled = append(unfilled, name)
		}
		nearest := check{"a list of names", func(v any) bool { _, ok := v.([]any); return ok }}
		tags = append(tags, object{"name": name, "in": places[name], "filled": filled, "nearest": nearest})
	}
	faults := check{"a list of faults", func(v any) bool { _, ok := v.([]any); return ok }}
	return object{"documentId": d.id, "tags": tags, "unfilled": unfilled, "faults": faults, "sourceFields": fieldsOf(one, known),
		"findings": findingsOf(unfilled, len(known) > 0), "conditions": one.counted(d), "schema": check{"a schema of an object", func(v any) bool {
			schema, ok := v.(object)
			return ok && schema["type"] == "object"
		}}}
}

// counted says of how many events the condition of a document is true.
func (one *workflow) counted(d *document) []any {
	if d.when == "" {
		return []any{}
	}
	events := 0.0
	for _, a := range one.automations {
		if a.reason != "KEY_REUSED" && a.erasedBy == nil {
			events++
		}
	}
	made, skipped := events, 0.0
	if d.when == "1 > 2" {
		made, skipped = 0, events
	}
	return []any{object{"setting": "when", "when": d.when, "made": made, "skipped": skipped, "faulty": 0.0}}
}

// fieldsOf are those that were compared with: those of the source in their order, then
// others in any.
func fieldsOf(one *workflow, known []string) check {
	return check{fmt.Sprintf("the fields %q", known), func(v any) bool {
		list, ok := v.([]any)
		if !ok || len(list) != len(known) {
			return false
		}
		for i, name := range list {
			text, is := name.(string)
			if !is || !slices.Contains(known, text) || i < len(one.fields) && text != one.fields[i] {
				return false
			}
		}
		return true
	}}
}

// findingsOf are those of tags that nothing fills, where fields are known.
func findingsOf(unfilled []any, known bool) check {
	return check{fmt.Sprintf("findings of %v, if %v", unfilled, known), func(v any) bool {
		found, ok := v.([]any)
		tags := map[any]bool{}
		for _, f := range found {
			tags[f.(object)["tag"]] = true
		}
		for _, name := range unfilled {
			ok = ok && tags[fmt.Sprintf("{{%s}}", name)] == known
		}
		return ok && (known || len(found) == 0)
	}}
}

func (w *model) patchDocument() {
	c := w.caller()
	to := w.target(c)
	d, id, label := w.documentTarget(to)
	b := w.malformed("outputName", documentFields[0].good[0])
	if b == nil {
		b = newBody()
		b.text = b.add("", w.members(4, documentFields, documentFixed))
	}
	w.changeDocument(c, to, d, id, label, b)
}

func (w *model) changeDocument(c caller, to target, d *document, id, label string, b *body) {
	w.t.Helper()
	r := w.part(c, "PATCH", to, "documents", id, label)
	r.body = b
	want, over := w.maySeePart(c, to)
	if !over && d == nil {
		want, over = refusal(403, "document_not_found"), true
	}
	if !over {
		want, over = w.mayChange(c, to)
	}
	if !over {
		want, over = b.refused()
	}
	if !over {
		if d.change(b, "") {
			to.workflow.moved = true
		}
		want = outcome{status: 200, body: d.wire(w)}
	}
	w.do(r, want)
}

// sendBack is the round trip that many clients make: what was read is sent
// back whole, with one change.
func (w *model) sendBack() {
	c := w.caller()
	if c.person == nil {
		return
	}
	to := w.target(c)
	if to.workflow == nil || !c.person.sees(to.workflow) {
		return
	}
	b := newBody()
	if len(to.workflow.documents) > 0 && w.one("resource", "document", "workflow") == "document" {
		d := to.workflow.documents[w.number("document", len(to.workflow.documents))]
		got := w.do(w.part(c, "GET", to, "documents", d.id, d.label), outcome{status: 200, body: d.wire(w)}).value.(object)
		got["outputName"] = "Sent back"
		b.text = text(got)
		for _, f := range documentFields {
			b.values["/"+f.names[0]] = got[f.names[0]]
		}
		w.changeDocument(c, to, d, d.id, d.label, b)
		return
	}
	got := w.do(w.workflowRequest(c, "GET", to), to.workflow.reading(w)).value.(object)
	got["name"] = "Sent back"
	b.text = text(got)
	for _, f := range workflowFields {
		b.values["/"+f.names[0]] = got[f.names[0]]
	}
	w.changeWorkflow(c, to, b)
}

// shownPath is a path in messages.
func shownPath(parts ...string) string { return "/" + strings.Join(parts, "/") }
