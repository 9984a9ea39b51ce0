// Package mail hands letters to the mail server of the installation, by SMTP. What a
// letter says, and when it is sent, is for others to decide; nothing is kept here, and
// nothing is tried again.
package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net/mail"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/platenhq/platen/internal/platen"
)

// Options say which mail server there is.
type Options struct {
	// URL is smtp://user:password@host:port, or smtps:// for a port that speaks TLS from
	// the beginning. Without a user nobody signs in. Default port: 587, 465 with smtps.
	URL platen.Secret
	// From is whom mails come from: an address, or a name with one.
	From string
	// ClearText speaks to an smtp:// server without TLS. Default: STARTTLS, or nothing.
	ClearText bool
	// Roots are the authorities that a server's certificate may come from. Default: the
	// system's.
	Roots *x509.CertPool
	// Timeout bounds the connection, and then the letter. Default: DefaultTimeout.
	Timeout time.Duration
}

// DefaultTimeout is longer than most servers take to look at a large letter.
const DefaultTimeout = 3 * time.Minute

// A Server takes letters. It has no connection of its own: each letter has one.
type Server struct {
	host    string
	options []gomail.Option
	timeout time.Duration
	from    *mail.Address
}

// NewServer answers an error that quotes nothing of the address, which holds a password.
func NewServer(o Options) (*Server, error) {
	at, err := platen.ParseMailServer(o.URL, o.ClearText)
	if err != nil {
		return nil, err
	}
	from, err := platen.ParseSender(o.From)
	if err != nil {
		return nil, err
	}
	s := &Server{host: at.Host, from: from, timeout: cmp.Or(o.Timeout, DefaultTimeout)}
	s.options = []gomail.Option{
		gomail.WithPort(at.Port), gomail.WithoutNoop(),
		gomail.WithTLSConfig(&tls.Config{ServerName: at.Host, RootCAs: o.Roots, MinVersion: tls.VersionTLS12}),
	}
	switch {
	case at.TLS:
		s.options = append(s.options, gomail.WithSSL())
	case o.ClearText:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if at.User != "" {
		s.options = append(s.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(at.User), gomail.WithPassword(string(at.Password)))
	}
	return s, nil
}

// Host is the host of the sender's address, in which ids of letters are unique.
func (s *Server) Host() string {
	return s.from.Address[strings.LastIndexByte(s.from.Address, '@')+1:]
}

// SignIn reaches the server as Send does, names the sender, and hands over nothing. Its
// error may quote the server.
func (s *Server) SignIn(ctx context.Context) error {
	client, err := gomail.NewClient(s.host, append(s.options[:len(s.options):len(s.options)], gomail.WithTimeout(s.timeout))...)
	if err != nil {
		return err
	}
	dialed, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	refused := dialed.Mail("<" + s.from.Address + ">")
	if closed := client.CloseWithSMTPClient(dialed); refused == nil {
		return closed
	}
	return fmt.Errorf("it refuses the sender of PLATEN_SMTP_FROM: %w", refused)
}

// Send hands over a letter. KindUnavailable: another time may do; KindInvalid: it does
// not, and the server took it for no recipient. A server that answers twice that it took
// a letter was given it twice, under one id.
func (s *Server) Send(ctx context.Context, l platen.Letter) error {
	m, err := s.compose(l)
	if err != nil {
		return err
	}
	timeout := s.timeout
	if deadline, ok := ctx.Deadline(); ok {
		timeout = min(timeout, time.Until(deadline)/2) // once to connect, once to send
	}
	if timeout <= 0 {
		return unavailable(context.DeadlineExceeded)
	}
	client, err := gomail.NewClient(s.host, append(s.options[:len(s.options):len(s.options)], gomail.WithTimeout(timeout))...)
	if err != nil {
		return unavailable(err)
	}
	err = client.DialAndSendWithContext(ctx, m)
	if err == nil || m.IsDelivered() { // what came after it changes nothing
		return nil
	}
	return classify(err)
}

// compose writes a letter. The same one has the same bytes.
func (s *Server) compose(l platen.Letter) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithBoundary(boundary(l.MessageID)))
	for _, to := range l.To {
		if !platen.IsEmailAddress(to) {
			return nil, platen.Errorf(platen.KindInvalid, "email_address_invalid", "A recipient of the mail is not an address.")
		}
	}
	m.FromMailAddress(s.from)
	if err := m.To(l.To...); err != nil {
		return nil, platen.Errorf(platen.KindInvalid, "email_address_invalid", "A recipient of the mail is not an address.")
	}
	m.SetMessageIDWithValue(l.MessageID)
	m.SetDateWithValue(l.Date)
	m.Subject(OneLine(l.Subject))
	m.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: nobody on holiday answers
	m.SetBodyString(gomail.TypeTextPlain, l.Text)
	if l.PDF != nil {
		m.AttachReadSeeker(OneLine(l.PDFName), bytes.NewReader(l.PDF), gomail.WithFileContentType("application/pdf"))
	}
	return m, nil
}

