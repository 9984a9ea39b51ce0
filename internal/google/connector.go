// Package google is the client of the cloud drive: Drive v3, Docs v1 and Slides
// v1 through Google's own Go libraries. It works against Google, or against any
// server that speaks the same protocol, such as our own drive.
//
// It classifies every error of the outside world once, into platen.Error, and
// repeats nothing: whether and when to try again is its callers' decision.
// What a tag is, and what an automation does with a file, belong elsewhere.
package google

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/platen"
)

// maxClients is how many connections have their client, with its access token,
// kept. Above it an arbitrary one is dropped and made again when it is needed.
const maxClients = 1000

// Options are what a Connector needs.
type Options struct {
	// Kind is the drive behind the addresses below. Connections that another
	// drive issued are refused, not sent.
	Kind platen.DriveKind

	// DriveEndpoint, DocsEndpoint and SlidesEndpoint are base addresses. Empty
	// is Google, or, in tests, a double of it. Our own drive needs all three:
	// at B they are B/drive/v3/, B/ and B/.
	DriveEndpoint, DocsEndpoint, SlidesEndpoint string

	// ServiceAccountFile is the operator's service-account key (JSON), for
	// connections of that kind without a key of their own. Empty: none.
	ServiceAccountFile string
	// OAuthClientID and OAuthClientSecret are the application that refresh
	// tokens were given to. Empty: connections by refresh token do not work.
	OAuthClientID, OAuthClientSecret string
	// TokenURL is where refresh tokens and service-account keys are turned
	// into access tokens; empty is Google.
	TokenURL string

	// Transport carries all requests; nil is NewTransport().
	Transport http.RoundTripper
	// Connections reads how a user's drive is opened. Its errors are returned
	// as they are.
	Connections func(ctx context.Context, userID string) (platen.DriveConnection, error)
	// Remember is for how long a connection that was read is not read again; 0:
	// it is read each time.
	Remember time.Duration
	// Withdrawn is called once when Google refuses a user's refresh token for
	// good, with the reason for operators. nil: there is nobody to call.
	Withdrawn func(ctx context.Context, userID string, connection platen.DriveConnection, reason string)
	// Budgets shares the drive's quotas. nil: calls are not counted.
	Budgets Budgets
}

// A Connector opens drives. It is safe for concurrent use.
type Connector struct {
	options    Options
	serviceKey []byte // nil: no service account configured

	mu      sync.Mutex
	clients map[string]*Client // by connectionKey
	opened  map[string]opened  // by user, while Options.Remember is not over
}

type opened struct {
	client *Client
	until  time.Time
}

// NewConnector checks the options and reads the service-account key; it calls
// nobody.
func NewConnector(o Options) (*Connector, error) {
	if o.Kind != platen.DriveGoogle && o.Kind != platen.DrivePlaten {
		return nil, fmt.Errorf("google: unknown kind %q of a drive", o.Kind)
	}
	for name, endpoint := range map[string]*string{"drive": &o.DriveEndpoint, "docs": &o.DocsEndpoint, "slides": &o.SlidesEndpoint} {
		if *endpoint == "" && o.Kind == platen.DrivePlaten {
			return nil, fmt.Errorf("the %s endpoint of our own drive is missing", name)
		}
		if *endpoint == "" {
			continue
		}
		u, err := url.Parse(*endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("the %s endpoint %q must be an address such as https://drive.example.com/", name, *endpoint)
		}
		*endpoint = strings.TrimRight(*endpoint, "/") + "/"
	}
	if o.Connections == nil {
		return nil, fmt.Errorf("google: no Connections")
	}
	if o.Transport == nil {
		o.Transport = NewTransport()
	}
	c := &Connector{options: o, clients: map[string]*Client{}, opened: map[string]opened{}}
	if o.ServiceAccountFile != "" {
		key, err := os.ReadFile(o.ServiceAccountFile)
		if err != nil {
			if info, unread := os.Stat(o.ServiceAccountFile); unread == nil && info.IsDir() {
				return nil, fmt.Errorf("the service-account key %s is a directory: name the key file (JSON) in it", o.ServiceAccountFile)
			}
			return nil, fmt.Errorf("read the service-account key: %w", err)
		}
		if _, err := serviceAccount(key, "", ""); err != nil {
			return nil, fmt.Errorf("service-account key %s: %w", o.ServiceAccountFile, err)
		}
		c.serviceKey = key
	}
	return c, nil
}

// Drive opens a user's drive. A connection that was changed or removed counts
// at once, or after Options.Remember; the client behind it, with its access
// token, is shared by all users of the same connection.
func (c *Connector) Drive(ctx context.Context, userID string) (*Client, error) {
	now := time.Now()
	c.mu.Lock()
	last, ok := c.opened[userID]
	c.mu.Unlock()
	if ok && now.Before(last.until) {
		return last.client, nil
	}
	connection, err := c.options.Connections(ctx, userID)
	if err != nil {
		return nil, err
	}
	client, err := c.client(userID, connection)
	if err == nil && c.options.Remember > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.opened) >= maxClients {
			clear(c.opened)
		}
		c.opened[userID] = opened{client, now.Add(c.options.Remember)}
	}
	return client, err
}

