package testkit

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// An OpenID is a provider of OpenID Connect with one client and one user, who agrees to
// everything. Claims are put into each token, in place of those that it has anyway.
type OpenID struct {
	URL, ClientID, ClientSecret string

	mu     sync.Mutex
	claims map[string]any
	begun  map[string]url.Values // what /auth was asked, by code
	signs  jose.Signer
}

// NewOpenID starts one; it ends with the test.
func NewOpenID(t testing.TB) *OpenID {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	signs, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "one"))
	if err != nil {
		t.Fatal(err)
	}
	o := &OpenID{ClientID: "platen", ClientSecret: "canary-client-secret", begun: map[string]url.Values{}, signs: signs}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	o.URL = server.URL
	write := func(w http.ResponseWriter, status int, value any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		write(w, http.StatusOK, map[string]any{
			"issuer": o.URL, "authorization_endpoint": o.URL + "/auth", "token_endpoint": o.URL + "/token", "jwks_uri": o.URL + "/keys",
			"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		write(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "one", Algorithm: "RS256", Use: "sig"}}})
	})
	mux.HandleFunc("GET /auth", func(w http.ResponseWriter, r *http.Request) {
		code := rand.Text()
		o.mu.Lock()
		o.begun[code] = r.URL.Query()
		o.mu.Unlock()
		http.Redirect(w, r, r.URL.Query().Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {r.URL.Query().Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		token, refused := o.token(r)
		if refused != "" {
			write(w, http.StatusBadRequest, map[string]string{"error": refused})
			return
		}
		write(w, http.StatusOK, map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 60, "id_token": token})
	})
	return o
}

// Claim has tokens say these from now on.
func (o *OpenID) Claim(claims map[string]any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.claims = claims
}

// token is what a code is good for, once (RFC 6749, section 4.1.3; RFC 7636, section 4.6).
func (o *OpenID) token(r *http.Request) (token, refused string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	id, secret, _ := r.BasicAuth()
	asked, ok := o.begun[r.FormValue("code")]
	delete(o.begun, r.FormValue("code"))
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	switch {
	case id != o.ClientID || secret != o.ClientSecret:
		return "", "invalid_client"
	case !ok || r.FormValue("redirect_uri") != asked.Get("redirect_uri") || base64.RawURLEncoding.EncodeToString(challenge[:]) != asked.Get("code_challenge"):
		return "", "invalid_grant"
	}
	claims := map[string]any{
		"iss": o.URL, "sub": "1", "aud": o.ClientID, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(), "nonce": asked.Get("nonce"),
	}
	for name, value := range o.claims {
		claims[name] = value
	}
	token, err := jwt.Signed(o.signs).Claims(claims).Serialize()
	if err != nil {
		return "", "server_error"
	}
	return token, ""
}
