package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A body is what a request sends, and what the specification makes of it:
// either values by the names that responses use, or faults.
type body struct {
	text   string
	code   string   // "" where it is right, else what is wrong with all of it
	faults []string // JSON pointers
	values object
	points map[string]string // where a value was read last, by its name
}

func newBody() *body { return &body{values: object{}, points: map[string]string{}} }

func (b *body) refused() (outcome, bool) {
	if b.code == "" && len(b.faults) == 0 {
		return outcome{}, false
	}
	code := b.code
	if code == "" {
		code = "invalid_body"
	}
	return outcome{status: 400, code: code, faults: b.faults}, true
}

// A field of a request: its spellings, that of responses first, and JSON values
// that are right and wrong for it.
type field struct {
	names     []string
	good, bad []string
}

// publicURL is the only address that the service would connect to: no event is
// sent there.
const publicURL = "https://example.com/events"

var (
	long201 = `"` + strings.Repeat("x", 201) + `"`
	long501 = `"` + strings.Repeat("x", 501) + `"`
	nameBad = []string{`""`, `"  "`, `"two\nlines"`, `7`, `null`, `[]`, long201}
	flags   = []string{`true`, `false`}
	flagBad = []string{`"true"`, `1`, `null`, `{}`}

	nameField = field{[]string{"name"}, []string{`"Bills"`, `"Über & Söhne <1>"`, `"Папка 文"`, `"Letters {{Name}}"`}, nameBad}
	urlField  = field{
		[]string{"webhookUrl"},
		[]string{`"` + publicURL + `"`, `"http://127.0.0.1:9/?a=b&c=d"`, `"https://[2001:db8::1]:8443/x"`},
		[]string{`""`, `"example.com"`, `"ftp://example.com/"`, `"https://u:p@example.com/"`, `"http://example.com:70000/"`, `"http:///x"`, `null`, `3`},
	}

	documentFields = []field{
		{[]string{"outputName"}, []string{`"Invoice {{Nr}}"`, `"Für {{Customer.Name}}, {{Timestamp}}"`}, []string{`""`, `" "`, `"a\tb"`, `null`, `1`, long501}},
		{[]string{"pdfPassword"}, []string{`"open-{{Nr}}"`, `""`, `"geheim ü"`}, []string{`"a\u0000b"`, `null`, `12`, long501}},
		{[]string{"enablePdfPassword"}, flags, flagBad},
		{[]string{"pdfPasswordPreventCopy", "enablePdfPreventCopy"}, flags, flagBad},
		{[]string{"createPdfCopy", "createPDFCopy"}, flags, flagBad},
		{[]string{"removeOutput"}, flags, flagBad},
		{[]string{"pdf"}, []string{`null`}, []string{`"PDF/A-2b"`, `[]`, `7`}},
		{[]string{"approval"}, []string{`null`}, []string{`[]`, `7`, `"all"`}},
		{[]string{"einvoice"}, []string{`null`}, []string{`"CII"`, `[]`, `7`}},
		{[]string{"when"}, []string{`"1 < 2"`, `"1 > 2"`, `""`}, []string{`null`, `7`, long501}},
		{[]string{"onMissing"}, []string{`"blank"`, `"fail"`}, []string{`"Fail"`, `""`, `null`, `true`}},
	}

	// Fields of a resource that cannot be edited are ignored with every value.
	workflowFixed = []string{"id", "status", "autoCreate", "owner", "team", "createdByApi", "createdAt", "updatedAt"}
	documentFixed = []string{"id", "documentType", "file", "previewUrl"}
	fixedValues   = []string{`null`, `"ARCHIVED"`, `false`, `{"id":"usr_0123456789ABCDEF"}`, `[1]`}

	unknownNames = []string{"colour", "Name", "webhook", "output_name", "a/b~c", "pdfCopy"}
)

// malformed draws a body that is no JSON object or is wrong as a whole, nil
// mostly. required is a field that the body may have.
func (w *model) malformed(required, good string) *body {
	if w.number("malformed", 12) < 11 {
		return nil
	}
	texts := []string{
		``, `{`, `{} {}`, `name=Bills`, "{\"name\":\"\xff\"}",
		`{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`,
	}
	wrong, twice := []string{`[]`, `null`, `"x"`}, fmt.Sprintf(`{%q:%s,%q:%s}`, required, good, required, good)
	b := newBody()
	b.text = w.one("text", slices.Concat(texts, wrong, []string{twice})...)
	switch {
	case b.text == twice:
		b.faults = []string{"/" + required}
	case slices.Contains(wrong, b.text):
		b.faults = []string{""}
	default:
		b.code = "malformed_json"
	}
	return b
}

// A member of an object that a request sends.
type member struct {
	name, value string
	of          *field // nil: not of the resource, or fixed
	fixed, bad  bool
}

