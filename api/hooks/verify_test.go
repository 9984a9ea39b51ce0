package hooks

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/platenhq/platen/internal/peer"
	"github.com/platenhq/platen/internal/platen"
)

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func verificationCode(err error) string {
	if err == nil {
		return ""
	}
	return err.(*platen.Error).Code
}

// The values are those of the schemes' own documentation, where it has some:
// standard-webhooks.md, section "Signature scheme"; GitHub, "Testing the webhook
// payload validation". That of Stripe was computed with Python's hmac.
func TestSignaturesOfProvidersAreVerified(t *testing.T) {
	t.Parallel()
	const (
		ping      = `{"event_type":"ping","data":{"success":true}}`
		pingSum   = "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="
		hello     = "Hello, World!"
		helloSum  = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
		stripe    = `{"id":"evt_1"}`
		stripeSum = "799c4ba7bb339f3c8601adfd112f0e477c930a268be1243d341abb8286501c2f"
		plainSum  = "3vDkqjGJmvoBfGJD8cMFKMA2rfSiX6WnVfcTesYKDA8="
	)
	standard := platen.Verification{Scheme: platen.SchemeStandardWebhooks, Secrets: []platen.Secret{"whsec_plJ3nmyCDGBKInavdOK15jsl"}}
	stripes := platen.Verification{Scheme: platen.SchemeStripe, Secrets: []platen.Secret{"whsec_test_secret"}}
	github := platen.Verification{Scheme: platen.SchemeGitHub, Secrets: []platen.Secret{"It's a Secret to Everybody"}}
	plain := platen.Verification{Scheme: platen.SchemeHMAC, Secrets: []platen.Secret{"shared"}, Header: "X-Sum", Encoding: "base64", Prefix: "v="}
	rotated := func(v platen.Verification) platen.Verification {
		v.Secrets = append([]platen.Secret{"whsec_bmV3ZXI="}, v.Secrets...)
		return v
	}
	other := func(v platen.Verification) platen.Verification {
		v.Secrets = []platen.Secret{"whsec_bmV3ZXI="}
		return v
	}
	signedPing := headers("webhook-id", "msg_loFOjxBNrRLzqYUf", "webhook-timestamp", "1731705121", "webhook-signature", pingSum)
	signedStripe := headers("Stripe-Signature", "t=1492774577,v0=00,v1="+stripeSum)
	signedHello := headers("X-Hub-Signature-256", "sha256="+helloSum)
	for _, c := range []struct {
		name string
		v    platen.Verification
		h    http.Header
		body string
		at   int64
		want string // code
	}{
		{"standard", standard, signedPing, ping, 1731705121, ""},
		{"standard, by the name of Svix", standard, headers("svix-id", "msg_loFOjxBNrRLzqYUf", "svix-timestamp", "1731705121", "svix-signature", pingSum), ping, 1731705121, ""},
		{"standard, two signatures", standard, headers("webhook-id", "msg_loFOjxBNrRLzqYUf", "webhook-timestamp", "1731705121", "webhook-signature", "v1,AAAA v1a,AAAA "+pingSum), ping, 1731705121, ""},
		{"standard, two secrets", rotated(standard), signedPing, ping, 1731705121, ""},
		{"standard, late", standard, signedPing, ping, 1731705121 + 300, ""},
		{"standard, too late", standard, signedPing, ping, 1731705121 + 301, "signature_expired"},
		{"standard, too early", standard, signedPing, ping, 1731705121 - 301, "signature_expired"},
		{"standard, another body", standard, signedPing, ping + " ", 1731705121, "signature_invalid"},
		{"standard, another id", standard, headers("webhook-id", "msg_2", "webhook-timestamp", "1731705121", "webhook-signature", pingSum), ping, 1731705121, "signature_invalid"},
		{"standard, another secret", other(standard), signedPing, ping, 1731705121, "signature_invalid"},
		{"standard, no header", standard, headers("webhook-id", "msg_2"), ping, 1731705121, "signature_missing"},
		{"standard, no number", standard, headers("webhook-id", "m", "webhook-timestamp", "now", "webhook-signature", pingSum), ping, 1731705121, "signature_invalid"},

		{"stripe", stripes, signedStripe, stripe, 1492774577, ""},
		{"stripe, two secrets", rotated(stripes), signedStripe, stripe, 1492774577, ""},
		{"stripe, two signatures", stripes, headers("Stripe-Signature", "t=1492774577,v1=00ff,v1="+stripeSum), stripe, 1492774577, ""},
		{"stripe, too late", stripes, signedStripe, stripe, 1492774577 + 301, "signature_expired"},
		{"stripe, another time", stripes, headers("Stripe-Signature", "t=1492774578,v1="+stripeSum), stripe, 1492774577, "signature_invalid"},
		{"stripe, the old scheme alone", stripes, headers("Stripe-Signature", "t=1492774577,v0="+stripeSum), stripe, 1492774577, "signature_invalid"},
		{"stripe, no time", stripes, headers("Stripe-Signature", "v1="+stripeSum), stripe, 1492774577, "signature_invalid"},
		{"stripe, no header", stripes, headers(), stripe, 1492774577, "signature_missing"},

		{"github", github, signedHello, hello, 1, ""},
		{"github, another body", github, signedHello, hello + "!", 1, "signature_invalid"},
		{"github, SHA-1 alone", github, headers("X-Hub-Signature", "sha1=00"), hello, 1, "signature_missing"},
		{"github, no prefix", github, headers("X-Hub-Signature-256", helloSum), hello, 1, "signature_invalid"},
		{"github, cut off", github, headers("X-Hub-Signature-256", "sha256="+helloSum[:62]), hello, 1, "signature_invalid"},

		{"plain", plain, headers("X-Sum", "v="+plainSum), `{"a":1}`, 1, ""},
		{"plain, hex", plain, headers("X-Sum", "v="+helloSum), `{"a":1}`, 1, "signature_invalid"},
		{"plain, another header", plain, headers("X-Signature", "v="+plainSum), `{"a":1}`, 1, "signature_missing"},

		{"nothing asked for", platen.Verification{}, headers(), "{}", 1, ""},
		{"an unknown scheme", platen.Verification{Scheme: "LATER"}, headers(), "{}", 1, "signature_invalid"},
	} {
		name, err := verify(c.v, c.h, []byte(c.body), time.Unix(c.at, 0))
		if verificationCode(err) != c.want {
			t.Errorf("%s: got %v, want code %q", c.name, err, c.want)
		}
		if err == nil && (name == "") != (c.v.Scheme == "") {
			t.Errorf("%s: the event has the name %q, want one by its signature", c.name, name)
		}
	}
}

