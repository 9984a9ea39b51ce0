package mail_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/platenhq/platen/internal/mail"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/mailbox"
)

func letter() platen.Letter {
	return platen.Letter{
		MessageID: "out_1@example.com", Date: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC),
		To: []string{"ada@example.org"}, Subject: "Rechnung für Ada", Text: "Dear Ada,\nyour invoice.\n",
		Files: []platen.AttachedFile{{Name: "Rechnung 17.pdf", Type: platen.MIMEPDF, Content: []byte("%PDF-1.7 ä")}},
	}
}

func server(t *testing.T, box *mailbox.Box) *mail.Server {
	t.Helper()
	s, err := mail.NewServer(mail.Options{URL: platen.Secret("smtp://" + box.Start(t)), From: `"Example Ltd" <invoices@example.com>`, ClearText: true, Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func send(t *testing.T, s *mail.Server, l platen.Letter) error {
	t.Helper()
	_, err := s.Deliver(t.Context(), l)
	return err
}

func TestALetterArrivesWithItsPDF(t *testing.T) {
	t.Parallel()
	var box mailbox.Box
	if err := send(t, server(t, &box), letter()); err != nil {
		t.Fatal(err)
	}
	got := box.Mails()
	if len(got) != 1 || got[0].From != "invoices@example.com" || !slices.Equal(got[0].To, []string{"ada@example.org"}) {
		t.Fatalf("got %+v, want one mail from invoices@example.com to ada@example.org", got)
	}
	m, err := netmail.ReadMessage(strings.NewReader(got[0].Text))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != "Rechnung für Ada" || m.Header.Get("Message-Id") != "<out_1@example.com>" || m.Header.Get("Auto-Submitted") != "auto-generated" {
		t.Errorf("got the headers %v, %v", m.Header, err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	text, err := parts.NextPart()
	if err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(text)
	if err != nil || !strings.Contains(strings.ReplaceAll(string(said), "\r\n", "\n"), "Dear Ada,\nyour invoice.\n") {
		t.Errorf("got the text %q, %v", said, err)
	}
	attached, err := parts.NextPart()
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := io.ReadAll(attached)
	if err != nil {
		t.Fatal(err)
	}
	pdf, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(string(encoded), "\r\n", ""))
	if err != nil || !bytes.Equal(pdf, letter().Files[0].Content) || attached.FileName() != "Rechnung 17.pdf" {
		t.Errorf("got %q called %q, %v", pdf, attached.FileName(), err)
	}
}

func TestALetterHasHTMLBesideTheText(t *testing.T) {
	t.Parallel()
	const page, text = "<!DOCTYPE html><html lang=\"de\"><body><p>Grüße = Dank</p></body></html>", "Grüße = Dank\n.\n"
	for _, attached := range []bool{true, false} {
		var box mailbox.Box
		s := server(t, &box)
		l := letter()
		l.Text, l.HTML = text, page
		if !attached {
			l.Files = nil
		}
		for range 2 {
			if err := send(t, s, l); err != nil {
				t.Fatal(err)
			}
		}
		got := box.Mails()
		if got[0].Text != got[1].Text {
			t.Errorf("a repeat has other bytes:\n%s\n%s", got[0].Text, got[1].Text)
		}
		m, err := netmail.ReadMessage(strings.NewReader(got[0].Text))
		if err != nil {
			t.Fatal(err)
		}
		kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
		body := io.Reader(m.Body)
		if attached {
			part, partErr := multipart.NewReader(m.Body, params["boundary"]).NextPart()
			if err != nil || partErr != nil || kind != "multipart/mixed" {
				t.Fatalf("got %s, %v, %v, want multipart/mixed", kind, err, partErr)
			}
			kind, params, err = mime.ParseMediaType(part.Header.Get("Content-Type"))
			body = part
		}
		if err != nil || kind != "multipart/alternative" {
			t.Fatalf("got %s, %v, want multipart/alternative", kind, err)
		}
		alternatives := multipart.NewReader(body, params["boundary"])
		for _, want := range []string{text, page} {
			part, err := alternatives.NextPart()
			if err != nil {
				t.Fatal(err)
			}
			said, err := io.ReadAll(part) // as quoted-printable says
			if got := strings.ReplaceAll(string(said), "\r\n", "\n"); err != nil || strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Errorf("attached %t: got %q, %v, want %q", attached, got, err, want)
			}
		}
		if _, err := alternatives.NextPart(); err != io.EOF {
			t.Errorf("got %v behind the HTML, want the end", err)
		}
	}
}

func TestARepeatIsTheSameLetter(t *testing.T) {
	t.Parallel()
	box := mailbox.Box{Lose: 1}
	s := server(t, &box)
	err := send(t, s, letter())
	if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != platen.CodeEmailUnconfirmed {
		t.Errorf("without an answer: got %v, want %s: it may have arrived", err, platen.CodeEmailUnconfirmed)
	}
	if err := send(t, s, letter()); err != nil {
		t.Fatal(err)
	}
	if got := box.Mails(); len(got) != 2 || got[0].Text != got[1].Text {
		t.Errorf("got %d mails, want two alike:\n%v", len(got), got)
	}
}

func TestALetterOfALongHostIsSent(t *testing.T) {
	t.Parallel()
	var box mailbox.Box
	l := letter()
	l.MessageID = "out_4fGk2LmQx8Rt0ZbC@" + strings.Repeat("a", 60) + ".example.org"
	if err := send(t, server(t, &box), l); err != nil {
		t.Error(err)
	}
}

func TestNothingOfALetterBecomesAHeader(t *testing.T) {
	t.Parallel()
	const evil = "x\r\nBcc: eve@example.org\r\n\r\nBuy!\u2028\u0085\x00y"
	var box mailbox.Box
	s := server(t, &box)
	l := letter()
	l.Subject, l.Text, l.Files[0].Name = evil, evil, evil
	if err := send(t, s, l); err != nil {
		t.Fatal(err)
	}
	got := box.Mails()[0]
	m, err := netmail.ReadMessage(strings.NewReader(got.Text))
	if err != nil || m.Header.Get("Bcc") != "" || len(got.To) != 1 {
		t.Errorf("got the headers %v, sent to %v, %v", m.Header, got.To, err)
	}
	for _, to := range []string{"ada@example.org\r\nBcc: eve@example.org", "ada@example.org,eve@example.org", "Ada <ada@example.org>", "ada", "ada@localhost", "ada@example.org>", "a da@example.org", "ädä@example.org", `"a b"@example.org`, strings.Repeat("a", 250) + "@example.org"} {
		for field, l := range map[string]platen.Letter{"To": {To: []string{to}}, "Cc": {CC: []string{to}}, "Bcc": {BCC: []string{to}}, "Reply-To": {ReplyTo: []string{to}}} {
			if field != "To" {
				l.To = letter().To
			}
			l.MessageID = letter().MessageID
			if err := send(t, s, l); platen.KindOf(err) != platen.KindInvalid {
				t.Errorf("%s %q: got %v, want KindInvalid", field, to, err)
			}
		}
	}
	if n := len(box.Mails()); n != 1 {
		t.Errorf("got %d mails, want 1", n)
	}
}

func TestRefusalsAreToldWithoutTheAddress(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		kind   platen.Kind
		code   string
	}{
		"for good":   {550, platen.KindInvalid, platen.CodeEmailAddressRefused},
		"for a time": {451, platen.KindUnavailable, platen.CodeSMTPUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := refusing("ada@example.org", c.status)
			err := send(t, server(t, box), letter())
			if e, _ := err.(*platen.Error); e == nil || e.Kind != c.kind || e.Code != c.code || strings.Contains(e.Message+e.Err.Error(), "ada") {
				t.Errorf("got %#v, want %v %s", err, c.kind, c.code)
			}
			if n := len(box.Mails()); n != 0 {
				t.Errorf("got %d mails, want none", n)
			}
		})
	}
}

// refusing is a mail server that refuses one address.
func refusing(address string, status int) *mailbox.Box {
	return &mailbox.Box{Refuse: func(to string) error {
		if to == address {
			return &smtp.SMTPError{Code: status, EnhancedCode: smtp.EnhancedCode{status / 100, 1, 1}, Message: "no <" + to + "> here"}
		}
		return nil
	}}
}

func TestALetterGoesToThoseWhomTheServerAccepts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		state  platen.RecipientState
		said   string
		kind   platen.Kind
	}{
		"refused":  {550, platen.RecipientRefused, "550 5.1.1", platen.KindInvalid},
		"deferred": {451, platen.RecipientPending, "451 4.1.1", platen.KindUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := refusing("bob@example.org", c.status)
			l := letter()
			l.To, l.CC, l.BCC, l.ReplyTo = []string{"ada@example.org", "bob@example.org"}, []string{"cleo@example.org"}, []string{"dora@example.org"}, []string{"a@example.com", "b@example.com"}
			s := server(t, box)
			whom, err := s.Deliver(t.Context(), l)
			if platen.KindOf(err) != c.kind {
				t.Errorf("got %v, want kind %v", err, c.kind)
			}
			ok := platen.RecipientAccepted
			want := []platen.Recipient{{Address: "ada@example.org", State: ok}, {Address: "bob@example.org", State: c.state, Status: c.said}, {Address: "cleo@example.org", State: ok}, {Address: "dora@example.org", State: ok}}
			if !slices.Equal(whom, want) {
				t.Errorf("got %+v, want %+v", whom, want)
			}
			got := box.Mails()
			if len(got) != 1 || !slices.Equal(got[0].To, []string{"ada@example.org", "cleo@example.org", "dora@example.org"}) {
				t.Fatalf("got %+v, want one mail to the three others", got)
			}
			m, err := netmail.ReadMessage(strings.NewReader(got[0].Text))
			if err != nil {
				t.Fatal(err)
			}
			if h := m.Header; h.Get("To") != "<ada@example.org>, <bob@example.org>" || h.Get("Cc") != "<cleo@example.org>" || h.Get("Reply-To") != "<a@example.com>, <b@example.com>" || h.Get("Bcc") != "" {
				t.Errorf("got the headers %v", h)
			}
			if strings.Contains(got[0].Text, "dora") {
				t.Error("the mail names a recipient of Bcc")
			}
			l.Only = []string{"dora@example.org"}
			if whom, err = s.Deliver(t.Context(), l); err != nil || len(whom) != 1 || whom[0] != want[3] {
				t.Errorf("to one alone: got %+v, %v", whom, err)
			}
			if got := box.Mails(); len(got) != 2 || !slices.Equal(got[1].To, []string{"dora@example.org"}) || got[1].Text != got[0].Text {
				t.Errorf("to one alone: got %+v, want the same letter to that one", got)
			}
		})
	}
}

