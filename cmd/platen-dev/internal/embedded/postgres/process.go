package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

func (s *Server) pidFile() string { return filepath.Join(s.dirs.cluster, "postmaster.pid") }

// postmaster is the process that serves our cluster, 0 when there is none. The
// number in postmaster.pid alone proves nothing: after a crash or a reboot it
// may be a stranger's, or that of a dead child which pid 1 does not reap.
func (s *Server) postmaster() int {
	pid := firstLineNumber(s.pidFile())
	if pid <= 0 || !strings.Contains(commandLine(pid), s.dirs.cluster) {
		return 0
	}
	return pid
}

// clearStalePID removes what a crash left. Postgres would do it too, but takes
// any living or unreaped process of its user with that number for a server. The
// caller holds the cluster's lock.
func (s *Server) clearStalePID() error {
	if pid := s.postmaster(); pid != 0 {
		return fmt.Errorf("a Postgres that this program did not start runs on %s (process %d): stop it with `kill -INT %d`", s.dirs.cluster, pid, pid)
	}
	if err := os.Remove(s.pidFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the process id of a dead Postgres: %w", err)
	}
	return nil
}

// commandLine is empty for a process that is dead, reaped or not.
func commandLine(pid int) string {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err == nil {
		return strings.ReplaceAll(string(raw), "\x00", " ")
	}
	if _, err := os.Stat("/proc/self"); err == nil {
		return ""
	}
	out, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output() // macOS has no /proc
	if err != nil {
		return ""
	}
	return string(out)
}
