package activities_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	answer  func() error      // nil: it takes the letter
	refuses map[string]string // the status that it refuses an address with
}

func (p *post) Host() string { return "example.com" }

func (p *post) Deliver(_ context.Context, l platen.Letter) (whom []platen.Recipient, err error) {
	err = p.call(func() error {
		p.letters = append(p.letters, l)
		if p.answer != nil {
			return p.answer()
		}
		var refused, deferred error
		for _, address := range l.Only {
			r := platen.Recipient{Address: address, State: platen.RecipientAccepted, Status: p.refuses[address]}
			switch {
			case strings.HasPrefix(r.Status, "5"):
				r.State, refused = platen.RecipientRefused, platen.Errorf(platen.KindInvalid, platen.CodeEmailAddressRefused, "no")
			case r.Status != "":
				r.State, deferred = platen.RecipientPending, platen.Errorf(platen.KindUnavailable, platen.CodeSMTPUnavailable, "later")
			}
			whom = append(whom, r)
		}
		return cmp.Or(deferred, refused)
	})
	return whom, err
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

func (p *post) HoldMail(_ context.Context, key platen.MailKey, code, message string) error {
	return p.call(func() error {
		if p.mail == nil {
			p.mail = &platen.Mail{MailKey: key, State: platen.MailPending}
		}
		p.mail.Code, p.mail.Message = code, message
		return nil
	})
}

func (p *post) GiveUpMail(_ context.Context, key platen.MailKey, code, message string) error {
	return p.call(func() error {
		if p.mail == nil || p.mail.State == platen.MailPending {
			p.mail = &platen.Mail{MailKey: key, State: platen.MailFailed, Code: code, Message: message}
		}
		return nil
	})
}

func (p *post) ReopenMail(context.Context, platen.MailKey) error {
	return p.call(func() error {
		if p.mail != nil && p.mail.State == platen.MailFailed && p.mail.Code == platen.CodeEmailOutputMissing && p.mail.Attempts == 0 {
			p.mail = nil
		}
		return nil
	})
}

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

// A mail brings the bytes that people have approved, and no others.
func TestAMailBringsWhatWasApproved(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("%PDF"))
	for hash, want := range map[string]platen.MailState{hex.EncodeToString(sum[:]): platen.MailSent, "other": platen.MailFailed} {
		p, m := mailed(toAda, ada)
		o := p.outputs["out_1"]
		o.Verdict, o.PDF.SHA256 = platen.VerdictApproved, hash
		p.outputs["out_1"] = o
		result, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
		if err != nil || result.State != want || want == platen.MailFailed && (len(p.letters) > 0 || p.mail.Code != platen.CodeApprovedFileChanged) {
			t.Errorf("%s: got %+v, %v, %d letters and %q, want %s", hash, result, err, len(p.letters), p.mail.Code, want)
		}
	}
}

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
	if l.MessageID != "out_1@example.com" || l.Subject != "Invoice for Ada" || l.Text != "Dear Ada" || fmt.Sprintf("%s", l.Files) != "[{Letter Ada.pdf application/pdf %PDF}]" || !l.Date.Equal(p.plan.AcceptedAt) {
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
	if l := p.letters[0]; l.Files != nil || l.Text != "Dear Ada\n\nLetter Ada.pdf\nhttps://drive/pdf\n" {
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
		if !slices.Equal(l.To, c.want) || l.Subject != c.subject || len(l.Files) != 1 || string(l.Files[0].Content) != "%PDF" || l.MessageID != "out_1.2@example.com" {
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

func (s *slowServer) Deliver(context.Context, platen.Letter) ([]platen.Recipient, error) {
	s.came <- struct{}{}
	<-s.hang
	return nil, nil
}

func TestAMailThatIsTakenForSomeRecipientsGoesToTheRestAlone(t *testing.T) {
	t.Parallel()
	email := toAda
	email.CC, email.BCC = "bob@example.org", "cleo@example.org"
	p, m := mailed(email, ada)
	p.refuses = map[string]string{"bob@example.org": "450 4.2.0", "cleo@example.org": "550 5.1.1"}
	send := func(in activities.MailInput) platen.MailState {
		t.Helper()
		in.Step, p.leased = stepOfMail, false
		result, _ := m.SendMail(t.Context(), in)
		return cmp.Or(result.State, p.mail.State)
	}
	if got := send(activities.MailInput{InRun: true}); got != platen.MailPending || p.mail.Accepted != 1 || p.mail.Recipients != 3 || p.mail.Message != "The mail server does not take the mail for 1 of 3 recipients now (450 4.2.0). The others got it." {
		t.Errorf("one deferred: got %s, %+v, want PENDING for one", got, p.mail)
	}
	delete(p.refuses, "bob@example.org")
	if got := send(activities.MailInput{}); got != platen.MailPartlySent || p.mail.Accepted != 2 || p.mail.Code != platen.CodeEmailAddressRefused || p.mail.Message != "The mail server refused 1 of 3 recipients (550 5.1.1). The others got it." {
		t.Errorf("one refused: got %s, %+v, want PARTLY_SENT to two", got, p.mail)
	}
	if len(p.letters) != 2 || !slices.Equal(p.letters[1].Only, []string{"bob@example.org"}) {
		t.Fatalf("got %+v, want a second letter to the one who was deferred", p.letters)
	}
	p.mail.State, p.mail.Whom[2] = platen.MailPending, platen.Recipient{Address: "cleo@example.org", State: platen.RecipientPending} // somebody sends it again
	p.refuses = nil
	if got := send(activities.MailInput{Number: 2}); got != platen.MailSent || p.mail.Accepted != 3 || p.mail.Code != "" || !slices.Equal(p.letters[2].Only, []string{"cleo@example.org"}) {
		t.Errorf("again: got %s, %+v, want SENT, to the one who was refused", got, p.mail)
	}
	p.mail, p.to = nil, "ada@new.example"
	if got := send(activities.MailInput{Number: 3}); got != platen.MailSent || !slices.Equal(p.letters[3].Only, []string{"ada@new.example"}) {
		t.Errorf("elsewhere: got %s, %+v, want it to that address alone", got, p.letters[3])
	}
}

func TestAFileThatIsTooLargeForMailsIsSentAsALink(t *testing.T) {
	t.Parallel()
	email := toAda
	email.LinkDays = 30
	large := func(p *post) {
		f := p.files["pdf"]
		f.content = strings.Repeat("x", platen.MaxEmailAttached+1)
		p.files["pdf"] = f
	}
	tooLarge := func(p *post) {
		p.answer = func() error {
			if len(p.letters[len(p.letters)-1].Files) > 0 {
				return platen.Errorf(platen.KindInvalid, platen.CodeEmailTooLarge, "too large")
			}
			return nil
		}
	}
	for name, change := range map[string]func(*post){"for mails": large, "for the server": tooLarge} {
		p, m := mailed(email, ada)
		m.Link = func(workflowID, mailID string) string { return "https://api/mailed/" + workflowID + "/" + mailID }
		change(p)
		result, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
		if err != nil || result.State != platen.MailSent {
			t.Fatalf("%s: got %+v, %v, want SENT", name, result, err)
		}
		l := p.letters[len(p.letters)-1]
		if l.Files != nil || l.Text != "Dear Ada\n\nLetter Ada.pdf\nhttps://api/mailed/"+p.plan.WorkflowID+"/out_1\n" {
			t.Errorf("%s: got %+v, want a link", name, l)
		}
		if want := p.plan.AcceptedAt.AddDate(0, 0, 30); p.mail.LinkUntil == nil || !p.mail.LinkUntil.Equal(want) {
			t.Errorf("%s: got %v, want the link good until %v", name, p.mail.LinkUntil, want)
		}
	}
	p, m := mailed(email, ada)
	large(p)
	if _, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail}); err == nil || p.mail.Code != "email_link_unset" || p.mail.State != platen.MailPending {
		t.Errorf("without a public address: got %v, %+v, want it to wait for the operator", err, p.mail)
	}
}

func TestALinkInPlaceOfAFileIsSentAgainAsItWas(t *testing.T) {
	t.Parallel()
	email := toAda
	email.LinkDays = 30
	p, m := mailed(email, ada)
	m.Link = func(_, mailID string) string { return "https://api/mailed/" + mailID }
	f := p.files["pdf"]
	f.content = strings.Repeat("x", platen.MaxEmailAttached+1)
	p.files["pdf"] = f
	p.answer = func() error { return platen.Errorf(platen.KindUnavailable, platen.CodeSMTPUnavailable, "later") }
	if _, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail}); err == nil || p.mail.State != platen.MailPending {
		t.Fatalf("without its server: got %+v, %v, want it to wait", p.mail, err)
	}
	p.answer = nil
	result, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
	if err != nil || result.State != platen.MailSent || len(p.letters) != 2 || p.letters[1].Text != p.letters[0].Text {
		t.Errorf("got %+v, %v, %+v, want the same letter SENT", result, err, p.mail)
	}
}

