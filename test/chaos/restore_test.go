package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/platenhq/platen/internal/testkit/program"
)

// lateAttempt is how long after a restore an attempt may arrive of an event
// that it took back: it was under way.
const lateAttempt = 20 * time.Second

// rewindPostgres makes a base backup of the service's Postgres, and puts the
// backup in its place some seconds later. Temporal keeps what it has.
func (f *faultRun) rewindPostgres(ctx context.Context) error {
	g := f.service.devInstance
	backup := filepath.Join(f.service.dir, "backup")
	defer os.RemoveAll(backup)
	from := time.Now()
	if err := g.backUp(ctx, backup); err != nil {
		return err
	}
	made := f.load.acknowledged()
	time.Sleep(f.between(3*time.Second, 6*time.Second))
	met := f.load.acknowledged() > made
	if err := g.restore(backup); err != nil {
		return err
	}
	f.timeline.takeBack(window{from: from, to: time.Now()})
	if !met {
		return errMissed
	}
	return nil
}

// backUp makes a base backup into a directory that is not there yet.
func (g *devInstance) backUp(ctx context.Context, dir string) error {
	_, binary, err := g.postmaster()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, filepath.Join(filepath.Dir(binary), "pg_basebackup"),
		"--dbname", g.database("postgres", nil), "--pgdata", dir, "--checkpoint", "fast", "--wal-method", "stream")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, out)
	}
	return nil
}

// restore puts a base backup in the place of the cluster.
func (g *devInstance) restore(backup string) error {
	cluster, err := g.cluster()
	if err != nil {
		return err
	}
	family, err := g.family()
	if err != nil {
		return err
	}
	// Its supervisor, which would restart it, is stopped meanwhile.
	if !g.process.signal(syscall.SIGSTOP) {
		return errMissed
	}
	defer g.process.signal(syscall.SIGCONT)
	for _, pid := range family {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile
	}
	err = program.Within(startLimit, func() error {
		for _, pid := range family {
			if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && !strings.Contains(string(stat), ") Z ") {
				return fmt.Errorf("process %d of Postgres has not ended", pid)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := command("chown", "-R", "--reference", cluster, backup); err != nil {
		return err
	}
	if err := errors.Join(command("rm", "-rf", cluster), command("cp", "-a", backup, cluster)); err != nil {
		return err
	}
	if err := errors.Join(g.Forget(), g.process.killNow()); err != nil {
		return err
	}
	return g.await(3 * time.Minute)
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
