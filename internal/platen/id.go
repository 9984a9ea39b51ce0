package platen

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
)

// Prefixes of ids.
const (
	PrefixUser            = "usr_"
	PrefixTeam            = "team_"
	PrefixToken           = "tok_"
	PrefixWorkflow        = "wkf_"
	PrefixSource          = "src_"
	PrefixDocument        = "doc_"
	PrefixOutgoingWebhook = "owc_"
	PrefixTestReceiver    = "trc_"
	PrefixReceiver        = "rcv_" // gets events by rules
	PrefixAutomation      = "aut_"
	PrefixOutput          = "out_"
	PrefixEvent           = "evt_"
	PrefixWorker          = "wrk_" // a process that runs automations, from its start to its end
	PrefixPreview         = "prv_" // a copy of a template that is filled with sample data
	PrefixRequest         = "req_"
	PrefixAudit           = "aud_"
	PrefixNotice          = "ntc_" // a mail to an owner
	PrefixVersion         = "ver_" // of a template
	PrefixForm            = "frm_" // a public form
	PrefixTarget          = "tgt_" // where outputs are stored as well
	PrefixSchedule        = "sch_" // what starts runs by the clock
	PrefixSender          = "snd_" // a mail server of an owner's own
)

const (
	idLength  = 16 // base-62 characters: 95 bits
	keyLength = 27 // base-62 characters: 160 bits
	base62    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewID returns prefix and 16 random base-62 characters.
func NewID(prefix string) string { return prefix + random62(idLength) }

// DerivedID returns prefix and 16 base-62 characters of a hash of the parts: the same
// parts have the same id in every process and at any time, also after a restore of the
// database. The parts are enough to compute it, so one of them is a random id.
func DerivedID(prefix string, parts ...string) string {
	sum := sha256.Sum256([]byte(prefix + strings.Join(parts, "/")))
	n, digit, base := new(big.Int).SetBytes(sum[:]), new(big.Int), big.NewInt(int64(len(base62)))
	text := make([]byte, idLength)
	for i := range text {
		n.DivMod(n, base, digit)
		text[i] = base62[digit.Int64()]
	}
	return prefix + string(text)
}

// NewKey returns a secret of 160 random bits in base 62, fit for a URL.
func NewKey() string { return random62(keyLength) }

// IsID tells whether s has the form of an id with this prefix.
func IsID(prefix, s string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) < 14 || len(rest) > 64 {
		return false
	}
	for _, c := range []byte(rest) {
		if strings.IndexByte(base62, c) < 0 {
			return false
		}
	}
	return true
}

// random62 draws n characters. Bytes that would make some of them likelier
// than others are thrown away.
func random62(n int) string {
	const even = 256 - 256%len(base62)
	text := make([]byte, 0, n)
	var drawn [keyLength + 5]byte
	for {
		_, _ = rand.Read(drawn[:]) // never fails (crypto/rand)
		for _, c := range drawn {
			if int(c) < even {
				text = append(text, base62[int(c)%len(base62)])
			}
			if len(text) == n {
				return string(text)
			}
		}
	}
}

// A Secret is a credential: a key, a token, a password. Printed, logged or
// marshalled it is Redacted, also as a field of something else; only a conversion
// to string gives it away.
type Secret string

// Redacted stands in logs where a secret is.
const Redacted = "[secret]"

// LogValue is Redacted.
func (Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }

// Format writes Redacted for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Redacted)) }

// MarshalText is Redacted: a secret that is to be sent or stored is converted first.
func (Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }
