package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func newSender(f *storetest.Harness, u platen.User, name string) platen.MailSender {
	f.T.Helper()
	s, err := f.MailSenders.CreateMailSender(f.T.Context(), u, platen.MailSender{ID: platen.NewID(platen.PrefixSender), Name: name, From: "a@example.com", Host: "mail.example.com", Port: 587, Security: platen.MailStartTLS, User: "a", Password: "hidden"})
	f.Must(err)
	return s
}

func TestMailSendersAreOfOneUser(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	ctx := t.Context()
	ada, bob := f.User(nil), f.User(nil)
	made := newSender(f, ada, "Accounting")
	got, err := f.MailSenders.MailSender(ctx, ada, made.ID)
	if err != nil || got != made || got.Password != "hidden" || got.OwnerID != ada.ID {
		t.Fatalf("got %+v, %v, want %+v", got, err, made)
	}
	var sealed []byte
	f.Must(f.Owner.QueryRow(ctx, `SELECT password FROM mail_senders WHERE id = $1`, made.ID).Scan(&sealed))
	if strings.Contains(string(sealed), "hidden") {
		t.Error("the password is stored as it is")
	}
	for name, err := range map[string]error{
		"read":   errOf(f.MailSenders.MailSender(ctx, bob, made.ID)),
		"change": errOf(f.MailSenders.UpdateMailSender(ctx, bob, made.ID, func(*platen.MailSender) error { return nil })),
		"delete": f.MailSenders.DeleteMailSender(ctx, bob, made.ID, func(platen.MailSender) error { return nil }),
		"name":   errOf(f.MailSenders.SenderOf(ctx, bob.ID, "Accounting")),
	} {
		if got := code(err); got != "mail_sender_not_found" && got != platen.CodeSenderUnknown {
			t.Errorf("%s by another: got %v", name, err)
		}
	}
	if names, err := f.MailSenders.SenderNames(ctx, bob, ada.ID); err != nil || len(names) > 0 {
		t.Errorf("names for another: got %v, %v", names, err)
	}
	if all, err := f.MailSenders.MailSenders(ctx, ada); err != nil || len(all) != 1 || all[0] != made {
		t.Errorf("got %+v, %v", all, err)
	}

	// Two of one name, and too many.
	again := made
	again.ID = platen.NewID(platen.PrefixSender)
	if _, err := f.MailSenders.CreateMailSender(ctx, ada, again); code(err) != "mail_sender_name_taken" {
		t.Errorf("got %v, want mail_sender_name_taken", err)
	}
	for i := 1; i < platen.MaxMailSenders; i++ {
		newSender(f, ada, fmt.Sprint(i))
	}
	again.Name = "one more"
	if _, err := f.MailSenders.CreateMailSender(ctx, ada, again); code(err) != "too_many_mail_senders" {
		t.Errorf("got %v, want too_many_mail_senders", err)
	}
	newSender(f, bob, "Accounting")
}

func errOf[T any](_ T, err error) error { return err }

func TestWhyASenderFailsIsKnownUntilItIsTestedOrChanged(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	ctx := t.Context()
	u := f.User(nil)
	made := newSender(f, u, "Accounting")
	now := func() platen.MailSender {
		t.Helper()
		s, err := f.MailSenders.SenderOf(ctx, u.ID, "Accounting")
		f.Must(err)
		return s
	}
	f.Must(f.MailSenders.NoteSender(ctx, made, platen.CodeSenderSignInRefused, "no"))
	first := now()
	if first.Code != platen.CodeSenderSignInRefused || first.Message != "no" || first.FailingSince == nil || !first.CheckedAt.Equal(made.CheckedAt) {
		t.Fatalf("got %+v, want why it fails", first)
	}
	f.Must(f.MailSenders.NoteSender(ctx, made, platen.CodeSenderUnavailable, "away"))
	if got := now(); got.Code != platen.CodeSenderUnavailable || !got.FailingSince.Equal(*first.FailingSince) {
		t.Errorf("got %+v, want another reason since the same time", got)
	}
	f.Must(f.MailSenders.NoteSender(ctx, made, platen.CodeSenderUnavailable, "no such host"))
	if got := now(); got.Message != "no such host" || !got.FailingSince.Equal(*first.FailingSince) {
		t.Errorf("got %+v, want what the last attempt says, since the same time", got)
	}
	f.Must(f.MailSenders.NoteSenderTested(ctx, u, made.ID))
	tested := now()
	if tested.Code != "" || tested.FailingSince != nil || !tested.CheckedAt.After(made.CheckedAt) {
		t.Errorf("got %+v, want that it was tested", tested)
	}
	// An attempt that began before does not count.
	f.Must(f.MailSenders.NoteSender(ctx, made, platen.CodeSenderUnavailable, "away"))
	if got := now(); got.Code != "" {
		t.Errorf("got %+v, want nothing of an attempt before the test", got)
	}
	f.Must(f.MailSenders.NoteSender(ctx, tested, platen.CodeSenderUnavailable, "away"))
	changed, err := f.MailSenders.UpdateMailSender(ctx, u, made.ID, func(s *platen.MailSender) error {
		s.Name, s.OwnerID, s.Host = "Other", "usr_other", "other.example.com"
		return nil
	})
	f.Must(err)
	if got := now(); got != changed || got.Code != "" || got.Host != "other.example.com" || got.Name != "Accounting" {
		t.Errorf("got %+v, want %+v, with the name of before", got, changed)
	}
	f.Must(f.MailSenders.NoteSender(ctx, changed, "", ""))
}

