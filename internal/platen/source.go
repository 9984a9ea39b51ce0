package platen

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
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
	Disabled     bool   // its owner is: nothing is accepted now
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

// Bounds of what is read out of one source event.
const (
	// MaxSourceDepth is how deeply objects and lists of an event may nest.
	MaxSourceDepth = 64
	// MaxSourceFields is how many field names SourceFields returns at most.
	// An event with more is no error: its data fills tags all the same, only
	// the list that people choose from is cut.
	MaxSourceFields = 2000
	// MaxSourceFieldLength is the longest field name in bytes; a longer one is
	// left out of the list.
	MaxSourceFieldLength = 500
)

// SourceFields returns the leaf paths of a JSON object in the order of its
// keys, joined by "."; each once. An empty object or list is a field of its
// own name, objects inside a list give their keys under the list's name
// (`LineItem.Name`), and a list of scalars is one field.
//
// The error has KindInvalid when body is not exactly one JSON object or nests
// deeper than MaxSourceDepth. Duplicate keys, invalid UTF-8 and a byte order
// mark are no errors: senders of webhooks cannot repair a body. Names that are
// empty, too long or contain U+0000, which no database text can hold, are left
// out. Time and memory are linear in the size of body.
func SourceFields(body []byte) ([]string, error) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	w := fieldWalker{body: body, names: make([]byte, 0, 512), ends: make([]int, 0, 32)}
	if w.document() {
		return w.fields(), nil
	}
	// What the walker refuses is read again, to say why.
	if err := checkSourceBody(body); err != nil {
		return nil, err
	}
	return nil, Errorf(KindInvalid, "source_too_deep", "the body nests objects and lists deeper than %d levels; flatten it", MaxSourceDepth)
}

func checkSourceBody(body []byte) error {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	if len(trimmed) == 0 {
		return Errorf(KindInvalid, "source_empty", "the body is empty; send one JSON object")
	}
	if !json.Valid(body) {
		var raw json.RawMessage
		err := json.Unmarshal(body, &raw)
		fault := Errorf(KindInvalid, "source_not_json", "the body is not valid JSON; send one JSON object")
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			fault = Errorf(KindInvalid, "source_not_json", "the body is not valid JSON at byte %d; send one JSON object and nothing after it", syntax.Offset)
		}
		return fault
	}
	if trimmed[0] != '{' {
		return Errorf(KindInvalid, "source_not_object", "the body is valid JSON but not an object; send one JSON object, such as {\"Name\": \"Ada\"}")
	}
	return nil
}

// A fieldWalker reads one JSON object (RFC 8259) in a single pass: this runs
// for every accepted event, and only validity and keys matter. It takes what
// json.Valid takes, within MaxSourceDepth.
type fieldWalker struct {
	body  []byte
	at    int
	path  []byte          // of the value at hand
	names []byte          // those found, one after the other
	ends  []int           // of each in names
	seen  map[string]bool // nil while they are few
}

// fewFields is how many names are faster compared one by one than looked up.
const fewFields = 64

// document tells whether the body is one object and nothing else.
func (w *fieldWalker) document() bool {
	return w.peek() == '{' && w.value(1) && w.peek() == 0 && w.at == len(w.body)
}

