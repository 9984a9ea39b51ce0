package postgres_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// mailed is an automation whose one output is there, and a look at its mail.
func (f *harness) mailed(owner platen.User) (automationID, outputID string, mail func() *platen.Mail) {
	f.T.Helper()
	w := f.Workflow(owner)
	p := f.Planned(w)
	return p.AutomationID, p.Documents[0].OutputID, func() *platen.Mail {
		f.T.Helper()
		a, err := f.Automations.WorkflowAutomation(f.T.Context(), owner, w.ID, p.AutomationID)
		f.Must(err)
		return a.Outputs[0].Mail
	}
}

func TestAMailIsSentByOneAttemptAtATime(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	automation, output, mail := f.mailed(f.User(nil))
	if got := mail(); got != nil {
		t.Errorf("before the first attempt: got %+v, want no mail", got)
	}
	first, err := f.Mails.BeginMail(t.Context(), platen.MailKey{AutomationID: automation, OutputID: output}, time.Minute)
	f.Must(err)
	if first.State != platen.MailPending || first.Attempts != 1 || first.TriedAt == nil {
		t.Errorf("got %+v, want one PENDING attempt", first)
	}
	_, err = f.Mails.BeginMail(t.Context(), platen.MailKey{AutomationID: automation, OutputID: output}, time.Minute)
	storetest.WantKind(t, "a second attempt beside it", err, platen.KindConflict, "mail_under_way")
	f.Exec(`UPDATE mails SET leased_until = now() - interval '1 second'`)
	second, err := f.Mails.BeginMail(t.Context(), platen.MailKey{AutomationID: automation, OutputID: output}, time.Minute)
	f.Must(err)
	if second.Attempts != 2 || !second.CreatedAt.Equal(first.CreatedAt) {
		t.Errorf("after the lease: got %+v, want attempt 2 of the mail of %v", second, first.CreatedAt)
	}
	f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: platen.MailKey{OutputID: output}, State: platen.MailPending, Code: "smtp_unavailable", Message: "later", Recipients: 2}))
	_, err = f.Mails.BeginMail(t.Context(), platen.MailKey{AutomationID: automation, OutputID: output}, time.Minute)
	f.Must(err)
	f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: platen.MailKey{OutputID: output}, State: platen.MailSent, Recipients: 2}))
	f.Must(f.Mails.GiveUpMail(t.Context(), platen.MailKey{AutomationID: automation, OutputID: output}, "gave_up", "too late"))
	if got := mail(); got == nil || got.State != platen.MailSent || got.SentAt == nil || got.Attempts != 3 || got.Recipients != 2 || got.Code != "" {
		t.Errorf("got %+v, want SENT in 3 attempts to 2 without a failure", got)
	}
	again, err := f.Mails.BeginMail(t.Context(), platen.MailKey{AutomationID: automation, OutputID: output}, time.Minute)
	f.Must(err)
	if again.State != platen.MailSent || again.Attempts != 3 {
		t.Errorf("a repeat: got %+v, want what was SENT", again)
	}
	_, err = f.Mails.BeginMail(t.Context(), platen.MailKey{AutomationID: automation, OutputID: "out_none"}, time.Minute)
	storetest.WantKind(t, "no output", err, platen.KindNotFound, "output_not_found")
}

func TestAMailThatIsGivenUpSaysWhy(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	automation, output, mail := f.mailed(f.User(nil))
	f.Must(f.Mails.GiveUpMail(t.Context(), platen.MailKey{AutomationID: automation, OutputID: output}, "cancelled", "why"))
	if got := mail(); got == nil || got.State != platen.MailFailed || got.Code != "cancelled" || got.Message != "why" {
		t.Errorf("got %+v, want FAILED, cancelled", got)
	}
}

func TestNoMailOfAnErasedAutomationIsSent(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w := f.Workflow(owner)
	p := f.Planned(w)
	_, err := f.Mails.BeginMail(t.Context(), platen.MailKey{AutomationID: p.AutomationID, OutputID: p.Documents[0].OutputID}, time.Minute)
	f.Must(err)
	_, err = f.Automations.EraseAutomation(t.Context(), owner, w.ID, p.AutomationID)
	f.Must(err)
	m, err := f.Mails.BeginMail(t.Context(), platen.MailKey{AutomationID: p.AutomationID, OutputID: p.Documents[0].OutputID}, time.Minute)
	f.Must(err)
	if m.State != platen.MailFailed || m.Code != platen.CodeDataErased {
		t.Errorf("got %+v, want FAILED, %s", m, platen.CodeDataErased)
	}
}

