// Package program runs the built programs for tests of the whole. They are
// processes that are watched, killed and started again, and an instance of
// platen-dev in a directory of its own.
//
// Nothing but tests may import it. What a test does to a program, and what it
// asks of it, belongs in that test.
package program

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

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/ports"
)

// Built returns the path of a program in bin/, which tests do not build
// themselves: compiling one of them takes minutes.
func Built(t testing.TB, name string) string {
	t.Helper()
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "bin", name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run `make bin/%s` before", err, name)
	}
	return path
}

// Dir makes a directory that is kept when the test fails.
func Dir(t testing.TB, name string) string {
	t.Helper()
	// t.TempDir is closed to others, and Postgres is another user when we are root.
	dir, err := os.MkdirTemp("", name+"-*")
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
	return dir
}

// Environment is ours without settings of Platen and Postgres, and with these.
func Environment(settings ...string) []string {
	var env []string
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PLATEN_") && !strings.HasPrefix(pair, "PG") {
			env = append(env, pair)
		}
	}
	return append(env, settings...)
}

// A Life is one run of a program.
type Life struct {
	// Ended is closed when the process has ended; State is valid then.
	Ended  chan struct{}
	State  *os.ProcessState
	output string
	ps     *os.Process
}

// Start runs a command; what it says is appended to a file. A pipe would be
// kept open by a child that outlives the program.
func Start(c *exec.Cmd, output string) (*Life, error) {
	file, err := os.OpenFile(output, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c.Stdout, c.Stderr = file, file
	if err := c.Start(); err != nil {
		return nil, err
	}
	l := &Life{Ended: make(chan struct{}), output: output, ps: c.Process}
	go func() {
		defer close(l.Ended)
		_ = c.Wait() // how it ended is in State
		l.State = c.ProcessState
	}()
	return l, nil
}

// Signal reaches the process as long as it runs.
func (l *Life) Signal(s syscall.Signal) error { return l.ps.Signal(s) }

// PID is that of the process.
func (l *Life) PID() int { return l.ps.Pid }

// Said is everything that the program and those before it have said.
func (l *Life) Said() string {
	raw, err := os.ReadFile(l.output)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// An Instance is a data directory of platen-dev with fixed ports, where one
// life comes after the other.
type Instance struct {
	DataDir, ReadyFile string
	args               []string
}

// NewInstance makes one below dir. Temporal keeps its port as well, for those
// who are to find it again.
func NewInstance(t testing.TB, dir string, args ...string) *Instance {
	t.Helper()
	free, err := ports.Free("127.0.0.1", 5)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(free[i])) }
	i := &Instance{DataDir: filepath.Join(dir, "data"), ReadyFile: filepath.Join(dir, "ready.json")}
	i.args = append([]string{
		"--data-dir", i.DataDir, "--ready-file", i.ReadyFile,
		"--api", at(0), "--hooks", at(1), "--drive", at(2), "--temporal", at(3), "--temporal-ui", at(4), "--metrics", "127.0.0.1:0",
	}, args...)
	if programs := os.Getenv("PLATEN_DEV_POSTGRES_BIN"); programs != "" {
		i.args = append(i.args, "--postgres-bin", programs)
	}
	return i
}

// Command is the next life of the instance, which is not ready until it says so.
func (i *Instance) Command(binary string) (*exec.Cmd, error) {
	if err := i.Forget(); err != nil {
		return nil, err
	}
	c := exec.Command(binary, i.args...)
	c.Env = Environment()
	return c, nil
}

// Forget takes back that the instance was ready.
func (i *Instance) Forget() error {
	if err := os.Remove(i.ReadyFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Ready returns what the instance says of itself, or why it does not yet.
func (i *Instance) Ready() (testkit.Stack, error) {
	var stack testkit.Stack
	raw, err := os.ReadFile(i.ReadyFile)
	if err != nil {
		return stack, err
	}
	if err := json.Unmarshal(raw, &stack); err != nil {
		return stack, fmt.Errorf("ready file: %w: %s", err, raw)
	}
	return stack, nil
}

// Within asks until check has nothing to say against it any more, and returns
// its last word when the patience is over.
func Within(patience time.Duration, check func() error) error {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return err
		}
	}
}
