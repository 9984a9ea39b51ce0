package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// knownFor is how long a key that a source has is not looked up again. It may
	// be long: what is stored is judged by the statement that stores it.
	knownFor = time.Minute
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
	db  *DB
	now func() time.Time

	mu     sync.RWMutex
	known  map[sourceHash]time.Time // until when that counts
	absent map[sourceHash]time.Time
	next   *keyQuestion // those that come while one is asked
	asking bool
}

type sourceHash = [sha256.Size]byte

// A keyQuestion is one statement, about all keys that came before it began.
type keyQuestion struct {
	hashes   map[sourceHash]bool // whether there is such a source
	err      error
	answered chan struct{}
}

// NewSourceKeys returns what knows no key yet.
func NewSourceKeys(db *DB) *SourceKeys {
	return &SourceKeys{db: db, now: time.Now, known: map[sourceHash]time.Time{}, absent: map[sourceHash]time.Time{}}
}

// CheckKey returns nil for a key that a source has, or had within a minute, of an
// archived workflow, too; KindNotFound for any other. When the database does
// not answer within a second or two, a key that was known before still is, and
// every other is KindUnavailable.
func (k *SourceKeys) CheckKey(ctx context.Context, key string) error {
	hash := sha256.Sum256([]byte(key))
	now := k.now()
	k.mu.RLock()
	until, seen := k.known[hash]
	absent := now.Before(k.absent[hash])
	k.mu.RUnlock()
	switch {
	case now.Before(until):
		return nil
	case absent:
		return errSourceUnknown()
	}
	q := k.ask(hash)
	select {
	case <-q.answered:
	case <-ctx.Done():
		return fmt.Errorf("look for a source key: %w", ctx.Err())
	}
	switch {
	case q.err != nil && seen:
		return nil // as far as anybody can tell
	case q.err != nil:
		return q.err
	case !q.hashes[hash]:
		return errSourceUnknown()
	}
	return nil
}

// ask adds a key to the next question, and has it asked.
func (k *SourceKeys) ask(hash sourceHash) *keyQuestion {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next == nil {
		k.next = &keyQuestion{hashes: map[sourceHash]bool{}, answered: make(chan struct{})}
	}
	q := k.next
	q.hashes[hash] = false
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
		if q.err = findKeys(k.db.pool, q.hashes); q.err == nil {
			k.remember(q.hashes)
		}
		close(q.answered)
	}
}

func (k *SourceKeys) remember(hashes map[sourceHash]bool) {
	now := k.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	for hash, found := range hashes {
		if found {
			keep(k.known, hash, now.Add(knownFor), maxKnownKeys)
			delete(k.absent, hash)
		} else {
			keep(k.absent, hash, now.Add(unknownFor), maxUnknownKeys)
			delete(k.known, hash)
		}
	}
}

// keep forgets all others where there are too many: they are looked up again.
func keep(in map[sourceHash]time.Time, hash sourceHash, until time.Time, most int) {
	if len(in) >= most {
		clear(in)
	}
	in[hash] = until
}

// findKeys sets those of the hashes that a source has.
func findKeys(q querier, hashes map[sourceHash]bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), keyPatience)
	defer cancel()
	asked := make([][]byte, 0, len(hashes))
	for hash := range hashes {
		asked = append(asked, hash[:])
	}
	rows, err := q.Query(ctx, `
		SELECT key_hash
		FROM sources
		WHERE key_hash = ANY (@hashes)`, pgx.NamedArgs{"hashes": asked})
	if err != nil {
		return fmt.Errorf("look for source keys: %w", classify(err))
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		return fmt.Errorf("look for source keys: %w", classify(err))
	}
	for _, hash := range found {
		hashes[sourceHash(hash)] = true
	}
	return nil
}
