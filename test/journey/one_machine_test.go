package journey

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/pages"
	"github.com/platenhq/platen/internal/testkit/ports"
	"github.com/platenhq/platen/internal/testkit/program"
)

// The Temporal of one machine has a Postgres that nobody configured, and the databases that
// the page makes. What was accepted while it stood still is done when it is back.
func TestTheTemporalOfOneMachineGoesOnAfterAStop(t *testing.T) {
	t.Parallel()
	installed := testkit.Installed(t)
	if len(installed) == 0 {
		t.Skip("no Postgres is installed where this test looks: apt-get install postgresql")
	}
	server := testkit.Postgres(t, installed[slices.Max(slices.Collect(maps.Keys(installed)))])
	m := newOneMachine(t, server.URL)
	m.start(t)
	h := open(t, options{server: server.URL, temporal: m.address})
	r := newReceiver(t)
	w := h.simple(t, r)
	sent(t, w, r)
	h.finished(t, w.ID, platen.AutomationCompleted)

	second := *m
	second.address = freeAddress(t)
	second.life = nil
	second.run(t)
	<-second.life.Ended
	if said := second.life.Said(); second.life.State.ExitCode() != 1 || !strings.Contains(said, "another 'platen-dev temporal' runs on this Postgres") {
		t.Errorf("a second one ended with %d and said %s; want it refused", second.life.State.ExitCode(), said)
	}

	admin, err := pgx.Connect(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	var open int
	if err := admin.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE usename = 'temporal'`).Scan(&open); err != nil || open > 33 {
		t.Errorf("got %d connections, %v; want the 33 of the page at most", open, err)
	}
	if _, err := admin.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = 'postgres')`); err != nil {
		t.Fatal(err)
	}
	<-m.life.Ended
	if m.life.State.ExitCode() != 1 || !strings.Contains(m.life.Said(), "another Temporal may run on it") {
		t.Errorf("without the connection that keeps others away: %s", m.life.Said())
	}
	m.start(t)

	m.stop(t)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})
	m.start(t)
	if e := r.next(t).event; len(e.Data.Documents) != 1 {
		t.Errorf("event: got %+v, want what was accepted meanwhile", e)
	}
}

func TestTheTemporalOfOneMachineSaysWhatIsWrongWithItsAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"":                                     "missing flags: --database-url",
		"postgres://127.0.0.1:5432":            "give an address with a user",
		"postgres://t:s3cret@127.0.0.1:x":      "give an address with a user",
		"host=127.0.0.1 user=t":                "give an address with a user",
		"postgres://t:s3cret@127.0.0.1/platen": "leave /platen out",
		"postgres://t:s3cret@127.0.0.1?sslmode=verify-full": "leave sslmode=verify-full out",
	} {
		c := exec.CommandContext(t.Context(), program.Built(t, "platen-dev"), "temporal")
		c.Env = program.Environment()
		if address != "" {
			c.Env = append(c.Env, "PLATEN_DEV_TEMPORAL_DATABASE_URL="+address)
		}
		said, err := c.CombinedOutput()
		if err == nil || !strings.Contains(string(said), want) || strings.Contains(string(said), "s3cret") {
			t.Errorf("%q: got %q, %v; want %q, and no password", address, said, err, want)
		}
	}
}

// A oneMachine is a Temporal as an installation on one machine has it.
type oneMachine struct {
	address, database, dir string
	life                   *program.Life
}

func newOneMachine(t *testing.T, server string) *oneMachine {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	made, _, ok := strings.Cut(pages.Typed(t, "docs/production.md", "Temporal on one machine"), "platen-dev temporal")
	if !ok {
		t.Fatal("the page starts no Temporal any more: change this test with it")
	}
	password, _ := u.User.Password()
	said := shell(t, "sudo() { shift 2; \"$@\"; }\n"+put(t, made, "127.0.0.1:5432", u.Host)+"\necho $PLATEN_DEV_TEMPORAL_DATABASE_URL",
		"PGHOST="+u.Hostname(), "PGPORT="+u.Port(), "PGUSER="+u.User.Username(), "PGPASSWORD="+password, "PGDATABASE=postgres")
	lines := strings.Split(strings.TrimSpace(said), "\n")
	m := &oneMachine{address: freeAddress(t), database: lines[len(lines)-1], dir: program.Dir(t, "platen-temporal")}
	t.Cleanup(func() {
		if m.life != nil {
			m.stop(t)
		}
	})
	return m
}

func freeAddress(t *testing.T) string {
	t.Helper()
	free, err := ports.Free("127.0.0.1", 1)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(free[0]))
}

func (m *oneMachine) run(t *testing.T) {
	t.Helper()
	c := exec.Command(program.Built(t, "platen-dev"), "temporal", "--temporal", m.address, "--temporal-ui", "127.0.0.1:0")
	c.Env = program.Environment("PLATEN_DEV_TEMPORAL_DATABASE_URL=" + m.database)
	life, err := program.Start(c, filepath.Join(m.dir, strings.ReplaceAll(m.address, ":", "-")+".log"))
	if err != nil {
		t.Fatal(err)
	}
	m.life = life
}

// start returns when it says that it is ready.
func (m *oneMachine) start(t *testing.T) {
	t.Helper()
	before := 0
	if m.life != nil {
		before = len(m.life.Said())
	}
	m.run(t)
	eventually(t, "Temporal", func() error {
		select {
		case <-m.life.Ended:
			t.Fatalf("Temporal ended: %s", m.life.Said())
		default:
		}
		if said := m.life.Said()[before:]; !strings.Contains(said, "ready at "+m.address) {
			return fmt.Errorf("it said %s", said)
		}
		return nil
	})
}

// stop wants an orderly end.
func (m *oneMachine) stop(t *testing.T) {
	t.Helper()
	if err := m.life.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	<-m.life.Ended
	if code := m.life.State.ExitCode(); code != 0 {
		t.Errorf("Temporal ended with %d: %s", code, m.life.Said())
	}
}
