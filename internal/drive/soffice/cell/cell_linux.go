package cell

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// nobody owns no files on usual systems.
const nobody = 65534

// Owner is the user and the group that a program in a cell has on this machine:
// nobody where this process is root's, else those of this process.
func Owner() (uid, gid int) {
	if os.Geteuid() == 0 {
		return nobody, nobody
	}
	return os.Geteuid(), os.Getegid()
}

// Command is a program to be started in the cell. It begins as this process's
// own program, in whose main Enter makes the cell. Set Dir to a directory
// within Writable, and Env.
func (c Cell) Command(program ...string) (*exec.Cmd, error) {
	told, err := json.Marshal(order{Cell: c, Descriptors: 3 + len(c.Files), Program: program})
	if err != nil {
		return nil, fmt.Errorf("tell what the cell is: %w", err)
	}
	cmd := exec.Command("/proc/self/exe", orderFlag+string(told))
	cmd.ExtraFiles = c.Files
	uid, gid := Owner()
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:     true,
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
		// They hold within the cell alone, and until the program starts.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_RESOURCE},
	}
	if os.Geteuid() == 0 {
		// This also takes root's groups away. Other users cannot leave theirs.
		cmd.SysProcAttr.GidMappingsEnableSetgroups = true
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return cmd, nil
}

// Enter does nothing in a program that was started in the ordinary way. In a
// process of Command it makes the cell, becomes the program and never returns.
// main must call it before anything else, tests from TestMain.
func Enter() {
	if len(os.Args) != 2 || !strings.HasPrefix(os.Args[1], orderFlag) {
		return
	}
	runtime.LockOSThread() // capabilities and no_new_privs are those of a thread
	fmt.Fprintf(os.Stderr, "no cell: %v\n", enter(strings.TrimPrefix(os.Args[1], orderFlag)))
	os.Exit(setupFailed)
}

// enter returns only when it failed.
func enter(told string) error {
	var o order
	if err := json.Unmarshal([]byte(told), &o); err != nil {
		return fmt.Errorf("read what it is: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	discourage()
	if err := o.makeRoot(dir); err != nil {
		return err
	}
	if err := o.limit(); err != nil {
		return err
	}
	if err := unix.CloseRange(uint(o.Descriptors), ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("keep files from the program: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("give capabilities up: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give new privileges up: %w", err)
	}
	return fmt.Errorf("run %s: %w", o.Program[0], unix.Exec(o.Program[0], o.Program, os.Environ()))
}

// discourage makes the kernel kill the program first when memory runs out, and
// forbids namespaces within its own. A container whose /proc is read-only goes
// without the second.
func discourage() {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	_ = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
}

// limit sets the limits, or keeps those of this process where they are lower.
func (o order) limit() error {
	for _, l := range []struct {
		what     string
		resource int
		most     uint64
	}{
		{"core files", unix.RLIMIT_CORE, 0},
		{"memory", unix.RLIMIT_DATA, uint64(o.Memory)},
		{"processor time", unix.RLIMIT_CPU, uint64(max(1, o.CPU.Seconds()))},
		{"the size of a file", unix.RLIMIT_FSIZE, uint64(o.FileSize)},
		{"open files", unix.RLIMIT_NOFILE, maxFiles},
		{"processes", unix.RLIMIT_NPROC, maxProcesses},
	} {
		var now unix.Rlimit
		err := unix.Getrlimit(l.resource, &now)
		if most := min(l.most, now.Max); err == nil {
			err = unix.Setrlimit(l.resource, &unix.Rlimit{Cur: most, Max: most})
		}
		if err != nil {
			return fmt.Errorf("limit %s: %w", l.what, err)
		}
	}
	return nil
}