func TestMailsThatNobodyTriesToSendAreFound(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	automation, output, _ := f.mailed(f.User(nil))
	overdue := func() (n int) {
		t.Helper()
		all, err := f.Mails.OverdueMails(t.Context(), time.Hour, 1000)
		f.Must(err)
		for _, m := range all {
			if m.OutputID == output && m.AutomationID == automation {
				n++
			}
		}
		return n
	}
	_, err := f.Mails.BeginMail(t.Context(), platen.MailKey{AutomationID: automation, OutputID: output}, time.Minute)
	f.Must(err)
	if n := overdue(); n != 0 {
		t.Errorf("while it is tried: got %d, want none", n)
	}
	f.Exec(`UPDATE mails SET tried_at = now() - interval '61 minutes', leased_until = NULL WHERE output_id = $1`, output)
	if n := overdue(); n != 1 {
		t.Errorf("an hour after the last attempt: got %d, want it", n)
	}
	f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: platen.MailKey{OutputID: output}, State: platen.MailSent}))
	if n := overdue(); n != 0 {
		t.Errorf("sent: got %d, want none", n)
	}
}

func TestListsOfOutputsAndAutomationsFindMailsThatDidNotGoOut(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.Made(owner)
	_, other := f.Made(f.User(nil))
	f.Fail(key)
	f.Fail(other)
	found := func(states ...platen.MailState) string {
		t.Helper()
		outputs, err := f.Outputs.WorkflowOutputs(t.Context(), owner, w.ID, platen.OutputQuery{Mails: states})
		f.Must(err)
		named, err := f.Outputs.WorkflowOutputs(t.Context(), owner, w.ID, platen.OutputQuery{Mails: states, Name: "invoice"})
		f.Must(err)
		automations, err := f.Automations.WorkflowAutomations(t.Context(), owner, w.ID, platen.AutomationQuery{Mails: states})
		f.Must(err)
		all, err := f.Automations.CallersAutomations(t.Context(), owner, platen.AutomationQuery{Mails: states})
		f.Must(err)
		for _, o := range slices.Concat(outputs, named) {
			if o.Mail == nil || o.ID != key.OutputID {
				t.Errorf("got output %s with mail %+v, want %s with its mail", o.ID, o.Mail, key.OutputID)
			}
		}
		return fmt.Sprint(len(outputs), len(named), len(automations), len(all))
	}
	if got := found(platen.MailFailed); got != "1 1 1 1" {
		t.Errorf("FAILED: got %s, want it in each list", got)
	}
	if got := found(platen.MailSent); got != "0 0 0 0" {
		t.Errorf("SENT: got %s, want none", got)
	}
	f.Must(f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, "ada@new.example"))
	if failed, pending := found(platen.MailFailed), found(platen.MailPending); failed != "0 0 0 0" || pending != "1 1 1 1" {
		t.Errorf("sent again: got %s FAILED and %s PENDING, want what became of the latest mail", failed, pending)
	}
}

func TestAnOutputIsMailedAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.Made(owner)
	f.Fail(key)
	f.Must(f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, "ada@new.example"))
	var asked *platen.OutboxCommand
	for _, c := range f.Commands() {
		if c.Kind == platen.CommandMail {
			asked = &c
		}
	}
	again := platen.MailKey{AutomationID: key.AutomationID, OutputID: key.OutputID, Number: 2}
	if asked == nil || asked.Mail != again || asked.ID != key.OutputID+".2" || asked.OwnerID != owner.ID {
		t.Fatalf("got %+v, want the command to send %+v", asked, again)
	}
	if n := f.Count(`SELECT count(*) FROM mails WHERE output_id = $1 AND position('ada@new.example'::bytea in sent_to) > 0`, key.OutputID); n != 0 {
		t.Error("the recipient can be read in the table")
	}
	m, err := f.Mails.BeginMail(t.Context(), again, time.Minute)
	f.Must(err)
	if m.To != "ada@new.example" || m.State != platen.MailPending {
		t.Errorf("got %+v, want it to ada@new.example", m)
	}
	f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: again, State: platen.MailSent, Recipients: 1}))
	f.Must(f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, ""))
	third := again
	third.Number = 3
	if m, err = f.Mails.BeginMail(t.Context(), third, time.Minute); err != nil || m.To != "" {
		t.Errorf("without recipients: got %+v, %v, want those of the document", m, err)
	}
	storetest.WantKind(t, "while it is tried", f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, ""), platen.KindInvalid, "mail_pending")
	f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: third, State: platen.MailSent}))
	f.Must(f.Automations.EraseData(t.Context(), key.AutomationID))
	if n := f.Count(`SELECT count(*) FROM mails WHERE output_id = $1 AND sent_to IS NOT NULL`, key.OutputID); n != 0 {
		t.Error("the recipient is kept beyond the data")
	}
	storetest.WantKind(t, "without its data", f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, "ada@new.example"), platen.KindInvalid, platen.CodeDataErased)
}

