package delivery_test

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"go.opentelemetry.io/otel/trace"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
)

func secret(b byte) string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(b), 32)))
}

func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

func event() platen.Event {
	return platen.Event{ID: "evt_1234567890abcdef", Payload: []byte(`{"event_type":"DOCUMENTS_CREATED","data":{"x":"ä"}}`)}
}

func receiver(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

// newSender sends to this machine, too.
func newSender() *delivery.HTTPSender {
	return delivery.NewHTTPSender(outgoing.NewClient(outgoing.Options{AllowPrivate: loopback()}), outgoing.Hosts{})
}

func send(t *testing.T, o outgoing.Options, url string) platen.Delivery {
	t.Helper()
	return sendBut(t, o, outgoing.Hosts{}, url)
}

// sendBut sends nothing to the installation's own hosts.
func sendBut(t *testing.T, o outgoing.Options, own outgoing.Hosts, url string) platen.Delivery {
	t.Helper()
	if o.AllowPrivate == nil {
		o.AllowPrivate = loopback()
	}
	d, err := delivery.NewHTTPSender(outgoing.NewClient(o), own).Send(t.Context(), event(), platen.Endpoint{URL: url, Secrets: []platen.Secret{platen.Secret(secret('a'))}}, 3)
	if err != nil {
		t.Fatalf("Send: %v", err)
	}
	return d
}

func TestADeliveryIsSignedForEverySecret(t *testing.T) {
	t.Parallel()
	server := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != string(event().Payload) || r.Method != http.MethodPost || r.URL.RequestURI() != "/in?a=b" {
			t.Errorf("%s %s with %q, %v", r.Method, r.URL, body, err)
		}
		for name, want := range map[string]string{"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "Platen-Webhooks/1", "Webhook-Id": event().ID} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		for _, s := range []string{secret('a'), secret('b')} {
			webhook, err := standardwebhooks.NewWebhook(s)
			if err != nil {
				t.Error(err)
				return
			}
			if err := webhook.Verify(body, r.Header); err != nil {
				t.Errorf("verify: %v", err)
			}
		}
		other, err := standardwebhooks.NewWebhook(secret('c'))
		if err != nil || other.Verify(body, r.Header) == nil {
			t.Errorf("verified with a secret that did not sign, %v", err)
		}
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "thanks")
	})
	sender := newSender()
	d, err := sender.Send(t.Context(), event(), platen.Endpoint{URL: server.URL + "/in?a=b", Secrets: []platen.Secret{platen.Secret(secret('a')), platen.Secret(secret('b'))}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if d.EventID != event().ID || d.Attempt != 2 || d.Status != 202 || d.Failure != "" || d.Answer != "thanks" || d.At.IsZero() || d.Duration <= 0 {
		t.Errorf("delivery %+v", d)
	}
}

func TestSecretsThatCannotSignAreOurFault(t *testing.T) {
	t.Parallel()
	for _, secrets := range [][]platen.Secret{nil, {""}, {"whsec_"}, {"whsec_c2hvcnQ="}, {platen.Secret(secret('a')), "whsec_%%%"}} {
		_, err := newSender().Send(t.Context(), event(), platen.Endpoint{URL: "http://192.0.2.1", Secrets: secrets}, 1)
		if err == nil || platen.KindOf(err) != platen.KindInternal {
			t.Errorf("secrets %q: %v, want KindInternal", secrets, err)
		}
	}
}

func TestStatusesOtherThan2xxAreFailures(t *testing.T) {
	t.Parallel()
	var followed atomic.Bool
	server := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &status); err != nil {
			followed.Store(true)
			return
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	})
	for status, want := range map[int]string{
		200: "", 204: "", 500: "the receiver answered 500", 404: "the receiver answered 404", 410: "the receiver answered 410",
		301: "a redirect", 307: "a redirect", 308: "a redirect",
	} {
		d := send(t, outgoing.Options{}, fmt.Sprintf("%s/%d", server.URL, status))
		if d.Status != status || (d.Failure == "") != (want == "") || !strings.Contains(d.Failure, want) {
			t.Errorf("status %d: delivery %+v, want failure %q", status, d, want)
		}
	}
	if followed.Load() {
		t.Error("a redirect was followed")
	}
}

