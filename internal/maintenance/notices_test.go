package maintenance_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/platenhq/platen/internal/mail"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/mailbox"
)

// A desk has notices that are due, and takes the mails about them.
type desk struct {
	due     []platen.Notice
	told    []string
	letters []platen.Letter
	fails   error
}

func (d *desk) ClaimNotices(context.Context, time.Duration, time.Duration, time.Duration, int) ([]platen.Notice, error) {
	return d.due, nil
}

func (d *desk) MarkTold(_ context.Context, told []platen.Notice) error {
	for _, n := range told {
		d.told = append(d.told, n.Subject)
	}
	return nil
}

func (d *desk) Host() string { return "example.com" }

func (d *desk) Deliver(_ context.Context, l platen.Letter) ([]platen.Recipient, error) {
	d.letters = append(d.letters, l)
	return nil, d.fails
}

var causedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func failed(owner, workflow string, count int) platen.Notice {
	return platen.Notice{
		Kind: platen.NoticeFailures, Subject: "wkf_" + workflow, WorkflowID: "wkf_" + workflow, Workflow: workflow, OwnerID: owner,
		Email: owner + "@example.org", Count: count, Code: "template_faulty", Message: "Why.", CausedAt: causedAt, Mail: owner,
	}
}

func pass(t *testing.T, d *desk) error {
	t.Helper()
	return maintenance.TellOwners(d, d, "https://api.example.com/console").Do(t.Context(), slog.New(slog.DiscardHandler))
}

func TestEachOwnerGetsOneMailOfAKind(t *testing.T) {
	t.Parallel()
	gone := failed("bea", "Offers", 3)
	gone.Again, gone.Code = true, platen.CodeFileNotFound
	d := &desk{due: []platen.Notice{
		failed("ada", "Invoices", 1), failed("ada", "Letters", 2), gone,
		{Kind: platen.NoticeConnection, Subject: "usr_1", OwnerID: "bea", Email: "bea@example.org", Mail: "bea", CausedAt: causedAt},
		{Kind: platen.NoticeReceiver, Subject: "x", OwnerID: "bea", Email: "bea@example.org", Mail: "bea", Workflow: "Offers", WorkflowID: "wkf_Offers", Code: platen.CodeEndpointGone, CausedAt: causedAt},
		{Kind: platen.NoticeTargets, Subject: "wkf_Offers", OwnerID: "bea", Email: "bea@example.org", Mail: "bea", Workflow: "Offers", WorkflowID: "wkf_Offers", Count: 2, Code: platen.CodeTargetFull, Message: "Archive", CausedAt: causedAt},
		{Kind: platen.NoticeSchedules, Subject: "wkf_Offers", OwnerID: "bea", Email: "bea@example.org", Mail: "bea", Workflow: "Offers", WorkflowID: "wkf_Offers", Count: 1, Code: platen.CodeScheduleRefused, Message: "Monthly", CausedAt: causedAt},
		{Kind: platen.NoticeUsage, Subject: "bea", OwnerID: "bea", Email: "bea@example.org", Mail: "bea", Count: 80, Message: "100", CausedAt: causedAt},
		{Kind: platen.NoticeUsage, Subject: "ada", OwnerID: "ada", Email: "ada@example.org", Mail: "ada", Count: 100, Code: platen.CodeUsageLimit, Message: "100", CausedAt: causedAt},
	}}
	if err := pass(t, d); err != nil {
		t.Fatal(err)
	}
	want := []struct{ to, subject, text string }{
		{"ada@example.org", "2 workflows failed", "Workflow \"Letters\": 2 automations failed. The last one: Why. (template_faulty)\nhttps://api.example.com/console/workflows/wkf_Letters/\n"},
		{"bea@example.org", `The template of workflow "Offers" was not found`, "3 automations failed since the last mail."},
		{"bea@example.org", "Your drive has to be connected again", "connect the drive again"},
		{"bea@example.org", `Nothing is sent to the receiver of "Offers" any more`, "410 Gone"},
		{"bea@example.org", `2 documents of workflow "Offers" were not stored elsewhere`, "The last one: Archive (target_full)\nhttps://api.example.com/console/workflows/wkf_Offers/outputs/?target=FAILED\n"},
		{"bea@example.org", `1 schedule of workflow "Offers" started nothing`, "The last one: Monthly (schedule_url_refused)\nhttps://api.example.com/console/workflows/wkf_Offers/data/\n"},
		{"bea@example.org", "Most documents of this month are made", "80 of 100 documents of this month are made."},
		{"ada@example.org", "The documents of this month are used up", "for more.\nhttps://api.example.com/console/usage/\n"},
	}
	if len(d.letters) != len(want) || len(d.told) != len(d.due) {
		t.Fatalf("got %d mails about %v, want %d about all", len(d.letters), d.told, len(want))
	}
	for i, l := range d.letters {
		if !slices.Equal(l.To, []string{want[i].to}) || l.Subject != want[i].subject || !strings.Contains(l.Text, want[i].text) {
			t.Errorf("mail %d: got %+v, want %+v", i, l, want[i])
		}
	}
}

