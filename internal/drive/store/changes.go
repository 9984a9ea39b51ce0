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

// Horizon is the first transaction of this database that may not have ended, and the
// first of the server that has not begun. A snapshot has the open transactions of every
// database of the server; one whose session is connected to another database cannot
// write here (pg_stat_activity, "datid", which every user may read).
func (s *Store) Horizon(ctx context.Context) (open, next string, err error) {
	err = s.pool.QueryRow(ctx, `
		WITH now AS (SELECT pg_current_snapshot() AS snapshot),
		here AS (SELECT oid FROM pg_database WHERE datname = current_database()),
		elsewhere AS (
			SELECT l.transactionid FROM pg_locks l
			JOIN pg_stat_activity s ON s.pid = l.pid AND s.datid <> (SELECT oid FROM here)
			WHERE l.transactionid IS NOT NULL
		),
		ours AS (
			SELECT x FROM now, pg_snapshot_xip(snapshot) AS x
			WHERE x::xid NOT IN (SELECT transactionid FROM elsewhere)
			ORDER BY x LIMIT 1
		)
		SELECT coalesce((SELECT x FROM ours), pg_snapshot_xmax(snapshot))::text, pg_snapshot_xmax(snapshot)::text
		FROM now`).Scan(&open, &next)
	if err != nil {
		return "", "", fmt.Errorf("read the horizon of changes: %w", err)
	}
	return open, next, nil
}

// isEarlier reports whether transaction a is before b; both are numbers without leading zeros.
func isEarlier(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }

// Changes lists an owner's changes behind a token, in the order of transactions, and
// the token of those that come behind the horizon.
func (s *Store) Changes(ctx context.Context, owner string, t ChangesToken, limit int, withRemoved bool) ([]Change, ChangesToken, error) {
	horizon, next, err := s.Horizon(ctx)
	if err != nil {
		return nil, t, err
	}
	if isEarlier(next, t.Transaction) {
		return nil, t, staleChangesToken() // of a database that this one took the place of
	}
	behind := ChangesToken{Transaction: horizon, Issued: time.Now().Unix()}
	if !isEarlier(t.Transaction, horizon) {
		behind.Transaction, behind.After = t.Transaction, t.After // what was told is not told again
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
		return nil, t, fmt.Errorf("list changes: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[Change])
	if err != nil {
		return nil, t, fmt.Errorf("list changes: %w", err)
	}
	return found, behind, nil
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
