// Package mail hands letters to mail servers, by SMTP: to that of the installation, and to
// those of mail senders. What a letter says, and when it is sent, is for others to decide;
// nothing is kept here, and nothing is tried again.
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
	"io"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"github.com/platenhq/platen/internal/platen"
)

// Options say which mail server there is.
type Options struct {
	// URL is smtp://user:password@host:port, or smtps:// for a port that speaks TLS from
	// the beginning. Without a user nobody signs in. Default port: 587, 465 with smtps.
	URL platen.Secret
	// From is whom mails come from: an address, or a name with one.
	From string
	// ReturnPath is an address such as those that letters come back to, which SignIn names to
	// the server; empty: letters come back to the sender.
	ReturnPath string
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
	returns string // as Options.ReturnPath
	words   words
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
	s := &Server{host: at.Host, from: from, returns: cmp.Or(o.ReturnPath, from.Address), timeout: cmp.Or(o.Timeout, DefaultTimeout), words: ofInstallation}
	security := platen.MailStartTLS
	switch {
	case at.TLS:
		security = platen.MailTLS
	case o.ClearText:
		security = platen.MailClearText
	}
	s.options = connectTo(at, security, configTLS(at.Host, o.Roots))
	if security == platen.MailTLS {
		s.options = append(s.options, gomail.WithSSL())
	}
	return s, nil
}

func configTLS(host string, roots *x509.CertPool) *tls.Config {
	return &tls.Config{ServerName: host, RootCAs: roots, MinVersion: tls.VersionTLS12}
}

// connectTo are the options of both kinds of servers.
func connectTo(at platen.MailServer, security platen.MailSecurity, config *tls.Config) []gomail.Option {
	policy := gomail.TLSMandatory
	if security == platen.MailClearText {
		policy = gomail.NoTLS
	}
	options := []gomail.Option{gomail.WithPort(at.Port), gomail.WithoutNoop(), gomail.WithTLSConfig(config), gomail.WithTLSPolicy(policy)}
	if at.User != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(at.User), gomail.WithPassword(string(at.Password)))
	}
	return options
}

// Host is the host of the sender's address, in which ids of letters are unique.
func (s *Server) Host() string {
	return s.from.Address[strings.LastIndexByte(s.from.Address, '@')+1:]
}

// SignIn reaches the server as Deliver does, names the sender and where letters come back to,
// and hands over nothing. Its error may quote the server.
func (s *Server) SignIn(ctx context.Context) error {
	client, err := gomail.NewClient(s.host, append(s.options[:len(s.options):len(s.options)], gomail.WithTimeout(s.timeout))...)
	if err != nil {
		return err
	}
	dialed, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	refused := s.nameSenders(dialed)
	if closed := client.CloseWithSMTPClient(dialed); refused == nil {
		return closed
	}
	return refused
}

// nameSenders names the sender of letters without a ReturnPath, such as those to owners, and then
// that of the others.
func (s *Server) nameSenders(c *smtp.Client) error {
	if err := c.Mail("<" + s.from.Address + ">"); err != nil {
		return fmt.Errorf("it refuses the sender of PLATEN_SMTP_FROM: %w", err)
	}
	if s.returns == s.from.Address {
		return nil
	}
	if err := c.Reset(); err != nil {
		return err
	}
	if err := c.Mail("<" + s.returns + ">"); err != nil {
		return fmt.Errorf("it refuses the sender of PLATEN_SMTP_BOUNCES: %w", err)
	}
	return nil
}

// Deliver hands over a letter, and returns what the server did with each recipient that
// the letter is for; nil: it was asked about none. The server takes a letter for those
// whom it accepts. The error is nil if these are all. KindUnavailable: another time may do
// for those that are RecipientPending; KindInvalid: it does not for any that is left. A
// server that answers twice that it took a letter was given it twice, under one id.
func (s *Server) Deliver(ctx context.Context, l platen.Letter) ([]platen.Recipient, error) {
	m, err := s.compose(l)
	if err != nil {
		return nil, err
	}
	timeout := s.timeout
	if deadline, ok := ctx.Deadline(); ok {
		timeout = min(timeout, time.Until(deadline)/2) // once to connect, once to send
	}
	if timeout <= 0 {
		return nil, s.words.unavailable(context.DeadlineExceeded)
	}
	client, err := gomail.NewClient(s.host, append(s.options[:len(s.options):len(s.options)], gomail.WithTimeout(timeout))...)
	if err != nil {
		return nil, s.words.unavailable(err)
	}
	dialed, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return nil, s.words.classify(err, connecting)
	}
	defer func() { _ = client.CloseWithSMTPClient(dialed) }() // what comes after the letter changes nothing
	if err := dialed.UpdateDeadline(timeout); err != nil {
		return nil, s.words.unavailable(err)
	}
	if err := s.words.fits(dialed, m); err != nil {
		return nil, err
	}
	return s.transact(dialed, m, l)
}