func TestAnOutputThatCannotBeMailedSaysWhy(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.Made(owner)
	mail := func(u platen.User, workflowID, outputID, to string) error {
		return f.Mails.MailOutput(t.Context(), u, workflowID, outputID, to)
	}
	storetest.WantKind(t, "to nobody", mail(owner, w.ID, key.OutputID, ""), platen.KindInvalid, "mail_recipients_missing")
	storetest.WantKind(t, "of a stranger", mail(f.User(nil), w.ID, key.OutputID, "eve@example.org"), platen.KindNotFound, "workflow_not_found")
	storetest.WantKind(t, "through another workflow", mail(owner, f.Workflow(owner).ID, key.OutputID, "eve@example.org"), platen.KindNotFound, "output_not_found")
	p := f.Planned(w)
	storetest.WantKind(t, "not made", mail(owner, w.ID, p.Documents[0].OutputID, "ada@example.org"), platen.KindInvalid, "output_without_file")
	f.Exec(`UPDATE outputs SET test = true WHERE id = $1`, key.OutputID)
	storetest.WantKind(t, "of a test", mail(owner, w.ID, key.OutputID, "ada@example.org"), platen.KindInvalid, platen.CodeTestMode)
}

func TestAMailThatIsSentAgainIsGivenUpWithItsAutomation(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.Made(owner)
	f.Must(f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, "ada@new.example"))
	_, err := f.Automations.EraseAutomation(t.Context(), owner, w.ID, key.AutomationID)
	f.Must(err)
	if n := f.Count(`SELECT count(*) FROM errands WHERE kind = 'MAIL' AND id LIKE $1`, key.OutputID+".%"); n != 0 {
		t.Errorf("got %d commands to send it, want none", n)
	}
	m, err := f.Mails.BeginMail(t.Context(), platen.MailKey{AutomationID: key.AutomationID, OutputID: key.OutputID, Number: 2}, time.Minute)
	f.Must(err)
	if m.State != platen.MailFailed || m.Code != platen.CodeDataErased || m.To != "" {
		t.Errorf("got %+v, want FAILED, %s", m, platen.CodeDataErased)
	}
}

func TestAMailThatWasSentInPartGoesToTheRest(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.Made(owner)
	_, err := f.Mails.BeginMail(t.Context(), key, time.Minute)
	f.Must(err)
	ada, bob := platen.Recipient{Address: "ada@example.org", State: platen.RecipientAccepted}, platen.Recipient{Address: "bob@example.org", State: platen.RecipientRefused, Status: "550 5.1.1"}
	f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: key, State: platen.MailPartlySent, Recipients: 2, Accepted: 1, Whom: []platen.Recipient{ada, bob}, Code: platen.CodeEmailAddressRefused, Message: "refused"}))
	if n := f.Count(`SELECT count(*) FROM mails WHERE output_id = $1 AND position('example.org'::bytea in whom) > 0`, key.OutputID); n != 0 {
		t.Error("a recipient can be read in the table")
	}
	if due := f.Due(owner); len(due) != 1 || due[0].Kind != platen.NoticeMails {
		t.Errorf("got the notices %+v, want one about the mail", due)
	}
	f.Must(f.Mails.MailOutput(t.Context(), owner, w.ID, key.OutputID, ""))
	second := key
	second.Number = 2
	m, err := f.Mails.BeginMail(t.Context(), second, time.Minute)
	f.Must(err)
	bob, ada.Earlier = platen.Recipient{Address: bob.Address, State: platen.RecipientPending}, 1
	if !slices.Equal(m.Whom, []platen.Recipient{ada, bob}) || m.Accepted != 1 {
		t.Errorf("got %+v, want Bob alone to be asked again", m)
	}
	f.Must(f.Mails.GiveUpMail(t.Context(), second, platen.CodeGaveUp, "too late"))
	all, err := f.Mails.OutputMails(t.Context(), owner, w.ID, key.OutputID)
	f.Must(err)
	if len(all) != 2 || all[0].State != platen.MailPartlySent || all[0].SentAt == nil || len(all[1].Whom) != 2 {
		t.Errorf("got %+v, want both mails, the later one first and PARTLY_SENT", all)
	}
	_, err = f.Mails.OutputMails(t.Context(), f.User(nil), w.ID, key.OutputID)
	storetest.WantKind(t, "of a stranger", err, platen.KindNotFound, "workflow_not_found")
	f.Must(f.Automations.EraseData(t.Context(), key.AutomationID))
	if all, err = f.Mails.OutputMails(t.Context(), owner, w.ID, key.OutputID); err != nil || len(all) != 2 || all[0].Whom != nil || all[1].Whom != nil {
		t.Errorf("without its data: got %+v, %v, want no recipients", all, err)
	}
	f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: second, State: platen.MailSent, Recipients: 2, Whom: []platen.Recipient{ada}}))
	if n := f.Count(`SELECT count(*) FROM mails WHERE output_id = $1 AND length(whom) > 0`, key.OutputID); n != 0 {
		t.Error("an attempt that ended late stored a recipient beyond the data")
	}
}

