// Package sealtest makes certificates and a time stamp service for tests of seals. Nothing but
// tests may import it.
package sealtest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// An Organization has a key with a certificate of a root of its own, all in PEM.
type Organization struct {
	Certificate, Root, Key []byte
}

// Chain is the certificate, and behind it that of the root.
func (o Organization) Chain() []byte { return append(append([]byte{}, o.Certificate...), o.Root...) }

// NewOrganization certifies a key for 365 days.
func NewOrganization(t testing.TB, name string, key crypto.Signer, usages ...x509.ExtKeyUsage) Organization {
	t.Helper()
	rootKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	from, until := time.Now().Add(-time.Hour), time.Now().AddDate(0, 0, 365)
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Root of " + name}, NotBefore: from, NotAfter: until, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name, Organization: []string{name}}, NotBefore: from, NotAfter: until, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment}
	if len(usages) > 0 { // a time stamp service has this one alone, and critical
		value, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}})
		if err != nil {
			t.Fatal(err)
		}
		leaf.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: value}}
	}
	certify := func(c *x509.Certificate, public any) []byte {
		raw, err := x509.CreateCertificate(rand.Reader, c, root, public, rootKey)
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return Organization{Certificate: certify(leaf, key.Public()), Root: certify(root, rootKey.Public()), Key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})}
}

// Stamps is a time stamp service over HTTP that OpenSSL answers for.
type Stamps struct {
	*httptest.Server
	Root            []byte
	mu              sync.Mutex
	asked, answered []byte
}

// Asked is the last request.
func (s *Stamps) Asked() []byte { s.mu.Lock(); defer s.mu.Unlock(); return s.asked }

// Answered is the last answer.
func (s *Stamps) Answered() []byte { s.mu.Lock(); defer s.mu.Unlock(); return s.answered }

// Token is that of the last answer.
func (s *Stamps) Token(t testing.TB) []byte {
	t.Helper()
	var answer struct {
		Status asn1.RawValue
		Token  asn1.RawValue
	}
	if _, err := asn1.Unmarshal(s.Answered(), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Token.FullBytes
}

const settings = `[tsa]
default_tsa = one
[one]
serial = SERIAL
default_policy = 1.2.3.4.1
digests = sha256
signer_digest = sha256
ess_cert_id_chain = no
ess_cert_id_alg = sha256
`

// NewStamps starts a service that ends with the test.
func NewStamps(t testing.TB) *Stamps {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	o := NewOrganization(t, "Stamps", key, x509.ExtKeyUsageTimeStamping)
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	serial := file("serial", []byte("01\n"))
	config := file("config", []byte(strings.Replace(settings, "SERIAL", serial, 1)))
	certificate, private := file("certificate", o.Certificate), file("key", o.Key)
	s := &Stamps{Root: o.Root}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		asked, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Content-Type") != "application/timestamp-query" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		query, answer := filepath.Join(dir, "query"), filepath.Join(dir, "answer")
		if err := os.WriteFile(query, asked, 0o600); err != nil {
			t.Error(err)
		}
		if out, err := exec.Command("openssl", "ts", "-reply", "-config", config, "-queryfile", query, "-signer", certificate, "-inkey", private, "-out", answer).CombinedOutput(); err != nil {
			t.Errorf("openssl ts: %v: %s", err, out)
		}
		content, err := os.ReadFile(answer)
		if err != nil {
			t.Error(err)
		}
		s.asked, s.answered = asked, content
		w.Header().Set("Content-Type", "application/timestamp-reply")
		_, _ = w.Write(content)
	}))
	t.Cleanup(s.Close)
	return s
}