// fits refuses a letter that is larger than the server says it takes (RFC 1870).
func (w words) fits(c *smtp.Client, m *gomail.Msg) error {
	offered, most := c.Extension("SIZE")
	limit, err := strconv.ParseInt(most, 10, 64)
	if !offered || err != nil || limit <= 0 {
		return nil
	}
	size, err := m.WriteTo(io.Discard)
	if err != nil {
		return w.unavailable(err)
	}
	if size > limit {
		return tooLarge(fmt.Errorf("a mail of %d bytes, and the server takes %d", size, limit))
	}
	return nil
}

func tooLarge(err error) error {
	return &platen.Error{Kind: platen.KindInvalid, Code: platen.CodeEmailTooLarge, Err: err,
		Message: "The mail is larger than the mail server takes. Nobody got it: set email.linkDays, or email.attach to link."}
}

// transact is one transaction of SMTP (RFC 5321, section 3.3).
func (s *Server) transact(c *smtp.Client, m *gomail.Msg, l platen.Letter) ([]platen.Recipient, error) {
	if l.ReturnPath != "" {
		c.SetDSNMailReturnOption("HDRS") // what comes back is to be small
	}
	if err := c.Mail("<" + cmp.Or(l.ReturnPath, s.from.Address) + ">"); err != nil {
		return nil, s.words.classify(err, naming)
	}
	whom := l.Whom(nil)
	if l.Only != nil {
		whom = slices.DeleteFunc(whom, func(r platen.Recipient) bool { return !slices.Contains(l.Only, r.Address) })
	}
	var taken int
	var refused, deferred error // the first of each
	for i, r := range whom {
		if l.ReturnPath != "" {
			c.SetDSNRcptNotifyOption("FAILURE ORCPT=rfc822;" + xtext(r.Address))
		}
		err := c.Rcpt("<" + r.Address + ">")
		if err == nil {
			taken++
			continue
		}
		answer, ok := errors.AsType[*textproto.Error](err)
		if !ok || wantsSignIn(answer.Code) {
			return nil, s.words.classify(err, addressing)
		}
		whom[i].Status = statusOf(answer)
		if answer.Code >= 500 && answer.Code < 600 {
			whom[i].State, refused = platen.RecipientRefused, cmp.Or(refused, err)
		} else {
			deferred = cmp.Or(deferred, err)
		}
	}
	if taken > 0 {
		if err := s.words.write(c, m); err != nil {
			return nil, err
		}
		for i, r := range whom {
			if r.State == platen.RecipientPending && r.Status == "" {
				whom[i].State = platen.RecipientAccepted
			}
		}
	}
	if err := cmp.Or(deferred, refused); err != nil {
		return whom, s.words.classify(err, addressing)
	}
	return whom, nil
}

// xtext writes an address as a parameter of a command (RFC 3461, section 4). Servers that
// pass a mail on to others say by it whom they were asked to send it to.
func xtext(address string) string {
	return strings.NewReplacer("+", "+2B", "=", "+3D").Replace(address)
}

// write hands over what the letter says.
func (w words) write(c *smtp.Client, m *gomail.Msg) error {
	data, err := c.Data()
	if err != nil {
		return w.classify(err, writing)
	}
	if _, err := m.WriteTo(data); err != nil {
		return w.unavailable(err) // the end of the letter is missing, so that nobody gets it
	}
	if err := data.Close(); err != nil {
		if _, answered := errors.AsType[*textproto.Error](err); !answered {
			return &platen.Error{Kind: platen.KindInvalid, Code: platen.CodeEmailUnconfirmed, Err: errors.New("no answer after the letter"),
				Message: "The mail server was given the whole mail and did not say whether it took it. It may have arrived."}
		}
		return w.classify(err, writing)
	}
	return nil
}

