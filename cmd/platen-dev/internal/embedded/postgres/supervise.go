package postgres

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// superviseArgument is what ps shows as the supervisor's only argument.
const superviseArgument = "supervise-postgres"

// lockDescriptor is the cluster's lock: the first of exec.Cmd.ExtraFiles.
const lockDescriptor = 3

// An orderly shutdown that lasts longer becomes an immediate one. That loses
// nothing either: the next start recovers from the write-ahead log.
const orderlyShutdown = 5 * time.Second

// order is what a supervisor reads from its standard input before anything else.
type order struct {
	Program    string
	Args       []string
	Dir        string
	Credential *credential
}

type credential struct{ UID, GID uint32 }

// Supervise does nothing in a program that was started in the ordinary way. In
// a process that Start made it runs Postgres and never returns. main must call
// it before anything else, tests from TestMain.
//
// The supervisor holds the read end of a pipe whose write end only the starting
// program has: however that program ends, the pipe closes, and Postgres is
// stopped. Unlike a parent-death signal this is not tied to a thread, and works
// on macOS too.
func Supervise() {
	if len(os.Args) != 2 || os.Args[1] != superviseArgument {
		return
	}
	if err := supervise(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "supervisor of Postgres:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func supervise(pipe io.Reader) error {
	// Signals to the supervisor are meant for Postgres.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	var o order
	if err := json.NewDecoder(pipe).Decode(&o); err != nil {
		return fmt.Errorf("read what to run: %w", err)
	}
	c := exec.Command(o.Program, o.Args...)
	c.Dir, c.Stdout, c.Stderr = o.Dir, os.Stdout, os.Stderr
	c.ExtraFiles = []*os.File{os.NewFile(lockDescriptor, "cluster lock")}
	if o.Credential != nil {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: o.Credential.UID, Gid: o.Credential.GID}}
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("start Postgres: %w", err)
	}
	exited := make(chan error, 1)
	go func() { exited <- c.Wait() }()
	closed := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, pipe) // ends when the other side is gone
		close(closed)
	}()
	select {
	case err := <-exited:
		if err == nil {
			err = errors.New("somebody else stopped it")
		}
		return fmt.Errorf("the server ended by itself: %w", err)
	case <-closed:
	case <-signals:
	}
	return stop(c.Process, exited)
}

// stop never sends SIGKILL: children of a killed postmaster may write on while
// the next server already starts.
func stop(postmaster *os.Process, exited <-chan error) error {
	if err := postmaster.Signal(syscall.SIGINT); err != nil {
		fmt.Fprintln(os.Stderr, "supervisor of Postgres: ask for a fast shutdown:", err)
	}
	select {
	case err := <-exited:
		return err
	case <-time.After(orderlyShutdown):
	}
	fmt.Fprintln(os.Stderr, "supervisor of Postgres: asking for an immediate shutdown, because an orderly one takes longer than", orderlyShutdown)
	if err := postmaster.Signal(syscall.SIGQUIT); err != nil {
		fmt.Fprintln(os.Stderr, "supervisor of Postgres: ask for an immediate shutdown:", err)
	}
	<-exited
	return nil
}
