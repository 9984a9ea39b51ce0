package platen

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A BounceAddress is where mails that cannot be delivered come back to (RFC 5321, section
// 3.6.3). Each mail has one of its own, which names it.
type BounceAddress struct{ before, host string }

// bounceSignature is how many bytes keep an address from being made up, and bounceToken how
// many characters name a mail in one. maxLocalPart is the longest that may stand before the @
// (RFC 5321, section 4.5.3.1.1).
const (
	bounceSignature = 10
	bounceToken     = 46
	maxLocalPart    = 64
)

// bounceAlphabet has no capitals: servers on the way may make them small.
var bounceAlphabet = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// ParseBounceAddress reads bounces@example.com, in which what names a mail stands behind a
// "+", or a domain alone, such as bounces.example.com, in which it stands before the @.
func ParseBounceAddress(text string) (BounceAddress, error) {
	local, host, found := strings.Cut(text, "@")
	if !found {
		local, host = "", text
	}
	switch {
	case !IsEmailAddress("x" + local + "@" + host):
		return BounceAddress{}, errors.New("it is neither an address, such as bounces@example.com, nor a domain, such as bounces.example.com")
	case !found:
		return BounceAddress{host: host}, nil
	case local == "":
		return BounceAddress{}, errors.New("it has nothing before the @; give an address, or a domain without @")
	case len(local)+1+bounceToken > maxLocalPart:
		return BounceAddress{}, fmt.Errorf("it has more than %d characters before the @, and each mail adds %d", maxLocalPart-1-bounceToken, 1+bounceToken)
	}
	return BounceAddress{before: local + "+", host: host}, nil
}

// Of is the address of a mail about an output. Nobody without the key can guess it.
func (a BounceAddress) Of(key []byte, outputID string, number int) string {
	id := strings.TrimPrefix(outputID, PrefixOutput)
	named := append(binary.AppendUvarint(nil, uint64(max(number, 1))), id...)
	return a.before + bounceAlphabet.EncodeToString(append(named, signBounce(key, named)...)) + "@" + a.host
}

// ReadBounceAddress reads which mail an address of BounceAddress.Of is, that was signed with
// one of the keys. What stands before its last "+" and behind the @ does not count.
func ReadBounceAddress(keys [][]byte, address string) (outputID string, number int, ok bool) {
	local, _, _ := strings.Cut(strings.ToLower(address), "@")
	bytes, err := bounceAlphabet.DecodeString(local[strings.LastIndexByte(local, '+')+1:])
	if err != nil || len(bytes) <= bounceSignature {
		return "", 0, false
	}
	named, given := bytes[:len(bytes)-bounceSignature], bytes[len(bytes)-bounceSignature:]
	if !slices.ContainsFunc(keys, func(key []byte) bool { return hmac.Equal(given, signBounce(key, named)) }) {
		return "", 0, false
	}
	n, length := binary.Uvarint(named)
	if length <= 0 || !IsID(PrefixOutput, PrefixOutput+string(named[length:])) {
		return "", 0, false
	}
	return PrefixOutput + string(named[length:]), int(n), true
}

func signBounce(key, named []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(named)
	return mac.Sum(nil)[:bounceSignature]
}

// A Returned is what a message says of mails that did not arrive.
type Returned struct {
	To     []string // where it came to, as it says
	Failed []FailedRecipient
}

// A FailedRecipient is one that a mail did not reach, and is not tried for any more.
type FailedRecipient struct {
	// Final is the address that it could not be delivered to, and Original the one that the
	// mail was sent to, where that is another and known.
	Final, Original string
	Status          string // such as 5.1.1 (RFC 3463); empty: it is not known
}

// isOf tells whether a mail to an address is meant.
func (f FailedRecipient) isOf(address string) bool {
	return strings.EqualFold(f.Original, address) || strings.EqualFold(f.Final, address)
}

// CodeEmailBounced: the mail server took the mail, and it came back.
const CodeEmailBounced = "email_bounced"

// Bounce notes that the mail with a number about the same output came back from recipients,
// and tells whether that is news. Of another mail than that, those recipients count who are
// not sent to again because that one reached them. Where one recipient could be meant, it is,
// whatever address is named: those who pass mails on name another. With several and no known
// address, the mail came back from one of them.
func (m *Mail) Bounce(number int, failed []FailedRecipient) bool {
	isOther := number != max(m.Number, 1)
	var could []int // be meant
	for i, r := range m.Whom {
		isOf := r.Earlier == 0
		if isOther {
			isOf = r.Earlier == number
		}
		// A server that was asked about nobody may have taken the mail without saying so.
		if isOf && r.State != RecipientRefused && (r.State != RecipientPending || r.Status == "") {
			could = append(could, i)
		}
	}
	named, news := 0, 0
	for _, i := range could {
		at := slices.IndexFunc(failed, func(f FailedRecipient) bool { return len(could) == 1 && !isOther || f.isOf(m.Whom[i].Address) })
		if at < 0 {
			continue
		}
		if named++; m.Whom[i].State != RecipientBounced {
			news++
			m.Whom[i].State, m.Whom[i].Status = RecipientBounced, failed[at].Status
		}
	}
	switch {
	case named > 0 && news > 0:
		m.Accepted = m.count(RecipientAccepted)
	case named == 0 && !isOther && m.Code != CodeEmailBounced:
		m.Accepted = max(0, m.Accepted-1)
	default:
		return false
	}
	if m.State != MailPending { // what is left is still tried
		m.State = MailPartlySent
		if m.Accepted == 0 {
			m.State = MailBounced
		}
	}
	m.Code, m.Message = CodeEmailBounced, m.bouncedMessage(failed[0].Status)
	return true
}

func (m Mail) count(state RecipientState) (n int) {
	for _, r := range m.Whom {
		if r.State == state {
			n++
		}
	}
	return n
}

// ErrEmailBounced is KindInvalid for a mail that came back from some of its recipients before
// the last of them was tried; nil: it did not.
func (m Mail) ErrEmailBounced() error {
	at := slices.IndexFunc(m.Whom, func(r Recipient) bool { return r.State == RecipientBounced })
	if at < 0 {
		return nil
	}
	return Errorf(KindInvalid, CodeEmailBounced, "%s", m.bouncedMessage(m.Whom[at].Status))
}

func (m Mail) bouncedMessage(status string) string {
	why := ""
	if status != "" {
		why = " (" + status + ")"
	}
	if m.Accepted == 0 {
		return "The mail server took the mail, and it came back" + why + ". Nobody got it."
	}
	return fmt.Sprintf("The mail server took the mail, and it came back%s from %d of %d recipients.", why, max(1, m.count(RecipientBounced)), m.Recipients)
}
