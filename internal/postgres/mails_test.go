package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen"
)

// mailed is an automation whose one output is there, and a look at its mail.
func (f *harness) mailed(owner platen.User) (automationID, outputID string, mail func() *platen.Mail) {
	f.t.Helper()
	w := f.workflow(owner)
	p := f.planned(w)
	return p.AutomationID, p.Documents[0].OutputID, func() *platen.Mail {
		f.t.Helper()
		a, err := f.Automations.WorkflowAutomation(f.t.Context(), owner, w.ID, p.AutomationID)
		f.must(err)
		return a.Outputs[0].Mail
	}
}

func TestAMailIsSentByOneAttemptAtATime(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	automation, output, mail := f.mailed(f.user(nil))
	if got := mail(); got != nil {
		t.Errorf("before the first attempt: got %+v, want no mail", got)
	}
	first, err := f.Mails.BeginMail(t.Context(), automation, output, time.Minute)
	f.must(err)
	if first.State != platen.MailPending || first.Attempts != 1 || first.TriedAt == nil {
		t.Errorf("got %+v, want one PENDING attempt", first)
	}
	_, err = f.Mails.BeginMail(t.Context(), automation, output, time.Minute)
	wantKind(t, "a second attempt beside it", err, platen.KindConflict, "mail_under_way")
	f.exec(`UPDATE mails SET leased_until = now() - interval '1 second'`)
	second, err := f.Mails.BeginMail(t.Context(), automation, output, time.Minute)
	f.must(err)
	if second.Attempts != 2 || !second.CreatedAt.Equal(first.CreatedAt) {
		t.Errorf("after the lease: got %+v, want attempt 2 of the mail of %v", second, first.CreatedAt)
	}
	f.must(f.Mails.RecordMail(t.Context(), platen.Mail{OutputID: output, State: platen.MailPending, Code: "smtp_unavailable", Message: "later", Recipients: 2}))
	_, err = f.Mails.BeginMail(t.Context(), automation, output, time.Minute)
	f.must(err)
	f.must(f.Mails.RecordMail(t.Context(), platen.Mail{OutputID: output, State: platen.MailSent, Recipients: 2}))
	f.must(f.Mails.GiveUpMail(t.Context(), automation, output, "gave_up", "too late"))
	if got := mail(); got == nil || got.State != platen.MailSent || got.SentAt == nil || got.Attempts != 3 || got.Recipients != 2 || got.Code != "" {
		t.Errorf("got %+v, want SENT in 3 attempts to 2 without a failure", got)
	}
	again, err := f.Mails.BeginMail(t.Context(), automation, output, time.Minute)
	f.must(err)
	if again.State != platen.MailSent || again.Attempts != 3 {
		t.Errorf("a repeat: got %+v, want what was SENT", again)
	}
	_, err = f.Mails.BeginMail(t.Context(), automation, "out_none", time.Minute)
	wantKind(t, "no output", err, platen.KindNotFound, "output_not_found")
}

func TestAMailThatIsGivenUpSaysWhy(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	automation, output, mail := f.mailed(f.user(nil))
	f.must(f.Mails.GiveUpMail(t.Context(), automation, output, "cancelled", "why"))
	if got := mail(); got == nil || got.State != platen.MailFailed || got.Code != "cancelled" || got.Message != "why" {
		t.Errorf("got %+v, want FAILED, cancelled", got)
	}
}

func TestNoMailOfAnErasedAutomationIsSent(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.user(nil)
	w := f.workflow(owner)
	p := f.planned(w)
	_, err := f.Mails.BeginMail(t.Context(), p.AutomationID, p.Documents[0].OutputID, time.Minute)
	f.must(err)
	_, err = f.Automations.EraseAutomation(t.Context(), owner, w.ID, p.AutomationID)
	f.must(err)
	m, err := f.Mails.BeginMail(t.Context(), p.AutomationID, p.Documents[0].OutputID, time.Minute)
	f.must(err)
	if m.State != platen.MailFailed || m.Code != platen.CodeDataErased {
		t.Errorf("got %+v, want FAILED, %s", m, platen.CodeDataErased)
	}
}

func TestMailsThatNobodyTriesToSendAreFound(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	automation, output, _ := f.mailed(f.user(nil))
	overdue := func() (n int) {
		t.Helper()
		all, err := f.Mails.OverdueMails(t.Context(), time.Hour, 1000)
		f.must(err)
		for _, m := range all {
			if m.OutputID == output && m.AutomationID == automation {
				n++
			}
		}
		return n
	}
	_, err := f.Mails.BeginMail(t.Context(), automation, output, time.Minute)
	f.must(err)
	if n := overdue(); n != 0 {
		t.Errorf("while it is tried: got %d, want none", n)
	}
	f.exec(`UPDATE mails SET tried_at = now() - interval '61 minutes', leased_until = NULL WHERE output_id = $1`, output)
	if n := overdue(); n != 1 {
		t.Errorf("an hour after the last attempt: got %d, want it", n)
	}
	f.must(f.Mails.RecordMail(t.Context(), platen.Mail{OutputID: output, State: platen.MailSent}))
	if n := overdue(); n != 0 {
		t.Errorf("sent: got %d, want none", n)
	}
}
