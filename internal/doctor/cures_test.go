package doctor

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestEachErrorOfTheDatabaseHasItsCure(t *testing.T) {
	t.Parallel()
	e := &examination{}
	e.Settings.DatabaseURL = "postgres://writer:canary@localhost/ledger"
	_, unreadable := pgx.ParseConfig("postgres://writer:can@ary@:x/")
	if unreadable == nil {
		t.Fatal("got no error for an address that cannot be read")
	}
	for words, err := range map[string]error{
		"Set PLATEN_DATABASE_URL":         errNoDatabase,
		"percent-encoding":                unreadable,
		"Correct the host":                &net.DNSError{Err: "no such host", Name: "nowhere.invalid"},
		"sslrootcert":                     &tls.CertificateVerificationError{Err: errors.New("unknown authority")},
		"Start Postgres":                  &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
		"createdb ledger --owner writer":  &pgconn.PgError{Code: "3D000"},
		"user and password":               &pgconn.PgError{Code: "28P01"},
		"max_connections":                 &pgconn.PgError{Code: "53300"},
		"rights that the message names":   &pgconn.PgError{Code: "42501"},
		"Wait until Postgres has started": &pgconn.PgError{Code: "57P03"},
		"Look at the log of Postgres":     &pgconn.PgError{Code: "XX000"},
	} {
		if got := e.databaseCure(fmt.Errorf("connect: %w", err)); !strings.Contains(got, words) || strings.Contains(got, "canary") {
			t.Errorf("%v: got %q, want %q in it", err, got, words)
		}
	}
}
