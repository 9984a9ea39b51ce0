package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"path/filepath"
	"time"

	"github.com/platenhq/platen/cmd/platen-dev/internal/embedded/temporal"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/telemetry"
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
	telemetry  *telemetry.Telemetry // of all parts together
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
	apart, err := p.makeLogins(ctx)
	if err != nil {
		return nil, err
	}
	// On one machine receivers are on this machine, too.
	allowPrivate := config.Of([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")})
	cloud := config.Cloud{DriveKind: platen.DrivePlaten, DriveEndpoint: app.LocalURL(p.listeners.drive.Addr())}
	api, hooks := app.LocalURL(p.listeners.api.Addr())+"/v0", app.LocalURL(p.listeners.hooks.Addr())
	// Postgres and Temporal answer already.
	var atOnce config.Setting[time.Duration]
	steps := []struct {
		name string
		run  func(ctx context.Context, ready func()) error
	}{
		{"drive", func(ctx context.Context, ready func()) error {
			c := config.Defaults[config.DriveServer]()
			c.Log, c.Telemetry, c.Database, c.StartWait = p.settings.Log, p.telemetry, behindWalls(apart.DriveDatabaseURL), atOnce
			c.Drive, c.DriveURL = p.listeners.drive.Addr().String(), cloud.DriveEndpoint
			c.Fonts, c.Exporter, c.Soffice = p.settings.DriveFonts, p.settings.DriveExporter, p.settings.DriveSoffice
			c.Unconfined = p.settings.DriveUnconfined
			c.Like, c.Speed = p.settings.DriveLike, p.settings.DriveSpeed
			c.RateLimit, c.AtOnce = config.Of(0), config.Of(0)
			return app.Drive(ctx, c, p.log.With("part", "drive"), p.listeners.drive, ready)
		}},
		{"worker", func(ctx context.Context, ready func()) error {
			c := config.Defaults[config.Work]()
			c.Log, c.Telemetry, c.Database, c.Secrets, c.Cloud, c.StartWait = p.settings.Log, p.telemetry, behindWalls(apart.WorkerDatabaseURL), p.secrets, cloud, atOnce
			c.TemporalAddress, c.TemporalNamespace = p.temporal, temporalNamespace
			c.APIURL, c.HooksURL, c.AllowPrivate, c.PicturesPrivate = api, hooks, allowPrivate, allowPrivate
			c.RetrySchedule, c.Alone = p.settings.RetrySchedule, true
			c.MailServer, c.SealKey = p.settings.MailServer, p.settings.SealKey
			c.ErasuresFile = filepath.Join(p.settings.DataDir, "erasures.jsonl")
			return app.Work(ctx, c, p.log.With("part", "worker"), ready)
		}},
		{"serve", func(ctx context.Context, ready func()) error {
			c := config.Defaults[config.Serve]()
			c.Log, c.Telemetry, c.Database, c.Secrets, c.Cloud, c.StartWait = p.settings.Log, p.telemetry, behindWalls(apart.ServeDatabaseURL), p.secrets, cloud, atOnce
			c.Mail, c.Bounces, c.Seal = p.settings.Mail, p.settings.Bounces, p.settings.Seal
			c.OperatorDatabaseURL = apart.OperatorDatabaseURL
			c.API, c.Hooks = p.listeners.api.Addr().String(), p.listeners.hooks.Addr().String()
			c.APIURL, c.HooksURL, c.AllowPrivate, c.PicturesPrivate = api, hooks, allowPrivate, allowPrivate
			// Nobody has to be kept from anybody here.
			c.RateLimit, c.UnauthenticatedLimit, c.SourceRateLimit = config.Of(0), config.Of(0), config.Of(0)
			c.TemporalUIURL, c.TemporalNamespace = p.temporalUI, temporalNamespace
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

// makeLogins gives each program a login of its own, with a password that lasts as long as
// the instance.
func (p product) makeLogins(ctx context.Context) (config.RoleLogins, error) {
	var urls [4]string
	for i, program := range []string{"serve", "worker", "files", "operator"} {
		u, err := url.Parse(p.database.DatabaseURL)
		if err != nil {
			return config.RoleLogins{}, fmt.Errorf("read the address of the database: %w", err)
		}
		u.User = url.UserPassword(databaseName+"_"+program, rand.Text())
		urls[i] = u.String()
	}
	made := config.RoleLogins{ServeDatabaseURL: urls[0], WorkerDatabaseURL: urls[1], DriveDatabaseURL: urls[2], OperatorDatabaseURL: urls[3]}
	return made, app.MakeRoles(ctx, p.database.DatabaseURL, "", made, 0, p.log)
}

// behindWalls is the database of a program that starts with a login of its own only.
func behindWalls(url string) config.Database {
	return config.Database{DatabaseURL: url, RequireRoles: config.Switch{Setting: config.Of(true)}}
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
		MetricsURL:        app.LocalURL(p.listeners.metrics.Addr()),
		TemporalAddress:   cluster.Address(),
		TemporalNamespace: temporalNamespace,
		TemporalUIURL:     cluster.UIURL(),
		DatabaseURL:       p.database.DatabaseURL,
	}
}
