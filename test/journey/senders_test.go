package journey

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/mailbox"
	"github.com/platenhq/platen/internal/testkit/pages"
)

// sender sets up a mail sender of the user's.
func (h *harness) sender(t *testing.T, name, address string) client.MailSender {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	try(t, err)
	number, err := strconv.Atoi(port)
	try(t, err)
	made, err := h.client(t).CreateMailSender(t.Context(), client.MailSenderChange{
		Name: &name, From: new(name + " <" + strings.ToLower(name) + "@team.example>"), Host: &host, Port: &number, Security: new("NONE"),
	})
	try(t, err)
	return made
}

func (h *harness) mailingBy(t *testing.T, sender string) workflow {
	t.Helper()
	email := object{"to": "{{Email}}", "subject": "Letter for {{Name}}", "text": "Dear {{Name}}", "sender": sender}
	return h.letter(t, nil, object{"outputName": "Letter for {{Name}}", "createPdfCopy": true, "email": email})
}

// Two owners have servers of their own. That of one is down: her mails wait, and neither her mails
// by the installation nor those of the other do. Once it is back, a test has them go out.
func TestTwoTeamsSendByTheirOwnServersAndOneIsDown(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	down.Store(true)
	var installation, sales mailbox.Box
	accounting := mailbox.Box{RefuseSender: func(string) error {
		if down.Load() {
			return &smtp.SMTPError{Code: 421, EnhancedCode: smtp.EnhancedCode{4, 3, 2}, Message: "shutting down"}
		}
		return nil
	}}
	h := open(t, options{smtp: installation.Start(t), near: true})
	bob := h.neighbour(t, "bob")
	hers, his := h.sender(t, "Accounting", accounting.Start(t)), bob.sender(t, "Sales", sales.Start(t))
	letters, plain, healthy := h.mailingBy(t, hers.Name), h.mailingBy(t, ""), bob.mailingBy(t, his.Name)
	ada := object{"Name": "Ada", "Email": "ada@example.org"}
	// As many as the breaker needs to open, and more.
	for range 7 {
		postObject(t, letters.Source.WebhookURL, ada)
	}
	postObject(t, plain.Source.WebhookURL, ada)
	postObject(t, healthy.Source.WebhookURL, ada)
	eventually(t, "the mails by the other servers", func() error {
		if a, b := len(installation.Mails()), len(sales.Mails()); a != 1 || b != 1 {
			return fmt.Errorf("the installation sent %d, and Sales %d", a, b)
		}
		return nil
	})
	if got := sales.Mails()[0]; got.From != "sales@team.example" || !strings.Contains(got.Text, "From: \"Sales\" <sales@team.example>") {
		t.Errorf("got %+v, want a mail of Sales", got)
	}
	c := h.client(t)
	eventually(t, "mails that say why they wait", func() error {
		n := 0
		for o, err := range c.Outputs(t.Context(), letters.ID, client.OutputQuery{Mails: []string{"PENDING"}}) {
			if err != nil {
				return err
			}
			if o.Mail.Error != nil && o.Mail.Error.Code == platen.CodeSenderUnavailable {
				n++
			}
		}
		if n != 7 {
			return fmt.Errorf("%d say so", n)
		}
		return nil
	})
	failing, err := c.MailSender(t.Context(), hers.ID)
	if err != nil || failing.FailingSince == nil || failing.Error.Code != platen.CodeSenderUnavailable {
		t.Errorf("the sender: got %+v, %v, want why it fails", failing, err)
	}
	if n := len(accounting.Mails()); n > 0 {
		t.Errorf("got %d mails by the server that is down", n)
	}

	down.Store(false)
	if tested, err := c.TestMailSender(t.Context(), hers.ID); err != nil || !tested.Sent || tested.To != email {
		t.Errorf("a test: got %+v, %v, %v", tested, tested.Error, err)
	}
	eventually(t, "the mails that waited", func() error {
		if n := len(accounting.Mails()); n != 8 { // with the test
			return fmt.Errorf("got %d", n)
		}
		return nil
	})
	if failing, err = c.MailSender(t.Context(), hers.ID); err != nil || failing.Error != nil {
		t.Errorf("the sender: got %+v, %v, want that it fails no longer", failing, err)
	}

	// What is sent again leaves by the same server, and nobody takes a sender away that is named.
	var output string
	for o, err := range c.Outputs(t.Context(), letters.ID, client.OutputQuery{}) {
		try(t, err)
		output = o.ID
	}
	h.call(t, http.MethodPost, "/workflows/"+letters.ID+"/outputs/"+output+"/mail/", object{"to": "ada@new.example"}, nil, http.StatusAccepted)
	eventually(t, "the mail to another address", func() error {
		all := accounting.Mails()
		if last := all[len(all)-1]; len(all) != 9 || fmt.Sprint(last.To) != "[ada@new.example]" {
			return fmt.Errorf("got %d, the last to %v", len(all), last.To)
		}
		return nil
	})
	if err := c.DeleteMailSender(t.Context(), hers.ID); client.CodeOf(err) != "mail_sender_in_use" {
		t.Errorf("deleted while it is named: got %v", err)
	}
	if len(installation.Mails()) != 1 || len(sales.Mails()) != 1 {
		t.Errorf("got %d by the installation and %d by Sales, want no more", len(installation.Mails()), len(sales.Mails()))
	}
}

