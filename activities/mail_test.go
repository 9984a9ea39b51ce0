package activities_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// A post is a mail server, and what is stored of the one mail; it dies as the harness does.
type post struct {
	*harness
	mail    *platen.Mail
	to      string // of one that goes elsewhere
	leased  bool
	letters []platen.Letter
	answer  func() error // nil: it takes the letter
}

func (p *post) Host() string { return "example.com" }

func (p *post) Send(_ context.Context, l platen.Letter) error {
	return p.call(func() error {
		p.letters = append(p.letters, l)
		if p.answer != nil {
			return p.answer()
		}
		return nil
	})
}

func (p *post) BeginMail(_ context.Context, key platen.MailKey, _ time.Duration) (m platen.Mail, err error) {
	err = p.call(func() error {
		if p.mail == nil {
			p.mail = &platen.Mail{MailKey: key, To: p.to, State: platen.MailPending, CreatedAt: p.plan.AcceptedAt}
		}
		if p.mail.State == platen.MailPending {
			if p.leased {
				return platen.Errorf(platen.KindConflict, "mail_under_way", "under way")
			}
			p.mail.Attempts++
			p.leased = true
		}
		m = *p.mail
		return nil
	})
	return m, err
}

func (p *post) RecordMail(_ context.Context, m platen.Mail) error {
	return p.call(func() error { *p.mail, p.leased = m, false; return nil })
}

func (p *post) SkipMail(_ context.Context, key platen.MailKey, code, message string) error {
	return p.call(func() error {
		p.mail = &platen.Mail{MailKey: key, State: platen.MailNotSent, Code: code, Message: message}
		return nil
	})
}

func (p *post) GiveUpMail(context.Context, platen.MailKey, string, string) error { return nil }

func mailed(email platen.Email, data string) (*post, *activities.Mails) {
	d := document()
	d.CreatePDFCopy, d.Email = true, &email
	w := newHarness(d, data)
	w.files["pdf"] = stored{File: platen.File{ID: "pdf", Name: "Letter Ada.pdf", URL: "https://drive/pdf"}, content: "%PDF"}
	o := w.outputs["out_1"]
	pdf := w.files["pdf"].File
	o.State, o.PDF, o.PDFID = platen.OutputDone, &pdf, "pdf"
	w.outputs["out_1"] = o
	p := &post{harness: w}
	return p, &activities.Mails{Documents: w.documents(), Store: p, Server: p}
}

var toAda = platen.Email{To: "{{Email}}", Subject: "Invoice for {{Name}}", Text: "Dear {{Name}}", Attach: platen.AttachPDF}

const ada = `{"Name": "Ada", "Email": "ada@example.org"}`

var stepOfMail = activities.Step{AutomationID: "aut_1", OutputID: "out_1", Attempt: 1}

func TestAnOutputIsSentByMailOnce(t *testing.T) {
	t.Parallel()
	p, m := mailed(toAda, ada)
	for range 2 {
		result, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail, InRun: true})
		if err != nil || result.State != platen.MailSent {
			t.Fatalf("got %+v, %v, want SENT", result, err)
		}
	}
	if len(p.letters) != 1 {
		t.Fatalf("got %d letters, want 1", len(p.letters))
	}
	l := p.letters[0]
	if l.MessageID != "out_1@example.com" || l.Subject != "Invoice for Ada" || l.Text != "Dear Ada" || string(l.PDF) != "%PDF" || l.PDFName != "Letter Ada.pdf" || !l.Date.Equal(p.plan.AcceptedAt) {
		t.Errorf("got %+v", l)
	}
	if p.mail.Recipients != 1 || p.mail.Attempts != 1 {
		t.Errorf("got %+v, want 1 recipient in 1 attempt", p.mail)
	}
}

func TestALinkStandsAtTheEndOfTheText(t *testing.T) {
	t.Parallel()
	email := toAda
	email.Attach = platen.AttachLink
	p, m := mailed(email, ada)
	if _, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail}); err != nil {
		t.Fatal(err)
	}
	if l := p.letters[0]; l.PDF != nil || l.Text != "Dear Ada\n\nhttps://drive/pdf\n" {
		t.Errorf("got %+v, want the link and no PDF", l)
	}
}

func TestAWorkerThatDiesSendsTheSameLetterAgainOrNone(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		for at := 1; at <= 6; at++ {
			t.Run(fmt.Sprintf("at call %d, after it %t", at, after), func(t *testing.T) {
				t.Parallel()
				p, m := mailed(toAda, ada)
				p.dieAt, p.dieAfter = at, after
				_, _ = m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
				p.dieAt, p.leased = 0, false // the lease has passed
				again := &activities.Mails{Documents: p.documents(), Store: p, Server: p}
				result, err := again.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
				if err != nil || result.State != platen.MailSent || p.mail.State != platen.MailSent {
					t.Fatalf("got %+v, %v, stored %+v, want SENT", result, err, p.mail)
				}
				if n := len(p.letters); n < 1 || n > 2 {
					t.Fatalf("got %d letters, want 1, or 2 alike", n)
				}
				if first, last := p.letters[0], p.letters[len(p.letters)-1]; fmt.Sprint(first) != fmt.Sprint(last) {
					t.Errorf("got two letters that differ:\n%+v\n%+v", first, last)
				}
			})
		}
	}
}

