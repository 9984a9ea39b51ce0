package cli

import (
	"strings"
	"testing"
)

func TestListsSayThatAMailDidNotGoOut(t *testing.T) {
	t.Parallel()
	d := sit(t)
	output := object{"id": "out_1", "state": "DONE", "mail": object{"number": 2, "state": "FAILED", "recipients": 1, "error": object{"code": "email_address_refused", "message": "Refused."}}}
	automation := object{"id": "aut_1", "state": "COMPLETED", "outputs": []object{output}}
	d.answers["GET /automations/"] = []object{automation}
	d.answers["GET /workflows/wkf_1/automations/aut_1/"] = automation
	d.answers["GET /workflows/wkf_1/outputs/"] = []object{output}
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"automations list", []string{"a mail did not go out: Refused. (email_address_"}},
		{"automations show wkf_1 aut_1", []string{"a mail did not go out: Refused. (email_address_refused)", "mail", "FAILED (mail 2) to 1 recipient: Refused. (email_address_refused)"}},
		{"outputs list wkf_1", []string{"MAIL", "FAILED", "Refused. (email_address_refused)"}},
	} {
		before := len(d.out.String())
		if err := d.run(t.Context(), d.loggedIn(strings.Fields(c.command)...)...); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if got := d.out.String()[before:]; !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %q in it", c.command, got, want)
			}
		}
	}
}

func TestListsNameWhatHasNoFile(t *testing.T) {
	t.Parallel()
	d := sit(t)
	output := object{"id": "out_1", "state": "FAILED", "name": "Invoice R-2026-101", "error": object{"code": "data_unusable", "message": "Why."}}
	automation := object{"id": "aut_1", "state": "FAILED", "outputs": []object{output}}
	d.answers["GET /automations/"] = []object{automation, {"id": "aut_2", "state": "ACCEPTED", "reference": "R/2026-102"}}
	d.answers["GET /workflows/wkf_1/automations/aut_1/"] = automation
	d.answers["GET /workflows/wkf_1/outputs/"] = []object{output}
	for _, command := range []string{"automations list", "automations show wkf_1 aut_1", "outputs list wkf_1"} {
		before := len(d.out.String())
		if err := d.run(t.Context(), d.loggedIn(strings.Fields(command)...)...); err != nil {
			t.Fatal(err)
		}
		said := d.out.String()[before:]
		if !strings.Contains(said, "Invoice R-2026-101") || command == "automations list" && !strings.Contains(said, "R/2026-102") {
			t.Errorf("%s: got %s, want the name of the output, or the reference", command, said)
		}
	}
}

func TestAnOutputIsMailedAgainByACommand(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.answers["POST /workflows/wkf_1/outputs/out_1/mail/"] = object{"id": "out_1", "mail": object{"number": 2, "state": "PENDING"}}
	if err := d.run(t.Context(), d.loggedIn("outputs", "mail", "wkf_1", "out_1", "--to", "ada@new.example")...); err != nil || d.out.String() != "PENDING (mail 2)\n" {
		t.Errorf("got %q, %v", d.out, err)
	}
	if got := strings.TrimSpace(string(d.bodies["POST /workflows/wkf_1/outputs/out_1/mail/"])); got != `{"to":"ada@new.example"}` {
		t.Errorf("sent %s", got)
	}
}

