package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// InUseError says that another program uses the data directory.
type InUseError struct {
	Dir string
	PID int // 0 when the other program has not written it yet
}

func (e *InUseError) Error() string {
	who := "another program"
	if e.PID != 0 {
		who = "process " + strconv.Itoa(e.PID)
	}
	return fmt.Sprintf("data directory %s is in use by %s: stop that one first, or choose another with --data-dir", e.Dir, who)
}

// lockDataDir takes the lock that this program holds until it ends, however it
// ends. The file stays: removing it would let two programs lock two files.
func lockDataDir(dirs directories) (*os.File, error) {
	f, err := openLock(dirs.lock)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, &InUseError{Dir: dirs.root, PID: firstLineNumber(dirs.lock)}
	}
	if err == nil {
		err = errors.Join(f.Truncate(0), writeLine(f, strconv.Itoa(os.Getpid())))
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock data directory %s: %w", dirs.root, err)
	}
	return f, nil
}

func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, os.ErrPermission) {
		return nil, fmt.Errorf("%w: the data directory belongs to another user; start as that user, or choose another with --data-dir", err)
	}
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	return f, nil
}

func writeLine(f *os.File, line string) error {
	_, err := f.WriteAt([]byte(line+"\n"), 0)
	return err
}

// firstLineNumber reads a process id; 0 when there is none to read.
func firstLineNumber(path string) int {
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return 0
	}
	return n
}

// awaitEarlierServer returns the cluster's lock once no process of the cluster
// is left. The supervisor, Postgres and all its children inherit that lock, so
// it tells the truth where process ids do not: a dead child that nobody reaps
// still has a pid, but holds no lock.
func (s *Server) awaitEarlierServer(ctx context.Context, progress func(string)) (*os.File, error) {
	f, err := openLock(s.dirs.clusterLock)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, earlierServerPatience)
	defer cancel()
	if err := s.pollLock(ctx, f, progress); err != nil {
		f.Close()
		return nil, err
	}
	if err := s.clearStalePID(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (s *Server) pollLock(ctx context.Context, f *os.File, progress func(string)) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	// Its supervisor needs a moment to stop it; a supervisor that was killed
	// never will, and then it is on us.
	orphaned := time.NewTimer(2 * time.Second)
	defer orphaned.Stop()
	for first := true; ; first = false {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return fmt.Errorf("lock the database cluster: %w", err)
		}
		if first {
			progress("waiting for the Postgres of an earlier start to stop")
		}
		select {
		case <-tick.C:
		case <-orphaned.C:
			if pid := s.postmaster(); pid != 0 {
				// Already gone is as good.
				_ = syscall.Kill(pid, syscall.SIGINT)
			}
		case <-ctx.Done():
			return fmt.Errorf("the Postgres of an earlier start has not stopped (process %d, log %s): %w", s.postmaster(), s.dirs.log, ctx.Err())
		}
	}
}
