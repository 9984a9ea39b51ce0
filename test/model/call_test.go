package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
)

type object = map[string]any

// A request to the API. path begins behind /v0 and has no slash at its end.
type request struct {
	caller caller
	method string
	path   string
	shown  string // path in messages
	query  string // with its question mark
	body   *body  // nil: none
	header []string
}

// An outcome is the answer to a request that the model expects.
type outcome struct {
	status int
	code   string   // of an error
	faults []string // JSON pointers of its errors, in any order
	body   any      // of a success; nil: empty
}

func refusal(status int, code string) outcome { return outcome{status: status, code: code} }

func (o outcome) ok() bool { return o.code == "" }

type answer struct {
	status int
	header http.Header
	body   []byte
	value  any
}

// do sends a request and fails the run where its answer is not the outcome.
func (w *model) do(r request, want outcome) answer {
	w.t.Helper()
	shown := fmt.Sprintf("%s: %s %s", r.caller.name, r.method, r.shown)
	address := w.api + r.path + w.one("end", "/", "/", "") + r.query
	key := ""
	if r.method == http.MethodPost && r.caller.person != nil {
		if w.one("key", "", "", "", "Idempotency-Key") != "" {
			w.keys++
			key = fmt.Sprintf("key %d", w.keys)
			r.header = append(r.header, "Idempotency-Key", key)
		}
	}
	a := w.send(r.method, address, r.caller.authorization, r.body, r.header)
	text := ""
	if r.body != nil {
		text = " " + r.body.text
	}
	w.t.Logf("%s%.300s → %d %s", shown, w.plain(text), a.status, w.plain(codeOf(a)))
	w.takeFindings(shown, r.method, a)
	w.judge(shown, a, want)
	if r.caller.person != nil {
		w.nothingLeaks(shown, r, a)
	}
	if key != "" {
		w.repeat(shown, r, address, a)
	}
	return a
}

// takeFindings takes out of an answer what was found about what it made or changed: what is
// found depends on what the drive has time for.
func (w *model) takeFindings(shown, method string, a answer) {
	w.t.Helper()
	var take func(v any)
	take = func(v any) {
		switch v := v.(type) {
		case object:
			found, there := v["findings"]
			_, why := v["unchecked"].(object)
			if _, listed := found.([]any); there && listed == why {
				w.t.Fatalf("%s: findings %v, unchecked %v", shown, found, v["unchecked"])
			}
			delete(v, "findings")
			delete(v, "unchecked")
			take(v["documents"])
			take(v["outgoingWebhook"])
		case []any:
			for _, one := range v {
				take(one)
			}
		}
	}
	if method != http.MethodGet && a.status < 300 && !strings.Contains(shown, "/automations") && !strings.Contains(shown, "/outputs/") && !strings.Contains(shown, "/check") {
		take(a.value)
	}
}

// repeat sends a request with an Idempotency-Key again: the first answer comes
// again and nothing happens. The key stands for no other request.
func (w *model) repeat(shown string, r request, address string, first answer) {
	w.t.Helper()
	again := w.send(r.method, address, r.caller.authorization, r.body, r.header)
	if again.status != first.status || !bytes.Equal(again.body, first.body) || again.header.Get("Idempotent-Replayed") != "true" {
		w.t.Fatalf("%s: repeated with its key: got %d %s, want the first answer", shown, again.status, w.plain(string(again.body)))
	}
	other := w.send(r.method, address, r.caller.authorization, &body{text: `{"other":1}`}, r.header)
	w.judge(shown+" with a key that was used", other, refusal(409, "idempotency_key_reused"))
}

func (w *model) send(method, address, authorization string, b *body, header []string) answer {
	w.t.Helper()
	var content io.Reader
	if b != nil {
		content = strings.NewReader(b.text)
	}
	request, err := http.NewRequestWithContext(w.t.Context(), method, address, content)
	w.must(err)
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := w.client.Do(request)
	w.must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	w.must(err)
	a := answer{status: response.StatusCode, header: response.Header, body: text}
	if len(text) > 0 && json.Unmarshal(text, &a.value) != nil {
		w.t.Fatalf("%s: the answer is not JSON: %s", w.plain(address), w.plain(string(text)))
	}
	w.note(request, a)
	return a
}

func (w *model) judge(shown string, a answer, want outcome) {
	w.t.Helper()
	if a.status != want.status {
		w.t.Fatalf("%s: got status %d, want %d %s\nanswer: %s", shown, a.status, want.status, want.code, w.plain(string(a.body)))
	}
	if !want.ok() {
		w.judgeError(shown, a, want)
		return
	}
	if want.body == nil {
		if len(a.body) > 0 {
			w.t.Fatalf("%s: got a body, want none: %s", shown, w.plain(string(a.body)))
		}
		return
	}
	if found := differences("", a.value, want.body); len(found) > 0 {
		w.t.Fatalf("%s:\n%s", shown, w.plain(strings.Join(found, "\n")))
	}
}

// reasons are the reason texts of section 7, and of RFC 9110 for the rest.
var reasons = map[int]string{
	400: "Bad Request", 403: "Unauthorised", 404: "Not Found", 405: "Method Not Allowed", 409: "Conflict", 410: "Gone", 412: "Precondition Failed",
}