func TestSlowReceiversAreLeftAfterTheTimeout(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	drip := func(w http.ResponseWriter, r *http.Request, what string) {
		for {
			if _, err := io.WriteString(w, what); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-hang:
				return
			case <-r.Context().Done():
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	server := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch r.URL.Path {
		case "/silent":
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		case "/headers":
			connection, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = connection.Close() }()
			for line := "HTTP/1.1 200 OK\r\n"; ; line = "X-A: b\r\n" {
				if _, err := io.WriteString(connection, line); err != nil {
					return
				}
				select {
				case <-hang:
					return
				case <-time.After(5 * time.Millisecond):
				}
			}
		case "/body":
			drip(w, r, "x")
		}
	})
	t.Cleanup(func() { close(hang) }) // before the server waits for its handlers
	for path, want := range map[string]struct {
		timeout time.Duration
		failure string
		status  int
	}{
		"/silent":  {timeout: 200 * time.Millisecond, failure: "no answer within 200ms"},
		"/headers": {timeout: 200 * time.Millisecond, failure: "no answer within 200ms"},
		// The receiver's word was its status. It must come within the timeout on
		// a crowded machine too.
		"/body": {timeout: 3 * time.Second, status: 200},
	} {
		d := send(t, outgoing.Options{Timeout: want.timeout}, server.URL+path)
		if d.Failure != want.failure || d.Status != want.status || d.Duration > 30*time.Second {
			t.Errorf("%s: %+v, want %+v", path, d, want)
		}
	}
}

func TestAnswersAreBoundedAndPrintable(t *testing.T) {
	t.Parallel()
	server := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/endless":
			for {
				if _, err := w.Write([]byte(strings.Repeat("ä", 1000))); err != nil {
					return
				}
			}
		case "/binary":
			_, _ = w.Write([]byte("a\x00\x1b[31mb\xff\r\nc\u202e"))
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(make([]byte, 10<<20))
			_ = z.Close()
		case "/headers":
			w.Header().Set("X-Long", strings.Repeat("x", 100<<10))
		}
	})
	d := send(t, outgoing.Options{}, server.URL+"/endless")
	if d.Failure != "" || len(d.Answer) > 1024 || len(d.Answer) < 1000 || !utf8.ValidString(d.Answer) {
		t.Errorf("endless: %d bytes, %q", len(d.Answer), d.Failure)
	}
	if d := send(t, outgoing.Options{}, server.URL+"/binary"); d.Answer != "a  [31mb  c" {
		t.Errorf("binary: answer %q", d.Answer)
	}
	if d := send(t, outgoing.Options{}, server.URL+"/bomb"); d.Failure != "" || len(d.Answer) > 1024 {
		t.Errorf("compressed: %d bytes, %q", len(d.Answer), d.Failure)
	}
	if d := send(t, outgoing.Options{}, server.URL+"/headers"); d.Failure != "the receiver's answer has headers of more than 32 KiB" {
		t.Errorf("headers: %+v", d)
	}
}

func TestRetryAfterIsRead(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][2]time.Duration{
		"": {0, 0}, "120": {2 * time.Minute, 2 * time.Minute}, "-1": {0, 0}, "x": {0, 0}, "99999999": {24 * time.Hour, 24 * time.Hour},
		time.Now().Add(time.Hour).UTC().Format(http.TimeFormat): {59 * time.Minute, time.Hour},
		"Mon, 02 Jan 2006 15:04:05 GMT":                         {0, 0},
	} {
		server := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(503)
		})
		if d := send(t, outgoing.Options{}, server.URL); d.RetryAfter < want[0] || d.RetryAfter > want[1] {
			t.Errorf("Retry-After %q: %v, want %v", header, d.RetryAfter, want)
		}
	}
}

