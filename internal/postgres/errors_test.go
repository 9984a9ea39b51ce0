package postgres_test

import (
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/testkit"
)

// A program that starts while its database has no room for a connection's files waits
// for it; one that may not connect says so.
func TestADatabaseThatCannotBeginAConnectionIsAway(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]bool{"XX000": true, "53100": true, "57P03": true, "28P01": false, "3D000": false} {
		_, err := postgres.Open(t.Context(), "postgres://platen@"+testkit.Refusing(t, "", func(int) string { return state })+"/platen?sslmode=disable", nil, postgres.Options{Part: postgres.PartFront})
		if err == nil {
			t.Fatalf("%s: the database opened", state)
		}
		if got := platen.KindOf(err) == platen.KindUnavailable; got != want {
			t.Errorf("%s: got %v, which says that it may pass: %v, want %v", state, err, got, want)
		}
	}
}
