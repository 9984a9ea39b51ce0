// Package browser opens the pages of the service in a real Chromium: with `make
// browser`, and with `make test` where Chromium is installed.
//
// What is behind the pages is tested beside its code; here is what a browser alone
// knows: whether its rules for cookies, redirects and policies let a person through,
// and whether they can read the page.
package browser

import (
	"context"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/browser"
)

const ada = "ada@example.com"

// A harness is serve with one user, and a sign-in service in the place of Google's, on
// another site as far as browsers know.
type harness struct {
	admin   *admin.Admin
	secrets config.Secrets
	connect string // address of the first page, without a link's query
	userID  string
	hosts   []string // ours, and that of the sign-in service
	given   atomic.Int32
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	h := &harness{secrets: config.Secrets{SecretKeys: platen.Secret(app.NewSecretKey())}}
	google := h.signInService(t)
	database := config.Database{DatabaseURL: testkit.Database(t, "browser", func(ctx context.Context, pool *pgxpool.Pool) error {
		return app.Migrate(ctx, pool.Config().ConnString())
	}).Config().ConnString()}
	var err error
	if h.admin, err = app.OpenAdmin(t.Context(), database, h.secrets); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.admin.Close)
	if h.userID, err = h.admin.CreateUser(t.Context(), "Ada", ada, ""); err != nil {
		t.Fatal(err)
	}
	listener := testkit.Listen(t)
	h.connect = app.LocalURL(listener.Addr()) + "/connect/google"
	h.hosts = []string{listener.Addr().String(), strings.TrimPrefix(google, "http://")}
	c := config.Defaults[config.Serve]()
	c.Database, c.Secrets, c.OAuthRedirectURL = database, h.secrets, h.connect+"/callback"
	c.Cloud = config.Cloud{DriveKind: platen.DriveGoogle, OAuthClientID: "client", OAuthClientSecret: "password", OAuthEndpoint: google}
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- app.Serve(ctx, c, slog.New(slog.DiscardHandler), listener, testkit.Listen(t), func() { close(ready) })
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	select {
	case <-ready:
	case err := <-ended:
		ended <- err
		t.Fatalf("serve: %v", err)
	}
	return h
}

