package journey

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/mailbox"
	"github.com/platenhq/platen/internal/testkit/pages"
	"github.com/platenhq/platen/internal/testkit/ports"
	"github.com/platenhq/platen/internal/testkit/program"
)

// bounceKey is what the mail server of a test hands mails on with that came back.
const bounceKey = "a key of twenty characters"

// A postOffice is Debian's Exim with a queue of its own. It takes all mails, but none for
// "nobody", and those for "later" once it is open; those for "gone" it takes, and sends back.
// It signs the others and hands them to a server that is their recipients'.
type postOffice struct {
	dir, address string
	key          *rsa.PrivateKey
}

// runPostOffice starts Exim with the router and the transport of the page, which run script.
// remote is host:port of the recipients' server.
func runPostOffice(t *testing.T, address, remote string, script func(dir string) string) postOffice {
	t.Helper()
	const exim = "/usr/sbin/exim4"
	owner, err := user.Lookup("Debian-exim")
	if _, missing := os.Stat(exim); missing != nil || err != nil || os.Getuid() != 0 {
		t.Skip("Debian's exim4-daemon-light is not on this machine, or nobody who may change to its user")
	}
	p := postOffice{dir: t.TempDir(), address: address}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	p.key, err = rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	uid, err := strconv.Atoi(owner.Uid)
	must(err)
	at := func(name string) string { return filepath.Join(p.dir, name) }
	must(os.WriteFile(at("dkim.pem"), pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(p.key)}), 0o600))
	must(os.WriteFile(at("platen-bounce"), []byte(script(p.dir)), 0o755)) //nolint:gosec // Exim's transport runs it as nobody
	for _, name := range []string{".", "spool", "log", "dkim.pem"} {
		must(os.MkdirAll(filepath.Dir(at(name)), 0o755))
		if name == "spool" || name == "log" {
			must(os.Mkdir(at(name), 0o755))
		}
		must(os.Chown(at(name), uid, -1))
	}
	for dir := p.dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		must(os.Chmod(dir, 0o755)) // nobody reads the script
	}
	host, port, err := net.SplitHostPort(address)
	must(err)
	remoteHost, remotePort, err := net.SplitHostPort(remote)
	must(err)
	router, transport := printedExim(t)
	// With a configuration of its own, Exim may not become another user.
	transport = put(t, transport, "/usr/local/bin/platen-bounce", at("platen-bounce"), "user = nobody", "user = Debian-exim")
	config := strings.NewReplacer("DIR", p.dir, "HOST", host, "PORT", port, "REMOTE", remoteHost+"::"+remotePort, "ROUTER", router, "TRANSPORT", transport).Replace(`
primary_hostname = mail.example.com
spool_directory = DIR/spool
log_file_path = DIR/log/%s
pid_file_path = DIR/spool/pid
local_interfaces = HOST
daemon_smtp_ports = PORT
dsn_advertise_hosts = *
tls_advertise_hosts =
acl_smtp_rcpt = rcpt
begin acl
rcpt:
  deny local_parts = nobody
    message = 550 5.1.1 there is nobody of this name
  defer local_parts = later
    condition = ${if exists{DIR/open}{no}{yes}}
    message = 450 4.2.1 come back later
  accept
begin routers
ROUTER
gone:
  driver = redirect
  local_parts = gone
  allow_fail
  data = :fail: the mailbox is gone
others:
  driver = manualroute
  route_list = * "REMOTE"
  self = send
  transport = others
begin transports
TRANSPORT
others:
  driver = smtp
  allow_localhost
  dkim_domain = example.com
  dkim_selector = test
  dkim_private_key = DIR/dkim.pem
begin retry
* * F,1h,1s
`)
	must(os.WriteFile(at("exim.conf"), []byte(config), 0o644)) //nolint:gosec // Exim reads it as its own user
	c := exec.Command(exim, "-C", at("exim.conf"), "-bdf", "-q1m")
	life, err := program.Start(c, filepath.Join(t.TempDir(), "exim"))
	must(err)
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-life.Ended
		if t.Failed() {
			log, _ := os.ReadFile(at("log/main")) // there is none if it did not start
			t.Logf("Exim said %s\n%s", life.Said(), log)
		}
	})
	eventually(t, "Exim", func() error {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			err = conn.Close()
		}
		return err
	})
	return p
}

// printedExim are the router and the transport of the page.
func printedExim(t *testing.T) (router, transport string) {
	t.Helper()
	const name = "platen_bounce:\n"
	blocks := strings.Split(strings.Join(pages.Shown(t, "docs/mails.md"), "\n"), name)
	if len(blocks) != 3 {
		t.Fatal("the page does not print one router and one transport any more: change this test with it")
	}
	transport, _, _ = strings.Cut(blocks[2], "\nplaten unix") // Postfix's
	return name + blocks[1], name + transport
}

