package google

import (
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
	googleauth "golang.org/x/oauth2/google"
	"golang.org/x/oauth2/jwt"

	"github.com/platenhq/platen"
)

// scope is what service accounts ask for. Files that people shared with the
// account are outside of the narrower drive.file.
const scope = "https://www.googleapis.com/auth/drive"

// tokenTimeout bounds the call for an access token: others wait behind it.
const tokenTimeout = 15 * time.Second

// tokens keeps the access token of one connection.
type tokens struct {
	// fetch gets a new token; nil for a token that cannot be renewed.
	fetch func() (*oauth2.Token, error)

	mu      sync.Mutex
	current *oauth2.Token
}

// get returns a token that should be valid.
func (t *tokens) get() (*oauth2.Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current.Valid() || t.fetch == nil {
		return t.current, nil
	}
	token, err := t.fetch()
	if err != nil {
		return nil, err
	}
	t.current = token
	return token, nil
}

// renew forgets a token that was refused and tells whether there can be
// another.
func (t *tokens) renew(refused *oauth2.Token) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fetch == nil {
		return false
	}
	if t.current == refused {
		t.current = nil
	}
	return true
}

func (c *Connector) tokens(connection platen.DriveConnection) (*tokens, error) {
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient,
		&http.Client{Transport: bounded{c.options.Transport}, Timeout: tokenTimeout, CheckRedirect: noRedirect})
	switch connection.Kind {
	case platen.ConnectionToken:
		return &tokens{current: &oauth2.Token{AccessToken: connection.Secret}}, nil

	case platen.ConnectionRefreshToken:
		if c.options.OAuthClientID == "" {
			return nil, connectionBroken("This service has no OAuth client configured, so it cannot open a drive by a refresh token: ask the operator.", nil)
		}
		config := &oauth2.Config{ClientID: c.options.OAuthClientID, ClientSecret: c.options.OAuthClientSecret, Endpoint: googleauth.Endpoint}
		if c.options.TokenURL != "" {
			config.Endpoint.TokenURL = c.options.TokenURL
		}
		return &tokens{fetch: func() (*oauth2.Token, error) {
			return config.TokenSource(ctx, &oauth2.Token{RefreshToken: connection.Secret}).Token()
		}}, nil

	case platen.ConnectionServiceAccount:
		key := []byte(connection.Secret)
		if len(key) == 0 {
			key = c.serviceKey
		}
		if len(key) == 0 {
			return nil, connectionBroken("This service has no service account configured: ask the operator, or connect the drive in another way.", nil)
		}
		config, err := serviceAccount(key, connection.Subject, c.options.TokenURL)
		if err != nil {
			return nil, connectionBroken("The service-account key of this drive connection cannot be read: connect the drive again.", err)
		}
		return &tokens{fetch: func() (*oauth2.Token, error) { return config.TokenSource(ctx).Token() }}, nil
	}
	return nil, connectionBroken("The drive connection is of an unknown kind: connect the drive again.", nil)
}

// serviceAccount reads a key. The address that the key names for tokens is not
// used: a key is data, and data does not say whom we call.
func serviceAccount(key []byte, subject, tokenURL string) (*jwt.Config, error) {
	config, err := googleauth.JWTConfigFromJSON(key, scope)
	if err != nil {
		return nil, err
	}
	config.Subject = subject
	config.TokenURL = googleauth.Endpoint.TokenURL
	if tokenURL != "" {
		config.TokenURL = tokenURL
	}
	return config, nil
}
