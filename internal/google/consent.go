package google

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"
	googleauth "golang.org/x/oauth2/google"

	"github.com/platenhq/platen/internal/platen"
)

// scopes is where the names of Google's scopes begin.
const scopes = "https://www.googleapis.com/auth/"

// revokeURL is Google's endpoint for RFC 7009.
const revokeURL = "https://oauth2.googleapis.com/revoke"

// ConsentOptions are what a Consent needs.
type ConsentOptions struct {
	ClientID, ClientSecret string
	// RedirectURL is where Google sends the browser back, as the OAuth client at
	// Google has it, character by character.
	RedirectURL string
	// Scope is drive.file or drive.
	Scope string
	// Endpoint replaces Google in tests: auth, token and revoke are below it.
	Endpoint string
	// Transport carries all requests; nil is NewTransport().
	Transport http.RoundTripper
}

// A Consent gets refresh tokens of users who allow it in a browser, and gives them
// back. It is safe for concurrent use.
type Consent struct {
	config oauth2.Config
	revoke string
	client *http.Client
}

// NewConsent calls nobody.
func NewConsent(o ConsentOptions) *Consent {
	c := &Consent{
		config: oauth2.Config{
			ClientID: o.ClientID, ClientSecret: o.ClientSecret, RedirectURL: o.RedirectURL,
			Endpoint: googleauth.Endpoint, Scopes: []string{scopes + o.Scope},
		},
		revoke: revokeURL,
		client: &http.Client{Transport: bounded{o.Transport}, Timeout: tokenTimeout, CheckRedirect: noRedirect},
	}
	if o.Transport == nil {
		c.client.Transport = bounded{NewTransport()}
	}
	if base := strings.TrimRight(o.Endpoint, "/"); base != "" {
		c.config.Endpoint = oauth2.Endpoint{AuthURL: base + "/auth", TokenURL: base + "/token"}
		c.revoke = base + "/revoke"
	}
	return c
}

// AuthURL is where Google asks the user. Only with prompt=consent does Google give
// a refresh token to a user who allowed it before.
func (c *Consent) AuthURL(state, verifier, email string) string {
	return c.config.AuthCodeURL(state, oauth2.AccessTypeOffline, oauth2.S256ChallengeOption(verifier),
		oauth2.SetAuthURLParam("prompt", "consent"), oauth2.SetAuthURLParam("login_hint", email))
}

// Exchange turns the code of a redirect into a refresh token. Its errors have the
// code "connect_failed", or "drive_unavailable" when Google does not answer; their
// messages are for the user.
func (c *Consent) Exchange(ctx context.Context, code, verifier string) (refreshToken string, err error) {
	token, err := c.config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, c.client), code, oauth2.VerifierOption(verifier))
	if err != nil {
		return "", exchangeError(err)
	}
	granted, _ := token.Extra("scope").(string)
	switch {
	case !slices.Contains(strings.Fields(granted), c.config.Scopes[0]):
		return "", connectFailed(nil, "Google signed you in, but access to files was not allowed: open the link again and tick the box for Google Drive.")
	case token.RefreshToken == "":
		return "", connectFailed(nil, "Google gave no lasting access: remove this application at myaccount.google.com/connections, then open the link again.")
	}
	return token.RefreshToken, nil
}

func connectFailed(cause error, message string) *platen.Error {
	return &platen.Error{Kind: platen.KindInvalid, Code: "connect_failed", Message: message, Err: cause}
}

// exchangeError says what an error of RFC 6749, section 5.2, means for the person who
// connects.
func exchangeError(err error) error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok || refused.ErrorCode == "" || refused.Response != nil && refused.Response.StatusCode >= 500 {
		return &platen.Error{Kind: platen.KindUnavailable, Code: "drive_unavailable", Err: unquoted(err),
			Message: "Google's sign-in service does not answer: open the link again in a moment."}
	}
	cause := unquoted(err)
	switch refused.ErrorCode {
	case "invalid_grant":
		return connectFailed(cause, "This sign-in was used already or took too long: open the link again.")
	case "redirect_uri_mismatch":
		return connectFailed(cause, "Google does not know the address that it sends you back to. Ask the operator to enter PLATEN_OAUTH_REDIRECT_URL, exactly as it is, among the redirect URIs of the OAuth client.")
	case "invalid_client", "unauthorized_client":
		return connectFailed(cause, "Google does not accept this service's OAuth client: ask the operator to compare PLATEN_OAUTH_CLIENT_ID and PLATEN_OAUTH_CLIENT_SECRET with the client at Google.")
	}
	return connectFailed(cause, "Google refused the sign-in: open the link again, and ask the operator if it happens each time.")
}

// unquoted is the error for the log without the body of the answer.
func unquoted(err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return fmt.Errorf("exchange the code: error %q", cmp.Or(refused.ErrorCode, "none"))
	}
	return fmt.Errorf("exchange the code: %w", err)
}

// Revoke ends a refresh token at Google, and with it all that the user allowed this
// application. A token that Google does not know any more is no error.
func (c *Consent) Revoke(ctx context.Context, refreshToken string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.revoke, strings.NewReader(url.Values{"token": {refreshToken}}.Encode()))
	if err != nil {
		return fmt.Errorf("revoke the refresh token: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := c.client.Do(request)
	if err != nil {
		return &platen.Error{Kind: platen.KindUnavailable, Code: "drive_unavailable", Message: "Google does not answer: run the command again.", Err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	switch {
	case response.StatusCode == http.StatusOK:
		return nil
	case err == nil && response.StatusCode == http.StatusBadRequest && strings.Contains(string(body), `"invalid_token"`):
		return nil
	}
	return platen.Errorf(platen.KindUnavailable, "drive_unavailable", "Google did not revoke the access (status %d): run the command again.", response.StatusCode)
}