func TestAMailBringsTheOfficeFile(t *testing.T) {
	t.Parallel()
	email := toAda
	email.Attach = platen.AttachOffice
	p, m := mailed(email, ada)
	o := p.outputs["out_1"]
	o.Copy = &platen.File{ID: "copy", Name: "Letter Ada"}
	p.outputs["out_1"] = o
	p.files["copy"] = stored{File: *o.Copy, content: "PK office"}
	if _, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail}); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%s", p.letters[0].Files), "[{Letter Ada.docx "+platen.MIMEDocx+" PK office}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p, m = mailed(email, ada)
	o.Removed = true
	p.outputs["out_1"] = o
	result, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
	if err != nil || result.State != platen.MailFailed || p.mail.Code != platen.CodeEmailWithoutOffice {
		t.Errorf("of one that was removed: got %+v, %v, %+v, want FAILED", result, err, p.mail)
	}
}

func TestAMailHasAnAddressOfItsOwnToComeBackTo(t *testing.T) {
	t.Parallel()
	p, m := mailed(toAda, ada)
	m.ReturnPath = func(string) func(string, int) string {
		return func(outputID string, number int) string { return fmt.Sprintf("%s-%d@example.com", outputID, number) }
	}
	if _, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail, Number: 2}); err != nil {
		t.Fatal(err)
	}
	if got := p.letters[0].ReturnPath; got != "out_1-2@example.com" {
		t.Errorf("got %q, want the address of the second mail", got)
	}
}

