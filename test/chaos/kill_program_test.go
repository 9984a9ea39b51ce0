package chaos

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/program"
)

const (
	// lifePatience bounds every wait but those with a bound of their own. A kill
	// just after the answer costs a dispatcher's lease, one a moment later
	// Temporal's time limit of a workflow task: 10 and 5 seconds.
	lifePatience = 2 * time.Minute
	// stopLimit is how long an orderly stop may take: ten seconds, and as much
	// again twice on a machine that has other things to do.
	stopLimit = 30 * time.Second
	// afterlife is how long Postgres may outlive a killed program: five
	// seconds for an orderly shutdown, then an immediate one, which takes what
	// the machine leaves it.
	afterlife = 45 * time.Second
)

// platenDev runs the program to its end and returns what it says, and its exit code.
func platenDev(t *testing.T, args ...string) (said string, code int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program.Built(t, "platen-dev"), args...)
	out, err := c.CombinedOutput()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		t.Fatal(err)
	}
	return string(out), c.ProcessState.ExitCode()
}

// A place is an instance where one life comes after the other.
type place struct {
	*program.Instance
	output string // the file with what all of them say
	starts int
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir := program.Dir(t, "platen-kill")
	return &place{Instance: program.NewInstance(t, dir), output: filepath.Join(dir, "output.txt")}
}

// A running is one life of platen-dev.
type running struct {
	testkit.Stack
	*program.Life
	place *place
}

// start returns when everything answers.
func (p *place) start(t *testing.T) *running {
	t.Helper()
	began := time.Now()
	p.starts++
	c, err := p.Command(program.Built(t, "platen-dev"))
	if err != nil {
		t.Fatal(err)
	}
	life, err := program.Start(c, p.output)
	if err != nil {
		t.Fatal(err)
	}
	one := &running{Life: life, place: p}
	t.Cleanup(func() {
		select {
		case <-one.Ended:
		default:
			one.signal(t, syscall.SIGTERM)
			one.awaitEnd(t, 2*stopLimit)
		}
	})
	one.awaitReady(t)
	t.Logf("start %d: ready after %d ms", p.starts, time.Since(began).Milliseconds())
	return one
}

func (p *running) awaitReady(t *testing.T) {
	t.Helper()
	err := program.Within(lifePatience, func() (err error) {
		select {
		case <-p.Ended:
			t.Fatalf("the program ended (%v) before it was ready:\n%s", p.State, p.Said())
		default:
		}
		p.Stack, err = p.place.Ready()
		return err
	})
	if err != nil {
		t.Fatalf("the program was not ready within %v: %v\n%s", lifePatience, err, p.Said())
	}
}

func (p *running) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.Signal(s); err != nil {
		t.Errorf("send %v: %v", s, err)
	}
}

func (p *running) awaitEnd(t *testing.T, limit time.Duration) {
	t.Helper()
	select {
	case <-p.Ended:
	case <-time.After(limit):
		t.Fatalf("the program still runs %v after it was told to end:\n%s", limit, p.Said())
	}
}

func (p *running) awaitNothingLeft(t *testing.T, limit time.Duration) {
	t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		left := processes(t, p.place.DataDir)
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
