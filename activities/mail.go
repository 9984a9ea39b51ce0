package activities

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// Mails sends outputs by mail. Its methods are activities of RunAutomation and of
// DeliverMail.
type Mails struct {
	Documents *Documents
	Store     MailStore
	// Server is the mail server; nil: this installation sends no mail, and each mail
	// fails with platen.CodeEmailUnset.
	Server MailServer

	mu       sync.Mutex
	underWay map[string]int // attempts by owner
}

// MailStore keeps the mails about outputs.
type MailStore interface {
	// BeginMail notes that an attempt begins, which nobody else makes for lease. A mail
	// that has ended is returned as it is. KindConflict: another attempt is under way.
	BeginMail(ctx context.Context, key platen.MailKey, lease time.Duration) (platen.Mail, error)
	// RecordMail stores the outcome of an attempt. PENDING: there is to be another.
	RecordMail(ctx context.Context, m platen.Mail) error
	// SkipMail notes that no mail is sent, and why.
	SkipMail(ctx context.Context, key platen.MailKey, code, message string) error
	// GiveUpMail ends a mail that was not sent.
	GiveUpMail(ctx context.Context, key platen.MailKey, code, message string) error
}

// MailServer takes letters.
type MailServer interface {
	// Host is where ids of letters are unique.
	Host() string
	// Send hands over a letter. KindUnavailable: another time may do; KindInvalid: no
	// recipient gets it, at any time.
	Send(ctx context.Context, l platen.Letter) error
}

// MailInput names the output that is sent.
type MailInput struct {
	Step
	// Number is that of the mail; see platen.MailKey.
	Number int `json:",omitempty"`
	// InRun: the attempt is a step of the automation's run, which is not kept waiting for
	// another.
	InRun bool
}

func (in MailInput) key() platen.MailKey {
	return platen.MailKey{AutomationID: in.AutomationID, OutputID: in.OutputID, Number: in.Number}
}

// MailResult says where a mail stands.
type MailResult struct {
	State platen.MailState // empty: there is nothing to send
}

// mailsAtOnce is how many mails of one owner a worker sends at once: drives and mail
// servers that are slow for one are not to hold the others.
const mailsAtOnce = 4

// mailLease is longer than an attempt takes: when it expires, another may begin.
const mailLease = 8 * time.Minute

// SendMail makes one attempt to send the mail about an output that was made. A failure
// that another attempt cannot cure ends the mail, and is no error.
//
// Run twice: an attempt is noted before it is made, and no other begins meanwhile. If its
// outcome is lost, the attempt is repeated under the same Message-ID and with the same
// bytes, so that a server or a program that has the mail can leave the repeat out. A mail
// that is recorded as sent is not sent again.
func (m *Mails) SendMail(ctx context.Context, in MailInput) (MailResult, error) {
	result, err := m.send(ctx, in)
	if err != nil && in.InRun && MayPass(err) {
		return MailResult{State: platen.MailPending}, nil
	}
	return result, err
}

func (m *Mails) send(ctx context.Context, in MailInput) (MailResult, error) {
	j, err := m.Documents.job(ctx, in.Step)
	if err != nil {
		return MailResult{}, err
	}
	if j.plan.Test {
		err := m.Store.SkipMail(ctx, in.key(), platen.CodeTestMode, platen.MessageTestMode)
		return MailResult{State: platen.MailNotSent}, err
	}
	giveBack, ok := m.take(j.plan.OwnerID)
	if !ok {
		return MailResult{}, &platen.Error{Kind: platen.KindRateLimited, Code: "mail_waits_for_others", RetryAfter: 2 * time.Second,
			Message: "Other mails of this owner are being sent; this one comes after them."}
	}
	defer giveBack()
	o, err := m.Documents.Outputs.Output(ctx, in.OutputID)
	if err != nil {
		return MailResult{}, fmt.Errorf("read output %s: %w", in.OutputID, err)
	}
	if o.State != platen.OutputDone || j.planned.Document.Email == nil && in.Number <= 1 {
		return MailResult{}, nil
	}
	mail, err := m.Store.BeginMail(ctx, in.key(), mailLease)
	if err != nil || mail.State != platen.MailPending {
		return MailResult{State: mail.State}, err
	}
	return m.attempt(ctx, j, o, mail, in.InRun)
}

