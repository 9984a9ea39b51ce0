package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
)

const (
	userAgent     = "Platen-Webhooks/1"
	maxAnswer     = 64 << 10 // bytes that are read of an answer, so that its connection can be used again
	maxAnswerKept = 1 << 10  // bytes that are kept of it
)

// An HTTPSender makes attempts to deliver events over HTTP. It is safe for
// concurrent use.
type HTTPSender struct {
	client *outgoing.Client
	own    outgoing.Hosts
}

// NewHTTPSender returns a sender that sends through a client, but nothing to the
// installation's own hosts.
func NewHTTPSender(client *outgoing.Client, own outgoing.Hosts) *HTTPSender {
	return &HTTPSender{client, own}
}

// Send signs and POSTs the payload once. The delivery says how it went; only a
// status from 200 to 299 is a success. The error is for faults of ours: secrets
// that cannot sign (KindInternal), or a ctx that ended (KindUnavailable).
func (s *HTTPSender) Send(ctx context.Context, e platen.Event, to platen.Endpoint, attempt int) (platen.Delivery, error) {
	d := platen.Delivery{EventID: e.ID, Attempt: attempt, At: time.Now()}
	signature, err := sign(e, to.Secrets, d.At)
	if err != nil {
		return d, err
	}
	within, cancel := s.client.WithTimeout(ctx)
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
		"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": userAgent,
		standardwebhooks.HeaderWebhookID:        e.ID,
		standardwebhooks.HeaderWebhookTimestamp: strconv.FormatInt(d.At.Unix(), 10),
		standardwebhooks.HeaderWebhookSignature: signature,
		platen.HopsHeader:                       strconv.Itoa(e.Hops + 1),
	} {
		request.Header.Set(name, value)
	}
	if e.Test {
		request.Header.Set(platen.TestHeader, "true")
	}
	// Of an automation that is not traced the receiver learns nothing: a header that says
	// so would switch the receiver's own trace off.
	if trace.SpanContextFromContext(ctx).IsSampled() {
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(request.Header))
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
	d.Failure = s.client.Explain("the receiver", err)
	return d, nil
}

// failureOfStatus says in words for the integrator why an answer is a failure;
// "" for one that is a success.
func failureOfStatus(status int) string {
	switch {
	case status >= 200 && status < 300:
		return ""
	case status >= 300 && status < 400:
		return fmt.Sprintf("the receiver answered %d, a redirect, which is not followed: configure the address that it points to", status)
	case status == http.StatusGone:
		return "the receiver answered 410: it wants no more events"
	case status == http.StatusLoopDetected:
		return "the receiver answered 508: outgoing webhooks lead in a circle; change the webhookUrl of one of their workflows"
	}
	return fmt.Sprintf("the receiver answered %d", status)
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
