package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
)

// A Dialer makes the servers of mail senders. They are addresses of users: it connects through
// a client that connects to allowed addresses alone.
type Dialer struct {
	Client *outgoing.Client
	// Roots and Timeout are as in Options.
	Roots   *x509.CertPool
	Timeout time.Duration
}

// DefaultSenderTimeout is shorter than that of the installation's server: what hangs has few
// places, and its owner's other senders wait for them.
const DefaultSenderTimeout = time.Minute

// Of is the server of a sender.
func (d Dialer) Of(s platen.MailSender) (*Server, error) {
	from, err := platen.ParseSender(s.From)
	if err != nil {
		return nil, platen.Errorf(platen.KindUnavailable, platen.CodeSenderAddressRefused, "The address of the sender %q cannot be read: its owner corrects from.", s.Name)
	}
	config := configTLS(s.Host, d.Roots)
	at := platen.MailServer{Host: s.Host, Port: s.Port, User: s.User, Password: s.Password}
	options := connectTo(at, s.Security, config)
	dial := func(ctx context.Context, _, address string) (net.Conn, error) { return d.Client.Dial(ctx, address) }
	if s.Security == platen.MailTLS {
		plain := dial
		dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := plain(ctx, network, address)
			if err != nil {
				return nil, err
			}
			secure := tls.Client(conn, config)
			if err := secure.HandshakeContext(ctx); err != nil {
				_ = conn.Close()
				return nil, err
			}
			return secure, nil
		}
		// The connection is encrypted already, and the library looks whether it is.
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	}
	return &Server{
		host: s.Host, from: from, returns: from.Address, timeout: cmp.Or(d.Timeout, DefaultSenderTimeout), words: ofSender(s.Name, d.explain),
		options: append(options, gomail.WithDialContextFunc(dial)),
	}, nil
}

// explain says why a server gives no answer.
func (d Dialer) explain(err error) string {
	switch text := err.Error(); { // the library has no errors of their own for these
	case strings.Contains(text, "does not support STARTTLS"):
		return "it offers no STARTTLS: check security and port"
	case strings.Contains(text, "SMTP AUTH"), errors.Is(err, gomail.ErrNoSupportedAuthDiscovered):
		return "it offers no way to sign in: check user, security and port"
	}
	return d.Client.Explain("the server", err)
}