func TestWhatTheLibraryOfStandardWebhooksSignsIsVerified(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	at, body := time.Unix(1_700_000_000, 0), []byte(`{"a":"ü"}`)
	text, err := signer.Sign("msg_1", at, body)
	if err != nil {
		t.Fatal(err)
	}
	h := headers("webhook-id", "msg_1", "webhook-timestamp", "1700000000", "webhook-signature", text)
	if _, err := verify(platen.Verification{Scheme: platen.SchemeStandardWebhooks, Secrets: []platen.Secret{secret}}, h, body, at); err != nil {
		t.Errorf("got %v, want it verified", err)
	}
}

// gates answers with what it knows, and afresh with what is.
type gates struct {
	known, fresh platen.SourceGate
	away         int // how often nobody knows
}

func (g *gates) SourceGate(context.Context, string) (platen.SourceGate, error) {
	if g.away > 0 {
		g.away--
		return platen.SourceGate{}, platen.Errorf(platen.KindUnavailable, "database_unavailable", "away")
	}
	return g.known, nil
}

func (g *gates) FreshGate(context.Context, string) (platen.SourceGate, error) { return g.fresh, nil }

func TestASourceTakesOnlyWhatItAsksFor(t *testing.T) {
	t.Parallel()
	const body, sum = `{"a":1}`, "3vDkqjGJmvoBfGJD8cMFKMA2rfSiX6WnVfcTesYKDA8="
	signed := platen.SourceGate{Verification: platen.Verification{Scheme: platen.SchemeHMAC, Secrets: []platen.Secret{"shared"}, Header: "X-Sum", Encoding: "base64"}}
	inside := platen.SourceGate{Verification: platen.Verification{Networks: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}}}
	free, disabled := platen.SourceGate{}, platen.SourceGate{Disabled: true}
	for _, c := range []struct {
		name   string
		gates  *gates
		client string
		sum    string
		status int
		code   string
	}{
		{"signed", &gates{known: signed, fresh: signed}, "", sum, 200, ""},
		{"not signed", &gates{known: signed, fresh: signed}, "", "", 403, "signature_missing"},
		{"signed wrongly", &gates{known: signed, fresh: signed}, "", "AAAA", 403, "signature_invalid"},
		{"not asked for any more", &gates{known: signed, fresh: free}, "", "", 200, ""},
		{"asked for, and not known at first", &gates{known: signed, fresh: signed, away: 3}, "", "", 403, "signature_missing"},
		{"signed, and not known at first", &gates{known: signed, fresh: signed, away: 3}, "", sum, 200, ""},
		{"from inside", &gates{known: inside, fresh: inside}, "203.0.113.9", "", 200, ""},
		{"from outside", &gates{known: inside, fresh: inside}, "198.51.100.1", "", 403, "sender_address_refused"},
		{"from outside, and not known at first", &gates{known: inside, fresh: inside, away: 3}, "198.51.100.1", "", 403, "sender_address_refused"},
		{"from outside, which was added", &gates{known: inside, fresh: free}, "198.51.100.1", "", 200, ""},
		{"of a disabled owner", &gates{known: disabled, fresh: disabled}, "", "", 503, "source_disabled"},
		{"of a disabled owner, not known at first", &gates{known: disabled, fresh: disabled, away: 3}, "", "", 503, "source_disabled"},
		{"never known", &gates{known: free, away: 1 << 30}, "", "", 503, "database_unavailable"},
	} {
		x := newHarness()
		x.handler = New(Options{
			Acceptor: x.inbox, Keys: c.gates, Log: slog.New(slog.DiscardHandler), Patience: 500 * time.Millisecond,
			Proxies: peer.Proxies{netip.MustParsePrefix("192.0.2.1/32")},
		})
		w := x.do("POST", "/"+key, body, "X-Sum", c.sum, "X-Forwarded-For", c.client)
		accepted := 0
		if c.status == 200 {
			accepted = 1
		} else if got := codeOf(t, w); got != c.code {
			t.Errorf("%s: code: got %s, want %s", c.name, got, c.code)
		}
		if w.Code != c.status || len(x.events) != accepted {
			t.Errorf("%s: got %d and %d accepted, want %d: %s", c.name, w.Code, len(x.events), c.status, w.Body)
		}
	}
}

