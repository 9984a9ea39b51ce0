package accept_test

import (
	"testing"

	"github.com/platenhq/platen/api/hooks"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// The seam that others code against.
var _ hooks.Acceptor = (*accept.Batcher)(nil)

type harness struct{ *storetest.Harness }

func newHarness(t testing.TB) *harness { return &harness{storetest.New(t)} }