func TestMailsThatCannotBeSentSayWhy(t *testing.T) {
	t.Parallel()
	link := toAda
	link.Attach = platen.AttachLink
	for name, c := range map[string]struct {
		data   string
		change func(*post, *activities.Mails)
		code   string
		state  platen.MailState
	}{
		"no mail server":      {ada, func(_ *post, m *activities.Mails) { m.Server = nil }, platen.CodeEmailUnset, platen.MailFailed},
		"no address":          {`{"Name": "Ada"}`, nil, "email_field_missing", platen.MailFailed},
		"two in one":          {`{"Email": "a@example.org,b@example.org"}`, nil, "email_address_invalid", platen.MailFailed},
		"a refused address":   {ada, answers(platen.KindInvalid, platen.CodeEmailAddressRefused), platen.CodeEmailAddressRefused, platen.MailFailed},
		"a server that waits": {ada, answers(platen.KindUnavailable, platen.CodeSMTPUnavailable), platen.CodeSMTPUnavailable, platen.MailPending},
		"a fault of ours":     {ada, func(p *post, _ *activities.Mails) { p.answer = func() error { return errors.New("boom") } }, "internal", platen.MailPending},
		"no PDF":              {ada, func(p *post, _ *activities.Mails) { o := p.outputs["out_1"]; o.PDF = nil; p.outputs["out_1"] = o }, "email_without_pdf", platen.MailFailed},
		"a large PDF": {ada, func(p *post, _ *activities.Mails) {
			f := p.files["pdf"]
			f.content = strings.Repeat("x", platen.MaxEmailAttached+1)
			p.files["pdf"] = f
		}, "email_too_large", platen.MailFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, m := mailed(toAda, c.data)
			if c.change != nil {
				c.change(p, m)
			}
			result, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail, InRun: true})
			if err != nil || result.State != c.state || p.mail.State != c.state || p.mail.Code != c.code {
				t.Errorf("in the run: got %+v, %v, stored %+v, want %s, %s", result, err, p.mail, c.state, c.code)
			}
			if _, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail}); (err != nil) != (c.state == platen.MailPending) {
				t.Errorf("beside it: got %v, want an error that is retried for a mail that waits alone", err)
			}
		})
	}
}

func answers(kind platen.Kind, code string) func(*post, *activities.Mails) {
	return func(p *post, _ *activities.Mails) {
		p.answer = func() error { return platen.Errorf(kind, code, "no") }
	}
}

func TestNothingIsSentOfAnOutputThatFailedOrHasNoMail(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*post){
		"failed":  func(p *post) { o := p.outputs["out_1"]; o.State = platen.OutputFailed; p.outputs["out_1"] = o },
		"no mail": func(p *post) { p.plan.Documents[0].Document.Email = nil },
	} {
		p, m := mailed(toAda, ada)
		change(p)
		result, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
		if err != nil || result.State != "" || p.mail != nil || len(p.letters) > 0 {
			t.Errorf("%s: got %+v, %v, %+v and %d letters, want nothing", name, result, err, p.mail, len(p.letters))
		}
	}
}

func TestAnOutputIsSentAgainToWhomSomebodyNamed(t *testing.T) {
	t.Parallel()
	again := activities.MailInput{Step: stepOfMail, Number: 2}
	for name, c := range map[string]struct {
		email   *platen.Email
		to      string
		subject string
		want    []string
	}{
		"elsewhere":                  {&toAda, "ada@new.example,bob@new.example", "Invoice for Ada", []string{"ada@new.example", "bob@new.example"}},
		"to whom the document says":  {&toAda, "", "Invoice for Ada", []string{"ada@example.org"}},
		"of a document without mail": {nil, "ada@new.example", "Letter Ada.pdf", []string{"ada@new.example"}},
	} {
		p, m := mailed(toAda, ada)
		p.plan.Documents[0].Document.Email, p.to = c.email, c.to
		result, err := m.SendMail(t.Context(), again)
		if err != nil || result.State != platen.MailSent || len(p.letters) != 1 {
			t.Fatalf("%s: got %+v, %v and %d letters, want one that is SENT", name, result, err, len(p.letters))
		}
		l := p.letters[0]
		if !slices.Equal(l.To, c.want) || l.Subject != c.subject || string(l.PDF) != "%PDF" || l.MessageID != "out_1.2@example.com" {
			t.Errorf("%s: got %+v, want the PDF to %q about %q, with an id of its own", name, l, c.want, c.subject)
		}
	}
}

func TestAnOwnerWhoseMailsHangLeavesOthersTheirPlaces(t *testing.T) {
	t.Parallel()
	p, m := mailed(toAda, ada)
	hang, came := make(chan struct{}), make(chan struct{})
	slow := &slowServer{post: p, came: came, hang: hang}
	m.Server = slow
	var sending sync.WaitGroup
	for range 4 {
		sending.Go(func() {
			p.mu.Lock()
			p.leased = false // of other outputs
			p.mu.Unlock()
			_, _ = m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
		})
		<-came
		p.mu.Lock()
		p.leased = false
		p.mu.Unlock()
	}
	_, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
	if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != "mail_waits_for_others" || e.RetryAfter == 0 {
		t.Errorf("the fifth at once: got %v, want mail_waits_for_others", err)
	}
	close(hang)
	sending.Wait()
}

type slowServer struct {
	*post
	came, hang chan struct{}
}

func (s *slowServer) Send(context.Context, platen.Letter) error {
	s.came <- struct{}{}
	<-s.hang
	return nil
}
