package target_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/target"
)

// A shell is a server of SFTP by pkg/sftp, whose rename replaces files. It signs in ada by her
// password, by keyboard-interactive alone where it is strict, or by her key.
type shell struct {
	dir    string
	target platen.Target
	strict atomic.Bool
	mute   atomic.Bool // it does not answer a goodbye
	// cut closes a connection after so many bytes from the client; 0: none is.
	cut atomic.Int64
	key ssh.Signer // of ada
	// handlers serve in place of the folder, where there are any.
	handlers *sftp.Handlers
}

func newSigner(t *testing.T) (ssh.Signer, ed25519.PrivateKey) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return signer, key
}

func startSFTP(t *testing.T) *shell {
	t.Helper()
	host, _ := newSigner(t)
	x := &shell{dir: t.TempDir()}
	config := &ssh.ServerConfig{
		PasswordCallback: func(c ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
			if c.User() == "ada" && string(password) == "secret" && !x.strict.Load() {
				return nil, nil
			}
			return nil, errors.New("refused")
		},
		KeyboardInteractiveCallback: func(c ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			if c.User() != "ada" {
				return nil, errors.New("refused before a question")
			}
			if answers, err := ask("", "", []string{"Password: "}, []bool{false}); err == nil && len(answers) == 1 && answers[0] == "secret" {
				return nil, nil
			}
			return nil, errors.New("refused")
		},
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if x.key != nil && bytes.Equal(key.Marshal(), x.key.PublicKey().Marshal()) {
				return nil, nil
			}
			return nil, errors.New("refused")
		},
	}
	config.AddHostKey(host)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if n := x.cut.Load(); n > 0 {
				conn = &frail{Conn: conn, left: n}
			}
			go x.serve(conn, config)
		}
	}()
	x.target = platen.Target{Name: "Files", Kind: platen.TargetSFTP, URL: "sftp://" + listener.Addr().String() + x.dir, User: "ada", Secret: "secret", HostKey: ssh.FingerprintSHA256(host.PublicKey())}
	return x
}

func (x *shell) serve(conn net.Conn, config *ssh.ServerConfig) {
	defer func() { _ = conn.Close() }()
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for channel := range channels {
		c, asked, err := channel.Accept()
		if err != nil {
			return
		}
		go func() {
			for r := range asked {
				_ = r.Reply(r.Type == "subsystem" && strings.HasSuffix(string(r.Payload), "sftp"), nil)
			}
		}()
		go func() {
			defer func() {
				if !x.mute.Load() {
					_ = c.Close()
				}
			}()
			if x.handlers != nil {
				_ = sftp.NewRequestServer(c, *x.handlers).Serve()
			} else if server, err := sftp.NewServer(c); err == nil {
				_ = server.Serve()
			}
		}()
	}
}

// frail is a connection that is cut after so many bytes of the client.
type frail struct {
	net.Conn
	left int64
}

func (f *frail) Read(b []byte) (int, error) {
	if f.left <= 0 {
		_ = f.Close()
		return 0, io.EOF
	}
	n, err := f.Conn.Read(b[:min(int64(len(b)), f.left)])
	f.left -= int64(n)
	return n, err
}

