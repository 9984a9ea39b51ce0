package delivery

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/platenhq/platen/internal/platen"
)

// The form of a signing secret (Standard Webhooks, "Signature scheme"): the
// prefix, then bytes in base64.
const (
	secretPrefix = "whsec_"
	secretBytes  = 32
	minSecret    = 24 // bytes that a secret which was not made here must have
)

// NewSecret makes a signing secret.
func NewSecret() platen.Secret {
	b := make([]byte, secretBytes)
	_, _ = rand.Read(b) // never fails: it ends the program instead
	return platen.Secret(secretPrefix + base64.StdEncoding.EncodeToString(b))
}

// sign returns one signature for each secret, separated by spaces, so that a
// receiver can change its secret while events arrive.
func sign(e platen.Event, secrets []platen.Secret, at time.Time) (string, error) {
	if len(secrets) == 0 {
		return "", platen.Errorf(platen.KindInternal, "signing_secret_missing", "The outgoing webhook has no signing secret.")
	}
	var signatures []string
	for _, secret := range secrets {
		// The library takes an empty secret without a word.
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(secret), secretPrefix))
		if err != nil || len(key) < minSecret {
			return "", platen.Errorf(platen.KindInternal, "signing_secret_unusable", "A signing secret of the outgoing webhook is not %s and at least %d bytes in base64.", secretPrefix, minSecret)
		}
		webhook, err := standardwebhooks.NewWebhookRaw(key)
		if err != nil {
			return "", fmt.Errorf("sign the event: %w", err)
		}
		signature, err := webhook.Sign(e.ID, at, e.Payload)
		if err != nil {
			return "", fmt.Errorf("sign the event: %w", err)
		}
		signatures = append(signatures, signature)
	}
	return strings.Join(signatures, " "), nil
}
