package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/postgres"
)

func TestAConnectionInClearTextNamesItsHosts(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://u:p@db.example/d?sslmode=disable":              "db.example",
		"postgres://u:p@db.example/d?sslmode=prefer":               "db.example",
		"postgres://u:p@db.example/d?sslmode=allow":                "db.example",
		"postgres://u:p@10.0.0.1,10.0.0.2/d?sslmode=disable":       "10.0.0.1, 10.0.0.2",
		"postgres://u:p@db.example/d?sslmode=require":              "",
		"postgres://u:p@db.example/d?sslmode=verify-full":          "",
		"postgres://u:p@127.0.0.1/d?sslmode=disable":               "",
		"postgres://u:p@[::1]/d?sslmode=disable":                   "",
		"postgres://u:p@localhost/d":                               "",
		"postgres:///d?host=/var/run/postgresql&user=u":            "",
		"postgres://u:p@localhost,db.example/d?sslmode=disable":    "db.example",
		"postgres://u:p@db.example,10.0.0.1/d?sslmode=verify-full": "",
	} {
		c, err := pgxpool.ParseConfig(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := postgres.ClearText(c); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}