// A mail server of other people takes mails, refuses, defers and sends them back. Another
// program of other people finds that its signature under what we made is sound.
func TestMailsGoThroughEximAsPrinted(t *testing.T) {
	t.Parallel()
	free, err := ports.Free("127.0.0.1", 1)
	if err != nil {
		t.Fatal(err)
	}
	var box mailbox.Box
	address := "127.0.0.1:" + strconv.Itoa(free[0])
	h := open(t, options{smtp: address, bounces: "bounces@example.com"})
	p := runPostOffice(t, address, box.Start(t), func(dir string) string {
		page := pages.Typed(t, "docs/mails.md", "Mails that come back")
		_, script, _ := strings.Cut(page, "#!/bin/sh\n")
		if err := os.WriteFile(filepath.Join(dir, "bounce-key"), []byte(bounceKey+"\n"), 0o644); err != nil { //nolint:gosec // a key of this test
			t.Fatal(err)
		}
		return "#!/bin/sh\n" + put(t, script, "https://api.example.com/v0", h.api, "/etc/platen/bounce-key", filepath.Join(dir, "bounce-key"), "exec platen", "exec "+program.Built(t, "platen"))
	})
	w := h.letter(t, nil, object{"outputName": "Letter for {{Name}}", "createPdfCopy": true, "email": object{"to": "{{Email}}", "subject": "Letter für {{Name}}", "html": "<p>Dear {{Name}}</p>"}})
	send := func(to string) {
		t.Helper()
		postObject(t, w.Source.WebhookURL, object{"Name": "Ada", "Email": to})
	}
	type sent struct {
		ID           string
		AutomationID string
		Mail         *struct {
			State string
			Error *struct{ Code, Message string }
		}
	}
	mails := func(query string) (all []sent) {
		t.Helper()
		h.call(t, http.MethodGet, "/workflows/"+w.ID+"/outputs/?mail="+query, nil, &all, http.StatusOK)
		return all
	}
	await := func(state, code, message string) sent {
		t.Helper()
		var found sent
		eventually(t, "a mail "+state+" "+code, func() error {
			for _, found = range mails(state) {
				if found.Mail.Error == nil && code == "" || found.Mail.Error != nil && found.Mail.Error.Code == code && strings.Contains(found.Mail.Error.Message, message) {
					return nil
				}
			}
			return fmt.Errorf("got %+v", mails("FAILED&mail=PENDING&mail=SENT&mail=BOUNCED"))
		})
		return found
	}
	send("ada@example.org")
	await("SENT", "", "")
	send("nobody@example.org")
	await("FAILED", platen.CodeEmailAddressRefused, "(550 5.1.1)")
	send("later@example.org")
	await("PENDING", platen.CodeSMTPUnavailable, "")
	send("gone@example.org")
	came := await("BOUNCED", platen.CodeEmailBounced, "Nobody got it.")
	if err := os.WriteFile(filepath.Join(p.dir, "open"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the mail that was deferred", func() error {
		if got := len(mails("SENT")); got != 2 {
			return fmt.Errorf("got %d mails SENT", got)
		}
		return nil
	})
	var unsent []struct{ ID string }
	h.call(t, http.MethodGet, "/automations/?mail=BOUNCED", nil, &unsent, http.StatusOK)
	if len(unsent) != 1 || unsent[0].ID != came.AutomationID {
		t.Errorf("got %+v, want the automation whose mail came back", unsent)
	}
	var addresses []struct {
		Addresses []struct{ Address, State string }
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/outputs/"+came.ID+"/mail/", nil, &addresses, http.StatusOK)
	if got := fmt.Sprint(addresses); got != "[{[{gone@example.org BOUNCED}]}]" {
		t.Errorf("got %s", got)
	}
	eventually(t, "the metric", func() error {
		if want := `platen_bounces_total{outcome="BOUNCED"} 1`; !strings.Contains(h.shown(t, "/metrics"), "\n"+want+"\n") {
			return fmt.Errorf("want %s", want)
		}
		return nil
	})
	if strings.Contains(h.log.String(), "gone@example.org") {
		t.Error("the log names the customer's address")
	}
	eventually(t, "both mails", func() error {
		if got := len(box.Mails()); got != 2 {
			return fmt.Errorf("got %d", got)
		}
		return nil
	})
	for _, m := range box.Mails() {
		if !strings.HasPrefix(m.From, "bounces+") || !strings.HasSuffix(m.From, "@example.com") {
			t.Errorf("the envelope names %s", m.From)
		}
		p.verify(t, m.Text)
	}
}

// verify has dkimpy look at the signature of a mail.
func (p postOffice) verify(t *testing.T, text string) {
	t.Helper()
	const python = "/usr/bin/python3" // Debian's, for which its dkimpy is
	if err := exec.Command(python, "-c", "import dkim").Run(); err != nil {
		t.Log("python3-dkim is not on this machine: nobody looks at the signature")
		return
	}
	public, err := x509.MarshalPKIXPublicKey(&p.key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	check := func(text string) string {
		c := exec.Command(python, "-c", `
import dkim, sys
print(dkim.verify(sys.stdin.buffer.read(), dnsfunc=lambda name, timeout=5: sys.argv[1].encode()))`, "v=DKIM1; k=rsa; p="+base64.StdEncoding.EncodeToString(public))
		c.Stdin = strings.NewReader(text)
		var said bytes.Buffer
		c.Stdout, c.Stderr = &said, &said
		if err := c.Run(); err != nil {
			t.Fatalf("%v: %s", err, said.String())
		}
		return strings.TrimSpace(said.String())
	}
	if !strings.Contains(text, "DKIM-Signature: ") {
		t.Fatalf("the mail is not signed:\n%.500s", text)
	}
	if got := check(text); got != "True" {
		t.Errorf("the signature: got %s, want it sound", got)
	}
	if got := check(strings.Replace(text, "Dear", "Drear", 1)); got != "False" {
		t.Errorf("the signature of a changed mail: got %s", got)
	}
}
