package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

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
	case isUnavailable(err):
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

// isUnavailable tells whether the same statement may succeed later.
func isUnavailable(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		// A server that cannot begin a connection, because its disk is full, says XX000.
		isNew := errors.As(err, new(*pgconn.ConnectError))
		return isUnavailableState(pg.Code) || isNew && strings.HasPrefix(pg.Code, "XX")
	}
	var network net.Error
	return errors.As(err, new(*pgconn.ConnectError)) ||
		errors.As(err, &network) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, context.DeadlineExceeded) ||
		pgconn.SafeToRetry(err) || pgconn.Timeout(err)
}

// isUnavailableState reads an SQLSTATE (PostgreSQL manual, appendix A).
func isUnavailableState(code string) bool {
	switch code {
	case "40001", // serialization_failure
		"40P01", // deadlock_detected
		"25006", // read_only_sql_transaction: a standby after a failover
		"25P03", // idle_in_transaction_session_timeout
		"55P03", // lock_not_available
		"57014": // query_canceled, by a statement timeout: ours end in a context error
		return true
	}
	return strings.HasPrefix(code, "08") || // connection exceptions
		strings.HasPrefix(code, "53") || // insufficient resources, too_many_connections
		strings.HasPrefix(code, "57P") || // shutdown, starting up
		strings.HasPrefix(code, "58") // system errors: disk and the like
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
