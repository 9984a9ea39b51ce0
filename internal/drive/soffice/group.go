package soffice

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/platenhq/platen/internal/drive/soffice/cell"
)

// supervise runs a program in a shell that leads a process group, for soffice
// starts others and leaves them behind when it is killed. Descriptor 3 closes
// when this process dies: then the directory, in which a document may lie, is
// removed and the whole group killed. In a cell the shell is process 1, which no
// signal from within ends; it ends after the program, and the kernel kills what
// is left.
const supervise = `
directory=$1; shift
"$@" 3<&- & program=$!
exec 2>/dev/null
{ read -r _ <&3; rm -rf "$directory"; kill -s KILL 0; } >/dev/null & watch=$!
exec 3<&-
wait "$program"; status=$?
kill -s KILL "$watch"; wait "$watch"
exit "$status"`

// limits are those of a program without a cell: on core files, on the size of
// one file (1 GiB or 2, by the shell) and on memory that is written to (4 GiB).
// A system that has not one of them goes without.
const limits = `{ ulimit -c 0; ulimit -f 2097152; ulimit -d 4194304; } 2>/dev/null
`

// A group is a program with all the processes that it starts.
type group struct {
	leader *exec.Cmd
	// hold is the other end of the leader's descriptor 3.
	hold *os.File
	// ended is closed when the leader has ended, and so the program before it.
	ended chan struct{}
}

// A launch says how a program is started.
type launch struct {
	cell        *cell.Cell // nil: it sees what this process sees
	dir         string
	mortal      string // removed if this process dies meanwhile
	environment []string
	log         *os.File // gets what it prints
}

func (l launch) start(program ...string) (*group, error) {
	watched, hold, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start LibreOffice: %w", err)
	}
	defer watched.Close()
	c, err := l.command(watched, program)
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start LibreOffice: %w", err), hold.Close())
	}
	g := &group{leader: c, hold: hold, ended: make(chan struct{})}
	go func() {
		defer close(g.ended)
		_ = c.Wait() // what it says is in c.ProcessState
	}()
	return g, nil
}

// command is the shell that supervises the program.
func (l launch) command(watched *os.File, program []string) (c *exec.Cmd, err error) {
	shell := append([]string{"/bin/sh", "-c", supervise, "soffice", l.mortal}, program...)
	if l.cell != nil {
		inside := *l.cell
		inside.Files = []*os.File{watched}
		if c, err = inside.Command(shell...); err != nil {
			return nil, err
		}
	} else {
		shell[2] = limits + supervise
		c = exec.Command(shell[0], shell[1:]...)
		c.ExtraFiles = []*os.File{watched}
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	c.Dir, c.Env, c.Stdout, c.Stderr = l.dir, l.environment, l.log, l.log
	return c, nil
}

// end kills what still runs of the group and returns when nothing of it does.
func (g *group) end() {
	_ = syscall.Kill(-g.leader.Process.Pid, syscall.SIGKILL) // nobody is there: all the better
	<-g.ended
	_ = g.hold.Close()
	// Orphans are waited for by process 1, which may take a moment, and is never
	// done in a container whose first process is no init.
	for range 200 {
		if errors.Is(syscall.Kill(-g.leader.Process.Pid, 0), syscall.ESRCH) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// status is what the program ended with, as shells have it: over 128 for a
// signal.
func (g *group) status() int { return g.leader.ProcessState.ExitCode() }
