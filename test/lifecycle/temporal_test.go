package lifecycle

import (
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/installation"
	"github.com/platenhq/platen/internal/testkit/program"
)

// A temporal is that of a platen-dev of its own, with a Postgres of its own: its
// databases can go back without anybody else's.
type temporal struct {
	*program.Instance
	dir   string
	stack testkit.Stack
	life  *program.Life
}

func newTemporal(t *testing.T, dir string) *temporal {
	t.Helper()
	g := &temporal{dir: filepath.Join(dir, "temporal")}
	if err := os.Mkdir(g.dir, 0o711); err != nil {
		t.Fatal(err)
	}
	g.Instance = program.NewInstance(t, g.dir, "--log-level", "warn")
	g.start(t)
	t.Cleanup(func() {
		_ = g.life.Signal(syscall.SIGTERM) // it may have ended
		<-g.life.Ended
	})
	return g
}

func (g *temporal) start(t *testing.T) {
	t.Helper()
	c, err := g.Command(program.Built(t, "platen-dev"))
	if err != nil {
		t.Fatal(err)
	}
	if g.life, err = program.Start(c, filepath.Join(g.dir, "log")); err != nil {
		t.Fatal(err)
	}
	installation.Eventually(t, "Temporal", func() (err error) {
		g.stack, err = g.Ready()
		return err
	})
}

// stopped does something while nobody uses Temporal's databases: it stands still
// with the program that runs their Postgres, and starts on what there is then.
func (g *temporal) stopped(t *testing.T, do func()) {
	t.Helper()
	if err := g.life.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var ended int
	installation.Query(t, g.stack.DatabaseURL, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname LIKE 'temporal%'`, nil, &ended)
	do()
	if err := g.life.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-g.life.Ended
	g.start(t)
}

// typed runs commands of the page on Temporal's databases.
func (g *temporal) typed(t *testing.T, heading string) {
	t.Helper()
	address, err := url.Parse(g.stack.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	server := *address
	server.Path, server.RawQuery = "", ""
	installation.Shell(t, g.dir, g.stack.DatabaseURL, commands(t, heading, "--owner temporal", "--owner "+address.User.Username()), "TEMPORAL_POSTGRES="+server.String())
}
