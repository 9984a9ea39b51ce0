// Package outgoing delivers events to integrators' addresses: it signs them by
// the Standard Webhooks scheme and POSTs them through an HTTP client that
// cannot be turned against our own network.
//
// Through the same client it reads addresses that come with data (Fetcher). One
// call is one attempt. When to try again, what an event says, and what is done
// with what was read, is not decided here.
package outgoing

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"code.dny.dev/ssrf"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/platenhq/platen"
)

const (
	// DefaultTimeout is for the whole attempt, from the name's resolution to
	// the end of the answer.
	DefaultTimeout = 15 * time.Second

	maxAnswer        = 64 << 10 // bytes that are read of an answer, so that its connection can be used again
	maxAnswerKept    = 1 << 10  // bytes that are kept of it
	maxAnswerHeaders = 32 << 10
	minSecret        = 24 // bytes; Standard Webhooks, "Signature scheme"
	// maxRetryAfter bounds what a receiver can ask us to wait.
	maxRetryAfter = 24 * time.Hour
)

// Options are what a Sender may be given. The zero value works.
type Options struct {
	// AllowPrivate are networks that receivers may be in although they are
	// private, loopback or otherwise special. Default: none. Prefixes that
	// translate to IPv4 (NAT64) are left out: they would open all of it.
	AllowPrivate []netip.Prefix
	Timeout      time.Duration // of the whole attempt; DefaultTimeout if zero
	UserAgent    string        // "Platen-Webhooks/1" if empty
	// Own are the installation's own hosts, to which nothing is sent. Default:
	// none are known.
	Own Hosts
	// TLS is for receivers whose certificates come from an authority of the
	// operator's own; nil trusts the system's authorities.
	TLS *tls.Config
}

// A Sender makes attempts to deliver events. It is safe for concurrent use.
type Sender struct {
	client    *http.Client
	timeout   time.Duration
	userAgent string
	own       Hosts
}

// NewSender returns a Sender that connects to public addresses and to
// o.AllowPrivate only. The address is checked when the connection is made, so
// no name that resolves differently from one moment to the next gets around it.
func NewSender(o Options) *Sender {
	s := &Sender{timeout: o.Timeout, userAgent: o.UserAgent, own: o.Own}
	if s.timeout <= 0 {
		s.timeout = DefaultTimeout
	}
	if s.userAgent == "" {
		s.userAgent = "Platen-Webhooks/1"
	}
	dialer := &net.Dialer{Timeout: s.timeout, KeepAlive: 30 * time.Second, Control: guardian(o.AllowPrivate).Safe}
	s.client = &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // the guard would check the proxy's address instead of the receiver's
			DialContext:            dialer.DialContext,
			TLSClientConfig:        o.TLS,
			TLSHandshakeTimeout:    s.timeout,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxAnswerHeaders,
			MaxIdleConns:           100,
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
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

// Send signs and POSTs the payload once. The delivery says how it went; only a
// status from 200 to 299 is a success. The error is for faults of ours: secrets
// that cannot sign (KindInternal), or a ctx that ended (KindUnavailable).
func (s *Sender) Send(ctx context.Context, e platen.Event, to platen.Endpoint, attempt int) (platen.Delivery, error) {
	d := platen.Delivery{EventID: e.ID, Attempt: attempt, At: time.Now()}
	signature, err := sign(e, to.Secrets, d.At)
	if err != nil {
		return d, err
	}
	within, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, failure := newRequest(within, to.URL, e.Payload)
	if failure == "" && s.own.Has(to.URL) {
		failure = "the address is one of this installation of Platen, so that the workflow would start itself: set the address of a receiver"
	}
	if failure != "" {
		d.Failure = failure
		return d, nil
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": s.userAgent,
		standardwebhooks.HeaderWebhookID:        e.ID,
		standardwebhooks.HeaderWebhookTimestamp: strconv.FormatInt(d.At.Unix(), 10),
		standardwebhooks.HeaderWebhookSignature: signature,
		platen.HopsHeader:                       strconv.Itoa(e.Hops + 1),
	} {
		request.Header.Set(name, value)
	}
	answer, err := s.client.Do(request)
	if err == nil {
		d.Status = answer.StatusCode
		d.Answer = readAnswer(answer.Body)
		d.RetryAfter = retryAfter(answer.Header, time.Now())
		d.Failure = failureOfStatus(answer.StatusCode)
	}
	d.Duration = time.Since(d.At)
	if err == nil {
		return d, nil
	}
	if ctx.Err() != nil {
		return d, &platen.Error{Kind: platen.KindUnavailable, Code: "delivery_interrupted",
			Message: "The attempt to deliver was interrupted.", Err: errors.Join(ctx.Err(), context.Cause(ctx))}
	}
	d.Failure = s.failureOf("the receiver", err)
	return d, nil
}

// newRequest answers with a failure for an address that nothing can be sent to.
func newRequest(ctx context.Context, address string, payload []byte) (*http.Request, string) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, "the address is not a URL that begins with https:// or http:// and names a host"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(payload))
	if err != nil {
		return nil, "the address is not a URL that a request can be sent to"
	}
	return request, ""
}

// sign returns one signature for each secret, separated by spaces, so that a
// receiver can change its secret while events arrive.
func sign(e platen.Event, secrets []string, at time.Time) (string, error) {
	if len(secrets) == 0 {
		return "", platen.Errorf(platen.KindInternal, "signing_secret_missing", "The outgoing webhook has no signing secret.")
	}
	var signatures []string
	for _, secret := range secrets {
		// The library takes an empty secret without a word.
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) < minSecret {
			return "", platen.Errorf(platen.KindInternal, "signing_secret_unusable", "A signing secret of the outgoing webhook is not whsec_ and at least %d bytes in base64.", minSecret)
		}
		webhook, err := standardwebhooks.NewWebhookRaw(key)
		if err != nil {
			return "", fmt.Errorf("sign the event: %w", err)
		}
		signature, err := webhook.Sign(e.ID, at, e.Payload)
		if err != nil {
			return "", fmt.Errorf("sign the event: %w", err)
		}
		signatures = append(signatures, signature)
	}
	return strings.Join(signatures, " "), nil
}

// readAnswer returns the start of an answer as printable text. That the rest
// does not come is no failure: the status was the receiver's word.
func readAnswer(body io.ReadCloser) string {
	defer func() { _ = body.Close() }()
	kept, err := io.ReadAll(io.LimitReader(body, maxAnswerKept))
	if err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(body, maxAnswer-maxAnswerKept))
	}
	// What is no UTF-8 is left out: to replace it would make the text longer.
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(kept), ""))
	return strings.TrimSpace(text)
}

// retryAfter reads the header of that name, as seconds or as a date (RFC 9110,
// section 10.2.3).
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	wait := time.Duration(0)
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}
