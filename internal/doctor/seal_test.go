package doctor_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/doctor"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/seal/sealtest"
)

func TestTheDoctorLooksAtTheSeal(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	o := sealtest.NewOrganization(t, "Brightwater Yachts", key)
	dir := t.TempDir()
	s := &h.options.Settings
	s.SealCertificateFile, s.SealKeyFile = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	write := func(path string, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(s.SealCertificateFile, o.Chain())
	write(s.SealKeyFile, o.Key)
	const subject = "PLATEN_SEAL_CERTIFICATE_FILE"
	ends := time.Now().AddDate(0, 0, 365)
	want(t, app.Doctor(t.Context(), h.options), "configuration", subject, doctor.OK, "The key fits the certificate of Brightwater Yachts")
	for _, c := range []struct {
		now    time.Time
		status doctor.Status
		words  string
	}{
		{ends.AddDate(-1, 0, -2), doctor.Failure, "is valid from"},
		{ends.AddDate(0, 0, -29), doctor.Warning, "ends on " + ends.UTC().Format(time.DateOnly)},
		{ends.Add(time.Hour), doctor.Failure, "ended on"},
	} {
		h.options.Now = func() time.Time { return c.now }
		want(t, app.Doctor(t.Context(), h.options), "configuration", subject, c.status, c.words, "Brightwater Yachts", "new certificate")
	}
	h.options.Now = nil

	service := sealtest.NewStamps(t)
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "correct-horse" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		service.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(gate.Close)
	at := func(user string) platen.Secret {
		return platen.Secret(strings.Replace(gate.URL, "://", "://"+user+"@", 1))
	}
	s.SealTSAURL = at("ada:correct-horse")
	want(t, app.Doctor(t.Context(), h.options), "network", "time stamp service", doctor.OK)
	s.SealTSAURL = at("ada:wrong-horse")
	r := app.Doctor(t.Context(), h.options)
	want(t, r, "network", "time stamp service", doctor.Failure, "answers 401", "PLATEN_SEAL_TSA_URL")
	wantNoSecret(t, r, "wrong-horse")

	write(s.SealKeyFile, []byte("no key"))
	r = app.Doctor(t.Context(), h.options)
	want(t, r, "configuration", subject, doctor.Failure, "there is no key in PEM", "certificate in PEM")
}
