package postgres

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
)

// dataKeySize is that of AES-256, in bytes.
const dataKeySize = 32

// The contexts of what a data key encrypts, and that of the key itself, such as
// AutomationBody for a source event and AutomationName for how its sender named it.
const (
	automationDataKey = "automations.data_key"
	AutomationBody    = "automations.body"
	eventPayload      = "events.payload"
	deliveryAnswer    = "deliveries.answer"
	AutomationName    = "automations.event_key"
)

// A DataKey encrypts the source data of one automation, the payloads of its events
// and the answers to them, or a version of a template, with AES-256-GCM under random
// nonces. The zero DataKey is that of erased data: it keeps nothing and opens nothing.
type DataKey struct {
	aead cipher.AEAD
	// Sealed is the key as it is stored, sealed by the vault.
	Sealed []byte
}

// NewDataKey makes the key of an automation.
func (v Vault) NewDataKey(automationID string) (DataKey, error) {
	return v.newKey(automationDataKey, automationID)
}

// newKey makes the key of a row; column is where it is stored.
func (v Vault) newKey(column, id string) (DataKey, error) {
	raw := make([]byte, dataKeySize)
	rand.Read(raw) // never fails: crypto/rand ends the program instead
	sealed, err := v.SealText(string(raw), column, id)
	if err != nil {
		return DataKey{}, err
	}
	return makeDataKey(raw, sealed)
}

// OpenDataKey reads the key of an automation as it is stored: null once its data was
// erased.
func (v Vault) OpenDataKey(sealed []byte, automationID string) (DataKey, error) {
	if sealed == nil {
		return DataKey{}, nil
	}
	return v.openKey(sealed, automationDataKey, automationID)
}

// openKey reads the key of a row as it is stored.
func (v Vault) openKey(sealed []byte, column, id string) (DataKey, error) {
	raw, err := v.OpenText(sealed, column, id)
	if err != nil {
		return DataKey{}, err
	}
	return makeDataKey([]byte(raw), sealed)
}

func makeDataKey(raw, sealed []byte) (DataKey, error) {
	block, err := aes.NewCipher(raw)
	if err != nil {
		return DataKey{}, fmt.Errorf("make a data key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return DataKey{}, fmt.Errorf("make a data key: %w", err)
	}
	return DataKey{aead: aead, Sealed: sealed}, nil
}

// Seal encrypts data for a column.
func (k DataKey) Seal(data []byte, column string) []byte {
	if k.aead == nil {
		return []byte{}
	}
	return k.aead.Seal(make([]byte, 0, len(data)+k.aead.Overhead()), nil, data, []byte(column))
}

// Open reads data of a column; an empty one was erased, or never had any.
func (k DataKey) Open(stored []byte, column string) ([]byte, error) {
	if len(stored) == 0 {
		return stored, nil
	}
	if k.aead == nil {
		return nil, fmt.Errorf("open %s: it is encrypted, and its key is gone", column)
	}
	data, err := k.aead.Open(nil, nil, stored, []byte(column))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", column, err)
	}
	return data, nil
}

// An originRow is what an automation was made of, as it is stored.
type originRow struct {
	DataKey   []byte `db:"data_key"`
	RequestID string `db:"request_id"`
	EventKey  []byte `db:"event_key"`
	Reference string `db:"reference"`
}

func (db *DB) openOrigin(automationID string, r originRow) (o origin, err error) {
	if o.key, err = db.vault.OpenDataKey(r.DataKey, automationID); err != nil {
		return o, err
	}
	name, err := o.key.Open(r.EventKey, AutomationName)
	o.requestID, o.eventKey, o.reference = r.RequestID, string(name), r.Reference
	return o, err
}

// originOf reads where an automation comes from, for an event about an output of it.
func (db *DB) originOf(ctx context.Context, q Querier, automationID string) (origin, error) {
	if known, ok := db.Automations.data.Get(automationID); ok {
		return known.origin, nil
	}
	r, ok, err := CollectOne[originRow](ctx, q, `
		SELECT data_key, request_id, event_key, reference
		FROM automations
		WHERE id = @id`, pgx.NamedArgs{"id": automationID})
	if err == nil && !ok {
		err = ErrAutomationNotFound(automationID)
	}
	if err != nil {
		return origin{}, err
	}
	return db.openOrigin(automationID, r)
}

// name gives an output the names of its source event, for the event about it.
func (o origin) name(of platen.Output) platen.Output {
	of.RequestID, of.EventKey, of.Reference = o.requestID, o.eventKey, o.reference
	return of
}

// dataKeyOf reads the key of an automation.
func (db *DB) dataKeyOf(ctx context.Context, q Querier, automationID string) (DataKey, error) {
	o, err := db.originOf(ctx, q, automationID)
	return o.key, err
}
