package store

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/drive/fault"
)

// RemovalLifetime is how long changes tell of a file that was removed, and how long
// a page token of theirs is taken.
const RemovalLifetime = 90 * 24 * time.Hour

// A ChangesToken is where a list of changes goes on: behind a file's change in a
// transaction. Transactions before Transaction have ended, so no change comes in
// behind a reader.
type ChangesToken struct {
	Transaction string `json:"x"`
	After       string `json:"a,omitempty"` // the file's id
	Issued      int64  `json:"t"`           // Unix seconds
}

// transactionPattern is a transaction's number, as Postgres writes it.
var transactionPattern = regexp.MustCompile(`^[1-9][0-9]{0,17}$`)

// String is the token as clients keep it; ParseChangesToken reads it.
func (t ChangesToken) String() string {
	raw, err := json.Marshal(t)
	if err != nil {
		panic(err) // strings and a number are always JSON
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// ParseChangesToken reads a page token of changes; one that is no such token, or too old
// at now, is a *fault.Error.
func ParseChangesToken(text string, now time.Time) (ChangesToken, error) {
	var t ChangesToken
	if text == "" {
		return t, fault.BadRequest("required", "Required parameter: pageToken").At("parameter", "pageToken")
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(raw, &t) != nil || !transactionPattern.MatchString(t.Transaction) || !isStorable(t.After) {
		return t, fault.InvalidParameter("pageToken", "Invalid Value: a page token of changes comes from changes.getStartPageToken or changes.list.")
	}
	if now.Sub(time.Unix(t.Issued, 0)) > RemovalLifetime {
		return t, staleChangesToken()
	}
	return t, nil
}

func staleChangesToken() *fault.Error {
	return fault.InvalidParameter("pageToken", "The page token is no longer valid: list all files, and begin again with changes.getStartPageToken.")
}

// Change is what changes.list tells of a file.
type Change struct {
	Transaction string    `db:"transaction"`
	FileID      string    `db:"file_id"`
	IsRemoved   bool      `db:"is_removed"`
	At          time.Time `db:"at"`
}

// Horizon is the first transaction that may not have ended, and the first that has
// not begun.
func (s *Store) Horizon(ctx context.Context) (open, next string, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT pg_snapshot_xmin(now)::text, pg_snapshot_xmax(now)::text
		FROM pg_current_snapshot() AS now`).Scan(&open, &next)
	if err != nil {
		return "", "", fmt.Errorf("read the horizon of changes: %w", err)
	}
	return open, next, nil
}

// Changes lists an owner's changes behind a token, in the order of transactions, and
// the horizon up to which it looked.
func (s *Store) Changes(ctx context.Context, owner string, t ChangesToken, limit int, withRemoved bool) ([]Change, string, error) {
	horizon, next, err := s.Horizon(ctx)
	if err != nil {
		return nil, "", err
	}
	if len(t.Transaction) > len(next) || len(t.Transaction) == len(next) && t.Transaction > next {
		return nil, "", staleChangesToken() // of a database that this one took the place of
	}
	rows, err := s.pool.Query(ctx, `
		SELECT transaction::text, file_id, is_removed, at
		FROM (
			SELECT changed_in AS transaction, id AS file_id, false AS is_removed, changed_at AS at
			FROM drive.files
			WHERE owner_id = @owner AND parent_id IS NOT NULL
				AND (changed_in, id) > (@from::text::xid8, @after) AND changed_in < @horizon::text::xid8
			UNION ALL
			SELECT removed_in, file_id, true, removed_at
			FROM drive.removals
			WHERE @removed AND owner_id = @owner
				AND (removed_in, file_id) > (@from::text::xid8, @after) AND removed_in < @horizon::text::xid8
		) AS c
		ORDER BY c.transaction, c.file_id
		LIMIT @limit`,
		pgx.NamedArgs{"owner": owner, "from": t.Transaction, "after": t.After, "horizon": horizon, "removed": withRemoved, "limit": limit})
	if err != nil {
		return nil, "", fmt.Errorf("list changes: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[Change])
	if err != nil {
		return nil, "", fmt.Errorf("list changes: %w", err)
	}
	return found, horizon, nil
}

// Owned reads files of an owner's by their ids.
func (s *Store) Owned(ctx context.Context, owner string, ids []string) (map[string]File, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT `+fileColumns+`
		FROM drive.files f
		LEFT JOIN drive.contents c ON c.sha256 = f.sha256
		WHERE f.owner_id = @owner AND f.id = ANY (@ids)`,
		pgx.NamedArgs{"owner": owner, "ids": ids})
	if err != nil {
		return nil, fmt.Errorf("read changed files: %w", err)
	}
	files, err := pgx.CollectRows(rows, pgx.RowToStructByName[File])
	if err != nil {
		return nil, fmt.Errorf("read changed files: %w", err)
	}
	byID := make(map[string]File, len(files))
	for _, f := range files {
		byID[f.ID] = f
	}
	return byID, nil
}
