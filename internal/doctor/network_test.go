package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/doctor"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/mailbox"
)

func TestAMailServerIsSignedInAt(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	box := mailbox.Box{User: "ada", Password: "correct-horse"}
	h.options.Settings.MailServer = config.MailServer{
		Mail:    config.Mail{SMTPFrom: "a@example.com"},
		SMTPURL: platen.Secret("smtp://ada:correct-horse@" + box.Start(t)),
	}
	r := app.Doctor(t.Context(), h.options)
	want(t, r, "network", "mail server", doctor.Failure, "STARTTLS", "PLATEN_SMTP_URL")
	wantNoSecret(t, r, "correct-horse")
	var open mailbox.Box
	h.options.Settings.SMTPURL = platen.Secret("smtp://" + open.Start(t))
	h.options.Settings.SMTPClearText = config.Switch{Setting: config.Of(true)}
	want(t, app.Doctor(t.Context(), h.options), "network", "mail server", doctor.OK)
	if n := len(open.Mails()); n != 0 {
		t.Errorf("got %d mails, want none", n)
	}
}

func TestAClockThatIsOffIsSaidWithItsSide(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	driveHost := strings.TrimPrefix(h.options.Settings.DriveEndpoint, "http://")
	for off, c := range map[time.Duration]struct {
		status doctor.Status
		words  string
	}{
		10 * time.Second: {doctor.Warning, "10s ahead of"},
		-5 * time.Minute: {doctor.Failure, "5m0s behind"},
	} {
		o := h.options
		o.Now = func() time.Time { return time.Now().Add(off) }
		r := app.Doctor(t.Context(), o)
		want(t, r, "clock", "Postgres", c.status, c.words, "NTP")
		want(t, r, "clock", driveHost, c.status, "NTP")
	}
}

func TestAHostThatCannotBeReachedSaysWhatToDo(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	closed := testkit.Listen(t)
	nobody := closed.Addr().String()
	_ = closed.Close()
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tls.Close)
	for address, word := range map[string]string{
		"http://" + nobody:       "Start what answers there",
		"http://nowhere.invalid": "DNS",
		tls.URL:                  "certificate authority",
	} {
		o := h.options
		o.Settings.DriveEndpoint = address
		_, host, _ := strings.Cut(address, "://")
		want(t, app.Doctor(t.Context(), o), "network", host, doctor.Failure, word)
	}
}
