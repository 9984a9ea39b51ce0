package cli

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/client"
)

// nasty is a text that somebody gave to a workflow, a file or an answer.
var nasty = "\x1b[2J\u202e</td>\u200f\r\n\t\u009b" + strings.Repeat("x", 10_000)

// filled is a value with nasty in every text.
func filled[T any]() T {
	var v T
	fill(reflect.ValueOf(&v).Elem())
	return v
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(nasty)
	case reflect.Int:
		v.SetInt(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.Set(reflect.ValueOf(json.RawMessage(`{}`)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 1, 4, 12, 0, 0, 0, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

// printsNoJSON are commands that say one line.
var printsNoJSON = regexp.MustCompile(`^(?:(?:workflows|documents|webhooks) delete|webhooks (?:create|update|secret)|automations erase|series next) `)

func TestEveryCommandShowsTextsFromOutsideAsText(t *testing.T) {
	t.Parallel()
	workflow, automation, event, document := filled[client.Workflow](), filled[client.AutomationDetail](), filled[client.EventDetail](), filled[client.Document]()
	workflow.ID = "wkf_1"
	of := "/workflows/wkf_1/"
	answers := map[string]any{
		"GET /workflows/": []any{workflow}, "GET " + of: workflow, "POST /workflows/": workflow,
		"GET " + of + "documents/": []any{document}, "GET " + of + "documents/doc_1/": document, "POST " + of + "documents/": document, "POST " + of + "documents/doc_1/check/": filled[client.DocumentCheck](),
		"GET " + of + "outgoing-webhooks/": filled[client.OutgoingWebhook](), "GET " + of + "outgoing-webhooks/state/": filled[client.EndpointState](),
		"POST " + of + "outgoing-webhooks/": filled[client.OutgoingWebhook](), "PATCH " + of + "outgoing-webhooks/": filled[client.OutgoingWebhook](),
		"POST " + of + "outgoing-webhooks/test/": filled[client.TestDelivery](), "GET " + of + "outgoing-webhooks/secret/": filled[client.SigningSecret](),
		"GET " + of + "automations/" + automation.ID + "/": automation,
		"GET " + of + "automations/":                       []any{automation}, "GET /automations/": []any{automation}, "GET " + of + "automations/aut_1/": automation,
		"POST " + of + "automations/aut_1/retry/": automation, "POST " + of + "automations/aut_1/cancel/": automation, "DELETE " + of + "automations/aut_1/": automation,
		"GET /automations/failures/": []any{filled[client.FailureCause]()}, "POST " + of + "automations/aut_1/done/": automation, "DELETE " + of + "automations/aut_1/done/": automation,
		"GET " + of + "events/": []any{event}, "GET " + of + "events/evt_1/": event, "POST " + of + "events/evt_1/redeliver/": event,
		"GET " + of + "outputs/": []any{filled[client.Output]()}, "POST " + of + "outputs/out_1/mail/": filled[client.Output](),
		"GET /series/": []any{filled[client.Series]()}, "GET /series/invoices/numbers/": []any{filled[client.DrawnNumber]()}, "PATCH /series/invoices/": filled[client.Series](),
		"POST " + of + "events/recover/": filled[client.Recovery](), "DELETE " + of: object{}, "DELETE " + of + "documents/doc_1/": object{}, "DELETE " + of + "outgoing-webhooks/": object{},
	}
	for _, command := range []string{
		"workflows list", "workflows show wkf_1", "workflows create Name", "workflows delete wkf_1",
		"documents list wkf_1", "documents check wkf_1 doc_1", "documents show wkf_1 doc_1", "documents create wkf_1 --file-id f", "documents delete wkf_1 doc_1",
		"webhooks list", "webhooks show wkf_1", "webhooks create wkf_1 https://r.example", "webhooks update wkf_1 https://r.example", "webhooks delete wkf_1", "webhooks secret wkf_1", "webhooks test wkf_1",
		"automations list", "automations list wkf_1 --state FAILED --since 1d", "automations show wkf_1 aut_1", "automations retry wkf_1 aut_1", "automations failures", "automations done wkf_1 aut_1", "automations done wkf_1 aut_1 --undo", "automations cancel wkf_1 aut_1", "automations erase wkf_1 aut_1 --yes",
		"series list", "series numbers invoices --state VOID", "series next invoices 7 --new",
		"outputs list wkf_1 --mail FAILED", "outputs mail wkf_1 out_1 --to ada@example.com",
		"events list", "events list wkf_1", "events show wkf_1 evt_1", "events redeliver wkf_1 evt_1", "events recover wkf_1 --since 1h",
	} {
		flags := []string{"", " --json"}
		if printsNoJSON.MatchString(command) {
			flags = flags[:1]
		}
		for _, flag := range flags {
			t.Run(command+flag, func(t *testing.T) {
				t.Parallel()
				d := sit(t)
				const columns = 300
				d.Columns = func() int { return columns }
				for what, answer := range answers {
					d.answers[what] = answer
				}
				err := d.run(t.Context(), d.loggedIn(strings.Fields(command+flag)...)...)
				said := d.out.String()
				if err != nil && !strings.Contains(command, "check") && !strings.Contains(command, "test") || said == "" {
					t.Fatalf("got %q, %v", said, err)
				}
				for n, line := range strings.Split(strings.TrimSuffix(said, "\n"), "\n") {
					if at := strings.IndexFunc(line, hidden); at >= 0 {
						t.Fatalf("line %d has %q", n+1, line[at:at+1])
					}
					if flag == "" && strings.HasSuffix(strings.Fields(command)[1], "list") && columnsIn(line) > columns {
						t.Errorf("line %d of a table has %d columns", n+1, columnsIn(line))
					}
					if flag != "" && !json.Valid([]byte(line)) {
						t.Errorf("line %d is no JSON: %.80q", n+1, line)
					}
				}
				if flag == "" && strings.HasSuffix(command, "list") && strings.Count(said, "\n") != 2 {
					t.Errorf("got %d lines, want a heading and one row", strings.Count(said, "\n"))
				}
			})
		}
	}
}

func TestAListEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	d := sit(t)
	var all []object
	for i := range 5 {
		all = append(all, object{"id": fmt.Sprintf("wkf_%d", i), "name": "N", "status": "COMPLETE"})
	}
	d.answers["GET /workflows/"] = all
	if err := d.run(t.Context(), d.loggedIn("workflows", "list", "--limit", "1")...); err != nil || d.err.String() != "" {
		t.Errorf("a script that asks for one is told %q, %v", d.err, err)
	}
	d.out, d.Watched = &said{}, true
	d.Out = d.out
	if err := d.run(t.Context(), d.loggedIn("workflows", "list", "--limit", "2", "--json")...); err != nil || strings.Count(d.out.String(), "\n") != 2 {
		t.Errorf("got %s, %v; want two lines", d.out, err)
	}
	if !strings.Contains(d.err.String(), "more than 2") {
		t.Errorf("got %q, want that there are more", d.err)
	}
	before := len(d.err.String())
	if err := d.run(t.Context(), d.loggedIn("workflows", "list", "--limit", "5")...); err != nil || len(d.err.String()) != before {
		t.Errorf("all of them: got %v and %s", err, d.err)
	}
	for _, limit := range []string{"0", "-1"} {
		if err := d.run(t.Context(), d.loggedIn("workflows", "list", "--limit", limit)...); ExitCode(err) != ExitUsage {
			t.Errorf("--limit %s: got %v", limit, err)
		}
	}
}
