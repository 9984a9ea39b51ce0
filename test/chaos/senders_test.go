package chaos

import (
	"context"
	"net"
	"net/http"
	"net/mail"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/testkit/mailbox"
)

// customers is where the mails of events go, each to an address with its id.
const customers = "@customers.example"

// mailBy has the last workflow send its outputs by a server of its owner's own, all of an event
// in one mail.
func (i *integrator) mailBy(t *testing.T, sender string) {
	t.Helper()
	w := i.workflows[len(i.workflows)-1]
	w.box = &mailbox.Box{}
	host, port, err := net.SplitHostPort(w.box.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	i.call(t, w.owner, http.MethodPost, "/mail-senders/", object{"name": sender, "from": strings.ToLower(sender) + "@chaos.example", "host": host, "port": number, "security": "NONE"}, nil)
	i.call(t, w.owner, http.MethodPatch, "/workflows/"+w.id+"/documents/"+w.documents[0].id+"/", object{"email": object{
		"to": "{{Chaos Id}}" + customers, "subject": "Letters", "text": "Here they are.", "sender": sender, "allOutputs": true,
	}}, nil)
}

// checkMails: each event of a workflow that mails has a mail at the server of its sender, and at
// no other. A mail that came twice has one Message-ID.
func (w *witness) checkMails(ctx context.Context) {
	w.t.Helper()
	for _, one := range w.integrator.workflows {
		if one.box == nil {
			continue
		}
		ids := map[string]map[string]bool{} // Message-IDs by what was sent
		for _, m := range one.box.Mails() {
			id, _, _ := strings.Cut(m.To[0], "@")
			read, err := mail.ReadMessage(strings.NewReader(m.Text))
			if err != nil {
				w.fault("mail", "%s: %v", id, err)
				continue
			}
			if ids[id] == nil {
				ids[id] = map[string]bool{}
			}
			ids[id][read.Header.Get("Message-ID")] = true
			w.counts["mails"]++
		}
		for _, s := range w.load.ledger {
			if s.workflow != one && len(ids[s.id]) > 0 {
				w.fault("mail", "%s of workflow %s has a mail by the server of %s", s.id, s.workflow.name, one.name)
			}
		}
		w.checkMailsOf(ctx, one, ids)
	}
}

func (w *witness) checkMailsOf(ctx context.Context, one *workflow, ids map[string]map[string]bool) {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `SELECT id FROM automations WHERE workflow_id = $1 AND state = 'COMPLETED'`, one.id)
	if err != nil {
		w.t.Fatal(err)
	}
	automations, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.t.Fatal(err)
	}
	want := map[string]int{}
	for _, id := range automations {
		want[w.chaosID(ctx, id)]++
	}
	for id, n := range want {
		switch got := len(ids[id]); {
		case got < n:
			w.fault("lost", "%s of workflow %s has %d mails by the server of its sender, want %d", id, one.name, got, n)
		case got > n && !w.timeline.wentBack():
			w.fault("duplicated", "%s of workflow %s has mails under %d Message-IDs, want %d", id, one.name, got, n)
		}
	}
}
