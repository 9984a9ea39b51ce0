package drive

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/internal/drive/store"
)

// whoami asks the drive, with tokens of that source, whose they are.
func (h *harness) whoami(source oauth2.TokenSource) (string, error) {
	h.t.Helper()
	ctx := context.Background()
	service, err := driveapi.NewService(ctx, option.WithEndpoint(h.url+"/drive/v3/"), option.WithHTTPClient(oauth2.NewClient(ctx, source)))
	if err != nil {
		h.t.Fatal(err)
	}
	about, err := service.About.Get().Fields("user").Do()
	if err != nil {
		return "", err
	}
	return about.User.EmailAddress, nil
}

func (h *harness) refresh(token string) oauth2.TokenSource {
	config := oauth2.Config{ClientID: "client", ClientSecret: "secret", Endpoint: oauth2.Endpoint{TokenURL: h.url + "/token"}}
	return config.TokenSource(context.Background(), &oauth2.Token{RefreshToken: token})
}

func TestARefreshTokenIsTakenForBearerTokensUntilItIsRevoked(t *testing.T) {
	h := newHarness(t)
	ada := h.account("Ada")
	token := must[string](t)(h.store.CreateRefreshToken(t.Context(), ada.user.ID))
	fresh := must[*oauth2.Token](t)(h.refresh(token).Token())
	if left := time.Until(fresh.Expiry); left < 50*time.Minute || left > time.Hour || fresh.Type() != "Bearer" {
		t.Errorf("got a %s token for %s, want Bearer for an hour", fresh.Type(), left)
	}
	if got := must[string](t)(h.whoami(oauth2.StaticTokenSource(fresh))); got != ada.user.Email {
		t.Errorf("the token is of %s, want %s", got, ada.user.Email)
	}
	response, err := http.PostForm(h.url+"/revoke", url.Values{"token": {token}})
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("revoke: %v %v", response, err)
	}
	response.Body.Close()
	var refused *oauth2.RetrieveError
	if _, err := h.refresh(token).Token(); !errors.As(err, &refused) || refused.ErrorCode != "invalid_grant" {
		t.Errorf("a revoked token: got %v, want invalid_grant", err)
	}
	if _, err := h.refresh("").Token(); err == nil {
		t.Error("an empty refresh token was taken")
	}
}

func TestABearerTokenEndsWhenItExpires(t *testing.T) {
	h := newHarness(t)
	token := must[string](t)(h.store.CreateTokenUntil(t.Context(), h.account("Ada").user.ID, time.Now().Add(-time.Second)))
	if _, err := h.store.UserByToken(t.Context(), token); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestAServiceAccountComesWithAnAssertionOfItsKey(t *testing.T) {
	h := newHarness(t)
	ada := h.account("Ada")
	_, private, err := h.store.CreateServiceKey(t.Context(), ada.user.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := h.store.CreateServiceKey(t.Context(), h.account("Bob").user.ID)
	if err != nil {
		t.Fatal(err)
	}
	good := jwt.Config{Email: ada.user.Email, PrivateKey: private, TokenURL: h.url + "/token", Scopes: []string{driveapi.DriveScope}}
	if got := must[string](t)(h.whoami(good.TokenSource(t.Context()))); got != ada.user.Email {
		t.Errorf("the token is of %s, want %s", got, ada.user.Email)
	}
	google := good
	google.Audience = googleTokenURLs[0]
	if _, err := google.TokenSource(t.Context()).Token(); err != nil {
		t.Errorf("an assertion for Google's address: %v", err)
	}
	for name, spoil := range map[string]func(*jwt.Config){
		"somebody else's key": func(c *jwt.Config) { c.PrivateKey = other },
		"another audience":    func(c *jwt.Config) { c.Audience = "https://example.com/token" },
		"nobody's address":    func(c *jwt.Config) { c.Email = "nobody@example.com" },
		"another subject":     func(c *jwt.Config) { c.Subject = "bob@example.com" },
		"two hours":           func(c *jwt.Config) { c.Expires = 2 * time.Hour },
	} {
		c := good
		spoil(&c)
		var refused *oauth2.RetrieveError
		if _, err := c.TokenSource(t.Context()).Token(); !errors.As(err, &refused) || refused.Response.StatusCode != 400 {
			t.Errorf("%s: got %v, want 400", name, err)
		}
	}
	if n := must[int64](t)(h.store.RevokeTokens(t.Context(), ada.user.ID)); n < 2 {
		t.Errorf("revoked %d, want the key and its tokens", n)
	}
	if _, err := good.TokenSource(t.Context()).Token(); err == nil {
		t.Error("a revoked key was taken")
	}
}

func TestARegisteredPublicKeyIsTaken(t *testing.T) {
	h := newHarness(t)
	ada := h.account("Ada")
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public := must[[]byte](t)(x509.MarshalPKIXPublicKey(&key.PublicKey))
	if _, err := h.store.AddServiceKey(t.Context(), ada.user.ID, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})); err != nil {
		t.Fatal(err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if _, err := (&jwt.Config{Email: ada.user.Email, PrivateKey: private, TokenURL: h.url + "/token"}).TokenSource(t.Context()).Token(); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string]string{
		"no PEM": "ssh-rsa AAAA", "no key": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("x")})),
	} {
		if _, err := h.store.AddServiceKey(t.Context(), ada.user.ID, []byte(bad)); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: got %v, want ErrInvalid", name, err)
		}
	}
}

func TestTheTokenEndpointSpeaksOAuthsErrors(t *testing.T) {
	h := newHarness(t)
	for body, want := range map[string]string{
		"":                         "invalid_request",
		"grant_type=password":      "unsupported_grant_type",
		"grant_type=refresh_token": "invalid_request",
		"grant_type=refresh_token&refresh_token=%00":        "invalid_grant",
		"grant_type=" + jwtGrant + "&assertion=x":           "invalid_grant",
		"grant_type=" + jwtGrant + "&assertion=e30.e30.e30": "invalid_grant",
		"grant_type=" + strings.Repeat("x", maxGrant):       "invalid_request",
	} {
		response, err := http.Post(h.url+"/token", "application/x-www-form-urlencoded", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var answer map[string]any
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 400 || answer["error"] != want {
			t.Errorf("%.60s: got %d %v, want 400 %s", body, response.StatusCode, answer, want)
		}
	}
}

// What somebody finds in a log is worth nothing there and then.
func TestAnAssertionIsGoodForTheFiveMinutesAfterItWasSigned(t *testing.T) {
	t.Parallel()
	now := time.Now()
	audience, err := json.Marshal("https://drive.test/token")
	if err != nil {
		t.Fatal(err)
	}
	for age, good := range map[time.Duration]bool{0: true, 4 * time.Minute: true, -4 * time.Minute: true, 6 * time.Minute: false, 50 * time.Minute: false} {
		issued := now.Add(-age)
		a := assertion{Audience: audience, Issued: float64(issued.Unix()), Expires: float64(issued.Add(time.Hour).Unix())}
		if err := a.check(now, []string{"https://drive.test/token"}); (err == nil) != good {
			t.Errorf("signed %v ago: got %v, want it taken: %v", age, err, good)
		}
	}
}