func TestASenderThatDocumentsNameIsNotDeleted(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	ctx := t.Context()
	u := f.User(nil)
	w := f.Workflow(u)
	d := w.Documents[0]
	mail := func(sender string) error {
		_, err := f.Documents.UpdateDocument(ctx, u, w.ID, d.ID, func(d *platen.Document) error {
			d.Email = &platen.Email{To: "a@example.com", Subject: "S", Text: "T", Attach: platen.AttachPDF, Sender: sender}
			return nil
		})
		return err
	}
	if err := mail("Accounting"); code(err) != platen.CodeSenderUnknown {
		t.Errorf("got %v, want %s", err, platen.CodeSenderUnknown)
	}
	newSender(f, f.User(nil), "Accounting") // of somebody else
	if err := mail("Accounting"); code(err) != platen.CodeSenderUnknown {
		t.Errorf("got %v, want %s", err, platen.CodeSenderUnknown)
	}
	made := newSender(f, u, "Accounting")
	f.Must(mail("Accounting"))
	allowed := func(platen.MailSender) error { return nil }
	err := f.MailSenders.DeleteMailSender(ctx, u, made.ID, allowed)
	if e, ok := errors.AsType[*platen.Error](err); !ok || e.Kind != platen.KindConflict || e.Code != "mail_sender_in_use" || !strings.Contains(e.Message, d.ID) {
		t.Fatalf("got %v, want a refusal that names the document", err)
	}
	got, err := f.Workflows.Workflow(ctx, u, w.ID)
	f.Must(err)
	if got.Documents[0].Email.Sender != "Accounting" {
		t.Errorf("got %+v, want the sender", got.Documents[0].Email)
	}
	f.Must(mail(""))
	f.Must(f.MailSenders.DeleteMailSender(ctx, u, made.ID, allowed))
	if _, err := f.MailSenders.MailSender(ctx, u, made.ID); code(err) != "mail_sender_not_found" {
		t.Errorf("got %v, want that it is gone", err)
	}
}

// Of the members of a team each sees the names of another's senders whose workflows they share,
// and nothing else of them.
func TestATeamSeesTheNamesOfSendersAlone(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	ctx := t.Context()
	team := f.Team("T")
	ada, bob := f.User(team), f.User(team)
	made := newSender(f, ada, "Accounting")
	w := f.Workflow(ada)
	names, err := f.MailSenders.SenderNames(ctx, bob, ada.ID)
	if err != nil || len(names) != 1 || names[0] != "Accounting" {
		t.Errorf("got %v, %v, want the name", names, err)
	}
	if _, err := f.MailSenders.MailSender(ctx, bob, made.ID); code(err) != "mail_sender_not_found" {
		t.Errorf("got %v, want that it is not there", err)
	}
	// A colleague has a document leave by a sender of the workflow's owner, and by none of their own.
	newSender(f, bob, "Sales")
	set := func(sender string) error {
		_, err := f.Documents.UpdateDocument(ctx, bob, w.ID, w.Documents[0].ID, func(d *platen.Document) error {
			d.Email = &platen.Email{To: "a@example.com", Subject: "S", Text: "T", Attach: platen.AttachPDF, Sender: sender}
			return nil
		})
		return err
	}
	f.Must(set("Accounting"))
	if err := set("Sales"); code(err) != platen.CodeSenderUnknown {
		t.Errorf("got %v, want %s", err, platen.CodeSenderUnknown)
	}
}

func TestAMailThatIsHeldIsNotOverdue(t *testing.T) {
	t.Parallel()
	f := storetest.New(t)
	ctx := t.Context()
	p := f.Running(f.Workflow(f.User(nil)))
	key := platen.MailKey{AutomationID: p.AutomationID, OutputID: p.Documents[0].OutputID}
	f.Must(f.Mails.HoldMail(ctx, key, platen.CodeSenderUnavailable, "away"))
	f.Exec(`UPDATE mails SET created_at = now() - interval '3 hours' WHERE output_id = '` + key.OutputID + `'`)
	overdue := func() int {
		t.Helper()
		all, err := f.Mails.OverdueMails(ctx, 3600e9, 10)
		f.Must(err)
		return len(all)
	}
	if n := overdue(); n != 0 {
		t.Errorf("got %d overdue, want none", n)
	}
	f.Exec(`UPDATE mails SET held_at = now() - interval '2 hours' WHERE output_id = '` + key.OutputID + `'`)
	if n := overdue(); n != 1 {
		t.Errorf("got %d overdue, want the one that nobody holds", n)
	}
	f.Must(f.Mails.HoldMail(ctx, key, platen.CodeSenderUnavailable, "away"))
	if n := overdue(); n != 0 {
		t.Errorf("got %d overdue, want none once it is held again", n)
	}
	m, err := f.Mails.BeginMail(ctx, key, 60e9)
	if err != nil || m.Attempts != 1 || m.Code != platen.CodeSenderUnavailable {
		t.Errorf("got %+v, %v, want the first attempt", m, err)
	}
}