// The mail comes back from one recipient while the other is still tried.
func TestAMailThatCameBackInPartIsNotSENT(t *testing.T) {
	t.Parallel()
	email := toAda
	email.CC = "bob@example.org"
	for second, want := range map[string]platen.MailState{"": platen.MailPartlySent, "550 5.1.1": platen.MailFailed} {
		p, m := mailed(email, ada)
		p.refuses = map[string]string{"bob@example.org": "450 4.2.0"}
		if _, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail}); err == nil {
			t.Fatal("the mail is SENT")
		}
		p.mail.Whom = slices.Clone(p.mail.Whom)
		if !p.mail.Bounce(1, []platen.FailedRecipient{{Final: "ada@example.org", Status: "5.1.1"}}) || p.mail.State != platen.MailPending {
			t.Fatalf("got %+v, want it PENDING", p.mail)
		}
		p.refuses["bob@example.org"] = second
		result, err := m.SendMail(t.Context(), activities.MailInput{Step: stepOfMail})
		if err != nil || result.State != want || p.mail.State != want || p.mail.Code == "" || !slices.Equal(p.letters[1].Only, []string{"bob@example.org"}) {
			t.Errorf("%q: got %+v, %v, %+v, want %s after a letter to Bob alone", second, result, err, p.mail, want)
		}
	}
}
