// Package signin finds out at an OpenID provider whose browser it is
// (https://openid.net/specs/openid-connect-core-1_0.html). Whom that lets in is for its
// callers to say.
package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/platenhq/platen/internal/platen"
)

const (
	// timeout is how long the provider may take for an answer.
	timeout = 10 * time.Second
	// maxAnswer is how many bytes of an answer are read.
	maxAnswer = 1 << 20
	// coolDown is how long a provider that does not answer is left alone.
	coolDown = 5 * time.Second
	// atOnce is how many users may come back from the provider at once, and patience how
	// long one more waits.
	atOnce   = 16
	patience = 2 * time.Second
)

// Options are what New needs; Issuer, ClientID and RedirectURL are required.
type Options struct {
	// Issuer is the provider's address, below which is .well-known/openid-configuration.
	Issuer                 string
	ClientID, ClientSecret string
	// RedirectURL is where the provider sends browsers back, as it stands there.
	RedirectURL string
	// TrustEmail takes e-mail addresses that the provider does not call verified.
	TrustEmail bool
	// Transport carries all requests. Default: http.DefaultTransport.
	Transport http.RoundTripper
	// Log hears of a provider that does not answer. Default: slog.Default().
	Log *slog.Logger
}

// A Provider is safe for concurrent use. It calls nobody before it is used.
type Provider struct {
	Options
	client *http.Client

	exchanges chan struct{}
	questions singleflight.Group

	mu    sync.Mutex
	found *oidc.Provider // nil: not asked yet, or it did not answer
	until time.Time      // from which on it is asked again
}

// ErrDown says that the provider does not answer. Why is in the log, once for each time
// that it was asked.
var ErrDown = errors.New("the OpenID provider does not answer")

// A Refusal says to the user why the provider's answer lets nobody in.
type Refusal struct{ Text string }

func (r *Refusal) Error() string { return r.Text }

// New returns a provider. It calls nobody.
func New(o Options) *Provider {
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Provider{Options: o, client: &http.Client{Transport: bounded{o.Transport}, Timeout: timeout}, exchanges: make(chan struct{}, atOnce)}
}

// bounded reads a part of each answer, and nothing of one that says that it could not be
// given: errors would quote it, and logs have no bodies. Why a code is refused is read.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil && r.Method == http.MethodGet && response.StatusCode != http.StatusOK {
		_ = response.Body.Close()
		response.Body = http.NoBody
	} else if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, maxAnswer), response.Body}
	}
	return response, err
}

// discover asks the provider where its parts are, once for all who want to know at the
// same time. Who leaves does not wait for the answer.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	if found, err := p.known(); found != nil || err != nil {
		return found, err
	}
	answer := p.questions.DoChan("", func() (any, error) {
		if found, err := p.known(); found != nil || err != nil { // since this one looked
			return found, err
		}
		// The keys are read through this context later, too: it must not end.
		found, err := oidc.NewProvider(oidc.ClientContext(context.Background(), p.client), p.Issuer)
		p.mu.Lock()
		defer p.mu.Unlock()
		if err != nil {
			p.until = time.Now().Add(coolDown)
			p.Log.Error("nobody can sign in at the OpenID provider", "issuer", p.Issuer, "error", err)
			return nil, ErrDown
		}
		p.found = found
		return found, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-answer:
		found, _ := a.Val.(*oidc.Provider)
		return found, a.Err
	}
}

// known is what the provider said before; neither: it is to be asked.
func (p *Provider) known() (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil && time.Now().Before(p.until) {
		return nil, ErrDown
	}
	return p.found, nil
}

// flow shows the client's secret as the provider asks for it; without a word of it, in the
// header (OpenID Connect Discovery, section 3). Trying both ways would send a code that is
// over twice, and answer why the second way was refused.
func (p *Provider) flow(at *oidc.Provider) oauth2.Config {
	endpoint := at.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	var says struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if at.Claims(&says) == nil && len(says.Methods) > 0 && !slices.Contains(says.Methods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return oauth2.Config{ClientID: p.ClientID, ClientSecret: p.ClientSecret, RedirectURL: p.RedirectURL, Endpoint: endpoint, Scopes: []string{oidc.ScopeOpenID, "email"}}
}

// AuthURL is where the provider asks the user. state and nonce come back, the verifier is
// shown in Email alone (RFC 7636).
func (p *Provider) AuthURL(ctx context.Context, state, nonce, verifier string) (string, error) {
	at, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	flow := p.flow(at)
	return flow.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), nil
}

// Email turns the code of a redirect into the verified e-mail address of the user. A
// *Refusal is for the user to read.
func (p *Provider) Email(ctx context.Context, code, nonce, verifier string) (string, error) {
	at, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	select {
	case p.exchanges <- struct{}{}:
		defer func() { <-p.exchanges }()
	case <-ctx.Done():
		return "", ctx.Err()
	case <-time.After(patience):
		return "", &Refusal{"Too many people sign in at once. Sign in again in a moment."}
	}
	flow := p.flow(at)
	ctx = oidc.ClientContext(ctx, p.client)
	tokens, err := flow.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return "", whyNoToken(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	id, err := at.Verifier(&oidc.Config{ClientID: p.ClientID}).Verify(ctx, raw)
	if err != nil {
		return "", fmt.Errorf("verify the token of the OpenID provider: %w", err)
	}
	var claims struct {
		Email    string `json:"email"`
		Verified any    `json:"email_verified"` // some providers write it as text
	}
	switch err := id.Claims(&claims); {
	case err != nil:
		return "", fmt.Errorf("read the token of the OpenID provider: %w", err)
	case id.Nonce != nonce:
		return "", errors.New("the token of the OpenID provider is for another sign-in")
	case !platen.IsEmailAddress(claims.Email):
		return "", &Refusal{"Your account there has no e-mail address, by which you are known here."}
	case !p.TrustEmail && !strings.EqualFold(fmt.Sprint(claims.Verified), "true"):
		return "", &Refusal{"Your e-mail address is not verified there. Verify it, and sign in again."}
	}
	return claims.Email, nil
}

// invalidGrant is the code of what the user can cure: the code of the redirect is over
// (RFC 6749, section 5.2).
const invalidGrant = "invalid_grant"

// whyNoToken keeps the status and the code of an answer: the rest may say anything.
func whyNoToken(err error) error {
	answered, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return fmt.Errorf("get a token of the OpenID provider: %w", err)
	}
	if answered.ErrorCode == invalidGrant {
		return &Refusal{"The sign-in was not accepted, or took too long. Sign in again."}
	}
	status := 0
	if answered.Response != nil {
		status = answered.Response.StatusCode
	}
	code := answered.ErrorCode
	if len(code) > 64 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" {
		code = "with a code that is none"
	}
	return fmt.Errorf("get a token of the OpenID provider: it answered %s", strings.TrimSpace(fmt.Sprintf("%d %s", status, code)))
}
