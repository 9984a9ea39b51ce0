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

// An ownerRoom is what the limit of an owner leaves room for.
type ownerRoom struct {
	mu    sync.Mutex
	until time.Time
	room  *platen.UsageRoom // nil: there is no limit
}

// Accept is that of Accepting, and refuses events as platen.ErrUsageLimit does. If the limit
// cannot be known, the event is accepted.
func (l *Limited) Accept(ctx context.Context, event platen.SourceEvent) error {
	if event.Test {
		return l.Accepting.Accept(ctx, event)
	}
	if gate, err := l.Keys.SourceGate(ctx, event.SourceKey); err == nil {
		if refused := l.take(ctx, gate); refused != nil {
			if _, err := Find(ctx, l.DB, event); event.EventKey == "" || err != nil {
				return refused
			} // else it was accepted before
		}
	}
	return l.Accepting.Accept(ctx, event)
}

// take takes the room that an event of a source needs, or says why there is none.
func (l *Limited) take(ctx context.Context, gate platen.SourceGate) error {
	o := l.owner(gate.OwnerID)
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if now.After(o.until) {
		switch room, err := l.ask(ctx, gate.OwnerID); {
		case err != nil:
			o.until = now.Add(roomFor) // as far as anybody can tell
		case room != nil:
			o.room, o.until = room, now.Add(roomFor)
		default:
			o.room, o.until = nil, now.Add(unlimitedFor)
		}
	}
	makes := max(int64(gate.Documents), 1)
	if o.room == nil {
		return nil
	}
	if o.room.Left() < makes {
		return platen.ErrUsageLimit(now, *o.room, makes)
	}
	o.room.Used += makes
	return nil
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

func (l *Limited) ask(ctx context.Context, ownerID string) (*platen.UsageRoom, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keyPatience)
	defer cancel()
	type row struct {
		Most *int64 `db:"most"`
		Used *int64 `db:"used"`
	}
	r, _, err := postgres.CollectOne[row](ctx, l.DB.Pool(), `
		SELECT most, used
		FROM usage_standing(@owner, false)`, pgx.NamedArgs{"owner": ownerID})
	if err != nil {
		return nil, fmt.Errorf("ask for the room of an owner: %w", err)
	}
	if r.Most == nil {
		return nil, nil
	}
	return &platen.UsageRoom{Most: *r.Most, Used: *r.Used}, nil
}
