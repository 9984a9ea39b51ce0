package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// triggerable gives the API a workflow whose automation is in these states, one after the
// other.
func triggerable(d *desk, states ...object) {
	source := strings.TrimSuffix(d.api, "/v0") + "/key"
	workflow := object{"id": "wkf_1", "name": "Letters, Kiel", "status": "COMPLETE", "source": object{"webhookUrl": source}, "outgoingWebhook": object{"id": "owh_1"}}
	d.answers["GET /workflows/"] = []object{workflow, {"id": "wkf_2", "name": "Twins"}, {"id": "wkf_3", "name": "twins"}}
	d.answers["GET /workflows/wkf_1/"] = workflow
	d.answers["POST /key"] = object{}
	automation := func(i int) object {
		a := object{"id": "aut_1", "workflowId": "wkf_1", "requestId": d.headers["POST /key"].Get("X-Request-Id")}
		for name, value := range states[min(i, len(states)-1)] {
			a[name] = value
		}
		return a
	}
	d.answers["GET /workflows/wkf_1/automations/"] = func() any {
		return []object{{"id": "aut_2", "requestId": "another"}, automation(0)}
	}
	i := 0
	d.answers["GET /workflows/wkf_1/automations/aut_1/"] = func() any { i++; return automation(i) }
}

func TestTriggerPrintsTheAutomationOfItsEvent(t *testing.T) {
	t.Parallel()
	d := sit(t)
	triggerable(d, object{"state": "ACCEPTED"})
	file := filepath.Join(t.TempDir(), "event.json")
	event := `{"Name":  "Ada", "Name": 1.0}` + "\n"
	if err := os.WriteFile(file, []byte(event), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ workflow, file string }{{"wkf_1", file}, {"letters, kiel", "-"}} {
		d.In = strings.NewReader(event)
		before := len(d.out.String())
		if err := d.run(t.Context(), d.loggedIn("trigger", c.workflow, c.file)...); err != nil || d.out.String()[before:] != "aut_1\n" {
			t.Errorf("%v: got %q, %v; want the id alone", c, d.out.String()[before:], err)
		}
		if got := string(d.bodies["POST /key"]); got != event {
			t.Errorf("%v: the source got %q, want the bytes as they are", c, got)
		}
		delete(d.bodies, "POST /key")
	}
	for name, want := range map[string]string{"nobody": `no workflow is called "nobody"`, "twins": "wkf_2\n  wkf_3"} {
		if err := d.run(t.Context(), d.loggedIn("trigger", name, file)...); ExitCode(err) != ExitFailed || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}

func TestTriggerWaitsUntilTheAutomationHasEnded(t *testing.T) {
	t.Parallel()
	file := object{"id": "f", "name": "a\u202eb.pdf", "url": "https://drive.example/f", "kind": "pdf"}
	for name, c := range map[string]struct {
		last object
		code int
		says string
	}{
		"completed": {object{"state": "COMPLETED", "outputs": []object{{"state": "DONE", "files": []object{file}}}}, 0, ""},
		"a mail that failed": {object{"state": "COMPLETED", "outputs": []object{{"state": "DONE", "mail": object{"state": "FAILED", "error": object{"code": "email_address_refused", "message": "Refused."}}}}}, ExitNotCompleted,
			"automation aut_1 is COMPLETED, and a mail did not go out: Refused. (email_address_refused)"},
		"failed":  {object{"state": "FAILED", "error": object{"code": "template_faulty", "message": "Tag\x1b"}}, ExitNotCompleted, `aut_1 is FAILED: Tag\x1b (template_faulty)`},
		"skipped": {object{"state": "SKIPPED", "reason": "WORKFLOW_INCOMPLETE"}, ExitNotCompleted, "the workflow has no document"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := sit(t)
			var opened []string
			d.Browse = func(what string) error { opened = append(opened, what); return nil }
			triggerable(d, object{"state": "ACCEPTED"}, object{"state": "RUNNING", "outputs": []object{{"state": "PENDING", "progress": object{"copied": true}}}}, c.last)
			d.In = strings.NewReader("{}")
			err := d.run(t.Context(), d.loggedIn("trigger", "wkf_1", "-", "--open")...)
			if ExitCode(err) != c.code || c.code != 0 && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, code %d; want %d and %q", err, ExitCode(err), c.code, c.says)
			}
			if !strings.Contains(d.err.String(), "RUNNING, 0 of 1 document made, template copied") {
				t.Errorf("the progress: got %s", d.err)
			}
			if made := `a\u202eb.pdf` + "\thttps://drive.example/f\n"; c.code == 0 && (d.out.String() != made || len(opened) != 1 || opened[0] != "https://drive.example/f") {
				t.Errorf("got %q, opened %q; want %q", d.out, opened, made)
			}
		})
	}
}

