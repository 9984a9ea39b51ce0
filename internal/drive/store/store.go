// Package store keeps the drive's accounts, files and contents in the schema "drive" of
// Postgres, and sweeps it. All of its statements and migrations stand here. What it
// refuses is a *fault.Error, fit for the client; any other error is the database's or
// one of this package's own. HTTP, Google's resources and what an office file means
// belong to package drive.
package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/cache"
)

// Errors of the Store's exported methods.
var (
	// ErrNotFound says that no such user, token or file is there, or that the
	// file is somebody else's.
	ErrNotFound = errors.New("not found")
	// ErrExists says that the e-mail address already has an account.
	ErrExists = errors.New("already exists")
	// ErrInvalid says that an argument cannot be stored; its text names which.
	ErrInvalid = errors.New("invalid")
	// ErrSchema says that the database lacks tables of this release, or all.
	ErrSchema = errors.New("the database lacks migrations of this release's drive: run 'platen migrate'")
)

// maxCached bounds the contents that one Store keeps in memory, in bytes.
const maxCached = 16 << 20

// Store keeps users, files and contents in the schema "drive". It is safe for
// use by several goroutines, and by several processes on one database.
type Store struct {
	pool *pgxpool.Pool
	// contents never go stale: they are keyed by their own hash.
	contents *cache.Cache[[]byte]
	drafts   *drafts // nil: none are kept
}

// New returns a Store on a migrated database; see Migrate. The pool stays
// the caller's.
func New(pool *pgxpool.Pool) *Store {
	return &Store{pool: pool, contents: cache.New(maxCached, func(b []byte) int { return len(b) })}
}

// InTx runs f in a transaction that commits when f returns nil.
func (s *Store) InTx(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, f)
}

// secret returns n random bytes in URL-safe base64.
func secret(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// NewFileID returns an id of the shape that Google gives: 33 characters of
// [A-Za-z0-9_-], the first of them a digit.
func NewFileID() string { return "1" + secret(24) }

// Hash is how bearer tokens and upload addresses are stored and looked up.
// They are long random strings, so a plain hash is enough.
func Hash(credential string) []byte {
	h := sha256.Sum256([]byte(credential))
	return h[:]
}

// isUnique reports a violated unique constraint; code 23505 is Postgres's
// unique_violation.
func isUnique(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505"
}

// isMissing reports a reference to a row that is gone; code 23503 is Postgres's
// foreign_key_violation.
func isMissing(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23503"
}
