// Package postgres runs a Postgres server of our own for as long as the calling
// program lives, and no longer. The server listens on loopback only, in a data
// directory that one program at a time may use. It stops even when that program
// is killed.
//
// It starts and stops a server and hands out addresses. Schemas, pools and
// queries belong to internal/postgres; nothing but cmd/platen-dev may import
// this package, whose main must call Supervise first.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/platenhq/platen/internal/testkit/ports"
)

const (
	host = "127.0.0.1"

	// User is the superuser that owns everything in the cluster.
	User = "platen"

	// How long a start waits for an earlier server to go away. Postgres ends an
	// immediate shutdown by itself after 5 s; a shutdown checkpoint on a slow
	// disk is what takes long.
	earlierServerPatience = 60 * time.Second

	pollInterval = 10 * time.Millisecond
)

// Options says where and with what to run Postgres.
type Options struct {
	// DataDir is made if need be. The cluster lives in DataDir/postgres, its
	// password in DataDir/postgres-password, its log in DataDir/log.
	DataDir string
	// Bin comes from Find.
	Bin Binaries
	// Port on 127.0.0.1; 0 takes a free one, which may differ at every start.
	Port int
	// Progress receives a sentence for every step that a person may have to
	// wait for; nil drops them.
	Progress func(message string)
}

// Server is a running Postgres.
type Server struct {
	dirs     directories
	port     int
	password string
	owner    *account
	lock     *os.File
	free     func(host string, n int) ([]int, error) // chooses ports

	pipe    *os.File // open for as long as the server shall run
	done    chan struct{}
	exit    error // valid once done is closed
	command *exec.Cmd
}

// directories are the places inside a data directory.
type directories struct{ root, cluster, password, log, lock, clusterLock string }

func layout(dataDir string) (directories, error) {
	root, err := filepath.Abs(dataDir)
	if err != nil {
		return directories{}, fmt.Errorf("data directory %q: %w", dataDir, err)
	}
	return directories{
		root:        root,
		cluster:     filepath.Join(root, "postgres"),
		password:    filepath.Join(root, "postgres-password"),
		log:         filepath.Join(root, "log", "postgres.log"),
		lock:        filepath.Join(root, "lock"),
		clusterLock: filepath.Join(root, "postgres.lock"),
	}, nil
}

// Start returns when Postgres answers. It makes the cluster on the first start,
// recovers it after a crash, and waits for an earlier server that is still
// stopping. ctx bounds the start alone. A data directory that another program
// uses is an *InUseError.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	dirs, err := layout(o.DataDir)
	if err != nil {
		return nil, err
	}
	if o.Port != 0 {
		if err := ports.Check(net.JoinHostPort(host, strconv.Itoa(o.Port))); err != nil {
			return nil, fmt.Errorf("port for Postgres: %w", err)
		}
	}
	s := &Server{dirs: dirs, free: ports.Free}
	if err := s.start(ctx, o); err != nil {
		s.abandon()
		return nil, err
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, o Options) (err error) {
	if s.owner, err = chooseAccount(s.dirs.cluster); err != nil {
		return err
	}
	if err := makeDataDir(s.dirs, s.owner); err != nil {
		return err
	}
	if s.lock, err = lockDataDir(s.dirs); err != nil {
		return err
	}
	o.Progress(fmt.Sprintf("starting version %d", o.Bin.Major))
	clusterLock, err := s.awaitEarlierServer(ctx, o.Progress)
	if err != nil {
		return err
	}
	defer clusterLock.Close()
	if s.password, err = s.makeCluster(ctx, o, clusterLock); err != nil {
		return err
	}
	return s.launchOnPort(ctx, o, clusterLock)
}

// launchOnPort tries again when somebody else took the free port in the moment
// before Postgres opened it.
func (s *Server) launchOnPort(ctx context.Context, o Options, clusterLock *os.File) error {
	for tries := 1; ; tries++ {
		s.port = o.Port
		if o.Port == 0 {
			free, err := s.free(host, 1)
			if err != nil {
				return fmt.Errorf("port for Postgres: %w", err)
			}
			s.port = free[0]
		}
		err := s.launch(o.Bin, clusterLock)
		if err == nil {
			err = s.awaitReady(ctx, o.Progress)
		}
		if err == nil {
			return nil
		}
		lost := s.isStopped() && errors.Is(ports.Check(s.Address()), ports.ErrTaken)
		if !lost || o.Port != 0 || tries == 3 {
			return err
		}
	}
}

// abandon ends a start that failed half-way. The supervisor goes on stopping
// Postgres by itself.
func (s *Server) abandon() {
	if s.pipe != nil {
		s.pipe.Close()
	}
	if s.lock != nil {
		s.lock.Close()
	}
}

// Stop shuts the server down in order: clients are cut off, open transactions
// rolled back, everything written to disk. When ctx ends first its error comes
// back and the supervisor finishes the work.
func (s *Server) Stop(ctx context.Context) error {
	defer s.lock.Close()
	s.pipe.Close()
	select {
	case <-s.done:
	case <-ctx.Done():
		return fmt.Errorf("stop Postgres: %w", ctx.Err())
	}
	// The supervisor may have been killed without its child.
	l, err := s.awaitEarlierServer(ctx, func(string) {})
	if err != nil {
		return fmt.Errorf("stop Postgres: %w", err)
	}
	return l.Close()
}

// EnsureDatabase makes a database unless it is there.
func (s *Server) EnsureDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42P04" { // duplicate_database
		return nil
	}
	if err != nil {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	return nil
}

// Done is closed when the server has ended, by Stop or by itself; Err then
// says why.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err is nil while the server runs and after an orderly stop.
func (s *Server) Err() error {
	if !s.isStopped() || s.exit == nil {
		return nil
	}
	return fmt.Errorf("the Postgres server ended (%w); its log is %s", s.exit, s.dirs.log)
}

func (s *Server) isStopped() bool {
	select {
	case <-s.done:
		return true
	default:
		return s.done == nil
	}
}

// Address is host:port.
func (s *Server) Address() string { return net.JoinHostPort(host, strconv.Itoa(s.port)) }

// Password is that of User. It stays the same for the life of the data directory.
func (s *Server) Password() string { return s.password }

// URL is the address of a database on this server, password included: a secret.
func (s *Server) URL(database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(User, s.password), Host: s.Address(), Path: "/" + database, RawQuery: "sslmode=disable"}
	return u.String()
}
