// Package client asks the API of Platen for programs in Go: workflows with their
// documents and webhooks, what became of source events, and the signed events that a
// receiver gets. It is written by hand and held to api/openapi.yaml by a test. It has no
// rule of the service: what is allowed, the API says.
package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options of a Client. Address and Token are needed.
type Options struct {
	// Address is that of the API, such as https://platen.example/v0; /v0 is added
	// to an address without a path.
	Address string
	// Token is an access token, as the operator gave it.
	Token string
	// AllowHTTP lets the token go to another machine without TLS.
	AllowHTTP bool
	// HTTP sends the requests. Default: one that gives up after a minute. Its
	// redirects are not followed.
	HTTP *http.Client
	// Tries is how often a request is sent at most. Default 5; 1: once, and without an
	// Idempotency-Key but the caller's.
	Tries int
	// UserAgent names the program. Default "platen-client".
	UserAgent string
}

// A Client asks the API as one user. It is safe for concurrent use.
type Client struct {
	base             *url.URL
	token, userAgent string
	http             http.Client
	tries            int
}

const (
	defaultTries   = 5
	defaultTimeout = time.Minute
	maxAnswer      = 128 << 20 // bytes; a zip of outputs is the most that is answered
)

// New returns a client. It asks nothing yet: Me tells whether the token is good.
func New(o Options) (*Client, error) {
	base, err := parseAddress(o.Address, o.AllowHTTP)
	if err != nil {
		return nil, err
	}
	if o.Token == "" || strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the access token is empty or has characters that no token has: give it as the operator issued it")
	}
	c := &Client{base: base, token: o.Token, userAgent: cmp.Or(o.UserAgent, "platen-client"), tries: o.Tries}
	if c.tries < 1 {
		c.tries = defaultTries
	}
	if c.http.Timeout = defaultTimeout; o.HTTP != nil {
		c.http = *o.HTTP
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// Address is the API's, which ends in its version.
func (c *Client) Address() string { return c.base.String() }

func parseAddress(text string, allowHTTP bool) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address must be that of the API alone, such as https://platen.example/v0")
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && !allowHTTP && u.Hostname() != "localhost" && !ip.IsLoopback() {
		return nil, fmt.Errorf("the access token would go to %s without TLS: give an address with https, or allow it", u.Hostname())
	}
	if u.Path = strings.TrimRight(u.Path, "/"); u.Path == "" {
		u.Path = "/v0"
	}
	return u, nil
}

type idempotencyKey struct{}

// WithIdempotencyKey gives the next POST a key of the caller's own. For 24 hours a
// repeat with the same key and body gets the first answer, also from another process.
// Without it each call has a new one, which its retries share; see Options.Tries.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key)
}

type requestID struct{}

// WithRequestID names the next requests. An automation has the id of the request that its
// event came with, so that it can be found again. It has up to 128 letters, digits and
// characters of "-_.:="; another one is replaced by the service.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestID{}, id)
}

type reference struct{}

// WithReference calls the automation of the next event that is sent: up to 200 printable
// characters, such as your order's number. Lists, events and pages show it. One that cannot
// be kept has the code reference_invalid.
func WithReference(ctx context.Context, text string) context.Context {
	return context.WithValue(ctx, reference{}, text)
}

type prefer struct{}

// WithWait has the next RetryAutomation or CancelAutomation, and SendWaiting, answer when
// the automation has ended, after so long at most. The service grants 50 seconds.
// Ended of the answer tells whether it has.
func WithWait(ctx context.Context, most time.Duration) context.Context {
	return context.WithValue(ctx, prefer{}, most)
}

type ifMatch struct{}

// WithIfMatch lets the next PATCH, DELETE or ReplaceTemplate change only what still has
// this ETag, as WithETag got it. An Error with status 412 says that somebody else changed it.
func WithIfMatch(ctx context.Context, etag string) context.Context {
	return context.WithValue(ctx, ifMatch{}, etag)
}

type etagInto struct{}

// WithETag has the next answer's ETag put into etag; empty: it has none.
func WithETag(ctx context.Context, etag *string) context.Context {
	return context.WithValue(ctx, etagInto{}, etag)
}

// A request is one call of the API.
type request struct {
	method string
	path   string // below the address, with a slash at both ends
	query  url.Values
	body   any // as JSON; a []byte goes as it is; nil: none

	contentType string // of body. Default: JSON

	// address is where it goes in place of path, without the token.
	address string
	// matched has it carry the caller's If-Match, as PATCH and DELETE do.
	matched bool
	// keyed has it carry an Idempotency-Key, so that it happens once.
	keyed bool
	// repeatable says that a repeat leaves what once leaves. GET, PATCH and keyed
	// requests are.
	repeatable bool
}