// stored are the contents below the folder by path, and how many parts were left.
func (x *shell) stored(t *testing.T) (all map[string]string, parts int) {
	t.Helper()
	all = map[string]string{}
	err := filepath.WalkDir(x.dir, func(at string, d os.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case strings.HasPrefix(d.Name(), ".platen-"):
			parts++
			return nil
		}
		content, err := os.ReadFile(at)
		all[strings.TrimPrefix(at, x.dir+"/")] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, parts
}

func TestSFTPKeepsAFileOnceAndReplacesNone(t *testing.T) {
	t.Parallel()
	x := startSFTP(t)
	s := stores()
	const key = "Invoices/2026/BW 17 ä.pdf"
	for range 2 {
		r, err := s.Put(t.Context(), x.target, file(key, "first"), nil)
		if err != nil || r.SHA256 != hexOf("first") || r.Bytes != 5 || r.Key != key {
			t.Fatalf("got %+v, %v", r, err)
		}
	}
	if _, err := s.Put(t.Context(), x.target, file(key, "second"), nil); codeOf(err) != platen.CodeTargetTaken {
		t.Errorf("another file: got %v, want %s", err, platen.CodeTargetTaken)
	}
	if r, err := s.Put(t.Context(), x.target, file(key, "second"), []string{hexOf("first")}); err != nil || r.SHA256 != hexOf("first") {
		t.Errorf("a file of an earlier attempt: got %+v, %v", r, err)
	}
	if all, parts := x.stored(t); len(all) != 1 || all[key] != "first" || parts != 0 {
		t.Errorf("got %q and %d parts", all, parts)
	}
	if test := s.Test(t.Context(), x.target); test.Err != nil || !test.Stored || !test.Removed {
		t.Errorf("test: got %+v", test)
	}
}

// rclone 1.60 answers that it made a link, and makes none.
type linkless struct{ sftp.FileCmder }

func (l linkless) Filecmd(r *sftp.Request) error {
	if r.Method == "Link" {
		return nil
	}
	return l.FileCmder.Filecmd(r)
}

func TestSFTPBelievesNoLinkThatIsNotThere(t *testing.T) {
	t.Parallel()
	x := startSFTP(t)
	memory := sftp.InMemHandler()
	memory.FileCmd = linkless{memory.FileCmd}
	x.handlers = &memory
	x.target.URL = strings.TrimSuffix(x.target.URL, x.dir) + "/"
	s := stores()
	if _, err := s.Put(t.Context(), x.target, file("a.pdf", "first"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), x.target, file("a.pdf", "second"), nil); codeOf(err) != platen.CodeTargetTaken {
		t.Errorf("the first file is not there: another got %v, want %s", err, platen.CodeTargetTaken)
	}
}

// A server that does not answer a goodbye keeps no worker waiting.
func TestSFTPWaitsForNoGoodbye(t *testing.T) {
	t.Parallel()
	x := startSFTP(t)
	x.mute.Store(true)
	stored := make(chan error, 1)
	go func() {
		_, err := stores().Put(t.Context(), x.target, file("a.pdf", "a"), nil)
		stored <- err
	}()
	select {
	case err := <-stored:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("nothing came back for a minute")
	}
}

// Wherever a connection is cut, another attempt stores the file, once and whole.
func TestSFTPIsCutAnywhere(t *testing.T) {
	t.Parallel()
	x := startSFTP(t)
	s := stores()
	content := strings.Repeat("page of a document ", 20_000)
	want := map[string]string{}
	for at := int64(200); at < 420_000; at = at*5/4 + 37 {
		key := "cut/" + hexOf(string(rune(at)))[:12] + ".pdf"
		want[key] = content
		x.cut.Store(at)
		if _, err := s.Put(t.Context(), x.target, file(key, content), nil); err != nil && platen.KindOf(err) != platen.KindUnavailable {
			t.Errorf("cut after %d bytes: got %v, want one that is tried again", at, err)
		}
		x.cut.Store(0)
		if r, err := s.Put(t.Context(), x.target, file(key, content), nil); err != nil || r.SHA256 != hexOf(content) {
			t.Errorf("after a cut at %d bytes: got %+v, %v", at, r, err)
		}
	}
	all, parts := x.stored(t)
	if parts != 0 || len(all) != len(want) {
		t.Errorf("got %d files and %d parts, want %d and none", len(all), parts, len(want))
	}
	for key := range want {
		if all[key] != content {
			t.Errorf("%s: got %d bytes, want %d", key, len(all[key]), len(content))
		}
	}
}

func TestSFTPSaysWhatIsWrongWithItsSettings(t *testing.T) {
	t.Parallel()
	x := startSFTP(t)
	other, _ := newSigner(t)
	for name, c := range map[string]struct {
		change func(*platen.Target)
		code   string
		says   string
	}{
		"another password":  {func(t *platen.Target) { t.Secret = "wrong" }, platen.CodeTargetSignInRefused, "correct user and secret"},
		"another user":      {func(t *platen.Target) { t.User = "bob" }, platen.CodeTargetSignInRefused, "correct user and secret"},
		"another host key":  {func(t *platen.Target) { t.HostKey = ssh.FingerprintSHA256(other.PublicKey()) }, platen.CodeTargetHostKey, x.target.HostKey},
		"no such folder":    {func(t *platen.Target) { t.URL += "/missing" }, platen.CodeTargetNotFound, "create it"},
		"a key of no kind":  {func(t *platen.Target) { t.Secret = platen.PrivateKeyPrefix + "X-----\n" }, platen.CodeTargetSignInRefused, "cannot be read"},
		"nobody listens":    {func(t *platen.Target) { t.URL = "sftp://127.0.0.1:1/x" }, platen.CodeTargetUnavailable, "refuses connections"},
		"not a public host": {func(t *platen.Target) { t.URL = "sftp://169.254.169.254/x" }, platen.CodeTargetUnavailable, "not public"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := x.target
			c.change(&of)
			_, err := stores().Put(t.Context(), of, file("a.pdf", "a"), nil)
			if platen.KindOf(err) != platen.KindUnavailable || codeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %s with %q", err, c.code, c.says)
			}
			if strings.Contains(err.Error(), x.dir) {
				t.Errorf("the error names the folder: %v", err)
			}
		})
	}
}

