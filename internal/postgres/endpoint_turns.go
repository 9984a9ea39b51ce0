package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/admission"
	"github.com/platenhq/platen/internal/cache"
	"github.com/platenhq/platen/internal/platen"
)

// endpointTurns lets changes of one endpoint take turns in this process, and keeps the
// row that the last one wrote for the next to compare with: attempts hold no connection
// while they wait for each other.
type endpointTurns struct {
	turns  *admission.Keyed
	recent *cache.Cache[seenEndpoint]
}

// maxRecentEndpoints bounds what is kept, in bytes.
const maxRecentEndpoints = 1 << 20

func newEndpointTurns() *endpointTurns {
	return &endpointTurns{turns: admission.NewKeyed(admission.Places{PerKey: 1}), recent: cache.New(maxRecentEndpoints, seenEndpoint.size)}
}

// writtenEndpoint is the database's answer to a write.
type writtenEndpoint struct {
	WrittenBy uint32    `db:"written_by"`
	Now       time.Time `db:"now"`
}

// A seenEndpoint is an endpoint as this process wrote it last.
type seenEndpoint struct {
	state     platen.EndpointState
	writtenBy uint32
	now       time.Time // of the database, when it wrote
	at        time.Time // of this process, then
}

func (e seenEndpoint) size() int { return 256 + 64*len(e.state.InFlight) }

// clock is the database's time, as far as it is known here: late by less than
// the way of the answer took.
func (e seenEndpoint) clock() time.Time { return e.now.Add(time.Since(e.at)) }

// An endpointTurn is held during a change of an endpoint.
type endpointTurn struct {
	of      *endpointTurns
	key     string
	release func() // gives it back
}

// take waits for the turn of an endpoint.
func (e *endpointTurns) take(ctx context.Context, key platen.EndpointKey) (endpointTurn, error) {
	name := key.OwnerID + "\x00" + key.URL
	release, err := e.turns.Take(ctx, name)
	return endpointTurn{of: e, key: name, release: release}, err
}

func (t endpointTurn) seen() (seenEndpoint, bool) { return t.of.recent.Get(t.key) }

// store is storeEndpoint, which it remembers; what is written in a transaction
// that does not commit is found out by the next comparison.
func (t endpointTurn) store(ctx context.Context, q Querier, key platen.EndpointKey, state platen.EndpointState, writtenBy uint32) (bool, error) {
	t.of.recent.Drop(t.key)
	r, ok, err := storeEndpoint(ctx, q, key, state, writtenBy)
	if err == nil && ok {
		state.InFlight = slices.Clone(state.InFlight)
		t.of.recent.Put(t.key, seenEndpoint{state: state, writtenBy: r.WrittenBy, now: r.Now.UTC(), at: time.Now()})
	}
	return ok, err
}
