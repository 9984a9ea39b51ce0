package signin_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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
		"as it should be":       {map[string]any{"email": "ada@example.com", "email_verified": true}, "ada@example.com", false},
		"verified as text":      {map[string]any{"email": "ada@example.com", "email_verified": "true"}, "ada@example.com", false},
		"not verified":          {map[string]any{"email": "ada@example.com", "email_verified": false}, "not verified", true},
		"nothing about it":      {map[string]any{"email": "ada@example.com"}, "not verified", true},
		"no address":            {map[string]any{"email_verified": true}, "no e-mail address", true},
		"an address of its own": {map[string]any{"email": "\u212Ada@example.com", "email_verified": true}, "no e-mail address", true}, // the Kelvin sign, whose small letter is k
		"of another sign-in":    {map[string]any{"email": "ada@example.com", "email_verified": true, "nonce": "another"}, "another sign-in", false},
		"for another client":    {map[string]any{"email": "ada@example.com", "email_verified": true, "aud": "somebody"}, "audience", false},
		"of another provider":   {map[string]any{"email": "ada@example.com", "email_verified": true, "iss": "https://evil.test"}, "issue", false},
		"of yesterday":          {map[string]any{"email": "ada@example.com", "email_verified": true, "exp": time.Now().Add(-time.Hour).Unix()}, "expired", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := testkit.NewOpenID(t)
			o.Claim(c.claims)
			p := provider(o)
			address, err := p.AuthURL(t.Context(), "state", "nonce", "verifier-verifier-verifier-verifier-verifier")
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
	address, err := p.AuthURL(t.Context(), "state", "nonce", "mine-mine-mine-mine-mine-mine-mine-mine-mine")
	if err != nil {
		t.Fatal(err)
	}
	code := goThere(t, address).Get("code")
	if email, err := p.Email(t.Context(), code, "nonce", "stolen-stolen-stolen-stolen-stolen-stolen-st"); email != "" || err == nil {
		t.Errorf("with another verifier: got %q, %v", email, err)
	}
}

// answers is a transport that answers in the place of a provider.
type answers func(r *http.Request) (status int, body string)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body := http.StatusOK, `{"issuer": "https://id.test", "authorization_endpoint": "https://id.test/auth", "token_endpoint": "https://id.test/token", "jwks_uri": "https://id.test/keys"}`
	if r.URL.Path != "/.well-known/openid-configuration" {
		status, body = a(r)
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func answering(a answers) *signin.Provider {
	return signin.New(signin.Options{Issuer: "https://id.test", ClientID: "platen", ClientSecret: "wrong", RedirectURL: back, Transport: a})
}

func TestOnlyACodeThatIsNotGoodAnyMoreIsForTheUserToCure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		body    string
		refused bool
		want    string
	}{
		"a code that is over":      {400, `{"error": "invalid_grant"}`, true, "not accepted"},
		"a secret that is wrong":   {401, `{"error": "invalid_client", "error_description": "canary"}`, false, "401 invalid_client"},
		"a client that may not":    {400, `{"error": "unauthorized_client", "error_description": "canary"}`, false, "400 unauthorized_client"},
		"a provider that is ill":   {500, `canary`, false, "500"},
		"a code that says nothing": {400, `{"error": "can ary\n"}`, false, "400"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := answering(func(*http.Request) (int, string) { return c.status, c.body })
			_, err := p.Email(t.Context(), "code", "nonce", "verifier")
			_, refused := errors.AsType[*signin.Refusal](err)
			if err == nil || refused != c.refused || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "can") {
				t.Errorf("got %v, refused %v; want %q, %v", err, refused, c.want, c.refused)
			}
		})
	}
}

