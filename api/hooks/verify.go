package hooks

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// maxSignatures is how many signatures of one request are looked at: a sender that
// changes its secret sends two.
const maxSignatures = 8

// checkAddress refuses clients outside of the networks that a source names.
func checkAddress(v platen.Verification, client netip.Addr) error {
	if len(v.Networks) == 0 {
		return nil
	}
	for _, network := range v.Networks {
		if network.Contains(client) {
			return nil
		}
	}
	return platen.Errorf(platen.KindForbidden, "sender_address_refused",
		"Events for this source are taken from certain addresses only, and %s is none of them. Add it to the networks of the source's verification, or send from another one.", client)
}

// verify answers nil when the body was signed as the source asks, and what names
// the event: a repeat of the same signature has the same name, so that a request
// that somebody recorded starts nothing again. KindForbidden otherwise.
func verify(v platen.Verification, h http.Header, body []byte, now time.Time) (eventKey string, err error) {
	var s signature
	switch v.Scheme {
	case "":
		return "", nil
	case platen.SchemeStandardWebhooks:
		s, err = standardSignature(h)
	case platen.SchemeStripe:
		s, err = stripeSignature(h)
	case platen.SchemeGitHub:
		s, err = plainSignature(h, "X-Hub-Signature-256", "sha256=", hex.DecodeString)
	case platen.SchemeHMAC:
		decode := hex.DecodeString
		if v.Encoding == "base64" {
			decode = base64.StdEncoding.DecodeString
		}
		s, err = plainSignature(h, v.Header, v.Prefix, decode)
	default:
		return "", invalidSignature("The source asks for a signature of a kind that this release does not know.")
	}
	if err != nil {
		return "", err
	}
	for _, secret := range v.Secrets {
		key, err := signingKey(v.Scheme, secret)
		if err != nil {
			return "", err
		}
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte(s.before))
		_, _ = mac.Write(body)
		sum := mac.Sum(nil)
		for _, sent := range s.sent {
			if hmac.Equal(sent, sum) {
				return s.name(sum), s.inTime(v, now)
			}
		}
	}
	return "", invalidSignature("The signature does not fit the body and the secret of the source. Compare the secret at the sender with that of the source, and let nothing change the body on its way.")
}

// A signature is what a request brings.
type signature struct {
	sent   [][]byte
	before string    // what is signed in front of the body
	at     time.Time // zero: the scheme has no timestamp
	id     string    // of the event, where it is signed along
}

func (s signature) name(sum []byte) string {
	if s.id != "" {
		return "Webhook-Id:" + s.id // as for sources that do not ask for signatures
	}
	return "signature:" + hex.EncodeToString(sum)
}

func (s signature) inTime(v platen.Verification, now time.Time) error {
	tolerance := v.Tolerance
	if tolerance == 0 {
		tolerance = platen.VerificationTolerance
	}
	if s.at.IsZero() || s.at.Sub(now).Abs() <= tolerance {
		return nil
	}
	return platen.Errorf(platen.KindForbidden, "signature_expired",
		"The signature is right, and its timestamp is more than %s away from this server's clock. Send the event again with a new signature, and check the sender's clock.", tolerance)
}

// signingKey is the key in a secret. Standard Webhooks write theirs in base64.
func signingKey(scheme platen.VerificationScheme, secret platen.Secret) ([]byte, error) {
	if scheme != platen.SchemeStandardWebhooks {
		return []byte(secret), nil
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(secret), "whsec_"))
	if err != nil {
		return nil, invalidSignature("The secret of the source is not base64. Set it again.")
	}
	return key, nil
}

// standardSignature reads the headers of
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md,
// under the names that Svix had before, too.
func standardSignature(h http.Header) (signature, error) {
	of := func(name string) string {
		if value := h.Get("Webhook-" + name); value != "" {
			return value
		}
		return h.Get("Svix-" + name)
	}
	s := signature{id: of("Id")}
	stamp, signatures := of("Timestamp"), of("Signature")
	if s.id == "" || stamp == "" || signatures == "" {
		return s, missingSignature("webhook-id, webhook-timestamp and webhook-signature")
	}
	var ok bool
	if s.at, ok = unixTime(stamp); !ok {
		return s, invalidSignature("The header webhook-timestamp does not hold the seconds since 1970.")
	}
	s.before = s.id + "." + stamp + "."
	for _, one := range limited(strings.Fields(signatures)) {
		if text, ok := strings.CutPrefix(one, "v1,"); ok {
			if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
				s.sent = append(s.sent, raw)
			}
		}
	}
	return s, nil
}

// stripeSignature reads Stripe-Signature: t=…,v1=…,v1=…
func stripeSignature(h http.Header) (signature, error) {
	const name = "Stripe-Signature"
	var s signature
	var stamp string
	if h.Get(name) == "" {
		return s, missingSignature(name)
	}
	for _, part := range limited(strings.Split(h.Get(name), ",")) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(part), "="); key {
		case "t":
			stamp = value
		case "v1":
			if raw, err := hex.DecodeString(value); err == nil {
				s.sent = append(s.sent, raw)
			}
		}
	}
	var ok bool
	if s.at, ok = unixTime(stamp); !ok {
		return s, invalidSignature("The header Stripe-Signature has no timestamp t= in seconds since 1970.")
	}
	s.before = stamp + "."
	return s, nil
}

func plainSignature(h http.Header, name, prefix string, decode func(string) ([]byte, error)) (signature, error) {
	value := strings.TrimSpace(h.Get(name))
	if value == "" {
		return signature{}, missingSignature(name)
	}
	text, ok := strings.CutPrefix(value, prefix)
	raw, err := decode(text)
	if !ok || err != nil {
		return signature{}, invalidSignature("The header " + name + " does not hold a signature in the form that the source asks for.")
	}
	return signature{sent: [][]byte{raw}}, nil
}

func unixTime(text string) (time.Time, bool) {
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0), err == nil && seconds > 0
}

func limited(parts []string) []string { return parts[:min(len(parts), maxSignatures)] }

func missingSignature(headers string) error {
	return platen.Errorf(platen.KindForbidden, "signature_missing", "The source takes signed events only, and this one has no %s. Have the sender sign its events.", headers)
}

func invalidSignature(message string) error {
	return platen.Errorf(platen.KindForbidden, "signature_invalid", "%s", message)
}

// plainJSON leaves out a byte order mark: readers of the stored body expect plain
// JSON. What was signed has it.
func plainJSON(body []byte) []byte { return bytes.TrimPrefix(body, []byte("\ufeff")) }