// attempt makes an attempt that was noted, and records its outcome. The short one in the
// run is made again where the server did not say that it took the mail, a long one is not.
func (m *Mails) attempt(ctx context.Context, j job, o platen.Output, mail platen.Mail, inRun bool) (MailResult, error) {
	letter, err := m.letter(ctx, j, o, mail)
	mail.Recipients = len(letter.To)
	if err == nil {
		err = m.Server.Send(ctx, letter)
	}
	mail.State, mail.Code, mail.Message = platen.MailSent, "", ""
	if err != nil {
		mail.State, mail.Code, mail.Message = platen.MailPending, "internal", "The mail could not be sent for a reason on our side. It is tried again."
		if e, known := errors.AsType[*platen.Error](err); known {
			mail.Code, mail.Message = e.Code, e.Message
		}
		switch {
		case inRun && mail.Code == platen.CodeEmailUnconfirmed:
			err = nil // PENDING
		case !MayPass(err):
			mail.State, err = platen.MailFailed, nil
		}
	}
	recording, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if unrecorded := m.Store.RecordMail(recording, mail); unrecorded != nil {
		return MailResult{}, unrecorded
	}
	return MailResult{State: mail.State}, err
}

// letter fills the mail in, and gets what is attached.
func (m *Mails) letter(ctx context.Context, j job, o platen.Output, mail platen.Mail) (platen.Letter, error) {
	if m.Server == nil {
		return platen.Letter{}, platen.ErrEmailUnset()
	}
	isBare := j.planned.Document.Email == nil && len(o.Files()) > 0 // its file says what it is
	j.planned.Document.Email = emailOf(j.planned.Document.Email, o, mail.To)
	filling, err := m.Documents.filling(ctx, j)
	if err != nil {
		return platen.Letter{}, err
	}
	letter, refusal := filling.Letter()
	if refusal != nil {
		return platen.Letter{}, refusal.Err(o.MissingFields)
	}
	if isBare {
		letter.Subject = o.Files()[0].Name
	}
	letter.MessageID, letter.Date = mail.ID()+"@"+m.Server.Host(), mail.CreatedAt
	if j.planned.Document.Email.Attach == platen.AttachLink {
		for _, f := range o.Files()[:min(1, len(o.Files()))] {
			letter.Text += "\n\n" + f.URL + "\n"
		}
		return letter, nil
	}
	return m.attach(ctx, j, o, letter)
}

// emailOf is what a mail to these recipients says; empty: those of the document. A document
// that has no mail gets one without a text.
func emailOf(of *platen.Email, o platen.Output, to string) *platen.Email {
	if of == nil {
		email := platen.Email{To: to, Attach: platen.AttachLink}
		if o.PDF != nil {
			email.Attach = platen.AttachPDF
		}
		return &email
	}
	email := *of
	if to != "" {
		email.To = to
	}
	return &email
}

// attach puts the PDF of an output into its letter.
func (m *Mails) attach(ctx context.Context, j job, o platen.Output, letter platen.Letter) (platen.Letter, error) {
	if o.PDF == nil {
		return letter, platen.Errorf(platen.KindInvalid, "email_without_pdf", "The mail is to bring a PDF, and document %s makes none: set createPdfCopy, or email.attach to link.", o.DocumentID)
	}
	errTooLarge := platen.Errorf(platen.KindInvalid, "email_too_large", "The PDF is larger than the %d MiB that a mail may bring: set email.attach to link.", platen.MaxEmailAttached>>20)
	if o.PDF.Size > platen.MaxEmailAttached {
		return letter, errTooLarge
	}
	ctx, done, err := m.Documents.reserve(ctx, j, quotaOfAttaching, nothingLater)
	if err != nil {
		return letter, err
	}
	defer done(true)
	pdf, err := j.drive.Download(ctx, o.PDF.ID)
	if err != nil {
		return letter, fmt.Errorf("read the PDF: %w", err)
	}
	if len(pdf) > platen.MaxEmailAttached {
		return letter, errTooLarge
	}
	letter.PDF, letter.PDFName = pdf, o.PDF.Name
	return letter, nil
}

// quotaOfAttaching is for a download.
var quotaOfAttaching = platen.Usage{platen.DriveUnits: 200}

// MailFailure says why a mail is given up.
type MailFailure struct {
	Step
	Number  int `json:",omitempty"` // as in MailInput
	Code    string
	Message string // quotes no value of the source data
}

// GiveUpMail ends a mail whose attempts are over; a second execution changes nothing.
func (m *Mails) GiveUpMail(ctx context.Context, in MailFailure) error {
	return m.Store.GiveUpMail(ctx, platen.MailKey{AutomationID: in.AutomationID, OutputID: in.OutputID, Number: in.Number}, in.Code, in.Message)
}

// take takes one of the owner's places.
func (m *Mails) take(owner string) (giveBack func(), ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.underWay[owner] >= mailsAtOnce {
		return nil, false
	}
	if m.underWay == nil {
		m.underWay = map[string]int{}
	}
	m.underWay[owner]++
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.underWay[owner]--; m.underWay[owner] == 0 {
			delete(m.underWay, owner)
		}
	}, true
}