var consentPage = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in</title><link rel="icon" href="data:,"></head>
<body><h1>Platen wants to access your Google Drive</h1>
<a id="allow" href="{{.Allow}}">Allow</a> <a id="refuse" href="{{.Refuse}}">Cancel</a> <a id="tamper" href="{{.Tamper}}">Another state</a>
</body></html>`))

// signInService asks the user, as Google does, and gives tokens.
func (h *harness) signInService(t *testing.T) (address string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /auth", func(w http.ResponseWriter, r *http.Request) {
		asked := r.URL.Query()
		back := func(answer url.Values) string { return asked.Get("redirect_uri") + "?" + answer.Encode() }
		state := asked.Get("state")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = consentPage.Execute(w, map[string]string{
			"Allow":  back(url.Values{"state": {state}, "code": {"code"}}),
			"Refuse": back(url.Values{"state": {state}, "error": {"access_denied"}}),
			"Tamper": back(url.Values{"state": {state + "X"}, "code": {"code"}}),
		})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, fmt.Sprintf(`{"access_token":"access","token_type":"Bearer","expires_in":3600,"refresh_token":"refresh-%d","scope":"https://www.googleapis.com/auth/drive.file"}`, h.given.Add(1)))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
}

func (h *harness) link(t *testing.T) string { return h.linkFor(t, time.Hour) }

func (h *harness) linkFor(t *testing.T, valid time.Duration) string {
	t.Helper()
	links, err := app.ConnectLinks(h.secrets, h.connect)
	if err != nil {
		t.Fatal(err)
	}
	link, err := h.admin.ConnectLink(t.Context(), links, ada, valid)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// isConnected tells whether the service has a connection of the user's.
func (h *harness) isConnected(t *testing.T) bool {
	t.Helper()
	c, err := h.admin.DB.Connections.DriveConnection(t.Context(), h.userID)
	if err != nil && platen.KindOf(err) != platen.KindInvalid && platen.KindOf(err) != platen.KindNotFound && platen.KindOf(err) != platen.KindForbidden {
		t.Fatal(err)
	}
	return err == nil && c.Kind == platen.ConnectionRefreshToken
}

func want(t *testing.T, p *browser.Page, status int64, title, words string) {
	t.Helper()
	if got := p.Text("h1"); got != title || !strings.Contains(p.Text("main"), words) || p.Status() != status {
		t.Errorf("got %d, %q: %q; want %d, %q and %q in it", p.Status(), got, p.Text("main"), status, title, words)
	}
}

func TestAUserConnectsGoogleInChromium(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for name, o := range map[string]browser.Options{
		"on a screen": {}, "in dark colours": {Dark: true}, "on a telephone": {Width: 390}, "on a telephone in dark colours": {Width: 390, Dark: true},
	} {
		o.Hosts = h.hosts
		p := browser.Open(t, o)
		shot := strings.ReplaceAll(name, " ", "-")
		p.Visit(h.link(t))
		want(t, p, http.StatusOK, "Connect Google Drive", ada)
		p.WantFit()
		wantAccessible(t, p, "connect, "+name)
		p.Shot("connect-" + shot)
		given := h.given.Load()
		p.Press("main a")
		if got := p.Text("h1"); got != "Platen wants to access your Google Drive" {
			t.Fatalf("%s: got %q, want Google's page", name, got)
		}
		p.Press("#allow")
		want(t, p, http.StatusOK, "Google Drive is connected", ada)
		p.WantFit()
		wantAccessible(t, p, "connected, "+name)
		p.Shot("connected-" + shot)
		if !h.isConnected(t) || h.given.Load() != given+1 {
			t.Errorf("%s: got %d tokens, want one more than %d, and the user connected", name, h.given.Load(), given)
		}
		if cookies := p.Evaluate(`document.cookie`); cookies != "" {
			t.Errorf("%s: scripts can read the cookie %q", name, cookies)
		}
	}
}

func TestWhatGoesWrongWhileConnectingIsShownInChromium(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	changed := func(t *testing.T) string { return strings.Replace(h.link(t), "expires=", "expires=1", 1) }
	for name, c := range map[string]struct {
		link   func(*testing.T) string
		press  []string
		status int64
		title  string
		words  string
	}{
		"refused":  {h.link, []string{"main a", "#refuse"}, http.StatusBadRequest, "Google Drive is not connected", "choose Allow"},
		"tampered": {h.link, []string{"main a", "#tamper"}, http.StatusBadRequest, "This sign-in cannot be finished", "another browser"},
		"not-ours": {changed, nil, http.StatusNotFound, "This link is not valid", "its time is over"},
	} {
		p := browser.Open(t, browser.Options{Hosts: h.hosts, Width: 390})
		p.Visit(c.link(t))
		for _, selector := range c.press {
			p.Press(selector)
		}
		want(t, p, c.status, c.title, c.words)
		p.WantFit()
		wantAccessible(t, p, name)
		p.Shot(name)
		if h.isConnected(t) || h.given.Load() != 0 {
			t.Errorf("%s: got %d tokens, want none, and nobody connected", name, h.given.Load())
		}
	}
}

// The link is a credential, so it must not follow the user to Google.
func TestChromiumTellsGoogleNothingOfTheLink(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	p := browser.Open(t, browser.Options{Hosts: h.hosts})
	p.Visit(h.link(t))
	p.Press("main a")
	if referrer := p.Evaluate(`document.referrer`); referrer != "" {
		t.Errorf("Google's page knows that the user came from %q, want nothing", referrer)
	}
}

// An expired link has a good signature over a time that is over.
func TestALinkWhoseTimeIsOverIsNotValidInChromium(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	p := browser.Open(t, browser.Options{Hosts: h.hosts})
	p.Visit(h.linkFor(t, time.Nanosecond)) // its second is over
	want(t, p, http.StatusNotFound, "This link is not valid", "its time is over")
}
