package interop

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"
	"golang.org/x/crypto/ssh"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/target"
	"github.com/platenhq/platen/internal/testkit/ports"
)

// serversVariable names the environment variable with the directory that has Azurite and s3rver
// in its node_modules.
const serversVariable = "PLATEN_TARGETS"

// ofNode is the path of a program of npm.
func ofNode(t *testing.T, name string) string {
	t.Helper()
	program := filepath.Join(os.Getenv(serversVariable), "node_modules", ".bin", name)
	if _, err := os.Stat(program); err != nil || os.Getenv(serversVariable) == "" {
		t.Skipf("%s does not name a directory with %s; make targets fetches it and runs this", serversVariable, name)
	}
	return program
}

// An azurite is Microsoft's own server of Azure Blob Storage for tests, with one account.
type azurite struct {
	*serving
	in     string // the container
	key    string
	signer *blob.SharedKeyCredential
	token  string // that may do everything
}

const azureAccount = "ada"

func startAzurite(t *testing.T) azurite {
	t.Helper()
	program, address, key := ofNode(t, "azurite-blob"), loopback(t), accountKey()
	_, port, _ := net.SplitHostPort(address)
	a := azurite{key: key, in: "http://" + address + "/" + azureAccount + "/archive"}
	a.serving = serve(t, address, "env", "AZURITE_ACCOUNTS="+azureAccount+":"+key, program,
		"--blobHost", "127.0.0.1", "--blobPort", port, "--location", t.TempDir(), "--silent", "--skipApiVersionCheck", "--disableTelemetry")
	a.ends = syscall.SIGTERM // it writes what it knows of blobs then
	var err error
	if a.signer, err = blob.NewSharedKeyCredential(azureAccount, key); err != nil {
		t.Fatal(err)
	}
	mine, err := sas.AccountSignatureValues{ExpiryTime: time.Now().Add(time.Hour), Permissions: "rwlc", ResourceTypes: "co"}.SignWithSharedKey(a.signer)
	if err != nil {
		t.Fatal(err)
	}
	a.token = mine.Encode()
	return a
}

func (a azurite) makeContainer(t *testing.T) {
	t.Helper()
	if status, body, _ := ask(t, http.MethodPut, a.in+"?restype=container&"+a.token); status != http.StatusCreated {
		t.Fatalf("make a container: got %d, %s", status, body)
	}
}

// Azurite keeps what is stored at targets, once: by the key of an account, and by a SAS token.
func TestAzuriteServesWhatTargetsStore(t *testing.T) {
	t.Parallel()
	a := startAzurite(t)
	given, err := sas.BlobSignatureValues{ExpiryTime: time.Now().Add(time.Hour), Permissions: "rcd", ContainerName: "archive"}.SignWithSharedKey(a.signer)
	if err != nil {
		t.Fatal(err)
	}
	token, err := url.ParseQuery(given.Encode())
	if err != nil {
		t.Fatal(err)
	}
	token.Set("sig", accountKey())
	refuses(t, platen.Target{Name: "Archive", Kind: platen.TargetAzure, URL: a.in, User: azureAccount, Secret: platen.Secret(a.key)}, platen.CodeTargetNotFound)
	a.makeContainer(t)
	for folder, secrets := range map[string][2]string{"key": {a.key, accountKey()}, "token": {given.Encode(), token.Encode()}} {
		at := platen.Target{Name: "Archive", Kind: platen.TargetAzure, URL: a.in + "/" + folder, Secret: platen.Secret(secrets[0])}
		if folder == "key" {
			at.User = azureAccount
		}
		content := storesOnce(t, at)
		status, kept, kind := ask(t, http.MethodGet, a.in+"/"+folder+"/"+url.PathEscape("Müller & Söhne")+"/"+url.PathEscape("50% (1).pdf")+"?"+a.token)
		if status != http.StatusOK || !bytes.Equal(kept, content) || kind != platen.MIMEPDF {
			t.Errorf("by a %s: Azurite answers %d with %q of type %s", folder, status, kept, kind)
		}
		at.Secret = platen.Secret(secrets[1])
		refuses(t, at, platen.CodeTargetSignInRefused)
	}
}

func ofAzurite(t *testing.T) *depot {
	t.Helper()
	a := startAzurite(t)
	a.makeContainer(t)
	return &depot{
		target:  platen.Target{Name: "Archive", Kind: platen.TargetAzure, URL: a.in, User: azureAccount, Secret: platen.Secret(a.key)},
		serving: a.serving, files: azuriteFiles(a.in, a.token),
	}
}

