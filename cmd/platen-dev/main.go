// Command platen-dev runs everything on one machine in one program: Postgres,
// Temporal with its Web UI, the cloud drive, the API, the webhook host and the
// worker. Its state is one directory. It is for trying, developing and
// testing; in production the same parts run from command platen. Temporal alone is for
// an installation on one machine.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/cmd/platen-dev/internal/embedded/postgres"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/drive/soffice/cell"
)

type commands struct {
	Run      runCommand      `cmd:"" default:"withargs" help:"Run everything until interrupted (the default)."`
	Demo     demoCommand     `cmd:"" help:"Bring up an instance of its own, make the example documents over HTTP, check them, and take it down."`
	Temporal temporalCommand `cmd:"" help:"Run Temporal alone, on a Postgres that is there."`
	Exec     execCommand     `cmd:"" help:"Bring up an instance of its own, run a command against it, and take it down."`
}

func main() {
	cell.Enter()
	postgres.Supervise()
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-signals
		cancel(fmt.Errorf("%w: %v", errSignalled, s))
		<-signals
		fmt.Fprintln(os.Stderr, "platen-dev: second signal, ending at once")
		os.Exit(130) // the supervisor sees the pipe close and stops Postgres
	}()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, errSignalled) {
		fmt.Fprintf(os.Stderr, "platen-dev: %v\n", err)
		os.Exit(exitCode(err))
	}
}

// errSignalled is the cause of a context that a signal ended.
var errSignalled = errors.New("signalled")

func run(ctx context.Context, args []string) error {
	var c commands
	var files config.SecretFiles
	parser, err := kong.New(&c,
		files.Option(),
		kong.Name("platen-dev"),
		kong.Description("Platen, whole, on one machine. Every flag has a twin in the environment, shown beside it; flags win."),
		kong.BindTo(ctx, (*context.Context)(nil)),
		defaults(),
		kong.Help(helpWithDefault),
	)
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return fmt.Errorf("%w; 'platen-dev --help' lists the flags", err)
	}
	if err := files.Check(nil); err != nil {
		return err
	}
	return parsed.Run()
}

// helpWithDefault adds to the program's own help the flags of 'run', which
// needs no naming.
func helpWithDefault(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil || ctx.Selected() != nil {
		return err
	}
	byDefault, err := kong.Trace(ctx.Kong, []string{"run"})
	if err != nil {
		return err
	}
	fmt.Fprintln(ctx.Stdout)
	return kong.DefaultHelpPrinter(options, byDefault)
}

// defaultDataDir is for one machine-wide instance as root, else for one of the
// user, by the XDG base directory specification.
func defaultDataDir() string {
	if os.Geteuid() == 0 {
		return "/var/lib/platen-dev"
	}
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			home = "."
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "platen-dev")
}

// progress prints one line for a person who waits.
func progress(part string) func(string) {
	return func(message string) {
		fmt.Fprintf(os.Stderr, "%-10s %s\n", part, strings.TrimSpace(message))
	}
}
