package accept

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

const (
	// roomFor is how long the room of an owner with a limit is relied on. What other processes
	// accept meanwhile may go over the limit.
	roomFor = time.Second
	// unlimitedFor is the same for an owner without a limit.
	unlimitedFor = 30 * time.Second
	// maxOwners is how many owners are remembered: some ten megabytes.
	maxOwners = 100_000
)

// Limited accepts the events of an Accepting while their owners may have more documents. It
// asks the database once a second for an owner who has a limit, and twice a minute for any
// other. Tests are not counted. It is safe for concurrent use.
type Limited struct {
	Accepting interface {
		Accept(ctx context.Context, event platen.SourceEvent) error
	}
	Keys *SourceKeys
	DB   *postgres.DB

	mu     sync.Mutex
	owners map[string]*ownerRoom
}

// An ownerRoom is how many events of an owner may still be accepted.
type ownerRoom struct {
	mu      sync.Mutex
	until   time.Time
	limited bool
	room    int64
}

// Accept is that of Accepting, and refuses events as platen.ErrUsageLimit does. If the limit
// cannot be known, the event is accepted.
func (l *Limited) Accept(ctx context.Context, event platen.SourceEvent) error {
	if event.Test {
		return l.Accepting.Accept(ctx, event)
	}
	if gate, err := l.Keys.SourceGate(ctx, event.SourceKey); err == nil && !l.take(ctx, gate.OwnerID) {
		if _, err := Find(ctx, l.DB, event); event.EventKey == "" || err != nil {
			return platen.ErrUsageLimit(time.Now())
		} // else it was accepted before
	}
	return l.Accepting.Accept(ctx, event)
}

// take tells whether an owner has room for an event, and takes it.
func (l *Limited) take(ctx context.Context, ownerID string) bool {
	o := l.owner(ownerID)
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := time.Now(); now.After(o.until) {
		switch room, limited, err := l.ask(ctx, ownerID); {
		case err != nil:
			o.until = now.Add(roomFor) // as far as anybody can tell
		case limited:
			o.limited, o.room, o.until = true, room, now.Add(roomFor)
		default:
			o.limited, o.until = false, now.Add(unlimitedFor)
		}
	}
	if !o.limited {
		return true
	}
	o.room--
	return o.room >= 0
}

func (l *Limited) owner(id string) *ownerRoom {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owners == nil || len(l.owners) >= maxOwners {
		l.owners = map[string]*ownerRoom{}
	}
	o := l.owners[id]
	if o == nil {
		o = &ownerRoom{}
		l.owners[id] = o
	}
	return o
}

func (l *Limited) ask(ctx context.Context, ownerID string) (room int64, limited bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keyPatience)
	defer cancel()
	type row struct {
		Room *int64 `db:"room"`
	}
	r, _, err := postgres.CollectOne[row](ctx, l.DB.Pool(), `SELECT usage_room(@owner, false) AS room`, pgx.NamedArgs{"owner": ownerID})
	if err != nil {
		return 0, false, fmt.Errorf("ask for the room of an owner: %w", err)
	}
	if r.Room == nil {
		return 0, false, nil
	}
	return *r.Room, true, nil
}