// ask sends a request without a body.
func ask(t *testing.T, method, address string) (status int, body []byte, contentType string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if body, err = io.ReadAll(answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body, answer.Header.Get("Content-Type")
}

// accountKey is a key as storage accounts have it.
func accountKey() string {
	key := make([]byte, 64)
	_, _ = rand.Read(key)
	return base64.StdEncoding.EncodeToString(key)
}

// rclone's own servers of S3, WebDAV and SFTP keep what is stored at targets, once.
func TestRcloneServesWhatTargetsStore(t *testing.T) {
	t.Parallel()
	for _, kind := range []platen.TargetKind{platen.TargetS3, platen.TargetWebDAV, platen.TargetSFTP} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			d := ofRclone(t, kind)
			keepsOnce(t, d)
			d.target.Secret = "wrong"
			refuses(t, d.target, platen.CodeTargetSignInRefused)
		})
	}
}

func ofRclone(t *testing.T, kind platen.TargetKind) *depot {
	t.Helper()
	program := os.Getenv(programVariable)
	if program == "" {
		t.Skipf("%s does not name rclone; make targets builds it and runs this", programVariable)
	}
	dir, address := t.TempDir(), loopback(t)
	at := platen.Target{Name: "Archive", Kind: kind, URL: "http://" + address + "/in", User: "ada", Secret: "secret"}
	flags := []string{"--user", "ada", "--pass", "secret"}
	switch kind {
	case platen.TargetS3:
		flags = []string{"--auth-key", "ada,secret"}
	case platen.TargetSFTP:
		host, hostKey := sshKey(t)
		flags = append(flags, "--key", host)
		at.URL, at.HostKey = "sftp://"+address+"/in", hostKey
	}
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &depot{
		target: at, files: below(filepath.Join(dir, "in")), unconditional: kind == platen.TargetS3,
		serving: serve(t, address, append([]string{program, "serve", string(kind), dir, "--config", filepath.Join(t.TempDir(), "none"), "--addr", address, "--vfs-cache-mode", "off"}, flags...)...),
	}
}

// Debian's OpenSSH keeps what is stored at targets, once, by a private key.
func TestOpenSSHServesWhatTargetsStore(t *testing.T) {
	t.Parallel()
	d := ofOpenSSH(t)
	keepsOnce(t, d)
	another := d.target
	_, another.HostKey = sshKey(t)
	refuses(t, another, platen.CodeTargetHostKey)
	d.target.Secret = "wrong"
	refuses(t, d.target, platen.CodeTargetSignInRefused)
}

