// Package signin finds out at an OpenID provider whose browser it is
// (https://openid.net/specs/openid-connect-core-1_0.html). Whom that lets in is for its
// callers to say.
package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	// timeout is how long the provider may take for an answer.
	timeout = 10 * time.Second
	// maxAnswer is how many bytes of an answer are read.
	maxAnswer = 1 << 20
	// rest is how long a provider that does not answer is left alone.
	rest = 5 * time.Second
	// atOnce is how many users may come back from the provider at once.
	atOnce = 16
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
}

// A Provider is safe for concurrent use. It calls nobody before it is used.
type Provider struct {
	Options
	client *http.Client

	exchanges chan struct{}

	mu     sync.Mutex
	found  *oidc.Provider // nil: not asked yet, or it did not answer
	failed error
	until  time.Time // from which on it is asked again
}

// A Refusal says to the user why the provider's answer lets nobody in.
type Refusal struct{ Text string }

func (r *Refusal) Error() string { return r.Text }

// New returns a provider. It calls nobody.
func New(o Options) *Provider {
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	return &Provider{Options: o, client: &http.Client{Transport: bounded{o.Transport}, Timeout: timeout}, exchanges: make(chan struct{}, atOnce)}
}

// bounded reads a part of each answer.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, maxAnswer), response.Body}
	}
	return response, err
}

// discover asks the provider once where its parts are.
func (p *Provider) discover() (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	if time.Now().Before(p.until) {
		return nil, p.failed
	}
	// The keys are read through this context later, too: it must not end.
	p.found, p.failed = oidc.NewProvider(oidc.ClientContext(context.Background(), p.client), p.Issuer)
	if p.failed != nil {
		p.failed, p.until = fmt.Errorf("ask the OpenID provider %s: %w", p.Issuer, p.failed), time.Now().Add(rest)
	}
	return p.found, p.failed
}

func (p *Provider) flow(at *oidc.Provider) oauth2.Config {
	return oauth2.Config{ClientID: p.ClientID, ClientSecret: p.ClientSecret, RedirectURL: p.RedirectURL, Endpoint: at.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "email"}}
}

// AuthURL is where the provider asks the user. state and nonce come back, the verifier is
// shown in Email alone (RFC 7636).
func (p *Provider) AuthURL(state, nonce, verifier string) (string, error) {
	at, err := p.discover()
	if err != nil {
		return "", err
	}
	flow := p.flow(at)
	return flow.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), nil
}

// Email turns the code of a redirect into the verified e-mail address of the user. A
// *Refusal is for the user to read.
func (p *Provider) Email(ctx context.Context, code, nonce, verifier string) (string, error) {
	at, err := p.discover()
	if err != nil {
		return "", err
	}
	select {
	case p.exchanges <- struct{}{}:
		defer func() { <-p.exchanges }()
	default:
		return "", &Refusal{"Too many people sign in at once. Sign in again in a moment."}
	}
	flow := p.flow(at)
	ctx = oidc.ClientContext(ctx, p.client)
	tokens, err := flow.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if _, refused := errors.AsType[*oauth2.RetrieveError](err); refused {
		return "", &Refusal{"The sign-in was not accepted, or took too long. Sign in again."}
	}
	if err != nil {
		return "", fmt.Errorf("get a token of the OpenID provider: %w", err)
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
	case claims.Email == "":
		return "", &Refusal{"Your account there has no e-mail address, by which you are known here."}
	case !p.TrustEmail && !strings.EqualFold(fmt.Sprint(claims.Verified), "true"):
		return "", &Refusal{"Your e-mail address is not verified there. Verify it, and sign in again."}
	}
	return claims.Email, nil
}
