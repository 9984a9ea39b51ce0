package store

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// MaxContent is the most bytes that one file may have.
const MaxContent = 32 << 20

// Blob is content on its way into the store.
type Blob struct {
	body   []byte
	Sha256 []byte
	sha1   []byte
	md5    []byte
}

// NewBlob hashes bytes to be stored; nil is an empty content.
func NewBlob(body []byte) *Blob {
	strong, weak, weakest := sha256.Sum256(body), sha1.Sum(body), md5.Sum(body)
	if body == nil {
		body = []byte{}
	}
	return &Blob{body: body, Sha256: strong[:], sha1: weak[:], md5: weakest[:]}
}

// putContent returns the statement that stores a blob once for all files with
// its bytes, if the given part of a query has a row. Updating a row that is
// there already locks it, so that a sweep cannot take it away before the file
// that wants it is committed.
func putContent(where string) string {
	return `
			INSERT INTO drive.contents (sha256, sha1, md5, size, body)
			SELECT @sha256::bytea, @sha1::bytea, @md5::bytea, @size::bigint, @body::bytea
			FROM ` + where + `
			ON CONFLICT (sha256) DO UPDATE SET orphaned_at = NULL
			RETURNING sha256, sha1, md5, size`
}

// putArgs adds the arguments of putContent to args.
func (b *Blob) putArgs(args pgx.NamedArgs) pgx.NamedArgs {
	args["sha256"], args["sha1"], args["md5"], args["size"], args["body"] = b.Sha256, b.sha1, b.md5, len(b.body), b.body
	return args
}

// put stores the bytes in a transaction of the caller's.
func (b *Blob) put(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, putContent("(VALUES (1)) AS one"), b.putArgs(pgx.NamedArgs{}))
	if err != nil {
		return fmt.Errorf("store content: %w", err)
	}
	return nil
}

// querier is what a pool and a transaction have in common.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Keep has a blob that was stored at hand for the next that asks for its content.
func (s *Store) Keep(b *Blob) { s.contents.Put(string(b.Sha256), b.body) }

// Content returns the bytes with that hash, or ErrNotFound, read in tx, nil for none.
// They are shared with other requests: nobody may write to them.
func (s *Store) Content(ctx context.Context, tx pgx.Tx, hash []byte) ([]byte, error) {
	if body, ok := s.drafts.content(hash); ok {
		return body, nil
	}
	if body, ok := s.contents.Get(string(hash)); ok {
		return body, nil
	}
	var q querier = s.pool
	if tx != nil {
		q = tx
	}
	var body []byte
	err := q.QueryRow(ctx, `SELECT body FROM drive.contents WHERE sha256 = @sha256`,
		pgx.NamedArgs{"sha256": hash}).Scan(&body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("read content %.4x: %w", hash, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read content %.4x: %w", hash, err)
	}
	s.contents.Put(string(hash), body)
	return body, nil
}
