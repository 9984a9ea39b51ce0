package interop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/target"
	"github.com/platenhq/platen/internal/testkit/ports"
)

// rclone's own servers of S3 and WebDAV keep what is stored at targets, once.
func TestRcloneServesWhatTargetsStore(t *testing.T) {
	t.Parallel()
	program := os.Getenv(programVariable)
	if program == "" {
		t.Skipf("%s does not name rclone; make rclone builds it and runs this", programVariable)
	}
	for kind, flags := range map[platen.TargetKind][]string{
		platen.TargetS3:     {"--auth-key", "ada,secret"},
		platen.TargetWebDAV: {"--user", "ada", "--pass", "secret"},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "in"), 0o700); err != nil {
				t.Fatal(err)
			}
			free, err := ports.Free("127.0.0.1", 1)
			if err != nil {
				t.Fatal(err)
			}
			address := "127.0.0.1:" + strconv.Itoa(free[0])
			serving := exec.CommandContext(t.Context(), program, append([]string{"serve", string(kind), dir, "--addr", address, "--vfs-cache-mode", "off"}, flags...)...)
			serving.Env = append(os.Environ(), "RCLONE_CONFIG="+filepath.Join(t.TempDir(), "none"))
			if err := serving.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = serving.Process.Kill(); _ = serving.Wait() })
			until(t, address)
			stores := target.NewStores(outgoing.NewClient(outgoing.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Timeout: time.Minute}))
			at := platen.Target{Name: "Archive", Kind: kind, URL: "http://" + address + "/in", User: "ada", Secret: "secret"}
			if r := stores.Test(t.Context(), at); !r.Stored || !r.Removed || r.Err != nil {
				t.Fatalf("a test: got %+v", r)
			}
			content := []byte("%PDF-1.7 content")
			f := platen.StoredFile{Kind: "pdf", Key: "Müller & Söhne/50% (1).pdf", Type: platen.MIMEPDF, Content: content, SHA256: sha256.Sum256(content), OutputID: "out_1"}
			for range 2 {
				r, err := stores.Put(t.Context(), at, f, nil)
				if err != nil || r.SHA256 != hex.EncodeToString(f.SHA256[:]) || r.Bytes != int64(len(content)) {
					t.Fatalf("got %+v, %v", r, err)
				}
			}
			got, err := os.ReadFile(filepath.Join(dir, "in", "Müller & Söhne", "50% (1).pdf"))
			left, _ := os.ReadDir(filepath.Join(dir, "in", "Müller & Söhne"))
			if err != nil || string(got) != string(content) || len(left) != 1 {
				t.Errorf("the server keeps %q in %d files, %v", got, len(left), err)
			}
			other := f
			other.Content = []byte("another")
			other.SHA256 = sha256.Sum256(other.Content)
			if _, err := stores.Put(t.Context(), at, other, nil); platen.KindOf(err) != platen.KindInvalid {
				t.Errorf("another file under the same path: got %v, want it refused", err)
			}
			at.Secret = "wrong"
			if r := stores.Test(t.Context(), at); r.Stored || r.Err == nil || r.Err.Code != platen.CodeTargetSignInRefused {
				t.Errorf("wrong credentials: got %+v", r)
			}
		})
	}
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
