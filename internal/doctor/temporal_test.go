package doctor_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/doctor"
	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/testkit"
)

func TestATemporalThatCannotBeUsedSaysWhatToDo(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	closed := testkit.Listen(t)
	nobody := closed.Addr().String()
	_ = closed.Close()

	away := h.options
	away.Settings.TemporalAddress, away.Settings.TemporalAPIKey = nobody, "canary-api-key"
	r := app.Doctor(t.Context(), away)
	want(t, r, "temporal", "server", doctor.Failure, "PLATEN_TEMPORAL_ADDRESS")
	wantNoSecret(t, r, "canary-api-key")

	none := h.options
	none.Settings.TemporalNamespace = "nothing-" + strings.ToLower(rand.Text())
	r = app.Doctor(t.Context(), none)
	want(t, r, "temporal", "namespace", doctor.Failure, "namespace create")
	want(t, r, "temporal", "search attributes", doctor.Failure)

}

// A poller stays in Temporal's list for minutes after its worker has gone.
func TestAnInstallationWithoutAWorkerIsNotInOrder(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	if err := run.New(h.admin.DB.DB).Queue.Unregister(t.Context(), "worker"); err != nil {
		t.Fatal(err)
	}
	want(t, app.Doctor(t.Context(), h.options), "database", "workers", doctor.Failure, "nothing starts", "platen worker")
}