func TestTheSecretIsShownOnceAndAsTheProviderAsksForIt(t *testing.T) {
	t.Parallel()
	for methods, inHeader := range map[string]bool{"": true, `["client_secret_basic", "client_secret_post"]`: true, `["client_secret_post"]`: false} {
		found, asked := `{"issuer": "https://id.test", "token_endpoint": "https://id.test/token"`, 0
		if methods != "" {
			found += `, "token_endpoint_auth_methods_supported": ` + methods
		}
		p := signin.New(signin.Options{Issuer: "https://id.test", ClientID: "platen", ClientSecret: "s", RedirectURL: back, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			status, body := http.StatusOK, found+"}"
			if r.URL.Path == "/token" {
				asked++
				if _, _, got := r.BasicAuth(); got != inHeader {
					t.Errorf("%s: in the header: %t, want %t", methods, got, inHeader)
				}
				status, body = http.StatusBadRequest, `{"error": "invalid_grant"}`
			}
			return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})})
		if _, err := p.Email(t.Context(), "code", "nonce", "verifier"); err == nil || asked != 1 {
			t.Errorf("%s: got %v after %d requests, want a refusal after one", methods, err, asked)
		}
	}
}

func TestAnErrorSaysNothingOfWhatTheProviderWrote(t *testing.T) {
	t.Parallel()
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "canary")
	}))
	t.Cleanup(down.Close)
	var log bytes.Buffer
	p := signin.New(signin.Options{Issuer: down.URL, ClientID: "platen", RedirectURL: back, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for range 3 {
		if _, err := p.AuthURL(t.Context(), "state", "nonce", "verifier"); !errors.Is(err, signin.ErrDown) {
			t.Errorf("got %v, want ErrDown", err)
		}
	}
	if said := log.String(); strings.Count(said, "502") != 1 || !strings.Contains(said, down.URL) || strings.Contains(said, "canary") {
		t.Errorf("got the log %s, want the status and the address once, and nothing else", said)
	}
}

func TestNobodyWaitsForAProviderLongerThanTheirOwnRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked, release := 0, make(chan struct{})
		p := signin.New(signin.Options{Issuer: "https://id.test", ClientID: "platen", RedirectURL: back, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			asked++
			<-release
			return answers(nil).RoundTrip(r)
		})})
		ctx, cancel := context.WithCancel(t.Context())
		var left, stayed error
		var all sync.WaitGroup
		all.Go(func() { _, left = p.AuthURL(ctx, "state", "nonce", "verifier") })
		all.Go(func() { _, stayed = p.AuthURL(t.Context(), "state", "nonce", "verifier") })
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !errors.Is(left, context.Canceled) {
			t.Errorf("whoever left: got %v, want context.Canceled", left)
		}
		close(release)
		all.Wait()
		if stayed != nil || asked != 1 {
			t.Errorf("whoever stayed: got %v after %d questions, want an answer to one", stayed, asked)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestWhoComesBackWhenManyDoWaitsForAMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := answering(func(*http.Request) (int, string) {
			<-release
			return 400, `{"error": "server_error"}`
		})
		var all sync.WaitGroup
		come := func() <-chan error {
			answered := make(chan error, 1)
			all.Go(func() {
				_, err := p.Email(t.Context(), "code", "nonce", "verifier")
				answered <- err
			})
			synctest.Wait()
			return answered
		}
		for range 16 {
			come()
		}
		waits := come()
		select {
		case err := <-waits:
			t.Fatalf("the 17th: got %v at once, want that it waits", err)
		case <-time.After(time.Second): // of the bubble
		}
		if _, refused := errors.AsType[*signin.Refusal](<-waits); !refused {
			t.Error("the 17th after a while: want a refusal")
		}
		close(release)
		all.Wait()
	})
}

func TestAProviderThatDoesNotAnswerIsLeftAloneForAMoment(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked.Add(1); w.WriteHeader(http.StatusBadGateway) }))
	t.Cleanup(down.Close)
	p := signin.New(signin.Options{Issuer: down.URL, ClientID: "platen", RedirectURL: back})
	for range 3 {
		if _, err := p.AuthURL(t.Context(), "state", "nonce", "verifier"); !errors.Is(err, signin.ErrDown) {
			t.Errorf("got %v, want ErrDown", err)
		}
		if _, err := p.Email(context.Background(), "code", "nonce", "verifier"); err == nil {
			t.Error("somebody is known although nobody answers")
		}
	}
	if asked.Load() != 1 {
		t.Errorf("it was asked %d times, want once", asked.Load())
	}
}
