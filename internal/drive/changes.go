package drive

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	driveapi "google.golang.org/api/drive/v3"
)

// removalLifetime is how long changes tell of a file that was removed, and how long
// a page token of theirs is taken.
const removalLifetime = 90 * 24 * time.Hour

// A changesToken is where a list of changes goes on: behind a file's change in a
// transaction. Transactions before Transaction have ended, so no change comes in
// behind a reader.
type changesToken struct {
	Transaction string `json:"x"`
	After       string `json:"a,omitempty"` // the file's id
	Issued      int64  `json:"t"`           // Unix seconds
}

// transactionPattern is a transaction's number, as Postgres writes it.
var transactionPattern = regexp.MustCompile(`^[1-9][0-9]{0,17}$`)

func (t changesToken) String() string {
	raw, err := json.Marshal(t)
	if err != nil {
		panic(err) // strings and a number are always JSON
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

func parseChangesToken(text string, now time.Time) (changesToken, error) {
	var t changesToken
	if text == "" {
		return t, badRequest("required", "Required parameter: pageToken").at("parameter", "pageToken")
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(raw, &t) != nil || !transactionPattern.MatchString(t.Transaction) || !isStorable(t.After) {
		return t, invalidParameter("pageToken", "Invalid Value: a page token of changes comes from changes.getStartPageToken or changes.list.")
	}
	if now.Sub(time.Unix(t.Issued, 0)) > removalLifetime {
		return t, staleChangesToken()
	}
	return t, nil
}

func staleChangesToken() *fault {
	return invalidParameter("pageToken", "The page token is no longer valid: list all files, and begin again with changes.getStartPageToken.")
}

// change is what changes.list tells of a file.
type change struct {
	Transaction string    `db:"transaction"`
	FileID      string    `db:"file_id"`
	IsRemoved   bool      `db:"is_removed"`
	At          time.Time `db:"at"`
}

// getStartPageToken answers a token for the changes that come from now on.
func (s *Server) getStartPageToken(w http.ResponseWriter, r *http.Request, _ User) error {
	m, err := parseFields(orAll(r.URL.Query().Get("fields")), driveapi.StartPageToken{})
	if err != nil {
		return err
	}
	if err := (&listing{}).within(r.URL.Query()); err != nil {
		return err
	}
	now, _, err := s.store.horizon(r.Context())
	if err != nil {
		return err
	}
	token := changesToken{Transaction: now, Issued: time.Now().Unix()}
	return writeJSON(w, http.StatusOK, m.apply(map[string]any{"kind": "drive#startPageToken", "startPageToken": token.String()}))
}

// listChanges answers the user's files that changed since a token was given, each
// with its last change.
func (s *Server) listChanges(w http.ResponseWriter, r *http.Request, user User) error {
	query := r.URL.Query()
	fields := query.Get("fields")
	if fields == "" {
		fields = "kind,nextPageToken,newStartPageToken,changes(kind,changeType,type,time,removed,fileId,file(" + defaultFields + "))"
	}
	m, err := parseFields(fields, driveapi.ChangeList{})
	if err != nil {
		return err
	}
	size, err := intParameter(query, "pageSize", defaultPageSize, maxPageSize)
	if err != nil {
		return err
	}
	token, err := parseChangesToken(query.Get("pageToken"), time.Now())
	if err != nil {
		return err
	}
	where := listing{}
	if err := where.within(query); err != nil {
		return err
	}
	found, horizon, err := s.store.changes(r.Context(), user.ID, token, size+1, query.Get("includeRemoved") != "false")
	if err != nil {
		return err
	}
	answer := map[string]any{"kind": "drive#changeList"}
	next := changesToken{Transaction: horizon, Issued: time.Now().Unix()}
	if len(found) > size {
		found = found[:size]
		last := found[size-1]
		next.Transaction, next.After = last.Transaction, last.FileID
		answer["nextPageToken"] = next.String()
	} else {
		answer["newStartPageToken"] = next.String()
	}
	changes := []any{}
	if !where.isEmpty {
		if changes, err = s.changeResources(r.Context(), user, found); err != nil {
			return err
		}
	}
	answer["changes"] = changes
	return writeJSON(w, http.StatusOK, m.apply(answer))
}

func (s *Server) changeResources(ctx context.Context, user User, found []change) ([]any, error) {
	var ids []string
	for _, c := range found {
		if !c.IsRemoved {
			ids = append(ids, c.FileID)
		}
	}
	files, err := s.store.owned(ctx, user.ID, ids)
	if err != nil {
		return nil, err
	}
	all := make([]any, len(found))
	for i, c := range found {
		f, isThere := files[c.FileID]
		r := map[string]any{
			"kind": "drive#change", "changeType": "file", "type": "file", "time": wireTime(c.At),
			"fileId": c.FileID, "removed": c.IsRemoved || !isThere,
		}
		if isThere && !c.IsRemoved {
			r["file"] = s.resource(f, user, user)
		}
		all[i] = r
	}
	return all, nil
}

// horizon is the first transaction that may not have ended, and the first that has
// not begun.
func (s *Store) horizon(ctx context.Context) (open, next string, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT pg_snapshot_xmin(now)::text, pg_snapshot_xmax(now)::text
		FROM pg_current_snapshot() AS now`).Scan(&open, &next)
	if err != nil {
		return "", "", fmt.Errorf("read the horizon of changes: %w", err)
	}
	return open, next, nil
}

// changes lists an owner's changes behind a token, in the order of transactions, and
// the horizon up to which it looked.
func (s *Store) changes(ctx context.Context, owner string, t changesToken, limit int, withRemoved bool) ([]change, string, error) {
	horizon, next, err := s.horizon(ctx)
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
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[change])
	if err != nil {
		return nil, "", fmt.Errorf("list changes: %w", err)
	}
	return found, horizon, nil
}

// owned reads files of an owner's by their ids.
func (s *Store) owned(ctx context.Context, owner string, ids []string) (map[string]file, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT `+fileColumns+`
		FROM drive.files f
		LEFT JOIN drive.contents c ON c.sha256 = f.sha256
		WHERE f.owner_id = @owner AND f.id = ANY (@ids)`,
		pgx.NamedArgs{"owner": owner, "ids": ids})
	if err != nil {
		return nil, fmt.Errorf("read changed files: %w", err)
	}
	files, err := pgx.CollectRows(rows, pgx.RowToStructByName[file])
	if err != nil {
		return nil, fmt.Errorf("read changed files: %w", err)
	}
	byID := make(map[string]file, len(files))
	for _, f := range files {
		byID[f.ID] = f
	}
	return byID, nil
}
