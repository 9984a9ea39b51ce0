package postgres_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// delivered is an output whose mail the mail server took for these addresses.
func (f *harness) delivered(owner platen.User, addresses ...string) (w platen.Workflow, key platen.MailKey) {
	f.T.Helper()
	w, key = f.Made(owner)
	_, err := f.Mails.BeginMail(f.T.Context(), key, time.Minute)
	f.Must(err)
	m := platen.Mail{MailKey: key, State: platen.MailSent, Recipients: len(addresses), Accepted: len(addresses)}
	for _, address := range addresses {
		m.Whom = append(m.Whom, platen.Recipient{Address: address, State: platen.RecipientAccepted})
	}
	f.Must(f.Mails.RecordMail(f.T.Context(), m))
	return w, key
}

// bounce hands over that a mail came back, as the API does, in the name of the owner.
func (f *harness) bounce(owner platen.User, key platen.MailKey, number int, addresses ...string) bool {
	f.T.Helper()
	var failed []platen.FailedRecipient
	for _, address := range addresses {
		failed = append(failed, platen.FailedRecipient{Final: address, Status: "5.1.1"})
	}
	isNews, err := f.Mails.BounceMail(platen.WithCaller(f.T.Context(), owner), key.OutputID, number, failed)
	f.Must(err)
	return isNews
}

func TestAMailThatComesBackIsAFailureWhereverOneLooks(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.delivered(owner, "ada@example.org")
	unsent := func() int {
		t.Helper()
		o, err := f.Overview(t.Context())
		f.Must(err)
		return o.MailsFailed
	}
	before := unsent()
	if due := f.Due(owner); len(due) != 0 {
		t.Fatalf("got %+v, want no notices of a mail that was sent", due)
	}
	if id, err := f.Mails.WorkflowOfOutput(t.Context(), key.OutputID); err != nil || id != w.ID {
		t.Errorf("got %s, %v, want workflow %s", id, err, w.ID)
	}
	if !f.bounce(owner, key, 1, "ada@example.org") || f.bounce(owner, key, 1, "ada@example.org") {
		t.Error("want the first message to be news, and the second not")
	}
	for _, states := range [][]platen.MailState{{platen.MailBounced}, {platen.MailFailed, platen.MailBounced}} {
		found, err := f.Outputs.WorkflowOutputs(t.Context(), owner, w.ID, platen.OutputQuery{Mails: states})
		f.Must(err)
		if len(found) != 1 || found[0].Mail.State != platen.MailBounced || found[0].Mail.Accepted != 0 || found[0].Mail.Code != platen.CodeEmailBounced || found[0].Mail.SentAt == nil {
			t.Errorf("%v: got %+v, want the output with its mail", states, found)
		}
	}
	if got := unsent(); got != before+1 {
		t.Errorf("the metric counts %d, want %d", got, before+1)
	}
	if due := f.Due(owner); len(due) != 1 || due[0].Kind != platen.NoticeMails || due[0].Code != platen.CodeEmailBounced {
		t.Errorf("got %+v, want a notice", due)
	}
	if n := f.Count(`SELECT count(*) FROM mails WHERE output_id = $1 AND position('example.org'::bytea in whom) > 0`, key.OutputID); n != 0 {
		t.Error("the recipient can be read in the table")
	}
	// An attempt that ended late changes nothing.
	f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: key, State: platen.MailSent, Recipients: 1, Accepted: 1}))
	if all, err := f.Mails.OutputMails(t.Context(), owner, w.ID, key.OutputID); err != nil || all[0].State != platen.MailBounced || all[0].Whom[0].State != platen.RecipientBounced || all[0].Whom[0].Status != "5.1.1" {
		t.Errorf("got %+v, %v, want BOUNCED at 5.1.1", all, err)
	}
	// It is sent again, and cured.
	f.Must(f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, "ada@new.example"))
	if found, err := f.Outputs.WorkflowOutputs(t.Context(), owner, w.ID, platen.OutputQuery{Mails: []platen.MailState{platen.MailBounced}}); err != nil || len(found) != 0 {
		t.Errorf("sent again: got %+v, %v", found, err)
	}
}