// An operator has to cure these: no customer's mail fails because of them.
func TestAWrongSettingIsTriedAgainAndNamed(t *testing.T) {
	t.Parallel()
	answer := func(status int, class smtp.EnhancedCode) func(string) error {
		return func(string) error { return &smtp.SMTPError{Code: status, EnhancedCode: class, Message: "no"} }
	}
	for name, c := range map[string]struct {
		sender, recipient func(string) error // refuse
		code, setting     string
	}{
		"a sender that it does not know":     {answer(550, smtp.EnhancedCode{5, 7, 1}), nil, platen.CodeSMTPSenderRefused, "PLATEN_SMTP_FROM"},
		"a sender of somebody else":          {answer(553, smtp.EnhancedCode{5, 7, 1}), nil, platen.CodeSMTPSenderRefused, "PLATEN_SMTP_FROM"},
		"nobody signs in":                    {answer(530, smtp.EnhancedCode{5, 7, 0}), nil, platen.CodeSMTPSignInRefused, "PLATEN_SMTP_URL"},
		"nobody signs in, said of recipient": {nil, answer(530, smtp.EnhancedCode{5, 7, 0}), platen.CodeSMTPSignInRefused, "PLATEN_SMTP_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := mailbox.Box{RefuseSender: c.sender, Refuse: c.recipient}
			err := send(t, server(t, &box), letter())
			e, _ := err.(*platen.Error)
			if e == nil || e.Kind != platen.KindUnavailable || e.Code != c.code || !strings.Contains(e.Message, c.setting) {
				t.Errorf("got %#v, want %s that names %s and is tried again", err, c.code, c.setting)
			}
		})
	}
	large := mailbox.Box{RefuseSender: answer(552, smtp.EnhancedCode{5, 3, 4})}
	if err := send(t, server(t, &large), letter()); platen.KindOf(err) != platen.KindInvalid {
		t.Errorf("a mail that is too large: got %v, want KindInvalid", err)
	}
}

