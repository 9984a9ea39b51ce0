package platen

import (
	"fmt"
	"log/slog"
)

// A Secret is a credential: a key, a token, a password. Printed, logged or
// marshalled it is Redacted, also as a field of something else; only a conversion
// to string gives it away.
type Secret string

// Redacted stands in logs where a secret is.
const Redacted = "[secret]"

// LogValue is Redacted.
func (Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }

// Format writes Redacted, whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Redacted)) }

// MarshalText is Redacted: a secret that is to be sent or stored is converted first.
func (Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }
