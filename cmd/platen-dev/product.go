package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/embedded/temporal"
)

// A product is Platen's own parts on a running Postgres and Temporal: what
// 'platen serve', 'platen worker' and 'platen drive' run, in one program.
type product struct {
	settings  settings
	listeners listeners
	log       *slog.Logger
	database  config.Database
	secrets   config.Secrets
	temporal  string
	// temporalUI is the address of Temporal's UI.
	temporalUI string
	failed     chan error
}

// parts run side by side, in the order in which they were started.
type parts []*part

type part struct {
	name   string
	cancel context.CancelFunc
	done   chan struct{}
	err    error // valid once done is closed
}

func (p product) start(ctx context.Context) (parts, error) {
	progress("Platen")("starting drive, worker, API and webhooks …")
	if err := app.Migrate(ctx, p.database.DatabaseURL); err != nil {
		return nil, err
	}
	// On one machine receivers are on this machine, too.
	const allowPrivate = "127.0.0.0/8,::1/128"
	cloud := config.Cloud{DriveKind: string(platen.DrivePlaten), DriveEndpoint: app.LocalURL(p.listeners.drive.Addr())}
	api, hooks := app.LocalURL(p.listeners.api.Addr())+"/v0", app.LocalURL(p.listeners.hooks.Addr())
	steps := []struct {
		name string
		run  func(ctx context.Context, ready func()) error
	}{
		{"drive", func(ctx context.Context, ready func()) error {
			c := config.DriveServer{
				Log: p.settings.Log, Database: p.database, Drive: p.listeners.drive.Addr().String(), DriveURL: cloud.DriveEndpoint,
				Fonts: p.settings.DriveFonts, Exporter: p.settings.DriveExporter, Soffice: p.settings.DriveSoffice,
			}
			return app.Drive(ctx, c, p.log.With("part", "drive"), p.listeners.drive, ready)
		}},
		{"worker", func(ctx context.Context, ready func()) error {
			c := config.Work{
				Log: p.settings.Log, Database: p.database, Secrets: p.secrets, Cloud: cloud,
				Temporal: config.Temporal{TemporalAddress: p.temporal, TemporalNamespace: temporalNamespace},
				Queue:    "platen", MaxOpen: "auto", TimeZone: "UTC", RetrySchedule: p.settings.RetrySchedule,
				APIURL: api, HooksURL: hooks,
				AllowPrivate: allowPrivate, BuildID: "auto", Promotion: "auto", Alone: true,
			}
			return app.Work(ctx, c, p.log.With("part", "worker"), ready)
		}},
		{"serve", func(ctx context.Context, ready func()) error {
			c := config.Serve{
				Log: p.settings.Log, Database: p.database, Secrets: p.secrets, Cloud: cloud,
				API: p.listeners.api.Addr().String(), Hooks: p.listeners.hooks.Addr().String(), HooksBodyLimit: "1048576",
				APIURL: api, HooksURL: hooks,
				// Nobody has to be kept from anybody here.
				RateLimit: "0", RateBurst: "200", StrangerLimit: "0", SourceRateLimit: "0",
				AllowPrivate:  allowPrivate,
				TemporalUIURL: p.temporalUI, TemporalNamespace: temporalNamespace,
			}
			return app.Serve(ctx, c, p.log.With("part", "serve"), p.listeners.api, p.listeners.hooks, ready)
		}},
	}
	var started parts
	for _, s := range steps {
		one, err := p.startPart(ctx, s.name, s.run)
		if err != nil {
			return started, err
		}
		started = append(started, one)
	}
	return started, nil
}

// startPart returns when the part is ready. The part outlives ctx: it is
// stopped in its turn.
func (p product) startPart(ctx context.Context, name string, run func(ctx context.Context, ready func()) error) (*part, error) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	one := &part{name: name, cancel: cancel, done: make(chan struct{})}
	isReady := make(chan struct{})
	go func() {
		defer close(one.done)
		one.err = run(running, func() { close(isReady) })
		if running.Err() == nil {
			p.failed <- fmt.Errorf("%s ended by itself: %w", name, errors.Join(one.err, errEnded))
		}
	}()
	select {
	case <-isReady:
		return one, nil
	case <-one.done:
		cancel()
		return nil, fmt.Errorf("start %s: %w", name, errors.Join(one.err, errEnded))
	case <-ctx.Done():
		cancel()
		<-one.done
		return nil, context.Cause(ctx)
	}
}

var errEnded = errors.New("see log/platen.log in the data directory")

// stop stops the parts, the last started first.
func (ps parts) stop(ctx context.Context) error {
	var all error
	for i := len(ps) - 1; i >= 0; i-- {
		one := ps[i]
		one.cancel()
		select {
		case <-one.done:
			if one.err != nil {
				all = errors.Join(all, fmt.Errorf("stop %s: %w", one.name, one.err))
			}
		case <-ctx.Done():
			return errors.Join(all, fmt.Errorf("stop %s: %w", one.name, ctx.Err()))
		}
	}
	return all
}

func (p product) ready(cluster *temporal.Server) ready {
	return ready{
		APIURL:            app.LocalURL(p.listeners.api.Addr()) + "/v0",
		HooksURL:          app.LocalURL(p.listeners.hooks.Addr()),
		DriveURL:          app.LocalURL(p.listeners.drive.Addr()),
		TemporalAddress:   cluster.Address(),
		TemporalNamespace: temporalNamespace,
		TemporalUIURL:     cluster.UIURL(),
		DatabaseURL:       p.database.DatabaseURL,
	}
}