func TestAddressesThatNothingCanBeSentToAreFailures(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	for address, want := range map[string]string{
		"https:///path":        "names a host",
		"ftp://example.com/":   "begins with https://",
		"https://exa mple/%zz": "not a URL",
		"":                     "not a URL",
		closed.URL:             "the receiver refuses connections",
	} {
		if d := send(t, outgoing.Options{}, address); d.Status != 0 || !strings.Contains(d.Failure, want) {
			t.Errorf("%q: got %d %q, want %q", address, d.Status, d.Failure, want)
		}
	}
}

func TestAnInterruptedAttemptIsNotTheReceiversFailure(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server notices that its client left when the body was read
		cancel()
		<-r.Context().Done()
	})
	sender := newSender()
	_, err := sender.Send(ctx, event(), platen.Endpoint{URL: server.URL, Secrets: []platen.Secret{platen.Secret(secret('a'))}}, 1)
	if platen.KindOf(err) != platen.KindUnavailable || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want KindUnavailable that is context.Canceled", err)
	}
}

func TestADeliverySaysHowManyHopsItIsFromTheFirstEvent(t *testing.T) {
	t.Parallel()
	got := make(chan []string, 1)
	server := receiver(t, func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Values("Platen-Hops") })
	send(t, outgoing.Options{}, server.URL)
	if hops := <-got; fmt.Sprint(hops) != "[1]" {
		t.Errorf("Platen-Hops is %q, want 1", hops)
	}
}

func TestAReceiverLearnsTheTraceOfWhatIsTraced(t *testing.T) {
	t.Parallel()
	for flags, want := range map[trace.TraceFlags]string{trace.FlagsSampled: "00-01000000000000000000000000000000-0200000000000000-01", 0: ""} {
		var got, signed string
		server := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
			got, signed = r.Header.Get("traceparent"), r.Header.Get("webhook-signature")
		})
		ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: flags}))
		d, err := newSender().Send(ctx, event(), platen.Endpoint{URL: server.URL, Secrets: []platen.Secret{platen.Secret(secret('a'))}}, 1)
		if err != nil || d.Failure != "" || got != want || signed == "" {
			t.Errorf("flags %s: got %q, signed %q, %+v, %v; want %q", flags, got, signed, d, err, want)
		}
	}
}

func TestNothingIsSentToTheInstallationItself(t *testing.T) {
	t.Parallel()
	server := receiver(t, func(http.ResponseWriter, *http.Request) { t.Error("the installation itself got an event") })
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	own := outgoing.NewHosts(server.URL)
	for _, address := range []string{server.URL, "http://localhost:" + port + "/x", "http://LOCALHOST.:" + port, "http://[::ffff:127.0.0.1]:" + port} {
		d := sendBut(t, outgoing.Options{}, own, address)
		if d.Status != 0 || !strings.Contains(d.Failure, "this installation") {
			t.Errorf("%s: got %d %q, want a failure that says why", address, d.Status, d.Failure)
		}
	}
	// Another service of the same host is a receiver as any other.
	other := receiver(t, func(http.ResponseWriter, *http.Request) {})
	if d := sendBut(t, outgoing.Options{}, own, other.URL); d.Status != http.StatusOK {
		t.Errorf("another port: got %d %q", d.Status, d.Failure)
	}
}

func TestNewSecretsSign(t *testing.T) {
	t.Parallel()
	signed := make(chan error, 1)
	made := delivery.NewSecret()
	server := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			var webhook *standardwebhooks.Webhook
			if webhook, err = standardwebhooks.NewWebhook(string(made)); err == nil {
				err = webhook.Verify(body, r.Header)
			}
		}
		signed <- err
	})
	if _, err := newSender().Send(t.Context(), event(), platen.Endpoint{URL: server.URL, Secrets: []platen.Secret{made}}, 1); err != nil {
		t.Fatal(err)
	}
	if err := <-signed; err != nil {
		t.Errorf("verify: %v", err)
	}
	if other := delivery.NewSecret(); other == made {
		t.Errorf("got %q twice", made)
	}
}
