package platen

import (
	"errors"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Email says to whom an output goes by mail, once it is made. All but Attach and When
// are templates.
type Email struct {
	// To has one address for each recipient, with commas in between: EmailRecipients. CC
	// and BCC have further ones, and ReplyTo those that answers go to; empty: none. Their
	// tags may be empty, those of To may not.
	To      string
	CC      string
	BCC     string
	ReplyTo string
	Subject string
	Text    string // plain text; blank: it is made of HTML
	HTML    string // empty: the mail has text alone
	Attach  Attachment
	// LinkDays is how long a link of the mail opens the output for everybody who has it:
	// with AttachLink, and in place of a file that is too large for mails. 0: AttachLink
	// brings the address in the drive, and a file that is too large fails the mail.
	LinkDays int
	// AllOutputs has the mail bring what the run makes of each document, and wait for all of it.
	AllOutputs bool
	When       string // a condition, as Document.When
	// Sender is the name of a MailSender of the workflow's owner; empty: the mail server of the
	// installation.
	Sender string
}

// Attachment says how a mail brings an output.
type Attachment string

// Kinds of attachments; empty is AttachPDF.
const (
	AttachPDF    Attachment = "pdf"    // the PDF is in the mail
	AttachOffice Attachment = "office" // the office file is in the mail
	AttachLink   Attachment = "link"   // an address stands at the end of the text
)

// Limits of mails.
const (
	MaxEmailRecipients = 10       // in To, CC and BCC together; also addresses in ReplyTo
	MaxEmailText       = 10_000   // characters of the text, before its tags are filled
	MaxEmailHTML       = 30_000   // characters of the HTML, before its tags are filled
	MaxEmailSubject    = 200      // characters of the subject, as it is sent
	MaxEmailAttached   = 10 << 20 // bytes of all files of a mail together
	MaxLinkDays        = 365
)

// EmailRecipients returns the templates of the recipients of an Email: what stands
// between commas, those inside of tags left alone. So no value adds a recipient.
func EmailRecipients(to string) []string { return cutTemplate(to, ',') }

// Recipients are the templates of all whom the mail goes to.
func (e Email) Recipients() []string {
	return slices.Concat(EmailRecipients(e.To), EmailRecipients(e.CC), EmailRecipients(e.BCC))
}

// Templates are all that have tags, in no order.
func (e Email) Templates() []string {
	return slices.Concat(e.Recipients(), EmailRecipients(e.ReplyTo), []string{e.Subject, e.Text, e.HTML})
}

// IsEmailAddress tells whether a text is one plain address that every mail server takes:
// in ASCII, without a name, quotes or a comment.
func IsEmailAddress(text string) bool {
	const longest = 254 // RFC 5321, section 4.5.3.1.3
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	at := strings.LastIndexByte(text, '@')
	if at < 1 || len(text) > longest || strings.ContainsAny(text, `"<>()[],;:\`) || !strings.Contains(text[at:], ".") {
		return false
	}
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Name == "" && parsed.Address == text
}

// MailState says where a mail stands.
type MailState string

const (
	MailPending MailState = "PENDING"
	MailSent    MailState = "SENT"   // the mail server took it
	MailFailed  MailState = "FAILED" // it is not tried any more
	// MailPartlySent: the mail server took it for some of its recipients, and it is not
	// tried for the others any more.
	MailPartlySent MailState = "PARTLY_SENT"
	// MailBounced: the mail server took it, and it came back from all of its recipients.
	MailBounced MailState = "BOUNCED"
	// MailNotSent: it was not meant to be; Code says why.
	MailNotSent MailState = "NOT_SENT"
)

// A MailKey names one of the mails about an output.
type MailKey struct {
	AutomationID, OutputID string
	// Number is 1 for the mail that the automation sends, and one more each time somebody
	// has the output sent again. 0 is 1.
	Number int
}

// ID names the mail among all.
func (k MailKey) ID() string {
	if k.Number <= 1 {
		return k.OutputID
	}
	return k.OutputID + "." + strconv.Itoa(k.Number)
}

// A Mail brings an output to its recipients. Of several, the one with the highest number
// says how the output stands.
type Mail struct {
	MailKey
	// To are the recipients of a mail that was resent to other addresses, as in Email.
	// They are set only when the mail is read for sending. Empty: the document names them.
	To    string
	State MailState
	// MessageID is the same in every attempt, so that mail servers and programs can
	// leave out a repeat.
	MessageID  string
	Recipients int // 0: it is not known yet
	// Accepted is how many of them the mail server took it for.
	Accepted int
	// Whom has the recipients, once they are known. It is set only when the mail is read
	// for sending, or for those who see the source data, and while that is not erased.
	Whom     []Recipient
	Attempts int
	// Code and Message are the reason of the last attempt that failed.
	Code    string
	Message string
	// LinkUntil is when the link in the mail ends; nil: it has none.
	LinkUntil *time.Time
	// Outputs are those that a mail with Email.AllOutputs brings, in the order of their
	// documents; nil: its own alone, or none was tried.
	Outputs []string
	// CreatedAt is the Date of the mail.
	CreatedAt time.Time
	TriedAt   *time.Time // the last attempt
	SentAt    *time.Time
}

// RecipientState says what the mail server did with a recipient of a mail.
type RecipientState string

const (
	RecipientPending  RecipientState = "PENDING"  // it was not asked, or said to come back later
	RecipientAccepted RecipientState = "ACCEPTED" // it took the mail
	RecipientRefused  RecipientState = "REFUSED"  // it refused the address for good
	RecipientBounced  RecipientState = "BOUNCED"  // it took the mail, which came back
)

// A Recipient is one of those whom a mail goes to.
type Recipient struct {
	Address string
	State   RecipientState
	// Status is the mail server's last answer about the address, such as "550 5.1.1", or that
	// of the server at which it came back; empty: it took it, or was not asked.
	Status string
	// Earlier is the number of the mail about the same output that reached the recipient
	// before, so that this one does not go there; 0: none did.
	Earlier int
}

// Whom returns the recipients of a letter, with what became of them in earlier attempts.
func (l Letter) Whom(before []Recipient) []Recipient {
	all := slices.Concat(l.To, l.CC, l.BCC)
	whom := make([]Recipient, len(all))
	for i, address := range all {
		whom[i] = Recipient{Address: address, State: RecipientPending}
		for _, b := range before {
			if b.Address == address {
				whom[i] = b
			}
		}
	}
	return whom
}

// An OverdueMail is one that is PENDING, and that nobody tries to send.
type OverdueMail struct {
	MailKey
	CreatedAt time.Time
}

// A Letter is a mail with everything filled in.
type Letter struct {
	// ReturnPath is where it goes when it cannot be delivered; empty: to the sender.
	ReturnPath string
	MessageID  string // without angle brackets; its host is the sender's
	Date       time.Time
	// Plain addresses. No address is in two of To, CC and BCC, and none twice in one.
	To, CC, BCC []string
	ReplyTo     []string
	// Only are those of the recipients that are still to get the letter; nil: all.
	Only    []string
	Subject string
	Text    string
	HTML    string // a whole document; empty: the letter has text alone
	Files   []AttachedFile
}

// An AttachedFile is in a letter.
type AttachedFile struct {
	Name    string
	Type    string // MIME
	Content []byte
}

// Codes of mails that fail.
const (
	// CodeEmailUnset is for an installation that sends no mail.
	CodeEmailUnset = "email_not_configured"
	// CodeEmailRefused, CodeEmailAddressRefused: the mail server said no for good.
	CodeEmailRefused = "email_refused"
	// CodeEmailTooLarge: what the mail brings is larger than mails may be.
	CodeEmailTooLarge = "email_too_large"
	// CodeEmailUnconfirmed: the mail server was given the whole mail and did not say that
	// it took it.
	CodeEmailUnconfirmed    = "email_unconfirmed"
	CodeEmailAddressRefused = "email_address_refused"
	// CodeEmailOutputMissing: the mail is to bring all outputs of its run, and one is not made.
	CodeEmailOutputMissing = "email_output_missing"
	// CodeSMTPUnavailable: the mail server does not answer, or said to come back later.
	CodeSMTPUnavailable = "smtp_unavailable"
	// CodeSMTPSenderRefused, CodeSMTPSignInRefused: a setting of the installation is wrong,
	// PLATEN_SMTP_FROM or PLATEN_SMTP_URL. No mail is at fault.
	CodeSMTPSenderRefused = "smtp_sender_refused"
	CodeSMTPSignInRefused = "smtp_sign_in_refused"
	// CodeTestMode: the automation is a test.
	CodeTestMode    = "test_mode"
	MessageTestMode = "The automation is a test: it sends no mail."
)

// ErrEmailUnset says that this installation sends no mail.
func ErrEmailUnset() *Error {
	return Errorf(KindInvalid, CodeEmailUnset, "This installation sends no mail: whoever runs it sets PLATEN_SMTP_URL and PLATEN_SMTP_FROM.")
}

// SenderName is the sender that the mail names; empty: the mail server of the installation.
func (e *Email) SenderName() string {
	if e == nil {
		return ""
	}
	return e.Sender
}

// ErrEmailOutputMissing is the error of a mail that is to bring all outputs of its run, and
// this one of them is not made. KindUnavailable: it may still be; KindInvalid: it failed.
func ErrEmailOutputMissing(missing Output) *Error {
	const brings = "The mail is to bring all outputs of its run, and "
	switch {
	case missing.State == OutputReview:
		return Errorf(KindUnavailable, CodeEmailOutputMissing, brings+"that of document %s waits for those who approve it.", missing.DocumentID)
	case missing.State != OutputFailed:
		return Errorf(KindUnavailable, CodeEmailOutputMissing, brings+"that of document %s is not made yet.", missing.DocumentID)
	case missing.FailureCode == CodeCancelled:
		return Errorf(KindInvalid, CodeCancelled, brings+"the automation was cancelled before that of document %s was made.", missing.DocumentID)
	}
	return Errorf(KindInvalid, CodeEmailOutputMissing, brings+"that of document %s failed (%s): retry the automation, or take email.allOutputs away.", missing.DocumentID, missing.FailureCode)
}

// ParseSender reads whom mails come from.
func ParseSender(from string) (*mail.Address, error) {
	address, err := mail.ParseAddress(from)
	if err != nil || !IsEmailAddress(address.Address) || strings.ContainsAny(from, "\r\n") {
		return nil, errors.New(`it is not an address, such as invoices@example.com or "Example Ltd" <invoices@example.com>`)
	}
	return address, nil
}

// A MailServer is where mails are handed over.
type MailServer struct {
	Host     string
	Port     int
	TLS      bool   // from the beginning, and not by STARTTLS
	User     string // empty: nobody signs in
	Password Secret
}

// ParseMailServer reads smtp://user:password@host:port, or smtps:// for a port that
// speaks TLS from the beginning. Its errors quote nothing.
func ParseMailServer(address Secret, clearText bool) (MailServer, error) {
	u, err := url.Parse(string(address))
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return MailServer{}, errors.New("it is not an address such as smtp://user:password@mail.example.com:587; escape special characters of a password, such as %2F for /")
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return MailServer{}, errors.New("it has something behind host and port; escape special characters of a password, such as %2F for /")
	}
	password, _ := u.User.Password()
	s := MailServer{Host: u.Hostname(), Port: 587, User: u.User.Username(), Password: Secret(password)}
	if u.Scheme == "smtps" {
		s.Port, s.TLS = 465, true
	}
	if port := u.Port(); port != "" {
		if s.Port, err = strconv.Atoi(port); err != nil || s.Port < 1 || s.Port > 65535 {
			return MailServer{}, errors.New("its port is none; give a number up to 65535")
		}
	}
	if clearText && !s.TLS && s.User != "" {
		return MailServer{}, errors.New("it has a user, whose password could be read on the way; use TLS, or leave the user out")
	}
	return s, nil
}

// NoticeKind is the subject of a mail to owners.
type NoticeKind string

const (
	NoticeFailures   NoticeKind = "failures"   // automations of a workflow failed
	NoticeReceiver   NoticeKind = "receiver"   // nothing is sent to a receiver any more
	NoticeMails      NoticeKind = "mails"      // mails about outputs of a workflow did not go out
	NoticeKeys       NoticeKind = "keys"       // events of a workflow came under the key of another
	NoticeTargets    NoticeKind = "targets"    // targets of a workflow did not get outputs
	NoticeSchedules  NoticeKind = "schedules"  // schedules of a workflow started nothing
	NoticeSenders    NoticeKind = "senders"    // the server of a mail sender fails
	NoticeUsage      NoticeKind = "usage"      // the owner has most or all documents of the month
	NoticeConnection NoticeKind = "connection" // the drive refuses the owner's connection
)

// A Notice is something that the owner of a workflow gets a mail about.
type Notice struct {
	Kind    NoticeKind
	Subject string // what it is about: a workflow's id, an endpoint, a user's id
	OwnerID string
	Email   string // the owner's
	// Workflow and WorkflowID name one workflow that it is about; empty: none.
	Workflow   string
	WorkflowID string
	Locale     string // of that workflow, such as de-AT; empty: English
	// Count is how many automations, mails or events it is about, since the owner was told
	// last. Of usage, it is the documents of the month.
	Count int
	// Code and Message say why; of failures, of the last one. They quote no value. Of targets,
	// Message is what the last one is called. Of usage, Message is the limit, and Code is empty
	// until it is reached.
	Code    string
	Message string
	// AutomationID is the last event's that came under a key of before, and KeyTakenBy the
	// automation that had the key first; empty: another kind, or it is not known.
	AutomationID string
	KeyTakenBy   string
	CausedAt     time.Time // the last cause
	Again        bool      // the owner was told of earlier ones
	// Mail names the mail that tells of it. A mail that is sent again has its name, and
	// tells of the same notices.
	Mail string
}

// CodeFileNotFound is the code of a file that the drive does not find, such as a template
// that was deleted.
const CodeFileNotFound = "drive_file_not_found"
