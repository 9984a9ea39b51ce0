package hooks

import (
	"context"

	"github.com/platenhq/platen"
)

// Acceptor stores source events. Accept returns nil only after the event is
// committed. It answers KindNotFound for an unknown source key, KindGone for
// an archived workflow, KindUnavailable when the database does not answer
// within its bounded try. Accepting the same AutomationID twice stores it once,
// and so does the same EventKey for one source.
type Acceptor interface {
	Accept(ctx context.Context, event platen.SourceEvent) error
}

// Keys knows source keys without storing anything. CheckKey answers KindNotFound
// for a key that no source has; any other error says that it cannot be known
// now. That a key is known promises nothing: Accept judges each event.
type Keys interface {
	CheckKey(ctx context.Context, key string) error
}
