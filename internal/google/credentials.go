package google

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
	googleauth "golang.org/x/oauth2/google"
	"golang.org/x/oauth2/jwt"

	"github.com/platenhq/platen/internal/platen"
)

// scope is what service accounts ask for. Files that people shared with the
// account are outside of the narrower drive.file.
const scope = "https://www.googleapis.com/auth/drive"

// tokenTimeout bounds the call for an access token, and telling that it was refused.
const tokenTimeout = 15 * time.Second

// tokens keeps the access token of one connection.
type tokens struct {
	// fetch gets a new token; nil for a token that cannot be renewed.
	fetch func() (*oauth2.Token, error)
	// withdrawn is called when the connection has ended for good; nil: it never
	// does, and each call asks again.
	withdrawn func(*oauth2.RetrieveError)

	mu      sync.Mutex
	current *oauth2.Token
	refresh *refresh // under way; nil: none is
	ended   error    // of a connection that was withdrawn
}

// A refresh gets one token for all who wait for it.
type refresh struct {
	done  chan struct{} // closed when token and err are set
	token *oauth2.Token
	err   error
}

// get returns a token that should be valid. One refresh is under way at a time, and
// its outcome is that of all who came meanwhile.
func (t *tokens) get(ctx context.Context) (*oauth2.Token, error) {
	t.mu.Lock()
	if t.current.Valid() || t.fetch == nil || t.ended != nil {
		defer t.mu.Unlock()
		return t.current, t.ended
	}
	r := t.refresh
	if r == nil {
		r = &refresh{done: make(chan struct{})}
		t.refresh = r
		go t.make(r)
	}
	t.mu.Unlock()
	select {
	case <-r.done:
		return r.token, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// make makes a refresh, which does not end with the call that began it: others wait
// for it, too.
func (t *tokens) make(r *refresh) {
	r.token, r.err = t.fetch()
	refused, ok := errors.AsType[*oauth2.RetrieveError](r.err)
	ended := ok && refused.ErrorCode == "invalid_grant" && t.withdrawn != nil
	if ended {
		t.withdrawn(refused)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current, t.refresh = r.token, nil
	if ended {
		t.ended = r.err
	}
	close(r.done)
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

func (c *Connector) tokens(userID string, connection platen.DriveConnection) (*tokens, error) {
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient,
		&http.Client{Transport: bounded{c.options.Transport}, Timeout: tokenTimeout, CheckRedirect: noRedirect})
	switch connection.Kind {
	case platen.ConnectionToken:
		return &tokens{current: &oauth2.Token{AccessToken: string(connection.Secret)}}, nil

	case platen.ConnectionRefreshToken:
		if c.options.OAuthClientID == "" {
			return nil, connectionBroken("This service has no OAuth client configured, so it cannot open a drive by a refresh token: ask the operator.", nil)
		}
		config := &oauth2.Config{ClientID: c.options.OAuthClientID, ClientSecret: c.options.OAuthClientSecret, Endpoint: googleauth.Endpoint}
		if c.options.TokenURL != "" {
			config.Endpoint.TokenURL = c.options.TokenURL
		}
		return &tokens{
			fetch: func() (*oauth2.Token, error) {
				return config.TokenSource(ctx, &oauth2.Token{RefreshToken: string(connection.Secret)}).Token()
			},
			withdrawn: func(refused *oauth2.RetrieveError) { c.withdrawn(userID, connection, refused) },
		}, nil

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