func TestSFTPSignsInByKeyAndByKeyboard(t *testing.T) {
	t.Parallel()
	x := startSFTP(t)
	x.strict.Store(true)
	if _, err := stores().Put(t.Context(), x.target, file("keyboard.pdf", "a"), nil); err != nil {
		t.Errorf("keyboard-interactive: %v", err)
	}
	signer, private := newSigner(t)
	x.key = signer
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	by := x.target
	by.Secret = platen.Secret(pem.EncodeToMemory(block))
	if _, err := stores().Put(t.Context(), by, file("key.pdf", "a"), nil); err != nil {
		t.Errorf("by key: %v", err)
	}
	locked, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("passphrase"))
	if err != nil {
		t.Fatal(err)
	}
	by.Secret = platen.Secret(pem.EncodeToMemory(locked))
	for name, c := range map[string]struct{ secret, says string }{
		"a key with a passphrase": {string(by.Secret), "ssh-keygen -p"},
		"a public key":            {string(ssh.MarshalAuthorizedKey(signer.PublicKey())), "authorized_keys"},
		"one with its comment":    {strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))) + " ada@example.com", "authorized_keys"},
		"one in PEM":              {"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n", "authorized_keys"},
		"one of RFC 4716":         {"---- BEGIN SSH2 PUBLIC KEY ----\nAAAAC3NzaC1lZDI1NTE5\n---- END SSH2 PUBLIC KEY ----\n", "authorized_keys"},
		"a passphrase of PKCS #8": {"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGbMFcGCSqGSIb3\n-----END ENCRYPTED PRIVATE KEY-----\n", "ssh-keygen -p"},
		"a key of PuTTY":          {"PuTTY-User-Key-File-3: ssh-ed25519\r\nEncryption: none\r\n", "puttygen"},
		"two lines":               {"pass\nword", "one line"},
		"half a key":              {platen.PrivateKeyPrefix + "OPENSSH PRIVATE KEY-----\nb3Blb", "line breaks"},
		"a key":                   {string(pem.EncodeToMemory(block)), ""},
		"a password":              {"ssh-ed25519 is my password", ""},
	} {
		if got := target.SecretProblem(c.secret); (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: got %q, want %q", name, got, c.says)
		}
	}
	if _, err := stores().Put(t.Context(), by, file("locked.pdf", "a"), nil); codeOf(err) != platen.CodeTargetSignInRefused || !strings.Contains(err.Error(), "ssh-keygen -p") {
		t.Errorf("a key with a passphrase: got %v", err)
	}
}
