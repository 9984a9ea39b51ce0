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

// azuriteVariable names the environment variable with the directory that has Azurite in its
// node_modules.
const azuriteVariable = "PLATEN_AZURITE"

// Azurite, Microsoft's own server of Azure Blob Storage for tests, keeps what is stored at
// targets, once: by the key of an account, and by a SAS token.
func TestAzuriteServesWhatTargetsStore(t *testing.T) {
	t.Parallel()
	at := os.Getenv(azuriteVariable)
	if at == "" {
		t.Skipf("%s does not name a directory with Azurite; make azurite fetches it and runs this", azuriteVariable)
	}
	const account = "ada"
	key, address, ends := accountKey(), loopback(t), time.Now().Add(time.Hour)
	_, port, _ := net.SplitHostPort(address)
	serve(t, address, "env", "AZURITE_ACCOUNTS="+account+":"+key, filepath.Join(at, "node_modules", ".bin", "azurite-blob"),
		"--blobHost", "127.0.0.1", "--blobPort", port, "--location", t.TempDir(), "--silent", "--skipApiVersionCheck", "--disableTelemetry")
	signer, err := blob.NewSharedKeyCredential(account, key)
	if err != nil {
		t.Fatal(err)
	}
	mine, err := sas.AccountSignatureValues{ExpiryTime: ends, Permissions: "rwc", ResourceTypes: "co"}.SignWithSharedKey(signer)
	if err != nil {
		t.Fatal(err)
	}
	given, err := sas.BlobSignatureValues{ExpiryTime: ends, Permissions: "rcd", ContainerName: "archive"}.SignWithSharedKey(signer)
	if err != nil {
		t.Fatal(err)
	}
	token, err := url.ParseQuery(given.Encode())
	if err != nil {
		t.Fatal(err)
	}
	token.Set("sig", accountKey())
	in := "http://" + address + "/" + account + "/archive"
	refuses(t, platen.Target{Name: "Archive", Kind: platen.TargetAzure, URL: in, User: account, Secret: platen.Secret(key)}, platen.CodeTargetNotFound)
	if status, body, _ := ask(t, http.MethodPut, in+"?restype=container&"+mine.Encode()); status != http.StatusCreated {
		t.Fatalf("make a container: got %d, %s", status, body)
	}
	for folder, secrets := range map[string][2]string{"key": {key, accountKey()}, "token": {given.Encode(), token.Encode()}} {
		at := platen.Target{Name: "Archive", Kind: platen.TargetAzure, URL: in + "/" + folder, Secret: platen.Secret(secrets[0])}
		if folder == "key" {
			at.User = account
		}
		content := storesOnce(t, at)
		status, kept, kind := ask(t, http.MethodGet, in+"/"+folder+"/"+url.PathEscape("Müller & Söhne")+"/"+url.PathEscape("50% (1).pdf")+"?"+mine.Encode())
		if status != http.StatusOK || !bytes.Equal(kept, content) || kind != platen.MIMEPDF {
			t.Errorf("by a %s: Azurite answers %d with %q of type %s", folder, status, kept, kind)
		}
		at.Secret = platen.Secret(secrets[1])
		refuses(t, at, platen.CodeTargetSignInRefused)
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
	program := os.Getenv(programVariable)
	if program == "" {
		t.Skipf("%s does not name rclone; make rclone builds it and runs this", programVariable)
	}
	host, hostKey := sshKey(t)
	for kind, flags := range map[platen.TargetKind][]string{
		platen.TargetS3:     {"--auth-key", "ada,secret"},
		platen.TargetWebDAV: {"--user", "ada", "--pass", "secret"},
		platen.TargetSFTP:   {"--user", "ada", "--pass", "secret", "--key", host},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			address := loopback(t)
			serve(t, address, program, append([]string{"serve", string(kind), dir, "--config", filepath.Join(t.TempDir(), "none"), "--addr", address, "--vfs-cache-mode", "off"}, flags...)...)
			at := platen.Target{Name: "Archive", Kind: kind, URL: "http://" + address + "/in", User: "ada", Secret: "secret"}
			if kind == platen.TargetSFTP {
				at.URL, at.HostKey = "sftp://"+address+"/in", hostKey
			}
			keepsOnce(t, at, dir)
			at.Secret = "wrong"
			refuses(t, at, platen.CodeTargetSignInRefused)
		})
	}
}

// Debian's OpenSSH keeps what is stored at targets, once, by a private key.
func TestOpenSSHServesWhatTargetsStore(t *testing.T) {
	t.Parallel()
	const program = "/usr/sbin/sshd"
	if _, err := os.Stat(program); err != nil {
		t.Skip("Debian's openssh-server is not on this machine")
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
	dir, address := t.TempDir(), loopback(t)
	_, port, _ := net.SplitHostPort(address)
	serve(t, address, program, "-D", "-e", "-f", "/dev/null", "-h", host, "-p", port,
		"-o", "ListenAddress=127.0.0.1", "-o", "PidFile=none", "-o", "UsePAM=no", "-o", "StrictModes=no", "-o", "PermitRootLogin=prohibit-password",
		"-o", "PasswordAuthentication=no", "-o", "AuthorizedKeysFile="+mine+".pub", "-o", "Subsystem=sftp internal-sftp")
	at := platen.Target{Name: "Files", Kind: platen.TargetSFTP, URL: "sftp://" + address + filepath.ToSlash(dir) + "/in", User: who.Username, Secret: platen.Secret(secret), HostKey: hostKey}
	keepsOnce(t, at, dir)
	another := at
	_, another.HostKey = sshKey(t)
	refuses(t, another, platen.CodeTargetHostKey)
	at.Secret = "wrong"
	refuses(t, at, platen.CodeTargetSignInRefused)
}

// keepsOnce stores a file at a target of a server that keeps its files below dir.
func keepsOnce(t *testing.T, at platen.Target, dir string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	content := storesOnce(t, at)
	got, err := os.ReadFile(filepath.Join(dir, "in", "Müller & Söhne", "50% (1).pdf"))
	left, _ := os.ReadDir(filepath.Join(dir, "in", "Müller & Söhne"))
	if err != nil || !bytes.Equal(got, content) || len(left) != 1 {
		t.Errorf("the server keeps %q in %d files, %v", got, len(left), err)
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

// serve runs a server until the test ends.
func serve(t *testing.T, address, program string, args ...string) {
	t.Helper()
	serving := exec.CommandContext(t.Context(), program, args...)
	var said bytes.Buffer
	serving.Stderr = &said
	if err := serving.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serving.Process.Kill()
		_ = serving.Wait()
		if t.Failed() {
			t.Logf("the server said:\n%s", said.Bytes())
		}
	})
	until(t, address)
}

// until waits until something listens at an address.
func until(t *testing.T, address string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for ctx.Err() == nil {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			_ = connection.Close()
			return
		}
	}
	t.Fatalf("nothing listens at %s", address)
}