// The first mail reached Ada, and the second went to Bob alone. Then the first one comes back.
func TestALaterMailKnowsThatAnEarlierOneCameBack(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.delivered(owner, "ada@example.org", "bob@example.org", "cleo@example.org")
	if !f.bounce(owner, key, 1, "bob@example.org") {
		t.Fatal("it is no news")
	}
	f.Must(f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, ""))
	second := key
	second.Number = 2
	m, err := f.Mails.BeginMail(t.Context(), second, time.Minute)
	f.Must(err)
	if got := m.Whom[1]; got != (platen.Recipient{Address: "bob@example.org", State: platen.RecipientPending}) || m.Accepted != 2 {
		t.Errorf("got %+v, want Bob alone to be asked again", m)
	}
	m.State, m.Accepted, m.Whom[1].State = platen.MailSent, 3, platen.RecipientAccepted
	f.Must(f.Mails.RecordMail(t.Context(), m))
	if !f.bounce(owner, key, 1, "ada@example.org") || f.bounce(owner, key, 1, "ada@example.org") {
		t.Error("want the first message to be news, and the second not")
	}
	all, err := f.Mails.OutputMails(t.Context(), owner, w.ID, key.OutputID)
	f.Must(err)
	states := func(m platen.Mail) (all []platen.RecipientState) {
		for _, r := range m.Whom {
			all = append(all, r.State)
		}
		return all
	}
	if got := all[0]; got.State != platen.MailPartlySent || got.Accepted != 2 || !slices.Equal(states(got), []platen.RecipientState{"BOUNCED", "ACCEPTED", "ACCEPTED"}) {
		t.Errorf("the later mail: got %+v, want it PARTLY_SENT", got)
	}
	if got := all[1]; got.State != platen.MailPartlySent || got.Accepted != 1 || !slices.Equal(states(got), []platen.RecipientState{"BOUNCED", "BOUNCED", "ACCEPTED"}) {
		t.Errorf("the earlier mail: got %+v, want it PARTLY_SENT", got)
	}
	if !f.bounce(owner, key, 2, "bob@example.org") {
		t.Error("it is no news that the second came back")
	}
}

func TestAMailThatCannotComeBackSaysSo(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	_, key := f.delivered(owner, "ada@example.org")
	bounce := func(ctx context.Context, output string, number int) error {
		_, err := f.Mails.BounceMail(ctx, output, number, []platen.FailedRecipient{{Final: "ada@example.org"}})
		return err
	}
	ctx := platen.WithCaller(t.Context(), owner)
	storetest.WantKind(t, "no such mail", bounce(ctx, key.OutputID, 2), platen.KindNotFound, "output_not_found")
	storetest.WantKind(t, "no such output", bounce(ctx, "out_0000000000000000", 1), platen.KindNotFound, "output_not_found")
	_, err := f.Mails.WorkflowOfOutput(t.Context(), "out_0000000000000000")
	storetest.WantKind(t, "no workflow", err, platen.KindNotFound, "output_not_found")
	f.Exec(`UPDATE mails SET tried_at = now() - interval '31 days' WHERE output_id = $1`, key.OutputID)
	storetest.WantKind(t, "an old one", bounce(ctx, key.OutputID, 1), platen.KindNotFound, "output_not_found")
	_, other := f.Made(owner)
	_, err = f.Mails.BeginMail(t.Context(), other, time.Minute)
	f.Must(err)
	storetest.WantKind(t, "one that is being sent", bounce(ctx, other.OutputID, 1), platen.KindUnavailable, "mail_under_way")
	f.Exec(`UPDATE mails SET state = 'NOT_SENT', leased_until = NULL WHERE output_id = $1`, other.OutputID)
	storetest.WantKind(t, "one that was not sent", bounce(ctx, other.OutputID, 1), platen.KindNotFound, "output_not_found")
	f.Exec(`UPDATE mails SET state = 'FAILED', code = $2 WHERE output_id = $1`, other.OutputID, platen.CodeDataErased)
	storetest.WantKind(t, "one that was given up for an erasure", bounce(ctx, other.OutputID, 1), platen.KindNotFound, "output_not_found")
}

// Whom it went to is not known any more: the mail comes back all the same.
func TestAMailComesBackAfterItsDataIsErased(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	for want, addresses := range map[platen.MailState][]string{platen.MailBounced: {"ada@example.org"}, platen.MailPartlySent: {"ada@example.org", "bob@example.org"}} {
		w, key := f.delivered(owner, addresses...)
		f.Must(f.Automations.EraseData(t.Context(), key.AutomationID))
		if !f.bounce(owner, key, 1, "ada@example.org") {
			t.Fatal("it is no news")
		}
		all, err := f.Mails.OutputMails(t.Context(), owner, w.ID, key.OutputID)
		f.Must(err)
		if all[0].State != want || all[0].Whom != nil {
			t.Errorf("got %+v, want %s and nobody named", all[0], want)
		}
	}
}