// peek steps over white space and returns the byte there, 0 at the end.
func (w *fieldWalker) peek() byte {
	for ; w.at < len(w.body); w.at++ {
		switch c := w.body[w.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// value walks over one value and tells whether it is valid and kept within
// the depth.
func (w *fieldWalker) value(depth int) bool {
	valid := false
	switch w.peek() {
	case '{':
		return depth <= MaxSourceDepth && w.object(depth)
	case '[':
		return depth <= MaxSourceDepth && w.list(depth)
	case '"':
		_, valid = w.text()
	case 't':
		valid = w.literal("true")
	case 'f':
		valid = w.literal("false")
	case 'n':
		valid = w.literal("null")
	default:
		valid = w.number()
	}
	w.emit()
	return valid
}

func (w *fieldWalker) object(depth int) bool {
	w.at++ // the brace
	if w.peek() == '}' {
		w.at++
		w.emit()
		return true
	}
	parent := len(w.path)
	for w.peek() == '"' {
		key, ok := w.text()
		if !ok || w.peek() != ':' {
			return false
		}
		w.at++
		if depth > 1 {
			w.path = append(w.path, '.')
		}
		w.path = appendKey(w.path, key)
		if !w.value(depth + 1) {
			return false
		}
		w.path = w.path[:parent]
		if more, ok := w.next('}'); !more {
			return ok
		}
	}
	return false
}

func (w *fieldWalker) list(depth int) bool {
	w.at++ // the bracket
	if w.peek() == ']' {
		w.at++
		w.emit()
		return true
	}
	for w.value(depth + 1) {
		if more, ok := w.next(']'); !more {
			return ok
		}
	}
	return false
}

// next steps over the comma before another member, or over the closing bracket.
func (w *fieldWalker) next(closing byte) (more, ok bool) {
	c := w.peek()
	if c != ',' && c != closing {
		return false, false
	}
	w.at++
	return c == ',', true
}

// text steps over a string and returns it with its quotes.
func (w *fieldWalker) text() (quoted []byte, ok bool) {
	start := w.at
	for w.at++; ; w.at++ {
		w.at += countPlain(w.body[w.at:])
		if w.at >= len(w.body) {
			return nil, false
		}
		switch w.body[w.at] {
		case '"':
			w.at++
			return w.body[start:w.at], true
		case '\\':
			if !w.escape() {
				return nil, false
			}
		default: // a control character
			return nil, false
		}
	}
}

// countPlain returns how many bytes of a string stand for themselves.
func countPlain(text []byte) int {
	for i, c := range text {
		if c < ' ' || c == '"' || c == '\\' {
			return i
		}
	}
	return len(text)
}

// escape steps from the backslash to the last byte of its escape.
func (w *fieldWalker) escape() bool {
	w.at++
	if w.at >= len(w.body) {
		return false
	}
	switch w.body[w.at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		digits := w.body[w.at+1:]
		w.at += 4
		return len(digits) >= 4 && isHex(digits[0]) && isHex(digits[1]) && isHex(digits[2]) && isHex(digits[3])
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func (w *fieldWalker) literal(text string) bool {
	ok := bytes.HasPrefix(w.body[w.at:], []byte(text))
	w.at += len(text)
	return ok
}

// number steps over what RFC 8259, section 6, calls one.
func (w *fieldWalker) number() bool {
	w.one("-")
	if !w.one("0") && !w.digits() {
		return false
	}
	if w.one(".") && !w.digits() {
		return false
	}
	if w.one("eE") {
		w.one("+-")
		return w.digits()
	}
	return true
}

// one steps over a byte if it is one of those.
func (w *fieldWalker) one(of string) bool {
	ok := w.at < len(w.body) && strings.IndexByte(of, w.body[w.at]) >= 0
	if ok {
		w.at++
	}
	return ok
}

// digits steps over digits and tells whether there were any.
func (w *fieldWalker) digits() bool {
	start := w.at
	for w.at < len(w.body) && '0' <= w.body[w.at] && w.body[w.at] <= '9' {
		w.at++
	}
	return w.at > start
}

func (w *fieldWalker) emit() {
	if len(w.path) == 0 || len(w.path) > MaxSourceFieldLength || len(w.ends) == MaxSourceFields || w.hasName() ||
		bytes.IndexByte(w.path, 0) >= 0 {
		return
	}
	w.names = append(w.names, w.path...)
	w.ends = append(w.ends, len(w.names))
	switch {
	case w.seen != nil:
		w.seen[string(w.path)] = true
	case len(w.ends) > fewFields:
		w.seen = make(map[string]bool, 2*fewFields)
		for _, name := range w.fields() {
			w.seen[name] = true
		}
	}
}

// hasName tells whether the path is among the fields already.
func (w *fieldWalker) hasName() bool {
	if w.seen != nil {
		return w.seen[string(w.path)]
	}
	begin := 0
	for _, end := range w.ends {
		if bytes.Equal(w.names[begin:end], w.path) {
			return true
		}
		begin = end
	}
	return false
}

// fields cuts all names from one text.
func (w *fieldWalker) fields() []string {
	names, begin := string(w.names), 0
	fields := make([]string, len(w.ends))
	for i, end := range w.ends {
		fields[i], begin = names[begin:end], end
	}
	return fields
}

// appendKey decodes a string that is known to be valid JSON; invalid UTF-8
// becomes U+FFFD, as encoding/json does it.
func appendKey(path, quoted []byte) []byte {
	text := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(text, '\\') < 0 {
		if utf8.Valid(text) {
			return append(path, text...)
		}
		return append(path, bytes.ToValidUTF8(text, []byte("\ufffd"))...)
	}
	var key string
	if json.Unmarshal(quoted, &key) != nil {
		return path
	}
	return append(path, key...)
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
