package journey

import (
	"crypto/rand"
	"crypto/rsa"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/seal/sealtest"
)

// sealing is an organization whose time stamp service is away for the first request.
func sealing(t *testing.T) (c config.SealKey, asked *atomic.Int32) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	o, dir := sealtest.NewOrganization(t, "Brightwater Yachts", key), t.TempDir()
	c.SealCertificateFile, c.SealKeyFile = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	for path, content := range map[string][]byte{c.SealCertificateFile: o.Chain(), c.SealKeyFile: o.Key} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	service, asked := sealtest.NewStamps(t), new(atomic.Int32)
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		service.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(gate.Close)
	c.SealTSAURL = platen.Secret(gate.URL)
	return c, asked
}

func TestAnOutputIsSealedOnceItsTimeStampComes(t *testing.T) {
	t.Parallel()
	seal, asked := sealing(t)
	h := open(t, options{seal: seal})
	r := newReceiver(t)
	w := h.letter(t, r, object{"outputName": "Sealed", "createPdfCopy": true, "seal": true, "enablePdfPassword": true, "pdfPassword": "open-{{Name}}"})
	send(t, w)
	files := r.next(t).event.Data.Documents
	h.finished(t, w.ID, platen.AutomationCompleted)
	if len(files) == 0 || files[0].Kind != "pdf" || asked.Load() < 2 {
		t.Fatalf("got %+v after %d requests for a time stamp, want a PDF after two", files, asked.Load())
	}
	path := filepath.Join(t.TempDir(), "sealed.pdf")
	if err := os.WriteFile(path, h.fetched(t, files[0].ID), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command("pdfsig", "-nocert", "-upw", "open-"+canary+"-Ada", path).CombinedOutput()
	for _, want := range []string{"Signature is Valid.", "Total document signed", "Brightwater Yachts"} {
		if err != nil || !strings.Contains(string(said), want) {
			t.Errorf("pdfsig says %s, %v; want %s", said, err, want)
		}
	}
}

// The API of an installation may know of a certificate that its worker lacks.
func TestAWorkerWithoutACertificateFailsADocumentThatAsksForASeal(t *testing.T) {
	t.Parallel()
	h := open(t, options{idle: true, seal: config.SealKey{Seal: config.Seal{SealCertificateFile: "certificate.pem"}}})
	h.worker.SealKey = config.SealKey{}
	h.work(t)
	r := newReceiver(t)
	w := h.letter(t, r, object{"outputName": "Sealed", "createPdfCopy": true, "seal": true})
	send(t, w)
	h.finished(t, w.ID, platen.AutomationFailed)
	if got := r.next(t).event; got.Data.Error == nil || got.Data.Error.Code != platen.CodeSealUnset {
		t.Errorf("got %+v, want why the document failed", got)
	}
}
