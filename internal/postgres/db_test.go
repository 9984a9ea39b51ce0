package postgres_test

import (
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestAServerThatMayLoseWhatItAcknowledgedIsRefused(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	url := f.Owner.Config().ConnString() + "&synchronous_commit=off"
	_, err := postgres.Open(t.Context(), url, nil, postgres.Options{})
	storetest.WantKind(t, "unsafe", err, platen.KindInvalid, "unsafe_durability")
	store, err := postgres.Open(t.Context(), url, nil, postgres.Options{AllowUnsafeDurability: true})
	f.Must(err)
	f.Must(store.Ready(t.Context()))
	store.Close()
	storetest.WantKind(t, "closed", store.Ready(t.Context()), platen.KindInternal, "")
	_, err = postgres.Open(t.Context(), "postgres://postgres@127.0.0.1:1/x?sslmode=disable", nil, postgres.Options{})
	storetest.WantKind(t, "away", err, platen.KindUnavailable, "database_unavailable")
}
