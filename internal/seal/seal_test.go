package seal_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/seal"
	"github.com/platenhq/platen/internal/seal/sealtest"
)

func openssl(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := exec.Command("openssl", arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("openssl %s: %v: %s", strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

func store(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func keys(t *testing.T) map[string]crypto.Signer {
	t.Helper()
	all := map[string]crypto.Signer{}
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	e, otherwise := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err := errors.Join(err, otherwise); err != nil {
		t.Fatal(err)
	}
	all["RSA"], all["ECDSA"] = r, e
	return all
}

// The judge is OpenSSL, which with -cades wants the attribute that names the certificate.
func TestASignatureIsGoodByAnotherProgram(t *testing.T) {
	t.Parallel()
	for name, key := range keys(t) {
		o := sealtest.NewOrganization(t, "Brightwater Yachts", key)
		s, err := seal.New(o.Chain(), o.Key)
		if err != nil {
			t.Fatal(err)
		}
		content := []byte("what is signed")
		signature, err := s.Sign(t.Context(), sha256.Sum256(content), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if len(signature) > s.Room() || s.Name() != "Brightwater Yachts" {
			t.Errorf("%s: %d bytes of %d, by %s", name, len(signature), s.Room(), s.Name())
		}
		file := store(t, signature)
		openssl(t, "cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in", file, "-content", store(t, content), "-CAfile", store(t, o.Root), "-purpose", "any", "-out", os.DevNull)
		if shown := openssl(t, "cms", "-cmsout", "-print", "-inform", "DER", "-in", file); strings.Contains(shown, "signingTime") || !strings.Contains(shown, "id-smime-aa-signingCertificateV2") {
			t.Errorf("%s: got %s, want no time of signing, and the certificate that is meant", name, shown)
		}
	}
}

// The service is OpenSSL's: its token is that of the signature's own bytes.
func TestASignatureIsStampedWhereAServiceIsSet(t *testing.T) {
	t.Parallel()
	o := sealtest.NewOrganization(t, "Brightwater Yachts", keys(t)["RSA"])
	service := sealtest.NewStamps(t)
	s, err := seal.New(o.Chain(), o.Key)
	if err != nil {
		t.Fatal(err)
	}
	s.Stamps = &seal.Stamps{URL: service.URL, Client: http.DefaultClient}
	content := []byte("what is signed")
	signature, err := s.Sign(t.Context(), sha256.Sum256(content), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	file := store(t, signature)
	openssl(t, "cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in", file, "-content", store(t, content), "-CAfile", store(t, o.Root), "-purpose", "any", "-out", os.DevNull)
	if shown := openssl(t, "cms", "-cmsout", "-print", "-inform", "DER", "-in", file); !strings.Contains(shown, "id-smime-aa-timeStampToken") {
		t.Errorf("got %s, want a time stamp", shown)
	}
	openssl(t, "ts", "-verify", "-queryfile", store(t, service.Asked()), "-in", store(t, service.Answered()), "-CAfile", store(t, service.Root))
	if !bytes.Contains(signature, service.Token(t)) {
		t.Error("the signature does not hold the token that the service gave")
	}
}

func TestAServiceThatStampsNothingFailsTheSignature(t *testing.T) {
	t.Parallel()
	o := sealtest.NewOrganization(t, "O", keys(t)["ECDSA"])
	good := sealtest.NewStamps(t)
	s, err := seal.New(o.Chain(), o.Key)
	if err != nil {
		t.Fatal(err)
	}
	s.Stamps = &seal.Stamps{URL: good.URL, Client: http.DefaultClient}
	if _, err := s.Sign(t.Context(), [32]byte{1}, time.Now()); err != nil {
		t.Fatal(err)
	}
	old := good.Answered()
	for want, answer := range map[string]http.HandlerFunc{
		"answers 503":              func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"read the time stamp":      func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "no") },
		"is one of something else": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(old) },
		"has more than":            func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) },
	} {
		server := httptest.NewServer(answer)
		defer server.Close()
		s.Stamps = &seal.Stamps{URL: server.URL, Client: server.Client()}
		if _, err := s.Sign(context.Background(), [32]byte{1}, time.Now()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want that it %s", err, want)
		}
	}
}

func TestAKeyThatCannotSealIsRefusedInWords(t *testing.T) {
	t.Parallel()
	all := keys(t)
	one, other := sealtest.NewOrganization(t, "O", all["RSA"]), sealtest.NewOrganization(t, "O", all["ECDSA"])
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Skip("this Go makes no short keys")
	}
	weak := sealtest.NewOrganization(t, "O", short)
	encrypted := pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte{1}})
	public, err := x509.MarshalPKIXPublicKey(short.Public())
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string][2][]byte{
		"no certificate in PEM":      {[]byte("x"), one.Key},
		"no key in PEM":              {one.Chain(), nil},
		"not that of the key":        {one.Chain(), other.Key},
		"1024 bits, and needs 2048":  {weak.Chain(), weak.Key},
		"without a password":         {one.Chain(), encrypted},
		"of the type \"PUBLIC KEY\"": {one.Chain(), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})},
	} {
		if _, err := seal.New(c[0], c[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