// Of several recipients nobody knows who passed the mail on: somebody has to say to whom it
// goes again.
func TestAMailThatCameBackFromAStrangerIsNotSentToEverybodyAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.delivered(owner, "ada@example.org", "bob@example.org")
	if !f.bounce(owner, key, 1, "x@elsewhere.example") {
		t.Fatal("it is no news")
	}
	storetest.WantKind(t, "to the rest", f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, ""), platen.KindInvalid, "mail_recipients_missing")
	f.Must(f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, "ada@example.org"))
}

// Cleo's server defers the mail that Ada and Bob have. One of them passes it on, and it comes back
// from there.
func TestAMailThatIsStillTriedForgetsNoStrangerThatItCameBackFrom(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	_, key := f.Made(owner)
	attempt := func(state platen.MailState, cleo platen.Recipient) {
		t.Helper()
		m, err := f.Mails.BeginMail(t.Context(), key, time.Minute)
		f.Must(err)
		m.State, m.Recipients, m.Accepted = state, 3, 0
		m.Whom = []platen.Recipient{{Address: "ada@example.org", State: platen.RecipientAccepted}, {Address: "bob@example.org", State: platen.RecipientAccepted}, cleo}
		for _, r := range m.Whom {
			if r.State == platen.RecipientAccepted {
				m.Accepted++
			}
		}
		f.Must(f.Mails.RecordMail(t.Context(), m))
	}
	stranger := []platen.FailedRecipient{{Final: "x@elsewhere.example", Status: "5.1.1"}}
	attempt(platen.MailPending, platen.Recipient{Address: "cleo@example.org", State: platen.RecipientPending, Status: "450 4.2.1"})
	_, err := f.Mails.BounceMail(platen.WithCaller(t.Context(), owner), key.OutputID, 1, stranger)
	storetest.WantKind(t, "while it is tried", err, platen.KindUnavailable, "mail_under_way")
	attempt(platen.MailSent, platen.Recipient{Address: "cleo@example.org", State: platen.RecipientAccepted})
	if !f.bounce(owner, key, 1, "x@elsewhere.example") {
		t.Error("handed over once more: it is no news")
	}
	if n := f.Count(`SELECT count(*) FROM mails WHERE output_id = $1 AND state = 'PARTLY_SENT' AND accepted = 2`, key.OutputID); n != 1 {
		t.Error("the mail is not PARTLY_SENT to two of three")
	}
}

// The last attempt finds that the mail came back from everybody: the server had taken it.
func TestAMailThatCameBackBeforeItsLastAttemptWasSent(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.Made(owner)
	m, err := f.Mails.BeginMail(t.Context(), key, time.Minute)
	f.Must(err)
	m.State, m.Code, m.Recipients = platen.MailBounced, platen.CodeEmailBounced, 1
	f.Must(f.Mails.RecordMail(t.Context(), m))
	if all, err := f.Mails.OutputMails(t.Context(), owner, w.ID, key.OutputID); err != nil || len(all) != 1 || all[0].SentAt == nil {
		t.Errorf("got %+v, %v, want the time at which it was sent", all, err)
	}
}

// A mail server has the credentials of no user. The front finds the workflow, and the rest is done
// in the name of its owner.
func TestAMailComesBackBehindWalls(t *testing.T) {
	t.Parallel()
	f, serve := walled(t)
	owner, other := f.User(nil), f.User(nil)
	w, key := f.delivered(owner, "ada@example.org")
	if id, err := serve.Mails.WorkflowOfOutput(t.Context(), key.OutputID); err != nil || id != w.ID {
		t.Errorf("got %s, %v, want workflow %s", id, err, w.ID)
	}
	failed := []platen.FailedRecipient{{Final: "ada@example.org", Status: "5.1.1"}}
	_, err := serve.Mails.BounceMail(platen.WithCaller(t.Context(), other), key.OutputID, 1, failed)
	storetest.WantKind(t, "in the name of another", err, platen.KindNotFound, "output_not_found")
	if isNews, err := serve.Mails.BounceMail(platen.WithCaller(t.Context(), owner), key.OutputID, 1, failed); err != nil || !isNews {
		t.Errorf("got %t, %v, want it noted", isNews, err)
	}
}