// boundary parts a letter. MIME allows 70 characters (RFC 2046, section 5.1.1), and hosts
// have more.
func boundary(messageID string) string {
	sum := sha256.Sum256([]byte(messageID))
	return "platen." + hex.EncodeToString(sum[:16])
}

// OneLine is a text without control characters, which end headers.
func OneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029'
	}), " ")
}

// classify says what a failure is. It keeps the server's status alone: the text of an
// answer names recipients.
func classify(err error) error {
	said, ok := errors.AsType[*gomail.SendError](err)
	if !ok {
		answered, ok := errors.AsType[*textproto.Error](err) // before the letter, such as at signing in
		if !ok {
			return unavailable(err)
		}
		err = fmt.Errorf("the mail server answered %d", answered.Code)
		if wantsSignIn(answered.Code) {
			return signInRefused(err, strconv.Itoa(answered.Code))
		}
		return unavailable(err)
	}
	if said.Reason == gomail.ErrSMTPDataClose && said.ErrorCode() == 0 {
		return &platen.Error{Kind: platen.KindInvalid, Code: platen.CodeEmailUnconfirmed, Err: errors.New("no answer after the letter"),
			Message: "The mail server was given the whole mail and did not say whether it took it. It may have arrived."}
	}
	status := strings.TrimSpace(fmt.Sprintf("%d %s", said.ErrorCode(), said.EnhancedStatusCode()))
	err = fmt.Errorf("the mail server answered %s", status)
	switch {
	case said.ErrorCode() < 500 || said.ErrorCode() > 599:
		return unavailable(err)
	case wantsSignIn(said.ErrorCode()):
		return signInRefused(err, status)
	case said.Reason == gomail.ErrSMTPMailFrom && said.ErrorCode() != 552: // too large, by the SIZE of RFC 1870
		return &platen.Error{Kind: platen.KindUnavailable, Code: platen.CodeSMTPSenderRefused, Err: err,
			Message: fmt.Sprintf("The mail server refuses the sender of this installation (%s): whoever runs it corrects PLATEN_SMTP_FROM, or the user in PLATEN_SMTP_URL.", status)}
	case said.Reason == gomail.ErrSMTPRcptTo:
		return &platen.Error{Kind: platen.KindInvalid, Code: platen.CodeEmailAddressRefused, Err: err,
			Message: fmt.Sprintf("The mail server refused an address that the mail goes to (%s). Nobody got it.", status)}
	}
	return &platen.Error{Kind: platen.KindInvalid, Code: platen.CodeEmailRefused, Err: err,
		Message: fmt.Sprintf("The mail server refused the mail (%s). Nobody got it.", status)}
}

func unavailable(err error) error {
	return &platen.Error{Kind: platen.KindUnavailable, Code: platen.CodeSMTPUnavailable, Err: err,
		Message: "The mail server does not take mails now."}
}

// wantsSignIn tells whether a status says that user or password are missing or wrong
// (RFC 4954, section 6).
func wantsSignIn(status int) bool {
	return status == 530 || status == 534 || status == 535 || status == 538
}

// signInRefused is the error that an operator has to cure; mails wait until then.
func signInRefused(err error, status string) error {
	return &platen.Error{Kind: platen.KindUnavailable, Code: platen.CodeSMTPSignInRefused, Err: err,
		Message: fmt.Sprintf("The mail server does not let this installation sign in (%s): whoever runs it corrects user and password in PLATEN_SMTP_URL.", status)}
}
