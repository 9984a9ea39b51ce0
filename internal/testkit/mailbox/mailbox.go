// Package mailbox is a mail server for tests, on a port of its own.
package mailbox

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// A Received is a mail as the server got it.
type Received struct {
	From string
	To   []string
	Text string // headers and body
	// Headers says that no more than the headers are to come back, and Original has whom the
	// mail was sent to, for each of To; with Box.Notifies alone.
	Headers  bool
	Original []string
}

// A Box keeps what it gets. Its fields say how it answers, and are set before it starts.
type Box struct {
	// Refuse answers a recipient; nil: it takes all.
	Refuse func(recipient string) error
	// RefuseSender answers the sender; nil: it takes all.
	RefuseSender func(sender string) error
	// Lose closes the connection when a mail is there, before the answer, so often.
	Lose int
	// Size is how many bytes of a mail it says that it takes; 0: it says nothing.
	Size int64
	// User and Password are asked for; empty: nobody signs in.
	User, Password string
	// TLS has the server offer STARTTLS, or speak TLS from the beginning; nil: it knows none.
	TLS      *tls.Config
	Implicit bool
	// Notifies says that mails may ask what comes back (RFC 3461).
	Notifies bool

	mu    sync.Mutex
	mails []Received
	came  chan struct{}
}

// Start listens until the test ends, and returns host:port.
func (b *Box) Start(t testing.TB) string {
	t.Helper()
	b.came = make(chan struct{}, 1000)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if b.Implicit {
		listener = tls.NewListener(listener, b.TLS)
	}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &session{box: b, conn: c}, nil }))
	server.Domain, server.TLSConfig, server.MaxMessageBytes = "mail.example.com", b.TLS, b.Size
	server.EnableDSN = b.Notifies
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

// Mails are those that came so far.
func (b *Box) Mails() []Received {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Received(nil), b.mails...)
}

// Came tells of each mail.
func (b *Box) Came() <-chan struct{} { return b.came }

type session struct {
	box  *Box
	conn *smtp.Conn
	mail Received

	signedIn bool
}

func (s *session) AuthMechanisms() []string {
	if s.box.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.box.User || password != s.box.Password {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "wrong password"}
		}
		s.signedIn = true
		return nil
	}), nil
}

func (s *session) Mail(from string, o *smtp.MailOptions) error {
	if s.box.User != "" && !s.signedIn {
		return smtp.ErrAuthRequired
	}
	if s.box.RefuseSender != nil {
		if err := s.box.RefuseSender(from); err != nil {
			return err
		}
	}
	s.mail = Received{From: from, Headers: o.Return == smtp.DSNReturnHeaders}
	return nil
}

func (s *session) Rcpt(to string, o *smtp.RcptOptions) error {
	if s.box.Refuse != nil {
		if err := s.box.Refuse(to); err != nil {
			return err
		}
	}
	s.mail.To, s.mail.Original = append(s.mail.To, to), append(s.mail.Original, o.OriginalRecipient)
	return nil
}

func (s *session) Data(r io.Reader) error {
	var text strings.Builder
	if _, err := io.Copy(&text, r); err != nil {
		return err
	}
	s.mail.Text = text.String()
	s.box.mu.Lock()
	s.box.mails = append(s.box.mails, s.mail)
	lose := len(s.box.mails) <= s.box.Lose
	s.box.mu.Unlock()
	s.box.came <- struct{}{}
	if lose {
		return errors.Join(s.conn.Conn().Close(), errors.New("lost"))
	}
	return nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }
