// Package cell runs a program shut off from the machine that it runs on. The
// program has no network, a user who owns nothing, and limits on what it uses.
// Its file system shows the system's programs and one directory of its own. It
// needs Linux 5.14 or later.
//
// It knows nothing of what the program is for.
package cell

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// A Cell is what a program sees and may use.
type Cell struct {
	// Writable is the one directory that the program can change. Give it, and
	// what is in it, to Owner.
	Writable string
	// Readable are files and directories that it sees beside those of the
	// system, without symbolic links in their paths. Those that are not there
	// are passed over.
	Readable []string
	// Memory is how many bytes each of its processes may write to, CPU their
	// time on the processor, FileSize the size of a file.
	Memory   int64
	CPU      time.Duration
	FileSize int64
	// Files are open in the program, the first as descriptor 3, beside its
	// standard input and output. It inherits no other.
	Files []*os.File `json:"-"`
}

// Most processes and threads of a cell, and files that each process has open.
const (
	maxProcesses = 512
	maxFiles     = 1024
)

// An order is the instruction to a process in its cell.
type order struct {
	Cell
	Descriptors int // to be kept, counted from 0
	Program     []string
}

// orderFlag is the one argument of a process that is to enter a cell. A program
// whose main does not call Enter takes it for a flag that it does not know.
const orderFlag = "-enter-cell="

// setupFailed is the status of a process that could not enter its cell.
const setupFailed = 125

// Try has a program that does nothing run in a cell. It fails where the system
// does not allow cells. dir is an empty directory that belongs to Owner.
func Try(dir string) error {
	c, err := Cell{Writable: dir, Memory: 1 << 30, CPU: 10 * time.Second, FileSize: 1 << 20}.Command("/bin/sh", "-c", ":")
	if err != nil {
		return err
	}
	c.Dir, c.Env = dir, []string{}
	said, err := c.CombinedOutput()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%s (%s)", bytes.TrimSpace(said), ended.ProcessState)
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return errors.New("the kernel allows no more namespaces (sysctl user.max_user_namespaces)")
	case err != nil:
		return fmt.Errorf("the kernel refuses namespaces: %w", err)
	}
	return nil
}
