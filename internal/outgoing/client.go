// Package outgoing makes requests to addresses that come from outside – of
// receivers of events, of pictures – through an HTTP client that cannot be turned
// against our own network. It says in words for integrators why there is no
// answer, and knows which hosts are the installation's own.
//
// What is sent, what becomes of an answer and when to try again is not decided
// here. Package delivery sends events through it, package picture reads through
// its Fetcher, and neither needs the other.
package outgoing

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// DefaultTimeout is for a whole request, from the name's resolution to the end
// of the answer.
const DefaultTimeout = 15 * time.Second

const maxAnswerHeaders = 32 << 10

// Options are what a Client may be given. The zero value works.
type Options struct {
	// AllowPrivate are networks that hosts may be in although they are private,
	// loopback or otherwise special. Default: none. Prefixes that translate to
	// IPv4 (NAT64) are left out: they would open all of it.
	AllowPrivate []netip.Prefix
	// Own are what this installation listens at and works with itself, each host:port,
	// such as its database: none is connected to, in an allowed network either.
	Own     []string
	Timeout time.Duration // of a whole request; DefaultTimeout if zero
	// TLS is for hosts whose certificates come from an authority of the
	// operator's own; nil trusts the system's authorities.
	TLS *tls.Config
}

// A Client makes requests without following redirects. It is safe for concurrent
// use.
type Client struct {
	http    *http.Client
	dialer  *net.Dialer
	timeout time.Duration
}

// NewClient returns a Client that connects to public addresses and to
// o.AllowPrivate only. The address is checked when the connection is made, so
// no name that resolves differently from one moment to the next gets around it.
func NewClient(o Options) *Client {
	c := &Client{timeout: o.Timeout}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	guard := guardian(o.AllowPrivate)
	c.dialer = &net.Dialer{Timeout: c.timeout, KeepAlive: 30 * time.Second, Control: func(network, address string, raw syscall.RawConn) error {
		if isMetadata(address) {
			return errMetadata
		}
		if leadsTo(o.Own, address) {
			return errOwn
		}
		return guard.Safe(network, address, raw)
	}}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // the guard would check the proxy's address instead of the receiver's
			DialContext:            c.dialer.DialContext,
			TLSClientConfig:        o.TLS,
			TLSHandshakeTimeout:    c.timeout,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxAnswerHeaders,
			MaxIdleConns:           100,
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

var errMetadata = errors.New("the address gives machines of a cloud their credentials")

// metadata are where clouds give their machines credentials: no network that is allowed
// makes them receivers. Each is the vendor's documented address.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"),    // AWS, Google, Azure, Oracle, DigitalOcean, Hetzner, OpenStack
	netip.MustParseAddr("fd00:ec2::254"),      // AWS
	netip.MustParseAddr("169.254.170.2"),      // AWS ECS
	netip.MustParseAddr("169.254.170.23"),     // AWS EKS
	netip.MustParseAddr("fd00:ec2::23"),       // AWS EKS
	netip.MustParseAddr("fd20:ce::254"),       // Google
	netip.MustParseAddr("168.63.129.16"),      // Azure
	netip.MustParseAddr("100.100.100.200"),    // Alibaba
	netip.MustParseAddr("192.0.0.192"),        // Oracle
	netip.MustParseAddr("fd00:c1::a9fe:a9fe"), // Oracle
	netip.MustParseAddr("fd00:42::42"),        // Scaleway
}

func isMetadata(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err == nil && slices.Contains(metadata, at.Addr().Unmap().WithZone(""))
}

func guardian(allowed []netip.Prefix) *ssrf.Guardian {
	// Azure answers its machines at a public address that no registry lists.
	platform := netip.MustParsePrefix("168.63.129.16/32")
	translated := []netip.Prefix{netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48")}
	var v4, v6 []netip.Prefix
	for _, prefix := range allowed {
		switch {
		case prefix.Addr().Is4():
			v4 = append(v4, prefix)
		case !prefix.Overlaps(translated[0]) && !prefix.Overlaps(translated[1]):
			v6 = append(v6, prefix)
		}
	}
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(platform),
		ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
}

// IsPrivate reports whether an address is refused without a DNS lookup: it names this
// machine, or a non-public IP address outside the allowed networks. Names are not
// resolved, because that would reveal names of the operator's network to callers.
func IsPrivate(address string, allowed []netip.Prefix) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		host = "127.0.0.1"
	}
	at, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	to, network := netip.AddrPortFrom(at, 443).String(), "tcp6"
	if at.Is4() {
		network = "tcp4"
	}
	return isMetadata(to) || guardian(allowed).Safe(network, to, nil) != nil
}

// WithTimeout bounds a request, the reading of its answer included, by the
// client's time.
func (c *Client) WithTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.timeout)
}

// Do sends a request. The answer's body is the caller's to close; Explain says
// what an error means.
func (c *Client) Do(request *http.Request) (*http.Response, error) { return c.http.Do(request) }

// Dial connects to host:port by TCP, for a protocol other than HTTP.
func (c *Client) Dial(ctx context.Context, address string) (net.Conn, error) {
	return c.dialer.DialContext(ctx, "tcp", address)
}
