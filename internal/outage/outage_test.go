package outage_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/platenhq/platen/internal/outage"
)

func TestWhatPassesByItselfIsToldFromWhatDoesNot(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		&pgconn.PgError{Code: "53300"}: true,  // too_many_connections
		&pgconn.PgError{Code: "57P03"}: true,  // cannot_connect_now
		&pgconn.PgError{Code: "08006"}: true,  // connection_failure
		&pgconn.PgError{Code: "40P01"}: true,  // deadlock_detected
		&pgconn.PgError{Code: "58030"}: true,  // io_error
		&pgconn.PgError{Code: "28P01"}: false, // invalid_password
		&pgconn.PgError{Code: "42P01"}: false, // undefined_table
		&pgconn.PgError{Code: "23505"}: false, // unique_violation
		&pgconn.PgError{Code: "XX000"}: false, // internal_error, of a statement
		io.ErrUnexpectedEOF:            true,
		context.DeadlineExceeded:       true,
		context.Canceled:               false,
		pgx.ErrNoRows:                  false,
		errors.New("another"):          false,
	} {
		if got := outage.OfPostgres(fmt.Errorf("read: %w", err)); got != want {
			t.Errorf("%v: got %v, want %v", err, got, want)
		}
	}
}