// ask sends a request, as often as it takes, and reads the answer into what into points
// to, unless that is nil. A *[]byte takes the answer as it is.
func (c *Client) ask(ctx context.Context, r request, into any) (http.Header, error) {
	body, err := encode(r.body)
	if err != nil {
		return nil, err
	}
	key := ""
	if r.keyed {
		if key, _ = ctx.Value(idempotencyKey{}).(string); key == "" && c.tries > 1 {
			key = rand.Text()
		}
	}
	r.repeatable = r.repeatable || r.keyed || r.method == http.MethodGet || r.method == http.MethodPatch
	for try := 1; ; try++ {
		header, err := c.once(ctx, r, body, key, into)
		wait, again := pause(r, err, try)
		if !again || try >= c.tries || ctx.Err() != nil {
			return header, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, errors.Join(ctx.Err(), err)
		}
	}
}

func encode(body any) ([]byte, error) {
	switch b := body.(type) {
	case nil:
		return nil, nil
	case []byte:
		return b, nil
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write the body: %w", err)
	}
	return encoded, nil
}

// once sends a request one time.
func (c *Client) once(ctx context.Context, r request, body []byte, key string, into any) (http.Header, error) {
	request, err := c.newRequest(ctx, r, body, key)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(request)
	if err != nil {
		var of *url.Error // says the address, which may be that of a source
		if errors.As(err, &of) {
			err = of.Err
		}
		return nil, &unanswered{fmt.Errorf("ask %s: %w", request.URL.Host, err)}
	}
	defer answer.Body.Close()
	var read bytes.Buffer
	read.Grow(int(min(max(0, answer.ContentLength), 1<<20)) + bytes.MinRead) // more is believed once it came
	_, err = read.ReadFrom(io.LimitReader(answer.Body, maxAnswer+1))
	said := read.Bytes()
	switch {
	case err != nil:
		return nil, &unanswered{fmt.Errorf("read the answer of %s: %w", request.URL.Host, err)}
	case len(said) > maxAnswer:
		return nil, fmt.Errorf("the answer of %s has more than %d bytes", request.URL.Host, maxAnswer)
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		return nil, ErrorOf(answer, said)
	}
	if etag, ok := ctx.Value(etagInto{}).(*string); ok {
		*etag = answer.Header.Get("ETag")
	}
	if into == nil || answer.StatusCode == http.StatusNoContent {
		return answer.Header, nil
	}
	if file, ok := into.(*Content); ok {
		_, parameters, _ := mime.ParseMediaType(answer.Header.Get("Content-Disposition"))
		file.Name, file.Content = parameters["filename"], said
		return answer.Header, nil
	}
	if whole, ok := into.(*[]byte); ok {
		*whole = said
		return answer.Header, nil
	}
	if err := json.Unmarshal(said, into); err != nil {
		return nil, fmt.Errorf("the answer of %s is not the API's: %w", request.URL.Host, err)
	}
	return answer.Header, nil
}

func (c *Client) newRequest(ctx context.Context, r request, body []byte, key string) (*http.Request, error) {
	address := r.address
	if address == "" {
		address = c.base.String() + r.path
	}
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address cannot be asked: give it as the API answered it")
	}
	request.Header.Set("User-Agent", c.userAgent)
	if r.address == "" {
		request.Header.Set("Authorization", c.token)
	}
	if _, ok := ctx.Value(etagInto{}).(*string); ok {
		// A proxy that compresses an answer makes its entity tag weak, or another one.
		request.Header.Set("Accept-Encoding", "identity")
	}
	if body != nil {
		request.Header.Set("Content-Type", cmp.Or(r.contentType, "application/json"))
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	if etag, _ := ctx.Value(ifMatch{}).(string); etag != "" && (r.matched || r.method == http.MethodPatch || r.method == http.MethodDelete) {
		request.Header.Set("If-Match", etag)
	}
	if text, ok := ctx.Value(reference{}).(string); ok && r.address != "" {
		request.Header.Set("Platen-Reference", text)
	}
	if most, ok := ctx.Value(prefer{}).(time.Duration); ok && r.method == http.MethodPost {
		request.Header.Set("Prefer", fmt.Sprintf("wait=%d", max(0, most)/time.Second))
	}
	if id, _ := ctx.Value(requestID{}).(string); id != "" {
		request.Header.Set("X-Request-Id", id)
	}
	return request, nil
}
