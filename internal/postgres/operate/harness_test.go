package operate_test

import (
	"testing"

	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

type harness struct{ *storetest.Harness }

func newHarness(t testing.TB) *harness { return &harness{storetest.New(t)} }

func walled(t *testing.T) (*harness, *postgres.DB) {
	f, serve := storetest.Walled(t)
	return &harness{f}, serve
}
