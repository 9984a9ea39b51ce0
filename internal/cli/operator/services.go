package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"syscall"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/telemetry"
)

type serveCommand struct{ config.Serve }

func (c *serveCommand) Run(ctx context.Context) error {
	err := c.Check()
	api, errAPI := listen("api", c.API, err)
	hooks, errHooks := listen("hooks", c.Hooks, err)
	log := app.Logger(c.Log)
	stop, errMetrics := observe(ctx, &c.Observe, "serve", log, err)
	defer stop()
	if err := errors.Join(err, errAPI, errHooks, errMetrics); err != nil {
		for _, l := range []net.Listener{api, hooks} {
			if l != nil {
				_ = l.Close()
			}
		}
		return err
	}
	app.CollectLess()
	return app.Serve(ctx, c.Serve, log, api, hooks, func() {
		log.Info("serving", "api", api.Addr().String(), "hooks", hooks.Addr().String())
	})
}

type workerCommand struct{ config.Work }

func (c *workerCommand) Run(ctx context.Context) error {
	err := c.Check()
	log := app.Logger(c.Log)
	stop, errMetrics := observe(ctx, &c.Observe, "worker", log, err)
	defer stop()
	if err := errors.Join(err, errMetrics); err != nil {
		return err
	}
	app.CollectLessAtWork()
	return app.Work(ctx, c.Work, log, func() {
		log.Info("working", "temporal", c.TemporalAddress, "namespace", c.TemporalNamespace, "queue", c.Queue)
	})
}

type driveCommand struct {
	Serve driveServeCommand `cmd:"" default:"withargs" help:"Serve the drive (the default). 'platen drive serve --help' lists its settings."`
	User  driveUserCommand  `cmd:"" help:"Accounts of the drive."`
	Token driveTokenCommand `cmd:"" help:"Make a bearer token of the drive, and the account when there is none. Prints the token alone."`

	Key          driveKeyCommand          `cmd:"" help:"Make a service-account key for an account of the drive, or register a public key. Prints the key file that Google's clients read; the private key is kept nowhere else."`
	RefreshToken driveRefreshTokenCommand `cmd:"" help:"Make an OAuth refresh token for an account of the drive. Prints the token alone."`

	cli.DriveCommands
}

type driveServeCommand struct{ config.DriveServer }

func (c *driveServeCommand) Run(ctx context.Context) error {
	err := c.Check()
	listener, errDrive := listen("drive", c.Drive, err)
	log := app.Logger(c.Log)
	stop, errMetrics := observe(ctx, &c.Observe, "drive", log, err)
	defer stop()
	if err := errors.Join(err, errDrive, errMetrics); err != nil {
		if listener != nil {
			_ = listener.Close()
		}
		return err
	}
	app.CollectInDrive()
	return app.Drive(ctx, c.DriveServer, log, listener, func() {
		log.Info("serving the drive", "drive", listener.Addr().String())
	})
}

type migrateCommand struct{ config.Migrate }

// Run prints each migration that it applied, and how many they were.
func (c *migrateCommand) Run(ctx context.Context) error { return c.run(ctx, os.Stdout) }

func (c *migrateCommand) run(ctx context.Context, to io.Writer) error {
	if err := c.Check(); err != nil {
		return err
	}
	applied, err := app.Upgrade(ctx, c.DatabaseURL, c.StartWait.Value(), app.Logger(c.Log))
	if err != nil {
		return err
	}
	for _, name := range applied {
		if _, err := fmt.Fprintln(to, "Applied:", name); err != nil {
			return err
		}
	}
	if len(applied) == 0 {
		_, err = fmt.Fprintln(to, "Nothing to do: the database has every migration of this release.")
		return err
	}
	_, err = fmt.Fprintf(to, "Applied %s: the database now has every migration of this release.\n", count(len(applied), "migration"))
	return err
}

// listen opens a listener. If the settings have faults, it reports only a port in
// use: they cover every other error of an address.
func listen(flag, address string, faults error) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err == nil {
		return l, nil
	}
	if faults != nil && !errors.Is(err, syscall.EADDRINUSE) {
		return nil, nil
	}
	return nil, fmt.Errorf("--%s %s: %w; stop the other program, or choose another address", flag, address, err)
}

// observe serves the metrics and probes of a program until stop, and sends metrics
// where OpenTelemetry's variables say so. It reports a port in use together with the
// other faults.
func observe(ctx context.Context, o *config.Observe, program string, log *slog.Logger, faults error) (stop func(), err error) {
	if o.Metrics == "" && !telemetry.MetricsExported() {
		return func() {}, nil
	}
	var l net.Listener
	if o.Metrics != "" {
		if l, err = listen("metrics (PLATEN_METRICS)", o.Metrics, faults); l == nil {
			return func() {}, err
		}
	}
	return app.Observe(ctx, o, program, l, log)
}