func TestASenderIsSetUpAsPrinted(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("the page reads JSON with node, which is not on this machine")
	}
	var box mailbox.Box
	_, port, err := net.SplitHostPort(box.Start(t))
	try(t, err)
	h := open(t, options{near: true})
	w := h.createWorkflow(t, object{"name": "Letters"})
	d := h.addDocument(t, w, h.write(t, "Letter", "Dear {{Name}}"), object{})
	start, _, _ := strings.Cut(pages.Typed(t, "docs/mails.md", "Send outputs by mail"), "curl")
	making, rest, _ := strings.Cut(pages.Typed(t, "docs/mails.md", "Send by a server of your own"), "SENDER=")
	here := strings.NewReplacer("http://127.0.0.1:8080/v0", h.api, "plt_…", h.token, "wkf_…", w.ID, "doc_…", d.ID,
		`"host": "mail.example.com", "user": "accounting", "password": "app-password"`, `"host": "127.0.0.1", "port": `+port+`, "security": "NONE"`)
	id := strings.TrimSpace(shell(t, reader+here.Replace(start+making)))
	if !platen.IsID(platen.PrefixSender, id) {
		t.Fatalf("got %q, want the id of a sender", id)
	}
	if said := shell(t, reader+here.Replace(start)+strings.Replace(here.Replace("SENDER="+rest), "snd_…", id, 1)); said != "true\nAccounting\n" {
		t.Errorf("got %q, want that the test was sent, and the sender", said)
	}
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Email": "ada@example.org", "Number": 7})
	h.finished(t, w.ID, platen.AutomationCompleted)
	eventually(t, "the mail", func() error {
		if n := len(box.Mails()); n != 2 { // with the test
			return fmt.Errorf("got %d", n)
		}
		return nil
	})
}

// A file sets up the sender that its workflow names. An export writes both, without the password.
func TestAFileHasMailSendersAndThoseWhoNameThem(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	s := newApplier(t, h)
	const file = `version: 1
senders:
  Accounting: {from: accounting@example.com, host: mail.example.com, user: ada, password: "${APPLY_PASSWORD}"}
workflows:
  Letters:
    documents:
      - template: templates/letter.docx
        email: {to: "{{Email}}", subject: S, text: T, sender: Accounting}
`
	s.write("platen.yaml", file)
	out, code := s.apply("--yes")
	if code != 0 || !strings.Contains(out, "+ mail sender Accounting: to be made") || !strings.Contains(out, "password: (hidden)") || strings.Contains(out, "secret of here") {
		t.Fatalf("got %d, %s", code, out)
	}
	const same = "0 to be made, 0 to be changed, 1 as the files say.\n"
	if out, code := s.apply("--yes"); code != 0 || out != same {
		t.Errorf("applied twice: got %d, %s", code, out)
	}
	s.write("platen.yaml", strings.Replace(file, "mail.example.com", "smtp.example.com", 1))
	if out, code := s.apply("--dry-run"); code != cli.ExitChanges || !strings.Contains(out, `host: "mail.example.com" → "smtp.example.com"`) {
		t.Errorf("drift: got %d, %s", code, out)
	}
	if out, code := s.apply("--yes"); code != 0 || !strings.Contains(out, "mail sender Accounting is as its file says") {
		t.Errorf("changed: got %d, %s", code, out)
	}
	all, err := h.client(t).MailSenders(t.Context())
	if err != nil || len(all) != 1 || all[0].Host != "smtp.example.com" || !all[0].HasPassword {
		t.Errorf("got %+v, %v", all, err)
	}
	s.write("platen.yaml", strings.Replace(file, "sender: Accounting", "sender: Sales", 1))
	if out, code := s.apply("--yes"); code != 1 || !strings.Contains(out, "email.sender must be the name of a mail sender of the workflow's owner: Accounting") {
		t.Errorf("a sender that is not there: got %d, %s", code, out)
	}
	elsewhere := t.TempDir()
	if out, code := s.run(t.Context(), "export", "--to", elsewhere); code != 0 || !strings.Contains(out, "set SENDER_PASSWORD_ACCOUNTING_1 where you apply") {
		t.Errorf("exported: got %d, %s", code, out)
	}
	written := string(content(t, filepath.Join(elsewhere, "platen.yaml")))
	for _, want := range []string{"senders:\n  Accounting:\n", "password: ${SENDER_PASSWORD_ACCOUNTING_1}", "sender: Accounting"} {
		if !strings.Contains(written, want) {
			t.Errorf("got %s, want %q in it", written, want)
		}
	}
}
