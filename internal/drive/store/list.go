package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/platenhq/platen/internal/drive/fault"
)

// Listing is a request for a page of files.
type Listing struct {
	Query, OrderBy, PageToken string
	PageSize                  int
	Lag                       Lag
	// IsEmpty has the query checked, but finds no file.
	IsEmpty bool
}

// Lag is how long ago a file must have been created to be listed, and how long
// ago one in so many.
type Lag struct {
	Usual, Long time.Duration
	LongOneIn   int
}

// condition leaves out the files that a list does not have yet.
func (l Lag) condition(args pgx.NamedArgs) string {
	if l.Usual == 0 {
		return "true"
	}
	args["lag"], args["long_lag"], args["long_one_in"] = l.Usual, l.Long, l.LongOneIn
	return "f.created_at <= now() - CASE hashtext(f.id) % @long_one_in::integer WHEN 0 THEN @long_lag::interval ELSE @lag::interval END"
}

// sortKey is an expression over a file, and its type to compare it with a
// value of a page token.
type sortKey struct {
	sql, sqlType string
	descending   bool
}

// defaultOrder has the newest change first.
const defaultOrder = "modifiedTime desc"

func parseOrder(orderBy string) ([]sortKey, error) {
	if strings.TrimSpace(orderBy) == "" {
		orderBy = defaultOrder
	}
	var keys []sortKey
	for part := range strings.SplitSeq(orderBy, ",") {
		words := strings.Fields(part)
		// Google takes "asc" too, though it does not say so.
		if len(words) == 0 || len(words) > 2 || len(words) == 2 && words[1] != "desc" && words[1] != "asc" || len(keys) == 8 {
			return nil, fault.InvalidParameter("orderBy", "Invalid Value: orderBy is a list of sort keys, each with \"desc\" after it or not.")
		}
		key := sortKey{descending: len(words) == 2 && words[1] == "desc"}
		switch words[0] {
		case "createdTime", "sharedWithMeTime":
			key.sql, key.sqlType = "f.created_at", "timestamptz"
		case "modifiedTime", "modifiedByMeTime", "recency", "viewedByMeTime":
			key.sql, key.sqlType = "f.modified_at", "timestamptz"
		case "folder":
			key.sql, key.sqlType = "(f.mime_type <> '"+FolderType+"')", "boolean"
		case "name", "name_natural":
			key.sql, key.sqlType = `lower(f.name) COLLATE "C"`, "text"
		case "quotaBytesUsed":
			key.sql, key.sqlType = "coalesce(c.size, 0)", "bigint"
		case "starred":
			key.sql, key.sqlType = "f.starred", "boolean"
		default:
			return nil, fault.InvalidParameter("orderBy", "Invalid Value: unknown sort key %s.", words[0])
		}
		keys = append(keys, key)
	}
	return append(keys, sortKey{sql: "f.id", sqlType: "text"}), nil
}

// pageToken is where the page before ended, so that files which come and go
// meanwhile neither repeat nor hide others.
type pageToken struct {
	Request string   `json:"r"` // identifies the request that it continues
	After   []string `json:"a"` // sort keys of the last file
}

func (l Listing) fingerprint() string {
	h := sha256.Sum256([]byte(l.Query + "\x00" + l.OrderBy))
	return base64.RawURLEncoding.EncodeToString(h[:9])
}

// List returns a page and the token of the next one, empty after the last.
func (s *Store) List(ctx context.Context, user User, l Listing) ([]File, string, error) {
	args := pgx.NamedArgs{"owner": user.ID}
	condition, _, err := ParseQuery(l.Query, user, args)
	if err != nil {
		return nil, "", err
	}
	if l.IsEmpty {
		return nil, "", nil
	}
	keys, err := parseOrder(l.OrderBy)
	if err != nil {
		return nil, "", err
	}
	after := "true"
	if l.PageToken != "" {
		if after, err = l.after(keys, args); err != nil {
			return nil, "", err
		}
	}
	var order, texts []string
	for _, k := range keys {
		direction := " ASC"
		if k.descending {
			direction = " DESC"
		}
		order, texts = append(order, k.sql+direction), append(texts, "("+k.sql+")::text")
	}
	args["limit"] = l.PageSize + 1
	rows, err := s.pool.Query(ctx, `
		SELECT `+fileColumns+`, ARRAY[`+strings.Join(texts, ", ")+`] AS keys
		FROM drive.files f
		LEFT JOIN drive.contents c ON c.sha256 = f.sha256
		WHERE f.owner_id = @owner AND f.parent_id IS NOT NULL AND `+condition+` AND `+l.Lag.condition(args)+` AND `+after+`
		ORDER BY `+strings.Join(order, ", ")+`
		LIMIT @limit`, args)
	if err != nil {
		return nil, "", listError(l, err)
	}
	type listed struct {
		File
		Keys []string `db:"keys"`
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[listed])
	if err != nil {
		return nil, "", listError(l, err)
	}
	next := ""
	if len(found) > l.PageSize {
		found = found[:l.PageSize]
		token, err := json.Marshal(pageToken{l.fingerprint(), found[l.PageSize-1].Keys})
		if err != nil {
			return nil, "", fmt.Errorf("list files: %w", err)
		}
		next = base64.RawURLEncoding.EncodeToString(token)
	}
	var files []File
	for _, f := range found {
		files = append(files, f.File)
	}
	return files, next, nil
}

// after is the condition that leaves out everything up to the page token.
func (l Listing) after(keys []sortKey, args pgx.NamedArgs) (string, error) {
	var token pageToken
	raw, err := base64.RawURLEncoding.DecodeString(l.PageToken)
	if err != nil || json.Unmarshal(raw, &token) != nil || token.Request != l.fingerprint() || len(token.After) != len(keys) {
		return "", invalidPageToken()
	}
	var equal string
	var cases []string
	for i, k := range keys {
		if !isStorable(token.After[i]) {
			return "", invalidPageToken()
		}
		name := fmt.Sprintf("after%d", i)
		args[name] = token.After[i]
		value := "@" + name + "::text::" + k.sqlType
		operator := " > "
		if k.descending {
			operator = " < "
		}
		cases = append(cases, "("+equal+k.sql+operator+value+")")
		equal += k.sql + " = " + value + " AND "
	}
	return "(" + strings.Join(cases, " OR ") + ")", nil
}

func invalidPageToken() *fault.Error {
	return fault.InvalidParameter("pageToken", "Invalid Value: a page token belongs to the q and orderBy of the request that returned it.")
}

// listError tells a forged page token, whose values Postgres cannot convert
// (class 22 of its error codes), from a fault of ours.
func listError(l Listing, err error) error {
	var pg *pgconn.PgError
	if l.PageToken != "" && errors.As(err, &pg) && strings.HasPrefix(pg.Code, "22") {
		return invalidPageToken()
	}
	return fmt.Errorf("list files: %w", err)
}
