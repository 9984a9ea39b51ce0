package platen

import (
	"strings"
)

// A Claim is what became of the wish to be the first request with an
// idempotency key.
type Claim struct {
	// ID is set when this request is the first: its answer is to be kept, or
	// the claim released, under this id.
	ID string
	// Same: the request that came first was the same as this one.
	Same bool
	// Answer is that of the first request; nil while it is under way.
	Answer []byte
}

// EventKeyHeaders are those by which a sender names its event, the first that is there:
// Idempotency-Key, and the webhook-id of Standard Webhooks.
func EventKeyHeaders() []string { return []string{"Idempotency-Key", "Webhook-Id"} }

// EventKey is the key of an event that its sender named by a header. Those of tests are
// apart from others: a sender may try an event as a test first, and send it then.
func EventKey(header, value string, test bool) string {
	key := header + ":" + value
	if test {
		key = TestHeader + ":" + key
	}
	return key
}

// EventKeyValue is the value that a key is of.
func EventKeyValue(key string) string {
	_, value, _ := strings.Cut(strings.TrimPrefix(key, TestHeader+":"), ":")
	return value
}

// EventKeys are the keys that a value may be of; none of an empty one.
func EventKeys(value string, test bool) (keys []string) {
	if value == "" {
		return nil
	}
	for _, header := range EventKeyHeaders() {
		keys = append(keys, EventKey(header, value, test))
	}
	return keys
}
