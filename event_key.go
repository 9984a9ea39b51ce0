package platen

import "strings"

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
