//go:build !linux

package cell

import (
	"errors"
	"os"
	"os/exec"
)

// Enter does nothing: there are no cells on this system.
func Enter() {}

// Owner is the user that runs this process.
func Owner() (uid, gid int) { return os.Geteuid(), os.Getegid() }

// Command fails: there are no cells on this system.
func (Cell) Command(...string) (*exec.Cmd, error) {
	return nil, errors.New("only Linux has the namespaces for it")
}
