package chaos

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/embedded/ports"
	"github.com/platenhq/platen/internal/testkit"
)

// A ground is what the service stands on: a platen-dev that lends its Postgres
// and its Temporal. Both go away when it is killed, and come back on the same
// data; the wires to them keep their addresses.
type ground struct {
	dir, dataDir, readyFile string
	args                    []string
	binary                  string
	stack                   testkit.Stack
	process                 *process
	temporal                *wire
	postgres                []*wire // all wires to Postgres
}

// newGround makes a directory that is kept when the test fails.
func newGround(t *testing.T) *ground {
	t.Helper()
	// t.TempDir is closed to others, and Postgres is another user when we are root.
	dir, err := os.MkdirTemp("", "platen-chaos-*")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("data and logs are kept in %s", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	free, err := ports.Free("127.0.0.1", 5)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(free[i])) }
	g := &ground{dir: dir, dataDir: filepath.Join(dir, "data"), readyFile: filepath.Join(dir, "ready.json"), binary: program(t, "platen-dev")}
	g.args = []string{
		"--data-dir", g.dataDir, "--ready-file", g.readyFile, "--log-level", "warn",
		"--api", at(0), "--hooks", at(1), "--drive", at(2), "--temporal", at(3), "--temporal-ui", at(4),
	}
	g.process = keep(t, dir, "platen-dev", func() *exec.Cmd {
		// Not ready any more until it says so anew.
		_ = os.Remove(g.readyFile)
		c := exec.Command(g.binary, g.args...)
		c.Env = environment()
		return c
	})
	if err := g.await(2 * time.Minute); err != nil {
		t.Fatalf("platen-dev is not ready: %v; its output is in %s", err, g.process.log)
	}
	g.temporal = newWire(t, g.stack.TemporalAddress)
	return g
}

// await waits until everything answers, and points the wires at it.
func (g *ground) await(patience time.Duration) error {
	err := within(patience, func() error {
		raw, err := os.ReadFile(g.readyFile)
		if err != nil {
			return err
		}
		return json.Unmarshal(raw, &g.stack)
	})
	if err != nil {
		return err
	}
	for _, w := range g.postgres {
		w.aim(g.postgresAddress())
	}
	return nil
}

func (g *ground) postgresAddress() string {
	_, rest, _ := strings.Cut(g.stack.DatabaseURL, "@")
	address, _, _ := strings.Cut(rest, "/")
	return address
}

// database returns the address of a database on the Postgres of now; through
// may be nil.
func (g *ground) database(name string, through *wire) string {
	head, rest, _ := strings.Cut(g.stack.DatabaseURL, "@")
	address, rest, _ := strings.Cut(rest, "/")
	_, parameters, _ := strings.Cut(rest, "?")
	if through != nil {
		address = through.address()
	}
	return head + "@" + address + "/" + name + "?" + parameters
}

// wireToPostgres makes one more way to Postgres.
func (g *ground) wireToPostgres(t *testing.T) *wire {
	t.Helper()
	w := newWire(t, g.postgresAddress())
	g.postgres = append(g.postgres, w)
	return w
}

// kill takes Temporal and Postgres away and returns when they are back.
func (g *ground) kill() error {
	if err := os.Remove(g.readyFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !g.process.signal(syscall.SIGKILL) {
		return errors.New("platen-dev does not run")
	}
	if err := g.await(time.Minute); err != nil {
		return fmt.Errorf("platen-dev does not come back: %w", err)
	}
	return nil
}

// postmaster returns the process id of Postgres.
func (g *ground) postmaster() (int, error) {
	found, err := filepath.Glob(filepath.Join(g.dataDir, "*", "postmaster.pid"))
	if err != nil || len(found) != 1 {
		return 0, errors.Join(err, fmt.Errorf("postmaster.pid: found %d", len(found)))
	}
	raw, err := os.ReadFile(found[0])
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	return strconv.Atoi(strings.TrimSpace(first))
}

// family returns the processes of Postgres, the postmaster first.
func (g *ground) family() ([]int, error) {
	head, err := g.postmaster()
	if err != nil {
		return nil, err
	}
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		return nil, err
	}
	all := []int{head}
	for line := range strings.Lines(string(out)) {
		var pid, parent int
		if _, err := fmt.Sscan(line, &pid, &parent); err == nil && parent == head {
			all = append(all, pid)
		}
	}
	return all, nil
}
