package app

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/doctor"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
	"github.com/platenhq/platen/internal/seal"
)

// stampTimeout is how long a time stamp service may take; one answers in tenths of a second.
const stampTimeout = 15 * time.Second

// protector does to PDFs what documents ask for. It seals where certificate and key are set, and
// reads them for each seal, so that a renewed certificate is used without a restart.
func protector(c config.SealKey) (protect.Protector, error) {
	if c.SealCertificateFile == "" {
		return protect.Protector{}, nil
	}
	client := &http.Client{Transport: google.NewTransport(), Timeout: stampTimeout}
	if _, err := newSealer(c, client); err != nil {
		return protect.Protector{}, err
	}
	return protect.Protector{Signer: func() (protect.Signer, error) {
		s, err := newSealer(c, client)
		if err != nil {
			return nil, platen.ErrSealUnavailable("certificate and key of this installation cannot be used", err)
		}
		return s, nil
	}}, nil
}

// newSealer reads the files of the settings. Its errors quote nothing of the key.
func newSealer(c config.SealKey, client *http.Client) (*seal.Sealer, error) {
	certificates, err := os.ReadFile(c.SealCertificateFile)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of seals (PLATEN_SEAL_CERTIFICATE_FILE): %w", err)
	}
	key, err := os.ReadFile(c.SealKeyFile)
	if err != nil {
		return nil, fmt.Errorf("read the key of seals (PLATEN_SEAL_KEY_FILE): %w", err)
	}
	s, err := seal.New(certificates, key)
	if err != nil {
		return nil, fmt.Errorf("read certificate and key of seals (PLATEN_SEAL_CERTIFICATE_FILE, PLATEN_SEAL_KEY_FILE): %w", err)
	}
	service, err := c.Stamps()
	if err != nil {
		return nil, fmt.Errorf("read the time stamp service (PLATEN_SEAL_TSA_URL): %w", err)
	}
	if service != nil {
		s.Stamps = &seal.Stamps{URL: service.URL, User: service.User, Password: service.Password, Client: client}
	}
	return s, nil
}

// examinedSeal is what the doctor looks at; nil: nothing is sealed here.
func examinedSeal(c config.SealKey) func() (doctor.Seal, error) {
	if c.SealCertificateFile == "" || c.SealKeyFile == "" {
		return nil
	}
	return func() (doctor.Seal, error) {
		s, err := newSealer(c, &http.Client{Transport: google.NewTransport(), Timeout: stampTimeout})
		if err != nil {
			return doctor.Seal{}, err
		}
		found := doctor.Seal{Name: s.Name()}
		found.From, found.Until = s.Valid()
		if s.Stamps != nil {
			found.Stamp = func(ctx context.Context) error { return s.Stamps.Try(ctx) }
		}
		return found, nil
	}
}
