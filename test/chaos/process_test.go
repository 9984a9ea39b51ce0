package chaos

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/program"
)

// restartPause is what a supervisor waits before it starts a program again.
const restartPause = 200 * time.Millisecond

// A process is a program that is started again whenever it ends, as a
// supervisor does in production.
type process struct {
	name    string
	log     string // what all its lives say, one after the other
	command func(more map[string]string) (*exec.Cmd, error)

	mu      sync.Mutex
	more    map[string]string // settings of the next lives
	current *program.Life
	away    time.Duration // how long it is to stay away after the next end
	stopped bool          // no further life
	asked   bool          // the life that runs now was asked to end
	own     []string      // last words of lives that ended by themselves
	ended   chan struct{}
}

// keep starts the process and keeps it running until the test ends.
func keep(t *testing.T, dir, name string, command func(more map[string]string) (*exec.Cmd, error)) *process {
	t.Helper()
	p := &process{name: name, log: filepath.Join(dir, name+".log"), command: command, more: map[string]string{}, ended: make(chan struct{})}
	go p.live()
	t.Cleanup(p.stop)
	return p
}

func (p *process) live() {
	defer close(p.ended)
	for {
		life, err := p.begin()
		if err == nil && life == nil {
			return
		}
		if err == nil {
			<-life.Ended
		}
		time.Sleep(p.end(life))
	}
}

// begin starts one life; nil: there is to be none.
func (p *process) begin() (*program.Life, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return nil, nil
	}
	c, err := p.command(p.more)
	if err != nil {
		return nil, err
	}
	p.current, err = program.Start(c, p.log)
	return p.current, err
}

// end takes note of the end of a life and says when the next one begins.
func (p *process) end(life *program.Life) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if life != nil && !p.stopped && !p.asked {
		// What was killed was killed by us: from here, or at a named place.
		if how, ok := life.State.Sys().(syscall.WaitStatus); !ok || !how.Signaled() {
			p.own = append(p.own, life.State.String()+": "+lastLine(life.Said()))
		}
	}
	away := max(p.away, restartPause)
	p.current, p.away, p.asked = nil, 0, false
	return away
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// ownEnds returns the last words of lives that ended by themselves.
func (p *process) ownEnds() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.own)
}

// signal reaches the life that runs now; false: none does.
func (p *process) signal(s syscall.Signal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = p.asked || s == syscall.SIGQUIT || s == syscall.SIGTERM
	return p.current != nil && p.current.Signal(s) == nil
}

// kill ends the life that runs now, and the next one begins after away.
func (p *process) kill(away time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return false
	}
	p.away = away
	return p.current.Signal(syscall.SIGKILL) == nil
}

// set gives the lives after this one a setting; "" takes it away.
func (p *process) set(name, value string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.more[name] = value
	if value == "" {
		delete(p.more, name)
	}
}

// killNow is kill of a process that must be there.
func (p *process) killNow() error {
	if !p.kill(0) {
		return fmt.Errorf("%s does not run", p.name)
	}
	return nil
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

// healthy asks a health check.
func healthy(address string) error {
	client := &http.Client{Timeout: 2 * time.Second}
	answer, err := client.Get(address)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", answer.Status)
	}
	return nil
}

// eventually waits for what becomes true without anybody saying so. check says
// what it saw instead.
func eventually(t *testing.T, what string, patience time.Duration, check func() error) {
	t.Helper()
	if err := program.Within(patience, check); err != nil {
		t.Fatalf("%s: not within %v: %v", what, patience, err)
	}
}
