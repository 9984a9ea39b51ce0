// Command platen-dev is everything on one machine in one program: Postgres,
// Temporal with its Web UI, the local drive, API, webhooks and worker.
//
// It is the only program that links Temporal's server. Here are flags, the
// order of starting and stopping, and what is said to the person in front of
// the screen; the product's parts are put together in internal/app.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/embedded/postgres"
)

// command is the command line. Every flag has a twin in the environment:
// --data-dir is PLATEN_DEV_DATA_DIR.
type command struct {
	Run runCommand `cmd:"" default:"withargs" help:"Run everything until SIGINT or SIGTERM (default)."`
}

func main() {
	postgres.Supervise()
	os.Exit(realMain())
}

func realMain() int {
	var c command
	parsed := kong.Parse(&c,
		kong.Name("platen-dev"),
		kong.Description("Platen on one machine in one program: Postgres, Temporal with its Web UI, the local drive, API, webhooks and worker."),
		kong.DefaultEnvars("PLATEN_DEV"),
		kong.Vars{"data_dir": defaultDataDir(os.Geteuid(), os.Getenv)},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	ctx, stop := untilSignal()
	defer stop()
	parsed.BindTo(ctx, (*context.Context)(nil))
	if err := parsed.Run(); err != nil && !errors.Is(err, errStopped) {
		fmt.Fprintln(os.Stderr, "platen-dev:", err)
		return 1
	}
	return 0
}

// errStopped is the cause of a context that a signal ended.
var errStopped = errors.New("stopped by a signal")

// untilSignal returns a context that the first SIGINT or SIGTERM ends. The
// second ends the program at once; the supervisor still stops Postgres then.
func untilSignal() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-signals
		cancel(errStopped)
		<-signals
		os.Exit(130)
	}()
	return ctx, func() { signal.Stop(signals) }
}