func TestALinkOfAMailEndsByTimeOrByHand(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, key := f.Made(owner)
	_, err := f.Mails.BeginMail(t.Context(), key, time.Minute)
	f.Must(err)
	linked := func() string {
		t.Helper()
		output, err := f.Mails.LinkedOutput(t.Context(), w.ID, key.ID())
		if err != nil {
			storetest.WantKind(t, "the link", err, platen.KindNotFound, "output_not_found")
		}
		return output
	}
	if got := linked(); got != "" {
		t.Errorf("a mail without a link: got %s", got)
	}
	record := func(until time.Duration) {
		t.Helper()
		f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: key, State: platen.MailPending, LinkUntil: new(time.Now().Add(until))}))
	}
	record(time.Hour)
	if got := linked(); got != key.OutputID {
		t.Errorf("got %q, want output %s", got, key.OutputID)
	}
	if got, err := f.Mails.LinkedOutput(t.Context(), f.Workflow(owner).ID, key.ID()); err == nil {
		t.Errorf("through another workflow: got %s", got)
	}
	storetest.WantKind(t, "revoked by a stranger", f.Mails.RevokeMailLinks(t.Context(), f.User(nil), w.ID, key.OutputID), platen.KindNotFound, "workflow_not_found")
	f.Must(f.Mails.RevokeMailLinks(t.Context(), owner, w.ID, key.OutputID))
	record(2 * time.Hour) // an attempt that was under way
	if got := linked(); got != "" {
		t.Errorf("a link that was revoked: got %s", got)
	}
	f.Exec(`UPDATE mails SET link_until = now() - interval '1 second' WHERE id = $1`, key.ID())
	if got := linked(); got != "" {
		t.Errorf("a link that has ended: got %s", got)
	}
}

func TestALinkOfAMailEndsWithItsData(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	for name, erase := range map[string]func(platen.Workflow, platen.MailKey) error{
		"it is asked for": func(w platen.Workflow, key platen.MailKey) error {
			_, err := f.Automations.EraseAutomation(t.Context(), owner, w.ID, key.AutomationID)
			return err
		},
		"its time is over": func(_ platen.Workflow, key platen.MailKey) error {
			return f.Automations.EraseData(t.Context(), key.AutomationID)
		},
	} {
		w, key := f.Made(owner)
		_, err := f.Mails.BeginMail(t.Context(), key, time.Minute)
		f.Must(err)
		f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: key, State: platen.MailSent, LinkUntil: new(time.Now().Add(time.Hour))}))
		_, err = f.Mails.LinkedOutput(t.Context(), w.ID, key.ID())
		f.Must(err)
		f.Must(erase(w, key))
		_, err = f.Mails.LinkedOutput(t.Context(), w.ID, key.ID())
		storetest.WantKind(t, name, err, platen.KindNotFound, "output_not_found")
	}
}

func TestAMailThatWasGivenUpInPartIsSentAfterAll(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	automation, output, mail := f.mailed(f.User(nil))
	key := platen.MailKey{AutomationID: automation, OutputID: output}
	ada, bob := platen.Recipient{Address: "ada@example.org", State: platen.RecipientAccepted}, platen.Recipient{Address: "bob@example.org", State: platen.RecipientPending, Status: "451"}
	_, err := f.Mails.BeginMail(t.Context(), key, time.Minute)
	f.Must(err)
	f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: key, State: platen.MailPending, Recipients: 2, Accepted: 1, Whom: []platen.Recipient{ada, bob}}))
	_, err = f.Mails.BeginMail(t.Context(), key, time.Minute)
	f.Must(err)
	f.Must(f.Mails.GiveUpMail(t.Context(), key, platen.CodeGaveUp, "too late"))
	bob = platen.Recipient{Address: bob.Address, State: platen.RecipientAccepted}
	f.Must(f.Mails.RecordMail(t.Context(), platen.Mail{MailKey: key, State: platen.MailSent, Recipients: 2, Accepted: 2, Whom: []platen.Recipient{ada, bob}}))
	if got := mail(); got.State != platen.MailSent || got.Accepted != 2 || got.Code != "" {
		t.Errorf("got %+v, want SENT to both", got)
	}
}
