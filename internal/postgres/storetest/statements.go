package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// discretion watches in every test of the stores that no statement fails with values of
// customers: Postgres writes what a failure says into its log. It has each recorded.
type discretion struct {
	t   testing.TB
	ran *recorder
}

func (d discretion) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	d.ran.record(ctx, conn, data)
	return ctx
}

func (d discretion) TraceQueryEnd(_ context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	said, ok := errors.AsType[*pgconn.PgError](data.Err)
	if ok && (strings.Contains(said.Detail, "Failing row") || strings.Contains(said.Detail, "@") || strings.Contains(said.Where, "JSON data")) {
		d.t.Errorf("Postgres writes values into its log: %s: %s; %s", said.Message, said.Detail, said.Where)
	}
}