func ofOpenSSH(t *testing.T) *depot {
	t.Helper()
	const program = "/usr/sbin/sshd"
	if _, err := os.Stat(program); err != nil {
		t.Skip("Debian's openssh-server is not on this machine; make targets installs it and runs this")
	}
	who, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if who.Uid == "0" {
		// As root it begins in a folder that Debian's service makes.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	host, hostKey := sshKey(t)
	mine, _ := sshKey(t)
	secret, err := os.ReadFile(mine)
	if err != nil {
		t.Fatal(err)
	}
	dir, address := filepath.Join(t.TempDir(), "in"), loopback(t)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	return &depot{
		target: platen.Target{Name: "Files", Kind: platen.TargetSFTP, URL: "sftp://" + address + filepath.ToSlash(dir), User: who.Username, Secret: platen.Secret(secret), HostKey: hostKey},
		files:  below(dir),
		serving: serve(t, address, program, "-D", "-e", "-f", "/dev/null", "-h", host, "-p", port,
			"-o", "ListenAddress=127.0.0.1", "-o", "PidFile=none", "-o", "UsePAM=no", "-o", "StrictModes=no", "-o", "PermitRootLogin=prohibit-password", "-o", "MaxStartups=100",
			"-o", "PasswordAuthentication=no", "-o", "AuthorizedKeysFile="+mine+".pub", "-o", "Subsystem=sftp internal-sftp"),
	}
}

// s3rver, a server of S3 in Node, keeps what is stored at targets, once.
func TestS3rverServesWhatTargetsStore(t *testing.T) {
	t.Parallel()
	d := ofS3rver(t)
	keepsOnce(t, d)
	d.target.User = "ada"
	refuses(t, d.target, platen.CodeTargetSignInRefused)
}

func ofS3rver(t *testing.T) *depot {
	t.Helper()
	program, address, dir := ofNode(t, "s3rver"), loopback(t), t.TempDir()
	_, port, _ := net.SplitHostPort(address)
	return &depot{
		target:  platen.Target{Name: "Archive", Kind: platen.TargetS3, URL: "http://" + address + "/archive", User: "S3RVER", Secret: "S3RVER"},
		files:   s3rverFiles(filepath.Join(dir, "archive")),
		serving: serve(t, address, program, "--directory", dir, "--address", "127.0.0.1", "--port", port, "--silent", "--configure-bucket", "archive"),
		// 3.7.1 writes into what it shows: what is cut or comes late spoils a file that it has.
		unconditional: true, not: []string{cutWithin, late, lateHalf, restarted},
	}
}

// keepsOnce stores a file at a target, and looks for it among the server's files.
func keepsOnce(t *testing.T, d *depot) {
	t.Helper()
	content := storesOnce(t, d.target)
	if has := d.files(t); len(has) != 1 || !bytes.Equal(has["Müller & Söhne/50% (1).pdf"], content) {
		t.Errorf("the server keeps %q", has)
	}
}

// storesOnce stores a file at a target twice, and then has another under its path refused.
func storesOnce(t *testing.T, at platen.Target) (content []byte) {
	t.Helper()
	stores := newStores()
	if r := stores.Test(t.Context(), at); !r.Stored || !r.Removed || r.Err != nil {
		t.Fatalf("a test: got %+v", r)
	}
	content = []byte("%PDF-1.7 content")
	f := platen.StoredFile{Kind: "pdf", Key: "Müller & Söhne/50% (1).pdf", Type: platen.MIMEPDF, Content: content, SHA256: sha256.Sum256(content), OutputID: "out_1"}
	for range 2 {
		r, err := stores.Put(t.Context(), at, f, nil)
		if err != nil || r.SHA256 != hex.EncodeToString(f.SHA256[:]) || r.Bytes != int64(len(content)) {
			t.Fatalf("got %+v, %v", r, err)
		}
	}
	other := f
	other.Content = []byte("another")
	other.SHA256 = sha256.Sum256(other.Content)
	if _, err := stores.Put(t.Context(), at, other, nil); platen.KindOf(err) != platen.KindInvalid {
		t.Errorf("another file under the same path: got %v, want it refused", err)
	}
	return content
}

func refuses(t *testing.T, at platen.Target, code string) {
	t.Helper()
	if r := newStores().Test(t.Context(), at); r.Stored || r.Err == nil || r.Err.Code != code {
		t.Errorf("got %+v, want %s", r, code)
	}
}

func newStores() *target.Stores {
	return target.NewStores(outgoing.NewClient(outgoing.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Timeout: time.Minute}), nil)
}

// sshKey writes a key as ssh-keygen does, and answers its fingerprint.
func sshKey(t *testing.T) (private, fingerprint string) {
	t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	shown, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	private = filepath.Join(t.TempDir(), "key")
	for name, content := range map[string][]byte{private: pem.EncodeToMemory(block), private + ".pub": ssh.MarshalAuthorizedKey(shown)} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return private, ssh.FingerprintSHA256(shown)
}

func loopback(t *testing.T) string {
	t.Helper()
	free, err := ports.Free("127.0.0.1", 1)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(free[0]))
}

// A serving is a server that runs until the test ends.
type serving struct {
	t       *testing.T
	address string
	command []string
	ends    os.Signal // that ends it
	now     *exec.Cmd
	said    *os.File // a pipe would stay open as long as what the server has started
}

// serve runs a server at an address.
func serve(t *testing.T, address string, command ...string) *serving {
	t.Helper()
	s := &serving{t: t, address: address, command: command, ends: os.Kill}
	var err error
	if s.said, err = os.Create(filepath.Join(t.TempDir(), "said")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.end(os.Kill)
		_ = s.said.Close()
		if t.Failed() {
			said, _ := os.ReadFile(s.said.Name())
			t.Logf("the server said:\n%s", said)
		}
	})
	if s.start(); t.Failed() {
		t.FailNow()
	}
	return s
}

func (s *serving) start() {
	s.now = exec.CommandContext(s.t.Context(), s.command[0], s.command[1:]...)
	s.now.Stderr = s.said
	if err := s.now.Start(); err != nil {
		s.t.Errorf("start %s: %v", s.command[0], err)
		return
	}
	ctx, stop := context.WithTimeout(s.t.Context(), time.Minute)
	defer stop()
	for ctx.Err() == nil {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
		if err == nil {
			_ = connection.Close()
			return
		}
	}
	s.t.Errorf("nothing listens at %s", s.address)
}

func (s *serving) end(by os.Signal) {
	_ = s.now.Process.Signal(by)
	_ = s.now.Wait() // the context of the test ends it at last
}

func (s *serving) restart() {
	s.end(s.ends)
	s.start()
}
