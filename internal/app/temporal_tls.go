package app

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"github.com/platenhq/platen/internal/config"
)

// temporalTLS is how Temporal is known, and how it knows us. A client certificate is
// read again for each connection, so that one that was renewed is used without a restart.
func temporalTLS(c config.Temporal) (*tls.Config, error) {
	settings := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.TemporalServerName}
	if c.TemporalCAFile != "" {
		authorities, err := os.ReadFile(c.TemporalCAFile)
		if err != nil {
			return nil, fmt.Errorf("read Temporal's authority (--temporal-tls-ca-file): %w", err)
		}
		settings.RootCAs = x509.NewCertPool()
		if !settings.RootCAs.AppendCertsFromPEM(authorities) {
			return nil, fmt.Errorf("read Temporal's authority (--temporal-tls-ca-file): %s holds no certificate", c.TemporalCAFile)
		}
	}
	if c.TemporalCertFile == "" {
		return settings, nil
	}
	read := func() (*tls.Certificate, error) {
		certificate, err := tls.LoadX509KeyPair(c.TemporalCertFile, c.TemporalKeyFile)
		if err != nil {
			return nil, fmt.Errorf("read the client certificate for Temporal (--temporal-tls-cert-file, --temporal-tls-key-file): %w", err)
		}
		return &certificate, nil
	}
	if _, err := read(); err != nil {
		return nil, err
	}
	settings.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return read() }
	return settings, nil
}
