package activities_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// senders are mail senders of the owner, and their servers.
type senders struct {
	stored  map[string]platen.MailSender // by name
	letters map[string][]platen.Letter   // by name
	answer  map[string]error             // of a server, by name; nil: it takes the letter
	noted   []string                     // names and codes
	now     time.Time
}

func (s *senders) SenderOf(_ context.Context, ownerID, name string) (platen.MailSender, error) {
	found, ok := s.stored[name]
	if !ok || found.OwnerID != ownerID {
		return platen.MailSender{}, platen.ErrSenderUnknown(name)
	}
	return found, nil
}

func (s *senders) NoteSender(_ context.Context, of platen.MailSender, code, message string) error {
	s.noted = append(s.noted, of.Name+" "+code)
	of.Code, of.Message = code, message
	s.stored[of.Name] = of
	return nil
}

// serverOf is the server of a sender.
type serverOf struct {
	*senders
	name string
}

func (s serverOf) Host() string { return strings.ToLower(s.name) + ".example" }

func (s serverOf) Deliver(_ context.Context, l platen.Letter) ([]platen.Recipient, error) {
	s.letters[s.name] = append(s.letters[s.name], l)
	if err := s.answer[s.name]; err != nil {
		return nil, err
	}
	return l.Whom(nil), nil
}

// mailedBy is mailed with senders of the owner, whose mail names one.
func mailedBy(name string, stored ...platen.MailSender) (*post, *activities.Mails, *senders) {
	email := toAda
	email.Sender = name
	p, m := mailed(email, ada)
	s := &senders{stored: map[string]platen.MailSender{}, letters: map[string][]platen.Letter{}, answer: map[string]error{}, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	for _, one := range stored {
		one.ID = "snd_" + one.Name
		one.OwnerID = p.plan.OwnerID
		s.stored[one.Name] = one
	}
	m.Senders = &activities.Senders{Store: s, Now: func() time.Time { return s.now }, Of: func(of platen.MailSender) (activities.MailServer, error) { return serverOf{s, of.Name}, nil }}
	m.ReturnPath = func(bounces string) func(string, int) string {
		return func(string, int) string { return "of " + bounces }
	}
	return p, m, s
}

func TestAMailLeavesByTheSenderThatItNames(t *testing.T) {
	t.Parallel()
	p, m, s := mailedBy("Accounting", platen.MailSender{Name: "Accounting"}, platen.MailSender{Name: "Sales", Bounces: "bounces@sales.example"})
	result, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
	if err != nil || result.State != platen.MailSent {
		t.Fatalf("got %+v, %v, want SENT", result, err)
	}
	got := s.letters["Accounting"]
	if len(got) != 1 || len(p.letters) != 0 || got[0].MessageID != "out_1@accounting.example" {
		t.Fatalf("got %+v, and %d by the installation, want one by Accounting", got, len(p.letters))
	}
	// What comes back of a sender without bounces goes to its address, and not to the installation.
	if got[0].ReturnPath != "" {
		t.Errorf("got the return path %q, want none", got[0].ReturnPath)
	}
	_, m, s = mailedBy("Sales", platen.MailSender{Name: "Sales", Bounces: "bounces@sales.example"})
	if _, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail}); err != nil || s.letters["Sales"][0].ReturnPath != "of bounces@sales.example" {
		t.Errorf("got %+v, %v, want the return path of the sender", s.letters["Sales"], err)
	}
}

// Without a mail server of the installation, mails leave that name a sender.
func TestAMailByASenderNeedsNoServerOfTheInstallation(t *testing.T) {
	t.Parallel()
	_, m, _ := mailedBy("Accounting", platen.MailSender{Name: "Accounting"})
	m.Server = nil
	if result, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail}); err != nil || result.State != platen.MailSent {
		t.Errorf("got %+v, %v, want SENT", result, err)
	}
}

