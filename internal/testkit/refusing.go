package testkit

import (
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Refusing stands before the Postgres server at a host and port. It ends the nth connection,
// counted from 1, with the SQLSTATE that refuses returns, and passes on one for which that is
// empty. It returns its own host and port, and stops with the test. Clients connect with
// sslmode=disable.
func Refusing(t testing.TB, server string, refuses func(n int) (state string)) (address string) {
	t.Helper()
	listener := Listen(t)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for n := 1; ; n++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if state := refuses(n); state != "" {
				refuse(conn, state)
			} else {
				go passOn(conn, server)
			}
		}
	}()
	return listener.Addr().String()
}

func refuse(conn net.Conn, state string) {
	defer conn.Close()
	backend := pgproto3.NewBackend(conn, conn)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return
	}
	backend.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: state, Message: "refused by a test"})
	_ = backend.Flush() // a client that is gone misses nothing
}

func passOn(conn net.Conn, server string) {
	defer conn.Close()
	to, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	go func() {
		defer to.Close()
		_, _ = io.Copy(to, conn) // it ends when either side does
	}()
	_, _ = io.Copy(conn, to)
}