// members draws up to most members: right ones, wrong ones, fixed ones and
// ones that are no part of the resource.
func (w *model) members(most int, fields []field, fixed []string) []member {
	var made []member
	for range w.number("members", most+1) {
		m := member{}
		switch w.one("member", "good", "good", "good", "good", "good", "good", "bad", "fixed", "unknown") {
		case "good":
			f := &fields[w.number("field", len(fields))]
			m = member{name: w.one("spelling", f.names...), value: w.one("value", f.good...), of: f}
		case "bad":
			f := &fields[w.number("field", len(fields))]
			m = member{name: w.one("spelling", f.names...), value: w.one("value", f.bad...), of: f, bad: true}
		case "fixed":
			if len(fixed) == 0 {
				continue
			}
			m = member{name: w.one("fixed", fixed...), value: w.one("value", fixedValues...), fixed: true}
		case "unknown":
			m = member{name: w.one("name", unknownNames...), value: `1`, bad: true}
		}
		if !slices.ContainsFunc(made, func(o member) bool { return o.name == m.name }) {
			made = append(made, m)
		}
	}
	return made
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// add reads members at a pointer as the service should: the last of two
// spellings is at fault where they differ.
func (b *body) add(pointer string, members []member) (text string) {
	var parts []string
	for _, m := range members {
		parts = append(parts, fmt.Sprintf("%q:%s", m.name, m.value))
		at := pointer + "/" + pointerEscapes.Replace(m.name)
		if m.fixed {
			continue
		}
		if m.bad {
			b.faults = append(b.faults, at)
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(m.value), &v); err != nil {
			panic(fmt.Sprintf("%s: %v", m.value, err))
		}
		name := pointer + "/" + m.of.names[0]
		b.points[name] = at
		if before, there := b.values[name]; there && before != v {
			b.faults = append(b.faults, at)
			continue
		}
		b.values[name] = v
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// set gives dst the value of a field that was sent.
func set[T any](b *body, name string, dst *T) bool {
	v, ok := b.values[name].(T)
	if ok {
		*dst = v
	}
	return ok
}

// newWorkflow draws the body of a creation: a name, mostly, and any of the
// optional parts.
func (w *model) newWorkflow(c caller) *body {
	if b := w.malformed("name", nameField.good[0]); b != nil {
		return b
	}
	b := newBody()
	members := w.members(2, workflowFields[1:], workflowFixed)
	switch w.one("name", "good", "good", "good", "good", "good", "good", "good", "good", "bad", "none") {
	case "good":
		members = append(members, member{name: "name", value: w.one("value", nameField.good...), of: &nameField})
	case "bad":
		members = append(members, member{name: "name", value: w.one("value", nameField.bad...), bad: true})
	case "none":
		b.faults = append(b.faults, "/name")
	}
	plain := b.add("", members)
	parts := []string{plain[1 : len(plain)-1], w.sourcePart(b), w.documentPart(b, c), w.webhookPart(b)}
	if w.one("documents", "none", "none", "none", "none", "none", "none", "none", "none", "none", "there") == "there" {
		parts = append(parts, `"documents":[]`)
		b.faults = append(b.faults, "/documents")
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	b.text = "{" + strings.Join(parts, ",") + "}"
	return b
}

// sources are values of "source" in a creation, with their fields or their fault.
var sources = []struct {
	text   string
	fields []any
	fault  string
}{
	{text: ``},
	{text: `{"sourceFields":["Name","Customer.City"]}`, fields: []any{"Name", "Customer.City"}},
	{text: `{"id":"src_x","sourceType":"SHEET","webhookUrl":1,"sourceFields":["Grüße"]}`, fields: []any{"Grüße"}},
	{text: `{"sourceFields":[]}`}, // counts as not given
	{text: `{}`},
	{text: `{"sourceFields":["A","B","A"]}`, fault: "/source/sourceFields/2"},
	{text: `{"sourceFields":[""]}`, fault: "/source/sourceFields/0"},
	{text: `{"sourceFields":["A",1]}`, fault: "/source/sourceFields/1"},
	{text: `{"sourceFields":"A"}`, fault: "/source/sourceFields"},
	{text: `{"type":"WEBHOOK"}`, fault: "/source/type"},
	{text: `null`, fault: "/source"},
}

func (w *model) sourcePart(b *body) string {
	good, all := 5, len(sources)
	most := []int{good, good, good, all}[w.number("source's kind", 4)]
	s := sources[w.number("source", most)]
	if s.fault != "" {
		b.faults = append(b.faults, s.fault)
	}
	if s.fields != nil {
		b.values["/source/sourceFields"] = s.fields
	}
	if s.text == "" {
		return ""
	}
	return `"source":` + s.text
}

func (w *model) documentPart(b *body, c caller) string {
	switch w.one("document", "none", "none", "with", "with", "with", "null") {
	case "with":
		b.values["/document"] = true
		return `"document":` + b.add("/document", w.newDocumentMembers(c))
	case "null":
		b.faults = append(b.faults, "/document")
		return `"document":null`
	}
	return ""
}

func (w *model) webhookPart(b *body) string {
	switch w.one("outgoingWebhook", "none", "none", "null", "good", "good", "bad", "empty") {
	case "null":
		return `"outgoingWebhook":null`
	case "good":
		return `"outgoingWebhook":` + b.add("/outgoingWebhook", []member{{name: "webhookUrl", value: w.one("value", urlField.good...), of: &urlField}, {name: "id", value: `1`, fixed: true}})
	case "bad":
		return `"outgoingWebhook":` + b.add("/outgoingWebhook", []member{{name: "webhookUrl", value: w.one("value", urlField.bad...), bad: true}})
	case "empty":
		b.faults = append(b.faults, "/outgoingWebhook/webhookUrl")
		return `"outgoingWebhook":{}`
	}
	return ""
}
