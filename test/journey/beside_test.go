package journey

import (
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/ports"
	"github.com/platenhq/platen/internal/testkit/program"
)

// A beside is what a page starts: programs with the database, the drive and the queue of
// a harness, beside the harness's own.
type beside struct {
	api, hooks string // addresses of its serve; api ends in /v0
	settings   []string
}

// beside takes settings that only this page needs.
func (h *harness) beside(t *testing.T, settings ...string) beside {
	t.Helper()
	stack := testkit.Running(t)
	free, err := ports.Free("127.0.0.1", 2)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) string { return "127.0.0.1:" + strconv.Itoa(free[i]) }
	return beside{api: "http://" + at(0) + "/v0", hooks: "http://" + at(1), settings: append([]string{
		"PLATEN=" + program.Built(t, "platen"), "PLATEN_API=" + at(0), "PLATEN_API_URL=http://" + at(0) + "/v0", "PLATEN_HOOKS=" + at(1), "PLATEN_HOOKS_URL=http://" + at(1),
		"PLATEN_DATABASE_URL=" + h.database.Config().ConnString(), "PLATEN_SECRET_KEYS=" + h.secretKeys, "PLATEN_DRIVE_ENDPOINT=" + h.drive,
		"PLATEN_TEMPORAL_ADDRESS=" + stack.TemporalAddress, "PLATEN_TEMPORAL_NAMESPACE=" + stack.TemporalNamespace, "PLATEN_QUEUE=" + h.queue,
	}, settings...)}
}

// follow types commands, whose programs end with the test.
func (b beside) follow(t *testing.T, commands string) {
	t.Helper()
	typed(t, preamble+commands+"\necho "+allRan+"\nwait\n", b.settings...)
}

// ready waits for serve.
func (b beside) ready(t *testing.T) {
	t.Helper()
	for _, address := range []string{strings.TrimSuffix(b.api, "/v0") + "/readyz", b.hooks + "/healthz"} {
		eventually(t, "serve", func() error { return answers(address) })
	}
}
