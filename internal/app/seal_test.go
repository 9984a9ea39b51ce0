package app

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/seal/sealtest"
)

func organization(t *testing.T, name string) sealtest.Organization {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return sealtest.NewOrganization(t, name, crypto.Signer(key))
}

// give writes certificate and key to the files of settings.
func give(t *testing.T, c config.SealKey, o sealtest.Organization) {
	t.Helper()
	for path, content := range map[string][]byte{c.SealCertificateFile: o.Chain(), c.SealKeyFile: o.Key} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func sealSettings(t *testing.T) config.SealKey {
	t.Helper()
	dir := t.TempDir()
	return config.SealKey{Seal: config.Seal{SealCertificateFile: filepath.Join(dir, "certificate.pem")}, SealKeyFile: filepath.Join(dir, "key.pem")}
}

func TestARenewedCertificateSealsWithoutARestart(t *testing.T) {
	t.Parallel()
	c := sealSettings(t)
	give(t, c, organization(t, "Before"))
	p, err := protector(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Before", "After"} {
		give(t, c, organization(t, name))
		s, err := p.Signer()
		if err != nil || s.Name() != name {
			t.Fatalf("got %v, %v, want the seal of %s", s, err, name)
		}
	}
	if err := os.WriteFile(c.SealKeyFile, organization(t, "Other").Key, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Signer(); platen.KindOf(err) != platen.KindUnavailable || !strings.Contains(err.Error(), "is not that of the key") {
		t.Errorf("got %v, want that the step is tried again", err)
	}
	if _, err := protector(c); err == nil || !strings.Contains(err.Error(), "PLATEN_SEAL_KEY_FILE") {
		t.Errorf("at the start: got %v, want the settings in it", err)
	}
}

func TestASealWaitsForATimeStampServiceThatIsAway(t *testing.T) {
	t.Parallel()
	service := sealtest.NewStamps(t)
	var up atomic.Bool
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch {
		case user != "ada" || password != "correct/horse":
			w.WriteHeader(http.StatusUnauthorized)
		case !up.Load():
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			service.Config.Handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(gate.Close)
	c := sealSettings(t)
	give(t, c, organization(t, "Brightwater Yachts"))
	c.SealTSAURL = platen.Secret(strings.Replace(gate.URL, "://", "://ada:correct%2Fhorse@", 1))
	p, err := protector(c)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Signer()
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Sign(t.Context(), [sha256.Size]byte{1}, time.Now())
	if platen.KindOf(err) != platen.KindUnavailable || !strings.Contains(err.Error(), "answers 503") || strings.Contains(err.Error(), "horse") {
		t.Errorf("got %v, want that the step is tried again", err)
	}
	up.Store(true)
	if cms, err := s.Sign(t.Context(), [sha256.Size]byte{1}, time.Now()); err != nil || len(cms) > s.Room() {
		t.Errorf("got %d bytes, %v", len(cms), err)
	}
}