// compose writes a letter. The same one has the same bytes.
func (s *Server) compose(l platen.Letter) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithBoundary(boundary(l.MessageID)))
	for _, address := range slices.Concat(l.To, l.CC, l.BCC, l.ReplyTo) {
		if !platen.IsEmailAddress(address) {
			return nil, platen.Errorf(platen.KindInvalid, "email_address_invalid", "An address of the mail is none.")
		}
	}
	m.FromMailAddress(s.from)
	// BCC is for the transaction alone: no header has it.
	for header, addresses := range map[gomail.AddrHeader][]string{gomail.HeaderTo: l.To, gomail.HeaderCc: l.CC, gomail.HeaderReplyTo: l.ReplyTo} {
		if len(addresses) == 0 {
			continue
		}
		if err := m.SetAddrHeader(header, addresses...); err != nil {
			return nil, platen.Errorf(platen.KindInvalid, "email_address_invalid", "An address of the mail is none.")
		}
	}
	m.SetMessageIDWithValue(l.MessageID)
	m.SetDateWithValue(l.Date)
	m.Subject(OneLine(l.Subject))
	m.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: nobody on holiday answers
	if err := setBody(m, l); err != nil {
		return nil, err
	}
	for _, f := range l.Files {
		m.AttachReadSeeker(OneLine(f.Name), bytes.NewReader(f.Content), gomail.WithFileContentType(gomail.ContentType(f.Type)))
	}
	return m, nil
}

// setBody writes what a letter says, as HTML beside the text where it has any (RFC 2046,
// section 5.1.4). The library would part the alternatives by a boundary of chance, and a
// repeat would have other bytes.
func setBody(m *gomail.Msg, l platen.Letter) error {
	if l.HTML == "" {
		m.SetBodyString(gomail.TypeTextPlain, l.Text)
		return nil
	}
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	if err := parts.SetBoundary(boundary("alternative of " + l.MessageID)); err != nil {
		return err
	}
	for _, part := range []struct{ kind, text string }{{"text/plain", l.Text}, {"text/html", l.HTML}} {
		w, err := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {part.kind + "; charset=UTF-8"}, "Content-Transfer-Encoding": {"quoted-printable"}})
		if err != nil {
			return err
		}
		encoded := quotedprintable.NewWriter(w)
		if _, err := io.WriteString(encoded, part.text); err != nil {
			return err
		}
		if err := encoded.Close(); err != nil {
			return err
		}
	}
	if err := parts.Close(); err != nil {
		return err
	}
	m.SetBodyString(gomail.ContentType(`multipart/alternative; boundary="`+parts.Boundary()+`"`), body.String(), gomail.WithPartEncoding(gomail.NoEncoding))
	return nil
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

// A step is what was under way when a server refused.
type step int

const (
	connecting step = iota
	naming          // the sender
	addressing      // a recipient
	writing         // the letter
)

// statusOf is a server's answer without its text, which may name recipients: the code, and
// the enhanced one (RFC 3463) if there is one.
func statusOf(answer *textproto.Error) string {
	status := strconv.Itoa(answer.Code)
	if first, _, _ := strings.Cut(answer.Msg, " "); enhanced.MatchString(first) {
		status += " " + first
	}
	return status
}

var enhanced = regexp.MustCompile(`^[245]\.\d{1,3}\.\d{1,3}$`)

// classify says what a failure is. It keeps the server's status alone: the text of an
// answer names recipients.
func (w words) classify(err error, at step) error {
	answer, ok := errors.AsType[*textproto.Error](err)
	if !ok {
		return w.unavailable(err)
	}
	status := statusOf(answer)
	err = fmt.Errorf("the mail server answered %s", status)
	switch {
	case wantsSignIn(answer.Code):
		return w.signIn.as(err, status)
	case at == connecting || answer.Code < 500 || answer.Code > 599:
		return w.away.as(err, status)
	case answer.Code == 552 && at != addressing, strings.HasSuffix(status, " 5.3.4"): // too large (RFC 1870, section 6.1)
		return tooLarge(err)
	case at == naming:
		return w.sender.as(err, status)
	case at == addressing:
		return &platen.Error{Kind: platen.KindInvalid, Code: platen.CodeEmailAddressRefused, Err: err,
			Message: fmt.Sprintf("The mail server refused an address that the mail goes to (%s). Nobody got it.", status)}
	}
	return &platen.Error{Kind: platen.KindInvalid, Code: platen.CodeEmailRefused, Err: err,
		Message: fmt.Sprintf("The mail server refused the mail (%s). Nobody got it.", status)}
}

// wantsSignIn tells whether a status says that user or password are missing or wrong
// (RFC 4954, section 6).
func wantsSignIn(status int) bool {
	return status == 530 || status == 534 || status == 535 || status == 538
}
