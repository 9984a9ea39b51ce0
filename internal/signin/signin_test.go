package signin_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/signin"
	"github.com/platenhq/platen/internal/testkit"
)

const back = "https://api.test/console/sign-in/callback"

func provider(o *testkit.OpenID) *signin.Provider {
	return signin.New(signin.Options{Issuer: o.URL, ClientID: o.ClientID, ClientSecret: o.ClientSecret, RedirectURL: back})
}

// goThere is a browser that is sent to the provider, and returns with what it got there.
func goThere(t *testing.T, address string) url.Values {
	t.Helper()
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	to, err := answer.Location()
	if err != nil || !strings.HasPrefix(to.String(), back) {
		t.Fatalf("sent back to %v, %v", to, err)
	}
	return to.Query()
}

func TestTheEmailIsTakenOfATokenThatIsForThisSignIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		claims  map[string]any
		want    string // the address, or what is wrong
		refused bool
	}{
		"as it should be":     {map[string]any{"email": "ada@example.com", "email_verified": true}, "ada@example.com", false},
		"verified as text":    {map[string]any{"email": "ada@example.com", "email_verified": "true"}, "ada@example.com", false},
		"not verified":        {map[string]any{"email": "ada@example.com", "email_verified": false}, "not verified", true},
		"nothing about it":    {map[string]any{"email": "ada@example.com"}, "not verified", true},
		"no address":          {map[string]any{"email_verified": true}, "no e-mail address", true},
		"of another sign-in":  {map[string]any{"email": "ada@example.com", "email_verified": true, "nonce": "another"}, "another sign-in", false},
		"for another client":  {map[string]any{"email": "ada@example.com", "email_verified": true, "aud": "somebody"}, "audience", false},
		"of another provider": {map[string]any{"email": "ada@example.com", "email_verified": true, "iss": "https://evil.test"}, "issue", false},
		"of yesterday":        {map[string]any{"email": "ada@example.com", "email_verified": true, "exp": time.Now().Add(-time.Hour).Unix()}, "expired", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := testkit.NewOpenID(t)
			o.Claim(c.claims)
			p := provider(o)
			address, err := p.AuthURL("state", "nonce", "verifier-verifier-verifier-verifier-verifier")
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Email(t.Context(), goThere(t, address).Get("code"), "nonce", "verifier-verifier-verifier-verifier-verifier")
			if err != nil {
				got = err.Error()
			}
			if _, refused := errors.AsType[*signin.Refusal](err); !strings.Contains(got, c.want) || refused != c.refused {
				t.Errorf("got %q, refused %v; want %q, %v", got, refused, c.want, c.refused)
			}
		})
	}
}

func TestACodeIsGoodForWhoBeganAlone(t *testing.T) {
	t.Parallel()
	o := testkit.NewOpenID(t)
	o.Claim(map[string]any{"email": "ada@example.com", "email_verified": true})
	p := provider(o)
	address, err := p.AuthURL("state", "nonce", "mine-mine-mine-mine-mine-mine-mine-mine-mine")
	if err != nil {
		t.Fatal(err)
	}
	code := goThere(t, address).Get("code")
	if email, err := p.Email(t.Context(), code, "nonce", "stolen-stolen-stolen-stolen-stolen-stolen-st"); email != "" || err == nil {
		t.Errorf("with another verifier: got %q, %v", email, err)
	}
}

func TestAProviderThatDoesNotAnswerIsLeftAloneForAMoment(t *testing.T) {
	t.Parallel()
	asked := 0
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked++; w.WriteHeader(http.StatusBadGateway) }))
	t.Cleanup(down.Close)
	p := signin.New(signin.Options{Issuer: down.URL, ClientID: "platen", RedirectURL: back})
	for range 3 {
		if _, err := p.AuthURL("state", "nonce", "verifier"); err == nil || !strings.Contains(err.Error(), down.URL) {
			t.Errorf("got %v, want an error that names the provider", err)
		}
		if _, err := p.Email(context.Background(), "code", "nonce", "verifier"); err == nil {
			t.Error("somebody is known although nobody answers")
		}
	}
	if asked != 1 {
		t.Errorf("it was asked %d times, want once", asked)
	}
}
