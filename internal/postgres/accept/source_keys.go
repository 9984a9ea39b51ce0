package accept

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

const (
	// knownFor is how long a key that a source has is not looked up again. It may
	// be long: what is stored is judged by the statement that stores it.
	knownFor = time.Minute
	// freshFor is how long what a source asks of senders is relied on when a sender
	// does not meet it.
	freshFor = 2 * time.Second
	// unknownFor is the same for a key that no source has.
	unknownFor = 5 * time.Second
	// How many keys are remembered of each kind: some ten and one megabytes.
	maxKnownKeys   = 100_000
	maxUnknownKeys = 10_000
	// keyPatience is how long the database may take to say which keys there are.
	keyPatience = time.Second
)

// SourceKeys says which source keys there are, so that the body of an event is
// not read for a key that no source has. What it has seen it remembers for a
// while; keys that come while the database is asked are asked for together, on
// one connection. It is safe for concurrent use.
type SourceKeys struct {
	db  *postgres.DB
	now func() time.Time

	mu     sync.RWMutex
	known  map[sourceHash]knownSource
	absent map[sourceHash]time.Time // until when that counts
	next   *keyQuestion             // those that come while one is asked
	asking bool
}

type sourceHash = [sha256.Size]byte

// A knownSource is what a key leads to.
type knownSource struct {
	gate  platen.SourceGate
	since time.Time
	until time.Time // when it is looked up again; of a previous address, its end at most
	end   time.Time // of a previous address; zero: none
	err   error     // why what it asks of senders cannot be read; never remembered
}

// A keyQuestion is one statement, about all keys that came before it began.
type keyQuestion struct {
	hashes   map[sourceHash]*knownSource // nil: there is no such source
	err      error
	answered chan struct{}
}

// NewSourceKeys returns what knows no key yet.
func NewSourceKeys(db *postgres.DB) *SourceKeys {
	return &SourceKeys{db: db, now: time.Now, known: map[sourceHash]knownSource{}, absent: map[sourceHash]time.Time{}}
}

// SourceGate returns what is to be known of the source that has the key, or had it
// within a minute, of an archived workflow, too; KindNotFound for any other key.
// When the database does not answer within a second or two, a key that was known
// before still is, and every other is KindUnavailable.
func (k *SourceKeys) SourceGate(ctx context.Context, key string) (platen.SourceGate, error) {
	return k.gate(ctx, key, knownFor)
}

// FreshGate is SourceGate with a cache of at most two seconds: what the source asks of
// senders may have changed.
func (k *SourceKeys) FreshGate(ctx context.Context, key string) (platen.SourceGate, error) {
	return k.gate(ctx, key, freshFor)
}

func (k *SourceKeys) gate(ctx context.Context, key string, within time.Duration) (platen.SourceGate, error) {
	hash := sha256.Sum256([]byte(key))
	now := k.now()
	k.mu.RLock()
	source, seen := k.known[hash]
	absent := now.Before(k.absent[hash])
	k.mu.RUnlock()
	if !source.end.IsZero() && !now.Before(source.end) {
		seen = false // an address that has ended is unknown
	}
	switch {
	case seen && now.Before(source.until) && now.Before(source.since.Add(within)):
		return source.gate, nil
	case absent:
		return platen.SourceGate{}, errSourceUnknown()
	}
	q := k.ask(hash)
	select {
	case <-q.answered:
	case <-ctx.Done():
		return platen.SourceGate{}, fmt.Errorf("look for a source key: %w", ctx.Err())
	}
	switch {
	case q.err != nil && seen:
		return source.gate, nil // as far as anybody can tell
	case q.err != nil:
		return platen.SourceGate{}, q.err
	case q.hashes[hash] == nil:
		return platen.SourceGate{}, errSourceUnknown()
	}
	return q.hashes[hash].gate, q.hashes[hash].err
}

// ask adds a key to the next question, and has it asked.
func (k *SourceKeys) ask(hash sourceHash) *keyQuestion {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next == nil {
		k.next = &keyQuestion{hashes: map[sourceHash]*knownSource{}, answered: make(chan struct{})}
	}
	q := k.next
	q.hashes[hash] = nil
	if !k.asking {
		k.asking = true
		go k.answer()
	}
	return q
}

// answer asks one question after the other, as long as there are some.
func (k *SourceKeys) answer() {
	for {
		k.mu.Lock()
		q := k.next
		k.next = nil
		k.asking = q != nil
		k.mu.Unlock()
		if q == nil {
			return
		}
		if q.err = k.find(q.hashes); q.err == nil {
			k.remember(q.hashes)
		}
		close(q.answered)
	}
}

func (k *SourceKeys) remember(hashes map[sourceHash]*knownSource) {
	now := k.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	for hash, found := range hashes {
		if found == nil {
			keep(k.absent, hash, now.Add(unknownFor), maxUnknownKeys)
			delete(k.known, hash)
			continue
		}
		if found.err != nil {
			continue
		}
		found.since, found.until = now, now.Add(knownFor)
		keep(k.known, hash, *found, maxKnownKeys)
		delete(k.absent, hash)
	}
}

// keep forgets all others where there are too many: they are looked up again.
func keep[T any](in map[sourceHash]T, hash sourceHash, what T, most int) {
	if len(in) >= most {
		clear(in)
	}
	in[hash] = what
}

// find sets those of the hashes that a source has, or that lead to it for a while. A
// source of a disabled user waits for that user; an archived one is gone.
func (k *SourceKeys) find(hashes map[sourceHash]*knownSource) error {
	ctx, cancel := context.WithTimeout(context.Background(), keyPatience)
	defer cancel()
	asked := make([][]byte, 0, len(hashes))
	for hash := range hashes {
		asked = append(asked, hash[:])
	}
	type row struct {
		Hash         []byte     `db:"hash"`
		ID           string     `db:"id"`
		OwnerID      string     `db:"owner_id"`
		Documents    int        `db:"documents"`
		Verification []byte     `db:"verification"`
		Ends         *time.Time `db:"ends"`
		Disabled     bool       `db:"disabled"`
	}
	const documents = `(SELECT count(*) FROM documents d WHERE d.workflow_id = w.id AND d.state = 'READY')`
	const owned = `
		JOIN workflows w ON w.id = s.workflow_id
		JOIN users u ON u.id = w.owner_id`
	rows, err := postgres.Collect[row](ctx, k.db.Pool(), `
		SELECT s.key_hash AS hash, s.id, w.owner_id, `+documents+` AS documents, s.verification, NULL::timestamptz AS ends, u.disabled_at IS NOT NULL AND w.status <> 'ARCHIVED' AS disabled
		FROM sources s`+owned+`
		WHERE s.key_hash = ANY (@hashes)
		UNION ALL
		SELECT s.previous_key_hash, s.id, w.owner_id, `+documents+`, s.verification, s.previous_until, u.disabled_at IS NOT NULL AND w.status <> 'ARCHIVED'
		FROM sources s`+owned+`
		WHERE s.previous_key_hash = ANY (@hashes) AND s.previous_until > now()`, pgx.NamedArgs{"hashes": asked})
	if err != nil {
		return fmt.Errorf("look for source keys: %w", err)
	}
	for _, r := range rows {
		found := knownSource{gate: platen.SourceGate{SourceID: r.ID, OwnerID: r.OwnerID, Documents: r.Documents, Disabled: r.Disabled}}
		found.gate.Verification, found.err = k.db.Vault().OpenVerification(r.Verification, r.ID)
		if r.Ends != nil {
			found.end = *r.Ends
		}
		hashes[sourceHash(r.Hash)] = &found
	}
	return nil
}
