package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/config"
)

// An identity is a certificate that vouches for itself, in files.
type identity struct{ certFile, keyFile string }

func newIdentity(t *testing.T, name string) identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	id := identity{filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")}
	write := func(file, kind string, content []byte) {
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(id.certFile, "CERTIFICATE", der)
	write(id.keyFile, "PRIVATE KEY", private)
	return id
}

func TestTemporalAndTheWorkerKnowEachOtherByCertificates(t *testing.T) {
	t.Parallel()
	server, worker, other := newIdentity(t, "temporal.test"), newIdentity(t, "worker.test"), newIdentity(t, "other.test")
	for name, c := range map[string]struct {
		settings config.Temporal
		fails    string
	}{
		"all":                   {config.Temporal{TemporalCAFile: server.certFile, TemporalCertFile: worker.certFile, TemporalKeyFile: worker.keyFile, TemporalServerName: "temporal.test"}, ""},
		"another authority":     {config.Temporal{TemporalCAFile: other.certFile, TemporalCertFile: worker.certFile, TemporalKeyFile: worker.keyFile, TemporalServerName: "temporal.test"}, "unknown authority"},
		"another name":          {config.Temporal{TemporalCAFile: server.certFile, TemporalCertFile: worker.certFile, TemporalKeyFile: worker.keyFile, TemporalServerName: "other.test"}, "other.test"},
		"no client certificate": {config.Temporal{TemporalCAFile: server.certFile, TemporalServerName: "temporal.test"}, "certificate required"},
		"a stranger's":          {config.Temporal{TemporalCAFile: server.certFile, TemporalCertFile: other.certFile, TemporalKeyFile: other.keyFile, TemporalServerName: "temporal.test"}, "unknown certificate authority"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := handshake(t, server, worker, c.settings)
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("got %v, want an error with %q", err, c.fails)
			}
		})
	}
}

func TestFilesOfTemporalsCertificatesAreReadAtTheStart(t *testing.T) {
	t.Parallel()
	mine := newIdentity(t, "worker.test")
	for flag, c := range map[string]config.Temporal{
		"--temporal-tls-ca-file":        {TemporalCAFile: mine.keyFile},
		"--temporal-tls-ca-file): open": {TemporalCAFile: "/does/not/exist"},
		"--temporal-tls-cert-file":      {TemporalCertFile: mine.keyFile, TemporalKeyFile: mine.keyFile},
		"--temporal-tls-key-file":       {TemporalCertFile: mine.certFile, TemporalKeyFile: mine.certFile},
	} {
		if _, err := temporalTLS(c); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("got %v, want an error that names %s", err, flag)
		}
	}
}

// handshake connects by the settings to a server that asks for the worker's certificate.
func handshake(t *testing.T, server, worker identity, c config.Temporal) error {
	t.Helper()
	certificate, err := tls.LoadX509KeyPair(server.certFile, server.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	trusted, err := os.ReadFile(worker.certFile)
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(trusted)
	settings, err := temporalTLS(c)
	if err != nil {
		t.Fatal(err)
	}
	here, there := net.Pipe()
	go func() {
		asking := tls.Server(there, &tls.Config{Certificates: []tls.Certificate{certificate}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients})
		if asking.HandshakeContext(t.Context()) == nil {
			_, _ = asking.Write([]byte("."))
		}
		_ = there.Close()
	}()
	connection := tls.Client(here, settings)
	defer connection.Close()
	// With TLS 1.3 the server's refusal comes after the client's handshake.
	if err := connection.HandshakeContext(t.Context()); err != nil {
		return err
	}
	_, err = connection.Read(make([]byte, 1))
	return err
}