func TestAMailToAnOwnerIsTriedAgainAsItWas(t *testing.T) {
	t.Parallel()
	d := &desk{due: []platen.Notice{failed("ada", "Invoices", 1)}, fails: platen.Errorf(platen.KindUnavailable, platen.CodeSMTPUnavailable, "later")}
	if err := pass(t, d); err == nil || len(d.told) > 0 {
		t.Errorf("got %v, told of %v; want an error and nothing", err, d.told)
	}
	d.fails = nil
	if err := pass(t, d); err != nil {
		t.Fatal(err)
	}
	if d.letters[0].MessageID != d.letters[1].MessageID || d.letters[0].Text != d.letters[1].Text || !strings.HasSuffix(d.letters[0].MessageID, "@example.com") {
		t.Errorf("got two letters that differ: %+v", d.letters)
	}
	d.due[0].Mail = "another"
	if err := pass(t, d); err != nil || d.letters[2].MessageID == d.letters[0].MessageID {
		t.Errorf("another mail: got the letter of the first, %v", err)
	}
}

func TestAWrongSettingKeepsAnOwnersMail(t *testing.T) {
	t.Parallel()
	box := mailbox.Box{RefuseSender: func(string) error { return &smtp.SMTPError{Code: 550, Message: "who are you?"} }}
	server, err := mail.NewServer(mail.Options{URL: platen.Secret("smtp://" + box.Start(t)), From: "a@example.com", ClearText: true, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{due: []platen.Notice{failed("ada", "Invoices", 1)}}
	err = maintenance.TellOwners(d, server, "").Do(t.Context(), slog.New(slog.DiscardHandler))
	if err == nil || len(d.told) > 0 {
		t.Errorf("got %v, told of %v; want an error and nothing", err, d.told)
	}
}

func TestAnOwnerWhoCannotBeReachedIsNotTriedForEver(t *testing.T) {
	t.Parallel()
	refused := &desk{due: []platen.Notice{failed("ada", "Invoices", 1)}, fails: platen.Errorf(platen.KindInvalid, platen.CodeEmailAddressRefused, "no")}
	nobody := &desk{due: []platen.Notice{failed("ada", "Invoices", 1)}}
	nobody.due[0].Email = "ada"
	for name, d := range map[string]*desk{"refused": refused, "no address": nobody} {
		if err := pass(t, d); err != nil || len(d.told) != 1 {
			t.Errorf("%s: got %v, told of %v; want that it is over", name, err, d.told)
		}
	}
}

func TestAMailAboutAKeyOfBeforeNamesWhoHadIt(t *testing.T) {
	t.Parallel()
	keys := failed("ada", "Invoices", 1)
	keys.Kind, keys.Code, keys.Message = platen.NoticeKeys, "", ""
	keys.AutomationID, keys.KeyTakenBy = "aut_00000000000002", "aut_00000000000001"
	d := &desk{due: []platen.Notice{keys}}
	if err := pass(t, d); err != nil {
		t.Fatal(err)
	}
	const want = "The last one is aut_00000000000002; aut_00000000000001 had its key first.\nhttps://api.example.com/console/workflows/wkf_Invoices/runs/?state=SKIPPED\n"
	if len(d.letters) != 1 || !strings.Contains(d.letters[0].Text, want) {
		t.Errorf("got %+v, want %q", d.letters, want)
	}
	keys.KeyTakenBy = "" // it is not known
	d = &desk{due: []platen.Notice{keys}}
	if err := pass(t, d); err != nil || strings.Contains(d.letters[0].Text, "had its key") {
		t.Errorf("got %+v, %v", d.letters, err)
	}
}

func TestAMailToAnOwnerIsInTheLanguageOfTheWorkflow(t *testing.T) {
	t.Parallel()
	one := failed("ada", "Rechnungen", 1)
	one.Locale = "de-AT"
	one.Code = "fields_missing"
	other := failed("bea", "Factures", 2)
	other.Locale = "fr-CH"
	d := &desk{due: []platen.Notice{one, other}}
	if err := pass(t, d); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ subject, text string }{
		{`Workflow "Rechnungen" ist fehlgeschlagen`, "1 Lauf ist fehlgeschlagen. Das letzte Mal: Ohne diese Felder wird das Dokument nicht erstellt. Why. (fields_missing)"},
		{`Le workflow "Factures" a échoué`, "2 exécutions ont échoué."},
	} {
		if l := d.letters[i]; l.Subject != want.subject || !strings.Contains(l.Text, want.text) {
			t.Errorf("got %+v, want %+v", l, want)
		}
	}
}
