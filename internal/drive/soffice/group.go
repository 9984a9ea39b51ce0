package soffice

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// supervise runs a program in a shell that leads a process group, for soffice
// starts others and leaves them behind when it is killed. Descriptor 3 closes
// when this process dies: then the directory, in which a document may lie, is
// removed and the whole group killed. The limits are on core files, on the size
// of one file (1 GiB or 2, by the shell) and on memory that is written to
// (4 GiB); a system that has not one of them goes without.
const supervise = `
directory=$1; shift
"$@" 3<&- & program=$!
exec 2>/dev/null
{ read -r _ <&3; rm -rf "$directory"; kill -s KILL 0; } >/dev/null & watch=$!
exec 3<&-
wait "$program"; status=$?
kill -s KILL "$watch"; wait "$watch"
exit "$status"`

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

// start runs a program in dir. What it prints goes to log. If this process
// dies meanwhile, mortal is removed.
func start(dir, mortal string, env []string, log *os.File, program ...string) (*group, error) {
	watched, hold, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start LibreOffice: %w", err)
	}
	defer watched.Close()
	c := exec.Command("/bin/sh", append([]string{"-c", limits + supervise, "soffice", mortal}, program...)...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, env, log, log
	c.ExtraFiles = []*os.File{watched}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start LibreOffice: %w", err), hold.Close())
	}
	g := &group{leader: c, hold: hold, ended: make(chan struct{})}
	go func() {
		defer close(g.ended)
		_ = c.Wait() // what it says is in c.ProcessState
	}()
	return g, nil
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