func TestAMailThatIsSentAgainIsWaitedFor(t *testing.T) {
	t.Parallel()
	later := object{"code": "smtp_unavailable", "message": "Later."}
	refused := object{"code": "email_address_refused", "message": "Refused."}
	for name, c := range map[string]struct {
		mail object
		code int
		said string
	}{
		"sent":        {object{"number": 2, "state": "SENT", "recipients": 1}, 0, ""},
		"refused":     {object{"number": 2, "state": "FAILED", "recipients": 1, "error": refused}, ExitNotCompleted, "mail 2 of output out_1 is FAILED: Refused. (email_address_refused)"},
		"partly":      {object{"number": 2, "state": "PARTLY_SENT", "recipients": 2, "accepted": 1}, ExitNotCompleted, "mail 2 of output out_1 is PARTLY_SENT"},
		"came back":   {object{"number": 2, "state": "BOUNCED", "recipients": 1}, ExitNotCompleted, "mail 2 of output out_1 is BOUNCED"},
		"sends none":  {object{"number": 2, "state": "NOT_SENT", "error": object{"code": "test_mode", "message": "Tests send none."}}, ExitNotCompleted, "is NOT_SENT: Tests send none. (test_mode)"},
		"never ready": {object{"number": 2, "state": "PENDING", "recipients": 1, "attempts": 1, "error": later}, ExitTimeout, "mail 2 of output out_1 is PENDING after 2s, and is still tried: 'platen outputs recipients wkf_1 out_1' shows it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := sit(t)
			pending := object{"number": 2, "state": "PENDING", "recipients": 1, "attempts": 1, "error": later}
			d.answers["POST /workflows/wkf_1/outputs/out_1/mail/"] = object{"id": "out_1", "workflowId": "wkf_1", "mail": object{"number": 2, "state": "PENDING"}}
			asked := 0
			d.answers["GET /workflows/wkf_1/outputs/out_1/mail/"] = func() any {
				mail := pending
				if asked++; asked > 1 {
					mail = c.mail
				}
				return []object{{"number": 3, "state": "SENT"}, mail, {"number": 1, "state": "SENT"}}
			}
			err := d.run(t.Context(), d.loggedIn("outputs", "mail", "wkf_1", "out_1", "--wait", "--timeout", "2s")...)
			if ExitCode(err) != c.code || err != nil && !strings.Contains(err.Error(), c.said) {
				t.Errorf("got exit code %d, %v; want %d with %q", ExitCode(err), err, c.code, c.said)
			}
			if told := "PENDING (mail 2) to 1 recipient: Later. (smtp_unavailable)\n"; !strings.Contains(d.err.String(), told) {
				t.Errorf("the progress is %q, want %q in it", d.err, told)
			}
			if state := c.mail["state"].(string); c.code != ExitTimeout && !strings.HasPrefix(d.out.String(), state+" (mail 2)") {
				t.Errorf("printed %q, want the mail that is %s", d.out, state)
			}
		})
	}
}

func TestACommandShowsWhomMailsWentTo(t *testing.T) {
	t.Parallel()
	d := sit(t)
	failed := object{"code": "email_address_refused", "message": "Refused."}
	d.answers["GET /workflows/wkf_1/outputs/out_1/mail/"] = []object{{"number": 1, "state": "PARTLY_SENT", "recipients": 2, "accepted": 1, "error": failed, "addresses": []object{
		{"address": "ada@example.com", "state": "ACCEPTED", "status": ""}, {"address": "bob@example.com", "state": "REFUSED", "status": "550 5.1.1"},
	}}}
	if err := d.run(t.Context(), d.loggedIn("outputs", "recipients", "wkf_1", "out_1")...); err != nil {
		t.Fatal(err)
	}
	if want := "1: PARTLY_SENT to 1 of 2 recipients: Refused. (email_address_refused)\n   ada@example.com ACCEPTED\n   bob@example.com REFUSED 550 5.1.1\n"; d.out.String() != want {
		t.Errorf("got %q, want %q", d.out.String(), want)
	}
}

func TestWhyNamesAReusedKeyAndTheNextAttempt(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.answers["GET /automations/"] = []object{{"id": "aut_2", "state": "SKIPPED", "reason": "KEY_REUSED", "keyTakenBy": "aut_1", "requestId": "R/2026-1", "reference": "Order 1"}}
	d.answers["GET /workflows/wkf_1/automations/aut_2/"] = d.answers["GET /automations/"].([]object)[0]
	event := object{"id": "evt_1", "state": "PENDING", "lastFailure": "The receiver answered 500.", "nextAttemptAt": "2026-01-04T12:00:00Z"}
	d.answers["GET /workflows/wkf_1/events/"] = []object{event}
	d.answers["GET /workflows/wkf_1/events/evt_1/"] = event
	for _, c := range []struct{ command, want string }{
		{"automations list --request R/2026-1", "another event was sent under this key before"},
		{"automations list --reference Order", "aut_2"},
		{"automations show wkf_1 aut_2", "aut_1 had the key first"},
		{"automations show wkf_1 aut_2", "Order 1"},
		{"events list wkf_1", "The receiver answered 500.; next attempt 2026-0"},
		{"events list wkf_1", "RECEIVER"},
		{"events show wkf_1 evt_1", "2026-01-04 12:00:00"},
	} {
		before := len(d.out.String())
		if err := d.run(t.Context(), d.loggedIn(strings.Fields(c.command)...)...); err != nil {
			t.Fatal(err)
		}
		if got := d.out.String()[before:]; !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %q in it", c.command, got, c.want)
		}
	}
}
