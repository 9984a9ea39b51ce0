// Package outage tells an error of Postgres that passes by itself from one that does not.
package outage

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// OfPostgres reports whether an error of pgx passes by itself, so that the same statement may
// succeed later: the server does not answer, has no room, ended the connection or gave up the
// statement for others (PostgreSQL manual, appendix A).
func OfPostgres(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		// A server that cannot begin a connection, because its disk is full, says XX000.
		isNew := errors.As(err, new(*pgconn.ConnectError))
		return isState(pg.Code) || isNew && strings.HasPrefix(pg.Code, "XX")
	}
	var network net.Error
	return errors.As(err, new(*pgconn.ConnectError)) ||
		errors.As(err, &network) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, context.DeadlineExceeded) ||
		pgconn.SafeToRetry(err) || pgconn.Timeout(err)
}

// isState reads an SQLSTATE.
func isState(code string) bool {
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