// A mail that names a sender of somebody else, or none that is there, waits and says so.
func TestAMailWaitsForASenderThatItsOwnerDoesNotHave(t *testing.T) {
	t.Parallel()
	p, m, s := mailedBy("Accounting", platen.MailSender{Name: "Accounting"})
	of := s.stored["Accounting"]
	of.OwnerID = "usr_other"
	s.stored["Accounting"] = of
	_, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
	if !activities.MayPass(err) || p.mail.State != platen.MailPending || p.mail.Code != platen.CodeSenderUnknown {
		t.Errorf("got %v, %+v, want a mail that waits", err, p.mail)
	}
	if len(s.letters) > 0 || len(p.letters) > 0 {
		t.Errorf("got letters: %v, %v", s.letters, p.letters)
	}
	of.OwnerID = p.plan.OwnerID
	s.stored["Accounting"], p.leased = of, false
	if result, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail}); err != nil || result.State != platen.MailSent {
		t.Errorf("got %+v, %v, want SENT once the sender is there", result, err)
	}
}

// A sender that fails is left alone, and its mails say why. Another sender and the server of the
// installation go on. A test or a change of the sender ends the wait.
func TestASenderThatFailsHoldsUpItsOwnMailsAlone(t *testing.T) {
	t.Parallel()
	away := &platen.Error{Kind: platen.KindUnavailable, Code: platen.CodeSenderUnavailable, Message: "busy"}
	p, m, s := mailedBy("Accounting", platen.MailSender{Name: "Accounting"}, platen.MailSender{Name: "Sales"})
	s.answer["Accounting"] = away
	send := func(sender string) (activities.MailResult, error) {
		p.plan.Documents[0].Document.Email.Sender = sender
		p.mail, p.leased = nil, false
		return m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
	}
	for range 5 {
		_, err := send("Accounting")
		if e, ok := errors.AsType[*platen.Error](err); !ok || e.Kind != away.Kind || e.Code != away.Code || e.RetryAfter != 10*time.Second {
			t.Fatalf("got %#v, want the failure of the server, and a look at the sender soon", err)
		}
	}
	if len(s.noted) != 1 || s.noted[0] != "Accounting "+away.Code {
		t.Errorf("noted %q, want the failure once", s.noted)
	}
	_, err := send("Accounting")
	e, ok := errors.AsType[*platen.Error](err)
	if !ok || e.Kind != platen.KindRateLimited || e.Code != away.Code || e.RetryAfter <= 0 || len(s.letters["Accounting"]) != 5 {
		t.Fatalf("got %#v after %d letters, want that the sender is left alone", err, len(s.letters["Accounting"]))
	}
	if p.mail == nil || p.mail.Code != away.Code || p.mail.Attempts != 0 {
		t.Errorf("the mail that waits: got %+v, want the reason", p.mail)
	}
	for _, other := range []string{"Sales", ""} {
		if result, err := send(other); err != nil || result.State != platen.MailSent {
			t.Errorf("by %q: got %+v, %v, want SENT", other, result, err)
		}
	}
	of := s.stored["Accounting"]
	of.CheckedAt = s.now // it was tested
	s.stored["Accounting"] = of
	delete(s.answer, "Accounting")
	if result, err := send("Accounting"); err != nil || result.State != platen.MailSent {
		t.Errorf("once it is tested: got %+v, %v, want SENT", result, err)
	}
	if last := s.noted[len(s.noted)-1]; last != "Accounting " {
		t.Errorf("noted %q, want that it fails no longer", s.noted)
	}
}

// A server may lock an account after a few wrong passwords: one is tried in a quarter of an hour,
// until the owner tests the sender.
func TestAWrongPasswordIsTriedSeldom(t *testing.T) {
	t.Parallel()
	_, m, s := mailedBy("Accounting", platen.MailSender{Name: "Accounting"})
	s.answer["Accounting"] = &platen.Error{Kind: platen.KindUnavailable, Code: platen.CodeSenderSignInRefused, Message: "no"}
	tries := func() int {
		_, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
		if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != platen.CodeSenderSignInRefused || e.RetryAfter != 10*time.Second {
			t.Errorf("got %v, want a refused sign-in, and a look in ten seconds", err)
		}
		return len(s.letters["Accounting"])
	}
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {10 * time.Second, 1}, {14 * time.Minute, 1}, {time.Minute, 2}, {time.Minute, 2}} {
		s.now = s.now.Add(step.after)
		if got := tries(); got != step.want {
			t.Errorf("after %v more: got %d tries, want %d", step.after, got, step.want)
		}
	}
	of := s.stored["Accounting"]
	of.CheckedAt = s.now
	s.stored["Accounting"] = of
	if got := tries(); got != 3 {
		t.Errorf("after a test of the sender: got %d tries, want 3", got)
	}
}
