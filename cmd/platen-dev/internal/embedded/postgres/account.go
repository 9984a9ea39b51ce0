package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// account is the user that Postgres runs as when we are root, because initdb
// and postgres refuse to be root.
type account struct {
	name     string
	uid, gid uint32
}

// chooseAccount returns nil when we are not root: then Postgres runs as we do.
// As root a cluster goes on running as the user that owns it; a new one belongs
// to postgres, which Debian's package makes, else to nobody.
func chooseAccount(cluster string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	if info, err := os.Stat(cluster); err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 {
			return &account{name: "user " + strconv.Itoa(int(st.Uid)), uid: st.Uid, gid: st.Gid}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(errUID, errGID); err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		return &account{name: name, uid: uint32(uid), gid: uint32(gid)}, nil
	}
	return nil, errors.New("as root Postgres needs a user to run as, because it refuses root. There is neither a user postgres nor a user nobody: make one (`useradd --system postgres`), or start as an ordinary user")
}

func (a *account) credential() *syscall.Credential {
	if a == nil {
		return nil
	}
	return &syscall.Credential{Uid: a.uid, Gid: a.gid}
}

func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Chown(path, int(a.uid), int(a.gid))
}

// makeDataDir makes the data directory and its log directory, and sees to it
// that owner can get to the cluster inside.
func makeDataDir(dirs directories, owner *account) error {
	mode := fs.FileMode(0o700)
	if owner != nil {
		mode = 0o711 // others may pass through, not look around
	}
	if err := os.MkdirAll(dirs.root, mode); err != nil {
		return fmt.Errorf("make data directory: %w; choose another with --data-dir", err)
	}
	if err := os.MkdirAll(filepath.Dir(dirs.log), 0o700); err != nil {
		return fmt.Errorf("make log directory: %w", err)
	}
	if owner == nil {
		return nil
	}
	if canEnter(dirs.root, owner) == nil {
		return nil
	}
	info, err := os.Stat(dirs.root)
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	// The directory itself is ours to open; those above it are not.
	if err := os.Chmod(dirs.root, info.Mode().Perm()|0o001); err != nil {
		return fmt.Errorf("let %s pass through the data directory: %w", owner.name, err)
	}
	return checkTraversable(dirs.root, owner)
}

// checkTraversable names the first directory on the way to dir that owner may
// not pass through. It tries as that user instead of reading mode bits, which
// say nothing about access lists and mount options.
func checkTraversable(dir string, owner *account) error {
	at := "/"
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		at = filepath.Join(at, part)
		if err := canEnter(at, owner); err != nil {
			return fmt.Errorf("the user that runs Postgres, %s, may not pass through %s on the way to the data directory %s: allow it with `chmod o+x %s`, or choose another --data-dir", owner.name, at, dir, at)
		}
	}
	return nil
}

func canEnter(dir string, owner *account) error {
	c := exec.Command("/bin/sh", "-c", `cd "$1"`, "sh", dir)
	c.Dir = "/"
	c.SysProcAttr = &syscall.SysProcAttr{Credential: owner.credential()}
	return c.Run()
}
