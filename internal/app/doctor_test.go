package app

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/testkit"
)

func TestConnectionsOfTheDoctorRefuseChanges(t *testing.T) {
	t.Parallel()
	url := testkit.Database(t, "empty", func(context.Context, *pgxpool.Pool) error { return nil }).Config().ConnString()
	pool, err := openReadOnly(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	const readOnly = "25006" // read_only_sql_transaction
	_, err = pool.Exec(t.Context(), `CREATE TABLE kept (id int)`)
	if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != readOnly {
		t.Errorf("got %v, want Postgres to refuse changes (%s)", err, readOnly)
	}
}
