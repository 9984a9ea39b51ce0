package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A log longer than this is moved aside at the next start.
const logLimit = 10 << 20

// settings differ from Postgres' defaults only where one machine that also runs
// everything else asks for it. All else is as on a server that nobody configured: what
// our programs need they set on their own connections, and a server that is kinder than
// others would hide what they forgot. Durability is never traded: fsync,
// full_page_writes and synchronous_commit stay on.
func settings(port int) []string {
	pairs := []string{
		"listen_addresses=" + host,
		"port=" + strconv.Itoa(port),
		"unix_socket_directories=",
		"password_encryption=scram-sha-256",
		// Temporal's eight pools and those of parallel tests; ours fit into the default
		// of 100, which a test of theirs says.
		"max_connections=500",
	}
	var args []string
	for _, p := range pairs {
		args = append(args, "-c", p)
	}
	return args
}

// launch starts the supervisor, which starts Postgres.
func (s *Server) launch(bin Binaries, clusterLock *os.File) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find our own program to supervise Postgres: %w", err)
	}
	log, err := openLog(s.dirs.log)
	if err != nil {
		return fmt.Errorf("open the log of Postgres: %w", err)
	}
	defer log.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make the supervisor's pipe: %w", err)
	}
	defer read.Close()

	c := exec.Command(self, superviseArgument)
	c.Stdin, c.Stdout, c.Stderr = read, log, log
	c.ExtraFiles = []*os.File{clusterLock}
	c.Dir, c.Env = s.dirs.root, environment()
	// A session of its own: Ctrl-C in the terminal must reach us alone, since
	// Postgres is the last thing that we stop.
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		write.Close()
		return fmt.Errorf("start the supervisor of Postgres: %w", err)
	}
	s.pipe, s.command, s.done = write, c, make(chan struct{})
	go func() {
		s.exit = c.Wait()
		close(s.done)
	}()
	order := order{
		Program: bin.postgres(),
		Args:    append([]string{"-D", s.dirs.cluster}, settings(s.port)...),
		Dir:     s.dirs.cluster,
	}
	if s.owner != nil {
		order.Credential = &credential{UID: s.owner.uid, GID: s.owner.gid}
	}
	if err := json.NewEncoder(write).Encode(order); err != nil {
		return fmt.Errorf("tell the supervisor what to run: %w", err)
	}
	return nil
}

func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// awaitReady polls with the real credentials: a server that merely listens may
// still be recovering, or may not be ours.
func (s *Server) awaitReady(ctx context.Context, progress func(string)) error {
	recovering := time.NewTimer(2 * time.Second)
	defer recovering.Stop()
	for {
		err := s.ping(ctx)
		if err == nil {
			return nil
		}
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == "28P01" { // invalid_password
			const patience = 10 * time.Second
			select {
			case <-s.done: // another server has our port
				return s.endedWhileStarting()
			case <-ctx.Done():
				return fmt.Errorf("wait for Postgres: %w: %w", ctx.Err(), err)
			case <-time.After(patience):
				return fmt.Errorf("the server refuses the password in %s: %w", s.dirs.password, err)
			}
		}
		select {
		case <-s.done:
			return s.endedWhileStarting()
		case <-ctx.Done():
			return fmt.Errorf("wait for Postgres: %w: %w", ctx.Err(), err)
		case <-recovering.C:
			progress("recovering the database after a crash")
		case <-time.After(pollInterval):
		}
	}
}

func (s *Server) endedWhileStarting() error {
	tail := s.logTail()
	if full := s.full(tail); full != nil {
		return full
	}
	return fmt.Errorf("the Postgres server ended while starting (%v): %s; its log is %s", s.exit, tail, s.dirs.log)
}

func (s *Server) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func (s *Server) logTail() string {
	f, err := os.Open(filepath.Clean(s.dirs.log))
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	const window = 4 << 10
	if info, err := f.Stat(); err == nil && info.Size() > window {
		if _, err := f.Seek(-window, io.SeekEnd); err != nil {
			return err.Error()
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, window))
	if err != nil {
		return err.Error()
	}
	return lastLines(text, 3)
}