func TestSigningInTellsOfASenderThatIsRefused(t *testing.T) {
	t.Parallel()
	box := mailbox.Box{RefuseSender: func(string) error { return &smtp.SMTPError{Code: 550, Message: "no"} }}
	if err := server(t, &box).SignIn(t.Context()); err == nil || !strings.Contains(err.Error(), "PLATEN_SMTP_FROM") {
		t.Errorf("got %v, want an error that names PLATEN_SMTP_FROM", err)
	}
	for refused, setting := range map[string]string{"invoices@example.com": "PLATEN_SMTP_FROM", "bounces+token@example.com": "PLATEN_SMTP_BOUNCES"} {
		one := mailbox.Box{RefuseSender: func(from string) error {
			if from == refused {
				return &smtp.SMTPError{Code: 550, Message: "no"}
			}
			return nil
		}}
		s, err := mail.NewServer(mail.Options{URL: platen.Secret("smtp://" + one.Start(t)), From: "invoices@example.com", ReturnPath: "bounces+token@example.com", ClearText: true, Timeout: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SignIn(t.Context()); err == nil || !strings.Contains(err.Error(), setting) {
			t.Errorf("%s is refused: got %v, want an error that names %s", refused, err, setting)
		}
	}
	var open mailbox.Box
	if err := server(t, &open).SignIn(t.Context()); err != nil || len(open.Mails()) > 0 {
		t.Errorf("got %v and %d mails, want neither", err, len(open.Mails()))
	}
}

func TestAServerThatHangsIsLeft(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // nobody accepts
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	s, err := mail.NewServer(mail.Options{URL: platen.Secret("smtp://" + listener.Addr().String()), From: "a@example.com", ClearText: true, Timeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := send(t, s, letter()); platen.KindOf(err) != platen.KindUnavailable {
		t.Errorf("got %v, want KindUnavailable", err)
	}
}

func TestNothingIsSentInTheClearUnlessThatIsSet(t *testing.T) {
	t.Parallel()
	var box mailbox.Box
	s, err := mail.NewServer(mail.Options{URL: platen.Secret("smtp://" + box.Start(t)), From: "a@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	if err := send(t, s, letter()); platen.KindOf(err) != platen.KindUnavailable || len(box.Mails()) != 0 {
		t.Errorf("a server without STARTTLS: got %v and %d mails, want none", err, len(box.Mails()))
	}
}

func TestSettingsOfMailServersAreRead(t *testing.T) {
	t.Parallel()
	for address, fault := range map[string]string{
		"smtp://user:p%2Fw@mail.example.com":  "",
		"smtps://user:p@mail.example.com:465": "",
		"smtp://mail.example.com:25":          "",
		"mail.example.com":                    "it is not an address",
		"http://mail.example.com":             "it is not an address",
		"smtp://user:p/w@mail.example.com":    "escape",
		"smtp://mail.example.com:587/?x=1":    "behind host",
		"smtp://mail.example.com:70000":       "port",
	} {
		_, err := mail.NewServer(mail.Options{URL: platen.Secret(address), From: "a@example.com"})
		if (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: got %v, want %q", address, err, fault)
		}
	}
	if _, err := mail.NewServer(mail.Options{URL: "smtp://u:p@mail.example.com", From: "a@example.com", ClearText: true}); err == nil {
		t.Error("a password in the clear: got no error")
	}
	if _, err := mail.NewServer(mail.Options{URL: "smtp://mail.example.com", From: "nobody"}); err == nil {
		t.Error("from nobody: got no error")
	}
}

func TestLettersGoOverTLSBehindAPassword(t *testing.T) {
	t.Parallel()
	web := httptest.NewTLSServer(nil) // for its certificate, which is that of 127.0.0.1
	t.Cleanup(web.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(web.Certificate())
	for name, c := range map[string]struct {
		scheme   string
		implicit bool
		password string
		roots    *x509.CertPool
		arrives  bool
	}{
		"STARTTLS":                {"smtp", false, "p/w", trusted, true},
		"TLS from the beginning":  {"smtps", true, "p/w", trusted, true},
		"a wrong password":        {"smtp", false, "other", trusted, false},
		"an unknown authority":    {"smtp", false, "p/w", x509.NewCertPool(), false},
		"an unknown one at once":  {"smtps", true, "p/w", x509.NewCertPool(), false},
		"TLS where there is none": {"smtps", false, "p/w", trusted, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := mailbox.Box{User: "ada", Password: "p/w", TLS: &tls.Config{Certificates: web.TLS.Certificates}, Implicit: c.implicit}
			address := c.scheme + "://ada:" + url.QueryEscape(c.password) + "@" + box.Start(t)
			s, err := mail.NewServer(mail.Options{URL: platen.Secret(address), From: "a@example.com", Roots: c.roots, Timeout: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			err = send(t, s, letter())
			if e, ok := errors.AsType[*platen.Error](err); name == "a wrong password" && (!ok || e.Code != platen.CodeSMTPSignInRefused) {
				t.Errorf("got %#v, want %s", err, platen.CodeSMTPSignInRefused)
			}
			if c.arrives && err != nil || !c.arrives && platen.KindOf(err) != platen.KindUnavailable {
				t.Errorf("got %v, want that it arrives: %t", err, c.arrives)
			}
			if got := len(box.Mails()) == 1; got != c.arrives {
				t.Errorf("got %d mails, want that one arrives: %t", len(box.Mails()), c.arrives)
			}
			if err != nil && strings.Contains(err.Error(), c.password) {
				t.Errorf("got %v, which tells the password", err)
			}
		})
	}
}

func TestALetterThatIsLargerThanTheServerTakesIsNotSent(t *testing.T) {
	t.Parallel()
	for name, box := range map[string]*mailbox.Box{
		"as it says": {Size: 2000},
		"as it answers": {RefuseSender: func(string) error {
			return &smtp.SMTPError{Code: 552, EnhancedCode: smtp.EnhancedCode{5, 3, 4}, Message: "too large"}
		}},
	} {
		l := letter()
		l.Files[0].Content = bytes.Repeat([]byte("x"), 2000)
		err := send(t, server(t, box), l)
		if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != platen.CodeEmailTooLarge || e.Kind != platen.KindInvalid {
			t.Errorf("%s: got %v, want %s", name, err, platen.CodeEmailTooLarge)
		}
		if n := len(box.Mails()); n != 0 {
			t.Errorf("%s: got %d mails, want none", name, n)
		}
	}
	box := &mailbox.Box{Size: 5000}
	if err := send(t, server(t, box), letter()); err != nil {
		t.Errorf("a small one: got %v", err)
	}
}

// A server that knows of notifications is asked for small ones, of failures alone, which name
// whom the mail was sent to.
func TestALetterComesBackToItsReturnPath(t *testing.T) {
	t.Parallel()
	for _, notifies := range []bool{false, true} {
		box := mailbox.Box{Notifies: notifies}
		l := letter()
		l.ReturnPath, l.To = "bounces+token@example.com", []string{"ada+x=y@example.org"}
		if err := send(t, server(t, &box), l); err != nil {
			t.Fatal(err)
		}
		got, original := box.Mails()[0], ""
		if notifies {
			original = "ada+x=y@example.org"
		}
		if got.From != l.ReturnPath || got.Headers != notifies || !slices.Equal(got.Original, []string{original}) || !strings.Contains(got.Text, `From: "Example Ltd" <invoices@example.com>`) {
			t.Errorf("notifications %t: got %+v", notifies, got)
		}
	}
}
