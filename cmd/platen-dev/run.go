package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/platenhq/platen/internal/embedded/ports"
)

// stopBudget is for everything together.
const stopBudget = 10 * time.Second

// runCommand holds the flags of the default command.
type runCommand struct {
	DataDir     string `placeholder:"DIR" default:"${data_dir}" help:"Where everything is kept: database, passwords, logs. Made on the first start; one program at a time may use it."`
	API         string `name:"api" placeholder:"ADDR" default:"127.0.0.1:8080" help:"Address of the API (/v0). Port 0 takes a free one, here and in the other addresses."`
	Hooks       string `placeholder:"ADDR" default:"127.0.0.1:8081" help:"Address of the source webhooks."`
	Drive       string `placeholder:"ADDR" default:"127.0.0.1:8082" help:"Address of the local drive."`
	Temporal    string `placeholder:"ADDR" default:"127.0.0.1:7233" help:"Address of Temporal's gRPC frontend."`
	TemporalUI  string `name:"temporal-ui" placeholder:"ADDR" default:"127.0.0.1:8233" help:"Address of Temporal's Web UI."`
	PostgresBin string `placeholder:"DIR" help:"Directory with postgres and initdb, version 14 or later. Empty: looked for on PATH and in the usual places."`
	ReadyFile   string `placeholder:"FILE" help:"When everything answers, write addresses and tokens to this file as JSON (mode 0600)."`
}

// Run is called by kong.
func (c *runCommand) Run(ctx context.Context) error {
	listeners, err := c.listen()
	if err != nil {
		return err
	}
	defer listeners.close()
	if c.DataDir, err = filepath.Abs(c.DataDir); err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	say := progress(os.Stderr)
	s, err := startStack(ctx, c, say)
	if err != nil {
		return causeOf(ctx, err)
	}
	go func() {
		<-s.postgres.Done()
		cancel(errors.Join(errors.New("the Postgres server is gone"), s.postgres.Err()))
	}()
	err = runServices(ctx, s, listeners, func(e endpoints) error {
		if c.ReadyFile != "" {
			if err := e.write(c.ReadyFile); err != nil {
				return fmt.Errorf("--ready-file: %w", err)
			}
		}
		return e.print(os.Stdout)
	})
	cause := context.Cause(ctx)
	say("platen-dev", "stopping")
	return errors.Join(causeOf(ctx, err), failure(cause), s.stop(stopBudget))
}

// causeOf drops the errors that are only the echo of a stop that was asked for.
func causeOf(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && context.Cause(ctx) != nil {
		return failure(context.Cause(ctx))
	}
	return err
}

func failure(cause error) error {
	if errors.Is(cause, errStopped) {
		return nil
	}
	return cause
}

// listeners are opened before anything slow, so that a taken port is told at
// once and nobody takes it while Postgres starts.
type listeners struct{ api, hooks, drive net.Listener }

func (c *runCommand) listen() (l listeners, err error) {
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	for _, each := range []struct {
		flag, address string
		listener      *net.Listener
	}{
		{"--api", c.API, &l.api},
		{"--hooks", c.Hooks, &l.hooks},
		{"--drive", c.Drive, &l.drive},
		{"--temporal", c.Temporal, nil},
		{"--temporal-ui", c.TemporalUI, nil},
	} {
		// Temporal opens its own: here only a look.
		if _, _, err := ports.Resolve(each.address); err != nil {
			return l, flagError(each.flag, err)
		}
		if each.listener == nil {
			continue
		}
		if *each.listener, err = net.Listen("tcp", each.address); err != nil {
			return l, flagError(each.flag, err)
		}
	}
	return l, nil
}

func flagError(flag string, err error) error {
	if errors.Is(err, ports.ErrTaken) {
		return fmt.Errorf("%s %w: another platen-dev may be running; stop it, or give %s another port (0 takes a free one)", flag, err, flag)
	}
	return fmt.Errorf("%s: %w", flag, err)
}

func (l listeners) close() {
	for _, each := range []net.Listener{l.api, l.hooks, l.drive} {
		if each != nil {
			each.Close() // already closed by its server as a rule
		}
	}
}

// defaultDataDir follows the XDG base directory specification for ordinary users.
func defaultDataDir(uid int, env func(string) string) string {
	if uid == 0 {
		return "/var/lib/platen-dev"
	}
	state := env("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification ignores relative ones
		state = filepath.Join(env("HOME"), ".local", "state")
	}
	return filepath.Join(state, "platen-dev")
}

// progress tells what takes its time: "Postgres: creating the database cluster …".
func progress(w io.Writer) func(part, message string) {
	return func(part, message string) { fmt.Fprintf(w, "%s: %s …\n", part, message) }
}
