// Package kill tests bin/platen-dev from outside, as a program that is killed,
// stopped and started again: nothing that it answered with 200 may be lost,
// nothing may be made twice, and no process may stay behind.
//
// It knows the program's flags, its ready file and what it serves over HTTP.
// What goes on inside belongs in the tests of the packages.
package kill

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

const (
	// patience bounds every wait but those with a bound of their own. A kill
	// just after the answer costs a dispatcher's lease, one a moment later
	// Temporal's time limit of a workflow task: 10 and 5 seconds.
	patience = 2 * time.Minute
	// stopLimit is how long an orderly stop may take.
	stopLimit = 10 * time.Second
	// afterlife is how long Postgres may outlive a killed program: five
	// seconds for an orderly shutdown, then an immediate one.
	afterlife = 15 * time.Second
)

// built returns the path of the program, which the test does not build itself:
// compiling it takes minutes.
func built(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../bin/platen-dev")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run `make build` before", err)
	}
	return path
}

// run runs the program to its end and returns what it says, and its exit code.
func run(t *testing.T, args ...string) (said string, code int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), built(t), args...)
	out, err := c.CombinedOutput()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		t.Fatal(err)
	}
	return string(out), c.ProcessState.ExitCode()
}

// A place is a data directory with fixed ports, where one program after the
// other runs.
type place struct {
	dataDir, readyFile string
	args               []string
	starts             int
}

func newPlace(t *testing.T) *place {
	t.Helper()
	// t.TempDir is closed to others, and Postgres is another user when we are root.
	dir, err := os.MkdirTemp("", "platen-kill-*")
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
	free, err := ports.Free("127.0.0.1", 3)
	if err != nil {
		t.Fatal(err)
	}
	at := func(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
	p := &place{dataDir: filepath.Join(dir, "data"), readyFile: filepath.Join(dir, "ready.json")}
	p.args = []string{
		"--data-dir", p.dataDir, "--ready-file", p.readyFile,
		"--api", at(free[0]), "--hooks", at(free[1]), "--drive", at(free[2]),
		"--temporal", "127.0.0.1:0", "--temporal-ui", "127.0.0.1:0",
	}
	return p
}

// A program is a running platen-dev.
type program struct {
	testkit.Stack
	place   *place
	output  string // the file with what it says
	command *exec.Cmd
	ended   chan struct{}
}

// start returns when everything answers.
func (p *place) start(t *testing.T) *program {
	t.Helper()
	began := time.Now()
	if err := os.Remove(p.readyFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	p.starts++
	// A file, not a pipe: one that outlives the program would keep a pipe open.
	output, err := os.Create(filepath.Join(filepath.Dir(p.readyFile), fmt.Sprintf("output-%d.txt", p.starts)))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	one := &program{place: p, output: output.Name(), ended: make(chan struct{})}
	one.command = exec.Command(built(t), p.args...)
	one.command.Stdout, one.command.Stderr = output, output
	if err := one.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(one.ended)
		_ = one.command.Wait() // how it ended is in ProcessState
	}()
	t.Cleanup(func() {
		select {
		case <-one.ended:
		default:
			one.signal(t, syscall.SIGTERM)
			one.awaitEnd(t, 2*stopLimit)
		}
	})
	one.awaitReady(t)
	t.Logf("start %d: ready after %d ms", p.starts, time.Since(began).Milliseconds())
	return one
}

func (p *program) awaitReady(t *testing.T) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		raw, err := os.ReadFile(p.place.readyFile)
		if err == nil {
			if err := json.Unmarshal(raw, &p.Stack); err != nil {
				t.Fatalf("ready file: %v: %s", err, raw)
			}
			return
		}
		select {
		case <-tick.C:
		case <-p.ended:
			t.Fatalf("the program ended (%v) before it was ready:\n%s", p.command.ProcessState, p.said())
		case <-deadline.C:
			t.Fatalf("the program was not ready within %v:\n%s", patience, p.said())
		}
	}
}

func (p *program) said() string {
	raw, err := os.ReadFile(p.output)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func (p *program) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.command.Process.Signal(s); err != nil {
		t.Errorf("send %v: %v", s, err)
	}
}

func (p *program) awaitEnd(t *testing.T, limit time.Duration) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(limit):
		t.Fatalf("the program still runs %v after it was told to end:\n%s", limit, p.said())
	}
}

func (p *program) awaitNothingLeft(t *testing.T, limit time.Duration) {
	t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		left := processes(t, p.place.dataDir)
		if len(left) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("processes are left %v after the program ended:\n%s", limit, strings.Join(left, "\n"))
		}
	}
}

// processes returns the command lines of processes that name a directory or
// work in it: the program, the supervisor, Postgres and its children.
func processes(t *testing.T, dir string) []string {
	t.Helper()
	pids, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	if len(pids) == 0 { // no /proc, as on macOS
		out, err := exec.Command("ps", "-A", "-o", "pid=,command=").Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, dir) {
				found = append(found, line)
			}
		}
		return found
	}
	for _, pid := range pids {
		// Dead ones that nobody reaps have neither; others may end meanwhile.
		line, _ := os.ReadFile(filepath.Join(pid, "cmdline"))
		at, _ := os.Readlink(filepath.Join(pid, "cwd"))
		if text := strings.ReplaceAll(string(line), "\x00", " "); strings.Contains(text, dir) || strings.HasPrefix(at, dir) {
			found = append(found, filepath.Base(pid)+" "+text)
		}
	}
	return found
}
