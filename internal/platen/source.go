package platen

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SourceWebhook is the only source type of workflows made through the API.
const SourceWebhook = "WEBHOOK"

// A Source is where a workflow's data comes from (specification, section 2.2).
type Source struct {
	ID     string // src_…
	Type   string // SourceWebhook
	Fields []string
	// FieldsGiven: Fields were named at creation, so events do not change them.
	FieldsGiven bool
	// Key is the secret last segment of the source's address. It is a
	// credential: never logged; logs and traces name the ID.
	Key string
}

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
	OwnerID      string
	Documents    int  // that an event makes
	Disabled     bool // its owner is: nothing is accepted now
	Verification Verification
}

// HopsHeader is the header of a delivery, and of a source event, that counts
// the deliveries that led to it: 1 for the event of an automation whose source
// event carried none.
const HopsHeader = "Platen-Hops"

// MaxHops is how many deliveries may lead to a source event. Workflows that
// hand on to each other need two or three; in a circle each hop may start as
// many automations as a workflow has documents.
const MaxHops = 5

// Hops reads the values of HopsHeader: the largest number counts, at most one
// above MaxHops, and what is no number is 0, because a sender that hands on a
// header cannot repair it.
func Hops(values []string) int {
	most := 0
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			// A number that is out of range is the largest there is.
			n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 31)
			if err == nil || n > 0 {
				most = max(most, int(min(n, MaxHops+1)))
			}
		}
	}
	return most
}

// UnclosedTag tells whether a template of one line opens a tag behind its last closed one.
func UnclosedTag(template string) bool {
	return strings.Contains(template[strings.LastIndex(template, "}}")+1:], "{{")
}

// UnionOfFields are the names of one list, in their order, and behind them those that
// the other one has besides.
func UnionOfFields(names, others []string) []string {
	all, has := slices.Clone(names), make(map[string]bool, len(names)+len(others))
	for _, name := range names {
		has[name] = true
	}
	for _, name := range others {
		if !has[name] {
			has[name] = true
			all = append(all, name)
		}
	}
	return all
}

const (
	// MaxSeenFields is how many names of fields are kept of a source beside those of
	// its last event.
	MaxSeenFields = 500
	// SeenFieldAge is how long a name still counts as a field of the source after its
	// last event. After that, tags with the old name of a renamed field are reported.
	SeenFieldAge = 30 * 24 * time.Hour
)

// A SeenField is the name of a field that events of a source had.
type SeenField struct {
	Name string
	// SeenAt is when a list of fields with it was replaced; the zero time: the last
	// event has it.
	SeenAt time.Time
	// Lists is how many lists of fields had it, the one of the last event aside. What
	// a single bad event brought has 1.
	Lists int
}

// KnownFields are the fields of a source, and behind them the names that its events
// had within SeenFieldAge. One event with other keys so takes no name away.
func KnownFields(fields []string, seen []SeenField, now time.Time) []string {
	known, has := slices.Clone(fields), make(map[string]bool, len(fields)+len(seen))
	for _, name := range fields {
		has[name] = true
	}
	for _, f := range seen {
		if !has[f.Name] && (f.SeenAt.IsZero() || now.Sub(f.SeenAt) < SeenFieldAge) {
			has[f.Name] = true
			known = append(known, f.Name)
		}
	}
	return known
}

// TestHeader is the header that makes a source event a test, and that a delivery of a
// test has. A test makes outputs that are marked, and tells nobody but the workflow's
// test receiver.
const TestHeader = "Platen-Test"

// TestSegment stands behind a source address, and makes what is POSTed there a test.
const TestSegment = "test"

// TestMark is what stands across the pages of a test's PDFs.
const TestMark = "TEST"

// TestName is the name of a file of a test.
func TestName(name string) string { return "[TEST] " + name }

// IsTest tells whether a source event is a test, by the address that it was sent to and
// its headers TestHeader. KindInvalid: a header says neither true nor false, or headers
// and address say different things. A test that is taken for none would reach customers.
func IsTest(byAddress bool, headers []string) (bool, error) {
	if len(headers) == 0 {
		return byAddress, nil
	}
	said := strings.TrimSpace(headers[0])
	if said != "true" && said != "false" || slices.ContainsFunc(headers, func(h string) bool { return strings.TrimSpace(h) != said }) {
		return false, Errorf(KindInvalid, "test_header_invalid", "%s must be true or false, once. The event was not stored.", TestHeader)
	}
	if byAddress && said == "false" {
		return false, Errorf(KindInvalid, "test_header_invalid", "The address is that of tests, and %s says false: leave the header out, or leave /%s out of the address. The event was not stored.", TestHeader, TestSegment)
	}
	return said == "true", nil
}
