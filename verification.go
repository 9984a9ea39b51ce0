package platen

import (
	"net/netip"
	"time"
)

// VerificationScheme is how senders prove that an event is theirs.
type VerificationScheme string

const (
	// SchemeStandardWebhooks is that of https://www.standardwebhooks.com, version
	// v1: HMAC-SHA256, with a timestamp.
	SchemeStandardWebhooks VerificationScheme = "STANDARD_WEBHOOKS"
	// SchemeStripe is that of https://docs.stripe.com/webhooks#verify-manually.
	SchemeStripe VerificationScheme = "STRIPE"
	// SchemeGitHub is that of
	// https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries.
	SchemeGitHub VerificationScheme = "GITHUB"
	// SchemeHMAC is HMAC-SHA256 of the body, in a header of the sender's choice.
	SchemeHMAC VerificationScheme = "HMAC"
)

// VerificationTolerance is how far the timestamp of a signature may be from our
// clock unless somebody says otherwise, as Stripe and Standard Webhooks have it.
const VerificationTolerance = 5 * time.Minute

// HasTimestamp tells whether a signature of the scheme says when it was made.
func (s VerificationScheme) HasTimestamp() bool {
	return s == SchemeStandardWebhooks || s == SchemeStripe
}

// Verification is what a source asks of senders beside its address. The zero
// Verification asks for nothing.
type Verification struct {
	Scheme VerificationScheme // empty: no signature
	// Secrets are one or, while the sender changes its own, two.
	Secrets []Secret
	// Header, Encoding and Prefix are for SchemeHMAC: where the signature is,
	// "hex" or "base64", and what stands before it, such as "sha256=".
	Header, Encoding, Prefix string
	Tolerance                time.Duration  // of timestamps, for schemes that have one; 0: VerificationTolerance
	Networks                 []netip.Prefix // that senders are in; empty: anywhere
}

// Asks tells whether anything is asked for.
func (v Verification) Asks() bool { return v.Scheme != "" || len(v.Networks) > 0 }

// A SourceGate is what is to be known of a source before a body is read for it.
type SourceGate struct {
	SourceID     string // src_…
	Disabled     bool   // its owner is: nothing is accepted now
	Verification Verification
}
