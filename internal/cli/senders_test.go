package cli

import (
	"strings"
	"testing"
)

func TestMailSendersAreKeptByCommands(t *testing.T) {
	t.Parallel()
	d := sit(t)
	sender := object{"id": "snd_1", "name": "Accounting", "from": "a@example.com", "host": "mail.example.com", "port": 587, "security": "STARTTLS", "hasPassword": true, "failingSince": "2026-01-04T10:20:30Z", "error": object{"code": "mail_sender_unavailable", "message": "Away."}}
	d.answers["GET /mail-senders/"] = []object{sender}
	d.answers["GET /mail-senders/snd_1/"] = sender
	d.answers["POST /mail-senders/"] = sender
	d.answers["PATCH /mail-senders/snd_1/"] = sender
	d.answers["POST /mail-senders/snd_1/test/"] = object{"to": "ada@example.com", "sent": true}
	d.answers["DELETE /mail-senders/snd_1/"] = nil
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"senders list", []string{"Accounting", "mail.example.com:587 (STARTTLS)", "Away. (mail_sender_unavailable)"}},
		{"senders show Accounting", []string{"a@example.com", "2026-01-04T10:20:30Z", "Away. (mail_sender_unavailable)"}},
		{"senders create Accounting --from a@example.com --host mail.example.com", []string{"snd_1"}},
		{"senders update snd_1 --from b@example.com", []string{"snd_1"}},
		{"senders test Accounting", []string{"A mail was sent to ada@example.com."}},
		{"senders delete snd_1 --yes", []string{"Accounting is removed."}},
	} {
		before := len(d.out.String())
		if err := d.run(t.Context(), d.loggedIn(strings.Fields(c.command)...)...); err != nil {
			t.Fatalf("%s: %v", c.command, err)
		}
		for _, want := range c.want {
			if got := d.out.String()[before:]; !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %q in it", c.command, got, want)
			}
		}
	}
	if err := d.run(t.Context(), d.loggedIn("senders", "show", "Sales")...); err == nil || !strings.Contains(err.Error(), `you have no mail sender "Sales"`) {
		t.Errorf("got %v, want that there is none", err)
	}
	d.answers["POST /mail-senders/snd_1/test/"] = object{"to": "ada@example.com", "sent": false, "error": object{"code": "mail_sender_sign_in_refused", "message": "Refused."}}
	if err := d.run(t.Context(), d.loggedIn("senders", "test", "snd_1")...); err == nil || !strings.Contains(err.Error(), "Refused. (mail_sender_sign_in_refused)") {
		t.Errorf("got %v, want why no mail was sent", err)
	}
}