func TestARecordedRequestHasOneNameWhateverIsAddedToIt(t *testing.T) {
	t.Parallel()
	const sum = "3vDkqjGJmvoBfGJD8cMFKMA2rfSiX6WnVfcTesYKDA8="
	gate := platen.SourceGate{Verification: platen.Verification{Scheme: platen.SchemeHMAC, Secrets: []platen.Secret{"shared"}, Header: "X-Sum", Encoding: "base64"}}
	x := newHarness()
	x.handler = New(Options{Acceptor: x.inbox, Keys: &gates{known: gate, fresh: gate}, Log: slog.New(slog.DiscardHandler)})
	for _, name := range []string{"", "one", "two"} {
		if w := x.do("POST", "/"+key, `{"a":1}`, "X-Sum", sum, "Idempotency-Key", name); w.Code != 200 {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
	}
	if first := x.events[0].EventKey; !strings.HasPrefix(first, "signature:") || x.events[1].EventKey != first || x.events[2].EventKey != first {
		t.Errorf("got the names %q, %q and %q, want one by the signature", x.events[0].EventKey, x.events[1].EventKey, x.events[2].EventKey)
	}
}

func TestNothingIsReadForASenderFromElsewhere(t *testing.T) {
	t.Parallel()
	gate := platen.SourceGate{Verification: platen.Verification{Networks: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}}}
	x := newHarness()
	h := New(Options{Acceptor: x.inbox, Keys: &gates{known: gate, fresh: gate}, Log: slog.New(slog.DiscardHandler)})
	r := httptest.NewRequest("POST", "/"+key, unread{t})
	r.ContentLength = 1 << 20
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 403 {
		t.Errorf("got %d %s, want 403", w.Code, w.Body)
	}
}
