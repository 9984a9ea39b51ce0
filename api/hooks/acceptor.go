package hooks

import (
	"context"

	"github.com/platenhq/platen/internal/platen"
)

// Acceptor stores source events. Accept returns nil only after the event is committed.
// It answers KindNotFound for an unknown source key, KindGone for an archived workflow,
// KindUnavailable when the database does not answer within its bounded try. Two events
// with the same AutomationID are stored once, as are two with the same EventKey for one
// source.
type Acceptor interface {
	Accept(ctx context.Context, event platen.SourceEvent) error
}

// Keys knows sources by their keys, without storing anything. Both answer
// KindNotFound for a key that leads to no source; any other error says that it
// cannot be known now. That a key is known promises nothing: Accept judges each
// event.
type Keys interface {
	// SourceGate may rely on what was known a while ago.
	SourceGate(ctx context.Context, key string) (platen.SourceGate, error)
	// FreshGate does not: it is asked when a sender does not meet what was known.
	FreshGate(ctx context.Context, key string) (platen.SourceGate, error)
}
