package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/platenhq/platen/internal/outage"
	"github.com/platenhq/platen/internal/platen"
)

// RetryAfter is the Retry-After when the database does not answer: a failover takes
// seconds.
const RetryAfter = 5 * time.Second

// Classify turns what pgx returned into an error with a kind, once. A
// cancelled context stays what it is: nobody waits for the answer.
func Classify(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*platen.Error)), errors.Is(err, context.Canceled):
		return err
	case outage.OfPostgres(err):
		return &platen.Error{
			Kind: platen.KindUnavailable, Code: "database_unavailable",
			Message: "the database does not answer; try again", RetryAfter: RetryAfter, Err: err,
		}
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (pg.Code == "22021" || pg.Code == "22P05") {
		return &platen.Error{
			Kind: platen.KindInvalid, Code: "invalid_text",
			Message: "a text contains U+0000 or is not UTF-8: remove it", Err: err,
		}
	}
	return err
}

// IsUniqueViolation tells whether err is a violation of the named constraint.
func IsUniqueViolation(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505" && pg.ConstraintName == constraint
}

// IsForeignKeyViolation tells whether err names a row that is not there.
func IsForeignKeyViolation(err error, constraint string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23503" && pg.ConstraintName == constraint
}
