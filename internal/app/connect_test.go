package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/admin"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit"
)

// A signInService is Google's: it asks the user, gives tokens and revokes them.
type signInService struct {
	*httptest.Server

	mu        sync.Mutex
	asked     url.Values // by the latest /auth
	answers   url.Values // of /auth in place of a code
	refuses   string     // what /token answers to a code; empty: tokens
	grants    string     // scope; empty: what was asked for
	given     int
	refreshes int
	revoked   map[string]bool
}

func newSignInService(t *testing.T) *signInService {
	t.Helper()
	s := &signInService{revoked: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /auth", s.auth)
	mux.HandleFunc("POST /token", s.token)
	mux.HandleFunc("POST /revoke", func(_ http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.revoked[r.FormValue("token")] = true
	})
	mux.HandleFunc("GET /drive/v3/files/{id}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"x"}`)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// set changes what the service answers.
func (s *signInService) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// refreshed is how often a token was refreshed.
func (s *signInService) refreshed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refreshes
}

func (s *signInService) auth(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = r.URL.Query()
	back := url.Values{"state": {s.asked.Get("state")}, "code": {"code"}}
	for name, values := range s.answers {
		back[name] = values
	}
	http.Redirect(w, r, s.asked.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (s *signInService) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, password, _ := r.BasicAuth()
	if id == "" {
		id, password = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	fault := ""
	switch {
	case id != "client" || password != "password":
		fault = "invalid_client"
	case r.FormValue("grant_type") == "refresh_token":
		s.refreshes++
		if s.revoked[r.FormValue("refresh_token")] {
			fault = "invalid_grant"
		}
	case s.refuses != "":
		fault = s.refuses
	case r.FormValue("redirect_uri") != s.asked.Get("redirect_uri"):
		fault = "redirect_uri_mismatch"
	case base64.RawURLEncoding.EncodeToString(challenge[:]) != s.asked.Get("code_challenge"):
		fault = "invalid_grant"
	default:
		s.given++
	}
	w.Header().Set("Content-Type", "application/json")
	if fault != "" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":%q,"error_description":"no"}`, fault)
		return
	}
	scope := s.grants
	if scope == "" {
		scope = s.asked.Get("scope")
	}
	fmt.Fprintf(w, `{"access_token":"access","token_type":"Bearer","expires_in":3600,"refresh_token":"refresh-%d","scope":%q}`, s.given, scope)
}

// A connectHarness is the service with a user, and the sign-in service.
type connectHarness struct {
	*signInService
	admin   *admin.Admin
	secrets config.Secrets
	cloud   config.Cloud
	connect string // the public address of the first page
	userID  string
	log     *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), text)
}

const ada = "ada@example.com"

func newConnectHarness(t *testing.T) *connectHarness {
	t.Helper()
	h := &connectHarness{signInService: newSignInService(t), secrets: config.Secrets{SecretKeys: platen.Secret(secret.NewKey())}, log: &lockedBuffer{}}
	h.cloud = config.Cloud{DriveKind: platen.DriveGoogle, OAuthClientID: "client", OAuthClientSecret: "password", OAuthEndpoint: h.URL}
	database := config.Database{DatabaseURL: migrated(t).Config().ConnString()}
	var err error
	if h.admin, err = OpenAdmin(t.Context(), database, h.secrets); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.admin.Close)
	if h.userID, err = h.admin.CreateUser(t.Context(), "Ada", ada, ""); err != nil {
		t.Fatal(err)
	}
	listener := testkit.Listen(t)
	h.connect = LocalURL(listener.Addr()) + "/connect/google"
	c := config.Defaults[config.Serve]()
	c.Database, c.Secrets, c.Cloud, c.OAuthRedirectURL = database, h.secrets, h.cloud, h.connect+"/callback"
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- Serve(ctx, c, slog.New(slog.NewTextHandler(h.log, nil)), listener, testkit.Listen(t), func() { close(ready) })
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

func (h *connectHarness) link(t *testing.T) string {
	t.Helper()
	links, err := ConnectLinks(h.secrets, h.connect)
	if err != nil {
		t.Fatal(err)
	}
	link, err := h.admin.ConnectLink(t.Context(), links, ada, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// get opens an address in the browser and returns the page after redirects.
func get(t *testing.T, browser *http.Client, address string) (status int, page string, header http.Header) {
	t.Helper()
	answer, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, html.UnescapeString(string(body)), answer.Header
}

func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

var wayToGoogle = regexp.MustCompile(`<a href="([^"]+)">`)

// signIn opens the link, goes on at Google and returns the last page.
func (h *connectHarness) signIn(t *testing.T) (status int, page string) {
	t.Helper()
	b := browser(t)
	status, page, _ = get(t, b, h.link(t))
	way := wayToGoogle.FindStringSubmatch(page)
	if status != http.StatusOK || way == nil || !strings.Contains(page, ada) {
		t.Fatalf("the first page: got status %d, %s; want whose drive is connected, and the way to Google", status, page)
	}
	status, page, header := get(t, b, way[1])
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script") {
		t.Errorf("the policy of the last page: got %q, want no script", policy)
	}
	return status, page
}

// drive opens Ada's drive as another process would.
func (h *connectHarness) drive(t *testing.T) (*google.Client, error) {
	t.Helper()
	connector, err := google.NewConnector(google.Options{
		Kind: platen.DriveGoogle, DriveEndpoint: h.URL + "/drive/v3/", DocsEndpoint: h.URL, SlidesEndpoint: h.URL, TokenURL: h.URL + "/token",
		OAuthClientID: "client", OAuthClientSecret: "password", Connections: h.admin.DB.Connections.DriveConnection,
		Withdrawn: markBroken(h.admin.DB.Connections.Connections, slog.New(slog.NewTextHandler(h.log, nil))),
	})
	if err != nil {
		t.Fatal(err)
	}
	return connector.Drive(t.Context(), h.userID)
}

// atOnce makes a hundred calls at once and counts their errors by code.
func atOnce(t *testing.T, client *google.Client) map[string]int {
	t.Helper()
	var mu sync.Mutex
	codes := map[string]int{}
	var calls sync.WaitGroup
	for range 100 {
		calls.Go(func() {
			_, err := client.File(t.Context(), "x")
			code := ""
			if e, ok := errors.AsType[*platen.Error](err); ok {
				code = e.Code
			}
			mu.Lock()
			defer mu.Unlock()
			codes[code]++
		})
	}
	calls.Wait()
	return codes
}

func TestAUserConnectsGoogleInABrowserAndAgainWhenAccessWasWithdrawn(t *testing.T) {
	t.Parallel()
	h := newConnectHarness(t)
	connectAda := func() *google.Client {
		t.Helper()
		if status, page := h.signIn(t); status != http.StatusOK || !strings.Contains(page, "Google Drive is connected") {
			t.Fatalf("got status %d, %s; want that Google Drive is connected", status, page)
		}
		client, err := h.drive(t)
		if err != nil {
			t.Fatal(err)
		}
		return client
	}
	client := connectAda()
	for name, want := range map[string]string{
		"access_type": "offline", "prompt": "consent", "code_challenge_method": "S256", "response_type": "code",
		"scope": "https://www.googleapis.com/auth/drive.file", "redirect_uri": h.connect + "/callback", "login_hint": ada,
	} {
		if got := h.asked.Get(name); got != want {
			t.Errorf("Google was asked with %s=%q, want %q", name, got, want)
		}
	}
	if codes := atOnce(t, client); codes[""] != 100 || h.refreshed() != 1 {
		t.Errorf("errors of 100 calls by code: %v after %d refreshes, want none after one", codes, h.refreshed())
	}

	h.set(func() { h.revoked["refresh-1"] = true })
	client, err := h.drive(t)
	if err != nil {
		t.Fatal(err)
	}
	if codes := atOnce(t, client); codes[platen.CodeConnectionBroken] != 100 || h.refreshed() != 2 {
		t.Errorf("errors of 100 calls after access was withdrawn: %v and %d refreshes, want %s of all and one more", codes, h.refreshed(), platen.CodeConnectionBroken)
	}
	if _, err := h.drive(t); platen.KindOf(err) != platen.KindForbidden || h.refreshed() != 2 {
		t.Errorf("another process: got %v after %d refreshes, want %s without a refresh", err, h.refreshed(), platen.CodeConnectionBroken)
	}
	if n := h.log.count("a drive connection is broken"); n != 1 {
		t.Errorf("the log says %d times that the connection is broken, want once", n)
	}

	if codes := atOnce(t, connectAda()); codes[""] != 100 {
		t.Errorf("errors of 100 calls after Ada connected again: %v, want none", codes)
	}
	if h.log.count("refresh-2") != 0 {
		t.Error("the log holds a refresh token")
	}
	entries, err := h.admin.DB.Audit.Entries(t.Context(), platen.AuditQuery{UserID: h.userID})
	if err != nil || len(entries) == 0 || entries[len(entries)-1].Action != "GET /connect/google/callback" || entries[len(entries)-1].Actor.ID != h.userID {
		t.Errorf("audit: got %+v and %v, want who connected", entries, err)
	}
}

func TestDisconnectingRevokesAtGoogleAndForgets(t *testing.T) {
	t.Parallel()
	h := newConnectHarness(t)
	h.signIn(t)
	away := h.cloud
	away.OAuthEndpoint = "http://127.0.0.1:1"
	if err := h.admin.Disconnect(t.Context(), Consents(away), h.userID); platen.KindOf(err) != platen.KindUnavailable {
		t.Errorf("while Google does not answer: got %v, want that the command is to be run again", err)
	}
	if _, err := h.drive(t); err != nil {
		t.Errorf("the connection after that: got %v, want it kept", err)
	}
	if err := h.admin.Disconnect(t.Context(), Consents(h.cloud), h.userID); err != nil || !h.revoked["refresh-1"] {
		t.Errorf("got %v, revoked %v; want refresh-1 revoked", err, h.revoked)
	}
	if _, err := h.drive(t); err == nil {
		t.Error("the drive opens, want drive_not_connected")
	}
}

func TestWhatGoogleRefusesIsSaidWithItsCure(t *testing.T) {
	t.Parallel()
	h := newConnectHarness(t)
	for name, c := range map[string]struct {
		answers url.Values
		refuses string
		grants  string
		want    string
	}{
		"not allowed":         {answers: url.Values{"error": {"access_denied"}}, want: "choose Allow"},
		"by the organization": {answers: url.Values{"error": {"admin_policy_enforced"}}, want: "administrator of your Google Workspace"},
		"another error":       {answers: url.Values{"error": {"<b>"}}, want: "Google refused. Open"},
		"a code used already": {refuses: "invalid_grant", want: "open the link again"},
		"another address":     {refuses: "redirect_uri_mismatch", want: "PLATEN_OAUTH_REDIRECT_URL"},
		"another client":      {refuses: "invalid_client", want: "PLATEN_OAUTH_CLIENT_SECRET"},
		"a box not ticked":    {grants: "openid", want: "tick the box for Google Drive"},
		"another state":       {answers: url.Values{"state": {"other"}}, want: "This sign-in cannot be finished"},
	} {
		h.set(func() { h.answers, h.refuses, h.grants = c.answers, c.refuses, c.grants })
		if status, page := h.signIn(t); status != http.StatusBadRequest || !strings.Contains(page, c.want) || strings.Contains(page, "<b>") {
			t.Errorf("%s: got status %d, %s; want 400 and %q", name, status, page, c.want)
		}
	}
	if _, err := h.drive(t); platen.KindOf(err) != platen.KindForbidden {
		t.Errorf("after all of them: got %v, want no connection", err)
	}
}

func TestOnlyAWholeLinkInTimeAndItsOwnBrowserConnect(t *testing.T) {
	t.Parallel()
	h := newConnectHarness(t)
	if _, err := h.admin.ConnectLink(t.Context(), nil, ada, 0); err == nil {
		t.Error("a link that is over was made")
	}
	link := h.link(t)
	for name, address := range map[string]string{
		"none": h.connect, "another user": strings.Replace(link, "ada", "bob", 1), "another path": h.connect + "/elsewhere",
		"another time": regexp.MustCompile(`expires=\d+`).ReplaceAllString(link, "expires=9999999999"),
	} {
		if status, _, _ := get(t, browser(t), address); status != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", name, status)
		}
	}
	_, page, _ := get(t, browser(t), link)
	if status, page, _ := get(t, browser(t), wayToGoogle.FindStringSubmatch(page)[1]); status != http.StatusBadRequest || !strings.Contains(page, "another browser") {
		t.Errorf("in another browser: got status %d, %s; want 400", status, page)
	}
}