// client returns the client of a user's connection.
func (c *Connector) client(userID string, connection platen.DriveConnection) (*Client, error) {
	key := connectionKey(userID, connection)
	c.mu.Lock()
	defer c.mu.Unlock()
	if client, ok := c.clients[key]; ok {
		return client, nil
	}
	client, err := c.open(userID, connection)
	if err != nil {
		return nil, err
	}
	for old := range c.clients {
		if len(c.clients) < maxClients {
			break
		}
		delete(c.clients, old)
	}
	c.clients[key] = client
	return client, nil
}

// connectionKey names a connection without holding its secret. A refresh token belongs to
// its user, who gets a notice when it ends.
func connectionKey(userID string, d platen.DriveConnection) string {
	if d.Kind != platen.ConnectionRefreshToken {
		userID = ""
	}
	h := sha256.Sum256([]byte(userID + "\x00" + string(d.Kind) + "\x00" + d.Subject + "\x00" + string(d.Secret)))
	return hex.EncodeToString(h[:])
}

// withdrawn tells that a user's connection has ended, and forgets its client: the
// user may connect again with the same token.
func (c *Connector) withdrawn(userID string, connection platen.DriveConnection, refused *oauth2.RetrieveError) {
	if c.options.Withdrawn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), tokenTimeout)
		defer cancel()
		c.options.Withdrawn(ctx, userID, connection, fmt.Sprintf("%s: %.200s", refused.ErrorCode, refused.ErrorDescription))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.clients, connectionKey(userID, connection))
	delete(c.opened, userID)
}

func (c *Connector) open(userID string, connection platen.DriveConnection) (*Client, error) {
	if issuer := connection.Kind.Issuer(); issuer != "" && issuer != c.options.Kind {
		return nil, connectionMismatch(c.options.Kind)
	}
	tokens, err := c.tokens(userID, connection)
	if err != nil {
		return nil, err
	}
	var hosts, open []string
	if c.options.Kind == platen.DriveGoogle {
		hosts, open = tokenHosts(), []string{".googleusercontent.com", ".usercontent.google.com"}
	}
	for _, endpoint := range []string{c.options.DriveEndpoint, c.options.DocsEndpoint, c.options.SlidesEndpoint} {
		if u, err := url.Parse(endpoint); err == nil && u.Host != "" {
			hosts = append(hosts, u.Host)
		}
	}
	base, account := c.options.Transport, platen.QuotaAccount{}
	if c.options.Budgets != nil {
		account = c.quotaAccount(connection)
		base = counted{base: base, budgets: c.options.Budgets, account: account}
	}
	client := &http.Client{
		Transport:     &transport{base: base, tokens: tokens, hosts: hosts, open: open},
		CheckRedirect: fewRedirects,
	}
	services, err := c.services(client)
	if err != nil {
		return nil, err
	}
	return &Client{drive: services.Drive, docs: services.Docs, slides: services.Slides, http: client, tokens: tokens, account: account}, nil
}

// tokenHosts are Google's hosts that ask for a token: those of the three interfaces, and
// of the links of exports. What these redirect to, such as *.googleusercontent.com, has
// its permission in the address, and others may have content at hosts of these domains.
func tokenHosts() []string {
	return []string{"https://www.googleapis.com", "https://drive.googleapis.com", "https://docs.googleapis.com", "https://slides.googleapis.com", "https://docs.google.com", "https://drive.google.com"}
}

// Services are Google's own libraries, opened as a user's drive.
type Services struct {
	Drive  *driveapi.Service
	Docs   *docsapi.Service
	Slides *slidesapi.Service
}

// Services opens a user's drive for calls that no Client makes. All requests go
// through what wrap returns. Their errors are those of the libraries.
func (c *Connector) Services(ctx context.Context, userID string, wrap func(http.RoundTripper) http.RoundTripper) (Services, error) {
	client, err := c.Drive(ctx, userID)
	if err != nil {
		return Services{}, err
	}
	return c.services(&http.Client{Transport: wrap(client.http.Transport), CheckRedirect: client.http.CheckRedirect})
}

func (c *Connector) services(client *http.Client) (all Services, err error) {
	// The libraries need a context for credentials of their own only; requests
	// carry the context of their call.
	ctx := context.Background()
	options := func(endpoint string) []option.ClientOption {
		o := []option.ClientOption{option.WithHTTPClient(client), option.WithUserAgent("platen")}
		if endpoint != "" {
			o = append(o, option.WithEndpoint(endpoint))
		}
		return o
	}
	if all.Drive, err = driveapi.NewService(ctx, options(c.options.DriveEndpoint)...); err != nil {
		return all, fmt.Errorf("open the drive: %w", err)
	}
	if all.Docs, err = docsapi.NewService(ctx, options(c.options.DocsEndpoint)...); err != nil {
		return all, fmt.Errorf("open the documents: %w", err)
	}
	if all.Slides, err = slidesapi.NewService(ctx, options(c.options.SlidesEndpoint)...); err != nil {
		return all, fmt.Errorf("open the presentations: %w", err)
	}
	return all, nil
}
