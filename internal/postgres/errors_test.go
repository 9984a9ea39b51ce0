package postgres_test

import (
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// refusing is the address of a server that ends each connection with an SQLSTATE.
func refusing(t *testing.T, state string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			backend := pgproto3.NewBackend(conn, conn)
			if _, err := backend.ReceiveStartupMessage(); err == nil {
				backend.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: state, Message: "could not write init file"})
				backend.Flush()
			}
			conn.Close()
		}
	}()
	return listener.Addr().String()
}

// A program that starts while its database has no room for a connection's files waits
// for it; one that may not connect says so.
func TestADatabaseThatCannotBeginAConnectionIsAway(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]bool{"XX000": true, "53100": true, "57P03": true, "28P01": false, "3D000": false} {
		_, err := postgres.Open(t.Context(), "postgres://platen@"+refusing(t, state)+"/platen?sslmode=disable", nil, postgres.Options{Part: postgres.PartFront})
		if err == nil {
			t.Fatalf("%s: the database opened", state)
		}
		if got := platen.KindOf(err) == platen.KindUnavailable; got != want {
			t.Errorf("%s: got %v, which says that it may pass: %v, want %v", state, err, got, want)
		}
	}
}
