package mail_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/platenhq/platen/internal/mail"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/mailbox"
)

// senderAt is a sender whose server is at host:port.
func senderAt(t *testing.T, address string, security platen.MailSecurity) platen.MailSender {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return platen.MailSender{ID: "snd_1", Name: "Accounting", From: `"Accounting" <accounting@team.example>`, Host: host, Port: number, Security: security}
}

// bySender hands a letter to a sender's server, which may be in these networks.
func bySender(t *testing.T, s platen.MailSender, roots *x509.CertPool, allowed ...string) error {
	t.Helper()
	o := outgoing.Options{Timeout: 5 * time.Second}
	for _, prefix := range allowed {
		o.AllowPrivate = append(o.AllowPrivate, netip.MustParsePrefix(prefix))
	}
	server, err := mail.Dialer{Client: outgoing.NewClient(o), Roots: roots, Timeout: 5 * time.Second}.Of(s)
	if err != nil {
		t.Fatal(err)
	}
	_, err = server.Deliver(t.Context(), letter())
	return err
}

const loopback = "127.0.0.0/8"

func TestAMailLeavesByTheServerOfItsSender(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(nil)
	defer secure.Close()
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	config := &tls.Config{Certificates: secure.TLS.Certificates, MinVersion: tls.VersionTLS12}
	for security, box := range map[platen.MailSecurity]*mailbox.Box{
		platen.MailStartTLS:  {User: "accounting", Password: "p/w", TLS: config},
		platen.MailTLS:       {User: "accounting", Password: "p/w", TLS: config, Implicit: true},
		platen.MailClearText: {},
	} {
		t.Run(string(security), func(t *testing.T) {
			s := senderAt(t, box.Start(t), security)
			s.User, s.Password = box.User, platen.Secret(box.Password)
			if err := bySender(t, s, roots, loopback); err != nil {
				t.Fatal(err)
			}
			got := box.Mails()
			if len(got) != 1 || got[0].From != "accounting@team.example" || !strings.Contains(got[0].Text, `From: "Accounting" <accounting@team.example>`) {
				t.Errorf("got %+v, want one mail of the sender", got)
			}
		})
	}
}

func TestTheServerOfASenderIsNotInAPrivateNetwork(t *testing.T) {
	t.Parallel()
	var box mailbox.Box
	s := senderAt(t, box.Start(t), platen.MailClearText)
	err := bySender(t, s, nil)
	e, ok := errors.AsType[*platen.Error](err)
	if !ok || e.Code != platen.CodeSenderUnavailable || !strings.Contains(e.Message, `The mail server of the sender "Accounting" does not take mails now (the address resolves to a private network`) {
		t.Errorf("got %v, want a refusal of the private network", err)
	}
	if n := len(box.Mails()); n > 0 {
		t.Errorf("got %d mails, want none", n)
	}
}

func TestWhatIsWrongAtASenderIsSaidToItsOwner(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(nil)
	defer secure.Close()
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	config := &tls.Config{Certificates: secure.TLS.Certificates, MinVersion: tls.VersionTLS12}
	refuse := func(string) error {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 7, 1}, Message: "accounting@team.example is not yours"}
	}
	for name, c := range map[string]struct {
		box           *mailbox.Box
		security      platen.MailSecurity
		user          string
		roots         *x509.CertPool
		code, message string
	}{
		"password":       {&mailbox.Box{User: "accounting", Password: "other", TLS: config}, platen.MailStartTLS, "accounting", roots, platen.CodeSenderSignInRefused, "does not let it sign in (535 5.7.8): its owner corrects user and password"},
		"no user":        {&mailbox.Box{User: "accounting", Password: "other"}, platen.MailClearText, "", roots, platen.CodeSenderAddressRefused, "refuses its address (502 5.7.0)"},
		"address":        {&mailbox.Box{RefuseSender: refuse}, platen.MailClearText, "", roots, platen.CodeSenderAddressRefused, "refuses its address (550 5.7.1): its owner corrects from"},
		"no STARTTLS":    {&mailbox.Box{}, platen.MailStartTLS, "", roots, platen.CodeSenderUnavailable, "it offers no STARTTLS"},
		"no sign-in":     {&mailbox.Box{TLS: config}, platen.MailStartTLS, "accounting", roots, platen.CodeSenderUnavailable, "it offers no way to sign in"},
		"certificate":    {&mailbox.Box{TLS: config}, platen.MailStartTLS, "", x509.NewCertPool(), platen.CodeSenderUnavailable, "the server's certificate is from an authority that is not trusted"},
		"TLS at a clear": {&mailbox.Box{}, platen.MailTLS, "", roots, platen.CodeSenderUnavailable, "the server does not speak TLS at this port"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := senderAt(t, c.box.Start(t), c.security)
			if s.User = c.user; s.User != "" {
				s.Password = "p/w"
			}
			err := bySender(t, s, c.roots, loopback)
			e, ok := errors.AsType[*platen.Error](err)
			if !ok || e.Kind != platen.KindUnavailable || e.Code != c.code || !strings.Contains(e.Message, c.message) {
				t.Errorf("got %v, want %s that says %q", err, c.code, c.message)
			}
			if ok && strings.Contains(e.Message+e.Error(), "team.example") {
				t.Errorf("%v quotes the server", err)
			}
		})
	}
}
