package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
)

// Mails sends outputs by mail. Its methods are activities of RunAutomation and of
// DeliverMail.
type Mails struct {
	Documents *Documents
	Store     MailStore
	// Server is the mail server; nil: this installation sends no mail, and each mail
	// fails with platen.CodeEmailUnset.
	Server MailServer
	// Link is the address at which everybody may read the file of a mail; nil: the public
	// address of the API is not known.
	Link func(workflowID, mailID string) string
	// ReturnPath is the address that a mail comes back to when it cannot be delivered; nil: to
	// the sender's, which nobody reads here.
	ReturnPath func(outputID string, number int) string

	turns turns
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
	// Deliver hands over a letter, and returns what became of each recipient that it is
	// for; nil: nothing. The error is nil if the server took it for all of these.
	// KindUnavailable: another time may do for those that are RecipientPending;
	// KindInvalid: it does not for any that is left.
	Deliver(ctx context.Context, l platen.Letter) ([]platen.Recipient, error)
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

// errMailWaits: other mails of the owner have all places.
var errMailWaits = &platen.Error{
	Kind: platen.KindRateLimited, Code: "mail_waits_for_others", RetryAfter: 2 * time.Second, Message: "Other mails of this owner are being sent; this one comes after them.",
}

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
	giveBack, ok := m.turns.take(j.plan.OwnerID, mailsAtOnce)
	if !ok {
		return MailResult{}, errMailWaits
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
	// An earlier attempt may have had a link in place of its file.
	err := m.once(ctx, j, o, &mail, mail.LinkUntil != nil)
	if e, ok := errors.AsType[*platen.Error](err); ok && e.Code == platen.CodeEmailTooLarge && mail.LinkUntil == nil && linkDays(j.planned.Document) > 0 {
		err = m.once(ctx, j, o, &mail, true)
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
			switch {
			case mail.Accepted > 0:
				mail.State = platen.MailPartlySent
			case mail.Code == platen.CodeEmailBounced:
				mail.State = platen.MailBounced
			}
		}
	}
	recording, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if unrecorded := m.Store.RecordMail(recording, mail); unrecorded != nil {
		return MailResult{}, unrecorded
	}
	return MailResult{State: mail.State}, err
}

// linkDays is how long links in mails about outputs of a document are good.
func linkDays(d platen.Document) int {
	if d.Email == nil {
		return 0
	}
	return d.Email.LinkDays
}

// once writes the letter of a mail, with a link in place of its file or not, and hands it over.
func (m *Mails) once(ctx context.Context, j job, o platen.Output, mail *platen.Mail, byLink bool) error {
	letter, err := m.letter(ctx, j, o, mail, byLink)
	mail.Recipients = len(letter.Whom(nil))
	if err != nil {
		return err
	}
	return m.deliver(ctx, letter, mail)
}

// deliver hands over a letter to those who did not get it before, and notes in the mail what
// became of each.
func (m *Mails) deliver(ctx context.Context, l platen.Letter, mail *platen.Mail) error {
	mail.Whom, mail.Accepted = l.Whom(mail.Whom), 0
	l.Only = []string{}
	for _, r := range mail.Whom {
		if r.State == platen.RecipientPending {
			l.Only = append(l.Only, r.Address)
		}
	}
	var answers []platen.Recipient
	var err error
	if len(l.Only) > 0 {
		answers, err = m.Server.Deliver(ctx, l)
	}
	mail.Whom = l.Whom(slices.Concat(mail.Whom, answers))
	var refused, deferred []platen.Recipient
	for _, r := range mail.Whom {
		switch {
		case r.State == platen.RecipientAccepted:
			mail.Accepted++
		case r.State == platen.RecipientRefused:
			refused = append(refused, r)
		case r.State == platen.RecipientPending && r.Status != "":
			deferred = append(deferred, r)
		}
	}
	switch {
	case err != nil && answers == nil: // of none in particular
		return err
	case mail.Accepted > 0 && len(deferred) > 0:
		return platen.Errorf(platen.KindUnavailable, platen.CodeSMTPUnavailable, "The mail server does not take the mail for %d of %d recipients now (%s). The others got it.", len(deferred), mail.Recipients, deferred[0].Status)
	case mail.Accepted > 0 && len(refused) > 0:
		return platen.Errorf(platen.KindInvalid, platen.CodeEmailAddressRefused, "The mail server refused %d of %d recipients (%s). The others got it.", len(refused), mail.Recipients, refused[0].Status)
	case err == nil:
		return mail.ErrEmailBounced()
	}
	return err
}

// letter fills the mail in, and gets what is attached.
func (m *Mails) letter(ctx context.Context, j job, o platen.Output, mail *platen.Mail, byLink bool) (platen.Letter, error) {
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
	if m.ReturnPath != nil {
		letter.ReturnPath = m.ReturnPath(o.ID, mail.Number)
	}
	email := j.planned.Document.Email
	if !byLink && email.Attach != platen.AttachLink {
		file, err := m.attached(ctx, j, o)
		letter.Files = []platen.AttachedFile{file}
		return letter, err
	}
	for _, f := range o.Files()[:min(1, len(o.Files()))] {
		link := f.File
		if email.LinkDays > 0 {
			if m.Link == nil {
				return letter, platen.Errorf(platen.KindUnavailable, "email_link_unset", "The mail is to bring a link, and the public address of this installation is not known: whoever runs it sets PLATEN_API_URL for the worker.")
			}
			link.URL = m.Link(j.plan.WorkflowID, mail.ID())
			mail.LinkUntil = new(mail.CreatedAt.AddDate(0, 0, email.LinkDays))
		}
		letter = fill.WithLink(letter, link)
	}
	return letter, nil
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
	if to != "" { // nobody else is to get it
		email.To, email.CC, email.BCC = to, "", ""
	}
	return &email
}

// attached reads the file that a mail is to bring.
func (m *Mails) attached(ctx context.Context, j job, o platen.Output) (file platen.AttachedFile, err error) {
	office := j.planned.Document.Email.Attach == platen.AttachOffice
	switch {
	case !office && o.PDF == nil:
		return file, platen.Errorf(platen.KindInvalid, platen.CodeEmailWithoutPDF, "The mail is to bring a PDF, and document %s makes none: set createPdfCopy, or email.attach to link.", o.DocumentID)
	case office && (o.Copy == nil || o.Removed):
		return file, platen.Errorf(platen.KindInvalid, platen.CodeEmailWithoutOffice, "The mail is to bring the office file, and document %s keeps none: switch removeOutput off, or set email.attach to pdf or link.", o.DocumentID)
	case !office && o.PDF.Size > platen.MaxEmailAttached:
		return file, errTooLarge
	}
	if file, err = m.Documents.read(ctx, j, o, office); platen.KindOf(err) == platen.KindTooLarge {
		return file, errTooLarge
	}
	switch {
	case err != nil:
		return file, fmt.Errorf("read what the mail brings: %w", err)
	case len(file.Content) > platen.MaxEmailAttached:
		return file, errTooLarge
	}
	return file, nil
}

var errTooLarge = platen.Errorf(platen.KindInvalid, platen.CodeEmailTooLarge, "The file is larger than the %d MiB that a mail may bring: set email.linkDays, or email.attach to link.", platen.MaxEmailAttached>>20)

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