func (w *model) judgeError(shown string, a answer, want outcome) {
	w.t.Helper()
	wanted := object{
		"type": "urn:platen:problem:" + want.code, "title": reasons[want.status], "status": float64(want.status), "code": want.code,
		"detail":    check{"a sentence", func(v any) bool { s, _ := v.(string); return len(s) > 10 }},
		"requestId": check{"X-Request-Id", func(v any) bool { return v == a.header.Get("X-Request-Id") && v != "" }},
	}
	got, _ := a.value.(object)
	faults := []string{}
	if list, ok := got["errors"].([]any); ok {
		for _, f := range list {
			pointer, _ := f.(object)["pointer"].(string)
			faults = append(faults, pointer)
		}
		wanted["errors"] = list // judged below
	}
	if found := differences("", a.value, wanted); len(found) > 0 {
		w.t.Fatalf("%s:\n%s", shown, w.plain(strings.Join(found, "\n")))
	}
	wantFaults := slices.Clone(want.faults)
	slices.Sort(wantFaults)
	slices.Sort(faults)
	if !slices.Equal(faults, wantFaults) {
		w.t.Fatalf("%s: got faults at %q, want %q", shown, faults, wantFaults)
	}
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		w.t.Fatalf("%s: got an error of type %q, want application/problem+json", shown, got)
	}
}

func codeOf(a answer) string {
	v, _ := a.value.(object)
	code, _ := v["code"].(string)
	return code
}

// A check stands in an expected value for what the service chooses.
type check struct {
	want string
	ok   func(v any) bool
}

func matches(pattern string) check {
	form := regexp.MustCompile("^" + pattern + "$")
	return check{pattern, func(v any) bool {
		s, ok := v.(string)
		return ok && form.MatchString(s)
	}}
}

// differences compares decoded JSON.
func differences(pointer string, got, want any) []string {
	switch want := want.(type) {
	case check:
		if want.ok(got) {
			return nil
		}
		return []string{fmt.Sprintf("%s: got %s, want %s", pointer, text(got), want.want)}
	case object:
		got, ok := got.(object)
		if !ok {
			break
		}
		names := make([]string, 0, len(want))
		for name := range want {
			names = append(names, name)
		}
		for name := range got {
			if _, known := want[name]; !known {
				names = append(names, name)
			}
		}
		sort.Strings(names)
		var found []string
		for _, name := range names {
			at := pointer + "/" + name
			g, there := got[name]
			wanted, known := want[name]
			switch {
			case !there:
				found = append(found, at+": is not there")
			case !known:
				found = append(found, at+": is no field of this: "+text(g))
			default:
				found = append(found, differences(at, g, wanted)...)
			}
		}
		return found
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			break
		}
		var found []string
		for i := range want {
			found = append(found, differences(fmt.Sprintf("%s/%d", pointer, i), got[i], want[i])...)
		}
		return found
	}
	if reflect.DeepEqual(got, want) {
		return nil
	}
	return []string{fmt.Sprintf("%s: got %s, want %s", pointer, text(got), text(want))}
}

func text(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return fmt.Sprintf("%v", v)
	}
	return strings.TrimSpace(b.String())
}

var (
	ids   = regexp.MustCompile(`\b(usr|team|wkf|src|doc|owc|rcv|aut|out|evt)_[0-9A-Za-z]{14,}`)
	names = regexp.MustCompile(`\b(?:usr|team|wkf|src|doc|owc|rcv|aut|out|evt|req|plt|whsec)_[0-9A-Za-z+/=_-]{8,}|:\d+/[0-9A-Za-z]{27}\b|[0-9A-Za-z_-]{20,}|\d{4}-\d\d-\d\dT[0-9:.+-]+`)
)

// nothingLeaks checks that an answer names no id of another tenant. Ids of the
// request itself may be quoted.
func (w *model) nothingLeaks(shown string, r request, a answer) {
	w.t.Helper()
	for _, id := range ids.FindAllString(string(a.body)+fmt.Sprint(a.header), -1) {
		owner, known := w.ownerOf(id)
		asked := strings.Contains(r.path, id) || r.body != nil && strings.Contains(r.body.text, id)
		if known && !owner(r.caller.person) && !asked {
			w.t.Fatalf("%s: the answer tells of %s, which %s may not see", shown, w.plain(id), r.caller.name)
		}
	}
	for _, one := range w.workflows {
		if !r.caller.person.sees(one) && bytes.Contains(a.body, []byte(one.address)) {
			w.t.Fatalf("%s: the answer tells the source address of %s", shown, one.label)
		}
	}
}

// ownerOf tells who may see an id that this run knows.
func (w *model) ownerOf(id string) (sees func(*person) bool, known bool) {
	for _, p := range w.people {
		if p.id == id {
			return func(q *person) bool { return p == q || p.team != nil && p.team == q.team || w.metIn(q, p) }, true
		}
	}
	for _, of := range w.teams {
		if of.id == id {
			return func(q *person) bool {
				return q.team == of || slices.ContainsFunc(w.seenBy(q), func(one *workflow) bool { return one.team == of })
			}, true
		}
	}
	for _, one := range w.workflows {
		if one.has(id) {
			return func(q *person) bool { return q.sees(one) }, true
		}
	}
	return nil, false
}

// metIn tells whether a workflow that somebody sees names another user: its owner, or
// the user who erased an automation. Both may be in another team by now.
func (w *model) metIn(who, named *person) bool {
	return slices.ContainsFunc(w.seenBy(who), func(one *workflow) bool {
		return one.owner == named || slices.ContainsFunc(one.automations, func(a *automation) bool { return a.erasedBy == named })
	})
}

// plain makes a message the same in every run of the same steps, which
// shrinking asks for: ids, secrets and times become numbers.
func (w *model) plain(message string) string {
	return names.ReplaceAllStringFunc(message, func(name string) string {
		if !strings.ContainsAny(name, "0123456789_:") {
			return name // a word
		}
		if w.aliases[name] == "" {
			w.aliases[name] = fmt.Sprintf("<%d>", len(w.aliases)+1)
		}
		return w.aliases[name]
	})
}
