package google

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// MaxResponse is the most bytes that are read of one answer: a file's content,
// an exported PDF, or a document as JSON.
const MaxResponse = 32 << 20

// NewTransport returns a transport with limits on connections and on waiting
// for their parts. How long a whole call may take is in its context.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  2 * time.Minute, // an export of a large document takes long to begin
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConns:           128,
		MaxIdleConnsPerHost:    64,
		MaxConnsPerHost:        128,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

// transport adds the connection's access token to each request, and asks for a
// new one once when the drive refuses it.
type transport struct {
	base   http.RoundTripper
	tokens *tokens
	hosts  []string // that may see the token; https:// in front: over TLS alone
	// open are suffixes of hosts that are called over TLS and get no token: the drive
	// redirects to them, and the address is the permission.
	open []string
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Hostname() == signInHost {
		closeBody(r)
		return nil, errSignIn
	}
	if isOpen(t.open, r) && !mayCall(t.hosts, r) {
		return bounded{t.base}.RoundTrip(r)
	}
	if !mayCall(t.hosts, r) {
		closeBody(r)
		return nil, fmt.Errorf("the drive points to the host %q, which is not the drive's", r.URL.Host)
	}
	token, err := t.tokens.get(r.Context())
	if err != nil {
		closeBody(r)
		return nil, err
	}
	request := r.Clone(r.Context())
	token.SetAuthHeader(request)
	response, err := bounded{t.base}.RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusUnauthorized || !t.tokens.renew(token) {
		return response, err
	}
	if r.Body != nil && r.GetBody == nil {
		return response, nil
	}
	fresh, err := t.tokens.get(r.Context())
	if err != nil {
		_ = response.Body.Close()
		return nil, err
	}
	again := r.Clone(r.Context())
	if r.GetBody != nil {
		if again.Body, err = r.GetBody(); err != nil {
			return response, nil
		}
	}
	_ = response.Body.Close()
	fresh.SetAuthHeader(again)
	return bounded{t.base}.RoundTrip(again)
}

// signInHost is where Google sends browsers that it does not know. No interface
// is there; its pages are answered with 200.
const signInHost = "accounts.google.com"

var errSignIn = errors.New("the drive sends to its sign-in page")

func mayCall(hosts []string, r *http.Request) bool {
	return slices.ContainsFunc(hosts, func(host string) bool {
		if secure, ok := strings.CutPrefix(host, "https://"); ok {
			return r.URL.Scheme == "https" && strings.EqualFold(r.URL.Host, secure)
		}
		return r.URL.Host == host
	})
}

func isOpen(suffixes []string, r *http.Request) bool {
	return r.URL.Scheme == "https" && slices.ContainsFunc(suffixes, func(suffix string) bool {
		return strings.HasSuffix(strings.ToLower(r.URL.Hostname()), suffix)
	})
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}

func noRedirect(*http.Request, []*http.Request) error {
	return errors.New("an unexpected redirect")
}

func fewRedirects(_ *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return errors.New("too many redirects")
	}
	return nil
}

var errTooLarge = errors.New("the answer is larger than 32 MiB")

// bounded ends answers that are larger than MaxResponse with errTooLarge.
type bounded struct{ base http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.base.RoundTrip(r)
	if err == nil && response.Body != nil {
		response.Body = record(r.Context(), &boundedBody{ReadCloser: response.Body, left: MaxResponse})
	}
	return response, err
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	// One byte more than allowed is asked for, to tell the end from too much.
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n + int(b.left), errTooLarge
	}
	return n, err
}
