// Package standin lets programs that know nothing but Google's addresses meet
// our drive. It serves a drive with one account, and an HTTPS proxy with
// certificates of its own that takes Google's hosts for that drive. Every other
// host is refused, so that no test reaches the network.
//
// Nothing but tests may import it; what the programs do is their business.
package standin

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/platenhq/platen/internal/drive"
	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/testkit"
)

// hosts are Google's that the drive stands in for.
var hosts = map[string]bool{
	"www.googleapis.com":    true,
	"oauth2.googleapis.com": true,
	"drive.googleapis.com":  true,
	"docs.googleapis.com":   true,
	"slides.googleapis.com": true,
	"drive.google.com":      true,
	"accounts.google.com":   true,
}

// Google is the stand-in, with one account.
type Google struct {
	// Account is the account's e-mail address.
	Account string
	// URL is where the drive is reached without the proxy, and Token one of the
	// account's bearer tokens.
	URL, Token string
	// ServiceAccount is the path of a key file of the account in Google's form.
	ServiceAccount string
	// RefreshToken is one of the account's.
	RefreshToken string
	// CA is the path of the certificate (PEM) that clients must trust.
	CA string

	proxy *proxy

	mu       sync.Mutex
	requests []string
}

// New starts a stand-in that ends with the test.
func New(t testing.TB) *Google {
	t.Helper()
	return start(t, nil)
}

// NewLike is New with a drive that behaves like Google's.
func NewLike(t testing.TB, like drive.GoogleLike) *Google {
	t.Helper()
	return start(t, &like)
}

func start(t testing.TB, like *drive.GoogleLike) *Google {
	t.Helper()
	store := store.New(testkit.Database(t, "drive", store.Migrate))
	user, err := store.CreateUser(t.Context(), "Ada", "ada@example.com")
	if err != nil {
		t.Fatalf("make an account: %v", err)
	}
	g := &Google{Account: user.Email}
	if g.RefreshToken, err = store.CreateRefreshToken(t.Context(), user.ID); err != nil {
		t.Fatalf("make a refresh token: %v", err)
	}
	if g.Token, err = store.CreateToken(t.Context(), user.ID); err != nil {
		t.Fatalf("make a token: %v", err)
	}
	id, private, err := store.CreateServiceKey(t.Context(), user.ID)
	if err != nil {
		t.Fatalf("make a service key: %v", err)
	}
	key, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "test", "private_key_id": id, "private_key": string(private),
		"client_email": user.Email, "client_id": user.ID, "token_uri": "https://oauth2.googleapis.com/token",
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	g.ServiceAccount, g.CA = filepath.Join(dir, "account.json"), filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(g.ServiceAccount, key, 0o600); err != nil {
		t.Fatal(err)
	}

	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	g.URL = server.URL
	if handler, err = drive.New(drive.Options{Store: store, PublicURL: server.URL, Google: like}); err != nil {
		t.Fatalf("prepare the drive: %v", err)
	}
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("X-Forwarded-Proto", "https")
	}}
	g.proxy = startProxy(t, g.CA, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.requests = append(g.requests, r.Method+" "+r.URL.RequestURI())
		g.mu.Unlock()
		forward.ServeHTTP(w, r)
	}))
	return g
}

// Environment is what a program needs to meet the stand-in: for Go and curl,
// and for Node.
func (g *Google) Environment() []string {
	return []string{
		"HTTPS_PROXY=" + g.proxy.url, "https_proxy=" + g.proxy.url, "NO_PROXY=", "no_proxy=",
		"SSL_CERT_FILE=" + g.CA, "NODE_EXTRA_CA_CERTS=" + g.CA,
	}
}

// Client makes requests to Google's addresses without credentials.
func (g *Google) Client() *http.Client { return g.proxy.client() }

// Requests lists the requests that came since it was last asked, as
// "GET /drive/v3/about?fields=user".
func (g *Google) Requests() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	came := g.requests
	g.requests = nil
	return came
}
