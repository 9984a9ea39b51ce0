package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Channel is that of Notify.
const Channel = "platen_automations"

// What a notification says when events come in faster than they can be stored
// one by one.
const CrowdedPayload = "crowded"

// OrderedPayload is what a notification says when automations wait for their places in an
// order, see Order.
const OrderedPayload = "ordered"

// Notify wakes all listeners. Outside a transaction it costs no write. It is kept out
// of the transactions that accept events: Postgres lets commits that notify pass one at
// a time, the wait for the disk included.
func Notify(ctx context.Context, q Querier, payload string) error {
	_, err := Execute(ctx, q, `SELECT pg_notify(@channel, @payload)`, pgx.NamedArgs{"channel": Channel, "payload": payload})
	return err
}
