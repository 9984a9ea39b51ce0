package platen

import (
	"net/mail"
	"strings"
	"time"
)

// A MailSender is a mail server of an owner's own, and whom mails come from that leave by it.
type MailSender struct {
	ID      string // snd_…
	OwnerID string
	Name    string // one of its own among those of its owner, for ever: documents name it
	// From is an address, or a name with one, as ParseSender reads it.
	From     string
	Host     string
	Port     int
	Security MailSecurity
	User     string // empty: nobody signs in
	Password Secret // sealed where it is stored
	// Bounces is where mails come back to, as ParseBounceAddress reads it; empty: to the
	// address of From, and nobody here knows.
	Bounces   string
	CreatedAt time.Time
	UpdatedAt time.Time
	// CheckedAt is when it was last changed, or a test of it succeeded.
	CheckedAt time.Time
	// Code and Message say why the last attempt failed at the server, which it does since
	// FailingSince; nil: it does not.
	FailingSince  *time.Time
	Code, Message string
}

// MailSecurity says how a mail server is spoken to.
type MailSecurity string

const (
	MailStartTLS MailSecurity = "STARTTLS" // nothing is sent to a server without it
	MailTLS      MailSecurity = "TLS"      // from the beginning
	// MailClearText is for servers of a private network alone, and takes no user.
	MailClearText MailSecurity = "NONE"
)

// MailSecurities are all.
func MailSecurities() []MailSecurity { return []MailSecurity{MailStartTLS, MailTLS, MailClearText} }

// DefaultPort is the port where none is named.
func (s MailSecurity) DefaultPort() int {
	switch s {
	case MailTLS:
		return 465
	case MailClearText:
		return 25
	}
	return 587
}

// Limits of mail senders.
const (
	MaxMailSenders  = 20      // of an owner
	MaxMailPassword = 4 << 10 // bytes
	MaxMailHost     = 253     // characters
)

// Problem says what is wrong with a sender as a whole, and with which member of a request;
// empty: nothing is. Each value is right for itself.
func (s MailSender) Problem() (member, problem string) {
	switch {
	case s.User == "" && s.Password != "":
		return "password", "goes with user: name who signs in, too"
	case s.User != "" && s.Password == "":
		return "password", "is required: the password of user"
	case s.User != "" && s.Security == MailClearText:
		return "security", "must be STARTTLS or TLS where there is a user: the password could be read on the way"
	}
	return "", ""
}

// Address is the address of From, without a name.
func (s MailSender) Address() string {
	from, err := mail.ParseAddress(s.From)
	if err != nil {
		return ""
	}
	return from.Address
}

// Codes of mail senders, and of mails that wait for one.
const (
	// CodeSenderUnknown: the owner has no sender of the name.
	CodeSenderUnknown = "mail_sender_unknown"
	// CodeSenderUnavailable: its server does not answer, or said to come back later.
	CodeSenderUnavailable = "mail_sender_unavailable"
	// CodeSenderAddressRefused: its server refuses the address of From.
	CodeSenderAddressRefused = "mail_sender_address_refused"
	// CodeSenderSignInRefused: its server refuses user or password.
	CodeSenderSignInRefused = "mail_sender_sign_in_refused"
)

// FailsAtSender tells of the code of an attempt that failed at a sender's server or settings, and
// not at one mail.
func FailsAtSender(code string) bool {
	return code == CodeSenderUnavailable || code == CodeSenderAddressRefused || code == CodeSenderSignInRefused
}

// ErrSenderNotFound is for a sender that the caller does not have.
func ErrSenderNotFound() *Error {
	return Errorf(KindNotFound, "mail_sender_not_found", "You have no such mail sender.")
}

// ErrSenderUnknown says that the owner of a workflow has no sender of the name that a mail names.
// KindUnavailable: the mail waits for one.
func ErrSenderUnknown(name string) *Error {
	return Errorf(KindUnavailable, CodeSenderUnknown, "The mail is to leave by the sender %q, which the owner of the workflow does not have: the owner sets up a sender of this name.", name)
}

// SenderFault says of the sender that a document names that the workflow's owner does not have
// it, but these; empty: it does.
func SenderFault(name string, names []string) string {
	for _, one := range names {
		if one == name {
			return ""
		}
	}
	if len(names) == 0 {
		return "names a mail sender, and the owner of the workflow has none: the owner sets one up first"
	}
	return "must be the name of a mail sender of the workflow's owner: " + strings.Join(names, ", ")
}
