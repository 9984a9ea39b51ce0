package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// makeCluster runs initdb unless there is a cluster, and returns its password.
// It works in a directory beside and renames at the end, so that a cluster is
// whole or not there.
func (s *Server) makeCluster(ctx context.Context, o Options, clusterLock *os.File) (password string, err error) {
	_, err = os.Stat(filepath.Join(s.dirs.cluster, "PG_VERSION"))
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("look for the database cluster: %w", err)
	}
	raw, err := os.ReadFile(s.dirs.password)
	switch {
	case err == nil:
		password = strings.TrimSpace(string(raw))
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("read the password of Postgres: %w", err)
	case exists:
		return "", fmt.Errorf("the password of Postgres is gone: put %s back, or choose another --data-dir", s.dirs.password)
	default:
		password = rand.Text()
		if err := writeSecret(s.dirs.password, password); err != nil {
			return "", fmt.Errorf("keep the password of Postgres: %w", err)
		}
	}
	if exists {
		return password, nil
	}
	o.Progress("creating the database cluster")
	return password, s.initdb(ctx, o.Bin, password, clusterLock)
}

func (s *Server) initdb(ctx context.Context, bin Binaries, password string, clusterLock *os.File) error {
	unfinished := s.dirs.cluster + ".new"
	if err := os.RemoveAll(unfinished); err != nil {
		return fmt.Errorf("remove an unfinished cluster: %w", err)
	}
	if err := errors.Join(os.Mkdir(unfinished, 0o700), s.owner.own(unfinished)); err != nil {
		return fmt.Errorf("make the cluster's directory: %w", err)
	}
	secret := unfinished + ".password"
	defer os.Remove(secret)
	if err := errors.Join(writeSecret(secret, password), s.owner.own(secret)); err != nil {
		return fmt.Errorf("hand the password to initdb: %w", err)
	}
	// Locale C sorts the same on every system and never changes with the
	// operating system's libraries, which would corrupt indexes.
	c := exec.CommandContext(ctx, bin.initdb(), "--pgdata", unfinished, "--username", User, "--pwfile", secret,
		"--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--data-checksums", "--no-instructions")
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	c.Dir, c.Env = s.dirs.root, environment()
	c.ExtraFiles = []*os.File{clusterLock} // the next start waits for it, should we be killed
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner.credential(), Setpgid: true}
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGINT) }
	c.WaitDelay = 5 * time.Second
	if err := c.Run(); err != nil {
		if full := s.full(output.String()); full != nil {
			return full
		}
		return fmt.Errorf("initdb: %w: %s", errors.Join(err, ctx.Err()), lastLines(output.Bytes(), 5))
	}
	if err := os.Rename(unfinished, s.dirs.cluster); err != nil {
		return fmt.Errorf("put the new cluster in place: %w", err)
	}
	return syncDir(s.dirs.root)
}

// full says what Postgres' programs, which speak English here, mean by the
// operating system's words for a disk without room; nil when it is not that.
func (s *Server) full(output string) error {
	if !strings.Contains(output, "No space left on device") {
		return nil
	}
	return fmt.Errorf("no space left in %s: make room there, or choose another --data-dir", s.dirs.root)
}

// writeSecret replaces path in one step, readable by us alone.
func writeSecret(path, secret string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone after the rename
	_, err = f.WriteString(secret + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// environment is ours without the PG* variables, which would redirect initdb
// and postgres, and with a locale that exists everywhere: on macOS postgres
// does not start without a valid one.
func environment() []string {
	var env []string
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "PG") && !strings.HasPrefix(pair, "LC_") && !strings.HasPrefix(pair, "LANG") {
			env = append(env, pair)
		}
	}
	return append(env, "LC_ALL=C")
}

func lastLines(text []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}
