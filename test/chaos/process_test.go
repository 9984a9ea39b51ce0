package chaos

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// restartPause is what a supervisor waits before it starts a program again.
const restartPause = 200 * time.Millisecond

// A process is a program that is started again whenever it ends, as a
// supervisor does in production.
type process struct {
	name    string
	log     string // what all its lives say, one after the other
	command func() *exec.Cmd

	mu      sync.Mutex
	current *exec.Cmd
	killed  bool // the life that runs now was ended by us
	stopped bool // no further life
	own     int  // lives that ended by themselves
	ended   chan struct{}
}

// program returns the path of a program that `make build` made: compiling one
// of them takes minutes.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run `make build` before", err)
	}
	return path
}

// environment is ours without settings of Platen and Postgres, and with these.
func environment(settings ...string) []string {
	var env []string
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PLATEN_") && !strings.HasPrefix(pair, "PG") {
			env = append(env, pair)
		}
	}
	return append(env, settings...)
}

// keep starts the process and keeps it running until the test ends.
func keep(t *testing.T, dir, name string, command func() *exec.Cmd) *process {
	t.Helper()
	p := &process{name: name, log: filepath.Join(dir, name+".log"), command: command, ended: make(chan struct{})}
	go p.live()
	t.Cleanup(p.stop)
	return p
}

func (p *process) live() {
	defer close(p.ended)
	for {
		c, err := p.begin()
		if err == nil && c == nil {
			return
		}
		if err == nil {
			_ = c.Wait() // how it ended is in its log
		}
		p.mu.Lock()
		if !p.killed && !p.stopped {
			p.own++
		}
		p.current = nil
		p.mu.Unlock()
		time.Sleep(restartPause)
	}
}

// begin starts one life; nil: there is to be none.
func (p *process) begin() (*exec.Cmd, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return nil, nil
	}
	// A file, not a pipe: a child that outlives the program would keep it open.
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c := p.command()
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		return nil, err
	}
	p.current, p.killed = c, false
	return c, nil
}

// signal reaches the life that runs now; false: none does.
func (p *process) signal(s syscall.Signal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return false
	}
	if s == syscall.SIGKILL || s == syscall.SIGTERM {
		p.killed = true
	}
	return p.current.Process.Signal(s) == nil
}

// stop ends the process for good.
func (p *process) stop() {
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
	p.signal(syscall.SIGCONT)
	p.signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(15 * time.Second):
		p.signal(syscall.SIGKILL)
		<-p.ended
	}
}

// answers waits until a health check is answered with 200.
func answers(t *testing.T, address string) {
	t.Helper()
	eventually(t, address, time.Minute, func() error {
		answer, err := http.Get(address)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("it answers %s", answer.Status)
		}
		return nil
	})
}

// eventually waits for what becomes true without anybody saying so. check says
// what it saw instead.
func eventually(t *testing.T, what string, patience time.Duration, check func() error) {
	t.Helper()
	if err := within(patience, check); err != nil {
		t.Fatalf("%s: not within %v: %v", what, patience, err)
	}
}

func within(patience time.Duration, check func() error) error {
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