func TestAMailThatIsTriedAgainIsSaidAndNoFailure(t *testing.T) {
	t.Parallel()
	d := sit(t)
	mail := object{"state": "PENDING", "error": object{"code": "smtp_unavailable", "message": "Later."}}
	triggerable(d, object{"state": "ACCEPTED"}, object{"state": "COMPLETED", "outputs": []object{{"state": "DONE", "mail": mail}}})
	d.In = strings.NewReader("{}")
	if err := d.run(t.Context(), d.loggedIn("trigger", "wkf_1", "-", "--wait")...); err != nil || !strings.Contains(d.err.String(), "Automation aut_1: a mail is tried again: Later. (smtp_unavailable)") {
		t.Errorf("got %v and %s", err, d.err)
	}
}

func TestTriggerEndsWithItsTimeout(t *testing.T) {
	t.Parallel()
	d := sit(t)
	triggerable(d, object{"state": "RUNNING"})
	d.In = strings.NewReader("{}")
	err := d.run(t.Context(), d.loggedIn("trigger", "wkf_1", "-", "--wait", "--timeout", "20ms")...)
	if ExitCode(err) != ExitTimeout || !strings.Contains(err.Error(), "platen automations show wkf_1 aut_1") {
		t.Errorf("got %v, code %d; want %d", err, ExitCode(err), ExitTimeout)
	}
}

// A script that was interrupted sends its event again and waits for the same automation.
func TestTheSameKeyFindsTheSameAutomation(t *testing.T) {
	t.Parallel()
	d := sit(t)
	triggerable(d, object{"state": "COMPLETED"})
	var ids []string
	for range 2 {
		d.In = strings.NewReader("{}")
		if err := d.run(t.Context(), d.loggedIn("trigger", "wkf_1", "-", "--key", "order 17")...); err != nil {
			t.Fatal(err)
		}
		if got := d.headers["POST /key"].Get("Idempotency-Key"); got != "order 17" {
			t.Errorf("the event was sent under the key %q", got)
		}
		ids = append(ids, d.headers["POST /key"].Get("X-Request-Id"))
	}
	if ids[0] != ids[1] || ids[0] == "" {
		t.Errorf("the requests are named %q, want one name", ids)
	}
}

func TestTriggerCallsTheAutomationAsItIsTold(t *testing.T) {
	t.Parallel()
	d := sit(t)
	triggerable(d, object{"state": "ACCEPTED"})
	for _, c := range []struct {
		flags []string
		want  []string
	}{{nil, nil}, {[]string{"--reference", "Bestellung 17 ü"}, []string{"Bestellung 17 ü"}}} {
		d.In = strings.NewReader("{}")
		if err := d.run(t.Context(), d.loggedIn(append([]string{"trigger", "wkf_1", "-"}, c.flags...)...)...); err != nil {
			t.Fatal(err)
		}
		if got := d.headers["POST /key"].Values("Platen-Reference"); !slices.Equal(got, c.want) {
			t.Errorf("%q: the event was called %q, want %q", c.flags, got, c.want)
		}
	}
}

// An event that was refused its key must not stand in the way of the one that has it.
func TestAKeyFindsTheAutomationOfItsOwnBody(t *testing.T) {
	t.Parallel()
	d := sit(t)
	triggerable(d, object{"state": "COMPLETED"})
	named := map[string]string{}
	for _, event := range []string{`{"a":1}`, `{"a":2}`, `{"a":1}`} {
		d.In = strings.NewReader(event)
		if err := d.run(t.Context(), d.loggedIn("trigger", "wkf_1", "-", "--key", "order 17")...); err != nil {
			t.Fatal(err)
		}
		id := d.headers["POST /key"].Get("X-Request-Id")
		if before, ok := named[event]; ok && before != id {
			t.Errorf("the request of %s is named %q, and %q before", event, id, before)
		}
		named[event] = id
	}
	if named[`{"a":1}`] == named[`{"a":2}`] {
		t.Errorf("two bodies under one key have the request id %q: the later one hides the first", named[`{"a":1}`])
	}
}
