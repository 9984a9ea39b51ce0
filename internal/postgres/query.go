package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A Querier is a pool or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// Collect runs a query and scans each row into a T by its db tags.
func Collect[T any](ctx context.Context, q Querier, sql string, args pgx.NamedArgs) ([]T, error) {
	rows, err := q.Query(ctx, sql, args)
	if err != nil {
		return nil, Classify(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	if err != nil {
		return nil, Classify(err)
	}
	return found, nil
}

// CollectOne is collect for the one row there may be; ok is false without one.
func CollectOne[T any](ctx context.Context, q Querier, sql string, args pgx.NamedArgs) (found T, ok bool, err error) {
	rows, err := q.Query(ctx, sql, args)
	if err != nil {
		return found, false, Classify(err)
	}
	found, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	if errors.Is(err, pgx.ErrNoRows) {
		return found, false, nil
	}
	if err != nil {
		return found, false, Classify(err)
	}
	return found, true, nil
}

// Execute runs a statement and returns how many rows it touched.
func Execute(ctx context.Context, q Querier, sql string, args pgx.NamedArgs) (int64, error) {
	tag, err := q.Exec(ctx, sql, args)
	if err != nil {
		return 0, Classify(err)
	}
	return tag.RowsAffected(), nil
}

// UTC drops the zone that pgx gives times (the machine's).
func UTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// CleanText makes what others sent into text that Postgres takes.
func CleanText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
